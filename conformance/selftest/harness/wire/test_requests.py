"""What is asked: where it leads to, on which connection, with which headers and ids, and what is kept."""

import re
import signal
import socket
import ssl
import threading
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from pathlib import Path

import pytest
from msgspec.structs import replace

from conformance.cases import CATALOG
from conformance.checks.exchange import Failure, Request
from conformance.harness.errors import TransportError
from conformance.harness.ledger import read_ledger
from conformance.harness.wire.building import resolved, same_origin
from conformance.harness.wire.failures import connection_failure
from conformance.harness.wire.messages import Sent, Wanted
from conformance.harness.wire.redaction import Redactor
from conformance.harness.wire.transport import Transport
from conformance.mutants.hostile.model import Asked, Pause, Piece
from conformance.profiles.validation import build_profile
from conformance.proof.in_process import BASE_URL
from conformance.records.ledger_lines import LEDGER_FILE, exchange_line, exchange_of
from conformance.records.results import CaseResult
from conformance.reference.wire import Incoming, Reply
from conformance.runs.saved.saved_run import SavedRun
from conformance.runs.session import Session
from conformance.selftest.support.judged_runs import judge_all, session_of
from conformance.selftest.support.samples.handmade import ANCHOR, value
from conformance.selftest.support.servers.raw_server import (
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
from conformance.selftest.support.servers.recording import Small


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
        transport_of(profile_at(raw.base_url, http={"timeout_s": 9})) as transport,
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
    (exchange,) = attempts_of(profile_at(url))
    assert exchange.failure == Failure("refused", "Connection refused")


@pytest.mark.parametrize(
    ("cause", "kind"),
    [
        (socket.gaierror(-2, "anything"), "name"),
        (OSError(113, "No route to host"), "connect"),
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


# Ids of requests: each has its own, findings name them, and no verdict rests on them.
FORM = re.compile(r"00-[0-9a-f]{32}-[0-9a-f]{16}-01")
CLAUSES = {"TYPE-BOOLEAN", "READ-SETTING"}


class Words(Small):
    """Booleans as words; `traceparents` are the headers of that name, None for a request without."""

    def __init__(self) -> None:
        super().__init__()
        self.traceparents: list[str | None] = []

    def answer(self, request: Incoming) -> Reply:
        """Takes the header down."""
        self.traceparents.append(request.headers.get("traceparent"))
        reply = super().answer(request)
        return replace(reply, body=reply.body.replace(b"false", b'"no"').replace(b"true", b'"yes"'))


def judged_in(session: Session) -> list[CaseResult]:
    """The results of a session."""
    return [one.result for one in judge_all(session, CLAUSES).values() if isinstance(one.result, CaseResult)]


def test_each_attempt_has_an_id_of_its_own() -> None:
    """The server is given what the record of the request says, once, also where the profile declares the
    header itself; a request that is made again has another id.
    """
    heard: list[str] = []

    def busy(asked: Asked) -> list[Piece]:
        heard.append(asked.request.headers["traceparent"])
        return [http(429, Retry_After="0") if len(heard) == 1 else http(200, b"{}")]

    with raw_server(busy) as raw:
        target, own = {"name": "raw", "base_url": raw.base_url, "trace": True}, {"Traceparent": "00-mine"}
        made = attempts_of(profile_at(raw.base_url, target=target, http={"headers": own}), 2)
    assert [one.request.traceparent for one in made] == heard
    assert all(FORM.fullmatch(text) for text in heard)
    assert len({one.request.trace_id for one in made}) == len(made) == 3
    assert made[0].request.trace_id == heard[0].split("-")[1] != "0" * 32
    assert "traceparent" not in {name.casefold() for one in made for name, _ in one.request.headers}


def test_verdicts_are_those_without_ids(tmp_path: Path) -> None:
    """With ids and without, a run says the same, by the same scripts; findings name the ids that it sent.

    So does whoever judges its ledger again; a line without one says nothing of it.
    """
    told: list[list[CaseResult]] = []
    sent: list[dict[int, Request]] = []
    heard: list[list[str | None]] = []
    for name, more in (("plain", {}), ("traced", {"trace": True})):
        service, target = Words(), {"name": "hub", "base_url": BASE_URL, **more}
        with session_of(service, tmp_path / name, tables={"target": target}) as session:
            told.append(judged_in(session))
            session.finish()
        lines = read_ledger(tmp_path / name / LEDGER_FILE).exchanges
        sent.append({one.n: one.request for one in lines})
        heard.append(service.traceparents)
    plain, traced = ([(one.id, one.verdict, one.message, one.curl) for one in cases] for cases in told)
    assert plain == traced
    assert ({*heard[0]}, any(one.traceparent for one in sent[0].values())) == ({None}, False)
    assert sorted(one.traceparent for one in sent[1].values()) == sorted(map(str, heard[1]))
    assert b"traceparent" not in (tmp_path / "plain" / LEDGER_FILE).read_bytes()
    assert not any(one.traces for one in told[0])
    failed = [one for one in told[1] if one.verdict == "fail"]
    assert failed
    for case in failed:
        assert case.traces == tuple(sent[1][number].trace_id for number in case.proof)
        assert not any(trace in case.curl + case.message for trace in case.traces)
    saved = SavedRun(tmp_path / "traced" / LEDGER_FILE)
    assert judged_in(Session.of_saved(saved, tmp_path / "again")) == told[1]


def test_what_is_no_id_is_refused() -> None:
    """Where the line of a ledger was altered."""
    line = exchange_line(value(ANCHOR, 5))
    with pytest.raises(ValueError, match="traceparent"):
        exchange_of({**line, "request": {**line["request"], "traceparent": "x\n"}})
