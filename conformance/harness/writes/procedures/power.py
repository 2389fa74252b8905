"""The power walk: all listed moves between power states, in seven writes (lines 127 to 133)."""

from collections.abc import Iterable, Iterator, Sequence
from typing import cast

from catalog.keys import OPERATION_STATE, POWER_STATE, short_name
from catalog.loader import CATALOG
from catalog.maker import with_maker
from conformance.checks.answer import Answer
from conformance.checks.groups import Group, ProcedureKind, Purpose
from conformance.checks.view import View
from conformance.checks.writes.expected.power_moves import at_odds, unsupported_states
from conformance.checks.writes.judging import TIMES
from conformance.harness.steps import reread, unread
from conformance.harness.writes.procedures.scripts import Beside, Due, Played, Scripted, Step, Wait

_THREE = ("Standby", "On", "Off", "On", "Standby", "Off", "On")
"""From On over all five listed edges and back: there is no shorter closed walk."""
_UNLISTED = ("On", "Off", "Off", "Standby", "On", "Standby", "Standby", "On")
"""From On over the four writes that the table does not list, and the listed ones between them."""


class PowerWalk(Scripted):
    """Walks the power states that the appliance has, from On; who finds it off switches it on first."""

    kind = ProcedureKind.WALK
    turn = 6
    is_patient = True

    @property
    def writes(self) -> tuple[str, ...]:
        """The power state."""
        return (POWER_STATE,)

    def convicts(self, seen: View, key: str) -> bool:  # noqa: ARG002  there is but one
        """Whether it is declared which states there are."""
        return bool(seen.appliance.power_states)

    def script(self, now: Played) -> Iterator[Step]:
        """Every listed edge, then the writes that the table does not list, and other states."""
        seen = now.seen
        before = cast("Answer", now.first(POWER_STATE))
        # declared and missing from the list of the answer is a finding, so it is tried
        declared, shown = seen.appliance.power_states, seen.values(POWER_STATE, before).choices
        states = {short_name(value) for value in shown} if declared is None else set[str](declared)
        if _state(now) != "On" and "On" in states:
            yield self._move(now, "On")
        if _state(now) != "On":
            return
        yield from self._walked(now, [state for state in _route(states) if state in states])
        if not seen.profile.power.probe_unlisted or _state(now) != "On":
            return
        yield from self._walked(now, [state for state in _UNLISTED if state in states], resting=True)
        if Purpose.UNSUPPORTED_STATES in self.purposes:
            for value in sorted(unsupported_states(seen)):
                if _state(now) != "On":
                    return  # nothing more is written to an appliance that does not come back
                yield self._move(now, short_name(value), Due.NOTHING)
                if _state(now) != "On":
                    yield self._move(now, "On")

    def _walked(self, now: Played, route: Sequence[str], *, resting: bool = False) -> Iterator[Step]:
        """Takes the steps of a route, none twice after it failed; `resting` also writes the present state."""
        failed: set[tuple[str, str]] = set()
        looked, stayed = {"On"}, set[str]()
        for number, state in enumerate(route, start=1):
            step = (_state(now), state)
            if step in failed or (step[0] == state and not resting):
                continue
            edges = {(short_name(edge.source), short_name(edge.write)) for edge in CATALOG.power_edges}
            # what it ends in is seen by what comes next
            stays = state not in stayed and number < len(route)
            yield from self._taken(now, state, Due.VALUE if step in edges else Due.ANYTHING, stays=stays)
            stayed.add(state)
            if _state(now) != state:
                failed.add(step)
                if state == "On":
                    return  # nothing more is written to an appliance that does not come back
            elif state not in looked:
                look = unread(now.seen, self.group, now.answers, POWER_STATE)
                if looked != {"On"}:  # for settings, one state in which it is not on is as good as another
                    look = tuple(ask for ask in look if ".Status." in ask.key)
                looked.add(state)
                yield Step(look=look, wait=Wait.NONE)

    def _taken(self, now: Played, state: str, comes: Due, *, stays: bool) -> Iterator[Step]:
        """Writes a power state, twice at most: an appliance that does not come back is not written to again.

        Whether it `stays` is waited for the first time that it is entered. What leads to neither the written
        nor the old state can be tried again only from the old one.
        """
        here = _state(now)
        for tried in range(TIMES):
            yield self._move(now, state, comes, stays=stays)
            there = _state(now)
            if there in {state, ""} or (there == here and comes is Due.ANYTHING):
                return
            for back in dict.fromkeys(("On", here)) if there != here and not tried else ():
                yield self._move(now, back)
                if _state(now) != back:
                    return

    def _move(self, now: Played, state: str, comes: Due = Due.VALUE, *, stays: bool = False) -> Step:
        """A write of a power state; one that no row of the table moves may have no effect."""
        family = next(iter(CATALOG.entries[POWER_STATE].values or ())).rpartition(".")[0]
        value = with_maker(f"{family}.{state}", now.seen.maker)
        wait = Wait.QUIET if comes is not Due.VALUE else Wait.RETURNS if stays else Wait.NONE
        beside = None if comes is Due.NOTHING else agreeing(now.seen, self.group)
        return Step(POWER_STATE, value, comes, wait, beside=beside)


def agreeing(seen: View, group: Group, *, at_least: int = TIMES) -> Beside | None:
    """Reads of PowerState and OperationState in turn, longer while they contradict each other."""
    if not seen.was_served(OPERATION_STATE):
        return None
    reads = tuple(reread(seen, key, group) for key in (POWER_STATE, OPERATION_STATE))

    def agree(shown: Sequence[Answer]) -> bool:
        return len(shown) < len(reads) or not at_odds(seen, *(read.value for read in shown))

    return Beside(reads, agree, at_least)


def _state(now: Played) -> str:
    """The short name of the power state that was read last; empty where it could not be read."""
    return short_name(now.value(POWER_STATE) or "")


def _route(states: set[str]) -> Iterable[str]:
    if states >= set(_THREE):
        return _THREE
    return (next(iter(states - {"On"})), "On") if len(states & set(_THREE)) == TIMES else ()
