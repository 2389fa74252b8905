"""The time that one request may take, from its first byte to the last of its answer.

A timeout for each read does not bound an answer: a server may send a header a byte at a time, or interim
responses without end. So every read, write and connect of a request has only what is left of that request's
time.
"""

from __future__ import annotations

import threading
import time

import httpcore


class Deadline(threading.local):
    """When the request of this thread began and until when its answer may take, in monotonic seconds."""

    began: float = 0.0
    until: float = float("inf")

    def begin(self, seconds: float) -> None:
        """The time of a request runs from now."""
        self.began = time.monotonic()
        self.until = self.began + seconds

    @property
    def elapsed(self) -> float:
        """Seconds since the request began."""
        return time.monotonic() - self.began

    def left(self, timeout: float | None) -> float:
        """The seconds that one more operation may take.

        Raises:
            httpcore.ReadTimeout: when there are none.
        """
        seconds = self.until - time.monotonic()
        if seconds <= 0:
            raise httpcore.ReadTimeout("no whole answer in time")
        return seconds if timeout is None else min(timeout, seconds)
