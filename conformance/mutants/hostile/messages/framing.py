"""Answers whose message framing is wrong: lengths, chunks, status lines, header lines (RFC 9112).

What cannot be read as HTTP says nothing about an entry, so nothing may fail. What RFC 9112 lets a client read
is read.
"""

from collections.abc import Callable, Iterator

from conformance.mutants.hostile.model import IMPATIENT, Answer, Hostile, Outcome, Piece
from conformance.mutants.hostile.replies import always, closing, endless, granted, head, only, spoiled
from conformance.reference.wire import Reply

NOTHING_LEARNED = Outcome(exit=3)
NOTHING_WRONG = Outcome(exit=0)
_BODY = b'{"data":{"key":"x","value":true}}'
_CHUNKED = "Transfer-Encoding: chunked"


def _length(told: str) -> Callable[[], Answer]:
    """Answers whose Content-Length says `told`; the body is whole and the connection stays open."""
    return spoiled(lambda reply: (head(reply.status, f"Content-Length: {told}"), reply.body))


def _line(first: bytes) -> Callable[[], Answer]:
    """Answers that begin with another status line."""
    return spoiled(
        lambda reply: (
            first,
            b"\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(reply.body),
            reply.body,
        )
    )


def _lines(*lines: bytes) -> Callable[[], Answer]:
    """Answers with these header lines, each with its own line end, beside a Content-Length that is right."""
    return spoiled(
        lambda reply: (
            b"HTTP/1.1 %d Told\r\n%sContent-Length: %d\r\n\r\n"
            % (reply.status, b"".join(lines), len(reply.body)),
            reply.body,
        )
    )


def _chunk(size: bytes, data: bytes, *after: bytes) -> Callable[[], Answer]:
    """A chunked answer whose first chunk has this size line."""
    return always(head(200, _CHUNKED), size + b"\r\n" + data, *after)


def _chunked(reply: Reply) -> bytes:
    return b"%x\r\n%s\r\n0\r\n\r\n" % (len(reply.body), reply.body)


def _bare_line_feeds(reply: Reply) -> Iterator[Piece]:
    yield head(reply.status, f"Content-Length: {len(reply.body)}").replace(b"\r\n", b"\n") + reply.body


# fmt: off
FRAMING = (
    Hostile("length-too-long",
        "Content-Length promises 50 bytes more than come before the connection is closed.",
        spoiled(lambda reply: closing(head(reply.status, f"Content-Length: {len(reply.body) + 50}"),
            reply.body)), NOTHING_LEARNED),
    Hostile("length-too-long-open",
        "Content-Length promises 50 bytes more than ever come, and the connection stays open.",
        spoiled(lambda reply: (head(reply.status, f"Content-Length: {len(reply.body) + 50}"), reply.body)),
        NOTHING_LEARNED),
    Hostile("length-too-short",
        "Content-Length counts ten bytes less than come for one setting, so that the rest stands before the"
        " next answer.", only(spoiled(lambda reply: (head(reply.status,
            f"Content-Length: {len(reply.body) - 10}"), reply.body))),
        Outcome(exit=1, fails=frozenset({"READ-SETTING", "READ-VALUE"}))),
    Hostile("length-negative", "Content-Length is -5.", _length("-5"), NOTHING_LEARNED),
    Hostile("length-twice", "Two headers Content-Length say different lengths.",
        _length("33\r\nContent-Length: 7"), NOTHING_LEARNED),
    Hostile("length-and-chunks",
        "A chunked answer also has a Content-Length of 3, the sign of a smuggled answer; the chunks count"
        " (RFC 9112, 6.3).",
        spoiled(lambda reply: (head(reply.status, _CHUNKED, "Content-Length: 3"), _chunked(reply))),
        NOTHING_WRONG),
    Hostile("chunk-size-no-number", "The size of a chunk is a word.", _chunk(b"size", _BODY),
        NOTHING_LEARNED),
    Hostile("chunk-size-huge", "The size of a chunk has 64 hexadecimal digits.", _chunk(b"f" * 64, _BODY),
        NOTHING_LEARNED),
    Hostile("chunk-extension-endless", "The extension of a chunk never ends.",
        lambda: lambda _asked: endless(b"x" * 65_536, head(200, _CHUNKED), b"5;a="), NOTHING_LEARNED),
    Hostile("trailers-endless", "Trailers follow the last chunk for ever.",
        lambda: (lambda _asked: endless(b"X-Trailer: more\r\n" * 1000, head(200, _CHUNKED),
            b"21\r\n" + _BODY + b"\r\n0\r\n")), NOTHING_LEARNED),
    Hostile("chunks-of-one-byte", "A body comes in chunks of one byte, and never ends.",
        lambda: lambda _asked: endless(b"1\r\n \r\n" * 10_000, head(200, _CHUNKED)), NOTHING_LEARNED,
        profile=IMPATIENT),
    Hostile("line-folded",
        "A header continues on a second line, which RFC 9112 lets a client read as a space (5.2).",
        _lines(b"X-Folded: one\r\n two\r\n", b"Content-Type: application/json\r\n"), NOTHING_WRONG),
    Hostile("line-feeds-bare", "Lines end in LF alone, which a client may read (RFC 9112, 2.2).",
        spoiled(_bare_line_feeds), NOTHING_WRONG),
    Hostile("header-nul", "The value of a header holds NUL.", _lines(b"X-Nul: a\0b\r\n"), NOTHING_LEARNED),
    Hostile("status-99", "The status code has two digits.", _line(b"HTTP/1.1 99 Short"), NOTHING_LEARNED),
    Hostile("status-1000", "The status code has four digits.", _line(b"HTTP/1.1 1000 Long"), NOTHING_LEARNED),
    Hostile("status-999", "The status code is 999, of no class.", _line(b"HTTP/1.1 999 Beyond"),
        NOTHING_LEARNED),
    Hostile("status-line-endless", "The status line never ends.",
        lambda: lambda _asked: endless(b"A" * 65_536, b"HTTP/1.1 200 "), NOTHING_LEARNED),
    Hostile("version-0.9", "The body comes without a status line and headers, as in HTTP/0.9.",
        spoiled(lambda reply: closing(reply.body)), NOTHING_LEARNED),
    Hostile("version-2-unasked", "The server speaks HTTP/2 to a client that speaks HTTP/1.1.",
        always(b"\0\0\x12\4\0\0\0\0\0" + bytes(18)), NOTHING_LEARNED),
    Hostile("interim-endless", "Interim answers, 100 Continue, come for ever before the answer.",
        lambda: lambda _asked: endless(b"HTTP/1.1 100 Continue\r\n\r\n" * 1000), NOTHING_LEARNED,
        profile=IMPATIENT),
    Hostile("protocol-switched", "Every answer is 101 Switching Protocols, which nobody asked for.",
        always(b"HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\n"), NOTHING_LEARNED),
    Hostile("no-content-with-body",
        "The answer for one setting is 204, which has no body, and a body follows it.",
        only(spoiled(lambda reply: (head(204, media_type=None), reply.body))),
        Outcome(exit=1, fails=frozenset({"READ-SETTING"}))),
    Hostile("not-modified-with-body",
        "The answer for one setting is 304, which has no body, and a whole second answer follows it.",
        only(spoiled(lambda reply: (head(304, media_type=None), _whole(reply)))), NOTHING_WRONG),
    Hostile("body-until-closed-endless", "A body without a length never ends.",
        granted(lambda: lambda _asked: endless(b" " * 65_536, head(200))), NOTHING_LEARNED),
)
# fmt: on


def _whole(reply: Reply) -> bytes:
    """The answer, framed as it should be."""
    return head(reply.status, f"Content-Length: {len(reply.body)}") + reply.body
