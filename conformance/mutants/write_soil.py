"""Still smaller appliances for mutants that are written to: every key more is a few more writes.

Most have no PowerState, which counts as On, so that nobody switches them off and on again.
"""

from __future__ import annotations

from conformance.mutants.soil import (
    AMBIENT_BRIGHTNESS,
    AMBIENT_COLOR,
    AMBIENT_ENABLED,
    CHARGING_CONNECTION,
    CHILD_LOCK,
    COFFEE_COUNT,
    COLOR_PERCENT,
    COLOR_TEMPERATURE,
    CUP_WARMER,
    CUSTOM_COLOR,
    DOOR_STATE,
    FREEZER_DOOR,
    FREEZER_SETPOINT,
    LIGHTING,
    LIQUID_UNIT,
    MAP_NAME_1,
    MAP_NAME_2,
    REMOTE_CONTROL,
    SETPOINT,
)
from conformance.reference.fleet_cooking import COFFEE_MAKER, HOOD_COLORFUL
from conformance.reference.fleet_cooling import FRIDGE_CELSIUS
from conformance.reference.fleet_household import DISHWASHER, ROBOT_WATCHING
from conformance.reference.names import OPERATION_STATE, POWER_FAMILY, POWER_STATE, SUPER_FREEZER, SUPER_REFRIGERATOR, TEMPERATURE_UNIT

OFF, STANDBY = f"{POWER_FAMILY}.Off", f"{POWER_FAMILY}.Standby"

COLOR_1 = "Vendor.Common.EnumType.AmbientLightColor.Color1"
COLOR_CUSTOM = "Vendor.Common.EnumType.AmbientLightColor.CustomColor"
CUSTOM_LIGHT = "Cooking.Hood.EnumType.ColorTemperature.custom"
NEUTRAL_LIGHT = "Cooking.Hood.EnumType.ColorTemperature.neutral"

CHILLER_SETPOINT = "Refrigeration.Common.Setting.ChillerCommon.SetpointTemperature"
FRESH_MODE = "Refrigeration.Common.Setting.FreshMode"
VACATION_MODE = "Refrigeration.Common.Setting.VacationMode"

CUPS = COFFEE_MAKER.only(CHILD_LOCK, CUP_WARMER, LIQUID_UNIT, COFFEE_COUNT)
"""Two Boolean settings, a unit and a counter, and no power state."""

NAMED = ROBOT_WATCHING.only(MAP_NAME_1, MAP_NAME_2, CHARGING_CONNECTION)
"""A robot with two named maps."""

CHILLED = FRIDGE_CELSIUS.only(TEMPERATURE_UNIT, SETPOINT, FREEZER_SETPOINT, FREEZER_DOOR)
"""Two setpoints and the unit of them."""

COOLED = FRIDGE_CELSIUS.only(SETPOINT, FREEZER_SETPOINT, SUPER_REFRIGERATOR, SUPER_FREEZER, FREEZER_DOOR)
"""Two setpoints and both super modes."""

KEPT_FRESH = FRIDGE_CELSIUS.only(SETPOINT, FREEZER_SETPOINT, FRESH_MODE, VACATION_MODE, FREEZER_DOOR)
"""Two setpoints, a mode for full shelves and one for empty ones."""

GLOWING = DISHWASHER.only(AMBIENT_ENABLED, AMBIENT_BRIGHTNESS, AMBIENT_COLOR, CUSTOM_COLOR, DOOR_STATE)
"""An ambient light that shows its custom colour, so that its brightness is locked when a run begins."""

GLOWING_PRESET = GLOWING.having({AMBIENT_COLOR: COLOR_1})
"""The same with a preset, so that its custom colour is locked when a run begins."""

WARMED = HOOD_COLORFUL.only(LIGHTING, COLOR_PERCENT, COLOR_TEMPERATURE, OPERATION_STATE)
"""A hood's light with a custom colour temperature."""

WARMED_NEUTRAL = WARMED.having({COLOR_TEMPERATURE: NEUTRAL_LIGHT})
"""The same with a neutral one, so that its percent is locked when a run begins."""

THREE_STATES = DISHWASHER.only(POWER_STATE, OPERATION_STATE, DOOR_STATE)
"""On, Off and Standby."""

ON_AND_OFF = HOOD_COLORFUL.only(POWER_STATE, OPERATION_STATE, REMOTE_CONTROL)
"""On and Off."""

ON_AND_STANDBY = COFFEE_MAKER.only(POWER_STATE, OPERATION_STATE, COFFEE_COUNT)
"""On and Standby."""
