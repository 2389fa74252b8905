"""The gate: it admits no write that is not allowed, and knows what each one owes."""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

import pytest
from msgspec.structs import replace
from pydantic import JsonValue

from catalog.keys import ALARM_CLOCK, CHILD_LOCK, CLOSED, DOOR_STATE, LOCKED, OPEN, POWER_STATE
from catalog.model import Level
from conformance.cases import CATALOG
from conformance.checks.answer import Answer, Outcome
from conformance.checks.groups import probe_group, setting_group
from conformance.checks.view import View
from conformance.harness.errors import ForbiddenWriteError, WriteWithoutGateError
from conformance.harness.steps import Ask
from conformance.harness.wire.messages import Wanted
from conformance.harness.wire.redaction import Redactor
from conformance.harness.wire.transport import Transport
from conformance.harness.writes.keeping.closed import Closed
from conformance.harness.writes.keeping.gate import Gate
from conformance.harness.writes.keeping.journal import UNWRITTEN, Journal, JournalFile
from conformance.harness.writes.keeping.owed import Debt, read_journal
from conformance.harness.writes.keeping.putting_back import put_back
from conformance.harness.writes.procedures.requests import write
from conformance.profiles.model import PROTECTING, Profile
from conformance.records.journal_lines import JOURNAL_FILE
from conformance.reference.server import serve
from conformance.selftest.support.ran import lines_of
from conformance.selftest.support.samples.handmade import (
    HA_ID,
    STATUS_PATH,
    profile_of,
    seen_of,
    value,
    write_table,
)
from conformance.selftest.support.servers.recording import Small
from conformance.selftest.support.stepping import Answering


@pytest.mark.parametrize("method", ["PUT", "POST", "PATCH", "DELETE"])
def test_transport_sends_no_write_without_a_permit(method: str) -> None:
    """Whatever is no GET and did not pass the gate is not sent, not even where it only looks like a slip."""
    service = Small()
    with serve({"": service}) as base_url:
        profile = profile_of(target={"name": "small", "base_url": base_url})
        with (
            Transport(profile, Redactor({}), {}, "selftest") as transport,
            pytest.raises(WriteWithoutGateError, match="did not pass"),
        ):
            transport.send(Wanted("/api/homeappliances", method))
    assert service.requests == []


def gate_of(
    path: Path,
    level: Level = "write",
    allow: tuple[str, ...] = (CHILD_LOCK,),
    at_rest: Mapping[str, JsonValue] = MappingProxyType({}),
    **more: object,
) -> tuple[Gate, View]:
    """A gate at a level, and an appliance of which the child lock was read."""
    profile: Profile = profile_of("Oven", write=write_table(*allow, **more))
    rest = {(HA_ID, key): value for key, value in at_rest.items()}
    gate = Gate(profile, level, Journal(JournalFile(path / JOURNAL_FILE, {})), Closed(CATALOG), rest)
    return gate, seen_of(profile, value(CHILD_LOCK, shown=False))


GROUP = setting_group(CHILD_LOCK)


def test_gate_wants_the_old_value(tmp_path: Path) -> None:
    """A write whose old value its procedure has not read is refused, and leaves no line in the journal."""
    gate, seen = gate_of(tmp_path)
    with pytest.raises(ForbiddenWriteError, match="its value was not read before"):
        gate.admit(write(seen, GROUP, CHILD_LOCK, value=True))
    assert not (tmp_path / JOURNAL_FILE).exists()
    gate.learn(seen.reads["settings", CHILD_LOCK])
    assert gate.admit(write(seen, GROUP, CHILD_LOCK, value=True)) == 1
    assert [debt.before for debt in read_journal(tmp_path / JOURNAL_FILE).owed] == [False]


def test_what_was_found_at_rest_is_owed(tmp_path: Path) -> None:
    """A value that a procedure finds may be one that somebody else has just written."""
    gate, seen = gate_of(tmp_path, at_rest={CHILD_LOCK: True})
    gate.learn(seen.reads["settings", CHILD_LOCK])
    gate.admit(write(seen, GROUP, CHILD_LOCK, value=True))
    assert [debt.before for debt in (*gate.due(), *read_journal(tmp_path / JOURNAL_FILE).owed)] == [True] * 2


def test_gate_forgets_old_values_between_procedures(tmp_path: Path) -> None:
    """What an earlier procedure has read is not what the next one would owe."""
    gate, seen = gate_of(tmp_path)
    gate.learn(seen.reads["settings", CHILD_LOCK])
    gate.settle([])
    with pytest.raises(ForbiddenWriteError, match="its value was not read before"):
        gate.admit(write(seen, GROUP, CHILD_LOCK, value=True))


def test_gate_knows_what_was_read_since_the_last_write(tmp_path: Path) -> None:
    """What a procedure has read after a refused write need not be read again, unless it was cut short; what
    was taken, or may have been, is written back whatever was read.
    """
    gate, seen = gate_of(tmp_path)
    read, found = write(seen, GROUP, CHILD_LOCK, value=True), seen.reads["settings", CHILD_LOCK]
    gate.learn(found)
    gate.admit(read)
    gate.learn(found)
    (unanswered,) = gate.due(looked=True)
    gate.answered(1, answered(found, Outcome.REFUSED))
    (known,), (cut_short,) = gate.due(looked=True), gate.due()
    gate.admit(read)
    (unread,) = gate.due(looked=True)
    gate.answered(2, answered(found, Outcome.NOVALUE))
    gate.learn(found)
    (taken,) = gate.due(looked=True)
    debts = unanswered, known, cut_short, unread, taken
    assert [debt.restored for debt in debts] == [False, True, False, False, False]
    assert [debt.is_due for debt in debts] == [True, False, False, True, True]
    assert cut_short.after is False


def answered(read: Answer, outcome: Outcome) -> Answer:
    """What a write of the child lock was answered."""
    return replace(read, outcome=outcome, exchange=replace(read.exchange, purpose="write", value=True))


def test_gate_owes_nothing_where_a_setting_comes_back_late(tmp_path: Path) -> None:
    """What still moved when a procedure began, and is then what was found first, is not put back."""
    gate, seen = gate_of(tmp_path, allow=(CHILD_LOCK, ALARM_CLOCK))
    found, moved = (
        seen_of(seen.profile, value(ALARM_CLOCK, seconds)).reads["settings", ALARM_CLOCK]
        for seconds in (40, 20)
    )
    gate.learn(found)
    gate.settle([])
    for read in (seen.reads["settings", CHILD_LOCK], moved):
        gate.learn(read)
    gate.admit(write(seen, GROUP, CHILD_LOCK, value=True))
    gate.learn(found)
    assert [debt.key for debt in gate.due()] == [CHILD_LOCK]


def test_what_was_found_first_is_back_as_well(tmp_path: Path) -> None:
    """A setting that moved twice while it had not come to rest is back where it is what was found first."""
    gate, seen = gate_of(tmp_path, allow=(CHILD_LOCK, ALARM_CLOCK))
    found, moved, moving = (
        seen_of(seen.profile, value(ALARM_CLOCK, seconds)).reads["settings", ALARM_CLOCK]
        for seconds in (40, 50, 60)
    )
    gate.learn(found)
    gate.settle([])
    for read in (seen.reads["settings", CHILD_LOCK], moved):
        gate.learn(read)
    gate.admit(write(seen, GROUP, CHILD_LOCK, value=True))
    gate.learn(moving)
    _, late = gate.due()
    lane = Answering(replace(seen, reads={("settings", ALARM_CLOCK): found}))
    put_back(lane, {HA_ID: seen}, [late], GROUP, 0)
    assert (late.before, late.restored, late.tries) == (50, True, 0)


@pytest.mark.parametrize(("now", "is_owed"), [(590, False), (400, True), (610, True)])
def test_gate_owes_nothing_for_a_clock_that_runs(now: int, is_owed: bool, tmp_path: Path) -> None:
    """An alarm clock that is lower by no more than the time that passed, and a minute, is not put back."""
    gate, seen = gate_of(tmp_path, allow=(CHILD_LOCK, ALARM_CLOCK))
    found, later = (
        seen_of(seen.profile, value(ALARM_CLOCK, seconds)).reads["settings", ALARM_CLOCK]
        for seconds in (600, now)
    )
    for read in (found, seen.reads["settings", CHILD_LOCK]):
        gate.learn(read)
    gate.admit(write(seen, GROUP, CHILD_LOCK, value=True))
    gate.learn(later)
    assert [debt.key for debt in gate.due()] == [CHILD_LOCK, *([ALARM_CLOCK] if is_owed else [])]


@pytest.mark.parametrize(
    ("shown", "owed"), [(OPEN, CLOSED), (LOCKED, LOCKED)], ids=["as written", "by itself"]
)
def test_a_status_is_put_back_only_from_what_was_written(shown: str, owed: str, tmp_path: Path) -> None:
    """A status that has another value than the written one moved by itself, though the write was answered."""
    gate, seen = gate_of(tmp_path, status_path=STATUS_PATH)
    reads = (seen_of(seen.profile, value(DOOR_STATE, each)).reads for each in (CLOSED, shown))
    found, now = (read["status", DOOR_STATE] for read in reads)
    gate.learn(found)
    intent = gate.admit(write(seen, probe_group(DOOR_STATE), DOOR_STATE, OPEN, "status"))
    gate.answered(intent, answered(found, Outcome.NOVALUE))
    gate.learn(now)
    (debt,) = gate.due()
    assert debt.before == owed


def test_gate_forgets_what_a_prepared_state_has_put_back(tmp_path: Path) -> None:
    """A debt of a procedure is settled only where the value before the state it was made in is back."""
    gate, _ = gate_of(tmp_path)
    left = Debt(HA_ID, "settings", CHILD_LOCK, before=False)
    for prepared, restored in ((False, True), (True, False)):
        gate.settle([left])
        gate.settle([Debt(HA_ID, "settings", CHILD_LOCK, before=True, prepared=prepared, restored=restored)])
        assert gate.debts[-2] is left


def test_gate_journals_what_was_answered(tmp_path: Path) -> None:
    """A write that was taken is acknowledged in the journal; what has no intent has no answer there."""
    gate, seen = gate_of(tmp_path)
    answer = seen.reads["settings", CHILD_LOCK]
    gate.learn(answer)
    intents = gate.admit(write(seen, GROUP, CHILD_LOCK, value=True)), UNWRITTEN
    for intent in intents:
        gate.answered(intent, answer)
    told = [(line["of"], line["outcome"], line["answer"]) for line in lines_of(tmp_path / JOURNAL_FILE)[2:]]
    assert told == [(intents[0], "acknowledged", "200")]


def test_gate_owes_for_a_state_while_procedures_come_and_go(tmp_path: Path) -> None:
    """What was read before a state was prepared is owed until that state is given up; a procedure made in it
    owes what it finds there, and what it could not put back is settled by the value before the state.
    """
    gate, seen = gate_of(tmp_path)
    was_on, is_off = (seen_of(seen.profile, value(CHILD_LOCK, shown=on)).reads for on in (True, False))
    for reads, is_held in ((was_on, True), (is_off, False)):
        if is_held:
            gate.prepare()
        gate.learn(reads["settings", CHILD_LOCK])
        gate.admit(write(seen, GROUP, CHILD_LOCK, value=not is_held))
        if is_held:
            gate.hold()
    (inner,) = gate.due()
    gate.settle([inner])
    assert (inner.before, gate.release()) == (False, True)
    (outer,) = gate.due()
    outer.restored = True
    gate.settle([outer])
    assert (outer.before, gate.debts, gate.release()) == (True, [outer], False)
    assert read_journal(tmp_path / JOURNAL_FILE).owed == []


@pytest.mark.parametrize(
    ("level", "allow"),
    [("read", ("*",)), ("write", ()), ("write", (POWER_STATE,)), ("power", ("*.AlarmClock",))],
)
def test_gate_knows_level_and_list(level: Level, allow: tuple[str, ...], tmp_path: Path) -> None:
    """A write that level or list forbid is refused, though its old value is known."""
    gate, seen = gate_of(tmp_path, level, allow)
    gate.learn(seen.reads["settings", CHILD_LOCK])
    with pytest.raises(ForbiddenWriteError, match=f"{CHILD_LOCK} to {HA_ID} was not sent"):
        gate.admit(write(seen, GROUP, CHILD_LOCK, value=True))


def test_gate_is_closed_for_who_does_not_go_back(tmp_path: Path) -> None:
    """Once something could not be put back nothing more is written that may move it."""
    gate, seen = gate_of(tmp_path)
    gate.settle([Debt(HA_ID, "settings", CHILD_LOCK, before=False, now=True)])
    gate.learn(seen.reads["settings", CHILD_LOCK])
    with pytest.raises(
        ForbiddenWriteError, match=f"nothing more that may move ChildLock is written to {HA_ID}"
    ):
        gate.admit(write(seen, GROUP, CHILD_LOCK, value=True))


@pytest.mark.parametrize("level", ["write", "power"])
def test_hooks_wait_for_level_attended(level: Level, tmp_path: Path) -> None:
    """Hands and time are moved at level attended only, and leave no line in the journal."""
    touch = Ask("hook", GROUP, HA_ID, "touch", "", Wanted("/touch", "POST"))
    with pytest.raises(ForbiddenWriteError, match="hooks are used at level attended"):
        gate_of(tmp_path, level)[0].admit(touch)
    assert gate_of(tmp_path, "attended")[0].admit(touch) == UNWRITTEN
    assert not (tmp_path / JOURNAL_FILE).exists()


@pytest.mark.parametrize("key", sorted(PROTECTING))
def test_what_protects_people_is_named_in_full(key: str) -> None:
    """A glob does not allow it to be written; its whole key does."""
    allowed = [profile_of(write=write_table("*", *more)).may_write(key) for more in ([], [key])]
    assert allowed == [False, True]
