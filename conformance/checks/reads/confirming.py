"""Which findings on a value need a second read, made anew, before they may be said."""

from __future__ import annotations

from catalog.keys import CAMERA_STATE, LIQUID_UNIT, TEMPERATURE_UNIT
from conformance.checks.answer import Absence, Answer
from conformance.checks.groups import Group, ProcedureKind
from conformance.checks.reads.ranges import outside_own_range
from conformance.checks.reads.units import contradicts_unit_setting
from conformance.checks.view import View


def needs_confirming(seen: View, answer: Answer) -> bool:
    """Whether `answer` needs a second read: null, out of its range, a wrong unit, an undeclared camera."""
    if answer.absence is Absence.NULL:
        return True
    if not answer.has_value:
        return False
    entry = seen.catalog.entries[answer.exchange.key]
    return (
        (entry.own_range and bool(outside_own_range(answer)))
        or contradicts_unit_setting(seen, answer)
        or (entry.key == CAMERA_STATE and seen.appliance.streaming_camera is False)
    )


def fresh_group(segment: str, key: str) -> Group:
    """The group of a shared read that is made again on a connection of its own."""
    return Group(ProcedureKind.FRESH, f"{segment}/{key}")


def unit_setting(seen: View, answer: Answer) -> str | None:
    """The unit setting to be read again with `answer`; None where its key has none."""
    entry = seen.catalog.entries[answer.exchange.key]
    if entry.unit == "ml":
        return LIQUID_UNIT
    return TEMPERATURE_UNIT if entry.own_range else None
