"""Servers whose settings do not take what is written to them, or more than one setting takes it.

> a set of settings (configurable properties)
> The service exposes, per home appliance, a set of settings (configurable properties) and a set of statuses
> (read-only states).

Of some an earlier write of a run may hide the fault, and some make it hard to put back: a run finds them only
if it orders its writes with care, and brings back what can be brought back.
"""

from msgspec.structs import replace

from catalog import keys
from conformance.mutants import fleets
from conformance.mutants.model import broken
from conformance.mutants.shapes.reads import lists, shows_as
from conformance.mutants.shapes.side_effects import couples, follows, mirrors, moves, saves, shares, spreads
from conformance.mutants.shapes.writes import (
    drops,
    drops_where,
    is_number,
    opens,
    refuses,
    refuses_where,
    stores,
    unlocks,
)
from conformance.reference.appliance import Appliance, OwnRange
from conformance.reference.fleets.cleaning import DISHWASHER
from conformance.reference.fleets.cooking import COFFEE_MAKER
from conformance.reference.fleets.cooling import FRIDGE_CELSIUS, WINE_CABINET
from conformance.reference.service import Service
from conformance.reference.wire import INVALID_VALUE, Json, Refusal

_BROKEN = Refusal(500, "500", "Something went wrong")
_ASSISTED = FRIDGE_CELSIUS.only(keys.ASSISTANT_FORCE_FRIDGE, keys.ASSISTANT_TIMEOUT_FRIDGE, keys.FREEZER_DOOR)
_OVEN = fleets.TIMED_OVEN.only(keys.CHILD_LOCK, keys.ALARM_CLOCK, keys.DOOR_STATE)
_ONE_SETPOINT = fleets.FRIDGE_UNITS.only(keys.SETPOINT, keys.FREEZER_DOOR)
_DOSER = fleets.DOSER.only(keys.DOSING_1, keys.DOSING_2, keys.DOOR_STATE)
# Equal ranges: what one key takes the other may have, so that nothing but the sharing is wrong.
_CELLAR = replace(
    WINE_CABINET.only(keys.WINE_SETPOINT, keys.WINE_SETPOINT_2, keys.WINE_DOOR).having(
        {keys.WINE_SETPOINT: 12, keys.WINE_SETPOINT_2: 12}
    ),
    ranges=dict.fromkeys((keys.WINE_SETPOINT, keys.WINE_SETPOINT_2), OwnRange(5, 20, 1, "°C")),
)
_EQUAL_DOSER = replace(
    _DOSER, ranges=dict.fromkeys((keys.DOSING_1, keys.DOSING_2), OwnRange(5, 200, 1, "ml"))
)


def _seen_once(its: Service, appliance: Appliance, key: str, shown: Json) -> Json:
    if key == keys.CHILD_LOCK and shown != (known := appliance.kept.setdefault(key, shown)):
        its.change(appliance, key, known)
    return shown


def _cuts_the_other(its: Service, appliance: Appliance, value: Json) -> None:
    if value == 5:
        its.change(appliance, keys.DOSING_2, 10)


_LOCKED_DISHES = DISHWASHER.only(keys.CHILD_LOCK, keys.DOOR_STATE)
_ASSISTANTS = FRIDGE_CELSIUS.only(keys.ASSISTANT_FRIDGE, keys.ASSISTANT_FREEZER)
_REMOTE = COFFEE_MAKER.only(keys.REMOTE_START, keys.POWER_STATE)
_ROBOT = fleets.ROBOT_TWOFOLD.only(keys.BATTERY_LEVEL, keys.POWER_STATE)
_TWO = (fleets.MACHINE, fleets.TIMED_OVEN)
_COLD_CUPS = COFFEE_MAKER.only(keys.CUP_WARMER, keys.LIQUID_UNIT, keys.COFFEE_COUNT).having(
    {keys.CUP_WARMER: False}
)
_LOCK = (fleets.MACHINE.ha_id, keys.CHILD_LOCK)


class RollsBackOnceConfirmed(Service):
    left = -1

    def value(self, appliance: Appliance, key: str) -> Json:
        now = super().value(appliance, key)
        if key != keys.CUP_WARMER:
            return now
        if now is False and not self.left:
            self.change(appliance, key, value=True)
            now = True
        self.left = 2 if now is True else self.left - 1
        return now


class UnlockedLate(Service):
    left = 0

    def value(self, appliance: Appliance, key: str) -> Json:
        now = super().value(appliance, key)
        if (appliance.ha_id, key) != _LOCK:
            return now
        shown = now is True or self.left > 0
        self.left = 20 if now is True else max(0, self.left - 1)
        return shown


def _refuses_unlock(times: int) -> type[Service]:
    """Each time the lock was switched on, it refuses so many times to be switched off."""

    def refused(its: Appliance, key: str, value: Json) -> bool:
        if (its.ha_id, key) != _LOCK:
            return False
        if value is True:
            its.kept["refused"] = 0
        return value is False and its.values[key] is True and its.nth("refused") <= times

    return refuses_where(refused)


# fmt: off
broken("one-store-for-all", "ADDR-HAID-ISOLATION", "L4",
    (fleets.COFFEE_SETTINGS.only(keys.CHILD_LOCK, keys.CUP_WARMER), _OVEN), shares(),
    "All appliances share one store: a ChildLock written to one is that of the other, both ways.")
broken("second-oven-follows", "ADDR-HAID-ISOLATION", "L4", (_OVEN, replace(_OVEN, ha_id="oven-2")),
    spreads(lambda _its, other, _: other.ha_id == "oven-2"),
    "What is written to the first of two ovens is written to the second, and not the other way round.")
broken("dishwashers-follow-ovens", "ADDR-HAID-ISOLATION", "L4",
    (_OVEN, replace(_OVEN, ha_id="oven-2"), _LOCKED_DISHES, replace(_LOCKED_DISHES, ha_id="dishwasher-2")),
    spreads(lambda its, other, key: (its.kind, other.kind, key) == ("Oven", "Dishwasher", keys.CHILD_LOCK)),
    "The ChildLock of either oven is written to both dishwashers as well, and not the other way round.")
broken("one-setpoint-a-household", "ADDR-HAID-ISOLATION", "L4",
    (_ONE_SETPOINT, replace(_ONE_SETPOINT, ha_id="fridge-3")), shares(),
    "Two refrigerators have one setpoint between them.")
broken("one-vacation-a-household", "ADDR-HAID-ISOLATION", "L4",
    (fleets.FRIDGE_MODES, replace(fleets.FRIDGE_MODES, ha_id="fridge-3")),
    shares(keys.VACATION_MODE, keys.FRESH_MODE),
    "Two refrigerators are in VacationMode and FreshMode together, and have setpoints of their own.")
broken("acknowledged-and-dropped", "SET-WRITABLE", "L3", fleets.COFFEE_SETTINGS,
    drops_where(lambda _its, _key, _value: True),
    "Every write is acknowledged and dropped.")
broken("seen-once", "SET-WRITABLE", "L3", fleets.COFFEE_SETTINGS, shows_as(_seen_once),
    "A written ChildLock can be read once, and then the old one is back.")
broken("map-name-kept", "SET-WRITABLE", "L3", fleets.ROBOT_MAPS, drops(keys.MAP_NAME_1),
    "The name of a map is acknowledged, and the map keeps its old one.")
broken("unit-for-life", "SET-WRITABLE", "L3",
    fleets.FRIDGE_UNITS.only(keys.TEMPERATURE_UNIT).having({keys.CHILD_LOCK: False}),
    drops(keys.TEMPERATURE_UNIT), "TemperatureUnit is acknowledged and stays what it was.")
broken("cup-warmer-refused", "SET-WRITABLE", "L3", fleets.COFFEE_SETTINGS, refuses(keys.CUP_WARMER),
    "CupWarmer is refused although it is declared writable and nothing forbids it.")
broken("liquid-unit-breaks", "SET-WRITABLE", "L3", fleets.COFFEE_SETTINGS,
    refuses_where(lambda _, key, _value: key == keys.LIQUID_UNIT, _BROKEN),
    "A write of LiquidVolumeUnit is answered with 500 every time, all else is well.")
broken("cup-warmer-never-off", "SET-WRITABLE", "L3", fleets.COFFEE_SETTINGS, drops(keys.CUP_WARMER, False),
    "CupWarmer can be switched on and not off.")
broken("cup-warmer-never-off-again", "SET-WRITABLE", "L3",
    fleets.COFFEE_SETTINGS.having({keys.CUP_WARMER: False}), drops(keys.CUP_WARMER, False),
    "CupWarmer is found off; it can be switched on and never off again.")
broken("light-never-on-again", "SET-WRITABLE", "L3",
    fleets.HOOD_LIGHT.only(keys.LIGHTING, keys.OPERATION_STATE), drops(keys.LIGHTING, True),
    "The light of a hood can be switched off and not on again.")
broken("force-takes-what-it-has", "SET-WRITABLE", "L3", _ASSISTED,
    refuses_where(lambda its, key, value: (
        key == keys.ASSISTANT_FORCE_FRIDGE and value != its.values[key]), INVALID_VALUE),
    "The force of the door assistant takes the value it has, and refuses every other one.")
broken("setpoint-never-lower", "SET-WRITABLE", "L3", fleets.FRIDGE_UNITS,
    drops_where(lambda its, key, value: (
        key == keys.SETPOINT and is_number(value) and is_number(old := its.values[key]) and value < old)),
    "A setpoint that is lower than the present one is acknowledged and dropped.")
broken("lock-reversed", "SET-WRITABLE", "L3", fleets.COFFEE_SETTINGS,
    stores(lambda kept: not kept, keys.CHILD_LOCK), "A write of ChildLock stores the opposite.")
broken("map-names-shared", "SET-ONLY-TARGET", "L3", fleets.ROBOT_MAPS,
    mirrors(keys.MAP_NAME_1, keys.MAP_NAME_2), "NameOfMap1 and NameOfMap2 share one name.")
broken("wine-compartments-shared", "SET-ONLY-TARGET", "L3", _CELLAR,
    mirrors(keys.WINE_SETPOINT, keys.WINE_SETPOINT_2),
    "The setpoint of the middle wine compartment reads and writes that of the top one.")
broken("map-names-saved-together", "SET-ONLY-TARGET", "L3", fleets.ROBOT_MAPS,
    saves(keys.MAP_NAME_1, keys.MAP_NAME_2),
    "A map that is named gives the other one the name back that it had when the server started.")
broken("doses-saved-together", "SET-ONLY-TARGET", "L3", _DOSER, saves(keys.DOSING_1, keys.DOSING_2),
    "A write of one dosing level writes the other one, too, as it was when the server started.")
broken("dose-keeps-below-the-other", "SET-ONLY-TARGET", "L3", _DOSER,
    follows(keys.DOSING_1, _cuts_the_other),
    "Dosing2BaseLevel is cut down to 10 when Dosing1BaseLevel becomes 5, and stays there.")
broken("dosing-follows", "SET-ONLY-TARGET", "L3", _EQUAL_DOSER,
    moves(keys.DOSING_1, keys.DOSING_2),
    "A write of Dosing1BaseLevel writes Dosing2BaseLevel as well, and not the other way round.")
broken("locked-cups-cool", "SET-ONLY-TARGET", "L3", fleets.COFFEE_SETTINGS,
    moves(keys.CHILD_LOCK, keys.CUP_WARMER, lambda value: value is False),
    "ChildLock switches CupWarmer off, and on again when it is lifted.")
broken("freezer-assistant-follows", "SET-ONLY-TARGET", "L3", _ASSISTANTS,
    moves(keys.ASSISTANT_FRIDGE, keys.ASSISTANT_FREEZER),
    "The door assistant of the freezer takes over what is written to that of the refrigerator.")
broken("brightness-found-unlocked", "AMB-BRIGHTNESS-LOCKED", "L3", fleets.AMBIENT_PRESET,
    unlocks(keys.AMBIENT_BRIGHTNESS),
    "The brightness of an ambient light that is found at a preset colour can be set under CustomColor.")
broken("fresh-leaves-the-freezer-warm", "COOL-FRESH-FREEZER", "L3", fleets.FRIDGE_MODES,
    couples({(keys.FRESH_MODE, True): {keys.FREEZER_SETPOINT: -16}}),
    "FreshMode raises the setpoint of the freezer, and leaves it there when it ends.")
broken("off-unlisted-and-refused", "PWR-ON-OFF", "L3", fleets.ON_AND_OFF, lists(keys.POWER_STATE, keys.ON),
    "Off is declared, missing from the list of the answer, and refused.")
broken("remote-start-written-as-a-setting", "STA-RCSA-DISABLE-ONLY", "L3", _REMOTE,
    opens(keys.REMOTE_START, "settings"),
    "RemoteControlStartAllowed takes what is written to it under settings.")
broken("battery-written-as-a-setting", "STA-READONLY", "L3", _ROBOT, opens(keys.BATTERY_LEVEL, "settings"),
    "BatteryLevel takes what is written to it under settings, and not under status.")
broken("on-refused-once-left", "PWR-STANDBY-ON", "L3", _TWO,
    refuses_where(lambda its, _key, value: (
        its.ha_id == fleets.MACHINE.ha_id and value == keys.ON != its.values[keys.POWER_STATE])),
    "Once the machine has left On it never takes On again.")
broken("child-lock-off-late", "SET-WRITABLE", "L3", _TWO, UnlockedLate,
    "ChildLock shows that it is off after twenty reads: later than a run that writes it waits for.")
broken("cups-off-rolled-back-once-confirmed", "SET-WRITABLE", "L3", _COLD_CUPS,
    RollsBackOnceConfirmed,
    "CupWarmer that was switched off is off in two reads, and on again from the third one on.")
broken("child-lock-off-refused-three-times", "SET-WRITABLE", "L3", _TWO, _refuses_unlock(3),
    "Each time ChildLock was switched on, it refuses three times to be switched off.")
broken("child-lock-off-refused-four-times", "SET-WRITABLE", "L3", _TWO, _refuses_unlock(4),
    "Each time ChildLock was switched on, it refuses four times to be switched off.")
