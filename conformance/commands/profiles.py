"""init and check."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from conformance.exits import INCONCLUSIVE
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
    if undeclared:
        click.echo(f"undeclared, so that what needs them is not judged: {', '.join(f'answer.{name}' for name in undeclared)}")


@click.command("init")
@click.option("--base-url", metavar="URL", required=True)
@click.option("--appliance", "appliances", metavar="HAID:KIND", multiple=True, required=True, help="Repeatable.")
@click.option("-o", "--output", type=click.Path(path_type=Path, dir_okay=False), required=True, metavar="FILE")
@click.option("--force", is_flag=True, help="Overwrite FILE.")
def init_command(base_url: str, appliances: tuple[str, ...], output: Path, *, force: bool) -> None:
    """Draft a profile from what the server at URL shows; it is only read, and every guess is marked."""
    from conformance.drafting import draft  # noqa: PLC0415  so that --help answers at once
    from conformance.profiles.drafting import command_line_profile  # noqa: PLC0415  likewise

    if output.exists() and not force:
        raise click.UsageError(f"{output} exists; --force overwrites it")
    if not output.parent.is_dir():
        raise click.UsageError(f"there is no directory {output.parent}")
    with interruptible():
        text, served = draft(command_line_profile(base_url, appliances))
    if not served:
        click.echo("nothing could be read: is the address right, does it need [auth], is answer.value an unusual place?", err=True)
        sys.exit(INCONCLUSIVE)
    output.write_text(text, encoding="utf-8")
    click.echo(f"{output}: {served} keys gave a value")
