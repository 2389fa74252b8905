"""The access token of a profile's client credentials (RFC 6749, section 4.4); no record holds it.

What is kept of such a request is made of the profile's own words and of a few plain members of the answer; so
neither the secret nor the token is in it, whatever the issuer sends.
"""

from __future__ import annotations

import json
import math
import queue
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias, cast
from urllib.parse import urlencode

from conformance.checks.exchange import Failure, Request, Response
from conformance.harness.answers.decoding import MalformedError, decode
from conformance.harness.errors import TransportError, UnmaskableSecretError
from conformance.harness.wire.messages import Sent
from conformance.profiles.variables import fill

if TYPE_CHECKING:
    from collections.abc import Mapping

    from conformance.harness.wire.redaction import Redactor
    from conformance.profiles.model import OAuth2

ACCESS_TOKEN = "ACCESS_TOKEN"  # noqa: S105  the name that stands for the token, in the ledger and in a shell
FORM = "application/x-www-form-urlencoded"
_USED = 0.9  # of the life of a token; then another one is asked for
_LIFE_S = 3600.0  # where the issuer names none
_SECRET_MEMBERS = ("access_token", "refresh_token", "id_token")
_PLAIN_MEMBERS = ("token_type", "expires_in", "scope", "error", "error_description", "error_uri")
_PLAIN_HEADERS = frozenset({"content-type", "date", "retry-after", "www-authenticate"})

Keep: TypeAlias = Callable[[Response | None, Failure | None, str], None]
"""Told what came of one request, and when it was sent."""
Post: TypeAlias = Callable[[str, str, Keep], None]
"""Sends a form to a URL."""


class Grant:
    """The token, from any thread. `asked` fills with the requests that were made for it, free of secrets."""

    def __init__(self, declared: OAuth2, redactor: Redactor, environment: Mapping[str, str]) -> None:
        """Asks for nothing yet."""
        self._declared = declared
        self._redactor = redactor
        self._form = {
            "grant_type": "client_credentials",
            "scope": declared.scope,
            "client_id": fill(declared.client_id, environment),
            "client_secret": fill(declared.client_secret, environment),
        }
        self._lock = threading.Lock()
        self._token = ""
        self._until = 0.0
        self._trouble = ""
        self._unmaskable: UnmaskableSecretError | None = None
        self.asked: queue.SimpleQueue[Sent] = queue.SimpleQueue()

    def token(self, post: Post) -> str:
        """A token that is still good; where there is none, `post` asks for it.

        Raises:
            TransportError: when none is granted.
            UnmaskableSecretError: when one is granted that cannot be masked without changing evidence.
        """
        with self._lock:
            if time.monotonic() >= self._until:
                form = {name: value for name, value in self._form.items() if value}
                post(self._declared.token_url, urlencode(form), self._take)
            if self._unmaskable:
                raise self._unmaskable
            if not self._token:
                raise TransportError(f"auth.oauth2.token_url grants no access token: {self._trouble}")
            return self._token

    def _take(self, response: Response | None, failure: Failure | None, at: str) -> None:
        """Keeps the token of an answer, and the request and what is no secret of the answer."""
        granted = _members(response)
        for name in _SECRET_MEMBERS:  # known before anything of the answer is repeated
            if granted.get(name) and isinstance(granted[name], str):
                self._know(name, granted[name])
        if failure:
            failure = replace(failure, text=self._redactor.text(failure.text))
        self.asked.put(
            Sent(self._request(), self._plain(response, granted) if response else None, failure, at)
        )
        life = granted.get("expires_in", _LIFE_S)
        self._trouble = failure.text if failure else _lack(response, granted.get("access_token"), life)
        self._token = "" if self._trouble else granted["access_token"]
        self._until = 0.0 if self._trouble else time.monotonic() + _seconds(life) * _USED

    def _know(self, name: str, value: str) -> None:
        """Has a granted secret masked; one that cannot be masked matters only if it is sent."""
        try:
            self._redactor.add(name.upper(), value)
        except UnmaskableSecretError as error:
            if name == "access_token":
                self._unmaskable = UnmaskableSecretError(
                    f"auth.oauth2.token_url grants a token that cannot be kept: {error}"
                )

    def _request(self) -> Request:
        """The request in the profile's own words, where secrets are names."""
        words = {**self._form, "client_id": self._declared.client_id}
        words["client_secret"] = self._declared.client_secret
        body = "&".join(f"{name}={value}" for name, value in words.items() if value)
        url = self._redactor.text(self._declared.token_url)
        return Request("POST", url, (("content-type", FORM),), self._redactor.text(body))

    def _plain(self, response: Response, granted: Mapping[str, Any]) -> Response:
        """What of an answer is no secret."""
        shown = {name: granted[name] for name in _PLAIN_MEMBERS if name in granted}
        if "access_token" in granted:
            shown = {"access_token": f"${{{ACCESS_TOKEN}}}", **shown}
        plain = ((name, value) for name, value in response.headers if name.casefold() in _PLAIN_HEADERS)
        headers = tuple((name, self._redactor.text(value)) for name, value in plain)
        body = self._redactor.text(json.dumps(shown)) if shown else ""
        return replace(response, headers=headers, body=body.encode())


def _lack(response: Response | None, token: object, life: object) -> str:
    """Why an answer grants nothing; empty where it does."""
    if response is None or not 200 <= response.status < 300:
        return f"status {response.status}" if response else "no response"
    if not isinstance(token, str) or not token:
        return "the answer holds no access_token"
    if not (token.isascii() and token.isprintable()):
        return "the access_token holds what no header can carry"
    return "" if _seconds(life) >= 0 else "expires_in is no number of seconds"


def _seconds(life: object) -> float:
    """The life of a token; below 0 where it is no number, or has no end."""
    try:
        seconds = float(cast("Any", life))
    except (TypeError, ValueError, OverflowError):
        return -1
    return seconds if math.isfinite(seconds) else -1


def _members(response: Response | None) -> dict[str, Any]:
    """The members of an answer that is a JSON object; none of any other."""
    try:
        found = decode(response.body) if response else None
    except MalformedError:
        return {}
    return cast("dict[str, Any]", found) if isinstance(found, dict) else {}
