"""The time of servers of the same process and of the run that judges them.

Each request takes a moment, and else time goes on only while all wait: a run that waits for a minute takes
none, however busy the machine is.
"""

import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from heapq import heappop, heappush
from itertools import count

from conformance.harness.clock import Clock, OrderedLock
from conformance.reference.events import Subscription

_REQUEST_S = 0.0005
_HEARD_S = 60.0
"""Seconds of the machine in which whoever listens has heard what was told, however busy it is."""


class OwnTime(Clock):
    """Seconds since it was made, which pass as somebody waits."""

    def __init__(self) -> None:
        """No time has passed, and nobody listens."""
        self._passed_s = 0.0
        self._began = float(int(time.time()))  # a ledger rounds to milliseconds: in each run to the same
        self._listeners = set[threading.Thread]()
        self._lines = list[EventLine]()

    def now(self) -> float:
        """Seconds since it was made."""
        return self._passed_s

    def since_1970(self) -> float:
        """When it was made, and what has passed since."""
        return self._began + self._passed_s

    def sleep(self, seconds: float) -> None:
        """So much time has passed, and whoever listens has heard what was told in it."""
        self._passed_s += max(0.0, seconds)
        for line in tuple(self._lines):
            if line.listener is not threading.current_thread():
                line.catch_up()

    def pause(self, is_ending: Callable[[], bool], seconds: float) -> None:
        """The same, unless it is ending."""
        if not is_ending():
            self.sleep(seconds)

    def turn(self) -> OrderedLock:
        """One that rests in this time."""
        return _OwnTurn(self)

    def listener(self, work: Callable[[], None]) -> threading.Thread:
        """A thread for which no time passes."""
        thread = super().listener(work)
        self._listeners.add(thread)
        return thread

    def ask(self) -> None:
        """The moment that a request takes has passed."""
        self.sleep(_REQUEST_S)

    def line(self, subscription: Subscription) -> "EventLine | None":
        """What a listener is told by; None where this thread listens to nothing but the stream itself."""
        if threading.current_thread() not in self._listeners:
            return None
        line = EventLine(subscription, self._lines.remove)
        self._lines.append(line)
        return line


class EventLine:
    """How far the `listener` of this thread has come with what was told on a stream."""

    def __init__(self, subscription: Subscription, on_close: Callable[["EventLine"], None]) -> None:
        """Is told of whatever is put into a subscription."""
        self._changing = threading.Condition()
        self.told = self._heard = 0  # how often there was something to look at, and how much of it was heard
        self._on_close = on_close
        self._is_open = True
        self.listener = threading.current_thread()
        subscription.wake = self.tell

    def tell(self) -> None:
        """There may be something to look at."""
        with self._changing:
            self.told += 1
            self._changing.notify_all()

    def wait(self, heard: int) -> None:
        """Waits for more than was heard."""
        with self._changing:
            self._heard = heard
            self._changing.notify_all()
            self._changing.wait_for(lambda: self.told > heard or not self._is_open)

    def catch_up(self) -> None:
        """Returns when the listener has looked at everything and waits for more."""
        self.tell()
        with self._changing:
            told = self.told
            self._changing.wait_for(lambda: self._heard >= told or not self._is_open, _HEARD_S)

    def close(self) -> None:
        """Nobody listens any more."""
        with self._changing:
            if self._is_open:
                self._is_open = False
                self._on_close(self)
            self._changing.notify_all()


class _OwnTurn(OrderedLock):
    """One that goes, where nobody waits for it, to whoever rests the shortest, whose time is then over."""

    def __init__(self, clock: OwnTime) -> None:
        super().__init__()
        self._clock = clock
        self._numbers = count()
        self._resting: list[tuple[float, int, threading.Lock]] = []

    def pass_on(self) -> None:
        with self._changing:
            self._hand_over()

    @contextmanager
    def aside(self) -> Generator[None]:
        own = self.place()  # now, and not only when whoever goes on has let time pass
        self.pass_on()
        try:
            yield
        finally:
            own.acquire()

    def rest(self, is_ending: Callable[[], bool], seconds: float) -> None:
        own = threading.Lock()
        own.acquire()
        with self._changing:
            until = self._clock.now() + (0.0 if is_ending() else seconds)
            heappush(self._resting, (until, next(self._numbers), own))
            self._hand_over()
        own.acquire()

    def _hand_over(self) -> None:
        if self._waiting:
            self._waiting.popleft().release()
        elif self._resting:
            until, _, own = heappop(self._resting)
            self._clock.sleep(until - self._clock.now())
            own.release()
        else:
            self._is_taken = False
