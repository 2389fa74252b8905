"""Servers whose fault an earlier write of a run may hide, and servers that make it hard to put back.

> a set of settings (configurable properties)

A run finds them only if it chooses and orders its writes with care, and brings back what can be brought back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from catalog import keys
from conformance.mutants.faults.rows import Row, add
from conformance.mutants.faults.write_shapes import opens, unlocks
from conformance.mutants.fleets import (
    AMBIENT_PRESET,
    FRIDGE_MODES,
    MACHINE,
    ON_AND_OFF,
    ROBOT_TWOFOLD,
    TIMED_OVEN,
)
from conformance.mutants.model import Symptom
from conformance.reference.fleets.cooking import COFFEE_MAKER
from conformance.reference.fleets.cooling import FRIDGE_CELSIUS
from conformance.reference.service import Service
from conformance.reference.wire import INVALID_STATE

if TYPE_CHECKING:
    from catalog.model import Entry
    from conformance.reference.appliance import Appliance
    from conformance.reference.wire import Json, Refusal

_ASSISTED = FRIDGE_CELSIUS.only(keys.ASSISTANT_FRIDGE, keys.ASSISTANT_FREEZER)
_REMOTE = COFFEE_MAKER.only(keys.REMOTE_START, keys.POWER_STATE)
_ROBOT = ROBOT_TWOFOLD.only(keys.BATTERY_LEVEL, keys.POWER_STATE)
_TWO = (MACHINE, TIMED_OVEN)
_LOCK = (MACHINE.ha_id, keys.CHILD_LOCK)


class AssistantFollows(Service):
    def follow(self, appliance: Appliance, key: str, value: Json) -> None:
        super().follow(appliance, key, value)
        if key == keys.ASSISTANT_FRIDGE:
            self.change(appliance, keys.ASSISTANT_FREEZER, value)


class FreezerLeftWarm(Service):
    def follow(self, appliance: Appliance, key: str, value: Json) -> None:
        super().follow(appliance, key, value)
        if key == keys.FRESH_MODE and value is True:
            self.change(appliance, keys.FREEZER_SETPOINT, -16)


class OffUnlisted(Service):
    def allowed(self, appliance: Appliance, entry: Entry) -> tuple[str, ...]:
        return tuple(value for value in super().allowed(appliance, entry) if value != keys.OFF)


class OnRefused(Service):
    def moves_power(self, appliance: Appliance, value: Json) -> bool:
        left = appliance.ha_id == MACHINE.ha_id and appliance.values[keys.POWER_STATE] != keys.ON
        return not (left and value == keys.ON) and super().moves_power(appliance, value)


class UnlockedLate(Service):
    left = 0

    def value(self, appliance: Appliance, key: str) -> Json:
        now = super().value(appliance, key)
        if (appliance.ha_id, key) != _LOCK:
            return now
        shown = now is True or self.left > 0
        self.left = 10 if now is True else max(0, self.left - 1)
        return shown


class UnlockRefused(Service):
    left = 3

    def accepts(self, appliance: Appliance, key: str, value: Json) -> Refusal | None:
        unlocks_it = (appliance.ha_id, key) == _LOCK and (appliance.values[key], value) == (True, False)
        if unlocks_it and self.left:
            self.left -= 1
            return INVALID_STATE
        return super().accepts(appliance, key, value)


class UnlockRefusedAgain(UnlockRefused):
    left = 4


# fmt: off
ROWS = (
    Row("freezer-assistant-follows", "SET-ONLY-TARGET", "L3", _ASSISTED, AssistantFollows,
        "The door assistant of the freezer takes over what is written to that of the refrigerator.",
        shows=Symptom("AssistantFridge=false; AssistantFridge=true", True, False, read="AssistantFreezer")),
    Row("brightness-found-unlocked", "AMB-BRIGHTNESS-LOCKED", "L3", AMBIENT_PRESET,
        unlocks(keys.AMBIENT_BRIGHTNESS),
        "The brightness of an ambient light that is found at a preset colour can be set under CustomColor.",
        shows=Symptom("AmbientLightColor=CustomColor; AmbientLightBrightness=55", 55, 40)),
    Row("fresh-leaves-the-freezer-warm", "COOL-FRESH-FREEZER", "L3", FRIDGE_MODES, FreezerLeftWarm,
        "FreshMode raises the setpoint of the freezer, and leaves it there when it ends.",
        shows=Symptom("FreshMode=true; FreshMode=false", -16, -18, read="SetpointTemperatureFreezer")),
    Row("off-unlisted-and-refused", "PWR-ON-OFF", "L3", ON_AND_OFF, OffUnlisted,
        "Off is declared, missing from the list of the answer, and refused.",
        shows=Symptom("PowerState=Off", "On", "Off")),
    Row("remote-start-written-as-a-setting", "STA-RCSA-DISABLE-ONLY", "L3", _REMOTE,
        opens(keys.REMOTE_START, "settings"),
        "RemoteControlStartAllowed takes what is written to it under settings.",
        shows=Symptom("RemoteControlStartAllowed=true", True, False)),
    Row("battery-written-as-a-setting", "STA-READONLY", "L3", _ROBOT, opens(keys.BATTERY_LEVEL, "settings"),
        "BatteryLevel takes what is written to it under settings, and not under status.",
        shows=Symptom("BatteryLevel=20", 20, 57.3)),
    Row("on-refused-once-left", "PWR-STANDBY-ON", "L3", _TWO, OnRefused,
        "Once the machine has left On it never takes On again.",
        shows=Symptom("PowerState=Standby; PowerState=On", "Standby", "On")),
    Row("child-lock-off-late", "SET-WRITABLE", "L3", _TWO, UnlockedLate,
        "ChildLock shows that it is off after ten reads: later than a run that writes it waits for.",
        shows=Symptom("ChildLock=true; ChildLock=false", True, False)),
    Row("child-lock-off-refused-three-times", "SET-WRITABLE", "L3", _TWO, UnlockRefused,
        "ChildLock refuses three times to be switched off: twice to a procedure, once to who puts it back.",
        shows=Symptom("ChildLock=true; ChildLock=false", True, False)),
    Row("child-lock-off-refused-four-times", "SET-WRITABLE", "L3", _TWO, UnlockRefusedAgain,
        "ChildLock refuses four times to be switched off, so the third write that puts back is taken.",
        shows=Symptom("ChildLock=true; ChildLock=false", True, False)),
)
# fmt: on

add(__name__, ROWS)
