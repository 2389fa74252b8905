"""Servers that store numbers outside a range, do not store its ends, or forget what unit a range is in.

> possible values: enumeration keys, true/false, or a numeric range
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.mutants.model import mutant
from conformance.mutants.soil import (
    ALARM_CLOCK,
    CHILD_LOCK,
    DOOR_STATE,
    DOSER,
    DOSING_1,
    DOSING_2,
    FREEZER_DOOR,
    FREEZER_SETPOINT,
    HOOD,
    LIGHTING,
    LIGHTING_BRIGHTNESS,
    SETPOINT,
    TIMED_OVEN,
)
from conformance.mutants.write_soil import CHILLED
from conformance.reference.names import OPERATION_STATE, TEMPERATURE_UNIT
from conformance.reference.service import Service

if TYPE_CHECKING:
    from catalog.model import Entry
    from conformance.reference.appliance import Appliance
    from conformance.reference.wire import Json

_HOOD = HOOD.only(LIGHTING, LIGHTING_BRIGHTNESS, OPERATION_STATE)
_OVEN = TIMED_OVEN.only(CHILD_LOCK, ALARM_CLOCK, DOOR_STATE)
_FRIDGE = CHILLED.only(SETPOINT, FREEZER_SETPOINT, FREEZER_DOOR)
_DOSER = DOSER.only(DOSING_1, DOSING_2, DOOR_STATE)
_LATEST = 38340


@mutant("one-degree-more", clause="RANGE-WRITE-OUT", level="L3")
class OneDegreeMore(Service):
    """The setpoint of the refrigerator is stored one step above its own maximum."""

    fleet = (_FRIDGE,)

    def is_within(self, appliance: Appliance, entry: Entry, value: Json) -> bool:
        """Allow one step too many."""
        bounds = self.bounds(appliance, entry)
        if entry.key == SETPOINT and bounds is not None and isinstance(value, int | float):
            return bounds.min <= value <= bounds.max + bounds.step
        return super().is_within(appliance, entry, value)


@mutant("darker-than-allowed", clause="RANGE-WRITE-OUT", level="L3")
class DarkerThanAllowed(Service):
    """LightingBrightness has no lower end: 5 is stored."""

    fleet = (_HOOD,)

    def is_within(self, appliance: Appliance, entry: Entry, value: Json) -> bool:
        """Begin at zero."""
        darker = entry.key == LIGHTING_BRIGHTNESS and isinstance(value, int | float) and 0 <= value < 10
        return darker or super().is_within(appliance, entry, value)


@mutant("alarm-before-now", clause="RANGE-WRITE-OUT", level="L3")
class AlarmBeforeNow(Service):
    """AlarmClock takes negative numbers."""

    fleet = (_OVEN,)

    def is_within(self, appliance: Appliance, entry: Entry, value: Json) -> bool:
        """Look at the upper end alone."""
        early = entry.key == ALARM_CLOCK and isinstance(value, int | float) and value < 0
        return early or super().is_within(appliance, entry, value)


@mutant("dose-without-measure", clause="RANGE-WRITE-OUT", level="L3")
class DoseWithoutMeasure(Service):
    """Dosing1BaseLevel is stored whatever its own range says, beyond either end."""

    fleet = (_DOSER,)

    def is_within(self, appliance: Appliance, entry: Entry, value: Json) -> bool:
        """Measure the second content alone."""
        return entry.key == DOSING_1 or super().is_within(appliance, entry, value)


@mutant("never-quite-bright", clause="RANGE-WRITE-BOUNDS", level="L3")
class NeverQuiteBright(Service):
    """The upper end of LightingBrightness is left out: 100 % is acknowledged and stored as 99."""

    fleet = (_HOOD,)

    def normal(self, appliance: Appliance, key: str, value: Json) -> Json:
        """Stay one below."""
        number = super().normal(appliance, key, value)
        return 99 if (key, number) == (LIGHTING_BRIGHTNESS, 100) else number


@mutant("never-quite-cold", clause="RANGE-WRITE-BOUNDS", level="L3")
class NeverQuiteCold(Service):
    """The lower end of the freezer's own range is left out: one step more is stored."""

    fleet = (_FRIDGE,)

    def normal(self, appliance: Appliance, key: str, value: Json) -> Json:
        """Stay one step above."""
        number, bounds = super().normal(appliance, key, value), self.bounds(appliance, self.entries[key])
        left_out = key == FREEZER_SETPOINT and bounds is not None and number == bounds.min
        return bounds.min + bounds.step if left_out and bounds is not None else number


@mutant("last-second-dropped", clause="RANGE-WRITE-BOUNDS", level="L3")
class LastSecondDropped(Service):
    """AlarmClock 38340 is acknowledged, and the old time stays."""

    fleet = (_OVEN,)

    def apply(self, appliance: Appliance, key: str, value: Json) -> None:
        """Forget the upper end."""
        if (key, value) != (ALARM_CLOCK, _LATEST):
            super().apply(appliance, key, value)


@mutant("unit-forgotten", clause="UNIT-TEMP-APPLIES", level="L3")
class UnitForgotten(Service):
    """After TemperatureUnit is written, numbers and ranges move and setpoints are still called by the first unit."""

    fleet = (CHILLED,)

    def unit(self, appliance: Appliance, entry: Entry) -> str | None:
        """Name the unit the appliance began with."""
        shown, known = super().unit(appliance, entry), appliance.spec.ranges.get(entry.key)
        return shown if known is None else known.unit


@mutant("freezer-stays-behind", clause="UNIT-TEMP-APPLIES", level="L3")
class FreezerStaysBehind(Service):
    """After TemperatureUnit is written, the refrigerator follows and the setpoint of the freezer is called by the other unit."""

    fleet = (CHILLED,)

    def unit(self, appliance: Appliance, entry: Entry) -> str | None:
        """Move one of two."""
        shown = super().unit(appliance, entry)
        moved = appliance.values[TEMPERATURE_UNIT] != appliance.spec.values[TEMPERATURE_UNIT]
        return "°C" if entry.key == FREEZER_SETPOINT and moved else shown
