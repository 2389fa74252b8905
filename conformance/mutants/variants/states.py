"""States that an appliance is found in, or that a write brings about, and what they do to reads and writes.

> Whether remote control is allowed

A state can be read as long as it lasts; what it hides, refuses or leaves without effect is as ever before it
and after it.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING

from catalog import keys
from conformance.mutants import fleets
from conformance.mutants.model import Symptom, add_variant
from conformance.mutants.variants.shapes import RefusingInState, ShowingInState, SwallowingInState
from conformance.reference.fleets.cleaning import DISHWASHER
from conformance.reference.service import Service
from conformance.reference.wire import INVALID_STATE, Reply

if TYPE_CHECKING:
    from catalog.model import Segment
    from conformance.reference.appliance import Appliance, ApplianceSpec
    from conformance.reference.wire import Json, Refusal

_COOLING_MODES = (keys.VACATION_MODE, keys.FRESH_MODE, keys.SUPER_REFRIGERATOR, keys.SUPER_FREEZER)
_RESTING = fleets.FRIDGE_EQUIPPED.having({keys.FRIDGE_SABBATH: True})
_UNNAMED = fleets.ROBOT_THREE_MAPS.having({keys.MAP_NAME_3: ""})

odd = partial(add_variant, __name__)


class RefusingAfterWrites(RefusingInState):
    """After some writes a person brings the state about, for good.

    Attributes:
        left: how many writes are still to come.
    """

    left: int

    def acknowledge(self, appliance: Appliance, key: str) -> Reply:
        self.left -= 1
        if self.left == 0:
            self.change(appliance, *self.state)
        return super().acknowledge(appliance, key)


class Waking(Service):
    """A write wakes the panel of the machine: LocalControlActive is true for a tenth of a second."""

    fleet = (
        DISHWASHER.only(keys.CHILD_LOCK, keys.AMBIENT_ENABLED, keys.LOCAL_CONTROL, keys.OPERATION_STATE),
    )
    profile_extras = fleets.PATIENT
    reverting = MappingProxyType({**Service.reverting, keys.LOCAL_CONTROL: 0.1})

    def acknowledge(self, appliance: Appliance, key: str) -> Reply:
        self.touch(appliance)
        return super().acknowledge(appliance, key)


class PanelWakesAndRefuses(Waking, RefusingInState):
    state = (keys.LOCAL_CONTROL, True)


class SabbathRefusesLights(Service):
    def serves(self, appliance: Appliance, segment: Segment, key: str) -> bool:
        hidden = (
            key in {keys.INTERNAL_LIGHT, keys.INTERNAL_BRIGHTNESS}
            and appliance.values[keys.FRIDGE_SABBATH] is True
        )
        return not hidden and super().serves(appliance, segment, key)


class Refusing(Service):
    """Some writes are refused, depending on the state of the appliance."""

    def accepts(self, appliance: Appliance, key: str, value: Json) -> Refusal | None:
        refused = self.refuses(appliance, key, value)
        return INVALID_STATE if refused else super().accepts(appliance, key, value)

    def refuses(self, appliance: Appliance, key: str, value: Json) -> bool:
        """Whether this write is refused."""
        raise NotImplementedError


class ModesHoldSetpoints(Refusing):
    def refuses(self, appliance: Appliance, key: str, value: Json) -> bool:
        held = any(appliance.values.get(mode) is True for mode in _COOLING_MODES)
        return held and key in {keys.SETPOINT, keys.FREEZER_SETPOINT}


class UnnamedMapRefused(Refusing):
    def refuses(self, appliance: Appliance, key: str, value: Json) -> bool:
        return (key, value) == (keys.CURRENT_MAP, f"{keys.MAP_FAMILY}.Map3") and appliance.values[
            keys.MAP_NAME_3
        ] == ""


class NamelessMapsRefused(Refusing):
    def refuses(self, appliance: Appliance, key: str, value: Json) -> bool:
        return key == keys.CURRENT_MAP and value in (f"{keys.MAP_FAMILY}.Map2", f"{keys.MAP_FAMILY}.Map3")


class UnstoredMapNotToBeNamed(Refusing):
    def refuses(self, appliance: Appliance, key: str, value: Json) -> bool:
        return key == keys.MAP_NAME_3 and appliance.values[keys.MAP_NAME_3] == ""


class CurrentMapKeepsItsName(Refusing):
    def refuses(self, appliance: Appliance, key: str, value: Json) -> bool:
        return "NameOfMap" in key and str(appliance.values[keys.CURRENT_MAP]).endswith(f"Map{key[-1]}")

    def abilities(self, spec: ApplianceSpec) -> dict[str, object]:
        return super().abilities(spec) | {"writable": [keys.CURRENT_MAP]}


class VacationRefusesTheFreshMode(Refusing):
    def refuses(self, appliance: Appliance, key: str, value: Json) -> bool:
        return key == keys.FRESH_MODE and appliance.values[keys.VACATION_MODE] is True


# fmt: off
odd(RefusingInState, "child-lock-on", "SET-WRITABLE",
    "ChildLock is on, and nothing but ChildLock can be written.",
    fleet=fleets.MACHINE_LIT.having({keys.CHILD_LOCK: True}), state=(keys.CHILD_LOCK, True))
odd(RefusingInState, "sabbath-lights-on", "COOL-SABBATH",
    "SabbathMode is on, the light still reads as on, and nothing else can be written.", fleet=_RESTING,
    state=(keys.FRIDGE_SABBATH, True))
odd(RefusingInState, "remote-control-inactive", "SELF-RCA",
    "Remote control is not allowed, so every write is refused.",
    fleet=fleets.MACHINE.having({keys.REMOTE_CONTROL: False}), state=(keys.REMOTE_CONTROL, False))
odd(RefusingInState, "operated-by-hand", "SELF-LOCALCONTROL",
    "Somebody has just touched the machine, and until that is over every write is refused.",
    fleet=fleets.MACHINE.having({keys.LOCAL_CONTROL: True}), state=(keys.LOCAL_CONTROL, True))
odd(RefusingInState, "program-running", "OPS-OTHERS",
    "A program runs, and until it ends every write is refused.",
    fleet=fleets.MACHINE.having({keys.OPERATION_STATE: keys.RUN}), state=(keys.OPERATION_STATE, keys.RUN))
odd(RefusingInState, "child-lock-refuses-the-rest", "SET-WRITABLE",
    "Once ChildLock is written on, nothing but ChildLock can be written, PowerState neither.",
    fleet=fleets.MACHINE, state=(keys.CHILD_LOCK, True),
    shows=Symptom("ChildLock=true; PowerState=Standby", "On", "Standby"))
odd(RefusingInState, "sabbath-refuses-the-rest", "COOL-SABBATH",
    "Once SabbathMode is written on, nothing but SabbathMode can be written.", fleet=fleets.FRIDGE_LIGHT,
    state=(keys.FRIDGE_SABBATH, True), shows=Symptom("SabbathMode=true; ChildLock=true", 409, 204, "answer"))
odd(RefusingAfterWrites, "remote-control-withdrawn", "SET-WRITABLE",
    "After three writes a person withdraws remote control, for good, and every further write is refused.",
    fleet=fleets.MACHINE_STATUSES, state=(keys.REMOTE_CONTROL, False), left=3,
    shows=Symptom("ChildLock=true; ChildLock=false; ChildLock=true", False, True, "RemoteControlActive"))
odd(RefusingAfterWrites, "program-starts-meanwhile", "SET-WRITABLE",
    "After two writes a person starts a program, which runs on and refuses every further write.",
    fleet=fleets.OVEN_ALARM, state=(keys.OPERATION_STATE, keys.RUN), left=2,
    shows=Symptom("ChildLock=true; ChildLock=false", "Run", "Ready", "OperationState"))
odd(SwallowingInState, "child-lock-swallows-the-rest", "SET-WRITABLE",
    "ChildLock is found on, and everything else is answered 204 and keeps its value until it is off.",
    fleet=fleets.OVEN_ALARM.having({keys.CHILD_LOCK: True}), state=(keys.CHILD_LOCK, True),
    shows=Symptom("AlarmClock=60", 0, 60))
odd(SwallowingInState, "remote-control-swallows", "SELF-RCA",
    "Remote control is not allowed, and every write is answered 204 and ignored.",
    fleet=fleets.MACHINE_STATUSES.having({keys.REMOTE_CONTROL: False}), state=(keys.REMOTE_CONTROL, False),
    shows=Symptom("ChildLock=true", False, True))
odd(ShowingInState, "sabbath-darkens", "COOL-SABBATH",
    "While SabbathMode is on the light reads as off and its brightness as 0.", fleet=fleets.FRIDGE_LIGHT,
    state=(keys.FRIDGE_SABBATH, True), shown={keys.INTERNAL_LIGHT: False, keys.INTERNAL_BRIGHTNESS: 0},
    shows=Symptom("SabbathMode=true", False, True, "Light.Internal.Power"))
odd(Service, "remote-control-not-needed", "SELF-RCA",
    "RemoteControlActive is false, and every write is taken all the same, PowerState included.",
    fleet=fleets.MACHINE.having({keys.REMOTE_CONTROL: False}), knowledges=("full",))
odd(Waking, "panel-wakes", "SELF-LOCALCONTROL",
    "LocalControlActive is true for a moment after every write, and writes are taken meanwhile.",
    shows=Symptom("ChildLock=true", True, False, "LocalControlActive"))
odd(PanelWakesAndRefuses, "panel-wakes-and-refuses", "SET-WRITABLE",
    "LocalControlActive is true for a moment after every write, and further writes are refused meanwhile.",
    shows=Symptom("ChildLock=true; ChildLock=false", 409, 204, "answer"))
odd(SabbathRefusesLights, "sabbath-refuses-lights", "COOL-SABBATH",
    "SabbathMode is on and the keys of the light are refused as if they were not there.", fleet=_RESTING)
odd(ModesHoldSetpoints, "modes-hold-setpoints", "SET-WRITABLE",
    "Setpoints are refused while one of four cooling modes is on; one of them is found on.",
    fleet=(fleets.FRIDGE_SUPER, replace(fleets.FRIDGE_MODES,
        ha_id="fridge-3").having({keys.VACATION_MODE: True})),
    shows=Symptom("SuperModeRefrigerator=true; SetpointTemperatureRefrigerator=6", 409, 204, "answer"))
odd(UnnamedMapRefused, "unnamed-map-refused", "ENUM-CURRENTMAP",
    "A map whose name is empty cannot be selected.", fleet=_UNNAMED,
    shows=Symptom("CurrentMap=Map3", 409, 204, "answer"))
odd(NamelessMapsRefused, "nameless-maps-refused", "ENUM-CURRENTMAP",
    "Maps 2 and 3, whose names the robot does not show, cannot be selected.",
    fleet=fleets.ROBOT_THREE_MAPS.only(keys.CURRENT_MAP, keys.MAP_NAME_1, keys.LAST_MAP),
    shows=Symptom("CurrentMap=Map2", 409, 204, "answer"))
odd(UnstoredMapNotToBeNamed, "unstored-map-not-to-be-named", "SET-WRITABLE",
    "Map 3 has an empty name, is not stored, and cannot be named.", fleet=_UNNAMED,
    shows=Symptom("NameOfMap3=Attic", 409, 204, "answer"))
odd(CurrentMapKeepsItsName, "current-map-keeps-its-name", "SET-WRITABLE",
    "The map that is selected cannot be renamed, and the profile does not call map names writable.",
    fleet=fleets.ROBOT_THREE_MAPS, shows=Symptom("NameOfMap1=Attic", 409, 204, "answer"))
odd(VacationRefusesTheFreshMode, "vacation-refuses-the-fresh-mode", "SET-WRITABLE",
    "VacationMode is found on, and FreshMode cannot be switched on meanwhile.",
    fleet=fleets.FRIDGE_MODES.having({keys.VACATION_MODE: True}),
    shows=Symptom("FreshMode=true", 409, 204, "answer"))
# fmt: on
