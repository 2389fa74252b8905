"""Values that move between two reads although nobody wrote anything.

> Two statuses revert on their own

A super mode ends by itself as well (line 48), and nothing says what else people and appliances do meanwhile.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from conformance.mutants.model import variant
from conformance.mutants.soil import (
    ALARM_CLOCK,
    BATTERY_LEVEL,
    COFFEE_COUNT,
    COUNTING,
    DOOR_STATE,
    FRIDGE,
    MACHINE,
    ROBOT_TWOFOLD,
    TIMED_OVEN,
)
from conformance.reference.fleet_household import DISHWASHER
from conformance.reference.names import OPERATION_STATE, POWER_STATE, REMOTE_START, SUPER_REFRIGERATOR
from conformance.reference.service import Service

if TYPE_CHECKING:
    from collections.abc import Mapping

    from conformance.reference.appliance import Appliance
    from conformance.reference.wire import Incoming, Json, Reply

_OFF = "Vendor.Common.EnumType.PowerState.Off"
_DOORS = {
    "Vendor.Common.EnumType.DoorState.Open": "Vendor.Common.EnumType.DoorState.Closed",
    "Vendor.Common.EnumType.DoorState.Closed": "Vendor.Common.EnumType.DoorState.Locked",
    "Vendor.Common.EnumType.DoorState.Locked": "Vendor.Common.EnumType.DoorState.Open",
}
_PROGRAM = {
    "Vendor.Common.EnumType.OperationState.Finished": "Vendor.Common.EnumType.OperationState.Run",
    "Vendor.Common.EnumType.OperationState.Run": "Vendor.Common.EnumType.OperationState.Pause",
    "Vendor.Common.EnumType.OperationState.Pause": "Vendor.Common.EnumType.OperationState.Error",
    "Vendor.Common.EnumType.OperationState.Error": "Vendor.Common.EnumType.OperationState.Finished",
}

_STARTABLE = DISHWASHER.only(POWER_STATE, OPERATION_STATE, REMOTE_START).having({REMOTE_START: True})


class Moving(Service):
    """Values go on by one step whenever they are read."""

    def value(self, appliance: Appliance, key: str) -> Json:
        """Show the value and move it."""
        shown = super().value(appliance, key)
        moved = self.moved(key, shown)
        if moved != shown:
            self.change(appliance, key, moved)
        return shown

    def moved(self, key: str, value: Json) -> Json:  # noqa: ARG002  each of them moves one key
        """The value at the next read."""
        return value


@variant("super-mode-ends", clause="COOL-SUPER-TIMEOUT")
class SuperModeEnds(Service):
    """SuperModeRefrigerator is found on and ends by itself after the second read."""

    fleet = (FRIDGE.having({SUPER_REFRIGERATOR: True}),)
    left = 2

    def value(self, appliance: Appliance, key: str) -> Json:
        """Count the reads while it is on."""
        shown = super().value(appliance, key)
        if key == SUPER_REFRIGERATOR and shown is True:
            self.left -= 1
            if self.left == 0:
                self.change(appliance, key, value=False)
        return shown


@variant("switches-itself-off", clause="PWR-SPONTANEOUS")
class SwitchesItselfOff(Service):
    """The machine goes off by itself once, after a dozen questions, and is Inactive then."""

    fleet = (MACHINE,)
    left = 12

    def answer(self, request: Incoming) -> Reply:
        """Count the questions."""
        self.left -= 1
        if self.left == 0:
            self.apply(self.appliances[MACHINE.ha_id], POWER_STATE, _OFF)
        return super().answer(request)


@variant("battery-drains", clause="PATH-AGREE")
class BatteryDrains(Moving):
    """BatteryLevel is a tenth of a point lower at every read, under either segment."""

    fleet = (ROBOT_TWOFOLD,)

    def moved(self, key: str, value: Json) -> Json:
        """Use some of it."""
        return round(max(0.0, value - 0.1), 1) if key == BATTERY_LEVEL and isinstance(value, int | float) else value


@variant("counter-counts", clause="READ-REPEAT")
class CounterCounts(Moving):
    """Somebody drinks a coffee between any two reads."""

    fleet = (COUNTING,)

    def moved(self, key: str, value: Json) -> Json:
        """Count one more."""
        return value + 1 if key == COFFEE_COUNT and isinstance(value, int) else value


@variant("alarm-clock-runs", clause="READ-SAFE")
class AlarmClockRuns(Moving):
    """AlarmClock shows the seconds left, one fewer at every read down to 0, and cannot be written."""

    fleet = (replace(TIMED_OVEN, read_only=frozenset({ALARM_CLOCK})).having({ALARM_CLOCK: 30}),)

    def moved(self, key: str, value: Json) -> Json:
        """Run down."""
        return max(0, value - 1) if key == ALARM_CLOCK and isinstance(value, int) else value


@variant("door-moves", clause="SELF-DOOR")
class DoorMoves(Moving):
    """The door is opened, closed and locked between any two reads, in an order of its own."""

    fleet = (MACHINE,)

    def moved(self, key: str, value: Json) -> Json:
        """Move the door."""
        return _DOORS[value] if key == DOOR_STATE and isinstance(value, str) else value


@variant("program-jumps", clause="OPS-TRANSITIONS")
class ProgramJumps(Moving):
    """OperationState goes from Finished to Run, Pause, Error and back, between any two reads."""

    fleet = (MACHINE.having({OPERATION_STATE: "Vendor.Common.EnumType.OperationState.Finished"}),)

    def moved(self, key: str, value: Json) -> Json:
        """Jump on; a state the jumps do not know stays."""
        return _PROGRAM.get(value, value) if key == OPERATION_STATE and isinstance(value, str) else value


@variant("remote-start-for-thirty-hours", clause="SELF-RCSA-24H")
class RemoteStartForThirtyHours(Service):
    """RemoteControlStartAllowed is true and stays so for 30 hours."""

    fleet = (_STARTABLE,)
    reverting: ClassVar[Mapping[str, float]] = {**Service.reverting, REMOTE_START: 30 * 3600.0}


@variant("remote-start-for-ten-minutes", clause="SELF-RCSA-24H")
class RemoteStartForTenMinutes(Service):
    """RemoteControlStartAllowed is true and ends after ten minutes."""

    fleet = (_STARTABLE,)
    reverting: ClassVar[Mapping[str, float]] = {**Service.reverting, REMOTE_START: 600.0}
