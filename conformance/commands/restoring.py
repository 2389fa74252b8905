"""restore."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from conformance.exits import SUITE_FAULT, USAGE
from conformance.runs.interruption import interruptible


@click.command("restore")
@click.argument("journal", type=click.Path(path_type=Path, exists=True, dir_okay=False))
def restore_command(journal: Path) -> None:
    """Put back what a run had written that was killed: JOURNAL is the journal.ndjson among its files, or the file that `run` names.

    Each key that is still owed is read, written where it is not back, and read again; secrets come from the environment, as in the run.
    What is sent is kept in restore-evidence.ndjson beside JOURNAL. Where the target has moved, change base_url in the first line of
    JOURNAL; where the appliance is gone for good, delete JOURNAL. Ends with 0 when nothing is owed any more, with 5 while something is,
    with 2 while the run is still alive.
    """
    from conformance.harness.journal import JournalError  # noqa: PLC0415  so that --help answers at once
    from conformance.harness.messages import TransportError  # noqa: PLC0415  likewise
    from conformance.restoring import UnreachableError, restore  # noqa: PLC0415  likewise
    from conformance.runs.admission import RefusedError  # noqa: PLC0415  likewise

    try:
        with interruptible():
            restored = restore(journal, os.environ)
    except (JournalError, TransportError, RefusedError) as error:
        click.echo(str(error), err=True)
        sys.exit(USAGE)
    except UnreachableError as error:
        click.echo(f"{error}\nnothing was put back: what the journal says is still owed", err=True)
        sys.exit(SUITE_FAULT)
    except KeyboardInterrupt:
        click.echo("interrupted: what is not put back yet is still owed, and the next restore goes on with it", err=True)
        sys.exit(SUITE_FAULT)
    for line in restored.lines or [f"{journal}: nothing is owed, nothing was sent"]:
        click.echo(line)
    for leak in restored.leaks:
        click.echo(f"a secret is in an output: {leak}", err=True)
    sys.exit(0 if restored.is_clean else SUITE_FAULT)
