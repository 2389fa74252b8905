"""Ids of requests: each has its own, findings name them, and no verdict rests on them."""

import re
from pathlib import Path

import pytest
from msgspec.structs import replace

from conformance.harness.ledger import read_ledger
from conformance.mutants.hostile.model import Asked, Piece
from conformance.proof.in_process import BASE_URL
from conformance.records.ledger_lines import LEDGER_FILE, exchange_line, exchange_of
from conformance.records.results import CaseResult
from conformance.reference.wire import Incoming, Reply
from conformance.selftest.support.judged_runs import run_of
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
    """With ids and without, a run says the same, by the same scripts; findings name the ids that it sent."""
    cases: list[list[CaseResult]] = []
    for name, more in (("plain", {}), ("traced", {"trace": True})):
        service, target = Words(), {"name": "hub", "base_url": BASE_URL, **more}
        ran = run_of(service, tmp_path / name, "read", {"target": target}, clauses=CLAUSES)
        results = (judged.result for judged in ran.cases.values())
        cases.append([one for one in results if isinstance(one, CaseResult)])
        heard = service.traceparents
        sent = {one.n: one.request for one in read_ledger(ran.out / LEDGER_FILE).exchanges}
        assert sorted(one.traceparent for one in sent.values()) == sorted(one or "" for one in heard)
        for case in cases[-1]:
            is_named = case.verdict == "fail" and name == "traced"
            assert case.traces == tuple(sent[number].trace_id for number in case.proof if is_named)
            assert not any(trace in case.curl + case.message for trace in case.traces)
    plain, traced = ([(one.id, one.verdict, one.message, one.curl) for one in each] for each in cases)
    assert plain == traced
    assert any(one.traces for one in cases[1])


def test_what_is_no_id_is_refused() -> None:
    """Where the line of a ledger was altered."""
    line = exchange_line(value(ANCHOR, 5))
    with pytest.raises(ValueError, match="traceparent"):
        exchange_of({**line, "request": {**line["request"], "traceparent": "x\n"}})
