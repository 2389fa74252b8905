"""The command merge: joins the shards of a campaign."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from conformance.commands import around
from conformance.runs.processes.interruption import interruptible


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
@around.RESULT_WORDS
def command(directories: tuple[Path, ...], out: Path, results: around.ResultWords) -> None:
    """Join the runs in DIR..., one of each shard, into one run, and judge that; nothing is sent.

    Runs that do not belong together are refused: another profile, suite or level, a shard that is missing,
    there twice or cut off. Exit codes are those of run.
    """
    from conformance.records.journal_lines import JOURNAL_FILE
    from conformance.runs.admission.admitting import assert_settled, holding
    from conformance.runs.processes.pytest_process import run_pytest
    from conformance.runs.saved.merging import merge

    signed = results.signing()
    if out.resolve() in {directory.resolve() for directory in directories}:
        raise click.UsageError("--out is one of the shards: choose another directory")
    with interruptible(), holding(out):
        assert_settled(out / JOURNAL_FILE)  # that of the campaign takes its place
        saved = merge(directories, out, certify=results.certify)
        baseline = results.compared(saved.profile_data)
        sys.exit(signed(out, run_pytest(results.asked(saved, out, baseline))))
