"""The command diff: says what changed between two runs."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from conformance.commands import options
from conformance.runs.processes.interruption import interruptible

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Literal

    from reports.changes.model import Comparison

_ALL = "with --format json"


@click.command("diff")
@click.argument("old", type=options.RUN)
@click.argument("new", type=options.RUN)
@click.option(
    "--format", "form", type=click.Choice(["text", "markdown", "json"]), default="text", show_default=True
)
@options.instead()
def command(old: Path, new: Path, form: Literal["text", "markdown", "json"], output: Path | None) -> None:
    """Say what changed from OLD to NEW, two runs: each a results.json, or the directory that holds one.

    If the ledger of OLD is beside it, it is judged again by the suite that is installed. That tells a change
    of the server from one of the suite. Nothing is sent.

    Exit codes: 0 nothing got worse; 1 new failures that no waiver covers, whoever caused them; 2 wrong usage,
    or no results; 3 no new failure, but new inconclusive cases, vanished keys, errors, an unfinished
    run, or nothing in common.
    """
    from conformance.files.text_files import write_text
    from conformance.runs.saved.comparing import compare_saved
    from conformance.runs.saved.saved_run import in_run
    from reports.changes.files import render_changes
    from reports.changes.text import render_changes_markdown, render_changes_text

    forms: dict[str, Callable[[Comparison], str]] = {
        "text": partial(render_changes_text, rest=_ALL),
        "markdown": partial(render_changes_markdown, rest=_ALL),
        "json": render_changes,
    }
    with interruptible():
        comparison = compare_saved(in_run(old), in_run(new))
    if output:
        write_text(output, forms[form](comparison))
    elif form == "text":
        click.echo(forms[form](comparison), nl=False)
    else:
        click.echo(forms[form](comparison).encode("utf-8", "backslashreplace"), nl=False)
    sys.exit(comparison.gate)
