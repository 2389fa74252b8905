"""Whatever a server does to a request, it ends in a response or a failure, in time."""

import signal
import threading
from collections.abc import Generator
from itertools import chain

import pytest

from conformance.cases import CATALOG
from conformance.harness.errors import TransportError
from conformance.harness.wire.messages import Sent, Wanted
from conformance.harness.wire.origins import resolved, same_origin
from conformance.harness.wire.redaction import Redactor
from conformance.harness.wire.transport import Transport
from conformance.mutants.hostile.model import Answer, Asked, Pause, Piece
from conformance.profiles.validation import build_profile
from conformance.selftest.support.servers.raw_server import (
    PATIENCE_S,
    always,
    attempts_at,
    attempts_of,
    for_ever,
    http,
    in_turn,
    outcomes_of,
    profile_at,
    raw_server,
    transport_of,
)

OK = b"HTTP/1.1 200 OK\r\n"
LARGEST_BODY = 1 << 20
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"
LONG = b"Content-Length: 100000000\r\n\r\n"

HOSTILE: dict[str, tuple[Answer, str]] = {
    "drips a chunk's size": (for_ever(CHUNKED, b"0", pause_s=0.05), "timeout"),
    "closes within a chunk's size": (always(CHUNKED + b"5"), "protocol"),
    "sends garbage": (always(b"\x00\xff\x16\x03 garbage \r\n\r\n"), "protocol"),
}
"""Beside the rows of the hostile servers, which one request each shows to come to what they declare."""


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_server_gives_a_failure(name: str) -> None:
    """No response within the time and size that are allowed is a failure of its kind, told shortly."""
    answer, kind = HOSTILE[name]
    attempts = attempts_at(answer)
    assert outcomes_of(attempts)[-1] == kind
    assert all(len(one.failure.text) <= 200 for one in attempts if one.failure)


@pytest.mark.parametrize("sizes", [(65_536, 84_464), (60_000, 40_000, 50_000), (1_000, 90_000, 59_000)])
def test_head_that_is_too_long_is_a_failure_in_any_packets(sizes: tuple[int, ...]) -> None:
    """h11 reads more than 100 KiB of it only where no packet ends beyond them and before its end."""
    letters = chain.from_iterable((Pause(0.05), b"y" * size) for size in sizes)
    assert outcomes_of(attempts_at(always(OK + b"X: ", *letters, b"\r\nContent-Length: 0\r\n\r\n"))) == [
        "protocol"
    ]


def test_failure_shows_what_came_as_text() -> None:
    """Not as the objects that h11 holds it in."""
    (sent,) = attempts_at(always(CHUNKED + b"zz\r\n"))
    assert sent.failure
    assert sent.failure.text == r"illegal chunk header: 'zz\r\n'"


def test_closed_line_is_tried_once_more() -> None:
    """An idle connection may have been closed under the request: the second attempt decides."""
    assert outcomes_of(attempts_at(in_turn(b"", http(200, b"a")))) == ["closed", (200, b"a")]
    assert outcomes_of(attempts_at(always(b""))) == ["closed", "closed"]


@pytest.mark.parametrize("pieces", [OK + LONG + b"{", CHUNKED + b"1\r\n{\r\n5\r\nab"])
def test_body_that_ends_too_early_is_kept(pieces: bytes) -> None:
    """What came before the line was closed is evidence, and marked as not all of it."""
    (attempt,) = attempts_at(always(pieces))
    assert attempt.response
    assert (attempt.response.body[:1], attempt.response.complete) == (b"{", False)


BEARABLE: dict[str, tuple[Answer, int, bytes]] = {
    "the largest body": (always(http(200, b"x" * LARGEST_BODY)), 200, b"x" * LARGEST_BODY),
    "interim responses": (always(b"HTTP/1.1 103 Early\r\nX: y\r\n\r\n", http(200, b"a")), 200, b"a"),
    "bytes in headers": (always(OK + b"X: \xff\xe4\r\nContent-Length: 0\r\n\r\n"), 200, b""),
    "an unknown encoding": (always(http(200, b"a", Content_Encoding="zebra")), 200, b"a"),
    "HTTP/1.0": (always(b"HTTP/1.0 200 OK\r\n\r\na"), 200, b"a"),
}


@pytest.mark.parametrize("name", BEARABLE)
def test_odd_response_is_a_response(name: str) -> None:
    """What is odd and still HTTP arrives as it was sent."""
    answer, status, body = BEARABLE[name]
    assert outcomes_of(attempts_at(answer)) == [(status, body)]


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


@pytest.mark.parametrize("then", [b"", b"garbage"])
def test_redirect_that_leads_to_nothing_is_told(then: bytes) -> None:
    """A failure tells of the redirects before it."""
    with raw_server(in_turn(http(302, b"", Location="/y"), then)) as raw:
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


def test_interrupted_request_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C while an answer is waited for: what was sent is known all the same."""
    made: list[Sent] = []
    with raw_server(always(http(200))) as raw, transport_of(profile_at(raw.base_url)) as transport:
        monkeypatch.setattr(transport, "_receive", interrupted)
        with pytest.raises(KeyboardInterrupt):
            transport.send(Wanted("/x"), made=made)
    assert [(one.request.url, one.failure and one.failure.kind) for one in made] == [
        (f"{raw.base_url}/x", "other")
    ]


@pytest.fixture
def interruptible() -> Generator[None]:
    """Ctrl-C raises KeyboardInterrupt, also in a job of the background, where it is ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interruptible")
def test_interrupted_opening_of_a_stream_is_kept() -> None:
    """Ctrl-C while a stream is to open: what was sent is known all the same."""
    made: list[Sent] = []

    def answer(_asked: Asked) -> list[Piece]:
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
        return [Pause(PATIENCE_S)]

    with (
        raw_server(answer) as raw,
        transport_of(profile_at(raw.base_url, http={"timeout_s": 9})) as transport,
        pytest.raises(KeyboardInterrupt),
        transport.listening(Wanted("/events"), made),
    ):
        raise AssertionError
    assert [(one.request.url, one.response) for one in made] == [(f"{raw.base_url}/events", None)]


def interrupted(*_: object) -> None:
    """Ctrl-C."""
    raise KeyboardInterrupt


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


def test_location_is_resolved_against_the_request() -> None:
    """A relative Location counts from the URL asked; nonsense leads nowhere."""
    assert resolved("http://a/x/y", "../z") == "http://a/z"
    assert resolved("http://a/x/y", "http://[") == ""


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


def test_header_that_is_sent_twice_is_recorded_twice() -> None:
    """Repeats and order of what is sent stay as they were wanted."""
    headers = (("X-One", "1"), ("X-Two", "2"), ("X-One", "3"))
    with raw_server(always(http(200))) as raw, transport_of(profile_at(raw.base_url)) as transport:
        (attempt,) = transport.send(Wanted("/x", headers=headers))
    assert attempt.request.headers[1:] == tuple((name.lower(), text) for name, text in headers)


UNUSABLE: dict[str, tuple[dict[str, object], str]] = {
    "a certificate authority that is not there": ({"http": {"verify": "/nowhere.pem"}}, "http.verify"),
    "a client certificate that is not there": ({"http": {"client_cert": ["/nowhere.pem"]}}, "client_cert"),
    "a header that is no ASCII": ({"http": {"headers": {"X": "ä"}}}, "header"),
    "a secret that is no ASCII": ({"auth": {"headers": {"X": "${ODD}"}}}, "header"),
    "a secret with a blank at its end": (
        {"auth": {"headers": {"X": "${ENDED}"}}},
        "the header X begins or ends with",
    ),
}


@pytest.mark.parametrize("name", UNUSABLE)
def test_operators_mistake_is_told_before_anything_is_sent(name: str) -> None:
    """What cannot be used is an error of the operator's, which names the field and no secret."""
    tables, word = UNUSABLE[name]
    environment = {"ODD": "gehäimnis", "ENDED": "geheimnis "}
    data = {
        "target": {"name": "x", "base_url": "https://127.0.0.1:1"},
        "appliance": [{"ha_id": "one", "kind": "Oven"}],
        **tables,
    }
    profile = build_profile(data, CATALOG, environment=environment)
    with pytest.raises(TransportError, match=word) as raised:
        Transport(profile, Redactor(environment), environment, "selftest")
    assert "geh" not in str(raised.value)
