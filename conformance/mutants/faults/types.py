"""Servers that send a value of another data type, null, a number that is not finite, or another unit.

> data type | one of Enumeration, Boolean, Integer, Double, Float, String | Type of the value
> When the setting is not returned, the unit is Celsius.
"""

from catalog import keys
from catalog.model import Entry
from conformance.mutants import fleets
from conformance.mutants.model import broken
from conformance.mutants.shapes.reads import alternates, converts, converts_under, measures, rewrites, sends
from conformance.mutants.shapes.writes import couples, moves, stores
from conformance.reference.appliance import Appliance
from conformance.reference.fleets.cooking import COFFEE_MAKER
from conformance.reference.fleets.cooling import WINE_CABINET
from conformance.reference.service import Service
from conformance.reference.wire import Reply

_SECONDS_AS_TEXT = Reply(200, b'{"data": {"key": "Vendor.Common.Setting.AlarmClock", "value": "0"}}')
_NO_DOUBLE = {"TYPE-DOUBLE": "The number is not finite, so it is no Double."}
_NO_FLOAT = {"TYPE-FLOAT": "The number is not finite, so it is no Float."}


class UnitForgotten(Service):
    def unit(self, appliance: Appliance, entry: Entry) -> str | None:
        shown, known = super().unit(appliance, entry), appliance.spec.ranges.get(entry.key)
        return shown if known is None else known.unit


class FreezerStaysBehind(Service):
    def unit(self, appliance: Appliance, entry: Entry) -> str | None:
        shown = super().unit(appliance, entry)
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
broken("lock-as-a-word-after-a-power-cycle", "TYPE-BOOLEAN", "L3", fleets.MACHINE,
    couples({(keys.POWER_STATE, keys.ON): {keys.CHILD_LOCK: "false"}}),
    'ChildLock is the text "false" once the appliance was switched off and on.')
broken("lock-null-after-a-power-cycle", "TYPE-NOTNULL", "L3", fleets.MACHINE,
    couples({(keys.POWER_STATE, keys.ON): {keys.CHILD_LOCK: None}}),
    "The value of ChildLock is null once the appliance was switched off and on.")
broken("booleans-as-numbers", "TYPE-BOOLEAN", "L0", fleets.MACHINE,
    converts(lambda sent: int(sent) if isinstance(sent, bool) else sent), "Booleans are sent as 1 and 0.")
broken("booleans-as-words", "TYPE-BOOLEAN", "L0", fleets.HOOD,
    converts(lambda sent: str(sent) if isinstance(sent, bool) else sent),
    'Booleans are sent as the texts "True" and "False".')
broken("lifted-as-number", "TYPE-BOOLEAN", "L0", fleets.ROBOT_TWOFOLD, sends(keys.LIFTED, 1),
    "Lifted alone is sent as 1, under both segments.")
broken("lock-as-quoted-true", "TYPE-BOOLEAN", "L0", fleets.MACHINE, sends(keys.CHILD_LOCK, "true"),
    'ChildLock is sent as the text "true".')
broken("light-as-on", "TYPE-BOOLEAN", "L0", fleets.HOOD, sends(keys.LIGHTING, "on"),
    'Lighting is sent as the text "on".')
broken("status-as-fraction", "TYPE-BOOLEAN", "L0", fleets.MACHINE, sends(keys.REMOTE_CONTROL, 1.0),
    "RemoteControlActive is sent as 1.0.")
broken("warmer-as-empty-text", "TYPE-BOOLEAN", "L0", fleets.COUNTING, sends(keys.CUP_WARMER, ""),
    "CupWarmer is sent as an empty text.")
broken("mode-in-an-object", "TYPE-BOOLEAN", "L2", fleets.FRIDGE_EQUIPPED,
    converts(lambda sent: {"value": sent}, keys.ECO_MODE),
    "The value of EcoMode is an object that holds it once more.")
broken("alarm-with-half-seconds", "TYPE-INTEGER", "L0", fleets.TIMED_OVEN, sends(keys.ALARM_CLOCK, 90.5),
    "AlarmClock is sent as 90.5.")
broken("timeout-as-true", "TYPE-INTEGER", "L0", fleets.FRIDGE_EQUIPPED,
    sends(keys.ASSISTANT_TIMEOUT_FRIDGE, True), "The timeout of a door assistant is sent as true.")
broken("dosing-with-its-unit", "TYPE-INTEGER", "L0", fleets.DOSER, sends(keys.DOSING_1, "50 ml"),
    'Dosing1BaseLevel is sent as the text "50 ml".')
broken("integers-as-text", "TYPE-INTEGER", "L0", fleets.COUNTING,
    converts(lambda sent: str(sent) if type(sent) is int else sent),
    'Integers are sent as text, such as "54".')
broken("alarm-as-time", "TYPE-INTEGER", "L0", fleets.TIMED_OVEN, sends(keys.ALARM_CLOCK, "00:00:00"),
    'AlarmClock is sent as the text "00:00:00".')
broken("every-second-alarm-as-text", "TYPE-INTEGER", "L0", fleets.TIMED_OVEN,
    alternates(keys.ALARM_CLOCK, _SECONDS_AS_TEXT),
    'Every second read of AlarmClock shows the text "0", as where one of two servers behind an address does.')
broken("count-with-a-comma", "TYPE-INTEGER", "L0", fleets.COUNTING, sends(keys.COFFEE_COUNT, "1,290"),
    'BeverageCounterCoffee is sent as the text "1,290".')
broken("water-with-a-fraction", "TYPE-INTEGER", "L0", fleets.COUNTING, sends(keys.HOT_WATER, 10350.25),
    "BeverageCounterHotWater is sent with a fraction of a millilitre.")
broken("dosing-in-an-object", "TYPE-INTEGER", "L2", fleets.DOSER,
    converts(lambda sent: {"amount": sent, "unit": "ml"}, keys.DOSING_2),
    "The value of Dosing2BaseLevel is an object of an amount and a unit.")
broken("setpoint-as-text", "TYPE-DOUBLE", "L0", fleets.FRIDGE, sends(keys.SETPOINT, "4.0"),
    'The setpoint of the refrigerator is sent as the text "4.0".')
broken("setpoint-as-true", "TYPE-DOUBLE", "L0", fleets.FRIDGE, sends(keys.SETPOINT, True),
    "The setpoint of the refrigerator is sent as true.")
broken("freezer-with-its-unit", "TYPE-DOUBLE", "L0", fleets.FRIDGE, sends(keys.FREEZER_SETPOINT, "-18 °C"),
    'The setpoint of the freezer is sent as the text "-18 °C".')
broken("brightness-with-a-comma", "TYPE-DOUBLE", "L0", fleets.FRIDGE_EQUIPPED,
    sends(keys.INTERNAL_BRIGHTNESS, "60,5"),
    "The brightness of a refrigerator's light is sent as the text \"60,5\".")
broken("setpoint-in-an-object", "TYPE-DOUBLE", "L2", fleets.FRIDGE,
    converts(lambda sent: {"value": sent, "unit": "°C"}, keys.SETPOINT),
    "The value of the refrigerator's setpoint is an object of a number and a unit.")
broken("percent-in-a-list", "TYPE-DOUBLE", "L2", fleets.HOOD, sends(keys.COLOR_PERCENT, (25,)),
    "ColorTemperaturePercent is sent as a list of one number.")
broken("battery-with-its-unit", "TYPE-FLOAT", "L0", fleets.ROBOT, sends(keys.BATTERY_LEVEL, "80%"),
    'BatteryLevel is sent as the text "80%".')
broken("battery-as-text", "TYPE-FLOAT", "L0", fleets.ROBOT, sends(keys.BATTERY_LEVEL, "57.3"),
    'BatteryLevel is sent as the text "57.3".')
broken("battery-as-text-once-renamed", "TYPE-FLOAT", "L3", fleets.ROBOT_TWOFOLD,
    moves(keys.MAP_NAME_1, keys.BATTERY_LEVEL, lambda _: "57.3"),
    'BatteryLevel is the text "57.3" once a map has been named.')
broken("battery-as-true", "TYPE-FLOAT", "L0", fleets.ROBOT, sends(keys.BATTERY_LEVEL, True),
    "BatteryLevel is sent as true when the battery is full.")
broken("map-name-as-number", "TYPE-STRING", "L0", fleets.ROBOT_NAMED, sends(keys.MAP_NAME_1, 1),
    "NameOfMap1 is sent as the number 1.")
broken("map-name-as-false", "TYPE-STRING", "L0", fleets.ROBOT_NAMED, sends(keys.MAP_NAME_3, False),
    "NameOfMap3 is sent as false, for a map without a name.")
broken("custom-color-as-number", "TYPE-STRING", "L0", fleets.MACHINE_LIT, sends(keys.CUSTOM_COLOR, 0xE0FFFF),
    "AmbientLightCustomColor is sent as one number for its three parts.")
broken("custom-color-in-parts", "TYPE-STRING", "L2", fleets.MACHINE_LIT,
    sends(keys.CUSTOM_COLOR, (224, 255, 255)),
    "AmbientLightCustomColor is sent as a list of its three parts.")
broken("operation-state-as-index", "TYPE-ENUM", "L0", fleets.MACHINE, sends(keys.OPERATION_STATE, 2),
    "OperationState is sent as its place among the nine.")
broken("door-as-false", "TYPE-ENUM", "L0", fleets.MACHINE, sends(keys.DOOR_STATE, False),
    "DoorState is sent as false.")
broken("power-as-true", "TYPE-ENUM", "L0", fleets.MACHINE, sends(keys.POWER_STATE, True),
    "PowerState is sent as true when the appliance is on.")
broken("color-as-number", "TYPE-ENUM", "L0", fleets.MACHINE_LIT, sends(keys.AMBIENT_COLOR, 43),
    "AmbientLightColor is sent as the number of the colour.")
broken("map-in-a-list", "TYPE-ENUM", "L2", fleets.ROBOT_NAMED,
    sends(keys.CURRENT_MAP, ("ConsumerProducts.CleaningRobot.EnumType.AvailableMaps.Map1",)),
    "CurrentMap is sent as a list of one map.")
broken("enumerations-as-objects", "TYPE-ENUM", "L2", fleets.FRIDGE,
    converts(lambda sent: {"key": sent, "displayvalue": "Closed"}, keys.FREEZER_DOOR),
    "The value of the freezer door is an object of its key and a text to show.")
broken("alarm-clock-null-after-a-power-cycle", "TYPE-NOTNULL", "L3", fleets.TIMED_OVEN,
    couples({(keys.POWER_STATE, keys.ON): {keys.ALARM_CLOCK: None}}),
    "The value of AlarmClock is null once the oven was switched off and on.")
broken("unnamed-map-is-null", "TYPE-NOTNULL", "L0", fleets.ROBOT_NAMED, sends(keys.MAP_NAME_3, None),
    "NameOfMap3 is sent as null, for a map without a name.")
broken("false-is-null", "TYPE-NOTNULL", "L0", fleets.MACHINE,
    converts(lambda sent: None if sent is False else sent), "Booleans that are false are sent as null.")
broken("idle-is-null", "TYPE-NOTNULL", "L0", fleets.MACHINE, sends(keys.OPERATION_STATE, None),
    "OperationState is sent as null while no program is active.")
broken("setpoint-is-null", "TYPE-NOTNULL", "L0", fleets.FRIDGE, sends(keys.SETPOINT, None),
    "The setpoint of the refrigerator is sent as null.")
broken("charging-is-null", "TYPE-NOTNULL", "L1", fleets.ROBOT, sends(keys.CHARGING_STATE, None),
    "BatteryChargingState, which is claimed, is sent as null.")
broken("brightness-beyond-numbers", "TYPE-FINITE", "L0", fleets.HOOD,
    rewrites(keys.LIGHTING_BRIGHTNESS, lambda body: body.replace(b'"value":80,', b'"value":1e999,')),
    "LightingBrightness is sent as 1e999, which no number format holds.", partners=_NO_DOUBLE)
broken("battery-not-a-number", "TYPE-FINITE", "L0", fleets.ROBOT,
    rewrites(keys.BATTERY_LEVEL, lambda body: body.replace(b'"value":100,', b'"value":NaN,')),
    "BatteryLevel is sent as NaN.", partners=_NO_FLOAT)
broken("alarm-infinite", "TYPE-FINITE", "L0", fleets.TIMED_OVEN,
    rewrites(keys.ALARM_CLOCK, lambda body: body.replace(b'"value":0,', b'"value":Infinity,')),
    "AlarmClock is sent as Infinity when it is not set.")
broken("setpoint-minus-infinite", "TYPE-FINITE", "L0", fleets.FRIDGE,
    rewrites(keys.FREEZER_SETPOINT, lambda body: body.replace(b'"value":-18,', b'"value":-Infinity,')),
    "The setpoint of the freezer is sent as -Infinity.", partners=_NO_DOUBLE)
broken("default-fahrenheit", "UNIT-TEMP-DEFAULT", "L2", fleets.FRIDGE_UNITLESS,
    measures("°F", keys.SETPOINT, keys.FREEZER_SETPOINT),
    "Setpoints are called °F on an appliance without TemperatureUnit.")
broken("default-kelvin", "UNIT-TEMP-DEFAULT", "L2", fleets.FRIDGE_UNITLESS,
    measures("K", keys.FREEZER_SETPOINT),
    "The setpoint of the freezer is called K on an appliance without TemperatureUnit.")
broken("one-wine-compartment-fahrenheit", "UNIT-TEMP-DEFAULT", "L2", WINE_CABINET,
    measures("Fahrenheit", keys.WINE_SETPOINT_2),
    "One of four setpoints is called Fahrenheit on an appliance without TemperatureUnit.")
broken("unit-forgotten", "UNIT-TEMP-APPLIES", "L3", fleets.FRIDGE_UNITS, UnitForgotten,
    "After TemperatureUnit is written, numbers and ranges move and setpoints are still called by the "
    "first unit.")
broken("freezer-stays-behind", "UNIT-TEMP-APPLIES", "L3", fleets.FRIDGE_UNITS, FreezerStaysBehind,
    "After TemperatureUnit is written, the refrigerator follows and the setpoint of the freezer is "
    "called by the other unit.")
broken("celsius-for-ever", "UNIT-TEMP-APPLIES", "L2", fleets.FRIDGE,
    sends(keys.TEMPERATURE_UNIT, keys.FAHRENHEIT),
    "TemperatureUnit is Fahrenheit, values and ranges stay in °C and say so.")
broken("one-setpoint-fahrenheit", "UNIT-TEMP-APPLIES", "L2", fleets.FRIDGE,
    measures("°F", keys.FREEZER_SETPOINT),
    "TemperatureUnit is Celsius, the setpoint of the freezer is called °F.")
broken("unit-by-its-own-key", "UNIT-TEMP-APPLIES", "L2", fleets.FRIDGE_AMERICAN,
    measures("Vendor.Common.EnumType.TemperatureUnit.Celsius", keys.SETPOINT),
    "TemperatureUnit is Fahrenheit, the unit of one setpoint is the enumeration value for Celsius.")
broken("dosing-in-ounces", "UNIT-LIQ-DEFAULT", "L2", fleets.DOSER,
    measures("fl.oz", keys.DOSING_1, keys.DOSING_2),
    "Dosing levels are called fl.oz on an appliance without LiquidVolumeUnit.")
broken("one-dosing-in-litres", "UNIT-LIQ-DEFAULT", "L2", fleets.DOSER, measures("l", keys.DOSING_2),
    "Dosing2BaseLevel alone is called l on an appliance without LiquidVolumeUnit.")
broken("default-ounces-of-water", "UNIT-LIQ-DEFAULT", "L2",
    COFFEE_MAKER.only(keys.POWER_STATE, keys.CUP_WARMER, keys.COFFEE_COUNT, keys.HOT_WATER),
    measures("fl.oz", keys.HOT_WATER),
    "The hot water counter is called fl.oz on an appliance without LiquidVolumeUnit.",
    partners={"UNIT-HOTWATER": "The hot water counter names another unit than ml."})
broken("water-in-cups", "UNIT-HOTWATER", "L2", fleets.COUNTING, measures("cups", keys.HOT_WATER),
    "The hot water counter is called cups.")
broken("water-in-litres", "UNIT-HOTWATER", "L2", fleets.COUNTING, measures("l", keys.HOT_WATER),
    "The hot water counter is called l.")
broken("water-in-ounces", "UNIT-HOTWATER", "L2", fleets.COUNTING, measures("fl.oz", keys.HOT_WATER),
    "The hot water counter is called fl.oz while LiquidVolumeUnit is MilliLiter.")
broken("brightness-in-lux", "UNIT-PERCENT", "L2", fleets.FRIDGE_EQUIPPED,
    measures("lux", keys.INTERNAL_BRIGHTNESS), "The brightness of a refrigerator's light is called lux.")
broken("ambient-light-in-lumen", "UNIT-PERCENT", "L2", fleets.MACHINE_LIT,
    measures("lm", keys.AMBIENT_BRIGHTNESS), "AmbientLightBrightness is called lm.")
broken("percent-called-kelvin", "UNIT-PERCENT", "L2", fleets.HOOD, measures("K", keys.COLOR_PERCENT),
    "ColorTemperaturePercent is called K.")
broken("battery-in-minutes", "UNIT-PERCENT", "L2", fleets.ROBOT, measures("min", keys.BATTERY_LEVEL),
    "BatteryLevel is called min, as if it were the time left.")
broken("alarm-in-minutes", "UNIT-SECONDS", "L2", fleets.TIMED_OVEN, measures("min", keys.ALARM_CLOCK),
    "AlarmClock is called min.")
broken("alarm-in-milliseconds", "UNIT-SECONDS", "L2", fleets.TIMED_OVEN, measures("ms", keys.ALARM_CLOCK),
    "AlarmClock is called ms.")
