"""Headers that are too many, too long, contradictory or made for terminals; redirects (RFC 9110)."""

from collections.abc import Callable, Iterable

from conformance.mutants.hostile.model import AUTHORIZED, Answer, Asked, Hostile, Outcome, Piece
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


_FOLLOWED = {"http": {"follow_redirects": True}, **AUTHORIZED}


def _to(location: str, status: int = 302) -> Callable[[], Answer]:
    """A redirect of everything; in the location `{path}` is the path asked for, `{host}` host and port."""

    def answer(asked: Asked) -> Iterable[Piece]:
        host = asked.base_url.partition("//")[2]
        place = (
            location.replace("{path}", asked.request.path)
            .replace("{host}", host)
            .replace("{port}", host.rpartition(":")[2])
        )
        return (framed(status, b"", f"Location: {place}"),)

    return lambda: answer


class _Chain:
    """Each redirect leads to the next of 30,000 paths."""

    def __call__(self, asked: Asked) -> Iterable[Piece]:
        step = int(asked.request.query or "0")
        return (
            (framed(307, b"", f"Location: {asked.request.path}?{step + 1}"),)
            if step < 30_000
            else conforming(asked)
        )


# fmt: off
_PLACES = (
    ("bad-name", "a host name that IDNA cannot decode", "http://xn--0/"),
    ("file", "a file of the client", "file:///etc/passwd"),
    ("other-host", "another host, which would get the token", "http://localhost:{port}{path}"),
    ("bad-port", "a port that is no number", "http://127.0.0.1:eighty/"),
    ("bracket", "half of an IPv6 address", "http://[::1/"),
    ("bytes", "bytes that are no address", "\xff\xfe%zz\\"),
    ("itself", "itself", "{path}"),
    ("password", "the same host with a user and a password", "http://user:password@{host}{path}?"),
)
# fmt: on

# fmt: off
REDIRECTS = (
    *(
        Hostile(
            f"redirect-to-{name}",
            f"Everything leads to {what}.",
            _to(location),
            NOTHING_LEARNED,
            profile=_FOLLOWED,
        )
        for name, what, location in _PLACES
    ),
    Hostile("redirect-not-followed",
        "Everything leads to a host name that IDNA cannot decode, and the profile follows no redirect.",
        _to("http://xn--0/"), NOTHING_LEARNED),
    Hostile("redirect-chain", "Everything leads through 30,000 redirects.", _Chain, NOTHING_LEARNED,
        profile=_FOLLOWED),
    Hostile("redirect-with-refresh",
        "A header Refresh leads to another host, beside an answer that conforms.",
        lambda: (lambda asked: (framed(asked.reply.status, asked.reply.body,
            f"Refresh: 0; url=http://localhost:{asked.base_url.rpartition(':')[2]}/"),)), NOTHING_WRONG),
)
