"""The command init: drafts a profile, or completes one."""

import shlex
import sys
from importlib.resources import files
from pathlib import Path

import click

from conformance.commands import around, options
from conformance.runs.exit_codes import INCONCLUSIVE
from conformance.runs.processes.interruption import interruptible


def _print_template(ctx: click.Context, _option: click.Parameter, value: object) -> None:
    """Prints the template, instead of anything else that the command does."""
    if value:
        template = files("conformance.profiles").joinpath("template.toml")
        click.echo(template.read_text(encoding="utf-8"), nl=False)
        ctx.exit()


@click.command("init")
@click.option("--base-url", metavar="URL", help="The address of the target, if FILE does not declare it.")
@click.option(
    "--appliance",
    "appliances",
    metavar="HAID:KIND",
    multiple=True,
    help="An appliance that FILE does not declare; repeatable.",
)
@options.VENDOR
@options.HEADER
@options.STATE
@click.option("--product", metavar="TEXT", help="The product and its version, which --certify needs.")
@options.output("Where the profile is drafted; an existing one is completed.", required=True)
@click.option(
    "--template",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_template,
    help="Print a profile with every field that there is, each explained; send nothing.",
)
def command(  # noqa: PLR0913, PLR0917  one parameter an option
    base_url: str | None,
    appliances: tuple[str, ...],
    vendor: str | None,
    headers: tuple[str, ...],
    state: Path | None,
    product: str | None,
    output: Path,
) -> None:
    """Draft a profile from what the server at URL shows; it is only read, and every guess is marked.

    If FILE exists, it is completed: what it declares stays, comments included, and what is missing is added;
    rows of its fleet file that claim nothing are filled.
    What the target needs to let you in, say with --header, or declare it as [auth] in FILE first.
    """
    from conformance.files.foreign_files import FLEET, PROFILE, read_bytes, read_text
    from conformance.profiles.fleet.listed import with_fleet
    from conformance.profiles.from_arguments import header_tables, host_of
    from conformance.profiles.validation import build_profile
    from conformance.runs.admission.state import state_directory
    from conformance.runs.drafts.draft_document import begin_document, with_supports
    from conformance.runs.drafts.drafting import ask, draft, unclaimed
    from conformance.runs.processes.progress import progress_of
    from reports.texts import plural

    text = read_bytes(output, PROFILE) if output.exists() else None
    if text is None and not (base_url and appliances):
        raise click.UsageError(f"{output} does not exist: --base-url and --appliance say what it is about")
    if not output.parent.is_dir():
        raise click.UsageError(f"there is no directory {output.parent}")
    name = product or (host_of(base_url) if base_url else None)
    named = {"name": name, "base_url": base_url, "vendor": vendor, "product": product}
    document = begin_document(
        text, {field: word for field, word in named.items() if word is not None}, appliances, str(output)
    )
    for table, fields in header_tables(headers).items():
        document.setdefault(table, {}).update(fields)
    state = state_directory(str(output), state)
    with interruptible():
        profile = build_profile(with_fleet(document.unwrap(), output.parent), source=str(output))
        around.requests_left(profile, state)
        views, trouble = ask(profile, progress_of(0), state)
    drafted = draft(document, views, trouble, output.parent)
    for line in drafted.told:
        click.echo(line, err=True)
    if drafted.asks or drafted.served:
        output.write_text(drafted.text, encoding="utf-8")
        listed = document.get("fleet", {}).get("file")
        if listed and not drafted.asks:
            rows = output.parent / listed
            text = with_supports(listed, read_text(rows, FLEET), unclaimed(views))
            rows.write_text(text, encoding="utf-8")
            click.echo(f"{rows}: what gave a value stands under supports, as a guess, where nothing stood")
    if drafted.asks:
        click.echo(
            f"{output}: choose the value among the places under [answer], then run init again, which"
            " completes the file"
        )
    elif not drafted.served:
        click.echo(f"{output} was not written", err=True)
    else:
        click.echo(
            f"{output}: {plural(drafted.served, 'read')} gave a value. Look through its guesses, then:"
            f" appliance-conformance check {shlex.quote(str(output))}"
        )
        return
    sys.exit(INCONCLUSIVE)
