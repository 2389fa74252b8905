"""The one module that speaks HTTP.

It sends a request and returns what came back, whatever that is: a target that hangs, floods, cuts the line or
answers garbage gives a `Failure`, never an exception. It keeps the declared pace, waits when it is told to, and
hands out nothing that still holds a secret.
"""

from __future__ import annotations

import email.utils
import ssl
import threading
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Self
from urllib.parse import urljoin, urlsplit

import httpx
from pyrate_limiter import Duration, Limiter, Rate

from conformance.checks.exchange import Failure, Request, Response
from conformance.profiles.loader import fill

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType

    from conformance.checks.exchange import FailureKind
    from conformance.harness.redaction import Redactor
    from conformance.profiles.model import Profile

LARGEST_BODY = 1 << 20
_MOST_REDIRECTS = 5
_THROTTLED = {429, 503}


class TransportError(Exception):
    """The operator's side of the line is at fault: a certificate file that cannot be read, a token that is not granted."""


class DayBudgetError(Exception):
    """The requests of a day that the profile allows are used up; what was read so far is judged."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A request to make: method, path below base_url (already encoded), extra headers, body."""

    path: str
    method: str = "GET"
    headers: tuple[tuple[str, str], ...] = ()
    body: str | None = None


@dataclass(frozen=True, slots=True)
class Sent:
    """What was sent and what came back, free of secrets; `at` is RFC 3339."""

    request: Request
    response: Response | None
    failure: Failure | None
    at: str


class Transport:
    """Sends requests to one target, from any thread; use it as a context."""

    def __init__(self, profile: Profile, redactor: Redactor, environment: Mapping[str, str], user_agent: str) -> None:
        """Builds the one client.

        Raises:
            TransportError: when the TLS files that the profile names cannot be used.
        """
        self._profile = profile
        self._redactor = redactor
        self._count = 0
        self._lock = threading.Lock()
        self._not_before = 0.0
        self._environment = environment
        self._token = ""
        self._token_until = 0.0
        self._token_lock = threading.Lock()
        self._limiter = Limiter(Rate(profile.per_minute, Duration.MINUTE)) if profile.per_minute else None
        headers = {"User-Agent": user_agent, **profile.http.headers}
        headers |= {name: fill(value, environment) for name, value in profile.auth.headers.items()}
        try:
            self._client = httpx.Client(
                headers=headers,
                timeout=profile.http.timeout_s,
                verify=_verification(profile),
                http2=profile.http.http2,
                limits=httpx.Limits(max_connections=profile.concurrency, max_keepalive_connections=profile.concurrency),
                trust_env=False,
                event_hooks={"request": [self._keep_pace]},
            )
        except (OSError, ssl.SSLError, ImportError) as error:
            msg = f"http.verify, http.client_cert or http.http2 cannot be used: {error}"
            raise TransportError(msg) from error

    def __enter__(self) -> Self:
        """The transport, ready."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Closes the connections."""
        self._client.close()

    def send(self, wanted: Wanted) -> list[Sent]:
        """Makes a request, and makes it again while the target asks for patience: all attempts, the last one decides.

        Raises:
            DayBudgetError: when the day's requests are used up.
            TransportError: when no access token is granted.
        """
        attempts = [self._once(wanted)]
        for _ in range(self._profile.pace.max_retries):
            pause = self._pause_after(attempts[-1])
            if pause is None:
                break
            with self._lock:
                self._not_before = max(self._not_before, time.monotonic() + pause)
            attempts.append(self._once(wanted))
        return attempts

    def _once(self, wanted: Wanted) -> Sent:
        url = self._profile.target.base_url + wanted.path
        headers = {**dict(wanted.headers), **self._authorization()}
        request = self._client.build_request(wanted.method, url, headers=headers, content=wanted.body)
        at = datetime.now(UTC).isoformat(timespec="milliseconds")
        start = time.monotonic()
        response, failure = None, None
        try:
            response = self._receive(request, start)
        except _FloodError:
            failure = Failure("flood", f"more than {LARGEST_BODY} bytes")
        except _LateError:
            failure = Failure("timeout", f"no whole answer within {self._profile.http.timeout_s:g} s")
        except (httpx.TransportError, httpx.DecodingError, httpx.InvalidURL) as error:
            failure = Failure(_failure_kind(error), self._redactor.text(str(error) or type(error).__name__))
        return Sent(self._record(request, wanted), response, failure, at)

    def _receive(self, request: httpx.Request, start: float) -> Response:
        """The whole response, within the time and size that are allowed; redirects only where the profile follows them."""
        followed: list[str] = []
        while True:
            streamed = self._client.send(request, stream=True)
            try:
                body = self._body(streamed, start)
            finally:
                streamed.close()
            location = streamed.headers.get("location")
            hop = urljoin(str(request.url), location) if location and 300 <= streamed.status_code < 400 else None
            follow = self._profile.http.follow_redirects and hop and same_origin(hop, str(request.url))
            if not follow or not hop or len(followed) >= _MOST_REDIRECTS:
                break
            followed.append(self._redactor.text(hop))
            request = self._client.build_request(request.method, hop, headers=self._authorization())
        elapsed = round((time.monotonic() - start) * 1000, 1)
        headers = tuple((name, self._redactor.text(value)) for name, value in streamed.headers.multi_items())
        return Response(streamed.status_code, headers, self._redactor.body(body), elapsed, tuple(followed))

    def _authorization(self) -> dict[str, str]:
        """The bearer token of the profile's client credentials (RFC 6749, section 4.4), fetched once and again before it expires.

        Raises:
            TransportError: when none is granted.
        """
        oauth2 = self._profile.auth.oauth2
        if oauth2 is None:
            return {}
        with self._token_lock:
            if time.monotonic() >= self._token_until:
                form = {"grant_type": "client_credentials", "scope": oauth2.scope}
                form |= {
                    "client_id": fill(oauth2.client_id, self._environment),
                    "client_secret": fill(oauth2.client_secret, self._environment),
                }
                try:
                    granted = self._client.post(oauth2.token_url, data={name: value for name, value in form.items() if value})
                    self._token = str(granted.raise_for_status().json()["access_token"])
                    lifetime = float(granted.json().get("expires_in", 3600))
                except (httpx.HTTPError, ValueError, KeyError, TypeError) as error:
                    msg = f"auth.oauth2.token_url grants no access token: {self._redactor.text(str(error))}"
                    raise TransportError(msg) from None
                self._redactor.add("access_token", self._token)
                self._token_until = time.monotonic() + lifetime * 0.9
            return {"Authorization": f"Bearer {self._token}"}

    def _body(self, streamed: httpx.Response, start: float) -> bytes:
        body = bytearray()
        for chunk in streamed.iter_bytes():
            body += chunk
            if len(body) > LARGEST_BODY:
                raise _FloodError
            if time.monotonic() - start > self._profile.http.timeout_s:
                raise _LateError
        return bytes(body)

    def _record(self, request: httpx.Request, wanted: Wanted) -> Request:
        """The request as it was sent: the headers of the profile and of this request, not those of the HTTP machinery."""
        own = {
            name.casefold()
            for name in (*self._profile.http.headers, *self._profile.auth.headers, *dict(wanted.headers), "authorization", "content-type")
        }
        headers = tuple((name, self._redactor.text(value)) for name, value in request.headers.multi_items() if name.casefold() in own)
        body = self._redactor.text(wanted.body) if wanted.body is not None else None
        return Request(wanted.method, self._redactor.text(str(request.url)), headers, body)

    def _keep_pace(self, _request: httpx.Request) -> None:
        """Runs before every single request, so that none escapes the pace."""
        with self._lock:
            self._count += 1
            if self._profile.per_day and self._count > self._profile.per_day:
                msg = f"the {self._profile.per_day} requests of a day are used up (pace.per_day)"
                raise DayBudgetError(msg)
            wait = self._not_before - time.monotonic()
        if wait > 0:
            time.sleep(wait)
        if self._limiter:
            self._limiter.try_acquire("target")

    def _pause_after(self, sent: Sent) -> float | None:
        """Seconds the target asks to wait; None when it does not, or asks for more than the profile allows."""
        response = sent.response
        if response is None or response.status not in _THROTTLED:
            return None
        text = response.header("retry-after")
        if text is None and response.status != 429:
            return None
        pause = _seconds(text or "1")
        return pause if pause <= self._profile.pace.max_retry_after_s else None


class _FloodError(Exception):
    """The body has no end in sight."""


class _LateError(Exception):
    """The body comes too slowly."""


def same_origin(one: str, other: str) -> bool:
    """Whether two URLs share scheme, host and port, so that headers with secrets may go to both."""
    first, second = urlsplit(one), urlsplit(other)
    return (first.scheme, first.hostname, first.port) == (second.scheme, second.hostname, second.port)


def _seconds(retry_after: str) -> float:
    """The seconds of a Retry-After header, which is a number or a date; one second where it is neither."""
    if retry_after.strip().isdigit():
        return float(retry_after)
    try:
        then = email.utils.parsedate_to_datetime(retry_after)
    except ValueError:
        return 1
    return max(0.0, (then - datetime.now(then.tzinfo)).total_seconds())


def _verification(profile: Profile) -> ssl.SSLContext | bool:
    """One TLS context for all connections: building one is dear."""
    if not profile.target.base_url.startswith("https:"):
        return False
    if profile.http.verify is False:
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    else:
        context = ssl.create_default_context(cafile=profile.http.verify if isinstance(profile.http.verify, str) else None)
    if profile.http.client_cert:
        context.load_cert_chain(*profile.http.client_cert)
    return context


def _failure_kind(error: Exception) -> FailureKind:
    if isinstance(error, httpx.TimeoutException):
        return "timeout"
    if isinstance(error, httpx.ConnectError):
        return "tls" if "SSL" in str(error) or "certificate" in str(error).lower() else "connect"
    if isinstance(error, httpx.RemoteProtocolError):
        return "closed" if "disconnected" in str(error) or "without sending" in str(error) else "protocol"
    return "closed" if isinstance(error, httpx.NetworkError) else "protocol" if isinstance(error, httpx.DecodingError) else "other"
