"""Three refrigerators: one in °C, one in °F, and a wine cabinet that knows no unit setting."""

from catalog import keys
from conformance.reference.appliance import ApplianceSpec, OwnRange

FRIDGE_CELSIUS = ApplianceSpec(
    ha_id="fridge-1",
    kind="Refrigerator",
    values={
        keys.POWER_STATE: keys.ON,
        keys.TEMPERATURE_UNIT: keys.CELSIUS,
        keys.CHILD_LOCK: False,
        keys.SETPOINT: 4,
        keys.FREEZER_SETPOINT: -18,
        keys.CHILLER_SETPOINT: 0,
        keys.SUPER_REFRIGERATOR: False,
        keys.SUPER_FREEZER: False,
        keys.ECO_MODE: False,
        keys.FRIDGE_SABBATH: False,
        keys.VACATION_MODE: False,
        keys.FRESH_MODE: False,
        keys.ASSISTANT_FRIDGE: True,
        keys.ASSISTANT_FREEZER: False,
        keys.ASSISTANT_FORCE_FRIDGE: "Refrigeration.Common.EnumType.Door.AssistantForce.MiddleForce",
        keys.ASSISTANT_FORCE_FREEZER: "Refrigeration.Common.EnumType.Door.AssistantForce.HighForce",
        keys.ASSISTANT_TIMEOUT_FRIDGE: 5,
        keys.ASSISTANT_TIMEOUT_FREEZER: 0,
        keys.ASSISTANT_TRIGGER_FRIDGE: "Refrigeration.Common.EnumType.Door.AssistantTrigger.PushPull",
        keys.ASSISTANT_TRIGGER_FREEZER: "Refrigeration.Common.EnumType.Door.AssistantTrigger.Push",
        keys.INTERNAL_BRIGHTNESS: 60,
        keys.INTERNAL_LIGHT: True,
        keys.DOOR_STATE: keys.CLOSED,
        keys.CHILLER_COMMON_DOOR: keys.CLOSED,
        keys.CHILLER_DOOR: keys.CLOSED,
        keys.FREEZER_DOOR: keys.CLOSED,
        keys.FRIDGE_DOOR: keys.CLOSED,
    },
    ranges={
        keys.SETPOINT: OwnRange(2, 8, 1, "°C"),
        keys.FREEZER_SETPOINT: OwnRange(-24, -16, 1, "°C"),
        keys.CHILLER_SETPOINT: OwnRange(-1, 3, 1, "°C"),
    },
    elsewhere={
        keys.SETPOINT: OwnRange(35, 46, 1, "°F"),
        keys.FREEZER_SETPOINT: OwnRange(-11, 3, 1, "°F"),
        keys.CHILLER_SETPOINT: OwnRange(30, 37, 1, "°F"),
    },
    power_states=("On",),
    camera=False,
    read_only=frozenset({keys.POWER_STATE}),
)
"""Always on, with one freshness compartment, door assistants and every cooling mode."""

FRIDGE_FAHRENHEIT = ApplianceSpec(
    ha_id="fridge-2",
    kind="Refrigerator",
    values={
        keys.POWER_STATE: keys.ON,
        keys.TEMPERATURE_UNIT: keys.FAHRENHEIT,
        keys.SETPOINT: 37,
        keys.FREEZER_SETPOINT: 0,
        keys.CHILLER_LEFT_SETPOINT: 34,
        keys.CHILLER_RIGHT_SETPOINT: 32,
        keys.SUPER_REFRIGERATOR: False,
        keys.SUPER_FREEZER: False,
        keys.VACATION_MODE: False,
        keys.DISPENSER: True,
        keys.EXTERNAL_BRIGHTNESS: 40.5,
        keys.INTERNAL_BRIGHTNESS: 100,
        keys.EXTERNAL_LIGHT: True,
        keys.INTERNAL_LIGHT: True,
        keys.CHILLER_LEFT_DOOR: keys.CLOSED,
        keys.CHILLER_RIGHT_DOOR: keys.OPEN,
        keys.FLEX_DOOR: keys.CLOSED,
        keys.FREEZER_DOOR: keys.CLOSED,
        keys.FRIDGE_DOOR: keys.OPEN,
        keys.FRIDGE_DOOR_2: keys.CLOSED,
        keys.FRIDGE_DOOR_3: keys.CLOSED,
    },
    # The ranges in °F are not the converted ones in °C, as on real appliances.
    ranges={
        keys.SETPOINT: OwnRange(33, 43, 1, "°F"),
        keys.FREEZER_SETPOINT: OwnRange(-10, 3, 1, "°F"),
        keys.CHILLER_LEFT_SETPOINT: OwnRange(30, 37, 1, "°F"),
        keys.CHILLER_RIGHT_SETPOINT: OwnRange(30, 40, 1, "°F"),
        keys.EXTERNAL_BRIGHTNESS: OwnRange(0, 100, 0.5),
    },
    elsewhere={
        keys.SETPOINT: OwnRange(2, 8, 1, "°C"),
        keys.FREEZER_SETPOINT: OwnRange(-24, -16, 1, "°C"),
        keys.CHILLER_LEFT_SETPOINT: OwnRange(-1, 3, 1, "°C"),
        keys.CHILLER_RIGHT_SETPOINT: OwnRange(-2, 3, 1, "°C"),
    },
    power_states=("On",),
    camera=False,
    read_only=frozenset({keys.POWER_STATE}),
)
"""Always on, in °F, with a dispenser, three refrigerator doors and two lights."""

WINE_CABINET = ApplianceSpec(
    ha_id="wine-cabinet-1",
    kind="Refrigerator",
    values={
        keys.CHILD_LOCK: False,
        keys.BOTTLE_COOLER_SETPOINT: 1,
        keys.WINE_SETPOINT: 8,
        keys.WINE_SETPOINT_2: 12.5,
        keys.WINE_SETPOINT_3: 16,
        keys.BOTTLE_COOLER_DOOR: keys.CLOSED,
        keys.WINE_DOOR: keys.CLOSED,
    },
    ranges={
        keys.BOTTLE_COOLER_SETPOINT: OwnRange(-1, 3, 1, "°C"),
        keys.WINE_SETPOINT: OwnRange(5, 18, 0.5, "°C"),
        keys.WINE_SETPOINT_2: OwnRange(5, 20, 0.5, "°C"),
        keys.WINE_SETPOINT_3: OwnRange(6, 20, 0.5, "°C"),
    },
    camera=False,
)
"""No power state, no unit setting: its temperatures are in °C because nothing says otherwise (line 38)."""
