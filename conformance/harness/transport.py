"""The one module that speaks HTTP; a write passes only with the number the gate has journalled it under.

It sends a request and returns what came back, whatever that is: a target that hangs, floods, cuts the line or
answers garbage gives a `Failure`, never an exception. It keeps the declared pace, waits when it is told to, and
hands out nothing that still holds a secret.
"""

from __future__ import annotations

import queue
import socket
import ssl
import threading
import time
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import TYPE_CHECKING, Self

import httpcore
import httpx
import httpx_sse
from pyrate_limiter import Duration, Limiter, Rate

from conformance.checks.exchange import Failure, Request, Response
from conformance.harness.deadline import Deadline, PunctualBackend
from conformance.harness.messages import DayBudgetError, Heard, Sent, TransportError, Wanted, WriteWithoutGateError
from conformance.harness.origins import resolved, same_origin
from conformance.harness.patience import is_throttled, seconds_asked
from conformance.harness.tls import verification
from conformance.profiles.loader import fill

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping
    from types import TracebackType

    from conformance.checks.exchange import FailureKind
    from conformance.harness.redaction import Redactor
    from conformance.profiles.model import Profile

LARGEST_BODY = 1 << 20
_MOST_REDIRECTS = 5
_MOST_HOPELESS = 3  # requests in a row that stayed throttled to the end; then patience is at its end, until one is answered
_LONGEST_FAILURE = 200
_KEEPALIVE_S = 5.0
_STREAM_TIMEOUT = httpx.Timeout(30, read=120)


class Transport:
    """Sends requests to one target, from any thread; use it as a context.

    `overdrawn` lets requests pass though those of the day are used up: what was written has to be put back.
    """

    def __init__(self, profile: Profile, redactor: Redactor, environment: Mapping[str, str], user_agent: str) -> None:
        """Builds the one client.

        Raises:
            TransportError: when the TLS files, the headers or the base URL that the profile names cannot be used.
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
        self._hopeless = 0
        self.overdrawn = False
        self._deadline = Deadline()
        own = {**profile.http.headers, **profile.auth.headers}
        try:
            self._line = _PunctualTransport(profile, self._deadline)
            self._client = httpx.Client(
                headers={"User-Agent": user_agent, **{name: fill(value, environment) for name, value in own.items()}},
                timeout=profile.http.timeout_s,
                transport=self._line,
                cookies=CookieJar(DefaultCookiePolicy(allowed_domains=())),  # a server plants nothing in later requests
                trust_env=False,
                event_hooks={"request": [self._keep_pace]},
            )
            self._client.build_request("GET", profile.target.base_url)
        except (OSError, ssl.SSLError, ImportError) as error:
            msg = f"http.verify, http.client_cert or http.http2 cannot be used: {error}"
            raise TransportError(msg) from error
        except UnicodeEncodeError as error:
            msg = f"a header of http.headers or auth.headers holds what HTTP cannot carry: {error.reason}"
            raise TransportError(msg) from None
        except httpx.InvalidURL as error:
            msg = f"target.base_url cannot be used: {error}"
            raise TransportError(msg) from error

    def __enter__(self) -> Self:
        """The transport, ready."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Closes the connections."""
        self._client.close()

    def send(self, wanted: Wanted, *, permit: int | None = None) -> list[Sent]:
        """Makes a request, and makes it again while the target asks for patience: all attempts, the last one decides.

        Raises:
            DayBudgetError: when the day's requests are used up.
            TransportError: when no access token is granted.
            WriteWithoutGateError: when it is no GET and has no `permit`.
        """
        if wanted.method != "GET" and permit is None:
            msg = f"{wanted.method} {wanted.path} did not pass the gate"
            raise WriteWithoutGateError(msg)
        attempts = [self._once(wanted)]
        for _ in range(self._profile.pace.max_retries if self._hopeless < _MOST_HOPELESS else 0):
            pause = self._pause_after(attempts)
            if pause is None:
                break
            with self._lock:
                self._not_before = max(self._not_before, time.monotonic() + pause)
            try:
                attempts.append(self._once(wanted))
            except DayBudgetError:
                break  # what was sent is kept; the next request meets the end of the budget again
        throttled = attempts[-1].response is not None and is_throttled(attempts[-1].response)
        self._hopeless = self._hopeless + 1 if throttled else 0
        return attempts

    @contextmanager
    def listening(self, wanted: Wanted) -> Generator[queue.SimpleQueue[Heard]]:
        """A queue that fills with the events of a stream as long as the context lasts; empty where there is no stream.

        The stream has a connection of its own, which is cut on leaving: servers keep such lines open for ever.
        """
        heard: queue.SimpleQueue[Heard] = queue.SimpleQueue()
        opened = threading.Event()
        lines: list[httpx.Response] = []
        headers = {**dict(self._client.headers), **self._authorization(), "Accept": "text/event-stream"}

        def listen() -> None:
            with (
                suppress(httpx.HTTPError, httpx_sse.SSEError, ValueError, OSError),
                httpx.Client(verify=verification(self._profile) or False, timeout=_STREAM_TIMEOUT, trust_env=False) as client,
                client.stream("GET", self._profile.target.base_url + wanted.path, headers=headers) as response,
            ):
                lines.append(response)
                opened.set()
                for event in httpx_sse.EventSource(response).iter_sse():
                    heard.put(Heard(event.event, self._redactor.text(event.data), _now()))
            opened.set()

        listener = threading.Thread(target=listen, daemon=True)
        listener.start()
        opened.wait(self._profile.http.timeout_s)
        try:
            yield heard
        finally:
            for response in lines:
                _cut(response)
            listener.join(timeout=1)

    def _once(self, wanted: Wanted) -> Sent:
        url = self._profile.target.base_url + wanted.path
        headers = {**dict(wanted.headers), **self._authorization()}
        try:
            request = self._client.build_request(wanted.method, url, headers=headers, content=wanted.body)
        except httpx.InvalidURL as error:
            sent = Request(wanted.method, self._redactor.text(url), (), wanted.body)
            return Sent(sent, None, Failure("other", self._words(error)), _now())
        response, failure = None, None
        try:
            response = self._receive(request)
        except _FloodError:
            failure = Failure("flood", f"more than {LARGEST_BODY} bytes")
        except httpx.TimeoutException as error:
            began = "no whole answer" if isinstance(error, httpx.ReadTimeout) else "no connection, or the request could not be sent,"
            failure = Failure("timeout", f"{began} within {self._profile.http.timeout_s:g} s")
        except (httpx.TransportError, httpx.DecodingError, httpx.InvalidURL) as error:
            failure = Failure(_failure_kind(error), self._words(error))
        except KeyboardInterrupt:
            self._line.renew()  # it may strike while the only connection is neither in use nor given back; what is put back needs one
            raise
        return Sent(self._record(request, wanted), response, failure, _now(-self._deadline.elapsed))

    def _words(self, error: Exception) -> str:
        """What an error says, short: it may quote all that a server sent."""
        return self._redactor.text(str(error) or type(error).__name__)[:_LONGEST_FAILURE]

    def _receive(self, request: httpx.Request) -> Response:
        """The whole response, within the time and size that are allowed; redirects only where the profile follows them."""
        followed: list[str] = []
        elapsed = 0.0
        while True:
            streamed = self._client.send(request, stream=True)
            try:
                body, complete = _body(streamed)
            finally:
                streamed.close()
            elapsed += self._deadline.elapsed
            location = streamed.headers.get("location") if 300 <= streamed.status_code < 400 else None
            hop = resolved(str(request.url), location or "")
            follow = self._profile.http.follow_redirects and location and same_origin(hop, str(request.url))
            if not follow or len(followed) >= _MOST_REDIRECTS:
                break
            followed.append(self._redactor.text(hop))
            request = self._client.build_request(request.method, hop, headers=self._authorization())
        headers = tuple((name, self._redactor.text(value)) for name, value in streamed.headers.multi_items())
        return Response(streamed.status_code, headers, self._redactor.body(body), round(elapsed * 1000, 1), tuple(followed), complete)

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
                except (httpx.HTTPError, ValueError, KeyError, TypeError, RecursionError) as error:
                    msg = f"auth.oauth2.token_url grants no access token: {self._redactor.text(str(error))}"
                    raise TransportError(msg) from None
                self._redactor.add("access_token", self._token)
                self._token_until = time.monotonic() + lifetime * 0.9
            return {"Authorization": f"Bearer {self._token}"}

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
        """Runs before every single request, so that none escapes the pace; the time of its answer runs from the end of the wait."""
        with self._lock:
            self._count += 1
            if self._profile.per_day and self._count > self._profile.per_day and not self.overdrawn:
                msg = f"the {self._profile.per_day} requests of a day are used up (pace.per_day)"
                raise DayBudgetError(msg)
            wait = self._not_before - time.monotonic()
        if wait > 0:
            time.sleep(wait)
        if self._limiter:
            self._limiter.try_acquire("target")
        self._deadline.begin(self._profile.http.timeout_s)

    def _pause_after(self, attempts: list[Sent]) -> float | None:
        """Seconds to wait before another attempt; None for no other, or where the target asks for more patience than the profile has.

        A connection that the target closed before a first byte may have been idle too long: that is tried again, once.
        """
        sent = attempts[-1]
        if sent.failure and sent.failure.kind == "closed" and len(attempts) == 1:
            return 0
        if sent.response is None or not is_throttled(sent.response):
            return None
        pause = seconds_asked(sent.response)
        return pause if pause <= self._profile.pace.max_retry_after_s else None


class _FloodError(Exception):
    """The body has no end in sight."""


class _PunctualTransport(httpx.HTTPTransport):
    """httpx's own transport, over connections that keep to the deadline of a request."""

    def __init__(self, profile: Profile, deadline: Deadline) -> None:
        """Opens no connection yet; the pool is all that the inherited transport is made of."""
        context, backend = verification(profile), PunctualBackend(deadline)

        def pool() -> httpcore.ConnectionPool:
            return httpcore.ConnectionPool(
                ssl_context=context,
                max_connections=profile.concurrency,
                max_keepalive_connections=profile.concurrency,
                keepalive_expiry=_KEEPALIVE_S,
                http2=profile.http.http2,
                network_backend=backend,
            )

        self._new = pool
        self._pool = pool()
        self._former: list[httpcore.ConnectionPool] = []

    def renew(self) -> None:
        """Goes on with connections of its own; other threads may still be using the former ones."""
        self._former.append(self._pool)
        self._pool = self._new()

    def close(self) -> None:
        """Closes all connections."""
        for pool in (*self._former, self._pool):
            pool.close()


def _body(streamed: httpx.Response) -> tuple[bytes, bool]:
    """What came of the body, and whether that is all of it: a target may close the line before the end it announced."""
    body = bytearray()
    try:
        for chunk in streamed.iter_bytes():
            body += chunk
            if len(body) > LARGEST_BODY:
                raise _FloodError
    except httpx.RemoteProtocolError:
        if not body:
            raise
        return bytes(body), False
    return bytes(body), True


def _cut(streamed: httpx.Response) -> None:
    """Ends a line that another thread is reading from."""
    with suppress(OSError, AttributeError):
        streamed.extensions["network_stream"].get_extra_info("socket").shutdown(socket.SHUT_RDWR)


def _now(offset_s: float = 0.0) -> str:
    return (datetime.now(UTC) + timedelta(seconds=offset_s)).isoformat(timespec="milliseconds")


def _failure_kind(error: Exception) -> FailureKind:
    if isinstance(error, httpx.ConnectError):
        return "tls" if "SSL" in str(error) or "certificate" in str(error).lower() else "connect"
    if isinstance(error, httpx.RemoteProtocolError):
        return "closed" if "disconnected" in str(error) or "without sending" in str(error) else "protocol"
    return "closed" if isinstance(error, httpx.NetworkError) else "protocol" if isinstance(error, httpx.DecodingError) else "other"
