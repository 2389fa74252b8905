"""Numbers lie in their range, both ends allowed, and nobody's example is a limit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.cases import CATALOG
from conformance.checks.groups import Group
from conformance.checks.reads.confirming import needs_confirming
from conformance.checks.reads.ranges import (
    assert_advertised_not_wider,
    assert_count,
    assert_in_common_range,
    assert_in_own_range,
    assert_own_range_present,
    assert_own_range_wellformed,
)
from conformance.selftest.support.handmade import exchange, judged, profile_of, refusal, seen_of, value

if TYPE_CHECKING:
    from conformance.checks.exchange import Exchange

COMMON = {entry.key: entry.range for entry in CATALOG.entries.values() if entry.range}
SETPOINT = "Refrigeration.FridgeFreezer.Setting.SetpointTemperatureRefrigerator"
FREEZER = "Refrigeration.FridgeFreezer.Setting.SetpointTemperatureFreezer"
COUNTER = "ConsumerProducts.CoffeeMaker.Status.BeverageCounterCoffee"
BRIGHT = "Vendor.Common.Setting.AmbientLightBrightness"
UNIT = "Vendor.Common.Setting.TemperatureUnit"
CELSIUS, FAHRENHEIT = (f"Vendor.Common.EnumType.TemperatureUnit.{name}" for name in ("Celsius", "Fahrenheit"))
CONFIRM = Group.parse(f"confirm/settings/{SETPOINT}")


def in_range(key: str, shown: object, **interpretation: object) -> str:
    """The verdict of the common range on a value."""
    seen = seen_of(profile_of(interpretation=interpretation), value(key, shown))
    return judged(assert_in_common_range, "RANGE-BATTERY", key, seen).verdict


@pytest.mark.parametrize("key", COMMON)
def test_common_range_includes_its_ends(key: str) -> None:
    """Both ends are inside, whatever is beyond is outside, by however little."""
    limits = COMMON[key]
    assert {
        in_range(key, shown)
        for shown in (limits.min, limits.max, float(limits.min), (limits.min + limits.max) / 2)
    } == {"pass"}
    assert {
        in_range(key, shown)
        for shown in (limits.min - 1, limits.min - 1e-6, limits.max + 1e-6, 1e300, -1e300)
    } == {"fail"}


@given(
    st.sampled_from(sorted(COMMON)),
    st.floats(allow_nan=False, allow_infinity=False) | st.integers(-50_000, 50_000),
)
def test_common_range_is_arithmetic(key: str, shown: float) -> None:
    """Inside passes, outside fails, nothing else is said of a number."""
    assert in_range(key, shown) == ("pass" if COMMON[key].min <= shown <= COMMON[key].max else "fail")


@pytest.mark.parametrize("literal", ["NaN", "1e999", '"50"', "true", "[]"])
def test_what_is_no_finite_number_is_the_type_clauses_matter(literal: str) -> None:
    """No range verdict on what is not a number."""
    seen = seen_of(profile_of(), exchange(BRIGHT, 200, f'{{"data": {{"value": {literal}}}}}'.encode()))
    assert judged(assert_in_common_range, "RANGE-AMBBRIGHT", BRIGHT, seen).verdict == "inconclusive"


def test_ends_may_be_left_open() -> None:
    """Interpretation I-1 is a switch; the inside stays inside."""
    assert [in_range(BRIGHT, shown, **{"I-1": False}) for shown in (10, 10.1, 100, 101)] == [
        "inconclusive",
        "pass",
        "inconclusive",
        "fail",
    ]


@pytest.mark.parametrize(
    ("shown", "verdict"),
    [(0, "pass"), (4_294_967_295, "pass"), (10**299, "pass"), (-1, "fail"), (-0.0, "pass")],
)
def test_counter_counts(shown: float, verdict: str) -> None:
    """A count is not negative; nothing else is said of it."""
    assert (
        judged(
            assert_count, "RANGE-COUNT", COUNTER, seen_of(profile_of("CoffeeMaker"), value(COUNTER, shown))
        ).verdict
        == verdict
    )


# lower bound, upper bound -> presence, well-formedness
BOUNDS: dict[str, tuple[dict[str, Any], str, str]] = {
    "both": ({"min": 2, "max": 8}, "pass", "pass"),
    "the same": ({"min": 4, "max": 4.0}, "pass", "pass"),
    "none": ({}, "fail", "inconclusive"),
    "no upper": ({"min": 2}, "fail", "inconclusive"),
    "no lower": ({"max": 8}, "fail", "inconclusive"),
    "crossed": ({"min": 8, "max": 2}, "pass", "fail"),
    "a text": ({"min": "2", "max": 8}, "inconclusive", "fail"),
    "null": ({"min": None, "max": 8}, "inconclusive", "fail"),
    "true": ({"min": True, "max": 8}, "inconclusive", "fail"),
    "not finite": ({"min": 2, "max": float("inf")}, "pass", "fail"),
    "no number": ({"min": float("nan"), "max": 8}, "pass", "fail"),
}


@pytest.mark.parametrize("name", BOUNDS)
def test_own_range(name: str) -> None:
    """Both bounds are there, and they are a range; each defect belongs to one of the two clauses."""
    shown, present, wellformed = BOUNDS[name]
    seen = seen_of(profile_of(), value(SETPOINT, 5, **shown))
    assert judged(assert_own_range_present, "RANGE-PERAPP-PRESENT", SETPOINT, seen).verdict == present
    assert (
        judged(assert_own_range_wellformed, "RANGE-PERAPP-WELLFORMED", SETPOINT, seen).verdict == wellformed
    )


def test_own_range_needs_declared_pointers() -> None:
    """Where the bounds stand is not shown: without pointers nothing is missing."""
    seen = seen_of(profile_of(answer={"value": "/data/value"}), value(SETPOINT, 99, min=2, max=8))
    assert judged(assert_own_range_present, "RANGE-PERAPP-PRESENT", SETPOINT, seen).verdict == "inconclusive"


def setpoint(shown: object, *, group: Group | None = None, **members: Any) -> Exchange:
    """The refrigerator's setpoint in its range from 2 to 8."""
    bounds: dict[str, Any] = {"min": 2, "max": 8}
    return value(SETPOINT, shown, group=group, **(bounds | members))


def mode(name: str) -> Exchange:
    """A cooling mode that is on."""
    return value(f"Refrigeration.Common.Setting.{name}", shown=True)


FORTY_FOUR = [value(UNIT, CELSIUS), setpoint(44), setpoint(44, group=CONFIRM)]

OUTSIDE: dict[str, tuple[list[Exchange], str]] = {
    "inside": ([setpoint(5)], "pass"),
    "an end": ([setpoint(8)], "pass"),
    "within tolerance": ([setpoint(8.0000005)], "pass"),
    "outside twice": ([setpoint(9), setpoint(9, group=CONFIRM)], "fail"),
    "below twice": ([setpoint(1.9), setpoint(1.8, group=CONFIRM)], "fail"),
    "outside once": ([setpoint(9)], "inconclusive"),
    "inside when read again": ([setpoint(9), setpoint(8, group=CONFIRM)], "inconclusive"),
    "refused when read again": ([setpoint(9), refusal(SETPOINT, group=CONFIRM)], "inconclusive"),
    "half a step outside": ([setpoint(8.5, step=1), setpoint(8.5, step=1, group=CONFIRM)], "inconclusive"),
    "more than half a step": ([setpoint(8.6, step=1), setpoint(8.6, step=1, group=CONFIRM)], "fail"),
    "a step that is none": ([setpoint(9, step="2"), setpoint(9, step="2", group=CONFIRM)], "fail"),
    "a step that is no number": ([setpoint(9, step=float("nan")), setpoint(9, group=CONFIRM)], "fail"),
    "in vacation": ([mode("VacationMode"), setpoint(14), setpoint(14, group=CONFIRM)], "inconclusive"),
    "kept fresh": ([mode("FreshMode"), setpoint(1), setpoint(1, group=CONFIRM)], "inconclusive"),
    "saving": ([mode("EcoMode"), setpoint(9), setpoint(9, group=CONFIRM)], "inconclusive"),
    "the unit changed": (
        [
            value(UNIT, CELSIUS),
            setpoint(44),
            setpoint(44, group=CONFIRM),
            value(UNIT, FAHRENHEIT, group=CONFIRM),
        ],
        "inconclusive",
    ),
    "the unit stayed": (
        [
            value(UNIT, CELSIUS),
            setpoint(44),
            setpoint(44, group=CONFIRM),
            value(UNIT, CELSIUS, group=CONFIRM),
        ],
        "fail",
    ),
    "crossed bounds": ([setpoint(9, min=8, max=2), setpoint(9, min=8, max=2, group=CONFIRM)], "inconclusive"),
    "a text": ([setpoint("9")], "inconclusive"),
}


@pytest.mark.parametrize("name", OUTSIDE)
def test_value_in_its_own_range(name: str) -> None:
    """Outside on two reads of one body each, unless a cooling mode, a rounding or another unit may explain
    it.
    """
    exchanges, verdict = OUTSIDE[name]
    result = judged(assert_in_own_range, "RANGE-PERAPP-VALUE", SETPOINT, seen_of(profile_of(), *exchanges))
    assert result.verdict == verdict, result.message


def test_vacation_says_nothing_of_the_freezer() -> None:
    """Line 52 speaks of the refrigerator; the freezer follows its setting."""
    group = Group.parse(f"confirm/settings/{FREEZER}")
    cold: dict[str, Any] = {"min": -24, "max": -16}
    seen = seen_of(
        profile_of(),
        mode("VacationMode"),
        value(FREEZER, -10, **cold),
        value(FREEZER, -10, group=group, **cold),
    )
    assert judged(assert_in_own_range, "RANGE-PERAPP-VALUE", FREEZER, seen).verdict == "fail"


@pytest.mark.parametrize(("shown", "needed"), [(5, False), (9, True), ("9", False)])
def test_second_read_is_made_where_a_finding_is_in_sight(shown: object, *, needed: bool) -> None:
    """Only a value outside its own range is read again."""
    seen = seen_of(profile_of(), setpoint(shown))
    assert needs_confirming(seen, seen.reads["settings", SETPOINT]) is needed


ADVERTISED: dict[str, tuple[dict[str, Any], str]] = {
    "the same": ({"min": 10, "max": 100}, "pass"),
    "narrower": ({"min": 20, "max": 80}, "pass"),
    "one bound": ({"min": 10}, "pass"),
    "none": ({}, "not_applicable"),
    "wider below": ({"min": 0, "max": 100}, "fail"),
    "wider above": ({"min": 10, "max": 101}, "fail"),
    "wider by a rounding error": ({"min": 10 - 1e-9, "max": 100}, "pass"),
    "infinite": ({"min": 10, "max": float("inf")}, "fail"),
    "a text": ({"min": "10", "max": 100}, "inconclusive"),
    "a text beside a wider one": ({"min": "10", "max": 101}, "fail"),
}


@pytest.mark.parametrize("name", ADVERTISED)
def test_advertised_range_is_not_wider(name: str) -> None:
    """A range that is shown may be narrower or missing, never wider than the common one."""
    shown, verdict = ADVERTISED[name]
    result = judged(
        assert_advertised_not_wider,
        "RANGE-COMMON-ADVERTISED",
        BRIGHT,
        seen_of(profile_of("Hood"), value(BRIGHT, 50, **shown)),
    )
    assert result.verdict == verdict, result.message
