"""The command merge: joins the shards of a campaign."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from conformance.commands import around, options
from conformance.runs.processes.interruption import interruptible

if TYPE_CHECKING:
    from reports.formats.junit import InconclusiveAs


@click.command("merge")
@click.argument(
    "directories",
    metavar="DIR...",
    nargs=-1,
    required=True,
    type=click.Path(path_type=Path, exists=True, file_okay=False),
)
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    required=True,
    help="The directory for the files of the whole run.",
)
@options.CERTIFY
@options.SIGN
@options.JUNIT_INCONCLUSIVE
@options.BASELINE
def command(  # noqa: PLR0913  one parameter an option
    directories: tuple[Path, ...],
    out: Path,
    *,
    certify: bool,
    sign: Path | None,
    junit_inconclusive: InconclusiveAs,
    baseline: Path | None,
) -> None:
    """Join the runs in DIR..., one of each shard, into one run, and judge that; nothing is sent.

    Runs that do not belong together are refused: another profile, suite or level, a shard that is missing,
    there twice or cut off. Exit codes are those of run.
    """
    from conformance.records.journal_lines import JOURNAL_FILE
    from conformance.runs.admission.admitting import assert_settled, holding
    from conformance.runs.asked import Asked
    from conformance.runs.processes.pytest_process import run_pytest
    from conformance.runs.saved.merging import merge

    signed = around.signing(sign, certify=certify)
    if out.resolve() in {directory.resolve() for directory in directories}:
        raise click.UsageError("--out is one of the shards: choose another directory")
    with interruptible(), holding(out):
        assert_settled(out / JOURNAL_FILE)  # that of the campaign takes its place
        saved = merge(directories, out, certify=certify)
        with around.compared(baseline, saved.profile_data() if baseline else None) as compared:
            asked = Asked(
                saved,
                out,
                certify=certify,
                baseline=compared,
                junit_inconclusive=junit_inconclusive,
                typed=around.typed(),
            )
            sys.exit(signed(out, run_pytest(asked)))
