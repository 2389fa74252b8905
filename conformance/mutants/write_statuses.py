"""Servers whose statuses can be written.

> a set of statuses (read-only states)
> Can become false by a programmatic change (only disabling)
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from conformance.mutants.model import mutant
from conformance.mutants.soil import BATTERY_LEVEL, CHILD_LOCK, COFFEE_COUNT, DOOR_STATE, LIFTED, LOST, MAP_NAME_1, REMOTE_CONTROL
from conformance.mutants.write_shapes import Writable
from conformance.mutants.write_soil import CUPS
from conformance.reference.fleet_cooking import COFFEE_MAKER
from conformance.reference.fleet_household import DISHWASHER, ROBOT_BLIND, ROBOT_WATCHING
from conformance.reference.names import REMOTE_START
from conformance.reference.service import Service

if TYPE_CHECKING:
    from catalog.model import Segment
    from conformance.reference.appliance import Appliance
    from conformance.reference.wire import Reply

_CLOSED = "Vendor.Common.EnumType.DoorState.Closed"

_DOOR = DISHWASHER.only(CHILD_LOCK, REMOTE_CONTROL, DOOR_STATE).having({DOOR_STATE: _CLOSED})
_ROBOT = ROBOT_WATCHING.only(MAP_NAME_1, LOST, LIFTED)
_ROBOT_CHARGED = ROBOT_BLIND.only(MAP_NAME_1, BATTERY_LEVEL, LIFTED)
_REMOTE = COFFEE_MAKER.only(CHILD_LOCK, REMOTE_CONTROL, REMOTE_START, COFFEE_COUNT)


@mutant("door-written-open", clause="STA-READONLY", level="L3")
class DoorWrittenOpen(Writable):
    """A write of DoorState under the segment status opens and closes the door."""

    fleet = (_DOOR,)
    key = DOOR_STATE


@mutant("lost-by-setting", clause="STA-READONLY", level="L3")
class LostBySetting(Writable):
    """Lost, which is shown under both segments, can be written under settings."""

    fleet = (_ROBOT,)
    key, under = LOST, "settings"


@mutant("battery-filled-by-writing", clause="STA-READONLY", level="L3")
class BatteryFilledByWriting(Writable):
    """BatteryLevel takes every value in its range that is written to it."""

    fleet = (_ROBOT_CHARGED,)
    key = BATTERY_LEVEL


@mutant("coffee-uncounted", clause="STA-READONLY", level="L3")
class CoffeeUncounted(Service):
    """A write of the counter of coffee is refused with 405, and the counter has the written number."""

    fleet = (CUPS,)

    def write(self, appliance: Appliance, segment: Segment, key: str, body: bytes) -> Reply:
        """Refuse and obey."""
        if key == COFFEE_COUNT:
            with suppress(ValueError):
                number = self.decode(appliance, key, body)
                if self.fits_type(self.entries[key], number):
                    self.apply(appliance, key, number)
        return super().write(appliance, segment, key, body)


@mutant("remote-start-written", clause="STA-RCSA-DISABLE-ONLY", level="L3")
class RemoteStartWritten(Writable):
    """RemoteControlStartAllowed can be written true."""

    fleet = (_REMOTE,)
    key = REMOTE_START


@mutant("remote-start-refused-and-given", clause="STA-RCSA-DISABLE-ONLY", level="L3")
class RemoteStartRefusedAndGiven(Service):
    """A write of RemoteControlStartAllowed is refused, and the status is what was written."""

    fleet = (_REMOTE,)

    def write(self, appliance: Appliance, segment: Segment, key: str, body: bytes) -> Reply:
        """Refuse and obey."""
        if key == REMOTE_START:
            with suppress(ValueError):
                self.apply(appliance, key, self.decode(appliance, key, body) is True)
        return super().write(appliance, segment, key, body)
