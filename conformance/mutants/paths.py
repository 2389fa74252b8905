"""Servers that are wrong about the four statuses with two segments, or about how many there are.

> Which segment is authoritative for them is not shown.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.mutants.model import mutant
from conformance.mutants.shapes import Displaced, Misanswered, Unserved
from conformance.mutants.soil import (
    BATTERY_LEVEL,
    CHARGING_CONNECTION,
    CHARGING_STATE,
    DUST_BOX,
    LAST_MAP,
    LIFTED,
    LOST,
    MACHINE,
    PROBED,
    ROBOT,
    ROBOT_NAMED,
    ROBOT_TWOFOLD,
)
from conformance.reference.service import Service
from conformance.reference.wire import Reply, dump

if TYPE_CHECKING:
    from catalog.model import Entry, Segment
    from conformance.reference.appliance import Appliance
    from conformance.reference.wire import Json, Members

_NO_LENIENCY = {
    "ADDR-SEG-STATUS": "A claimed status has no value under the segment status.",
    "READ-STATUS": "A claimed status is refused under the segment status.",
}


@mutant("battery-on-neither-path", clause="PATH-BATTERYLEVEL", level="L1")
class BatteryOnNeitherPath(Unserved):
    """BatteryLevel, which is claimed, is refused under both segments like an unknown key."""

    fleet = (ROBOT,)
    key = BATTERY_LEVEL


@mutant("battery-no-content", clause="PATH-BATTERYLEVEL", level="L1")
class BatteryNoContent(Misanswered):
    """BatteryLevel, which is claimed, is answered 204 under both segments."""

    fleet = (ROBOT_TWOFOLD,)
    key, reply = BATTERY_LEVEL, Reply(204, media_type=None)


@mutant("dust-box-on-neither-path", clause="PATH-DUSTBOX", level="L1")
class DustBoxOnNeitherPath(Unserved):
    """DustBoxInserted, which is claimed, is refused under both segments like an unknown key."""

    fleet = (ROBOT_TWOFOLD,)
    key = DUST_BOX


@mutant("dust-box-as-a-word", clause="TYPE-BOOLEAN", level="L0")
class DustBoxAsAWord(Service):
    """DustBoxInserted is the text "Inserted" under settings, and right under status."""

    fleet = (ROBOT_TWOFOLD,)

    def body(self, appliance: Appliance, segment: Segment, entry: Entry, value: Json) -> Members:
        """Put one value into words under one segment."""
        members = super().body(appliance, segment, entry, value)
        return members | {"value": "Inserted"} if segment == "settings" and entry.key == DUST_BOX else members


@mutant("lost-as-text-under-status", clause="TYPE-BOOLEAN", level="L0")
class LostAsTextUnderStatus(Service):
    """Lost is the text "false" under status, and right under settings."""

    fleet = (ROBOT_TWOFOLD,)

    def body(self, appliance: Appliance, segment: Segment, entry: Entry, value: Json) -> Members:
        """Quote one value under one segment."""
        members = super().body(appliance, segment, entry, value)
        return members | {"value": "false"} if segment == "status" and entry.key == LOST else members


@mutant("lost-on-neither-path", clause="PATH-LOST", level="L1")
class LostOnNeitherPath(Unserved):
    """Lost, which is claimed, is refused under both segments like an unknown key."""

    fleet = (ROBOT_TWOFOLD,)
    key = LOST


@mutant("lost-not-found", clause="PATH-LOST", level="L1")
class LostNotFound(Misanswered):
    """Lost, which is claimed, is answered 404 under both segments, unlike an unknown key."""

    fleet = (ROBOT_TWOFOLD,)
    key, reply = LOST, Reply(404, dump({"error": {"key": "404", "description": "No such resource"}}))


@mutant("lifted-empty", clause="PATH-LIFTED", level="L1")
class LiftedEmpty(Misanswered):
    """Lifted, which is claimed, is answered 200 with an empty body under both segments."""

    fleet = (ROBOT_TWOFOLD,)
    key, reply = LIFTED, Reply(200)


@mutant("lifted-empty-or-refused", clause="PATH-LIFTED", level="L1")
class LiftedEmptyOrRefused(Service):
    """Lifted, which is claimed, is answered 200 with an empty body under settings and refused under status."""

    fleet = (ROBOT_TWOFOLD,)

    def read(self, appliance: Appliance, segment: Segment, key: str) -> Reply:
        """Give no value under either segment."""
        if key != LIFTED:
            return super().read(appliance, segment, key)
        return Reply(200) if segment == "settings" else Reply(410)


@mutant("battery-as-fraction", clause="PATH-AGREE", level="L0")
class BatteryAsFraction(Service):
    """BatteryLevel is 57.3 under status and 0.573 under settings."""

    fleet = (ROBOT_TWOFOLD,)

    def body(self, appliance: Appliance, segment: Segment, entry: Entry, value: Json) -> Members:
        """Show one value as a fraction under one segment."""
        members = super().body(appliance, segment, entry, value)
        return members | {"value": 0.573} if segment == "settings" and entry.key == BATTERY_LEVEL else members


@mutant("battery-never-updated", clause="PATH-AGREE", level="L0")
class BatteryNeverUpdated(Service):
    """BatteryLevel is what it was in the factory under settings, and right under status."""

    fleet = (ROBOT_TWOFOLD,)

    def body(self, appliance: Appliance, segment: Segment, entry: Entry, value: Json) -> Members:
        """Show a full battery under one segment."""
        stale = segment == "settings" and entry.key == BATTERY_LEVEL
        return super().body(appliance, segment, entry, 100 if stale else value)


@mutant("dust-box-default", clause="PATH-AGREE", level="L0")
class DustBoxDefault(Service):
    """DustBoxInserted is always false under settings, and right under status."""

    fleet = (ROBOT_TWOFOLD,)

    def body(self, appliance: Appliance, segment: Segment, entry: Entry, value: Json) -> Members:
        """Show a default under one segment."""
        unset = segment == "settings" and entry.key == DUST_BOX
        return super().body(appliance, segment, entry, False if unset else value)


@mutant("lifted-reversed", clause="PATH-AGREE", level="L0")
class LiftedReversed(Service):
    """Lifted is reversed under status, and right under settings."""

    fleet = (ROBOT_TWOFOLD,)

    def body(self, appliance: Appliance, segment: Segment, entry: Entry, value: Json) -> Members:
        """Show the opposite under one segment."""
        reversed_here = segment == "status" and entry.key == LIFTED
        return super().body(appliance, segment, entry, not value if reversed_here else value)


@mutant("charging-state-under-settings", clause="PATH-ONLY-FOUR", level="L1", partners=_NO_LENIENCY)
class ChargingStateUnderSettings(Displaced):
    """BatteryChargingState is served under settings only, like its neighbour BatteryLevel may be."""

    fleet = (ROBOT,)
    key = CHARGING_STATE


@mutant("last-map-under-settings", clause="PATH-ONLY-FOUR", level="L1", partners=_NO_LENIENCY)
class LastMapUnderSettings(Displaced):
    """LastSelectedMap is served under settings only, like CurrentMap."""

    fleet = (ROBOT_NAMED,)
    key = LAST_MAP


@mutant("statuses-under-settings", clause="PATH-ONLY-FOUR", level="L1", partners=_NO_LENIENCY)
class StatusesUnderSettings(Service):
    """Every status is served under settings, and nothing is under status."""

    fleet = (MACHINE,)

    def serves(self, appliance: Appliance, segment: Segment, key: str) -> bool:
        """Know one segment for all."""
        return segment == "settings" and key in appliance.values


@mutant(
    "unclaimed-connection-under-settings",
    clause="PATH-ONLY-FOUR",
    level="L0",
    partners={"ADDR-SEG-STATUS": "A status is refused under its segment and has a value under settings only."},
)
class UnclaimedConnectionUnderSettings(Displaced):
    """ChargingConnection, which nobody claims, is served under settings only."""

    fleet = (ROBOT_NAMED,)
    profile_extras = PROBED
    key = CHARGING_CONNECTION
