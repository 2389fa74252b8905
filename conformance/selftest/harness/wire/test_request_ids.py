"""Ids of requests: each has its own, findings name them, and no verdict rests on them."""

import re
from pathlib import Path

import pytest
from msgspec.structs import replace

from conformance.checks.exchange import Request
from conformance.harness.ledger import read_ledger
from conformance.mutants.hostile.model import Asked, Piece
from conformance.proof.in_process import BASE_URL
from conformance.records.ledger_lines import LEDGER_FILE, exchange_line, exchange_of
from conformance.records.results import CaseResult
from conformance.reference.wire import Incoming, Reply
from conformance.runs.saved.saved_run import SavedRun
from conformance.runs.session import Session
from conformance.selftest.support.judged_runs import judge_all, session_of
from conformance.selftest.support.samples.handmade import ANCHOR, value
from conformance.selftest.support.servers.raw_server import (
    attempts_of,
    http,
    profile_at,
    raw_server,
)
from conformance.selftest.support.servers.recording import Small

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
