"""Connections to services of the same process: whoever writes a request has the answer before it reads.

The bytes are those that the server on loopback sends, and everything that reads them is what reads those of a
target; what is left out is sockets, threads and an event loop, which cost more than the answers.
"""

from __future__ import annotations

import threading
import time
from concurrent.futures import Executor, Future
from http.client import responses
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

import h11
import httpcore

from conformance.harness.wire.network import Network
from conformance.reference.app import Front, encoded, response_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from starlette.responses import Response

    from conformance.reference.events import Subscription
    from conformance.reference.service import Service

BASE_URL = "http://127.0.0.1:9"
"""Where the services are: a run may ask as much as on loopback, and no socket listens there."""

_Given = ParamSpec("_Given")
_Made = TypeVar("_Made")


def network_of(services: Mapping[str, Service]) -> Network:
    """The network in which these services are, by prefix, and nothing else."""
    front = Front(services)
    return Network(_Within(front), _AtOnce)


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

    def __init__(self, front: Front) -> None:
        self._front = front

    def connect_tcp(
        self,
        host: str,  # noqa: ARG002  all names are those of the front
        port: int,  # noqa: ARG002  all ports, too
        timeout: float | None = None,  # noqa: ARG002  it takes none
        local_address: str | None = None,  # noqa: ARG002  there is none
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,  # noqa: ARG002  there is no socket
    ) -> httpcore.NetworkStream:
        """A connection, open."""
        return _Stream(self._front)


class _Stream(httpcore.NetworkStream):
    """One connection, seen from the client; its requests are answered as they are written."""

    def __init__(self, front: Front) -> None:
        self._front = front
        self._server = h11.Connection(h11.SERVER)
        self._asked: h11.Request | None = None
        self._body = b""
        self._answered = bytearray()
        self._not_before = 0.0
        self._is_ended = False
        self._told: tuple[Service, Subscription] | None = None
        self._woken = threading.Event()

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
        until = time.monotonic() + (threading.TIMEOUT_MAX if timeout is None else timeout)
        if (wait_s := min(self._not_before, until) - time.monotonic()) > 0:
            time.sleep(wait_s)
        if self._not_before > until:
            raise httpcore.ReadTimeout("no answer in time")
        if self._told and not self._answered and not self._is_ended:
            self._answered += self._events(*self._told, until)
        if not self._answered and not self._is_ended:
            raise httpcore.ReadTimeout("no answer in time")
        data = bytes(self._answered[:max_bytes])
        del self._answered[:max_bytes]
        return data

    def close(self) -> None:
        """Ends the connection, and what is told on it."""
        self._is_ended = True
        if self._told:
            self._told[1].close()

    def shutdown(self, how: int) -> None:  # noqa: ARG002  both directions are shut down
        """As a socket is shut down, while another thread reads from it."""
        self.close()

    def get_extra_info(self, info: str) -> Any:
        """As httpcore defines it; what stands in for the socket is the connection itself."""
        if info == "is_readable":
            return bool(self._answered) or self._is_ended
        return self if info == "socket" else None

    def _answer(self, asked: h11.Request) -> None:
        target, _, query = asked.target.decode("ascii").partition("?")
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in asked.headers}
        service, reply = self._front.handle(asked.method.decode("ascii"), target, query, headers, self._body)
        self._not_before = time.monotonic() + reply.delay_s + (service.latency_s if service else 0.0)
        if reply.drop:
            self._is_ended = True
            return
        if service and reply.stream:
            self._told = (service, reply.stream)
            reply.stream.wake = self._woken.set
        try:
            self._send(response_of(service, reply), is_whole=self._told is None)
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

    def _events(self, service: Service, subscription: Subscription, until: float) -> bytes:
        """The next events, as they are sent; the end of the stream where there will be none.

        Raises:
            httpcore.ReadTimeout: when there is none in time.
        """
        while not subscription.closed:
            self._woken.clear()
            if events := subscription.take():
                sent = (self._server.send(h11.Data(data=encoded(event))) for event in events)
                return b"".join(data or b"" for data in sent)
            with service.lock:
                due_s = service.timers.wait_s()
            left = until - time.monotonic()
            if left <= 0:
                raise httpcore.ReadTimeout("no event in time")
            self._woken.wait(left if due_s is None else min(left, due_s))
            with service.lock:
                service.tick()
        self._is_ended = True
        return b""
