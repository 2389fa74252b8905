"""Servers in which every write works by itself, and a certain order of three to five does not.

> The power state (setting) moves by writes:
> Cannot be set while the ambient light color is CustomColor
> freezer unchanged

Each fault comes again whenever its order does. None shows in the walk that takes every row of the
power table once, in a setting that is written and put back, in a colour that is chosen for one
write, or in a cooling mode that is switched on alone.
"""

from functools import partial

from catalog import keys
from conformance.mutants.fleets import AMBIENT, HOOD_LIGHT, THREE_STATES
from conformance.mutants.model import broken
from conformance.mutants.shapes.orders import (
    drops_after,
    ignores_last,
    last_shows,
    last_strays,
    refuses_last,
    shifts_beside,
    trail_of,
    unlocks_after,
)
from conformance.mutants.shapes.writes import decides
from conformance.reference.appliance import Appliance
from conformance.reference.fleets.cooling import FRIDGE_CELSIUS
from conformance.reference.service import Service
from conformance.reference.wire import INVALID_STATE, Json, Refusal

_TOURED = {"pace": {"generated": 60}}
"""Added to a profile: how many requests a tour may make, as of any target that is not on this machine."""

_BRIGHT = AMBIENT.only(keys.AMBIENT_BRIGHTNESS, keys.AMBIENT_COLOR, keys.DOOR_STATE)
_COLORFUL = AMBIENT.only(keys.AMBIENT_COLOR, keys.CUSTOM_COLOR, keys.DOOR_STATE)
_BOTH = AMBIENT.only(keys.AMBIENT_BRIGHTNESS, keys.AMBIENT_COLOR, keys.CUSTOM_COLOR, keys.DOOR_STATE)
_HOOD = HOOD_LIGHT.only(keys.COLOR_PERCENT, keys.COLOR_TEMPERATURE, keys.OPERATION_STATE)
_FROZEN = FRIDGE_CELSIUS.only(keys.FREEZER_SETPOINT, keys.SUPER_FREEZER, keys.FREEZER_DOOR)
_FRESH_AND_SUPER = FRIDGE_CELSIUS.only(
    keys.FREEZER_SETPOINT, keys.SUPER_FREEZER, keys.FRESH_MODE, keys.FREEZER_DOOR
)
_FRESH_AND_AWAY = FRIDGE_CELSIUS.only(
    keys.SETPOINT, keys.FREEZER_SETPOINT, keys.FRESH_MODE, keys.VACATION_MODE
)

_BY_COLOR = (keys.AMBIENT_COLOR, keys.COLOR_CUSTOM)
_BY_TEMPERATURE = (keys.COLOR_TEMPERATURE, keys.CUSTOM_LIGHT)

_THIRD_STATE = "The state is neither the written one nor the old one."
_INACTIVE = "PowerState is On, and OperationState stays Inactive."
_READY = "PowerState is Off, and OperationState is Ready."


def _unlocked_by_brightness(
    _its: Service, one: Appliance, key: str, _value: Json, why: Refusal | None
) -> Refusal | None:
    trail = trail_of(one)
    unlocks = trail[-2:] == [keys.AMBIENT_COLOR, keys.AMBIENT_BRIGHTNESS]
    reason = None if why is INVALID_STATE and key == keys.CUSTOM_COLOR and unlocks else why
    if reason is None:
        trail.append(key)
    return reason


class SuperRemembersTheSetpoint(Service):
    def follow(self, appliance: Appliance, key: str, value: Json) -> None:
        super().follow(appliance, key, value)
        kept = appliance.kept
        if (key, value) == (keys.SUPER_FREEZER, True):
            if keys.FREEZER_SETPOINT in kept and kept.pop(keys.SUPER_FREEZER, None) is True:
                self.change(appliance, keys.FREEZER_SETPOINT, kept[keys.FREEZER_SETPOINT])
            kept[keys.FREEZER_SETPOINT] = appliance.values[keys.FREEZER_SETPOINT]
        elif key == keys.FREEZER_SETPOINT:
            kept[keys.SUPER_FREEZER] = appliance.values[keys.SUPER_FREEZER]


broken = partial(broken, profile=_TOURED)

# fmt: off
broken("third-off-ignored", "PWR-ON-OFF", "L3", THREE_STATES, ignores_last("Off", "On", "Off", "On", "Off"),
    "After Off, On, Off, On the next Off is acknowledged and ignored.")
broken("off-rests-after-off-from-standby", "PWR-ON-OFF", "L3", THREE_STATES,
    last_strays("Standby", "Off", "On", "Off", end="Standby"),
    "After Standby, Off, On the next Off leads to Standby.", partners={"PWR-NO-FOREIGN": _THIRD_STATE})
broken("third-standby-switches-off", "PWR-ON-STANDBY", "L3", THREE_STATES,
    last_strays("Standby", "On", "Standby", "On", "Standby", end="Off"),
    "After Standby, On, Standby, On the next Standby leads to Off.",
    partners={"PWR-NO-FOREIGN": _THIRD_STATE})
broken("second-waking-ignored", "PWR-STANDBY-ON", "L3", THREE_STATES,
    ignores_last("Standby", "On", "Standby", "On"),
    "After Standby, On, Standby the next On is acknowledged and ignored.")
broken("off-refused-after-two-rests", "PWR-STANDBY-OFF", "L3", THREE_STATES,
    refuses_last("Standby", "On", "Standby", "Off"), "After Standby, On, Standby the next Off is refused.")
broken("second-switching-on-strays", "PWR-NO-FOREIGN", "L3", THREE_STATES,
    last_strays("Off", "On", "Off", "On", end="Standby"), "After Off, On, Off the next On leads to Standby.",
    partners={"PWR-OFF-ON": "On is acknowledged in Off, and the appliance is not on."})
broken("ready-after-two-slow-offs", "OPS-READY", "L3", THREE_STATES,
    last_shows("Standby", "Off", "On", "Standby", "Off", key=keys.OPERATION_STATE, value=keys.READY),
    "After Standby, Off, On, Standby, Off the operation state is Ready.", partners={"PWR-READBACK": _READY})
broken("inactive-after-two-rests", "OPS-ON-NOT-INACTIVE", "L3", THREE_STATES,
    last_shows("Standby", "On", "Standby", "On", key=keys.OPERATION_STATE, value=keys.INACTIVE),
    "After Standby, On, Standby, On the operation state stays Inactive.",
    partners={"OPS-INACTIVE": _INACTIVE, "PWR-READBACK": _INACTIVE})
broken("two-presets-unlock-brightness", "AMB-BRIGHTNESS-LOCKED", "L3", _BRIGHT,
    unlocks_after("oppo", keys.AMBIENT_BRIGHTNESS, _BY_COLOR),
    "After one preset, another and CustomColor, the brightness can be set under CustomColor.")
broken("second-preset-drops-brightness", "AMB-BRIGHTNESS-FREE", "L3", _BRIGHT,
    drops_after("opp", keys.AMBIENT_BRIGHTNESS, _BY_COLOR),
    "Under a preset that was chosen after another one, the brightness is acknowledged and dropped.")
broken("brightness-unlocks-custom-color", "AMB-CUSTOM-ONLY", "L3", _BOTH,
    decides(_unlocked_by_brightness),
    "After a preset and one brightness, a custom colour can be set under the preset.")
broken("two-presets-drop-custom-color", "AMB-CUSTOM-SETTABLE", "L3", _COLORFUL,
    drops_after("oppo", keys.CUSTOM_COLOR, _BY_COLOR),
    "After one preset, another and CustomColor, a custom colour is acknowledged and dropped.")
broken("two-temperatures-drop-percent", "HOOD-PERCENT-APPLIES", "L3", _HOOD,
    drops_after("oppo", keys.COLOR_PERCENT, _BY_TEMPERATURE),
    "After one ColorTemperature, another and custom, the percent is acknowledged and dropped.")
broken("super-remembers-the-setpoint", "COOL-SUPER-FREEZER", "L3", _FROZEN, SuperRemembersTheSetpoint,
    "A setpoint written while SuperModeFreezer is on is lost when the mode is switched on again.")
broken("vacation-outlives-fresh", "COOL-VACATION-FREEZER", "L3", _FRESH_AND_AWAY,
    shifts_beside((keys.FRESH_MODE, False), keys.VACATION_MODE, keys.FREEZER_SETPOINT, -16),
    "When FreshMode ends while VacationMode is on, the setpoint of the freezer rises until VacationMode "
    "ends.")
broken("fresh-outlives-super", "COOL-FRESH-FREEZER", "L3", _FRESH_AND_SUPER,
    shifts_beside((keys.SUPER_FREEZER, False), keys.FRESH_MODE, keys.FREEZER_SETPOINT, -16),
    "When SuperModeFreezer ends while FreshMode is on, the setpoint of the freezer rises until "
    "FreshMode ends.")
