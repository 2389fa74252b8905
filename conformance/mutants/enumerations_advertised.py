"""Advertised lists of enumeration values that hold what the document does not list for the key.

> possible values: enumeration keys, true/false, or a numeric range

The value itself is right in all of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from conformance.mutants.model import mutant
from conformance.mutants.soil import (
    AMBIENT_COLOR,
    CHARGING_CONNECTION,
    CHILD_LOCK,
    COLOR_TEMPERATURE,
    CURRENT_MAP,
    FREEZER_DOOR,
    FRIDGE,
    HOOD,
    LIGHTING,
    MACHINE,
    ROBOT_NAMED,
)
from conformance.reference.names import POWER_STATE
from conformance.reference.service import Service

if TYPE_CHECKING:
    from catalog.model import Entry
    from conformance.reference.appliance import Appliance

_SWITCHED = MACHINE.only(POWER_STATE, CHILD_LOCK)
_POWER = "Vendor.Common.EnumType.PowerState"
_COLOR = "Vendor.Common.EnumType.AmbientLightColor"
_DOOR = "Vendor.Common.EnumType.DoorState"
_CONNECTION = "Vendor.Common.EnumType.ChargingConnection"
_TEMPERATURE = "Cooking.Hood.EnumType.ColorTemperature"
_MAP = "ConsumerProducts.CleaningRobot.EnumType.AvailableMaps"


class Misadvertised(Service):
    """One key is sent with a list of possible values that is not its own.

    Attributes:
        key: the key, spelled with Vendor.
        listed: the list that is sent.
    """

    key: ClassVar[str]
    listed: ClassVar[tuple[str, ...]]

    def allowed(self, appliance: Appliance, entry: Entry) -> tuple[str, ...]:
        """Advertise the wrong values for the one key."""
        return self.listed if entry.key == self.key else super().allowed(appliance, entry)


@mutant("advertised-short", clause="ENUM-ADVERTISED", level="L2")
class AdvertisedShort(Misadvertised):
    """PowerState advertises On, Off and Standby, without their family."""

    fleet = (_SWITCHED,)
    key = POWER_STATE
    listed = ("On", "Off", "Standby")


@mutant("advertised-mains-off", clause="ENUM-ADVERTISED", level="L2")
class AdvertisedMainsOff(Misadvertised):
    """PowerState advertises a fourth value, MainsOff."""

    fleet = (_SWITCHED,)
    key = POWER_STATE
    listed = (f"{_POWER}.On", f"{_POWER}.Off", f"{_POWER}.Standby", f"{_POWER}.MainsOff")


@mutant("advertised-label", clause="ENUM-ADVERTISED", level="L2")
class AdvertisedLabel(Misadvertised):
    """PowerState advertises the label Stand-by behind its family."""

    fleet = (_SWITCHED,)
    key = POWER_STATE
    listed = (f"{_POWER}.On", f"{_POWER}.Stand-by")


@mutant("advertised-locked", clause="ENUM-ADVERTISED", level="L2")
class AdvertisedLocked(Misadvertised):
    """The freezer door advertises Locked, a value of its family and not of its key."""

    fleet = (FRIDGE,)
    key = FREEZER_DOOR
    listed = (f"{_DOOR}.Closed", f"{_DOOR}.Open", f"{_DOOR}.Locked")


@mutant("advertised-hundredth", clause="ENUM-ADVERTISED", level="L2")
class AdvertisedHundredth(Misadvertised):
    """AmbientLightColor advertises Color1 through Color100."""

    fleet = (_SWITCHED.having({AMBIENT_COLOR: f"{_COLOR}.Color1"}),)
    key = AMBIENT_COLOR
    listed = tuple(f"{_COLOR}.Color{number}" for number in range(1, 101))


@mutant("advertised-padded", clause="ENUM-ADVERTISED", level="L2")
class AdvertisedPadded(Misadvertised):
    """AmbientLightColor advertises Color01 and Color02."""

    fleet = (_SWITCHED.having({AMBIENT_COLOR: f"{_COLOR}.Color2"}),)
    key = AMBIENT_COLOR
    listed = (f"{_COLOR}.CustomColor", f"{_COLOR}.Color01", f"{_COLOR}.Color02")


@mutant("advertised-capital", clause="ENUM-ADVERTISED", level="L2")
class AdvertisedCapital(Misadvertised):
    """ColorTemperature advertises Custom beside custom."""

    fleet = (HOOD.only(POWER_STATE, LIGHTING, COLOR_TEMPERATURE),)
    key = COLOR_TEMPERATURE
    listed = (f"{_TEMPERATURE}.custom", f"{_TEMPERATURE}.Custom", f"{_TEMPERATURE}.cold")


@mutant("advertised-fourth-map", clause="ENUM-ADVERTISED", level="L2")
class AdvertisedFourthMap(Misadvertised):
    """CurrentMap advertises a fourth map, last in its list."""

    fleet = (ROBOT_NAMED,)
    key = CURRENT_MAP
    listed = (f"{_MAP}.TempMap", f"{_MAP}.Map1", f"{_MAP}.Map2", f"{_MAP}.Map3", f"{_MAP}.Map4")


@mutant("advertised-sibling", clause="ENUM-ADVERTISED", level="L2")
class AdvertisedSibling(Misadvertised):
    """ChargingConnection advertises a value of BatteryChargingState among its own."""

    fleet = (ROBOT_NAMED,)
    key = CHARGING_CONNECTION
    listed = (f"{_CONNECTION}.Disconnected", f"{_CONNECTION}.Connected", "Vendor.Common.EnumType.BatteryChargingState.Charging")
