"""A connection fails with its kind, and no byte after an answer answers another request."""

import socket
import ssl
from concurrent.futures import ThreadPoolExecutor

import pytest

from conformance.checks.exchange import Failure, Response
from conformance.harness.wire.failures import connection_failure
from conformance.harness.wire.messages import Wanted
from conformance.selftest.support.servers.raw_server import (
    always,
    in_turn,
    profile_at,
    raw_server,
    sent,
    transport_of,
)

FIRST = b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na"
SECOND = b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nb"
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n"
EARLY = b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n"

SURPLUS: dict[str, tuple[bytes, int]] = {
    "a whole answer after chunks": (CHUNKED + FIRST, len(FIRST)),
    "a body after a 204": (b"HTTP/1.1 204 No Content\r\nContent-Length: 1\r\n\r\na", 1),
    "more than the length": (FIRST + b"bcd", 3),
}


def answered(data: bytes, *more: bytes, times: int) -> list[Response]:
    """The responses of a server that keeps connections, and answers with these one after another."""
    with raw_server(in_turn(data, *more), keeps=True) as raw:
        return [attempt.response for attempt in sent(profile_at(raw.base_url), times) if attempt.response]


@pytest.mark.parametrize("name", SURPLUS)
def test_surplus_is_counted_and_answers_nothing(name: str) -> None:
    """The bytes after an answer are counted with it, and the next request is made on another connection."""
    data, count = SURPLUS[name]
    first, second = answered(data, SECOND, times=2)
    assert (first.connection, first.surplus_bytes) == (1, count)
    assert (second.body, second.connection, second.surplus_bytes) == (b"b", 2, 0)


@pytest.mark.parametrize("data", [FIRST, CHUNKED, EARLY + FIRST, b"HTTP/1.1 204 No Content\r\n\r\n"])
def test_connection_without_surplus_is_used_again(data: bytes) -> None:
    """As long as each answer ends where it says, one connection serves all requests."""
    responses = answered(data, times=3)
    assert [(response.connection, response.surplus_bytes) for response in responses] == [(1, 0)] * 3


def test_fresh_request_has_a_connection_of_its_own() -> None:
    """A request that is to be fresh uses no earlier connection, and no later request uses its own."""
    with raw_server(always(FIRST), keeps=True) as raw, transport_of(profile_at(raw.base_url)) as transport:
        wanted = [Wanted("/x"), Wanted("/x", fresh=True), Wanted("/x")]
        attempts = [attempt for one in wanted for attempt in transport.send(one)]
    assert [attempt.response and attempt.response.connection for attempt in attempts] == [1, 2, 1]


def test_threads_that_ask_in_turn_share_a_connection() -> None:
    """As many are open as requests were under way at once: the main thread and another need one."""
    with (
        raw_server(always(FIRST), keeps=True) as raw,
        transport_of(profile_at(raw.base_url)) as transport,
        ThreadPoolExecutor(1) as other,
    ):
        attempts = [*transport.send(Wanted("/x")), *other.submit(transport.send, Wanted("/x")).result()]
    assert [attempt.response and attempt.response.connection for attempt in attempts] == [1, 1]


def test_nobody_listens() -> None:
    """A refused connection is a failure of its own, told without the system's number of it."""
    with raw_server(always(b"")) as raw:
        url = raw.base_url
    (exchange,) = sent(profile_at(url))
    assert exchange.failure == Failure("refused", "Connection refused")


@pytest.mark.parametrize(
    ("cause", "kind"),
    [
        (socket.gaierror(-2, "anything"), "name"),
        (OSError(113, "No route to host"), "connect"),
        (ssl.SSLError(1, "[SSL: TLSV1_ALERT_PROTOCOL_VERSION]"), "tls"),
        (None, "connect"),
    ],
)
def test_kind_comes_from_the_error_below(cause: OSError | None, kind: str) -> None:
    """The kind is that of the error below the client's own, however many lie between."""
    between, error = RuntimeError("SSL certificate refused"), RuntimeError("name")
    between.__cause__, error.__cause__ = cause, between
    assert connection_failure(error) == kind
