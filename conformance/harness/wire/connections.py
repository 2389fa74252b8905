"""Numbered connections whose every operation ends by the deadline of the request that uses them.

Bytes that a target sends beyond the end of an answer are no answer to the next request. httpcore leaves them
in its parser and takes them for one. So each connection here keeps what it received for the request under
way; when the answer has ended, the bytes beyond it are counted, and a connection that has any is not used
again.
"""

import itertools
import re
import ssl
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import lru_cache, partial
from typing import Any, cast

import h11
import httpcore

from conformance.harness.wire.client import httpx
from conformance.harness.wire.network import Deadline, Network

_KEEPALIVE_S = 5.0
_READ_BYTES = 65_536
_STATUS_LINE = (
    1_024  # bytes; h11 keeps some hundred bytes for each letter of the reason phrase, which nobody here reads
)
_LONGEST_LINE = 1 << 17
_END_OF_HEAD = re.compile(rb"\n\r?\n")
_WITHOUT_BODY = {204, 304}
_REQUESTS = 4_096


class Connection(httpcore.NetworkStream):
    """A connection that outlives its requests: whose time counts is asked at every operation.

    `number` counts the connections of a run from 1.
    """

    def __init__(self, stream: httpcore.NetworkStream, number: int, deadline: Deadline) -> None:
        """Wraps an open connection."""
        self._stream = stream
        self._deadline = deadline
        self._received: list[bytes] = []
        self._of_line: int | None = 0  # bytes of the status line received so far; None when it has ended
        self._is_spent = False
        tls = stream.get_extra_info("ssl_object")
        self._is_multiplexed = tls is not None and tls.selected_alpn_protocol() == "h2"
        self.number = number

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """At most `max_bytes`, or the errors of httpcore; of the status line only its beginning."""
        while data := self._stream.read(max_bytes, self._deadline.left(timeout)):
            if self._is_multiplexed:
                return data
            self._received.append(data)
            if kept := self._without_long_reason(data):
                return kept
        return data

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Sends all of `buffer`; what was received before belongs to an earlier request."""
        if self._received:
            self._received = []
            self._of_line = 0
        self._stream.write(buffer, self._deadline.left(timeout))

    def _without_long_reason(self, data: bytes) -> bytes:
        if self._of_line is None:
            return data
        line, end, rest = data.partition(b"\n")
        kept = line[: max(0, _STATUS_LINE - self._of_line)]
        self._of_line = None if end else self._of_line + len(line)
        if (self._of_line or 0) > _LONGEST_LINE:
            raise httpcore.RemoteProtocolError(f"a status line of more than {_LONGEST_LINE} bytes")
        return kept + end + rest

    def close(self) -> None:
        """Ends the connection."""
        self._stream.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        """The same connection, encrypted."""
        encrypted = self._stream.start_tls(ssl_context, server_hostname, self._deadline.left(timeout))
        return Connection(encrypted, self.number, self._deadline)

    def get_extra_info(self, info: str) -> Any:
        """As httpcore defines it; its pool closes an idle connection that "is_readable"."""
        if info == "connection":
            return self
        return True if info == "is_readable" and self._is_spent else self._stream.get_extra_info(info)

    def surplus(self, method: str, answer: httpx.Response) -> int:
        """The bytes received beyond the whole answer to a request.

        It is to be asked before the connection is given back.
        """
        if self._is_multiplexed or not self._received:
            return 0
        length = answer.headers.get("content-length")
        count = _beyond(b"".join(self._received), method, answer.status_code, length)
        if self._stream.get_extra_info("is_readable"):
            # what can be read may be none of the answer: a TLS ticket
            with suppress(httpcore.NetworkError, httpcore.TimeoutException):
                more = self._stream.read(_READ_BYTES, 0.0)
                count += len(more)
                self._is_spent = True  # also where it was closed
        self._is_spent = self._is_spent or count > 0
        return count


class _Backend(httpcore.NetworkBackend):
    """Opens connections and numbers them."""

    def __init__(self, network: httpcore.NetworkBackend, deadline: Deadline) -> None:
        self._network = network
        self._deadline = deadline
        self._numbers = itertools.count(1)

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.NetworkStream:
        stream = self._network.connect_tcp(
            host, port, self._deadline.left(timeout), local_address, socket_options
        )
        return Connection(stream, next(self._numbers), self._deadline)


class Connections:
    """Numbered, punctual connections: one for each request under way, used again after it.

    Each has a pool of httpcore of its own, which opens it again where it ended. In a pool for all, requests
    that speak HTTP/2 at once would share a connection: where the time of one is over, all of them fail.
    """

    def __init__(
        self, context: ssl.SSLContext | None, deadline: Deadline, network: Network, *, http2: bool
    ) -> None:
        """Opens no connection yet."""
        self._http2 = http2
        self._context = context
        self._deadline = deadline
        self._network = network
        if not isinstance(network.backend, _Backend):
            self._network = network._replace(backend=_Backend(network.backend, deadline))
        self._pools: list[httpcore.ConnectionPool] = []
        self._idle: list[httpcore.ConnectionPool] = []

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """The answer to a request, whose body is read from its stream; it is to be closed.

        Raises:
            Exception: of httpcore, when there is none.
        """
        pool = self._taken()
        try:
            response = pool.handle_request(_on_the_wire(request))
        except Exception:
            self._idle.insert(0, pool)  # a server that has no other connection left may serve an idle one
            raise
        return httpx.Response(
            response.status,
            headers=response.headers,
            stream=_BodyStream(cast("Iterable[bytes]", response.stream), partial(self._idle.append, pool)),
            extensions=cast("Any", response).extensions,
        )

    def close_idle(self) -> None:
        """Closes the connections that nobody uses; each is opened again when it is needed."""
        idle: list[httpcore.ConnectionPool] = []
        with suppress(IndexError):  # other threads take some meanwhile
            while True:
                idle.append(self._idle.pop())
        for pool in reversed(idle):
            pool.close()
            self._idle.append(pool)

    def apart(self) -> "Connections":
        """Connections of their own, none of them open yet, numbered on; the caller closes them."""
        return Connections(self._context, self._deadline, self._network, http2=self._http2)

    def close(self) -> None:
        """Closes all connections."""
        for pool in self._pools:
            pool.close()

    def _taken(self) -> httpcore.ConnectionPool:
        """The pool used last of those that nobody uses, so that few connections are open.

        That of a request which was interrupted is not among them: its connection may be neither in use nor
        free.
        """
        try:
            return self._idle.pop()
        except IndexError:
            pool = self._network.connections(
                ssl_context=self._context,
                max_connections=1,
                keepalive_expiry=_KEEPALIVE_S,
                http2=self._http2,
                network_backend=self._network.backend,
            )
            self._pools.append(pool)
            return pool


class _BodyStream(httpx.SyncByteStream):
    """A body as httpx wants it, whose errors are those of httpcore; `ended` is called when it is closed."""

    def __init__(self, stream: Iterable[bytes], ended: Callable[[], None]) -> None:
        self._stream = stream
        self._ended = ended

    def __iter__(self) -> Iterator[bytes]:
        return iter(self._stream)

    def close(self) -> None:
        close = getattr(self._stream, "close", None)  # a body that came at once has none
        if close:
            close()
        self._ended()


@lru_cache(_REQUESTS)
def _on_the_wire(request: httpx.Request) -> httpcore.Request:
    """A request as httpcore sends it; most are sent again."""
    url = request.url
    target = httpcore.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path)
    return httpcore.Request(
        request.method,
        target,
        headers=request.headers.raw,
        content=cast("httpx.SyncByteStream", request.stream),
        extensions=request.extensions,
    )


def _beyond(received: bytes, method: str, status: int, length: str | None) -> int:
    """How many of the bytes received for a request stand after the end of its answer."""
    head = _END_OF_HEAD.search(received)
    if (
        head
        and length
        and length.isdecimal()
        and status not in _WITHOUT_BODY
        and len(received) == head.end() + int(length)
    ):
        return 0  # nearly always; to parse the answer once more is only for what this does not explain
    parser = h11.Connection(h11.CLIENT, max_incomplete_event_size=len(received) + 1)
    parser.send(h11.Request(method=method, target="/", headers=[("Host", "target")]))
    parser.send(h11.EndOfMessage())
    parser.receive_data(received)
    with suppress(h11.RemoteProtocolError):
        while not isinstance(parser.next_event(), h11.EndOfMessage | type):  # NEED_DATA and PAUSED are types
            pass
        return len(parser.trailing_data[0])
    return 0
