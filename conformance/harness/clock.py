"""The time of a run: what it waits by, and what its exchanges say of when they were made.

Whoever waits, or measures how long something took, asks the clock of the network that the run goes through.
So a run against servers of its own process may live by a time that goes on only while it waits.
"""

import time
from collections import deque
from collections.abc import Callable, Generator
from contextlib import contextmanager
from datetime import UTC, datetime
from threading import Lock, Thread

_LOOK_S = 0.2
"""How often a pause looks whether the run ends."""


class OrderedLock:
    """A lock that those who wait for it have in their order."""

    def __init__(self) -> None:
        self._changing = Lock()
        self._waiting: deque[Lock] = deque()
        self._is_taken = False

    def place(self) -> Lock:
        """A place behind those that wait for it, for whoever takes it there."""
        own = Lock()
        with self._changing:
            if self._is_taken:
                own.acquire()
                self._waiting.append(own)
            self._is_taken = True
        return own

    def take(self, place: "Lock | None" = None) -> None:
        """Waits until those before have had it: before that place, or before now."""
        (place or self.place()).acquire()

    def pass_on(self) -> None:
        """Lets the next one have it."""
        with self._changing:
            if self._waiting:
                self._waiting.popleft().release()
            else:
                self._is_taken = False

    @contextmanager
    def aside(self) -> Generator[None]:
        """Lets the others have it meanwhile."""
        self.pass_on()
        try:
            yield
        finally:
            self.take()

    def rest(self, is_ending: Callable[[], bool], seconds: float) -> None:
        """Lets the others have it for so long, or until it is ending, and has it again then."""
        with self.aside():
            REAL.pause(is_ending, seconds)


class Clock:
    """The time of the machine: as it was when this was made, and what has passed since.

    What a run says of when its exchanges were made is what it waits by, however the machine is set meanwhile.
    While Linux or macOS suspend the machine it stands still: an effect is waited for as long as it can be
    read, and what follows is dated as if the machine had not slept.
    """

    def __init__(self) -> None:
        self._began = time.time() - time.monotonic()

    def now(self) -> float:
        """Seconds that never go back."""
        return time.monotonic()

    def since_1970(self) -> float:
        """Seconds since 1970."""
        return self._began + time.monotonic()

    def stamp(self, offset_s: float = 0.0) -> str:
        """The present time, or another one so many seconds after it (RFC 3339)."""
        then = datetime.fromtimestamp(self.since_1970() + offset_s, UTC)
        return then.isoformat(timespec="milliseconds")

    def sleep(self, seconds: float) -> None:
        """Waits for so long."""
        time.sleep(seconds)

    def pause(self, is_ending: Callable[[], bool], seconds: float) -> None:
        """Waits for so long, unless it is ending before."""
        until = self.now() + seconds
        while not is_ending() and (left := until - self.now()) > 0:
            self.sleep(min(_LOOK_S, left))

    def turn(self) -> OrderedLock:
        """What lanes go on by, one at a time, which rest in this time."""
        return OrderedLock()

    def listener(self, work: Callable[[], None]) -> Thread:
        """A thread that hears what comes while others wait; it is not started yet."""
        return Thread(target=work, daemon=True)


REAL = Clock()
