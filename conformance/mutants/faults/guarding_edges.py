"""Servers that store, of all wrong values, only those near the edges of a type or of a parser.

> An enumeration value is identified by its own key, listed below.
> possible values: enumeration keys, true/false, or a numeric range
"""

import json
from functools import partial
from math import inf, isnan, nan
from types import MappingProxyType

from catalog import keys
from conformance.mutants import fleets
from conformance.mutants.model import broken
from conformance.mutants.shapes.writes import is_number, sticks, stores, stores_unchecked, takes
from conformance.reference.appliance import Appliance
from conformance.reference.service import Service
from conformance.reference.wire import Incoming, Json, Reply, Route

_HOOD = fleets.HOOD.only(keys.LIGHTING, keys.LIGHTING_BRIGHTNESS, keys.OPERATION_STATE)
_OVEN = fleets.TIMED_OVEN.only(keys.CHILD_LOCK, keys.ALARM_CLOCK, keys.DOOR_STATE)
_FRIDGE = fleets.FRIDGE_UNITS.only(keys.SETPOINT, keys.FREEZER_SETPOINT, keys.FREEZER_DOOR)
_GENERATED = MappingProxyType({"pace": {"generated_writes": 12}})
"""Added to a profile: generated values, as many as are written to an appliance elsewhere."""
_EXACT = 2**53
_WORD = 2**32
_DAY = 86_400
_LONGEST = 255
_NAME = "a" * (_LONGEST + 1)
_UNIT = "Vendor.Common.EnumType.LiquidVolumeUnit."
_IN_SMALL_LETTERS = f"{_UNIT}FluidOunces".lower()


def _makes_nan(on: str, *values: Json) -> type[Service]:
    """Some values become NaN, which lies beyond no end of a range, and are sent as that."""

    class MakesNan(Service):
        def visit(self, request: Incoming, appliance: Appliance, route: Route) -> Reply:
            if route.key != on:
                return super().visit(request, appliance, route)
            if request.method == "PUT" and self.decode(appliance, on, request.body) in values:
                self.apply(appliance, on, nan)
                return self.acknowledge(appliance, on)
            if request.method == "GET" and isnan(float(str(appliance.values[on]))):
                members = self.body(appliance, "settings", self.entries[on], nan)
                return Reply(200, json.dumps(self.wrap(members)).encode())
            return super().visit(request, appliance, route)

    return MakesNan


def _rounded(value: Json) -> Json:
    """A whole number that no double holds exactly, as a double holds it; None for any other value."""
    return int(float(value)) if isinstance(value, int) and abs(value) > _EXACT else None


class LongNamesOverflow(Service):
    """Stores a name that is too long for its place in the next one as well."""

    def apply(self, appliance: Appliance, key: str, value: Json) -> None:
        super().apply(appliance, key, value)
        if key == keys.MAP_NAME_1 and isinstance(value, str) and len(value) > _LONGEST:
            super().apply(appliance, keys.MAP_NAME_2, value)


def _is_whole(value: Json) -> bool:
    """Whether a number is whole and sent with a point."""
    return isinstance(value, float) and value.is_integer() and 0 <= value <= _DAY


near = partial(broken, profile=_GENERATED)

# fmt: off
near("range-checked-without-the-fraction", "RANGE-WRITE-OUT", "L3", _HOOD,
    takes(keys.LIGHTING_BRIGHTNESS, lambda value: is_number(value) and 9 < float(str(value)) < 101),
    "LightingBrightness is checked against its range without its fraction: 100.75 is kept as 101.")
near("digits-become-a-number", "SET-TYPEGUARD", "L3", fleets.ROBOT_MAPS,
    stores(lambda text: int(text) if isinstance(text, str) and text.isdecimal() else text, keys.MAP_NAME_1),
    "A name of digits alone is stored as a number.")
near("large-numbers-rounded", "RANGE-WRITE-OUT", "L3", _OVEN, stores_unchecked(keys.ALARM_CLOCK, _rounded),
    "A whole number beyond 2^53 is rounded to a double and stored in AlarmClock, whatever its range.")
near("numbers-checked-in-a-word", "RANGE-WRITE-OUT", "L3", _OVEN,
    takes(keys.ALARM_CLOCK, lambda value: isinstance(value, int) and _WORD <= value < _WORD + _DAY),
    "The range of AlarmClock is checked on the lower 32 bits of a number that is stored as a whole.")
near("large-number-sticks", "RANGE-WRITE-OUT", "L3", _OVEN,
    sticks(keys.ALARM_CLOCK, lambda value: is_number(value) and float(str(value)) >= _EXACT,
        (keys.CHILD_LOCK, False)),
    "A number from 2^53 on is stored in AlarmClock, and nothing is taken after that.")
near("large-exponents-are-nan", "SET-TYPEGUARD", "L3", _FRIDGE, _makes_nan(keys.SETPOINT, inf, -inf),
    "A number too large for a double, 1e400, becomes NaN and is stored.")
near("texts-become-nan", "SET-TYPEGUARD", "L3", _FRIDGE, _makes_nan(keys.SETPOINT, "NaN"),
    'The text "NaN" is taken for the number that it spells, and stored.')
near("whole-numbers-with-a-point-as-text", "SET-TYPEGUARD", "L3", _OVEN,
    stores_unchecked(keys.ALARM_CLOCK, lambda value: str(value) if _is_whole(value) else None),
    "A number that is sent with a point, 60.0, is stored in AlarmClock as a text.")
near("lists-of-one-kept", "SET-TYPEGUARD", "L3", fleets.COFFEE_SETTINGS,
    takes(keys.CUP_WARMER, lambda value: isinstance(value, list)),
    "A list with one value written to CupWarmer is stored as a list.")
near("words-in-any-case-kept", "SET-ENUMGUARD", "L3", fleets.COFFEE_SETTINGS,
    takes(keys.LIQUID_UNIT, lambda value: value == _IN_SMALL_LETTERS),
    "A value of LiquidVolumeUnit in small letters is taken, and stored as it was spelled.")
near("long-names-overflow", "SET-ONLY-TARGET", "L3", fleets.ROBOT_MAPS, LongNamesOverflow,
    "A name of a map that is longer than 255 characters is stored as the name of the next map, too.")
