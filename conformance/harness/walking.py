"""The power walk: every listed move between the power states, in seven writes, ending where it began (lines 127 to 133)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from catalog.maker import with_maker
from conformance.checks.answer import Outcome
from conformance.checks.power import at_odds, is_read_only, short_state
from conformance.checks.seen import OPERATION_STATE, POWER_STATE
from conformance.checks.trace import WALK, same
from conformance.checks.weighing import TIMES
from conformance.harness.choices import allowed_values
from conformance.harness.guarded import closed, look_at, opened, settled, wants_again
from conformance.harness.procedures import read, tries_ended
from conformance.harness.requests import write
from conformance.harness.steps import Pause

if TYPE_CHECKING:
    from collections.abc import Iterable

    from conformance.checks.answer import Answer
    from conformance.checks.groups import Group
    from conformance.checks.seen import Seen
    from conformance.harness.guarded import Part
    from conformance.harness.steps import Ask, Procedure

_THREE = ("Standby", "On", "Off", "On", "Standby", "Off", "On")
"""From On over all five listed edges and back: there is no shorter closed walk."""
_UNLISTED = ("On", "Off", "Off", "Standby", "On", "Standby", "Standby", "On")
"""From On over the four writes that the table does not list, and the listed ones between them."""


def power_walk(seen: Seen, twin: Seen | None) -> Procedure:
    """Walks the power states that the appliance has, from On; who finds it off switches it on first.

    A `twin` is read after every step: another appliance, which must not move along.
    """
    beside = [read(twin, POWER_STATE, "settings", WALK, "repeat")] if twin else []
    yield from look_at(beside)
    before = yield from opened(seen, POWER_STATE, WALK)
    if before is None or is_read_only(before):
        return
    declared = seen.appliance.power_states  # declared and missing from the list of the answer is a finding, so it is tried
    shown = allowed_values(seen, seen.catalog.entries[POWER_STATE], before)
    states = {short_state(value) for value in shown} if declared is None else set[str](declared)
    here: object = before.value
    if short_state(here) != "On" and "On" in states:
        here = yield from _moved(seen, here, "On")
        yield from look_at(beside)
    if short_state(here) != "On":
        return
    here = yield from _walked(seen, here, [state for state in _route(states) if state in states], beside)
    if seen.profile.power.probe_unlisted and short_state(here) == "On":
        yield from _walked(seen, here, [state for state in _UNLISTED if state in states], beside, resting=True)
    yield from closed(seen, WALK)


def _route(states: set[str]) -> Iterable[str]:
    if states >= set(_THREE):
        return _THREE
    return (next(iter(states - {"On"})), "On") if len(states & set(_THREE)) == TIMES else ()


def _walked(seen: Seen, here: object, route: Iterable[str], beside: list[Ask], *, resting: bool = False) -> Part[object]:
    """Takes one step after the other; a step that failed is not taken again. `resting` also writes the state that it is in."""
    dead: set[tuple[str, str]] = set()
    for state in route:
        step = (short_state(here), state)
        if step in dead or (step[0] == state and not resting):
            continue
        there = yield from _moved(seen, here, state)
        yield from look_at(beside)
        if short_state(there) != state:
            dead.add(step)
        here = there
        if state == "On" and short_state(here) != "On":
            break  # nothing more is written to an appliance that does not come back
    return here


def _moved(seen: Seen, here: object, state: str) -> Part[object]:
    """Writes a power state and waits for it; twice where it does not come. The state after that, None where it cannot be read."""
    now: object = here
    tries: list[Answer] = []
    while not tries or wants_again(seen, tries, convicts=_is_declared(seen, state)):
        again = bool(tries)
        if again:
            yield Pause(seen.profile.retry_s)
        sent, last = yield from _wrote(seen, state)
        now = last.value if last.has_value else None
        tries += [sent, last]
        yield from compared(seen)
        if short_state(now) == state or now is None or (sent.outcome is Outcome.REFUSED and not _is_declared(seen, state)):
            return now
        if not same(now, here) and not again:  # neither the written nor the old state: only from the old one can the step be tried again
            for back in dict.fromkeys(("On", short_state(here))):
                _, last = yield from _wrote(seen, back)
                now = last.value if last.has_value else None
                if short_state(now) != back:
                    return now
    if any(answer.outcome is Outcome.SERVERERR for answer in tries):
        yield tries_ended(seen, WALK, POWER_STATE, len(tries) // 2, tries)
    return now


def _wrote(seen: Seen, state: str) -> Part[tuple[Answer, Answer]]:
    """Writes a power state once and waits for it: the answer to the write, and the last read after it."""
    family = next(iter(seen.catalog.entries[POWER_STATE].values or ())).rpartition(".")[0]
    value = with_maker(f"{family}.{state}", seen.maker)
    sent = yield write(seen, WALK, POWER_STATE, value)
    last = yield from settled(seen, POWER_STATE, WALK, lambda answer: same(answer.value, value))
    return sent, last


def compared(seen: Seen, group: Group = WALK, *, at_least: int = TIMES) -> Part[None]:
    """PowerState and OperationState in turn, `at_least` so often; where they are at odds for the whole settle time, and once more."""
    if seen.value(OPERATION_STATE) is None:
        return
    timing = seen.profile.timing
    waited, pairs = 0.0, 0
    while True:
        power = yield read(seen, POWER_STATE, "settings", group, "repeat")
        operation = yield read(seen, OPERATION_STATE, "status", group, "repeat")
        pairs += 1
        odd = at_odds(seen, power.value, operation.value)
        if not odd and pairs >= at_least:
            return
        if odd and waited > timing.power_settle_s:
            break
        if odd:
            yield Pause(timing.poll_s)
            waited += timing.poll_s
    yield Pause(seen.profile.retry_s)
    yield read(seen, POWER_STATE, "settings", group, "repeat")
    yield read(seen, OPERATION_STATE, "status", group, "repeat")


def _is_declared(seen: Seen, state: str) -> bool:
    return state in (seen.appliance.power_states or ())
