"""Servers in which every write works by itself, and a certain order of three to five does not.

> The power state (setting) moves by writes:
> Cannot be set while the ambient light color is CustomColor
> freezer unchanged

Each fault comes again whenever its order does. None shows in the walk that takes every row of the
power table once, in a setting that is written and put back, in a colour that is chosen for one
write, or in a cooling mode that is switched on alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.mutants.model import mutant
from conformance.mutants.soil import (
    AMBIENT_BRIGHTNESS,
    AMBIENT_COLOR,
    COLOR_PERCENT,
    COLOR_TEMPERATURE,
    CUSTOM_COLOR,
    DOOR_STATE,
    FREEZER_DOOR,
    FREEZER_SETPOINT,
    SETPOINT,
)
from conformance.mutants.write_order_shapes import (
    SEARCHED,
    ChoiceOrder,
    IgnoredInOrder,
    ModeOrder,
    PowerOrder,
    Remembering,
    StrayingInOrder,
)
from conformance.mutants.write_shapes import Keeping
from conformance.mutants.write_soil import (
    COLOR_CUSTOM,
    CUSTOM_LIGHT,
    FRESH_MODE,
    GLOWING,
    OFF,
    STANDBY,
    THREE_STATES,
    VACATION_MODE,
    WARMED,
)
from conformance.reference.fleet_cooling import FRIDGE_CELSIUS
from conformance.reference.names import INACTIVE, OPERATION_STATE, READY, SUPER_FREEZER
from conformance.reference.wire import INVALID_STATE

if TYPE_CHECKING:
    from conformance.reference.appliance import Appliance
    from conformance.reference.wire import Json, Refusal

_BRIGHT = GLOWING.only(AMBIENT_BRIGHTNESS, AMBIENT_COLOR, DOOR_STATE)
_COLORFUL = GLOWING.only(AMBIENT_COLOR, CUSTOM_COLOR, DOOR_STATE)
_BOTH = GLOWING.only(AMBIENT_BRIGHTNESS, AMBIENT_COLOR, CUSTOM_COLOR, DOOR_STATE)
_HOOD = WARMED.only(COLOR_PERCENT, COLOR_TEMPERATURE, OPERATION_STATE)
_FROZEN = FRIDGE_CELSIUS.only(FREEZER_SETPOINT, SUPER_FREEZER, FREEZER_DOOR)
_FRESH_AND_SUPER = FRIDGE_CELSIUS.only(FREEZER_SETPOINT, SUPER_FREEZER, FRESH_MODE, FREEZER_DOOR)
_FRESH_AND_AWAY = FRIDGE_CELSIUS.only(SETPOINT, FREEZER_SETPOINT, FRESH_MODE, VACATION_MODE)

_THIRD_STATE = "The state is neither the written one nor the old one."
_INACTIVE = "PowerState is On, and OperationState stays Inactive."
_READY = "PowerState is Off, and OperationState is Ready."


@mutant("third-off-ignored", clause="PWR-ON-OFF", level="L3")
class ThirdOffIgnored(IgnoredInOrder):
    """After Off, On, Off, On the next Off is acknowledged and ignored."""

    fleet = (THREE_STATES,)
    order = ("On", "Off", "On", "Off", "On", "Off")


@mutant("second-waking-ignored", clause="PWR-STANDBY-ON", level="L3")
class SecondWakingIgnored(IgnoredInOrder):
    """After Standby, On, Standby the next On is acknowledged and ignored."""

    fleet = (THREE_STATES,)
    order = ("On", "Standby", "On", "Standby", "On")


@mutant("off-refused-after-two-rests", clause="PWR-STANDBY-OFF", level="L3")
class OffRefusedAfterTwoRests(PowerOrder):
    """After Standby, On, Standby the next Off is refused."""

    fleet = (THREE_STATES,)
    order = ("On", "Standby", "On", "Standby", "Off")

    def accepts(self, appliance: Appliance, key: str, value: Json) -> Refusal | None:
        """Have enough."""
        refusal = super().accepts(appliance, key, value)
        return INVALID_STATE if refusal is None and self.completes(appliance, key, value) else refusal


@mutant("off-rests-after-off-from-standby", clause="PWR-ON-OFF", level="L3", partners={"PWR-NO-FOREIGN": _THIRD_STATE})
class OffRestsAfterOffFromStandby(StrayingInOrder):
    """After Standby, Off, On the next Off leads to Standby."""

    fleet = (THREE_STATES,)
    order = ("On", "Standby", "Off", "On", "Off")
    end = STANDBY


@mutant(
    "second-switching-on-strays",
    clause="PWR-NO-FOREIGN",
    level="L3",
    partners={"PWR-OFF-ON": "On is acknowledged in Off, and the appliance is not on."},
)
class SecondSwitchingOnStrays(StrayingInOrder):
    """After Off, On, Off the next On leads to Standby."""

    fleet = (THREE_STATES,)
    order = ("On", "Off", "On", "Off", "On")
    end = STANDBY


@mutant("third-standby-switches-off", clause="PWR-ON-STANDBY", level="L3", partners={"PWR-NO-FOREIGN": _THIRD_STATE})
class ThirdStandbySwitchesOff(StrayingInOrder):
    """After Standby, On, Standby, On the next Standby leads to Off."""

    fleet = (THREE_STATES,)
    order = ("On", "Standby", "On", "Standby", "On", "Standby")
    end = OFF


@mutant(
    "inactive-after-two-rests", clause="OPS-ON-NOT-INACTIVE", level="L3", partners={"OPS-INACTIVE": _INACTIVE, "PWR-READBACK": _INACTIVE}
)
class InactiveAfterTwoRests(PowerOrder):
    """After Standby, On, Standby, On the operation state stays Inactive."""

    fleet = (THREE_STATES,)
    order = ("On", "Standby", "On", "Standby", "On")

    def apply(self, appliance: Appliance, key: str, value: Json) -> None:
        """Wake the switch alone."""
        completes = self.completes(appliance, key, value)
        super().apply(appliance, key, value)
        if completes:
            self.change(appliance, OPERATION_STATE, INACTIVE)


@mutant("ready-after-two-slow-offs", clause="OPS-READY", level="L3", partners={"PWR-READBACK": _READY})
class ReadyAfterTwoSlowOffs(PowerOrder):
    """After Standby, Off, On, Standby, Off the operation state is Ready."""

    fleet = (THREE_STATES,)
    order = ("On", "Standby", "Off", "On", "Standby", "Off")

    def apply(self, appliance: Appliance, key: str, value: Json) -> None:
        """Be ready in the dark."""
        completes = self.completes(appliance, key, value)
        super().apply(appliance, key, value)
        if completes:
            self.change(appliance, OPERATION_STATE, READY)


@mutant("two-presets-unlock-brightness", clause="AMB-BRIGHTNESS-LOCKED", level="L3")
class TwoPresetsUnlockBrightness(ChoiceOrder):
    """After one preset, another and CustomColor, the brightness can be set under CustomColor."""

    fleet = (_BRIGHT,)
    choice, open_choice = AMBIENT_COLOR, COLOR_CUSTOM

    def accepts(self, appliance: Appliance, key: str, value: Json) -> Refusal | None:
        """Forget the lock on a way back of two steps."""
        unlocked = self.chosen(appliance).endswith("oppo") and key == AMBIENT_BRIGHTNESS
        refusal = super().accepts(appliance, key, value)
        return None if unlocked and refusal is INVALID_STATE else refusal


@mutant("second-preset-drops-brightness", clause="AMB-BRIGHTNESS-FREE", level="L3")
class SecondPresetDropsBrightness(ChoiceOrder):
    """Under a preset that was chosen after another one, the brightness is acknowledged and dropped."""

    fleet = (_BRIGHT,)
    choice, open_choice = AMBIENT_COLOR, COLOR_CUSTOM

    def apply(self, appliance: Appliance, key: str, value: Json) -> None:
        """Take the second preset for a lock."""
        dropped = self.chosen(appliance).endswith("opp") and key == AMBIENT_BRIGHTNESS
        if not dropped:
            super().apply(appliance, key, value)


@mutant("brightness-unlocks-custom-color", clause="AMB-CUSTOM-ONLY", level="L3")
class BrightnessUnlocksCustomColor(Remembering):
    """After a preset and one brightness, a custom colour can be set under the preset."""

    fleet = (_BOTH,)

    def accepts(self, appliance: Appliance, key: str, value: Json) -> Refusal | None:
        """Forget the lock after the one write."""
        refusal, trail = super().accepts(appliance, key, value), self.trail(appliance, "")
        if refusal is INVALID_STATE and key == CUSTOM_COLOR and trail[-2:] == [AMBIENT_COLOR, AMBIENT_BRIGHTNESS]:
            refusal = None
        if refusal is None:
            trail.append(key)
        return refusal


@mutant("two-presets-drop-custom-color", clause="AMB-CUSTOM-SETTABLE", level="L3")
class TwoPresetsDropCustomColor(ChoiceOrder):
    """After one preset, another and CustomColor, a custom colour is acknowledged and dropped."""

    fleet = (_COLORFUL,)
    choice, open_choice = AMBIENT_COLOR, COLOR_CUSTOM

    def apply(self, appliance: Appliance, key: str, value: Json) -> None:
        """Keep the lock on a way back of two steps."""
        dropped = self.chosen(appliance).endswith("oppo") and key == CUSTOM_COLOR
        if not dropped:
            super().apply(appliance, key, value)


@mutant("second-temperature-unlocks-percent", clause="HOOD-PERCENT-USABLE", level="L3")
class SecondTemperatureUnlocksPercent(ChoiceOrder):
    """Under a ColorTemperature that was chosen after another one, neither of them custom, the percent can be set."""

    fleet = (_HOOD,)
    choice, open_choice = COLOR_TEMPERATURE, CUSTOM_LIGHT

    def accepts(self, appliance: Appliance, key: str, value: Json) -> Refusal | None:
        """Know the lock of the first one alone."""
        unlocked = self.chosen(appliance).endswith("opp") and key == COLOR_PERCENT
        refusal = super().accepts(appliance, key, value)
        return None if unlocked and refusal is INVALID_STATE else refusal


@mutant(
    "two-temperatures-drop-percent",
    clause="HOOD-PERCENT-APPLIES",
    level="L3",
    partners={"SET-WRITABLE": "Where the order was the last thing that was written, percent is dropped when it is written by itself."},
)
class TwoTemperaturesDropPercent(ChoiceOrder):
    """After one ColorTemperature, another and custom, the percent is acknowledged and dropped."""

    fleet = (_HOOD,)
    choice, open_choice = COLOR_TEMPERATURE, CUSTOM_LIGHT

    def apply(self, appliance: Appliance, key: str, value: Json) -> None:
        """Keep the lock on a way back of two steps."""
        dropped = self.chosen(appliance).endswith("oppo") and key == COLOR_PERCENT
        if not dropped:
            super().apply(appliance, key, value)


@mutant("fresh-outlives-super", clause="COOL-FRESH-FREEZER", level="L3")
class FreshOutlivesSuper(ModeOrder):
    """When SuperModeFreezer ends while FreshMode is on, the setpoint of the freezer rises until FreshMode ends."""

    fleet = (_FRESH_AND_SUPER,)
    mode, ending, setpoint, meanwhile = FRESH_MODE, SUPER_FREEZER, FREEZER_SETPOINT, -16

    def follow(self, appliance: Appliance, key: str, value: Json) -> None:
        """Take one mode's end for the other's."""
        super().follow(appliance, key, value)
        self.lean(appliance, key, value)


@mutant("vacation-outlives-fresh", clause="COOL-VACATION-FREEZER", level="L3")
class VacationOutlivesFresh(ModeOrder):
    """When FreshMode ends while VacationMode is on, the setpoint of the freezer rises until VacationMode ends."""

    fleet = (_FRESH_AND_AWAY,)
    mode, ending, setpoint, meanwhile = VACATION_MODE, FRESH_MODE, FREEZER_SETPOINT, -16

    def follow(self, appliance: Appliance, key: str, value: Json) -> None:
        """Take one mode's end for the other's."""
        super().follow(appliance, key, value)
        self.lean(appliance, key, value)


@mutant("super-remembers-the-setpoint", clause="COOL-SUPER-FREEZER", level="L3")
class SuperRemembersTheSetpoint(Keeping):
    """A setpoint written while SuperModeFreezer is on is lost when the mode is switched on again."""

    profile_extras = SEARCHED
    fleet = (_FROZEN,)

    def follow(self, appliance: Appliance, key: str, value: Json) -> None:
        """Begin again where the mode began before."""
        super().follow(appliance, key, value)
        before = self.kept(appliance, FREEZER_SETPOINT)
        if (key, value) == (SUPER_FREEZER, True):
            if before is not None and self.give_back(appliance, SUPER_FREEZER) is True:
                self.change(appliance, FREEZER_SETPOINT, before)
            self.keep(appliance, FREEZER_SETPOINT, appliance.values[FREEZER_SETPOINT])
        elif key == FREEZER_SETPOINT:
            self.keep(appliance, SUPER_FREEZER, appliance.values[SUPER_FREEZER])
