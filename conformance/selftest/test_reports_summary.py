"""The short renderings: Markdown, badge, CTRF, and the entry that makes them from a file."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from catalog.loader import load_catalog
from conformance.selftest.test_reports_results import FAIL, PASS, RUN, SEEN, UNSURE, a_case, results_of
from reports.ctrf import render_ctrf
from reports.render import BY_FORMAT, RENDERINGS, produce, render
from reports.results import Target, load_results, write_results
from reports.summary import render_badge, render_markdown

if TYPE_CHECKING:
    from pathlib import Path

    from reports.render import Format
    from reports.results import CaseResult


def test_markdown_shows_fifty_findings_at_most() -> None:
    """A summary with many findings shows fifty, says how many more there are, and stays far below 1 MiB."""
    cases = [a_case("TYPE-INTEGER", "fail", key=f"Vendor.Common.Setting.K{number}", message="x" * 5000) for number in range(80)]
    text = render_markdown(results_of(*cases))
    assert text.count("`TYPE-INTEGER::") == 50
    assert "30 more" in text
    assert len(text.encode()) < 100_000
    scripts = [a_case("TYPE-INTEGER", "fail", key=f"k{number}", curl="\n".join(["x" * 1900] * 90)) for number in range(80)]
    assert len(render_markdown(results_of(*scripts)).encode()) < 500_000


@pytest.mark.parametrize("text", ["<img src=x onerror=alert(1)>", "`` ` ```", "[x](http://evil)", "@everyone", "| a | b |"])
def test_markdown_keeps_server_text_in_code(text: str) -> None:
    """A server's text stands in a code span that it cannot end."""
    run = replace(RUN, target=Target(text, "https://x", "Vendor", "", ""))
    lines = [line for line in render_markdown(results_of(replace(FAIL, message=text), run=run)).splitlines() if text in line]
    assert len(lines) >= 2
    for line in lines:
        before, _, after = line.partition(text)
        fence = before.rstrip()[len(before.rstrip().rstrip("`")) :]
        assert fence
        assert fence not in text
        assert after.lstrip().startswith(fence)


def test_markdown_escapes_names_in_its_sentences() -> None:
    """The name of an appliance that gave nothing is escaped where it stands in a sentence."""
    silent = replace(a_case("ADDR-BASE", "inconclusive", key="*"), ha_id="<b>x")
    text = render_markdown(results_of(silent))
    assert "\\<b\\>x." in text
    assert "<b>x." not in text


@pytest.mark.parametrize(
    ("cases", "message", "color"),
    [((PASS,), "conforms (read)", "brightgreen"), ((PASS, FAIL), "1 finding", "red"), ((UNSURE,), "inconclusive", "yellow")],
)
def test_badge(cases: tuple[CaseResult, ...], message: str, color: str) -> None:
    """The badge says the verdict in a word and a color."""
    badge = json.loads(render_badge(results_of(*cases)))
    assert badge == {"schemaVersion": 1, "label": "conformance", "message": message, "color": color}


def test_ctrf_never_calls_the_undecided_passed() -> None:
    """CTRF counts add up, and only a pass is passed."""
    document = json.loads(render_ctrf(results_of(PASS, FAIL, UNSURE, SEEN, a_case("TYPE-BOOLEAN", "not_applicable"))))["results"]
    assert {test["rawStatus"]: test["status"] for test in document["tests"]} == {
        "pass": "passed",
        "fail": "failed",
        "inconclusive": "other",
        "observed": "other",
        "not_applicable": "skipped",
    }
    summary = document["summary"]
    assert summary["tests"] == sum(summary[status] for status in ("passed", "failed", "skipped", "pending", "other")) == 5
    assert summary["stop"] - summary["start"] == 251_000


@pytest.mark.parametrize("form", BY_FORMAT)
def test_saved_results_render_alike(tmp_path: Path, form: Format) -> None:
    """Results read from their file give the same text, time and again."""
    write_results(results_of(PASS, FAIL, UNSURE), tmp_path / "results.json")
    assert render(tmp_path / "results.json", form) == render(tmp_path / "results.json", form) != ""


def test_broken_rendering_leaves_the_others(tmp_path: Path) -> None:
    """A renderer that raises is named, and the others are written all the same; one that has nothing to say makes no file."""

    def broken(*_: object) -> str:
        raise LookupError("no such thing")

    said = produce(results_of(PASS), tmp_path, load_catalog(), {"a.html": broken, **RENDERINGS})
    assert said == ("a.html could not be made: LookupError: no such thing",)
    assert {path.name for path in tmp_path.iterdir()} == set(RENDERINGS) - {"certificate.json"}


def test_written_files_hold_what_was_read(tmp_path: Path) -> None:
    """report.html made from the file equals report.html made at the end of the run."""
    results = results_of(PASS, replace(FAIL, message="lone \ud83d"))
    write_results(results, tmp_path / "results.json")
    produce(results, tmp_path, load_catalog(), RENDERINGS)
    again = render(tmp_path / "results.json", "html").encode("utf-8", "backslashreplace")
    assert load_results(tmp_path / "results.json") == results
    assert (tmp_path / "report.html").read_bytes() == again
