"""Servers that answer the same GET otherwise the next time, or change a setting by it.

> Each setting or status can be read individually with a GET request on its key.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.mutants.model import mutant
from conformance.mutants.shapes import Alternating
from conformance.mutants.soil import (
    AMBIENT_COLOR,
    AMBIENT_ENABLED,
    CHILD_LOCK,
    CURRENT_MAP,
    FRIDGE_EQUIPPED,
    INTERNAL_LIGHT,
    MACHINE,
    REMOTE_CONTROL,
    ROBOT_NAMED,
)
from conformance.reference.fleet_cooking import HOOD_COLORFUL
from conformance.reference.names import POWER_STATE
from conformance.reference.service import Service
from conformance.reference.wire import UNSUPPORTED, Reply, dump

if TYPE_CHECKING:
    from conformance.reference.appliance import Appliance
    from conformance.reference.wire import Json

_REFUSED = UNSUPPORTED["settings"]


@mutant("every-second-refused", clause="READ-REPEAT", level="L1")
class EverySecondRefused(Alternating):
    """Every second GET of ChildLock is refused like an unknown key."""

    fleet = (MACHINE,)
    key, reply = CHILD_LOCK, Reply(_REFUSED.status, dump({"error": {"key": _REFUSED.key, "description": _REFUSED.description}}))


@mutant("every-second-empty", clause="READ-REPEAT", level="L1")
class EverySecondEmpty(Alternating):
    """Every second GET of RemoteControlActive is answered 200 with an empty body."""

    fleet = (MACHINE,)
    key, reply = REMOTE_CONTROL, Reply(200)


@mutant("every-second-no-content", clause="READ-REPEAT", level="L1")
class EverySecondNoContent(Alternating):
    """Every second GET of the light of a refrigerator is answered 204."""

    fleet = (FRIDGE_EQUIPPED,)
    key, reply = INTERNAL_LIGHT, Reply(204, media_type=None)


@mutant("color-moves-on", clause="READ-SAFE", level="L0")
class ColorMovesOn(Service):
    """Each GET of AmbientLightColor goes on to the next colour."""

    fleet = (HOOD_COLORFUL.only(POWER_STATE, AMBIENT_ENABLED, AMBIENT_COLOR),)

    def value(self, appliance: Appliance, key: str) -> Json:
        """Show the next colour, and keep it."""
        if key == AMBIENT_COLOR:
            stem, _, number = str(appliance.values[key]).rpartition("Color")
            self.change(appliance, key, f"{stem}Color{int(number) % 99 + 1}")
        return super().value(appliance, key)


@mutant("lock-flips", clause="READ-SAFE", level="L0")
class LockFlips(Service):
    """Each GET of ChildLock flips it."""

    fleet = (MACHINE,)

    def value(self, appliance: Appliance, key: str) -> Json:
        """Flip the lock, and show it."""
        if key == CHILD_LOCK:
            self.change(appliance, key, not appliance.values[key])
        return super().value(appliance, key)


@mutant("map-moves-on", clause="READ-SAFE", level="L0")
class MapMovesOn(Service):
    """Each GET of CurrentMap selects the next map."""

    fleet = (ROBOT_NAMED,)

    def value(self, appliance: Appliance, key: str) -> Json:
        """Select the next map, and show it."""
        if key == CURRENT_MAP:
            maps = self.entries[key].values or ()
            self.change(appliance, key, maps[(maps.index(str(appliance.values[key])) + 1) % len(maps)])
        return super().value(appliance, key)
