"""Which wrong values stood, and which forbidden write put them there."""

import pytest
from msgspec.structs import replace

from conformance.checks.groups import LAST_LOOK, guard_group, setting_group
from conformance.checks.traces.standing import have_stood, wrong_reads
from conformance.selftest.support.samples.handmade import value
from conformance.selftest.support.samples.handtraced import (
    LOCK,
    SETTLE_S,
    Steps,
    procedure,
    read,
    restore,
    traced,
    write,
)

ALARM = "Vendor.Common.Setting.AlarmClock"
POWER = "Vendor.Common.Setting.PowerState"
RIGHT, WRONG = read(LOCK, False), read(LOCK, "no")
REFUSED = replace(restore(LOCK, False), response=write(LOCK, False, 409).response)


@pytest.mark.parametrize(
    ("steps", "stood"),
    [
        ([WRONG], False),
        ([WRONG, WRONG], True),
        ([write(LOCK, True), WRONG, WRONG], False),
        ([write(LOCK, True), WRONG, SETTLE_S, WRONG], True),
        ([write(LOCK, True), WRONG, SETTLE_S, RIGHT], False),
        ([write(LOCK, True), WRONG, 6, write(LOCK, False), 6, WRONG], False),
        ([write(LOCK, True), WRONG, 6, REFUSED, 6, WRONG], True),
        ([write(POWER, "Off"), WRONG, WRONG], False),
        ([write(ALARM, 5), WRONG, WRONG], True),
    ],
    ids=[
        "once",
        "twice where nothing is written",
        "twice, right after a write",
        "for the settle time after a write",
        "until the settle time is over",
        "before and after another write",
        "before and after a refused try to put back",
        "after the power state was written",
        "after something else was written",
    ],
)
def test_wrong_values_stand(steps: Steps, stood: bool) -> None:
    """A value that may be on its way counts for nothing; one that stays is a finding."""
    seen = traced([value(LOCK, False), *procedure(setting_group(LOCK), RIGHT, *steps)])
    found = wrong_reads(seen, LOCK, seen.later_reads(LOCK), lambda one: one.value == "no")
    assert have_stood(found, SETTLE_S) is stood
    assert [one.by for one in found] == [None] * len(found)


@pytest.mark.parametrize(
    ("forbidden", "between", "is_its"),
    [("no", RIGHT, True), (7, WRONG, True), (7, RIGHT, False)],
    ids=["its own value, later", "another value, at once", "another value, later"],
)
def test_forbidden_write_is_named(forbidden: object, between: Steps, is_its: bool) -> None:
    """A wrong value is that of the forbidden write that wrote it, or right after which it came."""
    made = procedure(guard_group(LOCK), RIGHT, write(LOCK, forbidden), between)
    seen = traced([value(LOCK, False), *made, *procedure(LAST_LOOK, WRONG)])
    found = wrong_reads(seen, LOCK, seen.later_reads(LOCK), lambda one: one.value == "no")
    assert {one.by is not None for one in found} == {is_its}


@pytest.mark.parametrize(("shown", "is_its"), [(38350, True), (38200, False), (38372, False)])
def test_alarm_clock_runs_down_from_a_forbidden_write(shown: int, is_its: bool) -> None:
    """What the clock shows is that of the write from which it may have run down in that time."""
    made = procedure(guard_group(ALARM), read(ALARM, 0), write(ALARM, 38371), read(ALARM, 0))
    seen = traced([value(ALARM, 0), *made, *procedure(LAST_LOOK, 21, read(ALARM, shown))])
    found = wrong_reads(seen, ALARM, seen.later_reads(ALARM), lambda one: one.value == shown)
    assert [one.by is not None for one in found] == [is_its]
