"""Sockets that keep to a deadline.

A timeout for each read does not bound an answer: a server may send a header a byte at a time, or interim responses
without end. Here every read, write and connect of a request has only what is left of that request's time.
"""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Any

import httpcore

if TYPE_CHECKING:
    import ssl
    from collections.abc import Iterable

    from conformance.profiles.model import Profile

_KEEPALIVE_S = 5.0


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


class PunctualBackend(httpcore.NetworkBackend):
    """Opens connections whose every operation ends by the deadline of the thread that uses them."""

    def __init__(self, deadline: Deadline) -> None:
        """Opens nothing yet."""
        self._deadline = deadline
        self._plain = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.NetworkStream:
        """A connection, or the errors of httpcore."""
        stream = self._plain.connect_tcp(host, port, self._deadline.left(timeout), local_address, socket_options)
        return _PunctualStream(stream, self._deadline)


class _PunctualStream(httpcore.NetworkStream):
    """A connection that outlives its requests: whose time counts is asked at every operation."""

    def __init__(self, stream: httpcore.NetworkStream, deadline: Deadline) -> None:
        self._stream = stream
        self._deadline = deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._stream.read(max_bytes, self._deadline.left(timeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._stream.write(buffer, self._deadline.left(timeout))

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        return _PunctualStream(self._stream.start_tls(ssl_context, server_hostname, self._deadline.left(timeout)), self._deadline)

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


def punctual_pool(profile: Profile, context: ssl.SSLContext | None, deadline: Deadline) -> httpcore.ConnectionPool:
    """As many connections as the profile allows at once, all of them punctual; none is open yet."""
    return httpcore.ConnectionPool(
        ssl_context=context,
        max_connections=profile.concurrency,
        max_keepalive_connections=profile.concurrency,
        keepalive_expiry=_KEEPALIVE_S,
        http2=profile.http.http2,
        network_backend=PunctualBackend(deadline),
    )
