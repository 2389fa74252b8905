"""Numbers outside their range, and ranges that are missing, no ranges, or wider than the common one.

> possible values: enumeration keys, true/false, or a numeric range
> For settings without a common value range, the range is obtained by requesting the specific setting.
"""

from functools import partial
from typing import Any

from catalog import keys
from catalog.model import Entry
from conformance.mutants import fleets
from conformance.mutants.model import broken
from conformance.mutants.shapes.reads import (
    changes,
    constrains,
    converts_under,
    goes_on,
    limits,
    rewrites,
    sends,
)
from conformance.mutants.shapes.side_effects import couples, moves
from conformance.mutants.shapes.writes import stores
from conformance.reference.appliance import Appliance
from conformance.reference.service import Service
from conformance.reference.wire import Members

_DARK_HOOD = fleets.HOOD.only(keys.POWER_STATE, keys.LIGHTING, keys.LIGHTING_BRIGHTNESS).having(
    {keys.LIGHTING: False}
)
_PRESET = fleets.MACHINE_LIT.only(keys.POWER_STATE, keys.CHILD_LOCK, keys.AMBIENT_BRIGHTNESS).having(
    {keys.AMBIENT_COLOR: f"{keys.COLOR_FAMILY}.Color99"}
)
_LIT = fleets.MACHINE_LIT.having({keys.AMBIENT_COLOR: f"{keys.COLOR_FAMILY}.Color1"})

_TIMED = fleets.TIMED_OVEN.only(keys.CHILD_LOCK, keys.ALARM_CLOCK, keys.DOOR_STATE)
_MINUTE_S = 60
_A_FEW_SECONDS = {"timing": {"settle_s": 2.2, "power_settle_s": 0.1, "quiet_s": 0.05}}
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


def _in_their_unit(appliance: Appliance, entry: Entry, own: Members) -> Members:
    first = appliance.spec.ranges.get(entry.key) if entry.key == keys.FREEZER_SETPOINT else None
    return own | {"min": first.min, "max": first.max} if first else own


# fmt: off
broken("alarm-clock-above", "RANGE-ALARMCLOCK", "L0", fleets.TIMED_OVEN, sends(keys.ALARM_CLOCK, 38341),
    "AlarmClock is 38341, one second too many.")
broken("alarm-clock-below-zero", "RANGE-ALARMCLOCK", "L3", _TIMED, CountsOnAtZero,
    "AlarmClock counts the seconds down once it is set, and goes on below 0.", profile=_A_FEW_SECONDS)
broken("alarm-clock-near-its-end", "RANGE-ALARMCLOCK", "L0", fleets.TIMED_OVEN.having({keys.ALARM_CLOCK: 1}),
    goes_on(keys.ALARM_CLOCK, lambda left: left - 1),
    "AlarmClock is found at 1 and is one less at every read, also below 0.")
broken("alarm-clock-unset-by-a-power-cycle", "RANGE-ALARMCLOCK", "L3", fleets.TIMED_OVEN,
    couples({(keys.POWER_STATE, keys.ON): {keys.ALARM_CLOCK: -1}}),
    "AlarmClock is -1 once the oven was switched off and on.")
broken("hood-light-dark", "RANGE-LIGHTING", "L0", _DARK_HOOD, sends(keys.LIGHTING_BRIGHTNESS, 0),
    "LightingBrightness is 0 while the light is off.")
broken("hood-light-zero-once-dark", "RANGE-LIGHTING", "L3", fleets.LAMP,
    couples({(keys.LIGHTING, False): {keys.LIGHTING_BRIGHTNESS: 0},
        (keys.LIGHTING, True): {keys.LIGHTING_BRIGHTNESS: 80}}),
    "LightingBrightness becomes 0 when the light is switched off, and is back when it is on.")
broken("hood-light-above", "RANGE-LIGHTING", "L0", fleets.HOOD, sends(keys.LIGHTING_BRIGHTNESS, 101),
    "LightingBrightness is 101.")
broken("hood-light-kept-as-a-byte", "RANGE-LIGHTING", "L3", fleets.LAMP,
    stores(lambda percent: 9.8 if percent == 10 else percent, keys.LIGHTING_BRIGHTNESS),
    "Once LightingBrightness was written 10 it is 9.8, as 25 of the 255 values of a byte are.")
broken("ambient-light-below-after-a-power-cycle", "RANGE-AMBBRIGHT", "L3", _LIT,
    couples({(keys.POWER_STATE, keys.ON): {keys.AMBIENT_BRIGHTNESS: 5}}),
    "AmbientLightBrightness is 5 once the dishwasher was switched off and on.",
    profile={"pace": {"generated": 60}})
broken("ambient-light-locked-away", "RANGE-AMBBRIGHT", "L0", fleets.MACHINE_LIT,
    sends(keys.AMBIENT_BRIGHTNESS, 0), "AmbientLightBrightness is 0 while the colour is CustomColor.")
broken("battery-above-once-renamed", "RANGE-BATTERY", "L3", fleets.ROBOT_TWOFOLD,
    moves(keys.MAP_NAME_1, keys.BATTERY_LEVEL, lambda _: 101),
    "BatteryLevel is 101 once a map has been named.")
broken("battery-above", "RANGE-BATTERY", "L0", fleets.ROBOT, sends(keys.BATTERY_LEVEL, 101),
    "BatteryLevel is 101.")
broken("battery-byte-in-settings", "RANGE-BATTERY", "L0", fleets.ROBOT_TWOFOLD,
    converts_under("settings", keys.BATTERY_LEVEL, lambda _: 255),
    "BatteryLevel is 255 under settings, and right under status.",
    partners={"PATH-AGREE": "The two segments show two values, each stable."})
broken("bounds-renamed", "RANGE-PERAPP-PRESENT", "L2", fleets.FRIDGE,
    constrains(keys.SETPOINT, {"minimum": 2, "maximum": 8}, ("min", "max")),
    "The bounds of the refrigerator setpoint have names of their own there.")
broken("constraints-missing", "RANGE-PERAPP-PRESENT", "L2", (fleets.DOSER, fleets.FRIDGE_SETPOINTS),
    tuple(changes("constraints", lambda _: {}, key) for key in (keys.DOSING_1, keys.DOSING_2)),
    "A washer shows no constraints where the range is its own; a refrigerator does.")
broken("bound-not-a-number", "RANGE-PERAPP-WELLFORMED", "L2", fleets.FRIDGE,
    rewrites(keys.SETPOINT, lambda body: body.replace(b'"min":2,', b'"min":NaN,')),
    "The lower bound of the refrigerator setpoint is NaN.")
broken("dosing-within-the-examples", "RANGE-PERAPP-VALUE", "L2", fleets.DOSER, sends(keys.DOSING_2, 190),
    "The second dosing level is 190 in a range of 10 to 150, as if the example of the document were the "
    "limit.")
broken("bounds-of-the-other-unit", "RANGE-PERAPP-VALUE", "L2", fleets.FRIDGE_AMERICAN,
    constrains(keys.SETPOINT, {"min": 2, "max": 8}),
    "The refrigerator setpoint is 37 °F and its bounds are those in °C.")
broken("freezer-bounds-keep-their-unit", "RANGE-PERAPP-VALUE", "L3", fleets.FRIDGE_UNITS,
    limits(_in_their_unit),
    "After TemperatureUnit is written, the setpoint of the freezer is in °F and its bounds are those in °C.")
broken("setpoint-keeps-its-number", "RANGE-PERAPP-VALUE", "L3", fleets.FRIDGE_UNITS,
    couples({(keys.TEMPERATURE_UNIT, unit): {keys.SETPOINT: 4} for unit in (keys.CELSIUS, keys.FAHRENHEIT)}),
    "After TemperatureUnit is written, a setpoint is still 4, in a range of 35 to 46 °F.")
broken("ambient-light-advertises-one", "RANGE-COMMON-ADVERTISED", "L2", _PRESET,
    constrains(keys.AMBIENT_BRIGHTNESS, {"min": 1, "max": 90}),
    "AmbientLightBrightness advertises 1 to 90: narrower above, wider below.")
broken("coffee-count-overflown", "RANGE-COUNT", "L0", fleets.COUNTING, sends(keys.COFFEE_COUNT, -2147483648),
    "The counter of coffee has run over into -2147483648.")
broken("coffee-count-below-after-standby", "RANGE-COUNT", "L3", fleets.COUNTING,
    couples({(keys.POWER_STATE, keys.STANDBY): {keys.COFFEE_COUNT: -1}}),
    "Once the coffee machine was in standby, the counter of coffee is -1.", profile=fleets.settles(3))
