"""The command plan: says what a run would send."""

from __future__ import annotations

import shlex
from collections import Counter
from typing import TYPE_CHECKING

import click

from conformance.commands import options

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from catalog.model import Level
    from conformance.harness.planning import Forecast, Plan
    from conformance.harness.writes.rehearsal import Rehearsed
    from conformance.profiles.model import Profile

_MOST_NAMED = 24


@click.command("plan")
@options.TARGET_WORDS
@options.LEVEL
@options.STATE
@options.SAMPLE
@options.SEED
@click.option("--certify", is_flag=True, help="Plan a run with --certify, which waits longer.")
@click.option("--requests", is_flag=True, help="List every shared read.")
def command(  # noqa: PLR0913  one parameter an option
    words: options.TargetWords,
    level: Level | None,
    *,
    state: Path | None,
    sample: int | None,
    seed: str | None,
    certify: bool,
    requests: bool,
) -> None:
    """Say what a run of TARGET would send, how long that takes, and what makes it so long; send nothing.

    TARGET is that of run. If an earlier run has still to put something back, so that a run would be refused,
    it says so.
    """
    from conformance.cases import all_cases
    from conformance.harness.planning import forecast, plan_run
    from conformance.profiles.fleet.sharding import sampled
    from conformance.runs.admission.admitting import why_owed
    from conformance.runs.admission.state import budget_of, state_directory
    from conformance.runs.known_power import known_power
    from conformance.runs.targets import level_of
    from reports.phrases import some_of

    target = words.target
    profile = sampled(words.profile(offline=True), sample, seed)
    profile = profile.certified if certify else profile
    level = level_of(target, profile, level)
    plan = plan_run(profile, all_cases(profile, level), level)
    names = some_of([f"{one.ha_id} ({one.kind})" for one in profile.appliance], _MOST_NAMED)
    click.echo(f"target       {profile.target.name} at {profile.target.base_url}")
    click.echo(f"appliances   {names}")
    options.print_unnamed_kinds(profile, "" if words.base_url else target)
    if variables := options.variables_in_words(profile):
        click.echo(f"environment  {variables}")
    click.echo(f"cases        {len(plan.cases)} on {len({case.clause.id for case in plan.cases})} clauses")
    repeats = f"{plan.controls} controls and at most {plan.most_repeats} repeats"
    click.echo(f"reads        {len(plan.reads)} shared, then {repeats}")
    if plan.generated:
        click.echo(
            f"generated    at most {plan.most_generated} requests that only read (pace.generated_reads)"
        )
    state = state_directory(target, state)
    budget = budget_of(profile, state)
    for line in _costs(forecast(plan, budget.left), profile, level):
        click.echo(line)
    if left := budget.in_words:
        click.echo(f"today        {left}")
    if state:
        power = known_power(state, profile, level)
        unknown = (
            f"not known: appliance-conformance prove --like {shlex.quote(target)} --level {level} says it"
        )
        click.echo(f"power        {power.faults.words.removeprefix('power ') if power else unknown}")
    refusal = why_owed(profile, state) if state else ""
    if refusal:
        click.echo(f"a run would be refused: {refusal}")
    for line in _requests(plan) if requests else ():
        click.echo(line)


def _costs(forecast: Forecast, profile: Profile, level: Level) -> Iterator[str]:
    """The lines on what would be written, on how long the run takes, and on what makes it last so long."""
    costs = forecast.costs
    writes = {ha_id: cost.writes for ha_id, cost in costs.items()}
    by_appliance = ", ".join(f"{ha_id} {count}" for ha_id, count in writes.items())
    most = f"about {sum(writes.values())} ({by_appliance})" if writes else "0"
    yield f"writes       {most}, level {level}; each value is put back"
    if writes:
        least, longest = forecast.waiting_s / 60, forecast.late_s / 60
        yield f"waiting      about {least:.1f} min for values to settle where effects come at once,"
        yield f"             {longest:.1f} min where each takes as long as it may (timing.settle_s)"
        if profile.timing.quiet_s is None:
            yield "             with --certify longer: it waits as long as effects may take"
    yield from _preparations(costs, profile)
    limits = {"a minute": profile.per_minute, "a day": profile.per_day}
    pace = ", ".join(f"{most:,} {unit}" for unit, most in limits.items() if most) or "unlimited"
    yield f"pace         {pace}, {profile.concurrency} at once"
    if forecast.nights == 0:
        yield f"requests     about {forecast.requests:,} in one go"
        yield f"nights       never: each begins with about {forecast.going_on:,}, so pace.per_day is too low"
        return
    days = f", in {forecast.nights} nights" if forecast.nights > 1 else ""
    yield f"requests     about {forecast.in_all:,} in all{days}"
    if forecast.nights > 1:
        yield f"             each further night begins with about {forecast.going_on:,}, to see what changed;"
        yield "             a night ends with 3: go on with the same command and --resume"
    fast = "the waiting, else as fast as the target answers"
    yield f"least time   {f'{forecast.minutes:.1f} min' if profile.per_minute else fast}"
    yield f"binds        {forecast.binding}"


def _preparations(costs: Mapping[str, Rehearsed], profile: Profile) -> Iterator[str]:
    """What a run would write to prepare states, where it finds others; like appliances in one line."""
    from catalog.keys import short_name
    from reports.phrases import some_of
    from reports.texts import short_value

    alike: dict[str, list[str]] = {}
    for ha_id, cost in costs.items():
        called = Counter(map(short_name, cost.prepared))
        named = ((key if called[short_name(key)] > 1 else short_name(key), key) for key in cost.prepared)
        writes = sorted(f"{name} {short_value(cost.prepared[key])}" for name, key in named)
        if writes:
            alike.setdefault(", ".join(writes), []).append(ha_id)
    if alike and profile.write:
        most = f"at most {profile.write.max_prepared_s:g} s at a time (write.max_prepared_s)"
        yield f"prepares     where it is otherwise and in the way of a write, for {most}:"
    for writes, ha_ids in alike.items():
        yield f"             {some_of(ha_ids, _MOST_NAMED)}: {writes}"


def _requests(plan: Plan) -> Iterator[str]:
    """A line for each shared read."""
    from catalog.maker import with_maker
    from conformance.harness.steps import path_of

    profile = plan.profile
    makers = {appliance.ha_id: profile.vendor_of(appliance) for appliance in profile.appliance}
    for ha_id, segment, key in plan.reads:
        path = path_of(ha_id, segment, with_maker(key, makers[ha_id]))
        yield f"GET {profile.target.base_url}{path}"
