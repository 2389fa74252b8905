"""Lanes are plain calls that wait, one at a time; none leaves a thread behind."""

import threading
import time
from collections import Counter
from collections.abc import Callable
from typing import cast
from unittest.mock import Mock

import pytest
from msgspec import Struct

from conformance.harness.clock import REAL, Clock
from conformance.harness.reach import Reach
from conformance.harness.scheduler import Scheduler
from conformance.harness.steps import Pause
from conformance.harness.writes.lanes import Lanes, LiveLane
from conformance.proof.own_time import OwnTime

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
    lanes.run(
        LiveLane(lanes, name, Mock(), Mock(), works[name], is_restoring=name == "last") for name in works
    )


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
