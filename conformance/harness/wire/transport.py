"""Speaks HTTP; a write passes only with the number the gate has journalled it under.

It sends a request and returns what came back, whatever that is: a target that hangs, floods, cuts the line or
answers garbage gives a `Failure`, never an exception. It keeps the declared pace, waits when it is told to,
and hands out nothing that still holds a secret.
"""

import queue
from collections.abc import Generator, Mapping
from contextlib import closing, contextmanager, nullcontext, suppress
from functools import partial
from typing import Self, cast

from msgspec.structs import replace

from conformance.checks.exchange import Failure, Response
from conformance.harness.errors import DayBudgetError, ForbiddenWriteError, TransportError
from conformance.harness.pace import Pacer
from conformance.harness.wire.bodies import INTERRUPTED, Body, failure_of, read_body, response_of
from conformance.harness.wire.building import (
    OF_ALL,
    TRACEPARENT,
    build_request,
    new_traceparent,
    redirected,
    same_origin,
    shown,
    with_query,
)
from conformance.harness.wire.client import httpx
from conformance.harness.wire.connections import Connection, Connections
from conformance.harness.wire.listening import SILENCE_S, TIMEOUT_S, Came, listening
from conformance.harness.wire.messages import SAFE_METHODS, Heard, Sent, Wanted
from conformance.harness.wire.network import SOCKETS, Deadline, Network, verification
from conformance.harness.wire.recording import Recorder, Room
from conformance.harness.wire.redaction import Redactor
from conformance.harness.wire.tokens.access import Keep
from conformance.harness.wire.tokens.granting import FORM, access_of, bearer
from conformance.profiles.keeping import fill
from conformance.profiles.model import Profile


class Transport:
    """Sends requests to one target, from any thread; use it as a context.

    `pace` lets each of them pass; `granted` fills with the requests for an access token.
    """

    def __init__(
        self,
        profile: Profile,
        redactor: Redactor,
        environment: Mapping[str, str],
        user_agent: str,
        network: Network = SOCKETS,
    ) -> None:
        """Opens no connection yet; those that it will open are in `network`.

        Raises:
            TransportError: when the TLS files or the base URL that the profile names cannot be used.
        """
        self._profile = profile
        self._clock = network.clock
        self._recorder = Recorder(profile, redactor)
        self._access = access_of(profile, redactor, environment, network.clock)
        self.granted: queue.SimpleQueue[Sent] = self._access.asked if self._access else queue.SimpleQueue()
        self.pace = Pacer(profile, network.clock)
        self._deadline = Deadline(network.clock)
        declared = {**profile.http.headers, **profile.auth.headers}
        own = {name: fill(value, environment) for name, value in declared.items()}
        parameters = {**profile.http.query, **profile.auth.query}
        self._parameters = {name: fill(value, environment) for name, value in parameters.items()}
        context = verification(profile, environment)
        self._connections = Connections(context, self._deadline, network, http2=profile.http.http2)
        try:
            headers = httpx.Headers({**OF_ALL, "User-Agent": user_agent})
            headers.update(own)
            self._headers = tuple(headers.multi_items())
            self._built("GET", profile.target.base_url)
        except httpx.InvalidURL as error:
            raise TransportError(f"target.base_url cannot be used: {error}") from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._connections.close()

    def send(
        self, wanted: Wanted, *, permit: int | None = None, made: list[Sent] | None = None
    ) -> list[Sent]:
        """Makes a request, and again while the target asks to retry: all attempts, of which the last decides.

        They are kept in `made` as they are made, so that whoever gives a list knows of each, whatever is
        raised.

        Raises:
            DayBudgetError: when the day's requests are used up.
            TransportError: when no access token is granted.
            ForbiddenWriteError: when its method is not one of the safe ones, and it has no `permit`.
        """
        if wanted.method not in SAFE_METHODS and permit is None:
            raise ForbiddenWriteError(f"{wanted.method} {wanted.path} did not pass the gate")
        attempts: list[Sent] = [] if made is None else made
        token = self._token(owed=wanted.owed)
        self._once(wanted, attempts, token)
        if self._access and self._access.is_outdated(token, wanted, attempts[-1].response):
            token = self._token(owed=wanted.owed)
            self._once(wanted, attempts, token)
            self._access.was_futile(token, attempts[-1].response)
        for _ in range(self.pace.retries):
            if not self.pace.is_again(attempts):
                break
            try:
                self._once(wanted, attempts, self._token(owed=wanted.owed))
            except DayBudgetError:
                break  # what was sent is kept; the next request meets the end of the budget again
        self.pace.ended(attempts[-1])
        return attempts

    @contextmanager
    def listening(self, wanted: Wanted, made: list[Sent]) -> Generator[queue.SimpleQueue[Heard]]:
        """What is heard of a stream as long as the context lasts; `made` is as for `send`.

        The stream has a connection of its own, which is cut on leaving: servers keep such lines open for
        ever.
        """
        traced = self._traced()
        asking = {**bearer(self._token()), "Accept": "text/event-stream", "Accept-Encoding": "identity"}
        url = self._url(wanted)
        own = (*asking.items(), *traced.items())
        request = build_request("GET", url, self._headers, own, None, TIMEOUT_S, SILENCE_S)
        late = Failure("timeout", f"no stream within {self._profile.http.timeout_s:g} s")
        asked = self._recorder.request(wanted, *shown(request), *traced.values())
        opening, heard = Sent(asked, None, late, self._clock.stamp()), queue.SimpleQueue[Heard]()
        began = self._clock.now()

        def take(came: Came) -> None:
            nonlocal opening
            if isinstance(came, httpx.Response):
                streamed = response_of(came, Body(b"", complete=False), self._clock.now() - began)
                answer = self._recorder.response(streamed)
                opening = replace(opening, response=answer, failure=None)
            elif isinstance(came, Exception):
                opening = replace(opening, failure=self._failure(came))
            else:
                words = self._recorder.text(came.event), self._recorder.text(came.data)
                heard.put(Heard(*words, self._clock.stamp()))

        self.pace.wait()
        limits, line = self._profile.http.limits, self._connections.apart()
        try:
            with listening(request, line, limits, self._clock, take) as opened:
                opened.wait(self._profile.http.timeout_s)
                made.append(opening)
                yield heard
        finally:
            if not made:
                made.append(opening)

    def _once(self, wanted: Wanted, made: list[Sent], token: str) -> None:
        """Adds one attempt to `made`, whatever becomes of it; nothing where nothing was sent."""
        url = self._url(wanted)
        traced = self._traced()
        headers = (*wanted.headers, *bearer(token).items(), *traced.items())
        try:
            request = self._built(wanted.method, url, headers, wanted.body)
        except httpx.InvalidURL as error:
            failure = Failure("other", self._recorder.words(error))
            made.append(Sent(self._recorder.request(wanted, url), None, failure, self._clock.stamp()))
            return
        self.pace.wait(owed=wanted.owed)
        sent = self._recorder.request(wanted, *shown(request), *traced.values())

        def keep(response: Response | None, failure: Failure | None, at: str) -> None:
            room: Room = "restoring" if wanted.owed else "confirming" if wanted.fresh else "reading"
            recorded = response and self._recorder.response(response, room)
            made.append(Sent(sent, recorded, failure, at))

        self._exchange(request, keep, fresh=wanted.fresh)

    def _exchange(self, request: httpx.Request, keep: Keep, *, fresh: bool = False) -> None:
        """Sends a request and passes what came of it to `keep`, with secrets, even if interrupted."""
        self._deadline.begin(self._profile.http.timeout_s)
        followed: list[str] = []
        response, failure = None, Failure("other", "the suite broke off before there was an answer")
        if fresh:  # a server that answers one connection at a time would wait for the end of an idle one
            self._connections.close_idle()
        try:
            with (
                closing(self._connections.apart()) if fresh else nullcontext(self._connections)
            ) as connections:
                response, failure = self._receive(connections, request, followed), None
        except KeyboardInterrupt:
            failure = INTERRUPTED
            raise
        except Exception as error:  # noqa: BLE001  the one place: whatever is raised while an answer is read is an outcome of its exchange
            failure = self._failure(error)
        finally:
            if followed:
                response = response and replace(response, redirects=tuple(followed))
                failure = failure and replace(failure, redirects=tuple(followed))
            keep(response, failure, self._clock.stamp(-self._deadline.elapsed))

    def _receive(self, connections: Connections, request: httpx.Request, followed: list[str]) -> Response:
        """The whole response, within the allowed time and size.

        A write is not followed to where it would be another request: a 303 asks for a GET.
        """
        elapsed, limits = 0.0, self._profile.http.limits
        while True:
            # the client itself would build the request that a Location asks for
            streamed = connections.handle_request(request)
            try:
                body = read_body(streamed, limits)
                connection = _connection(streamed)
                surplus = connection.surplus(request.method, streamed) if body.limit is None else 0
            finally:
                streamed.close()
            elapsed += self._deadline.elapsed
            follows = self._profile.http.follow_redirects and len(followed) < limits.redirects
            hop = redirected(streamed, request) if follows else None
            if hop is None:
                return response_of(streamed, body, elapsed, connection.number, surplus)
            self.pace.wait(owed=True)  # it is a part of a request that was let pass
            self._deadline.begin(self._profile.http.timeout_s)
            followed.append(self._recorder.text(str(hop.url)))
            request = hop

    def _failure(self, error: Exception) -> Failure:
        return failure_of(error, self._recorder.words(error), self._profile.http.timeout_s)

    def _token(self, *, owed: bool = False) -> str:
        """The access token; empty where the profile declares none. `owed` is as in `Access.token`.

        Raises:
            TransportError: when no token is granted.
        """
        return self._access.token(partial(self._post, owed=owed), owed=owed) if self._access else ""

    def _built(
        self, method: str, url: str, headers: tuple[tuple[str, str], ...] = (), body: str | None = None
    ) -> httpx.Request:
        """A request with the headers of all.

        Raises:
            httpx.InvalidURL: when it has no URL.
        """
        return build_request(method, url, self._headers, headers, body, self._profile.http.timeout_s)

    def _traced(self) -> dict[str, str]:
        """The header that names one request; none where the profile wants none."""
        return {TRACEPARENT: new_traceparent()} if self._profile.target.trace else {}

    def address(self, wanted: Wanted) -> str:
        """The URL of a request as it is recorded."""
        url = self._url(wanted)
        with suppress(httpx.InvalidURL):
            url = str(self._built("GET", url).url)
        return self._recorder.text(url)

    def _url(self, wanted: Wanted) -> str:
        """The whole address of a request, with the parameters that the profile declares for each."""
        return with_query(self._profile.target.base_url + wanted.path, self._parameters)

    def _post(self, url: str, form: str, keep: Keep, *, owed: bool) -> None:
        """Sends a form to an issuer of tokens; headers of the target go only to its own origin."""
        is_own = same_origin(url, self._profile.target.base_url)
        common = self._headers if is_own else (("User-Agent", httpx.Headers(self._headers)["User-Agent"]),)
        own = (("Accept", "application/json"), ("Content-Type", FORM))
        request = build_request("POST", url, common, own, form, self._profile.http.timeout_s)
        self.pace.wait(owed=owed)
        self._exchange(request, keep)


def _connection(streamed: httpx.Response) -> Connection:
    """The connection that an answer comes on."""
    return cast("Connection", streamed.extensions["network_stream"].get_extra_info("connection"))
