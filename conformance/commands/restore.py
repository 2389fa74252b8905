"""The command restore: puts back what a killed run had written."""

import os
import sys
from pathlib import Path

import click

from conformance.commands import options
from conformance.runs.exit_codes import SUITE_FAULT
from conformance.runs.processes.interruption import interruptible


@click.command("restore")
@click.argument("journal", type=options.RUN)
def command(journal: Path) -> None:
    """Put back what a killed run had written.

    JOURNAL is the journal.ndjson among the files of the run, their directory, or the file that `run` names.
    Each key in it is read, written if it is not back yet, and read again. Secrets come from the environment,
    as in the run. What is sent is kept in restore-evidence.ndjson beside JOURNAL.

    If the target has moved, change base_url in the first line of JOURNAL. If the appliance is gone for good,
    delete JOURNAL. Ends with 0 if nothing is left to put back, with 5 if something is, and with 2 if the run
    is still alive.
    """
    from conformance.harness.errors import UnreachableError
    from conformance.records.journal_lines import JOURNAL_FILE
    from conformance.runs.saved.restoring import restore
    from conformance.runs.saved.saved_run import in_run

    journal = in_run(journal, JOURNAL_FILE)
    try:
        with interruptible():
            restored = restore(journal, os.environ)
    except UnreachableError as error:
        click.echo(f"{error}\nnothing was put back: what the journal says is still owed", err=True)
        sys.exit(SUITE_FAULT)
    except KeyboardInterrupt:
        click.echo(
            "interrupted: what is not put back yet is still owed, and the next restore goes on with it",
            err=True,
        )
        sys.exit(SUITE_FAULT)
    for line in restored.lines or [f"{journal}: nothing is owed, nothing was sent"]:
        click.echo(line)
    for leak in restored.leaks:
        click.echo(f"a secret is in an output: {leak}", err=True)
    sys.exit(0 if restored.is_clean else SUITE_FAULT)
