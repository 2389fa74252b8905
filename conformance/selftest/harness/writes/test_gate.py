"""The gate: it admits no write that is not allowed, and knows what each one owes."""

from pathlib import Path
from typing import Any

import pytest
from msgspec import Struct
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
from conformance.checks.answer import Outcome
from conformance.checks.groups import setting_group
from conformance.harness.clock import Clock
from conformance.harness.errors import ForbiddenWriteError
from conformance.harness.steps import write
from conformance.harness.writes.keeping.gate import Gate
from conformance.harness.writes.keeping.journal import Journal, JournalFile
from conformance.harness.writes.keeping.owed import Closed, Debt, read_journal
from conformance.records.journal_lines import JOURNAL_FILE
from conformance.selftest.support.handmade import HA_ID, STATUS_PATH, profile_of, seen_of, value, write_table
from conformance.selftest.support.ran import lines_of


class Stopped(Clock):
    """A clock that stands."""

    def since_1970(self) -> float:
        """Always the same."""
        return SENT


SENT, TAKEN = 7.0, 1767225600.001
"""When a write is sent, and when one that is answered was, in seconds since 1970."""
PROFILE = profile_of(
    "Oven",
    write=write_table(CHILD_LOCK, ALARM_CLOCK, AMBIENT_ENABLED, AMBIENT_BRIGHTNESS, status_path=STATUS_PATH),
)


def gate_of(path: Path, at_rest: dict[str, JsonValue] | None = None) -> Gate:
    """A gate whose clock stands, and what settings showed before anything was written."""
    rest = {(HA_ID, key): value for key, value in (at_rest or {}).items()}
    kept = Journal(JournalFile(path / JOURNAL_FILE, {}))
    return Gate(PROFILE, "attended", kept, Closed(), rest, clock=Stopped())


class Step(Struct, frozen=True):
    """What is done with a key: its value is read or written, and how a write is answered, if it is."""

    purpose: str
    key: str
    value: JsonValue
    outcome: Outcome | None = None

    def take(self, gate: Gate) -> None:
        """Has the gate see it."""
        (answer,) = seen_of(PROFILE, value(self.key, self.value)).reads.values()
        if self.purpose == "read":
            gate.learn(answer)
            return
        ask = write(seen_of(PROFILE), setting_group(CHILD_LOCK), self.key, self.value, answer.segment)
        number = gate.admit(replace(ask, purpose=self.purpose))
        if self.outcome:
            exchange = replace(answer.exchange, purpose=self.purpose)
            gate.answered(number, replace(answer, outcome=self.outcome, exchange=exchange))


def read(key: str, shown: JsonValue) -> Step:
    """A read that shows a value."""
    return Step("read", key, shown)


def wrote(key: str, sent: JsonValue, outcome: Outcome | None = Outcome.VALUE) -> Step:
    """A write, and how it was answered."""
    return Step("write", key, sent, outcome)


def put(key: str, sent: JsonValue, outcome: Outcome | None = Outcome.VALUE) -> Step:
    """A write that puts back, and how it was answered."""
    return Step("restore", key, sent, outcome)


def owed(key: str, before: JsonValue, **more: Any) -> Debt:
    """What is owed for a key."""
    return Debt(HA_ID, "status" if ".Status." in key else "settings", key, before, **more)


def door(before: str, **more: Any) -> Debt:
    """What is owed for a door that was closed first, and was told to open."""
    return owed(DOOR_STATE, before, refused=[OPEN], found=CLOSED, **more)


UNLOCKED, LIT, DIM = read(CHILD_LOCK, False), wrote(AMBIENT_ENABLED, True), read(AMBIENT_BRIGHTNESS, 10)
LOCK, BRIGHT, SHUT = wrote(CHILD_LOCK, True), read(AMBIENT_BRIGHTNESS, 70), read(DOOR_STATE, CLOSED)
MOVED: dict[str, Any] = {"is_due": True, "taken_at": TAKEN}
FREED = owed(CHILD_LOCK, False, after=False, **MOVED)
CLOCK, LATER = read(ALARM_CLOCK, 40), wrote(ALARM_CLOCK, 20, Outcome.REFUSED)
SETTLED = None
"""The end of a procedure, which has put back what it owed."""
STORIES: dict[str, tuple[tuple[Step | None, ...], int, list[Debt]]] = {
    "taken": ((UNLOCKED, LOCK), 5, [FREED]),
    "taken, and shown": (
        (UNLOCKED, LOCK, read(CHILD_LOCK, True)),
        5,
        [owed(CHILD_LOCK, False, after=True, is_due=True)],
    ),
    "not answered": (
        (UNLOCKED, wrote(CHILD_LOCK, True, None)),
        5,
        [owed(CHILD_LOCK, False, after=False, is_due=True, taken_at=SENT)],
    ),
    "put back": (
        (UNLOCKED, LOCK, put(CHILD_LOCK, False)),
        5,
        [owed(CHILD_LOCK, False, after=False, is_written=True)],
    ),
    "not known to be put back": ((UNLOCKED, LOCK, put(CHILD_LOCK, False, Outcome.TRANSPORT)), 5, [FREED]),
    # A write of the old value that was cut off may not have been sent.
    "cut off while it writes the old value": ((UNLOCKED, LOCK, wrote(CHILD_LOCK, False, None)), 5, [FREED]),
    "what may have been taken": ((UNLOCKED, wrote(CHILD_LOCK, True, Outcome.TRANSPORT)), 5, [FREED]),
    "refused": (
        (UNLOCKED, wrote(CHILD_LOCK, True, Outcome.REFUSED)),
        1,
        [owed(CHILD_LOCK, False, after=False)],
    ),
    # What a setting showed while no write of it was taken is not what it is put back to.
    "refused, and shows another": (
        (CLOCK, LATER, read(ALARM_CLOCK, 30)),
        1,
        [owed(ALARM_CLOCK, 30, after=30, locked=40)],
    ),
    "refused, and shows what was written": (
        (CLOCK, LATER, read(ALARM_CLOCK, 20)),
        1,
        [owed(ALARM_CLOCK, 40, after=20)],
    ),
    "taken, then refused": (
        (CLOCK, wrote(ALARM_CLOCK, 20), read(ALARM_CLOCK, 30), wrote(ALARM_CLOCK, 50, Outcome.REFUSED)),
        5,
        [owed(ALARM_CLOCK, 40, after=30, **MOVED)],
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
    # A status follows what is put back, and else has moved by itself.
    "a status": ((SHUT, wrote(DOOR_STATE, OPEN)), 5, [door(CLOSED, after=CLOSED, taken_at=TAKEN)]),
    "a status that shows what was written": (
        (SHUT, wrote(DOOR_STATE, OPEN), read(DOOR_STATE, OPEN)),
        5,
        [door(CLOSED, after=OPEN)],
    ),
    "a status that moved by itself": (
        (SHUT, wrote(DOOR_STATE, OPEN), read(DOOR_STATE, LOCKED)),
        5,
        [door(LOCKED, after=LOCKED, locked=CLOSED, taken_at=TAKEN)],
    ),
    # What still moved when a procedure began is not put back where it is as it was found first.
    "back late": ((CLOCK, SETTLED, UNLOCKED, read(ALARM_CLOCK, 20), LOCK, CLOCK), 5, [FREED]),
    "moved twice": (
        (CLOCK, SETTLED, UNLOCKED, read(ALARM_CLOCK, 50), LOCK, read(ALARM_CLOCK, 60)),
        5,
        [FREED, owed(ALARM_CLOCK, 50, after=60, found=40)],
    ),
    # An alarm clock may run down by the time that passed, and a minute.
    "a clock that runs": ((read(ALARM_CLOCK, 600), UNLOCKED, LOCK, read(ALARM_CLOCK, 590)), 5, [FREED]),
    "a clock that was set": (
        (read(ALARM_CLOCK, 600), UNLOCKED, LOCK, read(ALARM_CLOCK, 400)),
        5,
        [FREED, owed(ALARM_CLOCK, 600, after=400, found=600)],
    ),
    "a clock that runs up": (
        (read(ALARM_CLOCK, 600), UNLOCKED, LOCK, read(ALARM_CLOCK, 610)),
        5,
        [FREED, owed(ALARM_CLOCK, 600, after=610, found=600)],
    ),
}
"""What is done, how many requests it takes then to put everything back, and what is owed."""


@pytest.mark.parametrize("name", STORIES)
def test_gate_knows_what_each_write_owes(name: str, tmp_path: Path) -> None:
    """All that is known of a debt follows from what was read and written; the journal has each write. One is
    under way until it is answered.
    """
    story, owing, debts = STORIES[name]
    gate = gate_of(tmp_path)
    for step in story:
        if step:
            step.take(gate)
        else:
            gate.settle([])
    assert (gate.owing, gate.due()) == (owing, debts)
    steps = [step for step in story if step]
    writes = [step for step in steps if step.purpose != "read"]
    assert gate.under_way == [(step.key, step.value) for step in writes if not step.outcome]
    lines = lines_of(tmp_path / JOURNAL_FILE)
    intents, outcomes = ([line[told] for line in lines if told in line] for told in ("intent", "outcome"))
    assert intents == [step.purpose for step in writes]
    ends = [step.outcome for step in steps if step.outcome]
    assert outcomes == ["acknowledged" if end is Outcome.VALUE else end.value for end in ends]
    asked = [(CHILD_LOCK, True), (ALARM_CLOCK, 30), (AMBIENT_BRIGHTNESS, 70), (DOOR_STATE, LOCKED)]
    caused = {(step.key, str(step.value)) for step in steps[steps.index(writes[0]) :]}
    assert [gate.may_have_caused(HA_ID, *place) for place in asked] == [
        (key, str(shown)) in caused for key, shown in asked
    ]


def test_gate_wants_the_old_value(tmp_path: Path) -> None:
    """A write whose old value its own procedure has not read is refused, and leaves no line in the journal.

    What is owed then is what was found at rest: somebody else may just have written what a procedure finds.
    An alarm clock has run on since.
    """
    gate = gate_of(tmp_path, {CHILD_LOCK: True, ALARM_CLOCK: 9})
    for step in (None, UNLOCKED):
        if step:
            step.take(gate)
            gate.settle([])
        with pytest.raises(ForbiddenWriteError, match="its value was not read before"):
            LOCK.take(gate)
    assert not (tmp_path / JOURNAL_FILE).exists()
    UNLOCKED.take(gate)
    wrote(CHILD_LOCK, True, None).take(gate)
    assert [debt.before for debt in (*gate.due(), *read_journal(tmp_path / JOURNAL_FILE).owed)] == [True] * 2
    gate.settle([])
    read(ALARM_CLOCK, 5).take(gate)
    wrote(ALARM_CLOCK, 7, None).take(gate)
    assert [debt.before for debt in gate.due()] == [5]


def test_gate_knows_what_was_read_since_the_last_write(tmp_path: Path) -> None:
    """Since what may move it: it is not read again, unless it was cut short, or may have been taken."""
    gate = gate_of(tmp_path)
    told: list[Debt] = []
    for steps, looked in (
        ((UNLOCKED, wrote(CHILD_LOCK, True, None), UNLOCKED), True),
        ((wrote(CHILD_LOCK, True, Outcome.REFUSED), UNLOCKED), True),
        ((read(ALARM_CLOCK, 5), wrote(ALARM_CLOCK, 9, Outcome.REFUSED)), True),
        ((Step("hook", ALARM_CLOCK, 9),), True),
        ((), False),
        ((wrote(CHILD_LOCK, True, None),), True),
        ((LOCK, UNLOCKED), True),
    ):
        for step in steps:
            step.take(gate)
        told += gate.due(looked=looked)
    locks = [debt for debt in told if debt.key == CHILD_LOCK]
    assert [debt.restored for debt in locks] == [False, True, True, False, False, False, False]
    assert [debt.is_due for debt in locks] == [True, False, False, False, False, True, True]
    assert [debt.taken_at for debt in locks] == [None, None, None, None, None, SENT, None]


def test_gate_owes_for_a_state_while_procedures_come_and_go(tmp_path: Path) -> None:
    """What was read before a state was prepared is owed until that state is given up; a procedure made in it
    owes what it finds there, and what it could not put back is settled by the value before the state.
    """
    gate = gate_of(tmp_path, {CHILD_LOCK: True})
    gate.prepare()
    for step in (read(CHILD_LOCK, True), wrote(CHILD_LOCK, False)):
        step.take(gate)
    gate.hold()
    for step in (UNLOCKED, LOCK):
        step.take(gate)
    (inner,) = gate.due()
    gate.settle([inner])
    assert (inner.before, gate.release()) == (False, True)
    (outer,) = gate.due()
    gate.settle([outer])
    gate.settle([owed(CHILD_LOCK, True, restored=True)])  # of a procedure that found another value
    assert inner in gate.debts
    outer.restored = True
    gate.settle([outer])
    assert (outer.before, inner in gate.debts, gate.release()) == (True, False, False)
    assert read_journal(tmp_path / JOURNAL_FILE).owed == []


def test_gate_is_closed_for_who_does_not_go_back(tmp_path: Path) -> None:
    """Once something could not be put back nothing more is written that may move it, until it is back."""
    gate = gate_of(tmp_path)
    gate.settle([owed(CHILD_LOCK, False, now=True)])
    UNLOCKED.take(gate)
    with pytest.raises(
        ForbiddenWriteError, match=f"nothing more that may move ChildLock is written to {HA_ID}"
    ):
        LOCK.take(gate)
    gate.settle([owed(CHILD_LOCK, False, restored=True)])
    UNLOCKED.take(gate)
    LOCK.take(gate)
    assert [debt.restored for debt in gate.debts] == [True]
