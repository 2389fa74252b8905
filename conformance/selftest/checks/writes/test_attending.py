"""What hands and time show: what reverts, a day, an event, a dust box that is moved."""

from functools import partial
from pathlib import Path
from typing import Any, cast

import pytest
from msgspec.structs import replace

from catalog.keys import DUST_BOX
from conformance.checks.exchange import Exchange, Remark
from conformance.checks.groups import DAY, DUST_BOX_OUT, NONCE_STATUS, TOUCH, Group
from conformance.checks.reads.paths import agreement, assert_segments_agree
from conformance.checks.writes.attending import CLOCK, note_day, note_event
from conformance.checks.writes.operation import WATCH, assert_local_control_reverts
from conformance.harness.writes.lanes import LiveLane
from conformance.harness.writes.procedures import attending
from conformance.selftest.support.findings import assert_said
from conformance.selftest.support.samples.handmade import (
    HA_ID,
    exchange,
    profile_of,
    refusal,
    ruling,
    seen_of,
    value,
)
from conformance.selftest.support.samples.handtraced import SILENT, Steps, procedure, read, traced
from conformance.selftest.support.stepping import Answering

LOCAL, START = "Vendor.Common.Status.LocalControlActive", "Vendor.Common.Status.RemoteControlStartAllowed"
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


class Operated:
    """An appliance that was operated, or was not: what was done, and what is known beside it."""

    def __init__(
        self,
        *done: Exchange | float | Steps | Remark,
        first: Any = False,
        group: Group = TOUCH,
        **profile: Any,
    ) -> None:
        """`first` is the shared read; `unattended` in the profile is what the appliance says of itself."""
        shared = [NONCE, refusal(LOCAL)] if first is SILENT else [value(LOCAL, first)]
        steps = [each for each in done if not isinstance(each, Remark)]
        appliance = {"unattended": profile.pop("unattended", False)}
        seen = traced([*shared, *procedure(group, *steps)], "Oven", appliance=appliance, **profile)
        self.seen = replace(seen, remarks={TOUCH: tuple(each for each in done if isinstance(each, Remark))})


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
hooked, alone = partial(Operated, hooks=LONG), partial(Operated, unattended=True, first=True, group=WATCH)

# fmt: off
OPERATED: dict[str, tuple[str, Operated]] = {
    "hook, reverts": ("pass (5) true false 5", hooked(TOUCHED, watched(False, True, 5, False))),
    "hook, reverts late": ("inconclusive 4 true false 100", hooked(TOUCHED, watched(True, 100, False))),
    "hook, still true": ("fail 6 true 300", hooked(TOUCHED, STILL)),
    "hook, the clock was moved": ("pass (5) true false 30",
        hooked(TOUCHED, watched(True), ADVANCED, watched(False), clock_moved(30))),
    "hook, the clock was moved before": ("pass (5) true false 1",
        hooked(ADVANCED, TOUCHED, watched(True, 1, False), clock_moved(900))),
    "hook, never true": ("fail 7 false 4 5", hooked(NEVER)),
    "hook, never true, and brief": ("inconclusive 7 true", Operated(NEVER, hooks=SHORT)),
    "hook, nobody answers": ("inconclusive 2 nothing", hooked(hook("touch", None), watched(False, 5, False))),
    "hook, not readable": ("inconclusive (4) LocalControlActive",
        hooked(TOUCHED, watched(SILENT, 5, SILENT))),
    "nobody": ("inconclusive 1 appliance.unattended", Operated()),
    "unattended, false": ("pass (1)", Operated(unattended=True)),
    "unattended, reverts": ("pass (2) false 8", alone(watched(8, False))),
    "unattended, still true": ("fail 3 true 600", alone(watched(300, True, 300, True))),
    "unattended, true for too short": ("inconclusive 1 true 600 600",
        alone(watched(300, True, 299.997, True))),
    "unattended, silent at last": ("inconclusive 1 true 700 600", alone(watched(300, True, 400, SILENT))),
    "not served": ("not_applicable 2 404", hooked(first=SILENT)),
}
# fmt: on


@pytest.mark.parametrize("name", OPERATED)
def test_local_control_reverts(name: str) -> None:
    """LocalControlActive that stays true, or that a bench cannot bring about, convicts."""
    expected, operated = OPERATED[name]
    found = ruling(assert_local_control_reverts, "SELF-LOCALCONTROL", LOCAL, operated.seen)
    assert_said(found, expected, name)


DAYS: dict[str, tuple[str, Exchange, list[Any]]] = {
    "ends": ("observed (1) true false 25", value(START, True), [True, False]),
    "was over already": ("observed (1) true false", value(START, True), [False]),
    "nothing to wait for": ("observed (1) false nothing", value(START, False), []),
    "not served": ("not_applicable (1) 404", refusal(START), []),
}


@pytest.mark.parametrize("name", DAYS)
def test_day_is_noted(name: str) -> None:
    """Whatever RemoteControlStartAllowed is when a day has passed, it is noted and nobody is blamed."""
    expected, shared, shown = DAYS[name]
    seen = traced([shared, *procedure(DAY, *(read(START, each) for each in shown))], "Oven")
    assert_said(ruling(note_day, "SELF-RCSA-24H", START, seen), expected, name)


# fmt: off
EVENTS: dict[str, tuple[Steps, list[Remark], str]] = {
    "nobody's hands": ([], [], "nobody operated the appliance"),
    "told": (
        [TOUCHED],
        [remark("event", LOCAL, kind="STATUS", value=False, read=False)],
        "an event said so when LocalControlActive reverted; 1 events in all",
    ),
    "not told": ([TOUCHED], [], "no event told of LocalControlActive reverting; 0 events in all"),
    "only that it began": ([TOUCHED], [remark("event", LOCAL, value=True, read=True)], "no event told"),
    "of something else": ([TOUCHED], [remark("event", "*", value=False), DONE], "no event told"),
    "and it is not so": (
        [TOUCHED],
        [remark("event", LOCAL, value=False, read=True)],
        "for 1 keys the last one has another value",
    ),
}
# fmt: on


@pytest.mark.parametrize("name", EVENTS)
def test_events_are_noted(name: str) -> None:
    """What an event stream said is noted, and its silence is: neither channel nor payload is shown."""
    steps, remarks, says = EVENTS[name]
    seen = Operated(steps, *remarks, events={"path": "/events"}).seen
    assert says in ruling(note_event, "SELF-LOCALEVENT", "*", seen).message


def in_turn(group: Group, status: Any, settings: Any, times: int = 4) -> list[Exchange]:
    """The dust box under both segments, in turn."""
    turns = [("status", status), ("settings", settings)] * (times // 2)
    return [replace(read(DUST_BOX, shown, segment=segment), groups=(group,)) for segment, shown in turns]


def out(status: Any, settings: Any, times: int = 4) -> list[Exchange]:
    """The same, after the dust box was moved."""
    return in_turn(DUST_BOX_OUT, status, settings, times)


BOXES: dict[str, tuple[str, list[Exchange]]] = {
    "one does not": ("fail 8 9 /status/ false /settings/ true", out(False, True, 8)),
    "one does not at first": ("inconclusive 8", [*out(False, True), *out(False, False)]),
    "read in one sandwich": ("inconclusive 8", out(False, True)),
    "not readable then": ("inconclusive 8", out(SILENT, False)),
    "not moved": ("pass (6)", []),
}


@pytest.mark.parametrize("name", BOXES)
def test_both_segments_follow_the_dust_box(name: str) -> None:
    """Two paths that agreed and differ once the dust box was moved contradict each other."""
    expected, moved_out = BOXES[name]
    shared = [value(DUST_BOX, True, segment=segment) for segment in ("status", "settings")]
    box = [replace(hook("dust_box"), groups=(DUST_BOX_OUT,))] if moved_out else []
    exchanges = [*shared, *in_turn(agreement(DUST_BOX), True, True), *box, *moved_out, *box]
    seen = seen_of(profile_of("CleaningRobot"), *exchanges)
    assert_said(ruling(assert_segments_agree, "PATH-AGREE", DUST_BOX, seen), expected, name)


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
