"""Runs the lanes of a run that writes side by side, from one thread, within pace and concurrency.

A lane is all that is written to one appliance, in one order. A request that is waited for never holds a lane
that could go on: requests are made by the threads of the scheduler, and everything else (gate, journal,
ledger) by this one. Where the run has to end, each lane is told so at its next step, and puts back what it
wrote.
"""

import heapq
import time
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from functools import cached_property
from itertools import count
from queue import Empty, SimpleQueue
from typing import NamedTuple

from msgspec.structs import replace

from conformance.checks.answer import Answer
from conformance.harness.errors import DayBudgetError
from conformance.harness.scheduler import Scheduler
from conformance.harness.steps import Ask, Cleanup, Listen, Pause, Procedure, Step
from conformance.harness.wire.messages import Heard, Sent
from conformance.harness.writes.keeping.gate import Gate


class StoppedError(BaseException):
    """Told to a lane, at its next step: the run ends, and what it wrote is to be put back."""


@dataclass(eq=False)
class Lane:
    """One lane: its name, which is the haId of the appliance at work, its gate, and its work.

    Attributes:
        is_restoring: whether it puts something back, which nothing ends.
        is_told: whether it was told that the run ends.
        error: what ended it before its end.
    """

    name: str
    gate: Gate
    work: "Callable[[Lane], Procedure]"
    is_restoring: bool = False
    is_told: bool = False
    error: Exception | None = None
    lines: ExitStack = field(default_factory=ExitStack)
    streams: list[tuple[Listen, SimpleQueue[Heard]]] = field(
        default_factory=list[tuple[Listen, "SimpleQueue[Heard]"]]
    )

    @cached_property
    def steps(self) -> Procedure:
        """Its steps, once."""
        return self.work(self)


class _Done(NamedTuple):
    """A request that was made for a lane: what it was to be, what was sent, and what was raised."""

    lane: Lane
    ask: Ask
    permit: int | None
    made: list[Sent]
    error: BaseException | None


class Lanes:
    """Runs lanes; `interrupt` may be called at any time, also by the handler of a signal."""

    def __init__(self, scheduler: Scheduler) -> None:
        self._scheduler = scheduler
        self._done: SimpleQueue[_Done | None] = SimpleQueue()
        self._paused: list[tuple[float, int, Lane]] = []
        self._numbers = count()
        self._ready: deque[tuple[Lane, Answer | Exception | None]] = deque()
        self._open: set[Lane] = set()

    def interrupt(self) -> None:
        """Ends the run: every lane puts back what it wrote."""
        self._scheduler.is_interrupted = True
        self._done.put(None)

    def run(self, lanes: Iterable[Lane]) -> None:
        """Runs lanes to their ends, as many at once as requests may be.

        Raises:
            Exception: the first error that ended a lane, once all have ended.
        """
        begun: list[Lane] = []
        coming = deque(lanes)
        while True:
            while coming and len(self._open) < self._scheduler.width:
                lane = coming.popleft()
                if self._scheduler.is_ending and not lane.is_restoring:
                    continue
                self._open.add(lane)
                begun.append(lane)
                self._ready.append((lane, None))
            if self._ready:
                self._advance(*self._ready.popleft())
            elif self._open:
                self._wait()
            else:
                break
        for error in (lane.error for lane in begun if lane.error):
            raise error

    def perform(self, procedure: Procedure, gate: Gate, name: str, *, restoring: bool = False) -> None:
        """Runs one procedure while no lane is open.

        Raises:
            StoppedError: when it was told that the run ends.
        """
        lane = Lane(name, gate, lambda _: procedure, is_restoring=restoring)
        self.run([lane])
        if lane.is_told or (self._scheduler.is_ending and not restoring):
            raise StoppedError

    def _wait(self) -> None:
        """Waits for an answer, or for the end of a pause; no pause outlasts the end of the run."""
        if self._scheduler.is_ending:
            for place in [place for place in self._paused if not self._stays(place[2])]:
                self._paused.remove(place)
                self._ready.append((place[2], None))
            heapq.heapify(self._paused)
            if self._ready:
                return
        until = self._paused[0][0] if self._paused else None
        try:
            done = self._next_done(until)
            if done:
                self._take(done)
        except Empty:
            pass
        now = time.monotonic()
        while self._paused and self._paused[0][0] <= now:
            self._ready.append((heapq.heappop(self._paused)[2], None))

    def _next_done(self, until: float | None) -> _Done | None:
        """What is done next.

        Raises:
            Empty: when nothing is by then.
        """
        # CPython's SimpleQueue may wait for ever where a timed wait finds its lock free; this takes the lock
        with suppress(Empty):
            return self._done.get_nowait()
        return self._done.get(timeout=None if until is None else max(0.0, until - time.monotonic()))

    @staticmethod
    def _stays(lane: Lane) -> bool:
        """Whether a lane goes on as if the run did not end."""
        return lane.is_restoring or lane.is_told

    def _advance(self, lane: Lane, outcome: Answer | Exception | None) -> None:
        """Gives a lane what came of its last step, and takes steps until one has to be waited for."""
        while True:
            for listen, stream in lane.streams:
                while not stream.empty():
                    listen.heard.append(stream.get())
            step = self._next(lane, outcome)
            while step and self._scheduler.is_ending and not self._stays(lane):
                step = self._next(lane, None)
            if step is None:
                lane.lines.close()
                self._open.discard(lane)
                return
            try:
                if self._is_waiting(lane, step):
                    return
                outcome = None
            except Exception as error:  # noqa: BLE001  whatever it is, the procedure that asked for it has to know
                outcome = error

    def _is_waiting(self, lane: Lane, step: Step) -> bool:
        """Takes a step of a lane; whether the lane has to wait for what comes of it."""
        if isinstance(step, Pause):
            heapq.heappush(self._paused, (time.monotonic() + step.lasts_s, next(self._numbers), lane))
            return True
        if isinstance(step, Ask):
            self._ask(lane, step)
            return True
        if isinstance(step, Listen):
            lane.streams.append((step, self._scheduler.opened(step, lane.lines)))
        elif isinstance(step, Cleanup):
            lane.gate.cleanups.append(step.ask)
        else:
            self._scheduler.remark(step)
        return False

    def _next(self, lane: Lane, outcome: Answer | Exception | None) -> Step | None:
        """The next step of a lane; None where it has ended."""
        try:
            if self._scheduler.is_ending and not self._stays(lane):
                lane.is_told = True
                return lane.steps.throw(StoppedError())
            if isinstance(outcome, Exception):
                return lane.steps.throw(outcome)
            return next(lane.steps) if outcome is None else lane.steps.send(outcome)
        except (StopIteration, StoppedError):
            return None
        except Exception as error:  # noqa: BLE001  the other lanes go on
            lane.error = error
            return None

    def _ask(self, lane: Lane, ask: Ask) -> None:
        """Lets a request of a lane be made; a write only if the gate admits it."""
        # one that was told to end asks only for what it takes to leave the appliance as it was
        wanted = replace(ask.wanted, owed=True) if self._stays(lane) else ask.wanted
        ask = replace(ask, lane=lane.name, wanted=wanted)
        permit: int | None = None
        if wanted.method != "GET":
            try:
                if not wanted.owed:
                    self._scheduler.transport.pace.before_write()
            except DayBudgetError:
                self._scheduler.spent = True
                self._ready.append((lane, None))
                return
            permit = lane.gate.admit(ask)
        self._scheduler.pool.submit(self._make, lane, ask, permit)

    def _make(self, lane: Lane, ask: Ask, permit: int | None) -> None:
        """Makes a request, in a thread of the pool."""
        made: list[Sent] = []
        error: BaseException | None = None
        try:
            self._scheduler.transport.send(ask.wanted, permit=permit, made=made)
        except BaseException as raised:  # noqa: BLE001  it is told to the lane
            error = raised
        self._done.put(_Done(lane, ask, permit, made, error))

    def _take(self, done: _Done) -> None:
        """Keeps what came of a request, and readies its lane to go on."""
        lane, ask, permit, made, error = done
        kept = self._scheduler.keep(ask, made)
        outcome: Answer | Exception | None = None
        if isinstance(error, DayBudgetError):
            self._scheduler.spent = True
        elif isinstance(error, KeyboardInterrupt) and not lane.is_restoring:
            self.interrupt()
        elif isinstance(error, Exception):
            outcome = error
        elif error:
            raise error
        if not error:
            outcome = answer = self._scheduler.observations.answer(kept[-1])
            if permit is not None:
                lane.gate.answered(permit, answer)
            lane.gate.learn(answer)
            try:
                self._scheduler.read_after_refusals(ask, kept[-1])
            except Exception as raised:  # noqa: BLE001  it is told to the lane
                outcome = raised
        if outcome is None and self._stays(lane):
            self._scheduler.pool.submit(self._make, lane, ask, permit)
        else:
            self._ready.append((lane, outcome))
