"""Odd values: numbers written in other ways, texts of any form, statuses that seem to contradict each other.

> data type: one of Enumeration, Boolean, Integer, Double, Float, String

JSON has one kind of number: 5, 5.0 and 5e0 are the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.mutants.model import variant
from conformance.mutants.soil import (
    ALARM_CLOCK,
    AMBIENT_BRIGHTNESS,
    AMBIENT_COLOR,
    ASSISTANT_TIMEOUT,
    BATTERY_LEVEL,
    CHARGING_CONNECTION,
    CHARGING_STATE,
    COFFEE_COUNT,
    COLOR_PERCENT,
    COUNTING,
    CURRENT_MAP,
    CUSTOM_COLOR,
    DOSER,
    FREEZER_SETPOINT,
    FRIDGE,
    FRIDGE_EQUIPPED,
    HOOD,
    HOT_WATER,
    HOT_WATER_CUPS,
    INTERNAL_BRIGHTNESS,
    LAST_MAP,
    LIGHTING_BRIGHTNESS,
    MACHINE_LIT,
    MAP_NAME_1,
    MAP_NAME_3,
    ROBOT_NAMED,
    ROBOT_TWOFOLD,
    SETPOINT,
    TIMED_OVEN,
)
from conformance.reference.fleet_household import ROBOT_WATCHING
from conformance.reference.names import POWER_STATE
from conformance.reference.service import Service

if TYPE_CHECKING:
    from catalog.model import Entry
    from conformance.reference.appliance import Appliance
    from conformance.reference.wire import Json

_COLOR = "Vendor.Common.EnumType.AmbientLightColor"
_MAP = "ConsumerProducts.CleaningRobot.EnumType.AvailableMaps"
_CHARGE = "Vendor.Common.EnumType.BatteryChargingState"
_CONNECTION = "Vendor.Common.EnumType.ChargingConnection"

_CHARGED = ROBOT_WATCHING.only(POWER_STATE, MAP_NAME_1, CHARGING_STATE, CHARGING_CONNECTION)


@variant("doubles-whole", clause="TYPE-DOUBLE")
class DoublesWhole(Service):
    """Doubles and the Float have no fraction and no decimal point."""

    fleet = (FRIDGE, HOOD, ROBOT_TWOFOLD.having({BATTERY_LEVEL: 57}))


@variant("doubles-with-point", clause="TYPE-DOUBLE")
class DoublesWithPoint(Service):
    """Doubles and the Float have a decimal point even where nothing follows it, as in 4.0."""

    fleet = (FRIDGE, HOOD, ROBOT_TWOFOLD)

    def spell_value(self, appliance: Appliance, entry: Entry, value: Json) -> Json:
        """Keep the point."""
        spelled = super().spell_value(appliance, entry, value)
        return float(spelled) if entry.type in {"Double", "Float"} and isinstance(spelled, int) else spelled


@variant("integers-with-point", clause="TYPE-INTEGER")
class IntegersWithPoint(Service):
    """Integers are written 5.0."""

    fleet = (TIMED_OVEN, COUNTING, DOSER, FRIDGE_EQUIPPED)

    def spell_value(self, appliance: Appliance, entry: Entry, value: Json) -> Json:
        """Treat every number as a Double."""
        spelled = super().spell_value(appliance, entry, value)
        return float(spelled) if entry.type == "Integer" and isinstance(spelled, int) else spelled


@variant("battery-of-single-precision", clause="TYPE-FLOAT")
class BatteryOfSinglePrecision(Service):
    """BatteryLevel is 57.29999923706055: a number of single precision, written out."""

    fleet = (ROBOT_TWOFOLD.having({BATTERY_LEVEL: 57.29999923706055}),)


@variant("zero-negative", clause="TYPE-DOUBLE")
class ZeroNegative(Service):
    """Zero is written -0.0."""

    fleet = (
        HOOD.having({COLOR_PERCENT: -0.0}),
        FRIDGE_EQUIPPED.having({INTERNAL_BRIGHTNESS: -0.0}),
        ROBOT_TWOFOLD.having({BATTERY_LEVEL: -0.0}),
    )


@variant("values-at-lower-ends", clause="RANGE-LIGHTING")
class ValuesAtLowerEnds(Service):
    """Every number is the least it may be."""

    fleet = (
        TIMED_OVEN.having({ALARM_CLOCK: 0}),
        HOOD.having({LIGHTING_BRIGHTNESS: 10, COLOR_PERCENT: 0}),
        FRIDGE.having({SETPOINT: 2, FREEZER_SETPOINT: -24, INTERNAL_BRIGHTNESS: 0}),
        MACHINE_LIT.having({AMBIENT_BRIGHTNESS: 10, AMBIENT_COLOR: f"{_COLOR}.Color1"}),
        ROBOT_TWOFOLD.having({BATTERY_LEVEL: 0}),
        COUNTING.having({COFFEE_COUNT: 0, HOT_WATER: 0, HOT_WATER_CUPS: 0}),
    )


@variant("values-at-upper-ends", clause="RANGE-ALARMCLOCK")
class ValuesAtUpperEnds(Service):
    """Every number is the most it may be."""

    fleet = (
        TIMED_OVEN.having({ALARM_CLOCK: 38340}),
        HOOD.having({LIGHTING_BRIGHTNESS: 100, COLOR_PERCENT: 100}),
        FRIDGE.having({SETPOINT: 8, FREEZER_SETPOINT: -16, INTERNAL_BRIGHTNESS: 100}),
        MACHINE_LIT.having({AMBIENT_BRIGHTNESS: 100, AMBIENT_COLOR: f"{_COLOR}.Color99"}),
        ROBOT_TWOFOLD.having({BATTERY_LEVEL: 100}),
    )


@variant("fractions-of-a-percent", clause="RANGE-BATTERY")
class FractionsOfAPercent(Service):
    """Percentages are below one: nearly dark, nearly empty."""

    fleet = (FRIDGE_EQUIPPED.having({INTERNAL_BRIGHTNESS: 0.5}), ROBOT_TWOFOLD.having({BATTERY_LEVEL: 0.3}))


@variant("counters-huge", clause="RANGE-COUNT")
class CountersHuge(Service):
    """Counters are beyond 32 bits and beyond what a Double holds exactly, and do not add up."""

    fleet = (COUNTING.having({COFFEE_COUNT: 2**53 + 1, HOT_WATER: 4294967295, HOT_WATER_CUPS: 0}),)


@variant("assistant-timeout-zero", clause="RANGE-ASSISTTIMEOUT")
class AssistantTimeoutZero(Service):
    """The door assistant waits 0 of no unit, and has no range."""

    fleet = (FRIDGE_EQUIPPED.having({ASSISTANT_TIMEOUT: 0}),)


@variant("assistant-timeout-negative", clause="RANGE-ASSISTTIMEOUT")
class AssistantTimeoutNegative(Service):
    """The door assistant waits -1, which is to say for ever: neither range nor unit is shown."""

    fleet = (FRIDGE_EQUIPPED.having({ASSISTANT_TIMEOUT: -1}),)


@variant("custom-color-in-words", clause="AMB-CUSTOM-SETTABLE")
class CustomColorInWords(Service):
    """The custom colour is no number sign with six digits."""

    fleet = (MACHINE_LIT.having({CUSTOM_COLOR: "rgb(74 136 248 / 50%)"}),)


@variant("texts-empty", clause="TYPE-STRING")
class TextsEmpty(Service):
    """A map has no name and the custom colour is the empty text."""

    fleet = (ROBOT_NAMED.having({MAP_NAME_1: "", MAP_NAME_3: ""}), MACHINE_LIT.having({CUSTOM_COLOR: ""}))


@variant("texts-of-any-kind", clause="TYPE-STRING")
class TextsOfAnyKind(Service):
    """A map is called by an emoji, line breaks and markup, another one like a number."""

    fleet = (ROBOT_NAMED.having({MAP_NAME_1: '🏠\n"Erdgeschoß" <b>\\0', MAP_NAME_3: "1"}),)


@variant("maps-apart", clause="ENUM-CURRENTMAP")
class MapsApart(Service):
    """CurrentMap is the temporary map, LastSelectedMap another one, and that one has no name."""

    fleet = (ROBOT_NAMED.having({CURRENT_MAP: f"{_MAP}.TempMap", LAST_MAP: f"{_MAP}.Map2"}),)


@variant("map-named-vendor", clause="ADDR-VENDOR")
class MapNamedVendor(Service):
    """Where the maker is called Acme, somebody called one map Vendor.Room and another one On: names, and neither keys nor values."""

    vendor = "Acme"
    fleet = (ROBOT_NAMED.having({MAP_NAME_1: "Vendor.Room", MAP_NAME_3: "On"}),)


@variant("charging-disconnected", clause="ENUM-BATTCHARGE")
class ChargingDisconnected(Service):
    """The robot charges although it is not connected: on another charger."""

    fleet = (_CHARGED.having({CHARGING_STATE: f"{_CHARGE}.Charging", CHARGING_CONNECTION: f"{_CONNECTION}.Disconnected"}),)


@variant("discharging-connected", clause="ENUM-CHARGECONN")
class DischargingConnected(Service):
    """The robot discharges although it is connected: it has been full for a while."""

    fleet = (_CHARGED.having({CHARGING_STATE: f"{_CHARGE}.Discharging", CHARGING_CONNECTION: f"{_CONNECTION}.Connected"}),)
