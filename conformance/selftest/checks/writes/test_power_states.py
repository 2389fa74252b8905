"""What power writes show beside the edges: third states, echoes, operation states that do not fit."""

from itertools import product
from typing import Any

import pytest
from msgspec.structs import replace

from conformance.checks.exchange import Exchange
from conformance.checks.groups import POWER_ORDERS, WALK, Group
from conformance.checks.writes.operation import (
    ALTERNATING,
    contradictory,
)
from conformance.selftest.support.findings import said
from conformance.selftest.support.samples.handmade import UNKNOWN, refusal, ruling, value, write_table
from conformance.selftest.support.samples.handtraced import (
    DEAF_OFF,
    FROM_OFF,
    FROM_ON,
    LOCK,
    OPERATION,
    POWER,
    SILENT,
    TO_STANDBY_INSTEAD,
    Steps,
    Story,
    attempt,
    both,
    operation,
    procedure,
    read,
    to,
    traced,
    walk,
    wire,
)

LOCAL, REMOTE = "Vendor.Common.Status.LocalControlActive", "Vendor.Common.Status.RemoteControlActive"

SELF_TOGGLES = [FROM_ON, *to("On", "Off", "Off"), *to("On", "On"), *to("On", "Off", "Off")]


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
UNSERVED = (*SERVED[:1], UNKNOWN, refusal(OPERATION))


TWO, PROBING = {"power_states": ["On", "Standby"]}, {"probe_unlisted": True}


def advertised(*without: str) -> Exchange:
    """The power state, with a list of all states but these."""
    allowed = [wire(one) for one in ("On", "Off", "Standby") if one not in without]
    return value(POWER, wire("On"), allowed=allowed)


PROBED: dict[str, Any] = {
    "key": POWER,
    "appliance": TWO,
    "shared": SERVED,
    "write": write_table(POWER),
    "power": PROBING,
}


def probed(*steps: Exchange | float | Steps, **but: Any) -> Story:
    """What came of an appliance of two states, of which the third one is to be written."""
    return Story(*steps, **{**PROBED, **but})


# fmt: off
ROWS = {
    # A state that is neither the written nor the old one convicts where the written one is supported.
    ("PWR-NO-FOREIGN", WALK): {
        "the old one": ('inconclusive 8 PowerState "…PowerState.Off" 204 ~9f5', walk(DEAF_OFF)),
        "a third one, twice": ('fail 5 204 PowerState "…PowerState.Standby" 129 133 ~875',
            walk(TO_STANDBY_INSTEAD)),
        "a third one, not settled": ('inconclusive 5 204 PowerState "…PowerState.Standby" 9.0 60 ~72e',
            walk(FROM_ON, to("Off", "Standby", "Standby", seconds=9))),
        "a gateway without Off": ('inconclusive 10 204 PowerState "…PowerState.Standby" ~400',
            walk(TO_STANDBY_INSTEAD, declared="")),
        "a state that is none": ('fail 5 204 PowerState "MainsOff" 129 133 ~540',
            walk([FROM_ON, *attempt(POWER, wire("Off"), "MainsOff", "MainsOff", seconds=60), *to("On",
                "On")] * 2)),
        "while a program is active": ('inconclusive 11 X10 204 PowerState "…PowerState.Standby" ~3d2',
            walk(operation("Run"), TO_STANDBY_INSTEAD)),
        "itself, and it stays": ("pass (6) ~14c",
            walk(FROM_ON, to("On", "On", status=400), to("Off", "Off"))),
        "unreadable": ("inconclusive 4 204 409 ~d45", walk(FROM_ON, to("Off", SILENT) * 2)),
        "only On": ("not_applicable (2) ~45d", walk(FROM_ON, declared="On")),
    },
    # PowerState and OperationState that stay at odds convict; a lag does not.
    ("PWR-READBACK", WALK): {
        "they agree": ("pass (15) ~93e", walk(AGREEING, shown=SERVED)),
        "off and ready": ('fail 15 14 204 OperationState "…OperationState.Ready" ~4e8',
            walk(OFF_BUT_READY, shown=SERVED)),
        "off twice, standby once": ('fail 15 14 204 OperationState "…OperationState.Ready" ~9b5',
            walk(OFF_BUT_READY, BACK_ON, OFF_BUT_READY[1:], BACK_ON, RESTING, shown=SERVED)),
        "on and inactive": ('fail 15 14 204 OperationState "…OperationState.Inactive" ~06f',
            walk(ON_BUT_INACTIVE, shown=SERVED)),
        "not for long": ('inconclusive 13 204 OperationState "…OperationState.Ready" ~220',
            walk(SHORT, shown=SERVED)),
        "off and running": ("pass (13) ~a3e", walk(OFF_AND_RUNNING, shown=SERVED)),
        "no operation state": ("inconclusive (16) OperationState nothing PowerState ~8ba",
            walk(AGREEING, shown=UNSERVED)),
        "no power state beside": ("not_applicable (3) ~0a1", walk(FROM_ON, declared="On", shown=SERVED)),
    },
    # A state that the appliance does not have convicts when it is read twice.
    ("PWR-UNSUPPORTED", WALK): {
        "it is reached": ('fail 5 204 PowerState "…PowerState.Off" 60 "only if the ~0f0',
            probed(FROM_ON, to("Off", "Off", "Off"))),
        "it shows in one read alone": ('inconclusive 5 204 PowerState "…PowerState.Off" 60 ~66a',
            probed(FROM_ON, to("Off", "Off", "On"))),
        "it is ignored": ("pass (8) ~a9f", probed(FROM_ON, to("Off", "On", "On"), to("Standby", "Standby"))),
        "it is ignored, and nothing works": ("inconclusive (2) PowerState ~3d5",
            probed(FROM_ON, to("Off", "On", "On"))),
        "it is not written": ("inconclusive (2) ~d65", probed(FROM_ON, to("Standby", "Standby"))),
        "nothing is written while somebody acts": ("inconclusive (2) X6 nothing LocalControlActive true ~22f",
            probed(read(LOCAL, True), FROM_ON)),
        "it is found in it": ('fail 1 PowerState "…PowerState.Off" appliance.power_states ~46f',
            probed(shared=served("Off", "Inactive"))),
        "it is found in it, and nothing is declared": ("not_judged (1) appliance.power_states ~115",
            probed(appliance={}, shared=served("Off", "Inactive"))),
        "it is found in it, and it is not advertised": ("not_applicable (1) ~729",
            probed(appliance={}, shared=(value(POWER, wire("Off"), allowed=[wire("On"), wire("Standby")]),))),
        "nothing is known": ("not_judged (1) appliance.power_states ~115", probed(appliance={})),
        "each is supported": ("not_applicable (1) ~729",
            probed(appliance={"power_states": ["On", "Off", "Standby"]})),
        "each is advertised": ("not_applicable (1) ~729", probed(appliance={}, shared=(advertised(),))),
        "it is not advertised": ('fail 4 204 PowerState "…PowerState.Off" 60 "only if the ~a31',
            probed(FROM_ON, to("Off", "Off", "Off"), appliance={}, shared=(advertised("Off"),))),
        "it is not to be probed": ("not_judged (1) power.probe_unlisted ~bf7", probed(power={})),
        "writing is not declared": ("not_judged (1) write ~85d",
            Story(key=POWER, appliance=TWO, shared=SERVED, power=PROBING)),
        "it is not listed": ("not_judged (1) write.allow ~d5a", probed(write=write_table(LOCK))),
        "nothing was walked": ("not_judged (1) --level power PowerState ~d3d", probed()),
    },
    # What came of writes that the table does not list is told, whatever came.
    ("PWR-OFF-STANDBY", WALK): {
        "off, standby": ("observed (4) 409 ~b06", walk(FROM_OFF, to("Standby", "Off", status=409))),
        "off, standby, never": ("not_applicable (4) ~f20", walk(FROM_ON, to("Standby", "Standby"))),
    },
    ("PWR-SELF", WALK): {
        "itself": ("observed (10) 204 204 ~93f", walk(SELF_TOGGLES)),
        "itself, never": ("not_applicable (4) ~f20", walk(FROM_ON, to("Off", "Off"))),
    },
}
# fmt: on

test_power_states = Story.each_of(ROWS)


IN_TURN = [replace(each, groups=(ALTERNATING,)) for each in (*SERVED, *SERVED)]
READ_FIRST = (*SERVED, *IN_TURN)
OF_OPERATION = ("OPS-INACTIVE", "OPS-READY", "OPS-ON-NOT-INACTIVE")

# A walk on an appliance that was on and ready, and what is said of Inactive-is-off, of Ready-is-on and of
# On-is-not-inactive.
# fmt: off
OPERATIONS: dict[str, tuple[Steps, str, str, str]] = {
    "they agree in each state": (AGREEING, "pass (2) ~3ce", "pass (2) ~3ce", "pass (6) ~74b"),
    "it lags": (LAGGING, "pass (2) ~3ce", "pass (6) ~74b", "pass (6) ~74b"),
    "never switched off": ([FROM_ON],
        'not_applicable (6) OperationState "…OperationState.Ready" ~888', "pass (6) ~7a5", "pass (6) ~7a5"),
    "on and inactive": (ON_BUT_INACTIVE,
        'fail 19 18 204 OperationState "…OperationState.Inactive" ~506', "pass (6) ~254",
        'fail 19 18 204 OperationState "…OperationState.Inactive" ~506'),
    "off and ready": (OFF_BUT_READY,
        'not_applicable (6) OperationState "…OperationState.Ready" ~edb',
        'fail 19 18 204 OperationState "…OperationState.Ready" ~21c', "pass (6) ~254"),
    "on and inactive while locked": ([read(LOCK, True), *ON_BUT_INACTIVE],
        'fail 20 19 204 OperationState "…OperationState.Inactive" ~ffb', "pass (6) ~f30",
        'fail 20 19 204 OperationState "…OperationState.Inactive" ~ffb'),
    "on and inactive without remote control": ([read(REMOTE, False), *ON_BUT_INACTIVE],
        "inconclusive 20 X6 204 OperationState ~d8a",
        "pass (6) ~9d9",
        "inconclusive 20 X6 204 OperationState ~d8a"),
    "on and inactive while somebody acts": ([read(LOCAL, False), *ON_BUT_INACTIVE, read(LOCAL, True)],
        "inconclusive 20 204 OperationState ~4ba",
        "pass (6) ~8e4",
        "inconclusive 20 204 OperationState ~4ba"),
    "off and ready at last": (MOVING,
        'not_applicable (6) OperationState "…OperationState.Ready" ~149',
        'inconclusive 19 204 OperationState "…OperationState.Ready" ~357',
        "pass (6) ~74b"),
    "off and ready for a moment": (SHORT,
        'not_applicable (6) OperationState "…OperationState.Ready" ~d8b',
        'inconclusive 17 204 OperationState "…OperationState.Ready" ~e9d',
        "pass (6) ~f28"),
    "off and ready for a moment, and for long": ([*SHORT, *OFF_BUT_READY],
        'not_applicable (6) OperationState "…OperationState.Ready" ~6ae',
        'fail 30 29 204 OperationState "…OperationState.Ready" ~620', "pass (6) ~aca"),
    "on and inactive, then no more": ([*ON_BUT_INACTIVE, operation("Ready"), *both("On", "Ready")],
        'not_applicable (6) OperationState "…OperationState.Ready" ~440', "pass (2) ~50c", "pass (6) ~35b"),
    "off and running": (OFF_AND_RUNNING,
        'not_applicable (6) OperationState "…OperationState.Ready" ~d8b', "pass (6) ~f28", "pass (6) ~f28"),
    "a state that is none": ([FROM_ON, *to("Off", "Off", seconds=0), *both("Off", "Idle", 4)],
        'not_applicable (6) OperationState "…OperationState.Ready" ~d8b', "pass (6) ~f28", "pass (6) ~f28"),
}
# fmt: on


@pytest.mark.parametrize(
    ("name", "group"), [*((name, WALK) for name in OPERATIONS), ("off and ready", POWER_ORDERS)]
)
def test_operation_state_after_power_writes(name: str, group: Group) -> None:
    """Inactive with On, or Ready with Off, for the whole settle time and later convicts; a lag does not."""
    steps, *expected = OPERATIONS[name]
    seen = traced([*READ_FIRST, *procedure(group, *steps)])
    assert [said(ruling(clause, OPERATION, seen)) for clause in OF_OPERATION] == expected


def test_states_at_odds_are_watched() -> None:
    """On while inactive, and ready while it is off or in standby, whatever else goes together."""
    pairs = list(product(("On", "Off", "Standby"), ("Inactive", "Ready", "Run")))
    odd = [pair for pair in pairs if contradictory(traced(served(*pair)))]
    assert odd == [("On", "Inactive"), ("Off", "Ready"), ("Standby", "Ready")]
