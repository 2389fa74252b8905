"""A server that only answers who comes with a good token and, over TLS, with a certificate that it knows; the
issuer of the tokens is the same server.
"""

import json
import ssl
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import trustme

SECRET = "secret-of-the-suite"
FIRST_REFRESH = "refresh-token-0"


@dataclass
class Guarded:
    """What the server knows and has seen.

    `good` decides on the numbers of tokens, which it grants from 1 on; `asked` are paths and the tokens they
    came with, `forms` what the issuer was sent.
    """

    url: str = ""
    good: Callable[[str, int], bool] = lambda _token, _asked: True
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
        """The answer to a read: a value, or 401 where the token is not good."""
        self.asked.append((path, token))
        if not (token.startswith("access-token-") and self.good(token, len(self.asked))):
            return 401, {"error": {"key": "invalid_token"}}
        return 200, {"data": {"key": path.rpartition("/")[2], "value": True}}

    @property
    def tokens(self) -> list[str]:
        """The tokens of the requests, in their order."""
        return [token for _, token in self.asked]


@contextmanager
def guarded(directory: Path | None = None) -> Generator[Guarded]:
    """Such a server; with a `directory` over TLS, and the files ca.pem and client.pem in it."""
    state = Guarded()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            """Answers a read."""
            token = self.headers.get("authorization", "").removeprefix("Bearer ")
            self._send(*state.answer(self.path, token))

        def do_POST(self) -> None:
            """Grants a token."""
            text = self.rfile.read(int(self.headers["content-length"])).decode()
            self._send(*state.grant({name: values[0] for name, values in parse_qs(text).items()}))

        def _send(self, status: int, members: dict[str, Any]) -> None:
            body = json.dumps(members).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002  the name that http.server gives it
            """Stays silent."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        if directory:
            server.socket = _secured(directory).wrap_socket(server.socket, server_side=True)
        scheme, host = ("https", "localhost") if directory else ("http", "127.0.0.1")
        state.url = f"{scheme}://{host}:{server.server_port}"
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield state
        server.shutdown()


def _secured(directory: Path) -> ssl.SSLContext:
    """TLS for which a client needs the certificate in client.pem."""
    authority = trustme.CA()
    authority.cert_pem.write_to_path(directory / "ca.pem")
    client = authority.issue_cert("suite@example.org")
    client.private_key_and_cert_chain_pem.write_to_path(directory / "client.pem")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("localhost").configure_cert(context)  # pyright: ignore[reportUnknownMemberType]  trustme leaves a parameter untyped
    authority.configure_trust(context)  # pyright: ignore[reportUnknownMemberType]  see above
    context.verify_mode = ssl.CERT_REQUIRED
    return context
