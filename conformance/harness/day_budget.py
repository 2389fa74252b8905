"""The requests of a day, which are those of a target: all runs on a machine count them in one file.

Each is counted before it is sent, so a run that is killed has spent what it sent. A run says how many it
needs to put back what it has written: these are set aside, and no other request takes them, of whatever run.
What is owed to a target is always sent, and counted. A shard spends no more than its share of all.
"""

import os
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager, nullcontext, suppress
from datetime import datetime
from fcntl import LOCK_EX, flock
from pathlib import Path
from uuid import uuid4

import msgspec

from conformance.harness.errors import DayBudgetError, RefusedError
from conformance.profiles.days import Days
from conformance.profiles.model import Profile

_DAY_S = 86_400
_LONGEST_S = 7 * _DAY_S
"""How long a target may end the day for, whatever it asks."""
_MOST_BYTES = 1 << 20
"""Of the file, which has a number for each shard and each run of a day."""


class _Spent(msgspec.Struct):
    """What was spent on a day.

    `sent` is how many requests were sent, by shard (empty without shards), `aside` how many are set aside, by
    run, and `closed_until` the time, in seconds since the epoch, before which the target takes no more.
    """

    day: str = ""
    sent: dict[str, int] = {}
    aside: dict[str, int] = {}
    closed_until: float = 0.0


class DayBudget:
    """What may still be sent to a target today; used from any thread.

    `over` is why a request was not sent; empty as long as none was refused. `uncounted` is why no other run
    knows of the requests of this one; empty where it does, or none has to.
    """

    def __init__(self, profile: Profile, place: Path | None = None) -> None:
        """Counts in the file `place`; for this run alone where none can be made, or no budget is declared."""
        self._most, self._share = profile.per_day_in_all, profile.per_day
        self._shard = f"{profile.shard.index}/{profile.shard.count}" if profile.shard else ""
        self._days = Days.of(profile.pace.day_starts)
        self._place = place if self._most else None
        self._run = uuid4().hex
        self._lock = threading.Lock()
        self._own = _Spent()
        self.over = self.uncounted = ""

    @property
    def is_limited(self) -> bool:
        """Whether the profile bounds the requests of a day: else nobody need know what is owed."""
        return self._most is not None

    @property
    def left(self) -> int | None:
        """How many requests may still be sent today; None where that has no bound.

        Raises:
            RefusedError: when the file cannot be read, or is none of this suite.
        """
        with self._opened(os.O_RDONLY) as spent:
            if spent.closed_until > time.time():
                return 0
            return None if self._most is None else max(0, self._left_of(spent))

    @property
    def in_words(self) -> str:
        """What is left today as a sentence; empty where that has no bound.

        Raises:
            RefusedError: when the file cannot be read, or is none of this suite.
        """
        left = self.left
        if left is None:
            return ""
        if left:
            return f"{left:,} of the {self._share:,} requests of today are left (pace.per_day)"
        with self._opened(os.O_RDONLY) as spent:
            return self._why_over(spent)

    def take(self, count: int = 1, *, aside: int = 0, owed: bool = False) -> None:
        """Counts requests, which may then be sent; `aside` is how many more it takes to put everything back.

        With a `count` of 0 so many are set aside, before a request is made that has to be put back with them.

        Raises:
            DayBudgetError: when none is left beside those, and it is not `owed`.
        """
        if self._most is None and not self._own.closed_until:
            return
        why = ""
        try:
            with self._opened() as spent:
                spent.aside.pop(self._run, None)
                if aside:
                    spent.aside[self._run] = aside
                if not owed and (spent.closed_until > time.time() or self._left_of(spent) < 1):
                    why = self._why_over(spent)
                else:
                    spent.sent[self._shard] = spent.sent.get(self._shard, 0) + count
        except RefusedError as error:
            why = "" if owed else str(error)
        if why:
            self.over = self.over or why
            raise DayBudgetError(why)

    def close(self, seconds: float) -> None:
        """Ends the day: the target asks not to be asked for so long."""
        with suppress(RefusedError), self._opened() as spent:
            spent.closed_until = time.time() + min(seconds, _LONGEST_S)

    def end(self) -> None:
        """Frees what was set aside: everything is back."""
        with suppress(RefusedError), self._opened() if self._most else nullcontext(self._own) as spent:
            spent.aside.pop(self._run, None)

    def _left_of(self, spent: _Spent) -> int:
        if self._most is None or self._share is None:
            return 1
        of_all = self._most - sum(spent.sent.values()) - sum(spent.aside.values())
        return min(of_all, self._share - spent.sent.get(self._shard, 0) - spent.aside.get(self._run, 0))

    def _why_over(self, spent: _Spent) -> str:
        closed, now = spent.closed_until, time.time()
        then = datetime.fromtimestamp(max(closed, self._days.next_after(now).timestamp()), self._days.zone)
        day = "" if then.timestamp() - now < _DAY_S else f"{then:%Y-%m-%d} "
        when = f"more at {day}{then:%H:%M} {self._days.zone_name}"
        if closed > now:
            return f"the target asks for a pause that ends the day (429 with Retry-After); {when}"
        return f"the {self._share:,} requests of a day are used up (pace.per_day); {when}"

    @contextmanager
    def _opened(self, flags: int = os.O_RDWR | os.O_CREAT) -> Generator[_Spent]:
        """What is spent today, which nobody else changes meanwhile; what is changed in it is kept.

        Raises:
            RefusedError: when the file cannot be used.
        """
        with self._lock:
            descriptor = self._descriptor(flags)
            if self._place is None or descriptor is None:
                yield self._today(self._own)
                return
            try:
                flock(descriptor, LOCK_EX)
                text = os.pread(descriptor, _MOST_BYTES, 0)
                spent = self._today(self._read(text))
                yield spent
                if flags != os.O_RDONLY:  # one write, no shorter than before: a kill cannot cut it
                    os.pwrite(descriptor, msgspec.json.encode(spent).ljust(len(text)), 0)
            except OSError as error:
                raise RefusedError(f"{self._place}: {error.strerror}") from error
            finally:
                os.close(descriptor)

    def _descriptor(self, flags: int) -> int | None:
        """The file, opened; None where there is none to be read, and where none can be made."""
        if self._place is None:
            return None
        try:
            if flags != os.O_RDONLY:
                self._place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            return os.open(self._place, flags | os.O_NOFOLLOW, 0o600)
        except OSError as error:
            if flags != os.O_RDONLY:
                self.uncounted, self._place = f"{error.filename}: {error.strerror}", None
            return None

    def _read(self, text: bytes) -> _Spent:
        try:
            return msgspec.json.decode(text, type=_Spent) if text else _Spent()
        except msgspec.MsgspecError as error:
            why = "does not say how many requests were sent today: delete it, and they are counted anew"
            raise RefusedError(f"{self._place} {why}") from error

    def _today(self, spent: _Spent) -> _Spent:
        """What is spent of today; of another day nothing is, and no target ends it for longer than it may."""
        now = time.time()
        today = self._days.day_of(now)
        if spent.closed_until > now + _LONGEST_S:  # the clock was set back since
            spent.closed_until = 0.0
        if spent.day != today:
            spent.day, spent.sent, spent.aside = today, {}, {}
        return spent
