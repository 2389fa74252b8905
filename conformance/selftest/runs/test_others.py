"""Somebody else writes to an appliance while a run does."""

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from msgspec.structs import replace

from catalog.keys import CHILD_LOCK, CUSTOM_COLOR, ECO_MODE, OFF, ON, POWER_STATE, STANDBY
from conformance.checks.exchange import Exchange, Remark
from conformance.checks.groups import Group
from conformance.checks.view import View
from conformance.harness.writes.keeping.gate import Gate
from conformance.harness.writes.keeping.owed import Closed
from conformance.harness.writes.lanes import LiveLane
from conformance.harness.writes.last_looks import LastLooks
from conformance.harness.writes.watching import Watch
from conformance.mutants.fleets import TIMED_OVEN
from conformance.mutants.registry import find_server
from conformance.reference.wire import Incoming, Reply
from conformance.selftest.support.judged_runs import begin, run_of, session_of
from conformance.selftest.support.ran import lines_of, moves_in
from conformance.selftest.support.samples.handmade import (
    HA_ID,
    exchange,
    profile_of,
    seen_of,
    value,
    write_table,
)
from conformance.selftest.support.servers.recording import MACHINE_ID, OVEN_ID, Recording
from conformance.selftest.support.stepping import Answering


def test_what_is_made_again_alone_is_watched_only_then(tmp_path: Path) -> None:
    """Writes that had no effect beside others: the first look comes after one of them was made alone."""
    run = run_of(find_server("acknowledged-and-dropped")(), tmp_path, "power")
    alone = [one["n"] for one in run.evidence if any("/alone" in group for group in one.get("groups", ()))]
    assert alone[0] < run.requests("watch")[0]["n"]


class MovedByAnother(Recording):
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
        if not self.is_alone and len(self.requests) % MovedByAnother.every == 0:
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
    service, look = MovedByAnother(), LastLooks.look
    service.since = 60

    def looked(looks: LastLooks, lane: LiveLane, **more: Any) -> None:
        service.since = sys.maxsize
        service.appliances[OVEN_ID].values[CHILD_LOCK] = True
        look(looks, lane, **more)

    monkeypatch.setattr(LastLooks, "look", looked)
    run = run_of(service, tmp_path, "write")
    asks = [line["purpose"] for line in run.requests("last-look") if line["key"] == CHILD_LOCK]
    assert (asks, run.left, service.settings()[OVEN_ID, CHILD_LOCK]) == (["repeat"] * 2, [], True)


class LockedByAnother(Recording):
    """An oven whose child lock somebody else has switched on."""

    fleet = (TIMED_OVEN,)


def test_value_that_was_only_passed_is_not_put_back(tmp_path: Path) -> None:
    """What the appliance shows before the first write is as found, not what was read long before."""
    service = LockedByAnother()
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
    service = MovedByAnother()
    service.since = since
    run = run_of(service, tmp_path, "write")
    told = [line for line in run.evidence if line["purpose"] == "others"]
    assert (run.red(), run.left, [line["key"] for line in told]) == (set(), [], [CHILD_LOCK])
    said = [message for verdict, message in run.verdicts.values() if verdict == "inconclusive"]
    assert any(
        "perhaps another run, or effects take longer than timing.settle_s" in message for message in said
    )
    later = [line for line in run.evidence if "request" in line and line["n"] > told[0]["n"]]
    assert {line["purpose"] for line in later} <= {"repeat", "restore"}


def test_what_moved_before_it_was_put_back_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody else switches the lock on before the run does what it owes: its reads then show that."""
    service, put_back = LockedByAnother(), LastLooks.put_back

    def put_back_late(looks: LastLooks, lane: LiveLane, group: Group, **more: Any) -> None:
        service.appliances[OVEN_ID].values[CHILD_LOCK] = True
        put_back(looks, lane, group, **more)

    monkeypatch.setattr(LastLooks, "put_back", put_back_late)
    run = run_of(service, tmp_path, "write", clauses={"SET-WRITABLE"})
    assert (run.red(), moves_in(run.journal)) == (set(), {(OVEN_ID, CHILD_LOCK)})


def test_what_moved_while_it_was_looked_at_last_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody else switches the lock on, and off while the run waits whether that stays."""
    service, look = LockedByAnother(), LastLooks.look

    def looked(looks: LastLooks, lane: LiveLane, **more: Any) -> None:
        oven = service.appliances[OVEN_ID]
        oven.values[CHILD_LOCK] = True
        off_again = partial(service.change, oven, CHILD_LOCK, value=False)
        service.timers.arm((OVEN_ID, CHILD_LOCK), 0.03, off_again)
        look(looks, lane, **more)

    monkeypatch.setattr(LastLooks, "look", looked)
    run = run_of(service, tmp_path, "write", clauses={"SET-WRITABLE"})
    assert (run.red(), moves_in(run.journal)) == (set(), {(OVEN_ID, CHILD_LOCK)})


class MovedMeanwhile(Answering):
    """A lane of an appliance that turns off while it waits, and whose run does something else then."""

    def __init__(self, found: View, moved: View, meanwhile: Callable[[], object]) -> None:
        super().__init__(found, moved)
        self._meanwhile = meanwhile

    def pause(self, seconds: float) -> None:
        super().pause(seconds)
        self._seen = self._written
        self._meanwhile()


@pytest.mark.parametrize("is_answered", [True, False])
@pytest.mark.parametrize(
    ("shows", "key", "written", "is_left"),
    [
        ((POWER_STATE, ON, OFF), POWER_STATE, OFF, False),
        ((POWER_STATE, ON, OFF), POWER_STATE, STANDBY, True),
        ((POWER_STATE, ON, OFF), CHILD_LOCK, True, True),
        ((POWER_STATE, ON, OFF), ECO_MODE, True, True),
        ((CUSTOM_COLOR, "#102030", "#aabbcc"), CUSTOM_COLOR, "#AABBCC", False),
        ((CUSTOM_COLOR, "#102030", "#aabbcc"), CUSTOM_COLOR, "#AABBCD", True),
    ],
)
def test_what_the_run_writes_elsewhere_explains_only_what_it_is_taken_for(
    shows: tuple[str, str, str], key: str, written: object, *, is_left: bool, is_answered: bool
) -> None:
    """A setting moves while another appliance is written to: the same value may have gone to both, also
    before the write of it is answered.
    """
    profile, (moving, *states) = profile_of(write=write_table("*")), shows
    found, moved = (seen_of(profile, value(moving, state)) for state in states)
    exchanges, closed = list[Exchange](), Closed(found.catalog, [])
    under_way = list[tuple[str, object]]()
    gates = {"other": cast("Gate", SimpleNamespace(under_way=under_way))}
    watch = Watch({HA_ID: found}, closed, gates, exchanges)
    elsewhere = replace(exchange(key, purpose="write", ha_id="other"), value=written)
    answered, sent = partial(exchanges.append, elsewhere), partial(under_way.append, (key, written))
    lane = MovedMeanwhile(found, moved, answered if is_answered else sent)
    assert watch.look(cast("LiveLane", lane)) is is_left
