"""Watches the clients of this process, those of httpx and requests: what they say to a target is recorded."""

from collections.abc import AsyncIterator, Awaitable, Callable, Generator, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from importlib.util import find_spec
from typing import Any, Final

import httpx
from appliance_conformance_recording import LONGEST, Begun, Record

_EVENT_STREAM: Final = "text/event-stream"
_PIECE: Final = 4096


@contextmanager
def recording(base_url: str) -> Generator[Record]:
    """Records, as long as it lasts, what every client of this process exchanges with the target.

    It wraps the transports of httpx, also those that call an application in this process, and the adapter of
    requests, where it is installed. What a library answers in their place is no evidence, and is not seen.
    """
    record = Record(base_url)
    with ExitStack() as stack:
        for transport in (httpx.HTTPTransport, httpx.WSGITransport):
            stack.enter_context(_replaced(transport, "handle_request", _sync(record)))
        for transport in (httpx.AsyncHTTPTransport, httpx.ASGITransport):
            stack.enter_context(_replaced(transport, "handle_async_request", _async(record)))
        if find_spec("requests"):
            from requests.adapters import HTTPAdapter  # noqa: PLC0415  it may not be installed

            stack.enter_context(_replaced(HTTPAdapter, "send", _requests(record)))
        yield record


@contextmanager
def _replaced(owner: type, name: str, wrap: Callable[[Any], Any]) -> Generator[None]:
    original = getattr(owner, name)
    setattr(owner, name, wrap(original))
    try:
        yield
    finally:
        setattr(owner, name, original)


def _begun(record: Record, request: httpx.Request) -> Begun:
    return Begun(record, request.method, str(request.url), request.headers.multi_items(), request.content)


def _sync(record: Record) -> Callable[[Any], Any]:
    def wrap(original: Callable[[Any, httpx.Request], httpx.Response]) -> object:
        def handle_request(self: Any, request: httpx.Request) -> httpx.Response:
            if not record.concerns(str(request.url)):
                return original(self, request)
            request.read()
            begun = _begun(record, request)
            with _answered(begun):
                response = original(self, request)
            return _watched(begun, response, is_local=isinstance(self, httpx.WSGITransport))

        return handle_request

    return wrap


def _async(record: Record) -> Callable[[Any], Any]:
    def wrap(original: Callable[[Any, httpx.Request], Awaitable[httpx.Response]]) -> object:
        async def handle_async_request(self: Any, request: httpx.Request) -> httpx.Response:
            if not record.concerns(str(request.url)):
                return await original(self, request)
            await request.aread()
            begun = _begun(record, request)
            with _answered(begun):
                response = await original(self, request)
            return _watched(begun, response, is_local=isinstance(self, httpx.ASGITransport))

        return handle_async_request

    return wrap


def _requests(record: Record) -> Callable[[Any], Any]:
    def wrap(original: Callable[..., Any]) -> object:
        def send(self: Any, request: Any, stream: bool = False, **more: Any) -> Any:  # noqa: FBT002  as requests has it
            if not record.concerns(request.url):
                return original(self, request, stream=stream, **more)
            begun = Begun(record, request.method, request.url, _texts(request.headers), request.body)
            with _answered(begun):
                response = original(self, request, stream=stream, **more)
                content = b"" if stream else response.content  # which the session reads next
            if stream:
                begun.leave("read piece by piece")
            elif not isinstance(request.body, bytes | str | None):
                begun.leave("sent piece by piece")
            else:
                begun.keep(response.status_code, _texts(response.headers), content)
            return response

        return send

    return wrap


@contextmanager
def _answered(begun: Begun) -> Generator[None]:
    """Leaves an exchange out where no answer comes, whatever ends the waiting for it."""
    try:
        yield
    except BaseException as error:
        begun.leave(f"without an answer: {type(error).__name__}")
        raise


def _texts(headers: Mapping[str, str | bytes]) -> Iterator[tuple[str, str]]:
    """The headers of requests, whose values may be bytes."""
    for name, value in headers.items():
        yield name, value.decode("latin-1") if isinstance(value, bytes) else value


def _watched(begun: Begun, response: httpx.Response, *, is_local: bool) -> httpx.Response:
    """An answer whose body is kept as the client reads it.

    One that came over no network, though its transport has one, was made by a library that mocks answers.
    """
    if response.headers.get("content-type", "").startswith(_EVENT_STREAM):
        begun.leave("that are streams of events")
    elif is_local or "network_stream" in response.extensions:
        response.stream = _Watched(begun, response)
    else:
        begun.leave("mocked: their answers came over no network")
    return response


class _Watched(httpx.SyncByteStream, httpx.AsyncByteStream):
    """The body of an answer on its way to the client."""

    def __init__(self, begun: Begun, response: httpx.Response) -> None:
        self._begun, self._stream = begun, response.stream
        self._answer = response.status_code, response.headers
        self._content = bytearray()

    def __iter__(self) -> Iterator[bytes]:
        assert isinstance(self._stream, httpx.SyncByteStream)
        for piece in self._stream:
            self._take(piece)
            yield piece
        self._end()

    async def __aiter__(self) -> AsyncIterator[bytes]:
        assert isinstance(self._stream, httpx.AsyncByteStream)
        async for piece in self._stream:
            self._take(piece)
            yield piece
        self._end()

    def close(self) -> None:
        self._begun.leave("not read to the end")
        if isinstance(self._stream, httpx.SyncByteStream):
            self._stream.close()

    async def aclose(self) -> None:
        self._begun.leave("not read to the end")
        if isinstance(self._stream, httpx.AsyncByteStream):
            await self._stream.aclose()

    def _take(self, piece: bytes) -> None:
        if len(self._content) <= LONGEST:
            self._content += piece

    def _end(self) -> None:
        status, headers = self._answer
        try:
            body = b"".join(self._decoded(status, headers))
        except httpx.DecodingError:
            self._begun.leave("in an encoding that cannot be undone")
        else:
            self._begun.keep(status, headers.multi_items(), body)

    def _decoded(self, status: int, headers: httpx.Headers) -> Iterator[bytes]:
        """The body, piece by piece and no more than is kept: a small one may unpack to a very large one."""
        pieces = (bytes(self._content[at : at + _PIECE]) for at in range(0, len(self._content), _PIECE))
        length = 0
        for piece in httpx.Response(status, headers=headers, content=pieces).iter_bytes():
            length += len(piece)
            yield piece
            if length > LONGEST:
                return
