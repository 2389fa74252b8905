"""Two hoods, a coffee maker and an oven."""

from __future__ import annotations

from conformance.reference.appliance import ApplianceSpec, OwnRange

HOOD_COLORFUL = ApplianceSpec(
    ha_id="hood-1",
    kind="Hood",
    values={
        "Vendor.Common.Setting.PowerState": "Vendor.Common.EnumType.PowerState.On",
        "Cooking.Common.Setting.Lighting": True,
        "Cooking.Common.Setting.LightingBrightness": 80,
        "Cooking.Hood.Setting.ColorTemperaturePercent": 25,
        "Cooking.Hood.Setting.ColorTemperature": "Cooking.Hood.EnumType.ColorTemperature.custom",
        "Vendor.Common.Setting.AmbientLightEnabled": True,
        "Vendor.Common.Setting.AmbientLightBrightness": 70,
        "Vendor.Common.Setting.AmbientLightColor": "Vendor.Common.EnumType.AmbientLightColor.Color43",
        "Vendor.Common.Setting.AmbientLightCustomColor": "#4a88f8",
        "Vendor.Common.Status.RemoteControlActive": True,
        "Vendor.Common.Status.LocalControlActive": False,
        "Vendor.Common.Status.OperationState": "Vendor.Common.EnumType.OperationState.Ready",
    },
    power_states=("On", "Off"),
    camera=False,
)
"""On and Off, with colour temperature and all 100 ambient colours."""

HOOD_SIMPLE = ApplianceSpec(
    ha_id="hood-2",
    kind="Hood",
    values={
        "Vendor.Common.Setting.PowerState": "Vendor.Common.EnumType.PowerState.On",
        "Cooking.Common.Setting.Lighting": True,
        "Cooking.Common.Setting.LightingBrightness": 50,
        "Cooking.Hood.Setting.ColorTemperaturePercent": 0,
        "Vendor.Common.Status.RemoteControlActive": True,
        "Vendor.Common.Status.OperationState": "Vendor.Common.EnumType.OperationState.Ready",
    },
    ranges={"Cooking.Common.Setting.LightingBrightness": OwnRange(10, 100, 10)},
    power_states=("On", "Off"),
)
"""On and Off, brightness in steps of ten; without ColorTemperature its percent setting is free (line 65)."""

COFFEE_MAKER = ApplianceSpec(
    ha_id="coffee-maker-1",
    kind="CoffeeMaker",
    values={
        "Vendor.Common.Setting.PowerState": "Vendor.Common.EnumType.PowerState.On",
        "Vendor.Common.Setting.TemperatureUnit": "Vendor.Common.EnumType.TemperatureUnit.Celsius",
        "Vendor.Common.Setting.LiquidVolumeUnit": "Vendor.Common.EnumType.LiquidVolumeUnit.MilliLiter",
        "Vendor.Common.Setting.ChildLock": False,
        "ConsumerProducts.CoffeeMaker.Setting.CupWarmer": True,
        "Vendor.Common.Status.RemoteControlActive": True,
        "Vendor.Common.Status.RemoteControlStartAllowed": False,
        "Vendor.Common.Status.LocalControlActive": False,
        "Vendor.Common.Status.OperationState": "Vendor.Common.EnumType.OperationState.Ready",
        "Vendor.Common.Status.DoorState": "Vendor.Common.EnumType.DoorState.Closed",
        "ConsumerProducts.CoffeeMaker.Status.BeverageCounterCoffee": 1290,
        "ConsumerProducts.CoffeeMaker.Status.BeverageCounterPowderCoffee": 7,
        "ConsumerProducts.CoffeeMaker.Status.BeverageCounterHotWater": 10350,
        "ConsumerProducts.CoffeeMaker.Status.BeverageCounterHotWaterCups": 54,
        "ConsumerProducts.CoffeeMaker.Status.BeverageCounterHotMilk": 21,
        "ConsumerProducts.CoffeeMaker.Status.BeverageCounterFrothyMilk": 33,
        "ConsumerProducts.CoffeeMaker.Status.BeverageCounterMilk": 0,
        "ConsumerProducts.CoffeeMaker.Status.BeverageCounterCoffeeAndMilk": 608,
        "ConsumerProducts.CoffeeMaker.Status.BeverageCounterRistrettoEspresso": 412,
    },
    power_states=("On", "Standby"),
)
"""On and Standby, with every counter; whether it has a camera nobody says."""

OVEN = ApplianceSpec(
    ha_id="oven-1",
    kind="Oven",
    values={
        "Vendor.Common.Setting.PowerState": "Vendor.Common.EnumType.PowerState.On",
        "Vendor.Common.Setting.TemperatureUnit": "Vendor.Common.EnumType.TemperatureUnit.Celsius",
        "Vendor.Common.Setting.ChildLock": False,
        "Vendor.Common.Setting.AlarmClock": 0,
        "Cooking.Oven.Setting.SabbathMode": False,
        "Vendor.Common.Status.RemoteControlActive": True,
        "Vendor.Common.Status.RemoteControlStartAllowed": True,
        "Vendor.Common.Status.LocalControlActive": False,
        "Vendor.Common.Status.OperationState": "Vendor.Common.EnumType.OperationState.Ready",
        "Vendor.Common.Status.DoorState": "Vendor.Common.EnumType.DoorState.Closed",
    },
    power_states=("On", "Standby"),
    camera=False,
)
"""On and Standby and no Off, whatever row 133 says of other appliances."""
