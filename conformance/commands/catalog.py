"""The command catalog: exports the catalog."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from conformance.commands import options

if TYPE_CHECKING:
    from typing import Literal

    from catalog.exports import ExportFormat


@click.command("catalog")
@click.option(
    "--format",
    "form",
    type=click.Choice(["json", "jsonschema", "openapi", "markdown", "profile-schema", "evidence-schema"]),
    default="json",
    show_default=True,
)
@click.option(
    "--profile",
    type=options.FILE,
    help="Take the pointer to the value and the maker's name from this profile.",
)
def command(form: ExportFormat | Literal["profile-schema", "evidence-schema"], profile: Path | None) -> None:
    """Export what the document says to standard output.

    profile-schema is the JSON Schema of a profile: an editor completes and explains a file that names it.
    evidence-schema is that of a line of NDJSON that judge takes for an exchange.
    """
    from catalog.exports import render_catalog
    from catalog.loader import CATALOG

    if form == "evidence-schema":
        from conformance.captures.recorded import render_line_schema

        click.echo(render_line_schema(), nl=False)
        return
    if form == "profile-schema":
        from conformance.profiles.schema import render_profile_schema

        click.echo(render_profile_schema(), nl=False)
        return
    pointer, maker = "/data/value", "Vendor"
    if profile:
        from conformance.profiles.validation import load_profile

        loaded = load_profile(profile, offline=True)
        pointer = pointer if loaded.answer.value is None else loaded.answer.value
        maker = loaded.target.vendor
    click.echo(render_catalog(CATALOG, form, value_pointer=pointer, maker=maker), nl=False)
