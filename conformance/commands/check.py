"""The command check: validates a profile."""

from pathlib import Path

import click

from conformance.commands import options


@click.command("check")
@click.argument("file", type=click.Path(path_type=Path))
def command(file: Path) -> None:
    """Validate the profile FILE: every mistake at once, each with its place; send nothing."""
    from conformance.runs.targets import profile_of

    profile = profile_of(str(file), offline=True)
    options.print_unnamed_kinds(profile)
    claims = sum(len(appliance.supports) for appliance in profile.appliance)
    undeclared = [name for name, pointer in profile.answer if name != "status" and pointer is None]
    click.echo(f"{file}: fine. {len(profile.appliance)} appliances, {claims} claims")
    if variables := options.variables_in_words(profile):
        click.echo(f"a run needs these variables in the environment: {variables}")
    if not profile.target.product.strip():
        click.echo(
            "undeclared, so that --certify is refused: target.product, the name and version of what is judged"
        )
    if undeclared:
        click.echo(
            "undeclared, so that what needs them is not judged:"
            f" {', '.join(f'answer.{name}' for name in undeclared)}"
        )
