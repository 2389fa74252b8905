"""Odd values: numbers written in other ways, texts of any form, statuses that seem to contradict each other.

> data type: one of Enumeration, Boolean, Integer, Double, Float, String

JSON has one kind of number: 5, 5.0 and 5e0 are the same.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar

from catalog import keys
from conformance.mutants.fleets import (
    COUNTING,
    DOSER,
    FRIDGE,
    FRIDGE_EQUIPPED,
    HOOD,
    MACHINE_LIT,
    ROBOT_NAMED,
    ROBOT_TWOFOLD,
    TIMED_OVEN,
)
from conformance.mutants.model import Symptom, add_variant, variant
from conformance.reference.fleets.cleaning import ROBOT_WATCHING
from conformance.reference.service import Service
from conformance.reference.wire import INVALID_VALUE

if TYPE_CHECKING:
    from catalog.model import Entry
    from conformance.reference.appliance import Appliance
    from conformance.reference.wire import Json, Refusal

_CHARGE = "Vendor.Common.EnumType.BatteryChargingState"
_CONNECTION = "Vendor.Common.EnumType.ChargingConnection"
_ROBOT = ROBOT_WATCHING.only(keys.POWER_STATE, keys.MAP_NAME_1, keys.CHARGING_STATE, keys.CHARGING_CONNECTION)
_CHARGED = _ROBOT.having(
    {keys.CHARGING_STATE: f"{_CHARGE}.Charging", keys.CHARGING_CONNECTION: f"{_CONNECTION}.Disconnected"}
)
_DISCHARGED = _ROBOT.having(
    {keys.CHARGING_STATE: f"{_CHARGE}.Discharging", keys.CHARGING_CONNECTION: f"{_CONNECTION}.Connected"}
)
_ZEROES = (
    HOOD.having({keys.COLOR_PERCENT: -0.0}),
    FRIDGE_EQUIPPED.having({keys.INTERNAL_BRIGHTNESS: -0.0}),
    ROBOT_TWOFOLD.having({keys.BATTERY_LEVEL: -0.0}),
)
_LEAST = (
    TIMED_OVEN.having({keys.ALARM_CLOCK: 0}),
    HOOD.having({keys.LIGHTING_BRIGHTNESS: 10, keys.COLOR_PERCENT: 0}),
    FRIDGE.having({keys.SETPOINT: 2, keys.FREEZER_SETPOINT: -24, keys.INTERNAL_BRIGHTNESS: 0}),
    MACHINE_LIT.having({keys.AMBIENT_BRIGHTNESS: 10, keys.AMBIENT_COLOR: keys.COLOR_1}),
    ROBOT_TWOFOLD.having({keys.BATTERY_LEVEL: 0}),
    COUNTING.having({keys.COFFEE_COUNT: 0, keys.HOT_WATER: 0, keys.HOT_WATER_CUPS: 0}),
)
_MOST = (
    TIMED_OVEN.having({keys.ALARM_CLOCK: 38340}),
    HOOD.having({keys.LIGHTING_BRIGHTNESS: 100, keys.COLOR_PERCENT: 100}),
    FRIDGE.having({keys.SETPOINT: 8, keys.FREEZER_SETPOINT: -16, keys.INTERNAL_BRIGHTNESS: 100}),
    MACHINE_LIT.having({keys.AMBIENT_BRIGHTNESS: 100, keys.AMBIENT_COLOR: f"{keys.COLOR_FAMILY}.Color99"}),
    ROBOT_TWOFOLD.having({keys.BATTERY_LEVEL: 100}),
)

odd = partial(add_variant, __name__)


class Pointed(Service):
    """Whole numbers are written with a decimal point, even where nothing follows it.

    Attributes:
        types: the data types of those numbers.
    """

    types: ClassVar[tuple[str, ...]]

    def spell_value(self, appliance: Appliance, entry: Entry, value: Json) -> Json:
        spelled = super().spell_value(appliance, entry, value)
        return float(spelled) if entry.type in self.types and isinstance(spelled, int) else spelled


# fmt: off
odd(Pointed, "doubles-with-point", "TYPE-DOUBLE",
    "Doubles and the Float have a decimal point even where nothing follows it, as in 4.0.",
    fleet=(FRIDGE, HOOD, ROBOT_TWOFOLD), types=("Double", "Float"))
odd(Pointed, "integers-with-point", "TYPE-INTEGER", "Integers are written 5.0.",
    fleet=(TIMED_OVEN, COUNTING, DOSER, FRIDGE_EQUIPPED), types=("Integer",))
odd(Service, "doubles-whole", "TYPE-DOUBLE", "Doubles and the Float have no fraction and no decimal point.",
    fleet=(FRIDGE, HOOD, ROBOT_TWOFOLD.having({keys.BATTERY_LEVEL: 57})))
odd(Service, "battery-of-single-precision", "TYPE-FLOAT",
    "BatteryLevel is 57.29999923706055: a number of single precision, written out.",
    fleet=(ROBOT_TWOFOLD.having({keys.BATTERY_LEVEL: 57.29999923706055}),))
odd(Service, "zero-negative", "TYPE-DOUBLE", "Zero is written -0.0.", fleet=_ZEROES)
odd(Service, "values-at-lower-ends", "RANGE-LIGHTING", "Every number is the least it may be.",
    fleet=_LEAST)
odd(Service, "values-at-upper-ends", "RANGE-ALARMCLOCK", "Every number is the most it may be.",
    fleet=_MOST)
odd(Service, "fractions-of-a-percent", "RANGE-BATTERY",
    "Percentages are below one: nearly dark, nearly empty.",
    fleet=(FRIDGE_EQUIPPED.having({keys.INTERNAL_BRIGHTNESS: 0.5}),
           ROBOT_TWOFOLD.having({keys.BATTERY_LEVEL: 0.3})))
odd(Service, "counters-huge", "RANGE-COUNT",
    "Counters are beyond 32 bits and beyond what a Double holds exactly, and do not add up.",
    fleet=(COUNTING.having(
        {keys.COFFEE_COUNT: 2**53 + 1, keys.HOT_WATER: 4294967295, keys.HOT_WATER_CUPS: 0}),))
odd(Service, "assistant-timeout-zero", "RANGE-ASSISTTIMEOUT",
    "The door assistant waits 0 of no unit, and has no range.",
    fleet=(FRIDGE_EQUIPPED.having({keys.ASSISTANT_TIMEOUT_FRIDGE: 0}),))
odd(Service, "assistant-timeout-negative", "RANGE-ASSISTTIMEOUT",
    "The door assistant waits -1, which is to say for ever: neither range nor unit is shown.",
    fleet=(FRIDGE_EQUIPPED.having({keys.ASSISTANT_TIMEOUT_FRIDGE: -1}),))
odd(Service, "custom-color-in-words", "AMB-CUSTOM-SETTABLE",
    "The custom colour is no number sign with six digits.",
    fleet=(MACHINE_LIT.having({keys.CUSTOM_COLOR: "rgb(74 136 248 / 50%)"}),))
odd(Service, "texts-empty", "TYPE-STRING", "A map has no name and the custom colour is the empty text.",
    fleet=(ROBOT_NAMED.having({keys.MAP_NAME_1: "", keys.MAP_NAME_3: ""}),
           MACHINE_LIT.having({keys.CUSTOM_COLOR: ""})))
odd(Service, "texts-of-any-kind", "TYPE-STRING",
    "A map is called by an emoji, line breaks and markup, another one like a number.",
    fleet=(ROBOT_NAMED.having({keys.MAP_NAME_1: '🏠\n"Erdgeschoß" <b>\\0', keys.MAP_NAME_3: "1"}),))
odd(Service, "maps-apart", "ENUM-CURRENTMAP",
    "CurrentMap is the temporary map, LastSelectedMap another one, and that one has no name.",
    fleet=(ROBOT_NAMED.having({keys.CURRENT_MAP: f"{keys.MAP_FAMILY}.TempMap",
                               keys.LAST_MAP: f"{keys.MAP_FAMILY}.Map2"}),))
odd(Service, "map-named-vendor", "ADDR-VENDOR",
    "Where the maker is called Acme, somebody called one map Vendor.Room and another one On: names, and"
    " neither keys nor values.",
    vendor="Acme", fleet=(ROBOT_NAMED.having({keys.MAP_NAME_1: "Vendor.Room", keys.MAP_NAME_3: "On"}),))
odd(Service, "charging-disconnected", "ENUM-BATTCHARGE",
    "The robot charges although it is not connected: on another charger.", fleet=(_CHARGED,))
odd(Service, "discharging-connected", "ENUM-CHARGECONN",
    "The robot discharges although it is connected: it has been full for a while.", fleet=(_DISCHARGED,))
# fmt: on


@variant("integers-with-point-not-taken", clause="RANGE-WRITE-BOUNDS")
class IntegersWithPointNotTaken(Pointed):
    """AlarmClock is shown as 5.0, and is refused unless it is written as 5."""

    fleet = (TIMED_OVEN.only(keys.ALARM_CLOCK, keys.POWER_STATE),)
    types = ("Integer",)
    shows = Symptom("AlarmClock=5.0", 409, 204, "answer")

    def accepts(self, appliance: Appliance, key: str, value: Json) -> Refusal | None:
        return INVALID_VALUE if isinstance(value, float) else super().accepts(appliance, key, value)
