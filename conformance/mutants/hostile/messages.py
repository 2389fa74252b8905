"""Answers whose framing, coding or headers are wrong, redirects and throttling (RFC 9110, RFC 9112).

> Rate limits: not shown (line 177).

What cannot be read as HTTP says nothing about an entry, so nothing may fail. What RFC 9112 lets a client read
is read. Content codings expand without end, or are not what they are called; headers are too many, too long,
contradictory or made for terminals.
"""

import gzip
import struct
import zlib
from collections.abc import Callable, Iterable
from functools import cache, partial
from http import HTTPStatus
from typing import Final

from conformance.mutants.hostile.model import (
    AUTHORIZED,
    GARBLED,
    HASTY,
    IMPATIENT,
    MUCH_OPEN,
    NOTHING_LEARNED,
    NOTHING_WRONG,
    Answer,
    Asked,
    Ending,
    Hostile,
    Outcome,
    Piece,
    lost,
)
from conformance.mutants.hostile.replies import (
    always,
    conforming,
    endless,
    framed,
    granted,
    head,
    moved,
    only,
    spoiled,
)
from conformance.reference.wire import Reply

_BODY = b'{"data":{"key":"x","value":true}}'
_CHUNKED = "Transfer-Encoding: chunked"


def _lines(*lines: bytes) -> Answer:
    """Answers with these header lines, each with its own line end, beside a Content-Length that is right."""
    return spoiled(
        lambda reply: (
            b"HTTP/1.1 %d Told\r\n%sContent-Length: %d\r\n\r\n"
            % (reply.status, b"".join(lines), len(reply.body)),
            reply.body,
        )
    )


def _chunked(reply: Reply) -> bytes:
    return b"%x\r\n%s\r\n0\r\n\r\n" % (len(reply.body), reply.body)


def _whole(reply: Reply, more: int = 0) -> tuple[bytes, bytes]:
    """The answer, with a Content-Length that is right, or too long by some bytes."""
    return head(reply.status, f"Content-Length: {len(reply.body) + more}"), reply.body


# fmt: off
FRAMING = (
    Hostile("length-too-long",
        "Content-Length promises 50 bytes more than come before the connection is closed.",
        spoiled(lambda reply: (*_whole(reply, 50), Ending.CLOSE)), NOTHING_LEARNED),
    Hostile("length-too-long-open",
        "Content-Length promises 50 bytes more than ever come, and the connection stays open.",
        spoiled(lambda reply: _whole(reply, 50)), lost("timeout"), profile=IMPATIENT),
    Hostile("length-too-short",
        "Content-Length counts ten bytes less than come for one setting, so that the rest stands before the"
        " next answer.", only(spoiled(lambda reply: _whole(reply, -10))), GARBLED),
    Hostile("length-twice", "Two headers Content-Length say different lengths.",
        spoiled(lambda reply: (head(reply.status, "Content-Length: 33", "Content-Length: 7"), reply.body)),
        lost("protocol")),
    Hostile("length-and-chunks",
        "A chunked answer also has a Content-Length of 3, the sign of a smuggled answer; the chunks count"
        " (RFC 9112, 6.3).",
        spoiled(lambda reply: (head(reply.status, _CHUNKED, "Content-Length: 3"), _chunked(reply))),
        NOTHING_WRONG),
    Hostile("chunk-extension-endless", "The extension of a chunk never ends.",
        lambda _asked: endless(b"x" * 65_536, head(200, _CHUNKED), b"5;a="), lost("protocol")),
    Hostile("trailers-endless", "Trailers follow the last chunk for ever.",
        lambda _asked: endless(b"X-Trailer: more\r\n" * 1000, head(200, _CHUNKED),
            b"21\r\n" + _BODY + b"\r\n0\r\n"), lost("cut short")),
    Hostile("chunks-of-one-byte", "A body comes in chunks of one byte, and never ends.",
        lambda _asked: endless(b"1\r\n \r\n" * 10_000, head(200, _CHUNKED)), lost("timeout"),
        profile=HASTY),
    Hostile("line-folded",
        "A header continues on a second line, which RFC 9112 lets a client read as a space (5.2).",
        _lines(b"X-Folded: one\r\n two\r\n", b"Content-Type: application/json\r\n"), NOTHING_WRONG),
    Hostile("line-feeds-bare", "Lines end in LF alone, which a client may read (RFC 9112, 2.2).",
        spoiled(
            lambda reply: (_whole(reply)[0].replace(b"\r\n", b"\n") + reply.body,)), NOTHING_WRONG),
    Hostile("header-nul", "The value of a header holds NUL.", _lines(b"X-Nul: a\0b\r\n"), lost("protocol")),
    Hostile("status-999", "The status code is 999, of no class.",
        spoiled(lambda reply: (b"HTTP/1.1 999 Beyond\r\n" + b"".join(_whole(reply)).partition(b"\r\n")[2],)),
        NOTHING_LEARNED),
    Hostile("version-0.9", "The body comes without a status line and headers, as in HTTP/0.9.",
        spoiled(lambda reply: (reply.body, Ending.CLOSE)), lost("closed")),
    Hostile("interim-endless", "Interim answers, 100 Continue, come for ever before the answer.",
        lambda _asked: endless(b"HTTP/1.1 100 Continue\r\n\r\n" * 1000), lost("timeout"),
        profile=HASTY),
    Hostile("protocol-switched", "Every answer is 101 Switching Protocols, which nobody asked for.",
        always(b"HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\n"), lost("protocol")),
    Hostile("no-content-with-body",
        "The answer for one setting is 204, which has no body, and a body follows it.",
        only(spoiled(lambda reply: (head(204, media_type=None), reply.body))),
        Outcome(exit=1, fails=frozenset({"READ-SETTING"}))),
    Hostile("not-modified-with-body",
        "The answer for one setting is 304, which has no body, and a whole second answer follows it.",
        only(spoiled(lambda reply: (head(304, media_type=None), b"".join(_whole(reply))))), MUCH_OPEN),
    Hostile("body-until-closed-endless", "A body without a length never ends.",
        granted(lambda _asked: endless(b" " * 65_536, head(200))), lost("cut body_bytes")),
)
# fmt: on


_MB: Final = 1 << 20
_HEAD: Final = bytes.fromhex("1f8b08000000000002ff")  # of gzip: deflated at the best, by nobody, at no time


@cache
def _spaces(megabytes: int) -> bytes:
    """So many megabytes of spaces, deflated: a block of one stands for each, since none refers to another."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    block = packer.compress(b" " * _MB) + packer.flush(zlib.Z_FULL_FLUSH)
    return block * megabytes + packer.flush()


@cache
def bomb(megabytes: int) -> bytes:
    """So many megabytes of spaces, as gzip has them."""
    checksum = 0
    for _ in range(megabytes):
        checksum = zlib.crc32(b" " * _MB, checksum)
    return _HEAD + _spaces(megabytes) + struct.pack("<II", checksum, megabytes * _MB)


@cache
def _layered(layers: int) -> bytes:
    """256 MB of spaces, compressed again and again."""
    packed = bomb(256)
    for _ in range(layers - 1):
        packed = gzip.compress(packed, 9)
    return packed


def _coded(coding: str, pack: Callable[[bytes], bytes]) -> Answer:
    """The answers of a conforming server under the name of a coding, packed with a function."""
    return spoiled(lambda reply: (framed(reply.status, pack(reply.body), f"Content-Encoding: {coding}"),))


def coded_as(coding: str, body: Callable[[], bytes]) -> Answer:
    """One body under the name of a coding, for every request."""
    return lambda _asked: (framed(200, body(), f"Content-Encoding: {coding}"),)


_BOMB, _RAW_BOMB, _LAYERS = partial(bomb, 256), partial(_spaces, 256), partial(_layered, 2)


def _cut(body: bytes) -> bytes:
    packed = gzip.compress(body)
    return packed[: len(packed) // 2]


# fmt: off
COMPRESSION = (
    Hostile("gzip-bomb", "256 kB of gzip become 256 MB.", coded_as("gzip", _BOMB),
        NOTHING_LEARNED, whole=True),
    Hostile("gzip-bomb-for-one", "256 kB of gzip become 256 MB for one setting.",
        only(coded_as("gzip", _BOMB)), MUCH_OPEN),
    Hostile("deflate-bomb-raw", "The same without the format of zlib, as some servers send deflate.",
        coded_as("deflate", _RAW_BOMB), lost("cut body_bytes")),
    Hostile("gzip-twice", "Two layers of gzip make 256 MB of a kilobyte.",
        coded_as("gzip, gzip", _LAYERS), lost("undecodable")),
    Hostile("gzip-in-two-headers", "Two headers name a layer of gzip each.",
        coded_as("gzip\r\nContent-Encoding: gzip", _LAYERS), lost("undecodable")),
    Hostile("codings-by-the-thousand", "Content-Encoding names a thousand layers.",
        _coded(", ".join(["gzip"] * 1000), bytes), lost("undecodable")),
    Hostile("gzip-members", "Two hundred gzip members of a megabyte stand one after another.",
        # each answer is a megabyte that may be read, and shown; the interpreter alone takes 128
        granted(coded_as("gzip", lambda: bomb(1) * 200)), Outcome(exit=3, resident_mb=250)),
    Hostile("gzip-that-is-none", "Plain bodies are called gzip.", _coded("gzip", bytes), lost("protocol")),
    Hostile("gzip-cut", "Half of a gzip body comes, under the right length.", granted(_coded("gzip", _cut)),
        lost("cut short")),
    Hostile("gzip-with-rest", "Bytes follow the end of a gzip body.",
        _coded("gzip", lambda body: gzip.compress(body) + b"rest"), NOTHING_WRONG),
    Hostile("coding-unasked", "Bodies are called br, which the client did not say it takes, and are noise.",
        granted(_coded("br", lambda body: bytes(body[::-1]))), lost("undecodable")),
)
# fmt: on

_COOKIES = tuple(f"Set-Cookie: c{number}={'v' * 40}; Path=/" for number in range(50))


def _with(*lines: str) -> Answer:
    """The answers of a conforming server with more header lines."""
    return spoiled(lambda reply: (framed(reply.status, reply.body, *lines),))


def _with_cookies(asked: Asked) -> Iterable[Piece]:
    """Cookies, and a value of the wrong type for a client that keeps them."""
    if "cookie" in asked.request.headers:
        return (framed(200, b'{"data":{"value":["a cookie came back"]}}'),)
    return (framed(asked.reply.status, asked.reply.body, *_COOKIES),)


# fmt: off
HEADERS = (
    Hostile("headers-by-the-thousand", "Each answer has 8,000 headers.",
        _with(*(f"X-{number}: y" for number in range(8000))), lost("cut headers")),
    Hostile("header-of-a-megabyte", "Each answer has a header of a megabyte.",
        _with(f"X-Long: {'y' * 1_000_000}"), lost("protocol")),
    Hostile("header-of-60-kilobytes", "Each answer has a header of 60,000 letters.",
        _with(f"X-Long: {'y' * 60_000}"), lost("cut header_bytes")),
    Hostile("reason-of-60-kilobytes", "The reason phrase has 60,000 letters.",
        spoiled(lambda reply: (framed(reply.status, reply.body).replace(b"\r\n",
            b" " + b"y" * 60_000 + b"\r\n", 1),)), NOTHING_WRONG),
    Hostile("headers-endless", "Headers never end.",
        lambda _asked: endless(b"X-More: yes\r\n" * 500, b"HTTP/1.1 200 OK\r\n"), lost("protocol")),
    Hostile("cookies", "Each answer sets fifty cookies, and whoever sends one back gets wrong values.",
        _with_cookies, NOTHING_WRONG),
    Hostile("upgrade-demanded", "Headers demand TLS and HTTP/3 for everything that follows.",
        _with("Strict-Transport-Security: max-age=99999999", 'Alt-Svc: h3=":1"; ma=99999'), NOTHING_WRONG),
    Hostile("media-type-html", "JSON is called HTML with a script in the parameter.",
        spoiled(lambda reply: (framed(reply.status, reply.body,
            media_type='text/html; charset="<script>alert(1)</script>"'),)), NOTHING_WRONG, whole=True),
    Hostile("header-escape-sequence", "A header holds an escape sequence that sets the title of a terminal.",
        _with("X-Title: \x1b]0;owned\x07"), NOTHING_WRONG, whole=True),
    Hostile("challenge-endless", "Every answer is 401 with a thousand challenges.",
        spoiled(lambda _reply: (framed(401, b"{}",
            *(f'WWW-Authenticate: Digest realm="{n}", nonce="{n}"' for n in range(1000))),)),
        lost("cut headers")),
)
# fmt: on


_FOLLOWED = {"http": {"follow_redirects": True}, **AUTHORIZED}


def _to_the_next(asked: Asked) -> Iterable[Piece]:
    """A redirect to the next of 30,000 paths."""
    step = int(asked.request.query or "0")
    redirect = framed(307, b"", f"Location: {asked.request.path}?{step + 1}")
    return (redirect,) if step < 30_000 else conforming(asked)


# fmt: off
_PLACES = (
    ("bad-name", "a host name that IDNA cannot decode", "http://xn--0/"),
    ("file", "a file of the client", "file:///etc/passwd"),
    ("other-host", "another host, which would get the token", "http://localhost:{port}{path}"),
    ("itself", "itself", "{path}"),
    ("password", "the same host with a user and a password", "http://user:password@{host}{path}?"),
)

REDIRECTS = (
    *(
        Hostile(f"redirect-to-{name}", f"Everything leads to {what}.", moved(location), lost("302"),
            profile=_FOLLOWED)
        for name, what, location in _PLACES
    ),
    Hostile("redirect-not-followed",
        "Everything leads to a host name that IDNA cannot decode, and the profile follows no redirect.",
        moved("http://xn--0/"), lost("302")),
    Hostile("redirect-chain", "Everything leads through 30,000 redirects.", _to_the_next,
        lost("307"), profile=_FOLLOWED),
    Hostile("redirect-with-refresh",
        "A header Refresh leads to another host, beside an answer that conforms.",
        lambda asked: (framed(asked.reply.status, asked.reply.body,
            f"Refresh: 0; url=http://localhost:{asked.base_url.rpartition(':')[2]}/"),), NOTHING_WRONG),
)
# fmt: on


def _locks_out(asked: Asked) -> Iterable[Piece]:
    """A refusal of everybody once ten in a row were refused, or the answer."""
    marks = "".join("." if one.reply.status == HTTPStatus.OK else "x" for one in asked.earlier)
    if "x" * 10 in marks:
        return (framed(429, b'{"error":{"key":"429"}}', "Retry-After: 600"),)
    return conforming(asked)


def _every_other_time(asked: Asked) -> Iterable[Piece]:
    """A refusal for a moment, or the answer.

    Which requests it meets is fixed only for a run that makes one at a time; that one comes through.
    """
    return conforming(asked) if asked.number % 2 else (framed(429, b"{}", "Retry-After: 0"),)


# fmt: off
THROTTLING = (
    Hostile("throttled", "Every answer is 429, without a word on when to come back.",
        always(framed(429, b"{}")), NOTHING_LEARNED),
    Hostile("throttled-year", "Every answer is 429, and Retry-After is a year.",
        always(framed(429, b"{}", "Retry-After: 31536000")), lost("429")),
    Hostile("throttled-digits", "Every answer is 429, and Retry-After is a number of 5,000 digits.",
        always(framed(429, b"{}", f"Retry-After: {'9' * 5000}")), lost("429")),
    Hostile("throttled-every-other", "Every other request is answered with 429.",
        _every_other_time, NOTHING_WRONG, profile={"pace": {"concurrency": 1}}),
    Hostile("locks-out", "After ten refusals in a row everything is 429 for ten minutes.", _locks_out,
        NOTHING_WRONG, profile={"pace": {"max_refusals_in_a_row": 8, "concurrency": 1}}),
)
