"""The options that several commands share, and what they mean."""

from __future__ import annotations

import os
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import click

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from conformance.profiles.fleet.sharding import Part
    from conformance.profiles.model import Profile

TYPED: Final = "what was typed"
"""Where the context of click keeps the words of the whole command."""

FILE: Final = click.Path(path_type=Path, exists=True, dir_okay=False)
"""A file that is there."""
RUN: Final = click.Path(path_type=Path, exists=True)
"""The results of a run, or their directory."""
TARGET = click.argument("target", default="reference")
BASE_URL = click.option("--base-url", metavar="URL", help="Judge the server at URL, without a profile.")
APPLIANCE = click.option(
    "--appliance",
    "appliances",
    metavar="HAID:KIND",
    multiple=True,
    help="An appliance of --base-url; repeatable.",
)
VENDOR = click.option(
    "--vendor", metavar="NAME", help="The maker's name in keys and values, if it is not Vendor."
)
HEADER = click.option(
    "--header",
    "headers",
    metavar="'NAME: VALUE'",
    multiple=True,
    help="A header of every request to --base-url; ${NAME} in it is taken from the environment. Repeatable.",
)
LEVEL = click.option(
    "--level",
    type=click.Choice(["read", "write", "power", "attended"]),
    help=(
        "What the run may do. write: write the settings that [write] allow names; power: also switch"
        " appliances off and on; attended: also ask a person or a test bench. Default: read, and power for"
        " servers of the suite whose profile has [write]."
    ),
)
CLIENT_VENDOR = click.option(
    "--vendor", metavar="NAME", help="The maker's name in keys and values, for clients that know no other."
)
ONLY = click.option(
    "--only", metavar="TEXT", multiple=True, help="Only servers with TEXT in their name. May be repeated."
)
LATEST: Final = Path("reports/out/latest")


def out(default: Path) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """The option of the directory that a command writes."""
    return click.option(
        "--out",
        type=click.Path(path_type=Path, file_okay=False),
        default=default,
        show_default=True,
        help="The directory for the files that are written.",
    )


def output(told: str, *, required: bool = False) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """The option of the file that a command writes; `told` is its help."""
    file = click.Path(path_type=Path, dir_okay=False)
    return click.option("-o", "--output", type=file, metavar="FILE", required=required, help=told)


def instead(*, dir_okay: bool = False) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """The option of a file that is written instead of standard output, which `-` is, as everywhere."""
    file = click.Path(path_type=Path, dir_okay=dir_okay)
    told = "Write to FILE, not to standard output."
    return click.option("-o", "--output", type=file, metavar="FILE", help=told, callback=_or_none)


def _or_none(_context: click.Context, _option: click.Parameter, named: Path | None) -> Path | None:
    return None if named == Path("-") else named


def port(default: int) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """The option of the port on which a server of a command listens."""
    ports = click.IntRange(0, 65535)
    return click.option(
        "--port", type=ports, default=default, show_default=True, help="0 takes any free port."
    )


OUT = out(LATEST)
CERTIFY = click.option(
    "--certify",
    is_flag=True,
    help=(
        "Write certificate.json. If a claimed case is inconclusive, and no state of the appliance explains"
        " that, the certificate is refused and the run ends with 3."
    ),
)
VERBOSE = click.option("-v", "--verbose", is_flag=True, help="Name every case with its verdict.")
SIGN = click.option(
    "--sign",
    metavar="KEY",
    type=FILE,
    help="Write certificate.intoto.jsonl, an attestation signed with this key (PEM). Needs --certify.",
)
BASELINE = click.option(
    "--baseline",
    type=RUN,
    metavar="OLD",
    help=(
        "Say what changed since an earlier run. OLD is its results.json or its directory, which may be --out"
        " itself."
    ),
)
STATE = click.option(
    "--state",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help=(
        "The directory that keeps what a killed run has still to put back, which appliances a run is using,"
        " and how many requests were sent today.  [default: the user's state directory]"
    ),
)
SAMPLE = click.option(
    "--sample",
    type=click.IntRange(1),
    metavar="N",
    help="Take N appliances of each kind, not all of them.  [default: what [fleet] sample says, or all]",
)
SEED = click.option(
    "--seed",
    metavar="TEXT",
    help="Chooses the appliances of a sample, and generated requests; another seed, other ones.",
)
SHARD = click.option(
    "--shard",
    metavar="I/N",
    help=(
        "Ask only the Ith of N parts of the appliances, with its share of the pace. auto/N takes"
        " I from JOB_COMPLETION_INDEX or CI_NODE_INDEX, auto takes N from CI_NODE_TOTAL as well."
    ),
)
WAIT = click.option(
    "--wait-for-target",
    type=click.FloatRange(0, 86_400),
    default=0,
    metavar="SECONDS",
    help="Wait at most so long for the target itself to answer, before anything is judged.",
)
RESUME = click.option(
    "--resume",
    is_flag=True,
    help=(
        "Go on from the run in --out that was interrupted, or for which the requests of the day were used up:"
        " send only what it had not sent. Writes that were cut short are made again."
    ),
)
FAILED = click.option(
    "--failed",
    is_flag=True,
    help=(
        "Judge again only what failed in the last whole run of --out, and ask only what that needs. The files"
        " go to the directory failed in --out."
    ),
)
JUNIT_INCONCLUSIVE = click.option(
    "--junit-inconclusive",
    type=click.Choice(["skipped", "failure"]),
    default="skipped",
    show_default=True,
    help="What an inconclusive case is in junit.xml. Many dashboards show skipped as green.",
)
_AFTER_DASHES = "what follows --"


class WithPytest(click.Command):
    """A command that leaves what follows -- to pytest, whatever stands before it."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Takes what follows -- away, so that none of it is read as the target."""
        cut = args.index("--") if "--" in args else len(args)
        ctx.meta[_AFTER_DASHES] = tuple(args[cut + 1 :])
        own = {word for option in self.params for word in option.opts if word.startswith("--")}
        own -= {"--verbose"}  # pytest has it, too
        ours = next((word for word in args[cut + 1 :] if word.partition("=")[0] in own), None)
        if ours:
            told = (
                f"{ours} stands before --, with the options of {ctx.info_name}: what follows goes to pytest"
            )
            raise click.UsageError(told, ctx)
        return super().parse_args(ctx, args[:cut])

    def format_usage(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Shows where pytest's own arguments go."""
        pieces = [*self.collect_usage_pieces(ctx), "[-- PYTEST_ARGUMENTS]"]
        formatter.write_usage(ctx.command_path, " ".join(pieces))


def pytest_words() -> tuple[str, ...]:
    """The words after -- of the command that runs."""
    return click.get_current_context().meta[_AFTER_DASHES]


def assert_named(texts: Sequence[str], names: Collection[str]) -> None:
    """Refuses a text of --only that selects no server, which would else be left out unnoticed.

    Raises:
        click.UsageError: when no name holds one of the texts.
    """
    for text in texts:
        if not any(text in name for name in names):
            raise click.UsageError(f"no server has {text!r} in its name")


def collected(
    name: str, record: Any, *given: Callable[[Callable[..., None]], Callable[..., None]]
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Adds options, and hands the command what they say as one record, a NamedTuple with a field for each."""

    def adding(command: Callable[..., None]) -> Callable[..., None]:
        @wraps(command)
        def taking(**words: Any) -> None:
            command(**{name: record(**{field: words.pop(field) for field in record._fields})}, **words)

        for option in reversed(given):
            option(taking)
        return taking

    return adding


class TargetWords(NamedTuple):
    """TARGET, and the options that may stand in its place."""

    target: str
    base_url: str | None
    appliances: tuple[str, ...]
    vendor: str | None
    headers: tuple[str, ...]

    @property
    def is_drafted(self) -> bool:
        """Whether the options are given in place of TARGET.

        Raises:
            click.UsageError: when they contradict it, or each other.
        """
        given = {
            "--appliance": self.appliances,
            "--vendor": self.vendor is not None,
            "--header": self.headers,
        }
        if self.base_url is None and not any(given.values()):
            return False
        if self.target != "reference":
            says = {"--vendor": "target.vendor", "--header": "auth.headers"}
            word = next((word for word in says if given[word] and self.base_url is None), "")
            told = f"{word} goes with --base-url: a profile says {says[word]}" if word else ""
            raise click.UsageError(told or "give a TARGET or --base-url, not both")
        if self.base_url is None:
            word = next(word for word, value in given.items() if value)
            raise click.UsageError(f"{word} goes with --base-url")
        return True

    def profile(self, *, offline: bool = False) -> Profile:
        """The profile that they amount to; that of TARGET needs no value of a secret `offline`."""
        from conformance.profiles.from_arguments import command_line_profile
        from conformance.runs.targets import profile_of

        if self.is_drafted:
            return command_line_profile(self.base_url or "", self.appliances, self.vendor, self.headers)
        return profile_of(self.target, offline=offline)


TARGET_WORDS = collected("words", TargetWords, TARGET, BASE_URL, APPLIANCE, VENDOR, HEADER)


def part(shard: str | None) -> Part | None:
    """The shard that --shard names; None without it.

    Raises:
        click.BadParameter: when it names none.
    """
    from conformance.profiles.fleet.sharding import part_of

    try:
        return part_of(shard, os.environ) if shard else None
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--shard") from error


def variables_in_words(profile: Profile) -> str:
    """The variables that a run needs in its environment, and whether each is set or empty; shows no value."""
    from conformance.profiles.validation import variables_of

    told = {name: os.environ.get(name) for name in variables_of(profile)}
    words = ("not set" if value is None else "set" if value else "empty" for value in told.values())
    return ", ".join(f"{name} ({word})" for name, word in zip(told, words, strict=True))


def print_unnamed_kinds(profile: Profile, target: str) -> None:
    """Prints which appliances are asked for every key, because the document does not name their kind.

    Those of a server of the suite are no news to anybody.
    """
    from conformance.profiles.kinds import unnamed_kinds
    from conformance.runs.targets import is_embedded

    for line in () if is_embedded(target) else unnamed_kinds(profile):
        click.echo(line)
