"""Traces: what stands for how long, and how long nothing must happen."""

import pytest
from msgspec.structs import replace

from catalog.keys import CUP_WARMER, FRESH_MODE, POWER_STATE
from conformance.checks.groups import PREPARE, guard_group, setting_group
from conformance.checks.traces.quiet import Effects, quiet_seconds
from conformance.checks.traces.trace import attempts
from conformance.checks.view import View
from conformance.checks.writes.requirements import tried_to_end
from conformance.model.states import write_exempting_states
from conformance.selftest.support.samples.handmade import refusal, value
from conformance.selftest.support.samples.handtraced import (
    LOCK,
    SETTLE_S,
    SILENT,
    Steps,
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
    for answer in (answer for answers in seen.groups.values() for answer in answers):
        effects.note(answer)
    return effects


@pytest.mark.parametrize("name", LEARNED)
def test_quiet_is_five_times_the_slowest_effect(name: str) -> None:
    """It is at least 0.2 s and at most the settle time, which it is before an effect was seen."""
    steps, expected = LEARNED[name]
    seen = traced(procedure(setting_group(LOCK), *steps), "CoffeeMaker")
    assert effects_of(seen).quiet_s(WAITED_S) == pytest.approx(expected, abs=0.02)


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
        effects = Effects(seen)
        effects.take_up(seen)
        assert effects.slowest == (slowest and pytest.approx(slowest, abs=0.02))
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
