"""What is asked: where it leads to, on which connection, with which headers, and what is kept."""

import signal
import socket
import ssl
import threading
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import nullcontext, suppress
from itertools import chain, count, repeat
from types import SimpleNamespace
from typing import Any

import httpcore
import pytest
from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.events import RequestReceived

from conformance.harness.errors import TransportError
from conformance.harness.wire.bodies import connection_failure
from conformance.harness.wire.building import resolved, same_origin
from conformance.harness.wire.messages import Sent, Wanted
from conformance.harness.wire.network import Network
from conformance.mutants.hostile.model import Asked, Pause, Piece
from conformance.selftest.support.raw_server import (
    PATIENCE_S,
    always,
    attempts_at,
    attempts_of,
    http,
    in_turn,
    outcomes_of,
    profile_at,
    raw_server,
    transport_of,
)


@pytest.mark.parametrize(("follow", "times"), [(False, 0), (True, 5)])
def test_redirect_loop_ends(times: int, *, follow: bool) -> None:
    """Unless declared, no redirect is followed; a loop is, a few times, and the last one is the answer."""
    (attempt,) = attempts_at(always(http(302, b"", Location="/x")), http={"follow_redirects": follow})
    assert attempt.response
    assert (attempt.response.status, len(attempt.response.redirects)) == (302, times)


@pytest.mark.parametrize(("status", "times"), [(307, 2), (308, 2), (301, 2), (302, 1), (303, 1)])
def test_write_is_followed_where_it_stays_the_same_write(status: int, times: int) -> None:
    """A redirect that keeps method and body takes the whole write along; any other is the answer to it."""
    with raw_server(in_turn(http(status, b"", Location="/y"), http(204))) as raw:
        profile = profile_at(raw.base_url, http={"follow_redirects": True})
        with transport_of(profile) as transport:
            (attempt,) = transport.send(Wanted("/x", "PUT", (("Content-Type", "text/plain"),), "ä"), permit=1)
    assert [(one.method, one.headers["content-type"], one.body) for one in raw.requests] == [
        ("PUT", "text/plain", "ä".encode())
    ] * times
    assert attempt.response
    assert (attempt.response.status, len(attempt.response.redirects)) == (
        (204, 1) if times == 2 else (status, 0)
    )


def test_redirect_that_leads_to_nothing_is_told() -> None:
    """A failure tells of the redirects before it."""
    with raw_server(in_turn(http(302, b"", Location="/y"), b"")) as raw:
        attempt, *_ = attempts_of(profile_at(raw.base_url, http={"follow_redirects": True}))
    assert attempt.failure
    assert (attempt.failure.kind, attempt.failure.redirects) == ("closed", (f"{raw.base_url}/y",))


def test_last_request_of_a_day_is_followed() -> None:
    """Where it leads to is asked, and counted: the target has answered for no half of it."""
    answer = in_turn(http(302, b"", Location="/y"), http(200, b"a"))
    with raw_server(answer) as raw:
        profile = profile_at(raw.base_url, http={"follow_redirects": True}, pace={"per_day": 1})
        with transport_of(profile) as transport:
            assert outcomes_of(transport.send(Wanted("/x"))) == [(200, b"a")]
            assert transport.pace.day.left == 0


@pytest.mark.parametrize(
    "urls",
    [
        "http://a/ https://a/",
        "http://a/ http://a:81/",
        "http://a/ http://a.b/",
        "http://a/ http://a@b/",
        "http://[ http://[",
    ],
)
def test_origin_is_scheme_host_and_port(urls: str) -> None:
    """Two URLs share an origin only if all three are the same; what is no URL has none."""
    assert same_origin("http://a:80/x", "http://A:80/y")
    assert not same_origin(*urls.split())


@pytest.fixture
def interruptible() -> Generator[None]:
    """Ctrl-C raises KeyboardInterrupt, also in a job of the background, where it is ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interruptible")
@pytest.mark.parametrize(("path", "failure"), [("/x", "other"), ("/events", "timeout")])
def test_interrupted_request_is_kept(path: str, failure: str) -> None:
    """Ctrl-C while an answer is waited for, or a stream is to open: what was sent is known all the same."""
    made: list[Sent] = []

    def answer(_asked: Asked) -> list[Piece]:
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
        return [Pause(PATIENCE_S)]

    with (
        raw_server(answer) as raw,
        transport_of(profile_at(raw.base_url)) as transport,
        pytest.raises(KeyboardInterrupt),
        transport.listening(Wanted(path), made) if path == "/events" else nullcontext(),
    ):
        transport.send(Wanted(path), made=made)
    told = [(one.request.url, one.response, one.failure and one.failure.kind) for one in made]
    assert told == [(f"{raw.base_url}{path}", None, failure)]


def test_only_declared_headers_are_sent_and_recorded() -> None:
    """No cookie that a server planted, no body and no content type: what the profile says is sent."""
    with raw_server(always(http(200, b"a", Set_Cookie="session=1; path=/"))) as raw:
        first, second = attempts_of(
            profile_at(raw.base_url, http={"headers": {"X-Tenant": "${TOKEN}"}}), times=2
        )
    headers = raw.requests[1].headers
    assert set(headers) == {"host", "user-agent", "accept", "accept-encoding", "connection", "x-tenant"}
    assert headers["x-tenant"] == "open sesame"
    assert dict(first.request.headers) == dict(second.request.headers) == {"x-tenant": "${TOKEN}"}


UNUSABLE: dict[str, tuple[dict[str, object], str]] = {
    "a certificate authority that is not there": (
        {"http": {"verify": "/nowhere.pem"}},
        "^http.verify: /nowhere.pem: No such file",
    ),
    "a client certificate that is not there": (
        {"http": {"client_cert": ["/nowhere.pem"]}},
        "^http.client_cert: /nowhere.pem: No such file",
    ),
    "a client certificate whose path is a secret": (
        {"http": {"client_cert": ["/${ODD}.pem"]}},
        r"^http.client_cert: /\$\{ODD\}.pem: No such file",
    ),
}


@pytest.mark.parametrize("name", UNUSABLE)
def test_operators_mistake_is_told_before_anything_is_sent(name: str) -> None:
    """What cannot be used is an error of the operator's, which names the field and no secret."""
    tables, word = UNUSABLE[name]
    environment = {"ODD": "gehäimnis"}
    profile = profile_at("https://127.0.0.1:1", environment, **tables)
    with pytest.raises(TransportError, match=word) as raised:
        transport_of(profile, environment)
    assert "geh" not in str(raised.value)


FIRST = b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na"
SECOND = b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nb"
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n"
EMPTY = b"HTTP/1.1 204 No Content\r\n"
EARLY = b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n"
CONNECTIONS: dict[str, tuple[tuple[bytes, ...], list[tuple[int, int]]]] = {
    # The bytes after an answer are counted with it, and the next request is made on another connection.
    "a whole answer after chunks": ((CHUNKED + FIRST, SECOND), [(1, len(FIRST)), (2, 0)]),
    "a body after a 204": ((EMPTY + b"Content-Length: 1\r\n\r\na", SECOND), [(1, 1), (2, 0)]),
    "more than the length": ((FIRST + b"bcd", SECOND), [(1, 3), (2, 0)]),
    # As long as each answer ends where it says, one connection serves all requests.
    "a length": ((FIRST, FIRST, SECOND), [(1, 0)] * 3),
    "chunks": ((CHUNKED, CHUNKED, SECOND), [(1, 0)] * 3),
    "an early answer": ((EARLY + FIRST, EARLY + FIRST, SECOND), [(1, 0)] * 3),
    "no body": ((EMPTY + b"\r\n", EMPTY + b"\r\n", SECOND), [(1, 0)] * 3),
}
"""The answers of a server that keeps connections; of each response the connection, and the bytes after it."""


@pytest.mark.parametrize("name", CONNECTIONS)
def test_connection_is_used_again_unless_it_has_more_than_the_answer(name: str) -> None:
    """No byte after an answer is taken for the next one."""
    data, connections = CONNECTIONS[name]
    with raw_server(in_turn(*data), keeps=True) as raw:
        attempts = attempts_of(profile_at(raw.base_url), len(data))
    responses = [attempt.response for attempt in attempts if attempt.response]
    assert [(response.connection, response.surplus_bytes) for response in responses] == connections
    assert responses[-1].body == b"b"


def test_fresh_request_has_a_connection_of_its_own() -> None:
    """A request that is to be fresh uses no earlier connection, and no later request uses its own.

    What is idle is closed before it: a server may serve no other connection until then.
    """
    with raw_server(always(FIRST), keeps=True) as raw, transport_of(profile_at(raw.base_url)) as transport:
        wanted = [Wanted("/x"), Wanted("/x", fresh=True), Wanted("/x")]
        attempts = [attempt for one in wanted for attempt in transport.send(one)]
    assert [attempt.response and attempt.response.connection for attempt in attempts] == [1, 2, 3]


class Agreed(httpcore.NetworkStream):
    """A connection without TLS of which both sides have agreed to speak HTTP/2."""

    def __init__(self, plain: httpcore.NetworkStream) -> None:
        self.read, self.write, self.close = plain.read, plain.write, plain.close

    def start_tls(self, *_: object, **__: object) -> httpcore.NetworkStream:
        return self

    def get_extra_info(self, info: str) -> Any:
        agreed = SimpleNamespace(selected_alpn_protocol=lambda: "h2")
        return agreed if info == "ssl_object" else None


class Late(Agreed):
    """One of which nothing comes after the settings of the server, until its time `is_over`."""

    def __init__(self, plain: httpcore.NetworkStream, is_over: threading.Event) -> None:
        super().__init__(plain)
        self._settings, self._is_over = iter([plain.read]), is_over
        self.read = self._read

    def _read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        for read in self._settings:
            return read(max_bytes, timeout)
        self._is_over.wait()
        raise httpcore.ReadTimeout


class AgreedNetwork(httpcore.SyncBackend):
    """It opens such connections alone, of which the first is late."""

    def __init__(self) -> None:
        self.is_over = threading.Event()
        self._agree: Iterator[Callable[[httpcore.NetworkStream], Agreed]] = chain(
            [lambda plain: Late(plain, self.is_over)], repeat(Agreed)
        )

    def connect_tcp(self, *where: Any, **how: Any) -> httpcore.NetworkStream:
        return next(self._agree)(super().connect_tcp(*where, **how))


def serve_late(listener: socket.socket, asked: threading.Semaphore, given_up: threading.Event) -> None:
    """Serves two connections at once: the first request of all is never answered, each other one only once
    that was `given_up`.
    """
    served = count()

    def serve(line: socket.socket) -> None:
        spoken = H2Connection(H2Configuration(client_side=False))
        spoken.initiate_connection()
        with line, suppress(OSError):
            while data := line.recv(65_536):
                for event in spoken.receive_data(data):
                    if isinstance(event, RequestReceived):
                        asked.release()
                        if next(served):
                            given_up.wait()
                            spoken.send_headers(event.stream_id, [(":status", "204")], end_stream=True)
                line.sendall(spoken.data_to_send())

    with suppress(OSError), ThreadPoolExecutor(2) as lines:
        while True:
            lines.submit(serve, listener.accept()[0])


def test_request_without_an_answer_breaks_no_other_one_of_http2() -> None:
    """Each has its own time, however many are under way: what comes within that has come."""
    asked, given_up, network = threading.Semaphore(0), threading.Event(), AgreedNetwork()
    with ThreadPoolExecutor(3) as threads, socket.create_server(("127.0.0.1", 0)) as listener:
        threads.submit(serve_late, listener, asked, given_up)
        profile = profile_at(f"https://127.0.0.1:{listener.getsockname()[1]}", http={"http2": True})
        with transport_of(profile, network=Network(network, ThreadPoolExecutor)) as transport:
            sent: list[Future[list[Sent]]] = []
            for _ in range(2):
                sent.append(threads.submit(transport.send, Wanted("/x")))
                asked.acquire()
            network.is_over.set()
            made = sent[0].result()
            given_up.set()
            made += sent[1].result()
        listener.shutdown(socket.SHUT_RDWR)  # so that nobody waits for one more
    told = [one.response.status if one.response else one.failure and one.failure.kind for one in made]
    assert told == ["timeout", 204]


def test_location_that_is_none_leads_nowhere() -> None:
    """A relative one counts from the URL that was asked."""
    assert [resolved("http://a/x/y", said) for said in ("../z", "http://[")] == ["http://a/z", ""]


@pytest.mark.parametrize(
    ("cause", "kind"),
    [
        (socket.gaierror(-2, "anything"), "name"),
        (OSError(113, "No route to host"), "connect"),
        (ConnectionRefusedError(111, "Connection refused"), "refused"),
        (ConnectionResetError(104, "Connection reset by peer"), "closed"),
        (ssl.SSLError(1, "[SSL: TLSV1_ALERT_PROTOCOL_VERSION]"), "tls"),
        (None, "connect"),
    ],
)
def test_kind_comes_from_the_error_below(cause: OSError | None, kind: str) -> None:
    """The kind is that of the error below the client's own, however many lie between."""
    between, error = RuntimeError("SSL certificate refused"), RuntimeError("name")
    between.__cause__, error.__cause__ = cause, between
    assert connection_failure(error) == kind
