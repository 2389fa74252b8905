"""A connection fails with its kind, serves one answer a request, and carries the ids of traces."""

import re
import socket
import ssl
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from msgspec.structs import replace

from conformance.checks.exchange import Failure, Request, Response
from conformance.harness.ledger import read_ledger
from conformance.harness.wire.failures import connection_failure
from conformance.harness.wire.messages import Wanted
from conformance.mutants.hostile.model import Asked, Piece
from conformance.proof.in_process import BASE_URL
from conformance.records.ledger_lines import LEDGER_FILE, exchange_line, exchange_of
from conformance.records.results import CaseResult
from conformance.reference.wire import Incoming, Reply
from conformance.runs.saved.saved_run import SavedRun
from conformance.runs.session import Session
from conformance.selftest.support.judged_runs import begin, judge_all, session_of
from conformance.selftest.support.servers.raw_server import (
    always,
    attempts_of,
    http,
    in_turn,
    profile_at,
    raw_server,
    transport_of,
)
from conformance.selftest.support.servers.recording import Small

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
        return [
            attempt.response for attempt in attempts_of(profile_at(raw.base_url), times) if attempt.response
        ]


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
NULL = "0" * 32


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


def run_at(service: Words, out: Path, *, trace: bool) -> tuple[dict[str, CaseResult], dict[int, Request]]:
    """The cases of a run, and every request of its ledger by its number."""
    target = {"name": "hub", "base_url": BASE_URL, **({"trace": True} if trace else {})}
    with session_of(service, out, tables={"target": target}) as session:
        cases = results_in(session)
        session.finish()
    return cases, {one.n: one.request for one in read_ledger(out / LEDGER_FILE).exchanges}


def results_in(session: Session) -> dict[str, CaseResult]:
    """The results of a session."""
    judged = judge_all(session, CLAUSES)
    return {name: one.result for name, one in judged.items() if isinstance(one.result, CaseResult)}


def test_each_attempt_has_an_id_of_its_own() -> None:
    """The server is given what the record of the request says; one that is made again has another id."""
    heard: list[str] = []

    def busy(asked: Asked) -> list[Piece]:
        heard.append(asked.request.headers["traceparent"])
        return [http(429, Retry_After="0") if len(heard) == 1 else http(200, b"{}")]

    with raw_server(busy) as raw:
        made = attempts_of(
            profile_at(raw.base_url, target={"name": "raw", "base_url": raw.base_url, "trace": True}), 2
        )
    assert [one.request.traceparent for one in made] == heard
    assert all(FORM.fullmatch(text) for text in heard)
    assert len({one.request.trace_id for one in made}) == len(made) == 3
    assert made[0].request.trace_id == heard[0].split("-")[1] != NULL


def test_own_header_of_that_name_is_not_repeated() -> None:
    """A profile that declares the header itself has it replaced, and its record names the id once."""
    own = {"headers": {"Traceparent": "00-mine"}}
    with raw_server(lambda _asked: [http(200, b"{}")]) as raw:
        target = {"name": "raw", "base_url": raw.base_url, "trace": True}
        (made,) = attempts_of(profile_at(raw.base_url, target=target, http=own))
    assert FORM.fullmatch(made.request.traceparent)
    assert not [name for name, _ in made.request.headers if name.casefold() == "traceparent"]


def test_verdicts_are_those_without_ids(tmp_path: Path) -> None:
    """With ids and without, a run says the same, by the same scripts; findings name the ids that it sent."""
    plain, traced = Words(), Words()
    without, bare = run_at(plain, tmp_path / "plain", trace=False)
    cases, requests = run_at(traced, tmp_path / "traced", trace=True)
    said = [(one.id, one.verdict, one.message, one.curl) for one in cases.values()]
    assert said == [(one.id, one.verdict, one.message, one.curl) for one in without.values()]
    assert set(plain.traceparents) == {None}
    assert not any(one.traceparent for one in bare.values())
    assert sorted(one.traceparent for one in requests.values()) == sorted(map(str, traced.traceparents))
    failed = [one for one in cases.values() if one.verdict == "fail"]
    assert failed
    for case in failed:
        assert case.traces == tuple(requests[number].trace_id for number in case.proof)
        assert not any(trace in case.curl + case.message for trace in case.traces)
    assert not any(one.traces for one in without.values())


def test_saved_run_names_the_same_ids(tmp_path: Path) -> None:
    """The ledger gives every case again, with its ids."""
    cases, _ = run_at(Words(), tmp_path / "live", trace=True)
    again = Session.of_saved(SavedRun(tmp_path / "live" / LEDGER_FILE), tmp_path / "again")
    assert results_in(again) == cases


@pytest.mark.parametrize("text", ["", "00-" + "ab" * 16 + "-" + "cd" * 8 + "-01"])
def test_line_of_a_ledger_keeps_it(text: str, tmp_path: Path) -> None:
    """A line holds the id, and says nothing of it where there is none; what is no id is refused."""
    with session_of(Words(), tmp_path) as session:
        begin(session, CLAUSES)
        line = exchange_line(session.contents.exchanges[0])
    assert "traceparent" not in line["request"]
    assert line["request"]["body"] is None
    own = {**line, "request": {**line["request"], **({"traceparent": text} if text else {})}}
    assert exchange_of(own).request.traceparent == text
    with pytest.raises(ValueError, match="traceparent"):
        exchange_of({**line, "request": {**line["request"], "traceparent": "x\n"}})
