"""What a setting shows when all was written is judged where it stays, and where nobody wanted it."""

import pytest

from conformance.cases import check_of
from conformance.checks.groups import LAST_LOOK, guard_group
from conformance.selftest.support.findings import said
from conformance.selftest.support.samples.handmade import case_of, judged, value
from conformance.selftest.support.samples.handtraced import (
    LOCK,
    SETTLE_S,
    Steps,
    attempt,
    procedure,
    read,
    restore,
    traced,
    write,
)

ALARM = "Vendor.Common.Setting.AlarmClock"
FOUND, TEXT = False, "false"


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        ([read(LOCK, TEXT), SETTLE_S, read(LOCK, TEXT)], 'fail 3 "false"'),
        ([read(LOCK, TEXT), SETTLE_S, read(LOCK, FOUND)], 'inconclusive 2 "false"'),
        ([read(LOCK, TEXT), 1, restore(LOCK, FOUND), SETTLE_S, read(LOCK, FOUND)], 'inconclusive 2 "false"'),
        ([read(LOCK, FOUND)], "pass (1)"),
    ],
    ids=["it stays", "it passes", "it is put back at once", "it is as it was"],
)
def test_type_at_last(steps: Steps, expected: str) -> None:
    """A value that stays for the settle time is judged; one that was seen once is a doubt."""
    seen = traced([value(LOCK, FOUND), *procedure(LAST_LOOK, steps)])
    check = check_of(case_of("TYPE-BOOLEAN", LOCK, seen))
    assert said(judged(check, "TYPE-BOOLEAN", LOCK, seen)) == expected


@pytest.mark.parametrize(("status", "expected"), [(204, "pass (1)"), (409, "fail 6 BELOW -1 0 38340")])
def test_alarm_clock_at_last(status: int, expected: str) -> None:
    """Two looks at the alarm clock count, unless a write that was not refused wanted what they show."""
    made = procedure(guard_group(ALARM), read(ALARM, 0), attempt(ALARM, -1, 0, status=status))
    looks = procedure(LAST_LOOK, read(ALARM, -1), SETTLE_S, read(ALARM, -1))
    seen = traced([value(ALARM, 0), *made, *looks], "Oven")
    check = check_of(case_of("RANGE-ALARMCLOCK", ALARM, seen))
    assert said(judged(check, "RANGE-ALARMCLOCK", ALARM, seen)) == expected


def test_what_was_written_to_be_refused_is_not_told_twice() -> None:
    """A wrong value that stays although the run wrote it is the finding of that write alone."""
    made = procedure(guard_group(LOCK), read(LOCK, FOUND), write(LOCK, TEXT), 1, read(LOCK, FOUND))
    late = procedure(LAST_LOOK, read(LOCK, TEXT), SETTLE_S, read(LOCK, TEXT))
    seen = traced([value(LOCK, FOUND), *made, *late])
    check = check_of(case_of("TYPE-BOOLEAN", LOCK, seen))
    assert said(judged(check, "TYPE-BOOLEAN", LOCK, seen)) == "pass (1)"


@pytest.mark.parametrize(("looks", "expected"), [(1, "inconclusive 4 null"), (2, "fail 4 null")])
def test_null_at_last(looks: int, expected: str) -> None:
    """A null counts where it was read twice, also after another setting was put back."""
    steps = [read(LOCK, TEXT), restore(LOCK, FOUND), *[read(ALARM, None)] * looks]
    seen = traced([value(ALARM, 0), *procedure(LAST_LOOK, *steps)], "Oven")
    check = check_of(case_of("TYPE-NOTNULL", ALARM, seen))
    assert said(judged(check, "TYPE-NOTNULL", ALARM, seen)) == expected
