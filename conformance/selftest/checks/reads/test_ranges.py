"""Numbers lie in their range, and an enumeration value is one of its entry's own keys, letter by letter."""

from typing import Any

import pytest
from msgspec.structs import replace

from catalog.loader import CATALOG
from conformance.checks.exchange import Exchange
from conformance.checks.groups import PREPARE, Group, setting_group
from conformance.selftest.support.findings import said
from conformance.selftest.support.handmade import (
    ANCHOR,
    Reads,
    exchange,
    profile_of,
    refusal,
    ruling,
    seen_of,
    value,
)
from conformance.selftest.support.handtraced import SETTLE_S, attempt, procedure, read

COMMON = {entry.key: entry.range for entry in CATALOG.entries.values() if entry.range}
SETPOINT = "Refrigeration.FridgeFreezer.Setting.SetpointTemperatureRefrigerator"
FREEZER = "Refrigeration.FridgeFreezer.Setting.SetpointTemperatureFreezer"
COUNTER = "ConsumerProducts.CoffeeMaker.Status.BeverageCounterCoffee"
BRIGHT = "Vendor.Common.Setting.AmbientLightBrightness"
UNIT = "Vendor.Common.Setting.TemperatureUnit"
CELSIUS, FAHRENHEIT = (f"Vendor.Common.EnumType.TemperatureUnit.{name}" for name in ("Celsius", "Fahrenheit"))
POWER, P = "Vendor.Common.Setting.PowerState", "Vendor.Common.EnumType.PowerState"
CONFIRM, UNIT_AGAIN = (Group.parse(f"again/settings/{key}") for key in (SETPOINT, UNIT))


def in_range(key: str, shown: object, **interpretation: object) -> str:
    """What is said of a value by the common range: the verdict, the exchange, and on which side it lies."""
    seen = seen_of(profile_of(interpretation=interpretation), value(key, shown))
    words = said(ruling("RANGE-BATTERY", key, seen)).partition(" ~")[0].split()
    return " ".join(words[:3])


@pytest.mark.parametrize("key", COMMON)
def test_common_range_includes_its_ends(key: str) -> None:
    """Both ends are inside, whatever is beyond is outside, by however little."""
    limits = COMMON[key]
    within = (limits.min, limits.max, float(limits.min), (limits.min + limits.max) / 2)
    assert {in_range(key, shown) for shown in within} == {"pass (1)"}
    below, above = (limits.min - 1, limits.min - 1e-6, -1e300), (limits.max + 1e-6, 1e300)
    assert {in_range(key, shown) for shown in below} == {"fail 1 BELOW"}
    assert {in_range(key, shown) for shown in above} == {"fail 1 ABOVE"}


# lower bound, upper bound -> what is said of presence and of well-formedness
# fmt: off
BOUNDS: dict[str, tuple[dict[str, Any], str, str]] = {
    "both": ({"min": 2, "max": 8}, "pass (1) ~d0f", "pass (1) ~d0f"),
    "none": ({}, "fail 1 ~bb0", "inconclusive 1 ~480"),
    "one alone": ({"min": 2}, "fail 1 ~c23", "inconclusive 1 ~480"),
    "crossed": ({"min": 8, "max": 2}, "pass (1) ~d0f", "fail 1 8 2 ~a2a"),
    "crossed a little": ({"min": 2.000004, "max": 2}, "pass (1) ~d0f", "fail 1 2.000004 2 ~531"),
    "null": ({"min": None, "max": 8}, "inconclusive 1 null null 8 ~090", "fail 1 null null ~c69"),
    "true": ({"min": True, "max": 8}, "inconclusive 1 true 8 ~b71", "fail 1 true ~e3e"),
    "not finite": ({"min": 2, "max": float("inf")}, "pass (1) ~d0f", "fail 1 ~a43"),
    "one number": ({"min": 5, "max": 5}, "pass (1) ~d0f", "pass (1) 5 ~2c1"),
    "no number": ({"min": float("nan"), "max": 8}, "pass (1) ~d0f", "fail 1 NaN ~341"),
}
# fmt: on


@pytest.mark.parametrize("name", BOUNDS)
def test_own_range(name: str) -> None:
    """Both bounds are there, and they are a range; each defect belongs to one of the two clauses."""
    shown, present, wellformed = BOUNDS[name]
    seen = seen_of(profile_of(), value(SETPOINT, 5, **shown), value(FREEZER, -18, min=-24, max=-16))
    assert said(ruling("RANGE-PERAPP-PRESENT", SETPOINT, seen)) == present
    assert said(ruling("RANGE-PERAPP-WELLFORMED", SETPOINT, seen)) == wellformed


def setpoint(shown: object, *, group: Group | None = None, key: str = SETPOINT, **members: Any) -> Exchange:
    """A setpoint in a range from 2 to 8, unless it shows another."""
    bounds: dict[str, Any] = {"min": 2, "max": 8}
    return value(key, shown, group=group, **(bounds | members))


def twice(shown: object, again: object = None, **members: Any) -> tuple[Exchange, ...]:
    """The refrigerator's setpoint, and what it shows when it is read again: the same, or another value."""
    second = shown if again is None else again
    return setpoint(shown, **members), setpoint(second, group=CONFIRM, **members)


def tail(*shown: float | None) -> list[Exchange]:
    """A setpoint that is 14 in VacationMode, and what it shows once a run has ended that, as above."""
    key = "Refrigeration.Common.Setting.VacationMode"
    reads = [SETTLE_S if each is None else read(SETPOINT, each, min=2, max=8) for each in shown]
    steps = [read(key, shown=True), *attempt(key, False, False, seconds=0), *reads]
    return [mode("VacationMode"), *twice(14), *procedure(PREPARE, steps)]


def mode(name: str, *, again: bool = False) -> Exchange:
    """A cooling mode that is on, or is so when it is read again."""
    key = f"Refrigeration.Common.Setting.{name}"
    on = value(key, True, group=Group.parse(f"again/settings/{key}") if again else None)
    return replace(on, purpose="repeat") if again else on


def bright(**members: Any) -> Reads:
    """A brightness that shows these bounds."""
    return Reads(value(BRIGHT, 50, **members))


def literal(text: str) -> Reads:
    """A brightness whose value is this JSON text."""
    return Reads(exchange(BRIGHT, 200, f'{{"data": {{"value": {text}}}}}'.encode()))


def in_fahrenheit(*shown: float | None, **members: Any) -> list[Exchange]:
    """A setpoint that is 5 in °C, and reads of it after °F was written; None is the settle time."""
    bounds: dict[str, Any] = {"min": 35, "max": 46}
    reads = [SETTLE_S if each is None else read(SETPOINT, each, **(bounds | members)) for each in shown]
    steps = [read(UNIT, CELSIUS), *attempt(UNIT, FAHRENHEIT, FAHRENHEIT, seconds=0), *reads]
    return [IN_C, setpoint(5), *procedure(setting_group(UNIT), steps)]


IN_C = value(UNIT, CELSIUS)
I1_OFF = {"I-1": False}


# An enumeration value is one of its entry's own keys, letter by letter.
COLOR = "Vendor.Common.Setting.AmbientLightColor"
DOOR = "Vendor.Common.Status.DoorState"
COLD_DOOR = "Refrigeration.Common.Status.Door.Freezer"
C = "Vendor.Common.EnumType.AmbientLightColor"

BETA = Reads(value(COLD_DOOR, "Beta.Common.EnumType.DoorState.Open"), appliance={"vendor": "Acme"})

# key, value -> what is said of membership and of key form
# fmt: off
DISGUISES: dict[tuple[str, str], tuple[str, str]] = {
    (POWER, f"{P}.On"): ("pass (2) ~c4e", "pass (2) ~c4e"),
    (POWER, "On"): ('fail 2 "On" …PowerState.Off …PowerState.On ~218',
        'fail 2 SHORT "On" …PowerState.On ~584'),
    (POWER, f"{P}.on"): ('fail 2 "…PowerState.on" …PowerState.Off …PowerState.On ~3d5',
        'fail 2 CASE "…PowerState.on" …PowerState.On ~501'),
    (POWER, f"{P}.On "): ('fail 2 "…PowerState.On " …PowerState.Off …PowerState.On ~4d1',
        'fail 2 SEPARATORS "…PowerState.On " …PowerState.On ~358'),
    (POWER, "Stand-by"): ('fail 2 "Stand-by" …PowerState.Off …PowerState.On ~5f6',
        'fail 2 LABEL "Stand-by" …PowerState.Standby ~439'),
    (POWER, "EnumType.PowerState.On"): ('fail 2 "EnumType.PowerState.On" …PowerState.Off ~6bb',
        'fail 2 SHORT "EnumType.PowerState.On" …PowerState.On ~568'),
    (POWER, P.replace(".", "_") + "_On"): (
        'fail 2 "Vendor_Common_EnumType_PowerState_On" ~dda',
        'fail 2 SEPARATORS "Vendor_Common_EnumType_PowerState_On" ~5a5'),
    (POWER, f"{P}.MainsOff"): (
        'fail 2 "…PowerState.MainsOff" …PowerState.Off …PowerState.On ~c02',
        'inconclusive 2 "…PowerState.MainsOff" ~45d'),
    (POWER, ""): ('fail 2 "" …PowerState.Off …PowerState.On …PowerState.Standby ~e00',
        'inconclusive 2 "" ~8a1'),
    (COLOR, f"{C}.Color99"): ("pass (2) ~d81", "pass (2) ~d81"),
    (COLOR, f"{C}.Color01"): ('fail 2 "…AmbientLightColor.Color01" 100 ~b32',
        'fail 2 DIGITS "…AmbientLightColor.Color01" ~994'),
    (COLOR, f"{C}.Color0"): ('fail 2 "…AmbientLightColor.Color0" 100 ~7fe',
        'inconclusive 2 "…AmbientLightColor.Color0" ~118'),
    (DOOR, "Vendor.Common.EnumType.DoorState.Locked"): ("pass (2) ~f9a", "pass (2) ~f9a"),
    (COLD_DOOR, "Vendor.Common.EnumType.DoorState.Locked"): (
        'fail 2 "…DoorState.Locked" …DoorState.Open …DoorState.Closed ~453', "pass (2) ~97a"),
    (COLD_DOOR, "Refrigeration.Common.EnumType.DoorState.Open"): (
        'fail 2 "…DoorState.Open" …DoorState.Open …DoorState.Closed ~078',
        'inconclusive 2 "…DoorState.Open" ~727'),
}
# fmt: on


@pytest.mark.parametrize(("key", "shown"), DISGUISES)
def test_disguise(key: str, shown: str) -> None:
    """A listed key in another form fails both clauses, a key that is not listed membership alone."""
    member, form = DISGUISES[key, shown]
    seen = seen_of(profile_of(), value(ANCHOR, 5), value(key, shown))
    assert said(ruling("ENUM-POWERSTATE", key, seen)) == member
    assert said(ruling("ENUM-KEYFORM", key, seen)) == form


def listing(allowed: object) -> Reads:
    """A power state that shows these possible values."""
    return Reads(value(POWER, f"{P}.On", allowed=allowed))


SMALL = Reads(value(COLD_DOOR, "ACME.Common.EnumType.DoorState.Open"), appliance={"vendor": "Acme"})
BOTH = Reads(
    value(COLD_DOOR, "ACME.Common.EnumType.DoorState.Open"),
    value(DOOR, "Acme.Common.EnumType.DoorState.Open"),
    appliance={"vendor": "Acme"},
)
# fmt: off
ROWS = {
    ("RANGE-AMBBRIGHT", BRIGHT): {
        "no number": ("inconclusive 1 NaN ~eb3", literal("NaN")),
        "true": ("inconclusive 1 true ~cbb", literal("true")),
        "an end, and I-1 is off": ("inconclusive 1 10 I-1 ~d5b",
            Reads(value(BRIGHT, 10), interpretation=I1_OFF)),
        "inside, and I-1 is off": ("pass (1) ~798", Reads(value(BRIGHT, 10.1), interpretation=I1_OFF)),
        "outside, and I-1 is off": ("fail 1 ABOVE 101 10 100 ~495",
            Reads(value(BRIGHT, 101), interpretation=I1_OFF)),
    },
    ("RANGE-COUNT", COUNTER): {
        "nothing counted": ("pass (1) ~ed8", Reads(value(COUNTER, 0))),
        "less than nothing counted": ("fail 1 -1 ~293", Reads(value(COUNTER, -1))),
    },
    ("RANGE-PERAPP-PRESENT", SETPOINT): {
        "where bounds stand is not declared": ("inconclusive 1 answer.min answer.max ~860",
            Reads(setpoint(99), answer={"value": "/data/value"})),
        "where one of them stands is": ("inconclusive 1 answer.min answer.max ~860",
            Reads(setpoint(99), answer={"value": "/data/value", "min": "/data/min"})),
    },
    ("RANGE-PERAPP-VALUE", SETPOINT): {
        "below twice": ("fail 1 BELOW 1.9 2 8 ~748", Reads(*twice(1.9, 1.8))),
        "a little below twice": ("fail 1 BELOW 2 2.000004 8 ~ad9", Reads(*twice(2, 2, min=2.000004))),
        "inside when read again": ("inconclusive 1 ABOVE 9 2 8 8 ~340", Reads(*twice(9, 8))),
        "refused when read again": ("inconclusive 1 ABOVE 9 2 8 404 ~4c5",
            Reads(setpoint(9), refusal(SETPOINT, group=CONFIRM))),
        "half a step outside": ("inconclusive 1 8.5 2 8 1 ~2d6", Reads(*twice(8.5, step=1))),
        "more than half a step outside": ("fail 1 ABOVE 8.6 2 8 ~71e", Reads(*twice(8.6, step=1))),
        "the unit is read again": ("fail 2 ABOVE 44 2 8 ~293",
            Reads(IN_C, *twice(44), value(UNIT, CELSIUS, group=UNIT_AGAIN))),
        "in vacation": ("inconclusive 3 X5 14 2 8 VacationMode ~b15",
            Reads(mode("VacationMode"), mode("VacationMode", again=True), *twice(14))),
        "inside after vacation": ("pass (6) ~de6", Reads(*tail(4))),
        "inside a while after vacation": ("pass (6) ~de6", Reads(*tail(14, None, 4, 4))),
        "outside after vacation": ("fail 9 ABOVE 12 2 8 VacationMode false ~9fa",
            Reads(*tail(12, None, 12, 12))),
        "the unit changed": ("inconclusive 2 44 2 8 TemperatureUnit ~caf",
            Reads(IN_C, *twice(44), value(UNIT, FAHRENHEIT, group=UNIT_AGAIN))),
        "it follows its unit late": ("pass (8) ~c01", Reads(*in_fahrenheit(5, 5, None, 41))),
        "it stays when its unit changes, once": ("pass (7) ~911", Reads(*in_fahrenheit(5, 5))),
        "half a step outside in its unit": ("inconclusive 7 46.4 35 46 TemperatureUnit ~bbf",
            Reads(*in_fahrenheit(None, 46.4, 46.4, step=1))),
        "a bit outside in its unit": ("inconclusive 7 46.4 35 46 TemperatureUnit ~bbf",
            Reads(*in_fahrenheit(None, 46.4, 46.4))),
        "a bit outside before its unit is written": ("fail 3 ABOVE 8.4 2 8 ~ac7",
            Reads(setpoint(5), *procedure(setting_group(UNIT), *[read(SETPOINT, 8.4, min=2, max=8),
                SETTLE_S] * 2, attempt(UNIT, FAHRENHEIT, FAHRENHEIT)))),
        "outside, once it was switched on": ("inconclusive 4 9 2 8 ~02b",
            Reads(value(POWER, f"{P}.Off"), refusal(SETPOINT, 409), *procedure(PREPARE, [read(POWER,
                f"{P}.On"), read(SETPOINT, 9, min=2, max=8)]), appliance={"supports": [SETPOINT]})),
        "the bounds are crossed": ("inconclusive 1 ~9b6", Reads(*twice(9, min=8, max=2))),
        "a setpoint as text": ('inconclusive 1 "9" ~960', Reads(setpoint("9"))),
    },
    ("RANGE-COMMON-ADVERTISED", BRIGHT): {
        "one bound": ("pass (1) ~798", bright(min=10)),
        "no bounds": ("not_applicable 1 ~e86", bright()),
        "wider below": ("fail 1 0 10 100 ~fef", bright(min=0, max=100)),
        "a little wider below": ("fail 1 9.999998 10 100 ~713", bright(min=9.999998, max=100)),
        "wider above": ("fail 1 101 10 100 ~e7e", bright(min=10, max=101)),
        "a bound as text": ('inconclusive 1 "10" ~4b7', bright(min="10", max=100)),
        "the other bound": ("pass (1) ~798", bright(max=100)),
        "the other bound as text": ('inconclusive 1 "x" ~328', bright(min=10, max="x")),
        "no bound is declared": ("not_applicable 1 ~fb3",
            Reads(value(BRIGHT, 50, min=0), answer={"value": "/data/value"})),
        "narrower, and the value a bit outside": ("pass (1) ~798", bright(min=50.4, max=100, step=1)),
        "narrower, and the value in no range": ("pass (1) ~798", Reads(value(BRIGHT, 5, min=60, max=100))),
        "narrower, and the value outside": ("inconclusive 1 50 60 100 10 100 ~17a", bright(min=60, max=100)),
    },
    ("ADDR-VENDOR", COLD_DOOR): {
        "another maker, perhaps a mistake in the profile": ("inconclusive 1 target.vendor ~bf4", BETA),
    },
    ("ENUM-KEYFORM", COLD_DOOR): {
        "the maker in another case, perhaps a mistake in the profile": ("inconclusive 1 target.vendor ~c1d",
            SMALL),
        "the maker in two cases": ('fail 1 CASE "ACME.Common.EnumType.DoorState.Open" ~f32', BOTH),
    },
    ("ENUM-DOOR-COOLING", COLD_DOOR): {
        "a member of another maker, perhaps a mistake in the profile": ("inconclusive 1 target.vendor ~27b",
            BETA),
        "the key of each entry, perhaps a mistake in the profile": (
            "inconclusive answer.value '/data/value' ~fdf",
            Reads(value(COLD_DOOR, COLD_DOOR), value(POWER, POWER))),
        "its own key": ('fail 1 "…Door.Freezer" …DoorState.Open …DoorState.Closed ~e15',
            Reads(value(COLD_DOOR, COLD_DOOR), value(POWER, f"{P}.On"))),
    },
    ("ENUM-ADVERTISED", POWER): {
        "all of them": ("pass (1) ~776", listing([f"{P}.{name}" for name in ("On", "Off", "Standby")])),
        "a foreign one": ('fail 1 "…PowerState.MainsOff" …PowerState.Off …PowerState.On ~e52',
            listing([f"{P}.On", f"{P}.MainsOff"])),
        "not the one that is found": ('fail 1 "…PowerState.On" "…PowerState.Off" ~64a',
            listing([f"{P}.Off", f"{P}.Standby"])),
        "not the one that is found, and states are declared": ("pass (1) ~776",
            Reads(value(POWER, f"{P}.On", allowed=[f"{P}.Off"]), appliance={"power_states": ["On", "Off"]})),
        "null in a list": ("fail 1 null …PowerState.Off …PowerState.On ~cf0", listing([None])),
        "a list in a list": ("inconclusive 1 ~406", listing([f"{P}.On", [f"{P}.On"]])),
        "a text for a list": ('inconclusive 1 answer.allowed "…PowerState.On" ~906', listing(f"{P}.On")),
        "no list": ("not_applicable 1 ~a6b", Reads(value(POWER, f"{P}.On"))),
        "a list where none is declared": ("not_applicable 1 ~37f",
            Reads(value(POWER, f"{P}.On", allowed=["x"]), answer={"value": "/data/value"})),
    },
}
# fmt: on

test_ranges_and_members = Reads.each_of(ROWS)


@pytest.mark.parametrize(("shown", "says"), [({}, "min"), ({"min": 2}, "max"), ({"max": 8}, "min")])
def test_bound_that_no_answer_has(shown: dict[str, Any], says: str) -> None:
    """Where no answer of the run has a member at the declared pointer, the profile may be wrong."""
    seen = seen_of(profile_of(), value(SETPOINT, 5, **shown), value(FREEZER, -18, **shown))
    found = ruling("RANGE-PERAPP-PRESENT", SETPOINT, seen)
    assert found.verdict == "inconclusive"
    assert found.message == f"no member at answer.{says} '/data/{says}' in any answer; is it right?"


@pytest.mark.parametrize("shown", [True, 0, None, [], {"key": f"{P}.On"}])
def test_value_that_is_no_string_is_the_type_clauses_matter(shown: object) -> None:
    """One defect, one finding."""
    seen = seen_of(profile_of(), value(ANCHOR, 5), value(POWER, shown))
    found = {ruling(clause, POWER, seen).verdict for clause in ("ENUM-POWERSTATE", "ENUM-KEYFORM")}
    assert found <= {"inconclusive", "not_applicable"}
