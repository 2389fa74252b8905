"""An enumeration value is identified by its own key, one of those listed for its entry.

> An enumeration value is identified by its own key, listed below.
"""

from catalog import keys
from conformance.cases import CATALOG, Judge, each, each_appliance
from conformance.checks import notes
from conformance.checks.reads import enumerations

_ENUMERATIONS = CATALOG.of_type("Enumeration")


@each(keys.POWER_STATE, clause="ENUM-POWERSTATE", generated=True)
@each(keys.TEMPERATURE_UNIT, clause="ENUM-TEMPUNIT", generated=True)
@each(keys.LIQUID_UNIT, clause="ENUM-LIQUIDUNIT", generated=True)
@each(
    [entry for entry in _ENUMERATIONS if ".Door.AssistantForce" in entry.key],
    clause="ENUM-ASSISTFORCE",
    generated=True,
)
@each(
    [entry for entry in _ENUMERATIONS if ".Door.AssistantTrigger" in entry.key],
    clause="ENUM-ASSISTTRIGGER",
    generated=True,
)
@each(keys.CURRENT_MAP, clause="ENUM-CURRENTMAP", generated=True)
@each(keys.LAST_MAP, clause="ENUM-LASTMAP", generated=True)
@each(keys.COLOR_TEMPERATURE, clause="ENUM-COLORTEMP", generated=True)
@each(keys.AMBIENT_COLOR, clause="ENUM-AMBCOLOR", generated=True)
@each(keys.OPERATION_STATE, clause="ENUM-OPSTATE", generated=True)
@each(keys.DOOR_STATE, clause="ENUM-DOORSTATE", generated=True)
@each(
    [entry for entry in _ENUMERATIONS if entry.key.startswith("Refrigeration.Common.Status.Door.")],
    clause="ENUM-DOOR-COOLING",
    generated=True,
)
@each(keys.CHARGING_STATE, clause="ENUM-BATTCHARGE", generated=True)
@each(keys.CHARGING_CONNECTION, clause="ENUM-CHARGECONN", generated=True)
@each(keys.CAMERA_STATE, clause="ENUM-CAMERA", generated=True)
def test_value_is_a_member(judge: Judge) -> None:
    """The value is one of those listed for its entry."""
    judge(enumerations.assert_member)


@each(_ENUMERATIONS, clause="ENUM-KEYFORM")
def test_value_is_a_whole_key(judge: Judge) -> None:
    """The value is a whole dotted key, not a short name, a label or another spelling."""
    judge(enumerations.assert_key_form)


@each(_ENUMERATIONS, clause="ENUM-ADVERTISED")
def test_advertised_list_is_a_subset(judge: Judge) -> None:
    """An advertised list of allowed values holds only values listed for its entry."""
    judge(enumerations.assert_advertised)


@each_appliance(clause="ENUM-SUBSET")
def test_values_seen_are_noted(judge: Judge) -> None:
    """Values seen, not seen and not listed are recorded; an appliance may use a subset."""
    judge(notes.note_enumeration_subsets)
