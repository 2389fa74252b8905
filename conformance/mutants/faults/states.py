"""Statuses that contradict the power state, that a person does not move, or that should not be there.

> Inactive | Vendor.Common.EnumType.OperationState.Inactive | Switched off or in standby
> reverts after a few seconds without intervention
"""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from catalog import keys
from conformance.mutants.faults.rows import Row, add
from conformance.mutants.faults.shapes import converts, sends
from conformance.mutants.fleets import HOOD, MACHINE, ROBOT, TIMED_OVEN
from conformance.mutants.model import Symptom
from conformance.reference.fleets.cleaning import DISHWASHER
from conformance.reference.fleets.cooking import COFFEE_MAKER
from conformance.reference.service import Service

if TYPE_CHECKING:
    from conformance.reference.appliance import Appliance
    from conformance.reference.wire import Json

_ON_AND_INACTIVE = "The appliance is On and Inactive, which both sentences exclude."
_BRIEF = MappingProxyType({"timing": {"local_control_max_s": 0.5, "local_control_fail_s": 1.0}})

_OFF_MACHINE = MACHINE.having({keys.POWER_STATE: keys.OFF, keys.OPERATION_STATE: keys.INACTIVE})
_RESTING_COFFEE_MAKER = COFFEE_MAKER.only(
    keys.POWER_STATE, keys.CUP_WARMER, keys.OPERATION_STATE, keys.COFFEE_COUNT
).having({keys.POWER_STATE: keys.STANDBY, keys.OPERATION_STATE: keys.INACTIVE})
_TOUCHED = DISHWASHER.only(keys.CHILD_LOCK, keys.REMOTE_CONTROL, keys.LOCAL_CONTROL, keys.DOOR_STATE)


def _starts(key: str, value: Json) -> type[Service]:
    """Every appliance starts with a value of a key, whether it has the key or not."""

    class Starts(Service):
        def reset(self) -> None:
            super().reset()
            for appliance in self.appliances.values():
                appliance.values[key] = value

    return Starts


class HandsUnnoticed(Service):
    def touch(self, appliance: Appliance) -> None:
        pass


class HandsNoticedTooBriefly(Service):
    def touch(self, appliance: Appliance) -> None:
        self.change(appliance, keys.LOCAL_CONTROL, value=True)
        self.change(appliance, keys.LOCAL_CONTROL, value=False)


class HandsNeverOff(Service):
    def watch(self, appliance: Appliance, key: str, value: Json) -> None:
        if key != keys.LOCAL_CONTROL:
            super().watch(appliance, key, value)


# A row of a table takes two or three lines; the formatter would make ten of them.
# fmt: off
ROWS = (
    Row("inactive-while-on", "OPS-INACTIVE", "L0", MACHINE, sends(keys.OPERATION_STATE, keys.INACTIVE),
        "OperationState is always Inactive, also while the appliance is on.",
        partners={"OPS-ON-NOT-INACTIVE": _ON_AND_INACTIVE}),
    Row("idle-hood-is-inactive", "OPS-INACTIVE", "L0", HOOD,
        converts(lambda sent: keys.INACTIVE if sent == keys.READY else sent),
        "A hood that is on without a program says Inactive in place of Ready.",
        partners={"OPS-ON-NOT-INACTIVE": _ON_AND_INACTIVE}),
    Row("ready-while-off", "OPS-READY", "L0", _OFF_MACHINE, sends(keys.OPERATION_STATE, keys.READY),
        "OperationState is Ready while the appliance is off."),
    Row("ready-in-standby", "OPS-READY", "L0", _RESTING_COFFEE_MAKER,
        converts(lambda sent: keys.READY if sent == keys.INACTIVE else sent),
        "OperationState is Ready while the appliance is in standby."),
    Row("on-though-it-rests", "OPS-ON-NOT-INACTIVE", "L0", _OFF_MACHINE, sends(keys.POWER_STATE, keys.ON),
        "PowerState is On though the appliance is off, and OperationState is Inactive as it should be.",
        partners={"OPS-INACTIVE": _ON_AND_INACTIVE}),
    Row("asleep-after-switching-on", "OPS-ON-NOT-INACTIVE", "L0", _RESTING_COFFEE_MAKER,
        _starts(keys.POWER_STATE, keys.ON),
        "OperationState stays Inactive when the appliance is switched on, as it has been before the run.",
        partners={"OPS-INACTIVE": _ON_AND_INACTIVE}),
    Row("hands-unnoticed", "SELF-LOCALCONTROL", "L4", _TOUCHED, HandsUnnoticed,
        "LocalControlActive never becomes true, whoever operates the appliance.",
        shows=Symptom("touch", False, True, read="LocalControlActive")),
    Row("hands-noticed-too-briefly", "SELF-LOCALCONTROL", "L4", _TOUCHED, HandsNoticedTooBriefly,
        "LocalControlActive ends in the very moment in which the appliance is operated.",
        shows=Symptom("touch", False, True, read="LocalControlActive")),
    Row("hands-never-off", "SELF-LOCALCONTROL", "L4", _TOUCHED, HandsNeverOff,
        "LocalControlActive, once true, never becomes false again.", profile=_BRIEF,
        shows=Symptom("touch; advance", True, False, read="LocalControlActive")),
    Row("camera-without-a-camera", "OPT-CAMERA", "L1", ROBOT,
        _starts(keys.CAMERA_STATE, "Vendor.Common.EnumType.Video.CameraState.Sleeping"),
        "CameraState is returned by a robot without a streaming camera."),
    Row("camera-disabled-everywhere", "OPT-CAMERA", "L1", replace(TIMED_OVEN, ha_id="oven-2"),
        _starts(keys.CAMERA_STATE, "Vendor.Common.EnumType.Video.CameraState.Disabled"),
        "CameraState is Disabled where there is no camera, in place of not being there."),
)
# fmt: on

add(__name__, ROWS)
