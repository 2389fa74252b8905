"""Headers that are too many, too long, contradictory or made for a terminal (RFC 9110, 5)."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from conformance.mutants.hostile.model import Answer, Asked, Hostile, Outcome, Piece
from conformance.mutants.hostile.replies import conforming, endless, framed, spoiled

NOTHING_WRONG = Outcome(exit=0)
NOTHING_LEARNED = Outcome(exit=3)
_COOKIES = tuple(f"Set-Cookie: c{number}={'v' * 40}; Path=/" for number in range(50))


def _with(*lines: str) -> Callable[[], Answer]:
    """The answers of a conforming server with more header lines."""
    return spoiled(lambda reply: (framed(reply.status, reply.body, *lines),))


class _Cookies:
    """Sets cookies, and answers wrongly whoever sends one back."""

    def __call__(self, asked: Asked) -> Iterable[Piece]:
        """Answer with a value of the wrong type to a client that keeps cookies."""
        if "cookie" in asked.request.headers:
            return (framed(200, b'{"data":{"value":["a cookie came back"]}}'),)
        return (framed(asked.reply.status, asked.reply.body, *_COOKIES),)


class _Upgrading:
    """Asks for TLS and HTTP/3 from now on, by HSTS and Alt-Svc."""

    def __call__(self, asked: Asked) -> Iterable[Piece]:
        """Answer as a conforming server, with the two headers."""
        (answer,) = conforming(asked)
        assert isinstance(answer, bytes)
        return (
            answer.replace(
                b"\r\n",
                b'\r\nStrict-Transport-Security: max-age=99999999\r\nAlt-Svc: h3=":1"; ma=99999\r\n',
                1,
            ),
        )


# fmt: off
HEADERS = (
    Hostile("headers-by-the-thousand", "Each answer has 8,000 headers.",
        _with(*(f"X-{number}: y" for number in range(8000))), NOTHING_LEARNED),
    Hostile("header-of-a-megabyte", "Each answer has a header of a megabyte.",
        _with(f"X-Long: {'y' * 1_000_000}"), NOTHING_LEARNED),
    Hostile("header-of-60-kilobytes", "Each answer has a header of 60,000 letters.",
        _with(f"X-Long: {'y' * 60_000}"), NOTHING_LEARNED),
    Hostile("reason-of-60-kilobytes", "The reason phrase has 60,000 letters.",
        spoiled(lambda reply: (framed(reply.status, reply.body).replace(b"\r\n",
            b" " + b"y" * 60_000 + b"\r\n", 1),)), NOTHING_WRONG),
    Hostile("headers-endless", "Headers never end.",
        lambda: lambda _asked: endless(b"X-More: yes\r\n" * 500, b"HTTP/1.1 200 OK\r\n"), NOTHING_LEARNED),
    Hostile("cookies", "Each answer sets fifty cookies, and whoever sends one back gets wrong values.",
        _Cookies, NOTHING_WRONG),
    Hostile("upgrade-demanded", "Headers demand TLS and HTTP/3 for everything that follows.", _Upgrading,
        NOTHING_WRONG),
    Hostile("media-type-html", "JSON is called HTML with a script in the parameter.",
        spoiled(lambda reply: (framed(reply.status, reply.body,
            media_type='text/html; charset="<script>alert(1)</script>"'),)), NOTHING_WRONG),
    Hostile("header-escape-sequence", "A header holds an escape sequence that sets the title of a terminal.",
        _with("X-Title: \x1b]0;owned\x07"), NOTHING_WRONG),
    Hostile("challenge-endless", "Every answer is 401 with a thousand challenges.",
        spoiled(lambda _reply: (framed(401, b"{}",
            *(f'WWW-Authenticate: Digest realm="{n}", nonce="{n}"' for n in range(1000))),)),
        NOTHING_LEARNED),
)
# fmt: on
