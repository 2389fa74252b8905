"""Three refrigerators: one in °C, one in °F, and a wine cabinet that knows no unit setting."""

from __future__ import annotations

from conformance.reference.appliance import ApplianceSpec, OwnRange

_CLOSED = "Vendor.Common.EnumType.DoorState.Closed"
_OPEN = "Vendor.Common.EnumType.DoorState.Open"

FRIDGE_CELSIUS = ApplianceSpec(
    ha_id="fridge-1",
    kind="Refrigerator",
    values={
        "Vendor.Common.Setting.PowerState": "Vendor.Common.EnumType.PowerState.On",
        "Vendor.Common.Setting.TemperatureUnit": "Vendor.Common.EnumType.TemperatureUnit.Celsius",
        "Vendor.Common.Setting.ChildLock": False,
        "Refrigeration.FridgeFreezer.Setting.SetpointTemperatureRefrigerator": 4,
        "Refrigeration.FridgeFreezer.Setting.SetpointTemperatureFreezer": -18,
        "Refrigeration.Common.Setting.ChillerCommon.SetpointTemperature": 0,
        "Refrigeration.FridgeFreezer.Setting.SuperModeRefrigerator": False,
        "Refrigeration.FridgeFreezer.Setting.SuperModeFreezer": False,
        "Refrigeration.Common.Setting.EcoMode": False,
        "Refrigeration.Common.Setting.SabbathMode": False,
        "Refrigeration.Common.Setting.VacationMode": False,
        "Refrigeration.Common.Setting.FreshMode": False,
        "Refrigeration.Common.Setting.Door.AssistantFridge": True,
        "Refrigeration.Common.Setting.Door.AssistantFreezer": False,
        "Refrigeration.Common.Setting.Door.AssistantForceFridge": "Refrigeration.Common.EnumType.Door.AssistantForce.MiddleForce",
        "Refrigeration.Common.Setting.Door.AssistantForceFreezer": "Refrigeration.Common.EnumType.Door.AssistantForce.HighForce",
        "Refrigeration.Common.Setting.Door.AssistantTimeoutFridge": 5,
        "Refrigeration.Common.Setting.Door.AssistantTimeoutFreezer": 0,
        "Refrigeration.Common.Setting.Door.AssistantTriggerFridge": "Refrigeration.Common.EnumType.Door.AssistantTrigger.PushPull",
        "Refrigeration.Common.Setting.Door.AssistantTriggerFreezer": "Refrigeration.Common.EnumType.Door.AssistantTrigger.Push",
        "Refrigeration.Common.Setting.Light.Internal.Brightness": 60,
        "Refrigeration.Common.Setting.Light.Internal.Power": True,
        "Vendor.Common.Status.DoorState": _CLOSED,
        "Refrigeration.Common.Status.Door.ChillerCommon": _CLOSED,
        "Refrigeration.Common.Status.Door.Chiller": _CLOSED,
        "Refrigeration.Common.Status.Door.Freezer": _CLOSED,
        "Refrigeration.Common.Status.Door.Refrigerator": _CLOSED,
    },
    ranges={
        "Refrigeration.FridgeFreezer.Setting.SetpointTemperatureRefrigerator": OwnRange(2, 8, 1, "°C"),
        "Refrigeration.FridgeFreezer.Setting.SetpointTemperatureFreezer": OwnRange(-24, -16, 1, "°C"),
        "Refrigeration.Common.Setting.ChillerCommon.SetpointTemperature": OwnRange(-1, 3, 1, "°C"),
    },
    elsewhere={
        "Refrigeration.FridgeFreezer.Setting.SetpointTemperatureRefrigerator": OwnRange(35, 46, 1, "°F"),
        "Refrigeration.FridgeFreezer.Setting.SetpointTemperatureFreezer": OwnRange(-11, 3, 1, "°F"),
        "Refrigeration.Common.Setting.ChillerCommon.SetpointTemperature": OwnRange(30, 37, 1, "°F"),
    },
    power_states=("On",),
    camera=False,
    read_only=frozenset({"Vendor.Common.Setting.PowerState"}),
)
"""Always on, with one freshness compartment, door assistants and every cooling mode."""

FRIDGE_FAHRENHEIT = ApplianceSpec(
    ha_id="fridge-2",
    kind="Refrigerator",
    values={
        "Vendor.Common.Setting.PowerState": "Vendor.Common.EnumType.PowerState.On",
        "Vendor.Common.Setting.TemperatureUnit": "Vendor.Common.EnumType.TemperatureUnit.Fahrenheit",
        "Refrigeration.FridgeFreezer.Setting.SetpointTemperatureRefrigerator": 37,
        "Refrigeration.FridgeFreezer.Setting.SetpointTemperatureFreezer": 0,
        "Refrigeration.Common.Setting.ChillerLeft.SetpointTemperature": 34,
        "Refrigeration.Common.Setting.ChillerRight.SetpointTemperature": 32,
        "Refrigeration.FridgeFreezer.Setting.SuperModeRefrigerator": False,
        "Refrigeration.FridgeFreezer.Setting.SuperModeFreezer": False,
        "Refrigeration.Common.Setting.VacationMode": False,
        "Refrigeration.Common.Setting.Dispenser.Enabled": True,
        "Refrigeration.Common.Setting.Light.External.Brightness": 40.5,
        "Refrigeration.Common.Setting.Light.Internal.Brightness": 100,
        "Refrigeration.Common.Setting.Light.External.Power": True,
        "Refrigeration.Common.Setting.Light.Internal.Power": True,
        "Refrigeration.Common.Status.Door.ChillerLeft": _CLOSED,
        "Refrigeration.Common.Status.Door.ChillerRight": _OPEN,
        "Refrigeration.Common.Status.Door.FlexCompartment": _CLOSED,
        "Refrigeration.Common.Status.Door.Freezer": _CLOSED,
        "Refrigeration.Common.Status.Door.Refrigerator": _OPEN,
        "Refrigeration.Common.Status.Door.Refrigerator2": _CLOSED,
        "Refrigeration.Common.Status.Door.Refrigerator3": _CLOSED,
    },
    # The ranges in °F are not the converted ones in °C, as on real appliances.
    ranges={
        "Refrigeration.FridgeFreezer.Setting.SetpointTemperatureRefrigerator": OwnRange(33, 43, 1, "°F"),
        "Refrigeration.FridgeFreezer.Setting.SetpointTemperatureFreezer": OwnRange(-10, 3, 1, "°F"),
        "Refrigeration.Common.Setting.ChillerLeft.SetpointTemperature": OwnRange(30, 37, 1, "°F"),
        "Refrigeration.Common.Setting.ChillerRight.SetpointTemperature": OwnRange(30, 40, 1, "°F"),
        "Refrigeration.Common.Setting.Light.External.Brightness": OwnRange(0, 100, 0.5),
    },
    elsewhere={
        "Refrigeration.FridgeFreezer.Setting.SetpointTemperatureRefrigerator": OwnRange(2, 8, 1, "°C"),
        "Refrigeration.FridgeFreezer.Setting.SetpointTemperatureFreezer": OwnRange(-24, -16, 1, "°C"),
        "Refrigeration.Common.Setting.ChillerLeft.SetpointTemperature": OwnRange(-1, 3, 1, "°C"),
        "Refrigeration.Common.Setting.ChillerRight.SetpointTemperature": OwnRange(-2, 3, 1, "°C"),
    },
    power_states=("On",),
    camera=False,
    read_only=frozenset({"Vendor.Common.Setting.PowerState"}),
)
"""Always on, in °F, with a dispenser, three refrigerator doors and two lights."""

WINE_CABINET = ApplianceSpec(
    ha_id="wine-cabinet-1",
    kind="Refrigerator",
    values={
        "Vendor.Common.Setting.ChildLock": False,
        "Refrigeration.Common.Setting.BottleCooler.SetpointTemperature": 1,
        "Refrigeration.Common.Setting.WineCompartment.SetpointTemperature": 8,
        "Refrigeration.Common.Setting.WineCompartment2.SetpointTemperature": 12.5,
        "Refrigeration.Common.Setting.WineCompartment3.SetpointTemperature": 16,
        "Refrigeration.Common.Status.Door.BottleCooler": _CLOSED,
        "Refrigeration.Common.Status.Door.WineCompartment": _CLOSED,
    },
    ranges={
        "Refrigeration.Common.Setting.BottleCooler.SetpointTemperature": OwnRange(-1, 3, 1, "°C"),
        "Refrigeration.Common.Setting.WineCompartment.SetpointTemperature": OwnRange(5, 18, 0.5, "°C"),
        "Refrigeration.Common.Setting.WineCompartment2.SetpointTemperature": OwnRange(5, 20, 0.5, "°C"),
        "Refrigeration.Common.Setting.WineCompartment3.SetpointTemperature": OwnRange(6, 20, 0.5, "°C"),
    },
    camera=False,
)
"""No power state, no unit setting: its temperatures are in °C because nothing says otherwise (line 38)."""
