"""Issuers of access tokens (RFC 6749, 5) that grant nothing, garbage, or what cannot be kept secret.

> Authentication: not shown (line 155).
"""

import base64
import json
from collections.abc import Callable, Iterable
from urllib.parse import unquote_plus

from conformance.mutants.hostile.model import CLIENT_SECRET, Answer, Asked, Hostile, Outcome, Piece
from conformance.mutants.hostile.replies import conforming, endless, framed, head

NOTHING_WRONG = Outcome(exit=0)
NOTHING_LEARNED = Outcome(exit=3)
UNSAFE = Outcome(exit=5)
_GRANTED = {
    "auth": {
        "oauth2": {
            "token_url": "{base_url}/token",
            "client_id": "the-suite",
            "client_secret": f"${{{CLIENT_SECRET}}}",
            "scope": "read",
        }
    }
}


def _issuer(issue: Callable[[Asked], Iterable[Piece]]) -> Callable[[], Answer]:
    """A conforming server whose token endpoint is hostile."""
    return lambda: lambda asked: issue(asked) if asked.request.path.endswith("/token") else conforming(asked)


def _grants(token: str, lifetime: object = 3600) -> Callable[[], Answer]:
    """An issuer that grants this token for so many seconds."""
    members = {"access_token": token, "token_type": "bearer", "expires_in": lifetime}
    return _issuer(lambda _asked: (framed(200, json.dumps(members).encode()),))


def _echoes(asked: Asked) -> Iterable[Piece]:
    """The request comes back in the error, decoded and not."""
    said = asked.request.body.decode("latin-1")
    basic = asked.request.headers.get("authorization", "").removeprefix("Basic ")
    plain = base64.b64decode(basic + "==").decode("latin-1")
    body = json.dumps(
        {
            "error": "invalid_client",
            "error_description": " ".join((said, unquote_plus(said), basic, plain, unquote_plus(plain))),
        }
    )
    return (framed(400, body.encode()),)


# fmt: off
_ROWS: tuple[tuple[str, str, Callable[[], Answer], Outcome], ...] = (
    ("token-html", "The issuer answers with a login page.",
        _issuer(lambda _asked: (framed(200, b"<html><script>x()</script>", media_type="text/html"),)),
        NOTHING_LEARNED),
    ("token-empty", "The token is empty.", _grants(""), NOTHING_LEARNED),
    ("token-two-lines", "The token holds the end of a header and another header.",
        _grants("aaaaaaaaaaaa\r\nX-Injected: yes"), NOTHING_LEARNED),
    ("token-short", "The token is a word of the catalog, which cannot be masked without changing evidence.",
        _grants("On"), UNSAFE),
    ("token-of-ten-megabytes", "The token has ten million letters.", _grants("t" * 10_000_000),
        NOTHING_LEARNED),
    ("token-lives-for-ever", "The token lives for 10 to the power of 308 seconds.",
        _grants("t0k3n-for-ever-and-ever", 1e308), NOTHING_WRONG),
    ("token-lives-for-words", "The lifetime of the token is words.",
        _grants("t0k3n-with-some-words", "quite long"), NOTHING_LEARNED),
    ("token-dead", "Each token is dead when it is granted.", _grants("t0k3n-that-was-dead", -1),
        NOTHING_LEARNED),
    ("token-echoed", "The issuer sends the client secret back in its error.", _issuer(_echoes),
        NOTHING_LEARNED),
    ("token-endless", "The answer of the issuer never ends.",
        _issuer(lambda _asked: endless(b" " * 65_536, head(200))), NOTHING_LEARNED),
    ("token-elsewhere", "The issuer leads to another host, which would get the client secret.",
        _issuer(lambda asked: (framed(307, b"",
            f"Location: http://localhost:{asked.base_url.rpartition(':')[2]}/token"),)), NOTHING_LEARNED),
    ("token-nested", "The answer of the issuer is a million arrays.",
        _issuer(lambda _asked: (framed(200, b"[" * 1_000_000),)), NOTHING_LEARNED),
)
# fmt: on

TOKENS = tuple(Hostile(name, harm, start, outcome, profile=_GRANTED) for name, harm, start, outcome in _ROWS)
