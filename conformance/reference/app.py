"""The ASGI side: finds the service a path belongs to, asks it, sends what it says.

One dictionary look-up finds the service, however many are mounted: Starlette tries its routes one
after another, which at 250 services costs more than the answer.
"""

import asyncio
from collections.abc import AsyncIterator, Collection, Mapping
from contextlib import suppress
from typing import Protocol

from sse_starlette import EventSourceResponse, ServerSentEvent
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from conformance.reference.events import Event, Subscription
from conformance.reference.service import Service
from conformance.reference.wire import UNKNOWN_PATH, Incoming, Reply, dump

KEEP_ALIVE_S = 55
_NOWHERE = Reply(
    UNKNOWN_PATH.status,
    dump({"error": {"key": UNKNOWN_PATH.key, "description": "No service is mounted at this path"}}),
)


class Connection(Protocol):
    """What uvicorn keeps of an open connection."""

    client: tuple[str, int] | None
    transport: asyncio.Transport


class Front:
    """The application in front of all services, each under its prefix; "" serves what no other one takes.

    `connections` are the open ones of the server, so that one can be dropped without an answer.
    """

    def __init__(self, services: Mapping[str, Service], connections: Collection[Connection] = ()) -> None:
        self.services = {prefix.strip("/"): service for prefix, service in services.items()}
        self.connections = connections
        self._depths = sorted(
            {prefix.count("/") + 1 if prefix else 0 for prefix in self.services}, reverse=True
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one HTTP request."""
        try:
            body = await Request(scope, receive).body()
        except ClientDisconnect:
            return
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        path, query = scope["raw_path"].decode("ascii"), scope["query_string"].decode("latin-1")
        reply = self.handle(scope["method"], path, query, headers, body)
        if reply.delay_s:
            await asyncio.sleep(reply.delay_s)
        if reply.drop:
            await self._drop(scope, receive)
        else:
            await response_of(reply)(scope, receive, send)

    def handle(self, method: str, path: str, query: str, headers: Mapping[str, str], body: bytes) -> Reply:
        """The reply to a request of the service that its path belongs to."""
        found = self._find(path)
        if found is None:
            return _NOWHERE
        service, prefix = found
        return service.handle(Incoming(method, path[len(prefix) :], query, headers, body, prefix))

    def _find(self, path: str) -> tuple[Service, str] | None:
        """The service with the longest prefix the path begins with, and the prefix with its slash."""
        parts = path.split("/")[1:]
        for depth in self._depths:
            prefix = "/".join(parts[:depth])
            if prefix in self.services and len(parts) >= depth:
                return self.services[prefix], f"/{prefix}" if prefix else ""
        return None

    async def _drop(self, scope: Scope, receive: Receive) -> None:
        for connection in tuple(self.connections):
            if connection.client == scope["client"]:
                connection.transport.abort()
        # uvicorn answers 500 for an application that returns before the connection is known to be gone
        while (await receive())["type"] != "http.disconnect":
            pass


def response_of(reply: Reply) -> Response:
    """What is sent for a reply; events follow where it opens a stream."""
    if reply.stream:
        return _stream(reply.stream)
    return Response(reply.body, reply.status, dict(reply.headers), reply.media_type)


def encoded(event: Event) -> bytes:
    """An event as a stream carries it."""
    return ServerSentEvent(data=event.data, event=event.kind, id=event.ha_id, sep="\n").encode()


def _stream(subscription: Subscription) -> Response:
    def keep_alive() -> ServerSentEvent:
        return ServerSentEvent(data="", event="KEEP-ALIVE", sep="\n")

    return EventSourceResponse(
        _told(subscription), ping=KEEP_ALIVE_S, ping_message_factory=keep_alive, sep="\n"
    )


async def _told(subscription: Subscription) -> AsyncIterator[bytes]:
    """Every event as it comes; between them the clock of the service is looked at when something is due."""
    loop, rung = asyncio.get_running_loop(), asyncio.Event()
    subscription.wake = lambda: loop.call_soon_threadsafe(rung.set)
    try:
        while not subscription.closed:
            rung.clear()
            for event in subscription.take():
                yield encoded(event)
            with suppress(TimeoutError):
                await asyncio.wait_for(rung.wait(), subscription.tick())
    finally:
        subscription.close()
