"""Connections to services of the same process: whoever writes a request has the answer before it reads.

The bytes are those that the server on loopback sends, and everything that reads them is what reads those of a
target; what is left out is sockets, threads and an event loop, which cost more than the answers. Where the
bytes of an exchange can only be read in one way, they are left out as well: see `_Connections`. Services and
run live by a time of their own.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Executor, Future
from functools import lru_cache
from http.client import responses
from math import inf
from typing import Any, ParamSpec, TypeVar, cast

import h11
import httpcore
from starlette.responses import Response

from conformance.harness.wire.network import Network
from conformance.proof.own_time import EventLine, OwnTime
from conformance.reference.app import Front, encoded, response_of
from conformance.reference.events import Subscription
from conformance.reference.service import Service
from conformance.reference.wire import Reply

BASE_URL = "http://127.0.0.1:9"
"""Where the services are: a run may ask as much as on loopback, and no socket listens there."""

_TARGET = re.compile(rb"[!-~]+")
_OF_ANSWERS = frozenset({"connection", "content-length", "transfer-encoding", "upgrade"})
"""Headers that say something of the connection, or how long a body is."""
_WITHOUT_BODY = frozenset({204, 304})
_MOST = 16_384
"""Bytes of a head or a body that come in one piece."""

_Given = ParamSpec("_Given")
_Made = TypeVar("_Made")


def network_of(services: Mapping[str, Service], clock: OwnTime | None = None) -> Network:
    """The network in which these services are, by prefix, and nothing else; its time may be shared."""
    clock = clock or OwnTime()
    for service in services.values():
        service.clock.live_by(clock.now)
    return Network(_Within(Front(services), clock), _AtOnce, _Connections, clock=clock)


class _AtOnce(Executor):
    """Makes each request when it is submitted: none of them waits for another."""

    def __init__(self, width: int) -> None:
        """However many may be made at once."""

    def submit(
        self, fn: Callable[_Given, _Made], /, *args: _Given.args, **kwargs: _Given.kwargs
    ) -> Future[_Made]:
        """What came of a call."""
        future: Future[_Made] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except BaseException as error:  # noqa: BLE001  whoever asks for the result has to know
            future.set_exception(error)
        return future


class _Within(httpcore.NetworkBackend):
    """Opens connections to one front."""

    def __init__(self, front: Front, clock: OwnTime) -> None:
        self._front = front
        self._clock = clock

    def connect_tcp(self, *_where: Any, **_how: Any) -> httpcore.NetworkStream:
        """A connection, open: all names and ports are those of the front, and there is no socket."""
        return _Stream(self._front, self._clock)


class _Opening(httpcore.NetworkBackend):
    """Opens the connection of a pool: `opened` until httpcore needs one, which what is plain does not."""

    def __init__(self, network: httpcore.NetworkBackend) -> None:
        self._network = network
        self.opened: httpcore.NetworkStream | None = None

    def open(self) -> httpcore.NetworkStream:
        """The connection that httpcore is given when it needs one."""
        self.opened = self.opened or self._network.connect_tcp("", 0)
        return self.opened

    def connect_tcp(self, *_where: Any, **_how: Any) -> httpcore.NetworkStream:
        """That connection, or another one."""
        opened, self.opened = self.open(), None
        return opened


class _Connections(httpcore.ConnectionPool):
    """Connections on which plain answers to plain requests are handed over without being written and parsed.

    Answers are plain if they say nothing of the connection and come at once and whole. The parsers that a
    target is read with are for all others: those that are late, dropped, streams, or framed in their own way,
    and headers that HTTP does not allow.
    """

    def __init__(self, **options: Any) -> None:
        """A connection that only hands over is not idle: it stays open as long as the run."""
        options["keepalive_expiry"] = None
        options["network_backend"] = self._opening = _Opening(options["network_backend"])
        super().__init__(**options)
        self._last: httpcore.NetworkStream | None = None

    def handle_request(self, request: httpcore.Request) -> httpcore.Response:
        """The answer to a request."""
        response = self._handed_over(request) or super().handle_request(request)
        self._last = cast("Any", response).extensions["network_stream"]
        return response

    def close(self) -> None:
        """Closes the connection."""
        super().close()
        self._opening.opened = None

    def _handed_over(self, request: httpcore.Request) -> httpcore.Response | None:
        """The answer, if it and the request are plain; None where they are to be parsed."""
        headers = _plain_request(request.method, tuple(request.headers))
        if not (headers and _TARGET.fullmatch(request.url.target)):
            return None
        if not self.connections:
            self._last = self._opening.open()
        elif not self._last or [one.is_idle() for one in self.connections] != [True]:
            return None
        stream: _Stream = self._last.get_extra_info("socket")
        body = b"".join(cast("Iterable[bytes]", request.stream))
        reply = stream.ask(request.method, request.url.target, headers, body)
        is_at_once = not (reply.drop or reply.stream or reply.delay_s)
        response = response_of(reply) if is_at_once else None
        if not response or not _is_plain(response, reply):
            stream.held = reply
            return None
        self._last.write(b"")  # what came on it before belongs to an earlier request
        return httpcore.Response(
            response.status_code,
            headers=response.raw_headers,
            content=b"" if request.method == b"HEAD" else bytes(response.body),
            extensions={"network_stream": self._last},
        )


@lru_cache(1_024)
def _plain_request(method: bytes, headers: tuple[tuple[bytes, bytes], ...]) -> Mapping[str, str] | None:
    """The headers of a request as its server has them, by name; None where they must be parsed."""
    try:
        parsed = h11.Request(method=method, target="/", headers=list(headers))
    except h11.LocalProtocolError:
        return None
    found = {name.decode("latin-1"): value.decode("latin-1") for name, value in parsed.headers}
    return found if found.get("connection") == "keep-alive" else None


def _is_plain(response: Response, reply: Reply) -> bool:
    """Whether an answer says nothing of its connection, and its bytes can only be read in one way."""
    return (
        not (response.body and response.status_code in _WITHOUT_BODY)
        and _OF_ANSWERS.isdisjoint(map(str.lower, reply.headers))
        and len(response.body) < _MOST
        and _is_writable(response.status_code, tuple(response.raw_headers))
    )


@lru_cache(1_024)
def _is_writable(status: int, headers: tuple[tuple[bytes, bytes], ...]) -> bool:
    """Whether the head of an answer is one that HTTP allows, of an ordinary size."""
    try:
        h11.Response(status_code=status, headers=list(headers))
    except h11.LocalProtocolError:
        return False
    return sum(len(name) + len(value) for name, value in headers) < _MOST


class _Stream(httpcore.NetworkStream):
    """One connection, seen from the client; its requests are answered as they are written."""

    def __init__(self, front: Front, clock: OwnTime) -> None:
        self._front = front
        self._clock = clock
        self._server = h11.Connection(h11.SERVER)
        self.held: Reply | None = None  # what the next request is answered with
        self._asked: h11.Request | None = None
        self._body = b""
        self._answered = bytearray()
        self._not_before = 0.0
        self._is_ended = False
        self._told: Subscription | None = None
        self._line: EventLine | None = None

    def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ARG002  it takes none
        """Gives the server a part of a request; when it is whole, the server answers."""
        if not buffer:
            return  # which would mean that the client has closed the connection
        self._server.receive_data(buffer)
        while not isinstance(event := self._server.next_event(), type):  # NEED_DATA and PAUSED are types
            if isinstance(event, h11.Request):
                self._asked, self._body = event, b""
            elif isinstance(event, h11.Data):
                self._body += event.data
            elif self._asked:
                self._answer(self._asked)

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """What the server has sent; nothing where it has closed the connection.

        Raises:
            httpcore.ReadTimeout: when there is nothing in time.
        """
        until = inf if timeout is None else self._clock.now() + timeout
        if (wait_s := min(self._not_before, until) - self._clock.now()) > 0:
            self._clock.sleep(wait_s)
        if self._not_before > until:
            raise httpcore.ReadTimeout("no answer in time")
        if self._told and not self._answered and not self._is_ended:
            self._answered += self._events(self._told, until)
        if not self._answered and not self._is_ended:
            raise httpcore.ReadTimeout("no answer in time")
        data = bytes(self._answered[:max_bytes])
        del self._answered[:max_bytes]
        return data

    def close(self) -> None:
        """Ends the connection, and what is told on it."""
        self._is_ended = True
        if self._told:
            self._told.close()
        if self._line:
            self._line.close()

    def shutdown(self, how: int) -> None:  # noqa: ARG002  both directions are shut down
        """As a socket is shut down, while another thread reads from it."""
        self.close()

    def get_extra_info(self, info: str) -> Any:
        """As httpcore defines it; what stands in for the socket is the connection itself."""
        if info == "is_readable":
            return bool(self._answered) or self._is_ended
        return self if info == "socket" else None

    def ask(self, method: bytes, target: bytes, headers: Mapping[str, str], body: bytes) -> Reply:
        """The reply to a request."""
        self._clock.ask()
        path, _, query = target.decode("ascii").partition("?")
        return self._front.handle(method.decode("ascii"), path, query, headers, body)

    def _answer(self, asked: h11.Request) -> None:
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in asked.headers}
        reply = self.held or self.ask(asked.method, asked.target, headers, self._body)
        self.held = None
        self._not_before = self._clock.now() + reply.delay_s
        if reply.drop:
            self._is_ended = True
            return
        if reply.stream:
            self._told = reply.stream
            self._line = self._clock.line(reply.stream)
        try:
            self._send(response_of(reply), is_whole=self._told is None)
        except h11.LocalProtocolError:  # it is longer or shorter than it says: the server closes, too
            self._is_ended = True

    def _send(self, response: Response, *, is_whole: bool) -> None:
        """Sends the head of a response, and its body unless events follow."""
        reason = responses.get(response.status_code, "").encode()
        head = h11.Response(status_code=response.status_code, headers=response.raw_headers, reason=reason)
        self._answered += self._server.send(head) or b""
        if not is_whole:
            return
        body = b"" if self._asked and self._asked.method == b"HEAD" else bytes(response.body)
        self._answered += self._server.send(h11.Data(data=body)) or b""
        self._answered += self._server.send(h11.EndOfMessage()) or b""
        if self._server.our_state is h11.MUST_CLOSE:
            self._is_ended = True
        else:
            self._server.start_next_cycle()

    def _events(self, subscription: Subscription, until: float) -> bytes:
        """The next events, as they are sent; the end of the stream where there will be none.

        Raises:
            httpcore.ReadTimeout: when there is none in time.
        """
        while not subscription.closed:
            told = self._line.told if self._line else 0
            due_s = subscription.tick()
            if events := subscription.take():
                sent = (self._server.send(h11.Data(data=encoded(event))) for event in events)
                return b"".join(data or b"" for data in sent)
            left = until - self._clock.now()
            if left <= 0:
                raise httpcore.ReadTimeout("no event in time")
            if self._line:
                self._line.wait(told)
            else:
                self._clock.sleep(left if due_s is None else min(left, due_s))
        self._is_ended = True
        return b""
