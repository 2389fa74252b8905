"""What a number outside its range may mean; no verdict rests on it."""

from typing import Any

import pytest

from catalog.keys import ALARM_CLOCK, DOSING_1, SETPOINT
from conformance.cases import CATALOG
from conformance.checks.groups import guard_group
from conformance.checks.hints import hint_of
from conformance.checks.reads.ranges import assert_in_common_range
from conformance.checks.writes.guarding import inside
from conformance.checks.writes.judging import judge_writes
from conformance.records.results import CaseResult
from conformance.runs.notices import notices_of
from conformance.selftest.support.samples.handmade import judged, profile_of, seen_of, value
from conformance.selftest.support.samples.handtraced import attempt, procedure, read, traced, working

OR_CELSIUS = "or it looks like °C: 4.5 °C are 40.1 °F"
OR_FAHRENHEIT = "or it looks like °F: 39 °F are 3.9 °C"
HINTS: dict[str, tuple[str, float, tuple[float, float] | None, str]] = {
    "tenths": (SETPOINT, 4.5, (20, 80), f"ten times 4.5 lies within; {OR_CELSIUS}"),
    "times ten": (SETPOINT, 505, (20, 80), "a tenth of 505 lies within"),
    "degrees Fahrenheit": (
        SETPOINT,
        39,
        (2, 8),
        "a tenth of 39 lies within; or it looks like °F: 39 °F are 3.9 °C",
    ),
    "no unit of a volume": (DOSING_1, 39, (2, 3.5), ""),
    "not available": (SETPOINT, -32768, (2, 8), "-32768 often means that no value is available"),
    "within": (SETPOINT, 5, (2, 8), ""),
    "no bounds": (SETPOINT, 50, None, ""),
    "the common range": (ALARM_CLOCK, 383_000, None, "a tenth of 383000 lies within"),
    "nothing near": (SETPOINT, 5_000_000, (2, 8), ""),
}


@pytest.mark.parametrize("name", HINTS)
def test_hint_says_what_a_value_may_mean(name: str) -> None:
    """Another scale, another unit, a number that stands for nothing; where nobody can tell, nothing."""
    key, shown, bounds, hint = HINTS[name]
    members: dict[str, Any] = {"min": bounds[0], "max": bounds[1]} if bounds else {}
    kind = "Washer" if key == DOSING_1 else "Oven" if key == ALARM_CLOCK else "Refrigerator"
    answer = seen_of(profile_of(kind), value(key, shown, **members)).read(key)
    assert answer
    assert hint_of(CATALOG.entries[key], answer) == hint


def test_finding_has_its_hint() -> None:
    """It stands beside the finding, which stays as it is; without a finding it stands beside the verdict."""
    seen = seen_of(profile_of("Oven"), value(ALARM_CLOCK, 383_000))
    failed = judged(assert_in_common_range, "RANGE-ALARMCLOCK", ALARM_CLOCK, seen)
    assert isinstance(failed.result, CaseResult)
    assert (failed.verdict, failed.result.hint) == ("fail", HINTS["the common range"][3])
    (notice,) = notices_of([seen_of(profile_of(), value(SETPOINT, -32768))])
    assert notice == f"one gave -32768 for SetpointTemperatureRefrigerator: {HINTS['not available'][3]}"


def test_a_value_of_the_run_has_no_hint() -> None:
    """A forbidden number that was written and stored looks like nothing but itself."""
    stored = attempt(ALARM_CLOCK, 38341, 38341, 38341) * 2
    seen = traced(
        [*working(ALARM_CLOCK, 0, 60), *procedure(guard_group(ALARM_CLOCK), read(ALARM_CLOCK, 0), stored)]
    )
    failed = judged(judge_writes(inside), "RANGE-WRITE-OUT", ALARM_CLOCK, seen)
    assert isinstance(failed.result, CaseResult)
    assert (failed.verdict, failed.result.hint) == ("fail", "")
