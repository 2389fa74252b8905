"""Enumerations with a value that the document does not list for the key, sent or advertised.

> An enumeration value is identified by its own key, listed below.
> possible values: enumeration keys, true/false, or a numeric range
"""

from msgspec.structs import replace

from catalog import keys
from conformance.mutants.fleets import FRIDGE, HOOD, MACHINE, ROBOT_NAMED, THREE_STATES
from conformance.mutants.model import broken
from conformance.mutants.shapes.reads import converts, lists, names, sends, shows
from conformance.mutants.shapes.writes import moves
from conformance.reference.fleets.cleaning import ROBOT_WATCHING
from conformance.reference.fleets.cooking import COFFEE_MAKER
from conformance.reference.fleets.cooling import FRIDGE_CELSIUS, FRIDGE_FAHRENHEIT

_UNLISTED = "The value is none of those listed for this key."
_SHORT = "The last segment stands where the whole key belongs."
_LABEL = "A label stands where the key belongs."
_WORDS = "Words for people stand where the key belongs."
_CASE = "A letter has the other case."
_ZERO = "The number has a leading zero."
_FOREIGN = "The value belongs to an enumeration that this key does not use."


_SWITCHED = MACHINE.only(keys.POWER_STATE, keys.CHILD_LOCK, keys.DOOR_STATE)
_STANDING_BY = _SWITCHED.having({keys.POWER_STATE: keys.STANDBY})
_MEASURING = COFFEE_MAKER.only(keys.POWER_STATE, keys.TEMPERATURE_UNIT, keys.LIQUID_UNIT, keys.CHILD_LOCK)
_ASSISTED = FRIDGE_CELSIUS.only(
    keys.POWER_STATE,
    keys.CHILD_LOCK,
    keys.ASSISTANT_FORCE_FRIDGE,
    keys.ASSISTANT_FORCE_FREEZER,
    keys.ASSISTANT_TRIGGER_FRIDGE,
    keys.ASSISTANT_TRIGGER_FREEZER,
)
_TINTED = HOOD.only(keys.POWER_STATE, keys.LIGHTING, keys.COLOR_TEMPERATURE)
_COLORED = MACHINE.only(keys.POWER_STATE, keys.CHILD_LOCK).having(
    {keys.AMBIENT_COLOR: f"{keys.COLOR_FAMILY}.Color2"}
)
_FRIDGE_FREEZER = replace(
    FRIDGE_FAHRENHEIT.only(keys.POWER_STATE, keys.FREEZER_DOOR, keys.FRIDGE_DOOR_2), kind="FridgeFreezer"
)
_COOLING = FRIDGE_FAHRENHEIT.only(
    keys.POWER_STATE, keys.FREEZER_DOOR, keys.FRIDGE_DOOR_2, keys.FLEX_DOOR, keys.CHILLER_RIGHT_DOOR
)
_CHARGING = ROBOT_WATCHING.only(
    keys.POWER_STATE, keys.MAP_NAME_1, keys.CHARGING_STATE, keys.CHARGING_CONNECTION
)
_WATCHING = ROBOT_WATCHING.only(keys.POWER_STATE, keys.MAP_NAME_1, keys.CAMERA_STATE)


def _members(family: str, *names: str) -> list[str]:
    """Values of a family by their last words."""
    return [f"{family}.{name}" for name in names]


# fmt: off
broken("power-state-short", "ENUM-KEYFORM", "L0", _SWITCHED, sends(keys.POWER_STATE, "On"),
    "PowerState is On, without its family.", partners={"ENUM-POWERSTATE": _UNLISTED})
broken("power-state-label", "ENUM-KEYFORM", "L0", _STANDING_BY, sends(keys.POWER_STATE, "Stand-by"),
    "PowerState is Stand-by, as the table words it for people.", partners={"ENUM-POWERSTATE": _UNLISTED})
broken("power-state-trailing-space", "ENUM-KEYFORM", "L0", _SWITCHED, names(keys.POWER_STATE, "On "),
    "PowerState is followed by a space.", partners={"ENUM-POWERSTATE": _UNLISTED})
broken("door-state-underscores", "ENUM-KEYFORM", "L0", MACHINE,
    sends(keys.DOOR_STATE, "Vendor_Common_EnumType_DoorState_Open"),
    "DoorState has underscores where the dots belong.", partners={"ENUM-DOORSTATE": _UNLISTED})
broken("door-state-leading-space", "ENUM-KEYFORM", "L0", MACHINE,
    sends(keys.DOOR_STATE, " Vendor.Common.EnumType.DoorState.Open"), "DoorState begins with a space.",
    partners={"ENUM-DOORSTATE": _UNLISTED})
broken("values-lower-case", "ENUM-KEYFORM", "L0", MACHINE,
    converts(lambda sent: sent.lower() if isinstance(sent, str) else sent),
    "Every enumeration value is sent in small letters.",
    partners={"ENUM-POWERSTATE": _UNLISTED, "ENUM-OPSTATE": _UNLISTED, "ENUM-DOORSTATE": _UNLISTED})
broken("power-state-inner-capital", "ENUM-POWERSTATE", "L0", _STANDING_BY, names(keys.POWER_STATE, "StandBy"),
    "PowerState is StandBy, with a capital B.", partners={"ENUM-KEYFORM": _CASE})
broken("power-state-hyphen", "ENUM-POWERSTATE", "L0", _STANDING_BY, names(keys.POWER_STATE, "Stand-by"),
    "PowerState ends in the label Stand-by.", partners={"ENUM-KEYFORM": _LABEL})
broken("power-state-mains-off", "ENUM-POWERSTATE", "L0", _SWITCHED, names(keys.POWER_STATE, "MainsOff"),
    "PowerState has a fourth value, MainsOff.")
broken("power-state-prolonged", "ENUM-POWERSTATE", "L0", _SWITCHED, names(keys.POWER_STATE, "Once"),
    "PowerState is Once, which only begins like On.")
broken("power-state-operates", "ENUM-POWERSTATE", "L0", _SWITCHED,
    sends(keys.POWER_STATE, "Vendor.Common.EnumType.OperationState.Ready"),
    "PowerState is a value of OperationState.", partners={"ADDR-SPECIFIC": _FOREIGN})
broken("temperature-unit-kelvin", "ENUM-TEMPUNIT", "L0", _MEASURING, names(keys.TEMPERATURE_UNIT, "Kelvin"),
    "TemperatureUnit is Kelvin.")
broken("temperature-unit-symbol", "ENUM-TEMPUNIT", "L0", _MEASURING, sends(keys.TEMPERATURE_UNIT, "°C"),
    "TemperatureUnit is °C.")
broken("temperature-unit-short", "ENUM-TEMPUNIT", "L0", _MEASURING, sends(keys.TEMPERATURE_UNIT, "Celsius"),
    "TemperatureUnit is Celsius, without its family.", partners={"ENUM-KEYFORM": _SHORT})
broken("temperature-unit-volume", "ENUM-TEMPUNIT", "L0", _MEASURING,
    sends(keys.TEMPERATURE_UNIT, "Vendor.Common.EnumType.LiquidVolumeUnit.MilliLiter"),
    "TemperatureUnit is a unit of volumes.", partners={"ADDR-SPECIFIC": _FOREIGN})
broken("volume-unit-small-letter", "ENUM-LIQUIDUNIT", "L0", _MEASURING, names(keys.LIQUID_UNIT, "Milliliter"),
    "LiquidVolumeUnit is Milliliter, with a small l inside.", partners={"ENUM-KEYFORM": _CASE})
broken("volume-unit-label", "ENUM-LIQUIDUNIT", "L0", _MEASURING, sends(keys.LIQUID_UNIT, "ml"),
    "LiquidVolumeUnit is ml.", partners={"ENUM-KEYFORM": _LABEL})
broken("volume-unit-singular", "ENUM-LIQUIDUNIT", "L0", _MEASURING, names(keys.LIQUID_UNIT, "FluidOunce"),
    "LiquidVolumeUnit is one FluidOunce.")
broken("assistant-force-label", "ENUM-ASSISTFORCE", "L0", _ASSISTED,
    names(keys.ASSISTANT_FORCE_FRIDGE, "Low"),
    "The force of the fridge door assistant ends in the label Low.", partners={"ENUM-KEYFORM": _LABEL})
broken("assistant-force-mid", "ENUM-ASSISTFORCE", "L0", _ASSISTED,
    names(keys.ASSISTANT_FORCE_FREEZER, "MidForce"),
    "The force of the freezer door assistant is MidForce, half label and half key.")
broken("assistant-trigger-reversed", "ENUM-ASSISTTRIGGER", "L0", _ASSISTED,
    names(keys.ASSISTANT_TRIGGER_FRIDGE, "PullPush"), "The trigger of the fridge door assistant is PullPush.")
broken("assistant-trigger-force", "ENUM-ASSISTTRIGGER", "L0", _ASSISTED,
    sends(keys.ASSISTANT_TRIGGER_FREEZER, "Refrigeration.Common.EnumType.Door.AssistantForce.LowForce"),
    "The trigger of the freezer door assistant is a force.", partners={"ADDR-SPECIFIC": _FOREIGN})
broken("current-map-fourth", "ENUM-CURRENTMAP", "L0", ROBOT_NAMED, names(keys.CURRENT_MAP, "Map4"),
    "CurrentMap is Map4.")
broken("current-map-from-zero", "ENUM-CURRENTMAP", "L0", ROBOT_NAMED, names(keys.CURRENT_MAP, "Map0"),
    "CurrentMap is Map0: maps are counted from zero.")
broken("current-map-padded", "ENUM-CURRENTMAP", "L0", ROBOT_NAMED, names(keys.CURRENT_MAP, "Map01"),
    "CurrentMap is Map01.", partners={"ENUM-KEYFORM": _ZERO})
broken("current-map-by-name", "ENUM-CURRENTMAP", "L0", ROBOT_NAMED, sends(keys.CURRENT_MAP, "Küche"),
    "CurrentMap is the name somebody gave the map.")
broken("last-map-own-family", "ENUM-LASTMAP", "L0", ROBOT_NAMED,
    sends(keys.LAST_MAP, "ConsumerProducts.CleaningRobot.EnumType.LastSelectedMap.Map1"),
    "LastSelectedMap has values of a family of its own name.")
broken("last-map-none", "ENUM-LASTMAP", "L0", ROBOT_NAMED, names(keys.LAST_MAP, "None"),
    "LastSelectedMap is None before a map was selected.")
broken("last-map-short", "ENUM-LASTMAP", "L0", ROBOT_NAMED, sends(keys.LAST_MAP, "TempMap"),
    "LastSelectedMap is TempMap, without its family.", partners={"ENUM-KEYFORM": _SHORT})
broken("color-temperature-reversed", "ENUM-COLORTEMP", "L0", _TINTED,
    names(keys.COLOR_TEMPERATURE, "neutralToWarm"), "ColorTemperature is neutralToWarm.")
broken("color-temperature-capital", "ENUM-COLORTEMP", "L0", _TINTED, names(keys.COLOR_TEMPERATURE, "Warm"),
    "ColorTemperature is Warm, with a capital like all other enumerations.", partners={"ENUM-KEYFORM": _CASE})
broken("color-temperature-label", "ENUM-COLORTEMP", "L0", _TINTED,
    names(keys.COLOR_TEMPERATURE, "Individual"), "ColorTemperature ends in the label Individual.",
    partners={"ENUM-KEYFORM": _LABEL})
broken("ambient-color-hundredth", "ENUM-AMBCOLOR", "L0", _COLORED, names(keys.AMBIENT_COLOR, "Color100"),
    "AmbientLightColor is Color100.")
broken("ambient-color-padded", "ENUM-AMBCOLOR", "L0", _COLORED, names(keys.AMBIENT_COLOR, "Color07"),
    "AmbientLightColor is Color07.", partners={"ENUM-KEYFORM": _ZERO})
broken("ambient-color-from-zero", "ENUM-AMBCOLOR", "L0", _COLORED, names(keys.AMBIENT_COLOR, "Color0"),
    "AmbientLightColor is Color0: colours are counted from zero.")
broken("ambient-color-hexadecimal", "ENUM-AMBCOLOR", "L0", _COLORED, sends(keys.AMBIENT_COLOR, "#4a88f8"),
    "AmbientLightColor is the colour itself, #4a88f8.")
broken("operation-state-paused", "ENUM-OPSTATE", "L0", MACHINE, names(keys.OPERATION_STATE, "Paused"),
    "OperationState is Paused.")
broken("operation-state-idle", "ENUM-OPSTATE", "L0", MACHINE, names(keys.OPERATION_STATE, "Idle"),
    "OperationState is Idle.")
broken("operation-state-label", "ENUM-OPSTATE", "L0", MACHINE, names(keys.OPERATION_STATE, "Delayed Start"),
    "OperationState ends in the label Delayed Start.", partners={"ENUM-KEYFORM": _LABEL})
broken("operation-state-films", "ENUM-OPSTATE", "L0", MACHINE,
    sends(keys.OPERATION_STATE, "Vendor.Common.EnumType.Video.CameraState.Ready"),
    "OperationState is the Ready of CameraState.", partners={"ADDR-SPECIFIC": _FOREIGN})
broken("operation-state-shut-in-standby", "ENUM-OPSTATE", "L3", THREE_STATES,
    shows(lambda _: keys.CLOSED, keys.OPERATION_STATE, state=(keys.POWER_STATE, keys.STANDBY)),
    "OperationState is the Closed of DoorState while the machine is in standby.")
broken("door-state-ajar", "ENUM-DOORSTATE", "L0", MACHINE, names(keys.DOOR_STATE, "Ajar"),
    "DoorState is Ajar.")
broken("door-state-unlocked", "ENUM-DOORSTATE", "L0", MACHINE, names(keys.DOOR_STATE, "Unlocked"),
    "DoorState is Unlocked, which only ends like Locked.")
broken("freezer-door-locked", "ENUM-DOOR-COOLING", "L0", _COOLING, names(keys.FREEZER_DOOR, "Locked"),
    "The freezer door is Locked, a value of its family and not of its key.")
broken("freezer-door-locked-by-eco", "ENUM-DOOR-COOLING", "L3",
    FRIDGE_CELSIUS.only(keys.POWER_STATE, keys.ECO_MODE, keys.FREEZER_DOOR),
    moves(keys.ECO_MODE, keys.FREEZER_DOOR, lambda _: keys.LOCKED),
    "The freezer door is Locked once EcoMode has been switched.")
broken("second-door-states-family", "ENUM-DOOR-COOLING", "L0", _COOLING,
    sends(keys.FRIDGE_DOOR_2, "Refrigeration.Common.EnumType.Door.States.Open"),
    "The second refrigerator door has a value of the family Door.States.")
broken("flex-compartment-ajar", "ENUM-DOOR-COOLING", "L0", _COOLING, names(keys.FLEX_DOOR, "Ajar"),
    "The flex compartment is Ajar.")
broken("chiller-door-locked", "ENUM-DOOR-COOLING", "L0", _COOLING, names(keys.CHILLER_RIGHT_DOOR, "Locked"),
    "The right freshness compartment alone is Locked.")
broken("fridge-freezer-door-locked", "ENUM-DOOR-COOLING", "L0", _FRIDGE_FREEZER,
    names(keys.FREEZER_DOOR, "Locked"), "The freezer door of an appliance of kind FridgeFreezer is Locked.")
broken("freezer-door-small-letter", "ENUM-DOOR-COOLING", "L0", _COOLING, names(keys.FREEZER_DOOR, "closed"),
    "The freezer door is closed, with a small c.", partners={"ENUM-KEYFORM": _CASE})
broken("charging-state-full", "ENUM-BATTCHARGE", "L0", _CHARGING, names(keys.CHARGING_STATE, "Full"),
    "BatteryChargingState is Full.")
broken("charging-state-not", "ENUM-BATTCHARGE", "L0", _CHARGING, names(keys.CHARGING_STATE, "NotCharging"),
    "BatteryChargingState is NotCharging, which only ends like Charging.")
broken("charging-connection-docked", "ENUM-CHARGECONN", "L0", _CHARGING,
    names(keys.CHARGING_CONNECTION, "Docked"), "ChargingConnection is Docked.")
broken("charging-connection-sibling", "ENUM-CHARGECONN", "L0", _CHARGING,
    sends(keys.CHARGING_CONNECTION, "Vendor.Common.EnumType.BatteryChargingState.Charging"),
    "ChargingConnection is a value of BatteryChargingState.", partners={"ADDR-SPECIFIC": _FOREIGN})
broken("charging-connection-sentence", "ENUM-CHARGECONN", "L0", _CHARGING,
    sends(keys.CHARGING_CONNECTION, "not connected to docking station"),
    "ChargingConnection is a sentence out of the document.", partners={"ENUM-KEYFORM": _WORDS})
broken("camera-state-streaming", "ENUM-CAMERA", "L0", _WATCHING, names(keys.CAMERA_STATE, "Streaming"),
    "CameraState is Streaming, without saying where to.")
broken("camera-state-misspelled", "ENUM-CAMERA", "L0", _WATCHING,
    names(keys.CAMERA_STATE, "StreamingLocalAnCloud"), "CameraState is StreamingLocalAnCloud.")
broken("camera-state-family", "ENUM-CAMERA", "L0", _WATCHING,
    sends(keys.CAMERA_STATE, "Vendor.Common.EnumType.CameraState.Sleeping"),
    "CameraState lacks the segment Video.")
broken("advertised-short", "ENUM-ADVERTISED", "L2", _SWITCHED,
    lists(keys.POWER_STATE, "On", "Off", "Standby"),
    "PowerState advertises On, Off and Standby, without their family.")
broken("advertised-mains-off", "ENUM-ADVERTISED", "L2", _SWITCHED,
    lists(keys.POWER_STATE, *_members(keys.POWER_FAMILY, "On", "Off", "Standby", "MainsOff")),
    "PowerState advertises a fourth value, MainsOff.")
broken("found-in-a-state-that-is-not-advertised", "ENUM-ADVERTISED", "L0", _SWITCHED,
    lists(keys.POWER_STATE, *_members(keys.POWER_FAMILY, "Off", "Standby")),
    "PowerState is On, and advertises Off and Standby alone.",
    profile={"answer": {"value": "/data/value", "allowed": "/data/constraints/allowedvalues"}})
broken("advertised-label", "ENUM-ADVERTISED", "L2", _SWITCHED,
    lists(keys.POWER_STATE, *_members(keys.POWER_FAMILY, "On", "Stand-by")),
    "PowerState advertises the label Stand-by behind its family.")
broken("advertised-locked", "ENUM-ADVERTISED", "L2", FRIDGE,
    lists(keys.FREEZER_DOOR, keys.CLOSED, keys.OPEN, keys.LOCKED),
    "The freezer door advertises Locked, a value of its family and not of its key.")
broken("advertised-hundredth", "ENUM-ADVERTISED", "L2", _COLORED,
    lists(keys.AMBIENT_COLOR, *_members(keys.COLOR_FAMILY, *(f"Color{number}" for number in range(1, 101)))),
    "AmbientLightColor advertises Color1 through Color100.")
broken("advertised-padded", "ENUM-ADVERTISED", "L2", _COLORED,
    lists(keys.AMBIENT_COLOR, *_members(keys.COLOR_FAMILY, "CustomColor", "Color01", "Color02")),
    "AmbientLightColor advertises Color01 and Color02.")
broken("advertised-capital", "ENUM-ADVERTISED", "L2", _TINTED,
    lists(keys.COLOR_TEMPERATURE, *_members(keys.COLOR_TEMPERATURE_FAMILY, "custom", "Custom", "cold")),
    "ColorTemperature advertises Custom beside custom.")
broken("advertised-fourth-map", "ENUM-ADVERTISED", "L2", ROBOT_NAMED,
    lists(keys.CURRENT_MAP, *_members(keys.MAP_FAMILY, "TempMap", "Map1", "Map2", "Map3", "Map4")),
    "CurrentMap advertises a fourth map, last in its list.")
broken("advertised-sibling", "ENUM-ADVERTISED", "L2", ROBOT_NAMED, lists(keys.CHARGING_CONNECTION,
        "Vendor.Common.EnumType.ChargingConnection.Disconnected",
        "Vendor.Common.EnumType.ChargingConnection.Connected",
        "Vendor.Common.EnumType.BatteryChargingState.Charging"),
    "ChargingConnection advertises a value of BatteryChargingState among its own.")
