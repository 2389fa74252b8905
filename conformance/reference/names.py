"""The keys and values that do more than hold a value."""

from __future__ import annotations

POWER_STATE = "Vendor.Common.Setting.PowerState"
POWER_FAMILY = "Vendor.Common.EnumType.PowerState"
ON = f"{POWER_FAMILY}.On"

OPERATION_STATE = "Vendor.Common.Status.OperationState"
INACTIVE = "Vendor.Common.EnumType.OperationState.Inactive"
READY = "Vendor.Common.EnumType.OperationState.Ready"

TEMPERATURE_UNIT = "Vendor.Common.Setting.TemperatureUnit"
FAHRENHEIT = "Vendor.Common.EnumType.TemperatureUnit.Fahrenheit"

LOCAL_CONTROL = "Vendor.Common.Status.LocalControlActive"
REMOTE_START = "Vendor.Common.Status.RemoteControlStartAllowed"
SUPER_REFRIGERATOR = "Refrigeration.FridgeFreezer.Setting.SuperModeRefrigerator"
SUPER_FREEZER = "Refrigeration.FridgeFreezer.Setting.SuperModeFreezer"
DUST_BOX = "ConsumerProducts.CleaningRobot.Status.DustBoxInserted"

MAP_NAMES = tuple(f"ConsumerProducts.CleaningRobot.Setting.NameOfMap{number}" for number in (1, 2, 3))
CUSTOM_COLOR = "Vendor.Common.Setting.AmbientLightCustomColor"
