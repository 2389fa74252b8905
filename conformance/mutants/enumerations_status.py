"""Statuses that are enumerations, each with a value the document does not list, and one fault of all enumerations.

> An enumeration value is identified by its own key, listed below.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from conformance.mutants.model import mutant
from conformance.mutants.shapes import Missent
from conformance.mutants.soil import (
    DOOR_STATE,
    FREEZER_DOOR,
    FRIDGE_DOOR_2,
    MACHINE,
)
from conformance.reference.fleet_cooling import FRIDGE_FAHRENHEIT
from conformance.reference.names import OPERATION_STATE, POWER_STATE
from conformance.reference.service import Service

if TYPE_CHECKING:
    from catalog.model import Entry
    from conformance.reference.appliance import Appliance
    from conformance.reference.wire import Json

_UNLISTED = "The value is none of those listed for this key."
_LABEL = "A label stands where the key belongs."
_CASE = "A letter has the other case."
_FOREIGN = "The value belongs to an enumeration that this key does not use."

_FLEX_DOOR = "Refrigeration.Common.Status.Door.FlexCompartment"
_CHILLER_DOOR = "Refrigeration.Common.Status.Door.ChillerRight"

_FRIDGE_FREEZER = replace(FRIDGE_FAHRENHEIT.only(POWER_STATE, FREEZER_DOOR, FRIDGE_DOOR_2), kind="FridgeFreezer")
_COOLING = FRIDGE_FAHRENHEIT.only(POWER_STATE, FREEZER_DOOR, FRIDGE_DOOR_2, _FLEX_DOOR, _CHILLER_DOOR)


@mutant("operation-state-paused", clause="ENUM-OPSTATE", level="L0")
class OperationStatePaused(Missent):
    """OperationState is Paused."""

    fleet = (MACHINE,)
    key = OPERATION_STATE
    sent = "Vendor.Common.EnumType.OperationState.Paused"


@mutant("operation-state-idle", clause="ENUM-OPSTATE", level="L0")
class OperationStateIdle(Missent):
    """OperationState is Idle."""

    fleet = (MACHINE,)
    key = OPERATION_STATE
    sent = "Vendor.Common.EnumType.OperationState.Idle"


@mutant("operation-state-label", clause="ENUM-OPSTATE", level="L0", partners={"ENUM-KEYFORM": _LABEL})
class OperationStateLabel(Missent):
    """OperationState ends in the label Delayed Start."""

    fleet = (MACHINE,)
    key = OPERATION_STATE
    sent = "Vendor.Common.EnumType.OperationState.Delayed Start"


@mutant("operation-state-films", clause="ENUM-OPSTATE", level="L0", partners={"ADDR-SPECIFIC": _FOREIGN})
class OperationStateFilms(Missent):
    """OperationState is the Ready of CameraState."""

    fleet = (MACHINE,)
    key = OPERATION_STATE
    sent = "Vendor.Common.EnumType.Video.CameraState.Ready"


@mutant("door-state-ajar", clause="ENUM-DOORSTATE", level="L0")
class DoorStateAjar(Missent):
    """DoorState is Ajar."""

    fleet = (MACHINE,)
    key = DOOR_STATE
    sent = "Vendor.Common.EnumType.DoorState.Ajar"


@mutant("door-state-unlocked", clause="ENUM-DOORSTATE", level="L0")
class DoorStateUnlocked(Missent):
    """DoorState is Unlocked, which only ends like Locked."""

    fleet = (MACHINE,)
    key = DOOR_STATE
    sent = "Vendor.Common.EnumType.DoorState.Unlocked"


@mutant("door-state-underscores", clause="ENUM-KEYFORM", level="L0", partners={"ENUM-DOORSTATE": _UNLISTED})
class DoorStateUnderscores(Missent):
    """DoorState has underscores where the dots belong."""

    fleet = (MACHINE,)
    key = DOOR_STATE
    sent = "Vendor_Common_EnumType_DoorState_Open"


@mutant("door-state-leading-space", clause="ENUM-KEYFORM", level="L0", partners={"ENUM-DOORSTATE": _UNLISTED})
class DoorStateLeadingSpace(Missent):
    """DoorState begins with a space."""

    fleet = (MACHINE,)
    key = DOOR_STATE
    sent = " Vendor.Common.EnumType.DoorState.Open"


@mutant("freezer-door-locked", clause="ENUM-DOOR-COOLING", level="L0")
class FreezerDoorLocked(Missent):
    """The freezer door is Locked, a value of its family and not of its key."""

    fleet = (_COOLING,)
    key = FREEZER_DOOR
    sent = "Vendor.Common.EnumType.DoorState.Locked"


@mutant("second-door-states-family", clause="ENUM-DOOR-COOLING", level="L0")
class SecondDoorStatesFamily(Missent):
    """The second refrigerator door has a value of the family Door.States."""

    fleet = (_COOLING,)
    key = FRIDGE_DOOR_2
    sent = "Refrigeration.Common.EnumType.Door.States.Open"


@mutant("flex-compartment-ajar", clause="ENUM-DOOR-COOLING", level="L0")
class FlexCompartmentAjar(Missent):
    """The flex compartment is Ajar."""

    fleet = (_COOLING,)
    key = _FLEX_DOOR
    sent = "Vendor.Common.EnumType.DoorState.Ajar"


@mutant("chiller-door-locked", clause="ENUM-DOOR-COOLING", level="L0")
class ChillerDoorLocked(Missent):
    """The right freshness compartment alone is Locked."""

    fleet = (_COOLING,)
    key = _CHILLER_DOOR
    sent = "Vendor.Common.EnumType.DoorState.Locked"


@mutant("fridge-freezer-door-locked", clause="ENUM-DOOR-COOLING", level="L0")
class FridgeFreezerDoorLocked(Missent):
    """The freezer door of an appliance of kind FridgeFreezer is Locked."""

    fleet = (_FRIDGE_FREEZER,)
    key = FREEZER_DOOR
    sent = "Vendor.Common.EnumType.DoorState.Locked"


@mutant("freezer-door-small-letter", clause="ENUM-DOOR-COOLING", level="L0", partners={"ENUM-KEYFORM": _CASE})
class FreezerDoorSmallLetter(Missent):
    """The freezer door is closed, with a small c."""

    fleet = (_COOLING,)
    key = FREEZER_DOOR
    sent = "Vendor.Common.EnumType.DoorState.closed"


@mutant(
    "values-lower-case",
    clause="ENUM-KEYFORM",
    level="L0",
    partners={"ENUM-POWERSTATE": _UNLISTED, "ENUM-OPSTATE": _UNLISTED, "ENUM-DOORSTATE": _UNLISTED},
)
class ValuesLowerCase(Service):
    """Every enumeration value is sent in small letters."""

    fleet = (MACHINE,)

    def spell_value(self, appliance: Appliance, entry: Entry, value: Json) -> Json:
        """Fold the case of what identifies a value."""
        spelled = super().spell_value(appliance, entry, value)
        return spelled.lower() if entry.type == "Enumeration" and isinstance(spelled, str) else spelled
