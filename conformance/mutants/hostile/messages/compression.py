"""Content codings that expand without end, or are not what they are called (RFC 9110, 8.4)."""

import gzip
import zlib
from collections.abc import Callable, Iterable
from functools import cache
from typing import Final

from conformance.mutants.hostile.model import Answer, Hostile, Outcome, Piece
from conformance.mutants.hostile.replies import framed, granted, only, spoiled
from conformance.reference.wire import Reply

NOTHING_LEARNED = Outcome(exit=3)
NOTHING_WRONG = Outcome(exit=0)
_MB: Final = 1 << 20
_GZIP: Final = 31  # window bits of zlib for the format of gzip
_RAW: Final = -15  # and for a deflate stream without a format around it


@cache
def bomb(megabytes: int, window: int = _GZIP, byte: bytes = b" ") -> bytes:
    """So many megabytes of one byte, compressed."""
    packer = zlib.compressobj(9, zlib.DEFLATED, window)
    piece = byte * _MB
    return b"".join([*(packer.compress(piece) for _ in range(megabytes)), packer.flush()])


@cache
def _layered(layers: int) -> bytes:
    """256 MB of spaces, compressed again and again."""
    packed = bomb(256)
    for _ in range(layers - 1):
        packed = gzip.compress(packed, 9)
    return packed


def _coded(coding: str, pack: Callable[[bytes], bytes]) -> Callable[[], Answer]:
    """The answers of a conforming server under the name of a coding, packed with a function."""

    def spoil(reply: Reply) -> Iterable[Piece]:
        yield framed(reply.status, pack(reply.body), f"Content-Encoding: {coding}")

    return spoiled(spoil)


def _whole(coding: str, body: Callable[[], bytes]) -> Callable[[], Answer]:
    """One body under the name of a coding, made when the server starts."""

    def start() -> Answer:
        answer = framed(200, body(), f"Content-Encoding: {coding}")
        return lambda _asked: (answer,)

    return start


def _cut(body: bytes) -> bytes:
    packed = gzip.compress(body)
    return packed[: len(packed) // 2]


# fmt: off
COMPRESSION = (
    Hostile("gzip-bomb", "256 kB of gzip become 256 MB.", _whole("gzip", lambda: bomb(256)), NOTHING_LEARNED),
    Hostile("gzip-bomb-for-one", "256 kB of gzip become 256 MB for one setting.",
        only(_whole("gzip", lambda: bomb(256))), NOTHING_WRONG),
    Hostile("deflate-bomb-raw", "The same without the format of zlib, as some servers send deflate.",
        _whole("deflate", lambda: bomb(256, _RAW)), NOTHING_LEARNED),
    Hostile("gzip-twice", "Two layers of gzip make 256 MB of a kilobyte.",
        _whole("gzip, gzip", lambda: _layered(2)), NOTHING_LEARNED),
    Hostile("gzip-in-two-headers", "Two headers name a layer of gzip each.",
        _whole("gzip\r\nContent-Encoding: gzip", lambda: _layered(2)), NOTHING_LEARNED),
    Hostile("codings-by-the-thousand", "Content-Encoding names a thousand layers.",
        _coded(", ".join(["gzip"] * 1000), bytes), NOTHING_LEARNED),
    Hostile("gzip-members", "Two hundred gzip members of a megabyte stand one after another.",
        # each answer is a megabyte that may be read; the interpreter alone takes 128
        _whole("gzip", lambda: bomb(1) * 200), Outcome(exit=3, resident_mb=220)),
    Hostile("gzip-that-is-none", "Plain bodies are called gzip.", _coded("gzip", bytes), NOTHING_LEARNED),
    Hostile("gzip-cut", "Half of a gzip body comes, under the right length.", granted(_coded("gzip", _cut)),
        NOTHING_LEARNED),
    Hostile("gzip-with-rest", "Bytes follow the end of a gzip body.",
        _coded("gzip", lambda body: gzip.compress(body) + b"rest"), NOTHING_WRONG),
    Hostile("coding-unasked", "Bodies are called br, which the client did not say it takes, and are noise.",
        granted(_coded("br", lambda body: bytes(body[::-1]))), NOTHING_LEARNED),
)
