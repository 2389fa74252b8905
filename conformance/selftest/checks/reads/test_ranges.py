"""Numbers lie in their range, both ends allowed, and nobody's example is a limit."""

from typing import Any

import pytest
from msgspec.structs import replace

from conformance.cases import CATALOG
from conformance.checks.exchange import Exchange
from conformance.checks.groups import PREPARE, Group, setting_group
from conformance.checks.reads.ranges import (
    assert_advertised_not_wider,
    assert_count,
    assert_in_common_range,
    assert_in_own_range,
    assert_own_range_present,
    assert_own_range_wellformed,
)
from conformance.selftest.support.samples.handmade import (
    Reads,
    exchange,
    judged,
    profile_of,
    refusal,
    seen_of,
    value,
)
from conformance.selftest.support.samples.handtraced import SETTLE_S, attempt, procedure, read

COMMON = {entry.key: entry.range for entry in CATALOG.entries.values() if entry.range}
SETPOINT = "Refrigeration.FridgeFreezer.Setting.SetpointTemperatureRefrigerator"
FREEZER = "Refrigeration.FridgeFreezer.Setting.SetpointTemperatureFreezer"
COUNTER = "ConsumerProducts.CoffeeMaker.Status.BeverageCounterCoffee"
BRIGHT = "Vendor.Common.Setting.AmbientLightBrightness"
UNIT = "Vendor.Common.Setting.TemperatureUnit"
CELSIUS, FAHRENHEIT = (f"Vendor.Common.EnumType.TemperatureUnit.{name}" for name in ("Celsius", "Fahrenheit"))
CONFIRM, UNIT_AGAIN = (Group.parse(f"again/settings/{key}") for key in (SETPOINT, UNIT))


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


# lower bound, upper bound -> presence, well-formedness
BOUNDS: dict[str, tuple[dict[str, Any], str, str]] = {
    "both": ({"min": 2, "max": 8}, "pass", "pass"),
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


@pytest.mark.parametrize(("shown", "says"), [({}, "min"), ({"min": 2}, "max"), ({"max": 8}, "min")])
def test_bound_that_no_answer_has(shown: dict[str, Any], says: str) -> None:
    """Where no answer of the run has a member at the declared pointer, the profile may be wrong."""
    seen = seen_of(profile_of(), value(SETPOINT, 5, **shown), value(FREEZER, -18, **shown))
    found = judged(assert_own_range_present, "RANGE-PERAPP-PRESENT", SETPOINT, seen, f"no {says} anywhere")
    assert found.verdict == "inconclusive"
    assert found.message == f"no member at answer.{says} '/data/{says}' in any answer; is it right?"


@pytest.mark.parametrize("name", BOUNDS)
def test_own_range(name: str) -> None:
    """Both bounds are there, and they are a range; each defect belongs to one of the two clauses."""
    shown, present, wellformed = BOUNDS[name]
    seen = seen_of(profile_of(), value(SETPOINT, 5, **shown), value(FREEZER, -18, min=-24, max=-16))
    assert judged(assert_own_range_present, "RANGE-PERAPP-PRESENT", SETPOINT, seen).verdict == present
    assert (
        judged(assert_own_range_wellformed, "RANGE-PERAPP-WELLFORMED", SETPOINT, seen).verdict == wellformed
    )


def setpoint(shown: object, *, group: Group | None = None, key: str = SETPOINT, **members: Any) -> Exchange:
    """A setpoint in a range from 2 to 8, unless it shows another."""
    bounds: dict[str, Any] = {"min": 2, "max": 8}
    return value(key, shown, group=group, **(bounds | members))


def twice(shown: object, again: object = None, **members: Any) -> tuple[Exchange, ...]:
    """The refrigerator's setpoint, and what it shows when it is read again: the same, or another value."""
    second = shown if again is None else again
    return setpoint(shown, **members), setpoint(second, group=CONFIRM, **members)


def ended(*shown: float | None) -> list[Exchange]:
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
COLD: dict[str, Any] = {"key": FREEZER, "min": -24, "max": -16}
WARM = (setpoint(-10, **COLD), setpoint(-10, group=Group.parse(f"again/settings/{FREEZER}"), **COLD))
I1_OFF = {"I-1": False}
ROWS = {
    ("RANGE-AMBBRIGHT", assert_in_common_range, BRIGHT): {
        "no number": literal("NaN"),
        "a number as text": literal('"50"'),
        "true": literal("true"),
        "a list": literal("[]"),
        "an end, and I-1 is off": Reads(value(BRIGHT, 10), interpretation=I1_OFF),
        "inside, and I-1 is off": Reads(value(BRIGHT, 10.1), interpretation=I1_OFF),
        "outside, and I-1 is off": Reads(value(BRIGHT, 101), interpretation=I1_OFF),
    },
    ("RANGE-COUNT", assert_count, COUNTER): {
        "nothing counted": Reads(value(COUNTER, 0)),
        "less than nothing counted": Reads(value(COUNTER, -1)),
    },
    ("RANGE-PERAPP-PRESENT", assert_own_range_present, SETPOINT): {
        "where bounds stand is not declared": Reads(setpoint(99), answer={"value": "/data/value"})
    },
    ("RANGE-PERAPP-VALUE", assert_in_own_range, SETPOINT): {
        "inside": Reads(setpoint(5)),
        "an end": Reads(setpoint(8)),
        "within tolerance": Reads(setpoint(8.0000005)),
        "outside twice": Reads(*twice(9)),
        "below twice": Reads(*twice(1.9, 1.8)),
        "outside once": Reads(setpoint(9)),
        "inside when read again": Reads(*twice(9, 8)),
        "refused when read again": Reads(setpoint(9), refusal(SETPOINT, group=CONFIRM)),
        "half a step outside": Reads(*twice(8.5, step=1)),
        "more than half a step": Reads(*twice(8.6, step=1)),
        "a step that is none": Reads(*twice(9, step="2")),
        "in vacation": Reads(mode("VacationMode"), mode("VacationMode", again=True), *twice(14)),
        "in vacation, seen once": Reads(mode("VacationMode"), *twice(14)),
        "inside after vacation": Reads(*ended(4)),
        "inside a while after vacation": Reads(*ended(14, None, 4, 4)),
        "outside after vacation": Reads(*ended(12, None, 12, 12)),
        "outside at once after vacation": Reads(*ended(12, 12, 12)),
        "in vacation, the freezer": Reads(mode("VacationMode"), *WARM, key=FREEZER),
        "saving": Reads(mode("EcoMode"), mode("EcoMode", again=True), *twice(9)),
        "saving in vacation": Reads(
            mode("EcoMode"), mode("VacationMode"), mode("VacationMode", again=True), *twice(14)
        ),
        "the unit changed": Reads(IN_C, *twice(44), value(UNIT, FAHRENHEIT, group=UNIT_AGAIN)),
        "the unit stayed": Reads(IN_C, *twice(44), value(UNIT, CELSIUS, group=UNIT_AGAIN)),
        "it follows its unit": Reads(*in_fahrenheit(41, None, 41)),
        "it follows its unit late": Reads(*in_fahrenheit(5, 5, None, 41)),
        "it stays when its unit changes": Reads(*in_fahrenheit(5, 5, None, 5, 5)),
        "it stays when its unit changes, once": Reads(*in_fahrenheit(5, 5)),
        "it stays when its unit changes, in vacation": Reads(
            mode("VacationMode"), *in_fahrenheit(14, None, 14, 14)
        ),
        "half a step outside in its unit": Reads(*in_fahrenheit(None, 46.4, 46.4, step=1)),
        "more than half a step in its unit": Reads(*in_fahrenheit(None, 46.6, 46.6, step=1)),
        "less than one outside in its unit": Reads(*in_fahrenheit(None, 46.6, 46.6)),
        "the bounds are crossed": Reads(*twice(9, min=8, max=2)),
        "a setpoint as text": Reads(setpoint("9")),
    },
    ("RANGE-COMMON-ADVERTISED", assert_advertised_not_wider, BRIGHT): {
        "the same bounds": bright(min=10, max=100),
        "one bound": bright(min=10),
        "no bounds": bright(),
        "wider below": bright(min=0, max=100),
        "wider above": bright(min=10, max=101),
        "wider by a rounding error": bright(min=10 - 1e-9, max=100),
        "a bound as text": bright(min="10", max=100),
        "a bound as text beside a wider one": bright(min="10", max=101),
        "narrower, and the value outside": bright(min=60, max=100),
        "narrower, and the value outside by rounding": bright(min=50.4, max=100, step=1),
        "narrower, and the value inside": bright(min=40, max=60),
    },
}

test_ranges = Reads.each_of(ROWS)
