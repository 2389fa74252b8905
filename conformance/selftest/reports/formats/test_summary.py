"""The short renderings: Markdown, badge, CTRF, and the entry that makes them from a file."""

import json
from pathlib import Path

import pytest
from jsonschema_rs import validate
from msgspec.structs import replace

from catalog.loader import load_catalog
from conformance.records.results import Results, WaiverResult
from conformance.records.run_facts import JudgedAppliance, JudgedTarget, RunFacts
from conformance.selftest.support.commanding import run, said
from conformance.selftest.support.samples.json_schemas import INTEGER, TEXT, Schema, needs, needs_only, rows
from conformance.selftest.support.samples.results import (
    ABSENT,
    ERROR,
    FAIL,
    PASS,
    RUN,
    SEEN,
    UNSURE,
    a_case,
    results_of,
)
from reports.formats.ctrf import render_ctrf
from reports.formats.summary import (
    MOST_BYTES,
    MOST_PAGE_BYTES,
    VARIABLE,
    append_summary,
    render_markdown,
)
from reports.renderings import RENDERINGS, write_renderings

SMILES = "\U0001f600" * 2_000
"""A text that takes four bytes a character."""
MANY = [
    a_case("TYPE-INTEGER", "fail", key=f"k{number}{SMILES}", message=SMILES, curl="\n".join([SMILES] * 9))
    for number in range(80)
]
SILENT = [
    replace(a_case("ADDR-BASE", "inconclusive", key="*"), id=f"s{number}", ha_id=f"{number}{SMILES}")
    for number in range(40)
]
STALE = tuple(WaiverResult(f"{number} \u202e{SMILES}", "", "", "", "expired") for number in range(900))
FAULTS = [f"{number} {SMILES}" for number in range(900)]
KINDS = tuple(JudgedAppliance(str(number), f"{number}{SMILES}") for number in range(300))


@pytest.mark.parametrize(
    "results",
    [
        results_of(*MANY),
        results_of(*SILENT, *MANY),
        results_of(PASS, run=replace(RUN, appliances=KINDS)),
    ],
    ids=["findings", "appliances that are silent", "kinds"],
)
def test_markdown_stays_under_a_mebibyte(results: Results) -> None:
    """The summary stays small enough for a build server, and says what is left out."""
    text = render_markdown(results)
    assert len(text.encode()) < MOST_BYTES + 1000 < 1_048_576
    assert "left out to keep the summary short" in text
    assert text.startswith(("## ", "**"))


def test_trouble_leaves_room_for_the_verdict() -> None:
    """Of many faults and waivers some are named, and the others counted, before the verdict."""
    text = render_markdown(replace(results_of(PASS, faults=FAULTS), waivers=STALE))
    assert len(text.encode()) < MOST_BYTES / 5
    assert text.count("and 880 more in report.html") == 2
    assert "## Not judged: the suite is at fault" in text


@pytest.mark.parametrize(
    "text", ["<img src=x onerror=alert(1)>", "`` ` ```", "[x](http://evil)", "@everyone", "| a | b |"]
)
def test_markdown_keeps_server_text_in_code(text: str) -> None:
    """A server's text stands in a code span that it cannot end."""
    run = replace(RUN, target=JudgedTarget(text, "https://x", "Vendor", "", ""))
    summary = render_markdown(results_of(replace(FAIL, message=text), run=run))
    lines = [line for line in summary.splitlines() if text in line]
    assert len(lines) >= 2
    for line in lines:
        before, _, after = line.partition(text)
        fence = before.rstrip()[len(before.rstrip().rstrip("`")) :]
        assert (bool(fence), fence in text, after.lstrip().startswith(fence)) == (True, False, True)


def test_markdown_escapes_names_in_its_sentences() -> None:
    """The name of an appliance that gave nothing is escaped where it stands in a sentence."""
    text = render_markdown(results_of(replace(a_case("ADDR-BASE", "inconclusive", key="*"), ha_id="<b>x")))
    assert ("\\<b\\>x: " in text, "<b>x: " in text) == (True, False)


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


def test_markdown_shows_fifty_findings_at_most() -> None:
    """A summary with many findings shows fifty, says how many more there are, and stays far below 1 MiB."""
    script = "\n".join(["x" * 1900] * 90)
    cases = [a_case("TYPE-INTEGER", "fail", f"k{n}", message="x" * 5000, curl=script) for n in range(80)]
    text = render_markdown(results_of(*cases))
    assert (text.count("`TYPE-INTEGER::"), "30 further findings" in text) == (50, True)
    assert len(text.encode()) < 600_000


def test_broken_rendering_leaves_the_others(tmp_path: Path) -> None:
    """A renderer that raises is named and the others are written; an empty text makes no file."""

    def broken(*_: object) -> str:
        raise LookupError("no such thing")

    said = write_renderings(results_of(PASS), tmp_path, load_catalog(), {"a.html": broken, **RENDERINGS})
    assert said == ("a.html could not be made: LookupError: no such thing",)
    assert {path.name for path in tmp_path.iterdir()} == set(RENDERINGS) - {"certificate.json"}


SELECTED = ("reference", "--level", "read", "--", "-k", "ChildLock and oven-1")


@pytest.fixture
def summary(tmp_path: Path) -> Path:
    """A summary of a run."""
    (tmp_path / "summary.md").write_text("## Conforms\n", encoding="utf-8")
    return tmp_path / "summary.md"


def test_summary_is_added_to_what_is_there(summary: Path, tmp_path: Path) -> None:
    """What other steps have written stays, and the summary follows it."""
    (tmp_path / "page").write_text("before\n", encoding="utf-8")
    assert append_summary(summary, {VARIABLE: str(tmp_path / "page")}) == ""
    assert (tmp_path / "page").read_text(encoding="utf-8") == "before\n## Conforms\n"


@pytest.mark.parametrize("environment", [{}, {VARIABLE: ""}])
def test_nothing_is_added_where_no_page_is_named(summary: Path, environment: dict[str, str]) -> None:
    """Outside such a job nothing is written and nothing is said."""
    assert append_summary(summary, environment) == ""


def test_page_does_not_grow_beyond_what_is_shown(summary: Path, tmp_path: Path) -> None:
    """Where the page would be dropped for its size, it stays as it is."""
    (tmp_path / "page").write_bytes(b"x" * (MOST_PAGE_BYTES - 5))
    assert "1 MiB" in append_summary(summary, {VARIABLE: str(tmp_path / "page")})
    assert (tmp_path / "page").stat().st_size == MOST_PAGE_BYTES - 5


def test_run_and_judge_add_their_summaries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each command adds the very summary.md it has written."""
    ran = run(tmp_path, *SELECTED, env={VARIABLE: str(tmp_path / "page")})
    assert (tmp_path / "page").read_bytes() == (ran.out / "summary.md").read_bytes()
    monkeypatch.setenv(VARIABLE, str(tmp_path / "other"))
    said("judge", str(ran.out / "evidence.ndjson"), "--out", str(tmp_path / "again"), *SELECTED[3:])
    assert (tmp_path / "other").read_bytes() == (tmp_path / "again" / "summary.md").read_bytes()


def test_run_is_not_changed_by_its_page(tmp_path: Path) -> None:
    """Where the summary cannot be added, the run says so and ends as it would."""
    ran = run(tmp_path, *SELECTED, env={VARIABLE: str(tmp_path)})
    assert ran.code == 0
    assert f"{VARIABLE}: summary.md is not added" in ran.output
