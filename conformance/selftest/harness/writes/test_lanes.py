"""Lanes are plain calls that wait, one at a time, beside as many others as a target takes at once."""

import threading
import time
from collections import Counter
from collections.abc import Callable
from typing import cast
from unittest.mock import Mock

import pytest
from msgspec import Struct
from msgspec.structs import replace

from catalog.keys import CHILD_LOCK
from conformance.checks.exchange import Failure, FailureKind, Request, Response
from conformance.harness.clock import REAL, Clock
from conformance.harness.reach import Reach
from conformance.harness.scheduler import Scheduler
from conformance.harness.steps import Pause
from conformance.harness.wire.messages import Sent
from conformance.harness.writes.lanes import Lanes, LiveLane
from conformance.proof.own_time import OwnTime
from conformance.selftest.support.samples.handmade import ANCHOR, exchange, numbered

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
    ("kind", "connections", "others", "again", "width"),
    [
        ("timeout", [1], 0, True, 1),
        ("timeout", [1, 2], 1, False, WIDTH),
        ("closed", [1, 2, 3, 4], 3, True, 1),
        ("refused", [1, 2], 1, True, 1),
        ("closed", [1, 2, 3], 1, True, WIDTH),
        ("timeout", [1, 2, 3], 1, False, WIDTH),
        ("undecodable", [1], 1, False, WIDTH),
        ("timeout", [], 3, False, WIDTH),
    ],
)
def test_what_is_lost_beside_others_is_made_again(
    kind: FailureKind, connections: list[int], others: int, again: bool, width: int
) -> None:
    """Where it is answered then, and connections are no more than were cut, or one, the width is one."""
    reach = Reach(WIDTH)
    for connection in connections:
        assert not reach.is_lost_beside_others([answered(connection)], [])
    beside = [*[[lost(kind)]] * others, *([answered(one)] for one in connections[:1])]
    assert reach.is_lost_beside_others([lost(kind)], beside) == again
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


def test_one_answer_before_all_others_are_late_is_enough() -> None:
    """Each of the others waits on a connection of its own, and nothing is left to be sent on the one."""
    reach = Reach(WIDTH)
    reach.is_lost_beside_others([answered(1)], [])
    assert reach.is_lost_beside_others([lost("timeout")], [[lost("timeout")], [lost("timeout")]])
    reach.note_alone([answered(5)])
    assert reach.width == 1


def test_run_that_goes_on_knows_what_the_earlier_one_has_learnt() -> None:
    """It asks for one at a time where a request was answered only alone; elsewhere as the profile says."""
    first, last = exchange(ANCHOR, 200, b"{}"), exchange(CHILD_LOCK, 200, b"{}")
    missed = replace(last, response=None, failure=Failure("timeout", "nothing"))
    told = numbered([first, replace(missed, purpose="wait"), last])
    for earlier, width in ((told, 1), (told[::2], WIDTH)):
        reach = Reach(WIDTH)
        reach.learn(earlier)
        assert reach.width == width


def test_requests_that_are_made_again_in_vain_are_few() -> None:
    """A key that is never answered does not wait for others."""
    reach = Reach(WIDTH)
    reach.is_lost_beside_others([answered(1)], [])
    for _ in range(3):
        assert reach.is_lost_beside_others([lost("closed")], [])
        reach.note_alone([lost("closed")])
    assert not reach.is_lost_beside_others([lost("closed")], [])
    assert reach.width == WIDTH
