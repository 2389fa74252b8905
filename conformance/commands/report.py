"""The command report: renders saved results again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from conformance.commands import options
from reports.formats import FILES
from reports.texts import plural

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Literal

    from reports.formats import Format


@click.command("report")
@click.argument("results", type=options.RUN)
@click.option(
    "--format",
    "form",
    type=click.Choice([*FILES, "certificate", "har"]),
    show_default="markdown",
    help=(
        "A page, or a file for other tools, as the run made it; certificate, the certificate of the run as a"
        " page that prints on two pages; or har, the ledger as an HTTP Archive."
    ),
)
@options.instead(dir_okay=True)
@click.option(
    "--anonymous",
    is_flag=True,
    help=(
        "Put stand-ins for haIds, hosts, names and all other texts of the target, so that the report may be"
        " posted. Without --format, every report is written to the directory -o."
    ),
)
def command(
    results: Path,
    form: Format | Literal["certificate", "har"] | None,
    output: Path | None,
    *,
    anonymous: bool,
) -> None:
    """Render saved RESULTS (a results.json, or the directory of one) to standard output, without a run.

    Exchanges and writes are read from the ledger and the journal beside RESULTS. The same files give the same
    bytes as the run.
    """
    from conformance.runs.saved.saved_run import in_run
    from reports.renderings import export_ledger, render, render_signable

    path = in_run(results)
    if anonymous:
        _print_anonymous(path, form, output)
        return
    if output and output.is_dir():
        raise click.BadParameter(f"{output} is a directory", param_hint="-o")
    if form == "har":
        _put(export_ledger(path), output)
    else:
        _put([render_signable(path) if form == "certificate" else render(path, form or "markdown")], output)


def _print_anonymous(
    path: Path,
    form: Format | Literal["certificate", "har"] | None,
    output: Path | None,
) -> None:
    """Writes one report with stand-ins, or each one into a directory.

    Raises:
        click.UsageError: when the format proves by what it names, or there is no directory to write to.
    """
    from conformance.files.text_files import write_text
    from reports.renderings import render_anonymous

    if form == "certificate" or form == "har":  # noqa: PLR1714  pyright knows by this which are left
        raise click.UsageError(f"--anonymous goes without --format {form}: it proves by what it names")
    if form is None and (output is None or output.is_file()):
        raise click.UsageError("--anonymous without --format writes every report: name a directory with -o")
    made = render_anonymous(path)
    if form:
        _put([made[FILES[form]]], output)
    elif output:
        for name, text in made.items():
            write_text(output / name, text)
        click.echo(f"anonymous: {output}, {plural(len(made), 'file')}")


def _put(pieces: Iterable[str], output: Path | None) -> None:
    """Writes a text to a file, or else to standard output."""
    from conformance.files.text_files import encoded, write_text

    if output:
        write_text(output, pieces)
        return
    for piece in pieces:
        click.echo(encoded(piece), nl=False)
