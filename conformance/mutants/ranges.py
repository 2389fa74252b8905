"""Numbers outside the range the document gives their key, by a little or by a lot, at either end.

> possible values: enumeration keys, true/false, or a numeric range
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.mutants.model import mutant
from conformance.mutants.shapes import Missent
from conformance.mutants.soil import (
    ALARM_CLOCK,
    AMBIENT_BRIGHTNESS,
    AMBIENT_COLOR,
    BATTERY_LEVEL,
    CHILD_LOCK,
    COFFEE_COUNT,
    COLOR_PERCENT,
    COUNTING,
    CUP_WARMER,
    FRIDGE_EQUIPPED,
    HOOD,
    HOT_WATER,
    INTERNAL_BRIGHTNESS,
    LIGHTING,
    LIGHTING_BRIGHTNESS,
    MACHINE_LIT,
    ROBOT,
    ROBOT_TWOFOLD,
    TIMED_OVEN,
)
from conformance.reference.fleet_cooking import COFFEE_MAKER
from conformance.reference.fleet_cooling import FRIDGE_FAHRENHEIT
from conformance.reference.names import POWER_STATE
from conformance.reference.service import Service

if TYPE_CHECKING:
    from catalog.model import Entry, Segment
    from conformance.reference.appliance import Appliance
    from conformance.reference.wire import Json, Members

_TWO_VALUES = "The two segments show two values, each stable."

_EXTERNAL_BRIGHTNESS = "Refrigeration.Common.Setting.Light.External.Brightness"
_EXTERNAL_LIGHT = "Refrigeration.Common.Setting.Light.External.Power"
_MILK = "ConsumerProducts.CoffeeMaker.Status.BeverageCounterMilk"

_DARK_HOOD = HOOD.only(POWER_STATE, LIGHTING, LIGHTING_BRIGHTNESS).having({LIGHTING: False})
_LIT_OUTSIDE = FRIDGE_FAHRENHEIT.only(POWER_STATE, _EXTERNAL_LIGHT, _EXTERNAL_BRIGHTNESS)
_PRESET = MACHINE_LIT.only(POWER_STATE, CHILD_LOCK, AMBIENT_BRIGHTNESS).having(
    {AMBIENT_COLOR: "Vendor.Common.EnumType.AmbientLightColor.Color99"}
)
_COUNTING = COFFEE_MAKER.only(POWER_STATE, CUP_WARMER, _MILK)


@mutant("alarm-clock-above", clause="RANGE-ALARMCLOCK", level="L0")
class AlarmClockAbove(Missent):
    """AlarmClock is 38341, one second too many."""

    fleet = (TIMED_OVEN,)
    key = ALARM_CLOCK
    sent = 38341


@mutant("alarm-clock-unset", clause="RANGE-ALARMCLOCK", level="L0")
class AlarmClockUnset(Missent):
    """AlarmClock is -1 while it is not set."""

    fleet = (TIMED_OVEN,)
    key = ALARM_CLOCK
    sent = -1


@mutant("alarm-clock-milliseconds", clause="RANGE-ALARMCLOCK", level="L0")
class AlarmClockMilliseconds(Missent):
    """AlarmClock counts an hour in milliseconds."""

    fleet = (TIMED_OVEN,)
    key = ALARM_CLOCK
    sent = 3600000


@mutant("internal-light-above", clause="RANGE-LIGHT", level="L0")
class InternalLightAbove(Missent):
    """The internal light shines at 101 %."""

    fleet = (FRIDGE_EQUIPPED,)
    key = INTERNAL_BRIGHTNESS
    sent = 101


@mutant("internal-light-byte", clause="RANGE-LIGHT", level="L0")
class InternalLightByte(Missent):
    """The internal light counts to 255."""

    fleet = (FRIDGE_EQUIPPED,)
    key = INTERNAL_BRIGHTNESS
    sent = 255


@mutant("external-light-below", clause="RANGE-LIGHT", level="L0")
class ExternalLightBelow(Missent):
    """The external light shines at -0.5 %."""

    fleet = (_LIT_OUTSIDE,)
    key = _EXTERNAL_BRIGHTNESS
    sent = -0.5


@mutant("hood-light-dark", clause="RANGE-LIGHTING", level="L0")
class HoodLightDark(Missent):
    """LightingBrightness is 0 while the light is off."""

    fleet = (_DARK_HOOD,)
    key = LIGHTING_BRIGHTNESS
    sent = 0


@mutant("hood-light-below", clause="RANGE-LIGHTING", level="L0")
class HoodLightBelow(Missent):
    """LightingBrightness is 9.99."""

    fleet = (HOOD,)
    key = LIGHTING_BRIGHTNESS
    sent = 9.99


@mutant("hood-light-above", clause="RANGE-LIGHTING", level="L0")
class HoodLightAbove(Missent):
    """LightingBrightness is 101."""

    fleet = (HOOD,)
    key = LIGHTING_BRIGHTNESS
    sent = 101


@mutant("percent-in-kelvin", clause="RANGE-COLORTEMPPCT", level="L0")
class PercentInKelvin(Missent):
    """ColorTemperaturePercent is a temperature of colour, 2700."""

    fleet = (HOOD,)
    key = COLOR_PERCENT
    sent = 2700


@mutant("percent-below", clause="RANGE-COLORTEMPPCT", level="L0")
class PercentBelow(Missent):
    """ColorTemperaturePercent is -1."""

    fleet = (HOOD,)
    key = COLOR_PERCENT
    sent = -1


@mutant("percent-above", clause="RANGE-COLORTEMPPCT", level="L0")
class PercentAbove(Missent):
    """ColorTemperaturePercent is 100.5."""

    fleet = (HOOD,)
    key = COLOR_PERCENT
    sent = 100.5


@mutant("ambient-light-below", clause="RANGE-AMBBRIGHT", level="L0")
class AmbientLightBelow(Missent):
    """AmbientLightBrightness is 5, as if its range began at 0."""

    fleet = (_PRESET,)
    key = AMBIENT_BRIGHTNESS
    sent = 5


@mutant("ambient-light-just-below", clause="RANGE-AMBBRIGHT", level="L0")
class AmbientLightJustBelow(Missent):
    """AmbientLightBrightness is 9."""

    fleet = (_PRESET,)
    key = AMBIENT_BRIGHTNESS
    sent = 9


@mutant("ambient-light-above", clause="RANGE-AMBBRIGHT", level="L0")
class AmbientLightAbove(Missent):
    """AmbientLightBrightness is 101."""

    fleet = (_PRESET,)
    key = AMBIENT_BRIGHTNESS
    sent = 101


@mutant("ambient-light-locked-away", clause="RANGE-AMBBRIGHT", level="L0")
class AmbientLightLockedAway(Missent):
    """AmbientLightBrightness is 0 while the colour is CustomColor."""

    fleet = (MACHINE_LIT,)
    key = AMBIENT_BRIGHTNESS
    sent = 0


@mutant("battery-unknown", clause="RANGE-BATTERY", level="L0")
class BatteryUnknown(Missent):
    """BatteryLevel is -1 while nobody knows it."""

    fleet = (ROBOT,)
    key = BATTERY_LEVEL
    sent = -1


@mutant("battery-above", clause="RANGE-BATTERY", level="L0")
class BatteryAbove(Missent):
    """BatteryLevel is 101."""

    fleet = (ROBOT,)
    key = BATTERY_LEVEL
    sent = 101


@mutant("battery-overfull", clause="RANGE-BATTERY", level="L0")
class BatteryOverfull(Missent):
    """BatteryLevel is 100.5."""

    fleet = (ROBOT_TWOFOLD,)
    key = BATTERY_LEVEL
    sent = 100.5


@mutant("milk-count-negative", clause="RANGE-COUNT", level="L0")
class MilkCountNegative(Missent):
    """The counter of milk is -3."""

    fleet = (_COUNTING,)
    key = _MILK
    sent = -3


@mutant("coffee-count-overflown", clause="RANGE-COUNT", level="L0")
class CoffeeCountOverflown(Missent):
    """The counter of coffee has run over into -2147483648."""

    fleet = (COUNTING,)
    key = COFFEE_COUNT
    sent = -2147483648


@mutant("hot-water-negative", clause="RANGE-COUNT", level="L0")
class HotWaterNegative(Missent):
    """The quantity of hot water is -1."""

    fleet = (COUNTING,)
    key = HOT_WATER
    sent = -1


@mutant("battery-byte-in-settings", clause="RANGE-BATTERY", level="L0", partners={"PATH-AGREE": _TWO_VALUES})
class BatteryByteInSettings(Service):
    """BatteryLevel is 255 under settings, and right under status."""

    fleet = (ROBOT_TWOFOLD,)

    def body(self, appliance: Appliance, segment: Segment, entry: Entry, value: Json) -> Members:
        """Count in another way under one of the two segments."""
        members = super().body(appliance, segment, entry, value)
        return {**members, "value": 255} if entry.key == BATTERY_LEVEL and segment == "settings" else members
