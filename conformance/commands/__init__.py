"""The command line. Each command imports what it needs when it runs, so that --help answers at once."""

import sys
import traceback
from importlib import import_module
from typing import Any

import click

from conformance.commands.options import TYPED
from conformance.runs.exit_codes import INCONCLUSIVE, SUITE_FAULT, USAGE
from conformance.runs.processes.outlets import outlets, printable

_REFUSALS = (
    ("conformance.profiles.fields", "ProfileError", ""),
    ("conformance.harness.errors", "RefusedError", ""),
    ("conformance.harness.errors", "LedgerError", ""),
    ("conformance.records.journal_lines", "JournalError", "restore"),
    ("conformance.harness.errors", "TransportError", "check init record restore try"),
    ("conformance.captures.recorded", "CaptureError", "judge"),
    ("conformance.runs.saved.merging", "MergeError", "merge"),
    ("reports.results.file", "ResultsError", "diff history report restore suspect verify"),
    ("reports.certificate", "CertificateError", "report verify"),
    ("reports.attestation", "SigningError", "verify"),
)
"""The errors whose text says what is wrong, each with its module: whoever raises one has imported it.

In any other command than those that are named, such an error is the suite's own.
"""
_SUMMARIES = {
    "try": "Say a first verdict from a curl line that somebody has.",
    "run": "Judge a target: is it what the document says?",
    "judge": "Judge the ledger of a run again, or what others recorded; send nothing.",
    "record": "Record what a client says to a target, through a proxy, and judge it.",
    "suspect": "Say whose fault findings may be: which edit of the profile would explain them.",
    "diff": "Say what changed between two runs, and who changed it.",
    "history": "Show many runs on one page: what failed since when.",
    "merge": "Join the shards of a campaign into one run, and judge it.",
    "plan": "Say what a run would send, and send nothing.",
    "explain": "Say what a clause demands, how it is judged, and what proves that.",
    "init": "Draft a profile from what a server shows.",
    "check": "Validate a profile, all mistakes at once; see with a few requests whether it fits.",
    "serve": "Run the reference, a mutant, a variant or a hostile server.",
    "gym": "Say which conforming servers break a client.",
    "prove": "Prove each check on every mutant and every variant.",
    "verify": "Recompute a certificate from the ledger beside it.",
    "report": "Render saved results again.",
    "catalog": "Export the catalog.",
    "restore": "Put back what a run had written that was killed.",
}
"""The commands in the order of the help; each is `command` in the module of its name."""


class _Lazy(click.Group):
    """A group that imports a command's module only when that command is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The commands, as the help lists them."""
        del ctx
        return list(_SUMMARIES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name."""
        del ctx
        return import_module(f"conformance.commands.{cmd_name}").command if cmd_name in _SUMMARIES else None

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Keeps the words that were typed, for the report of a run."""
        ctx.meta[TYPED] = ("appliance-conformance", *args)
        return super().parse_args(ctx, args)

    def main(self, *args: Any, **extra: Any) -> Any:
        """Runs the command line; whatever it prints goes out by one way, which makes it harmless."""
        with outlets(printable):
            return super().main(*args, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        """Runs the command; an error must not end with 1, which says that a target does not conform."""
        try:
            return super().invoke(ctx)
        except (click.ClickException, click.exceptions.Exit, click.Abort, BrokenPipeError):
            raise
        except KeyboardInterrupt:
            click.echo("interrupted", err=True)
            sys.exit(INCONCLUSIVE)
        except Exception as error:  # noqa: BLE001  whatever it is
            refusals = (
                getattr(sys.modules.get(module), name, ())
                for module, name, commands in _REFUSALS
                if not commands or ctx.invoked_subcommand in commands.split()
            )
            if any(isinstance(error, refusal) for refusal in refusals):
                click.echo(str(error), err=True)
                sys.exit(USAGE)
            if isinstance(error, OSError) and error.filename:
                click.echo(f"{error.filename}: {error.strerror}", err=True)
                sys.exit(USAGE)
            traceback.print_exc()
            sys.exit(SUITE_FAULT)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """One line a command, without importing any."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl(list(_SUMMARIES.items()))


@click.group(cls=_Lazy, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="appliance-conformance")
def main() -> None:
    """Says, with proof, whether a server implements the Appliance Settings and Status Catalog.

    A TARGET is a profile file, or one of the servers that come with the suite: reference (the default),
    mutant:NAME, variant:NAME, unearned:NAME, hostile:NAME.

    Exit codes of run: 0 conforms; 1 does not conform; 2 wrong usage or profile, another run at work, or
    values of an earlier run that are not put back; 3 inconclusive; 4 a waiver is stale; 5 a value could not
    be put back, the suite itself failed, or a secret is in an output.
    """
