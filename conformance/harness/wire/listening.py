"""Streams of events (line 159: not shown), read within bounds, each in a thread of its own."""

import socket
import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager, suppress
from typing import TypeAlias

import httpx_sse

from conformance.harness.clock import Clock
from conformance.harness.wire.bodies import BodyReader
from conformance.harness.wire.client import httpx
from conformance.harness.wire.connections import Connections
from conformance.profiles.sections import Limits

TIMEOUT_S, SILENCE_S = 30, 120
"""How long opening a stream may take, and how long nothing may come on it."""
_MEDIA_TYPE = "text/event-stream"


Came: TypeAlias = httpx.Response | httpx_sse.ServerSentEvent | Exception
"""What comes of a stream: the response that opens it, or an error in its place; then its events."""


@contextmanager
def listening(
    request: httpx.Request,
    connections: Connections,
    limits: Limits,
    clock: Clock,
    take: Callable[[Came], None],
) -> Generator[threading.Event]:
    """Listens as long as the context lasts; what it yields is set by a response or an error.

    The stream ends when it is closed, breaks off or is over a bound; `take` is told by another thread.
    """
    opened = threading.Event()
    held: list[httpx.Response] = []

    def listen() -> None:
        try:
            with closing(connections), closing(connections.handle_request(request)) as response:
                take(response)
                held.append(response)
                opened.set()
                for event in events(response, limits):
                    take(event)
        except Exception as error:  # noqa: BLE001  whatever a target sends ends the stream and nothing else
            if not held:
                take(error)
        finally:
            opened.set()

    listener = clock.listener(listen)
    listener.start()
    try:
        yield opened
    finally:
        for response in held:
            _cut(response)
        listener.join(timeout=1)


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
