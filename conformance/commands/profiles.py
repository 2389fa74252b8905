"""init and check."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from conformance.exits import INCONCLUSIVE, USAGE
from conformance.runs.interruption import interruptible


@click.command("check")
@click.argument("file", type=click.Path(path_type=Path))
def check_command(file: Path) -> None:
    """Validate the profile FILE: every mistake at once, each with its place; send nothing."""
    from conformance.derive import CATALOG  # noqa: PLC0415  so that --help answers at once
    from conformance.profiles.kinds import unnamed_kinds  # noqa: PLC0415  likewise
    from conformance.targets import profile_of  # noqa: PLC0415  likewise

    profile = profile_of(str(file))
    for line in unnamed_kinds(profile, CATALOG):
        click.echo(line)
    claims = sum(len(appliance.supports) for appliance in profile.appliance)
    undeclared = [name for name, pointer in profile.answer if name != "status" and pointer is None]
    click.echo(f"{file}: fine. {len(profile.appliance)} appliances, {claims} claims")
    if not profile.target.product.strip():
        click.echo("undeclared, so that --certify is refused: target.product, the name and version of what is judged")
    if undeclared:
        click.echo(f"undeclared, so that what needs them is not judged: {', '.join(f'answer.{name}' for name in undeclared)}")


@click.command("init")
@click.option("--base-url", metavar="URL", help="The target; FILE may declare it.")
@click.option("--appliance", "appliances", metavar="HAID:KIND", multiple=True, help="Repeatable; FILE may declare them.")
@click.option("--vendor", metavar="NAME", help="The maker's name in keys and values, where it is not Vendor.")
@click.option("--product", metavar="TEXT", help="The product and its version, which --certify needs.")
@click.option("-o", "--output", type=click.Path(path_type=Path, dir_okay=False), required=True, metavar="FILE")
def init_command(base_url: str | None, appliances: tuple[str, ...], vendor: str | None, product: str | None, output: Path) -> None:
    """Draft a profile from what the server at URL shows; it is only read, and every guess is marked.

    A FILE that exists is completed: what it declares stays, comments included, and what is missing is added. A target that needs
    [auth] is drafted that way: declare [auth] in FILE first.
    """
    from conformance.derive import CATALOG  # noqa: PLC0415  so that --help answers at once
    from conformance.drafting import ask, begun, draft  # noqa: PLC0415  likewise
    from conformance.harness.messages import TransportError  # noqa: PLC0415  likewise
    from conformance.profiles.loader import build_profile  # noqa: PLC0415  likewise

    text = output.read_bytes() if output.exists() else None
    if text is None and not (base_url and appliances):
        raise click.UsageError(f"{output} does not exist: --base-url and --appliance say what it is about")
    if not output.parent.is_dir():
        raise click.UsageError(f"there is no directory {output.parent}")
    named = {"name": base_url, "base_url": base_url, "vendor": vendor, "product": product}
    document = begun(text, {field: word for field, word in named.items() if word is not None}, appliances, str(output))
    try:
        with interruptible():
            views, trouble = ask(build_profile(document.unwrap(), CATALOG, source=str(output)))
    except TransportError as error:
        click.echo(str(error), err=True)
        sys.exit(USAGE)
    drafted = draft(document, views, trouble)
    for line in drafted.told:
        click.echo(line, err=True)
    if drafted.asks or (drafted.served and not drafted.is_of_another_maker):
        output.write_text(drafted.text, encoding="utf-8")
    if drafted.asks:
        click.echo(f"{output}: choose the value among the places under [answer], then run init again, which completes the file")
    elif not drafted.served or drafted.is_of_another_maker:
        click.echo(f"{output} was not written", err=True)
    else:
        click.echo(f"{output}: {drafted.served} reads gave a value. Look through its guesses, then: appliance-conformance check {output}")
        return
    sys.exit(INCONCLUSIVE)
