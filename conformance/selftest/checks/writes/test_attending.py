"""What hands and time show: what reverts, a day, an event, a dust box that is moved."""

from functools import partial
from pathlib import Path
from typing import Any, cast

import pytest
from msgspec.structs import replace

from catalog.keys import DUST_BOX
from conformance.checks.exchange import Exchange, Remark
from conformance.checks.groups import DAY, DUST_BOX_OUT, NONCE_STATUS, TOUCH, Group
from conformance.checks.reads.paths import agreement
from conformance.checks.writes.operation import CLOCK, WATCH
from conformance.harness.writes.lanes import LiveLane
from conformance.harness.writes.procedures import attending
from conformance.runs.judging import Judged
from conformance.selftest.support.samples.handmade import (
    HA_ID,
    Seen,
    each_of,
    exchange,
    profile_of,
    refusal,
    ruling,
    seen_of,
    value,
)
from conformance.selftest.support.samples.handtraced import SILENT, Steps, Story, procedure, read, traced
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
        self._seen = replace(seen, remarks={TOUCH: tuple(each for each in done if isinstance(each, Remark))})

    def ruling(self, clause: str, key: str = LOCAL) -> Judged:
        """What is said of it."""
        return ruling(clause, key, self._seen)


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


TOLD = partial(Operated, TOUCHED, events={"path": "/events"})


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


# fmt: off
ROWS = {
    ("SELF-LOCALCONTROL",): {
        "hook, reverts": ("pass (5) true false 5 ~1b3", hooked(TOUCHED, watched(False, True, 5, False))),
        "hook, reverts late": ("inconclusive 4 true false 100 ~80f",
            hooked(TOUCHED, watched(True, 100, False))),
        "hook, still true": ("fail 6 true 300 ~4c1", hooked(TOUCHED, STILL)),
        "hook, the clock was moved": ("pass (5) true false 30 ~134",
            hooked(TOUCHED, watched(True), ADVANCED, watched(False), clock_moved(30))),
        "hook, the clock was moved, still true": ("fail 5 true 900 900 ~bfa",
            hooked(TOUCHED, watched(True), ADVANCED, watched(True), clock_moved(900))),
        "hook, the clock was moved before": ("pass (5) true false 1 ~9be",
            hooked(ADVANCED, TOUCHED, watched(True, 1, False), clock_moved(900))),
        "hook, never true": ("fail 7 false 4 5 ~126", hooked(NEVER)),
        "hook, never true, and brief": ("inconclusive 7 true ~bb8", Operated(NEVER, hooks=SHORT)),
        "hook, nobody answers": ("inconclusive 2 nothing ~af0",
            hooked(hook("touch", None), watched(False, 5, False))),
        "hook, not readable": ("inconclusive (4) LocalControlActive ~824",
            hooked(TOUCHED, watched(SILENT, 5, SILENT))),
        "a person, still true": ("fail 6 true 300 ~4c1",
            Operated(TOUCHED, STILL, DONE, remark("event", LOCAL))),
        "nobody answers, still true": ("inconclusive 6 true true 300 ~779",
            Operated(TOUCHED, STILL, answer_of_person(""))),
        "unattended, and not watched": ("inconclusive 1 true 0 600 ~d19", alone()),
        "nobody": ("inconclusive 1 appliance.unattended ~329", Operated()),
        "unattended, false": ("pass (1) ~5ea", Operated(unattended=True)),
        "unattended, reverts": ("pass (2) false 8 ~2b8", alone(watched(8, False))),
        "unattended, still true": ("fail 3 true 600 ~555", alone(watched(300, True, 300, True))),
        "unattended, true for too short": ("inconclusive 1 true 600 600 ~e96",
            alone(watched(300, True, 299.997, True))),
        "unattended, silent at last": ("inconclusive 1 true 700 600 ~a4f",
            alone(watched(300, True, 400, SILENT))),
        "not served": ("not_applicable 2 404 ~96d", hooked(first=SILENT)),
    },
    # Whatever RemoteControlStartAllowed is when a day has passed, it is noted and nobody is blamed.
    ("SELF-RCSA-24H", DAY): {
        "ends": ("observed (1) true false 25 ~240",
            Story(read(START, True), read(START, False), shared=(value(START, True),))),
        "ends, and cannot be read": ("observed (1) true 409 25 ~f52",
            Story(read(START, True), read(START, SILENT), shared=(value(START, True),))),
        "the bench does not move its clock": ("observed (1) true true 404 ~c57",
            Story(read(START, True), hook("advance", 404), read(START, True), shared=(value(START, True),))),
        "was over already": ("observed (1) true false ~46b",
            Story(read(START, False), shared=(value(START, True),))),
        "nothing to wait for": ("observed (1) false nothing ~43a",
            Story(key=START, shared=(value(START, False),))),
        "no day": ("not_applicable (1) 404 ~249", Story(key=START, shared=(refusal(START),))),
        "not asked": ("not_applicable ~e9a", Story(key=START)),
    },
    # What an event stream said is noted, and its silence is: neither channel nor payload is shown.
    ("SELF-LOCALEVENT", "*"): {
        "nobody's hands": ("observed ~07c", Operated(events={"path": "/events"})),
        "told": ("observed (2) LocalControlActive 1 ~f53",
            TOLD(remark("event", LOCAL, kind="STATUS", value=False, read=False))),
        "not told": ("observed (2) LocalControlActive 0 ~f4b", TOLD()),
        "only that it began": ("observed (2) LocalControlActive 1 ~0d8",
            TOLD(remark("event", LOCAL, value=True, read=True))),
        "of something else": ("observed (2) LocalControlActive 1 ~0d8",
            TOLD(remark("event", "*", value=False), DONE)),
        "and it is not so": ("observed (2) LocalControlActive 1 1 ~0fb",
            TOLD(remark("event", LOCAL, value=False, read=True))),
    },
    # Two paths that agreed and differ once the dust box was moved contradict each other.
    ("PATH-AGREE", DUST_BOX): {
        "one does not": ("fail 8 9 /status/ false /settings/ true ~d39", boxes(*out(False, True, 8))),
        "one does not at first": ("inconclusive 8 ~23a", boxes(*out(False, True), *out(False, False))),
        "read in one sandwich": ("inconclusive 8 ~3e2", boxes(*out(False, True))),
        "not readable then": ("inconclusive 8 ~3e2", boxes(*out(SILENT, False))),
        "not moved": ("pass (6) ~a0a", boxes()),
    },
}
# fmt: on

test_attending = each_of(ROWS)


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
