"""A server that only answers who comes with a good token and, over TLS, with a certificate that it knows; the
issuer of the tokens is the same server.
"""

import json
import ssl
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import trustme

from conformance.mutants.hostile.model import Asked, Hostile, Outcome, Piece
from conformance.mutants.hostile.replies import framed
from conformance.mutants.hostile.sockets import serve_hostile
from conformance.reference.server import HOST

SECRET = "secret-of-the-suite"
FIRST_REFRESH = "refresh-token-0"


@dataclass
class Guarded:
    """What the server knows and has seen.

    `good` decides on the numbers of tokens, which it grants from 1 on, and `refusal` is the status of those
    that are not; `asked` are paths and the tokens they came with, `forms` what the issuer was sent.
    """

    url: str = ""
    good: Callable[[str, int], bool] = lambda _token, _asked: True
    refusal: int = 401
    granted: int = 0
    refresh: str = FIRST_REFRESH
    asked: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    forms: list[dict[str, str]] = field(default_factory=list[dict[str, str]])

    def grant(self, form: dict[str, str]) -> tuple[int, dict[str, Any]]:
        """The answer of the issuer; a refresh token is good once, and a new one comes with each token."""
        self.forms.append(form)
        is_refresh = form.get("grant_type") == "refresh_token"
        shown, known = ("refresh_token", self.refresh) if is_refresh else ("client_secret", SECRET)
        if form.get(shown) != known:
            return 400, {"error": "invalid_grant"}
        self.granted += 1
        members: dict[str, Any] = {"access_token": f"access-token-{self.granted}", "expires_in": 3600}
        if is_refresh:
            self.refresh = f"refresh-token-{self.granted}"
            members["refresh_token"] = self.refresh
        return 200, members

    def answer(self, path: str, token: str) -> tuple[int, dict[str, Any]]:
        """The answer to a read: a value, or a refusal where the token is not good."""
        self.asked.append((path, token))
        if not (token.startswith("access-token-") and self.good(token, len(self.asked))):
            return self.refusal, {"error": {"key": "invalid_token"}}
        return 200, {"data": {"key": path.rpartition("/")[2], "value": True}}

    @property
    def tokens(self) -> list[str]:
        """The tokens of the requests, in their order."""
        return [token for _, token in self.asked]


@contextmanager
def guarded(directory: Path | None = None) -> Generator[Guarded]:
    """Such a server; with a `directory` over TLS, and the files ca.pem and client.pem in it."""
    state = Guarded()

    def answer(asked: Asked) -> list[Piece]:
        request = asked.request
        if request.method == "POST":
            status, members = state.grant(dict(parse_qsl(request.body.decode())))
        else:
            token = request.headers.get("authorization", "").removeprefix("Bearer ")
            status, members = state.answer(request.path, token)
        return [framed(status, json.dumps(members).encode())]

    guarding = Hostile("guarded", "", answer, Outcome(0), scheme="https" if directory else "http")
    with serve_hostile(guarding, tls=_secured(directory) if directory else None) as served:
        state.url = served.base_url
        yield state


def _secured(directory: Path) -> ssl.SSLContext:
    """TLS for which a client needs the certificate in client.pem."""
    authority = trustme.CA()
    authority.cert_pem.write_to_path(directory / "ca.pem")
    client = authority.issue_cert("suite@example.org")
    client.private_key_and_cert_chain_pem.write_to_path(directory / "client.pem")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(HOST).configure_cert(context)  # pyright: ignore[reportUnknownMemberType]  trustme leaves a parameter untyped
    authority.configure_trust(context)  # pyright: ignore[reportUnknownMemberType]  see above
    context.verify_mode = ssl.CERT_REQUIRED
    return context
