"""States that a write brings about, or meets, and that refuse other writes or leave them without effect.

> Whether remote control is allowed

Each state can be read as long as it lasts, and what refuses during it takes the same write before and after.
"""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar

from conformance.mutants.model import variant
from conformance.mutants.soil import (
    AMBIENT_BRIGHTNESS,
    AMBIENT_COLOR,
    AMBIENT_ENABLED,
    CHILD_LOCK,
    COLOR_PERCENT,
    COLOR_TEMPERATURE,
    CURRENT_MAP,
    CUSTOM_COLOR,
    FREEZER_SETPOINT,
    INTERNAL_BRIGHTNESS,
    INTERNAL_LIGHT,
    LAST_MAP,
    LIGHTING,
    LIGHTING_BRIGHTNESS,
    MACHINE,
    MAP_NAME_1,
    MAP_NAME_3,
    REMOTE_CONTROL,
    SETPOINT,
)
from conformance.mutants.variant_write_soil import (
    AMBIENT,
    CLOCKED,
    COLD_LIT,
    COLD_MODES,
    COLD_SUPER,
    FRESH,
    LAMP,
    MAPPED,
    MAPS,
    PATIENT,
    RUN,
    SABBATH,
    VACATION,
    WATCHED,
)
from conformance.reference.fleet_household import DISHWASHER
from conformance.reference.names import LOCAL_CONTROL, OPERATION_STATE, READY, SUPER_FREEZER, SUPER_REFRIGERATOR
from conformance.reference.service import Service
from conformance.reference.wire import INVALID_STATE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from conformance.reference.appliance import Appliance, ApplianceSpec
    from conformance.reference.wire import Json, Refusal, Reply

_COOLING_MODES = (VACATION, FRESH, SUPER_REFRIGERATOR, SUPER_FREEZER)
_LIGHT_OF = MappingProxyType(
    {
        LIGHTING_BRIGHTNESS: LIGHTING,
        COLOR_TEMPERATURE: LIGHTING,
        COLOR_PERCENT: LIGHTING,
        AMBIENT_BRIGHTNESS: AMBIENT_ENABLED,
        AMBIENT_COLOR: AMBIENT_ENABLED,
        CUSTOM_COLOR: AMBIENT_ENABLED,
        INTERNAL_BRIGHTNESS: INTERNAL_LIGHT,
    }
)
_TOUCHED = DISHWASHER.only(CHILD_LOCK, AMBIENT_ENABLED, LOCAL_CONTROL, OPERATION_STATE)


class Forbidding(Service):
    """While a state lasts, some settings are refused."""

    def accepts(self, appliance: Appliance, key: str, value: Json) -> Refusal | None:
        """Look at the state first."""
        return INVALID_STATE if self.forbids(appliance, key) else super().accepts(appliance, key, value)

    def forbids(self, appliance: Appliance, key: str) -> bool:  # noqa: ARG002  each has a state of its own
        """Whether the state holds that refuses this setting."""
        return False


class Swallowing(Service):
    """While a state lasts, some settings are answered as if they had been written, and are not."""

    def apply(self, appliance: Appliance, key: str, value: Json) -> None:
        """Look at the state first."""
        if not self.swallows(appliance, key):
            super().apply(appliance, key, value)

    def swallows(self, appliance: Appliance, key: str) -> bool:  # noqa: ARG002  each has a state of its own
        """Whether the state holds that swallows this setting."""
        return False


@variant("child-lock-refuses-the-rest", clause="SET-WRITABLE", knowledges=("full",))
class ChildLockRefusesTheRest(Forbidding):
    """Once ChildLock is written on, nothing but ChildLock can be written, PowerState neither."""

    fleet = (MACHINE,)

    def forbids(self, appliance: Appliance, key: str) -> bool:
        """Ask for the lock to be taken off first."""
        return key != CHILD_LOCK and appliance.values[CHILD_LOCK] is True


@variant("child-lock-swallows-the-rest", clause="SET-WRITABLE", knowledges=("full",))
class ChildLockSwallowsTheRest(Swallowing):
    """ChildLock is found on, and everything else is answered 204 and keeps its value until it is off."""

    fleet = (CLOCKED.having({CHILD_LOCK: True}),)

    def swallows(self, appliance: Appliance, key: str) -> bool:
        """Do nothing without the lock being taken off."""
        return key != CHILD_LOCK and appliance.values[CHILD_LOCK] is True


@variant("remote-control-swallows", clause="SELF-RCA", knowledges=("full",))
class RemoteControlSwallows(Swallowing):
    """Remote control is not allowed, and every write is answered 204 and ignored."""

    fleet = (WATCHED.having({REMOTE_CONTROL: False}),)

    def swallows(self, appliance: Appliance, key: str) -> bool:  # noqa: ARG002  every setting alike
        """Obey nobody from afar."""
        return appliance.values[REMOTE_CONTROL] is False


@variant("remote-control-not-needed", clause="SELF-RCA", knowledges=("full",))
class RemoteControlNotNeeded(Service):
    """RemoteControlActive is false, and every write is taken all the same, PowerState included."""

    fleet = (MACHINE.having({REMOTE_CONTROL: False}),)


@variant("remote-control-withdrawn", clause="SET-WRITABLE", knowledges=("full",))
class RemoteControlWithdrawn(Forbidding):
    """After three writes a person withdraws remote control, for good, and every further write is refused."""

    fleet = (WATCHED,)
    left = 3

    def acknowledge(self, appliance: Appliance, key: str) -> Reply:
        """Count down to the withdrawal."""
        self.left -= 1
        if self.left == 0:
            self.change(appliance, REMOTE_CONTROL, value=False)
        return super().acknowledge(appliance, key)

    def forbids(self, appliance: Appliance, key: str) -> bool:  # noqa: ARG002  every setting alike
        """Obey nobody from afar."""
        return appliance.values[REMOTE_CONTROL] is False


class Waking(Service):
    """A write wakes the panel of the machine: LocalControlActive is true for a tenth of a second."""

    fleet = (_TOUCHED,)
    profile_extras = PATIENT
    reverting: ClassVar[Mapping[str, float]] = {**Service.reverting, LOCAL_CONTROL: 0.1}

    def acknowledge(self, appliance: Appliance, key: str) -> Reply:
        """Wake the panel."""
        self.touch(appliance)
        return super().acknowledge(appliance, key)


@variant("panel-wakes", clause="SELF-LOCALCONTROL", knowledges=("full",))
class PanelWakes(Waking):
    """LocalControlActive is true for a moment after every write, and writes are taken meanwhile."""


@variant("panel-wakes-and-refuses", clause="SET-WRITABLE", knowledges=("full",))
class PanelWakesAndRefuses(Waking, Forbidding):
    """LocalControlActive is true for a moment after every write, and until that is over every further write is refused."""

    def forbids(self, appliance: Appliance, key: str) -> bool:  # noqa: ARG002  every setting alike
        """Leave it to whoever seems to be there."""
        return appliance.values[LOCAL_CONTROL] is True


@variant("program-starts-meanwhile", clause="SET-WRITABLE", knowledges=("full",))
class ProgramStartsMeanwhile(Forbidding):
    """After two writes a person starts a program, which runs on and refuses every further write."""

    fleet = (CLOCKED,)
    left = 2

    def acknowledge(self, appliance: Appliance, key: str) -> Reply:
        """Count down to the start."""
        self.left -= 1
        if self.left == 0:
            self.change(appliance, OPERATION_STATE, RUN)
        return super().acknowledge(appliance, key)

    def forbids(self, appliance: Appliance, key: str) -> bool:  # noqa: ARG002  every setting alike
        """Do not disturb the program."""
        return appliance.values[OPERATION_STATE] != READY


@variant("sabbath-refuses-the-rest", clause="COOL-SABBATH", knowledges=("full",))
class SabbathRefusesTheRest(Forbidding):
    """Once SabbathMode is written on, nothing but SabbathMode can be written."""

    fleet = (COLD_LIT,)

    def forbids(self, appliance: Appliance, key: str) -> bool:
        """Rest."""
        return key != SABBATH and appliance.values[SABBATH] is True


@variant("sabbath-darkens", clause="COOL-SABBATH", knowledges=("full",))
class SabbathDarkens(Service):
    """While SabbathMode is on the light reads as off and its brightness as 0."""

    fleet = (COLD_LIT,)

    def value(self, appliance: Appliance, key: str) -> Json:
        """Show the dark."""
        dark: dict[str, Json] = {INTERNAL_LIGHT: False, INTERNAL_BRIGHTNESS: 0}
        return dark[key] if key in dark and appliance.values[SABBATH] is True else super().value(appliance, key)


@variant("modes-hold-setpoints", clause="SET-WRITABLE", knowledges=("full",))
class ModesHoldSetpoints(Forbidding):
    """Setpoints are refused while one of four cooling modes is on; on one refrigerator VacationMode is found on."""

    fleet = (COLD_SUPER, replace(COLD_MODES, ha_id="fridge-3").having({VACATION: True}))

    def forbids(self, appliance: Appliance, key: str) -> bool:
        """Ask for the mode to be ended first."""
        return key in {SETPOINT, FREEZER_SETPOINT} and any(appliance.values.get(mode) is True for mode in _COOLING_MODES)


@variant("lights-off-refuse-writes", clause="LIGHT-POWER", knowledges=("full",))
class LightsOffRefuseWrites(Forbidding):
    """Once a light is written off, its brightness and its colours can be read and not written."""

    fleet = (LAMP, AMBIENT, COLD_LIT)

    def forbids(self, appliance: Appliance, key: str) -> bool:
        """Ask the switch that belongs to the key."""
        return key in _LIGHT_OF and appliance.values[_LIGHT_OF[key]] is False


@variant("unnamed-map-refused", clause="ENUM-CURRENTMAP", knowledges=("full",))
class UnnamedMapRefused(Service):
    """A map whose name is empty cannot be selected."""

    fleet = (MAPPED.having({MAP_NAME_3: ""}),)

    def accepts(self, appliance: Appliance, key: str, value: Json) -> Refusal | None:
        """Look for the map."""
        missing = key == CURRENT_MAP and value == f"{MAPS}.Map3" and appliance.values[MAP_NAME_3] == ""
        return INVALID_STATE if missing else super().accepts(appliance, key, value)


@variant("nameless-maps-refused", clause="ENUM-CURRENTMAP", knowledges=("full",))
class NamelessMapsRefused(Service):
    """Maps 2 and 3, whose names the robot does not show, cannot be selected."""

    fleet = (MAPPED.only(CURRENT_MAP, MAP_NAME_1, LAST_MAP),)

    def accepts(self, appliance: Appliance, key: str, value: Json) -> Refusal | None:
        """Look for the map."""
        missing = key == CURRENT_MAP and value in {f"{MAPS}.Map2", f"{MAPS}.Map3"}
        return INVALID_STATE if missing else super().accepts(appliance, key, value)


@variant("unstored-map-not-to-be-named", clause="SET-WRITABLE", knowledges=("full",))
class UnstoredMapNotToBeNamed(Forbidding):
    """Map 3 has an empty name, is not stored, and cannot be named."""

    fleet = (MAPPED.having({MAP_NAME_3: ""}),)

    def forbids(self, appliance: Appliance, key: str) -> bool:
        """Know the maps there are."""
        return key == MAP_NAME_3 and appliance.values[MAP_NAME_3] == ""


@variant("current-map-keeps-its-name", clause="SET-WRITABLE", knowledges=("full",))
class CurrentMapKeepsItsName(Forbidding):
    """The map that is selected cannot be renamed, and the profile does not call map names writable."""

    fleet = (MAPPED,)

    def forbids(self, appliance: Appliance, key: str) -> bool:
        """Compare the number of the map."""
        return "NameOfMap" in key and str(appliance.values[CURRENT_MAP]).endswith(f"Map{key[-1]}")

    def abilities(self, spec: ApplianceSpec) -> dict[str, object]:
        """Claim the selection alone."""
        return super().abilities(spec) | {"writable": [CURRENT_MAP]}
