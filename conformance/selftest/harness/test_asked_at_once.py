"""What a target is asked: by lanes that take turns, as many at once as it takes, and what is generated."""

import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import cast
from unittest.mock import Mock

import pytest
from msgspec import Struct
from msgspec.structs import replace

from catalog import keys
from conformance.checks.exchange import Failure, FailureKind, Request, Response
from conformance.checks.view import View
from conformance.harness.clock import REAL, Clock
from conformance.harness.generated.procedures import generated_reads
from conformance.harness.reach import Reach
from conformance.harness.scheduler import Scheduler
from conformance.harness.steps import Ask, Pause
from conformance.harness.wire.messages import Sent
from conformance.harness.writes.lanes import Lanes, LiveLane
from conformance.model.values import fits
from conformance.mutants.fleets import FRIDGE
from conformance.proof.own_time import OwnTime
from conformance.selftest.support.judged_runs import begin, run_of, session_of
from conformance.selftest.support.ran import Ran
from conformance.selftest.support.recording import served_by

PAUSE_S, LONG_S = 0.1, 60.0
"""A pause that lanes make at the same time, and one that is longer than a test may take."""


class Ending(Struct):
    """What lanes ask of a scheduler: how many there may be at once, and whether the run ends."""

    width: int = 2
    is_interrupted: bool = False
    clock: Clock = REAL

    @property
    def is_ending(self) -> bool:
        """It ends when it was interrupted."""
        return self.is_interrupted

    @property
    def reach(self) -> Reach:
        """It takes so many."""
        return Reach(self.width)

    @property
    def lanes(self) -> Lanes:
        """Lanes of it."""
        return Lanes(cast("Scheduler", self))


def run(lanes: Lanes, works: dict[str, Callable[[LiveLane], None]]) -> None:
    """Runs lanes that write nothing, by their names; what is called last puts something back."""
    made = (LiveLane(lanes, name, Mock(), Mock(), is_restoring=name == "last") for name in works)
    lanes.run(made, lambda lane: works[lane.name](lane))


@pytest.mark.parametrize("is_ending", [False, True])
def test_lane_begins_unless_the_run_ends(*, is_ending: bool) -> None:
    """As the run ends, only those begin that put something back."""
    begun: list[str] = []

    def work(lane: LiveLane) -> None:
        begun.append(lane.name)
        lane.pause(0)

    run(Ending(1, is_ending).lanes, {"first": work, "last": work})
    assert begun == [*(() if is_ending else ("first",)), "last"]


@pytest.mark.parametrize("width", [1, 4])
def test_lanes_go_on_while_others_wait(width: int) -> None:
    """One goes on at a time, as many as may be wait at the same time, and no thread is left."""
    at_work, most, threads = Counter[str](), list[int](), set[str]()

    def work(lane: LiveLane) -> None:
        for _ in range(3):
            at_work["now"] += 1
            most.append(at_work["now"])
            threads.add(threading.current_thread().name)
            time.sleep(0)
            at_work["now"] -= 1
            lane.pause(PAUSE_S)

    before, clock = threading.active_count(), OwnTime()
    run(Ending(width, clock=clock).lanes, dict.fromkeys("abcd", work))
    assert (max(most), len(most), threading.active_count()) == (1, 12, before)
    assert clock.now() == pytest.approx(Pause(PAUSE_S).lasts_s * 12 / width)
    assert (threads == {threading.current_thread().name}) is (width == 1)


def test_lane_begins_as_soon_as_another_one_has_ended() -> None:
    """No time passes before it, however long a third one waits."""
    clock, began = OwnTime(), dict[str, float]()

    def work(lane: LiveLane) -> None:
        began[lane.name] = clock.now()
        lane.pause(LONG_S if lane.name == "b" else 0)

    run(Ending(2, clock=clock).lanes, dict.fromkeys("abcd", work))
    assert began == dict.fromkeys("abcd", 0.0)


def test_error_of_a_lane_is_raised_when_the_others_have_ended() -> None:
    """Nobody else is cut short by it."""
    ended: list[str] = []

    def break_off(lane: LiveLane) -> None:
        raise LookupError(lane.name)

    def work(lane: LiveLane) -> None:
        lane.pause(PAUSE_S)
        ended.append(lane.name)

    with pytest.raises(LookupError, match="first"):
        run(Ending(3).lanes, {"first": break_off, "second": work, "third": break_off})
    assert ended == ["second"]


@pytest.mark.parametrize("names", ["a", "abc"])
def test_no_pause_outlasts_the_end_of_a_run(names: str) -> None:
    """Each lane is told once, by an error in its call, and what it does at its end is done."""
    ended: list[str] = []
    lanes, begun = Ending().lanes, threading.Semaphore(0)

    def work(lane: LiveLane) -> None:
        begun.release()
        try:
            lane.pause(LONG_S)
        finally:
            lane.pause(PAUSE_S)
            ended.append(lane.name)

    def interrupt() -> None:
        for _ in names[:2]:
            begun.acquire()
        lanes.interrupt()

    threading.Thread(target=interrupt).start()
    began = time.monotonic()
    run(lanes, dict.fromkeys(names, work))
    assert (sorted(ended), time.monotonic() - began < LONG_S) == ([*names[:2]], True)


# How many requests a target takes at once, by what those under way came to.
AT = "2026-01-01T00:00:00.000+00:00"
ASKED = Request("GET", "http://target.example/", ())
WIDTH = 4


def answered(connection: int) -> Sent:
    """A request that was answered on a connection."""
    return Sent(ASKED, Response(200, (), b"{}", 1.0, connection=connection), None, AT)


def lost(kind: FailureKind) -> Sent:
    """A request that had no answer."""
    return Sent(ASKED, None, Failure(kind, "nothing"), AT)


@pytest.mark.parametrize(
    ("kind", "connections", "beside", "again", "width"),
    [
        ("timeout", [1], (0, 1), True, 1),
        ("timeout", [1, 2], (1, 1), False, WIDTH),
        ("closed", [1, 2, 3, 4], (3, 1), True, 1),
        ("refused", [1, 2], (1, 1), True, 1),
        ("closed", [1, 2, 3], (1, 1), True, WIDTH),
        ("timeout", [1, 2, 3], (1, 1), False, WIDTH),
        ("undecodable", [1], (1, 1), False, WIDTH),
        ("timeout", [], (3, 0), False, WIDTH),
        # each of the others waits on a connection of its own, and nothing is left to be sent on the one
        ("timeout", [1], (2, 0), True, 1),
    ],
)
def test_what_is_lost_beside_others_is_made_again(
    kind: FailureKind, connections: list[int], beside: tuple[int, int], again: bool, width: int
) -> None:
    """Where it is answered then, and connections are no more than were cut, or one, the width is one; so
    many of the others are lost, and so many are answered.
    """
    reach, (others, answers) = Reach(WIDTH), beside
    for connection in connections:
        assert not reach.is_lost_beside_others([answered(connection)], [])
    under_way = [*[[lost(kind)]] * others, *[[answered(1)]] * answers]
    assert reach.is_lost_beside_others([lost(kind)], under_way) == again
    if again:
        reach.note_alone([answered(9)])
    assert reach.width == width


def test_target_that_was_away_from_all_serves_no_fewer() -> None:
    """What is under way is lost as a whole, where answers had come on more than one connection."""
    reach = Reach(WIDTH)
    for connection in (1, 2):
        reach.is_lost_beside_others([answered(connection)], [])
    for left in (3, 2, 1):
        beside = [*[[lost("timeout")]] * left, *[[answered(5)]] * (3 - left)]
        assert not reach.is_lost_beside_others([lost("timeout")], beside)


def test_requests_that_are_made_again_in_vain_are_few() -> None:
    """A key that is never answered does not wait for others."""
    reach = Reach(WIDTH)
    reach.is_lost_beside_others([answered(1)], [])
    for _ in range(3):
        assert reach.is_lost_beside_others([lost("closed")], [])
        reach.note_alone([lost("closed")])
    assert not reach.is_lost_beside_others([lost("closed")], [])
    assert reach.width == WIDTH


# What is generated: how many requests, which, and what is told of them.
CLAUSES = {"ADDR-UNKNOWNKEY", "ADDR-HAID", "ADDR-SPECIFIC", "ADDR-KEY-LAST", "READ-SAFE", "PROT-ERRORS"}
OTHER = replace(FRIDGE.having({keys.SETPOINT: 7, keys.FREEZER_SETPOINT: -21}), ha_id="fridge-9")


SOUND = served_by(fleet=(FRIDGE, OTHER))
"""Two refrigerators."""


def run_with(most: int, out: Path) -> Ran:
    """What came of a run that reads, with so many generated requests for each appliance."""
    tables = {"pace": {"generated_reads": most}}
    return run_of(SOUND(), out, "read", tables, still=False, clauses=CLAUSES)


@pytest.fixture(scope="module")
def views(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, View]:
    """What is seen of the two before anything is generated."""
    with session_of(SOUND(), tmp_path_factory.mktemp("read")) as session:
        begin(session)
        return session.views


def requests_of(
    views: Mapping[str, View], most: int, seed: str = "monday", failure: Failure | None = None
) -> list[Ask]:
    """What the first of the two would be asked with so many generated requests, whatever it answers.

    With `failure` no request gets an answer.
    """
    seen = next(iter(views.values()))
    pace = seen.profile.pace.model_copy(update={"generated_reads": most})
    profile = seen.profile.model_copy(update={"pace": pace})
    answer = next(iter(seen.reads.values()))
    exchange = replace(answer.exchange, failure=failure)
    asks: list[Ask] = []
    for procedure in generated_reads(replace(seen, profile=profile), views, seed, {}):
        with suppress(StopIteration):
            step = next(procedure)
            while True:
                asks += [step] if isinstance(step, Ask) and step.purpose == "generated" else []
                method = step.wanted.method if isinstance(step, Ask) else "GET"
                sent = replace(exchange, request=replace(exchange.request, method=method))
                step = procedure.send(replace(answer, exchange=sent))
    return asks


def test_budget_is_kept_by_requests_that_are_safe(tmp_path: Path) -> None:
    """Each appliance is asked nearly as many as the profile allows, by GET, HEAD and OPTIONS alone; a clause
    has one case for all of them, which a sound server passes.
    """
    run = run_with(60, tmp_path)
    made = [line["lane"] for group in ("generated/", "after/") for line in run.requests(group)]
    assert all(50 <= made.count(ha_id) <= 60 for ha_id in ("fridge-1", "fridge-9"))
    methods = {line["request"]["method"] for line in run.evidence if line["purpose"] == "generated"}
    assert methods == {"GET", "HEAD", "OPTIONS"}
    found = {name: case.verdict for name, case in run.cases.items() if "::~generated@" in name}
    assert (len(found), {*found.values()}) == (len(CLAUSES) * len(SOUND.fleet), {"pass", "observed"})


def test_a_larger_budget_sends_what_a_smaller_one_does(views: Mapping[str, View]) -> None:
    """Cut at five places: what a few requests show, more show as well; only many have drawn names."""
    made = [{ask.wanted: str(ask.group) for ask in requests_of(views, most)} for most in (1, 12, 59, 66, 150)]
    assert [one.keys() <= other.keys() for one, other in pairwise(made)] == [True] * 4
    assert len(made[0]) < len(made[2]) < len(made[4])
    assert [any("drawn" in group for group in one.values()) for one in made] == [False] * 4 + [True]


@pytest.mark.parametrize(("kind", "is_over"), [("timeout", True), ("closed", False)])
def test_method_that_is_never_answered_is_sent_once(
    views: Mapping[str, View], kind: FailureKind, *, is_over: bool
) -> None:
    """Each waits for the timeout of the profile; an answer that ends at once costs nothing."""
    asks = requests_of(views, 150, failure=Failure(kind, ""))
    sent = Counter(ask.wanted.method for ask in asks)
    assert [sent[method] == 1 for method in ("HEAD", "OPTIONS")] == [is_over] * 2
    assert sent["GET"] > 100


def test_entries_are_found_once(views: Mapping[str, View], monkeypatch: pytest.MonkeyPatch) -> None:
    """However many requests are made: else a fleet of hundreds takes longer to ask for than to be asked."""
    looked_at = Mock(wraps=fits)
    monkeypatch.setattr("conformance.harness.generated.candidates.fits", looked_at)
    requests_of({ha_id: replace(seen) for ha_id, seen in views.items()}, 150)
    assert 0 < looked_at.call_count <= sum(len(seen.reads) for seen in views.values())


def test_another_seed_asks_otherwise(views: Mapping[str, View]) -> None:
    """What is drawn from a text is the same for the same text, and other for another."""
    assert requests_of(views, 59) == requests_of(views, 59) != requests_of(views, 59, "tuesday")


def test_no_budget_leaves_the_cases_out(tmp_path: Path) -> None:
    """With pace.generated_reads = 0 there is no case, and no request."""
    run = run_with(0, tmp_path)
    assert [name for name in run.cases if "~generated" in name] == run.requests("generated/") == []
