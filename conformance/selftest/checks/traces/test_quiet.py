"""Traces: what stands for how long, and how long nothing must happen."""

import pytest
from msgspec.structs import replace

from catalog.keys import ALARM_CLOCK, CUP_WARMER, FRESH_MODE, POWER_STATE, SETPOINT
from conformance.checks.exchange import Exchange
from conformance.checks.groups import LAST_LOOK, PREPARE, guard_group, setting_group
from conformance.checks.traces.effects import Effects, have_stood, quiet_seconds, shows_as_before, wrong_reads
from conformance.checks.traces.trace import attempts
from conformance.checks.view import View
from conformance.checks.writes.requirements import tried_to_end
from conformance.model.states import write_exempting_states
from conformance.selftest.support.handmade import refusal, value
from conformance.selftest.support.handtraced import (
    LOCK,
    LOCKS,
    SETTLE_S,
    SILENT,
    Steps,
    Story,
    attempt,
    procedure,
    read,
    restore,
    traced,
    write,
)

ALARM = "Vendor.Common.Setting.AlarmClock"
WAITED_S = 10
"""The settle time of a profile that does not say another."""
AT_ONCE: Steps = [read(LOCK, False), write(LOCK, True), read(LOCK, True)]
AFTER_A_SECOND: Steps = [read(LOCK, False), write(LOCK, True), read(LOCK, False), 1.0, read(LOCK, True)]
LEARNED: dict[str, tuple[Steps, float]] = {
    "nothing seen": ([], WAITED_S),
    "an effect at once": (AT_ONCE, 0.2),
    "an effect after a second": (AFTER_A_SECOND, 5),
    "the slowest of two": ([*AT_ONCE, 1.0, *AFTER_A_SECOND], 5),
    "five times more than the settle time": (
        [read(LOCK, False), write(LOCK, True), read(LOCK, False), 4.0, read(LOCK, True)],
        WAITED_S,
    ),
    "the value it had": ([read(LOCK, True), write(LOCK, True), read(LOCK, True)], WAITED_S),
    "a write that was refused": ([read(LOCK, False), write(LOCK, True, 409), read(LOCK, True)], WAITED_S),
    "no effect": ([read(LOCK, False), write(LOCK, True), read(LOCK, False)], WAITED_S),
    "a power state": (
        [read(POWER_STATE, "Off"), write(POWER_STATE, "On"), read(POWER_STATE, "On")],
        WAITED_S,
    ),
}


def effects_of(seen: View) -> Effects:
    """What the procedures of an appliance teach."""
    effects = Effects(seen)
    for answer in seen.told:
        effects.note(answer)
    return effects


@pytest.mark.parametrize("name", LEARNED)
def test_quiet_is_five_times_the_slowest_effect(name: str) -> None:
    """It is at least 0.2 s and at most the settle time, which it is before an effect was seen."""
    steps, expected = LEARNED[name]
    seen = traced(procedure(setting_group(LOCK), *steps), "CoffeeMaker")
    assert effects_of(seen).quiet_s(WAITED_S) == pytest.approx(expected, abs=0.02)


def test_quiet_is_bounded() -> None:
    """By what is asked for, and by the settle time of a setting: learned, declared, or for a power state."""
    steps = [read(POWER_STATE, "On"), *attempt(POWER_STATE, "x", "On", "On")]
    for timing, quiet_s in (
        ({"quiet_s": 3}, 3),
        ({"quiet_s": 30}, WAITED_S),
        ({"power_settle_s": 60}, WAITED_S),
    ):
        seen = traced(procedure(guard_group(POWER_STATE), *steps), "CoffeeMaker", timing=timing)
        (forbidden,) = attempts(seen, guard_group(POWER_STATE))
        assert [Effects(seen).quiet_s(most_s) for most_s in (0.1, 60)] == [0.1, quiet_s]
        assert quiet_seconds(seen, forbidden) == quiet_s


def test_what_comes_with_a_prepared_state_is_its_effect() -> None:
    """From the write that prepared it, if it was acknowledged, to another value of another key."""
    made = [write(LOCK, True), read(CUP_WARMER, False), 1.0, read(CUP_WARMER, True), 1.0]
    for steps, slowest in (
        (made, 1.0),
        ([*made, read(CUP_WARMER, True)], 1.0),
        ([*made, read(CUP_WARMER, False)], 2.0),
        ([write(LOCK, True, 409), *made[1:]], None),
        (made[:2], None),
        ([read(CUP_WARMER, True), *made[1:]], None),
    ):
        seen = traced([value(CUP_WARMER, False), *procedure(PREPARE, *steps)], "CoffeeMaker")
        assert effects_of(seen).slowest == (slowest and pytest.approx(slowest, abs=0.02))
    seen = traced([value(CUP_WARMER, True), *procedure(PREPARE, made[0], 1.0, made[1])], "CoffeeMaker")
    assert effects_of(seen).slowest == pytest.approx(1.0, abs=0.02)


@pytest.mark.parametrize(
    ("steps", "has_writes", "has_stayed"),
    [
        ([read(LOCK, False)], False, False),
        (attempt(LOCK, "x", False, "x"), True, False),
        ([read(LOCK, False), *attempt(LOCK, "x", False, "x")], True, True),
        ([read(LOCK, "x"), *attempt(LOCK, "x", "x")], True, False),
        ([read(LOCK, False), *attempt(LOCK, "x", "x", seconds=9.0)], True, False),
        ([read(LOCK, False), write(LOCK, "x"), restore(LOCK, False), SETTLE_S, read(LOCK, "x")], True, False),
        ([read(LOCK, False), *attempt(LOCK, "x", "x", "y"), SETTLE_S, read(LOCK, "z")], True, False),
        ([read(LOCK, False), *attempt(LOCK, "x", "x", status=409), read(LOCK, False)], True, True),
        ([read(POWER_STATE, "On"), *attempt(POWER_STATE, "x", "x")], False, False),
        ([replace(write(LOCK, "x"), ha_id="two")], False, False),
    ],
)
def test_forbidden_value_that_stays_is_known(*, steps: Steps, has_writes: bool, has_stayed: bool) -> None:
    """Where it was read after the settle time, and not before it was written; it is no effect to wait for."""
    effects = effects_of(traced(procedure(guard_group(LOCK), *steps)))
    assert (effects.has_writes, effects.has_stayed) == (has_writes, has_stayed)
    assert effects.slowest is None


def test_new_bounds_are_told_once() -> None:
    """What a body shows for the first time at an address that gave another one before."""
    shown: Steps = [read(ALARM, 1, max=high) for high in (5, 9, 9, 5)]
    told = procedure(setting_group(ALARM), *shown, refusal(ALARM, 409), write(ALARM, 1), read(LOCK, True))
    effects = Effects(seen := traced([value(ALARM, 1, max=5), *told]))
    assert [effects.has_new_rules(one) for one in seen.told] == [False, True, *[False] * 5]


def test_what_comes_later_does_not_lengthen_what_was_waited() -> None:
    """An attempt is judged by what had been seen until its last read."""
    told = [
        *procedure(setting_group(LOCK), *AT_ONCE),
        *procedure(guard_group(CUP_WARMER), read(CUP_WARMER, False), *attempt(CUP_WARMER, "x", False, False)),
        *procedure(setting_group(LOCK), *AFTER_A_SECOND),
    ]
    seen = traced(told, "CoffeeMaker")
    (forbidden,) = attempts(seen, guard_group(CUP_WARMER))
    assert quiet_seconds(seen, forbidden) == pytest.approx(0.2)


TRIED: dict[str, tuple[Steps, str]] = {
    "never": ([read(LOCK, True)], ""),
    "in vain": (
        attempt(LOCK, False, True),
        "to end that, false was written to ChildLock, acknowledged (204), then true",
    ),
    "and it took effect": (attempt(LOCK, False, False), ""),
    "in vain at last": ([*attempt(LOCK, False, False), *attempt(LOCK, False, True)], "(204), then true"),
    "and it is silent": (attempt(LOCK, False, SILENT), "then it could not be read"),
    "of another key": (attempt(FRESH_MODE, False, True), ""),
}


@pytest.mark.parametrize("name", TRIED)
def test_what_was_tried_to_end_a_state_is_told(name: str) -> None:
    """Only where it stands all the same, with what the last write led to."""
    steps, says = TRIED[name]
    seen = traced([value(LOCK, True), *procedure(PREPARE, *steps)])
    (state,) = write_exempting_states(seen, FRESH_MODE)
    told = tried_to_end(seen, state)
    assert (says in told, bool(told)) == (True, bool(says)), told


@pytest.mark.parametrize(
    ("key", "before", "now", "is_as_before"),
    [
        (LOCK, True, True, True),
        (LOCK, True, False, False),
        (ALARM_CLOCK, 600, 600, True),
        (ALARM_CLOCK, 600, 530, True),
        (ALARM_CLOCK, 600, 529, False),
        (ALARM_CLOCK, 600, 601, False),
        (ALARM_CLOCK, 600, "590", False),
        (SETPOINT, 7, 6, False),
        (SETPOINT, 6, 6.0, True),
    ],
)
def test_alarm_clock_shows_as_before_while_it_runs(
    *, key: str, before: object, now: object, is_as_before: bool
) -> None:
    """It may have run for the ten seconds between two reads, and the minute that is its unit."""
    seen = traced(procedure(LAST_LOOK, read(key, before), 9.998, read(key, now)))
    assert shows_as_before(*seen.told) is is_as_before


# Which wrong values stood, and which forbidden write put them there.
POWER = "Vendor.Common.Setting.PowerState"


RIGHT, WRONG = read(LOCK, False), read(LOCK, "no")


REFUSED = replace(restore(LOCK, False), response=write(LOCK, False, 409).response)


STOOD: dict[str, tuple[Steps, bool]] = {
    "once": ([WRONG], False),
    "twice where nothing is written": ([WRONG, WRONG], True),
    "twice, right after a write": ([write(LOCK, True), WRONG, WRONG], False),
    "for the settle time after a write": ([write(LOCK, True), WRONG, SETTLE_S, WRONG], True),
    "until the settle time is over": ([write(LOCK, True), WRONG, SETTLE_S, RIGHT], False),
    "before and after another write": ([write(LOCK, True), WRONG, 6, write(LOCK, False), 6, WRONG], False),
    "before and after a refused try to put back": ([write(LOCK, True), WRONG, 6, REFUSED, 6, WRONG], True),
    "after the power state was written": ([write(POWER, "Off"), WRONG, WRONG], False),
    "after something else was written": ([write(ALARM, 5), WRONG, WRONG], True),
}


@pytest.mark.parametrize("name", STOOD)
def test_wrong_values_stand(name: str) -> None:
    """A value that may be on its way counts for nothing; one that stays is a finding."""
    steps, stood = STOOD[name]
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


@pytest.mark.parametrize(
    ("written", "shown", "its"),
    [
        ([38371], 38350, 38371),
        ([38371], 38200, None),
        ([38371], 38372, None),
        ([-7, -1], -7, -7),
        ([-1, -7], -7, -7),
        ([-7, -1], -8, -1),
    ],
)
def test_alarm_clock_runs_down_from_a_forbidden_write(
    written: list[int], shown: int, its: int | None
) -> None:
    """What the clock shows is that of the write of its value, else of the last one from which it may have run
    down in that time.
    """
    tries = [step for each in written for step in (write(ALARM, each), read(ALARM, 0))]
    made = procedure(guard_group(ALARM), read(ALARM, 0), *tries)
    seen = traced([value(ALARM, 0), *made, *procedure(LAST_LOOK, 21, read(ALARM, shown))])
    (found,) = wrong_reads(seen, ALARM, seen.later_reads(ALARM), lambda one: one.value == shown)
    assert (found.by.exchange.value if found.by else None) == its


# What the last look shows is judged where it stays.
FOUND, TEXT = False, "false"
UNLOCKED = (value(LOCK, FOUND),)


def looked(*looks: object) -> Story:
    """What the last look shows of a lock that had kept its value."""
    made = procedure(guard_group(LOCK), read(LOCK, False), attempt(LOCK, "yes", False))
    last = [step for look in looks for step in (read(LOCK, look), SETTLE_S)]
    return Story(*last, shared=(*LOCKS, *made))


def alarm(status: int) -> Story:
    """An alarm clock that shows at last, twice, what a forbidden write wanted that was answered so."""
    made = procedure(guard_group(ALARM), read(ALARM, 0), attempt(ALARM, -1, 0, status=status))
    return Story(read(ALARM, -1), SETTLE_S, read(ALARM, -1), shared=(value(ALARM, 0), *made))


def silenced(*looks: Exchange) -> Story:
    """An alarm clock that shows these after another setting was put back."""
    return Story(read(LOCK, TEXT), restore(LOCK, FOUND), *looks, shared=(value(ALARM, 0),), key=ALARM)


WRITTEN = procedure(guard_group(LOCK), read(LOCK, FOUND), write(LOCK, TEXT), 1, read(LOCK, FOUND))

# fmt: off
ROWS = {
    # What a setting shows when all was written is judged where it stays, and where nobody wanted it.
    ("TYPE-BOOLEAN", LAST_LOOK): {
        "a text stays": ('fail 3 "false" ~9d9',
            Story(read(LOCK, TEXT), SETTLE_S, read(LOCK, TEXT), shared=UNLOCKED)),
        "a text passes": ('inconclusive 2 "false" ~243',
            Story(read(LOCK, TEXT), SETTLE_S, read(LOCK, FOUND), shared=UNLOCKED)),
        "a text is put back at once": ('inconclusive 2 "false" ~243',
            Story(read(LOCK, TEXT), 1, restore(LOCK, FOUND), SETTLE_S, read(LOCK, FOUND), shared=UNLOCKED,
                key=LOCK)),
        "it is as it was": ("pass (1) ~04e", Story(read(LOCK, FOUND), shared=UNLOCKED)),
        # It is the finding of the write that was to be refused.
        "a text that was written stays": ("pass (1) ~04e",
            Story(read(LOCK, TEXT), SETTLE_S, read(LOCK, TEXT), shared=(*UNLOCKED, *WRITTEN), key=LOCK)),
    },
    ("RANGE-ALARMCLOCK", LAST_LOOK): {
        "a number that was written, and taken": ("pass (1) ~9cc", alarm(204)),
        "a number that was written, and refused": ("fail 6 BELOW -1 0 38340 ~e36", alarm(409)),
    },
    ("TYPE-NOTNULL", LAST_LOOK): {
        "null once": ("inconclusive 4 null ~b2b", silenced(read(ALARM, None))),
        "null, then a value": ("inconclusive 4 null 200 ~36d", silenced(read(ALARM, None), read(ALARM, 5))),
        "null twice": ("fail 4 null ~b89", silenced(read(ALARM, None), read(ALARM, None))),
    },
    # A forbidden value that the last look shows is no pass, and a finding where it is read twice.
    ("SET-TYPEGUARD", LAST_LOOK): {
        "it shows at last": ('inconclusive 8 "yes" ChildLock 204 "yes" ~9a1', looked("yes")),
        "another one shows at last": ("pass (4) ~98c", looked(True)),
        "it shows at last, twice": ('fail 9 "yes" ChildLock 204 "yes" ~f6b', looked("yes", "yes")),
    },
}
# fmt: on

test_last_look = Story.each_of(ROWS)
