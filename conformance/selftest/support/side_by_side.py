"""Runs in threads of this process whose requests are interleaved by a seed, in a time of their own.

One of the threads runs at a time, until it waits; time goes on only while all of them wait. So the same seed
gives the same order of all requests, on any machine, and a minute of waiting takes none.
"""

import random
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from functools import partial
from math import inf
from typing import Self

import pytest

from conformance.harness.clock import OrderedLock
from conformance.harness.writes import lanes
from conformance.proof.own_time import OwnTime
from conformance.reference.clock import Clock
from conformance.reference.service import Service
from conformance.reference.wire import Incoming, Reply

_MEANS_S = (0.0005, 0.002, 0.006, 0.02)
"""How long the requests of a work take on average, in seconds: short and long beside the waits of a run."""

_EPOCH_S = 1_700_000_000.0
"""When the time of the works began, in seconds since 1970."""


class _Member(threading.Thread):
    """One of the threads: after how many requests it begins, and from when on it goes on."""

    def __init__(self, work: Callable[[], None], begins: int, mean_s: float) -> None:
        super().__init__(target=work, daemon=True)
        self.begins = begins
        self.mean_s = mean_s
        self.wakes = 0.0
        self.turn = threading.Semaphore(0)
        self.error: BaseException | None = None


class SideBySide:
    """Runs works side by side; `draw` is what they are timed by, and `now` how many seconds have passed."""

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)
        self.now = 0.0
        self._requests = 0
        self._coming: deque[_Member] = deque()
        self._open: list[_Member] = []
        self._all_over = threading.Event()

    def run(self, works: Iterable[tuple[int, Callable[[], None]]]) -> None:
        """Runs each work once so many requests were made, or nothing else is left to do.

        Raises:
            BaseException: the first one that a work has raised.
        """
        members = [self.member(work, begins, self.draw.choice(_MEANS_S)) for begins, work in works]
        self._coming.extend(members)
        with self._laned():
            self._begin()
            self._hand_over()
            self._all_over.wait()
        for error in (member.error for member in members if member.error):
            raise error

    def takes_time(self, requests: int = 0) -> None:
        """A part of a request takes its time; so many were made with it."""
        self._requests += requests
        self._begin()
        self.pause(self.draw.expovariate(2 / _me().mean_s))

    def pause(self, seconds: float) -> None:
        """Lets the others go on, until so many seconds have passed."""
        me = _me()
        me.wakes = self.now + seconds
        self._hand_over()
        me.turn.acquire()

    def _begin(self) -> None:
        """Begins what is due."""
        while self._coming and (self._coming[0].begins <= self._requests or not self._open):
            self.begin(self._coming.popleft())

    def member(self, work: Callable[[], None], begins: int, mean_s: float) -> _Member:
        """A thread that does a work when it is its turn."""
        return _Member(self._turned(work), begins, mean_s)

    def begin(self, member: _Member) -> None:
        """Begins a thread, which goes on when it is its turn."""
        self.wake(member)
        self._open.append(member)
        member.start()

    def wake(self, member: _Member) -> None:
        """Has a thread go on as soon as others wait."""
        member.wakes = self.now

    def _hand_over(self) -> None:
        following = min(self._open, key=lambda member: member.wakes)
        self.now = max(self.now, following.wakes)
        following.turn.release()

    def _turned(self, work: Callable[[], None]) -> Callable[[], None]:
        def run() -> None:
            me = _me()
            me.turn.acquire()
            try:
                work()
            except BaseException as error:  # noqa: BLE001  it is told to whoever runs them
                me.error = error
            self._open.remove(me)
            self._begin()
            if self._open:
                self._hand_over()
            else:
                self._all_over.set()

        return run

    @property
    def clock(self) -> OwnTime:
        """The time of the works."""
        return _SharedTime(self)

    @contextmanager
    def _laned(self) -> Generator[None]:
        """Has the lanes of a run be threads of the works."""
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(lanes, "ThreadPoolExecutor", partial(_Lanes, self))
            yield


class _SharedTime(OwnTime):
    """The time that works which go on side by side have in common."""

    def __init__(self, beside: SideBySide) -> None:
        super().__init__()
        self._beside = beside

    def now(self) -> float:
        """Seconds since the works began."""
        return self._beside.now

    def since_1970(self) -> float:
        """The same, after a moment that is always the same."""
        return _EPOCH_S + self._beside.now

    def sleep(self, seconds: float) -> None:
        """Lets the others go on, until so many seconds have passed."""
        self._beside.pause(seconds)

    def turn(self) -> OrderedLock:
        """One for which its lanes wait in this time."""
        return _Turn(self._beside, self)

    def ask(self) -> None:
        """A request takes the time of its service."""


class _Turn(OrderedLock):
    """The turn of lanes, for which they wait in the time of the works."""

    def __init__(self, beside: SideBySide, clock: OwnTime) -> None:
        super().__init__()
        self._clock = clock
        self._beside = beside
        self._standing: deque[_Member] = deque()

    def place(self) -> threading.Lock:
        """None is kept: whoever begins first stands first."""
        return threading.Lock()

    def take(self, place: "threading.Lock | None" = None) -> None:
        """Waits until those before have had it."""
        del place
        if self._is_taken:
            self._standing.append(_me())
            self._beside.pause(inf)
        self._is_taken = True

    def rest(self, is_ending: Callable[[], bool], seconds: float) -> None:
        """Lets the others have it for so long, or not at all where it is ending."""
        with self.aside():
            self._clock.pause(is_ending, seconds)

    def pass_on(self) -> None:
        """Lets the next one have it."""
        if self._standing:
            self._beside.wake(self._standing.popleft())
        else:
            self._is_taken = False


class _Lanes:
    """Stands in for the pool of threads in which the lanes of a run go on."""

    def __init__(self, beside: SideBySide, *_: object) -> None:
        self._beside = beside
        self._own, self._left = _me(), 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._left:
            self._beside.pause(inf)

    def submit(self, work: Callable[..., None], *words: object) -> None:
        """Does the work of a lane beside the others."""
        self._left += 1

        def do() -> None:
            work(*words)
            self._left -= 1
            if not self._left:
                self._beside.wake(self._own)

        self._beside.begin(self._beside.member(do, 0, self._own.mean_s))


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


def _me() -> _Member:
    me = threading.current_thread()
    assert isinstance(me, _Member)
    return me
