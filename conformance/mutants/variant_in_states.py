"""Odd behaviour while a state holds that a hasty judge would take for a fault: a value made right, a hand on a door.

> Changes by local user action or automatically (e.g. locking)

These are the counterparts of servers that store or follow while such a state holds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.mutants.model import variant
from conformance.mutants.soil import AMBIENT_BRIGHTNESS, AMBIENT_ENABLED, CHILD_LOCK, DOOR_STATE, REMOTE_CONTROL
from conformance.mutants.write_shapes import Writable
from conformance.mutants.write_soil import GLOWING_PRESET
from conformance.reference.fleet_household import DISHWASHER
from conformance.reference.service import Service

if TYPE_CHECKING:
    from conformance.reference.appliance import Appliance
    from conformance.reference.wire import Json

_CLOSED = "Vendor.Common.EnumType.DoorState.Closed"
_OPERATED = DISHWASHER.only(CHILD_LOCK, REMOTE_CONTROL, DOOR_STATE).having({REMOTE_CONTROL: False, DOOR_STATE: _CLOSED})
_LEAST, _MOST = 10, 100


@variant("clamped-while-the-light-is-off", clause="RANGE-WRITE-OUT", knowledges=("full",))
class ClampedWhileOff(Service):
    """A number written to AmbientLightBrightness while the ambient light is off becomes the nearest end of its range."""

    fleet = (GLOWING_PRESET.having({AMBIENT_ENABLED: False}),)

    def decode(self, appliance: Appliance, key: str, body: bytes) -> Json:
        """Make of a number what can be made of it."""
        value = super().decode(appliance, key, body)
        is_off = key == AMBIENT_BRIGHTNESS and appliance.values[AMBIENT_ENABLED] is False
        if is_off and isinstance(value, int | float) and not isinstance(value, bool):
            return max(_LEAST, min(_MOST, value))
        return value


@variant("door-moved-by-hand", clause="STA-READONLY", knowledges=("full",))
class DoorMovedByHand(Writable):
    """Remote control is not allowed, and a person opens and closes the door whenever a write of DoorState happens to arrive."""

    fleet = (_OPERATED,)
    key = DOOR_STATE
