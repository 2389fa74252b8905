"""Servers that send a value of another data type, null, a number that is not finite, or another unit.

> data type | one of Enumeration, Boolean, Integer, Double, Float, String | Type of the value
> When the setting is not returned, the unit is Celsius.
"""

from catalog import keys
from catalog.model import Entry
from conformance.mutants import fleets
from conformance.mutants.model import broken
from conformance.mutants.shapes.reads import (
    alternates,
    converts,
    converts_under,
    measures,
    measures_as,
    rewrites,
    sends,
    shows,
)
from conformance.mutants.shapes.side_effects import couples, moves
from conformance.mutants.shapes.writes import stores
from conformance.reference.appliance import Appliance
from conformance.reference.fleets.cooking import COFFEE_MAKER
from conformance.reference.fleets.cooling import WINE_CABINET
from conformance.reference.wire import Reply

_SECONDS_AS_TEXT = Reply(200, b'{"data": {"key": "Vendor.Common.Setting.AlarmClock", "value": "0"}}')
_IN_OUNCES = keys.LIQUID_UNIT, "Vendor.Common.EnumType.LiquidVolumeUnit.FluidOunces"
_NO_FLOAT = {"TYPE-FLOAT": "The number is not finite, so it is no Float."}


def _first_unit(appliance: Appliance, entry: Entry, shown: str | None) -> str | None:
    known = appliance.spec.ranges.get(entry.key)
    return shown if known is None else known.unit


def _behind(appliance: Appliance, entry: Entry, shown: str | None) -> str | None:
    moved = appliance.values[keys.TEMPERATURE_UNIT] != appliance.spec.values[keys.TEMPERATURE_UNIT]
    return "°C" if entry.key == keys.FREEZER_SETPOINT and moved else shown


# fmt: off
broken("dust-box-as-a-word", "TYPE-BOOLEAN", "L0", fleets.ROBOT_TWOFOLD,
    converts_under("settings", keys.DUST_BOX, lambda _: "Inserted"),
    'DustBoxInserted is the text "Inserted" under settings, and right under status.')
broken("lost-as-text-under-status", "TYPE-BOOLEAN", "L0", fleets.ROBOT_TWOFOLD,
    converts_under("status", keys.LOST, lambda _: "false"),
    'Lost is the text "false" under status, and right under settings.')
broken("false-as-zero-once-written", "TYPE-BOOLEAN", "L3", fleets.COFFEE_SETTINGS,
    stores(lambda value: 0 if value is False else value, keys.CHILD_LOCK),
    "ChildLock is false, and 0 after false was written.")
broken("hot-water-in-parts-of-an-ounce", "TYPE-INTEGER", "L3",
    COFFEE_MAKER.only(keys.LIQUID_UNIT, keys.CUP_WARMER, keys.HOT_WATER),
    shows(lambda _: 349.97, keys.HOT_WATER, state=_IN_OUNCES),
    "The counter of hot water has a fraction once LiquidVolumeUnit is FluidOunces.")
broken("coffees-in-ounces", "TYPE-INTEGER", "L3", fleets.COUNTING,
    shows(lambda _: 11.83, keys.COFFEE_COUNT, state=_IN_OUNCES),
    "The counter of coffees has a fraction once LiquidVolumeUnit is FluidOunces.")
broken("lock-as-a-word-after-a-power-cycle", "TYPE-BOOLEAN", "L3", fleets.MACHINE,
    couples({(keys.POWER_STATE, keys.ON): {keys.CHILD_LOCK: "false"}}),
    'ChildLock is the text "false" once the appliance was switched off and on.')
broken("lock-null-after-a-power-cycle", "TYPE-NOTNULL", "L3", fleets.MACHINE,
    couples({(keys.POWER_STATE, keys.ON): {keys.CHILD_LOCK: None}}),
    "The value of ChildLock is null once the appliance was switched off and on.")
broken("booleans-as-words", "TYPE-BOOLEAN", "L0", fleets.HOOD,
    converts(lambda sent: str(sent) if isinstance(sent, bool) else sent),
    'Booleans are sent as the texts "True" and "False".')
broken("lock-as-quoted-true", "TYPE-BOOLEAN", "L0", fleets.MACHINE, sends(keys.CHILD_LOCK, "true"),
    'ChildLock is sent as the text "true".')
broken("lock-not-a-number", "TYPE-BOOLEAN", "L0", fleets.MACHINE,
    rewrites(keys.CHILD_LOCK, lambda body: body.replace(b'"value":false', b'"value":NaN')),
    "ChildLock is sent as NaN.")
broken("dosing-with-its-unit", "TYPE-INTEGER", "L0", fleets.DOSER, sends(keys.DOSING_1, "50 ml"),
    'Dosing1BaseLevel is sent as the text "50 ml".')
broken("alarm-as-time", "TYPE-INTEGER", "L0", fleets.TIMED_OVEN, sends(keys.ALARM_CLOCK, "00:00:00"),
    'AlarmClock is sent as the text "00:00:00".')
broken("every-second-alarm-as-text", "TYPE-INTEGER", "L0", fleets.TIMED_OVEN,
    alternates(keys.ALARM_CLOCK, _SECONDS_AS_TEXT),
    'Every second read of AlarmClock shows the text "0", as where one of two servers behind an address does.')
broken("percent-in-a-list", "TYPE-DOUBLE", "L2", fleets.HOOD, sends(keys.COLOR_PERCENT, (25,)),
    "ColorTemperaturePercent is sent as a list of one number.")
broken("battery-as-text-once-renamed", "TYPE-FLOAT", "L3", fleets.ROBOT_TWOFOLD,
    moves(keys.MAP_NAME_1, keys.BATTERY_LEVEL, lambda _: "57.3"),
    'BatteryLevel is the text "57.3" once a map has been named.')
broken("custom-color-in-parts", "TYPE-STRING", "L2", fleets.MACHINE_LIT,
    sends(keys.CUSTOM_COLOR, (224, 255, 255)),
    "AmbientLightCustomColor is sent as a list of its three parts.")
broken("alarm-clock-null-after-a-power-cycle", "TYPE-NOTNULL", "L3", fleets.TIMED_OVEN,
    couples({(keys.POWER_STATE, keys.ON): {keys.ALARM_CLOCK: None}}),
    "The value of AlarmClock is null once the oven was switched off and on.")
broken("unnamed-map-is-null", "TYPE-NOTNULL", "L0", fleets.ROBOT_NAMED, sends(keys.MAP_NAME_3, None),
    "NameOfMap3 is sent as null, for a map without a name.")
broken("false-is-null", "TYPE-NOTNULL", "L0", fleets.MACHINE,
    converts(lambda sent: None if sent is False else sent), "Booleans that are false are sent as null.")
broken("charging-is-null", "TYPE-NOTNULL", "L1", fleets.ROBOT, sends(keys.CHARGING_STATE, None),
    "BatteryChargingState, which is claimed, is sent as null.")
broken("battery-not-a-number", "TYPE-FINITE", "L0", fleets.ROBOT,
    rewrites(keys.BATTERY_LEVEL, lambda body: body.replace(b'"value":100,', b'"value":NaN,')),
    "BatteryLevel is sent as NaN.", partners=_NO_FLOAT)
broken("one-wine-compartment-fahrenheit", "UNIT-TEMP-DEFAULT", "L2", WINE_CABINET,
    measures("Fahrenheit", keys.WINE_SETPOINT_2),
    "One of four setpoints is called Fahrenheit on an appliance without TemperatureUnit.")
broken("unit-forgotten", "UNIT-TEMP-APPLIES", "L3", fleets.FRIDGE_UNITS, measures_as(_first_unit),
    "After TemperatureUnit is written, numbers and ranges move and setpoints are still called by the "
    "first unit.")
broken("freezer-stays-behind", "UNIT-TEMP-APPLIES", "L3", fleets.FRIDGE_UNITS, measures_as(_behind),
    "After TemperatureUnit is written, the refrigerator follows and the setpoint of the freezer is "
    "called by the other unit.")
broken("celsius-for-ever", "UNIT-TEMP-APPLIES", "L2", fleets.FRIDGE,
    sends(keys.TEMPERATURE_UNIT, keys.FAHRENHEIT),
    "TemperatureUnit is Fahrenheit, values and ranges stay in °C and say so.")
broken("unit-by-its-own-key", "UNIT-TEMP-APPLIES", "L2", fleets.FRIDGE_AMERICAN,
    measures("Vendor.Common.EnumType.TemperatureUnit.Celsius", keys.SETPOINT),
    "TemperatureUnit is Fahrenheit, the unit of one setpoint is the enumeration value for Celsius.")
