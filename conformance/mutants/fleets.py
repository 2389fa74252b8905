"""The appliances of mutants and variants, each with as few keys as it needs.

Those at the end are written to. Every key costs a run a few writes, so most of them have no PowerState:
an appliance without one counts as on, and no run switches it off and on again.
"""

from collections.abc import Mapping

from msgspec.structs import replace

from catalog import keys
from conformance.reference.fleets.cleaning import DISHWASHER, ROBOT_BLIND, ROBOT_WATCHING, WASHER
from conformance.reference.fleets.cooking import COFFEE_MAKER, HOOD_COLORFUL, OVEN
from conformance.reference.fleets.cooling import FRIDGE_CELSIUS, FRIDGE_FAHRENHEIT

THREE_STATE_OVEN, _LIT_HOOD = replace(DISHWASHER, kind="Oven"), replace(DISHWASHER, kind="Hood")
"""Appliances of known kinds with the keys of one that is not: that would be asked for every key there is."""

MACHINE = THREE_STATE_OVEN.only(
    keys.POWER_STATE, keys.CHILD_LOCK, keys.REMOTE_CONTROL, keys.OPERATION_STATE, keys.DOOR_STATE
)
"""An oven with Vendor keys only."""

MACHINE_LIT = _LIT_HOOD.only(
    keys.POWER_STATE,
    keys.CHILD_LOCK,
    keys.AMBIENT_ENABLED,
    keys.AMBIENT_BRIGHTNESS,
    keys.AMBIENT_COLOR,
    keys.CUSTOM_COLOR,
    keys.DOOR_STATE,
)
"""A hood with an ambient light, which shows its custom colour."""

TIMED_OVEN = OVEN.only(keys.POWER_STATE, keys.CHILD_LOCK, keys.ALARM_CLOCK, keys.DOOR_STATE)
"""An oven with an alarm clock."""

COUNTING = COFFEE_MAKER.only(
    keys.POWER_STATE,
    keys.LIQUID_UNIT,
    keys.CUP_WARMER,
    keys.COFFEE_COUNT,
    keys.HOT_WATER,
    keys.HOT_WATER_CUPS,
)
"""A coffee maker with three counters and the unit of its volumes."""

ROBOT = ROBOT_BLIND.only(
    keys.POWER_STATE, keys.MAP_NAME_1, keys.CHARGING_STATE, keys.BATTERY_LEVEL, keys.LIFTED
)
"""A robot that shows its contested statuses under status only."""

ROBOT_TWOFOLD = ROBOT_WATCHING.only(
    keys.POWER_STATE,
    keys.MAP_NAME_1,
    keys.CHARGING_STATE,
    keys.BATTERY_LEVEL,
    keys.DUST_BOX,
    keys.LOST,
    keys.LIFTED,
)
"""A robot that shows its contested statuses under both segments."""

ROBOT_NAMED = ROBOT_WATCHING.only(
    keys.POWER_STATE,
    keys.CURRENT_MAP,
    keys.MAP_NAME_1,
    keys.MAP_NAME_3,
    keys.LAST_MAP,
    keys.CHARGING_CONNECTION,
)
"""A robot with maps, two of them named, and no contested status."""

FRIDGE = FRIDGE_CELSIUS.only(
    keys.POWER_STATE,
    keys.TEMPERATURE_UNIT,
    keys.CHILD_LOCK,
    keys.SETPOINT,
    keys.FREEZER_SETPOINT,
    keys.FREEZER_DOOR,
    keys.FRIDGE_DOOR,
)
"""A refrigerator in °C that says so."""

FRIDGE_UNITLESS = FRIDGE_CELSIUS.only(
    keys.POWER_STATE, keys.CHILD_LOCK, keys.SETPOINT, keys.FREEZER_SETPOINT, keys.FREEZER_DOOR
)
"""A refrigerator in °C without the setting for it."""

FRIDGE_AMERICAN = FRIDGE_FAHRENHEIT.only(
    keys.POWER_STATE,
    keys.TEMPERATURE_UNIT,
    keys.SETPOINT,
    keys.FREEZER_SETPOINT,
    keys.FREEZER_DOOR,
    keys.FRIDGE_DOOR_2,
)
"""A refrigerator in °F that says so."""

FRIDGE_EQUIPPED = FRIDGE_CELSIUS.only(
    keys.POWER_STATE,
    keys.ECO_MODE,
    keys.ASSISTANT_TIMEOUT_FRIDGE,
    keys.INTERNAL_LIGHT,
    keys.INTERNAL_BRIGHTNESS,
    keys.FRIDGE_DOOR,
)
"""A refrigerator without temperatures: a light, a mode, a door assistant."""

HOOD = HOOD_COLORFUL.only(
    keys.POWER_STATE,
    keys.LIGHTING,
    keys.LIGHTING_BRIGHTNESS,
    keys.COLOR_PERCENT,
    keys.COLOR_TEMPERATURE,
    keys.OPERATION_STATE,
)
"""A hood whose light has a custom colour temperature."""

DOSER = WASHER.only(keys.POWER_STATE, keys.CHILD_LOCK, keys.DOSING_1, keys.DOSING_2, keys.DOOR_STATE)
"""A washer with two dosing levels and no unit of volumes."""

COFFEE_SETTINGS = COFFEE_MAKER.only(keys.CHILD_LOCK, keys.CUP_WARMER, keys.LIQUID_UNIT, keys.COFFEE_COUNT)
"""Two Boolean settings, a unit and a counter."""

OVEN_ALARM = OVEN.only(keys.CHILD_LOCK, keys.ALARM_CLOCK, keys.OPERATION_STATE, keys.DOOR_STATE)
"""An oven with an alarm clock."""

MACHINE_STATUSES = THREE_STATE_OVEN.only(
    keys.CHILD_LOCK, keys.REMOTE_CONTROL, keys.OPERATION_STATE, keys.DOOR_STATE
)
"""One setting and three statuses."""

ROBOT_MAPS = ROBOT_WATCHING.only(keys.MAP_NAME_1, keys.MAP_NAME_2, keys.CHARGING_CONNECTION)
"""A robot with two named maps."""

ROBOT_THREE_MAPS = ROBOT_WATCHING.only(
    keys.CURRENT_MAP,
    keys.MAP_NAME_1,
    keys.MAP_NAME_2,
    keys.MAP_NAME_3,
    keys.LAST_MAP,
    keys.CHARGING_CONNECTION,
)
"""A robot with three named maps and the choice among them."""

ROBOT_CONTESTED = ROBOT_WATCHING.only(
    keys.MAP_NAME_1, keys.BATTERY_LEVEL, keys.LIFTED, keys.CHARGING_CONNECTION
)
"""A robot that shows two contested statuses under both segments."""

FRIDGE_SETPOINTS = FRIDGE_CELSIUS.only(
    keys.CHILD_LOCK, keys.SETPOINT, keys.FREEZER_SETPOINT, keys.FREEZER_DOOR
)
"""Two setpoints in °C."""

FRIDGE_UNITS = FRIDGE_CELSIUS.only(
    keys.TEMPERATURE_UNIT, keys.SETPOINT, keys.FREEZER_SETPOINT, keys.FREEZER_DOOR
)
"""Two setpoints and the unit of them."""

FRIDGE_SUPER = FRIDGE_CELSIUS.only(
    keys.SETPOINT, keys.FREEZER_SETPOINT, keys.SUPER_REFRIGERATOR, keys.SUPER_FREEZER, keys.FREEZER_DOOR
)
"""Two setpoints and both super modes, which keep them."""

FRIDGE_MODES = FRIDGE_CELSIUS.only(
    keys.SETPOINT, keys.FREEZER_SETPOINT, keys.FRESH_MODE, keys.VACATION_MODE, keys.FREEZER_DOOR
)
"""Two setpoints and the two modes that name a temperature."""

FRIDGE_LIGHT = FRIDGE_CELSIUS.only(
    keys.CHILD_LOCK, keys.INTERNAL_LIGHT, keys.INTERNAL_BRIGHTNESS, keys.FRIDGE_SABBATH, keys.FRIDGE_DOOR
)
"""A refrigerator with a light."""

AMBIENT = _LIT_HOOD.only(
    keys.AMBIENT_ENABLED, keys.AMBIENT_BRIGHTNESS, keys.AMBIENT_COLOR, keys.CUSTOM_COLOR, keys.DOOR_STATE
)
"""An ambient light at CustomColor, so that its brightness is locked when a run begins."""

AMBIENT_PRESET = AMBIENT.having({keys.AMBIENT_COLOR: keys.COLOR_1})
"""The same at a preset colour, so that its custom colour is locked when a run begins."""

HOOD_LIGHT = HOOD_COLORFUL.only(
    keys.LIGHTING, keys.COLOR_PERCENT, keys.COLOR_TEMPERATURE, keys.OPERATION_STATE
)
"""The light of a hood at a custom colour temperature."""

HOOD_LIGHT_NEUTRAL = HOOD_LIGHT.having({keys.COLOR_TEMPERATURE: keys.NEUTRAL_LIGHT})
"""The same at a neutral one, so that its percent is locked when a run begins."""

LAMP = HOOD_COLORFUL.only(keys.LIGHTING, keys.LIGHTING_BRIGHTNESS, keys.COLOR_PERCENT, keys.COLOR_TEMPERATURE)
"""The light of a hood with its brightness, at a custom colour temperature."""

THREE_STATES = THREE_STATE_OVEN.only(keys.POWER_STATE, keys.OPERATION_STATE, keys.DOOR_STATE)
"""On, Off and Standby."""

ON_AND_OFF = HOOD_COLORFUL.only(keys.POWER_STATE, keys.OPERATION_STATE, keys.REMOTE_CONTROL)
"""On and Off."""

ON_AND_STANDBY = COFFEE_MAKER.only(keys.POWER_STATE, keys.OPERATION_STATE, keys.COFFEE_COUNT)
"""On and Standby."""

THREE_STATES_AND_LOCK = THREE_STATE_OVEN.only(
    keys.POWER_STATE, keys.CHILD_LOCK, keys.OPERATION_STATE, keys.DOOR_STATE
)
"""On, Off and Standby, and a setting beside them."""

ON_AND_OFF_AND_LIGHT = HOOD_COLORFUL.only(
    keys.POWER_STATE, keys.LIGHTING, keys.LIGHTING_BRIGHTNESS, keys.OPERATION_STATE
)
"""On and Off, and a light."""

ON_AND_STANDBY_AND_LOCK = OVEN.only(keys.POWER_STATE, keys.CHILD_LOCK, keys.OPERATION_STATE, keys.DOOR_STATE)
"""On and Standby, and a setting beside them."""

WRITABLE_ALWAYS_ON = replace(
    FRIDGE_CELSIUS.only(keys.POWER_STATE, keys.CHILD_LOCK, keys.SETPOINT, keys.FREEZER_DOOR),
    read_only=frozenset[str](),
)
"""A refrigerator that is on alone, and does not say that its power state can only be read."""

PROBED = {"paths": {"probe_other_segment": True}}
"""Added to a profile: a refused key is asked for under the other segment, too, even if nobody claims it."""

UNLISTED = {"power": {"probe_unlisted": True}}
"""Added to a profile: power writes that no row of the table lists (lines 127 to 133) are tried as well."""


def settles(settle_s: float) -> Mapping[str, object]:
    """Added to a profile: so long a write takes, of the power state as of all else."""
    return {"timing": {"settle_s": settle_s, "power_settle_s": settle_s}}


PATIENT = settles(0.3)
"""Added to a profile: a write takes effect a tenth of a second after it was answered."""
