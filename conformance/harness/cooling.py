"""The cooling modes: each is switched on and off, and all setpoints are watched (lines 48 to 53)."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from conformance.checks.seen import TEMPERATURE_UNIT
from conformance.checks.states import COOLING_MODES, is_setpoint
from conformance.checks.trace import mode_group, same
from conformance.checks.weighing import TIMES
from conformance.harness.guarded import closed, look_at, opened, written
from conformance.harness.procedures import read

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pydantic import JsonValue

    from catalog.model import Entry
    from conformance.checks.answer import Answer
    from conformance.checks.groups import Group
    from conformance.checks.seen import Seen
    from conformance.harness.guarded import Part
    from conformance.harness.steps import Procedure


def cooling_mode(seen: Seen, entry: Entry) -> Procedure:
    """Switches one mode on and off while no other is on; a second time where a setpoint moved."""
    group = mode_group(entry.key)
    before = yield from opened(seen, entry.key, group)
    if before is None:
        return
    others = [key for key in COOLING_MODES if key != entry.key and seen.value(key) is not None]
    shown = yield from look(seen, [*others, TEMPERATURE_UNIT], group)
    if any(answer.value is True or (answer.is_error and answer.exchange.key in others) for answer in shown):
        return
    if before.value is True and not (yield from written(seen, entry, value=False, group=group)):
        return
    setpoints = [key for key in seen.tried if is_setpoint(key) and seen.value(key) is not None]
    for turn in range(TIMES):
        quiet = yield from look(seen, [*setpoints, *setpoints], group)
        yield from written(seen, entry, value=True, group=group)
        during = yield from look(seen, [*setpoints, *setpoints, TEMPERATURE_UNIT], group)
        yield from written(seen, entry, value=False, group=group)
        after = yield from look(seen, setpoints, group)
        was = {answer.exchange.key: answer.value for answer in quiet}
        if all(same(answer.value, was.get(answer.exchange.key, answer.value)) for answer in (*during, *after)):
            break
        if turn + 1 < TIMES:
            yield from _set_again(seen, quiet, after, group)
    yield from closed(seen, group)


def _set_again(seen: Seen, quiet: Sequence[Answer], after: Sequence[Answer], group: Group) -> Part[None]:
    """Writes the setpoints again that a mode left moved when it ended: only from the same state does a second try show the same."""
    for before, now in zip(quiet, after, strict=False):
        key = before.exchange.key
        if before.has_value and now.has_value and not same(now.value, before.value) and seen.profile.may_write(key):
            yield from written(seen, seen.catalog.entries[key], cast("JsonValue", before.value), group)


def look(seen: Seen, keys: list[str], group: Group) -> Part[list[Answer]]:
    """Reads some settings, those that are served."""
    return (yield from look_at([read(seen, key, "settings", group, "repeat") for key in keys if seen.value(key) is not None]))
