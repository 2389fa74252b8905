"""The appliances of mutants and variants, each with as few keys as it needs.

Those at the end are written to. Every key costs a run a few writes, so most of them have no PowerState:
an appliance without one counts as on, and no run switches it off and on again.
"""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType

from catalog.keys import (
    ALARM_CLOCK,
    AMBIENT_BRIGHTNESS,
    AMBIENT_COLOR,
    AMBIENT_ENABLED,
    ASSISTANT_TIMEOUT_FRIDGE,
    BATTERY_LEVEL,
    CHARGING_CONNECTION,
    CHARGING_STATE,
    CHILD_LOCK,
    COFFEE_COUNT,
    COLOR_1,
    COLOR_PERCENT,
    COLOR_TEMPERATURE,
    CUP_WARMER,
    CURRENT_MAP,
    CUSTOM_COLOR,
    DOOR_STATE,
    DOSING_1,
    DOSING_2,
    DUST_BOX,
    ECO_MODE,
    FREEZER_DOOR,
    FREEZER_SETPOINT,
    FRESH_MODE,
    FRIDGE_DOOR,
    FRIDGE_DOOR_2,
    FRIDGE_SABBATH,
    HOT_WATER,
    HOT_WATER_CUPS,
    INTERNAL_BRIGHTNESS,
    INTERNAL_LIGHT,
    LAST_MAP,
    LIFTED,
    LIGHTING,
    LIGHTING_BRIGHTNESS,
    LIQUID_UNIT,
    LOST,
    MAP_NAME_1,
    MAP_NAME_2,
    MAP_NAME_3,
    NEUTRAL_LIGHT,
    OPERATION_STATE,
    POWER_STATE,
    REMOTE_CONTROL,
    SETPOINT,
    SUPER_FREEZER,
    SUPER_REFRIGERATOR,
    TEMPERATURE_UNIT,
    VACATION_MODE,
)
from conformance.reference.fleets.cleaning import DISHWASHER, ROBOT_BLIND, ROBOT_WATCHING, WASHER
from conformance.reference.fleets.cooking import COFFEE_MAKER, HOOD_COLORFUL, OVEN
from conformance.reference.fleets.cooling import FRIDGE_CELSIUS, FRIDGE_FAHRENHEIT

MACHINE = DISHWASHER.only(POWER_STATE, CHILD_LOCK, REMOTE_CONTROL, OPERATION_STATE, DOOR_STATE)
"""A kind of its own word, with Vendor keys only."""

MACHINE_LIT = DISHWASHER.only(
    POWER_STATE, CHILD_LOCK, AMBIENT_ENABLED, AMBIENT_BRIGHTNESS, AMBIENT_COLOR, CUSTOM_COLOR, DOOR_STATE
)
"""The same with an ambient light, which shows its custom colour."""

TIMED_OVEN = OVEN.only(POWER_STATE, CHILD_LOCK, ALARM_CLOCK, DOOR_STATE)
"""An oven with an alarm clock."""

COUNTING = COFFEE_MAKER.only(POWER_STATE, LIQUID_UNIT, CUP_WARMER, COFFEE_COUNT, HOT_WATER, HOT_WATER_CUPS)
"""A coffee maker with three counters and the unit of its volumes."""

ROBOT = ROBOT_BLIND.only(POWER_STATE, MAP_NAME_1, CHARGING_STATE, BATTERY_LEVEL, LIFTED)
"""A robot that shows its contested statuses under status only."""

ROBOT_TWOFOLD = ROBOT_WATCHING.only(
    POWER_STATE, MAP_NAME_1, CHARGING_STATE, BATTERY_LEVEL, DUST_BOX, LOST, LIFTED
)
"""A robot that shows its contested statuses under both segments."""

ROBOT_NAMED = ROBOT_WATCHING.only(
    POWER_STATE, CURRENT_MAP, MAP_NAME_1, MAP_NAME_3, LAST_MAP, CHARGING_CONNECTION
)
"""A robot with maps, two of them named, and no contested status."""

FRIDGE = FRIDGE_CELSIUS.only(
    POWER_STATE, TEMPERATURE_UNIT, CHILD_LOCK, SETPOINT, FREEZER_SETPOINT, FREEZER_DOOR, FRIDGE_DOOR
)
"""A refrigerator in °C that says so."""

FRIDGE_UNITLESS = FRIDGE_CELSIUS.only(POWER_STATE, CHILD_LOCK, SETPOINT, FREEZER_SETPOINT, FREEZER_DOOR)
"""A refrigerator in °C without the setting for it."""

FRIDGE_AMERICAN = FRIDGE_FAHRENHEIT.only(
    POWER_STATE, TEMPERATURE_UNIT, SETPOINT, FREEZER_SETPOINT, FREEZER_DOOR, FRIDGE_DOOR_2
)
"""A refrigerator in °F that says so."""

FRIDGE_EQUIPPED = FRIDGE_CELSIUS.only(
    POWER_STATE, ECO_MODE, ASSISTANT_TIMEOUT_FRIDGE, INTERNAL_LIGHT, INTERNAL_BRIGHTNESS, FRIDGE_DOOR
)
"""A refrigerator without temperatures: a light, a mode, a door assistant."""

HOOD = HOOD_COLORFUL.only(
    POWER_STATE, LIGHTING, LIGHTING_BRIGHTNESS, COLOR_PERCENT, COLOR_TEMPERATURE, OPERATION_STATE
)
"""A hood whose light has a custom colour temperature."""

DOSER = WASHER.only(POWER_STATE, CHILD_LOCK, DOSING_1, DOSING_2, DOOR_STATE)
"""A washer with two dosing levels and no unit of volumes."""

COFFEE_SETTINGS = COFFEE_MAKER.only(CHILD_LOCK, CUP_WARMER, LIQUID_UNIT, COFFEE_COUNT)
"""Two Boolean settings, a unit and a counter."""

OVEN_ALARM = OVEN.only(CHILD_LOCK, ALARM_CLOCK, OPERATION_STATE, DOOR_STATE)
"""An oven with an alarm clock."""

MACHINE_STATUSES = DISHWASHER.only(CHILD_LOCK, REMOTE_CONTROL, OPERATION_STATE, DOOR_STATE)
"""One setting and three statuses."""

ROBOT_MAPS = ROBOT_WATCHING.only(MAP_NAME_1, MAP_NAME_2, CHARGING_CONNECTION)
"""A robot with two named maps."""

ROBOT_THREE_MAPS = ROBOT_WATCHING.only(
    CURRENT_MAP, MAP_NAME_1, MAP_NAME_2, MAP_NAME_3, LAST_MAP, CHARGING_CONNECTION
)
"""A robot with three named maps and the choice among them."""

ROBOT_CONTESTED = ROBOT_WATCHING.only(MAP_NAME_1, BATTERY_LEVEL, LIFTED, CHARGING_CONNECTION)
"""A robot that shows two contested statuses under both segments."""

FRIDGE_SETPOINTS = FRIDGE_CELSIUS.only(CHILD_LOCK, SETPOINT, FREEZER_SETPOINT, FREEZER_DOOR)
"""Two setpoints in °C."""

FRIDGE_UNITS = FRIDGE_CELSIUS.only(TEMPERATURE_UNIT, SETPOINT, FREEZER_SETPOINT, FREEZER_DOOR)
"""Two setpoints and the unit of them."""

FRIDGE_SUPER = FRIDGE_CELSIUS.only(
    SETPOINT, FREEZER_SETPOINT, SUPER_REFRIGERATOR, SUPER_FREEZER, FREEZER_DOOR
)
"""Two setpoints and both super modes, which keep them."""

FRIDGE_MODES = FRIDGE_CELSIUS.only(SETPOINT, FREEZER_SETPOINT, FRESH_MODE, VACATION_MODE, FREEZER_DOOR)
"""Two setpoints and the two modes that name a temperature."""

FRIDGE_LIGHT = FRIDGE_CELSIUS.only(
    CHILD_LOCK, INTERNAL_LIGHT, INTERNAL_BRIGHTNESS, FRIDGE_SABBATH, FRIDGE_DOOR
)
"""A refrigerator with a light."""

AMBIENT = DISHWASHER.only(AMBIENT_ENABLED, AMBIENT_BRIGHTNESS, AMBIENT_COLOR, CUSTOM_COLOR, DOOR_STATE)
"""An ambient light at CustomColor, so that its brightness is locked when a run begins."""

AMBIENT_PRESET = AMBIENT.having({AMBIENT_COLOR: COLOR_1})
"""The same at a preset colour, so that its custom colour is locked when a run begins."""

HOOD_LIGHT = HOOD_COLORFUL.only(LIGHTING, COLOR_PERCENT, COLOR_TEMPERATURE, OPERATION_STATE)
"""The light of a hood at a custom colour temperature."""

HOOD_LIGHT_NEUTRAL = HOOD_LIGHT.having({COLOR_TEMPERATURE: NEUTRAL_LIGHT})
"""The same at a neutral one, so that its percent is locked when a run begins."""

LAMP = HOOD_COLORFUL.only(LIGHTING, LIGHTING_BRIGHTNESS, COLOR_PERCENT, COLOR_TEMPERATURE)
"""The light of a hood with its brightness, at a custom colour temperature."""

THREE_STATES = DISHWASHER.only(POWER_STATE, OPERATION_STATE, DOOR_STATE)
"""On, Off and Standby."""

ON_AND_OFF = HOOD_COLORFUL.only(POWER_STATE, OPERATION_STATE, REMOTE_CONTROL)
"""On and Off."""

ON_AND_STANDBY = COFFEE_MAKER.only(POWER_STATE, OPERATION_STATE, COFFEE_COUNT)
"""On and Standby."""

THREE_STATES_AND_LOCK = DISHWASHER.only(POWER_STATE, CHILD_LOCK, OPERATION_STATE, DOOR_STATE)
"""On, Off and Standby, and a setting beside them."""

ON_AND_OFF_AND_LIGHT = HOOD_COLORFUL.only(POWER_STATE, LIGHTING, LIGHTING_BRIGHTNESS, OPERATION_STATE)
"""On and Off, and a light."""

ON_AND_STANDBY_AND_LOCK = OVEN.only(POWER_STATE, CHILD_LOCK, OPERATION_STATE, DOOR_STATE)
"""On and Standby, and a setting beside them."""

ALWAYS_ON = FRIDGE_CELSIUS.only(POWER_STATE, CHILD_LOCK, SETPOINT, FREEZER_DOOR)
"""A refrigerator that shows its power state and lets nobody write it."""

WRITABLE_ALWAYS_ON = replace(ALWAYS_ON, read_only=frozenset[str]())
"""The same, without saying that its power state can only be read."""

PROBED = MappingProxyType({"paths": {"probe_other_segment": True}})
"""Added to a profile: a refused key is asked for under the other segment, too, even if nobody claims it."""

UNLISTED = MappingProxyType({"power": {"probe_unlisted": True}})
"""Added to a profile: power writes that no row of the table lists (lines 127 to 133) are tried as well."""

PATIENT = MappingProxyType({"timing": {"settle_s": 0.3, "power_settle_s": 0.3}})
"""Added to a profile: a write takes effect a tenth of a second after it was answered."""
