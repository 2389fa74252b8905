"""The HTTP Archive: every exchange of a ledger as tools for archives read it, whatever the lines hold."""

import base64
import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema_rs import validate

from conformance.selftest.support.samples.json_schemas import INTEGER, TEXT, needs, rows
from reports.formats.har import export_har

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
SCHEMA = needs(
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
        validate(SCHEMA, entry)
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
    """The first and the last line, a note and a line that is cut give no entry."""
    run, note, end = {"purpose": "run"}, {"note": "refused"}, {"purpose": "end"}
    assert len(entries_of(tmp_path, run, READ, note, '{"n": 10, "requ', end)) == 1
    assert entries_of(tmp_path) == []


@pytest.mark.parametrize(
    "line",
    [
        {"request": {}},
        READ | {"request": SENT | {"url": "http://[x", "headers": [["a"], 5, ["b", 1]], "body": {"a": 1}}},
        READ | {"response": READ["response"] | {"status": "200"}},
        READ | {"response": READ["response"] | {"body": "\ud83d"}},
        READ | {"at": "\ud83d"},
    ],
)
def test_lines_of_others_give_no_entry(line: dict[str, Any], tmp_path: Path) -> None:
    """A line that lacks members, or holds others than the suite writes, is passed over."""
    assert len(entries_of(tmp_path, line, READ)) == 1


def test_archive_comes_in_pieces(tmp_path: Path) -> None:
    """No piece is longer than an entry, so that a ledger of any size can be exported."""
    (tmp_path / "evidence.ndjson").write_text("\n".join([json.dumps(READ)] * 50), encoding="utf-8")
    assert max(len(piece) for piece in export_har(tmp_path / "evidence.ndjson", "0.1.0")) < 3_000
