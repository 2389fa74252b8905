"""Servers that answer with another entry, another key, another maker's name, or for a key that is not there.

> key | string | Dotted identifier of the setting or status; also the last path segment
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from conformance.mutants.model import mutant
from conformance.mutants.shapes import Missent
from conformance.mutants.soil import (
    AMBIENT_COLOR,
    CHILD_LOCK,
    COLOR_PERCENT,
    COLOR_TEMPERATURE,
    COUNTING,
    DOOR_STATE,
    FRIDGE,
    FRIDGE_DOOR,
    FRIDGE_DOOR_2,
    HOOD,
    HOT_WATER,
    HOT_WATER_CUPS,
    MACHINE,
    MACHINE_LIT,
)
from conformance.reference.names import ON, POWER_STATE, READY, TEMPERATURE_UNIT
from conformance.reference.service import Service
from conformance.reference.wire import Reply, dump

if TYPE_CHECKING:
    from catalog.model import Entry, Segment
    from conformance.reference.appliance import Appliance
    from conformance.reference.wire import Json, Members

_OTHER_KEY = "The key of the body is not the one asked for."
_OTHER_ENTRY = "The key of the body is that of another entry."


@mutant("key-always-power-state", clause="ADDR-KEY-LAST", level="L2", partners={"ADDR-SPECIFIC": _OTHER_ENTRY})
class KeyAlwaysPowerState(Service):
    """The key of every body is that of PowerState."""

    fleet = (MACHINE,)

    def body(self, appliance: Appliance, segment: Segment, entry: Entry, value: Json) -> Members:
        """Carry one key for all."""
        return super().body(appliance, segment, entry, value) | {"key": POWER_STATE}


@mutant("key-lower-cased", clause="ADDR-KEY-LAST", level="L2")
class KeyLowerCased(Service):
    """The key of every body is in lower case."""

    fleet = (MACHINE,)

    def body(self, appliance: Appliance, segment: Segment, entry: Entry, value: Json) -> Members:
        """Lose the capitals of the key."""
        return super().body(appliance, segment, entry, value) | {"key": self.spell(appliance, entry.key).lower()}


@mutant("key-percent-encoded", clause="ADDR-KEY-LAST", level="L2")
class KeyPercentEncoded(Service):
    """The key of every body still has its dots percent-encoded."""

    fleet = (MACHINE,)

    def body(self, appliance: Appliance, segment: Segment, entry: Entry, value: Json) -> Members:
        """Carry the key as a path would."""
        return super().body(appliance, segment, entry, value) | {"key": entry.key.replace(".", "%2E")}


@mutant("key-shortened", clause="ADDR-KEY-LAST", level="L2")
class KeyShortened(Service):
    """The key of the body of ChildLock is its last segment only."""

    fleet = (MACHINE,)

    def body(self, appliance: Appliance, segment: Segment, entry: Entry, value: Json) -> Members:
        """Drop all but the last segment of one key."""
        members = super().body(appliance, segment, entry, value)
        return members | {"key": "ChildLock"} if entry.key == CHILD_LOCK else members


@mutant("key-with-its-path", clause="ADDR-KEY-LAST", level="L2")
class KeyWithItsPath(Service):
    """The key of a status has the segment before it."""

    fleet = (MACHINE,)

    def body(self, appliance: Appliance, segment: Segment, entry: Entry, value: Json) -> Members:
        """Carry a part of the path as the key of a status."""
        members = super().body(appliance, segment, entry, value)
        return members | {"key": f"status/{entry.key}"} if segment == "status" else members


@mutant("percent-answers-color-temperature", clause="ADDR-SPECIFIC", level="L0", partners={"TYPE-DOUBLE": "The value is a string."})
class PercentAnswersColorTemperature(Service):
    """ColorTemperaturePercent answers with the value of ColorTemperature, whose key it begins with."""

    fleet = (HOOD,)

    def value(self, appliance: Appliance, key: str) -> Json:
        """Look up the shorter key."""
        return super().value(appliance, COLOR_TEMPERATURE if key == COLOR_PERCENT else key)


@mutant(
    "door-answers-operation-state",
    clause="ADDR-SPECIFIC",
    level="L0",
    partners={"ENUM-DOORSTATE": "The value is none of the three listed."},
)
class DoorAnswersOperationState(Missent):
    """DoorState answers with an operation state."""

    fleet = (MACHINE,)
    key, sent = DOOR_STATE, READY


@mutant("child-lock-answers-power-state", clause="ADDR-SPECIFIC", level="L0", partners={"TYPE-BOOLEAN": "The value is a string."})
class ChildLockAnswersPowerState(Missent):
    """ChildLock answers with a power state."""

    fleet = (MACHINE,)
    key, sent = CHILD_LOCK, ON


@mutant(
    "temperature-unit-answers-volume-unit",
    clause="ADDR-SPECIFIC",
    level="L0",
    partners={"ENUM-TEMPUNIT": "The value is none of the two listed."},
)
class TemperatureUnitAnswersVolumeUnit(Missent):
    """TemperatureUnit answers with a unit of volume."""

    fleet = (FRIDGE,)
    key, sent = TEMPERATURE_UNIT, "Vendor.Common.EnumType.LiquidVolumeUnit.MilliLiter"


@mutant(
    "one-setting-answers-all",
    clause="ADDR-SPECIFIC",
    level="L2",
    partners={
        "READ-SETTING": "A claimed setting has no value at the declared pointer.",
        "READ-VALUE": "The body is well-formed and the declared value is missing.",
    },
)
class OneSettingAnswersAll(Service):
    """GET on ChildLock returns the list of all settings."""

    fleet = (MACHINE,)

    def read(self, appliance: Appliance, segment: Segment, key: str) -> Reply:
        """List where one entry is asked for."""
        return self.list(appliance, segment) if key == CHILD_LOCK else super().read(appliance, segment, key)


@mutant("second-door-answers-first", clause="ADDR-SPECIFIC", level="L2", partners={"ADDR-KEY-LAST": _OTHER_KEY})
class SecondDoorAnswersFirst(Service):
    """Door.Refrigerator2 is answered with the whole entry of Door.Refrigerator, whose key it begins with."""

    fleet = (replace(FRIDGE, ha_id="fridge-3").having({FRIDGE_DOOR_2: "Vendor.Common.EnumType.DoorState.Open"}),)

    def read(self, appliance: Appliance, segment: Segment, key: str) -> Reply:
        """Match the first key that the one asked for begins with."""
        return super().read(appliance, segment, FRIDGE_DOOR if key == FRIDGE_DOOR_2 else key)


@mutant("water-answers-cups", clause="ADDR-SPECIFIC", level="L2", partners={"ADDR-KEY-LAST": _OTHER_KEY})
class WaterAnswersCups(Service):
    """BeverageCounterHotWater is answered with the whole entry of BeverageCounterHotWaterCups."""

    fleet = (COUNTING,)

    def read(self, appliance: Appliance, segment: Segment, key: str) -> Reply:
        """Take the longest key that begins with the one asked for."""
        return super().read(appliance, segment, HOT_WATER_CUPS if key == HOT_WATER else key)


@mutant("doors-of-another-maker", clause="ADDR-VENDOR", level="L0", partners={"ENUM-DOOR-COOLING": "The value is none of the two listed."})
class DoorsOfAnotherMaker(Service):
    """The doors of a refrigerator name another maker than the keys do."""

    fleet = (FRIDGE,)

    def spell_value(self, appliance: Appliance, entry: Entry, value: Json) -> Json:
        """Name the wrong maker."""
        sent = super().spell_value(appliance, entry, value)
        return sent.replace("Vendor.", "Sister.", 1) if isinstance(sent, str) and ".Door." in entry.key else sent


@mutant("maker-left-out", clause="ADDR-VENDOR", level="L0", partners={"ENUM-DOORSTATE": "The value is none of the three listed."})
class MakerLeftOut(Missent):
    """DoorState carries the word Vendor, every other key and value the maker's name."""

    fleet = (MACHINE,)
    vendor = "Acme"
    key, sent = DOOR_STATE, "Vendor.Common.EnumType.DoorState.Closed"


@mutant("sister-brand-color", clause="ADDR-VENDOR", level="L0", partners={"ENUM-AMBCOLOR": "The value is none of the hundred listed."})
class SisterBrandColor(Missent):
    """AmbientLightColor names a sister brand, every other key and value the maker."""

    fleet = (MACHINE_LIT,)
    vendor = "Acme"
    key, sent = AMBIENT_COLOR, "Sister.Common.EnumType.AmbientLightColor.Color7"


@mutant("any-key", clause="ADDR-UNKNOWNKEY", level="L0")
class AnyKey(Service):
    """Every key the appliance does not have is answered with the value true."""

    fleet = (MACHINE,)

    def read(self, appliance: Appliance, segment: Segment, key: str) -> Reply:
        """Refuse nothing."""
        served = self.serves(appliance, segment, key)
        return super().read(appliance, segment, key) if served else Reply(200, dump({"data": {"key": key, "value": True}}))


@mutant("any-setting-is-text", clause="ADDR-UNKNOWNKEY", level="L0")
class AnySettingIsText(Service):
    """Every setting the appliance does not have is answered with an empty text; statuses are refused as they should be."""

    fleet = (MACHINE,)

    def read(self, appliance: Appliance, segment: Segment, key: str) -> Reply:
        """Refuse no setting."""
        refused = segment == "status" or self.serves(appliance, segment, key)
        return super().read(appliance, segment, key) if refused else Reply(200, dump({"data": {"key": key, "value": ""}}))


@mutant("nearest-key", clause="ADDR-UNKNOWNKEY", level="L0")
class NearestKey(Service):
    """A key that is not there is answered with the first one that begins with the same three segments."""

    fleet = (MACHINE,)

    def read(self, appliance: Appliance, segment: Segment, key: str) -> Reply:
        """Take the nearest key for the one asked for."""
        stem = ".".join(key.split(".")[:3])
        near = next((known for known in appliance.values if known.startswith(stem)), key)
        return super().read(appliance, segment, key if key in appliance.values else near)
