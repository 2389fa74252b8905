"""Values that are not kept as they were sent: on a grid, on a hardware scale, in another spelling.

> For settings without a common value range, the range is obtained by requesting the specific setting.

Steps have no line of their own. Some answers show one; where none is shown, the ends and the value that is found lie on the grid.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from conformance.mutants.model import variant
from conformance.mutants.soil import ALARM_CLOCK, COLOR_PERCENT, CUSTOM_COLOR, FREEZER_SETPOINT, LIGHTING_BRIGHTNESS, SETPOINT
from conformance.mutants.variant_write_soil import AMBIENT, CLOCKED, COLD, LAMP, MAPPED
from conformance.reference.appliance import OwnRange
from conformance.reference.names import FAHRENHEIT, TEMPERATURE_UNIT
from conformance.reference.service import Service

if TYPE_CHECKING:
    from catalog.model import Entry
    from conformance.reference.appliance import Appliance
    from conformance.reference.wire import Json, Members

_COARSE = replace(COLD, ranges={SETPOINT: OwnRange(2, 8, 2, "°C"), FREEZER_SETPOINT: OwnRange(-24, -16, 4, "°C")}).having(
    {FREEZER_SETPOINT: -20}
)
_MINUTES = replace(CLOCKED, ranges={ALARM_CLOCK: OwnRange(0, 38340, 60)})
_AMERICAN = replace(
    COLD,
    values={TEMPERATURE_UNIT: FAHRENHEIT, SETPOINT: 39, FREEZER_SETPOINT: 0},
    ranges={SETPOINT: OwnRange(36, 46, 1, "°F"), FREEZER_SETPOINT: OwnRange(-11, 3, 1, "°F")},
    elsewhere={},
    read_only=frozenset({TEMPERATURE_UNIT}),
)


class Untold(Service):
    """Answers show no step."""

    def constraints(self, appliance: Appliance, entry: Entry) -> Members:
        """Leave the step out."""
        return {name: value for name, value in super().constraints(appliance, entry).items() if name != "stepsize"}


class Floored(Service):
    """Numbers that are off the grid go down to it."""

    def normal(self, appliance: Appliance, key: str, value: Json) -> Json:
        """Cut down to the step."""
        bounds = self.bounds(appliance, self.entries[key])
        if bounds is None or isinstance(value, bool) or not isinstance(value, int | float):
            return super().normal(appliance, key, value)
        return int(bounds.min + math.floor((value - bounds.min) / bounds.step) * bounds.step)


@variant("setpoints-in-coarse-steps", clause="SET-WRITABLE", knowledges=("full",))
class SetpointsInCoarseSteps(Service):
    """Setpoints go in steps of two and four degrees, as their answers show."""

    fleet = (_COARSE,)


@variant("setpoints-in-untold-steps", clause="SET-WRITABLE", knowledges=("full",))
class SetpointsInUntoldSteps(Untold):
    """Setpoints go in steps of two and four degrees, and no answer shows a step."""

    fleet = (_COARSE,)


@variant("setpoints-cut-down", clause="SET-WRITABLE", knowledges=("full",))
class SetpointsCutDown(Floored):
    """A setpoint of 4.9 becomes 4."""

    fleet = (COLD,)


@variant("alarm-clock-in-minutes", clause="SET-WRITABLE", knowledges=("full",))
class AlarmClockInMinutes(Service):
    """AlarmClock goes in steps of a minute, as its answer shows."""

    fleet = (_MINUTES,)


@variant("alarm-clock-in-untold-minutes", clause="RANGE-WRITE-BOUNDS", knowledges=("full",))
class AlarmClockInUntoldMinutes(Untold):
    """AlarmClock goes in steps of a minute, and its answer shows no step."""

    fleet = (_MINUTES,)


@variant("alarm-clock-cut-to-five-minutes", clause="RANGE-WRITE-BOUNDS", knowledges=("full",))
class AlarmClockCutToFiveMinutes(Floored):
    """AlarmClock goes in steps of five minutes, which 38340 is none of, so that it ends at 38100."""

    fleet = (replace(CLOCKED, ranges={ALARM_CLOCK: OwnRange(0, 38340, 300)}),)


@variant("percent-in-steps-of-five", clause="HOOD-PERCENT-APPLIES", knowledges=("full",))
class PercentInStepsOfFive(Service):
    """The percent setting of the colour temperature goes in steps of five, as its answer shows."""

    fleet = (replace(LAMP, ranges={COLOR_PERCENT: OwnRange(0, 100, 5)}),)


@variant("fahrenheit-rounded", clause="SET-WRITABLE", knowledges=("full",))
class FahrenheitRounded(Untold):
    """Setpoints in °F are kept in whole °C, so that 40 becomes 39 and the ends stay; no answer shows a step."""

    fleet = (_AMERICAN,)

    def normal(self, appliance: Appliance, key: str, value: Json) -> Json:
        """Go to °C and back."""
        if key not in {SETPOINT, FREEZER_SETPOINT} or not isinstance(value, int | float):
            return super().normal(appliance, key, value)
        return round(round((value - 32) * 5 / 9) * 9 / 5 + 32)


@variant("setpoints-a-hair-off", clause="SET-WRITABLE", knowledges=("full",))
class SetpointsAHairOff(Service):
    """Setpoints read a billionth more than they were set to: 4.000000001."""

    fleet = (COLD,)

    def value(self, appliance: Appliance, key: str) -> Json:
        """Add the hair."""
        shown = super().value(appliance, key)
        return shown + 1e-9 if key in {SETPOINT, FREEZER_SETPOINT} and isinstance(shown, int | float) else shown


@variant("brightness-of-eight-bits", clause="RANGE-WRITE-BOUNDS", knowledges=("full",))
class BrightnessOfEightBits(Service):
    """LightingBrightness is kept in 255ths: 10 reads 10.2, and 80 reads 80."""

    fleet = (LAMP,)

    def normal(self, appliance: Appliance, key: str, value: Json) -> Json:
        """Go to 255ths, upwards, and back."""
        if key != LIGHTING_BRIGHTNESS or not isinstance(value, int | float):
            return super().normal(appliance, key, value)
        return round(math.ceil(value * 2.55) / 2.55, 1)


@variant("custom-color-in-capitals", clause="AMB-CUSTOM-SETTABLE", knowledges=("full",))
class CustomColorInCapitals(Service):
    """A custom colour is kept in capitals: #4a88f8 reads #4A88F8."""

    fleet = (AMBIENT.having({CUSTOM_COLOR: "#E0FFFF"}),)

    def normal(self, appliance: Appliance, key: str, value: Json) -> Json:
        """Spell it in one way."""
        return value.upper() if key == CUSTOM_COLOR and isinstance(value, str) else super().normal(appliance, key, value)


@variant("custom-color-without-its-sign", clause="AMB-CUSTOM-SETTABLE", knowledges=("full",))
class CustomColorWithoutItsSign(Service):
    """A custom colour is kept without the number sign: #4a88f8 reads 4a88f8."""

    fleet = (AMBIENT.having({CUSTOM_COLOR: "e0ffff"}),)

    def normal(self, appliance: Appliance, key: str, value: Json) -> Json:
        """Leave the sign out."""
        return value.removeprefix("#") if key == CUSTOM_COLOR and isinstance(value, str) else super().normal(appliance, key, value)


@variant("map-names-cut-short", clause="SET-WRITABLE", knowledges=("full",))
class MapNamesCutShort(Service):
    """A map has room for eight letters of its name."""

    fleet = (MAPPED,)

    def normal(self, appliance: Appliance, key: str, value: Json) -> Json:
        """Keep what there is room for."""
        kept = super().normal(appliance, key, value)
        return kept[:8] if "NameOfMap" in key and isinstance(kept, str) else kept
