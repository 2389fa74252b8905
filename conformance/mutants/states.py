"""Servers whose operation state contradicts their power state, and one status that should not be there.

> Inactive | Vendor.Common.EnumType.OperationState.Inactive | Switched off or in standby
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from conformance.mutants.model import mutant
from conformance.mutants.soil import CAMERA_STATE, COFFEE_COUNT, CUP_WARMER, HOOD, MACHINE, ROBOT, TIMED_OVEN
from conformance.reference.fleet_cooking import COFFEE_MAKER
from conformance.reference.names import INACTIVE, ON, OPERATION_STATE, POWER_FAMILY, POWER_STATE, READY
from conformance.reference.service import Service

if TYPE_CHECKING:
    from conformance.reference.appliance import Appliance
    from conformance.reference.wire import Json

_OFF, _STANDBY = f"{POWER_FAMILY}.Off", f"{POWER_FAMILY}.Standby"
_ON_AND_INACTIVE = "The appliance is On and Inactive, which both sentences exclude."

_OFF_MACHINE = MACHINE.having({POWER_STATE: _OFF, OPERATION_STATE: INACTIVE})
_RESTING_COFFEE_MAKER = COFFEE_MAKER.only(POWER_STATE, CUP_WARMER, OPERATION_STATE, COFFEE_COUNT).having(
    {POWER_STATE: _STANDBY, OPERATION_STATE: INACTIVE}
)


@mutant("inactive-while-on", clause="OPS-INACTIVE", level="L0", partners={"OPS-ON-NOT-INACTIVE": _ON_AND_INACTIVE})
class InactiveWhileOn(Service):
    """OperationState is always Inactive, also while the appliance is on."""

    fleet = (MACHINE,)

    def value(self, appliance: Appliance, key: str) -> Json:
        """Rest for ever."""
        return INACTIVE if key == OPERATION_STATE else super().value(appliance, key)


@mutant("idle-hood-is-inactive", clause="OPS-INACTIVE", level="L0", partners={"OPS-ON-NOT-INACTIVE": _ON_AND_INACTIVE})
class IdleHoodIsInactive(Service):
    """A hood that is on without a program says Inactive in place of Ready."""

    fleet = (HOOD,)

    def value(self, appliance: Appliance, key: str) -> Json:
        """Take Ready for Inactive."""
        shown = super().value(appliance, key)
        return INACTIVE if shown == READY else shown


@mutant("on-though-it-rests", clause="OPS-ON-NOT-INACTIVE", level="L0", partners={"OPS-INACTIVE": _ON_AND_INACTIVE})
class OnThoughItRests(Service):
    """PowerState is On though the appliance is off, and OperationState is Inactive as it should be."""

    fleet = (_OFF_MACHINE,)

    def value(self, appliance: Appliance, key: str) -> Json:
        """Show the appliance as switched on."""
        return ON if key == POWER_STATE else super().value(appliance, key)


@mutant("asleep-after-switching-on", clause="OPS-ON-NOT-INACTIVE", level="L0", partners={"OPS-INACTIVE": _ON_AND_INACTIVE})
class AsleepAfterSwitchingOn(Service):
    """OperationState stays Inactive when the appliance is switched on, as it has been before the run."""

    fleet = (_RESTING_COFFEE_MAKER,)

    def reset(self) -> None:
        """Switch on, and leave the operation state behind."""
        super().reset()
        for appliance in self.appliances.values():
            self.change(appliance, POWER_STATE, ON)


@mutant("ready-while-off", clause="OPS-READY", level="L0")
class ReadyWhileOff(Service):
    """OperationState is Ready while the appliance is off."""

    fleet = (_OFF_MACHINE,)

    def value(self, appliance: Appliance, key: str) -> Json:
        """Be ready in any case."""
        return READY if key == OPERATION_STATE else super().value(appliance, key)


@mutant("ready-in-standby", clause="OPS-READY", level="L0")
class ReadyInStandby(Service):
    """OperationState is Ready while the appliance is in standby."""

    fleet = (_RESTING_COFFEE_MAKER,)

    def value(self, appliance: Appliance, key: str) -> Json:
        """Take Inactive for Ready."""
        shown = super().value(appliance, key)
        return READY if shown == INACTIVE else shown


@mutant("camera-without-a-camera", clause="OPT-CAMERA", level="L1")
class CameraWithoutACamera(Service):
    """CameraState is returned by a robot without a streaming camera."""

    fleet = (ROBOT,)

    def reset(self) -> None:
        """Give every appliance the state of a camera."""
        super().reset()
        for appliance in self.appliances.values():
            appliance.values[CAMERA_STATE] = "Vendor.Common.EnumType.Video.CameraState.Sleeping"


@mutant("camera-disabled-everywhere", clause="OPT-CAMERA", level="L1")
class CameraDisabledEverywhere(Service):
    """CameraState is Disabled where there is no camera, in place of not being there."""

    fleet = (replace(TIMED_OVEN, ha_id="oven-2"),)

    def reset(self) -> None:
        """Give every appliance a camera that is switched off."""
        super().reset()
        for appliance in self.appliances.values():
            appliance.values.setdefault(CAMERA_STATE, "Vendor.Common.EnumType.Video.CameraState.Disabled")
