"""The command check: validates a profile."""

from datetime import UTC, datetime
from pathlib import Path

import click

from conformance.commands import options


@click.command("check")
@click.argument("file", type=click.Path(path_type=Path))
@options.STATE
def command(file: Path, *, state: Path | None) -> None:
    """Validate the profile FILE: every mistake at once, each with its place; send nothing."""
    from conformance.cases import CATALOG
    from conformance.profiles.fields import ProfileError
    from conformance.profiles.stale_waivers import stale_waivers
    from conformance.runs.admission.state import budget_of, state_directory
    from conformance.runs.targets import profile_of
    from reports.texts import plural

    profile = profile_of(str(file), offline=True)
    today = datetime.now(UTC).date()
    if stale := list(stale_waivers(profile, CATALOG, today)):
        raise ProfileError(str(file), stale)
    options.print_unnamed_kinds(profile, str(file))
    claims = sum(len(appliance.supports) for appliance in profile.appliance)
    undeclared = [name for name, pointer in profile.answer if name != "status" and pointer is None]
    click.echo(
        f"{file}: no mistakes. {plural(len(profile.appliance), 'appliance')}, {plural(claims, 'claim')}"
    )
    if variables := options.variables_in_words(profile):
        click.echo(f"a run needs these variables in the environment: {variables}")
    if not profile.target.product.strip():
        click.echo(
            "not declared: target.product, the product and its version; --certify is refused without it"
        )
    if left := budget_of(profile, state_directory(str(file), state)).in_words:
        click.echo(left)
    if undeclared:
        names = ", ".join(f"answer.{name}" for name in undeclared)
        click.echo(f"not declared: {names}; what needs them is not judged")
