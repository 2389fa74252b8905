"""Types of values, and how often a key has to be tried before something is said of it."""

import json

import pytest
from msgspec.structs import replace
from pydantic import JsonValue

from conformance.cases import CATALOG
from conformance.checks.exchange import Exchange, Remark
from conformance.checks.groups import NONCE_SETTINGS, PREPARE, Group
from conformance.checks.reads.tries import odds
from conformance.checks.view import View
from conformance.model.values import fits
from conformance.selftest.support.findings import said
from conformance.selftest.support.samples.handmade import (
    ANCHOR,
    HA_ID,
    Reads,
    exchange,
    profile_of,
    refusal,
    ruling,
    seen_of,
    value,
)
from conformance.selftest.support.samples.handtraced import LOCK, attempt, procedure, read

BOOLEAN = "Vendor.Common.Setting.ChildLock"
INTEGER = "Vendor.Common.Setting.AlarmClock"
DOUBLE = "Refrigeration.Common.Setting.Light.Internal.Brightness"
FLOAT = "Vendor.Common.Status.BatteryLevel"
STRING = "Vendor.Common.Setting.AmbientLightCustomColor"
ENUMERATION = "Vendor.Common.Setting.PowerState"

CLAUSES = {
    BOOLEAN: "TYPE-BOOLEAN",
    INTEGER: "TYPE-INTEGER",
    DOUBLE: "TYPE-DOUBLE",
    FLOAT: "TYPE-FLOAT",
    STRING: "TYPE-STRING",
    ENUMERATION: "TYPE-ENUM",
}

# JSON texts, by the keys whose type they have
TYPED: dict[frozenset[str], list[str]] = {
    frozenset({BOOLEAN}): ["true", "false"],
    frozenset({INTEGER, DOUBLE, FLOAT}): [
        *("0", "1", "-1", "5.0", "-0.0", "1e2", "1E+2", "10e-1", "9" * 300)
    ],
    frozenset({DOUBLE, FLOAT}): ["5.5", "1e-2", "5e-324"],
    frozenset({STRING, ENUMERATION}): ['""', '"5"', '"true"', '"4,5"', '"4 °C"', '"NaN"'],
    frozenset(): ["[]", "[5]", "{}", '{"value": true}'],
}
LITERALS = {literal: keys for keys, literals in TYPED.items() for literal in literals}


def answered(key: str, literal: str) -> View:
    """The view of an appliance that gave this JSON text as the value of `key`."""
    body = exchange(key, 200, f'{{"data": {{"value": {literal}}}}}'.encode())
    return seen_of(profile_of("CleaningRobot"), body)


@pytest.mark.parametrize("key", CLAUSES)
@pytest.mark.parametrize("literal", LITERALS)
def test_type_takes_its_own_values(literal: str, key: str) -> None:
    """Each JSON value passes exactly for the types it is of; `fits` agrees with the check."""
    passes = key in LITERALS[literal]
    told = said(ruling(CLAUSES[key], key, answered(key, literal)))
    assert told.startswith("pass (1)" if passes else "fail 1")
    assert fits(CATALOG.entries[key], json.loads(literal)) is passes


@pytest.mark.parametrize("key", CLAUSES)
@pytest.mark.parametrize("literal", ["NaN", "Infinity", "-Infinity", "1e999", "-1e999", "9" * 400])
def test_number_that_is_not_finite(literal: str, key: str) -> None:
    """It is no Double and no Float; an Integer leaves it to the clause about finiteness."""
    told = said(ruling(CLAUSES[key], key, answered(key, literal)))
    assert told.startswith("inconclusive 1" if key == INTEGER else "fail 1")
    assert said(ruling("TYPE-FINITE", key, answered(key, literal))).startswith("fail 1")


@pytest.mark.parametrize(
    ("key", "literal", "due"),
    [
        (DOUBLE, "1e999", "value is 1e999, which is no finite number"),
        (FLOAT, "NaN", "under /status/: value is NaN, which is no finite number"),
        (DOUBLE, "9" * 400, "value is Infinity, which is no finite number"),
        (STRING, "1e2", "value is 1e2 (number), document says String"),
        (BOOLEAN, "1.0", "value is 1.0 (number), document says Boolean"),
    ],
)
def test_number_is_quoted_as_it_was_written(key: str, literal: str, due: str) -> None:
    """A reader finds it in the answer, and learns whether it is the type or the number that is wrong."""
    assert ruling(CLAUSES[key], key, answered(key, literal)).message == due


@pytest.mark.parametrize("key", CLAUSES)
@pytest.mark.parametrize("literal", ["[]", "{}", '{"value": 5}'])
def test_structure_at_a_guessed_place_is_not_blamed(literal: str, key: str) -> None:
    """Where the place was only guessed, a list or an object may hold the value further down."""
    calibrating = exchange("Vendor.Common.Setting.LiquidVolumeUnit", 200, b'{"data": {"value": "x"}}')
    body = exchange(key, 200, f'{{"data": {{"value": {literal}}}}}'.encode())
    seen = seen_of(profile_of(answer={}), body, calibrating)
    told = said(ruling(CLAUSES[key], key, seen)).partition(" ~")[0]
    assert (told[:14], told[-12:]) == ("inconclusive 1", "answer.value")


def confirming(*shown: object) -> list[Exchange]:
    """The first read of the Boolean, and those that are to confirm what later ones showed."""
    groups = [None, *[AGAIN] * (len(shown) - 1)]
    return [value(BOOLEAN, one, group=group) for one, group in zip(shown, groups, strict=True)]


TRULY, WHOLE_FRACTION = value(BOOLEAN, True), value(INTEGER, 5.0)
SERVED, NULL = value(INTEGER, 5), value(BOOLEAN, None)
AGAIN = Group.parse(f"again/settings/{BOOLEAN}")
STILL_NULL = value(BOOLEAN, None, group=AGAIN)
OFF = value(ENUMERATION, "Vendor.Common.EnumType.PowerState.Off")
REFUSED_NONCE = refusal("Vendor.Common.Setting.NonceAb", group=NONCE_SETTINGS)
YES, NO = {"supports": [BOOLEAN]}, {"lacks": [BOOLEAN]}
ON = value(ENUMERATION, "Vendor.Common.EnumType.PowerState.On", group=PREPARE)
PREPARED = (ON, value(BOOLEAN, 5, group=PREPARE))
WRITTEN = Group.parse(f"set/{LOCK}")


def met_by_errors(times: int) -> Reads:
    """A claimed setting whose write is answered 500 so often, where a finding takes four of them."""
    steps = [read(LOCK, False), *attempt(LOCK, True, False, status=500) * times]
    note: dict[str, JsonValue] = {"tries": times, "error_rate": 0.02, "needed": 4, "budget": 12}
    noted = (Remark("tries", WRITTEN, HA_ID, LOCK, note),)
    return Reads(
        value(LOCK, False), *procedure(WRITTEN, *steps), remarks=noted, appliance={"writable": [LOCK]}
    )


# fmt: off
ROWS = {
    ("TYPE-INTEGER", INTEGER): {
        "a fraction of zero": ("pass (1) 5.0 ~9ec", Reads(WHOLE_FRACTION)),
        "a fraction of zero, read strictly": ("fail 1 5.0 ~f77",
            Reads(WHOLE_FRACTION, interpretation={"integer_lexical": "strict"})),
    },
    ("TYPE-BOOLEAN", BOOLEAN): {
        "a text in two of four reads": ('fail 2 "true" ~228', Reads(*confirming(True, "true", True, "true"))),
        # The first value counts that is shown once a state has ended that hid it, and no other key's.
        "a number once it was on": ("fail 4 5 ~ed7",
            Reads(OFF, refusal(BOOLEAN, 409), *PREPARED, appliance=YES)),
        "a text in one of three reads": ('inconclusive 2 "true" ~87e',
            Reads(*confirming(True, "true", True))),
    },
    # A claimed setting whose write is answered 500 is convicted after the tries that the ledger names.
    ("SET-WRITABLE", LOCK): {
        "three writes meet an error": ("inconclusive 8 true 500 false 10 ~10b", met_by_errors(3)),
        "four writes meet an error": ("fail 4 REFUSED true 500 false 4 ~166", met_by_errors(4)),
    },
    ("TYPE-NOTNULL", BOOLEAN): {
        "twice null": ("fail 2 null ~c19", Reads(SERVED, NULL, STILL_NULL, appliance=YES)),
        "null, then a value": ("inconclusive 2 null true ~73e",
            Reads(SERVED, NULL, replace(TRULY, groups=(AGAIN,)), appliance=YES)),
        "null, then refused": ("inconclusive 2 null 404 ~908",
            Reads(SERVED, NULL, refusal(BOOLEAN, group=AGAIN), appliance=YES)),
        "null while off": ("inconclusive 3 null PowerState …PowerState.Off ~d45",
            Reads(SERVED, OFF, NULL, STILL_NULL, appliance=YES)),
        "null, denied": ("not_applicable 2 null ~5f0", Reads(SERVED, NULL, STILL_NULL, appliance=NO)),
        "not null": ("pass (2) ~437", Reads(SERVED, TRULY, appliance=YES)),
        "not there": ("not_applicable 2 404 ~c4f", Reads(SERVED, refusal(BOOLEAN), REFUSED_NONCE)),
    },
}
# fmt: on

test_types = Reads.each_of(ROWS)


# How many tries a finding takes, and when a server error on a write is a refusal.
KEY = "Refrigeration.Common.Setting.EcoMode"
OTHER = Group.parse("repeat/x")


# fmt: off
STORIES: dict[str, tuple[list[Exchange], float]] = {
    "nothing": ([], 1 / 2),
    "a value": ([value(ANCHOR, 5)], 1 / 3),
    "a value and an error": ([value(ANCHOR, 5), exchange(ANCHOR, 500, group=OTHER)], 2 / 4),
    "a value and no response": ([value(ANCHOR, 5), exchange(ANCHOR, None, group=OTHER)], 2 / 4),
    "a value and a body that may be cut": ([value(ANCHOR, 5), exchange(ANCHOR, 200, b"{", group=OTHER)],
        2 / 4),
    "a value and a refusal": ([value(ANCHOR, 5), exchange(ANCHOR, 404, group=OTHER)], 1 / 4),
    "a key that always fails": ([value(ANCHOR, 5), exchange(KEY, 500), exchange(KEY, 500, group=OTHER)],
        1 / 3),
    "a write that always fails": ([value(ANCHOR, 5), exchange(ANCHOR, 500, group=OTHER, purpose="write")],
        1 / 3),
    "a write that fails once": ([exchange(ANCHOR, 204, group=OTHER, purpose="write"), exchange(ANCHOR, 500,
        group=OTHER, purpose="write")], 2 / 4),
    "another appliance": ([value(ANCHOR, 5), exchange(ANCHOR, 500, ha_id="two", group=OTHER)], 1 / 3),
}
# fmt: on


@pytest.mark.parametrize("name", STORIES)
def test_error_rate(name: str) -> None:
    """The share of errors among answers about what succeeded at least once, one more of each."""
    exchanges, error_rate = STORIES[name]
    assert odds(seen_of(profile_of(), *exchanges)).error_rate == pytest.approx(error_rate)
