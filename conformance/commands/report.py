"""The command report: renders saved results again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from conformance.commands import options
from reports.formats import FILES

if TYPE_CHECKING:
    from typing import Literal

    from reports.formats import Format
    from reports.formats.junit import InconclusiveAs


@click.command("report")
@click.argument("results", type=click.Path(path_type=Path, exists=True))
@click.option(
    "--format",
    "form",
    type=click.Choice([*FILES, "certificate", "har"]),
    default="markdown",
    show_default=True,
    help=(
        "A page or a file for build servers, as the run made it; certificate, the certificate of the run as a"
        " page that prints on two pages; or har, the ledger as an HTTP Archive."
    ),
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write to this file, not to standard output.",
)
@options.JUNIT_INCONCLUSIVE
def command(
    results: Path,
    form: Format | Literal["certificate", "har"],
    output: Path | None,
    junit_inconclusive: InconclusiveAs,
) -> None:
    """Render saved RESULTS (a results.json, or the directory of one) to standard output, without a run.

    Exchanges and writes are read from the ledger and the journal beside RESULTS. The same files give the same
    bytes as the run.
    """
    from conformance.runs.saved.saved_run import results_at
    from reports.renderings import export_ledger, render, render_signable
    from reports.text_files import encoded, write_text

    results = results_at(results)
    if form == "har":
        pieces = export_ledger(results)
    elif form == "certificate":
        pieces = [render_signable(results)]
    else:
        pieces = [render(results, form, inconclusive=junit_inconclusive)]
    if output:
        write_text(output, pieces)
        return
    for piece in pieces:
        click.echo(encoded(piece), nl=False)
