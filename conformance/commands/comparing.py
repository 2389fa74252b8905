"""diff, and what run and judge do with --baseline."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from conformance.exits import USAGE
from conformance.runs.interruption import interruptible

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Literal

    from reports.changes.records import Comparison

_RUN = click.Path(path_type=Path, exists=True)


@click.command("diff")
@click.argument("old", type=_RUN)
@click.argument("new", type=_RUN)
@click.option("--format", "form", type=click.Choice(["text", "markdown", "json"]), default="text", show_default=True)
@click.option(
    "-o", "--output", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE", help="Write to FILE, not to standard output."
)
def diff_command(old: Path, new: Path, form: Literal["text", "markdown", "json"], output: Path | None) -> None:
    """Say what changed from OLD to NEW, two runs: each a results.json, or the directory that holds one.

    Where the ledger of OLD lies beside it, it is judged again by the suite that is installed, which tells a server that changed from a
    suite that did; nothing is sent.

    Exit codes: 0 nothing got worse; 1 new failures that no waiver covers, whoever caused them; 2 wrong usage, or no results;
    3 no new failure, but cases newly inconclusive, keys that vanished, errors, a run that was cut off, or nothing in common.
    """
    from conformance.comparing import compare_saved, results_at  # noqa: PLC0415  so that --help answers at once
    from reports.changes.file import render_changes  # noqa: PLC0415  likewise
    from reports.changes.text import render_changes_markdown, render_changes_text  # noqa: PLC0415  likewise
    from reports.results import ResultsError  # noqa: PLC0415  likewise
    from reports.results_file import write_text  # noqa: PLC0415  likewise

    forms: dict[str, Callable[[Comparison], str]] = {
        "text": render_changes_text,
        "markdown": render_changes_markdown,
        "json": render_changes,
    }
    try:
        with interruptible():
            comparison = compare_saved(results_at(old), results_at(new))
    except ResultsError as error:
        click.echo(str(error), err=True)
        sys.exit(USAGE)
    if output:
        write_text(output, forms[form](comparison))
    else:
        click.echo(forms[form](comparison).encode("utf-8", "backslashreplace"), nl=False)
    sys.exit(comparison.gate)
