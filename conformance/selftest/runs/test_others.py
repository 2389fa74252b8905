"""Somebody else who writes to an appliance while a run does: what the run makes of it."""

import sys
from pathlib import Path

import pytest

from catalog.keys import CHILD_LOCK
from conformance.checks.exchange import Remark
from conformance.harness.writes.keeping.closed import Closed
from conformance.harness.writes.lanes import LiveLane
from conformance.harness.writes.last_looks import LastLooks, PutBack
from conformance.mutants.fleets import MACHINE, TIMED_OVEN
from conformance.reference.wire import Incoming, Reply
from conformance.selftest.support.judged_runs import begin, run_of, session_of
from conformance.selftest.support.owed_journals import lines_of
from conformance.selftest.support.servers.recording import MACHINE_ID, OVEN_ID, Recording


class Quiet(Recording):
    """A machine that nobody but the run writes to."""

    fleet = (MACHINE,)


def test_watching_costs_nothing_where_nothing_moves(tmp_path: Path) -> None:
    """No request is made for it, with tours and all."""
    run = run_of(Quiet(), tmp_path, "power", still=False)
    assert (run.red(), run.requests("watch"), bool(run.requests("tour"))) == (set(), [], True)


class Meddled(Recording):
    """While the oven is read, somebody else switches its child lock on and off again."""

    fleet = (TIMED_OVEN,)
    every, since = 5, 0

    def answer(self, request: Incoming) -> Reply:
        if len(self.requests) >= self.since and len(self.requests) % self.every == 0:
            values = self.appliances[OVEN_ID].values
            values[CHILD_LOCK] = not values[CHILD_LOCK]
        return super().answer(request)


class Beside(Recording):
    """The child lock of the machine follows that of the oven; for a while, somebody else moves it as well."""

    is_alone = False

    def answer(self, request: Incoming) -> Reply:
        machine, oven = self.appliances[MACHINE_ID].values, self.appliances[OVEN_ID].values
        if not self.is_alone and len(self.requests) % Meddled.every == 0:
            machine[CHILD_LOCK] = not machine[CHILD_LOCK]
        reply = super().answer(request)
        if request.method != "GET" and f"/{OVEN_ID}/" in request.path:
            machine[CHILD_LOCK] = oven[CHILD_LOCK]
        return reply


def test_no_appliance_is_blamed_for_another_that_somebody_writes_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The oven is not convicted of moving the machine, though it does so again and again afterwards."""
    service, leave = Beside(), Closed.leave

    def left(closed: Closed, ha_id: str, remark: Remark) -> None:
        service.is_alone = True
        leave(closed, ha_id, remark)

    monkeypatch.setattr(Closed, "leave", left)
    run = run_of(service, tmp_path, "write", clauses={"ADDR-HAID-ISOLATION"})
    told = {line["ha_id"] for line in run.evidence if line["purpose"] == "others"}
    assert (told, run.red()) == ({MACHINE_ID}, set())


def test_what_somebody_else_left_is_not_put_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The run sees at the end that it is not as it was, and writes nothing."""
    service, look = Meddled(), LastLooks.look
    service.since = 60

    def looked(looks: LastLooks, lane: LiveLane, *, put_back: PutBack, is_final: bool) -> None:
        service.since = sys.maxsize
        service.appliances[OVEN_ID].values[CHILD_LOCK] = True
        look(looks, lane, put_back=put_back, is_final=is_final)

    monkeypatch.setattr(LastLooks, "look", looked)
    run = run_of(service, tmp_path, "write")
    asks = [line["purpose"] for line in run.requests("last-look") if line["key"] == CHILD_LOCK]
    assert (asks, run.left, service.settings()[OVEN_ID, CHILD_LOCK]) == (["repeat"] * 2, [], True)


class Passed(Recording):
    """An oven whose child lock somebody else has switched on."""

    fleet = (TIMED_OVEN,)


def test_value_that_was_only_passed_is_not_put_back(tmp_path: Path) -> None:
    """What the appliance shows before the first write is as found, not what was read long before."""
    service = Passed()
    values = service.appliances[OVEN_ID].values
    with session_of(service, tmp_path, "write") as session:
        values[CHILD_LOCK] = True
        begin(session)
        values[CHILD_LOCK] = False
        session.write()
        assert (session.finish(), values[CHILD_LOCK]) == ([], False)
    lines = lines_of(tmp_path / "evidence.ndjson")
    looked = [line["purpose"] for line in lines if "last-look" in line.get("groups", ())]
    assert {*looked} == {"repeat"}


@pytest.mark.parametrize("since", [0, 60])
def test_nothing_is_written_to_what_moves_by_itself(since: int, tmp_path: Path) -> None:
    """The cases that writes would show are inconclusive, and say what moved; none fails."""
    service = Meddled()
    service.since = since
    run = run_of(service, tmp_path, "write")
    told = [line for line in run.evidence if line["purpose"] == "others"]
    assert (run.red(), run.left, [line["key"] for line in told]) == (set(), [], [CHILD_LOCK])
    said = [message for verdict, message in run.verdicts.values() if verdict == "inconclusive"]
    assert any("somebody else writes to it, perhaps another run" in message for message in said)
    later = [line for line in run.evidence if "request" in line and line["n"] > told[0]["n"]]
    assert {line["purpose"] for line in later} <= {"repeat", "restore"}
