"""The declared pace, the requests of a day, and answers that ask to retry later (line 177: not shown)."""

import email.utils
import threading
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from conformance.checks.exchange import Response
from conformance.harness.clock import REAL, Clock
from conformance.harness.day_budget import DayBudget
from conformance.harness.wire.messages import Sent
from conformance.profiles.model import Profile

if TYPE_CHECKING:
    from pyrate_limiter import Limiter

_RETRY_AFTER = "retry-after"


def is_throttled(response: Response | None) -> bool:
    """Whether an answer asks to come again later."""
    return response is not None and (
        response.status == 429 or (response.status == 503 and response.header(_RETRY_AFTER) is not None)
    )


def retry_after_s(response: Response) -> float:
    """How many seconds a throttled answer asks to wait; one where Retry-After says nothing."""
    text = (response.header(_RETRY_AFTER) or "").strip()
    if text.isascii() and text.isdigit():
        return float(text)
    try:
        then = email.utils.parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return 1
    then = then if then.tzinfo else then.replace(tzinfo=UTC)
    return max(0.0, (then - datetime.now(UTC)).total_seconds())


# requests in a row that stayed throttled to the end; then none is made again, until one is answered
_MOST_THROTTLED = 3
TO_PUT_BACK = 5
"""Requests that it takes to put back a value: two reads before, a write, two reads after it."""


def _limiter(per_minute: int) -> "Limiter":
    from pyrate_limiter import Duration, Limiter, Rate  # noqa: PLC0415  it takes a moment, and on loopback no pace is declared

    return Limiter(Rate(per_minute, Duration.MINUTE))


class Pacer:
    """Lets requests pass one by one, from any thread.

    Attributes:
        day: counts them.
        aside: says how many more it takes to put back what was written so far.
        is_begun: whether a request was let pass, or waits for that.
    """

    def __init__(self, profile: Profile, clock: Clock = REAL) -> None:
        self._profile = profile
        self._clock = clock
        self.day = DayBudget(profile)
        self.aside: Callable[[], int] = int
        self._lock = threading.Lock()
        self.is_begun = False
        self._not_before = 0.0
        self._limiter = _limiter(profile.per_minute) if profile.per_minute else None
        self._throttled = 0

    def wait(self, *, owed: bool = False) -> None:
        """Returns when one more request may be sent.

        Raises:
            DayBudgetError: when those of the day are used up, and it is not `owed`.
        """
        self.is_begun = True
        self.day.take(aside=self._owing(), owed=owed)
        with self._lock:
            wait = self._not_before - self._clock.now()
        if wait > 0:
            self._clock.sleep(wait)
        if self._limiter:
            self._limiter.try_acquire("target")

    def before_write(self) -> None:
        """Sets aside what it takes to put back one more value.

        Raises:
            DayBudgetError: when the requests that are left of the day are too few for that.
        """
        self.day.take(0, aside=self._owing() + TO_PUT_BACK)

    def _owing(self) -> int:
        """How many requests putting back takes: of all appliances, so only where a day is limited."""
        return self.aside() if self.day.is_limited else 0

    @property
    def retries(self) -> int:
        """How often a request may be made again now."""
        return self._profile.pace.max_retries if self._throttled < _MOST_THROTTLED else 0

    def is_again(self, attempts: Sequence[Sent]) -> bool:
        """Whether to make a request again after these attempts; then all others wait as long as this one.

        A connection that the target closed before a first byte may have been idle too long: that is tried
        again, once. A target that asks to wait longer than the profile allows is not asked again.
        """
        sent = attempts[-1]
        if sent.failure and sent.failure.kind == "closed":
            return len(attempts) == 1
        if sent.response is None or not is_throttled(sent.response):
            return False
        pause = retry_after_s(sent.response)
        if pause > self._profile.pace.max_retry_after_s:
            return False
        with self._lock:
            self._not_before = max(self._not_before, self._clock.now() + pause)
        return True

    def ended(self, last: Sent) -> None:
        """Takes down how the last attempt of a request ended.

        A target that answers several requests in a row with 429, and asks for a longer pause than a run may
        make, has ended the day.
        """
        self._throttled = self._throttled + 1 if is_throttled(last.response) else 0
        if self._throttled >= _MOST_THROTTLED and last.response and last.response.status == 429:
            pause = retry_after_s(last.response)
            if pause > self._profile.pace.max_retry_after_s:
                self.day.close(pause)
