"""A washer, three cleaning robots and a dishwasher, a kind the document does not name."""

from __future__ import annotations

from conformance.reference.appliance import ApplianceSpec, OwnRange

WASHER = ApplianceSpec(
    ha_id="washer-1",
    kind="Washer",
    values={
        "Vendor.Common.Setting.PowerState": "Vendor.Common.EnumType.PowerState.On",
        "Vendor.Common.Setting.ChildLock": False,
        "LaundryCare.Washer.Setting.Dosing1BaseLevel": 50,
        "LaundryCare.Washer.Setting.Dosing2BaseLevel": 35,
        "Vendor.Common.Status.RemoteControlActive": True,
        "Vendor.Common.Status.RemoteControlStartAllowed": True,
        "Vendor.Common.Status.LocalControlActive": False,
        "Vendor.Common.Status.OperationState": "Vendor.Common.EnumType.OperationState.Ready",
        "Vendor.Common.Status.DoorState": "Vendor.Common.EnumType.DoorState.Locked",
    },
    ranges={
        "LaundryCare.Washer.Setting.Dosing1BaseLevel": OwnRange(5, 200, 1, "ml"),
        "LaundryCare.Washer.Setting.Dosing2BaseLevel": OwnRange(10, 150, 5, "ml"),
    },
    power_states=("On",),
    camera=False,
    read_only=frozenset({"Vendor.Common.Setting.PowerState"}),
)
"""Always on, with two dosing levels of different range and step."""

ROBOT_WATCHING = ApplianceSpec(
    ha_id="401020304050607081",
    kind="CleaningRobot",
    values={
        "Vendor.Common.Setting.PowerState": "Vendor.Common.EnumType.PowerState.On",
        "ConsumerProducts.CleaningRobot.Setting.CurrentMap": "ConsumerProducts.CleaningRobot.EnumType.AvailableMaps.Map1",
        "ConsumerProducts.CleaningRobot.Setting.NameOfMap1": "Küche",
        "ConsumerProducts.CleaningRobot.Setting.NameOfMap2": "Upstairs",
        "ConsumerProducts.CleaningRobot.Setting.NameOfMap3": "Vendor",
        "Vendor.Common.Status.RemoteControlActive": True,
        "Vendor.Common.Status.OperationState": "Vendor.Common.EnumType.OperationState.Ready",
        "Vendor.Common.Status.BatteryLevel": 57.3,
        "Vendor.Common.Status.BatteryChargingState": "Vendor.Common.EnumType.BatteryChargingState.Charging",
        "Vendor.Common.Status.ChargingConnection": "Vendor.Common.EnumType.ChargingConnection.Connected",
        "Vendor.Common.Status.Video.CameraState": "Vendor.Common.EnumType.Video.CameraState.Sleeping",
        "ConsumerProducts.CleaningRobot.Status.LastSelectedMap": "ConsumerProducts.CleaningRobot.EnumType.AvailableMaps.TempMap",
        "ConsumerProducts.CleaningRobot.Status.DustBoxInserted": True,
        "ConsumerProducts.CleaningRobot.Status.Lost": False,
        "ConsumerProducts.CleaningRobot.Status.Lifted": False,
    },
    ranges={"Vendor.Common.Status.BatteryLevel": OwnRange(0, 100, 0.1)},
    power_states=("On", "Standby"),
    camera=True,
    contested=("status", "settings"),
)
"""With a camera and three named maps; its four contested statuses answer under both segments."""

ROBOT_BLIND = ApplianceSpec(
    ha_id="robot-2",
    kind="CleaningRobot",
    values={
        "Vendor.Common.Setting.PowerState": "Vendor.Common.EnumType.PowerState.On",
        "ConsumerProducts.CleaningRobot.Setting.CurrentMap": "ConsumerProducts.CleaningRobot.EnumType.AvailableMaps.TempMap",
        "ConsumerProducts.CleaningRobot.Setting.NameOfMap1": "Office",
        "Vendor.Common.Status.OperationState": "Vendor.Common.EnumType.OperationState.Ready",
        "Vendor.Common.Status.BatteryLevel": 100,
        "Vendor.Common.Status.BatteryChargingState": "Vendor.Common.EnumType.BatteryChargingState.Discharging",
        "Vendor.Common.Status.ChargingConnection": "Vendor.Common.EnumType.ChargingConnection.Disconnected",
        "ConsumerProducts.CleaningRobot.Status.LastSelectedMap": "ConsumerProducts.CleaningRobot.EnumType.AvailableMaps.Map1",
        "ConsumerProducts.CleaningRobot.Status.DustBoxInserted": True,
        "ConsumerProducts.CleaningRobot.Status.Lost": False,
        "ConsumerProducts.CleaningRobot.Status.Lifted": False,
    },
    power_states=("On", "Standby"),
    camera=False,
    subsets={
        "ConsumerProducts.CleaningRobot.Setting.CurrentMap": ("TempMap", "Map1"),
        "ConsumerProducts.CleaningRobot.Status.LastSelectedMap": ("TempMap", "Map1"),
    },
)
"""Without a camera and with one map of its own; the contested statuses answer under status only."""

ROBOT_OLD = ApplianceSpec(
    ha_id="robot-3",
    kind="CleaningRobot",
    values={
        "Vendor.Common.Status.BatteryLevel": 88,
        "Vendor.Common.Status.BatteryChargingState": "Vendor.Common.EnumType.BatteryChargingState.Discharging",
        "ConsumerProducts.CleaningRobot.Status.DustBoxInserted": True,
        "ConsumerProducts.CleaningRobot.Status.Lost": False,
        "ConsumerProducts.CleaningRobot.Status.Lifted": True,
    },
    camera=False,
    contested=("settings",),
)
"""Nothing to set at all; the contested statuses answer under settings only, as the published example has it."""

DISHWASHER = ApplianceSpec(
    ha_id="dishwasher-1",
    kind="Dishwasher",
    values={
        "Vendor.Common.Setting.PowerState": "Vendor.Common.EnumType.PowerState.On",
        "Vendor.Common.Setting.ChildLock": False,
        "Vendor.Common.Setting.AmbientLightEnabled": True,
        "Vendor.Common.Setting.AmbientLightBrightness": 40,
        "Vendor.Common.Setting.AmbientLightColor": "Vendor.Common.EnumType.AmbientLightColor.CustomColor",
        "Vendor.Common.Setting.AmbientLightCustomColor": "#e0ffff",
        "Vendor.Common.Status.RemoteControlActive": True,
        "Vendor.Common.Status.RemoteControlStartAllowed": False,
        "Vendor.Common.Status.LocalControlActive": False,
        "Vendor.Common.Status.OperationState": "Vendor.Common.EnumType.OperationState.Ready",
        "Vendor.Common.Status.DoorState": "Vendor.Common.EnumType.DoorState.Open",
    },
    power_states=("On", "Off", "Standby"),
    camera=False,
    subsets={"Vendor.Common.Setting.AmbientLightColor": ("CustomColor", "Color1", "Color2", "Color99")},
)
"""All three power states, and an ambient light with four of the hundred colours."""
