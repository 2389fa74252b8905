"""Servers that are wrong about the four statuses with two segments, or about how many there are.

> For the four statuses BatteryLevel, DustBoxInserted, Lost and Lifted the published example path uses the
> settings segment
> Which segment is authoritative for them is not shown.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from catalog import keys
from conformance.mutants.faults.rows import Row, add
from conformance.mutants.faults.shapes import answers, converts_under, displaces, lacks
from conformance.mutants.fleets import MACHINE, PROBED, ROBOT, ROBOT_NAMED, ROBOT_TWOFOLD
from conformance.mutants.model import Symptom
from conformance.reference.fleets.cleaning import ROBOT_WATCHING
from conformance.reference.service import Service
from conformance.reference.wire import Reply, dump

if TYPE_CHECKING:
    from catalog.model import Segment
    from conformance.reference.appliance import Appliance

_NO_CONTENT = Reply(204, media_type=None)
_NOT_FOUND = Reply(404, dump({"error": {"key": "404", "description": "No such resource"}}))
_MOVED = {"ADDR-SEG-STATUS": "A status is refused under its segment and has a value under settings only."}
_NO_LENIENCY = {
    "ADDR-SEG-STATUS": "A claimed status has no value under the segment status.",
    "READ-STATUS": "A claimed status is refused under the segment status.",
}

_EMPTIED = ROBOT_WATCHING.only(keys.MAP_NAME_1, keys.DUST_BOX, keys.LIFTED)


class LiftedEmptyOrRefused(Service):
    def read(self, appliance: Appliance, segment: Segment, key: str) -> Reply:
        if key != keys.LIFTED:
            return super().read(appliance, segment, key)
        return Reply(200) if segment == "settings" else Reply(410)


class StatusesUnderSettings(Service):
    def serves(self, appliance: Appliance, segment: Segment, key: str) -> bool:
        return segment == "settings" and key in appliance.values


# A row of a table takes two or three lines; the formatter would make ten of them.
# fmt: off
ROWS = (
    Row("battery-on-neither-path", "PATH-BATTERYLEVEL", "L1", ROBOT, lacks(keys.BATTERY_LEVEL),
        "BatteryLevel, which is claimed, is refused under both segments like an unknown key."),
    Row("battery-no-content", "PATH-BATTERYLEVEL", "L1", ROBOT_TWOFOLD,
        answers(keys.BATTERY_LEVEL, _NO_CONTENT),
        "BatteryLevel, which is claimed, is answered 204 under both segments."),
    Row("dust-box-on-neither-path", "PATH-DUSTBOX", "L1", ROBOT_TWOFOLD, lacks(keys.DUST_BOX),
        "DustBoxInserted, which is claimed, is refused under both segments like an unknown key."),
    Row("lost-on-neither-path", "PATH-LOST", "L1", ROBOT_TWOFOLD, lacks(keys.LOST),
        "Lost, which is claimed, is refused under both segments like an unknown key."),
    Row("lost-not-found", "PATH-LOST", "L1", ROBOT_TWOFOLD, answers(keys.LOST, _NOT_FOUND),
        "Lost, which is claimed, is answered 404 under both segments, unlike an unknown key."),
    Row("lifted-empty", "PATH-LIFTED", "L1", ROBOT_TWOFOLD, answers(keys.LIFTED, Reply(200)),
        "Lifted, which is claimed, is answered 200 with an empty body under both segments."),
    Row("lifted-empty-or-refused", "PATH-LIFTED", "L1", ROBOT_TWOFOLD, LiftedEmptyOrRefused,
        "Lifted, which is claimed, is answered 200 with an empty body under settings and refused under "
        "status."),
    Row("dust-box-frozen-in-settings", "PATH-AGREE", "L4", _EMPTIED,
        converts_under("settings", keys.DUST_BOX, lambda _: True),
        "DustBoxInserted is under settings for ever what it was in the beginning, and right under status.",
        shows=Symptom("dustbox", True, False, read="settings DustBoxInserted")),
    Row("dust-box-frozen-in-status", "PATH-AGREE", "L4", _EMPTIED,
        converts_under("status", keys.DUST_BOX, lambda _: True),
        "DustBoxInserted stays inserted under status when the box is taken out, and is right under settings.",
        shows=Symptom("dustbox", True, False, read="status DustBoxInserted")),
    Row("battery-as-fraction", "PATH-AGREE", "L0", ROBOT_TWOFOLD,
        converts_under("settings", keys.BATTERY_LEVEL, lambda _: 0.573),
        "BatteryLevel is 57.3 under status and 0.573 under settings."),
    Row("battery-never-updated", "PATH-AGREE", "L0", ROBOT_TWOFOLD,
        converts_under("settings", keys.BATTERY_LEVEL, lambda _: 100),
        "BatteryLevel is what it was in the factory under settings, and right under status."),
    Row("dust-box-default", "PATH-AGREE", "L0", ROBOT_TWOFOLD,
        converts_under("settings", keys.DUST_BOX, lambda _: False),
        "DustBoxInserted is always false under settings, and right under status."),
    Row("lifted-reversed", "PATH-AGREE", "L0", ROBOT_TWOFOLD,
        converts_under("status", keys.LIFTED, lambda sent: not sent),
        "Lifted is reversed under status, and right under settings."),
    Row("charging-state-under-settings", "PATH-ONLY-FOUR", "L1", ROBOT, displaces(keys.CHARGING_STATE),
        "BatteryChargingState is served under settings only, like its neighbour BatteryLevel may be.",
        partners=_NO_LENIENCY),
    Row("last-map-under-settings", "PATH-ONLY-FOUR", "L1", ROBOT_NAMED, displaces(keys.LAST_MAP),
        "LastSelectedMap is served under settings only, like CurrentMap.", partners=_NO_LENIENCY),
    Row("statuses-under-settings", "PATH-ONLY-FOUR", "L1", MACHINE, StatusesUnderSettings,
        "Every status is served under settings, and nothing is under status.", partners=_NO_LENIENCY),
    Row("unclaimed-connection-under-settings", "PATH-ONLY-FOUR", "L0", ROBOT_NAMED,
        displaces(keys.CHARGING_CONNECTION),
        "ChargingConnection, which nobody claims, is served under settings only.", profile=PROBED,
        partners=_MOVED),
)
# fmt: on

add(__name__, ROWS)
