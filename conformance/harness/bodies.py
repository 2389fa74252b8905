"""Reads the body of an answer, and inflates it, within bounds that hold while it is read.

A body of a few kilobytes may inflate to gigabytes. So nothing is inflated beyond the bound, and one content coding at
most is undone: gzip or deflate, which is what requests accept.
"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, NamedTuple

import httpx

if TYPE_CHECKING:
    from collections.abc import Iterable

ACCEPTED = "gzip, deflate"
_GZIP = zlib.MAX_WBITS | 16
_UNREADABLE = frozenset({"br", "zstd", "compress", "x-compress", "dcb", "dcz", "exi", "pack200-gzip", "aes128gcm"})
"""Registered content codings that are not undone here; a word that names none is ignored, since the body may be plain all the same."""


class BodyError(Exception):
    """A body that cannot be read at all: its content coding is unknown, stands twice, or is not what was sent."""


class Body(NamedTuple):
    """What was read of a body: whether that is all that the target sent, and whether it is more than the bound."""

    data: bytes
    complete: bool
    is_over: bool


def read_body(response: httpx.Response, bound: int) -> Body:
    """The decoded body, one byte beyond `bound` at most.

    Raises:
        BodyError: when it cannot be decoded.
        httpx.TransportError: when nothing of it comes.
    """
    inflate = _inflater(response)
    data = bytearray()
    try:
        for chunk in _chunks(response):
            data += inflate.some(chunk, bound + 1 - len(data)) if inflate else chunk
            if len(data) > bound:
                return Body(bytes(data[: bound + 1]), complete=False, is_over=True)
    except httpx.RemoteProtocolError:
        if not data:
            raise
        return Body(bytes(data), complete=False, is_over=False)
    return Body(bytes(data), complete=inflate is None or inflate.is_whole, is_over=False)


def _chunks(response: httpx.Response) -> Iterable[bytes]:
    """The body as it comes; unlike httpx's own iterators this leaves the connection with the response after the last byte."""
    if not isinstance(response.stream, httpx.SyncByteStream):
        raise TypeError(response.stream)
    return response.stream


def _inflater(response: httpx.Response) -> _Inflater | None:
    """What undoes the content coding; None for a plain body.

    Raises:
        BodyError: when nothing here does.
    """
    words = [word.strip().lower() for word in response.headers.get("content-encoding", "").split(",")]
    codings = [word.removeprefix("x-") for word in words if word in {"gzip", "x-gzip", "deflate"} or word in _UNREADABLE]
    if not codings:
        return None
    if len(codings) > 1:
        raise BodyError(f"the body has {len(codings)} content codings, one inside the other")
    if codings[0] in _UNREADABLE:
        raise BodyError(f"the body has the content coding {codings[0]}, where requests accept {ACCEPTED}")
    return _Inflater(codings[0])


class _Inflater:
    """Undoes gzip or deflate, some bytes at a time."""

    def __init__(self, coding: str) -> None:
        self._coding = coding
        self._stream = zlib.decompressobj(_GZIP if coding == "gzip" else zlib.MAX_WBITS)
        self._is_fresh = True

    @property
    def is_whole(self) -> bool:
        """Whether the compressed data came to its end; so did data of which nothing came, as after a 204."""
        return self._is_fresh or self._stream.eof

    def some(self, data: bytes, most: int) -> bytes:
        """What `data` inflates to, `most` bytes of it.

        Raises:
            BodyError: when it is not compressed like that.
        """
        try:
            return self._tried(data, most)
        except zlib.error as error:
            raise BodyError(f"the body is not {self._coding}: {error}") from error

    def _tried(self, data: bytes, most: int) -> bytes:
        fresh, self._is_fresh = self._is_fresh, self._is_fresh and not data
        try:
            return self._stream.decompress(data, most)
        except zlib.error:
            if self._coding != "deflate" or not fresh:
                raise
            self._stream = zlib.decompressobj(-zlib.MAX_WBITS)  # some servers leave out the zlib header
            return self._stream.decompress(data, most)
