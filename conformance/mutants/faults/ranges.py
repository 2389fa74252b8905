"""Numbers outside their range, and ranges that are missing, no ranges, or wider than the common one.

> possible values: enumeration keys, true/false, or a numeric range
> For settings without a common value range, the range is obtained by requesting the specific setting.

Where an answer shows a range that is too wide, the value lies in both. Each of the seven keys of the limits
table has such a range at least once.
"""

from functools import partial
from types import MappingProxyType
from typing import Any

from catalog import keys
from catalog.model import Entry
from conformance.mutants import fleets
from conformance.mutants.model import broken
from conformance.mutants.shapes.reads import changes, constrains, converts_under, rewrites, sends, spans
from conformance.mutants.shapes.writes import couples, moves
from conformance.reference.appliance import Appliance, OwnRange
from conformance.reference.fleets.cooking import COFFEE_MAKER
from conformance.reference.fleets.cooling import FRIDGE_FAHRENHEIT
from conformance.reference.service import Service
from conformance.reference.wire import Members

_DARK_HOOD = fleets.HOOD.only(keys.POWER_STATE, keys.LIGHTING, keys.LIGHTING_BRIGHTNESS).having(
    {keys.LIGHTING: False}
)
_LIT_OUTSIDE = FRIDGE_FAHRENHEIT.only(keys.POWER_STATE, keys.EXTERNAL_LIGHT, keys.EXTERNAL_BRIGHTNESS)
_PRESET = fleets.MACHINE_LIT.only(keys.POWER_STATE, keys.CHILD_LOCK, keys.AMBIENT_BRIGHTNESS).having(
    {keys.AMBIENT_COLOR: f"{keys.COLOR_FAMILY}.Color99"}
)
_LIT = fleets.MACHINE_LIT.having({keys.AMBIENT_COLOR: f"{keys.COLOR_FAMILY}.Color1"})
_COUNTING = COFFEE_MAKER.only(keys.POWER_STATE, keys.CUP_WARMER, keys.MILK)

_TIMED = fleets.TIMED_OVEN.only(keys.CHILD_LOCK, keys.ALARM_CLOCK, keys.DOOR_STATE)
_MINUTE_S = 60
_A_FEW_SECONDS = MappingProxyType({"timing": {"settle_s": 2.2, "power_settle_s": 0.1, "quiet_s": 0.05}})
"""Added to a profile: there is time to see an alarm clock run out."""


class CountsOnAtZero(Service):
    """The alarm clock counts for a minute once it is set, also below 0."""

    def apply(self, appliance: Appliance, key: str, value: Any) -> None:
        super().apply(appliance, key, value)
        for second in range(1, _MINUTE_S + 1) if key == keys.ALARM_CLOCK else ():
            timer = appliance.ha_id, f"second {second}"
            self.timers.disarm(timer)
            if value:
                self.timers.arm(timer, second, partial(self.change, appliance, key, value - second))


class LessAtEachRead(Service):
    def value(self, appliance: Appliance, key: str) -> Any:
        shown: Any = super().value(appliance, key)
        if key == keys.ALARM_CLOCK:
            self.change(appliance, key, shown - 1)
        return shown


class BoundsKeepTheirUnit(Service):
    def constraints(self, appliance: Appliance, entry: Entry) -> Members:
        own = appliance.spec.ranges[entry.key] if entry.key == keys.FREEZER_SETPOINT else None
        kept = {"min": own.min, "max": own.max} if own else {}
        return {**super().constraints(appliance, entry), **kept}


class NumberStays(Service):
    def convert(self, appliance: Appliance) -> None:
        kept = appliance.values[keys.SETPOINT]
        super().convert(appliance)
        self.change(appliance, keys.SETPOINT, kept)


# fmt: off
broken("alarm-clock-above", "RANGE-ALARMCLOCK", "L0", fleets.TIMED_OVEN, sends(keys.ALARM_CLOCK, 38341),
    "AlarmClock is 38341, one second too many.")
broken("alarm-clock-unset", "RANGE-ALARMCLOCK", "L0", fleets.TIMED_OVEN, sends(keys.ALARM_CLOCK, -1),
    "AlarmClock is -1 while it is not set.")
broken("alarm-clock-below-zero", "RANGE-ALARMCLOCK", "L3", _TIMED, CountsOnAtZero,
    "AlarmClock counts the seconds down once it is set, and goes on below 0.", profile=_A_FEW_SECONDS)
broken("alarm-clock-near-its-end", "RANGE-ALARMCLOCK", "L0", fleets.TIMED_OVEN.having({keys.ALARM_CLOCK: 1}),
    LessAtEachRead, "AlarmClock is found at 1 and is one less at every read, also below 0.")
broken("alarm-clock-milliseconds", "RANGE-ALARMCLOCK", "L0", fleets.TIMED_OVEN,
    sends(keys.ALARM_CLOCK, 3600000), "AlarmClock counts an hour in milliseconds.")
broken("alarm-clock-unset-by-a-power-cycle", "RANGE-ALARMCLOCK", "L3", fleets.TIMED_OVEN,
    couples({(keys.POWER_STATE, keys.ON): {keys.ALARM_CLOCK: -1}}),
    "AlarmClock is -1 once the oven was switched off and on.")
broken("internal-light-above", "RANGE-LIGHT", "L0", fleets.FRIDGE_EQUIPPED,
    sends(keys.INTERNAL_BRIGHTNESS, 101), "The internal light shines at 101 %.")
broken("internal-light-byte", "RANGE-LIGHT", "L0", fleets.FRIDGE_EQUIPPED,
    sends(keys.INTERNAL_BRIGHTNESS, 255), "The internal light counts to 255.")
broken("external-light-below", "RANGE-LIGHT", "L0", _LIT_OUTSIDE, sends(keys.EXTERNAL_BRIGHTNESS, -0.5),
    "The external light shines at -0.5 %.")
broken("hood-light-dark", "RANGE-LIGHTING", "L0", _DARK_HOOD, sends(keys.LIGHTING_BRIGHTNESS, 0),
    "LightingBrightness is 0 while the light is off.")
broken("hood-light-zero-once-dark", "RANGE-LIGHTING", "L3", fleets.LAMP,
    couples({(keys.LIGHTING, False): {keys.LIGHTING_BRIGHTNESS: 0},
        (keys.LIGHTING, True): {keys.LIGHTING_BRIGHTNESS: 80}}),
    "LightingBrightness becomes 0 when the light is switched off, and is back when it is on.")
broken("hood-light-below", "RANGE-LIGHTING", "L0", fleets.HOOD, sends(keys.LIGHTING_BRIGHTNESS, 9.99),
    "LightingBrightness is 9.99.")
broken("hood-light-above", "RANGE-LIGHTING", "L0", fleets.HOOD, sends(keys.LIGHTING_BRIGHTNESS, 101),
    "LightingBrightness is 101.")
broken("percent-in-kelvin", "RANGE-COLORTEMPPCT", "L0", fleets.HOOD, sends(keys.COLOR_PERCENT, 2700),
    "ColorTemperaturePercent is a temperature of colour, 2700.")
broken("percent-below", "RANGE-COLORTEMPPCT", "L0", fleets.HOOD, sends(keys.COLOR_PERCENT, -1),
    "ColorTemperaturePercent is -1.")
broken("percent-above", "RANGE-COLORTEMPPCT", "L0", fleets.HOOD, sends(keys.COLOR_PERCENT, 100.5),
    "ColorTemperaturePercent is 100.5.")
broken("ambient-light-below", "RANGE-AMBBRIGHT", "L0", _PRESET, sends(keys.AMBIENT_BRIGHTNESS, 5),
    "AmbientLightBrightness is 5, as if its range began at 0.")
broken("ambient-light-just-below", "RANGE-AMBBRIGHT", "L0", _PRESET, sends(keys.AMBIENT_BRIGHTNESS, 9),
    "AmbientLightBrightness is 9.")
broken("ambient-light-above", "RANGE-AMBBRIGHT", "L0", _PRESET, sends(keys.AMBIENT_BRIGHTNESS, 101),
    "AmbientLightBrightness is 101.")
broken("ambient-light-below-after-a-power-cycle", "RANGE-AMBBRIGHT", "L3", _LIT,
    couples({(keys.POWER_STATE, keys.ON): {keys.AMBIENT_BRIGHTNESS: 5}}),
    "AmbientLightBrightness is 5 once the dishwasher was switched off and on.",
    profile={"pace": {"generated": 60}})
broken("ambient-light-locked-away", "RANGE-AMBBRIGHT", "L0", fleets.MACHINE_LIT,
    sends(keys.AMBIENT_BRIGHTNESS, 0), "AmbientLightBrightness is 0 while the colour is CustomColor.")
broken("battery-above-once-renamed", "RANGE-BATTERY", "L3", fleets.ROBOT_TWOFOLD,
    moves(keys.MAP_NAME_1, keys.BATTERY_LEVEL, lambda _: 101),
    "BatteryLevel is 101 once a map has been named.")
broken("battery-unknown", "RANGE-BATTERY", "L0", fleets.ROBOT, sends(keys.BATTERY_LEVEL, -1),
    "BatteryLevel is -1 while nobody knows it.")
broken("battery-above", "RANGE-BATTERY", "L0", fleets.ROBOT, sends(keys.BATTERY_LEVEL, 101),
    "BatteryLevel is 101.")
broken("battery-overfull", "RANGE-BATTERY", "L0", fleets.ROBOT_TWOFOLD, sends(keys.BATTERY_LEVEL, 100.5),
    "BatteryLevel is 100.5.")
broken("battery-byte-in-settings", "RANGE-BATTERY", "L0", fleets.ROBOT_TWOFOLD,
    converts_under("settings", keys.BATTERY_LEVEL, lambda _: 255),
    "BatteryLevel is 255 under settings, and right under status.",
    partners={"PATH-AGREE": "The two segments show two values, each stable."})
broken("bound-upper-missing", "RANGE-PERAPP-PRESENT", "L2", fleets.FRIDGE,
    constrains(keys.SETPOINT, {}, ("max",)), "The refrigerator setpoint shows its lower bound only.")
broken("bound-lower-missing", "RANGE-PERAPP-PRESENT", "L2", fleets.FRIDGE,
    constrains(keys.FREEZER_SETPOINT, {}, ("min",)), "The freezer setpoint shows its upper bound only.")
broken("bounds-missing-second-dosing", "RANGE-PERAPP-PRESENT", "L2", fleets.DOSER,
    constrains(keys.DOSING_2, {}, ("min", "max")),
    "The second dosing level shows no bounds, the first one does.")
broken("bounds-renamed", "RANGE-PERAPP-PRESENT", "L2", fleets.FRIDGE,
    constrains(keys.SETPOINT, {"minimum": 2, "maximum": 8}, ("min", "max")),
    "The bounds of the refrigerator setpoint have names of their own there.")
broken("constraints-missing", "RANGE-PERAPP-PRESENT", "L2", (fleets.DOSER, fleets.FRIDGE_SETPOINTS),
    tuple(changes("constraints", lambda _: {}, key) for key in (keys.DOSING_1, keys.DOSING_2)),
    "A washer shows no constraints where the range is its own; a refrigerator does.")
broken("bounds-are-texts", "RANGE-PERAPP-WELLFORMED", "L2", fleets.FRIDGE,
    constrains(keys.SETPOINT, {"min": "2", "max": "8"}),
    "The bounds of the refrigerator setpoint are strings.")
broken("bounds-swapped", "RANGE-PERAPP-WELLFORMED", "L2", fleets.FRIDGE,
    constrains(keys.FREEZER_SETPOINT, {"min": -16, "max": -24}),
    "The freezer setpoint counts its bounds from the warm end: the lower is above the upper.")
broken("bound-boolean", "RANGE-PERAPP-WELLFORMED", "L2", fleets.FRIDGE,
    constrains(keys.SETPOINT, {"min": True}), "The lower bound of the refrigerator setpoint is true.")
broken("bound-in-a-list", "RANGE-PERAPP-WELLFORMED", "L2", fleets.DOSER,
    constrains(keys.DOSING_1, {"max": [200]}),
    "The upper bound of the first dosing level is a list of one number.")
broken("bound-with-unit", "RANGE-PERAPP-WELLFORMED", "L2", fleets.DOSER,
    constrains(keys.DOSING_2, {"max": "150 ml"}),
    "The upper bound of the second dosing level carries its unit with it.")
broken("bound-not-a-number", "RANGE-PERAPP-WELLFORMED", "L2", fleets.FRIDGE,
    rewrites(keys.SETPOINT, lambda body: body.replace(b'"min":2,', b'"min":NaN,')),
    "The lower bound of the refrigerator setpoint is NaN.")
broken("setpoint-beyond-its-range", "RANGE-PERAPP-VALUE", "L2", fleets.FRIDGE, sends(keys.SETPOINT, 12),
    "The refrigerator setpoint is 12 in a range of 2 to 8, with no mode on.")
broken("freezer-below-its-range", "RANGE-PERAPP-VALUE", "L2", fleets.FRIDGE,
    sends(keys.FREEZER_SETPOINT, -30), "The freezer setpoint is -30 in a range of -24 to -16.")
broken("dosing-below-its-range", "RANGE-PERAPP-VALUE", "L2", fleets.DOSER, sends(keys.DOSING_2, 0),
    "The second dosing level is 0, whatever its range.")
broken("dosing-within-the-examples", "RANGE-PERAPP-VALUE", "L2", fleets.DOSER, sends(keys.DOSING_2, 190),
    "The second dosing level is 190 in a range of 10 to 150, as if the example of the document were the "
    "limit.")
broken("bounds-of-the-other-unit", "RANGE-PERAPP-VALUE", "L2", fleets.FRIDGE_AMERICAN,
    constrains(keys.SETPOINT, {"min": 2, "max": 8}),
    "The refrigerator setpoint is 37 °F and its bounds are those in °C.")
broken("freezer-bounds-keep-their-unit", "RANGE-PERAPP-VALUE", "L3", fleets.FRIDGE_UNITS,
    BoundsKeepTheirUnit,
    "After TemperatureUnit is written, the setpoint of the freezer is in °F and its bounds are those in °C.")
broken("setpoint-keeps-its-number", "RANGE-PERAPP-VALUE", "L3", fleets.FRIDGE_UNITS, NumberStays,
    "After TemperatureUnit is written, a setpoint is still 4, in a range of 35 to 46 °F.")
broken("alarm-clock-advertises-a-day", "RANGE-COMMON-ADVERTISED", "L2", fleets.TIMED_OVEN,
    spans(keys.ALARM_CLOCK, OwnRange(0, 86400)), "AlarmClock advertises 0 to 86400 seconds.")
broken("alarm-clock-advertises-below", "RANGE-COMMON-ADVERTISED", "L2", fleets.TIMED_OVEN,
    spans(keys.ALARM_CLOCK, OwnRange(-1, 38340)), "AlarmClock advertises -1 to 38340 seconds.")
broken("hood-light-advertises-zero", "RANGE-COMMON-ADVERTISED", "L2", fleets.HOOD,
    spans(keys.LIGHTING_BRIGHTNESS, OwnRange(0, 100)),
    "LightingBrightness advertises 0 to 100, the range of its neighbours.")
broken("ambient-light-advertises-one", "RANGE-COMMON-ADVERTISED", "L2", _PRESET,
    spans(keys.AMBIENT_BRIGHTNESS, OwnRange(1, 90)),
    "AmbientLightBrightness advertises 1 to 90: narrower above, wider below.")
broken("internal-light-advertises-a-byte", "RANGE-COMMON-ADVERTISED", "L2", fleets.FRIDGE_EQUIPPED,
    spans(keys.INTERNAL_BRIGHTNESS, OwnRange(0, 255)), "The internal light advertises 0 to 255.")
broken("external-light-advertises-above", "RANGE-COMMON-ADVERTISED", "L2", _LIT_OUTSIDE,
    spans(keys.EXTERNAL_BRIGHTNESS, OwnRange(10, 100.5, 0.5)),
    "The external light advertises 10 to 100.5: narrower below, wider above.")
broken("percent-advertises-kelvin", "RANGE-COMMON-ADVERTISED", "L2", fleets.HOOD,
    spans(keys.COLOR_PERCENT, OwnRange(0, 6500)), "ColorTemperaturePercent advertises 0 to 6500.")
broken("battery-advertises-unknown", "RANGE-COMMON-ADVERTISED", "L2", fleets.ROBOT,
    spans(keys.BATTERY_LEVEL, OwnRange(-1, 100)), "BatteryLevel advertises -1 to 100.")
broken("milk-count-negative", "RANGE-COUNT", "L0", _COUNTING, sends(keys.MILK, -3),
    "The counter of milk is -3.")
broken("coffee-count-overflown", "RANGE-COUNT", "L0", fleets.COUNTING, sends(keys.COFFEE_COUNT, -2147483648),
    "The counter of coffee has run over into -2147483648.")
broken("hot-water-negative", "RANGE-COUNT", "L0", fleets.COUNTING, sends(keys.HOT_WATER, -1),
    "The quantity of hot water is -1.")
