"""Procedures that take hands or much time, of a test bench or a person (lines 89, 90, 105, 138)."""

import contextlib
import json
from abc import abstractmethod
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING, ClassVar, cast
from urllib.parse import quote

from pydantic import JsonValue

from catalog.keys import DUST_BOX, LOCAL_CONTROL, REMOTE_START
from conformance.checks.answer import Answer
from conformance.checks.exchange import Remark
from conformance.checks.groups import DAY, DUST_BOX_OUT, TOUCH, Group, ProcedureKind
from conformance.checks.reads.paths import disagree
from conformance.checks.view import View
from conformance.checks.writes.judging import TIMES
from conformance.checks.writes.operation import CLOCK, HANDS_OFF_S
from conformance.harness.reads.repeats import both_segments, both_segments_again
from conformance.harness.steps import operate, reread, shared_answers
from conformance.harness.wire.messages import Heard, Wanted
from conformance.harness.writes.procedures.model import WriteProcedure

if TYPE_CHECKING:
    from conformance.harness.writes.lanes import LiveLane

_POLL_S = 0.5
_FASTEST_S = 0.05
_LONG_ENOUGH_S = 25 * 3600.0
_TERMINAL = Path("/dev/tty")
_LONGEST = 500
_MOST_EVENTS = 50


class Attended(WriteProcedure):
    """A procedure that moves hands or time, and writes nothing."""

    turn = 7
    is_by_itself = True
    level = "attended"
    about: ClassVar[str]

    @property
    def writes(self) -> tuple[str, ...]:
        """Nothing."""
        return ()

    def is_served(self, seen: View) -> bool:
        """Whether what it is about has a value."""
        answer = seen.read(self.about)
        return answer is not None and answer.has_value

    @abstractmethod
    def make(self, seen: View, lane: "LiveLane") -> None:
        """Makes it once."""


class Touched(Attended):
    """Operates the appliance, twice at most, and watches LocalControlActive and the events meanwhile."""

    kind = ProcedureKind.TOUCH
    about = LOCAL_CONTROL

    def make(self, seen: View, lane: "LiveLane") -> None:
        """Until it came and went."""
        declared = seen.profile.events
        if declared is None:
            _operated_and_watched(seen, lane)
            return
        path = declared.path.replace("{ha_id}", quote(seen.appliance.ha_id, safe=""))
        with lane.listening(TOUCH, Wanted(path)) as heard:
            _operated_and_watched(seen, lane)
            lane.pause(seen.profile.timing.poll_s)
            _note(seen, lane, heard)


class DayPassed(Attended):
    """Lets more than 24 hours pass where RemoteControlStartAllowed is true, and reads it again."""

    kind = ProcedureKind.DAY
    about = REMOTE_START

    def make(self, seen: View, lane: "LiveLane") -> None:
        """A read, the day, a read."""
        answer = lane.ask(reread(seen, REMOTE_START, DAY))
        if answer.value is True and seen.profile.hooks.advance:
            _advance(seen, lane, DAY, _LONG_ENOUGH_S)
            lane.ask(reread(seen, REMOTE_START, DAY))


class DustBoxMoved(Attended):
    """Moves the dust box, reads both segments, and moves it back, whatever happens."""

    kind = ProcedureKind.DUST_BOX_OUT
    about = DUST_BOX

    def make(self, seen: View, lane: "LiveLane") -> None:
        """Out, both segments, in."""
        hook = seen.profile.hooks.dust_box
        served = [answer for answer in shared_answers(seen, DUST_BOX) if answer.has_value]
        if hook is None or len(served) < TIMES or not isinstance(served[0].value, bool):
            return
        inserted = served[0].value
        lane.at_end(operate(seen, DUST_BOX_OUT, "dust_box", hook, inserted=inserted))
        lane.ask(operate(seen, DUST_BOX_OUT, "dust_box", hook, inserted=not inserted))
        reads = lane.take(both_segments(seen, DUST_BOX_OUT, DUST_BOX))
        if disagree(reads, seen.profile.paths.battery_drift) is not None:
            lane.take(both_segments_again(seen, DUST_BOX_OUT, DUST_BOX))


def _operated_and_watched(seen: View, lane: "LiveLane") -> None:
    """Operates the appliance until LocalControlActive comes, and watches that it goes."""
    hook = seen.profile.hooks.touch
    for _ in range(TIMES):
        _operate(seen, lane)
        came = _watched(seen, lane, until=True, seconds=max(hook.holds_s if hook else 0, _POLL_S))
        if came.value is True:
            _watch_reverting(seen, lane)
            return


def _operate(seen: View, lane: "LiveLane") -> None:
    """One operation by the bench; without one, by a person, who says when it is done."""
    hook = seen.profile.hooks.touch
    if hook:
        lane.ask(operate(seen, TOUCH, "touch", hook))
        return
    asked = (
        f"Operate {seen.appliance.ha_id} (open its door or press a button), take your hands off, and press"
        " Enter: "
    )
    note: dict[str, JsonValue] = {"asked": asked, "said": _said(asked)}
    lane.remark(Remark("operator", TOUCH, seen.appliance.ha_id, LOCAL_CONTROL, note))


def _watch_reverting(seen: View, lane: "LiveLane") -> None:
    """Waits for LocalControlActive to end: in no time where the bench moves the clock.

    Where it is true after that, somebody may operate the appliance just then: it is watched as it ends.
    """
    timing = seen.profile.timing
    longest = min(HANDS_OFF_S, timing.local_control_fail_s)
    if not seen.profile.hooks.advance:
        _watched(seen, lane, until=False, seconds=longest)
        return
    usual = timing.local_control_max_s
    for seconds, watched_s in ((usual, timing.poll_s), (longest - usual, usual)):
        _advance(seen, lane, TOUCH, max(seconds, 0.0))
        answer = _watched(seen, lane, until=False, seconds=watched_s)
        if answer.value is False:
            return


def _watched(seen: View, lane: "LiveLane", *, until: bool, seconds: float) -> Answer:
    """Reads LocalControlActive until it has a value, or for so many seconds; the last read."""
    step = min(_POLL_S, max(seen.profile.timing.poll_s, _FASTEST_S))
    waited = 0.0
    answer = lane.ask(reread(seen, LOCAL_CONTROL, TOUCH))
    while answer.value is not until and waited < seconds:
        lane.pause(step)
        waited += step
        answer = lane.ask(reread(seen, LOCAL_CONTROL, TOUCH))
    return answer


def _advance(seen: View, lane: "LiveLane", group: Group, seconds: float) -> None:
    hook = seen.profile.hooks.advance
    if hook:
        lane.ask(operate(seen, group, "advance", hook, seconds=seconds))
        lane.remark(Remark("hook", group, seen.appliance.ha_id, CLOCK, {"advanced_s": seconds}))


def _note(seen: View, lane: "LiveLane", heard: SimpleQueue[Heard]) -> None:
    """Notes the first events, each with a read of the key that it names."""
    # a stream that never pauses goes on meanwhile
    for event in [heard.get() for _ in range(min(heard.qsize(), _MOST_EVENTS))]:
        for key, value in _items(event.data)[:_MOST_EVENTS] or [("*", None)]:
            known = next((own for own in seen.tried if own.partition(".")[2] == key.partition(".")[2]), None)
            note: dict[str, JsonValue] = {"kind": event.kind[:_LONGEST], "key": key[:_LONGEST]}
            note |= {"value": _brief(value), "raw": event.data[:_LONGEST], "at": event.at}
            if known is not None:
                answer = lane.ask(reread(seen, known, TOUCH))
                note["read"] = _brief(cast("JsonValue", answer.value)) if answer.has_value else None
            lane.remark(Remark("event", TOUCH, seen.appliance.ha_id, known or "*", note))


def _brief(value: JsonValue) -> JsonValue:
    """A value, or the beginning of its text where that is long."""
    text = json.dumps(value)
    return value if len(text) <= _LONGEST else text[:_LONGEST]


def _items(data: str) -> list[tuple[str, JsonValue]]:
    """The (key, value) pairs anywhere in an event's data, whose shape is not shown (line 159)."""
    with contextlib.suppress(ValueError, RecursionError):
        return list(_pairs(json.loads(data)))
    return []


def _pairs(node: object) -> list[tuple[str, JsonValue]]:
    if isinstance(node, dict):
        found = cast("dict[str, object]", node)
        is_item = "key" in found and "value" in found
        own = [(str(found["key"]), cast("JsonValue", found["value"]))] if is_item else []
        return [*own, *(pair for child in found.values() for pair in _pairs(child))]
    items = cast("list[object]", node) if isinstance(node, list) else []
    return [pair for child in items for pair in _pairs(child)]


def _said(asked: str) -> str:
    """What a person at the terminal answers; empty where nobody is there."""
    try:
        with _TERMINAL.open("r+", encoding="utf-8") as terminal:
            terminal.write(asked)
            terminal.flush()
            return terminal.readline().strip() or "done"
    except OSError:
        return ""
