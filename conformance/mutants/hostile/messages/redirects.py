"""Redirects that lead in circles, to other hosts, to files, or nowhere.

A redirect is followed only where the profile says so, only within the origin of the target, and only so
often.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from conformance.mutants.hostile.model import AUTHORIZED, Answer, Asked, Hostile, Outcome, Piece
from conformance.mutants.hostile.replies import conforming, framed

NOTHING_WRONG = Outcome(exit=0)
NOTHING_LEARNED = Outcome(exit=3)
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
# fmt: on
