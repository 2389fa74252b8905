"""Odd ranges and units, and numbers and texts that are not kept as they were sent.

> For settings without a common value range, the range is obtained by requesting the specific setting.

Ranges are unlike the examples, narrower than the common ones, in the other unit, or not told. Steps have no
line of their own. Some answers show one; where none is shown, the ends and the value that is found lie on the
grid.
"""

import math
from collections.abc import Mapping

from msgspec.structs import replace

from catalog import keys
from catalog.model import Entry
from conformance.mutants import document, fleets
from conformance.mutants.model import odd, written
from conformance.mutants.shapes.reads import constrains, limits, measures_as, shows
from conformance.mutants.shapes.states import Unsaid
from conformance.mutants.shapes.writes import refuses_where, stores
from conformance.reference.appliance import Appliance, ApplianceSpec, OwnRange
from conformance.reference.fleets.cooling import WINE_CABINET
from conformance.reference.service import Service
from conformance.reference.wire import Json


def _ranged(spec: ApplianceSpec, ranges: Mapping[str, OwnRange]) -> ApplianceSpec:
    return replace(spec, ranges={**spec.ranges, **ranges})


_OUNCES = "Vendor.Common.EnumType.LiquidVolumeUnit.FluidOunces"
_UNLIKE = (
    _ranged(
        fleets.FRIDGE_UNITLESS,
        {keys.SETPOINT: OwnRange(1, 9, 0.5, "°C"), keys.FREEZER_SETPOINT: OwnRange(-30, -15, 1, "°C")},
    ).having({keys.SETPOINT: 8.5, keys.FREEZER_SETPOINT: -29}),
    _ranged(
        fleets.DOSER, {keys.DOSING_1: OwnRange(10, 400, 1, "ml"), keys.DOSING_2: OwnRange(0, 1000, 10, "ml")}
    ).having({keys.DOSING_1: 399, keys.DOSING_2: 0}),
    fleets.FRIDGE_AMERICAN.having({keys.SETPOINT: 33}),
)
_BOTTLE_COOLER = replace(
    WINE_CABINET.only(keys.BOTTLE_COOLER_SETPOINT),
    values={keys.TEMPERATURE_UNIT: keys.FAHRENHEIT, keys.BOTTLE_COOLER_SETPOINT: 44},
    ranges={keys.BOTTLE_COOLER_SETPOINT: OwnRange(28, 46, 1, "°F")},
    elsewhere={keys.BOTTLE_COOLER_SETPOINT: OwnRange(-1, 3, 1, "°C")},
)
_PRESET = fleets.MACHINE_LIT.only(keys.POWER_STATE, keys.AMBIENT_BRIGHTNESS).having(
    {keys.AMBIENT_COLOR: keys.COLOR_1}
)
_NARROW = (
    _ranged(fleets.HOOD, {keys.LIGHTING_BRIGHTNESS: OwnRange(20, 100, 10)}),
    _ranged(fleets.FRIDGE_EQUIPPED, {keys.INTERNAL_BRIGHTNESS: OwnRange(25, 75, 5)}),
    _ranged(fleets.TIMED_OVEN, {keys.ALARM_CLOCK: OwnRange(0, 35940, 60)}),
    _ranged(_PRESET, {keys.AMBIENT_BRIGHTNESS: OwnRange(10, 90, 10)}),
)
_FIXED = replace(fleets.FRIDGE_UNITLESS, read_only=fleets.FRIDGE_UNITLESS.read_only | {keys.SETPOINT})
_COARSE = replace(
    fleets.FRIDGE_SETPOINTS,
    ranges={keys.SETPOINT: OwnRange(2, 8, 2, "°C"), keys.FREEZER_SETPOINT: OwnRange(-24, -16, 4, "°C")},
).having({keys.FREEZER_SETPOINT: -20})
_MINUTES = replace(fleets.OVEN_ALARM, ranges={keys.ALARM_CLOCK: OwnRange(0, 38340, 60)})
_FIVE_MINUTES = replace(fleets.OVEN_ALARM, ranges={keys.ALARM_CLOCK: OwnRange(0, 38340, 300)})
_AMERICAN = replace(
    fleets.FRIDGE_SETPOINTS,
    values={keys.TEMPERATURE_UNIT: keys.FAHRENHEIT, keys.SETPOINT: 39, keys.FREEZER_SETPOINT: 0},
    ranges={keys.SETPOINT: OwnRange(36, 46, 1, "°F"), keys.FREEZER_SETPOINT: OwnRange(-11, 3, 1, "°F")},
    elsewhere={},
    read_only=frozenset({keys.TEMPERATURE_UNIT}),
)
_IN_WORDS = {"°C": "deg C", "°F": "DEGF", "seconds": "sec.", "%": "Percent", "ml": "milli_liters"}
_AS_KEYS = {
    "°C": keys.CELSIUS,
    "°F": keys.FAHRENHEIT,
    "ml": "Vendor.Common.EnumType.LiquidVolumeUnit.MilliLiter",
}


def _words(words: Mapping[str, str] | Mapping[str, None]) -> type[Service]:
    """Some units of the reference are worded in another way, or not at all."""
    return measures_as(lambda _its, _entry, unit: None if unit is None else words.get(unit, unit))


class Floored(Service):
    """Numbers that are off the grid go down to it."""

    def normal(self, appliance: Appliance, key: str, value: Json) -> Json:
        bounds = self.bounds(appliance, self.entries[key])
        if bounds is None or isinstance(value, bool) or not isinstance(value, int | float):
            return super().normal(appliance, key, value)
        return int(bounds.min + math.floor((value - bounds.min) / bounds.step) * bounds.step)


def _takes_only(on: str, numbers: tuple[int, ...]) -> type[Service]:
    return refuses_where(lambda _, key, value: key == on and value not in numbers)


def _lists(on: str, numbers: tuple[int, ...]) -> tuple[type[Service], ...]:
    """A key takes some numbers of its range alone, and its answer lists them."""
    return constrains(on, {"allowedvalues": list(numbers)}), _takes_only(on, numbers)


def _unit_of_water(appliance: Appliance, entry: Entry, unit: str | None) -> str | None:
    in_ounces = entry.key == keys.HOT_WATER and appliance.values[keys.LIQUID_UNIT] == _OUNCES
    return "fl.oz" if in_ounces else unit


# fmt: off
odd(Service, "ranges-unlike-the-examples", "RANGE-EXAMPLES",
    "Own ranges and values lie outside every example of the document.", fleet=_UNLIKE,
    allowed=document.EXAMPLES)
odd(Service, "ranges-not-converted", "UNIT-TEMP-APPLIES",
    "The bottle cooler goes from 28 to 46 °F where the same in °C is said to be -1 to 3.",
    fleet=_BOTTLE_COOLER, allowed=document.UNIT_MOVES)
odd(Service, "range-of-one-value", "RANGE-PERAPP-WELLFORMED",
    "The refrigerator setpoint goes from 4 to 4 and cannot be written.",
    fleet=_ranged(_FIXED, {keys.SETPOINT: OwnRange(4, 4, 1, "°C")}), allowed=document.OWN_RANGE)
odd(Service, "setpoint-rounded-beyond", "RANGE-PERAPP-VALUE",
    "The refrigerator setpoint is 8.4 in a range to 8 of step 1, as a finer thermometer rounds, and cannot "
    "be written.", fleet=_FIXED.having({keys.SETPOINT: 8.4}), allowed=document.STEPS,
    disputed="line 23: a range has the allowed values, and 8.4 is not in it")
odd(Service, "setpoint-of-binary-fractions", "RANGE-PERAPP-VALUE",
    "The refrigerator setpoint is 8.000000000000002, as sums of tenths are, and cannot be written.",
    fleet=_FIXED.having({keys.SETPOINT: 8.000000000000002}), allowed=document.NUMBERS,
    disputed="line 23: a range has the allowed values, and this is beyond it")
odd(Service, "common-ranges-narrower", "RANGE-COMMON-ADVERTISED",
    "Lights and clock show narrower ranges than the common ones.", fleet=_NARROW,
    allowed=document.ALLOWED_VALUES)
written(_lists(keys.SETPOINT, (3, 4, 6, 7)), "setpoints-of-a-list", "SET-WRITABLE",
    "The setpoint of a refrigerator with a range of 2 to 8 takes 3, 4, 6 and 7 alone, which it lists.",
    fleet=fleets.FRIDGE_SETPOINTS, allowed=document.OWN_RANGE)
odd(_words(_IN_WORDS), "units-in-words", "UNIT-SECONDS",
    "Units are words: deg C, Percent, sec., milli_liters.",
    fleet=(fleets.FRIDGE, fleets.FRIDGE_AMERICAN, fleets.TIMED_OVEN, fleets.HOOD, fleets.DOSER,
        fleets.COUNTING), allowed=document.UNIT_WORDS)
odd(_words(_AS_KEYS), "units-as-keys", "UNIT-TEMP-APPLIES",
    "Units are the enumeration values of the unit settings.",
    fleet=(fleets.FRIDGE, fleets.FRIDGE_AMERICAN, fleets.DOSER), allowed=document.UNIT_WORDS)
odd(_words(dict.fromkeys(_IN_WORDS)), "units-untold", "UNIT-PERCENT", "No answer names a unit.",
    fleet=(fleets.FRIDGE, fleets.TIMED_OVEN, fleets.HOOD, fleets.DOSER, fleets.COUNTING),
    allowed=document.UNIT_WORDS)
written(Service, "setpoints-in-coarse-steps", "SET-WRITABLE",
    "Setpoints go in steps of two and four degrees, as their answers show.", fleet=_COARSE,
    allowed=document.STEPS)
written(Unsaid, "setpoints-in-untold-steps", "SET-WRITABLE",
    "Setpoints go in steps of two and four degrees, and no answer shows a step.", fleet=_COARSE,
    members=("stepsize",), allowed=document.STEPS)
written(Service, "alarm-clock-in-minutes", "SET-WRITABLE",
    "AlarmClock goes in steps of a minute, as its answer shows.", fleet=_MINUTES, allowed=document.STEPS)
written(Unsaid, "alarm-clock-in-untold-minutes", "RANGE-WRITE-BOUNDS",
    "AlarmClock goes in steps of a minute, and its answer shows no step.", fleet=_MINUTES,
    members=("stepsize",), allowed=document.STEPS)
written(Service, "percent-in-steps-of-five", "HOOD-PERCENT-APPLIES",
    "The percent setting of the colour temperature goes in steps of five, as its answer shows.",
    fleet=replace(fleets.LAMP, ranges={keys.COLOR_PERCENT: OwnRange(0, 100, 5)}), allowed=document.STEPS)
written(Floored, "setpoints-cut-down", "SET-WRITABLE", "A setpoint of 4.9 becomes 4.",
    fleet=fleets.FRIDGE_SETPOINTS, allowed=document.STEPS)
written(Floored, "alarm-clock-cut-to-five-minutes", "RANGE-WRITE-BOUNDS",
    "AlarmClock goes in steps of five minutes, which 38340 is none of, so that it ends at 38100.",
    fleet=_FIVE_MINUTES, allowed=document.STEPS)
written((Floored, Unsaid), "alarm-clock-cut-to-untold-minutes", "RANGE-WRITE-BOUNDS",
    "AlarmClock goes in steps of five minutes, which no answer shows, so that 38340 ends at 38100.",
    fleet=_FIVE_MINUTES, members=("stepsize",), allowed=document.STEPS)
written((_takes_only(keys.INTERNAL_BRIGHTNESS, (0, 50, 100)), Unsaid), "brightness-in-untold-halves",
    "SET-WRITABLE", "The light of a refrigerator takes 0, 50 and 100 % alone, and no answer says so.",
    fleet=fleets.FRIDGE_LIGHT.having({keys.INTERNAL_BRIGHTNESS: 50}), members=("stepsize",),
    allowed=document.STEPS)
written((stores(lambda kept: min(7, kept) if isinstance(kept, int | float) else kept, keys.SETPOINT), Unsaid),
    "coldest-from-afar", "RANGE-WRITE-BOUNDS",
    "A setpoint goes to 8 by hand and to 7 from afar; the profile does not call it writable.",
    fleet=fleets.FRIDGE_SETPOINTS, unwritable=(keys.SETPOINT,), allowed=document.ALLOWED_VALUES,
    disputed="line 23: a range has the allowed values, and 8 is one of them")
odd(limits(lambda _, entry, own: {"access": own["access"]} if entry.range else own), "common-ranges-untold",
    "RANGE-COMMON-ADVERTISED",
    "Answers show no bounds where a common range is stated, and own ranges all the same.",
    fleet=(fleets.HOOD, fleets.FRIDGE, fleets.TIMED_OVEN, fleets.ROBOT), allowed=document.FIELDS)
odd((measures_as(_unit_of_water), shows(lambda counted: round(float(str(counted)) / 29.5735), keys.HOT_WATER,
        state=(keys.LIQUID_UNIT, _OUNCES))), "hot-water-in-ounces", "UNIT-HOTWATER",
    "The hot water counter is shown in fl.oz while LiquidVolumeUnit says so.",
    fleet=fleets.COUNTING.having({keys.LIQUID_UNIT: _OUNCES}), allowed=document.HOT_WATER,
    disputed="line 99 says ml")
written(measures_as(_unit_of_water), "hot-water-follows-its-unit", "UNIT-HOTWATER",
    "Once LiquidVolumeUnit is written to FluidOunces, the hot water counter is shown in fl.oz.",
    fleet=fleets.COUNTING, allowed=document.HOT_WATER, disputed="line 99 says ml")
written(shows(lambda shown: shown + 1e-9 if isinstance(shown, int | float) else shown, keys.SETPOINT,
        keys.FREEZER_SETPOINT), "setpoints-a-hair-off", "SET-WRITABLE",
    "Setpoints read a billionth more than they were set to: 4.000000001.", fleet=fleets.FRIDGE_SETPOINTS,
    allowed=document.NUMBERS)
written((stores(lambda kept: round(round((float(str(kept)) - 32) * 5 / 9) * 9 / 5 + 32), keys.SETPOINT,
        keys.FREEZER_SETPOINT), Unsaid), "fahrenheit-rounded",
    "SET-WRITABLE",
    "Setpoints in °F are kept in whole °C, so that 40 becomes 39 and the ends stay; no step is shown.",
    fleet=_AMERICAN, members=("stepsize",), allowed=document.UNIT_MOVES)
written(stores(lambda kept: round(round((float(str(kept)) - 32) * 5 / 9) * 9 / 5 + 32)
        if isinstance(kept, int) and kept > 20 else kept, keys.SETPOINT), "celsius-kept-in-fahrenheit",
    "SET-WRITABLE",
    "The setpoint is found in °C; in °F it is kept in whole °C, too, so that 40 becomes 39 and 46 stays.",
    fleet=fleets.FRIDGE_UNITS, allowed=document.UNIT_MOVES)
written(stores(lambda kept: round(math.ceil(float(str(kept)) * 2.55) / 2.55, 1), keys.LIGHTING_BRIGHTNESS),
    "brightness-of-eight-bits", "RANGE-WRITE-BOUNDS",
    "LightingBrightness is kept in 255ths: 10 reads 10.2, and 80 reads 80.", fleet=fleets.LAMP,
    allowed=document.STEPS)
written(stores(lambda kept: str(kept).upper(), keys.CUSTOM_COLOR), "custom-color-in-capitals",
    "AMB-CUSTOM-SETTABLE", "A custom colour is kept in capitals: #4a88f8 reads #4A88F8.",
    fleet=fleets.AMBIENT.having({keys.CUSTOM_COLOR: "#E0FFFF"}), allowed=document.CUSTOM_COLOR)
written(stores(lambda kept: str(kept).removeprefix("#"), keys.CUSTOM_COLOR), "custom-color-without-its-sign",
    "AMB-CUSTOM-SETTABLE", "A custom colour is kept without the number sign: #4a88f8 reads 4a88f8.",
    fleet=fleets.AMBIENT.having({keys.CUSTOM_COLOR: "e0ffff"}), allowed=document.CUSTOM_COLOR)
written(stores(lambda kept: str(kept)[:8], *keys.MAP_NAMES), "map-names-cut-short", "SET-WRITABLE",
    "A map has room for eight letters of its name.", fleet=fleets.ROBOT_THREE_MAPS,
    allowed=document.MAP_NAMES)
