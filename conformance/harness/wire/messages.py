"""What is handed to the transport and what it hands back, free of HTTP machinery and of secrets."""

from msgspec import Struct

from conformance.checks.exchange import Failure, Request, Response

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
"""The methods that change nothing (RFC 9110, section 9.2.1), so that they need no permit."""


class Wanted(Struct, frozen=True):
    """A request to make: method, path below base_url (already encoded), extra headers, body.

    One that is `fresh` is made on a connection of its own, which nothing was sent or received on before. One
    that is `owed` is part of putting back what was written: it is made although the day's requests are used
    up.
    """

    path: str
    method: str = "GET"
    headers: tuple[tuple[str, str], ...] = ()
    body: str | None = None
    fresh: bool = False
    owed: bool = False


class Sent(Struct, frozen=True):
    """What was sent and what came back, free of secrets; `at` is RFC 3339."""

    request: Request
    response: Response | None
    failure: Failure | None
    at: str


class Heard(Struct, frozen=True):
    """An event of a stream: its kind, its data, and when it came (RFC 3339)."""

    kind: str
    data: str
    at: str
