"""The power of a profile: which of the known faults of its appliances a run with it would find.

Each mutant that concerns a key the profile claims is judged as if it were the target: with what the profile
says of its target, at the level of the run, and within its requests of a day.
"""

import os
from collections.abc import Iterable, Sequence
from functools import partial

from catalog.model import Level
from conformance.cases import all_cases, each_case
from conformance.harness.planning import forecast, plan_run
from conformance.mutants.registry import is_among, load_mutants
from conformance.profiles.model import Profile
from conformance.proof.likeness import makes_of
from conformance.proof.outcomes import TrialOutcome
from conformance.proof.pool import judge_all
from conformance.proof.searching import MORE_REQUESTS, Needed, Search, Whole, line_of
from conformance.records.known_faults import FoundFaults, MissedFaults, RunPower
from conformance.records.results import NO_KEYS


class UntriedError(Exception):
    """Mutants of which nothing came: the text names them, and why."""


def power_of(
    profile: Profile, level: Level, *, only: Sequence[str] = (), workers: int | None = None
) -> RunPower:
    """The power of a run of `level`, by all mutants or those with one of `only` in their name.

    Raises:
        UntriedError: when a trial came to no end.
    """
    found = tried_with(profile, level, only=only, workers=workers)
    missed: dict[tuple[str, ...], list[str]] = {}
    for name, tried in found.items():
        if tried.needs:
            missed.setdefault(tried.needs, []).append(name)
    faults = {mutant.name: mutant.fault for mutant in load_mutants()}
    number = sum(not tried.needs for tried in found.values())
    return RunPower(
        level,
        FoundFaults(number, len(found), profile.per_day),
        tuple(
            MissedFaults(needs, _lines(needs, [found[name] for name in names]), len(names), faults[names[0]])
            for needs, names in sorted(missed.items(), key=lambda one: (-len(one[1]), one[0]))
        ),
    )


def _lines(needs: Sequence[str], missed: Iterable[Needed]) -> tuple[str, ...]:
    """How a profile gives what these need; of requests, as many as all of them take."""
    most = max(tried.after for tried in missed)
    return tuple(f"[pace] per_day = {most}" if one == MORE_REQUESTS else line_of(one) for one in needs)


def tried_with(
    profile: Profile, level: Level, *, only: Sequence[str] = (), workers: int | None = None
) -> dict[str, Needed]:
    """What it takes to find each mutant that is a fault of appliances as a profile claims them, by name.

    Raises:
        UntriedError: when a trial came to no end.
    """
    plan = plan_run(profile, all_cases(profile, level), level)
    written = forecast(plan).requests - plan.most_requests
    whole = Whole(plan.most_requests, written, profile.per_day)
    few = profile.model_copy(update={"appliance": makes_of(profile), "fleet": None, "template": ()})
    claimed = _claimed(few)
    mutants = [one for one in load_mutants() if one.clause in claimed and is_among(one.name, only)]
    longest_first = sorted(mutants, key=lambda mutant: mutant.seen_at, reverse=True)
    judge = partial(_tried, profile=few, level=level, whole=whole)
    names = (one.name for one in longest_first)
    outcomes = judge_all(names, judge, workers=workers or os.cpu_count() or 1)
    broken = ((name, one) for name, one in outcomes.items() if isinstance(one, TrialOutcome))
    if unjudged := [f"{name}: {outcome.faults[0]}" for name, outcome in broken]:
        raise UntriedError("\n".join(unjudged))
    return {one.name: tried for one in mutants if isinstance(tried := outcomes[one.name], Needed)}


def _claimed(profile: Profile) -> frozenset[str]:
    """The clauses that have a case about a key that the profile claims, or about an appliance as a whole."""
    return frozenset(
        case.clause.id
        for case, _ in each_case(profile, "attended")
        if not case.is_of_absent_kind and (case.key in NO_KEYS or case.claim == "yes")
    )


def _tried(name: str, profile: Profile, level: Level, whole: Whole) -> Needed | None:
    mutant = next(one for one in load_mutants() if one.name == name)
    return Search(mutant, profile, level).tried(whole)
