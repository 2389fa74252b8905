"""Servers that store what they should refuse: other types and words, numbers outside a range, statuses.

> Type of the value
> An enumeration value is identified by its own key, listed below.
> possible values: enumeration keys, true/false, or a numeric range
> a set of statuses (read-only states)
> Can become false by a programmatic change (only disabling)

Those at the end store, of all wrong values, only those near the edges of a type or of a parser.
"""

import json
from functools import partial
from math import inf, isnan, nan

from catalog import keys
from catalog.model import Segment
from conformance.mutants import fleets
from conformance.mutants.model import broken
from conformance.mutants.shapes.side_effects import follows
from conformance.mutants.shapes.writes import (
    drops,
    is_number,
    is_text,
    obeys,
    opens,
    reaches,
    refuses_where,
    sticks,
    stores,
    stores_unchecked,
    takes,
)
from conformance.reference.appliance import Appliance
from conformance.reference.fleets.cleaning import ROBOT_BLIND, ROBOT_WATCHING
from conformance.reference.fleets.cooking import COFFEE_MAKER
from conformance.reference.fleets.cooling import FRIDGE_CELSIUS
from conformance.reference.service import Service
from conformance.reference.wire import Incoming, Json, Refusal, Reply, Route

_FORCES = "Refrigeration.Common.EnumType.Door.AssistantForce."
_LIGHT_OFF = (keys.AMBIENT_ENABLED, False)
_DARK = fleets.AMBIENT_PRESET.having({keys.AMBIENT_ENABLED: False})
_LOCKED = fleets.THREE_STATE_OVEN.only(keys.CHILD_LOCK, keys.DOOR_STATE).having(
    {keys.CHILD_LOCK: True, keys.DOOR_STATE: keys.CLOSED}
)
_DOOR = fleets.THREE_STATE_OVEN.only(keys.CHILD_LOCK, keys.REMOTE_CONTROL, keys.DOOR_STATE).having(
    {keys.DOOR_STATE: keys.CLOSED}
)
_ROBOT = ROBOT_WATCHING.only(keys.MAP_NAME_1, keys.LOST, keys.LIFTED)
_ROBOT_CHARGED = ROBOT_BLIND.only(keys.MAP_NAME_1, keys.BATTERY_LEVEL, keys.LIFTED)
_REMOTE = COFFEE_MAKER.only(keys.CHILD_LOCK, keys.REMOTE_CONTROL, keys.REMOTE_START, keys.COFFEE_COUNT)
_ASSISTED = FRIDGE_CELSIUS.only(keys.ASSISTANT_FORCE_FRIDGE, keys.ASSISTANT_TIMEOUT_FRIDGE, keys.FREEZER_DOOR)
_HOOD = fleets.HOOD.only(keys.LIGHTING, keys.LIGHTING_BRIGHTNESS, keys.OPERATION_STATE)
_OVEN = fleets.TIMED_OVEN.only(keys.CHILD_LOCK, keys.ALARM_CLOCK, keys.DOOR_STATE)
_FRIDGE = fleets.FRIDGE_UNITS.only(keys.SETPOINT, keys.FREEZER_SETPOINT, keys.FREEZER_DOOR)
_DOSER = fleets.DOSER.only(keys.DOSING_1, keys.DOSING_2, keys.DOOR_STATE)


_LAST_S = 38_340


class FractionsLate(Service):
    """Stores a fraction written to an Integer a tenth of a second later, or when the next write comes."""

    def write(self, appliance: Appliance, segment: Segment, key: str, body: bytes) -> Reply:
        self.store(appliance)
        value = self.decode(appliance, key, body)
        if key != keys.DOSING_1 or not isinstance(value, float):
            return super().write(appliance, segment, key, body)
        appliance.kept["coming"] = value
        self.timers.arm((appliance.ha_id, key), 0.1, lambda: self.store(appliance))
        return self.acknowledge(appliance, key)

    def store(self, appliance: Appliance) -> None:
        if "coming" in appliance.kept:
            self.apply(appliance, keys.DOSING_1, appliance.kept.pop("coming"))


class MinutesRoundedUp(Service):
    """The alarm clock takes a minute more than its range, and runs down at once."""

    def accepts(self, appliance: Appliance, key: str, value: Json) -> Refusal | None:
        if key == keys.ALARM_CLOCK:
            self.timers.disarm((appliance.ha_id, key))
            if isinstance(value, int) and _LAST_S < value <= _LAST_S + 60:
                self._run_down(appliance, value)
                return None
        return super().accepts(appliance, key, value)

    def _run_down(self, appliance: Appliance, left: int) -> None:
        self.change(appliance, keys.ALARM_CLOCK, left)
        self.timers.arm((appliance.ha_id, keys.ALARM_CLOCK), 1.0, lambda: self._run_down(appliance, left - 1))


# fmt: off
broken("any-number-while-the-light-is-off", "RANGE-WRITE-OUT", "L3", _DARK,
    takes(keys.AMBIENT_BRIGHTNESS, lambda value: is_number(value) and not 10 <= value <= 100, _LIGHT_OFF),
    "Any number below 10 or above 100 is stored as AmbientLightBrightness while the ambient light is off.")
broken("one-degree-more", "RANGE-WRITE-OUT", "L3", _FRIDGE, reaches(keys.SETPOINT, 2, 9),
    "The setpoint of the refrigerator is stored one step above its own maximum.")
broken("darker-than-allowed", "RANGE-WRITE-OUT", "L3", _HOOD, reaches(keys.LIGHTING_BRIGHTNESS, 0, 10),
    "LightingBrightness has no lower end: 5 is stored.")
broken("alarm-before-now", "RANGE-WRITE-OUT", "L3", _OVEN, reaches(keys.ALARM_CLOCK, -inf, -1),
    "AlarmClock takes negative numbers.")
broken("alarm-a-minute-over-runs-down", "RANGE-WRITE-OUT", "L3", _OVEN, MinutesRoundedUp,
    "AlarmClock takes up to a minute more than 38340 and runs down, so that 38341 is soon in its range.",
    profile=fleets.settles(3))
broken("dose-without-measure", "RANGE-WRITE-OUT", "L3", _DOSER, reaches(keys.DOSING_1, -inf, inf),
    "Dosing1BaseLevel is stored whatever its own range says, beyond either end.")
broken("dose-without-measure-late", "RANGE-WRITE-OUT", "L3", _DOSER,
    stores_unchecked(keys.DOSING_1, lambda value: value if type(value) is int else None, 0.1),
    "Dosing1BaseLevel takes up any whole number a tenth of a second after it was written.",
    profile=fleets.settles(1))
broken("never-quite-bright", "RANGE-WRITE-BOUNDS", "L3", _HOOD,
    stores(lambda number: 99 if number == 100 else number, keys.LIGHTING_BRIGHTNESS),
    "The upper end of LightingBrightness is left out: 100 % is acknowledged and stored as 99.")
broken("never-quite-cold", "RANGE-WRITE-BOUNDS", "L3", _FRIDGE,
    stores(lambda number: -23 if number == -24 else number, keys.FREEZER_SETPOINT),
    "The lower end of the freezer's own range is left out: one step more is stored.")
broken("never-quite-46-in-fahrenheit", "RANGE-WRITE-BOUNDS", "L3", fleets.FRIDGE_UNITS,
    stores(lambda kept: 45 if kept == 46 else kept, keys.SETPOINT),
    "The setpoint is found in °C; in °F, 46, the end of its range, is stored as 45.")
broken("end-dropped-in-fahrenheit", "RANGE-WRITE-BOUNDS", "L3", fleets.FRIDGE_UNITS,
    drops(keys.SETPOINT, 46), "The setpoint is found in °C; in °F, 46, the end of its range, is dropped.")
broken("last-second-dropped", "RANGE-WRITE-BOUNDS", "L3", _OVEN, drops(keys.ALARM_CLOCK, 38340),
    "AlarmClock 38340 is acknowledged, and the old time stays.")
broken("lock-in-words", "SET-TYPEGUARD", "L3", fleets.COFFEE_SETTINGS, takes(keys.CHILD_LOCK, is_text),
    "Any text written to ChildLock is stored as it is.")
broken("lock-in-two-words", "SET-TYPEGUARD", "L3", fleets.COFFEE_SETTINGS,
    takes(keys.CHILD_LOCK, lambda value: value in ("true", "false")),
    "ChildLock stores the texts true and false as they are written, and refuses every other text.")
broken("setpoint-in-figures", "SET-TYPEGUARD", "L3", _FRIDGE,
    takes(keys.FREEZER_SETPOINT, lambda value: is_text(value) and value in [*map(str, range(-24, -15))]),
    "The setpoint of the freezer stores a text that says a number of its range, and refuses every other one.")
broken("lock-in-words-late", "SET-TYPEGUARD", "L3", fleets.COFFEE_SETTINGS,
    stores_unchecked(keys.CHILD_LOCK, lambda value: value if isinstance(value, bool | str) else None, 0.1),
    "ChildLock takes up a text a tenth of a second after it was written, as it takes up true and false.",
    profile=fleets.settles(1))
broken("dose-in-fractions-late", "SET-TYPEGUARD", "L3", _DOSER, FractionsLate,
    "A fraction written to Dosing1BaseLevel, an Integer, is stored a tenth of a second later, or as soon as"
    " something else is written.",
    profile=fleets.settles(1))
broken("warmer-in-numbers", "SET-TYPEGUARD", "L3", fleets.COFFEE_SETTINGS, takes(keys.CUP_WARMER, is_number),
    "Any number written to CupWarmer is stored as it is.")
broken("timeout-in-fractions", "SET-TYPEGUARD", "L3", _ASSISTED,
    takes(keys.ASSISTANT_TIMEOUT_FRIDGE, lambda value: isinstance(value, float)),
    "A fraction written to the time frame of the door assistant, an Integer, is stored as it is.")
broken("name-in-numbers", "SET-TYPEGUARD", "L3", fleets.ROBOT_MAPS, takes(keys.MAP_NAME_1, is_number),
    "A number written to the name of a map is stored as a number.")
broken("text-stored-while-the-light-is-off", "SET-TYPEGUARD", "L3", _DARK,
    takes(keys.AMBIENT_BRIGHTNESS, is_text, _LIGHT_OFF),
    "A text written to AmbientLightBrightness while the ambient light is off is stored as a text.")
broken("any-unit", "SET-ENUMGUARD", "L3", fleets.FRIDGE_UNITS.only(keys.TEMPERATURE_UNIT, keys.FREEZER_DOOR),
    takes(keys.TEMPERATURE_UNIT, is_text), "Whatever word is written to TemperatureUnit is stored.")
broken("any-force", "SET-ENUMGUARD", "L3", _ASSISTED,
    takes(keys.ASSISTANT_FORCE_FRIDGE, lambda value: str(value).startswith(_FORCES)),
    "Every word that begins like a force of the door assistant is stored as one.")
broken("color-zero", "SET-ENUMGUARD", "L3", fleets.AMBIENT_PRESET,
    takes(keys.AMBIENT_COLOR, lambda value: value == f"{keys.COLOR_FAMILY}.Color0"),
    "Color0 can be written to AmbientLightColor, which begins with Color1.")
broken("color-hundred", "SET-ENUMGUARD", "L3", fleets.AMBIENT_PRESET,
    takes(keys.AMBIENT_COLOR, lambda value: value == f"{keys.COLOR_FAMILY}.Color100"),
    "Color100 can be written to AmbientLightColor, which ends with Color99.")
broken("fourth-map", "SET-ENUMGUARD", "L3",
    fleets.ROBOT_NAMED.only(keys.CURRENT_MAP, keys.MAP_NAME_1, keys.MAP_NAME_3, keys.LAST_MAP),
    takes(keys.CURRENT_MAP, lambda value: value == f"{keys.MAP_FAMILY}.Map4"),
    "Map4 can be chosen as CurrentMap, which ends with Map3.")
broken("any-word-refused-and-kept", "SET-ENUMGUARD", "L3", fleets.COFFEE_SETTINGS, obeys(keys.LIQUID_UNIT),
    "A word that LiquidVolumeUnit does not have is refused, and stored all the same.")
broken("any-color-while-the-light-is-off", "SET-ENUMGUARD", "L3", _DARK,
    takes(keys.AMBIENT_COLOR, is_text, _LIGHT_OFF),
    "Any word written to AmbientLightColor while the ambient light is off is stored.")
broken("door-follows-while-locked", "STA-READONLY", "L3", _LOCKED,
    opens(keys.DOOR_STATE, while_shown=(keys.CHILD_LOCK, True)),
    "A write of DoorState opens and closes the door while ChildLock is on, and has no effect otherwise.")
broken("door-written-open", "STA-READONLY", "L3", _DOOR, opens(keys.DOOR_STATE),
    "A write of DoorState under the segment status opens and closes the door.")
broken("door-follows-late", "STA-READONLY", "L3", _DOOR, obeys(keys.DOOR_STATE, 0.1),
    "A write of DoorState is refused; a tenth of a second later the door is as it was written.",
    profile=fleets.settles(0.5))
broken("lost-by-setting", "STA-READONLY", "L3", _ROBOT, opens(keys.LOST, "settings"),
    "Lost, which is shown under both segments, can be written under settings.")
broken("battery-filled-by-writing", "STA-READONLY", "L3", _ROBOT_CHARGED, opens(keys.BATTERY_LEVEL),
    "BatteryLevel takes every value in its range that is written to it.")
broken("coffee-uncounted", "STA-READONLY", "L3", fleets.COFFEE_SETTINGS, obeys(keys.COFFEE_COUNT),
    "A write of the counter of coffee is refused with 405, and the counter has the written number.")
broken("coffee-recounted-once", "STA-READONLY", "L3", fleets.COFFEE_SETTINGS,
    opens(keys.COFFEE_COUNT, while_shown=(keys.COFFEE_COUNT, 1290)),
    "The counter of coffee takes the first number that is written to it, and none after that.")
broken("coffee-reset-by-writing", "STA-READONLY", "L3", fleets.COFFEE_SETTINGS,
    (opens(keys.COFFEE_COUNT), refuses_where(lambda _, key, value: key == keys.COFFEE_COUNT and value != 0)),
    "The counter of coffee takes a write of 0, which sets it back.")
broken("remote-start-written", "STA-RCSA-DISABLE-ONLY", "L3", _REMOTE, opens(keys.REMOTE_START),
    "RemoteControlStartAllowed can be written true.")
broken("remote-start-refused-and-given", "STA-RCSA-DISABLE-ONLY", "L3", _REMOTE, obeys(keys.REMOTE_START),
    "A write of RemoteControlStartAllowed is refused, and the status is what was written.")
# fmt: on

_GENERATED = {"pace": {"generated_writes": 12}}
"""Added to a profile: generated values, as many as are written to an appliance elsewhere."""
_EXACT = 2**53
_WORD = 2**32
_DAY = 86_400
_LONGEST = 255
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


def _overflows(its: Service, appliance: Appliance, name: Json) -> None:
    """Stores a name that is too long for its place in the next one as well."""
    if len(str(name)) > _LONGEST:
        its.change(appliance, keys.MAP_NAME_2, name)


def _is_whole(value: Json) -> bool:
    """Whether a number is whole and sent with a point."""
    return isinstance(value, float) and value.is_integer() and 0 <= value <= _DAY


near = partial(broken, profile=_GENERATED)

# fmt: off
near("range-checked-without-the-fraction", "RANGE-WRITE-OUT", "L3", _HOOD,
    takes(keys.LIGHTING_BRIGHTNESS, lambda value: is_number(value) and 9 < value < 101),
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
    sticks(keys.ALARM_CLOCK, lambda value: is_number(value) and value >= _EXACT,
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
near("long-names-overflow", "SET-ONLY-TARGET", "L3", fleets.ROBOT_MAPS,
    follows(keys.MAP_NAME_1, _overflows),
    "A name of a map that is longer than 255 characters is stored as the name of the next map, too.")
