"""The command history: many runs as one page."""

from pathlib import Path

import click

from conformance.commands import options


@click.command("history")
@click.argument("directory", type=click.Path(path_type=Path, exists=True, file_okay=False))
@options.output("The page to write, such as history.html.", required=True)
def command(directory: Path, output: Path) -> None:
    """Make one page of the runs in DIRECTORY: what failed since when, what was fixed, and what is flaky.

    The results.json of each run, or a results.json.gz, lies in a directory of its own, at whatever depth. A
    changes.json beside it says who caused what changed, a night.json how the run ended where it left no
    results. The runs are of one target.
    """
    from conformance.files.text_files import write_text
    from reports.history.history_page import render_history
    from reports.history.kept_results import load_nights
    from reports.history.occurrences import history_of
    from reports.texts import plural

    nights = load_nights(directory, output)
    for reason in nights.unread:
        click.echo(f"not read: {reason}", err=True)
    write_text(output, render_history(history_of(nights)))
    click.echo(f"history: {output}, {plural(len(nights.nights), 'night')}")
