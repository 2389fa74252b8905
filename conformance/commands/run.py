"""The command run: judges a target."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from conformance.commands import around, options
from conformance.runs.processes.interruption import interruptible

if TYPE_CHECKING:
    from catalog.model import Level


@click.command("run", cls=options.WithPytest)
@options.TARGET_WORDS
@options.LEVEL
@options.OUT
@options.STATE
@around.RESULT_WORDS
@options.SAMPLE
@options.SEED
@options.SHARD
@options.WAIT
@options.RESUME
@options.FAILED
@options.VERBOSE
def command(  # noqa: PLR0913  one parameter an option
    words: options.TargetWords,
    level: Level | None,
    out: Path,
    results: around.ResultWords,
    *,
    state: Path | None,
    sample: int | None,
    seed: str | None,
    shard: str | None,
    wait_for_target: float,
    resume: bool,
    failed: bool,
    verbose: bool,
) -> None:
    """Judge TARGET, and write the files of the run to --out.

    TARGET is a profile file, or a server of the suite: reference (the default), mutant:NAME and others. What
    follows -- goes to pytest, such as -k AlarmClock, -m "clause(id='TYPE-BOOLEAN')" or -x.
    """
    from conformance.profiles.fleet.sharding import sampled, sharded
    from conformance.profiles.validation import dump_profile
    from conformance.runs.admission.admitting import admitted
    from conformance.runs.admission.state import state_directory
    from conformance.runs.processes.pytest_process import run_pytest
    from conformance.runs.targets import assert_certifiable, level_of
    from reports.results.file import OF_FAILED

    signed, certify = results.signing(), results.certify
    drafted = words.is_drafted
    used = out / "profile.toml"
    target = str(used) if drafted else words.target
    state = state_directory(target, state)
    profile = sampled(words.profile(), sample, seed)
    part = options.part(shard)
    if failed and (certify or part or resume):
        raise click.UsageError(
            "--failed judges a part of a run: it goes without --certify, --shard and --resume"
        )
    if certify and part:
        raise click.UsageError("--certify goes with merge: a shard is no whole run")
    if certify:
        assert_certifiable(profile)
    level = "read" if part and level is None else level
    reached = level_of(target, profile, level)
    if resume and reached == "attended":
        raise click.UsageError("--resume goes without --level attended: a person is asked once")
    if part and reached == "attended":
        raise click.UsageError("--shard goes without --level attended: a person is at one place")
    profile = sharded(profile, part, reached)
    whole, out = out, out / OF_FAILED if failed else out  # what a night has found stays
    with interruptible(), admitted(out, profile, reached, state):
        baseline = results.compared(lambda: dump_profile(profile.certified if certify else profile))
        left = around.requests_left(profile, state)  # where none is, the files of the run before stay
        if left is not None and not failed and not options.pytest_words():
            around.print_nights(profile, reached, left, out if resume else None)
        options.print_unnamed_kinds(profile, target)
        if drafted:
            around.write_used(profile, used)
        elif used.is_file() and used.resolve() != Path(target).resolve():
            click.echo(f"{used} is of another run: this one uses {target}", err=True)
        asked = results.asked(
            target,
            out,
            baseline,
            state=state,
            level=level,
            sample=sample,
            seed=seed,
            part=part,
            wait_s=wait_for_target,
            resume=resume,
            chosen=around.failed_before(whole) if failed else None,
        )
        code = run_pytest(asked, options.pytest_words(), verbose=verbose)
        around.print_what_is_left(out)
        sys.exit(signed(out, code))
