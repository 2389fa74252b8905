"""Servers whose answers are wrong beside the value, and that only in a state, or after it.

> key | string | Dotted identifier of the setting or status; also the last path segment
> possible values | enumeration keys, true/false, or a numeric range | Allowed values

What they answer first is as it should be, and so is every value.
"""

from collections.abc import Callable
from typing import cast

from catalog import keys
from catalog.model import Entry, Segment
from conformance.mutants import fleets
from conformance.mutants.model import broken
from conformance.mutants.shapes.reads import State, is_in
from conformance.reference.appliance import Appliance
from conformance.reference.fleets.cooling import FRIDGE_CELSIUS, WINE_CABINET
from conformance.reference.service import Service
from conformance.reference.wire import Json, Members

_STANDBY: State = (keys.POWER_STATE, keys.STANDBY)
_VACATION: State = (keys.VACATION_MODE, True)
_FAHRENHEIT: State = (keys.TEMPERATURE_UNIT, keys.FAHRENHEIT)
_COOLER = FRIDGE_CELSIUS.only(keys.SETPOINT, keys.ECO_MODE, keys.FREEZER_DOOR)
_OUNCES: State = (keys.LIQUID_UNIT, "Vendor.Common.EnumType.LiquidVolumeUnit.FluidOunces")
_ASSISTED = FRIDGE_CELSIUS.only(
    keys.CHILD_LOCK, keys.SETPOINT, keys.ASSISTANT_FORCE_FRIDGE, keys.ASSISTANT_FORCE_FREEZER
)
_LIT = FRIDGE_CELSIUS.only(keys.TEMPERATURE_UNIT, keys.SETPOINT, keys.INTERNAL_BRIGHTNESS)
_LOCKED = FRIDGE_CELSIUS.only(keys.CHILD_LOCK, keys.TEMPERATURE_UNIT, keys.SETPOINT, keys.FREEZER_DOOR)
_CELLAR = WINE_CABINET.only(keys.CHILD_LOCK, keys.WINE_SETPOINT, keys.WINE_SETPOINT_2, keys.WINE_DOOR)
_SLEEPY_OVEN = fleets.TIMED_OVEN.only(keys.POWER_STATE, keys.ALARM_CLOCK)


def _holds_once(
    state: State, on: str, made: Callable[[Members], Members], *, after: bool = True
) -> type[Service]:
    """The members of a key are others once a state was shown: from then on, or only meanwhile."""

    class HoldsOnce(Service):
        def body(self, appliance: Appliance, segment: Segment, entry: Entry, value: Json) -> Members:
            members, kept = super().body(appliance, segment, entry, value), appliance.kept
            holds = is_in(state, appliance)
            kept["seen"] = holds or (after and kept.get("seen", False))
            return made(members) if entry.key == on and kept["seen"] else members

    return HoldsOnce


def _constrained(*without: str, **others: Json) -> Callable[[Members], Members]:
    """Other constraints than there are, and without some."""

    def made(members: Members) -> Members:
        own = {**cast("Members", members["constraints"]), **others}
        return {**members, "constraints": {name: own[name] for name in own if name not in without}}

    return made


def _lower_cased(members: Members) -> Members:
    return {**members, "key": str(members["key"]).lower()}


# fmt: off
broken("lock-lower-cased-after-standby", "ADDR-KEY-LAST", "L3", fleets.ON_AND_STANDBY_AND_LOCK,
    _holds_once(_STANDBY, keys.CHILD_LOCK, _lower_cased),
    "Once the oven was in standby, the body of ChildLock shows its key in lower case.")
broken("door-lower-cased-after-standby", "ADDR-KEY-LAST", "L3", fleets.ON_AND_STANDBY_AND_LOCK,
    _holds_once(_STANDBY, keys.DOOR_STATE, _lower_cased),
    "Once the oven was in standby, the body of DoorState shows its key in lower case.")
broken("setpoint-lower-cased-on-vacation", "ADDR-KEY-LAST", "L3", fleets.FRIDGE_MODES,
    _holds_once(_VACATION, keys.FREEZER_SETPOINT, _lower_cased, after=False),
    "While VacationMode is on, the body of the freezer setpoint shows its key in lower case.")
broken("freezer-answers-for-the-refrigerator", "ADDR-SPECIFIC", "L3", fleets.FRIDGE_MODES,
    _holds_once(_VACATION, keys.SETPOINT, lambda members: {**members, "key": keys.FREEZER_SETPOINT},
        after=False),
    "While VacationMode is on, the body of the refrigerator setpoint says that it is the freezer's.",
    partners={"ADDR-KEY-LAST": "The key of the body is not the one asked for."})
broken("no-bounds-in-fahrenheit", "RANGE-PERAPP-PRESENT", "L3", fleets.FRIDGE_UNITS,
    _holds_once(_FAHRENHEIT, keys.SETPOINT, _constrained("max"), after=False),
    "In °F the setpoint of the refrigerator has no upper bound.")
broken("no-bounds-under-a-lock", "RANGE-PERAPP-PRESENT", "L3", _ASSISTED,
    _holds_once((keys.CHILD_LOCK, True), keys.SETPOINT, _constrained("min", "max"), after=False),
    "While ChildLock is on, the setpoint of the refrigerator has no bounds.")
broken("brightness-in-degrees", "UNIT-PERCENT", "L3", _LIT,
    _holds_once(_FAHRENHEIT, keys.INTERNAL_BRIGHTNESS, lambda members: {**members, "unit": "°F"},
        after=False),
    "In °F the unit of the brightness of the light is °F, too.")
broken("setpoint-in-kelvin-under-a-lock", "UNIT-TEMP-APPLIES", "L3", _LOCKED,
    _holds_once((keys.CHILD_LOCK, True), keys.SETPOINT, lambda members: {**members, "unit": "K"},
        after=False),
    "While ChildLock is on, the unit of the setpoint is K.")
broken("hot-water-in-cups-in-ounces", "UNIT-HOTWATER", "L3", fleets.COUNTING,
    _holds_once(_OUNCES, keys.HOT_WATER, lambda members: {**members, "unit": "cups"}, after=False),
    "In fluid ounces the unit of the counter of hot water is cups.")
broken("dosing-in-ounces-under-a-lock", "UNIT-LIQ-DEFAULT", "L3", fleets.DOSER,
    _holds_once((keys.CHILD_LOCK, True), keys.DOSING_1, lambda members: {**members, "unit": "fl.oz"},
        after=False),
    "While ChildLock is on, the unit of the first dosing level is fl.oz; there is no LiquidVolumeUnit.")
broken("wine-in-fahrenheit-under-a-lock", "UNIT-TEMP-DEFAULT", "L3", _CELLAR,
    _holds_once((keys.CHILD_LOCK, True), keys.WINE_SETPOINT, lambda members: {**members, "unit": "°F"},
        after=False),
    "While ChildLock is on, the unit of the wine compartment is °F; there is no TemperatureUnit.")
broken("bounds-as-text-in-eco-mode", "RANGE-PERAPP-WELLFORMED", "L3", _COOLER,
    _holds_once((keys.ECO_MODE, True), keys.SETPOINT, _constrained(min="2"), after=False),
    "While EcoMode is on, the lower bound of the setpoint is a text.")
broken("alarm-clock-advertises-a-day-after-standby", "RANGE-COMMON-ADVERTISED", "L3", _SLEEPY_OVEN,
    _holds_once(_STANDBY, keys.ALARM_CLOCK, _constrained(max=86400)),
    "Once the oven was in standby, AlarmClock advertises 0 to 86400 seconds.")
broken("mains-off-advertised-in-standby", "ENUM-ADVERTISED", "L3", fleets.ON_AND_STANDBY,
    _holds_once(_STANDBY, keys.POWER_STATE,
        _constrained(allowedvalues=[keys.ON, keys.STANDBY, f"{keys.POWER_FAMILY}.MainsOff"]), after=False),
    "In standby the list of power states holds MainsOff.")
broken("alarm-clock-in-minutes-after-standby", "UNIT-SECONDS", "L3", _SLEEPY_OVEN,
    _holds_once(_STANDBY, keys.ALARM_CLOCK, lambda members: {**members, "unit": "min"}),
    "Once the oven was in standby, the unit of AlarmClock is min.")
