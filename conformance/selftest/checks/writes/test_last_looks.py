"""What a setting shows when all was written is judged where it stays, and where nobody wanted it."""

import pytest

from conformance.cases import check_of
from conformance.checks.groups import LAST_LOOK, guard_group
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
    ("steps", "verdict"),
    [
        ([read(LOCK, TEXT), SETTLE_S, read(LOCK, TEXT)], "fail"),
        ([read(LOCK, TEXT), SETTLE_S, read(LOCK, FOUND)], "inconclusive"),
        ([read(LOCK, TEXT), 1, restore(LOCK, FOUND), SETTLE_S, read(LOCK, FOUND)], "inconclusive"),
        ([read(LOCK, FOUND)], "pass"),
    ],
    ids=["it stays", "it passes", "it is put back at once", "it is as it was"],
)
def test_type_at_last(steps: Steps, verdict: str) -> None:
    """A value that stays for the settle time is judged; one that was seen once is a doubt."""
    seen = traced([value(LOCK, FOUND), *procedure(LAST_LOOK, steps)])
    check = check_of(case_of("TYPE-BOOLEAN", LOCK, seen))
    assert judged(check, "TYPE-BOOLEAN", LOCK, seen, f"{len(steps)} {verdict}").verdict == verdict


@pytest.mark.parametrize(("status", "verdict"), [(204, "pass"), (409, "fail")])
def test_alarm_clock_at_last(status: int, verdict: str) -> None:
    """Two looks at the alarm clock count, unless a write that was not refused wanted what they show."""
    made = procedure(guard_group(ALARM), read(ALARM, 0), attempt(ALARM, -1, 0, status=status))
    looks = procedure(LAST_LOOK, read(ALARM, -1), SETTLE_S, read(ALARM, -1))
    seen = traced([value(ALARM, 0), *made, *looks], "Oven")
    check = check_of(case_of("RANGE-ALARMCLOCK", ALARM, seen))
    assert judged(check, "RANGE-ALARMCLOCK", ALARM, seen, f"{status} at last").verdict == verdict


def test_what_was_written_to_be_refused_is_not_told_twice() -> None:
    """A wrong value that stays although the run wrote it is the finding of that write alone."""
    made = procedure(guard_group(LOCK), read(LOCK, FOUND), write(LOCK, TEXT), 1, read(LOCK, FOUND))
    late = procedure(LAST_LOOK, read(LOCK, TEXT), SETTLE_S, read(LOCK, TEXT))
    seen = traced([value(LOCK, FOUND), *made, *late])
    check = check_of(case_of("TYPE-BOOLEAN", LOCK, seen))
    assert judged(check, "TYPE-BOOLEAN", LOCK, seen).verdict == "pass"


@pytest.mark.parametrize(("looks", "verdict"), [(1, "inconclusive"), (2, "fail")])
def test_null_at_last(looks: int, verdict: str) -> None:
    """A null counts where it was read twice, also after another setting was put back."""
    steps = [read(LOCK, TEXT), restore(LOCK, FOUND), *[read(ALARM, None)] * looks]
    seen = traced([value(ALARM, 0), *procedure(LAST_LOOK, *steps)], "Oven")
    check = check_of(case_of("TYPE-NOTNULL", ALARM, seen))
    assert judged(check, "TYPE-NOTNULL", ALARM, seen, f"{looks} null").verdict == verdict
