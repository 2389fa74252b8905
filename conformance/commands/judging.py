"""run, judge and plan."""

from __future__ import annotations

import sys
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from conformance.commands import JUNIT_INCONCLUSIVE
from conformance.runs.interruption import interruptible

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping

    from catalog.model import Level
    from conformance.profiles.model import Profile
    from reports.junit import Undecided

_TARGET = click.argument("target", default="reference")
_BASE_URL = click.option("--base-url", metavar="URL", help="Judge the server at URL, without a profile.")
_APPLIANCE = click.option("--appliance", "appliances", metavar="HAID:KIND", multiple=True, help="An appliance of --base-url; repeatable.")

_VENDOR = click.option("--vendor", metavar="NAME", help="The maker's name in keys and values, where it is not Vendor.")
_LEVEL = click.option(
    "--level",
    type=click.Choice(["read", "write", "power", "attended"]),
    help="What the run may do to the target: read; write what [write] allow names; also switch it off and on; also ask a person or a"
    " test bench. Default: read; power for the servers of the suite.",
)
_OUT = click.option("--out", type=click.Path(path_type=Path, file_okay=False), default=Path("reports/out/latest"), show_default=True)
_CERTIFY = click.option(
    "--certify",
    is_flag=True,
    help="Write certificate.json; end with 3 while it is refused: a claim is inconclusive, and no state of the appliance lifts it.",
)
_SIGN = click.option(
    "--sign",
    metavar="KEY",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="Sign the certificate with this Ed25519 key (PEM, private): certificate.json.sig. Goes with --certify.",
)
_BASELINE = click.option(
    "--baseline",
    type=click.Path(path_type=Path, exists=True),
    metavar="OLD",
    help="Say what changed since an earlier run (its results.json, or its directory; that may be --out itself).",
)
_STATE = click.option(
    "--state",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Where it is kept, outside --out, what a killed run owes each appliance, and which run is at work on it."
    "  [default: the user's state directory]",
)
_AFTER_DASHES = "what follows --"
_OURS = {"--target", "--out", "--state", "--held", "--level", "--certify", "--evidence", "--profile", "--baseline", "--junit-inconclusive"}
"""Options that the command itself hands to pytest: given twice, the second would silently win."""


class _WithPytest(click.Command):
    """A command that leaves what follows -- to pytest, whatever stands before it."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Takes what follows -- away, so that none of it is read as the target."""
        cut = args.index("--") if "--" in args else len(args)
        ctx.meta[_AFTER_DASHES] = tuple(args[cut + 1 :])
        ours = next((word for word in args[cut + 1 :] if word.partition("=")[0] in _OURS), None)
        if ours:
            raise click.UsageError(f"{ours} stands before --, with the options of {ctx.info_name}: what follows goes to pytest", ctx)
        return super().parse_args(ctx, args[:cut])

    def format_usage(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Shows where pytest's own arguments go."""
        formatter.write_usage(ctx.command_path, " ".join([*self.collect_usage_pieces(ctx), "[-- PYTEST_ARGUMENTS]"]))


def _target_options(command: Callable[..., None]) -> Callable[..., None]:
    return _TARGET(_BASE_URL(_APPLIANCE(_VENDOR(command))))


@click.command("run", cls=_WithPytest)
@_target_options
@_LEVEL
@_OUT
@_STATE
@_CERTIFY
@_SIGN
@JUNIT_INCONCLUSIVE
@_BASELINE
@click.option("--workers", type=click.IntRange(0, 64), default=0, help="Judge in so many processes.")
def run_command(  # noqa: PLR0913  one parameter an option
    target: str,
    base_url: str | None,
    appliances: tuple[str, ...],
    level: Level | None,
    out: Path,
    *,
    vendor: str | None,
    state: Path | None,
    certify: bool,
    sign: Path | None,
    junit_inconclusive: Undecided,
    baseline: Path | None,
    workers: int,
) -> None:
    """Judge TARGET and write the files of the run to --out.

    What follows -- goes to pytest, such as -k AlarmClock, -m "clause(id='TYPE-BOOLEAN')" or -x.
    """
    from conformance.profiles.loader import dump_profile  # noqa: PLC0415  so that --help answers at once
    from conformance.profiles.writing import write_profile  # noqa: PLC0415  likewise
    from conformance.runner import run_pytest  # noqa: PLC0415  likewise
    from conformance.runs.admission import admitted  # noqa: PLC0415  likewise
    from conformance.runs.state import state_directory  # noqa: PLC0415  likewise
    from conformance.spreading import NOT_SELECTED  # noqa: PLC0415  likewise
    from conformance.targets import assert_certifiable, level_of  # noqa: PLC0415  likewise

    signed = _signing(sign, certify=certify)
    said = _Words(base_url, appliances, vendor)
    drafted = said.stand_for(target)
    target = str(out / "profile.toml") if drafted else target
    extra = click.get_current_context().meta[_AFTER_DASHES]
    state = state_directory(target, state)
    options = [f"--junit-inconclusive={junit_inconclusive}", *([f"--state={state}"] if state else [])]
    selecting = any(word.startswith(("-k", "-m", "--deselect")) or "::" in word for word in extra)
    profile = said.profile() if drafted else _checked(target)
    if certify:
        assert_certifiable(profile)
    reached = level_of(target, profile, level)
    if reached != "read" and workers and selecting:
        raise click.UsageError(NOT_SELECTED)
    with interruptible(), admitted(out, profile, reached, state) as locks, _compared(baseline, dump_profile(profile)) as compared:
        _tell_unnamed_kinds(profile)
        if drafted:
            write_profile(profile, Path(target))
        words = [*options, *compared, *extra]
        code = run_pytest(target, out, certify=certify, level=level, workers=workers, extra=words, holding=locks)
        sys.exit(signed(out, code))


@click.command("judge", cls=_WithPytest)
@click.argument("evidence", type=click.Path(path_type=Path, dir_okay=False, exists=True))
@click.option(
    "--profile", type=click.Path(path_type=Path, dir_okay=False, exists=True), help="Judge with this profile, not with the one in EVIDENCE."
)
@_OUT
@_CERTIFY
@_SIGN
@JUNIT_INCONCLUSIVE
@_BASELINE
def judge_command(  # noqa: PLR0913  one parameter an option
    evidence: Path,
    profile: Path | None,
    out: Path,
    *,
    certify: bool,
    sign: Path | None,
    junit_inconclusive: Undecided,
    baseline: Path | None,
) -> None:
    """Judge a saved ledger again: the evidence.ndjson of a run. Nothing is sent, and no procedure is run.

    What is not in the ledger makes a case inconclusive. Exit codes are those of run.
    """
    from conformance.harness.journal import JOURNAL  # noqa: PLC0415  so that --help answers at once
    from conformance.runner import run_pytest  # noqa: PLC0415  likewise
    from conformance.runs.admission import assert_settled, holding  # noqa: PLC0415  likewise
    from conformance.saved import keep_beside, profile_in  # noqa: PLC0415  likewise

    if certify and profile:
        raise click.UsageError("--certify judges with the profile that the ledger holds: leave --profile out")
    signed = _signing(sign, certify=certify)
    extra = click.get_current_context().meta[_AFTER_DASHES]
    with interruptible(), holding(out) as lock, _compared(baseline, profile_in(evidence, profile) if baseline else None) as compared:
        if (evidence.parent / JOURNAL).resolve() != (out / JOURNAL).resolve():
            assert_settled(out / JOURNAL)  # the journal of the run that is judged takes its place
        options = [f"--evidence={keep_beside(evidence, out)}", *([f"--profile={profile}"] if profile else []), *compared]
        options.append(f"--junit-inconclusive={junit_inconclusive}")
        sys.exit(signed(out, run_pytest("saved", out, certify=certify, extra=[*options, *extra], holding=[lock])))


@click.command("plan")
@_target_options
@_LEVEL
@_STATE
@click.option("--requests", is_flag=True, help="List every shared read.")
def plan_command(  # noqa: PLR0913  one parameter an option
    target: str,
    base_url: str | None,
    appliances: tuple[str, ...],
    level: Level | None,
    *,
    vendor: str | None,
    state: Path | None,
    requests: bool,
) -> None:
    """Say what a run of TARGET would send: cases, requests, writes and the least time; send nothing.

    Where an appliance is owed something, so that a run would be refused, that is said, too.
    """
    from catalog.maker import with_maker  # noqa: PLC0415  so that --help answers at once
    from conformance.cases import all_cases  # noqa: PLC0415  likewise
    from conformance.derive import CATALOG  # noqa: PLC0415  likewise
    from conformance.harness.cost import machines, most_writes, seconds_of_waiting  # noqa: PLC0415  likewise
    from conformance.harness.plan import plan_run  # noqa: PLC0415  likewise
    from conformance.harness.procedures import path_of  # noqa: PLC0415  likewise
    from conformance.runs.admission import why_owed  # noqa: PLC0415  likewise
    from conformance.runs.state import state_directory  # noqa: PLC0415  likewise
    from conformance.targets import level_of  # noqa: PLC0415  likewise

    said = _Words(base_url, appliances, vendor)
    profile = said.profile() if said.stand_for(target) else _checked(target)
    level = level_of(target, profile, level)
    cases = all_cases(profile, level)
    writes = most_writes(cases, CATALOG, level)
    plan = plan_run(profile, CATALOG, cases, level)
    click.echo(f"target       {profile.target.name} at {profile.target.base_url}")
    click.echo(f"appliances   {', '.join(f'{appliance.ha_id} ({appliance.kind})' for appliance in profile.appliance)}")
    _tell_unnamed_kinds(profile)
    click.echo(f"cases        {len(cases)} on {len({case.clause.id for case in cases})} clauses")
    click.echo(f"reads        {len(plan.reads)} shared, then {plan.controls} controls and at most {plan.most_repeats} repeats")
    told = ", ".join(f"{ha_id} {count}" for ha_id, count in writes.items())
    click.echo(f"writes       {f'at most {sum(writes.values())} ({told})' if writes else 0}, level {level}; each value is put back")
    if writes:
        click.echo(f"waiting      about {seconds_of_waiting(cases, level) / 60:.1f} min for values to settle (timing.settle_s)")
    if machines(cases, level):
        click.echo(f"machines     {machines(cases, level)}, each with at most {profile.generated} requests before it finds something")
    pace = f"{profile.per_minute} a minute, {profile.per_day} a day" if profile.per_minute else "unlimited"
    click.echo(f"pace         {pace}, {profile.concurrency} at once")
    least = f"{plan.least_seconds(sum(writes.values())) / 60:.1f} min" if profile.per_minute else "as fast as the target answers"
    click.echo(f"least time   {least}")
    state = state_directory(target, state)
    refusal = why_owed(profile, state) if state else ""
    if refusal:
        click.echo(f"a run would be refused: {refusal}")
    if requests:
        makers = {appliance.ha_id: profile.vendor_of(appliance) for appliance in profile.appliance}
        for ha_id, segment, key in plan.reads:
            click.echo(f"GET {profile.target.base_url}{path_of(ha_id, segment, with_maker(key, makers[ha_id]))}")


def _signing(key: Path | None, *, certify: bool) -> Callable[[Path, int], int]:
    """What is done when a run has ended: its certificate, if there is one, gets a signature; the exit code stays.

    Raises:
        click.UsageError: when the key cannot be used; better before a run than after it.
    """
    if key is None:
        return lambda _out, code: code
    if not certify:
        raise click.UsageError("--sign goes with --certify")
    from conformance.signing import SigningError, load_private_key, sign  # noqa: PLC0415  so that --help answers at once
    from reports.certificate import CERTIFICATE_FILE  # noqa: PLC0415  likewise

    try:
        private = load_private_key(key)
    except SigningError as error:
        raise click.UsageError(str(error)) from error

    def signed(out: Path, code: int) -> int:
        if (out / CERTIFICATE_FILE).is_file():
            click.echo(f"signature: {sign(out / CERTIFICATE_FILE, private)}")
        return code

    return signed


@contextmanager
def _compared(baseline: Path | None, profile: Mapping[str, object] | None) -> Generator[list[str]]:
    """The words for pytest that name what is compared with; what cannot be is found before anything is sent."""
    if baseline is None:
        yield []
        return
    from conformance.comparing import kept_baseline  # noqa: PLC0415  so that --help answers at once
    from reports.results import ResultsError  # noqa: PLC0415  likewise

    with ExitStack() as stack:
        try:
            directory = stack.enter_context(kept_baseline(baseline, profile))
        except ResultsError as error:
            raise click.BadParameter(str(error), param_hint="--baseline") from error
        yield [f"--baseline={directory}"]


class _Words(NamedTuple):
    """What the command line says in place of a profile."""

    base_url: str | None
    appliances: tuple[str, ...]
    vendor: str | None

    def stand_for(self, target: str) -> bool:
        """Whether they stand in for a TARGET.

        Raises:
            click.UsageError: when they contradict it, or each other.
        """
        if self.base_url is None and not self.appliances and self.vendor is None:
            return False
        if target != "reference":
            told = "--vendor goes with --base-url: a profile says target.vendor" if self.base_url is None and self.vendor else ""
            raise click.UsageError(told or "give a TARGET or --base-url, not both")
        if self.base_url is None:
            raise click.UsageError(f"{'--appliance' if self.appliances else '--vendor'} goes with --base-url")
        return True

    def profile(self) -> Profile:
        """The profile that they amount to."""
        from conformance.profiles.drafting import command_line_profile  # noqa: PLC0415  so that --help answers at once

        return command_line_profile(self.base_url or "", self.appliances, self.vendor)


def _tell_unnamed_kinds(profile: Profile) -> None:
    """Says which appliances are asked every key, because the document does not name their kind."""
    from conformance.derive import CATALOG  # noqa: PLC0415  so that --help answers at once
    from conformance.profiles.kinds import unnamed_kinds  # noqa: PLC0415  likewise

    for line in unnamed_kinds(profile, CATALOG):
        click.echo(line)


def _checked(target: str) -> Profile:
    """The profile of a target; its mistakes end the command before anything is started."""
    from conformance.targets import profile_of  # noqa: PLC0415  so that --help answers at once

    return profile_of(target)
