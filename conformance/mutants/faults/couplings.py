"""Servers that ignore what ties one key of a light, or of a refrigerator, to another, or tie too much.

> Cannot be set while the ambient light color is CustomColor
> Can be set only while the ambient light color is CustomColor
> Usable only when the ColorTemperature setting, if supported, is set to custom
> setpoints unchanged
> Refrigerator temperature switches to +14 °C; freezer follows its setting
> Refrigerator set automatically to 2 °C; freezer unchanged

A run of level write also tries what locks the key of a light, and what frees it, for the clauses about
writing in general: a fault of the latter turns them red, too.
"""

from collections.abc import Callable
from contextlib import suppress
from functools import partial

from catalog import keys
from catalog.model import Segment
from conformance.mutants import fleets
from conformance.mutants.model import broken
from conformance.mutants.shapes.orders import drops_after, shifts_beside, unlocks_after
from conformance.mutants.shapes.reads import shows
from conformance.mutants.shapes.side_effects import follows, moves, shifts
from conformance.mutants.shapes.writes import (
    drops,
    is_number,
    is_text,
    obeys,
    refuses,
    stores,
    takes,
    unlocks,
)
from conformance.reference.appliance import Appliance
from conformance.reference.fleets.cooling import FRIDGE_CELSIUS
from conformance.reference.service import Service
from conformance.reference.wire import Json, Reply

_FREEZING = FRIDGE_CELSIUS.only(
    keys.FREEZER_SETPOINT, keys.SUPER_FREEZER, keys.VACATION_MODE, keys.FREEZER_DOOR
)
_ALL_MODES = FRIDGE_CELSIUS.only(
    keys.SETPOINT,
    keys.FREEZER_SETPOINT,
    *keys.SUPER_MODES,
    keys.FRESH_MODE,
    keys.VACATION_MODE,
    keys.ECO_MODE,
)


def _kept_for_later(on: str, made: Callable[[Json], Json] = lambda value: value) -> type[Service]:
    """A value that is written to a key while it is locked is acknowledged, and comes when it is free."""

    class KeptForLater(Service):
        def write(self, appliance: Appliance, segment: Segment, key: str, body: bytes) -> Reply:
            if key == on and self.locked_by(appliance, key) is not None:
                with suppress(ValueError):
                    value, entry = self.decode(appliance, key, body), self.entries[key]
                    if self.fits_type(entry, value) and self.is_within(appliance, entry, value):
                        appliance.kept[key] = made(value)
                        return self.acknowledge(appliance, key)
            reply = super().write(appliance, segment, key, body)
            if on in appliance.kept and self.locked_by(appliance, on) is None:
                self.change(appliance, on, appliance.kept.pop(on))
            return reply

    return KeptForLater


def _is_percent(value: Json) -> bool:
    return is_number(value) and 0 <= value <= 100


def _warms_soon(its: Service, appliance: Appliance, value: Json) -> None:
    if value is True:
        warmed = partial(its.change, appliance, keys.FREEZER_SETPOINT, -16)
        its.timers.arm((appliance.ha_id, "warmed"), 3, warmed)


_COLD = "Cooking.Hood.EnumType.ColorTemperature.cold"
_WHILE_FREE = {"SET-WRITABLE": "The setting keeps its old value, and nothing locks it."}
_THREE_SETPOINTS = FRIDGE_CELSIUS.only(
    keys.SETPOINT, keys.FREEZER_SETPOINT, keys.CHILLER_SETPOINT, keys.SUPER_REFRIGERATOR, keys.FREEZER_DOOR
)

# fmt: off
broken("brightness-under-custom-color", "AMB-BRIGHTNESS-LOCKED", "L3", fleets.AMBIENT,
    unlocks(keys.AMBIENT_BRIGHTNESS), "AmbientLightBrightness can be set while the colour is CustomColor.")
broken("brightness-refused-and-set", "AMB-BRIGHTNESS-LOCKED", "L3", fleets.AMBIENT_PRESET,
    obeys(keys.AMBIENT_BRIGHTNESS),
    "AmbientLightBrightness is refused under CustomColor, and set all the same.")
broken("brightness-unlocked-in-the-dark", "AMB-BRIGHTNESS-LOCKED", "L3", fleets.AMBIENT,
    takes(keys.AMBIENT_BRIGHTNESS, _is_percent, (keys.AMBIENT_ENABLED, False)),
    "AmbientLightBrightness can be set under CustomColor while the light is off.")
broken("brightness-never-moves", "AMB-BRIGHTNESS-FREE", "L3", fleets.AMBIENT, drops(keys.AMBIENT_BRIGHTNESS),
    "AmbientLightBrightness is acknowledged and dropped under a preset, and refused under CustomColor.",
    partners=_WHILE_FREE)
broken("brightness-always-refused", "AMB-BRIGHTNESS-FREE", "L3", fleets.AMBIENT,
    refuses(keys.AMBIENT_BRIGHTNESS), "AmbientLightBrightness is refused under every colour.",
    partners=_WHILE_FREE)
broken("brightness-kept-for-later", "AMB-BRIGHTNESS-LOCKED", "L3", fleets.AMBIENT,
    _kept_for_later(keys.AMBIENT_BRIGHTNESS),
    "A brightness written under CustomColor is acknowledged, and appears when a preset is chosen.")
broken("brightness-kept-for-a-preset", "AMB-BRIGHTNESS-LOCKED", "L3", fleets.AMBIENT_PRESET,
    _kept_for_later(keys.AMBIENT_BRIGHTNESS),
    "The same of an ambient light that is found at a preset colour.")
broken("brightness-dropped-once-custom-was-chosen", "AMB-BRIGHTNESS-FREE", "L3", fleets.AMBIENT_PRESET,
    drops_after("op", keys.AMBIENT_BRIGHTNESS, (keys.AMBIENT_COLOR, keys.COLOR_CUSTOM)),
    "Under a preset that was chosen after CustomColor, the brightness is acknowledged and dropped.")
broken("custom-color-kept-for-later", "AMB-CUSTOM-ONLY", "L3", fleets.AMBIENT_PRESET,
    _kept_for_later(keys.CUSTOM_COLOR),
    "A custom colour written under a preset is acknowledged, and appears when CustomColor is chosen.")
broken("custom-color-in-capitals-kept-for-later", "AMB-CUSTOM-ONLY", "L3",
    fleets.AMBIENT_PRESET.having({keys.CUSTOM_COLOR: "#4A88F8"}),
    _kept_for_later(keys.CUSTOM_COLOR, lambda value: str(value).upper()),
    "A custom colour written under a preset appears, in capitals, when CustomColor is chosen.")
broken("custom-color-at-any-time", "AMB-CUSTOM-ONLY", "L3", fleets.AMBIENT, unlocks(keys.CUSTOM_COLOR),
    "AmbientLightCustomColor takes a colour while a preset is shown.")
broken("custom-color-under-the-last", "AMB-CUSTOM-ONLY", "L3", fleets.AMBIENT,
    takes(keys.CUSTOM_COLOR, is_text,
        (keys.AMBIENT_COLOR, f"{keys.COLOR_FAMILY}.Color99")),
    "AmbientLightCustomColor takes a colour under Color99 alone, and under CustomColor.")
broken("custom-color-taken-in-the-dark", "AMB-CUSTOM-ONLY", "L3", fleets.AMBIENT_PRESET,
    takes(keys.CUSTOM_COLOR, is_text, (keys.AMBIENT_ENABLED, False)),
    "AmbientLightCustomColor takes a colour under a preset while the light is off.")
broken("custom-color-refused-and-set", "AMB-CUSTOM-ONLY", "L3", fleets.AMBIENT_PRESET,
    obeys(keys.CUSTOM_COLOR), "AmbientLightCustomColor is refused under a preset, and set all the same.")
broken("custom-color-never-moves", "AMB-CUSTOM-SETTABLE", "L3", fleets.AMBIENT_PRESET,
    drops(keys.CUSTOM_COLOR), "AmbientLightCustomColor is acknowledged under CustomColor and dropped.",
    partners=_WHILE_FREE)
broken("custom-color-is-the-first", "AMB-CUSTOM-SETTABLE", "L3", fleets.AMBIENT,
    stores(lambda _: "#e0ffff", keys.CUSTOM_COLOR),
    "Whatever custom colour is written under CustomColor, the one found there is taken for it.",
    partners=_WHILE_FREE)
broken("percent-under-neutral", "HOOD-PERCENT-USABLE", "L3", fleets.HOOD_LIGHT, unlocks(keys.COLOR_PERCENT),
    "ColorTemperaturePercent can be set whatever ColorTemperature is.")
broken("second-temperature-unlocks-percent", "HOOD-PERCENT-USABLE", "L3", fleets.HOOD_LIGHT,
    unlocks_after("opp", keys.COLOR_PERCENT, (keys.COLOR_TEMPERATURE, keys.CUSTOM_LIGHT)),
    "Under a ColorTemperature that was chosen after another one, neither of them custom, the percent "
    "can be set.")
broken("percent-under-cold", "HOOD-PERCENT-USABLE", "L3", fleets.HOOD_LIGHT,
    takes(keys.COLOR_PERCENT, _is_percent, (keys.COLOR_TEMPERATURE, _COLD)),
    "ColorTemperaturePercent can be set while ColorTemperature is cold, as well as under custom.")
broken("percent-between-neutral-and-cold", "HOOD-PERCENT-USABLE", "L3", fleets.HOOD_LIGHT,
    takes(keys.COLOR_PERCENT, _is_percent, (keys.COLOR_TEMPERATURE, _COLD.replace("cold", "neutralToCold"))),
    "ColorTemperaturePercent can be set while ColorTemperature is neutralToCold, which is neither its first"
    " nor its last value.")
broken("percent-unlocked-in-the-dark", "HOOD-PERCENT-USABLE", "L3", fleets.HOOD_LIGHT,
    takes(keys.COLOR_PERCENT, _is_percent, (keys.LIGHTING, False)),
    "ColorTemperaturePercent can be set under every ColorTemperature while the light is off.")
broken("percent-locked-in-the-dark", "HOOD-PERCENT-USABLE", "L3", fleets.HOOD_LIGHT_NEUTRAL,
    unlocks(keys.COLOR_PERCENT, (keys.LIGHTING, True)),
    "ColorTemperaturePercent is locked while the light is off, and not while ColorTemperature is no "
    "custom one.")
broken("percent-kept-for-later", "HOOD-PERCENT-USABLE", "L3", fleets.HOOD_LIGHT,
    _kept_for_later(keys.COLOR_PERCENT),
    "A percent written under another ColorTemperature is acknowledged, and appears when custom is chosen.")
broken("percent-dropped-once-custom-was-left", "HOOD-PERCENT-APPLIES", "L3", fleets.HOOD_LIGHT,
    drops_after("po", keys.COLOR_PERCENT, (keys.COLOR_TEMPERATURE, keys.CUSTOM_LIGHT)),
    "Once ColorTemperature was another one, the percent is acknowledged under custom and dropped.")
broken("percent-ends-custom", "HOOD-PERCENT-APPLIES", "L3", fleets.HOOD_LIGHT_NEUTRAL,
    moves(keys.COLOR_PERCENT, keys.COLOR_TEMPERATURE, lambda _: keys.NEUTRAL_LIGHT),
    "A percent written under custom switches ColorTemperature to neutral.")
broken("percent-never-moves", "HOOD-PERCENT-APPLIES", "L3", fleets.HOOD_LIGHT_NEUTRAL,
    drops(keys.COLOR_PERCENT), "ColorTemperaturePercent is acknowledged under custom and dropped.",
    partners=_WHILE_FREE)
broken("super-refrigerator-warms-the-freezer", "COOL-SUPER-FRIDGE", "L3", fleets.FRIDGE_SUPER,
    shifts(keys.SUPER_REFRIGERATOR, keys.FREEZER_SETPOINT, -16),
    "SuperModeRefrigerator raises the setpoint of the freezer while it is on.")
broken("super-refrigerator-lowers-its-own", "COOL-SUPER-FRIDGE", "L3", fleets.FRIDGE_SUPER,
    shows(lambda _: 2, keys.SETPOINT, state=(keys.SUPER_REFRIGERATOR, True)),
    "SuperModeRefrigerator shows the lowest possible temperature as the setpoint of the refrigerator.")
broken("super-refrigerator-moves-the-third", "COOL-SUPER-FRIDGE", "L3", _THREE_SETPOINTS,
    shifts(keys.SUPER_REFRIGERATOR, keys.CHILLER_SETPOINT, -1),
    "SuperModeRefrigerator lowers the setpoint of a freshness compartment, and of nothing else.")
broken("super-freezer-lowers-its-own", "COOL-SUPER-FREEZER", "L3", fleets.FRIDGE_SUPER,
    shifts(keys.SUPER_FREEZER, keys.FREEZER_SETPOINT, -24),
    "SuperModeFreezer lowers the setpoint of the freezer while it is on.")
broken("super-freezer-warms-the-refrigerator", "COOL-SUPER-FREEZER", "L3", fleets.FRIDGE_SUPER,
    shifts(keys.SUPER_FREEZER, keys.SETPOINT, 8),
    "SuperModeFreezer raises the setpoint of the refrigerator while it is on.")
broken("vacation-warms-the-freezer", "COOL-VACATION-FREEZER", "L3", fleets.FRIDGE_MODES,
    shifts(keys.VACATION_MODE, keys.FREEZER_SETPOINT, -16),
    "VacationMode raises the setpoint of the freezer while it is on.")
broken("vacation-shows-the-coldest", "COOL-VACATION-FREEZER", "L3", fleets.FRIDGE_MODES,
    shows(lambda _: -24, keys.FREEZER_SETPOINT, state=(keys.VACATION_MODE, True)),
    "While VacationMode is on, the freezer shows the lowest setpoint it can have, whatever is set.")
broken("fresh-warms-the-freezer", "COOL-FRESH-FREEZER", "L3", fleets.FRIDGE_MODES,
    shifts(keys.FRESH_MODE, keys.FREEZER_SETPOINT, -16),
    "FreshMode raises the setpoint of the freezer while it is on.")
broken("fresh-warms-the-freezer-soon", "COOL-FRESH-FREEZER", "L3", fleets.FRIDGE_MODES,
    follows(keys.FRESH_MODE, _warms_soon),
    "Three seconds after FreshMode was switched on it raises the setpoint of the freezer, for good.",
    profile=fleets.settles(10))
broken("fresh-adds-a-degree", "COOL-FRESH-FREEZER", "L3", fleets.FRIDGE_MODES,
    shows(lambda shown: shown + 1 if isinstance(shown, int | float) else shown, keys.FREEZER_SETPOINT,
        state=(keys.FRESH_MODE, True)),
    "While FreshMode is on, the setpoint of the freezer is shown one degree higher than it is set.")
broken("super-warms-the-freezer-on-vacation", "COOL-VACATION-FREEZER", "L3", _FREEZING,
    shifts_beside((keys.SUPER_FREEZER, True), keys.VACATION_MODE, keys.FREEZER_SETPOINT, -16),
    "When SuperModeFreezer starts while VacationMode is on, the setpoint of the freezer rises until "
    "VacationMode ends.", profile={"pace": {"generated": 60}})
broken("super-warms-the-freezer-among-all-modes", "COOL-VACATION-FREEZER", "L3", _ALL_MODES,
    shifts_beside((keys.SUPER_REFRIGERATOR, True), keys.VACATION_MODE, keys.FREEZER_SETPOINT, -16),
    "The same of SuperModeRefrigerator, on an appliance with all four modes.",
    profile={"pace": {"generated": 60}})
