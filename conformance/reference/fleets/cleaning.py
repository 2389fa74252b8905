"""A washer, three cleaning robots and a dishwasher, a kind the document does not name."""

from catalog import keys
from conformance.reference.appliance import ApplianceSpec, OwnRange

WASHER = ApplianceSpec(
    ha_id="washer-1",
    kind="Washer",
    values={
        keys.POWER_STATE: keys.ON,
        keys.CHILD_LOCK: False,
        keys.DOSING_1: 50,
        keys.DOSING_2: 35,
        keys.REMOTE_CONTROL: True,
        keys.REMOTE_START: True,
        keys.LOCAL_CONTROL: False,
        keys.OPERATION_STATE: keys.READY,
        keys.DOOR_STATE: keys.LOCKED,
    },
    ranges={keys.DOSING_1: OwnRange(5, 200, 1, "ml"), keys.DOSING_2: OwnRange(10, 150, 5, "ml")},
    power_states=("On",),
    camera=False,
    read_only=frozenset({keys.POWER_STATE}),
)
"""Always on, with two dosing levels of different range and step."""

ROBOT_WATCHING = ApplianceSpec(
    ha_id="401020304050607081",
    kind="CleaningRobot",
    values={
        keys.POWER_STATE: keys.ON,
        keys.CURRENT_MAP: f"{keys.MAP_FAMILY}.Map1",
        keys.MAP_NAME_1: "Küche",
        keys.MAP_NAME_2: "Upstairs",
        keys.MAP_NAME_3: "Vendor",
        keys.REMOTE_CONTROL: True,
        keys.OPERATION_STATE: keys.READY,
        keys.BATTERY_LEVEL: 57.3,
        keys.CHARGING_STATE: "Vendor.Common.EnumType.BatteryChargingState.Charging",
        keys.CHARGING_CONNECTION: "Vendor.Common.EnumType.ChargingConnection.Connected",
        keys.CAMERA_STATE: "Vendor.Common.EnumType.Video.CameraState.Sleeping",
        keys.LAST_MAP: f"{keys.MAP_FAMILY}.TempMap",
        keys.DUST_BOX: True,
        keys.LOST: False,
        keys.LIFTED: False,
    },
    ranges={keys.BATTERY_LEVEL: OwnRange(0, 100, 0.1)},
    power_states=("On", "Standby"),
    camera=True,
    contested=("status", "settings"),
)
"""With a camera and three named maps; its four contested statuses answer under both segments."""

ROBOT_BLIND = ApplianceSpec(
    ha_id="robot-2",
    kind="CleaningRobot",
    values={
        keys.POWER_STATE: keys.ON,
        keys.CURRENT_MAP: f"{keys.MAP_FAMILY}.TempMap",
        keys.MAP_NAME_1: "Office",
        keys.OPERATION_STATE: keys.READY,
        keys.BATTERY_LEVEL: 100,
        keys.CHARGING_STATE: "Vendor.Common.EnumType.BatteryChargingState.Discharging",
        keys.CHARGING_CONNECTION: "Vendor.Common.EnumType.ChargingConnection.Disconnected",
        keys.LAST_MAP: f"{keys.MAP_FAMILY}.Map1",
        keys.DUST_BOX: True,
        keys.LOST: False,
        keys.LIFTED: False,
    },
    power_states=("On", "Standby"),
    camera=False,
    subsets={keys.CURRENT_MAP: ("TempMap", "Map1"), keys.LAST_MAP: ("TempMap", "Map1")},
)
"""Without a camera and with one map of its own; the contested statuses answer under status only."""

ROBOT_OLD = ApplianceSpec(
    ha_id="robot-3",
    kind="CleaningRobot",
    values={
        keys.BATTERY_LEVEL: 88,
        keys.CHARGING_STATE: "Vendor.Common.EnumType.BatteryChargingState.Discharging",
        keys.DUST_BOX: True,
        keys.LOST: False,
        keys.LIFTED: True,
    },
    camera=False,
    contested=("settings",),
)
"""Nothing to set at all; the contested statuses answer under settings only, as the published example has it.
"""

DISHWASHER = ApplianceSpec(
    ha_id="dishwasher-1",
    kind="Dishwasher",
    values={
        keys.POWER_STATE: keys.ON,
        keys.CHILD_LOCK: False,
        keys.AMBIENT_ENABLED: True,
        keys.AMBIENT_BRIGHTNESS: 40,
        keys.AMBIENT_COLOR: "Vendor.Common.EnumType.AmbientLightColor.CustomColor",
        keys.CUSTOM_COLOR: "#e0ffff",
        keys.REMOTE_CONTROL: True,
        keys.REMOTE_START: False,
        keys.LOCAL_CONTROL: False,
        keys.OPERATION_STATE: keys.READY,
        keys.DOOR_STATE: keys.OPEN,
    },
    power_states=("On", "Off", "Standby"),
    camera=False,
    subsets={keys.AMBIENT_COLOR: ("CustomColor", "Color1", "Color2", "Color99")},
)
"""All three power states, and an ambient light with four of the hundred colours."""
