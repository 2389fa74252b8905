"""Settings that move others: units, maps, lights, cooling modes, and what a person would expect of them.

> A setting describes a property of the appliance.

Power, modes, lights, maps with their names and units with temperatures belong together; nothing says how far.
What a cooling mode does to its compartment may show on the setpoint or not; the freezer setpoint and those
under a super mode stay.
"""

from msgspec.structs import replace

from catalog import keys
from catalog.model import Entry
from conformance.mutants import document, fleets
from conformance.mutants.model import odd, written
from conformance.mutants.shapes.reads import limits, shows, shows_as
from conformance.mutants.shapes.side_effects import couples, follows, moves, shifts
from conformance.mutants.shapes.writes import refuses_where
from conformance.reference.appliance import Appliance, OwnRange
from conformance.reference.fleets.cooling import FRIDGE_CELSIUS, FRIDGE_FAHRENHEIT
from conformance.reference.service import Service
from conformance.reference.wire import Json, Members

_SETPOINTS = (keys.SETPOINT, keys.FREEZER_SETPOINT)
_SWITCH_OF = {
    keys.LIGHTING_BRIGHTNESS: keys.LIGHTING,
    keys.AMBIENT_BRIGHTNESS: keys.AMBIENT_ENABLED,
    keys.INTERNAL_BRIGHTNESS: keys.INTERNAL_LIGHT,
    keys.COLOR_PERCENT: keys.LIGHTING,
}
_BRIGHTNESSES = {
    keys.COLOR_1: 35,
    f"{keys.COLOR_FAMILY}.Color2": 65,
    f"{keys.COLOR_FAMILY}.Color99": 95,
    keys.COLOR_CUSTOM: 100,
}
_PERCENTS = {
    f"{keys.COLOR_TEMPERATURE_FAMILY}.{name}": percent
    for name, percent in {
        "warm": 0,
        "warmToNeutral": 20,
        "neutral": 50,
        "neutralToCold": 80,
        "cold": 100,
    }.items()
}
_TOGETHER = {keys.INTERNAL_LIGHT: keys.EXTERNAL_LIGHT, keys.INTERNAL_BRIGHTNESS: keys.EXTERNAL_BRIGHTNESS}
_MODES = (keys.ECO_MODE, keys.VACATION_MODE, keys.FRESH_MODE, keys.SUPER_REFRIGERATOR)

_ON_HOLIDAY = (
    fleets.FRIDGE.having({keys.VACATION_MODE: True}),
    fleets.FRIDGE_AMERICAN.having({keys.VACATION_MODE: True}),
)
_FRESH_AMERICAN = replace(
    fleets.FRIDGE_AMERICAN, ranges={**fleets.FRIDGE_AMERICAN.ranges, keys.SETPOINT: OwnRange(39, 44, 1, "°F")}
).having({keys.SETPOINT: 41, keys.FRESH_MODE: True})
_ECONOMIC = (fleets.FRIDGE.having({keys.ECO_MODE: True}),)
_FINE_UNITS = replace(
    fleets.FRIDGE_UNITS,
    elsewhere={
        keys.SETPOINT: OwnRange(35.6, 46.4, 1.8, "°F"),
        keys.FREEZER_SETPOINT: OwnRange(-11.2, 3.2, 1.8, "°F"),
    },
)
_FOUR_MODES = FRIDGE_CELSIUS.only(keys.SETPOINT, *_MODES)
_SUPER_MODE = FRIDGE_CELSIUS.only(keys.FREEZER_SETPOINT, keys.SUPER_FREEZER, keys.VACATION_MODE).having(
    {keys.SUPER_FREEZER: True}
)
_AMERICAN_MODE = replace(
    FRIDGE_FAHRENHEIT.only(keys.TEMPERATURE_UNIT, keys.SETPOINT, keys.FREEZER_SETPOINT, keys.VACATION_MODE),
    read_only=frozenset({keys.TEMPERATURE_UNIT}),
)


def _shows_degrees(mode: str, celsius: int, fahrenheit: int) -> type[Service]:
    """While a mode is on, the refrigerator setpoint reads a temperature of the mode."""

    def shown(its: Service, one: Appliance, key: str, now: Json) -> Json:
        degrees = celsius if its.temperature_unit(one) == "°C" else fahrenheit
        return degrees if key == keys.SETPOINT and one.values[mode] is True else now

    return shows_as(shown)


def _warms(its: Service, appliance: Appliance, value: Json) -> None:
    for setpoint in _SETPOINTS:
        now, bounds = appliance.values[setpoint], its.bounds(appliance, its.entries[setpoint])
        if isinstance(now, int | float) and bounds is not None:
            its.change(appliance, setpoint, bounds.nearest(now + (2 if value is True else -2)))


def _widened(appliance: Appliance, entry: Entry, own: Members) -> Members:
    wide = entry.key == keys.SETPOINT and appliance.values[keys.SUPER_REFRIGERATOR] is True
    return own | {"min": -2, "max": 9} if wide else own


def _resets(its: Service, appliance: Appliance, _: Json) -> None:
    for setpoint in _SETPOINTS:
        if bounds := its.bounds(appliance, its.entries[setpoint]):
            its.change(appliance, setpoint, bounds.nearest((bounds.min + bounds.max) / 2))


def _brightens(its: Service, appliance: Appliance, _: Json) -> None:
    brightness = appliance.values.get(keys.AMBIENT_BRIGHTNESS)
    if isinstance(brightness, int):
        its.change(appliance, keys.AMBIENT_BRIGHTNESS, brightness + 1)


# fmt: off
odd(Service, "vacation-keeps-the-setpoint", "COOL-VACATION-14",
    "VacationMode is on and the refrigerator setpoint reads what was set before.", fleet=_ON_HOLIDAY[:1],
    allowed=document.VACATION)
odd(Service, "fresh-keeps-the-setpoint", "COOL-FRESH-2",
    "FreshMode is on and the refrigerator setpoint reads what was set before.", fleet=_FRESH_AMERICAN,
    allowed=document.FRESH)
odd(Service, "eco-keeps-setpoints", "COOL-ECO", "EcoMode is on and setpoints read what was set before.",
    fleet=_ECONOMIC, allowed=document.ECO)
odd(_shows_degrees(keys.VACATION_MODE, 14, 57), "vacation-shows-fourteen", "COOL-VACATION-14",
    "VacationMode is on and the refrigerator setpoint reads 14 in a range of 2 to 8.", fleet=_ON_HOLIDAY,
    allowed=document.VACATION)
odd(_shows_degrees(keys.FRESH_MODE, 2, 36), "fresh-shows-two", "COOL-FRESH-2",
    "FreshMode is on and the refrigerator setpoint reads 36 °F in a range of 39 to 44, or 2 °C.",
    fleet=(_FRESH_AMERICAN, fleets.FRIDGE.having({keys.FRESH_MODE: True})), allowed=document.FRESH)
written(shifts(keys.VACATION_MODE, keys.SETPOINT, 14, fahrenheit=57), "vacation-switches-to-fourteen",
    "COOL-VACATION-14",
    "VacationMode moves the refrigerator setpoint to 14 °C, or 57 °F, beyond its range, until it ends.",
    fleet=(fleets.FRIDGE_MODES, _AMERICAN_MODE), allowed=document.VACATION)
written(shifts(keys.FRESH_MODE, keys.SETPOINT, 2, fahrenheit=36), "fresh-switches-to-two", "COOL-FRESH-2",
    "FreshMode moves the refrigerator setpoint to 2 °C until it ends.", fleet=fleets.FRIDGE_MODES,
    allowed=document.FRESH)
written(Service, "unit-change-in-fractions", "SET-ONLY-TARGET",
    "A change of TemperatureUnit moves setpoints and bounds, and 4 °C is 39.2 °F in a range of 35.6 to 46.4.",
    fleet=_FINE_UNITS, allowed=document.UNIT_MOVES)
written(couples({(keys.VACATION_MODE, True): {keys.SETPOINT: 8}}), "vacation-leaves-the-most",
    "COOL-VACATION-14",
    "VacationMode moves the refrigerator setpoint to 8 °C, and leaves it there when it ends.",
    fleet=fleets.FRIDGE_MODES, allowed=document.VACATION)
written(couples({(mode, True): {other: False for other in _MODES if other != mode} for mode in _MODES}),
    "modes-exclude-each-other", "SET-ONLY-TARGET",
    "A mode that is switched on switches off whichever of the others was on; FreshMode is found on.",
    fleet=_FOUR_MODES.having({keys.FRESH_MODE: True}), allowed=document.MODES)
written(
    refuses_where(lambda its, key, value: key in _MODES and value is its.values.get(keys.ECO_MODE) is True),
    "modes-refused-in-eco-mode", "SET-WRITABLE", "While EcoMode is on, no other mode can be switched on.",
    fleet=_FOUR_MODES, allowed=document.MODES)
written(couples({(keys.VACATION_MODE, switched): {keys.ECO_MODE: switched} for switched in (True, False)}),
    "modes-come-in-pairs", "SET-ONLY-TARGET", "EcoMode goes on and off with VacationMode.", fleet=_FOUR_MODES,
    allowed=document.MODES)
written(couples({(keys.VACATION_MODE, True): {keys.SUPER_FREEZER: False}}), "vacation-ends-the-super-mode",
    "SET-WRITABLE", "SuperModeFreezer is found on, and ends when VacationMode begins.", fleet=_SUPER_MODE,
    allowed=document.MODES)
written(couples({(keys.AMBIENT_COLOR, name): {keys.AMBIENT_BRIGHTNESS: it}
        for name, it in _BRIGHTNESSES.items()}), "colors-have-their-brightness", "SET-ONLY-TARGET",
    "The choice of an ambient colour sets the brightness that belongs to it, CustomColor included.",
    fleet=fleets.AMBIENT_PRESET, allowed=document.LIGHT)
written(couples({(keys.COLOR_TEMPERATURE, name): {keys.COLOR_PERCENT: it} for name, it in _PERCENTS.items()}),
    "color-temperature-sets-the-percent", "SET-ONLY-TARGET",
    "The choice of a colour temperature other than custom leaves the percent setting at 0, 20, 50, 80 or "
    "100.", fleet=fleets.LAMP, allowed=document.PERCENT_USABLE)
written(couples({(keys.LIGHTING, True): {keys.LIGHTING_BRIGHTNESS: 100},
        (keys.INTERNAL_LIGHT, True): {keys.INTERNAL_BRIGHTNESS: 100}}), "light-on-at-full", "LIGHT-POWER",
    "A light that is switched on is at 100 %, whatever it was at before.",
    fleet=(fleets.LAMP, fleets.FRIDGE_LIGHT), allowed=document.LIGHT)
odd(shows(lambda shown: shown + 5 if isinstance(shown, int) else shown, *_SETPOINTS, state=(keys.ECO_MODE,
        True)), "eco-raises-setpoints", "COOL-ECO",
    "EcoMode is on and setpoints read five degrees more, beyond their ranges.", fleet=_ECONOMIC,
    allowed=document.ECO,
    disputed="line 23: a range has the allowed values, and these are beyond it")
written(follows(keys.ECO_MODE, _warms), "eco-moves-setpoints", "COOL-ECO",
    "EcoMode makes every setpoint two degrees warmer until it ends.",
    fleet=FRIDGE_CELSIUS.only(keys.SETPOINT, keys.FREEZER_SETPOINT, keys.ECO_MODE, keys.FREEZER_DOOR),
    allowed=document.ECO)
written(limits(_widened), "super-mode-widens-the-range", "COOL-SUPER-FRIDGE",
    "While SuperModeRefrigerator is on the setpoint stays, and its range reads from -2 to 9.",
    fleet=fleets.FRIDGE_SUPER, allowed=document.SUPER_MODE)
written(follows(keys.TEMPERATURE_UNIT, _resets), "unit-change-resets-setpoints", "SET-ONLY-TARGET",
    "A change of TemperatureUnit sets the setpoints to the middle of their ranges in that unit.",
    fleet=fleets.FRIDGE_UNITS, allowed=document.UNIT_MOVES)
written(tuple(moves(key, switch, lambda _: True) for key, switch in _SWITCH_OF.items()),
    "brightness-switches-on",
    "SET-ONLY-TARGET", "A light that is off goes on when its brightness or its percent setting is written.",
    fleet=(fleets.LAMP.having({keys.LIGHTING: False}),
        fleets.AMBIENT_PRESET.having({keys.AMBIENT_ENABLED: False}),
        fleets.FRIDGE_LIGHT.having({keys.INTERNAL_LIGHT: False})), allowed=document.LIGHT)
written(moves(keys.INTERNAL_BRIGHTNESS, keys.INTERNAL_LIGHT, lambda value: value != 0), "light-off-at-zero",
    "LIGHT-POWER", "The light of a refrigerator goes off with brightness 0, and on with any other.",
    fleet=fleets.FRIDGE_LIGHT, allowed=document.LIGHT)
written(tuple(moves(one, other) for one, other in _TOGETHER.items()), "lights-together", "SET-ONLY-TARGET",
    "The external light of a refrigerator takes over what is written to the internal one.",
    fleet=FRIDGE_FAHRENHEIT.only(*_TOGETHER.values(), *_TOGETHER), allowed=document.LIGHT)
written(tuple(moves(name, keys.CURRENT_MAP, lambda _, number=name[-1]: f"{keys.MAP_FAMILY}.Map{number}")
        for name in keys.MAP_NAMES), "renaming-selects-the-map", "SET-ONLY-TARGET",
    "A map that gets another name is selected.", fleet=fleets.ROBOT_THREE_MAPS, allowed=document.DEVICE_ACTS)
written(follows(keys.CHILD_LOCK, _brightens), "child-lock-brightens-the-light", "SET-ONLY-TARGET",
    "Every change of ChildLock makes the ambient light of the machine brighter by a percent.",
    fleet=(fleets.MACHINE.having({keys.AMBIENT_BRIGHTNESS: 40}), fleets.TIMED_OVEN),
    allowed=document.DEVICE_ACTS)
