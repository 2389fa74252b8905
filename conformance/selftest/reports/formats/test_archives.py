"""Files that other tools read by their own schemas: exchanges as HAR, cases as CTRF."""

import base64
import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema_rs import validate
from msgspec.structs import replace

from conformance.records.run_facts import RunFacts
from conformance.selftest.support.samples.results import (
    ABSENT,
    ERROR,
    FAIL,
    PASS,
    RUN,
    SEEN,
    UNSURE,
    results_of,
)
from reports.formats.ctrf import render_ctrf
from reports.formats.har import export_har

Schema = dict[str, Any]
TEXT: Schema = {"type": "string"}
INTEGER: Schema = {"type": "integer"}


def needs(names: str, /, **properties: Schema) -> Schema:
    """An object with these members, with spaces between their names; of some it is said what they hold."""
    return {"type": "object", "required": names.split(), "properties": properties}


def needs_only(names: str, /, **properties: Schema) -> Schema:
    """The same, with no other members than those of which it is said what they hold."""
    return {**needs(names, **properties), "additionalProperties": False}


def rows(schema: Schema) -> Schema:
    """A list of such values."""
    return {"type": "array", "items": schema}


# The HTTP Archive: every exchange of a ledger.
READ: dict[str, Any] = {
    "n": 7,
    "purpose": "read",
    "groups": [],
    "lane": "one",
    "ha_id": "fridge-1",
    "key": "Vendor.Common.Setting.AlarmClock",
    "segment": "settings",
    "request": {"method": "GET", "url": "https://x/y?a=1&b=", "headers": [["accept", "*/*"]], "body": None},
    "response": {
        "status": 200,
        "headers": [["Content-Type", "application/json"], ["Set-Cookie", "a=1"], ["Set-Cookie", "b=2"]],
        "body": '{"data": "22 °C"}',
        "elapsed_ms": 4.2,
    },
    "at": "2026-11-21T09:00:00.001+00:00",
}
SENT = {
    "method": "PUT",
    "url": "https://x/y",
    "headers": [["content-type", "text/x"]],
    "body": '{"value": 5}',
}
FAILED = {**READ, "response": None, "failure": {"kind": "timeout", "text": "after 30 s"}}
NAMED = rows(needs("name value", name=TEXT, value=TEXT))
ENTRY = needs(
    "startedDateTime time request response cache timings",
    time={"type": "number", "minimum": 0},
    request=needs(
        "method url httpVersion cookies headers queryString headersSize bodySize",
        headers=NAMED,
        queryString=NAMED,
        postData=needs("mimeType text"),
    ),
    response=needs(
        "status statusText httpVersion cookies headers content redirectURL headersSize bodySize",
        status=INTEGER,
        headers=NAMED,
        content=needs("size mimeType"),
    ),
    timings=needs("send wait receive"),
)
"""What HAR 1.2 asks of an entry."""


def entries_of(tmp_path: Path, *lines: object) -> list[dict[str, Any]]:
    """The entries made of these lines, each of the shape the format asks for."""
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    (tmp_path / "evidence.ndjson").write_bytes("\n".join(texts).encode("utf-8", "surrogatepass"))
    archive = json.loads("".join(export_har(tmp_path / "evidence.ndjson", "0.1.0")))["log"]
    creator = {"name": "appliance-conformance", "version": "0.1.0"}
    assert (archive["version"], archive["creator"]) == ("1.2", creator)
    for entry in archive["entries"]:
        validate(ENTRY, entry)
    return archive["entries"]


def test_read_is_an_entry(tmp_path: Path) -> None:
    """An entry holds request, answer, time and what else the ledger knows; no header is lost."""
    (entry,) = entries_of(tmp_path, READ)
    assert (entry["startedDateTime"], entry["time"], entry["timings"]["wait"]) == (READ["at"], 4.2, 4.2)
    assert [(one["name"], one["value"]) for one in entry["request"]["queryString"]] == [("a", "1"), ("b", "")]
    assert [one["value"] for one in entry["response"]["headers"]] == ["application/json", "a=1", "b=2"]
    content = {"size": 18, "mimeType": "application/json", "text": '{"data": "22 °C"}'}
    assert (entry["response"]["status"], entry["response"]["content"]) == (200, content)
    said = json.loads(entry["comment"])
    assert said == {name: READ[name] for name in READ if name not in {"request", "response", "at"}}


def test_write_has_its_body(tmp_path: Path) -> None:
    """What was sent is the posted text, with its type and size."""
    (entry,) = entries_of(tmp_path, READ | {"request": SENT})
    assert entry["request"]["postData"] == {"mimeType": "text/x", "text": '{"value": 5}'}
    assert entry["request"]["bodySize"] == 12


def test_failure_has_status_0(tmp_path: Path) -> None:
    """An exchange without an answer has status 0, and a comment that says what happened."""
    (entry,) = entries_of(tmp_path, FAILED)
    assert (entry["response"]["status"], entry["response"]["comment"]) == (0, "no answer: timeout after 30 s")


@pytest.mark.parametrize("body", [b"\xff", b"\xff\x00\xfe"])
def test_bytes_stay_base64(body: bytes, tmp_path: Path) -> None:
    """A body that is no text is base64, with the size of its bytes."""
    coded = base64.b64encode(body).decode()
    answer = READ["response"] | {"body": coded, "body_encoding": "base64"}
    content = entries_of(tmp_path, READ | {"response": answer})[0]["response"]["content"]
    assert (content["encoding"], content["size"], content["text"]) == ("base64", len(body), coded)


def test_only_exchanges_are_entries(tmp_path: Path) -> None:
    """The first and the last line, a note, a line that is cut and one that holds too little give no entry."""
    run, note, end = {"purpose": "run"}, {"note": "refused"}, {"purpose": "end"}
    assert len(entries_of(tmp_path, run, READ, note, '{"n": 10, "requ', {"request": {}}, end)) == 1
    assert entries_of(tmp_path) == []


def test_archive_comes_in_pieces(tmp_path: Path) -> None:
    """No piece is longer than an entry, so that a ledger of any size can be exported."""
    (tmp_path / "evidence.ndjson").write_text("\n".join([json.dumps(READ)] * 50), encoding="utf-8")
    assert max(len(piece) for piece in export_har(tmp_path / "evidence.ndjson", "0.1.0")) < 3_000


# CTRF: every case.
EXTRA: Schema = {"type": "object"}


CTRF = needs_only(
    "reportFormat specVersion results",
    reportFormat={"const": "CTRF"},
    specVersion={"type": "string", "pattern": r"^\d+\.\d+\.\d+$"},
    results=needs_only(
        "tool summary tests",
        tool=needs("name", name={"minLength": 1}, version=TEXT),
        summary={
            **needs("tests passed failed skipped pending other start stop", extra=EXTRA),
            "additionalProperties": INTEGER,
        },
        environment=needs_only("", appName=TEXT, appVersion=TEXT, extra=EXTRA),
        tests=rows(
            needs_only(
                "name status duration",
                name={"type": "string", "minLength": 1},
                status={"enum": ["passed", "failed", "skipped", "pending", "other"]},
                rawStatus=TEXT,
                duration=INTEGER,
                suite={**rows(TEXT), "minItems": 1},
                labels={"type": "object", "additionalProperties": {"type": ["string", "number", "boolean"]}},
                message=TEXT,
            )
        ),
    ),
)
"""What the schema of CTRF asks of the members that are written here."""


@pytest.mark.parametrize("run", [RUN, replace(RUN, started="then")])
def test_ctrf_is_what_its_schema_asks(run: RunFacts) -> None:
    """The document fits the schema with every verdict, without a case, and without a time."""
    waived = replace(FAIL, id="w", waived=True, message="lone \ud83d")
    for cases in ((), (PASS, FAIL, UNSURE, SEEN, ERROR, ABSENT, waived)):
        validate(CTRF, json.loads("".join(render_ctrf(results_of(*cases, run=run, faults=["x"])))))


def test_ctrf_has_a_case_a_line() -> None:
    """Each case stands on a line of its own, so that the file can be searched and compared by line."""
    lines = "".join(render_ctrf(results_of(PASS, FAIL))).splitlines()
    assert [case.id in line for case, line in zip((PASS, FAIL), lines[-5:-3], strict=True)] == [True, True]


def test_ctrf_does_not_fail_for_what_is_waived() -> None:
    """An expected failure is not counted as failed, and says what it is."""
    document = json.loads("".join(render_ctrf(results_of(replace(FAIL, waived=True, message="38341")))))
    (test,) = document["results"]["tests"]
    assert (test["status"], test["rawStatus"], test["message"]) == ("skipped", "fail", "waived: 38341")


def test_ctrf_never_calls_the_undecided_passed() -> None:
    """CTRF counts add up, and only a pass is passed."""
    document = json.loads("".join(render_ctrf(results_of(PASS, FAIL, UNSURE, SEEN, ABSENT))))["results"]
    assert {test["rawStatus"]: test["status"] for test in document["tests"]} == {
        "pass": "passed",
        "fail": "failed",
        "inconclusive": "other",
        "observed": "other",
        "not_applicable": "skipped",
    }
    summary = document["summary"]
    statuses = ("passed", "failed", "skipped", "pending", "other")
    assert summary["tests"] == sum(summary[status] for status in statuses) == 5
    assert summary["stop"] - summary["start"] == 251_000
