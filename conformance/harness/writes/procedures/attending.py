"""Procedures that take hands or much time, of a test bench or a person (lines 89, 90, 105, 138)."""

import contextlib
import json
from abc import abstractmethod
from pathlib import Path
from typing import ClassVar, cast
from urllib.parse import quote

from pydantic import JsonValue

from catalog.keys import DUST_BOX, LOCAL_CONTROL, REMOTE_START
from conformance.checks.answer import Answer
from conformance.checks.exchange import Remark
from conformance.checks.groups import DAY, DUST_BOX_OUT, TOUCH, Group, ProcedureKind
from conformance.checks.reads.paths import disagree
from conformance.checks.traces.evaluating import TIMES
from conformance.checks.view import View, segment_of
from conformance.checks.writes.attending import CLOCK, HANDS_OFF_S
from conformance.harness.reads.gets import reread, shared_answers
from conformance.harness.reads.repeats import both_segments, both_segments_again
from conformance.harness.steps import Cleanup, Listen, Part, Pause, Procedure
from conformance.harness.wire.messages import Heard, Wanted
from conformance.harness.writes.procedures.model import Stage, WriteProcedure
from conformance.harness.writes.procedures.requests import operate

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
    def steps(self, stage: Stage) -> Procedure:
        """The requests and pauses of one run of it."""


class Touched(Attended):
    """Operates the appliance, twice at most, and watches LocalControlActive and the events meanwhile."""

    kind = ProcedureKind.TOUCH
    about = LOCAL_CONTROL

    def steps(self, stage: Stage) -> Procedure:
        """Until it came and went."""
        seen = stage.seen
        listen = _listening(seen)
        if listen:
            yield listen
        for _ in range(TIMES):
            yield from _operated(seen)
            hook = seen.profile.hooks.touch
            came = yield from _watched(seen, until=True, seconds=max(hook.holds_s if hook else 0, _POLL_S))
            if came.value is True:
                yield from _reverting(seen)
                break
        if listen:
            yield Pause(seen.profile.timing.poll_s)
            yield from _noted(seen, listen.heard)


class DayPassed(Attended):
    """Lets more than 24 hours pass where RemoteControlStartAllowed is true, and reads it again."""

    kind = ProcedureKind.DAY
    about = REMOTE_START

    def steps(self, stage: Stage) -> Procedure:
        """A read, the day, a read."""
        answer = yield reread(stage.seen, REMOTE_START, DAY)
        if answer.value is True and stage.seen.profile.hooks.advance:
            yield from _advanced(stage.seen, DAY, _LONG_ENOUGH_S)
            yield reread(stage.seen, REMOTE_START, DAY)


class DustBoxMoved(Attended):
    """Moves the dust box, reads both segments, and moves it back, whatever happens."""

    kind = ProcedureKind.DUST_BOX_OUT
    about = DUST_BOX

    def steps(self, stage: Stage) -> Procedure:
        """Out, both segments, in."""
        seen, hook = stage.seen, stage.seen.profile.hooks.dust_box
        served = [answer for answer in shared_answers(seen, DUST_BOX) if answer.has_value]
        if hook is None or len(served) < TIMES or not isinstance(served[0].value, bool):
            return
        inserted = served[0].value
        yield Cleanup(operate(seen, DUST_BOX_OUT, "dust_box", hook, inserted=inserted))
        yield operate(seen, DUST_BOX_OUT, "dust_box", hook, inserted=not inserted)
        reads = yield from both_segments(seen, DUST_BOX, DUST_BOX_OUT)
        if disagree(reads, seen.profile.paths.battery_drift) is not None:
            yield from both_segments_again(seen, DUST_BOX, DUST_BOX_OUT)


def _operated(seen: View) -> Part[None]:
    """One operation by the bench; without one, by a person, who says when it is done."""
    hook = seen.profile.hooks.touch
    if hook:
        yield operate(seen, TOUCH, "touch", hook)
        return
    asked = (
        f"Operate {seen.appliance.ha_id} (open its door or press a button), take your hands off, and press"
        " Enter: "
    )
    yield Remark(
        "operator", TOUCH, seen.appliance.ha_id, LOCAL_CONTROL, {"asked": asked, "said": _said(asked)}
    )


def _reverting(seen: View) -> Part[None]:
    """Waits for LocalControlActive to end: in no time where the bench moves the clock."""
    timing = seen.profile.timing
    longest = min(HANDS_OFF_S, timing.local_control_fail_s)
    if not seen.profile.hooks.advance:
        yield from _watched(seen, until=False, seconds=longest)
        return
    for seconds in (timing.local_control_max_s, longest - timing.local_control_max_s):
        yield from _advanced(seen, TOUCH, max(seconds, 0.0))
        answer = yield from _watched(seen, until=False, seconds=timing.poll_s)
        if answer.value is False:
            return


def _watched(seen: View, *, until: bool, seconds: float) -> Part[Answer]:
    """Reads LocalControlActive until it has a value, or for so many seconds; the last read."""
    shared = seen.read(LOCAL_CONTROL)
    segment = segment_of(shared) if shared else "status"
    step = min(_POLL_S, max(seen.profile.timing.poll_s, _FASTEST_S))
    waited = 0.0
    answer = yield reread(seen, LOCAL_CONTROL, TOUCH, segment)
    while answer.value is not until and waited < seconds:
        yield Pause(step)
        waited += step
        answer = yield reread(seen, LOCAL_CONTROL, TOUCH, segment)
    return answer


def _advanced(seen: View, group: Group, seconds: float) -> Part[None]:
    hook = seen.profile.hooks.advance
    if hook:
        yield operate(seen, group, "advance", hook, seconds=seconds)
        yield Remark("hook", group, seen.appliance.ha_id, CLOCK, {"advanced_s": seconds})


def _listening(seen: View) -> Listen | None:
    declared = seen.profile.events
    if declared is None:
        return None
    path = declared.path.replace("{ha_id}", quote(seen.appliance.ha_id, safe=""))
    return Listen(TOUCH, seen.appliance.ha_id, Wanted(path))


def _noted(seen: View, heard: list[Heard]) -> Part[None]:
    """Notes the first events, each with a read of the key that it names."""
    for event in heard[:_MOST_EVENTS]:  # a stream that never pauses goes on meanwhile
        for key, value in _items(event.data)[:_MOST_EVENTS] or [("*", None)]:
            known = next((own for own in seen.tried if own.partition(".")[2] == key.partition(".")[2]), None)
            note: dict[str, JsonValue] = {"kind": event.kind[:_LONGEST], "key": key[:_LONGEST]}
            note |= {"value": _brief(value), "raw": event.data[:_LONGEST], "at": event.at}
            if known is not None:
                answer = yield reread(seen, known, TOUCH)
                note["read"] = _brief(cast("JsonValue", answer.value)) if answer.has_value else None
            yield Remark("event", TOUCH, seen.appliance.ha_id, known or "*", note)


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
