"""Small appliances that mutants grow on: an anchor, a few healthy keys, and those a fault needs."""

from __future__ import annotations

from types import MappingProxyType

from conformance.reference.fleet_cooking import COFFEE_MAKER, HOOD_COLORFUL, OVEN
from conformance.reference.fleet_cooling import FRIDGE_CELSIUS, FRIDGE_FAHRENHEIT
from conformance.reference.fleet_household import DISHWASHER, ROBOT_BLIND, ROBOT_WATCHING, WASHER
from conformance.reference.names import OPERATION_STATE, POWER_STATE, TEMPERATURE_UNIT

CHILD_LOCK = "Vendor.Common.Setting.ChildLock"
ALARM_CLOCK = "Vendor.Common.Setting.AlarmClock"
LIQUID_UNIT = "Vendor.Common.Setting.LiquidVolumeUnit"
AMBIENT_ENABLED = "Vendor.Common.Setting.AmbientLightEnabled"
AMBIENT_BRIGHTNESS = "Vendor.Common.Setting.AmbientLightBrightness"
AMBIENT_COLOR = "Vendor.Common.Setting.AmbientLightColor"
CUSTOM_COLOR = "Vendor.Common.Setting.AmbientLightCustomColor"
REMOTE_CONTROL = "Vendor.Common.Status.RemoteControlActive"
DOOR_STATE = "Vendor.Common.Status.DoorState"
BATTERY_LEVEL = "Vendor.Common.Status.BatteryLevel"
CHARGING_STATE = "Vendor.Common.Status.BatteryChargingState"
CHARGING_CONNECTION = "Vendor.Common.Status.ChargingConnection"
CAMERA_STATE = "Vendor.Common.Status.Video.CameraState"

CUP_WARMER = "ConsumerProducts.CoffeeMaker.Setting.CupWarmer"
COFFEE_COUNT = "ConsumerProducts.CoffeeMaker.Status.BeverageCounterCoffee"
HOT_WATER = "ConsumerProducts.CoffeeMaker.Status.BeverageCounterHotWater"
HOT_WATER_CUPS = "ConsumerProducts.CoffeeMaker.Status.BeverageCounterHotWaterCups"

CURRENT_MAP = "ConsumerProducts.CleaningRobot.Setting.CurrentMap"
MAP_NAME_1 = "ConsumerProducts.CleaningRobot.Setting.NameOfMap1"
MAP_NAME_2 = "ConsumerProducts.CleaningRobot.Setting.NameOfMap2"
MAP_NAME_3 = "ConsumerProducts.CleaningRobot.Setting.NameOfMap3"
LAST_MAP = "ConsumerProducts.CleaningRobot.Status.LastSelectedMap"
DUST_BOX = "ConsumerProducts.CleaningRobot.Status.DustBoxInserted"
LOST = "ConsumerProducts.CleaningRobot.Status.Lost"
LIFTED = "ConsumerProducts.CleaningRobot.Status.Lifted"

SETPOINT = "Refrigeration.FridgeFreezer.Setting.SetpointTemperatureRefrigerator"
FREEZER_SETPOINT = "Refrigeration.FridgeFreezer.Setting.SetpointTemperatureFreezer"
ASSISTANT_TIMEOUT = "Refrigeration.Common.Setting.Door.AssistantTimeoutFridge"
INTERNAL_BRIGHTNESS = "Refrigeration.Common.Setting.Light.Internal.Brightness"
INTERNAL_LIGHT = "Refrigeration.Common.Setting.Light.Internal.Power"
ECO_MODE = "Refrigeration.Common.Setting.EcoMode"
FREEZER_DOOR = "Refrigeration.Common.Status.Door.Freezer"
FRIDGE_DOOR = "Refrigeration.Common.Status.Door.Refrigerator"
FRIDGE_DOOR_2 = "Refrigeration.Common.Status.Door.Refrigerator2"

LIGHTING = "Cooking.Common.Setting.Lighting"
LIGHTING_BRIGHTNESS = "Cooking.Common.Setting.LightingBrightness"
COLOR_PERCENT = "Cooking.Hood.Setting.ColorTemperaturePercent"
COLOR_TEMPERATURE = "Cooking.Hood.Setting.ColorTemperature"

DOSING_1 = "LaundryCare.Washer.Setting.Dosing1BaseLevel"
DOSING_2 = "LaundryCare.Washer.Setting.Dosing2BaseLevel"

MACHINE = DISHWASHER.only(POWER_STATE, CHILD_LOCK, REMOTE_CONTROL, OPERATION_STATE, DOOR_STATE)
"""A kind of its own word, with Vendor keys only."""

MACHINE_LIT = DISHWASHER.only(POWER_STATE, CHILD_LOCK, AMBIENT_ENABLED, AMBIENT_BRIGHTNESS, AMBIENT_COLOR, CUSTOM_COLOR, DOOR_STATE)
"""The same with an ambient light, which shows its custom colour."""

TIMED_OVEN = OVEN.only(POWER_STATE, CHILD_LOCK, ALARM_CLOCK, DOOR_STATE)
"""An oven with an alarm clock."""

COUNTING = COFFEE_MAKER.only(POWER_STATE, LIQUID_UNIT, CUP_WARMER, COFFEE_COUNT, HOT_WATER, HOT_WATER_CUPS)
"""A coffee maker with three counters and the unit of its volumes."""

ROBOT = ROBOT_BLIND.only(POWER_STATE, MAP_NAME_1, CHARGING_STATE, BATTERY_LEVEL, LIFTED)
"""A robot that shows its contested statuses under status only."""

ROBOT_TWOFOLD = ROBOT_WATCHING.only(POWER_STATE, MAP_NAME_1, CHARGING_STATE, BATTERY_LEVEL, DUST_BOX, LOST, LIFTED)
"""A robot that shows its contested statuses under both segments."""

ROBOT_NAMED = ROBOT_WATCHING.only(POWER_STATE, CURRENT_MAP, MAP_NAME_1, MAP_NAME_3, LAST_MAP, CHARGING_CONNECTION)
"""A robot with maps, two of them named, and no contested status."""

FRIDGE = FRIDGE_CELSIUS.only(POWER_STATE, TEMPERATURE_UNIT, CHILD_LOCK, SETPOINT, FREEZER_SETPOINT, FREEZER_DOOR, FRIDGE_DOOR)
"""A refrigerator in °C that says so."""

FRIDGE_UNITLESS = FRIDGE_CELSIUS.only(POWER_STATE, CHILD_LOCK, SETPOINT, FREEZER_SETPOINT, FREEZER_DOOR)
"""A refrigerator in °C without the setting for it."""

FRIDGE_AMERICAN = FRIDGE_FAHRENHEIT.only(POWER_STATE, TEMPERATURE_UNIT, SETPOINT, FREEZER_SETPOINT, FREEZER_DOOR, FRIDGE_DOOR_2)
"""A refrigerator in °F that says so."""

FRIDGE_EQUIPPED = FRIDGE_CELSIUS.only(POWER_STATE, ECO_MODE, ASSISTANT_TIMEOUT, INTERNAL_LIGHT, INTERNAL_BRIGHTNESS, FRIDGE_DOOR)
"""A refrigerator without temperatures: a light, a mode, a door assistant."""

HOOD = HOOD_COLORFUL.only(POWER_STATE, LIGHTING, LIGHTING_BRIGHTNESS, COLOR_PERCENT, COLOR_TEMPERATURE, OPERATION_STATE)
"""A hood whose light has a custom colour temperature."""

DOSER = WASHER.only(POWER_STATE, CHILD_LOCK, DOSING_1, DOSING_2, DOOR_STATE)
"""A washer with two dosing levels and no unit of volumes."""

PROBED = MappingProxyType({"paths": {"probe_other_segment": True}})
"""What a profile adds so that a refused key is asked for under the other segment as well, although nobody claims it."""
