"""Lanes wait for answers and pauses on a queue of CPython, whose timed waits have a fault."""

from __future__ import annotations

from queue import Empty
from unittest.mock import Mock

import pytest

from conformance.harness.steps import Pause, Procedure
from conformance.harness.writes import lanes
from conformance.harness.writes.lanes import Lane, Lanes


class FreeQueue:
    """A queue that stays empty, as CPython has it: whoever looks takes its lock, and keeps it.

    Where a timed wait takes the lock itself and its time is over by then, the wait never ends.
    """

    is_locked = False

    def get_nowait(self) -> None:
        """Takes the lock."""
        self.is_locked = True
        raise Empty

    def get(self, timeout: float) -> None:
        """Waits for ever, or not at all."""
        assert self.is_locked, f"a wait of {timeout} s may never end"
        raise Empty


def pausing() -> Procedure:
    """Pauses twice, for no time."""
    yield Pause(0)
    yield Pause(0)


def test_pause_that_is_over_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """No timed wait begins on a queue whose lock is free."""
    monkeypatch.setattr(lanes, "SimpleQueue", FreeQueue)
    lane = Lane("oven-1", Mock(), lambda _: pausing())
    Lanes(Mock(width=1, is_ending=False)).run([lane])
    assert next(lane.steps, "ended") == "ended"
