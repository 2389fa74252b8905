"""Where access tokens come from: an issuer (RFC 6749; line 155: not shown), or a command that prints one.

What is kept of a request to an issuer is made of the profile's own words and of a few plain members of the
answer; so neither the secret nor the token is in it, whatever the issuer sends. An issuer may grant a new
refresh token with each access token; the old one is then good no more, and the new one is kept in memory
alone. The command is the operator's own, which may still print without end, sleep or fork.
"""

import json
import math
import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import IO, Any, Final, cast
from urllib.parse import urlencode

from msgspec.structs import replace

from conformance.checks.exchange import Failure, Request, Response
from conformance.harness.answers.decoding import MalformedError, decode
from conformance.harness.clock import Clock
from conformance.harness.interruptions import undisturbed
from conformance.harness.wire.messages import Sent
from conformance.harness.wire.redaction import Redactor
from conformance.harness.wire.tokens.access import ACCESS_TOKEN, Access, Post
from conformance.profiles.keeping import fill
from conformance.profiles.model import Profile
from conformance.profiles.sections import OAuth2

_LIMIT_S: Final = 60
_LOOK_S: Final = 0.05
_MOST: Final = 1 << 16  # bytes: no server takes such a token in a header


class _NothingPrintedError(Exception):
    """Why a command has printed no token."""


class CommandedAccess(Access):
    """The token of `[auth] token_cmd`: the line that the command prints, good until the target says 401."""

    source = "auth.token_cmd"

    def __init__(
        self, words: Sequence[str], redactor: Redactor, environment: Mapping[str, str], clock: Clock
    ) -> None:
        """Runs nothing yet; no shell reads the words."""
        super().__init__(redactor, clock)
        self._words = [fill(word, environment) for word in words]
        self._environment = dict(environment)

    def _fetch(self, post: Post) -> None:
        del post
        try:
            token = _printed(self._words, self._environment).decode("utf-8", "replace").strip()
        except _NothingPrintedError as error:
            return self._settle("", 0.0, str(error))
        except OSError as error:
            return self._settle("", 0.0, f"it cannot be run: {error.strerror}")
        if not token or not (token.isascii() and token.isprintable()):
            return self._settle("", 0.0, "it prints no single line that a header can carry")
        self._know(ACCESS_TOKEN, token, is_sent=True)
        return self._settle(token, math.inf, "")


def _printed(words: Sequence[str], environment: Mapping[str, str]) -> bytes:
    """What a command prints; nothing of it runs any more afterwards, also what it has started.

    A signal that comes meanwhile ends it, and then does what it would have done: that may end this process.

    Raises:
        _NothingPrintedError: when it fails, prints too much, or takes longer than a minute.
        OSError: when it cannot be run.
    """
    with undisturbed() as came:
        process = subprocess.Popen(  # noqa: S603  the operator's own command
            words,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,  # it may hold what must not be shown
            start_new_session=True,
        )
        with cast("IO[bytes]", process.stdout) as output:
            os.set_blocking(output.fileno(), False)  # what it has started may keep it open
            said, until = b"", time.monotonic() + _LIMIT_S
            try:
                while process.poll() is None and len(said) <= _MOST and not came:
                    said += _there(output)
                    if time.monotonic() > until:
                        raise _NothingPrintedError(f"it takes longer than {_LIMIT_S} s")
                    with suppress(subprocess.TimeoutExpired):
                        process.wait(_LOOK_S)
            finally:
                with suppress(ProcessLookupError):  # it has ended, and has left nothing
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()
            said += _there(output)
    for number in came[:1]:
        signal.raise_signal(number)
    if len(said) > _MOST:
        raise _NothingPrintedError(f"it prints more than {_MOST} bytes")
    if process.returncode:
        raise _NothingPrintedError(f"it ended with {process.returncode}")
    return said


def _there(output: IO[bytes]) -> bytes:
    """What stands in a pipe, or a part of it that is more than enough."""
    with suppress(BlockingIOError):
        return os.read(output.fileno(), _MOST + 1)
    return b""


FORM = "application/x-www-form-urlencoded"
_LIFE_S = 3600.0  # where the issuer names none
_SECRET_MEMBERS = ("access_token", "refresh_token", "id_token")
_PLAIN_MEMBERS = ("token_type", "expires_in", "scope", "error", "error_description", "error_uri")
_PLAIN_HEADERS = frozenset({"content-type", "date", "retry-after", "www-authenticate"})


class Grant(Access):
    """The token of `[auth] oauth2`."""

    source = "auth.oauth2.token_url"

    def __init__(
        self, declared: OAuth2, redactor: Redactor, environment: Mapping[str, str], clock: Clock
    ) -> None:
        super().__init__(redactor, clock)
        self._declared = declared
        self._words = {
            "grant_type": "refresh_token" if declared.refresh_token else "client_credentials",
            "scope": declared.scope,
            "client_id": declared.client_id,
            "client_secret": declared.client_secret,
            "refresh_token": declared.refresh_token,
        }
        self._form = {name: fill(word, environment) for name, word in self._words.items() if word}

    def _fetch(self, post: Post) -> None:
        post(self._declared.token_url, urlencode(self._form), self._take)

    def _take(self, response: Response | None, failure: Failure | None, at: str) -> None:
        """Keeps the token of an answer, and the request and what is no secret of the answer."""
        granted = _members(response)
        for name in _SECRET_MEMBERS:  # known before anything of the answer is repeated
            if granted.get(name) and isinstance(granted[name], str):
                is_sent = name == "access_token" or name in self._form
                self._know(name.upper(), granted[name], is_sent=is_sent)
        if failure:
            failure = replace(failure, text=self._redactor.text(failure.text))
        self.asked.put(
            Sent(self._request(), self._plain(response, granted) if response else None, failure, at)
        )
        life = granted.get("expires_in", _LIFE_S)
        trouble = failure.text if failure else _lack(response, granted.get("access_token"), life)
        rotated = granted.get("refresh_token")
        if not trouble and "refresh_token" in self._form and isinstance(rotated, str) and rotated:
            self._form["refresh_token"], self._words["refresh_token"] = rotated, "${REFRESH_TOKEN}"
        self._settle(granted.get("access_token", ""), _seconds(life), trouble)

    def _request(self) -> Request:
        """The request in the profile's own words, where secrets are names."""
        body = "&".join(f"{name}={value}" for name, value in self._words.items() if value)
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


def access_of(
    profile: Profile, redactor: Redactor, environment: Mapping[str, str], clock: Clock
) -> Access | None:
    """What gets access tokens as the profile says; None where it says nothing."""
    auth = profile.auth
    if auth.oauth2:
        return Grant(auth.oauth2, redactor, environment, clock)
    return CommandedAccess(auth.token_cmd, redactor, environment, clock) if auth.token_cmd else None


def bearer(token: str) -> dict[str, str]:
    """The header with an access token; none for an empty one."""
    return {"Authorization": f"Bearer {token}"} if token else {}
