"""What whole runs come to: as a row of the scenarios says, as a hostile server declares, and where somebody
else writes meanwhile.
"""

import sys
import tracemalloc
from collections.abc import Generator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from catalog.keys import ALARM_CLOCK, CHILD_LOCK
from conformance.checks.exchange import Remark
from conformance.checks.groups import Group
from conformance.harness.wire.messages import Sent, Wanted
from conformance.harness.wire.redaction import Redactor
from conformance.harness.wire.transport import Transport
from conformance.harness.writes.keeping.owed import Closed
from conformance.harness.writes.lanes import LiveLane
from conformance.harness.writes.last_looks import LastLooks
from conformance.mutants.fleets import TIMED_OVEN
from conformance.mutants.hostile.model import ENVIRONMENT, Oven
from conformance.mutants.hostile.servers import BY_NAME, HOSTILE, opened
from conformance.mutants.registry import find_server
from conformance.profiles.validation import build_profile
from conformance.proof import own_time
from conformance.proof.outcomes import TrialOutcome
from conformance.proof.pool import judge_all
from conformance.reference.wire import Incoming, Reply
from conformance.runs.targets import open_target, profile_of
from conformance.selftest.runs.scenarios import keeping, late, others, preparing, sharing, strangers, values
from conformance.selftest.runs.scenarios.model import troubles
from conformance.selftest.support.hostile_runs import HostileRun, breaches, run_against, strayed
from conformance.selftest.support.judged_runs import begin, run_of, session_of
from conformance.selftest.support.ran import lines_of, moves_in
from conformance.selftest.support.rows import named_by
from conformance.selftest.support.servers.recording import MACHINE_ID, OVEN_ID, Recording

SCENARIOS = {
    row.what: row
    for table in (preparing, sharing, keeping, values, others, late, strangers)
    for row in table.ROWS
}


@pytest.mark.parametrize("name", SCENARIOS)
def test_run_comes_to_what_its_row_says(name: str, tmp_path: Path) -> None:
    """The row says what may fail, what stays open, what is written and what is left."""
    assert "\n".join(troubles(SCENARIOS[name], tmp_path)) == ""


def test_a_hostile_server_is_a_target() -> None:
    """Its profile can be had with and without starting it."""
    with open_target("hostile:silent") as profile:
        assert profile.target.name == profile_of("hostile:silent").target.name == "silent"


# Servers whose harm may reach memory, a page, the terminal, a secret or what has to be put back: each leads
# a whole command to what it declares.
COMMANDS_AT_ONCE = 3
"""Runs at the same time in one process of the tests; most of the time each waits for its server."""


@pytest.fixture(scope="module")
def runs(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Generator[Mapping[str, Future[HostileRun]]]:
    """The runs against the servers that the tests name, some at a time."""
    directory = tmp_path_factory.mktemp("hostile")
    with ThreadPoolExecutor(COMMANDS_AT_ONCE) as pool:
        yield {
            name: pool.submit(run_against, BY_NAME[name], directory / name)
            for name in named_by(request.session.items, "test_whole_command_comes_to_what_is_declared")
        }
        pool.shutdown(cancel_futures=True)


@pytest.mark.parametrize("name", [hostile.name for hostile in HOSTILE if hostile.whole])
def test_whole_command_comes_to_what_is_declared(name: str, runs: Mapping[str, Future[HostileRun]]) -> None:
    """A run against it has the declared outcome, within its bounds, and does nothing that no run may do."""
    assert "\n".join(breaches(runs[name].result())) == ""


# Servers whose harm ends in what judges: each leads a trial over sockets to what it declares.
TRIALS_AT_ONCE = 4
"""Trials at the same time; most of the time each waits for its server."""


def outcome(name: str, directory: Path) -> TrialOutcome:
    """What is wrong with a run against a server."""
    return TrialOutcome("ended", {}, tuple(breaches(run_against(BY_NAME[name], directory / name))))


@pytest.fixture(scope="module")
def outcomes(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Mapping[str, TrialOutcome]:
    """What came of the runs against the servers that the tests name, some at a time."""
    names = named_by(request.session.items, "test_trial_comes_to_what_is_declared")
    judge = partial(outcome, directory=tmp_path_factory.mktemp("hostile"))
    return judge_all(names, judge, workers=TRIALS_AT_ONCE, apart=True)


@pytest.mark.parametrize("name", [hostile.name for hostile in HOSTILE if hostile.is_tried])
def test_trial_comes_to_what_is_declared(name: str, outcomes: Mapping[str, TrialOutcome]) -> None:
    """A run against it has the declared outcome, within its bounds, and does nothing that no run may do."""
    assert "\n".join(outcomes[name].faults) == ""


# Servers whose harm ends in the transport: one request comes to what is declared.
PATH = f"/api/homeappliances/{Oven.fleet[0].ha_id}/settings/{CHILD_LOCK}"
MOST_MB = 60
"""The most memory that one request may take, with what the server sends."""


@pytest.mark.parametrize("name", [hostile.name for hostile in HOSTILE if hostile.outcome.request])
def test_request_comes_to_what_is_declared(name: str) -> None:
    """In bounded memory and few words; nothing is sent to another host, and no cookie."""
    hostile = BY_NAME[name]
    with opened(hostile) as (served, data):
        profile = build_profile(data, environment=ENVIRONMENT)
        with Transport(profile, Redactor(ENVIRONMENT), ENVIRONMENT, "selftest") as transport:
            tracemalloc.start()
            attempts = transport.send(Wanted(PATH))
            most, _ = tracemalloc.get_traced_memory()[1], tracemalloc.stop()
        assert came_to(attempts[-1]) == hostile.outcome.request
        assert list(strayed(served.requests, served.base_url)) == []
    assert most < MOST_MB * 1e6
    assert all(len(one.failure.text) <= 200 for one in attempts if one.failure)


def came_to(attempt: Sent) -> str:
    """What an attempt came to, as a row has it; what is kept of an answer that is cut is short."""
    response = attempt.response
    if not response:
        return attempt.failure.kind if attempt.failure else ""
    if not response.cut:
        return str(response.status) if response.complete else "cut short"
    assert len(response.body) <= 512
    assert sum(len(name) + len(text) for name, text in response.headers) <= 2_048
    return f"cut {response.cut.limit}"


# Somebody else writes to an appliance while a run does.
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


def test_slow_machine_convicts_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where one request takes longer than an effect may, a value that the first two reads do not show yet is
    looked for all the same.
    """
    monkeypatch.setattr(own_time, "_REQUEST_S", 0.6)
    ran = run_of(find_server("reads-lag-behind")(), tmp_path, "write", clauses={"SET-WRITABLE"})
    assert (ran.red(), ran.finding("SET-WRITABLE", ALARM_CLOCK)[0]) == (set(), "pass")
