"""What power writes show beside the edges: third states, echoes, operation states that do not fit, and writes
that no line lists.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from conformance.checks.groups import POWER_ORDERS, WALK, Group
from conformance.checks.writes.operation import (
    ALTERNATING,
    assert_inactive_is_off,
    assert_on_is_not_inactive,
    assert_ready_is_on,
)
from conformance.checks.writes.power import assert_no_foreign_state, note_spontaneous, note_unlisted
from conformance.checks.writes.power_readback import assert_state_is_read_back
from conformance.selftest.support.handmade import judged, refusal, value
from conformance.selftest.support.handtraced import LOCK, SILENT, Story, attempt, procedure, read, traced
from conformance.selftest.support.power_walks import (
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

if TYPE_CHECKING:
    from conformance.selftest.support.handtraced import Steps

LOCAL, REMOTE = "Vendor.Common.Status.LocalControlActive", "Vendor.Common.Status.RemoteControlActive"

SELF_TOGGLES = [FROM_ON, *to("On", "Off", "Off"), *to("On", "On"), *to("On", "Off", "Off")]
FOREIGN: dict[str, Story] = {
    "the written ones": told("pass", "", [FROM_ON, *to("Off", "Off"), *to("On", "On")]),
    "the old one": told("pass", "", DEAF_OFF),
    "a third one, twice": told(
        "fail", "document says a write leads to the state that is written", TO_STANDBY_INSTEAD
    ),
    "a third one, once": told("inconclusive", "but not twice", TO_STANDBY_INSTEAD[:5]),
    "a third one, not settled": told(
        "inconclusive", "not yet settled", [FROM_ON, *to("Off", "Standby", "Standby", seconds=9)]
    ),
    "a gateway without Off": told(
        "inconclusive", "whether it supports Off is not declared", TO_STANDBY_INSTEAD, ""
    ),
    "Off was seen before": told(
        "fail", "twice", [FROM_ON, *to("Off", "Off"), *to("On", "On"), *TO_STANDBY_INSTEAD[1:]], ""
    ),
    "a state that is none": told(
        "fail",
        '"MainsOff"',
        [FROM_ON, *attempt(POWER, wire("Off"), "MainsOff", "MainsOff", seconds=60), *to("On", "On")] * 2,
    ),
    "somebody acts": told(
        "inconclusive", "meanwhile", [read(LOCAL, shown=False), *TO_STANDBY_INSTEAD, read(LOCAL, shown=True)]
    ),
    "while a program is active": told("inconclusive", "while X10", [operation("Run"), *TO_STANDBY_INSTEAD]),
    "unlisted, to On": told(
        "fail",
        "wrote Standby from Off",
        [FROM_OFF, *to("Standby", "On", "On"), *to("Off", "Off"), *to("Standby", "On", "On")],
    ),
    "unlisted, to the written": told("pass", "", [FROM_OFF, *to("Standby", "Standby", "Standby")]),
    "unlisted, refused": told("pass", "", [FROM_OFF, *to("Standby", "Off", status=409)]),
    "itself, and it moves": told("fail", "wrote On from On", SELF_TOGGLES),
    "itself, and it stays": told("pass", "", [FROM_ON, *to("On", "On", status=400)]),
    "unreadable": told("inconclusive", "could not be read", [FROM_ON, *to("Off", SILENT) * 2]),
    "only On": told("not_applicable", "no power state beside", [FROM_ON], "On"),
}


@pytest.mark.parametrize("name", FOREIGN)
def test_no_third_state(name: str) -> None:
    """A state that is neither the written nor the old one convicts when it came twice and the written one is
    shown to be supported.
    """
    FOREIGN[name].holds(assert_no_foreign_state, "PWR-NO-FOREIGN", WALK)


OFF_BUT_READY = [FROM_ON, *to("Off", "Off", seconds=0), *both("Off", "Ready", 4), 5, *both("Off", "Ready")]
STANDBY_BUT_READY = [
    *to("Standby", "Standby", seconds=0),
    *both("Standby", "Ready", 4),
    5,
    *both("Standby", "Ready"),
]
BACK_ON = [*to("On", "On", seconds=0)]
ON_BUT_INACTIVE = [
    FROM_OFF,
    *to("On", "On", seconds=0),
    *both("On", "Inactive", 4),
    5,
    *both("On", "Inactive"),
]
LAGGING = [FROM_ON, *to("Off", "Off", seconds=0), *both("Off", "Ready", 4), 5, *both("Off", "Inactive")]
MOVING = [FROM_ON, *to("Off", "Off", seconds=0), *both("Off", "Inactive"), *both("Off", "Ready", 4)]
SHORT = [FROM_ON, *to("Off", "Off", seconds=0), *both("Off", "Ready", 4, seconds=30)]
AGREEING = [
    FROM_ON,
    *to("Off", "Off", seconds=0),
    *both("Off", "Inactive", 2),
    *to("On", "On", seconds=0),
    *both("On", "Ready", 2),
]
SERVED = (value(POWER, wire("On")), value(OPERATION, "Vendor.Common.EnumType.OperationState.Ready"))
UNSERVED = (*SERVED[:1], NONCE, refusal(OPERATION))

READ_BACK: dict[str, Story] = {
    "they agree": told("pass", "", AGREEING, shown=SERVED),
    "it lags, then they agree": told("pass", "", LAGGING, shown=SERVED),
    "off and ready": told("fail", "60 s after Off was written, and still later", OFF_BUT_READY, shown=SERVED),
    "off twice, standby once": told(
        "fail",
        "60 s after Off was written, and still later, twice, also after 1 other write; document says"
        " PowerState is the current power",
        [*OFF_BUT_READY, *BACK_ON, *OFF_BUT_READY[1:], *BACK_ON, *STANDBY_BUT_READY],
        shown=SERVED,
    ),
    "on and inactive": told("fail", "60 s after On was written", ON_BUT_INACTIVE, shown=SERVED),
    "not all the time": told("inconclusive", "not for the whole time", MOVING, shown=SERVED),
    "not for long": told("inconclusive", "not for the whole time", SHORT, shown=SERVED),
    "off and running": told(
        "pass", "", [FROM_ON, *to("Off", "Off", seconds=0), *both("Off", "Run", 4)], shown=SERVED
    ),
    "no operation state": told("inconclusive", "OperationState gives no value", AGREEING, shown=UNSERVED),
    "no power state beside": told("not_applicable", "no power state beside", [FROM_ON], "On", shown=SERVED),
    "somebody acts": told(
        "inconclusive",
        "meanwhile",
        [read(LOCAL, shown=False), *OFF_BUT_READY, read(LOCAL, shown=True)],
        shown=SERVED,
    ),
}


@pytest.mark.parametrize("name", READ_BACK)
def test_state_is_no_echo(name: str) -> None:
    """PowerState and OperationState at odds for the whole settle time, and still later, convict; a lag does
    not.
    """
    READ_BACK[name].holds(assert_state_is_read_back, "PWR-READBACK", WALK)


NOTED: dict[str, tuple[str, Story]] = {
    "off, standby": (
        "PWR-OFF-STANDBY",
        told(
            "observed",
            "Standby in Off: 409 (refused), then Off",
            [FROM_OFF, *to("Standby", "Off", status=409)],
        ),
    ),
    "off, standby, taken": (
        "PWR-OFF-STANDBY",
        told("observed", "acknowledged (204), then Standby", [FROM_OFF, *to("Standby", "Standby")]),
    ),
    "off, standby, unreadable": (
        "PWR-OFF-STANDBY",
        told("observed", "then unreadable", [FROM_OFF, *to("Standby", SILENT)]),
    ),
    "off, standby, never": (
        "PWR-OFF-STANDBY",
        told("not_applicable", "do not lead to such a write", [FROM_ON, *to("Standby", "Standby")]),
    ),
    "itself": ("PWR-SELF", told("observed", "On in On: acknowledged (204), then Off", SELF_TOGGLES)),
    "itself, never": (
        "PWR-SELF",
        told("not_applicable", "do not lead to such a write", [FROM_ON, *to("Off", "Off")]),
    ),
}


@pytest.mark.parametrize("name", NOTED)
def test_unlisted_writes_are_noted(name: str) -> None:
    """What came of writes that the table does not list is told, whatever came."""
    clause, story = NOTED[name]
    story.holds(note_unlisted, clause, WALK)


def test_changes_without_a_write_are_noted() -> None:
    """A state that changed between reads of groups that wrote nothing is counted, and blames nobody; what
    followed a write is not.
    """
    shared = [
        value(POWER, wire("On")),
        *(replace(value(POWER, wire(state)), group=Group.parse("repeat/x")) for state in ("On", "Standby")),
    ]
    seen = traced([*shared, *procedure(WALK, FROM_ON, to("Off", "Off"))])
    note = judged(note_spontaneous, "PWR-SPONTANEOUS", POWER, seen)
    assert (note.verdict, note.message) == (
        "observed",
        "3 reads without a write in between, 1 changes: On -> Standby",
    )
    assert (
        judged(note_spontaneous, "PWR-SPONTANEOUS", POWER, traced([refusal(POWER)])).verdict
        == "not_applicable"
    )


IN_TURN = [replace(each, group=ALTERNATING) for each in (*SERVED, *SERVED)]
READ_FIRST = (*SERVED, *IN_TURN)


# a walk on an appliance that was on and ready -> what it says, and the verdicts of Inactive-is-off,
# Ready-is-on, On-is-not-inactive
OPERATIONS: dict[str, tuple[Steps, str, tuple[str, str, str]]] = {
    "they agree in each state": (AGREEING, "", ("pass", "pass", "pass")),
    "it lags": (LAGGING, "", ("pass", "pass", "pass")),
    "never switched off": ([FROM_ON], "not Inactive", ("not_applicable", "pass", "pass")),
    "on and inactive": (
        ON_BUT_INACTIVE,
        "60 s after On was written, and still later",
        ("fail", "pass", "fail"),
    ),
    "off and ready": (
        OFF_BUT_READY,
        "60 s after Off was written, and still later",
        ("not_applicable", "fail", "pass"),
    ),
    "on and inactive while locked": (
        [read(LOCK, shown=True), *ON_BUT_INACTIVE],
        "60 s after On was written",
        ("fail", "pass", "fail"),
    ),
    "on and inactive without remote control": (
        [read(REMOTE, shown=False), *ON_BUT_INACTIVE],
        "while X6: RemoteControlActive is false",
        ("inconclusive", "pass", "inconclusive"),
    ),
    "on and inactive while somebody acts": (
        [read(LOCAL, shown=False), *ON_BUT_INACTIVE, read(LOCAL, shown=True)],
        "meanwhile LocalControlActive is true",
        ("inconclusive", "pass", "inconclusive"),
    ),
    "off and ready at last": (
        MOVING,
        "not for the whole settle time",
        ("not_applicable", "inconclusive", "pass"),
    ),
    "off and ready for a moment": (
        SHORT,
        "not for the whole settle time",
        ("not_applicable", "inconclusive", "pass"),
    ),
    "off and ready for a moment, and for long": (
        [*SHORT, *OFF_BUT_READY],
        "and still later",
        ("not_applicable", "fail", "pass"),
    ),
    "on and inactive, then no more": (
        [*ON_BUT_INACTIVE, operation("Ready"), *both("On", "Ready")],
        "",
        ("not_applicable", "pass", "pass"),
    ),
    "off and running": (
        [FROM_ON, *to("Off", "Off", seconds=0), *both("Off", "Run", 4)],
        "",
        ("not_applicable", "pass", "pass"),
    ),
    "a state that is none": (
        [FROM_ON, *to("Off", "Off", seconds=0), *both("Off", "Idle", 4)],
        "",
        ("not_applicable", "pass", "pass"),
    ),
}


@pytest.mark.parametrize("group", [WALK, POWER_ORDERS])
@pytest.mark.parametrize("name", OPERATIONS)
def test_operation_state_after_power_writes(name: str, group: Group) -> None:
    """Inactive with On, or Ready with Off, for the whole settle time after a write and still later convicts;
    a lag does not.
    """
    steps, says, verdicts = OPERATIONS[name]
    seen = traced([*READ_FIRST, *procedure(group, *steps)])
    checks = {
        "OPS-INACTIVE": assert_inactive_is_off,
        "OPS-READY": assert_ready_is_on,
        "OPS-ON-NOT-INACTIVE": assert_on_is_not_inactive,
    }
    found = [judged(check, clause, OPERATION, seen) for clause, check in checks.items()]
    assert tuple(one.verdict for one in found) == verdicts
    assert any(says in one.message for one in found)
