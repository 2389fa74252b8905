"""Two hoods, a coffee maker and an oven."""

from catalog import keys
from conformance.reference.appliance import ApplianceSpec, OwnRange

HOOD_COLORFUL = ApplianceSpec(
    ha_id="hood-1",
    kind="Hood",
    values={
        keys.POWER_STATE: keys.ON,
        keys.LIGHTING: True,
        keys.LIGHTING_BRIGHTNESS: 80,
        keys.COLOR_PERCENT: 25,
        keys.COLOR_TEMPERATURE: "Cooking.Hood.EnumType.ColorTemperature.custom",
        keys.AMBIENT_ENABLED: True,
        keys.AMBIENT_BRIGHTNESS: 70,
        keys.AMBIENT_COLOR: "Vendor.Common.EnumType.AmbientLightColor.Color43",
        keys.CUSTOM_COLOR: "#4a88f8",
        keys.REMOTE_CONTROL: True,
        keys.LOCAL_CONTROL: False,
        keys.OPERATION_STATE: keys.READY,
    },
    power_states=("On", "Off"),
    camera=False,
)
"""On and Off, with colour temperature and all 100 ambient colours."""

HOOD_SIMPLE = ApplianceSpec(
    ha_id="hood-2",
    kind="Hood",
    values={
        keys.POWER_STATE: keys.ON,
        keys.LIGHTING: True,
        keys.LIGHTING_BRIGHTNESS: 50,
        keys.COLOR_PERCENT: 0,
        keys.REMOTE_CONTROL: True,
        keys.OPERATION_STATE: keys.READY,
    },
    ranges={keys.LIGHTING_BRIGHTNESS: OwnRange(10, 100, 10)},
    power_states=("On", "Off"),
)
"""On and Off, brightness in steps of ten; without ColorTemperature its percent setting is free (line 65)."""

COFFEE_MAKER = ApplianceSpec(
    ha_id="coffee-maker-1",
    kind="CoffeeMaker",
    values={
        keys.POWER_STATE: keys.ON,
        keys.TEMPERATURE_UNIT: keys.CELSIUS,
        keys.LIQUID_UNIT: "Vendor.Common.EnumType.LiquidVolumeUnit.MilliLiter",
        keys.CHILD_LOCK: False,
        keys.CUP_WARMER: True,
        keys.REMOTE_CONTROL: True,
        keys.REMOTE_START: False,
        keys.LOCAL_CONTROL: False,
        keys.OPERATION_STATE: keys.READY,
        keys.DOOR_STATE: keys.CLOSED,
        keys.COFFEE_COUNT: 1290,
        keys.POWDER_COFFEE: 7,
        keys.HOT_WATER: 10350,
        keys.HOT_WATER_CUPS: 54,
        keys.HOT_MILK: 21,
        keys.FROTHY_MILK: 33,
        keys.MILK: 0,
        keys.COFFEE_AND_MILK: 608,
        keys.RISTRETTO_ESPRESSO: 412,
    },
    power_states=("On", "Standby"),
)
"""On and Standby, with every counter; whether it has a camera nobody says."""

OVEN = ApplianceSpec(
    ha_id="oven-1",
    kind="Oven",
    values={
        keys.POWER_STATE: keys.ON,
        keys.TEMPERATURE_UNIT: keys.CELSIUS,
        keys.CHILD_LOCK: False,
        keys.ALARM_CLOCK: 0,
        keys.OVEN_SABBATH: False,
        keys.REMOTE_CONTROL: True,
        keys.REMOTE_START: True,
        keys.LOCAL_CONTROL: False,
        keys.OPERATION_STATE: keys.READY,
        keys.DOOR_STATE: keys.CLOSED,
    },
    power_states=("On", "Standby"),
    camera=False,
)
"""On and Standby and no Off, whatever row 133 says of other appliances."""
