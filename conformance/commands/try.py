"""The command try: a first verdict from a pasted curl line."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from contextlib import ExitStack
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from conformance.commands import around, options
from conformance.runs.processes.interruption import interruptible

if TYPE_CHECKING:
    from conformance.pasted.credentials import Credentials
    from conformance.pasted.trying import Trying
    from conformance.profiles.model import Profile
    from conformance.runs.drafts.drafting import Draft

_CLIPBOARDS = (
    ("pbpaste",),
    ("wl-paste", "--no-newline"),
    ("xclip", "-selection", "clipboard", "-o"),
    ("xsel", "--clipboard", "--output"),
    ("powershell.exe", "-NoProfile", "-Command", "Get-Clipboard"),
)
"""The programs that print the clipboard, of macOS, Wayland, X11 and Windows."""
_PATIENCE_S = 5
_MOST_DOUBTS, _MOST_NAMED = 3, 8


class _WithCurl(click.Command):
    """A command that leaves the words after curl to curl, whatever they look like."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Takes a line that a shell has split for what it is."""
        cut = next((at for at, word in enumerate(args) if word == "curl" or word.endswith("/curl")), None)
        return super().parse_args(ctx, args if cut is None else [*args[:cut], "--", *args[cut:]])


@click.command("try", cls=_WithCurl)
@click.argument("line", nargs=-1, type=click.UNPROCESSED, metavar="[CURL...]")
@click.option("--ha-id", default="", metavar="HAID", help="The appliance, if the line names none.")
@click.option("--kind", default="", metavar="KIND", help="Its kind, if it is inferred wrongly.")
@click.option("--vendor", default="", metavar="NAME", help="The maker's name in keys and values.")
@click.option("--value", metavar="POINTER", help="The JSON Pointer of the value in an answer.")
@options.output("Where the profile is drafted; an existing one is completed.  [default: HOST.toml]")
@options.out(Path("reports/out/try"))
@options.STATE
def command(  # noqa: PLR0913  one parameter an option
    line: tuple[str, ...],
    *,
    ha_id: str,
    kind: str,
    vendor: str,
    value: str | None,
    output: Path | None,
    out: Path,
    state: Path | None,
) -> None:
    """Judge an appliance by a curl line that somebody has: infer the rest, read, draft a profile.

    CURL is the line, as it is or in quotes. Without it, the line is read from standard input, or, at a
    terminal, from the clipboard. It is read from, and nothing is ever written to the target. A token of the
    line is only held in memory; the draft names a variable for it.
    """
    from conformance.harness.errors import DayBudgetError
    from conformance.pasted.address import address_of
    from conformance.pasted.credentials import credentials_of
    from conformance.pasted.curl_line import PastedError, curl_line
    from conformance.pasted.trying import OpenQuestionError, Said, Trying
    from conformance.runs.admission.state import state_directory
    from conformance.runs.exit_codes import INCONCLUSIVE

    try:
        pasted = curl_line(line or (_pasted(),))
        address = address_of(pasted.url)
        credentials = credentials_of(pasted, address)
    except PastedError as error:
        raise click.UsageError(str(error)) from None
    os.environ.update(credentials.secrets)
    said = Said(ha_id, kind, vendor, value)
    trying = Trying(address, credentials, said, _asked_once(), state_directory("", state))
    profile = trying.profile  # its mistakes are said before anything is sent
    file = output or Path(f"{profile.target.name.partition('/')[0].replace(':', '-')}.toml")
    if not file.parent.is_dir():
        raise click.UsageError(f"there is no directory {file.parent}")
    if pasted.writes:
        click.echo("the line writes: only its address is used, and nothing is written")
    if credentials.left_out:
        click.echo(f"not used: {', '.join(credentials.left_out)}")
    around.requests_left(profile, trying.state)
    try:
        code = _tried(trying, file, out)
    except OpenQuestionError as error:
        click.echo(f"{error}\nsay so with {error.option}, before the line", err=True)
        code = INCONCLUSIVE
    except DayBudgetError as error:
        click.echo(f"nothing more is sent: {error}", err=True)
        code = INCONCLUSIVE
    sys.exit(code)


def _pasted() -> str:
    """The line on standard input, or in the clipboard of whoever sits at the terminal.

    Raises:
        click.UsageError: when there is none.
    """
    if not sys.stdin.isatty():
        return sys.stdin.read()
    for words in _CLIPBOARDS:
        if program := shutil.which(words[0]):
            try:
                shown = subprocess.run(  # noqa: S603  the operator's own clipboard
                    [program, *words[1:]], capture_output=True, check=True, timeout=_PATIENCE_S
                )
            except (OSError, subprocess.SubprocessError):
                continue
            text = shown.stdout.decode(errors="replace")
            if "://" in text:
                click.echo("the line is taken from the clipboard")
                return text
    raise click.UsageError("paste a curl line after try, or copy one: no clipboard holds one")


def _asked_once() -> Any:
    """Asks the person at the terminal one question, and no second one."""
    left = [sys.stdin.isatty()]

    def ask(question: str, _option: str) -> str:
        return str(click.prompt(question, default="", show_default=False)) if left and left.pop() else ""

    return ask


def _tried(trying: Trying, file: Path, out: Path) -> int:
    """Looks, reads, judges and drafts; the exit code of the run."""
    from conformance.files.foreign_files import PROFILE, read_bytes
    from conformance.harness.wire.redaction import Redactor
    from conformance.records.ledger_lines import LEDGER_FILE
    from conformance.runs.admission.admitting import admitted
    from conformance.runs.asked import Asked
    from conformance.runs.exit_codes import INCONCLUSIVE, SUITE_FAULT
    from conformance.runs.processes.progress import progress_of
    from conformance.runs.processes.pytest_process import run_pytest
    from conformance.runs.saved.saved_run import SavedRun

    text = read_bytes(file, PROFILE) if file.exists() else None
    with interruptible(), ExitStack() as stack:

        def hold(profile: Profile) -> None:
            stack.enter_context(admitted(out, profile, "read", trying.state))

        trying.look(hold)
        if trying.found.trouble:
            click.echo(trying.found.trouble, err=True)
            return INCONCLUSIVE
        trying.begin(text, file)  # what the file says otherwise is said before all is read
        _print_found(trying)
        trying.read(out, progress_of(0))
        drafted = trying.draft(text, file)
        used = around.write_used(trying.profile, out / "profile.toml")
        typed = ("appliance-conformance", "try", "-o", str(file))
        asked = Asked(SavedRun(out / LEDGER_FILE, used), out, chosen=trying.chosen, typed=typed)
        code = run_pytest(asked)
        for doubt in islice(trying.doubts(drafted), _MOST_DOUBTS):
            count = len(doubt.cases)
            click.echo(f"is it so? {doubt.line}: if it is, {count} more would fail, such as {doubt.cases[0]}")
        if drafted.served:
            file.write_text(drafted.text, encoding="utf-8")
        paths = [path for path in (file, *sorted(out.rglob("*"))) if path.is_file()]
        leaks = Redactor(trying.credentials.secrets).leaks(paths)
        for leak in leaks:
            click.echo(f"a secret is in an output: {leak}", err=True)
        _print_next(drafted, trying.credentials, file)
    return SUITE_FAULT if leaks else code


def _print_found(trying: Trying) -> None:
    """Prints what is known, how, and how to say otherwise."""
    from reports.phrases import some_of

    found = trying.found
    facts = (
        ("appliance", found.ha_id, "--ha-id"),
        ("maker", found.maker, "--vendor"),
        ("kind", found.kind, "--kind"),
    )
    click.echo(f"base URL   {trying.address.base_url}")
    for name, fact, option in facts:
        if fact:
            change = f"; {option} says otherwise" if fact.is_inferred else ""
            click.echo(f"{name:10} {fact.value} ({fact.why}{change})")
    if found.others:
        click.echo(f"           beside it: {some_of(found.others, _MOST_NAMED)}")
    for name, source in trying.credentials.sources.items():
        click.echo(f"secret     {source} is held in memory, as {name}")


def _print_next(drafted: Draft, credentials: Credentials, file: Path) -> None:
    """Prints where the draft is, and what to type next."""
    from conformance.profiles.keeping import VARIABLE

    for line in drafted.told:
        click.echo(line, err=True)
    if not drafted.served:
        click.echo(f"{file} was not written", err=True)
        return
    click.echo(f"draft: {file}, in which each guess is marked")
    named = dict.fromkeys(VARIABLE.findall(drafted.text))
    exports = "".join(
        f"read -rs {name} && export {name} && " for name in named if name in credentials.secrets
    )
    click.echo(f"next: {exports}appliance-conformance run {shlex.quote(str(file))}")
