"""Servers that store, of all wrong values, only those near the edges of a type or of a parser.

> data type is the type of the value
> possible values: enumeration keys, true/false, or a numeric range
"""

from __future__ import annotations

import json
from functools import partial
from math import inf, isnan, nan
from types import MappingProxyType
from typing import TYPE_CHECKING

from catalog import keys
from conformance.mutants import fleets
from conformance.mutants.model import Symptom, add_mutant
from conformance.mutants.shapes.writes import takes
from conformance.reference.service import Service
from conformance.reference.wire import Reply

if TYPE_CHECKING:
    from collections.abc import Callable

    from catalog.model import Segment
    from conformance.reference.appliance import Appliance
    from conformance.reference.wire import Incoming, Json, Route

_GENERATED = MappingProxyType({"pace": {"generated_writes": 120}})
"""Added to a profile: generated values, all that there are."""
_EXACT = 2**53
_WORD = 2**32
_DAY = 86_400
_LONGEST = 255
_NAME = "a" * (_LONGEST + 1)
_UNIT = "Vendor.Common.EnumType.LiquidVolumeUnit."
_IN_SMALL_LETTERS = f"{_UNIT}FluidOunces".lower()
_OVEN = fleets.TIMED_OVEN.only(keys.CHILD_LOCK, keys.ALARM_CLOCK, keys.DOOR_STATE)
_FRIDGE = fleets.FRIDGE_UNITS.only(keys.SETPOINT, keys.FREEZER_SETPOINT, keys.FREEZER_DOOR)


def _stores_unchecked(on: str, made: Callable[[Json], Json]) -> type[Service]:
    """A value of which the function makes anything is stored as that, whatever type and range say."""

    class StoresUnchecked(Service):
        def write(self, appliance: Appliance, segment: Segment, key: str, body: bytes) -> Reply:
            stored = made(self.decode(appliance, key, body)) if key == on else None
            if stored is None:
                return super().write(appliance, segment, key, body)
            self.apply(appliance, key, stored)
            return self.acknowledge(appliance, key)

    return StoresUnchecked


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


broken = partial(add_mutant, __name__, profile=_GENERATED)

# fmt: off
broken("large-numbers-rounded", "RANGE-WRITE-OUT", "L3", _OVEN, _stores_unchecked(keys.ALARM_CLOCK, _rounded),
    "A whole number beyond 2^53 is rounded to a double and stored in AlarmClock, whatever its range.",
    shows=Symptom("AlarmClock=9007199254740993", 9007199254740992, 0))
broken("numbers-checked-in-a-word", "RANGE-WRITE-OUT", "L3", _OVEN,
    takes(keys.ALARM_CLOCK, lambda value: isinstance(value, int) and _WORD <= value < _WORD + _DAY),
    "The range of AlarmClock is checked on the lower 32 bits of a number that is stored as a whole.",
    shows=Symptom("AlarmClock=4294967301", 4294967301, 0))
broken("large-exponents-are-nan", "SET-TYPEGUARD", "L3", _FRIDGE, _makes_nan(keys.SETPOINT, inf, -inf),
    "A number too large for a double, 1e400, becomes NaN and is stored.",
    shows=Symptom("SetpointTemperatureRefrigerator=1e400", nan, 4))
broken("texts-become-nan", "SET-TYPEGUARD", "L3", _FRIDGE, _makes_nan(keys.SETPOINT, "NaN"),
    'The text "NaN" is taken for the number that it spells, and stored.',
    shows=Symptom('SetpointTemperatureRefrigerator="NaN"', nan, 4))
broken("whole-numbers-with-a-point-as-text", "SET-TYPEGUARD", "L3", _OVEN,
    _stores_unchecked(keys.ALARM_CLOCK, lambda value: str(value) if _is_whole(value) else None),
    "A number that is sent with a point, 60.0, is stored in AlarmClock as a text.",
    shows=Symptom("AlarmClock=60.0", "60.0", 60))
broken("lists-of-one-kept", "SET-TYPEGUARD", "L3", fleets.COFFEE_SETTINGS,
    takes(keys.CUP_WARMER, lambda value: isinstance(value, list)),
    "A list with one value written to CupWarmer is stored as a list.",
    shows=Symptom("CupWarmer=[true]", [True], True))
broken("words-in-any-case-kept", "SET-ENUMGUARD", "L3", fleets.COFFEE_SETTINGS,
    takes(keys.LIQUID_UNIT, lambda value: value == _IN_SMALL_LETTERS),
    "A value of LiquidVolumeUnit in small letters is taken, and stored as it was spelled.",
    shows=Symptom(f'LiquidVolumeUnit="{_IN_SMALL_LETTERS}"', "fluidounces", "MilliLiter"))
broken("long-names-overflow", "SET-ONLY-TARGET", "L3", fleets.ROBOT_MAPS, LongNamesOverflow,
    "A name of a map that is longer than 255 characters is stored as the name of the next map, too.",
    shows=Symptom(f'NameOfMap1="{_NAME}"', _NAME, "Upstairs", "NameOfMap2"))
# fmt: on
