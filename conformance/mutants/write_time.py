"""Servers that are wrong about what a person does at an appliance, and about what takes time.

> reverts after a few seconds without intervention
> For the four statuses BatteryLevel, DustBoxInserted, Lost and Lifted the published example path uses the settings segment
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from conformance.mutants.model import mutant
from conformance.mutants.soil import CHILD_LOCK, DOOR_STATE, LIFTED, MAP_NAME_1, REMOTE_CONTROL
from conformance.reference.fleet_household import DISHWASHER, ROBOT_WATCHING
from conformance.reference.names import DUST_BOX, LOCAL_CONTROL
from conformance.reference.service import Service

if TYPE_CHECKING:
    from catalog.model import Entry, Segment
    from conformance.reference.appliance import Appliance
    from conformance.reference.wire import Json, Members

_TOUCHED = DISHWASHER.only(CHILD_LOCK, REMOTE_CONTROL, LOCAL_CONTROL, DOOR_STATE)
_EMPTIED = ROBOT_WATCHING.only(MAP_NAME_1, DUST_BOX, LIFTED)


@mutant("hands-unnoticed", clause="SELF-LOCALCONTROL", level="L4")
class HandsUnnoticed(Service):
    """LocalControlActive never becomes true, whoever operates the appliance."""

    fleet = (_TOUCHED,)

    def touch(self, appliance: Appliance) -> None:
        """Feel nothing."""


@mutant("hands-noticed-too-briefly", clause="SELF-LOCALCONTROL", level="L4")
class HandsNoticedTooBriefly(Service):
    """LocalControlActive ends in the very moment in which the appliance is operated."""

    fleet = (_TOUCHED,)

    def touch(self, appliance: Appliance) -> None:
        """Begin and end."""
        self.change(appliance, LOCAL_CONTROL, value=True)
        self.change(appliance, LOCAL_CONTROL, value=False)


@mutant("hands-never-off", clause="SELF-LOCALCONTROL", level="L4")
class HandsNeverOff(Service):
    """LocalControlActive, once true, never becomes false again."""

    fleet = (_TOUCHED,)
    profile_extras = MappingProxyType({"timing": {"local_control_max_s": 0.5, "local_control_fail_s": 1.0}})

    def watch(self, appliance: Appliance, key: str, value: Json) -> None:
        """Arm no timer for the one status."""
        if key != LOCAL_CONTROL:
            super().watch(appliance, key, value)


@mutant("dust-box-frozen-in-settings", clause="PATH-AGREE", level="L4")
class DustBoxFrozenInSettings(Service):
    """DustBoxInserted is under settings for ever what it was in the beginning, and right under status."""

    fleet = (_EMPTIED,)

    def body(self, appliance: Appliance, segment: Segment, entry: Entry, value: Json) -> Members:
        """Answer from the first day under one of the two segments."""
        frozen = entry.key == DUST_BOX and segment == "settings"
        return super().body(appliance, segment, entry, appliance.spec.values[entry.key] if frozen else value)


@mutant("dust-box-frozen-in-status", clause="PATH-AGREE", level="L4")
class DustBoxFrozenInStatus(Service):
    """DustBoxInserted stays inserted under status when the box is taken out, and is right under settings."""

    fleet = (_EMPTIED,)

    def body(self, appliance: Appliance, segment: Segment, entry: Entry, value: Json) -> Members:
        """Miss under one of the two segments that the box is gone."""
        stuck = entry.key == DUST_BOX and segment == "status"
        return super().body(appliance, segment, entry, True if stuck else value)
