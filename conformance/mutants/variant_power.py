"""Appliances that are off, in standby, out of reach, or on their way there.

> Inactive | Switched off or in standby

Nothing says what else can be read of an appliance that is not on.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from conformance.mutants.model import variant
from conformance.mutants.soil import COUNTING, MACHINE, MACHINE_LIT, TIMED_OVEN
from conformance.reference.names import INACTIVE, ON, OPERATION_STATE, POWER_STATE
from conformance.reference.service import Service
from conformance.reference.wire import Refusal, Reply

if TYPE_CHECKING:
    from catalog.model import Segment
    from conformance.reference.appliance import Appliance, ApplianceSpec
    from conformance.reference.wire import Incoming, Route

_OFF = "Vendor.Common.EnumType.PowerState.Off"
_STANDBY = "Vendor.Common.EnumType.PowerState.Standby"
_STATE = "Vendor.Common.EnumType.OperationState"

_MACHINE_OFF = MACHINE.having({POWER_STATE: _OFF, OPERATION_STATE: INACTIVE})
_MACHINE_STANDBY = MACHINE.having({POWER_STATE: _STANDBY, OPERATION_STATE: INACTIVE})
_SUCCESS = 200
_OFFLINE = Refusal(409, "SDK.Error.HomeAppliance.Connection.Initialization.Failed", "The appliance is offline")


class Away(Service):
    """A service whose appliances are not on, so no profile says that they are on and online."""

    def claims(self, spec: ApplianceSpec) -> dict[str, object]:
        """Claim everything but that."""
        return {field: fact for field, fact in super().claims(spec).items() if field != "online"}


@variant("off-and-readable", clause="OPS-READY")
class OffAndReadable(Away):
    """The machine is off and Inactive, and everything can be read."""

    fleet = (_MACHINE_OFF,)


@variant("off-and-silent", clause="READ-SETTING")
class OffAndSilent(Away):
    """The machine is off and refuses everything but PowerState, as it refuses what it does not have."""

    fleet = (_MACHINE_OFF,)

    def serves(self, appliance: Appliance, segment: Segment, key: str) -> bool:
        """Know nothing but the switch."""
        awake = key == POWER_STATE or appliance.values[POWER_STATE] == ON
        return awake and super().serves(appliance, segment, key)


@variant("off-and-empty", clause="READ-VALUE")
class OffAndEmpty(Away):
    """The machine is off, and every answer about anything but PowerState is a success without a body."""

    fleet = (_MACHINE_OFF,)

    def read(self, appliance: Appliance, segment: Segment, key: str) -> Reply:
        """Have nothing to say."""
        reply = super().read(appliance, segment, key)
        is_said = key == POWER_STATE or appliance.values[POWER_STATE] == ON or not reply.body or reply.status != _SUCCESS
        return reply if is_said else replace(reply, body=b"")


@variant("standby-and-silent", clause="READ-STATUS")
class StandbyAndSilent(Away):
    """The machine is in standby and says of everything but PowerState that this is not the moment."""

    fleet = (_MACHINE_STANDBY,)

    def read(self, appliance: Appliance, segment: Segment, key: str) -> Reply:
        """Answer when awake."""
        if key in appliance.values and key != POWER_STATE and appliance.values[POWER_STATE] != ON:
            return self.refuse(Refusal(409, "SDK.Error.WrongOperationState", "Not while the appliance is in standby"))
        return super().read(appliance, segment, key)


@variant("off-and-null", clause="TYPE-NOTNULL")
class OffAndNull(Away):
    """The machine is off, and the value of everything but PowerState is null until it is on."""

    fleet = (MACHINE_LIT.having({POWER_STATE: _OFF}),)

    def read(self, appliance: Appliance, segment: Segment, key: str) -> Reply:
        """Have no value to show."""
        asleep = key != POWER_STATE and appliance.values[POWER_STATE] != ON
        if asleep and self.serves(appliance, segment, key):
            return self.show({"key": self.spell(appliance, key), "value": None})
        return super().read(appliance, segment, key)


@variant("off-hangs-up", clause="READ-STATUS")
class OffHangsUp(Away):
    """The machine is off, and whoever asks for anything but PowerState gets no answer."""

    fleet = (_MACHINE_OFF,)

    def read(self, appliance: Appliance, segment: Segment, key: str) -> Reply:
        """Hang up."""
        asleep = key != POWER_STATE and appliance.values[POWER_STATE] != ON
        return Reply(200, drop=True) if asleep else super().read(appliance, segment, key)


@variant("out-of-reach", clause="READ-SETTING")
class OutOfReach(Away):
    """The machine is off at the wall: no question about it is answered, while an oven of the same hub answers."""

    fleet = (_MACHINE_OFF, TIMED_OVEN)

    def read(self, appliance: Appliance, segment: Segment, key: str) -> Reply:
        """Wait for the machine, and give up."""
        gone = appliance.kind == _MACHINE_OFF.kind
        return Reply(200, drop=True) if gone else super().read(appliance, segment, key)


@variant("offline", clause="ADDR-BASE")
class Offline(Away):
    """The hub has lost the machine and says so, whatever is asked; the profile says that it is offline."""

    fleet = (MACHINE,)

    def visit(self, request: Incoming, appliance: Appliance, route: Route) -> Reply:  # noqa: ARG002  every question ends alike
        """Blame the connection."""
        return self.refuse(_OFFLINE)


@variant("oven-in-standby", clause="PWR-STANDBY-OFF")
class OvenInStandby(Away):
    """The oven is in standby, which is all it can be but on."""

    fleet = (TIMED_OVEN.having({POWER_STATE: _STANDBY}), COUNTING.having({POWER_STATE: _STANDBY, OPERATION_STATE: INACTIVE}))


@variant("errors-while-off", clause="OPS-OTHERS")
class ErrorsWhileOff(Away):
    """One machine is off and in an error state, one has finished and sleeps, one waits in standby for its time, one is off and runs."""

    fleet = (
        replace(_MACHINE_OFF.having({OPERATION_STATE: f"{_STATE}.Error"}), ha_id="machine-error"),
        replace(_MACHINE_STANDBY.having({OPERATION_STATE: f"{_STATE}.Finished"}), ha_id="machine-finished"),
        replace(_MACHINE_STANDBY.having({OPERATION_STATE: f"{_STATE}.DelayedStart"}), ha_id="machine-waiting"),
        replace(_MACHINE_OFF.having({OPERATION_STATE: f"{_STATE}.Run"}), ha_id="machine-running"),
    )
