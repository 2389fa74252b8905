"""The command check: validates a profile, and sees with a few requests whether it fits."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from conformance.commands import around, options
from conformance.runs.exit_codes import INCONCLUSIVE, USAGE

if TYPE_CHECKING:
    from conformance.profiles.model import Profile


@click.command("check")
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--ask",
    "asks",
    is_flag=True,
    help=(
        "Send at most 12 requests for each kind of appliance, and say what of the file does not fit the"
        " answers. Ends with 2 where something does not fit, with 3 where nothing could be seen."
    ),
)
@options.STATE
def command(file: Path, *, asks: bool, state: Path | None) -> None:
    """Validate the profile FILE: every mistake at once, each with its place; send nothing without --ask."""
    from conformance.runs.admission.state import budget_of, state_directory
    from conformance.runs.targets import profile_of
    from reports.texts import plural

    profile = profile_of(str(file), offline=not asks, today=datetime.now(UTC).date())
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
    state = state_directory(str(file), state)
    if left := budget_of(profile, state).in_words:
        click.echo(left)
    if undeclared:
        names = ", ".join(f"answer.{name}" for name in undeclared)
        click.echo(f"not declared: {names}; what needs them is not judged")
    if asks:
        around.requests_left(profile, state)
        sys.exit(_asked(profile, state))


def _asked(profile: Profile, state: Path | None) -> int:
    """Asks, says what came of it, and gives the exit code."""
    from conformance.runs.processes.interruption import interruptible
    from conformance.suspects.preflight import ask, fit_of
    from reports.suspected import misfits_in_lines

    with interruptible():
        asked = ask(profile, state)
    click.echo(asked.words)
    fit = fit_of(asked)
    for line in (*filter(None, (asked.trouble, fit.misfit and fit.misfit.words)), *fit.silent):
        click.echo(line)
    for line in misfits_in_lines(fit.suspects, fit.undeclared):
        click.echo(line)
    if fit.is_contradicted:
        click.echo("the profile does not fit what was answered")
        return USAGE
    if asked.trouble or fit.misfit or fit.silent:
        return INCONCLUSIVE
    click.echo(f"{'all else' if fit.suspects else 'what was answered'} fits the profile")
    return 0
