"""Servers that send a value of another data type: Booleans, strings, enumerations and nothing at all.

> data type | one of Enumeration, Boolean, Integer, Double, Float, String | Type of the value
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.mutants.model import mutant
from conformance.mutants.shapes import Missent
from conformance.mutants.soil import (
    AMBIENT_COLOR,
    CHARGING_STATE,
    CHILD_LOCK,
    COUNTING,
    CUP_WARMER,
    CURRENT_MAP,
    CUSTOM_COLOR,
    DOOR_STATE,
    ECO_MODE,
    FREEZER_DOOR,
    FRIDGE,
    FRIDGE_EQUIPPED,
    HOOD,
    LIFTED,
    LIGHTING,
    MACHINE,
    MACHINE_LIT,
    MAP_NAME_1,
    MAP_NAME_3,
    REMOTE_CONTROL,
    ROBOT,
    ROBOT_NAMED,
    ROBOT_TWOFOLD,
    SETPOINT,
)
from conformance.reference.names import OPERATION_STATE, POWER_STATE
from conformance.reference.service import Service

if TYPE_CHECKING:
    from catalog.model import Entry
    from conformance.reference.appliance import Appliance
    from conformance.reference.wire import Json


@mutant("booleans-as-numbers", clause="TYPE-BOOLEAN", level="L0")
class BooleansAsNumbers(Service):
    """Booleans are sent as 1 and 0."""

    fleet = (MACHINE,)

    def spell_value(self, appliance: Appliance, entry: Entry, value: Json) -> Json:
        """Count what is true."""
        sent = super().spell_value(appliance, entry, value)
        return int(sent) if isinstance(sent, bool) else sent


@mutant("booleans-as-words", clause="TYPE-BOOLEAN", level="L0")
class BooleansAsWords(Service):
    """Booleans are sent as the texts "True" and "False"."""

    fleet = (HOOD,)

    def spell_value(self, appliance: Appliance, entry: Entry, value: Json) -> Json:
        """Print what is true."""
        sent = super().spell_value(appliance, entry, value)
        return str(sent) if isinstance(sent, bool) else sent


@mutant("lifted-as-number", clause="TYPE-BOOLEAN", level="L0")
class LiftedAsNumber(Missent):
    """Lifted alone is sent as 1, under both segments."""

    fleet = (ROBOT_TWOFOLD,)
    key, sent = LIFTED, 1


@mutant("lock-as-quoted-true", clause="TYPE-BOOLEAN", level="L0")
class LockAsQuotedTrue(Missent):
    """ChildLock is sent as the text "true"."""

    fleet = (MACHINE,)
    key, sent = CHILD_LOCK, "true"


@mutant("light-as-on", clause="TYPE-BOOLEAN", level="L0")
class LightAsOn(Missent):
    """Lighting is sent as the text "on"."""

    fleet = (HOOD,)
    key, sent = LIGHTING, "on"


@mutant("status-as-fraction", clause="TYPE-BOOLEAN", level="L0")
class StatusAsFraction(Missent):
    """RemoteControlActive is sent as 1.0."""

    fleet = (MACHINE,)
    key, sent = REMOTE_CONTROL, 1.0


@mutant("warmer-as-empty-text", clause="TYPE-BOOLEAN", level="L0")
class WarmerAsEmptyText(Missent):
    """CupWarmer is sent as an empty text."""

    fleet = (COUNTING,)
    key, sent = CUP_WARMER, ""


@mutant("mode-in-an-object", clause="TYPE-BOOLEAN", level="L2")
class ModeInAnObject(Service):
    """The value of EcoMode is an object that holds it once more."""

    fleet = (FRIDGE_EQUIPPED,)

    def spell_value(self, appliance: Appliance, entry: Entry, value: Json) -> Json:
        """Wrap one value."""
        sent = super().spell_value(appliance, entry, value)
        return {"value": sent} if entry.key == ECO_MODE else sent


@mutant("map-name-as-number", clause="TYPE-STRING", level="L0")
class MapNameAsNumber(Missent):
    """NameOfMap1 is sent as the number 1."""

    fleet = (ROBOT_NAMED,)
    key, sent = MAP_NAME_1, 1


@mutant("map-name-as-false", clause="TYPE-STRING", level="L0")
class MapNameAsFalse(Missent):
    """NameOfMap3 is sent as false, for a map without a name."""

    fleet = (ROBOT_NAMED,)
    key, sent = MAP_NAME_3, False


@mutant("custom-color-as-number", clause="TYPE-STRING", level="L0")
class CustomColorAsNumber(Missent):
    """AmbientLightCustomColor is sent as one number for its three parts."""

    fleet = (MACHINE_LIT,)
    key, sent = CUSTOM_COLOR, 0xE0FFFF


@mutant("custom-color-in-parts", clause="TYPE-STRING", level="L2")
class CustomColorInParts(Missent):
    """AmbientLightCustomColor is sent as a list of its three parts."""

    fleet = (MACHINE_LIT,)
    key, sent = CUSTOM_COLOR, (224, 255, 255)


@mutant("operation-state-as-index", clause="TYPE-ENUM", level="L0")
class OperationStateAsIndex(Missent):
    """OperationState is sent as its place among the nine."""

    fleet = (MACHINE,)
    key, sent = OPERATION_STATE, 2


@mutant("door-as-false", clause="TYPE-ENUM", level="L0")
class DoorAsFalse(Missent):
    """DoorState is sent as false."""

    fleet = (MACHINE,)
    key, sent = DOOR_STATE, False


@mutant("power-as-true", clause="TYPE-ENUM", level="L0")
class PowerAsTrue(Missent):
    """PowerState is sent as true when the appliance is on."""

    fleet = (MACHINE,)
    key, sent = POWER_STATE, True


@mutant("color-as-number", clause="TYPE-ENUM", level="L0")
class ColorAsNumber(Missent):
    """AmbientLightColor is sent as the number of the colour."""

    fleet = (MACHINE_LIT,)
    key, sent = AMBIENT_COLOR, 43


@mutant("map-in-a-list", clause="TYPE-ENUM", level="L2")
class MapInAList(Missent):
    """CurrentMap is sent as a list of one map."""

    fleet = (ROBOT_NAMED,)
    key, sent = CURRENT_MAP, ("ConsumerProducts.CleaningRobot.EnumType.AvailableMaps.Map1",)


@mutant("enumerations-as-objects", clause="TYPE-ENUM", level="L2")
class EnumerationsAsObjects(Service):
    """The value of the freezer door is an object of its key and a text to show."""

    fleet = (FRIDGE,)

    def spell_value(self, appliance: Appliance, entry: Entry, value: Json) -> Json:
        """Explain one value."""
        sent = super().spell_value(appliance, entry, value)
        return {"key": sent, "displayvalue": "Closed"} if entry.key == FREEZER_DOOR else sent


@mutant("unnamed-map-is-null", clause="TYPE-NOTNULL", level="L0")
class UnnamedMapIsNull(Missent):
    """NameOfMap3 is sent as null, for a map without a name."""

    fleet = (ROBOT_NAMED,)
    key, sent = MAP_NAME_3, None


@mutant("false-is-null", clause="TYPE-NOTNULL", level="L0")
class FalseIsNull(Service):
    """Booleans that are false are sent as null."""

    fleet = (MACHINE,)

    def spell_value(self, appliance: Appliance, entry: Entry, value: Json) -> Json:
        """Take false for nothing."""
        sent = super().spell_value(appliance, entry, value)
        return None if sent is False else sent


@mutant("idle-is-null", clause="TYPE-NOTNULL", level="L0")
class IdleIsNull(Missent):
    """OperationState is sent as null while no program is active."""

    fleet = (MACHINE,)
    key, sent = OPERATION_STATE, None


@mutant("setpoint-is-null", clause="TYPE-NOTNULL", level="L0")
class SetpointIsNull(Missent):
    """The setpoint of the refrigerator is sent as null."""

    fleet = (FRIDGE,)
    key, sent = SETPOINT, None


@mutant("charging-is-null", clause="TYPE-NOTNULL", level="L1")
class ChargingIsNull(Missent):
    """BatteryChargingState, which is claimed, is sent as null."""

    fleet = (ROBOT,)
    key, sent = CHARGING_STATE, None
