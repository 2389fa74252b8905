"""Servers whose fault shows only when a state is ended that they are found in: a lock, a mode, the dark.

> a set of settings (configurable properties)
> Type of the value
> a set of statuses (read-only states)
> Each setting or status can be read individually with a GET request on its key.

In the state that is found each of them does as the reference does, or a suite has to accept that it does not.
"""

from msgspec.structs import replace

from catalog import keys
from catalog.model import Entry, Segment
from conformance.mutants import fleets
from conformance.mutants.model import broken
from conformance.mutants.shapes.reads import alternates, goes_on, hides, meets, reveals, shows
from conformance.mutants.shapes.side_effects import couples, follows, moves, shares
from conformance.mutants.shapes.states import is_asleep
from conformance.mutants.shapes.writes import decides, drops, is_number, is_text, opens, sticks, takes
from conformance.reference.appliance import Appliance
from conformance.reference.fleets.cooking import COFFEE_MAKER, OVEN
from conformance.reference.fleets.cooling import FRIDGE_CELSIUS
from conformance.reference.service import Service
from conformance.reference.wire import INVALID_STATE, UNSUPPORTED, Json, Members, Refusal, Reply

_LOCKED_OVEN = fleets.OVEN_ALARM.having({keys.CHILD_LOCK: True, keys.DOOR_STATE: keys.CLOSED})
_LOCKED_CUPS = fleets.COFFEE_SETTINGS.having({keys.CHILD_LOCK: True})
_ON_VACATION = fleets.FRIDGE_MODES.having({keys.VACATION_MODE: True})
_RESTING = fleets.FRIDGE_LIGHT.having({keys.FRIDGE_SABBATH: True})
_DARK = fleets.AMBIENT_PRESET.having({keys.AMBIENT_ENABLED: False})
_ASLEEP = OVEN.only(keys.POWER_STATE, keys.CHILD_LOCK, keys.DOOR_STATE).having(
    {keys.POWER_STATE: keys.STANDBY}
)
_RESTING_OVEN = OVEN.only(keys.POWER_STATE, keys.OVEN_SABBATH, keys.DOOR_STATE).having(
    {keys.POWER_STATE: keys.STANDBY}
)
_AWAKE = (keys.POWER_STATE, keys.ON)
_ALWAYS_ASLEEP = replace(_ASLEEP, ha_id="oven-2", read_only=frozenset({keys.POWER_STATE}))
_UNNAMED = fleets.ROBOT_MAPS.having({keys.MAP_NAME_2: ""})
_IN_STANDBY = fleets.ON_AND_STANDBY_AND_LOCK.having(
    {keys.POWER_STATE: keys.STANDBY, keys.OPERATION_STATE: keys.INACTIVE}
)
_OFF_MACHINE = fleets.MACHINE.having({keys.POWER_STATE: keys.OFF, keys.OPERATION_STATE: keys.INACTIVE})

_ASSISTED = FRIDGE_CELSIUS.only(keys.CHILD_LOCK, keys.ASSISTANT_FORCE_FRIDGE, keys.ASSISTANT_FORCE_FREEZER)
_ON_HOLIDAY = FRIDGE_CELSIUS.only(
    keys.VACATION_MODE, keys.SETPOINT, keys.ASSISTANT_FORCE_FRIDGE, keys.ASSISTANT_FORCE_FREEZER
)
_WARM = "Cooking.Hood.EnumType.ColorTemperature.warm"
_DOSER = fleets.DOSER.only(keys.CHILD_LOCK, keys.DOSING_1, keys.DOOR_STATE)
_CUPS = COFFEE_MAKER.only(
    keys.POWER_STATE, keys.TEMPERATURE_UNIT, keys.LIQUID_UNIT, keys.CUP_WARMER, keys.COFFEE_COUNT
)
_RESTLESS = FRIDGE_CELSIUS.only(keys.FRIDGE_SABBATH, keys.SETPOINT, keys.ASSISTANT_FRIDGE)
_CUPS_IN_STANDBY = fleets.COUNTING.having({keys.POWER_STATE: keys.STANDBY})


def _is_no_unit(value: Json) -> bool:
    return isinstance(value, str) and not value.endswith((".FluidOunces", ".MilliLiter"))


def _takes_beside(lock: str) -> type[Service]:
    """While a key is on, a write of the force of one door assistant is refused, and the other takes it."""

    def refused(its: Service, one: Appliance, key: str, value: Json, why: Refusal | None) -> Refusal | None:
        if why is None and key == keys.ASSISTANT_FORCE_FRIDGE and one.values[lock] is True:
            its.change(one, keys.ASSISTANT_FORCE_FREEZER, value)
            return INVALID_STATE
        return why

    return decides(refused)


class LiftedInStandby(Service):
    """In standby a robot answers the opposite of Lifted under the segment settings."""

    def body(self, appliance: Appliance, segment: Segment, entry: Entry, value: Json) -> Members:
        is_wrong = entry.key == keys.LIFTED and segment == "settings" and is_asleep(appliance, entry.key)
        return super().body(appliance, segment, entry, not value if is_wrong else value)


# fmt: off
broken("alarm-dropped-behind-a-lock", "SET-WRITABLE", "L3", _LOCKED_OVEN, drops(keys.ALARM_CLOCK),
    "ChildLock is found on; AlarmClock is acknowledged and dropped, also when it is off.")
broken("setpoint-beyond-its-range-after-vacation", "RANGE-PERAPP-VALUE", "L3", _ON_VACATION,
    couples({(keys.VACATION_MODE, False): {keys.SETPOINT: 12}}),
    "VacationMode is found on; once it ends, the setpoint is 12 in a range of 2 to 8.")
broken("lock-dropped-behind-standby", "SET-WRITABLE", "L3", _IN_STANDBY, drops(keys.CHILD_LOCK),
    "The oven is found in standby; ChildLock is acknowledged and dropped, also when it is on.")
broken("lock-dropped-behind-silence", "SET-WRITABLE", "L3", _OFF_MACHINE,
    (hides(is_asleep), drops(keys.CHILD_LOCK)),
    "The machine is found off and shows its PowerState alone; ChildLock is acknowledged and dropped once it "
    "is on.")
broken("setpoint-dropped-behind-a-mode", "SET-WRITABLE", "L3", _ON_VACATION, drops(keys.SETPOINT),
    "VacationMode is found on; the setpoint is acknowledged and dropped, also when it is off.")
broken("brightness-dropped-behind-the-sabbath", "SET-WRITABLE", "L3", _RESTING,
    drops(keys.INTERNAL_BRIGHTNESS),
    "SabbathMode is found on; the brightness of the light is acknowledged and dropped, also without it.")
broken("any-number-once-the-light-is-on", "RANGE-WRITE-OUT", "L3", _DARK,
    takes(keys.AMBIENT_BRIGHTNESS, lambda value: value == 101, (keys.AMBIENT_ENABLED, True)),
    "The ambient light is found off; once it is on, its brightness takes 101.")
broken("text-stored-under-a-preset", "SET-TYPEGUARD", "L3", fleets.AMBIENT,
    takes(keys.AMBIENT_BRIGHTNESS, is_text, (keys.AMBIENT_COLOR, keys.COLOR_1)),
    "The colour is found at CustomColor; under Color1 a text written to the brightness is stored.")
broken("brightness-of-9-under-custom-color", "RANGE-WRITE-OUT", "L3", fleets.AMBIENT_PRESET,
    takes(keys.AMBIENT_BRIGHTNESS, lambda value: value in {9, 101}, (keys.AMBIENT_COLOR, keys.COLOR_CUSTOM)),
    "The colour is found at a preset; under CustomColor the brightness takes 9 and 101, and no right value.")
broken("percent-of-101-under-a-temperature", "RANGE-WRITE-OUT", "L3", fleets.HOOD_LIGHT,
    takes(keys.COLOR_PERCENT, lambda value: value in {-1, 101}, (keys.COLOR_TEMPERATURE, _WARM)),
    "The colour temperature is found at custom; under warm its percentage takes -1 and 101 alone.")
broken("number-stored-as-color-under-a-preset", "SET-TYPEGUARD", "L3", fleets.AMBIENT,
    takes(keys.CUSTOM_COLOR, is_number, (keys.AMBIENT_COLOR, keys.COLOR_1)),
    "The colour is found at CustomColor; under Color1 a number written as custom colour is stored.")
broken("setpoint-beyond-its-range-in-a-mode", "RANGE-WRITE-OUT", "L3", fleets.FRIDGE_MODES,
    takes(keys.FREEZER_SETPOINT, lambda value: is_number(value) and not -24 <= value <= -16,
        (keys.VACATION_MODE, True)),
    "VacationMode is found off; once it is on, the setpoint of the freezer takes numbers outside its range.")
broken("setpoint-as-text-in-a-mode", "SET-TYPEGUARD", "L3", fleets.FRIDGE_SUPER,
    takes(keys.SETPOINT, is_text, (keys.SUPER_REFRIGERATOR, True)),
    "SuperModeRefrigerator is found off; once it is on, a text written to its setpoint is stored.")
broken("brightness-of-101-once-dark", "RANGE-WRITE-OUT", "L3", fleets.FRIDGE_LIGHT,
    takes(keys.INTERNAL_BRIGHTNESS, lambda value: value == 101, (keys.INTERNAL_LIGHT, False)),
    "The light is found on; once it is off, its brightness takes 101.")
broken("unit-of-no-name-once-asleep", "SET-ENUMGUARD", "L3", fleets.COUNTING,
    takes(keys.LIQUID_UNIT, _is_no_unit, (keys.POWER_STATE, keys.STANDBY)),
    "The coffee maker is found on; in standby its unit takes a word that it does not have.")
broken("taken-beside-under-a-lock", "SET-ONLY-TARGET", "L3", _ASSISTED, _takes_beside(keys.CHILD_LOCK),
    "While ChildLock is on, a write of the force of one door assistant is refused, and the other takes it.")
broken("taken-beside-in-vacation", "SET-ONLY-TARGET", "L3", _ON_HOLIDAY, _takes_beside(keys.VACATION_MODE),
    "While VacationMode is on, a write of the force of one assistant is refused, and the other takes it.")
broken("cups-follow-the-lock", "SET-ONLY-TARGET", "L3", _LOCKED_CUPS, moves(keys.CHILD_LOCK, keys.CUP_WARMER),
    "ChildLock is found on; whoever lifts it switches CupWarmer off, and on with it again.")
broken("dose-beyond-its-range-once-unlocked", "RANGE-PERAPP-VALUE", "L3", _DOSER,
    couples({(keys.CHILD_LOCK, False): {keys.DOSING_1: 300}}),
    "Once ChildLock was switched off, Dosing1BaseLevel is 300 in a range of 5 to 200.")
broken("setpoint-below-its-range-sticks", "RANGE-WRITE-OUT", "L3", _ON_VACATION,
    sticks(keys.SETPOINT, lambda value: repr(value) == "1", (keys.VACATION_MODE, True)),
    "VacationMode is found on; the setpoint takes 1, below its range of 2 to 8, and nothing after that.")
broken("brightness-of-101-sticks", "RANGE-WRITE-OUT", "L3", _RESTING,
    sticks(keys.INTERNAL_BRIGHTNESS, lambda value: value == 101, (keys.FRIDGE_SABBATH, True)),
    "SabbathMode is found on; the brightness of the light takes 101, and nothing after that.")
broken("brightness-of-9-sticks-in-the-dark", "RANGE-WRITE-OUT", "L3", _DARK,
    sticks(keys.AMBIENT_BRIGHTNESS, lambda value: value == 9, (keys.AMBIENT_ENABLED, False)),
    "The ambient light is found off; its brightness takes 9, and nothing after that.")
broken("unit-of-no-name-sticks", "SET-ENUMGUARD", "L3", _CUPS_IN_STANDBY,
    sticks(keys.LIQUID_UNIT, _is_no_unit, (keys.POWER_STATE, keys.STANDBY)),
    "The coffee maker is found in standby; its unit takes a word that it does not have, and nothing after "
    "that.")
broken("door-follows-once-unlocked", "STA-READONLY", "L3", _LOCKED_OVEN,
    opens(keys.DOOR_STATE, while_shown=(keys.CHILD_LOCK, False)),
    "ChildLock is found on; once it is off, a write of DoorState opens and closes the door.")
broken("lock-silent-once-on", "READ-SETTING", "L3", _ASLEEP,
    hides(lambda appliance, key: key == keys.CHILD_LOCK or is_asleep(appliance, key)),
    "The oven is found in standby and shows its PowerState alone; once it is on, ChildLock is still refused.")
broken("lock-refused-in-turn-once-on", "READ-REPEAT", "L3", _ASLEEP,
    (hides(is_asleep), alternates(keys.CHILD_LOCK, UNSUPPORTED["settings"])),
    "The oven is found in standby and shows its PowerState alone; once it is on, every second GET of "
    "ChildLock is refused.")
broken("lock-flips-once-on", "READ-SAFE", "L3", _ASLEEP,
    (hides(is_asleep), goes_on(keys.CHILD_LOCK, lambda value: not value)),
    "The oven is found in standby and shows its PowerState alone; once it is on, each GET of ChildLock "
    "flips it.")
broken("door-ajar-once-on", "ENUM-DOORSTATE", "L3", _ASLEEP,
    reveals(keys.DOOR_STATE, _AWAKE, f"{keys.CLOSED}Ajar"),
    "The oven is found in standby and does not show its door; once it is on, that is ClosedAjar.")
broken("lock-as-text-once-on", "TYPE-BOOLEAN", "L3", _ASLEEP, reveals(keys.CHILD_LOCK, _AWAKE, "false"),
    "The oven is found in standby and does not show ChildLock; once it is on, that is a text.")
broken("brightness-over-100-under-a-preset", "RANGE-AMBBRIGHT", "L3", fleets.AMBIENT,
    reveals(keys.AMBIENT_BRIGHTNESS, (keys.AMBIENT_COLOR, keys.COLOR_1), 104),
    "At CustomColor, as it is found, the brightness is not shown; at Color1 it is shown as 104.")
broken("door-follows-once-on", "STA-READONLY", "L3", _ASLEEP,
    (hides(is_asleep), opens(keys.DOOR_STATE)),
    "The oven is found in standby and does not show its door; once it is on, a write of DoorState opens "
    "and closes it.")
broken("text-stored-in-standby", "SET-TYPEGUARD", "L3", (fleets.OVEN_ALARM, _ALWAYS_ASLEEP),
    takes(keys.CHILD_LOCK, is_text, (keys.POWER_STATE, keys.STANDBY)),
    "One of two ovens is in standby, where nobody can end it; a text written to its ChildLock is stored.")
broken("number-stored-as-no-name", "SET-TYPEGUARD", "L3", _UNNAMED,
    takes(keys.MAP_NAME_2, lambda value: not isinstance(value, str)),
    "Map 2 has no name and is not stored; a number written to NameOfMap2 is.")
broken("door-ajar-in-standby", "ENUM-DOORSTATE", "L3", fleets.ON_AND_STANDBY_AND_LOCK,
    shows(lambda _: f"{keys.CLOSED}Ajar", keys.DOOR_STATE, state=(keys.POWER_STATE, keys.STANDBY)),
    "In standby, and only there, the door is ClosedAjar.")
broken("count-as-text-in-standby", "TYPE-INTEGER", "L3", fleets.ON_AND_STANDBY,
    shows(str, keys.COFFEE_COUNT, state=(keys.POWER_STATE, keys.STANDBY)),
    "In standby, and only there, a counter is a text.")
broken("door-ajar-under-a-lock", "ENUM-DOORSTATE", "L3", fleets.OVEN_ALARM,
    shows(lambda _: f"{keys.CLOSED}Ajar", keys.DOOR_STATE, state=(keys.CHILD_LOCK, True)),
    "While ChildLock is on, the door is ClosedAjar.")
broken("freezer-locked-on-vacation", "ENUM-DOOR-COOLING", "L3", fleets.FRIDGE_MODES,
    shows(lambda _: keys.LOCKED, keys.FREEZER_DOOR, state=(keys.VACATION_MODE, True)),
    "While VacationMode is on, the door of the freezer is Locked, which only DoorState can be.")
broken("lifted-reversed-in-standby", "PATH-AGREE", "L3", fleets.ROBOT_TWOFOLD, LiftedInStandby,
    "In standby, and only there, Lifted is reversed under settings, and right under status.")
broken("no-volume-in-standby", "ENUM-LIQUIDUNIT", "L3", _CUPS,
    shows(lambda _: "", keys.LIQUID_UNIT, state=(keys.POWER_STATE, keys.STANDBY)),
    "In standby, and only there, the unit of volumes is an empty text.")
broken("setpoint-refused-in-the-sabbath", "READ-SETTING", "L3", _RESTLESS,
    hides(lambda its, key: key == keys.SETPOINT and its.values[keys.FRIDGE_SABBATH] is True),
    "While SabbathMode is on, and only then, the setpoint is refused.")
broken("door-refused-on-vacation", "READ-STATUS", "L3", fleets.FRIDGE_MODES,
    hides(lambda its, key: key == keys.FREEZER_DOOR and its.values[keys.VACATION_MODE] is True),
    "While VacationMode is on, and only then, the door of the freezer is refused.")
broken("alarm-garbled-in-standby", "READ-VALUE", "L3", fleets.TIMED_OVEN,
    meets(lambda its, key: key == keys.ALARM_CLOCK and is_asleep(its, key), Reply(200, b'{"data": {"value"')),
    "In standby, and only there, the body of AlarmClock ends after its first bytes.",
    partners={"READ-SETTING": "An entry whose body does not parse cannot be read either."})
broken("lock-refused-in-other-units", "READ-SETTING", "L3", fleets.FRIDGE,
    hides(lambda its, key: key == keys.CHILD_LOCK and its.values[keys.TEMPERATURE_UNIT] != keys.CELSIUS),
    "In °F ChildLock is refused.")
broken("door-ajar-late-under-a-lock", "ENUM-DOORSTATE", "L3", fleets.OVEN_ALARM,
    follows(keys.CHILD_LOCK, lambda its, one, value: its.change(
        one, keys.DOOR_STATE, f"{keys.CLOSED}Ajar" if value is True else keys.CLOSED), after_s=0.015),
    "A moment after ChildLock was switched on, and as long as it is on, the door is ClosedAjar.")
broken("one-power-behind-silence", "ADDR-HAID-ISOLATION", "L4",
    (_RESTING_OVEN, replace(_RESTING_OVEN, ha_id="oven-2")), (hides(is_asleep), shares(keys.POWER_STATE)),
    "Two ovens are found in standby, where they show their PowerState alone; it is one for both.")
