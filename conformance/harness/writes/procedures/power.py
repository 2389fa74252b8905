"""The power walk: all listed moves between power states, in seven writes (lines 127 to 133)."""

from collections.abc import Iterable

from catalog.keys import OPERATION_STATE, POWER_STATE, short_name
from catalog.maker import with_maker
from conformance.checks.answer import Answer, Outcome
from conformance.checks.groups import Group, ProcedureKind, Purpose
from conformance.checks.traces.evaluating import TIMES
from conformance.checks.view import View
from conformance.checks.writes.power_states import at_odds, unsupported_states
from conformance.harness.reads.gets import reread
from conformance.harness.reads.repeats import tries_ended
from conformance.harness.steps import Part, Pause
from conformance.harness.writes.procedures.model import Stage, WriteProcedure
from conformance.harness.writes.procedures.parts import (
    begin_writing,
    end_writing,
    look_at_statuses,
    needs_another_try,
    read_until,
    watch,
    watch_wrong,
)
from conformance.harness.writes.procedures.requests import write
from conformance.model.json_values import same

_THREE = ("Standby", "On", "Off", "On", "Standby", "Off", "On")
"""From On over all five listed edges and back: there is no shorter closed walk."""
_UNLISTED = ("On", "Off", "Off", "Standby", "On", "Standby", "Standby", "On")
"""From On over the four writes that the table does not list, and the listed ones between them."""


class PowerWalk(WriteProcedure):
    """Walks the power states that the appliance has, from On; who finds it off switches it on first."""

    kind = ProcedureKind.WALK
    turn = 6

    @property
    def writes(self) -> tuple[str, ...]:
        """The power state."""
        return (POWER_STATE,)

    def steps(self, stage: Stage) -> Part[bool]:
        """Every listed edge."""
        seen = stage.seen
        before = yield from begin_writing(seen, POWER_STATE, self.group)
        if before is None:
            return True
        # declared and missing from the list of the answer is a finding, so it is tried
        declared = seen.appliance.power_states
        shown = seen.values(POWER_STATE, before).choices
        states = {short_name(value) for value in shown} if declared is None else set[str](declared)
        here: object = before.value
        if short_name(here) != "On" and "On" in states:
            here = yield from move_power(seen, here, "On", self.group)
        if short_name(here) != "On":
            return True
        here = yield from _walked(
            seen, here, [state for state in _route(states) if state in states], self.group
        )
        if seen.profile.power.probe_unlisted and short_name(here) == "On":
            unlisted = [state for state in _UNLISTED if state in states]
            here = yield from _walked(seen, here, unlisted, self.group, resting=True)
            if Purpose.UNSUPPORTED_STATES in self.purposes:
                yield from self._unsupported(seen, here)
        yield from end_writing(seen, self.group)
        return True

    def _unsupported(self, seen: View, here: object) -> Part[None]:
        """Each state that the appliance does not support, once from On; what is reached is read twice."""
        for value in sorted(unsupported_states(seen)):
            if short_name(here) != "On":
                return  # nothing more is written to an appliance that does not come back
            _, last = yield from _wrote(seen, short_name(value), self.group, kept=here)
            if same(last.value, value):
                last = yield from watch_wrong(seen, seen.catalog.entries[POWER_STATE], self.group)
            here = last.value if last.has_value else None
            if short_name(here) != "On":
                here = yield from move_power(seen, here, "On", self.group)


def _route(states: set[str]) -> Iterable[str]:
    if states >= set(_THREE):
        return _THREE
    return (next(iter(states - {"On"})), "On") if len(states & set(_THREE)) == TIMES else ()


def _walked(
    seen: View, here: object, route: Iterable[str], group: Group, *, resting: bool = False
) -> Part[object]:
    """Takes the steps of a route, none twice after it failed; `resting` also writes the present state."""
    failed: set[tuple[str, str]] = set()
    looked = {"On"}
    for state in route:
        step = (short_name(here), state)
        if step in failed or (step[0] == state and not resting):
            continue
        there = yield from move_power(seen, here, state, group)
        if short_name(there) != state:
            failed.add(step)
        here = there
        if short_name(here) == state and state not in looked:
            looked.add(state)
            yield from look_at_statuses(seen, group)
        if state == "On" and short_name(here) != "On":
            break  # nothing more is written to an appliance that does not come back
    return here


def move_power(seen: View, here: object, state: str, group: Group) -> Part[object]:
    """Writes a power state, twice at most, and waits for it; the state then, None if it cannot be read."""
    edges = {(short_name(edge.source), short_name(edge.write)) for edge in seen.catalog.power_edges}
    now: object = here
    tries: list[Answer] = []
    while not tries or needs_another_try(seen, tries, convicts=_is_declared(seen, state)):
        again = bool(tries)
        if again:
            yield Pause(seen.profile.retry_s)
        kept = None if (short_name(here), state) in edges else here
        sent, last = yield from _wrote(seen, state, group, kept=kept)
        now = last.value if last.has_value else None
        tries += [sent, last]
        yield from compared(seen, group)
        is_refused = sent.outcome is Outcome.REFUSED and not _is_declared(seen, state)
        if short_name(now) == state or now is None or is_refused:
            return now
        # neither the written nor the old state: only from the old one can the step be tried again
        if not same(now, here) and not again:
            for back in dict.fromkeys(("On", short_name(here))):
                _, last = yield from _wrote(seen, back, group)
                now = last.value if last.has_value else None
                if short_name(now) != back:
                    return now
    if any(answer.outcome is Outcome.SERVERERR for answer in tries):
        yield tries_ended(seen, group, POWER_STATE, len(tries) // 2, tries)
    return now


def _wrote(seen: View, state: str, group: Group, *, kept: object = None) -> Part[tuple[Answer, Answer]]:
    """Writes a power state once and waits for it: the answer to the write, and the last read after it.

    A state that no row of the table moves may be `kept`: then it waits only as long as effects take. What is
    refused, or met an error, and not when the same is sent again, is no try.
    """
    family = next(iter(seen.catalog.entries[POWER_STATE].values or ())).rpartition(".")[0]
    value = with_maker(f"{family}.{state}", seen.maker)
    sent = yield write(seen, group, POWER_STATE, value)
    if kept is None and sent.outcome in {Outcome.REFUSED, Outcome.SERVERERR} and _is_declared(seen, state):
        yield Pause(seen.profile.retry_s)
        sent = yield write(seen, group, POWER_STATE, value)
    if kept is not None:
        last = yield from watch(seen, POWER_STATE, group)
        if same(last.value, kept):
            return sent, last
    last = yield from read_until(seen, POWER_STATE, group, lambda answer: same(answer.value, value))
    return sent, last


def compared(seen: View, group: Group, *, at_least: int = TIMES) -> Part[None]:
    """Reads PowerState and OperationState in turn, `at_least` so often, longer while they disagree.

    An OperationState that is none is read once more, when it is known to stay.
    """
    if seen.value(OPERATION_STATE) is None:
        return
    timing = seen.profile.timing
    waited, pairs = 0.0, 0
    while True:
        power = yield reread(seen, POWER_STATE, group)
        operation = yield reread(seen, OPERATION_STATE, group)
        pairs += 1
        odd = at_odds(seen, power.value, operation.value)
        if not odd and pairs >= at_least:
            entry = seen.catalog.entries[OPERATION_STATE]
            if operation.has_value and not seen.admits(operation):
                yield from watch_wrong(seen, entry, group)
            return
        if odd and waited > timing.power_settle_s:
            break
        if odd:
            yield Pause(timing.poll_s)
            waited += timing.poll_s
    yield Pause(seen.profile.retry_s)
    yield reread(seen, POWER_STATE, group)
    yield reread(seen, OPERATION_STATE, group)


def _is_declared(seen: View, state: str) -> bool:
    return state in (seen.appliance.power_states or ())
