"""SET and RANGE: settings are configurable, over their whole range (lines 7, 23, 165 to 175)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from conformance.checks.effects import (
    bounds_of,
    doubted,
    is_end,
    reads_around,
    require_settable,
    state_around,
    unwritten,
    watched_for,
    weigh_effect,
    without_echoes,
)
from conformance.checks.seen import POWER_STATE
from conformance.checks.trace import (
    WALK,
    Effect,
    alike,
    attempts,
    effect_of,
    known_step,
    same,
    setting_group,
    settle_seconds,
    stated_step,
)
from conformance.checks.value_types import number
from conformance.checks.verdict import NotApplicable
from conformance.checks.weighing import Weighed, settle_weighed
from conformance.checks.wording import is_number, quoted

if TYPE_CHECKING:
    from conformance.checks.case import Case
    from conformance.checks.groups import Group
    from conformance.checks.seen import Seen
    from conformance.checks.trace import Attempt

_TOLERANCE = 1e-6
CONFIGURABLE = "settings are configurable properties"


def assert_writable(case: Case, seen: Seen) -> str | None:
    """Another allowed value, once written, is there within the settle time and stays (lines 7, 33)."""
    groups = _groups_of(case.key)
    require_settable(seen, case.key, *groups)
    tried = _attempts(seen, case.key)
    if not tried:
        raise unwritten(seen, case.key, *groups)
    weighed = [found for attempt in tried if (found := weigh_writable(seen, attempt))]
    judged = [_judged_elsewhere(seen, one, weighed, tried[0].old()) for one in without_echoes(tried, weighed)]
    return settle_weighed(seen, judged, *groups, otherwise=_NOTHING_OTHER, document=CONFIGURABLE)


def weigh_writable(seen: Seen, attempt: Attempt) -> Weighed | None:
    """What one attempt says of a setting being configurable."""
    weighed = weigh_effect(seen, attempt)
    if weighed and weighed.weight == "contradicts" and attempt.key == POWER_STATE:
        return replace(weighed, weight="doubtful", words=f"{weighed.words} (PWR clauses judge the power states)")
    return weighed


def assert_both_ends(case: Case, seen: Seen) -> str | None:
    """Both ends of the range can be written (interpretation I-1)."""
    group = setting_group(case.key)
    read = require_settable(seen, case.key, group)
    if bounds_of(case.subject, read) is None:
        raise NotApplicable("no range is known", read)
    tried = _attempts(seen, case.key)
    if not tried:
        raise unwritten(seen, case.key, group)
    weighed = [found for attempt in tried if (found := weigh_both_ends(seen, attempt))]
    if not any((found := weigh_effect(seen, attempt)) and found.weight == "holds" for attempt in tried):
        weighed = [doubted(one, "no write of this key has an effect (SET-WRITABLE judges it)") for one in weighed]
    bounds = "both ends of a range are allowed values"
    return settle_weighed(seen, weighed, group, otherwise="no end of the range was written", document=bounds)


def weigh_both_ends(seen: Seen, attempt: Attempt) -> Weighed | None:
    """What one attempt to write an end of the range says of that end being allowed."""
    entry, reads = seen.catalog.entries[attempt.key], reads_around(attempt)
    found, step = bounds_of(entry, *reads), known_step(seen, entry, *reads)
    if found is None or not is_end(found, attempt.value) or alike(entry, attempt.value, attempt.old(), step):
        return None
    settle_s = settle_seconds(seen, attempt.key)
    wrote = f"wrote {quoted(attempt.value)}, an end of the range {found[0]:g} to {found[1]:g}, {attempt.words}"
    if effect_of(attempt, entry, step, settle_s) is Effect.TOOK:
        return Weighed("holds", wrote, attempt)
    state = state_around(seen, attempt)
    if state:
        return Weighed("doubtful", f"{wrote}, then {quoted(attempt.last())} while {state}", attempt, state)
    words = f"{wrote}, {quoted(attempt.last())} after {watched_for(attempt)}"
    stable = attempt.is_settled(settle_s) and _stands(attempt)
    if not (attempt.is_acknowledged and stable and is_number(attempt.last())):
        return Weighed("doubtful", words, attempt)
    stated = stated_step(seen, entry, *reads)
    off = abs(number(attempt.last()) - number(attempt.value))
    if stated is None or off < stated - _TOLERANCE:
        return Weighed("doubtful", f"{words}; that may be rounding, as the step is not stated" if stated is None else words, attempt)
    return Weighed("contradicts" if seen.appliance.is_writable(attempt.key) else "doubtful", words, attempt)


def _stands(attempt: Attempt) -> bool:
    """Whether the last two reads, or the only one, show the same value."""
    values = [read.value for read in attempt.reads()]
    return all(same(value, values[-1]) for value in values[-2:])


def _judged_elsewhere(seen: Seen, one: Weighed, weighed: list[Weighed], found: object) -> Weighed:
    """A number that did not take where other numbers did: its step may forbid it, unless it is the value the key was found with."""
    attempt, entry = one.attempt, seen.catalog.entries[one.attempt.key]
    others_took = any(other.weight == "holds" for other in weighed)
    if one.weight != "contradicts" or not entry.is_numeric or not others_took or same(attempt.value, found):
        return one
    if attempt.is_refused or stated_step(seen, entry, *reads_around(attempt)) is None:
        return doubted(one, "other values are taken: its step may forbid this one")
    ends = weigh_both_ends(seen, attempt)
    return doubted(one, "RANGE-WRITE-BOUNDS judges it") if ends and ends.weight == "contradicts" else one


def _groups_of(key: str) -> tuple[Group, ...]:
    return (setting_group(key), WALK) if key == POWER_STATE else (setting_group(key),)


def _attempts(seen: Seen, key: str) -> list[Attempt]:
    return [attempt for attempt in attempts(seen, *_groups_of(key)) if attempt.key == key and attempt.ha_id == seen.appliance.ha_id]


_NOTHING_OTHER = "no other value was written that the key is known to take"
