"""SET and RANGE: settings are configurable, over their whole range (lines 7, 23, 165 to 175)."""

from collections.abc import Iterator
from itertools import takewhile

from msgspec.structs import replace

from catalog.keys import POWER_STATE
from conformance.checks.case import Case
from conformance.checks.exchange import WRITES
from conformance.checks.groups import ProcedureKind, setting_group
from conformance.checks.traces.evaluating import Evaluation, verdict_on
from conformance.checks.traces.trace import (
    Attempt,
    Effect,
    attempts,
    effect_of,
    tries_to_put_back,
    values_around,
)
from conformance.checks.verdict import NotApplicable
from conformance.checks.view import View
from conformance.checks.writes.effects import (
    FAR,
    evaluate_effect,
    state_around,
    undecided,
    watched_for,
    without_echoes,
)
from conformance.checks.writes.requirements import require_settable, unwritten
from conformance.model.couplings import may_move
from conformance.model.json_values import is_number, number, quoted, same
from conformance.model.values import TOLERANCE, is_end

CONFIGURABLE = "settings are configurable properties"


def assert_writable(case: Case, seen: View) -> str | None:
    """Another allowed value, once written, is there within the settle time and stays (lines 7, 33)."""
    group = setting_group(case.key)
    require_settable(seen, case.key, group)
    tried = [_with_later_reads(seen, attempt) for attempt in _attempts(seen, case.key)]
    evaluations = [found for attempt in tried if (found := evaluate_writable(seen, attempt))]
    left = list(_not_put_back(seen, case.key))
    if not (evaluations or left):
        raise unwritten(seen, case.key, group)
    judged = [
        _judged_elsewhere(seen, one, evaluations, tried[0].old())
        for one in without_echoes(tried, evaluations)
    ]
    judged += left
    return verdict_on(seen, judged, group, otherwise="", document=CONFIGURABLE)


def _with_later_reads(seen: View, attempt: Attempt) -> Attempt:
    """The attempt with what other procedures read of its key before anything was written that may move it."""
    last = attempt.after[-1] if attempt.after else attempt.answer
    later = (one for one in seen.told if one.exchange.n > last.exchange.n)
    until = takewhile(
        lambda one: (
            one.exchange.purpose not in WRITES or not may_move(seen.catalog, one.exchange.key, attempt.key)
        ),
        later,
    )
    reads = [one for one in until if one.exchange.key == attempt.key and one.has_value]
    return replace(attempt, after=(*attempt.after, *reads)) if reads else attempt


def _not_put_back(seen: View, key: str) -> Iterator[Evaluation]:
    """The tries to put a setting back after its own writes or at the end; each is a try."""
    kinds = {setting_group(key).kind, ProcedureKind.LAST_LOOK}
    for attempt in tries_to_put_back(seen, key):
        group = attempt.answer.exchange.group
        if attempt.is_acknowledged and group and group.kind in kinds:
            one = evaluate_writable(seen, _with_later_reads(seen, attempt))
            if one and one.result == "contradicts":
                yield one


def evaluate_writable(seen: View, attempt: Attempt) -> Evaluation | None:
    """What one attempt says of a setting being configurable."""
    evaluation = evaluate_effect(seen, attempt)
    if evaluation and evaluation.result == "contradicts" and attempt.key == POWER_STATE:
        return replace(
            evaluation, result="undecided", words=f"{evaluation.words} (PWR clauses judge the power states)"
        )
    return evaluation


def assert_both_ends(case: Case, seen: View) -> str | None:
    """Both ends of the range can be written (interpretation I-1); each that was tried has to show it."""
    group = setting_group(case.key)
    read = require_settable(seen, case.key, group)
    values = seen.values(case.key, read)
    bounds, listed = values.bounds, values.listed
    if bounds is None:
        raise NotApplicable("no range is known", read)
    if listed and not any(is_end(bounds, value) for value in listed):
        raise NotApplicable("the advertised list of its values holds no end of its range", read)
    tried = _attempts(seen, case.key)
    if not tried:
        raise unwritten(seen, case.key, group)
    evaluations = [found for attempt in tried if (found := evaluate_both_ends(seen, attempt))]
    if not any((found := evaluate_effect(seen, attempt)) and found.result == "holds" for attempt in tried):
        evaluations = [
            undecided(one, "no write of this key has an effect (SET-WRITABLE judges it)")
            for one in evaluations
        ]
    shown = {number(one.attempt.value) for one in evaluations if one.result != "undecided"}
    if unshown := [one for one in evaluations if number(one.attempt.value) not in shown]:
        # what one end does says nothing of the other
        evaluations = [*unshown, *(one for one in evaluations if one.result == "contradicts")]
    document = "both ends of a range are allowed values"
    return verdict_on(
        seen, evaluations, group, otherwise="no end of the range was written", document=document
    )


def evaluate_both_ends(seen: View, attempt: Attempt) -> Evaluation | None:
    """What one attempt to write an end of the range says of that end being allowed."""
    values = values_around(seen, attempt)
    found = values.bounds
    if found is None or not is_end(found, attempt.value) or values.alike(attempt.value, attempt.old()):
        return None
    settle_s = seen.profile.timing.settle_seconds(attempt.key)
    wrote = (
        f"wrote {quoted(attempt.value)}, an end of the range {found[0]:g} to {found[1]:g}, {attempt.words}"
    )
    if effect_of(seen, attempt) is Effect.TOOK:
        return Evaluation("holds", wrote, attempt)
    state = state_around(seen, attempt)
    if state:
        return Evaluation(
            "undecided", f"{wrote}, then {quoted(attempt.last())} while {state}", attempt, state
        )
    words = f"{wrote}, {quoted(attempt.last())} after {watched_for(attempt)}"
    stable = attempt.is_settled(settle_s) and _stands(attempt)
    if not (attempt.is_acknowledged and stable and is_number(attempt.last())):
        return Evaluation("undecided", words, attempt)
    stated = values.stated_step
    off = abs(number(attempt.last()) - number(attempt.value))
    if stated is None and same(attempt.last(), attempt.old()) and off >= (found[1] - found[0]) * FAR:
        stated = off  # it did not move, and no appliance rounds so far
    if stated is None or off < stated - TOLERANCE:
        return Evaluation(
            "undecided",
            f"{words}; that may be rounding, as the step is not stated" if stated is None else words,
            attempt,
        )
    doubt = "" if seen.appliance.is_writable(attempt.key) else "; appliance.writable does not claim it"
    return Evaluation("undecided" if doubt else "contradicts", f"{words}{doubt}", attempt)


def _stands(attempt: Attempt) -> bool:
    """Whether the last two reads, or the only one, show the same value."""
    values = [read.value for read in attempt.reads()]
    return all(same(value, values[-1]) for value in values[-2:])


def _judged_elsewhere(
    seen: View, one: Evaluation, evaluations: list[Evaluation], found: object
) -> Evaluation:
    """A number without effect where others had one is undecided: its step may forbid it."""
    attempt, entry = one.attempt, seen.catalog.entries[one.attempt.key]
    others_took = any(other.result == "holds" for other in evaluations)
    if one.result != "contradicts" or not entry.is_numeric or not others_took or same(attempt.value, found):
        return one
    if attempt.is_refused or values_around(seen, attempt).stated_step is None:
        return undecided(one, "other values are taken: its step may forbid this one")
    ends = evaluate_both_ends(seen, attempt)
    return undecided(one, "RANGE-WRITE-BOUNDS judges it") if ends and ends.result == "contradicts" else one


def _attempts(seen: View, key: str) -> list[Attempt]:
    return [
        attempt
        for attempt in attempts(seen, setting_group(key))
        if attempt.key == key and attempt.ha_id == seen.appliance.ha_id
    ]
