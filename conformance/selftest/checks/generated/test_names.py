"""What generated names yield, and what generated values leave behind."""

from functools import partial
from typing import Any

import pytest
from msgspec.structs import replace

from catalog.keys import OFF, ON, POWER_STATE, STANDBY
from conformance.checks.exchange import Exchange
from conformance.checks.generated.mutations import Mutation, RequestPart
from conformance.checks.groups import after_group, edge_group, setting_group
from conformance.selftest.support.findings import assert_said
from conformance.selftest.support.handmade import (
    ANCHOR,
    ANY_KEY,
    Reads,
    exchange,
    generated,
    redirected,
    refusal,
    value,
    write_table,
)
from conformance.selftest.support.handtraced import (
    LOCK,
    SILENT,
    Steps,
    attempt,
    procedure,
    read,
    twice,
    write,
)

UNIT = "Vendor.Common.Setting.LiquidVolumeUnit"
MAP_NAME = "ConsumerProducts.CleaningRobot.Setting.NameOfMap1"
OWN = "Vendor.Common.EnumType.LiquidVolumeUnit.FluidOunces"
OTHERS = "Vendor.Common.EnumType.TemperatureUnit.Celsius"
OTHER = "two"
DISPENSER = "Refrigeration.Common.Setting.Dispenser.Enabled"
SERVED, FIVE, NOT = value(ANCHOR, 5), value(ANCHOR, 5), refusal(ANCHOR)


def about(key: str, named: str, shown: object = 5) -> Exchange:
    """An answer to a request of `key` whose body names another key, or none where that is empty."""
    return replace(value(named, shown, segment="settings"), key=key)


def named_unit(shown: str) -> Exchange:
    """An answer to a request of a unit whose body names no key of the catalog."""
    return about(UNIT, "Foo", shown)


def nobody(*answers: Exchange, **members: Any) -> tuple[Exchange, ...]:
    """A name that nothing has."""
    return generated(Mutation.OTHER_END, *answers, **members)


def near(*answers: Exchange) -> tuple[Exchange, ...]:
    """A name that may be an entry of the server's own."""
    return generated(Mutation.CUT, *answers)


def more(*answers: Exchange, **members: Any) -> tuple[Exchange, ...]:
    """More around a name, which names another appliance."""
    return generated(Mutation.QUERY_WITH_HA_ID, *answers, part=RequestPart.WHOLE, **members)


def elsewhere(key: str, shown: object, own: object, theirs: object) -> tuple[Exchange, ...]:
    """A request with more around it, and again, between plain reads of both appliances."""
    plain, other = read(key, own), read(key, theirs, ha_id=OTHER)
    return more(value(key, shown), plain, value(key, shown), plain, other)


def view(*exchanges: Exchange, **tables: Any) -> Reads:
    """What was asked for, and the appliance still gives a value then."""
    return Reads(*exchanges, *procedure(after_group(ANCHOR), read(ANCHOR, 5)), **tables)


HIDDEN = nobody(refusal(ANCHOR), part=RequestPart.HA_ID)
# fmt: off
ROWS = {
    ("ADDR-UNKNOWNKEY",): {
        "nobody's names are refused": ("pass (2) 2 200 1 404 1 ~570",
            view(*nobody(NOT), *near(exchange(ANCHOR, 200)))),
        "nobody's names are refused, and nothing else is read": ("inconclusive (1) 1 1 ~cab",
            Reads(*nobody(NOT))),
        "nobody's name gives a value once": ("inconclusive 1 /api 5 ~fed",
            view(*nobody(FIVE, NOT), *near(NOT))),
        "a longer name gives a value, a shorter one once": ("fail 1 2 /longer?of=1 5 ~d5e",
            view(*nobody(FIVE, FIVE, sent="/longer?of=1"), *nobody(FIVE, NOT))),
        "nobody's name gives a text": ("inconclusive 1 200 ~348",
            view(*nobody(*[about(ANCHOR, "Foo", "x")] * 2))),
        "a near name gives an entry": ("fail 1 2 /api 5 ~518", view(*near(FIVE, FIVE))),
        "a near name gives a value of no entry": ("inconclusive 1 200 ~348",
            view(*near(*[about(ANCHOR, "Foo")] * 2))),
        "nobody's name gives a listed value": ('fail 1 2 /api "…LiquidVolumeUnit.FluidOunces" ~bf7',
            view(*nobody(*[named_unit(OWN)] * 2))),
        "nobody's name gives a text for a listed value": ("inconclusive 1 200 ~348",
            view(*nobody(*[named_unit("x")] * 2))),
        "two names give a value once, one is to be asked again": ("inconclusive 3 /longer 5 ~cb2",
            view(*nobody(FIVE, NOT), *nobody(FIVE, sent="/longer"))),
        "no generated request": ("inconclusive ~857", view(SERVED)),
        "no generated key": ("not_judged pace.generated_reads ~2a1", view(*HIDDEN)),
        "every key gives a value": ("inconclusive nothing ~3a2",
            view(*ANY_KEY, *nobody(FIVE, FIVE))),
    },
    ("ADDR-HAID",): {
        "nobody's appliance is refused": ("pass (1) 1 404 1 ~3bc", view(*HIDDEN)),
        "the other's number": ("fail 4 5 6 /api 7 5 ~a19", view(*HIDDEN, *elsewhere(ANCHOR, 7, 5, 7))),
        "the other's Boolean": ("pass (1) 1 404 1 ~3bc", view(*HIDDEN, *elsewhere(LOCK, True, False, True))),
        "the other's Boolean and number": ("fail 9 10 11 /api 7 5 ~a19",
            view(*HIDDEN, *elsewhere(LOCK, True, False, True), *elsewhere(ANCHOR, 7, 5, 7))),
        "the other's number, which its own has": ("pass (1) 1 404 1 ~3bc",
            view(*HIDDEN, *elsewhere(ANCHOR, 5, 5, 5))),
        "a number of neither": ("pass (1) 1 404 1 ~3bc", view(*HIDDEN, *elsewhere(ANCHOR, 6, 5, 7))),
        "the other's number once": ("pass (1) 1 404 1 ~6c9",
            view(*HIDDEN, *more(value(ANCHOR, 7), *[read(ANCHOR, 5)] * 2, read(ANCHOR, 7, ha_id=OTHER)))),
        "two Booleans and a number once": ("pass (1) 1 404 1 ~e00",
            view(*HIDDEN, *more(value(LOCK, True), read(LOCK, False)), *more(value(DISPENSER, True),
                read(DISPENSER, False)), *more(value(ANCHOR, 7), read(ANCHOR, 5)))),
        "the haId in capitals gives another number": ("pass (2) 1 404 1 ~2a4",
            view(SERVED, *HIDDEN, *generated(Mutation.UPPER_CASE, value(ANCHOR, 7), part=RequestPart.HA_ID))),
        "the other's number, then another": ("pass (1) 1 404 1 ~3bc",
            view(*HIDDEN, *more(value(ANCHOR, 7), value(ANCHOR, 8), *[read(ANCHOR, 5)] * 2, read(ANCHOR, 7,
                ha_id=OTHER)))),
        "the other's number, one plain read": ("pass (1) 1 404 1 ~3bc",
            view(*HIDDEN, *more(*[value(ANCHOR, 7)] * 2, read(ANCHOR, 5), read(ANCHOR, 7, ha_id=OTHER)))),
    },
    ("ADDR-SPECIFIC",): {
        "another list's value": ("fail 1 2 /api …TemperatureUnit …LiquidVolumeUnit ~873",
            view(*more(*[value(UNIT, OTHERS)] * 2))),
        "another list's value for a name": ("pass (1) 1 1 ~cfc", view(*more(*[value(MAP_NAME, OTHERS)] * 2))),
        "another list's value after a redirect": ("pass (1) 0 1 ~d29",
            view(*more(*[redirected(value(UNIT, OTHERS))] * 2))),
        "another list's value, read plainly as well": ("pass (1) 1 1 ~cfc",
            view(*more(value(UNIT, OTHERS), read(UNIT, OTHERS), value(UNIT, OTHERS)))),
        "another list's value for two, of one read plainly as well": (
            "fail 4 5 /longer …TemperatureUnit …ChildLock ~6aa",
            view(*more(value(UNIT, OTHERS), read(UNIT, OTHERS), value(UNIT, OTHERS)), *more(*[value(LOCK,
                OTHERS)] * 2, sent="/longer"))),
        "everything is refused": ("inconclusive 3 1 1 LiquidVolumeUnit 409 ~058",
            Reads(value(UNIT, OWN), *more(refusal(UNIT)), *procedure(after_group(UNIT), read(UNIT, SILENT)))),
        "everything is refused in standby": ("inconclusive 4 1 1 LiquidVolumeUnit 409 PowerState ~c4d",
            Reads(value(UNIT, OWN), value(POWER_STATE, ON), *more(refusal(UNIT)),
                *procedure(after_group(UNIT), read(UNIT, SILENT), read(POWER_STATE, STANDBY)))),
        "its own list's value": ("pass (3) 1 2 ~649",
            view(*more(*[value(UNIT, OWN)] * 2), *more(refusal(UNIT), sent="/refused"))),
        "another list's value for nobody": ("not_judged pace.generated_reads ~2c1",
            view(*nobody(*[value(UNIT, OTHERS)] * 2))),
    },
    ("ADDR-KEY-LAST",): {
        "another key": ("fail 1 2 /api …ChildLock …AlarmClock ~612", view(*more(*[about(ANCHOR, LOCK)] * 2))),
        "another key once": ("inconclusive 1 /api …ChildLock …AlarmClock ~637",
            view(*more(about(ANCHOR, LOCK), FIVE))),
        "another key, nobody said where": ("pass (1) 1 1 ~cfc",
            view(*more(*[about(ANCHOR, LOCK)] * 2), answer={"value": "/data/value"})),
        "its own key": ("pass (1) 1 1 ~cfc", view(*more(FIVE, FIVE))),
    },
}
# fmt: on

test_generated_names = Reads.each_of(ROWS)


# Generated values leave each setting an allowed one, and the settings beside it as they were.
SCALE, POWER = "Vendor.Common.Setting.TemperatureUnit", "Vendor.Common.Setting.PowerState"
REMOTE = "Vendor.Common.Status.RemoteControlActive"
LIGHT = "Refrigeration.Common.Setting.Light.Internal.Brightness"
LEFT, RIGHT = (
    f"Refrigeration.Common.Setting.Chiller{side}.SetpointTemperature" for side in ("Left", "Right")
)
CELSIUS, FAHRENHEIT = (f"Vendor.Common.EnumType.TemperatureUnit.{name}" for name in ("Celsius", "Fahrenheit"))
SHOWN = {LOCK: False, DISPENSER: False, SCALE: CELSIUS, LIGHT: 50, LEFT: 2, RIGHT: 3}
ALL_SERVED = tuple(value(key, shown) for key, shown in SHOWN.items())
UNLOCKED, IN_CELSIUS, OPEN = read(LOCK, False), read(SCALE, CELSIUS), read(DISPENSER, False)


def edges(key: str, *steps: Exchange | float | Steps) -> tuple[Exchange, ...]:
    """The generated values of a setting."""
    return tuple(procedure(edge_group(key), *steps))


def locks(*pairs: tuple[object, object], lock: object = False) -> Steps:
    """Values of the child lock, each with what the dispenser is afterwards."""
    return [
        step for wanted, beside in pairs for step in (*attempt(LOCK, wanted, lock), read(DISPENSER, beside))
    ]


KEPT = edges(SCALE, IN_CELSIUS, attempt(SCALE, 1, CELSIUS))
TURNS: Steps = [UNLOCKED, OPEN, *locks((True, True), (False, False), (True, True))]
served = partial(Reads, *ALL_SERVED)
# A second value of each has its effect: what is kept out is told from that.
WORKING = [
    each
    for key, other in ((LOCK, True), (SCALE, FAHRENHEIT), (LIGHT, 60), (LEFT, 3))
    for each in procedure(setting_group(key), read(key, SHOWN[key]), attempt(key, other, other))
]
works = partial(served, *WORKING)

# fmt: off
EFFECTS = {
    ("SET-TYPEGUARD", LOCK, SCALE): {
        "a value of its type comes back as another": ('fail 9 true ChildLock 204 "yes" ~3cd',
            served(*edges(LOCK, UNLOCKED, twice(LOCK, True, "yes")))),
        "a value of its type is stored": ("pass (12) 2 ~745",
            works(*edges(LOCK, UNLOCKED, attempt(LOCK, True, True)), *KEPT)),
        "two keep their types": ("pass (12) 2 ~745",
            works(*edges(LOCK, UNLOCKED, attempt(LOCK, 1, False)), *KEPT)),
        "neither is there": ("not_applicable ~01a", Reads(SERVED)),
        "no write of either works": ("inconclusive (3) TemperatureUnit ~d2d",
            served(*edges(LOCK, UNLOCKED, attempt(LOCK, 1, False)), *KEPT)),
        "one of two takes a number": ("fail 12 1 ChildLock 204 1 ~cc8",
            served(*KEPT, *edges(LOCK, UNLOCKED, twice(LOCK, 1, 1)))),
        "neither tells anything": ("inconclusive 9 1 ChildLock 204 409 ~312",
            served(*edges(LOCK, UNLOCKED, attempt(LOCK, 1, SILENT)))),
        "the first cannot be read then, the other takes a number once": (
            "inconclusive 12 1 TemperatureUnit 204 1 ~57c",
            served(*edges(LOCK, UNLOCKED, attempt(LOCK, 1, SILENT)), *edges(SCALE, IN_CELSIUS, attempt(SCALE,
                1, 1)))),
        "a right value right before": ("fail 10 1 ChildLock 204 1 ~ebc",
            served(*edges(LOCK, read(LOCK, "no"), UNLOCKED, twice(LOCK, 1, 1)))),
        "every key gives a value": ("inconclusive nothing ~3a2",
            served(*ANY_KEY, *edges(LOCK, UNLOCKED, twice(LOCK, 1, 1)))),
        "the second is kept by a lock": ("inconclusive (3) X6 RemoteControlActive false ~ea7",
            served(*edges(LOCK, UNLOCKED), *edges(SCALE, read(REMOTE, False), IN_CELSIUS))),
        "nothing may be written": ("not_judged (3) write.allow ~aca", served()),
        "nothing was drawn": ("not_judged (3) pace.generated_writes ~5d2", served(write=write_table(SCALE))),
    },
    ("SET-ENUMGUARD", SCALE): {
        "a text leaves the unit": ("pass (12) 1 ~241",
            works(*edges(SCALE, IN_CELSIUS, attempt(SCALE, "Kelvin", CELSIUS)))),
    },
    ("RANGE-WRITE-OUT", LIGHT, LEFT): {
        "a number outside is stored": ("fail 9 101 Light.Internal.Brightness 204 101 10 ~648",
            served(*edges(LIGHT, read(LIGHT, 50), twice(LIGHT, 101, 101)))),
        "it was outside before": ("not_judged (5) write.allow ~708",
            served(*edges(LIGHT, read(LIGHT, 101), twice(LIGHT, 102, 102)))),
        "a number outside its own range is stored": ("fail 9 9 ChillerLeft.SetpointTemperature 204 9 10 ~53d",
            served(*edges(LEFT, read(LEFT, 2, min=0, max=8), attempt(LEFT, 9, 9, min=0, max=8) * 2))),
    },
    ("SET-ONLY-TARGET", LOCK, LEFT, POWER): {
        "the neighbour stays": ("pass (9) 1 ~7a6",
            works(*edges(LOCK, UNLOCKED, OPEN, locks(("yes", False))))),
        "the neighbour follows": ("fail 11 true ChildLock 204 Dispenser.Enabled false true 1 ~c44",
            served(*edges(LOCK, TURNS))),
        "the neighbour follows once": ("inconclusive 11 true ChildLock 204 Dispenser.Enabled false ~da2",
            served(*edges(LOCK, UNLOCKED, OPEN, locks((True, True))))),
        "the neighbour stays, another cannot be read then": ("pass (18) 1 ~384",
            works(*edges(LOCK, UNLOCKED, OPEN, locks(("yes", SILENT))), *edges(LEFT, read(LEFT, 2),
                read(RIGHT, 3), attempt(LEFT, "2", 2), read(RIGHT, 3)))),
        "no neighbour was read": ("not_judged (5) write.allow ~a9e",
            served(*edges(LOCK, UNLOCKED, attempt(LOCK, True, True)))),
        "there is no neighbour": ("not_applicable ~fe3",
            Reads(value(POWER, "Vendor.Common.EnumType.PowerState.On"))),
    },
}
# fmt: on
CASES = {name: (of, row) for of, rows in EFFECTS.items() for name, row in rows.items()}


@pytest.mark.parametrize("name", CASES)
def test_generated_values(name: str) -> None:
    """What is said of each of them stands beside its name."""
    (clause, *keys), (expected, row) = CASES[name]
    assert_said(row.ruling(clause, groups=tuple(map(edge_group, keys))), expected, name)


def test_what_was_generated_to_be_refused_is_no_entry_that_was_lost() -> None:
    """It does not make a finding of a later read that a power state excuses."""
    refused = nobody(*[refusal(LOCK, 409), replace(SERVED, purpose="repeat")] * 4)
    off = write(ANCHOR, 6), read(POWER_STATE, OFF), read(LOCK, SILENT)
    later = procedure(setting_group(ANCHOR), read(ANCHOR, 5), *off)
    first = SERVED, value(LOCK, shown=True), value(POWER_STATE, ON)
    seen = Reads(*first, *refused, *later, appliance={"supports": [LOCK]})
    assert seen.ruling("READ-SETTING", LOCK).verdict == "pass"
