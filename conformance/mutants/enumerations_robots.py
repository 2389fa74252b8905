"""Maps, charging and camera of cleaning robots, each with a value the document does not list.

> An enumeration value is identified by its own key, listed below.
"""

from __future__ import annotations

from conformance.mutants.model import mutant
from conformance.mutants.shapes import Missent
from conformance.mutants.soil import (
    CAMERA_STATE,
    CHARGING_CONNECTION,
    CHARGING_STATE,
    CURRENT_MAP,
    LAST_MAP,
    MAP_NAME_1,
    ROBOT_NAMED,
)
from conformance.reference.fleet_household import ROBOT_WATCHING
from conformance.reference.names import POWER_STATE

_SHORT = "The last segment stands where the whole key belongs."
_LABEL = "Words for people stand where the key belongs."
_ZERO = "The number has a leading zero."
_FOREIGN = "The value belongs to an enumeration that this key does not use."

_CHARGING = ROBOT_WATCHING.only(POWER_STATE, MAP_NAME_1, CHARGING_STATE, CHARGING_CONNECTION)
_WATCHING = ROBOT_WATCHING.only(POWER_STATE, MAP_NAME_1, CAMERA_STATE)


@mutant("current-map-fourth", clause="ENUM-CURRENTMAP", level="L0")
class CurrentMapFourth(Missent):
    """CurrentMap is Map4."""

    fleet = (ROBOT_NAMED,)
    key = CURRENT_MAP
    sent = "ConsumerProducts.CleaningRobot.EnumType.AvailableMaps.Map4"


@mutant("current-map-from-zero", clause="ENUM-CURRENTMAP", level="L0")
class CurrentMapFromZero(Missent):
    """CurrentMap is Map0: maps are counted from zero."""

    fleet = (ROBOT_NAMED,)
    key = CURRENT_MAP
    sent = "ConsumerProducts.CleaningRobot.EnumType.AvailableMaps.Map0"


@mutant("current-map-padded", clause="ENUM-CURRENTMAP", level="L0", partners={"ENUM-KEYFORM": _ZERO})
class CurrentMapPadded(Missent):
    """CurrentMap is Map01."""

    fleet = (ROBOT_NAMED,)
    key = CURRENT_MAP
    sent = "ConsumerProducts.CleaningRobot.EnumType.AvailableMaps.Map01"


@mutant("current-map-by-name", clause="ENUM-CURRENTMAP", level="L0")
class CurrentMapByName(Missent):
    """CurrentMap is the name somebody gave the map."""

    fleet = (ROBOT_NAMED,)
    key = CURRENT_MAP
    sent = "Küche"


@mutant("last-map-own-family", clause="ENUM-LASTMAP", level="L0")
class LastMapOwnFamily(Missent):
    """LastSelectedMap has values of a family of its own name."""

    fleet = (ROBOT_NAMED,)
    key = LAST_MAP
    sent = "ConsumerProducts.CleaningRobot.EnumType.LastSelectedMap.Map1"


@mutant("last-map-none", clause="ENUM-LASTMAP", level="L0")
class LastMapNone(Missent):
    """LastSelectedMap is None before a map was selected."""

    fleet = (ROBOT_NAMED,)
    key = LAST_MAP
    sent = "ConsumerProducts.CleaningRobot.EnumType.AvailableMaps.None"


@mutant("last-map-short", clause="ENUM-LASTMAP", level="L0", partners={"ENUM-KEYFORM": _SHORT})
class LastMapShort(Missent):
    """LastSelectedMap is TempMap, without its family."""

    fleet = (ROBOT_NAMED,)
    key = LAST_MAP
    sent = "TempMap"


@mutant("charging-state-full", clause="ENUM-BATTCHARGE", level="L0")
class ChargingStateFull(Missent):
    """BatteryChargingState is Full."""

    fleet = (_CHARGING,)
    key = CHARGING_STATE
    sent = "Vendor.Common.EnumType.BatteryChargingState.Full"


@mutant("charging-state-not", clause="ENUM-BATTCHARGE", level="L0")
class ChargingStateNot(Missent):
    """BatteryChargingState is NotCharging, which only ends like Charging."""

    fleet = (_CHARGING,)
    key = CHARGING_STATE
    sent = "Vendor.Common.EnumType.BatteryChargingState.NotCharging"


@mutant("charging-connection-docked", clause="ENUM-CHARGECONN", level="L0")
class ChargingConnectionDocked(Missent):
    """ChargingConnection is Docked."""

    fleet = (_CHARGING,)
    key = CHARGING_CONNECTION
    sent = "Vendor.Common.EnumType.ChargingConnection.Docked"


@mutant("charging-connection-sibling", clause="ENUM-CHARGECONN", level="L0", partners={"ADDR-SPECIFIC": _FOREIGN})
class ChargingConnectionSibling(Missent):
    """ChargingConnection is a value of BatteryChargingState."""

    fleet = (_CHARGING,)
    key = CHARGING_CONNECTION
    sent = "Vendor.Common.EnumType.BatteryChargingState.Charging"


@mutant("charging-connection-sentence", clause="ENUM-CHARGECONN", level="L0", partners={"ENUM-KEYFORM": _LABEL})
class ChargingConnectionSentence(Missent):
    """ChargingConnection is a sentence out of the document."""

    fleet = (_CHARGING,)
    key = CHARGING_CONNECTION
    sent = "not connected to docking station"


@mutant("camera-state-streaming", clause="ENUM-CAMERA", level="L0")
class CameraStateStreaming(Missent):
    """CameraState is Streaming, without saying where to."""

    fleet = (_WATCHING,)
    key = CAMERA_STATE
    sent = "Vendor.Common.EnumType.Video.CameraState.Streaming"


@mutant("camera-state-misspelled", clause="ENUM-CAMERA", level="L0")
class CameraStateMisspelled(Missent):
    """CameraState is StreamingLocalAnCloud."""

    fleet = (_WATCHING,)
    key = CAMERA_STATE
    sent = "Vendor.Common.EnumType.Video.CameraState.StreamingLocalAnCloud"


@mutant("camera-state-family", clause="ENUM-CAMERA", level="L0")
class CameraStateFamily(Missent):
    """CameraState lacks the segment Video."""

    fleet = (_WATCHING,)
    key = CAMERA_STATE
    sent = "Vendor.Common.EnumType.CameraState.Sleeping"
