"""An enumeration value is identified by its own key, one of those listed for its entry.

> An enumeration value is identified by its own key, listed below.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.checks import edges, enumerations
from conformance.derive import CATALOG, each, each_appliance, keys

if TYPE_CHECKING:
    from conformance.judge import Judge

_ENUMERATIONS = CATALOG.of_type("Enumeration")


@each(keys("Vendor.Common.Setting.PowerState"), clause="ENUM-POWERSTATE")
@each(keys("Vendor.Common.Setting.TemperatureUnit"), clause="ENUM-TEMPUNIT")
@each(keys("Vendor.Common.Setting.LiquidVolumeUnit"), clause="ENUM-LIQUIDUNIT")
@each([entry for entry in _ENUMERATIONS if ".Door.AssistantForce" in entry.key], clause="ENUM-ASSISTFORCE")
@each([entry for entry in _ENUMERATIONS if ".Door.AssistantTrigger" in entry.key], clause="ENUM-ASSISTTRIGGER")
@each(keys("ConsumerProducts.CleaningRobot.Setting.CurrentMap"), clause="ENUM-CURRENTMAP")
@each(keys("ConsumerProducts.CleaningRobot.Status.LastSelectedMap"), clause="ENUM-LASTMAP")
@each(keys("Cooking.Hood.Setting.ColorTemperature"), clause="ENUM-COLORTEMP")
@each(keys("Vendor.Common.Setting.AmbientLightColor"), clause="ENUM-AMBCOLOR")
@each(keys("Vendor.Common.Status.OperationState"), clause="ENUM-OPSTATE")
@each(keys("Vendor.Common.Status.DoorState"), clause="ENUM-DOORSTATE")
@each([entry for entry in _ENUMERATIONS if entry.key.startswith("Refrigeration.Common.Status.Door.")], clause="ENUM-DOOR-COOLING")
@each(keys("Vendor.Common.Status.BatteryChargingState"), clause="ENUM-BATTCHARGE")
@each(keys("Vendor.Common.Status.ChargingConnection"), clause="ENUM-CHARGECONN")
@each(keys("Vendor.Common.Status.Video.CameraState"), clause="ENUM-CAMERA")
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
    """Which values were seen, which never, and which are not listed is recorded; an appliance may use a subset."""
    judge(edges.note_enumeration_subsets)
