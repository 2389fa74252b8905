"""What a write lets one expect of other keys: setpoints under a mode, neighbours, other appliances."""

from collections.abc import Callable, Iterable, Iterator
from functools import partial

from msgspec.structs import replace

from catalog.keys import ALARM_CLOCK, TEMPERATURE_UNIT, short_name
from catalog.loader import CATALOG
from catalog.model import Rule
from conformance.checks.traces.effects import are_told_apart, may_come_to, values_around
from conformance.checks.traces.expecting import Expect, Stays, Unmet, shown_by, state_around
from conformance.checks.traces.trace import Attempt
from conformance.checks.view import View
from conformance.checks.writes.expected.own_key import wrote
from conformance.model.couplings import may_unsettle, siblings_of, unrelated_to, unsettling
from conformance.model.json_values import NOTHING, quoted, same, type_word
from conformance.model.state_table import StateId
from conformance.model.states import ExemptingState


def kept_by(rule: Rule, seen: View, attempt: Attempt) -> Iterator[Expect]:
    """A mode leaves what its rule names as it is, while no mode is on that may move that (lines 48 to 53)."""
    if not _concerns(attempt, rule):
        return
    mode, told = rule.controller, wrote(attempt)
    kept = [key for key in rule.subjects if key in seen.tried]
    other = next((one for one in unsettling(rule) if _is_on_around(attempt, one)), None)
    if other:
        state = ExemptingState(StateId.X9, f"{short_name(other)} is on", other)
        yield Unmet(attempt, told, f" while {state}", state)
    elif attempt.key == mode and not was_seen_on(attempt):
        state = state_around(seen, attempt)
        unmet = f", but it did not switch on{f' while {state}' if state else ''}"
        yield Unmet(attempt, told, unmet, state)
    elif not any(is_compared(attempt, key) for key in kept):
        yield Unmet(attempt, told, "; none of what it keeps could be read before and after")
    elif not _came_back(attempt, kept):
        shown = (key for key in kept if is_compared(attempt, key) or _is_lost(attempt, key))
        yield from (as_before(attempt, mode, key) for key in shown)


def as_before(
    attempt: Attempt, mode: str, key: str, is_right: Callable[[object], bool] = lambda _value: False
) -> Stays:
    """A setpoint shows what it was, or another right value, unless the mode had ended or the unit changed."""
    old, excuse = attempt.old(key), _why_it_may_differ(attempt, mode, key)

    def right(value: object) -> bool:
        return same(value, old) or is_right(value)

    return Stays(
        attempt,
        wrote(attempt),
        attempt.reads(key),
        lambda value: not (excuse or right(value)),
        right,
        lambda read: f"{shown_by(attempt, read)} while {short_name(mode)} was on",
        neither=f"; {excuse}",
    )


def _why_it_may_differ(attempt: Attempt, mode: str, key: str) -> str:
    if attempt.reads(mode) and attempt.last(mode) is not True:
        return "the mode had ended by then"
    read = [one for one in (attempt.old_read(key), *attempt.reads(key)) if one and one.has_value]
    units = {quoted(one.shown.unit) for one in read}
    is_written = attempt.reads(TEMPERATURE_UNIT) and not same(
        attempt.old(TEMPERATURE_UNIT), attempt.last(TEMPERATURE_UNIT)
    )
    return "the unit changed, too" if len(units) > 1 or is_written else ""


def _concerns(attempt: Attempt, rule: Rule) -> bool:
    """Whether an attempt was to switch a mode on, or wrote what moves nothing that it keeps while it was on.

    Another mode that is being switched on has a clause of its own, unless none of its own can be judged then.
    """
    mode = rule.controller
    if attempt.key == mode:
        return attempt.value is True
    own = [one for one in CATALOG.keeping(attempt.key) if {*rule.subjects} <= {*one.subjects}]
    if attempt.value is True and any(mode not in unsettling(one) for one in own):
        return False
    is_free = not may_unsettle(rule, attempt.key, attempt.value)
    after = attempt.last(mode)
    return is_free and attempt.old(mode) is True and (after is True or after is NOTHING)


def _came_back(attempt: Attempt, kept: Iterable[str]) -> bool:
    """Whether ending another mode only gave everything the value back that it had before that mode."""
    started = next((one for one in attempt.earlier if one.key == attempt.key and one.value is True), None)
    return (
        attempt.value is False
        and started is not None
        and all(same(started.old(key), attempt.last(key)) for key in kept if is_compared(attempt, key))
    )


def _is_on_around(attempt: Attempt, mode: str) -> bool:
    return attempt.old(mode) is True or attempt.last(mode) is True


def was_seen_on(attempt: Attempt) -> bool:
    """Whether the mode was read as on after a write."""
    return any(read.value is True for read in attempt.reads())


def is_compared(attempt: Attempt, key: str) -> bool:
    """Whether a key was read as the same type before and after a write."""
    return type_word(attempt.old(key)) == type_word(attempt.last(key)) and attempt.last(key) is not NOTHING


def _is_lost(attempt: Attempt, key: str) -> bool:
    """Whether a key was read before and after a write, and gave no value at last."""
    return attempt.old(key) is not NOTHING and bool(attempt.reads(key)) and attempt.last(key) is NOTHING


def neighbours_kept(seen: View, attempt: Attempt, *, needs_effect: bool = True) -> Iterator[Stays]:
    """No unrelated setting changes, and no sibling takes the written value (line 7)."""
    for key in watched_with(seen, attempt.key):
        old, reads = attempt.old(key), attempt.reads(key)
        if old is not NOTHING and reads:
            followed = f"and its sibling {short_name(key)} took it, too" if took(seen, attempt, key) else ""
            yield Stays(
                attempt,
                wrote(attempt),
                reads,
                lambda value, old=old: not same(value, old),
                tells=(lambda _read, words=followed: words) if followed else None,
                needs_effect=needs_effect,
            )


def took(seen: View, attempt: Attempt, key: str) -> bool:
    """Whether a sibling came to have the written value."""
    if key not in siblings_of(seen.learned.settings, attempt.key):
        return False
    values = seen.values(key, *attempt.reads(key))
    return values.alike(attempt.value, attempt.last(key)) and not values.alike(
        attempt.value, attempt.old(key)
    )


def watched_with(seen: View, key: str) -> tuple[str, ...]:
    """The settings a write of `key` must leave alone: unrelated ones, and siblings not declared coupled."""
    told = seen.learned.settings, key
    siblings = siblings_of(*told) if seen.profile.interpretation.siblings_independent else ()
    return (*siblings, *unrelated_to(*told))


def known_beside(seen: View, attempt: Attempt, ha_id: str) -> Attempt:
    """An attempt that knows what another appliance showed before: in its procedure, else first."""
    place = ha_id, attempt.segment, attempt.key
    first = seen.beside.get(ha_id, {}).get(place[1:])
    return replace(attempt, before={place: first, **attempt.before}) if first else attempt


def others_kept(seen: View, attempt: Attempt) -> Iterator[Stays]:
    """The same key of other appliances does not take the written value (line 8)."""
    values, settle_s = values_around(seen, attempt), seen.profile.timing.settle_seconds(attempt.key)
    shows = partial(may_come_to, values, settle_s=settle_s)
    for ha_id in seen.companions:
        own = known_beside(seen, attempt, ha_id)
        old, reads = own.old(ha_id=ha_id), own.reads(ha_id=ha_id)
        if old is not NOTHING and reads and are_told_apart(values, attempt.value, old, settle_s):
            yield Stays(
                own,
                f"wrote {quoted(own.value)}, {own.words}",
                reads,
                partial(shows, attempt.value),
                partial(shows if values.entry.key == ALARM_CLOCK else same, old),
                needs_effect=True,
            )
