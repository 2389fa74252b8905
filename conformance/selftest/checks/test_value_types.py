"""Each data type takes the JSON values that are of it, and no others."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.cases import CATALOG
from conformance.checks.groups import NONCE_SETTINGS, Group
from conformance.checks.reads.value_types import (
    assert_boolean,
    assert_enumeration_is_string,
    assert_finite,
    assert_integer,
    assert_not_null,
    assert_number,
    assert_string,
    confirmation,
    fits,
)
from conformance.selftest.support.handmade import exchange, judged, profile_of, refusal, seen_of, value

if TYPE_CHECKING:
    from conformance.checks.premise import Check

BOOLEAN = "Vendor.Common.Setting.ChildLock"
INTEGER = "Vendor.Common.Setting.AlarmClock"
DOUBLE = "Refrigeration.Common.Setting.Light.Internal.Brightness"
FLOAT = "Vendor.Common.Status.BatteryLevel"
STRING = "Vendor.Common.Setting.AmbientLightCustomColor"
ENUMERATION = "Vendor.Common.Setting.PowerState"

CHECKS: dict[str, tuple[Check, str]] = {
    BOOLEAN: (assert_boolean, "TYPE-BOOLEAN"),
    INTEGER: (assert_integer, "TYPE-INTEGER"),
    DOUBLE: (assert_number, "TYPE-DOUBLE"),
    FLOAT: (assert_number, "TYPE-FLOAT"),
    STRING: (assert_string, "TYPE-STRING"),
    ENUMERATION: (assert_enumeration_is_string, "TYPE-ENUM"),
}

TRUTH, TEXT = {BOOLEAN}, {STRING, ENUMERATION}
NUMBER, WHOLE = {DOUBLE, FLOAT}, {INTEGER, DOUBLE, FLOAT}

# a JSON text -> the keys whose type it has
LITERALS: dict[str, set[str]] = {
    "true": TRUTH,
    "false": TRUTH,
    "0": WHOLE,
    "1": WHOLE,
    "-1": WHOLE,
    "5.0": WHOLE,
    "-0.0": WHOLE,
    "1e2": WHOLE,
    "1E+2": WHOLE,
    "10e-1": WHOLE,
    "5.5": NUMBER,
    "1e-2": NUMBER,
    "5e-324": NUMBER,
    "9" * 300: WHOLE,
    '""': TEXT,
    '"5"': TEXT,
    '"true"': TEXT,
    '"4,5"': TEXT,
    '"4 °C"': TEXT,
    '"NaN"': TEXT,
    "[]": set(),
    "[5]": set(),
    "{}": set(),
    '{"value": true}': set(),
}


def answered(key: str, literal: str, *, answer: dict[str, str] | None = None) -> Any:
    """The view of an appliance that gave this JSON text as the value of `key`."""
    profile = profile_of("CleaningRobot") if answer is None else profile_of("CleaningRobot", answer=answer)
    supports = profile.model_copy(
        update={"appliance": (profile.appliance[0].model_copy(update={"supports": (key,)}),)}
    )
    return seen_of(supports, exchange(key, 200, f'{{"data": {{"value": {literal}}}}}'.encode()))


@pytest.mark.parametrize("key", CHECKS)
@pytest.mark.parametrize("literal", LITERALS)
def test_type_takes_its_own_values(literal: str, key: str) -> None:
    """Each JSON value passes exactly for the types it is of; `fits` agrees with the check."""
    check, clause = CHECKS[key]
    passes = key in LITERALS[literal]
    assert judged(check, clause, key, answered(key, literal)).verdict == ("pass" if passes else "fail")
    assert fits(CATALOG.entries[key], json.loads(literal)) is passes


@pytest.mark.parametrize("key", CHECKS)
@pytest.mark.parametrize("literal", ["NaN", "Infinity", "-Infinity", "1e999", "-1e999", "9" * 400])
def test_number_that_is_not_finite(literal: str, key: str) -> None:
    """It is no Double and no Float, and its finiteness is a clause of its own; an
    Integer leaves it to that.
    """
    check, clause = CHECKS[key]
    assert judged(check, clause, key, answered(key, literal)).verdict == (
        "inconclusive" if key == INTEGER else "fail"
    )
    assert judged(assert_finite, "TYPE-FINITE", key, answered(key, literal)).verdict == "fail"


@pytest.mark.parametrize("key", CHECKS)
@pytest.mark.parametrize("literal", ["[]", "{}", '{"value": 5}'])
def test_structure_at_a_guessed_place_is_not_blamed(literal: str, key: str) -> None:
    """Where the place was only guessed, a list or an object may hold the value further down."""
    check, clause = CHECKS[key]
    calibrating = exchange("Vendor.Common.Setting.LiquidVolumeUnit", 200, b'{"data": {"value": "x"}}')
    body = exchange(key, 200, f'{{"data": {{"value": {literal}}}}}'.encode())
    assert (
        judged(check, clause, key, seen_of(profile_of(answer={}), body, calibrating)).verdict
        == "inconclusive"
    )


@given(
    st.integers(-(10**300), 10**300)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.booleans()
    | st.text()
    | st.none()
)
def test_integer_is_a_number_without_a_fraction(shown: object) -> None:
    """Of all JSON values an Integer takes the numbers whose fraction is zero, however they are written."""
    whole = isinstance(shown, int | float) and not isinstance(shown, bool) and shown == math.floor(shown)
    verdict = judged(
        assert_integer, "TYPE-INTEGER", INTEGER, seen_of(profile_of(), value(INTEGER, shown))
    ).verdict
    assert verdict == ("inconclusive" if shown is None else "pass" if whole else "fail")


@pytest.mark.parametrize("interpretation", [{"integer_lexical": "strict"}, {"I-5": False}])
def test_fraction_of_zero_can_be_refused(interpretation: dict[str, object]) -> None:
    """The reading that 5.0 is an Integer is a switch; 5 is one either way."""
    profile = profile_of(interpretation=interpretation)
    strict = judged(assert_integer, "TYPE-INTEGER", INTEGER, seen_of(profile, value(INTEGER, 5.0)))
    assert (strict.verdict, "5.0" in strict.message) == ("fail", True)
    assert (
        judged(assert_integer, "TYPE-INTEGER", INTEGER, seen_of(profile, value(INTEGER, 5))).verdict == "pass"
    )


NULL = value(BOOLEAN, None)
AGAIN = Group.parse(f"confirm/settings/{BOOLEAN}")
OFF = value(ENUMERATION, "Vendor.Common.EnumType.PowerState.Off")
NONCE = value("Vendor.Common.Setting.NonceAb", None, group=NONCE_SETTINGS)

NULLS: dict[str, tuple[str, list[Any], str]] = {
    "twice": ("yes", [NULL, value(BOOLEAN, None, group=AGAIN)], "fail"),
    "twice, nothing claimed": ("unknown", [NULL, value(BOOLEAN, None, group=AGAIN)], "fail"),
    "once": ("yes", [NULL], "inconclusive"),
    "then a value": ("yes", [NULL, value(BOOLEAN, shown=True, group=AGAIN)], "inconclusive"),
    "then refused": ("yes", [NULL, refusal(BOOLEAN, group=AGAIN)], "inconclusive"),
    "while off": ("yes", [OFF, NULL, value(BOOLEAN, None, group=AGAIN)], "inconclusive"),
    "denied": ("no", [NULL, value(BOOLEAN, None, group=AGAIN)], "not_applicable"),
    "as for an unknown key": ("unknown", [NULL, NONCE, value(BOOLEAN, None, group=AGAIN)], "not_applicable"),
    "as for an unknown key, but claimed": ("yes", [NULL, NONCE, value(BOOLEAN, None, group=AGAIN)], "fail"),
    "a value": ("yes", [value(BOOLEAN, shown=False)], "pass"),
    "refused": (
        "unknown",
        [refusal(BOOLEAN), refusal("Vendor.Common.Setting.NonceAb", group=NONCE_SETTINGS)],
        "not_applicable",
    ),
}


@pytest.mark.parametrize("name", NULLS)
def test_null_is_no_value(name: str) -> None:
    """Null twice is a finding, unless it is how the appliance refuses, or a state exempts it."""
    claim, exchanges, verdict = NULLS[name]
    named = {"yes": {"supports": [BOOLEAN]}, "no": {"lacks": [BOOLEAN]}, "unknown": {}}[claim]
    seen = seen_of(profile_of(appliance=named), value(INTEGER, 5), *exchanges)
    assert judged(assert_not_null, "TYPE-NOTNULL", BOOLEAN, seen).verdict == verdict


def test_second_read_of_null_has_its_own_group() -> None:
    """The group names segment and key."""
    assert confirmation(seen_of(profile_of(), NULL).reads["settings", BOOLEAN]) == AGAIN
