"""What must have no effect: a forbidden value on its setting, a cooling mode on what it must leave alone."""

from typing import Any

from msgspec.structs import replace

from catalog.keys import (
    ECO_MODE,
    FREEZER_SETPOINT,
    FRESH_MODE,
    OFF,
    POWER_STATE,
    SETPOINT,
    SUPER_MODES,
    VACATION_MODE,
)
from catalog.keys import TEMPERATURE_UNIT as UNIT
from conformance.checks.groups import COOLING_ORDERS, edge_group, guard_group, mode_group, setting_group
from conformance.selftest.support.handmade import UNKNOWN, refusal, value
from conformance.selftest.support.handtraced import (
    LOCK,
    LOCKS,
    SILENT,
    Steps,
    Story,
    attempt,
    procedure,
    read,
    restore,
    twice,
    working,
    write,
)

SUPER, SUPER_FREEZER = SUPER_MODES
CELSIUS, FAHRENHEIT, NONCE = (
    f"Vendor.Common.EnumType.TemperatureUnit.{name}" for name in ("Celsius", "Fahrenheit", "NonceAbc")
)
JUDGED = {"freshmode_setpoint": True}


def points(refrigerator: object, freezer: object, *, times: int = 2, **members: Any) -> Steps:
    """Both setpoints, read so often."""
    return [read(SETPOINT, refrigerator, **members), read(FREEZER_SETPOINT, freezer, **members)] * times


def cycle(
    mode: str, during: tuple[object, object], after: tuple[object, object] = (4, -18), *, took: Any = True
) -> Steps:
    """The mode is switched on and off, with both setpoints read while it is on and afterwards."""
    return [
        *attempt(mode, True, took, took),
        *points(*during),
        *attempt(mode, False, False, False),
        *points(*after, times=1),
    ]


def found_modes(mode: str, *others: str, unit: object = None) -> Steps:
    """The mode is off, the other modes named are on, and both setpoints are still."""
    units: Steps = [read(UNIT, unit)] if unit else []
    return [read(mode, False), *(read(other, True) for other in others), *units, *points(4, -18)]


STILL, FRESHLY, AWAY = found_modes(SUPER), found_modes(FRESH_MODE), found_modes(VACATION_MODE)
ON, SUPER_ON, ENDED = (
    attempt(SUPER, True, True),
    attempt(SUPER, True, True, True),
    attempt(SUPER, True, True, False),
)
# While the mode is on, another one of the same rule is switched on and off, and that moves a setpoint.
WITH_THE_OTHER: Steps = [
    *ON,
    *points(4, -18),
    *attempt(SUPER_FREEZER, True, True),
    read(SUPER, True),
    *points(4, -24),
    *attempt(SUPER_FREEZER, False, False),
    read(SUPER, True),
    *points(4, -18),
    restore(SUPER, False),
    read(SUPER, False),
    *points(4, -18),
]


MEANWHILE = [*AWAY, *attempt(VACATION_MODE, True, True), *points(4, -18)]


def within(mode: str) -> Steps:
    """Another mode is switched on and off while VacationMode is on, and moves the freezer setpoint."""
    on = [*attempt(mode, True, True), read(VACATION_MODE, True), *points(4, -24)]
    return [*on, *attempt(mode, False, False), *points(4, -18)]


# What a tour showed and was made twice counts like a cycle of the mode.
ONCE: Steps = [
    *found_modes(FRESH_MODE, SUPER_FREEZER),
    *attempt(FRESH_MODE, True, True),
    *points(2, -16),
    restore(FRESH_MODE, False),
]


# What is written that no setting may take.
NAME = "ConsumerProducts.CleaningRobot.Setting.NameOfMap1"
LOCAL, REMOTE = "Vendor.Common.Status.LocalControlActive", "Vendor.Common.Status.RemoteControlActive"
OPERATION, RUN = "Vendor.Common.Status.OperationState", "Vendor.Common.EnumType.OperationState.Run"
ENABLED, BRIGHTNESS = (f"Vendor.Common.Setting.AmbientLight{name}" for name in ("Enabled", "Brightness"))
RANGE: dict[str, Any] = {"min": 2, "max": 8}


COUNTS = working(UNIT, CELSIUS, FAHRENHEIT)
IN_VAIN = tuple(procedure(setting_group(LOCK), read(LOCK, False), attempt(LOCK, True, False, status=404)))
AS_FOUND = procedure(
    replace(guard_group(LOCK), as_found=True),
    *(read(REMOTE, True), read(LOCK, False), twice(LOCK, "yes", "yes"), read(REMOTE, False)),
)
ACTS_LATER = tuple(procedure(replace(guard_group(LOCK), alone=True), read(LOCAL, True)))
DARK: Steps = [read(ENABLED, False), read(BRIGHTNESS, 50)]


def disturbed(shown: object, *, later: bool) -> Story:
    """Somebody came after what was written as found, and what was written later."""
    as_found = replace(guard_group(LOCK), as_found=True)
    made = procedure(as_found, read(LOCK, False), attempt(LOCK, "yes", shown), read(LOCAL, True))
    return Story(
        read(LOCK, False), attempt(LOCK, 1, False), read(LOCAL, later), shared=(*LOCKS, *made), key=LOCK
    )


DRAWN = procedure(edge_group(NAME), read(NAME, "Attic"), attempt(NAME, "é", ""))


# fmt: off
ROWS = {
    # A value that violates the type and is read after two such writes convicts; coercion does not.
    ("SET-TYPEGUARD", guard_group): {
        "it is ignored": ("pass (4) ~98c",
            Story(read(LOCK, False), attempt(LOCK, "yes", False), shared=LOCKS)),
        # What keeps every value out shows nothing of this one.
        "it is stored, and nothing else": ('fail 7 "yes" ChildLock 204 "yes" ~0cb',
            Story(read(LOCK, False), twice(LOCK, "yes", "yes", "yes"), shared=IN_VAIN)),
        # Somebody acted beside both procedures: what was done beside the write that contradicts is told.
        "it is stored while somebody acts": ('inconclusive 10 "yes" ChildLock 204 "yes" ~fa0',
            Story(read(LOCAL, False), read(LOCK, False), attempt(LOCK, "yes", False), read(LOCAL, True),
                says="meanwhile RemoteControlActive changed", shared=(*LOCKS, *AS_FOUND))),
        "somebody acts when it is to be made again": (
            'inconclusive 6 "yes" ChildLock 204 "yes" LocalControlActive ~477',
            Story(read(LOCK, False), twice(LOCK, "yes", "yes"), shared=ACTS_LATER)),
        "it is ignored twice in a row": ("pass (4) ~db2",
            Story(read(LOCK, False), write(LOCK, "yes"), attempt(LOCK, 1, False), shared=LOCKS)),
        "one of two in a row is stored": ('fail 8 "yes" ChildLock 204 "yes" 1 ~361',
            Story(read(LOCK, False), write(LOCK, "yes"), attempt(LOCK, 1, "yes"), shared=LOCKS)),
        "one of two is never read": ('pass (4) 1 2 "yes" ChildLock 204 ~ae8',
            Story(read(LOCK, False), attempt(LOCK, 1, False), write(LOCK, "yes"), shared=LOCKS)),
        "no text is declared": ("not_judged (3) appliance.samples.map_name ~e64",
            Story(read(NAME, "Attic"), attempt(NAME, 7, "Attic"))),
        "it is read-only": ('not_applicable 2 ChildLock "read" ~ebb',
            Story(read(LOCK, False, access=["read"]), attempt(LOCK, "yes", False), shared=(value(LOCK, False,
                access=["read"]),))),
        "it was wrong before": ('inconclusive 1 "no" ~b00',
            Story(read(LOCK, "no"), twice(LOCK, "yes", "yes"))),
        "it was not read before": ("inconclusive (4) ~b15", Story(twice(LOCK, "yes", "yes"))),
        "nothing was written": ("inconclusive (3) ~0e3", Story(read(LOCK, False), attempt(LOCK, True, True))),
        "nothing was written without remote control": ("inconclusive (2) X6 RemoteControlActive false ~d2d",
            Story(read(REMOTE, False), read(LOCK, False))),
        "nothing was written, it is read-only": ('not_applicable 1 ChildLock "read" ~10f',
            Story(read(LOCK, False, access=["read"]))),
        "it was silent before": ("inconclusive (1) 409 ~9f7",
            Story(read(LOCK, SILENT), twice(LOCK, "yes", "yes"), shared=(value(LOCK, False),))),
        "it could not be put back": ("inconclusive 1 9 2 8 ~a13", Story(read(SETPOINT, 9, **RANGE))),
        "it could not be put back, and is written": ("inconclusive 1 9 2 8 ~ec7",
            Story(read(SETPOINT, 9, **RANGE), twice(SETPOINT, "6", 9, **RANGE))),
        # A state may keep a value out; it excuses nothing that is stored, but where others may have done so.
        "it is kept out while the light is off": ('inconclusive 6 X8 "50" AmbientLightBrightness 204 50 ~c97',
            Story(DARK, twice(BRIGHTNESS, "50", 50))),
        "it is stored without remote control": ('inconclusive 6 X6 "yes" ChildLock 204 "yes" ~fdf',
            Story(read(REMOTE, False), read(LOCK, False), twice(LOCK, "yes", "yes"))),
        "it is stored while a program runs": (
            'inconclusive 6 X10 "yes" ChildLock 204 "yes" OperationState ~467',
            Story(read(OPERATION, RUN), read(LOCK, False), twice(LOCK, "yes", "yes"))),
        "not served": ("not_applicable 2 404 ~8a1",
            Story(read(LOCK, SILENT), shared=(UNKNOWN, refusal(LOCK)))),
        # What was written before somebody came, or after that, counts; what contradicts meanwhile is a doubt.
        "somebody came, and it was ignored": ("pass (4) ~db9", disturbed(False, later=False)),
        "somebody is there": ('inconclusive 7 "yes" ChildLock 204 false LocalControlActive ~c00',
            disturbed(False, later=True)),
        "somebody came, and it was stored": (
            'inconclusive 7 "yes" ChildLock 204 "yes" LocalControlActive ~8fe',
            disturbed("yes", later=False)),
        # Where no text is declared, that is what is missing, whatever became of a generated one.
        "a generated text is no allowed one": ("not_judged (3) appliance.samples.map_name ~f55",
            Story(read(NAME, "Attic"), attempt(NAME, 7, "Attic"), shared=(*DRAWN,))),
    },
    # A value the enumeration does not have convicts when it reads back.
    ("SET-ENUMGUARD", guard_group): {
        "it is refused": ("pass (4) ~ead",
            Story(read(UNIT, CELSIUS), attempt(UNIT, NONCE, CELSIUS, status=400), shared=COUNTS)),
        "it is the only value": ("not_applicable (2) TemperatureUnit ~499",
            Story(read(UNIT, CELSIUS), attempt(UNIT, NONCE, CELSIUS, status=400), shared=(value(UNIT,
                CELSIUS), *procedure(setting_group(UNIT), read(UNIT, CELSIUS))),
                appliance={"enum_subset": {UNIT: ["Celsius"]}})),
        "it is stored": ('fail 3 "…TemperatureUnit.NonceAbc" TemperatureUnit 204 ~edd',
            Story(read(UNIT, CELSIUS), twice(UNIT, NONCE, NONCE))),
        "it was none of its values before": ('inconclusive 1 "…TemperatureUnit.NonceAbc" ~ac8',
            Story(read(UNIT, NONCE), twice(UNIT, NONCE, NONCE))),
        "no enumeration": ("inconclusive (5) ~993", Story(read(LOCK, False), twice(LOCK, "yes", "yes"))),
    },
    # A setpoint that differs twice while the mode is on convicts; modes, units and people excuse it.
    ("COOL-SUPER-FRIDGE", mode_group, SUPER): {
        "they stay": ("pass (17) ~6cf", Story(STILL, cycle(SUPER, (4, -18)))),
        "the other one moves": ("fail 12 true SuperModeRefrigerator 204 ~db5",
            Story(STILL, cycle(SUPER, (4, -20)), cycle(SUPER, (4, -20)))),
        "one differs afterwards": ("inconclusive 17 SetpointTemperatureFreezer -18 -20 ~7a9",
            Story(STILL, cycle(SUPER, (4, -18), (4, -20)))),
        "one moved before": ("inconclusive 5 SetpointTemperatureFreezer ~fe2",
            Story(read(SUPER, False), points(4, -18, times=1), points(4, -17, times=1), cycle(SUPER, (4,
                -20)) * 2)),
        "the unit changes": ("inconclusive 12 true SuperModeRefrigerator 204 ~049",
            Story(found_modes(SUPER, unit=CELSIUS), SUPER_ON, points(39, 0), read(UNIT,
                FAHRENHEIT))),
        "the mode ends before the reading": ("inconclusive 12 true SuperModeRefrigerator 204 ~618",
            Story(STILL, ENDED, points(4, -20))),
        "the mode ends, and nothing moves": ("pass (12) ~fb9", Story(STILL, ENDED, points(4, -18))),
        "the mode does not begin, off": ("inconclusive 9 X4 true SuperModeRefrigerator 204 PowerState ~8d2",
            Story(read(POWER_STATE, OFF), STILL, cycle(SUPER, (4, -18), took=False))),
        "the mode does not begin": ("inconclusive 8 true SuperModeRefrigerator 204 ~840",
            Story(STILL, cycle(SUPER, (4, -18), took=False))),
        "another unit": ("inconclusive 11 true SuperModeRefrigerator 204 ~98e",
            Story(STILL, SUPER_ON, points(39, 0, unit="°F"))),
        "one is silent then": ("inconclusive 12 true SuperModeRefrigerator 204 ~4b4",
            Story(STILL, SUPER_ON, points(4, SILENT))),
        "neither can be read then": ("inconclusive 8 true SuperModeRefrigerator 204 ~994",
            Story(STILL, SUPER_ON, points(SILENT, SILENT))),
        "one is of another type then": ("pass (12) ~fb9", Story(STILL, SUPER_ON, points(4, "-18"))),
        "another mode is on then": ("inconclusive 8 X9 true SuperModeRefrigerator 204 EcoMode ~415",
            Story(STILL, SUPER_ON, read(ECO_MODE, True), points(4, -20))),
        "another mode is on": ("inconclusive 21 X9 true SuperModeRefrigerator 204 EcoMode ~5be",
            Story(found_modes(SUPER, ECO_MODE), cycle(SUPER, (4, -20)) * 2)),
        "nothing was written": ("inconclusive (5) ~f60", Story(STILL)),
        "only ended": ("inconclusive (7) SuperModeRefrigerator ~377",
            Story(STILL, attempt(SUPER, False, False))),
        "the other super mode moves it": ("pass (57) ~d4a", Story(STILL, WITH_THE_OTHER * 2)),
        "a setpoint is written meanwhile": ("pass (14) ~6dc",
            Story(STILL, ON, points(4, -18), attempt(FREEZER_SETPOINT, -20, -20), read(SUPER, True))),
        "no setpoint": ("not_applicable (3) ~fb0", Story(read(SUPER, False), ON)),
        "not served": ("not_applicable 2 404 ~bef",
            Story(read(SUPER, SILENT), shared=(UNKNOWN, refusal(SUPER)))),
    },
    # The freezer setpoint stays with VacationMode, whatever other mode but a super mode is on.
    ("COOL-VACATION-FREEZER", mode_group): {
        "it stays": ("pass (17) ~490", Story(AWAY, cycle(VACATION_MODE, (14, -18)))),
        "a super mode moves it meanwhile": (
            "fail 18 true SuperModeFreezer 204 SetpointTemperatureFreezer ~ecb",
            Story(MEANWHILE, within(SUPER_FREEZER) * 2)),
    },
    # The freezer setpoint stays with FreshMode; only EcoMode may move it.
    ("COOL-FRESH-FREEZER", mode_group): {
        "it moves with FreshMode": ("fail 12 true FreshMode 204 SetpointTemperatureFreezer -18 ~c2a",
            Story(FRESHLY, cycle(FRESH_MODE, (2, -16)) * 2)),
        "EcoMode is on": ("inconclusive 21 X9 true FreshMode 204 EcoMode ~5bf",
            Story(found_modes(FRESH_MODE, ECO_MODE), cycle(FRESH_MODE, (2, -16)) * 2)),
        "it moves when the mode ends": ("inconclusive 17 SetpointTemperatureFreezer -18 -16 ~57f",
            Story(FRESHLY, cycle(FRESH_MODE, (2, -18), (4, -16)))),
        "the refrigerator moves when the mode ends": ("pass (17) ~ee9",
            Story(FRESHLY, cycle(FRESH_MODE, (2, -18), (5, -18)))),
        "no freezer": ("not_applicable 2 404 ~d4a",
            Story(read(FRESH_MODE, False), read(FREEZER_SETPOINT, SILENT), attempt(FRESH_MODE, True, True),
                shared=(UNKNOWN, refusal(FREEZER_SETPOINT), value(FRESH_MODE, False)))),
    },
    # Another value than 2 °C or the old one fails only where the profile chose to judge it.
    ("COOL-FRESH-2", mode_group): {
        "it reads 2": ("observed (17) true FreshMode 204 ~c75", Story(FRESHLY, cycle(FRESH_MODE, (2, -18)))),
        "it reads 2 in °F": ("observed (17) true FreshMode 204 ~82d",
            Story(FRESHLY, cycle(FRESH_MODE, (36, -18)))),
        "it reads another value": ("inconclusive 11 true FreshMode 204 ~23d",
            Story(FRESHLY, cycle(FRESH_MODE, (3, -18)) * 2)),
        "another value is judged": ("fail 11 true FreshMode 204 SetpointTemperatureRefrigerator 4 ~1e9",
            Story(FRESHLY, cycle(FRESH_MODE, (3, -18)) * 2, interpretation=JUDGED)),
        "not readable while it is on": ("inconclusive (17) ~05c",
            Story(FRESHLY, cycle(FRESH_MODE, (SILENT, -18)))),
        "it does not begin": ("inconclusive 6 ~2a1", Story(FRESHLY, cycle(FRESH_MODE, (4, -18), took=False))),
        "it is not written": ("inconclusive (5) ~02b", Story(FRESHLY)),
        "it is only ended": ("inconclusive (7) ~e4d", Story(FRESHLY, attempt(FRESH_MODE, False, False))),
        "reads 2.5": ("inconclusive 11 true FreshMode 204 ~520",
            Story(FRESHLY, cycle(FRESH_MODE, (2.5, -18)))),
        "no refrigerator setpoint": ("not_applicable 2 404 ~0f8",
            Story(read(FRESH_MODE, False), attempt(FRESH_MODE, True, True), shared=(UNKNOWN,
                refusal(SETPOINT), value(FRESH_MODE, False)))),
    },
    ("COOL-FRESH-FREEZER", COOLING_ORDERS): {
        "orders": ("fail 12 true FreshMode 204 SetpointTemperatureFreezer -18 ~b79", Story(ONCE, ONCE)),
    },
}
# fmt: on

test_no_effect = Story.each_of(ROWS)
