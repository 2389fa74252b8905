"""Streams of events (line 159: not shown), read within bounds, each in a thread of its own."""

import socket
import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager, suppress

import httpx_sse

from conformance.harness.clock import Clock
from conformance.harness.wire.bodies import BodyReader
from conformance.harness.wire.client import httpx
from conformance.harness.wire.connections import Connections
from conformance.profiles.sections import Limits

TIMEOUT = httpx.Timeout(30, read=120)
_MEDIA_TYPE = "text/event-stream"


class Listener:
    """Opens one stream and tells of each of its events, until it is closed, breaks off or is over a bound."""

    def __init__(self, request: httpx.Request, limits: Limits, clock: Clock) -> None:
        self._request = request
        self._clock = clock
        self._limits = limits
        self._opened = threading.Event()
        self._response: httpx.Response | None = None

    @contextmanager
    def listening(
        self,
        connections: Connections,
        on_response: Callable[[httpx.Response], None],
        on_event: Callable[[httpx_sse.ServerSentEvent], None],
        on_error: Callable[[Exception], None],
    ) -> Generator[threading.Event]:
        """Listens as long as the context lasts; what it yields is set by a response or an error."""
        listener = self._clock.listener(self._listen, connections, on_response, on_event, on_error)
        listener.start()
        try:
            yield self._opened
        finally:
            if self._response:
                _cut(self._response)
            listener.join(timeout=1)

    def _listen(
        self,
        connections: Connections,
        on_response: Callable[[httpx.Response], None],
        on_event: Callable[[httpx_sse.ServerSentEvent], None],
        on_error: Callable[[Exception], None],
    ) -> None:
        try:
            with closing(connections), closing(connections.handle_request(self._request)) as response:
                on_response(response)
                self._response = response
                self._opened.set()
                for event in events(response, self._limits):
                    on_event(event)
        except Exception as error:  # noqa: BLE001  whatever a target sends ends the stream and nothing else
            if self._response is None:
                on_error(error)
        finally:
            self._opened.set()


def events(response: httpx.Response, limits: Limits) -> Iterator[httpx_sse.ServerSentEvent]:
    """The events of a stream, as many and as long as `limits` allow; none of an answer that is no stream."""
    if _MEDIA_TYPE not in response.headers.get("content-type", ""):
        return
    pieces = BodyReader(response, limits.stream_bytes, limits.inflation).pieces()
    # always UTF-8, whatever the target calls it
    stream = httpx.Response(200, headers={"Content-Type": _MEDIA_TYPE}, content=pieces)
    for number, event in enumerate(httpx_sse.EventSource(stream).iter_sse(), start=1):
        if number > limits.events or len(event.data) + len(event.event) > limits.event_bytes:
            return
        yield event


def _cut(streamed: httpx.Response) -> None:
    """Ends a connection that another thread is reading from."""
    with suppress(OSError, AttributeError):
        streamed.extensions["network_stream"].get_extra_info("socket").shutdown(socket.SHUT_RDWR)
