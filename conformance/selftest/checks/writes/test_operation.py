"""Statuses beside hands, time and the power state: what reverts, and operation states that do not fit."""

from functools import partial
from itertools import product
from pathlib import Path
from typing import Any, cast

import pytest
from msgspec.structs import replace

from catalog.keys import DUST_BOX
from conformance.checks.exchange import Exchange, Remark
from conformance.checks.groups import DAY, DUST_BOX_OUT, NONCE_STATUS, POWER_ORDERS, TOUCH, WALK, Group
from conformance.checks.reads.paths import agreement
from conformance.checks.writes.operation import ALTERNATING, CLOCK, WATCH, contradictory
from conformance.harness.writes.lanes import LiveLane
from conformance.harness.writes.procedures import attending
from conformance.selftest.support.findings import said
from conformance.selftest.support.handmade import (
    HA_ID,
    UNKNOWN,
    Seen,
    each_of,
    exchange,
    profile_of,
    refusal,
    ruling,
    seen_of,
    value,
)
from conformance.selftest.support.handtraced import (
    FROM_OFF,
    FROM_ON,
    LOCK,
    OPERATION,
    SILENT,
    Steps,
    Story,
    both,
    operation,
    procedure,
    read,
    served,
    to,
    traced,
    walk,
)
from conformance.selftest.support.stepping import Answering

LOCAL, REMOTE, START = (
    f"Vendor.Common.Status.{name}"
    for name in ("LocalControlActive", "RemoteControlActive", "RemoteControlStartAllowed")
)
NONCE = refusal("Vendor.Common.Status.Nonce", group=NONCE_STATUS)


def hook(name: str, status: int | None = 204) -> Exchange:
    """A request to the test bench."""
    return replace(exchange(name, status, segment="", purpose="hook"), value=None)


def remark(purpose: Any, key: str, **note: Any) -> Remark:
    """What is known beside the exchanges of an operation."""
    return Remark(purpose, TOUCH, HA_ID, key, note)


def watched(*shown: Any) -> Steps:
    """Reads of LocalControlActive; a number among them is a pause in seconds."""
    return [
        each if isinstance(each, int | float) and not isinstance(each, bool) else read(LOCAL, each)
        for each in shown
    ]


def operate(
    *done: Exchange | float | Steps | Remark, first: Any = False, group: Group = TOUCH, **profile: Any
) -> Seen:
    """An appliance that was operated, or was not: what was done, and what is known beside it.

    `first` is the shared read; `unattended` in the profile is what the appliance says of itself.
    """
    shared = [NONCE, refusal(LOCAL)] if first is SILENT else [value(LOCAL, first)]
    steps = [each for each in done if not isinstance(each, Remark)]
    appliance = {"unattended": profile.pop("unattended", False)}
    seen = traced([*shared, *procedure(group, *steps)], "Oven", appliance=appliance, **profile)
    return Seen(replace(seen, remarks={TOUCH: tuple(each for each in done if isinstance(each, Remark))}))


def answer_of_person(said: str) -> Remark:
    """A person was asked to operate the appliance, and said this."""
    return remark("operator", LOCAL, asked="...", said=said)


def clock_moved(seconds: float) -> Remark:
    """The clock of the bench was moved."""
    return remark("hook", CLOCK, advanced_s=seconds)


TOUCHED, ADVANCED = hook("touch"), hook("advance")
BENCH: dict[str, Any] = {"touch": {"path": "/touch/{ha_id}"}, "advance": {"path": "/advance/{seconds}"}}
# Benches that operate the appliance and hold it, long enough to be seen or not.
LONG, SHORT = ({**BENCH, "touch": {**BENCH["touch"], "holds_s": seconds}} for seconds in (5, 1))
NEVER: Steps = [TOUCHED, *watched(False, 5, False), TOUCHED, *watched(False, 5, False)]
STILL: Steps = watched(True, 100, True, 100, True, 100, True)
DONE = answer_of_person("done")
hooked, alone = partial(operate, hooks=LONG), partial(operate, unattended=True, first=True, group=WATCH)


TOLD = partial(operate, TOUCHED, events={"path": "/events"})


def in_turn(group: Group, status: Any, settings: Any, times: int = 4) -> list[Exchange]:
    """The dust box under both segments, in turn."""
    turns = [("status", status), ("settings", settings)] * (times // 2)
    return [replace(read(DUST_BOX, shown, segment=segment), groups=(group,)) for segment, shown in turns]


def out(status: Any, settings: Any, times: int = 4) -> list[Exchange]:
    """The same, after the dust box was moved."""
    return in_turn(DUST_BOX_OUT, status, settings, times)


def boxes(*moved_out: Exchange) -> Seen:
    """A dust box that both segments showed, and what they show once it was moved."""
    shared = [value(DUST_BOX, True, segment=segment) for segment in ("status", "settings")]
    box = [replace(hook("dust_box"), groups=(DUST_BOX_OUT,))] if moved_out else []
    exchanges = [*shared, *in_turn(agreement(DUST_BOX), True, True), *box, *moved_out, *box]
    return Seen(seen_of(profile_of("CleaningRobot"), *exchanges))


# A walk between power states, with OperationState beside them.
OFF_BUT_READY = [FROM_ON, *to("Off", "Off", seconds=0), *both("Off", "Ready", 4), 5, *both("Off", "Ready")]
RESTING = [*to("Standby", "Standby", seconds=0), *both("Standby", "Ready", 4), 5, *both("Standby", "Ready")]
BACK_ON = to("On", "On", seconds=0)
ON_BUT_INACTIVE = [FROM_OFF, *BACK_ON, *both("On", "Inactive", 4), 5, *both("On", "Inactive")]
OFF_AND_RUNNING = [FROM_ON, *to("Off", "Off", seconds=0), *both("Off", "Run", 4)]
LAGGING = [FROM_ON, *to("Off", "Off", seconds=0), *both("Off", "Ready", 4), 5, *both("Off", "Inactive")]
MOVING = [FROM_ON, *to("Off", "Off", seconds=0), *both("Off", "Inactive"), *both("Off", "Ready", 4)]
BRIEF = [FROM_ON, *to("Off", "Off", seconds=0), *both("Off", "Ready", 4, seconds=30)]
SWITCHED_OFF = [*to("Off", "Off", seconds=0), *both("Off", "Inactive", 2)]
AGREEING = [FROM_ON, *SWITCHED_OFF, *BACK_ON, *both("On", "Ready", 2)]

SERVED = served("On", "Ready")

# fmt: off
ROWS = {
    ("SELF-LOCALCONTROL", LOCAL): {
        "hook, reverts": ("pass (5) true false 5 ~19a", hooked(TOUCHED, watched(False, True, 5, False))),
        "hook, reverts late": ("inconclusive 4 true false 100 ~e39",
            hooked(TOUCHED, watched(True, 100, False))),
        "hook, still true": ("fail 6 true 300 ~fcd", hooked(TOUCHED, STILL)),
        "hook, the clock was moved": ("pass (5) true false 30 ~8c2",
            hooked(TOUCHED, watched(True), ADVANCED, watched(False), clock_moved(30))),
        "hook, the clock was moved, still true": ("fail 5 true 900 900 ~ab9",
            hooked(TOUCHED, watched(True), ADVANCED, watched(True), clock_moved(900))),
        "hook, the clock was moved before": ("pass (5) true false 1 ~742",
            hooked(ADVANCED, TOUCHED, watched(True, 1, False), clock_moved(900))),
        "hook, never true": ("fail 7 false 4 5 ~42e", hooked(NEVER)),
        "hook, never true, and brief": ("inconclusive 7 true ~b85", operate(NEVER, hooks=SHORT)),
        "hook, nobody answers": ("inconclusive 2 nothing ~bf2",
            hooked(hook("touch", None), watched(False, 5, False))),
        "hook, not readable": ("inconclusive (4) LocalControlActive ~566",
            hooked(TOUCHED, watched(SILENT, 5, SILENT))),
        "a person, still true": ("fail 6 true 300 ~fcd",
            operate(TOUCHED, STILL, DONE, remark("event", LOCAL))),
        "nobody answers, still true": ("inconclusive 6 true true 300 ~793",
            operate(TOUCHED, STILL, answer_of_person(""))),
        "unattended, and not watched": ("inconclusive 1 true 0 600 ~268", alone()),
        "nobody": ("inconclusive 1 appliance.unattended ~1e8", operate()),
        "unattended, false": ("pass (1) ~7ca", operate(unattended=True)),
        "unattended, reverts": ("pass (2) false 8 ~4a7", alone(watched(8, False))),
        "unattended, still true": ("fail 3 true 600 ~66f", alone(watched(300, True, 300, True))),
        "unattended, true for too short": ("inconclusive 1 true 600 600 ~d8d",
            alone(watched(300, True, 299.997, True))),
        "unattended, silent at last": ("inconclusive 1 true 700 600 ~5f7",
            alone(watched(300, True, 400, SILENT))),
        "not served": ("not_applicable 2 404 ~c5a", hooked(first=SILENT)),
    },
    # Whatever RemoteControlStartAllowed is when a day has passed, it is noted and nobody is blamed.
    ("SELF-RCSA-24H", DAY): {
        "ends": ("observed (1) true false 25 ~6c8",
            Story(read(START, True), read(START, False), shared=(value(START, True),))),
        "ends, and cannot be read": ("observed (1) true 409 25 ~73d",
            Story(read(START, True), read(START, SILENT), shared=(value(START, True),))),
        "the bench does not move its clock": ("observed (1) true true 404 ~fbe",
            Story(read(START, True), hook("advance", 404), read(START, True), shared=(value(START, True),))),
        "was over already": ("observed (1) true false ~a0e",
            Story(read(START, False), shared=(value(START, True),))),
        "nothing to wait for": ("observed (1) false nothing ~5da",
            Story(key=START, shared=(value(START, False),))),
        "no day": ("not_applicable (1) 404 ~200", Story(key=START, shared=(refusal(START),))),
        "not asked": ("not_applicable ~dbc", Story(key=START)),
    },
    # What an event stream said is noted, and its silence is: neither channel nor payload is shown.
    ("SELF-LOCALEVENT", "*"): {
        "nobody's hands": ("observed ~a5f", operate(events={"path": "/events"})),
        "told": ("observed (2) LocalControlActive 1 ~410",
            TOLD(remark("event", LOCAL, kind="STATUS", value=False, read=False))),
        "not told": ("observed (2) LocalControlActive 0 ~524", TOLD()),
        "only that it began": ("observed (2) LocalControlActive 1 ~c92",
            TOLD(remark("event", LOCAL, value=True, read=True))),
        "of something else": ("observed (2) LocalControlActive 1 ~c92",
            TOLD(remark("event", "*", value=False), DONE)),
        "and it is not so": ("observed (2) LocalControlActive 1 1 ~80a",
            TOLD(remark("event", LOCAL, value=False, read=True))),
    },
    # Two paths that agreed and differ once the dust box was moved contradict each other.
    ("PATH-AGREE", DUST_BOX): {
        "one does not": ("fail 8 9 /status/ false /settings/ true ~a02", boxes(*out(False, True, 8))),
        "one does not at first": ("inconclusive 8 ~677", boxes(*out(False, True), *out(False, False))),
        "read in one sandwich": ("inconclusive 8 ~f27", boxes(*out(False, True))),
        "not readable then": ("inconclusive 8 ~f27", boxes(*out(SILENT, False))),
        "not moved": ("pass (6) ~2d3", boxes()),
    },
    # PowerState and OperationState that stay at odds convict; a lag does not.
    ("PWR-READBACK", WALK): {
        "they agree": ("pass (15) ~949", walk(AGREEING, shown=SERVED)),
        "off and ready": ('fail 15 14 204 OperationState "…OperationState.Ready" ~486',
            walk(OFF_BUT_READY, shown=SERVED)),
        "off twice, standby once": ('fail 15 14 204 OperationState "…OperationState.Ready" ~a80',
            walk(OFF_BUT_READY, BACK_ON, OFF_BUT_READY[1:], BACK_ON, RESTING, shown=SERVED)),
        "on and inactive": ('fail 15 14 204 OperationState "…OperationState.Inactive" ~6ce',
            walk(ON_BUT_INACTIVE, shown=SERVED)),
        "inactive, and hidden before": ('fail 16 15 204 OperationState "…OperationState.Inactive" ~a94',
            walk(read(OPERATION, SILENT), ON_BUT_INACTIVE, shown=SERVED, supports=(OPERATION,))),
        "not for long": ('inconclusive 13 204 OperationState "…OperationState.Ready" ~ae8',
            walk(BRIEF, shown=SERVED)),
        "off and running": ("pass (13) ~9ff", walk(OFF_AND_RUNNING, shown=SERVED)),
        "no operation state": ("inconclusive (8) OperationState nothing PowerState ~f74",
            walk(FROM_ON, to("Off", "Off"), to("On", "On"), shown=(SERVED[0], UNKNOWN, refusal(OPERATION)))),
        "found off, and hidden then": ("pass (10) ~779",
            walk(FROM_OFF, BACK_ON, both("On", "Ready", 2),
                shown=(served("Off", "Inactive")[0], UNKNOWN, refusal(OPERATION)))),
        "no power state beside": ("not_applicable (3) ~a0e", walk(FROM_ON, declared="On", shown=SERVED)),
    },
}
# fmt: on

test_operation = each_of(ROWS)


READ_FIRST = (*SERVED, *(replace(each, groups=(ALTERNATING,)) for each in SERVED * 2))
OF_OPERATION = ("OPS-INACTIVE", "OPS-READY", "OPS-ON-NOT-INACTIVE")

# A walk on an appliance that was on and ready, and what is said of Inactive-is-off, of Ready-is-on and of
# On-is-not-inactive.
# fmt: off
OPERATIONS: dict[str, tuple[Steps, str, str, str]] = {
    "they agree in each state": (AGREEING, "pass (2) ~00d", "pass (2) ~00d", "pass (6) ~4f7"),
    "they agree, and remote control ends": ([read(REMOTE, True), *AGREEING, read(REMOTE, False)],
        "pass (2) ~eba", "pass (2) ~eba", "pass (6) ~1c6"),
    "it lags": (LAGGING, "pass (2) ~00d", "pass (6) ~4f7", "pass (6) ~4f7"),
    "never switched off": ([FROM_ON],
        'not_applicable (6) OperationState "…OperationState.Ready" ~14d', "pass (6) ~110", "pass (6) ~110"),
    "on and inactive": (ON_BUT_INACTIVE,
        'fail 19 18 204 OperationState "…OperationState.Inactive" ~4f3', "pass (6) ~cf0",
        'fail 19 18 204 OperationState "…OperationState.Inactive" ~4f3'),
    "off and ready": (OFF_BUT_READY,
        'not_applicable (6) OperationState "…OperationState.Ready" ~111',
        'fail 19 18 204 OperationState "…OperationState.Ready" ~ba3', "pass (6) ~cf0"),
    "on and inactive while locked": ([read(LOCK, True), *ON_BUT_INACTIVE],
        'fail 20 19 204 OperationState "…OperationState.Inactive" ~481', "pass (6) ~eac",
        'fail 20 19 204 OperationState "…OperationState.Inactive" ~481'),
    "on and inactive without remote control": ([read(REMOTE, False), *ON_BUT_INACTIVE],
        "inconclusive 20 X6 204 OperationState ~1e7", "pass (6) ~386",
        "inconclusive 20 X6 204 OperationState ~1e7"),
    "on and inactive while somebody acts": ([read(LOCAL, False), *ON_BUT_INACTIVE, read(LOCAL, True)],
        "inconclusive 20 204 OperationState ~a1c", "pass (6) ~c98",
        "inconclusive 20 204 OperationState ~a1c"),
    "off and ready at last": (MOVING,
        'not_applicable (6) OperationState "…OperationState.Ready" ~61d',
        'inconclusive 19 204 OperationState "…OperationState.Ready" ~eea', "pass (6) ~4f7"),
    "off and ready for a moment": (BRIEF,
        'not_applicable (6) OperationState "…OperationState.Ready" ~244',
        'inconclusive 17 204 OperationState "…OperationState.Ready" ~a5a', "pass (6) ~012"),
    "off and ready for a moment, and for long": ([*BRIEF, *OFF_BUT_READY],
        'not_applicable (6) OperationState "…OperationState.Ready" ~e59',
        'fail 30 29 204 OperationState "…OperationState.Ready" ~177', "pass (6) ~731"),
    "on and inactive, then no more": ([*ON_BUT_INACTIVE, operation("Ready"), *both("On", "Ready")],
        'not_applicable (6) OperationState "…OperationState.Ready" ~ec6', "pass (2) ~293", "pass (6) ~d66"),
    "off and running": (OFF_AND_RUNNING,
        'not_applicable (6) OperationState "…OperationState.Ready" ~244', "pass (6) ~012", "pass (6) ~012"),
    "a state that is none": ([FROM_ON, *to("Off", "Off", seconds=0), *both("Off", "Idle", 4)],
        'not_applicable (6) OperationState "…OperationState.Ready" ~244', "pass (6) ~012", "pass (6) ~012"),
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


def test_person_is_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a hook a person is asked, and what they say is noted, or that nobody was there."""
    terminal = tmp_path / "terminal"
    terminal.touch()
    monkeypatch.setattr(attending, "_TERMINAL", terminal)
    seen = traced([value(LOCAL, False)], "Oven")
    touched, lane = attending.Touched(TOUCH, frozenset()), Answering(seen)
    touched.make(seen, cast("LiveLane", lane))
    monkeypatch.setattr(attending, "_TERMINAL", tmp_path / "nobody" / "here")
    touched.make(seen, cast("LiveLane", lane))
    notes = [remark.note for remark in lane.remarks]
    assert [note["said"] for note in notes] == ["done", "done", "", ""]
    assert terminal.read_text(encoding="utf-8") == notes[0]["asked"]
    assert str(notes[0]["asked"]).startswith(f"Operate {HA_ID} (open its door or press a button)")
