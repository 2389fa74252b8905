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
from contextlib import closing, contextmanager, nullcontext, suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Self, cast

import httpx
import httpx_sse

from conformance.checks.exchange import Failure, Response
from conformance.harness.bodies import ACCEPTED, BodyError, read_body
from conformance.harness.connecting import connection_failure
from conformance.harness.connections import Connection, Connections
from conformance.harness.deadline import Deadline
from conformance.harness.granting import FORM, Grant, Keep
from conformance.harness.messages import DayBudgetError, Heard, Sent, Stream, TransportError, Wanted, WriteWithoutGateError
from conformance.harness.origins import resolved, same_origin
from conformance.harness.pace import Pace
from conformance.harness.recording import Recorder
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
_KEEPS_METHOD = {301: ("PUT", "PATCH"), 302: (), 303: (), 307: ("PUT", "PATCH", "POST"), 308: ("PUT", "PATCH", "POST")}
"""The redirects, each with the methods of writes that it does not turn into a GET (RFC 9110, section 15.4)."""
_STREAM_TIMEOUT = httpx.Timeout(30, read=120)


class Transport:
    """Sends requests to one target, from any thread; use it as a context.

    `pace` lets each of them pass; `granted` fills with the requests for an access token.
    """

    def __init__(self, profile: Profile, redactor: Redactor, environment: Mapping[str, str], user_agent: str) -> None:
        """Builds the one client.

        Raises:
            TransportError: when the TLS files, the headers or the base URL that the profile names cannot be used.
        """
        self._profile = profile
        self._recorder = Recorder(profile, redactor)
        self._grant = Grant(profile.auth.oauth2, redactor, environment) if profile.auth.oauth2 else None
        self.granted: queue.SimpleQueue[Sent] = self._grant.asked if self._grant else queue.SimpleQueue()
        self.pace = Pace(profile)
        self._deadline = Deadline()
        own = {name: fill(value, environment) for name, value in {**profile.http.headers, **profile.auth.headers}.items()}
        try:
            self._context = verification(profile, environment)
            self._connections = Connections(profile, self._context, self._deadline)
            self._client = httpx.Client(
                headers={
                    "User-Agent": user_agent,
                    "Accept-Encoding": ACCEPTED,
                    **{name: fill(value, environment) for name, value in own.items()},
                },
                timeout=profile.http.timeout_s,
                transport=self._connections,
                trust_env=False,
            )
            self._client.build_request("GET", profile.target.base_url)
        except (OSError, ssl.SSLError, ImportError) as error:
            raise TransportError(f"http.verify, http.client_cert or http.http2 cannot be used: {error}") from error
        except UnicodeEncodeError as error:
            raise TransportError(f"a header of http.headers or auth.headers holds what HTTP cannot carry: {error.reason}") from None
        except httpx.InvalidURL as error:
            raise TransportError(f"target.base_url cannot be used: {error}") from error

    def __enter__(self) -> Self:
        """The transport, ready."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Closes the connections."""
        self._client.close()

    def send(self, wanted: Wanted, *, permit: int | None = None, made: list[Sent] | None = None) -> list[Sent]:
        """Makes a request, and makes it again while the target asks for patience: all attempts, the last one decides.

        They are kept in `made` as they are made, so that whoever gives a list knows of each, whatever is raised.

        Raises:
            DayBudgetError: when the day's requests are used up.
            TransportError: when no access token is granted.
            WriteWithoutGateError: when it is no GET and has no `permit`.
        """
        if wanted.method != "GET" and permit is None:
            raise WriteWithoutGateError(f"{wanted.method} {wanted.path} did not pass the gate")
        attempts: list[Sent] = [] if made is None else made
        self._once(wanted, attempts)
        for _ in range(self.pace.retries):
            if not self.pace.is_again(attempts):
                break
            try:
                self._once(wanted, attempts)
            except DayBudgetError:
                break  # what was sent is kept; the next request meets the end of the budget again
        self.pace.ended(attempts[-1])
        return attempts

    @contextmanager
    def listening(self, wanted: Wanted, made: list[Sent]) -> Generator[Stream]:
        """A stream that fills with events as long as the context lasts; none come where there is no stream. `made` is as for `send`.

        The stream has a connection of its own, which is cut on leaving: servers keep such lines open for ever.
        """
        opened, lines = threading.Event(), list[httpx.Response]()
        asking = {**self._authorization(), "Accept": "text/event-stream"}
        request = self._client.build_request("GET", self._profile.target.base_url + wanted.path, headers=asking)
        late = Failure("timeout", f"no stream within {self._profile.http.timeout_s:g} s")
        stream = Stream(Sent(self._recorder.request(wanted, str(request.url), request.headers.multi_items()), None, late, _now()))

        def listen() -> None:
            began = time.monotonic()
            try:
                with (
                    httpx.Client(verify=self._context or False, timeout=_STREAM_TIMEOUT, trust_env=False) as client,
                    closing(client.send(request, stream=True)) as response,
                ):
                    lines.append(response)
                    answer = self._recorder.response(_response(response, b"", time.monotonic() - began, complete=False))
                    stream.opening = replace(stream.opening, response=answer, failure=None)
                    opened.set()
                    for event in httpx_sse.EventSource(response).iter_sse():
                        stream.heard.put(Heard(event.event, self._recorder.text(event.data), _now()))
            except (httpx.HTTPError, httpx_sse.SSEError, ValueError, OSError) as error:
                if not lines:
                    stream.opening = replace(stream.opening, failure=Failure(_failure_kind(error), self._recorder.words(error)))
            finally:
                opened.set()

        self.pace.wait()
        listener = threading.Thread(target=listen, daemon=True)
        listener.start()
        try:
            opened.wait(self._profile.http.timeout_s)
            made.append(stream.opening)
            yield stream
        finally:
            if not made:
                made.append(stream.opening)
            for response in lines:
                _cut(response)
            listener.join(timeout=1)

    def _once(self, wanted: Wanted, made: list[Sent]) -> None:
        """Adds one attempt to `made`, whatever becomes of it; nothing where nothing was sent."""
        url = self._profile.target.base_url + wanted.path
        headers = {**dict(wanted.headers), **self._authorization()}
        try:
            request = self._client.build_request(wanted.method, url, headers=headers, content=wanted.body)
        except httpx.InvalidURL as error:
            made.append(Sent(self._recorder.request(wanted, url), None, Failure("other", self._recorder.words(error)), _now()))
            return
        self.pace.wait()
        sent = self._recorder.request(wanted, str(request.url), request.headers.multi_items())
        self._exchange(
            request,
            lambda response, failure, at: made.append(Sent(sent, response and self._recorder.response(response), failure, at)),
            fresh=wanted.fresh,
        )

    def _exchange(self, request: httpx.Request, keep: Keep, *, fresh: bool = False) -> None:
        """Sends a request and has kept what came of it, also where the run is interrupted meanwhile; secrets are still in the response."""
        self._deadline.begin(self._profile.http.timeout_s)
        followed: list[str] = []
        response, failure = None, Failure("other", "the suite broke off before there was an answer")
        try:
            with closing(self._connections.apart()) if fresh else nullcontext(self._connections) as connections:
                response, failure = self._receive(connections, request, followed), None
        except _FloodError:
            failure = Failure("flood", f"more than {LARGEST_BODY} bytes")
        except httpx.TimeoutException as error:
            began = "no whole answer" if isinstance(error, httpx.ReadTimeout) else "no connection, or the request could not be sent,"
            failure = Failure("timeout", f"{began} within {self._profile.http.timeout_s:g} s")
        except (httpx.TransportError, BodyError, httpx.InvalidURL, DayBudgetError) as error:  # a redirect may be one too many
            failure = Failure(_failure_kind(error), self._recorder.words(error))
        except KeyboardInterrupt:
            failure = Failure("other", "the run was interrupted before there was an answer")
            self._connections.renew()  # the only connection may now be neither in use nor given back, and what is put back needs one
            raise
        finally:
            hops, at = tuple(followed), _now(-self._deadline.elapsed)
            keep(response and replace(response, redirects=hops), failure and replace(failure, redirects=hops), at)

    def _receive(self, connections: Connections, request: httpx.Request, followed: list[str]) -> Response:
        """The whole response, within the time and size that are allowed; redirects only where the profile follows them.

        A write is not followed to where it would be another request: a 303 asks for a GET.
        """
        elapsed = 0.0
        while True:
            streamed = connections.handle_request(request)  # the client itself would build the request that a Location asks for
            try:
                body = read_body(streamed, LARGEST_BODY)
                if body.is_over:
                    raise _FloodError
                connection = _connection(streamed)
                surplus = connection.surplus(request.method, streamed.status_code, streamed.headers.get("content-length"))
            finally:
                streamed.close()
            elapsed += self._deadline.elapsed
            hop = _hop(streamed, request) if self._profile.http.follow_redirects and len(followed) < _MOST_REDIRECTS else None
            if hop is None:
                response = _response(streamed, body.data, elapsed, complete=body.complete)
                return replace(response, connection=connection.number, surplus_bytes=surplus)
            self.pace.wait()
            self._deadline.begin(self._profile.http.timeout_s)
            followed.append(self._recorder.text(str(hop.url)))
            request = hop

    def _authorization(self) -> dict[str, str]:
        """The header with the access token of the profile's client credentials; none where it declares none.

        Raises:
            TransportError: when no token is granted.
        """
        return {"Authorization": f"Bearer {self._grant.token(self._post)}"} if self._grant else {}

    def _post(self, url: str, form: str, keep: Keep) -> None:
        """Sends a form to an issuer of tokens; headers that are declared for the target are for the target alone."""
        is_own = same_origin(url, self._profile.target.base_url)
        headers = httpx.Headers(self._client.headers if is_own else {"User-Agent": self._client.headers["User-Agent"]})
        headers.update({"Accept": "application/json", "Content-Type": FORM})
        request = httpx.Request("POST", url, headers=headers, content=form, extensions={"timeout": self._client.timeout.as_dict()})
        self.pace.wait()
        self._exchange(request, keep)


class _FloodError(Exception):
    """The body has no end in sight."""


def _connection(streamed: httpx.Response) -> Connection:
    """The connection that an answer comes on."""
    return cast("Connection", streamed.extensions["network_stream"].get_extra_info("connection"))


def _hop(streamed: httpx.Response, request: httpx.Request) -> httpx.Request | None:
    """The request that a redirect asks for, where it is the same one at another address of the same origin.

    A write is not followed to where it would be another request: a 303 asks for a GET.
    """
    location = streamed.headers.get("location")
    kept = _KEEPS_METHOD.get(streamed.status_code, ())
    if location is None or (request.method != "GET" and request.method not in kept) or streamed.status_code not in _KEEPS_METHOD:
        return None
    url = resolved(str(request.url), location)
    if not same_origin(url, str(request.url)):
        return None
    return httpx.Request(request.method, url, headers=request.headers, content=request.read(), extensions=request.extensions)


def _response(streamed: httpx.Response, body: bytes, elapsed_s: float, *, complete: bool) -> Response:
    return Response(streamed.status_code, tuple(streamed.headers.multi_items()), body, round(elapsed_s * 1000, 1), complete=complete)


def _cut(streamed: httpx.Response) -> None:
    """Ends a line that another thread is reading from."""
    with suppress(OSError, AttributeError):
        streamed.extensions["network_stream"].get_extra_info("socket").shutdown(socket.SHUT_RDWR)


def _now(offset_s: float = 0.0) -> str:
    return (datetime.now(UTC) + timedelta(seconds=offset_s)).isoformat(timespec="milliseconds")


def _failure_kind(error: Exception) -> FailureKind:
    if isinstance(error, httpx.TimeoutException):
        return "timeout"
    if isinstance(error, httpx.ConnectError):
        return connection_failure(error)
    if isinstance(error, httpx.RemoteProtocolError):
        return "closed" if "disconnected" in str(error) or "without sending" in str(error) else "protocol"
    return "closed" if isinstance(error, httpx.NetworkError) else "protocol" if isinstance(error, BodyError) else "other"
