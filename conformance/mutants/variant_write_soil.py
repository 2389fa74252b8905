"""Smaller appliances still, for variants that are written to: every key costs a run a few writes.

None but the last ones has a power state: an appliance without one counts as on, and is not walked through its states.
"""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType

from conformance.mutants.soil import (
    ALARM_CLOCK,
    AMBIENT_BRIGHTNESS,
    AMBIENT_COLOR,
    AMBIENT_ENABLED,
    BATTERY_LEVEL,
    CHARGING_CONNECTION,
    CHILD_LOCK,
    COLOR_PERCENT,
    COLOR_TEMPERATURE,
    CURRENT_MAP,
    CUSTOM_COLOR,
    DOOR_STATE,
    FREEZER_DOOR,
    FREEZER_SETPOINT,
    FRIDGE_DOOR,
    INTERNAL_BRIGHTNESS,
    INTERNAL_LIGHT,
    LAST_MAP,
    LIFTED,
    LIGHTING,
    LIGHTING_BRIGHTNESS,
    MAP_NAME_1,
    MAP_NAME_2,
    MAP_NAME_3,
    REMOTE_CONTROL,
    SETPOINT,
)
from conformance.reference.fleet_cooking import HOOD_COLORFUL, OVEN
from conformance.reference.fleet_cooling import FRIDGE_CELSIUS
from conformance.reference.fleet_household import DISHWASHER, ROBOT_WATCHING
from conformance.reference.names import OPERATION_STATE, POWER_STATE, SUPER_FREEZER, SUPER_REFRIGERATOR, TEMPERATURE_UNIT

VACATION = "Refrigeration.Common.Setting.VacationMode"
FRESH = "Refrigeration.Common.Setting.FreshMode"
SABBATH = "Refrigeration.Common.Setting.SabbathMode"
EXTERNAL_BRIGHTNESS = "Refrigeration.Common.Setting.Light.External.Brightness"
EXTERNAL_LIGHT = "Refrigeration.Common.Setting.Light.External.Power"

OFF = "Vendor.Common.EnumType.PowerState.Off"
STANDBY = "Vendor.Common.EnumType.PowerState.Standby"
RUN = "Vendor.Common.EnumType.OperationState.Run"
COLOR = "Vendor.Common.EnumType.AmbientLightColor"
COLOR_1 = f"{COLOR}.Color1"
CUSTOM = f"{COLOR}.CustomColor"
TEMPERATURES = "Cooking.Hood.EnumType.ColorTemperature"
MAPS = "ConsumerProducts.CleaningRobot.EnumType.AvailableMaps"

CLOCKED = OVEN.only(CHILD_LOCK, ALARM_CLOCK, OPERATION_STATE, DOOR_STATE)
"""An oven with an alarm clock to set."""

WATCHED = DISHWASHER.only(CHILD_LOCK, REMOTE_CONTROL, OPERATION_STATE, DOOR_STATE)
"""A machine with one setting and three statuses."""

COLD = FRIDGE_CELSIUS.only(CHILD_LOCK, SETPOINT, FREEZER_SETPOINT, FREEZER_DOOR)
"""A refrigerator in °C with two setpoints."""

COLD_UNITS = FRIDGE_CELSIUS.only(TEMPERATURE_UNIT, SETPOINT, FREEZER_SETPOINT, FRIDGE_DOOR)
"""The same with a unit to choose."""

COLD_MODES = FRIDGE_CELSIUS.only(SETPOINT, FREEZER_SETPOINT, VACATION, FRESH, FREEZER_DOOR)
"""The same with the two modes that name a temperature."""

COLD_SUPER = FRIDGE_CELSIUS.only(SETPOINT, FREEZER_SETPOINT, SUPER_REFRIGERATOR, SUPER_FREEZER, FREEZER_DOOR)
"""The same with the two modes that keep the setpoints."""

COLD_LIT = FRIDGE_CELSIUS.only(CHILD_LOCK, INTERNAL_LIGHT, INTERNAL_BRIGHTNESS, SABBATH, FRIDGE_DOOR)
"""A refrigerator with a light."""

LAMP = HOOD_COLORFUL.only(LIGHTING, LIGHTING_BRIGHTNESS, COLOR_PERCENT, COLOR_TEMPERATURE)
"""A hood with its functional light, found at custom."""

AMBIENT = DISHWASHER.only(AMBIENT_ENABLED, AMBIENT_BRIGHTNESS, AMBIENT_COLOR, CUSTOM_COLOR)
"""A machine with an ambient light, found at CustomColor."""

AMBIENT_PRESET = AMBIENT.having({AMBIENT_COLOR: COLOR_1})
"""The same, found at a preset colour."""

MAPPED = ROBOT_WATCHING.only(CURRENT_MAP, MAP_NAME_1, MAP_NAME_2, MAP_NAME_3, LAST_MAP, CHARGING_CONNECTION)
"""A robot with three named maps."""

CONTESTED = ROBOT_WATCHING.only(MAP_NAME_1, BATTERY_LEVEL, LIFTED, CHARGING_CONNECTION)
"""A robot that shows two contested statuses under both segments."""

ALWAYS_ON = FRIDGE_CELSIUS.only(POWER_STATE, CHILD_LOCK, SETPOINT, FREEZER_DOOR)
"""A refrigerator that shows its power state and lets nobody write it."""

THREE_STATES = DISHWASHER.only(POWER_STATE, CHILD_LOCK, OPERATION_STATE, DOOR_STATE)
"""A machine with On, Off and Standby."""

ON_AND_STANDBY = OVEN.only(POWER_STATE, CHILD_LOCK, OPERATION_STATE, DOOR_STATE)
"""An oven without Off."""

ON_AND_OFF = HOOD_COLORFUL.only(POWER_STATE, LIGHTING, LIGHTING_BRIGHTNESS, OPERATION_STATE)
"""A hood without Standby."""

WRITABLE_ALWAYS_ON = replace(ALWAYS_ON, read_only=frozenset[str]())
"""The refrigerator that is always on, not saying that its power state can only be read."""

PATIENT = MappingProxyType({"timing": {"settle_s": 0.3, "power_settle_s": 0.3}})
"""What a profile adds where a write takes effect a tenth of a second after it was answered."""

UNLISTED = MappingProxyType({"power": {"probe_unlisted": True}})
"""What a profile adds so that power writes are tried that no row of the table lists (lines 127 to 133)."""
