"""report and catalog."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from conformance.commands import JUNIT_INCONCLUSIVE
from conformance.exits import USAGE

if TYPE_CHECKING:
    from typing import Literal

    from catalog.exports import ExportFormat
    from reports.junit import Undecided
    from reports.render import Format


@click.command("report")
@click.argument("results", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option(
    "--format",
    "form",
    type=click.Choice(["html", "cases", "junit", "markdown", "badge", "ctrf", "har"]),
    default="markdown",
    show_default=True,
    help="A page or a file for build servers, as the run made it; or har, the ledger as an HTTP Archive.",
)
@click.option("-o", "--output", type=click.Path(path_type=Path, dir_okay=False), help="Write to this file, not to standard output.")
@JUNIT_INCONCLUSIVE
def report_command(results: Path, form: Format | Literal["har"], output: Path | None, junit_inconclusive: Undecided) -> None:
    """Render saved RESULTS (a results.json) to standard output, without a run.

    Exchanges and writes are read from the ledger and the journal beside RESULTS. The same files give the same bytes as the run.
    """
    from reports.render import export, render  # noqa: PLC0415  so that --help answers at once
    from reports.results import ResultsError  # noqa: PLC0415  likewise
    from reports.results_file import encoded, write_text  # noqa: PLC0415  likewise

    try:
        pieces = export(results) if form == "har" else [render(results, form, inconclusive=junit_inconclusive)]
        if output:
            write_text(output, pieces)
            return
        for piece in pieces:
            click.echo(encoded(piece), nl=False)
    except ResultsError as error:
        click.echo(str(error), err=True)
        sys.exit(USAGE)


@click.command("catalog")
@click.option("--format", "form", type=click.Choice(["json", "jsonschema", "openapi", "markdown"]), default="json", show_default=True)
@click.option(
    "--profile", type=click.Path(path_type=Path, exists=True, dir_okay=False), help="Whose pointer to the value and maker's name to use."
)
def catalog_command(form: ExportFormat, profile: Path | None) -> None:
    """Export what the document says to standard output."""
    from catalog.exports import render_catalog  # noqa: PLC0415  so that --help answers at once
    from catalog.loader import load_catalog  # noqa: PLC0415  likewise

    catalog = load_catalog()
    pointer, maker = "/data/value", "Vendor"
    if profile:
        from conformance.profiles.loader import load_profile  # noqa: PLC0415  likewise

        loaded = load_profile(profile, catalog)
        pointer = pointer if loaded.answer.value is None else loaded.answer.value
        maker = loaded.target.vendor
    click.echo(render_catalog(catalog, form, value_pointer=pointer, maker=maker), nl=False)
