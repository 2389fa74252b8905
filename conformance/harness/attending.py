"""What takes hands or much time: done by the hooks of a test bench, or by a person who is asked to (lines 89, 90, 105, 138)."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import TYPE_CHECKING, cast
from urllib.parse import quote

from conformance.checks.attending import CLOCK, DAY, DUST_BOX, DUST_BOX_OUT, HANDS_OFF_S, TOUCH
from conformance.checks.remark import Remark
from conformance.checks.seen import segment_of
from conformance.checks.states import LOCAL_CONTROL, START_ALLOWED
from conformance.checks.weighing import TIMES
from conformance.harness.messages import Wanted
from conformance.harness.procedures import both_segments, read
from conformance.harness.requests import operate
from conformance.harness.steps import Listen, Pause, Promise

if TYPE_CHECKING:
    from pydantic import JsonValue

    from conformance.checks.answer import Answer
    from conformance.checks.groups import Group
    from conformance.checks.seen import Seen
    from conformance.harness.guarded import Part
    from conformance.harness.messages import Heard
    from conformance.harness.steps import Procedure

_POLL_S = 0.5
_FASTEST_S = 0.05
_LONG_ENOUGH_S = 25 * 3600.0
_TERMINAL = Path("/dev/tty")
_LONGEST = 500
_MOST_EVENTS = 50


def touched(seen: Seen) -> Procedure:
    """Operates the appliance, and watches LocalControlActive come and go; twice where it does not come. Events are taken down meanwhile."""
    listen = _listening(seen)
    if listen:
        yield listen
    for _ in range(TIMES):
        yield from _operated(seen)
        came = yield from _watched(
            seen, until=True, seconds=max(seen.profile.hooks.touch.holds_s if seen.profile.hooks.touch else 0, _POLL_S)
        )
        if came.value is True:
            yield from _reverting(seen)
            break
    if listen:
        yield Pause(seen.profile.timing.poll_s)
        yield from _noted(seen, listen.heard)


def day_passed(seen: Seen) -> Procedure:
    """Lets more than 24 hours pass where RemoteControlStartAllowed is true, and reads it again."""
    answer = yield read(seen, START_ALLOWED, "status", DAY, "repeat")
    if answer.value is True and seen.profile.hooks.advance:
        yield from _advanced(seen, DAY, _LONG_ENOUGH_S)
        yield read(seen, START_ALLOWED, "status", DAY, "repeat")


def dust_box_moved(seen: Seen) -> Procedure:
    """Takes the dust box out, or puts it in where it was out, and reads both segments; whatever happens, it is moved back."""
    hook = seen.profile.hooks.dust_box
    served = [answer for segment in ("status", "settings") if (answer := seen.read(DUST_BOX, segment)) and answer.has_value]
    if hook is None or len(served) < TIMES or not isinstance(served[0].value, bool):
        return
    inserted = served[0].value
    yield Promise(operate(seen, DUST_BOX_OUT, "dust_box", hook, inserted=inserted))
    yield operate(seen, DUST_BOX_OUT, "dust_box", hook, inserted=not inserted)
    yield from both_segments(seen, DUST_BOX, DUST_BOX_OUT)


def _operated(seen: Seen) -> Part[None]:
    """One operation by the bench; without one, by a person, who says when it is done."""
    hook = seen.profile.hooks.touch
    if hook:
        yield operate(seen, TOUCH, "touch", hook)
        return
    asked = f"Operate {seen.appliance.ha_id} (open its door or press a button), take your hands off, and press Enter: "
    yield Remark("operator", TOUCH, seen.appliance.ha_id, LOCAL_CONTROL, {"asked": asked, "said": _said(asked)})


def _reverting(seen: Seen) -> Part[None]:
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


def _watched(seen: Seen, *, until: bool, seconds: float) -> Part[Answer]:
    """Reads LocalControlActive until it has a value, or for so many seconds; the last read."""
    shared = seen.read(LOCAL_CONTROL)
    segment = segment_of(shared) if shared else "status"
    step = min(_POLL_S, max(seen.profile.timing.poll_s, _FASTEST_S))
    waited = 0.0
    answer = yield read(seen, LOCAL_CONTROL, segment, TOUCH, "repeat")
    while answer.value is not until and waited < seconds:
        yield Pause(step)
        waited += step
        answer = yield read(seen, LOCAL_CONTROL, segment, TOUCH, "repeat")
    return answer


def _advanced(seen: Seen, group: Group, seconds: float) -> Part[None]:
    hook = seen.profile.hooks.advance
    if hook:
        yield operate(seen, group, "advance", hook, seconds=seconds)
        yield Remark("hook", group, seen.appliance.ha_id, CLOCK, {"advanced_s": seconds})


def _listening(seen: Seen) -> Listen | None:
    declared = seen.profile.events
    if declared is None:
        return None
    path = declared.path.replace("{ha_id}", quote(seen.appliance.ha_id, safe=""))
    return Listen(TOUCH, seen.appliance.ha_id, Wanted(path))


def _noted(seen: Seen, heard: list[Heard]) -> Part[None]:
    """Writes down what was heard first; where an item names a key that is served, beside what a read gives for it now."""
    for event in heard[:_MOST_EVENTS]:  # a stream that never pauses goes on meanwhile
        for key, value in _items(event.data)[:_MOST_EVENTS] or [("*", None)]:
            known = next((own for own in seen.tried if own.partition(".")[2] == key.partition(".")[2]), None)
            note: dict[str, JsonValue] = {"kind": event.kind[:_LONGEST], "key": key[:_LONGEST], "value": _brief(value)}
            note |= {"raw": event.data[:_LONGEST], "at": event.at}
            if known is not None:
                answer = yield read(seen, known, seen.catalog.entries[known].segment, TOUCH, "repeat")
                note["read"] = _brief(cast("JsonValue", answer.value)) if answer.has_value else None
            yield Remark("event", TOUCH, seen.appliance.ha_id, known or "*", note)


def _brief(value: JsonValue) -> JsonValue:
    """A value, or the beginning of its text where that is long."""
    text = json.dumps(value)
    return value if len(text) <= _LONGEST else text[:_LONGEST]


def _items(data: str) -> list[tuple[str, JsonValue]]:
    """The (key, value) pairs of an event's data, wherever they are in it; nothing of this is in the document (line 159)."""
    with contextlib.suppress(ValueError, RecursionError):
        return list(_pairs(json.loads(data)))
    return []


def _pairs(node: object) -> list[tuple[str, JsonValue]]:
    if isinstance(node, dict):
        found = cast("dict[str, object]", node)
        own = [(str(found["key"]), cast("JsonValue", found["value"]))] if "key" in found and "value" in found else []
        return [*own, *(pair for child in found.values() for pair in _pairs(child))]
    return [pair for child in cast("list[object]", node) for pair in _pairs(child)] if isinstance(node, list) else []


def _said(asked: str) -> str:
    """What a person at the terminal answers; empty where nobody is there."""
    try:
        with _TERMINAL.open("r+", encoding="utf-8") as terminal:
            terminal.write(asked)
            terminal.flush()
            return terminal.readline().strip() or "done"
    except OSError:
        return ""
