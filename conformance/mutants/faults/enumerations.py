"""Enumerations with a value that the document does not list for the key, sent or advertised.

> An enumeration value is identified by its own key, listed below.
> possible values: enumeration keys, true/false, or a numeric range
"""

from msgspec.structs import replace

from catalog import keys
from conformance.mutants.fleets import HOOD, MACHINE, ROBOT_NAMED, THREE_STATES
from conformance.mutants.model import broken
from conformance.mutants.shapes.reads import converts, lists, names, sends, shows
from conformance.mutants.shapes.side_effects import moves
from conformance.reference.fleets.cleaning import ROBOT_WATCHING
from conformance.reference.fleets.cooking import COFFEE_MAKER
from conformance.reference.fleets.cooling import FRIDGE_CELSIUS, FRIDGE_FAHRENHEIT

_UNLISTED = "The value is none of those listed for this key."
_LABEL = "A label stands where the key belongs."
_NO_STATE = "A label is neither the written state nor the old one."
_WORDS = "Words for people stand where the key belongs."
_CASE = "A letter has the other case."
_ZERO = "The number has a leading zero."


_SWITCHED = MACHINE.only(keys.POWER_STATE, keys.CHILD_LOCK, keys.DOOR_STATE)
_STANDING_BY = _SWITCHED.having({keys.POWER_STATE: keys.STANDBY})
_MEASURING = COFFEE_MAKER.only(keys.POWER_STATE, keys.TEMPERATURE_UNIT, keys.LIQUID_UNIT, keys.CHILD_LOCK)
_TINTED = HOOD.only(keys.POWER_STATE, keys.LIGHTING, keys.COLOR_TEMPERATURE)
_COLORED = MACHINE.only(keys.POWER_STATE, keys.CHILD_LOCK).having(
    {keys.AMBIENT_COLOR: f"{keys.COLOR_FAMILY}.Color2"}
)
_FRIDGE_FREEZER = replace(
    FRIDGE_FAHRENHEIT.only(keys.POWER_STATE, keys.FREEZER_DOOR, keys.FRIDGE_DOOR_2), kind="FridgeFreezer"
)
_CHARGING = ROBOT_WATCHING.only(
    keys.POWER_STATE, keys.MAP_NAME_1, keys.CHARGING_STATE, keys.CHARGING_CONNECTION
)
_WATCHING = ROBOT_WATCHING.only(keys.POWER_STATE, keys.MAP_NAME_1, keys.CAMERA_STATE)


def _members(family: str, *names: str) -> list[str]:
    """Values of a family by their last words."""
    return [f"{family}.{name}" for name in names]


# fmt: off
broken("power-state-label", "ENUM-KEYFORM", "L0", _STANDING_BY, sends(keys.POWER_STATE, "Stand-by"),
    "PowerState is Stand-by, as the table words it for people.", partners={"ENUM-POWERSTATE": _UNLISTED})
broken("standby-labelled", "ENUM-POWERSTATE", "L3", THREE_STATES,
    converts(lambda sent: "Stand-by" if sent == keys.STANDBY else sent, keys.POWER_STATE),
    "PowerState is Stand-by, as the table words it for people, once Standby was written.",
    partners={"ENUM-KEYFORM": _LABEL, "PWR-ON-STANDBY": _NO_STATE, "PWR-NO-FOREIGN": _NO_STATE})
broken("volume-unit-label", "ENUM-LIQUIDUNIT", "L0", _MEASURING, sends(keys.LIQUID_UNIT, "ml"),
    "LiquidVolumeUnit is ml.", partners={"ENUM-KEYFORM": _LABEL})
broken("current-map-by-name", "ENUM-CURRENTMAP", "L0", ROBOT_NAMED, sends(keys.CURRENT_MAP, "Küche"),
    "CurrentMap is the name somebody gave the map.")
broken("last-map-own-family", "ENUM-LASTMAP", "L0", ROBOT_NAMED,
    sends(keys.LAST_MAP, "ConsumerProducts.CleaningRobot.EnumType.LastSelectedMap.Map1"),
    "LastSelectedMap has values of a family of its own name.")
broken("color-temperature-capital", "ENUM-COLORTEMP", "L0", _TINTED, names(keys.COLOR_TEMPERATURE, "Warm"),
    "ColorTemperature is Warm, with a capital like all other enumerations.", partners={"ENUM-KEYFORM": _CASE})
broken("ambient-color-hundredth", "ENUM-AMBCOLOR", "L0", _COLORED, names(keys.AMBIENT_COLOR, "Color100"),
    "AmbientLightColor is Color100.")
broken("ambient-color-padded", "ENUM-AMBCOLOR", "L0", _COLORED, names(keys.AMBIENT_COLOR, "Color07"),
    "AmbientLightColor is Color07.", partners={"ENUM-KEYFORM": _ZERO})
broken("operation-state-shut-in-standby", "ENUM-OPSTATE", "L3", THREE_STATES,
    shows(lambda _: keys.CLOSED, keys.OPERATION_STATE, state=(keys.POWER_STATE, keys.STANDBY)),
    "OperationState is the Closed of DoorState while the machine is in standby.")
broken("door-state-ajar", "ENUM-DOORSTATE", "L0", MACHINE, names(keys.DOOR_STATE, "Ajar"),
    "DoorState is Ajar.")
broken("freezer-door-locked-by-eco", "ENUM-DOOR-COOLING", "L3",
    FRIDGE_CELSIUS.only(keys.POWER_STATE, keys.ECO_MODE, keys.FREEZER_DOOR),
    moves(keys.ECO_MODE, keys.FREEZER_DOOR, lambda _: keys.LOCKED),
    "The freezer door is Locked once EcoMode has been switched.")
broken("fridge-freezer-door-locked", "ENUM-DOOR-COOLING", "L0", _FRIDGE_FREEZER,
    names(keys.FREEZER_DOOR, "Locked"), "The freezer door of an appliance of kind FridgeFreezer is Locked.")
broken("charging-connection-sentence", "ENUM-CHARGECONN", "L0", _CHARGING,
    sends(keys.CHARGING_CONNECTION, "not connected to docking station"),
    "ChargingConnection is a sentence out of the document.", partners={"ENUM-KEYFORM": _WORDS})
broken("camera-state-family", "ENUM-CAMERA", "L0", _WATCHING,
    sends(keys.CAMERA_STATE, "Vendor.Common.EnumType.CameraState.Sleeping"),
    "CameraState lacks the segment Video.")
broken("found-in-a-state-that-is-not-advertised", "ENUM-ADVERTISED", "L0", _SWITCHED,
    lists(keys.POWER_STATE, *_members(keys.POWER_FAMILY, "Off", "Standby")),
    "PowerState is On, and advertises Off and Standby alone.",
    profile={"answer": {"value": "/data/value", "allowed": "/data/constraints/allowedvalues"}})
broken("advertised-capital", "ENUM-ADVERTISED", "L2", _TINTED,
    lists(keys.COLOR_TEMPERATURE, *_members(keys.COLOR_TEMPERATURE_FAMILY, "custom", "Custom", "cold")),
    "ColorTemperature advertises Custom beside custom.")
broken("advertised-fourth-map", "ENUM-ADVERTISED", "L2", ROBOT_NAMED,
    lists(keys.CURRENT_MAP, *_members(keys.MAP_FAMILY, "TempMap", "Map1", "Map2", "Map3", "Map4")),
    "CurrentMap advertises a fourth map, last in its list.")
