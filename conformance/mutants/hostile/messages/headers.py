"""Headers that are too many, too long, contradictory or made for terminals; redirects (RFC 9110); throttling.

> Rate limits: not shown (line 177).
"""

from collections.abc import Iterable
from http import HTTPStatus

from conformance.mutants.hostile.model import (
    AUTHORIZED,
    NOTHING_LEARNED,
    NOTHING_WRONG,
    Answer,
    Asked,
    Hostile,
    Piece,
    lost,
)
from conformance.mutants.hostile.replies import always, conforming, endless, framed, moved, spoiled

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
