"""Odd ways not to take a wrong value: any code, no code, or a value made of it that is right.

> possible values | enumeration keys, true/false, or a numeric range | Allowed values

What counts is that the value read afterwards is allowed; it need not be the one from before.
"""

import struct
from collections.abc import Callable
from functools import partial
from typing import Any

from msgspec.structs import replace

from catalog import keys
from catalog.model import Entry
from conformance.mutants import document, fleets
from conformance.mutants.model import written
from conformance.mutants.shapes.reads import State, is_in
from conformance.mutants.shapes.states import refuses_with
from conformance.mutants.shapes.writes import coerces, is_number, takes
from conformance.reference.appliance import Appliance, OwnRange
from conformance.reference.fleets.cleaning import WASHER
from conformance.reference.fleets.cooking import COFFEE_MAKER
from conformance.reference.fleets.cooling import FRIDGE_CELSIUS, FRIDGE_FAHRENHEIT
from conformance.reference.service import Service
from conformance.reference.wire import INVALID_VALUE, MALFORMED, Json, Reply, dump

_DOSER = WASHER.only(keys.CHILD_LOCK, keys.DOSING_1, keys.DOOR_STATE)
_UNITS = COFFEE_MAKER.only(keys.LIQUID_UNIT, keys.TEMPERATURE_UNIT, keys.CUP_WARMER)
_IN_ECO = FRIDGE_CELSIUS.only(keys.ECO_MODE, keys.SETPOINT).having({keys.ECO_MODE: True})
_AMERICAN = replace(
    FRIDGE_FAHRENHEIT.only(keys.TEMPERATURE_UNIT, keys.SETPOINT),
    ranges={keys.SETPOINT: OwnRange(36, 46, 1, "°F")},
    read_only=frozenset({keys.TEMPERATURE_UNIT}),
)
_TRUE_WORDS = frozenset({"yes", "true", "on", "1"})
_LONGEST = 32
_WRONG = (INVALID_VALUE, MALFORMED)

written = partial(written, profile_extras={"pace": {"generated_writes": 40}})


def _converts(of: str, *taken: type, made: Callable[[Any], Json]) -> type[Service]:
    """What entries of a data type are sent as one of some Python types is converted."""
    return coerces(
        lambda _its, _appliance, entry, value: (
            made(value) if entry.type == of and isinstance(value, taken) else value
        )
    )


def _number(_its: Service, _appliance: Appliance, entry: Entry, value: Json) -> Json:
    if not entry.is_numeric or not isinstance(value, str):
        return value
    try:
        return int(value) if entry.type == "Integer" else float(value)
    except ValueError:
        return value


def _clamped(its: Service, appliance: Appliance, entry: Entry, value: Json) -> Json:
    bounds = its.bounds(appliance, entry)
    if bounds is None or not isinstance(value, int | float) or not its.fits_type(entry, value):
        return value
    return min(max(value, bounds.min), bounds.max)


def _clamped_in_the_dark(its: Service, appliance: Appliance, entry: Entry, value: Json) -> Json:
    is_off = entry.key == keys.AMBIENT_BRIGHTNESS and appliance.values[keys.AMBIENT_ENABLED] is False
    return _clamped(its, appliance, entry, value) if is_off else value


def _rounded(its: Service, appliance: Appliance, entry: Entry, value: Json) -> Json:
    bounds = its.bounds(appliance, entry)
    if bounds is None or not isinstance(value, float) or not its.fits_type(entry, value):
        return value
    return bounds.on_step(value)


def _single(its: Service, appliance: Appliance, entry: Entry, value: Json) -> Json:
    kept = its.bounds(appliance, entry)
    in_range = isinstance(value, float) and kept is not None and kept.contains(value)
    return struct.unpack("f", struct.pack("f", value))[0] if in_range else value


def _member(its: Service, appliance: Appliance, entry: Entry, value: Json) -> Json:
    unknown = isinstance(value, str) and not its.is_member(appliance, entry, value)
    return its.allowed(appliance, entry)[0] if unknown else value


def _whole(its: Service, appliance: Appliance, entry: Entry, value: Json) -> Json:
    if entry.type != "Enumeration" or not isinstance(value, str):
        return value
    known = {name.rpartition(".")[2].casefold(): name for name in its.allowed(appliance, entry)}
    return known.get(value.rpartition(".")[2].casefold(), value)


def _ends_at(most: float, end: float, state: State | None = None) -> tuple[type[Service], ...]:
    """A setpoint beyond `most` is set to `end` and kept so, always or in a state."""

    def made(_its: Service, appliance: Appliance, entry: Entry, value: Json) -> Json:
        is_beyond = entry.key == keys.SETPOINT and is_number(value) and value > most
        return end if is_beyond and is_in(state, appliance) else value

    return KeptAsSent, coerces(made), takes(keys.SETPOINT, lambda value: value == end)


class KeptAsSent(Service):
    def normal(self, appliance: Appliance, key: str, value: Json) -> Json:
        return value


# fmt: off
written(refuses_with(Reply(204, media_type=None), *_WRONG), "wrong-values-ignored",
    "RANGE-WRITE-OUT", "A value of the wrong type or beyond the range is answered 204 and ignored.",
    fleet=fleets.FRIDGE_SETPOINTS, allowed=document.BEYOND)
written(refuses_with(Reply(200, dump({"data": {"written": True}})), *_WRONG), "unknown-values-ignored",
    "SET-ENUMGUARD", "A value outside the enumeration is answered 200, called written, and ignored.",
    fleet=_UNITS, allowed=document.ENUM_KEY)
written(refuses_with(Reply(500, b"<html><body>Internal Server Error</body></html>", "text/html"), *_WRONG),
    "wrong-values-fail", "SET-TYPEGUARD", "A wrong value ends in an exception: 500 in HTML.",
    fleet=fleets.OVEN_ALARM, allowed=document.ERRORS)
written(refuses_with(Reply(200, drop=True), *_WRONG), "wrong-values-hang-up", "SET-TYPEGUARD",
    "A wrong value ends the connection.", fleet=fleets.LAMP, allowed=document.TRANSPORT)
written(refuses_with(Reply(404, dump({"error": {"key": "404"}})), *_WRONG), "wrong-values-not-found",
    "SET-ENUMGUARD", "A wrong value is answered 404, as if the setting were not there, which it still is.",
    fleet=fleets.AMBIENT, allowed=document.ERRORS)
written(_converts("Integer", float, made=lambda number: int(number) if abs(number) < 2**53 else number),
    "fractions-cut", "SET-TYPEGUARD",
    "An Integer that is sent 5.4 becomes 5.", fleet=(fleets.OVEN_ALARM, _DOSER), allowed=document.STEPS)
written(_converts("Boolean", str, made=lambda word: word.casefold() in _TRUE_WORDS), "words-become-booleans",
    "SET-TYPEGUARD", 'A Boolean that is sent "yes" becomes true, and false for any other text.',
    fleet=fleets.OVEN_ALARM, allowed=document.TAKES_MORE)
written(_converts("Boolean", int, float, made=bool), "numbers-become-booleans", "SET-TYPEGUARD",
    "A Boolean that is sent 1 becomes true, and false for 0.", fleet=fleets.OVEN_ALARM,
    allowed=document.TAKES_MORE)
written(_converts("Integer", bool, made=int), "booleans-become-numbers", "SET-TYPEGUARD",
    "An AlarmClock that is sent true is set to 1 second.", fleet=fleets.OVEN_ALARM,
    allowed=document.TAKES_MORE)
written(_converts("String", object, made=lambda value: None if value is None else str(value)),
    "anything-becomes-text", "SET-TYPEGUARD", 'A map that is named 17 or true is called "17" or "True".',
    fleet=fleets.ROBOT_THREE_MAPS, allowed=document.MAP_NAMES)
written(coerces(_number), "texts-become-numbers", "SET-TYPEGUARD",
    'The text "5" is taken as the number 5, by Integers and Doubles.',
    fleet=(fleets.OVEN_ALARM, fleets.FRIDGE_SETPOINTS), allowed=document.TAKES_MORE)
written(coerces(lambda _, its, entry, value: its.spec.values[entry.key] if value is None else value),
    "null-restores-the-first-value", "SET-TYPEGUARD",
    "A setting that is sent null goes back to what the appliance left the factory with.",
    fleet=(fleets.OVEN_ALARM, replace(fleets.FRIDGE_UNITS, ha_id="fridge-units")),
    allowed=document.TAKES_MORE)
written(coerces(_clamped), "numbers-clamped", "RANGE-WRITE-OUT",
    "A number beyond its range ends at the nearest end.", fleet=(fleets.FRIDGE_SETPOINTS, fleets.OVEN_ALARM),
    allowed=document.BEYOND)
written(coerces(_clamped_in_the_dark), "clamped-while-the-light-is-off", "RANGE-WRITE-OUT",
    "A number written to AmbientLightBrightness while the light is off ends at the nearest end.",
    fleet=fleets.AMBIENT_PRESET.having({keys.AMBIENT_ENABLED: False}), allowed=document.LIGHT)
written(coerces(lambda it, its, entry, value: value if it.is_within(its, entry, value) else
        its.spec.values[entry.key]), "numbers-beyond-take-the-first", "RANGE-WRITE-OUT",
    "A number beyond its range sets what the appliance left the factory with.", fleet=(fleets.LAMP, _DOSER),
    allowed=document.BEYOND)
written(_ends_at(8, 10, (keys.ECO_MODE, True)), "numbers-beyond-end-with-the-mode", "RANGE-WRITE-OUT",
    "While EcoMode is on, a setpoint beyond 8 ends at 10, the warmest of that mode.", fleet=_IN_ECO,
    allowed=document.ECO)
written(_ends_at(46, 46.4), "numbers-clamped-in-celsius", "RANGE-WRITE-OUT",
    "A setpoint beyond 46 °F ends at 8 °C, which is shown as 46.4 °F, in a range to 46 of step 1.",
    fleet=_AMERICAN, allowed=document.STEPS,
    disputed="line 23: a range has the allowed values, and 46.4 is not in it")
written(coerces(_rounded), "numbers-rounded-before-judged", "RANGE-WRITE-OUT",
    "A setpoint of 8.4 is taken where 8 is the most, because it is rounded to 8 first.",
    fleet=fleets.FRIDGE_SETPOINTS, allowed=document.STEPS)
written((KeptAsSent, coerces(_single)), "doubles-in-single-precision", "RANGE-WRITE-OUT",
    "A Double is kept in single precision and off the grid of its steps, as is -0.0.",
    fleet=(fleets.LAMP, fleets.FRIDGE_SETPOINTS), allowed=document.NUMBERS)
written(_converts("String", str, made=lambda name: name[:_LONGEST].encode(errors="replace").decode()),
    "names-cut", "SET-TYPEGUARD",
    "A name of a map is cut after 32 characters, and what no encoding can carry becomes a question mark.",
    fleet=fleets.ROBOT_THREE_MAPS, allowed=document.MAP_NAMES)
written(coerces(lambda _it, _its, _, value: value[0] if isinstance(value,
    list) and len(value) == 1 else value),
    "lists-of-one-opened", "SET-TYPEGUARD", "A list of one value is taken for that value.",
    fleet=(fleets.OVEN_ALARM, _UNITS), allowed=document.TAKES_MORE)
written(coerces(_member), "unknown-values-take-the-first", "SET-ENUMGUARD",
    "An enumeration that is sent what it does not know becomes the first of its values.",
    fleet=(_UNITS, fleets.ROBOT_THREE_MAPS), allowed=document.ENUM_KEY)
written(coerces(_whole), "short-names-taken", "SET-ENUMGUARD",
    "An enumeration takes the last part of a value, in capitals or not, and shows the whole of it.",
    fleet=_UNITS, allowed=document.ENUM_KEY)
