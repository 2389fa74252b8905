"""Servers that are wrong only while a state holds that may keep a value from being read or written.

> Type of the value
> An enumeration value is identified by its own key, listed below.

A state excuses a refusal, or a write without effect. It excuses nothing of this.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from conformance.mutants.model import mutant
from conformance.mutants.soil import AMBIENT_BRIGHTNESS, AMBIENT_COLOR, AMBIENT_ENABLED, CHILD_LOCK, DOOR_STATE, MACHINE
from conformance.mutants.write_shapes import Writable
from conformance.mutants.write_soil import GLOWING_PRESET, OFF
from conformance.reference.fleet_household import DISHWASHER
from conformance.reference.names import INACTIVE, OPERATION_STATE, POWER_STATE
from conformance.reference.service import Service

if TYPE_CHECKING:
    from catalog.model import Segment
    from conformance.reference.appliance import Appliance
    from conformance.reference.wire import Json, Refusal, Reply

_DARK = GLOWING_PRESET.having({AMBIENT_ENABLED: False})
_SUCCESS = 200
_CLOSED = "Vendor.Common.EnumType.DoorState.Closed"
_LOCKED = DISHWASHER.only(CHILD_LOCK, DOOR_STATE).having({CHILD_LOCK: True, DOOR_STATE: _CLOSED})
_READ = {
    "READ-SETTING": "A setting is answered with a success and without a value.",
    "READ-STATUS": "A status is answered with a success and without a value.",
}
_CLAIMED = _READ | {"ADDR-SEG-STATUS": "A claimed status has no value under the segment status."}


class Garbling(Service):
    """While the appliance is off, every answer about another key than its power state is cut in the middle of its JSON."""

    fleet = (MACHINE.having({POWER_STATE: OFF, OPERATION_STATE: INACTIVE}),)

    def read(self, appliance: Appliance, segment: Segment, key: str) -> Reply:
        """Send half of each body."""
        reply = super().read(appliance, segment, key)
        is_off = appliance.values[POWER_STATE] == OFF and key != POWER_STATE
        return replace(reply, body=reply.body[: len(reply.body) // 2]) if is_off and reply.status == _SUCCESS else reply


class Careless(Service):
    """What is written to one setting of the ambient light while the light is off is stored as it is.

    Attributes:
        key: that setting.
        taken: the types of the values.
    """

    fleet = (_DARK,)
    key: ClassVar[str] = AMBIENT_BRIGHTNESS
    taken: ClassVar[tuple[type, ...]] = (str,)

    def accepts(self, appliance: Appliance, key: str, value: Json) -> Refusal | None:
        """Look at nothing while the light is off."""
        is_off = key == self.key and appliance.values[AMBIENT_ENABLED] is False
        is_taken = isinstance(value, self.taken) and not isinstance(value, bool)
        return None if is_off and is_taken else super().accepts(appliance, key, value)


@mutant("text-stored-while-the-light-is-off", clause="SET-TYPEGUARD", level="L3")
class TextStoredWhileOff(Careless):
    """A text written to AmbientLightBrightness while the ambient light is off is stored as a text."""


@mutant("any-color-while-the-light-is-off", clause="SET-ENUMGUARD", level="L3")
class AnyColorWhileOff(Careless):
    """Any word written to AmbientLightColor while the ambient light is off is stored."""

    key = AMBIENT_COLOR


@mutant("any-number-while-the-light-is-off", clause="RANGE-WRITE-OUT", level="L3")
class AnyNumberWhileOff(Careless):
    """Any number written to AmbientLightBrightness while the ambient light is off is stored."""

    taken = (int, float)


@mutant("door-follows-while-locked", clause="STA-READONLY", level="L3")
class DoorFollowsWhileLocked(Writable):
    """A write of DoorState opens and closes the door while ChildLock is on, and has no effect otherwise."""

    fleet = (_LOCKED,)
    key = DOOR_STATE

    def writable(self, appliance: Appliance, segment: Segment, key: str) -> Refusal | None:
        """Obey while everything else is locked."""
        locked = appliance.values[CHILD_LOCK] is True
        return super().writable(appliance, segment, key) if locked else Service.writable(self, appliance, segment, key)


@mutant("garbled-while-off", clause="READ-VALUE", level="L1", partners=_CLAIMED)
class GarbledWhileOff(Garbling):
    """While the appliance is off, every answer about another key than its power state is cut in the middle of its JSON."""


@mutant("garbled-while-off-and-unclaimed", clause="READ-VALUE", level="L0", partners=_READ)
class GarbledWhileOffAndUnclaimed(Garbling):
    """The same of an appliance of which nothing is claimed."""
