"""The time of a service, and what is due in it.

Statuses that revert on their own (line 138) revert by this clock, so that 24 hours can pass in no
time: whoever holds the clock may push it forward.
"""

import time
from collections.abc import Callable
from typing import TypeAlias

Action: TypeAlias = Callable[[], None]


class Clock:
    """Seconds that never go back; those of a clock that is not `running` move by `advance` alone."""

    def __init__(self, *, running: bool = True) -> None:
        self.running = running
        self._advanced = 0.0
        self._seconds: Callable[[], float] = time.monotonic
        self._start = self._seconds()
        self._epoch = time.time()

    def now(self) -> float:
        """Seconds since the clock was made."""
        return self._advanced + (self._seconds() - self._start if self.running else 0.0)

    def timestamp(self) -> int:
        """The same moment in whole seconds since 1970, as events carry it."""
        return int(self._epoch + self.now())

    def live_by(self, seconds: Callable[[], float]) -> None:
        """From now on a running clock goes on as `seconds` do."""
        self._advanced, self._seconds, self._start = self.now(), seconds, seconds()

    def advance(self, seconds: float) -> None:
        """Let `seconds` pass at once.

        Raises:
            ValueError: `seconds` is negative or not finite.
        """
        if not 0 <= seconds < float("inf"):
            raise ValueError(f"time cannot advance by {seconds} s")
        self._advanced += seconds


class Timers:
    """Named actions, each due at one moment; arming a name again replaces what was due."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._timers: dict[tuple[str, str], tuple[float, Action]] = {}
        self._next = float("inf")

    def arm(self, name: tuple[str, str], seconds: float, action: Action) -> None:
        """Have `action` done `seconds` from now."""
        self._timers[name] = (self._clock.now() + seconds, action)
        self._look()

    def disarm(self, name: tuple[str, str]) -> None:
        """Forget what was due under `name`, if anything was."""
        if self._timers.pop(name, None) is not None:
            self._look()

    def clear(self) -> None:
        """Forget everything."""
        self._timers.clear()
        self._look()

    def tick(self) -> None:
        """Do what is due, the oldest first; an action may arm further timers."""
        while self._next <= self._clock.now():
            name = min(self._timers, key=lambda known: self._timers[known][0])
            _, action = self._timers.pop(name)
            self._look()
            action()

    def wait_s(self) -> float | None:
        """Seconds until something is due by itself; None if nothing is, or the clock stands."""
        if not self._timers or not self._clock.running:
            return None
        return max(0.0, self._next - self._clock.now())

    def _look(self) -> None:
        self._next = min((due for due, _ in self._timers.values()), default=float("inf"))
