"""What is owed follows from what was read and written, and how each write was answered."""

from pathlib import Path
from typing import Any, Literal

import pytest
from msgspec.structs import replace
from pydantic import JsonValue

from catalog.keys import (
    ALARM_CLOCK,
    AMBIENT_BRIGHTNESS,
    AMBIENT_ENABLED,
    CHILD_LOCK,
    CLOSED,
    DOOR_STATE,
    LOCKED,
    OPEN,
)
from conformance.cases import CATALOG
from conformance.checks.answer import Outcome
from conformance.checks.groups import setting_group
from conformance.harness.clock import Clock
from conformance.harness.writes.keeping.closed import Closed
from conformance.harness.writes.keeping.gate import Gate
from conformance.harness.writes.keeping.journal import Journal, JournalFile
from conformance.harness.writes.keeping.owed import Debt
from conformance.harness.writes.procedures.requests import write
from conformance.profiles.model import Profile
from conformance.records.journal_lines import JOURNAL_FILE
from conformance.selftest.support.ran import lines_of
from conformance.selftest.support.samples.handmade import (
    HA_ID,
    STATUS_PATH,
    profile_of,
    seen_of,
    value,
    write_table,
)


class Stopped(Clock):
    """A clock that stands."""

    def since_1970(self) -> float:
        """Always the same."""
        return SENT


SENT, TAKEN = 7.0, 1767225600.001
"""When a write is sent, and when one that is answered was, in seconds since 1970."""


def gate_of(path: Path, profile: Profile) -> Gate:
    """A gate at level write whose clock stands."""
    kept = Journal(JournalFile(path / JOURNAL_FILE, {}))
    return Gate(profile, "write", kept, Closed(CATALOG), clock=Stopped())


Step = tuple[Literal["read", "write", "restore"], str, JsonValue, Outcome | None]
"""What is done with a key: its value is read or written, and how a write is answered, if it is."""


def read(key: str, shown: JsonValue) -> Step:
    """A read that shows a value."""
    return "read", key, shown, None


def wrote(key: str, sent: JsonValue, outcome: Outcome | None = Outcome.VALUE) -> Step:
    """A write, and how it was answered."""
    return "write", key, sent, outcome


def put(key: str, sent: JsonValue, outcome: Outcome | None = Outcome.VALUE) -> Step:
    """A write that puts back, and how it was answered."""
    return "restore", key, sent, outcome


def owed(key: str, before: JsonValue, **more: Any) -> Debt:
    """What is owed for a key."""
    return Debt(HA_ID, "status" if ".Status." in key else "settings", key, before, **more)


UNLOCKED, LIT, DIM = read(CHILD_LOCK, False), wrote(AMBIENT_ENABLED, True), read(AMBIENT_BRIGHTNESS, 10)
BRIGHT = read(AMBIENT_BRIGHTNESS, 70)
MOVED: dict[str, Any] = {"is_due": True, "taken_at": TAKEN}
STORIES: dict[str, tuple[tuple[Step, ...], int, list[Debt]]] = {
    "taken": ((UNLOCKED, wrote(CHILD_LOCK, True)), 5, [owed(CHILD_LOCK, False, after=False, **MOVED)]),
    "taken, and shown": (
        (UNLOCKED, wrote(CHILD_LOCK, True), read(CHILD_LOCK, True)),
        5,
        [owed(CHILD_LOCK, False, after=True, is_due=True)],
    ),
    "not answered": (
        (UNLOCKED, wrote(CHILD_LOCK, True, None)),
        5,
        [owed(CHILD_LOCK, False, after=False, is_due=True, taken_at=SENT)],
    ),
    "put back": (
        (UNLOCKED, wrote(CHILD_LOCK, True), put(CHILD_LOCK, False)),
        5,
        [owed(CHILD_LOCK, False, after=False, is_written=True)],
    ),
    "not known to be put back": (
        (UNLOCKED, wrote(CHILD_LOCK, True), put(CHILD_LOCK, False, Outcome.TRANSPORT)),
        5,
        [owed(CHILD_LOCK, False, after=False, **MOVED)],
    ),
    "what may have been taken": (
        (UNLOCKED, wrote(CHILD_LOCK, True, Outcome.TRANSPORT)),
        5,
        [owed(CHILD_LOCK, False, after=False, **MOVED)],
    ),
    "refused": (
        (UNLOCKED, wrote(CHILD_LOCK, True, Outcome.REFUSED)),
        1,
        [owed(CHILD_LOCK, False, after=False)],
    ),
    # What a setting showed while no write of it was taken is not what it is put back to.
    "refused, and shows another": (
        (read(ALARM_CLOCK, 10), wrote(ALARM_CLOCK, 20, Outcome.REFUSED), read(ALARM_CLOCK, 30)),
        1,
        [owed(ALARM_CLOCK, 30, after=30, locked=10)],
    ),
    "refused, and shows what was written": (
        (read(ALARM_CLOCK, 10), wrote(ALARM_CLOCK, 20, Outcome.REFUSED), read(ALARM_CLOCK, 20)),
        1,
        [owed(ALARM_CLOCK, 10, after=20)],
    ),
    "taken, then refused": (
        (
            read(ALARM_CLOCK, 10),
            *(wrote(ALARM_CLOCK, 20), read(ALARM_CLOCK, 30), wrote(ALARM_CLOCK, 40, Outcome.REFUSED)),
        ),
        5,
        [owed(ALARM_CLOCK, 10, after=30, **MOVED)],
    ),
    # What a light shows once it is on is its own; without that, it moved by itself.
    "a light that was off": (
        (read(AMBIENT_ENABLED, False), DIM, LIT, BRIGHT, wrote(AMBIENT_BRIGHTNESS, 50)),
        10,
        [
            owed(AMBIENT_BRIGHTNESS, 70, after=70, locked=10, **MOVED),
            owed(AMBIENT_ENABLED, False, after=False, **MOVED),
        ],
    ),
    "a light that was on": (
        (DIM, BRIGHT, wrote(AMBIENT_BRIGHTNESS, 50)),
        5,
        [owed(AMBIENT_BRIGHTNESS, 10, after=70, **MOVED)],
    ),
    "what moved beside": (
        (read(AMBIENT_ENABLED, False), DIM, LIT, BRIGHT),
        5,
        [
            owed(AMBIENT_ENABLED, False, after=False, **MOVED),
            owed(AMBIENT_BRIGHTNESS, 10, after=70, found=10),
        ],
    ),
    "a status": (
        (read(DOOR_STATE, CLOSED), wrote(DOOR_STATE, OPEN)),
        5,
        [owed(DOOR_STATE, CLOSED, after=CLOSED, refused=[OPEN], found=CLOSED, taken_at=TAKEN)],
    ),
}
"""What is done, how many requests it takes then to put everything back, and what is owed."""


@pytest.mark.parametrize("name", STORIES)
def test_gate_knows_what_each_write_owes(name: str, tmp_path: Path) -> None:
    """All that is known of a debt follows from what was read and written; the journal has each write."""
    steps, owing, debts = STORIES[name]
    allow = CHILD_LOCK, ALARM_CLOCK, AMBIENT_ENABLED, AMBIENT_BRIGHTNESS
    seen = seen_of(profile_of("Oven", write=write_table(*allow, status_path=STATUS_PATH)))
    gate = gate_of(tmp_path, seen.profile)
    for purpose, key, shown, outcome in steps:
        (answer,) = seen_of(seen.profile, value(key, shown)).reads.values()
        if purpose == "read":
            gate.learn(answer)
            continue
        segment = answer.segment
        number = gate.admit(
            replace(write(seen, setting_group(CHILD_LOCK), key, shown, segment), purpose=purpose)
        )
        if outcome:
            exchange = replace(answer.exchange, purpose=purpose)
            gate.answered(number, replace(answer, outcome=outcome, exchange=exchange))
    assert (gate.owing, gate.due()) == (owing, debts)
    intents = [line["intent"] for line in lines_of(tmp_path / JOURNAL_FILE) if "intent" in line]
    assert intents == [purpose for purpose, *_ in steps if purpose != "read"]
    asked = [(CHILD_LOCK, True), (ALARM_CLOCK, 30), (AMBIENT_BRIGHTNESS, 70), (DOOR_STATE, LOCKED)]
    first = next(place for place, (purpose, *_) in enumerate(steps) if purpose != "read")
    caused = {(key, str(shown)) for _, key, shown, _ in steps[first:]}
    assert [gate.may_have_caused(HA_ID, *place) for place in asked] == [
        (key, str(shown)) in caused for key, shown in asked
    ]


@pytest.mark.parametrize("changed", [True, False])
def test_gate_journals_what_it_does_not_owe(*, changed: bool, tmp_path: Path) -> None:
    """What somebody else has changed, and what a setting was, is journalled and owed by nobody."""
    gate = gate_of(tmp_path, profile_of(write=write_table(CHILD_LOCK)))
    gate.note([owed(CHILD_LOCK, False, now=True)], changed=changed)
    _, line = lines_of(tmp_path / JOURNAL_FILE)
    assert (line["key"], line.get("changed", False), gate.debts) == (CHILD_LOCK, changed, [])
