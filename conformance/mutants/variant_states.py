"""Appliances found in a state that changes what they show: switched off, on holiday, locked, in use.

> Cannot be set while the ambient light color is CustomColor

What a state does to an answer, it does as long as it lasts: whoever ends the state gets the plain answer again.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from conformance.mutants.model import variant
from conformance.mutants.soil import (
    AMBIENT_BRIGHTNESS,
    AMBIENT_COLOR,
    AMBIENT_ENABLED,
    CHILD_LOCK,
    COLOR_PERCENT,
    COLOR_TEMPERATURE,
    CUSTOM_COLOR,
    ECO_MODE,
    FREEZER_SETPOINT,
    FRIDGE,
    FRIDGE_AMERICAN,
    FRIDGE_EQUIPPED,
    HOOD,
    INTERNAL_BRIGHTNESS,
    INTERNAL_LIGHT,
    LIGHTING,
    LIGHTING_BRIGHTNESS,
    MACHINE,
    MACHINE_LIT,
    REMOTE_CONTROL,
    SETPOINT,
)
from conformance.reference.appliance import OwnRange
from conformance.reference.fleet_cooking import HOOD_SIMPLE
from conformance.reference.names import LOCAL_CONTROL, OPERATION_STATE
from conformance.reference.service import Service
from conformance.reference.wire import INVALID_STATE

if TYPE_CHECKING:
    from catalog.model import Segment
    from conformance.reference.appliance import Appliance
    from conformance.reference.wire import Json, Refusal

_VACATION = "Refrigeration.Common.Setting.VacationMode"
_FRESH = "Refrigeration.Common.Setting.FreshMode"
_SABBATH = "Refrigeration.Common.Setting.SabbathMode"
_COLOR = "Vendor.Common.EnumType.AmbientLightColor"
_WARM = "Cooking.Hood.EnumType.ColorTemperature.warm"
_RUN = "Vendor.Common.EnumType.OperationState.Run"

_AMERICAN = replace(FRIDGE_AMERICAN, ranges={**FRIDGE_AMERICAN.ranges, SETPOINT: OwnRange(39, 44, 1, "°F")}).having(
    {SETPOINT: 41, _FRESH: True}
)

_SWITCHES = {
    LIGHTING_BRIGHTNESS: LIGHTING,
    COLOR_TEMPERATURE: LIGHTING,
    COLOR_PERCENT: LIGHTING,
    AMBIENT_BRIGHTNESS: AMBIENT_ENABLED,
    AMBIENT_COLOR: AMBIENT_ENABLED,
    CUSTOM_COLOR: AMBIENT_ENABLED,
    INTERNAL_BRIGHTNESS: INTERNAL_LIGHT,
}


@variant("vacation-shows-fourteen", clause="COOL-VACATION-14")
class VacationShowsFourteen(Service):
    """VacationMode is on and the refrigerator setpoint reads 14 in a range of 2 to 8."""

    fleet = (FRIDGE.having({_VACATION: True}), FRIDGE_AMERICAN.having({_VACATION: True}))

    def value(self, appliance: Appliance, key: str) -> Json:
        """Show what the mode switches to."""
        if key == SETPOINT and appliance.values[_VACATION] is True:
            return 57 if self.temperature_unit(appliance) == "°F" else 14
        return super().value(appliance, key)


@variant("vacation-keeps-the-setpoint", clause="COOL-VACATION-14")
class VacationKeepsTheSetpoint(Service):
    """VacationMode is on and the refrigerator setpoint reads what was set before."""

    fleet = (FRIDGE.having({_VACATION: True}),)


@variant("fresh-shows-two", clause="COOL-FRESH-2")
class FreshShowsTwo(Service):
    """FreshMode is on and the refrigerator setpoint reads 36 °F in a range of 39 to 44, or 2 °C."""

    fleet = (_AMERICAN, FRIDGE.having({_FRESH: True}))

    def value(self, appliance: Appliance, key: str) -> Json:
        """Show what the mode sets."""
        if key == SETPOINT and appliance.values[_FRESH] is True:
            return 36 if self.temperature_unit(appliance) == "°F" else 2
        return super().value(appliance, key)


@variant("fresh-keeps-the-setpoint", clause="COOL-FRESH-2")
class FreshKeepsTheSetpoint(Service):
    """FreshMode is on and the refrigerator setpoint reads what was set before."""

    fleet = (_AMERICAN,)


@variant("eco-raises-setpoints", clause="COOL-ECO")
class EcoRaisesSetpoints(Service):
    """EcoMode is on and setpoints read five degrees more, beyond their ranges."""

    fleet = (FRIDGE.having({ECO_MODE: True}),)

    def value(self, appliance: Appliance, key: str) -> Json:
        """Cool less while the mode is on."""
        plain = super().value(appliance, key)
        raised = key in {SETPOINT, FREEZER_SETPOINT} and appliance.values[ECO_MODE] is True
        return plain + 5 if raised and isinstance(plain, int) else plain


@variant("eco-keeps-setpoints", clause="COOL-ECO")
class EcoKeepsSetpoints(Service):
    """EcoMode is on and setpoints read what was set before."""

    fleet = (FRIDGE.having({ECO_MODE: True}),)


@variant("sabbath-lights-on", clause="COOL-SABBATH")
class SabbathLightsOn(Service):
    """SabbathMode is on, the light still reads as on, and nothing else can be written."""

    fleet = (FRIDGE_EQUIPPED.having({_SABBATH: True}),)

    def accepts(self, appliance: Appliance, key: str, value: Json) -> Refusal | None:
        """Rest."""
        resting = key != _SABBATH and appliance.values[_SABBATH] is True
        return INVALID_STATE if resting else super().accepts(appliance, key, value)


@variant("sabbath-refuses-lights", clause="COOL-SABBATH")
class SabbathRefusesLights(Service):
    """SabbathMode is on and the keys of the light are refused as if they were not there."""

    fleet = (FRIDGE_EQUIPPED.having({_SABBATH: True}),)

    def serves(self, appliance: Appliance, segment: Segment, key: str) -> bool:
        """Hide the light."""
        hidden = key in {INTERNAL_LIGHT, INTERNAL_BRIGHTNESS} and appliance.values[_SABBATH] is True
        return not hidden and super().serves(appliance, segment, key)


@variant("lights-off-refuse", clause="LIGHT-POWER")
class LightsOffRefuse(Service):
    """Lights are off, and brightness and colour are refused until they are on."""

    fleet = (HOOD.having({LIGHTING: False}), MACHINE_LIT.having({AMBIENT_ENABLED: False}), FRIDGE_EQUIPPED.having({INTERNAL_LIGHT: False}))

    def serves(self, appliance: Appliance, segment: Segment, key: str) -> bool:
        """Ask the switch that belongs to the key."""
        switch = _SWITCHES.get(key)
        dark = switch is not None and appliance.values.get(switch) is False
        return not dark and super().serves(appliance, segment, key)


@variant("lights-off-readable", clause="RANGE-AMBBRIGHT")
class LightsOffReadable(Service):
    """Lights are off, and brightness and colour read as they will be when they are on."""

    fleet = (HOOD.having({LIGHTING: False}), MACHINE_LIT.having({AMBIENT_ENABLED: False}), FRIDGE_EQUIPPED.having({INTERNAL_LIGHT: False}))


@variant("percent-readable-while-warm", clause="HOOD-PERCENT-USABLE")
class PercentReadableWhileWarm(Service):
    """ColorTemperature is warm and its percent setting can be read."""

    fleet = (HOOD.having({COLOR_TEMPERATURE: _WARM}),)


@variant("percent-hidden-while-warm", clause="HOOD-PERCENT-USABLE")
class PercentHiddenWhileWarm(Service):
    """ColorTemperature is warm and its percent setting is refused."""

    fleet = (HOOD.having({COLOR_TEMPERATURE: _WARM}),)

    def serves(self, appliance: Appliance, segment: Segment, key: str) -> bool:
        """Hide what does not apply."""
        hidden = key == COLOR_PERCENT and self.locked_by(appliance, key) is not None
        return not hidden and super().serves(appliance, segment, key)


@variant("percent-without-color-temperature", clause="HOOD-PERCENT-USABLE")
class PercentWithoutColorTemperature(Service):
    """The hood has no ColorTemperature, and its percent setting is free."""

    fleet = (HOOD_SIMPLE,)


@variant("ambient-keys-hidden", clause="AMB-BRIGHTNESS-LOCKED")
class AmbientKeysHidden(Service):
    """What cannot be set under the present colour cannot be read either: brightness here, the custom colour there."""

    fleet = (MACHINE_LIT, replace(MACHINE_LIT.having({AMBIENT_COLOR: f"{_COLOR}.Color2"}), ha_id="dishwasher-2"))

    def serves(self, appliance: Appliance, segment: Segment, key: str) -> bool:
        """Hide what is locked."""
        hidden = key in {AMBIENT_BRIGHTNESS, CUSTOM_COLOR} and self.locked_by(appliance, key) is not None
        return not hidden and super().serves(appliance, segment, key)


@variant("remote-control-inactive", clause="SELF-RCA")
class RemoteControlInactive(Service):
    """Remote control is not allowed, so every write is refused."""

    fleet = (MACHINE.having({REMOTE_CONTROL: False}),)

    def accepts(self, appliance: Appliance, key: str, value: Json) -> Refusal | None:
        """Take nothing from afar."""
        return super().accepts(appliance, key, value) if appliance.values[REMOTE_CONTROL] is True else INVALID_STATE


@variant("operated-by-hand", clause="SELF-LOCALCONTROL")
class OperatedByHand(Service):
    """Somebody has just touched the machine, and until that is over every write is refused."""

    fleet = (MACHINE.having({LOCAL_CONTROL: True}),)

    def accepts(self, appliance: Appliance, key: str, value: Json) -> Refusal | None:
        """Leave it to the person."""
        return INVALID_STATE if appliance.values[LOCAL_CONTROL] is True else super().accepts(appliance, key, value)


@variant("child-lock-on", clause="SET-WRITABLE")
class ChildLockOn(Service):
    """ChildLock is on, and nothing but ChildLock can be written."""

    fleet = (MACHINE_LIT.having({CHILD_LOCK: True}),)

    def accepts(self, appliance: Appliance, key: str, value: Json) -> Refusal | None:
        """Ask for the lock to be taken off first."""
        locked = key != CHILD_LOCK and appliance.values[CHILD_LOCK] is True
        return INVALID_STATE if locked else super().accepts(appliance, key, value)


@variant("program-running", clause="OPS-OTHERS")
class ProgramRunning(Service):
    """A program runs, and until it ends every write is refused."""

    fleet = (MACHINE.having({OPERATION_STATE: _RUN}),)

    def accepts(self, appliance: Appliance, key: str, value: Json) -> Refusal | None:
        """Do not disturb the program."""
        return INVALID_STATE if appliance.values[OPERATION_STATE] == _RUN else super().accepts(appliance, key, value)
