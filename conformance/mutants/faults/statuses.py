"""Statuses under the wrong segment, against the power state, that nobody moves, or that should not be there.

> For the four statuses BatteryLevel, DustBoxInserted, Lost and Lifted the published example path uses the
> settings segment
> Inactive | Vendor.Common.EnumType.OperationState.Inactive | Switched off or in standby
> reverts after a few seconds without intervention
"""

from msgspec.structs import replace

from catalog import keys
from catalog.model import Segment
from conformance.mutants.fleets import (
    HOOD,
    MACHINE,
    PROBED,
    ROBOT,
    ROBOT_NAMED,
    ROBOT_TWOFOLD,
    THREE_STATE_OVEN,
    TIMED_OVEN,
)
from conformance.mutants.model import broken
from conformance.mutants.shapes.reads import answers, converts, converts_under, displaces, lacks, sends
from conformance.reference.appliance import Appliance
from conformance.reference.fleets.cleaning import ROBOT_WATCHING
from conformance.reference.fleets.cooking import COFFEE_MAKER
from conformance.reference.service import Service
from conformance.reference.wire import Json, Reply, dump

_NO_CONTENT = Reply(204, media_type=None)
_NOT_FOUND = Reply(404, dump({"error": {"key": "404", "description": "No such resource"}}))
_MOVED = {"ADDR-SEG-STATUS": "A status is refused under its segment and has a value under settings only."}
_NO_LENIENCY = {
    "ADDR-SEG-STATUS": "A claimed status has no value under the segment status.",
    "READ-STATUS": "A claimed status is refused under the segment status.",
}

_EMPTIED = ROBOT_WATCHING.only(keys.MAP_NAME_1, keys.DUST_BOX, keys.LIFTED)


class StatusesUnderSettings(Service):
    def serves(self, appliance: Appliance, segment: Segment, key: str) -> bool:
        return segment == "settings" and key in appliance.values


_ON_AND_INACTIVE = "The appliance is On and Inactive, which both sentences exclude."

_OFF_MACHINE = replace(
    MACHINE.having({keys.POWER_STATE: keys.OFF, keys.OPERATION_STATE: keys.INACTIVE}), ha_id="dishwasher-2"
)
_RESTING_COFFEE_MAKER = COFFEE_MAKER.only(
    keys.POWER_STATE, keys.CUP_WARMER, keys.OPERATION_STATE, keys.COFFEE_COUNT
).having({keys.POWER_STATE: keys.STANDBY, keys.OPERATION_STATE: keys.INACTIVE})
_TOUCHED = THREE_STATE_OVEN.only(keys.CHILD_LOCK, keys.REMOTE_CONTROL, keys.LOCAL_CONTROL, keys.DOOR_STATE)


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


# fmt: off
broken("battery-on-neither-path", "PATH-BATTERYLEVEL", "L1", ROBOT, lacks(keys.BATTERY_LEVEL),
    "BatteryLevel, which is claimed, is refused under both segments like an unknown key.")
broken("battery-no-content", "PATH-BATTERYLEVEL", "L1", ROBOT_TWOFOLD,
    answers(keys.BATTERY_LEVEL, _NO_CONTENT),
    "BatteryLevel, which is claimed, is answered 204 under both segments.")
broken("battery-is-null", "TYPE-NOTNULL", "L1", ROBOT, sends(keys.BATTERY_LEVEL, None),
    "BatteryLevel, which is claimed, is sent as null.",
    partners={"PATH-BATTERYLEVEL": "Neither segment gives a value."})
broken("dust-box-on-neither-path", "PATH-DUSTBOX", "L1", ROBOT_TWOFOLD, lacks(keys.DUST_BOX),
    "DustBoxInserted, which is claimed, is refused under both segments like an unknown key.")
broken("lost-on-neither-path", "PATH-LOST", "L1", ROBOT_TWOFOLD, lacks(keys.LOST),
    "Lost, which is claimed, is refused under both segments like an unknown key.")
broken("lost-not-found", "PATH-LOST", "L1", ROBOT_TWOFOLD, answers(keys.LOST, _NOT_FOUND),
    "Lost, which is claimed, is answered 404 under both segments, unlike an unknown key.")
broken("lifted-empty", "PATH-LIFTED", "L1", ROBOT_TWOFOLD, answers(keys.LIFTED, Reply(200)),
    "Lifted, which is claimed, is answered 200 with an empty body under both segments.")
broken("lifted-empty-or-refused", "PATH-LIFTED", "L1", ROBOT_TWOFOLD,
    (answers(keys.LIFTED, Reply(200), "settings"), answers(keys.LIFTED, Reply(410), "status")),
    "Lifted, which is claimed, is answered 200 with an empty body under settings and refused under "
    "status.")
broken("dust-box-frozen-in-settings", "PATH-AGREE", "L4", _EMPTIED,
    converts_under("settings", keys.DUST_BOX, lambda _: True),
    "DustBoxInserted is under settings for ever what it was in the beginning, and right under status.")
broken("dust-box-frozen-in-status", "PATH-AGREE", "L4", _EMPTIED,
    converts_under("status", keys.DUST_BOX, lambda _: True),
    "DustBoxInserted stays inserted under status when the box is taken out, and is right under settings.")
broken("battery-as-fraction", "PATH-AGREE", "L0", ROBOT_TWOFOLD,
    converts_under("settings", keys.BATTERY_LEVEL, lambda _: 0.573),
    "BatteryLevel is 57.3 under status and 0.573 under settings.")
broken("battery-never-updated", "PATH-AGREE", "L0", ROBOT_TWOFOLD,
    converts_under("settings", keys.BATTERY_LEVEL, lambda _: 100),
    "BatteryLevel is what it was in the factory under settings, and right under status.")
broken("dust-box-default", "PATH-AGREE", "L0", ROBOT_TWOFOLD,
    converts_under("settings", keys.DUST_BOX, lambda _: False),
    "DustBoxInserted is always false under settings, and right under status.")
broken("lifted-reversed", "PATH-AGREE", "L0", ROBOT_TWOFOLD,
    converts_under("status", keys.LIFTED, lambda sent: not sent),
    "Lifted is reversed under status, and right under settings.")
broken("charging-state-under-settings", "PATH-ONLY-FOUR", "L1", ROBOT, displaces(keys.CHARGING_STATE),
    "BatteryChargingState is served under settings only, like its neighbour BatteryLevel may be.",
    partners=_NO_LENIENCY)
broken("last-map-under-settings", "PATH-ONLY-FOUR", "L1", ROBOT_NAMED, displaces(keys.LAST_MAP),
    "LastSelectedMap is served under settings only, like CurrentMap.", partners=_NO_LENIENCY)
broken("statuses-under-settings", "PATH-ONLY-FOUR", "L1", MACHINE, StatusesUnderSettings,
    "Every status is served under settings, and nothing is under status.", partners=_NO_LENIENCY)
broken("unclaimed-connection-under-settings", "PATH-ONLY-FOUR", "L0", ROBOT_NAMED,
    displaces(keys.CHARGING_CONNECTION),
    "ChargingConnection, which nobody claims, is served under settings only.", profile=PROBED,
    partners=_MOVED)
broken("inactive-while-on", "OPS-INACTIVE", "L0", (MACHINE, _OFF_MACHINE),
    sends(keys.OPERATION_STATE, keys.INACTIVE),
    "OperationState is always Inactive, also while the appliance is on.",
    partners={"OPS-ON-NOT-INACTIVE": _ON_AND_INACTIVE})
broken("idle-hood-is-inactive", "OPS-INACTIVE", "L0", (HOOD, _OFF_MACHINE),
    converts(lambda sent: keys.INACTIVE if sent == keys.READY else sent),
    "A hood that is on without a program says Inactive in place of Ready.",
    partners={"OPS-ON-NOT-INACTIVE": _ON_AND_INACTIVE})
broken("ready-while-off", "OPS-READY", "L0", (_OFF_MACHINE, MACHINE), sends(keys.OPERATION_STATE, keys.READY),
    "OperationState is Ready while the appliance is off.")
broken("ready-in-standby", "OPS-READY", "L0", (_RESTING_COFFEE_MAKER, MACHINE),
    converts(lambda sent: keys.READY if sent == keys.INACTIVE else sent),
    "OperationState is Ready while the appliance is in standby.")
broken("on-though-it-rests", "OPS-ON-NOT-INACTIVE", "L0", (_OFF_MACHINE, MACHINE),
    sends(keys.POWER_STATE, keys.ON),
    "PowerState is On though the appliance is off, and OperationState is Inactive as it should be.",
    partners={"OPS-INACTIVE": _ON_AND_INACTIVE})
broken("asleep-after-switching-on", "OPS-ON-NOT-INACTIVE", "L0", (_RESTING_COFFEE_MAKER, MACHINE),
    _starts(keys.POWER_STATE, keys.ON),
    "OperationState stays Inactive when the appliance is switched on, as it has been before the run.",
    partners={"OPS-INACTIVE": _ON_AND_INACTIVE})
broken("hands-unnoticed", "SELF-LOCALCONTROL", "L4", _TOUCHED, HandsUnnoticed,
    "LocalControlActive never becomes true, whoever operates the appliance.")
broken("hands-noticed-too-briefly", "SELF-LOCALCONTROL", "L4", _TOUCHED, HandsNoticedTooBriefly,
    "LocalControlActive ends in the very moment in which the appliance is operated.")
broken("hands-never-off", "SELF-LOCALCONTROL", "L4", _TOUCHED, HandsNeverOff,
    "LocalControlActive, once true, never becomes false again.")
broken("camera-without-a-camera", "OPT-CAMERA", "L1", ROBOT,
    _starts(keys.CAMERA_STATE, "Vendor.Common.EnumType.Video.CameraState.Sleeping"),
    "CameraState is returned by a robot without a streaming camera.")
broken("camera-disabled-everywhere", "OPT-CAMERA", "L1", replace(TIMED_OVEN, ha_id="oven-2"),
    _starts(keys.CAMERA_STATE, "Vendor.Common.EnumType.Video.CameraState.Disabled"),
    "CameraState is Disabled where there is no camera, in place of not being there.")
