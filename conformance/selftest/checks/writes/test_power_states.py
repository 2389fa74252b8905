"""What power writes show beside the edges: third states, echoes, operation states that do not fit."""

from itertools import product
from typing import Any

import pytest
from msgspec.structs import replace

from conformance.checks.exchange import Exchange
from conformance.checks.groups import POWER_ORDERS, WALK, Group
from conformance.checks.writes.judging import judge_writes
from conformance.checks.writes.operation import (
    ALTERNATING,
    assert_inactive_is_off,
    assert_on_is_not_inactive,
    assert_ready_is_on,
    contradictory,
)
from conformance.checks.writes.power import (
    in_agreement,
    no_third_state,
    not_reached,
    note_present_state,
    note_standby_from_off,
)
from conformance.selftest.support.samples.handmade import judged, refusal, value, write_table
from conformance.selftest.support.samples.handtraced import (
    LOCK,
    SILENT,
    Steps,
    Story,
    attempt,
    procedure,
    read,
    traced,
)
from conformance.selftest.support.samples.power_walks import (
    DEAF_OFF,
    FROM_OFF,
    FROM_ON,
    NONCE,
    OPERATION,
    POWER,
    TO_STANDBY_INSTEAD,
    both,
    operation,
    to,
    told,
    wire,
)

LOCAL, REMOTE = "Vendor.Common.Status.LocalControlActive", "Vendor.Common.Status.RemoteControlActive"

SELF_TOGGLES = [FROM_ON, *to("On", "Off", "Off"), *to("On", "On"), *to("On", "Off", "Off")]
# A state that is neither the written nor the old one convicts where the written one is supported.
FOREIGN: dict[str, Story] = {
    "the written ones": told("pass", FROM_ON, to("Off", "Off"), to("On", "On")),
    "the old one": told("inconclusive", DEAF_OFF),
    "the old one, and others work": told("pass", DEAF_OFF, to("Standby", "Standby"), to("On", "On")),
    "a third one, twice": told("fail", TO_STANDBY_INSTEAD),
    "a third one, once": told("inconclusive", TO_STANDBY_INSTEAD[:5]),
    "a third one, not settled": told("inconclusive", FROM_ON, to("Off", "Standby", "Standby", seconds=9)),
    "a gateway without Off": told("inconclusive", TO_STANDBY_INSTEAD, declared=""),
    "Off was seen before": told(
        "fail", FROM_ON, to("Off", "Off"), to("On", "On"), TO_STANDBY_INSTEAD[1:], declared=""
    ),
    "a state that is none": told(
        "fail",
        [FROM_ON, *attempt(POWER, wire("Off"), "MainsOff", "MainsOff", seconds=60), *to("On", "On")] * 2,
    ),
    "somebody acts": told("inconclusive", read(LOCAL, False), TO_STANDBY_INSTEAD, read(LOCAL, True)),
    "while a program is active": told("inconclusive", operation("Run"), TO_STANDBY_INSTEAD),
    "unlisted, to On": told(
        "fail", FROM_OFF, to("Standby", "On", "On"), to("Off", "Off"), to("Standby", "On", "On")
    ),
    "unlisted, to the written": told("pass", FROM_OFF, to("Standby", "Standby", "Standby")),
    "unlisted, refused": told("pass", FROM_OFF, to("Standby", "Off", status=409), to("On", "On")),
    "itself, and it moves": told("fail", SELF_TOGGLES),
    "itself, and it stays": told("pass", FROM_ON, to("On", "On", status=400), to("Off", "Off")),
    "unreadable": told("inconclusive", FROM_ON, to("Off", SILENT) * 2),
    "only On": told("not_applicable", FROM_ON, declared="On"),
}


OFF_BUT_READY = [FROM_ON, *to("Off", "Off", seconds=0), *both("Off", "Ready", 4), 5, *both("Off", "Ready")]
RESTING = [*to("Standby", "Standby", seconds=0), *both("Standby", "Ready", 4), 5, *both("Standby", "Ready")]
BACK_ON = to("On", "On", seconds=0)
ON_BUT_INACTIVE = [FROM_OFF, *BACK_ON, *both("On", "Inactive", 4), 5, *both("On", "Inactive")]
OFF_AND_RUNNING = [FROM_ON, *to("Off", "Off", seconds=0), *both("Off", "Run", 4)]
LAGGING = [FROM_ON, *to("Off", "Off", seconds=0), *both("Off", "Ready", 4), 5, *both("Off", "Inactive")]
MOVING = [FROM_ON, *to("Off", "Off", seconds=0), *both("Off", "Inactive"), *both("Off", "Ready", 4)]
SHORT = [FROM_ON, *to("Off", "Off", seconds=0), *both("Off", "Ready", 4, seconds=30)]
SWITCHED_OFF = [*to("Off", "Off", seconds=0), *both("Off", "Inactive", 2)]
AGREEING = [FROM_ON, *SWITCHED_OFF, *BACK_ON, *both("On", "Ready", 2)]


def served(power: str, state: str) -> tuple[Exchange, Exchange]:
    """The shared reads of both states."""
    return value(POWER, wire(power)), value(OPERATION, f"Vendor.Common.EnumType.OperationState.{state}")


SERVED = served("On", "Ready")
UNSERVED = (*SERVED[:1], NONCE, refusal(OPERATION))

# PowerState and OperationState that stay at odds convict; a lag does not.
READ_BACK: dict[str, Story] = {
    "they agree": told("pass", AGREEING, shown=SERVED),
    "it lags, then they agree": told("pass", LAGGING, shown=SERVED),
    "off and ready": told("fail", OFF_BUT_READY, shown=SERVED),
    "off twice, standby once": told(
        "fail", OFF_BUT_READY, BACK_ON, OFF_BUT_READY[1:], BACK_ON, RESTING, shown=SERVED
    ),
    "on and inactive": told("fail", ON_BUT_INACTIVE, shown=SERVED),
    "not all the time": told("inconclusive", MOVING, shown=SERVED),
    "not for long": told("inconclusive", SHORT, shown=SERVED),
    "off and running": told("pass", OFF_AND_RUNNING, shown=SERVED),
    "no operation state": told("inconclusive", AGREEING, shown=UNSERVED),
    "no power state beside": told("not_applicable", FROM_ON, declared="On", shown=SERVED),
    "only On, and no operation state": told("not_applicable", FROM_ON, declared="On", shown=UNSERVED),
    "somebody acts": told("inconclusive", read(LOCAL, False), OFF_BUT_READY, read(LOCAL, True), shown=SERVED),
}


PROBED: dict[str, Any] = {
    "key": POWER,
    "appliance": {"power_states": ["On", "Standby"]},
    "shared": SERVED,
    "write": write_table(POWER),
    "power": {"probe_unlisted": True},
}
# A state that the appliance does not have convicts when it is read twice.
UNSUPPORTED: dict[str, Story] = {
    "it is reached": Story("fail", FROM_ON, to("Off", "Off", "Off"), **PROBED),
    "it shows in one read alone": Story("inconclusive", FROM_ON, to("Off", "Off", "On"), **PROBED),
}


# What came of writes that the table does not list is told, whatever came.
UNLISTED: dict[str, Story] = {
    "off, standby": told("observed", FROM_OFF, to("Standby", "Off", status=409)),
    "off, standby, taken": told("observed", FROM_OFF, to("Standby", "Standby")),
    "off, standby, unreadable": told("observed", FROM_OFF, to("Standby", SILENT)),
    "off, standby, never": told("not_applicable", FROM_ON, to("Standby", "Standby")),
}
ITSELF: dict[str, Story] = {
    "itself": told("observed", SELF_TOGGLES),
    "itself, never": told("not_applicable", FROM_ON, to("Off", "Off")),
}

test_power_states = Story.each_of(
    {
        ("PWR-NO-FOREIGN", judge_writes(no_third_state), WALK): FOREIGN,
        ("PWR-READBACK", judge_writes(in_agreement), WALK): READ_BACK,
        ("PWR-UNSUPPORTED", judge_writes(not_reached), WALK): UNSUPPORTED,
        ("PWR-OFF-STANDBY", note_standby_from_off, WALK): UNLISTED,
        ("PWR-SELF", note_present_state, WALK): ITSELF,
    }
)


def test_states_at_odds_are_watched() -> None:
    """On while inactive, and ready while it is off or in standby, whatever else goes together."""
    pairs = list(product(("On", "Off", "Standby"), ("Inactive", "Ready", "Run")))
    odd = [pair for pair in pairs if contradictory(traced(served(*pair)))]
    assert odd == [("On", "Inactive"), ("Off", "Ready"), ("Standby", "Ready")]


IN_TURN = [replace(each, groups=(ALTERNATING,)) for each in (*SERVED, *SERVED)]
READ_FIRST = (*SERVED, *IN_TURN)
OPERATION_CHECKS = {
    "OPS-INACTIVE": assert_inactive_is_off,
    "OPS-READY": assert_ready_is_on,
    "OPS-ON-NOT-INACTIVE": assert_on_is_not_inactive,
}

# a walk on an appliance that was on and ready -> the verdicts of Inactive-is-off, Ready-is-on and
# On-is-not-inactive
OPERATIONS: dict[str, tuple[Steps, str]] = {
    "they agree in each state": (AGREEING, "pass pass pass"),
    "it lags": (LAGGING, "pass pass pass"),
    "never switched off": ([FROM_ON], "not_applicable pass pass"),
    "on and inactive": (ON_BUT_INACTIVE, "fail pass fail"),
    "off and ready": (OFF_BUT_READY, "not_applicable fail pass"),
    "on and inactive while locked": ([read(LOCK, True), *ON_BUT_INACTIVE], "fail pass fail"),
    "on and inactive without remote control": (
        [read(REMOTE, False), *ON_BUT_INACTIVE],
        "inconclusive pass inconclusive",
    ),
    "on and inactive while somebody acts": (
        [read(LOCAL, False), *ON_BUT_INACTIVE, read(LOCAL, True)],
        "inconclusive pass inconclusive",
    ),
    "off and ready at last": (MOVING, "not_applicable inconclusive pass"),
    "off and ready for a moment": (SHORT, "not_applicable inconclusive pass"),
    "off and ready for a moment, and for long": ([*SHORT, *OFF_BUT_READY], "not_applicable fail pass"),
    "on and inactive, then no more": (
        [*ON_BUT_INACTIVE, operation("Ready"), *both("On", "Ready")],
        "not_applicable pass pass",
    ),
    "off and running": (OFF_AND_RUNNING, "not_applicable pass pass"),
    "a state that is none": (
        [FROM_ON, *to("Off", "Off", seconds=0), *both("Off", "Idle", 4)],
        "not_applicable pass pass",
    ),
}


@pytest.mark.parametrize(
    ("name", "group"), [*((name, WALK) for name in OPERATIONS), ("off and ready", POWER_ORDERS)]
)
def test_operation_state_after_power_writes(name: str, group: Group) -> None:
    """Inactive with On, or Ready with Off, for the whole settle time and later convicts; a lag does not."""
    steps, verdicts = OPERATIONS[name]
    seen = traced([*READ_FIRST, *procedure(group, *steps)])
    found = [judged(check, clause, OPERATION, seen, name) for clause, check in OPERATION_CHECKS.items()]
    assert [one.verdict for one in found] == verdicts.split()
