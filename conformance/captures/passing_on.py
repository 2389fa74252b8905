"""A reverse proxy in front of a target, for clients in any language: it passes on what both sides say.

It changes nothing but what belongs to a connection, and the encodings that a client takes: what could not be
undone here could not be judged. It follows no redirect, keeps no cookie and gives up no answer: a client that
waits too long hangs up, which ends the request to the target, too.
"""

import ssl
from collections.abc import Iterable
from typing import Final
from urllib.parse import urlsplit

import httpx
from anyio import CancelScope, create_task_group
from appliance_conformance_recording import UNPACKED
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send

_CONNECT_S: Final = 30.0
_OF_CONNECTIONS: Final = frozenset(
    {
        *(b"connection", b"keep-alive", b"proxy-authenticate", b"proxy-authorization", b"proxy-connection"),
        *(b"te", b"trailer", b"transfer-encoding", b"upgrade", b"expect"),
    }
)
"""Headers of one connection, in small letters: either side has its own."""
_MADE_ANEW: Final = _OF_CONNECTIONS | {b"host", b"content-length"}
_Headers = list[tuple[bytes, bytes]]


class PassingOn:
    """The application of the proxy: whatever path it is asked for, it asks the target's host for it."""

    def __init__(self, base_url: str, tls: ssl.SSLContext) -> None:
        """`tls` is for a target that speaks https."""
        split = urlsplit(base_url)
        self._origin = f"{split.scheme}://{split.netloc}"
        # a connection each: a target may close a kept one in the moment in which it is used again
        limits = httpx.Limits(max_connections=None, max_keepalive_connections=0)
        self._transport = httpx.AsyncHTTPTransport(verify=tls, limits=limits)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes on one request and its answer, as long as the client is there."""
        try:
            body = await Request(scope, receive).body()
        except ClientDisconnect:
            return
        async with create_task_group() as group:
            group.start_soon(_until_gone, receive, group.cancel_scope)
            await self._pass_on(scope, body, receive, send)
            group.cancel_scope.cancel()

    async def _pass_on(self, scope: Scope, body: bytes, receive: Receive, send: Send) -> None:
        query = b"?" + scope["query_string"] if scope["query_string"] else b""
        url = httpx.URL(self._origin).copy_with(raw_path=scope["raw_path"] + query)
        timeout = httpx.Timeout(None, connect=_CONNECT_S)
        request = httpx.Request(
            scope["method"],
            url,
            headers=[_undoable(*header) for header in _without(_MADE_ANEW, scope["headers"])],
            content=body,
            extensions={"timeout": timeout.as_dict()},
        )
        try:
            response = await self._transport.handle_async_request(request)
        except httpx.TransportError as error:
            told = f"no answer of {self._origin}: {type(error).__name__}: {error}"
            await PlainTextResponse(told, 502)(scope, receive, send)
            return
        try:
            headers = _without(_OF_CONNECTIONS, response.headers.raw)
            start = {"type": "http.response.start", "status": response.status_code, "headers": headers}
            await send(start)
            assert isinstance(response.stream, httpx.AsyncByteStream)
            async for piece in response.stream:
                await send({"type": "http.response.body", "body": piece, "more_body": True})
            await send({"type": "http.response.body", "body": b""})
        finally:
            await response.aclose()


async def _until_gone(receive: Receive, scope: CancelScope) -> None:
    """Ends a request whose client has hung up."""
    while (await receive())["type"] != "http.disconnect":
        pass
    scope.cancel()


def _without(names: Iterable[bytes], headers: Iterable[tuple[bytes, bytes]]) -> _Headers:
    return [(name, value) for name, value in headers if name.lower() not in names]


def _undoable(name: bytes, value: bytes) -> tuple[bytes, bytes]:
    """A header of a client; of encodings that it takes, those that can be undone here."""
    if name.lower() != b"accept-encoding":
        return name, value
    words = (word.strip() for word in value.decode("latin-1").split(","))
    kept = [word for word in words if word.partition(";")[0].strip().lower() in {"identity", *UNPACKED}]
    return name, (", ".join(kept) or "identity").encode("latin-1")
