"""What whole runs come to: as a row of the scenarios says, as a hostile server declares, and where two of
them write to the same appliances.
"""

import json
import os
import random
import sys
import threading
import tracemalloc
from collections import deque
from collections.abc import Callable, Collection, Generator, Iterable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from catalog.keys import ALARM_CLOCK, CHILD_LOCK
from conformance.harness.wire.messages import Sent, Wanted
from conformance.harness.wire.redaction import Redactor
from conformance.harness.wire.transport import Transport
from conformance.mutants.fleets import MACHINE, TIMED_OVEN
from conformance.mutants.hostile.model import ENVIRONMENT, Oven
from conformance.mutants.hostile.servers import BY_NAME, HOSTILE, opened
from conformance.profiles.validation import build_profile
from conformance.proof.outcomes import TrialOutcome, told_of
from conformance.proof.own_time import OwnTime
from conformance.proof.pool import judge_all as judge_apart
from conformance.records.journal_lines import JOURNAL_FILE
from conformance.records.ledger_lines import LEDGER_FILE
from conformance.reference.clock import Clock
from conformance.reference.service import Service
from conformance.reference.wire import Incoming, Json, Reply
from conformance.selftest.runs.scenarios import keeping, late, others, preparing, sharing, strangers, values
from conformance.selftest.runs.scenarios.model import troubles
from conformance.selftest.support.hostile_runs import HostileRun, breaches, run_against, strayed
from conformance.selftest.support.judged_runs import STILL, judge_all, session_of
from conformance.selftest.support.ran import lines_of, moves_in
from conformance.selftest.support.recording import served_by
from conformance.selftest.support.rows import named_by

SCENARIOS = {
    row.what: row
    for table in (preparing, sharing, keeping, values, others, late, strangers)
    for row in table.ROWS
}


@pytest.mark.parametrize("name", SCENARIOS)
def test_run_comes_to_what_its_row_says(name: str, tmp_path: Path) -> None:
    """The row says what may fail, what stays open, what is written and what is left."""
    assert "\n".join(troubles(SCENARIOS[name], tmp_path)) == ""


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
    return judge_apart(names, judge, workers=TRIALS_AT_ONCE, apart=True)


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


# Two runs on one appliance that keep their locks in two places, their requests in any order: threads of this
# process whose requests are interleaved by a seed, in a time of their own. One of them runs at a time, until
# it waits; time goes on only while both wait. So the same seed gives the same order of all requests, on any
# machine, and a minute of waiting takes none.
SEEDS = 5 * int(os.environ.get("MOMENTS", "1"))
"""How many orders of requests each test tries."""
ALONE = 200
"""Requests that one run makes alone, about; the second one begins within."""
Place = tuple[str, str]
MEANS_S = (0.0005, 0.002, 0.006, 0.02)
"""How long the requests of a run take on average, in seconds: short and long beside its waits."""
EPOCH_S = 1_700_000_000.0
"""When the time of the runs began, in seconds since 1970."""
ONE_BY_ONE = {"pace": STILL | {"concurrency": 1}}
"""The lanes of a run go on one after the other, in its own thread."""


class SideBySide:
    """Does works side by side, which take turns in one time; `draw` is what they are timed by."""

    def __init__(self, seed: int) -> None:
        self.draw, self.clock = random.Random(seed), OwnTime()
        self._turn, self._requests = self.clock.turn(), 0
        self._coming: deque[tuple[int, float, Callable[[], None]]] = deque()
        self._begun: deque[Future[None]] = deque()
        self._own = threading.local()

    def run(self, works: Iterable[tuple[int, Callable[[], None]]]) -> None:
        """Does each work once so many requests were made, or one of the others is over."""
        self._coming.extend((begins, self.draw.choice(MEANS_S), work) for begins, work in works)
        with ThreadPoolExecutor(len(self._coming)) as self._pool:
            self._begin()
            while self._begun:
                self._begun.popleft().result()

    def takes_time(self, requests: int = 0) -> None:
        """A part of a request takes its time; so many were made with it."""
        self._requests += requests
        self._begin()
        self.pause(self.draw.expovariate(2 / self._own.mean_s))

    def pause(self, seconds: float) -> None:
        """Lets the other go on, until so many seconds have passed."""
        self._turn.rest(bool, seconds)

    def _begin(self) -> None:
        """Begins what is due, behind whoever goes on."""
        while self._coming and self._coming[0][0] <= self._requests:
            _, mean_s, work = self._coming.popleft()
            self._begun.append(self._pool.submit(self._do, self._turn.place(), mean_s, work))

    def _do(self, place: threading.Lock, mean_s: float, work: Callable[[], None]) -> None:
        self._own.mean_s = mean_s
        self._turn.take(place)
        try:
            work()
        finally:
            self._requests = sys.maxsize
            self._begin()
            self._turn.pass_on()


class SharedTime(OwnTime):
    """The time that the runs have in common."""

    def __init__(self, beside: SideBySide) -> None:
        super().__init__()
        self._beside = beside

    def now(self) -> float:
        """Seconds since they began."""
        return self._beside.clock.now()

    def since_1970(self) -> float:
        """The same, after a moment that is always the same."""
        return EPOCH_S + self.now()

    def sleep(self, seconds: float) -> None:
        """Lets the other go on, until so many seconds have passed."""
        self._beside.pause(seconds)

    def ask(self) -> None:
        """A request takes the time of its service."""


def shared(shape: type[Service], beside: SideBySide) -> Service:
    """A service of a shape, each request of which takes its time on the way and on the way back.

    By its own clock no time passes.
    """

    class Shared(shape):
        def handle(self, request: Incoming) -> Reply:
            beside.takes_time(1)
            reply = super().handle(request)
            beside.takes_time()
            return reply

    return Shared(clock=Clock(running=False))


class RunBeside(NamedTuple):
    """What was red in two runs, what they said, and what they found and left."""

    red: Collection[str]
    told: Collection[Place]
    found: Mapping[Place, Json]
    left: Mapping[Place, Json]
    evidence: Mapping[str, list[dict[str, Any]]]

    @property
    def silent(self) -> list[Place]:
        """The settings that are left moved, and neither run says so; an alarm clock runs down."""
        moved = (place for place, value in self.found.items() if self.left[place] != value)
        return [place for place in moved if place not in self.told and place[1] != ALARM_CLOCK]

    def was_shown(self, place: Place) -> bool:
        """Whether one of the runs read of a setting what it had neither read before nor written itself."""
        return any(_has_moved(lines, place) for lines in self.evidence.values())


def two_runs(seed: int, directory: Path) -> RunBeside:
    """Two runs at level power; the second one begins while the first one reads or writes."""
    beside = SideBySide(seed)
    red, told = list[str](), set[Place]()
    service = shared(served_by(fleet=(MACHINE, TIMED_OVEN)), beside)
    found = service.settings()

    def run(name: str) -> None:
        with session_of(service, directory / name, "power", ONE_BY_ONE, clock=SharedTime(beside)) as session:
            for case, one in judge_all(session).items():
                red.extend([f"{name}: {case}: {one.message}"] * (one.verdict in {"fail", "error"}))
            told.update(told_of(session.finish(), directory / name))
        told.update(moves_in(lines_of(directory / name / JOURNAL_FILE)))

    begins = int(beside.draw.uniform(0.2, 1.0) * ALONE)
    beside.run([(0, lambda: run("first")), (begins, lambda: run("second"))])
    evidence = {name: lines_of(directory / name / LEDGER_FILE) for name in ("first", "second")}
    return RunBeside(red, told, found, service.settings(), evidence)


def _has_moved(lines: list[dict[str, Any]], place: Place) -> bool:
    """Whether a run has read of a setting what it had neither read before nor written since."""
    known: list[Json] = []
    for line in lines:
        if "request" not in line or (line["ha_id"], line["key"]) != place:
            continue
        is_taken = line["response"]["status"] < 300
        if line["purpose"] in {"write", "restore"}:
            known = [line["value"]] if is_taken else known
        elif is_taken:
            value = json.loads(line["response"]["body"])["data"]["value"]
            if known and known != [value]:
                return True
            known = [value]
    return False


@pytest.mark.parametrize("seed", range(SEEDS))
def test_two_runs_leave_what_they_found_or_say_so(seed: int, tmp_path: Path) -> None:
    """Neither convicts a server that conforms, and what is left moved is said, if it was shown to either.

    A run that begins while another one holds a value, and meets the same value whenever it looks, finds and
    leaves that; the other one has written the same value itself, and reads what it has written.
    """
    ran = two_runs(seed, tmp_path)
    assert (ran.red, [place for place in ran.silent if ran.was_shown(place)]) == ([], [])
