"""What hands and time show: a status that must revert, a day that passes, an event that is heard, a dust box
that is moved.
"""

# ruff: noqa: FBT003  true and false stand here for values on the wire

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import pytest

from catalog.keys import DUST_BOX
from conformance.checks.groups import NONCE_STATUS, Group
from conformance.checks.reads.paths import agreement, assert_segments_agree
from conformance.checks.remark import Remark
from conformance.checks.writes.attending import CLOCK, DAY, DUST_BOX_OUT, TOUCH, note_day, note_event
from conformance.checks.writes.operation import WATCH, assert_local_control_reverts
from conformance.harness.writes import attending
from conformance.selftest.support.handmade import HA_ID, exchange, judged, profile_of, refusal, seen_of, value
from conformance.selftest.support.handtraced import SILENT, procedure, read, traced

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from conformance.checks.exchange import Exchange
    from conformance.checks.view import View
    from conformance.selftest.support.handtraced import Steps

LOCAL, START = "Vendor.Common.Status.LocalControlActive", "Vendor.Common.Status.RemoteControlStartAllowed"
NONCE = refusal("Vendor.Common.Status.Nonce", group=NONCE_STATUS)
HELD = {
    "hooks": {"touch": {"path": "/touch/{ha_id}", "holds_s": 5}, "advance": {"path": "/advance/{seconds}"}}
}
"""A bench that operates the appliance and holds it long enough to be seen."""
BRIEF = {"hooks": {"touch": {"path": "/touch/{ha_id}", "holds_s": 1}}}


def hook(name: str, status: int | None = 204) -> Exchange:
    """A request to the test bench."""
    return replace(exchange(name, status, segment="", purpose="hook"), value=None)


def remark(purpose: Any, key: str, **note: Any) -> Remark:
    """What is known beside the exchanges of an operation."""
    return Remark(purpose, TOUCH, HA_ID, key, note)


def watched(*shown: Any) -> Steps:
    """Reads of LocalControlActive; a number among them is a pause in seconds."""
    return [
        float(each) if isinstance(each, int) and not isinstance(each, bool) else read(LOCAL, each)
        for each in shown
    ]


@dataclass(frozen=True)
class Operated:
    """An appliance that was operated, or was not: its shared read, what the profile says, what was done, and
    the verdict.
    """

    verdict: str
    says: str
    steps: Steps
    tables: Mapping[str, Any]
    remarks: tuple[Remark, ...] = ()
    first: Any = False
    appliance: Mapping[str, Any] | None = None
    group: Group = TOUCH

    def seen(self) -> View:
        """What all of it amounts to."""
        shared = [NONCE, refusal(LOCAL)] if self.first is SILENT else [value(LOCAL, self.first)]
        seen = traced(
            [*shared, *procedure(self.group, *self.steps)], "Oven", appliance=self.appliance, **self.tables
        )
        return replace(seen, remarks={TOUCH: self.remarks})


def asked(said: str) -> Remark:
    """A person was asked to operate the appliance, and said this."""
    return remark("operator", LOCAL, asked="...", said=said)


def moved(seconds: float) -> Remark:
    """The clock of the bench was moved."""
    return remark("hook", CLOCK, advanced_s=seconds)


TOUCHED, ADVANCED = hook("touch"), hook("advance")
NEVER: Steps = [TOUCHED, *watched(False, 5, False), TOUCHED, *watched(False, 5, False)]
STILL: Steps = [TOUCHED, *watched(True, 100, True, 100, True, 100, True)]
UNATTENDED = {"unattended": True}

OPERATED: dict[str, Operated] = {
    # With a hook.
    "hook, reverts": Operated("pass", "false within 5 s", [TOUCHED, *watched(False, True, 5, False)], HELD),
    "hook, reverts at the last moment": Operated(
        "pass", "false within 30 s", [TOUCHED, *watched(True, 30, False)], HELD
    ),
    "hook, reverts late": Operated(
        "inconclusive", "false after 100 s", [TOUCHED, *watched(True, 100, False)], HELD
    ),
    "hook, still true for a while": Operated(
        "inconclusive", "still true after 200 s", [TOUCHED, *watched(True, 100, True, 100, True)], HELD
    ),
    "hook, still true": Operated(
        "fail", "still true 300 s after the appliance was operated, document says a few seconds", STILL, HELD
    ),
    "hook, the clock was moved": Operated(
        "pass", "false within 30 s", [TOUCHED, *watched(True), ADVANCED, *watched(False)], HELD, (moved(30),)
    ),
    "hook, the clock was moved by much": Operated(
        "fail",
        "still true 300 s",
        [TOUCHED, *watched(True), ADVANCED, *watched(True), ADVANCED, *watched(True)],
        HELD,
        (moved(30), moved(270)),
    ),
    "hook, the clock was moved before": Operated(
        "pass", "false within 1 s", [ADVANCED, TOUCHED, *watched(True, 1, False)], HELD, (moved(900),)
    ),
    "hook, never true": Operated(
        "fail", "false at all 4 reads though the appliance was operated twice", NEVER, HELD
    ),
    "hook, never true, once": Operated("inconclusive", "polling may have missed it", NEVER[:4], HELD),
    "hook, never true, and brief": Operated("inconclusive", "polling may have missed it", NEVER, BRIEF),
    "hook, it does not work": Operated(
        "inconclusive", "answered 500", [hook("touch", 500), *watched(False, 5, False)], HELD
    ),
    "hook, nobody answers": Operated(
        "inconclusive", "no response", [hook("touch", None), *watched(False, 5, False)], HELD
    ),
    "hook, not readable": Operated(
        "inconclusive", "could not be read", [TOUCHED, *watched(SILENT, 5, SILENT)], HELD
    ),
    "hook, unreadable for a moment": Operated(
        "pass", "", [TOUCHED, *watched(True, 5, SILENT, 1, False)], HELD
    ),
    # With a person.
    "person, reverts": Operated("pass", "false within 5 s", watched(True, 5, False), {}, (asked("done"),)),
    "person, still true": Operated("fail", "still true 300 s", STILL[1:], {}, (asked("done"),)),
    "person, nobody answered": Operated(
        "inconclusive", "still true after 300 s", STILL[1:], {}, (asked(""),)
    ),
    "person, never true": Operated(
        "inconclusive", "polling may have missed it", NEVER[1:4], {}, (asked("done"), asked("done"))
    ),
    # With nobody.
    "nobody": Operated("inconclusive", "not declared unattended", [], {}),
    "unattended, false": Operated("pass", "not operated locally", [], {}, appliance=UNATTENDED),
    "unattended, reverts": Operated(
        "pass",
        "reverted to false after 8 s",
        watched(8, False),
        {},
        first=True,
        appliance=UNATTENDED,
        group=WATCH,
    ),
    "unattended, still true": Operated(
        "fail",
        "true at every read for 600 s on an unattended appliance",
        watched(300, True, 300, True),
        {},
        (),
        True,
        UNATTENDED,
        WATCH,
    ),
    "unattended, true for a while": Operated(
        "inconclusive", "true for 300 s", watched(300, True), {}, (), True, UNATTENDED, WATCH
    ),
    "unattended, silent for a while": Operated(
        "inconclusive", "would contradict", watched(300, SILENT, 300, True), {}, (), True, UNATTENDED, WATCH
    ),
    "not served": Operated("not_applicable", "not supported", [], HELD, first=SILENT),
}


@pytest.mark.parametrize("name", OPERATED)
def test_local_control_reverts(name: str) -> None:
    """LocalControlActive that stays true, or that a bench cannot bring about, convicts; what may have been
    missed does not.
    """
    operated = OPERATED[name]
    found = judged(assert_local_control_reverts, "SELF-LOCALCONTROL", LOCAL, operated.seen())
    assert (found.verdict, operated.says in found.message) == (operated.verdict, True), found.message


DAYS: dict[str, tuple[list[Exchange], list[Any], str, str]] = {
    "ends": ([value(START, True)], [True, False], "observed", "true, and false when 25 hours had passed"),
    "stays": ([value(START, True)], [True, True], "observed", "true, and true when 25 hours had passed"),
    "silent then": (
        [value(START, True)],
        [True, SILENT],
        "observed",
        "true, and 409 (refused) when 25 hours had passed",
    ),
    "was over already": (
        [value(START, True)],
        [False],
        "observed",
        "true at first, and false when it was looked at again",
    ),
    "nothing to wait for": ([value(START, False)], [], "observed", "value false; nothing to wait for"),
    "not served": ([refusal(START)], [], "not_applicable", "not served: 404 (refused)"),
}


@pytest.mark.parametrize("name", DAYS)
def test_day_is_noted(name: str) -> None:
    """Whatever RemoteControlStartAllowed is when a day has passed, it is noted and nobody is blamed: it can
    end, and usually does.
    """
    shared, shown, verdict, says = DAYS[name]
    seen = traced([*shared, *procedure(DAY, *(read(START, each) for each in shown))], "Oven")
    found = judged(note_day, "SELF-RCSA-24H", START, seen)
    assert (found.verdict, says in found.message) == (verdict, True), found.message


STREAM = {"events": {"path": "/events"}}
REVERTED = remark("event", LOCAL, kind="STATUS", value=False, read=False)
EVENTS: dict[str, tuple[Mapping[str, Any], Steps, tuple[Remark, ...], str]] = {
    "nobody's hands": (STREAM, [], (), "nobody operated the appliance"),
    "told": (
        STREAM,
        [TOUCHED],
        (REVERTED,),
        "an event said so when LocalControlActive reverted; 1 events in all",
    ),
    "not told": (STREAM, [TOUCHED], (), "no event told of LocalControlActive reverting; 0 events in all"),
    "only that it began": (
        STREAM,
        [TOUCHED],
        (remark("event", LOCAL, value=True, read=True),),
        "no event told",
    ),
    "of something else": (
        STREAM,
        [TOUCHED],
        (remark("event", "*", value=False), asked("done")),
        "no event told",
    ),
    "and it is not so": (
        STREAM,
        [TOUCHED],
        (remark("event", LOCAL, value=False, read=True),),
        "for 1 keys the last one has another value",
    ),
}


@pytest.mark.parametrize("name", EVENTS)
def test_events_are_noted(name: str) -> None:
    """What an event stream said is noted, and its silence is: neither channel nor payload is shown."""
    tables, steps, remarks, says = EVENTS[name]
    seen = replace(
        traced([value(LOCAL, False), *procedure(TOUCH, *steps)], "Oven", **tables), remarks={TOUCH: remarks}
    )
    found = judged(note_event, "SELF-LOCALEVENT", "*", seen)
    assert (found.verdict, says in found.message) == ("observed", True), found.message


def in_turn(group: Group, status: Any, settings: Any, times: int = 4) -> list[Exchange]:
    """The dust box under both segments, in turn."""
    turns = [("status", status), ("settings", settings)] * (times // 2)
    return [replace(read(DUST_BOX, shown, segment=segment), group=group) for segment, shown in turns]


OUT = replace(hook("dust_box"), group=DUST_BOX_OUT)
BOXES: dict[str, tuple[list[Exchange], str, str]] = {
    "both follow": ([OUT, *in_turn(DUST_BOX_OUT, False, False), OUT], "pass", ""),
    "one does not": (
        [OUT, *in_turn(DUST_BOX_OUT, False, True, 8), OUT],
        "fail",
        "/status/ says false, /settings/ says true",
    ),
    "one does not at first": (
        [OUT, *in_turn(DUST_BOX_OUT, False, True), *in_turn(DUST_BOX_OUT, False, False), OUT],
        "inconclusive",
        "the values moved between the reads after the dust box was moved",
    ),
    "read in one sandwich": (
        [OUT, *in_turn(DUST_BOX_OUT, False, True), OUT],
        "inconclusive",
        "after the dust box was moved",
    ),
    "not readable then": (
        [OUT, *in_turn(DUST_BOX_OUT, SILENT, False), OUT],
        "inconclusive",
        "after the dust box was moved",
    ),
    "neither follows": ([OUT, *in_turn(DUST_BOX_OUT, True, True), OUT], "pass", ""),
    "not moved": ([], "pass", ""),
}


@pytest.mark.parametrize("name", BOXES)
def test_both_segments_follow_the_dust_box(name: str) -> None:
    """Two paths that agreed and differ once the dust box was moved contradict each other: one of them is a
    copy.
    """
    exchanges, verdict, says = BOXES[name]
    shared = [value(DUST_BOX, True, segment=segment) for segment in ("status", "settings")]
    seen = seen_of(
        profile_of("CleaningRobot"), *shared, *in_turn(agreement(DUST_BOX), True, True), *exchanges
    )
    found = judged(assert_segments_agree, "PATH-AGREE", DUST_BOX, seen)
    assert (found.verdict, says in found.message) == (verdict, True), found.message


def test_person_is_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a hook a person is asked what to do, and what they say is noted; where nobody is there, nothing
    was said.
    """
    terminal = tmp_path / "terminal"
    terminal.touch()
    monkeypatch.setattr(attending, "_TERMINAL", terminal)
    steps = [next(attending.touched(traced([value(LOCAL, False)], "Oven")))]
    monkeypatch.setattr(attending, "_TERMINAL", tmp_path / "nobody" / "here")
    steps.append(next(attending.touched(traced([value(LOCAL, False)], "Oven"))))
    notes = [step.note for step in steps if isinstance(step, Remark)]
    assert [note["said"] for note in notes] == ["done", ""]
    assert terminal.read_text(encoding="utf-8") == notes[0]["asked"]
    assert str(notes[0]["asked"]).startswith(f"Operate {HA_ID} (open its door or press a button)")
