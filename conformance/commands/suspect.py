"""The command suspect: whose fault the findings of a run may be."""

from pathlib import Path

import click

from conformance.commands import options


@click.command("suspect")
@click.argument("out", type=options.RUN)
def command(out: Path) -> None:
    """Say which edit of the profile would make findings of a run vanish, and which stand; send nothing.

    OUT is the directory of a run, with its results.json and its ledger. Each edit is tried on what the run
    has seen, by judging that again. No verdict changes: where the profile is wrong, edit it and run again.
    """
    from msgspec.structs import replace

    from conformance.harness.ledger import read_ledger
    from conformance.records.ledger_lines import LEDGER_FILE
    from conformance.runs.saved.saved_run import in_run
    from conformance.suspects.search import suspects_of
    from reports.results.file import load_results
    from reports.suspected import suspected_at_length, suspected_in_lines

    path = in_run(out)
    results = load_results(path)
    found = replace(results, suspects=suspects_of(read_ledger(path.with_name(LEDGER_FILE)), results))
    for line in suspected_in_lines(found) or [
        "nothing failed, and no edit of the profile decides what is open"
    ]:
        click.echo(line)
    for line in suspected_at_length(found):
        click.echo(line)
