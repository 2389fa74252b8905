"""What changed, written down: changes.json, Markdown, the terminal, and the parts of other reports."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from conformance.selftest.support.sample_changes import between, turned
from conformance.selftest.support.sample_results import FAIL, FRIDGE, PASS, RUN, a_case, results_of
from reports.changes.files import (
    load_baseline,
    load_changes,
    render_changes,
    report_changes,
    save_baseline,
    write_changes,
)
from reports.changes.model import Baseline
from reports.changes.text import (
    changes_in_a_line,
    render_changes_lines,
    render_changes_markdown,
    render_changes_part,
    render_changes_text,
)
from reports.formats.summary import render_markdown
from reports.results.file import ResultsError
from reports.results.model import JudgedAppliance

if TYPE_CHECKING:
    from pathlib import Path

    from reports.changes.model import Comparison
    from reports.results.model import CaseResult

READ = a_case("READ-SETTING", "pass")
SPAN = re.compile(r"(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)")
"""A code span of Markdown."""
EVIL = [
    "<img src=x onerror=alert(1)>",
    "`` ` ```",
    "[x](http://evil)",
    "@everyone",
    "| a | b |",
    "\x1b[31m\u202ered",
]


@pytest.fixture
def comparison() -> Comparison:
    """A comparison with something of each kind: new, fixed and changed failures, a key and an appliance."""
    fixed, odd = (
        a_case("TYPE-INTEGER", "fail", message="was wrong"),
        a_case("TYPE-NOTNULL", "fail", message="is red"),
    )
    new = (
        turned(PASS, "fail", "is wrong"),
        turned(fixed, "pass"),
        replace(odd, message="is blue"),
        turned(READ, "not_applicable"),
    )
    before = replace(PASS, id=f"RANGE-{PASS.id}")
    old = results_of(before, fixed, odd, READ, run=replace(RUN, appliances=(FRIDGE,)))
    return between(old, results_of(turned(before, "fail", "is wrong"), *new[1:]))


def crowd(number: int, message: str) -> list[CaseResult]:
    """Many cases that fail with one finding."""
    return [
        a_case("TYPE-INTEGER", "fail", key=f"Vendor.Common.Setting.K{count}", message=message)
        for count in range(number)
    ]


def test_changes_are_counted_in_a_line(comparison: Comparison) -> None:
    """The headline counts what got worse first; nothing changed, and nothing in common, are said as well."""
    assert changes_in_a_line(comparison) == (
        "Since the baseline: 1 new failure, 1 vanished key, 1 fixed failure, 1 failure with another finding"
    )
    assert (
        changes_in_a_line(between(results_of(PASS), results_of(PASS)))
        == "Since the baseline: nothing changed"
    )
    assert (
        changes_in_a_line(between(results_of(PASS), results_of(FAIL)))
        == "Nothing to compare: the runs have no case in common"
    )


@pytest.mark.parametrize("rendering", [render_changes_markdown, render_changes_text])
def test_every_change_is_told_with_its_cause(comparison: Comparison, rendering: object) -> None:
    """Each change stands under its title with case, cause, and the findings now and before."""
    assert callable(rendering)
    text = str(rendering(comparison))
    titles = (
        "1 new failure",
        "1 vanished key",
        "1 fixed failure",
        "1 failure with another finding",
        "appliances that came",
    )
    assert [text.index(title) for title in titles] == sorted(text.index(title) for title in titles)
    for said in (
        "is wrong",
        "was wrong",
        "is red",
        "is blue",
        "was pass; the server changed",
        "was fail, is pass",
        "oven-1",
    ):
        assert said in text


def test_same_changes_give_the_same_bytes(comparison: Comparison, tmp_path: Path) -> None:
    """What is written and read back is the same record, and renders to the same bytes."""
    write_changes(comparison, tmp_path)
    again = load_changes(tmp_path, RUN.started)
    assert again == comparison
    assert render_changes(comparison) == (tmp_path / "changes.json").read_text(encoding="utf-8")


def test_members_of_changes_are_plain(comparison: Comparison) -> None:
    """changes.json names its schema and the gate, and holds one change a line, in their order."""
    text = render_changes(comparison)
    document = json.loads(text)
    assert (document["schema"], document["gate"]) == ("appliance-conformance/changes/1", 1)
    assert {change["change"] for change in document["changes"]} == {"new_failure", "fixed", "changed"}
    assert sum(line.startswith(' {"id": ') for line in text.splitlines()) == 3


@pytest.mark.parametrize(
    "text", ["", "[]", '{"schema": "other/1"}', '{"schema": "appliance-conformance/changes/1"}']
)
def test_foreign_changes_are_none(text: str, tmp_path: Path) -> None:
    """A changes.json that is none of ours, or cut, is shown by no report."""
    (tmp_path / "changes.json").write_text(text, encoding="utf-8")
    assert load_changes(tmp_path, RUN.started) is None


def test_changes_of_another_run_are_none(comparison: Comparison, tmp_path: Path) -> None:
    """A changes.json that an earlier run has left is shown by no report of a later one."""
    write_changes(comparison, tmp_path)
    assert load_changes(tmp_path, "2026-11-22T09:00:00Z") is None


@pytest.mark.parametrize("evil", EVIL)
def test_markdown_keeps_server_text_in_code(evil: str) -> None:
    """A server's text stands in a code span wherever it appears; nothing of it steers a terminal."""
    target, oven = replace(RUN.target, name=evil, base_url=evil), JudgedAppliance(evil, evil)
    case = replace(a_case("READ-SETTING", "pass"), key=evil, ha_id=evil, id=f"READ-SETTING::{evil}@{evil}")
    new = results_of(
        turned(case, "fail", evil),
        turned(PASS, "inconclusive", evil),
        run=replace(RUN, target=target, appliances=(oven,)),
    )
    comparison = between(results_of(case, PASS), new, places=(evil,))
    markdown = render_changes_markdown(comparison) + render_changes_part(comparison)
    shown = evil if evil.isprintable() else "\\x1b[31m\\u202ered"
    assert markdown.count(shown) >= 10
    rest = SPAN.sub("", markdown)
    assert shown not in rest
    assert "`" not in rest
    assert render_changes_text(comparison).replace("\n", "").isprintable()
    assert "".join(render_changes_lines(comparison)).isprintable()


def test_long_lists_are_cut() -> None:
    """Fifty of many changes are shown with what is left out, far below 1 MiB whatever a server has sent."""
    comparison = between(
        results_of(*(turned(case, "pass") for case in crowd(900, ""))), results_of(*crowd(900, "x" * 5000))
    )
    markdown = render_changes_markdown(comparison)
    assert markdown.count("`TYPE-INTEGER::") == 50
    assert "… and 850 more: see changes.json" in markdown
    assert len(markdown.encode()) < 100_000
    assert render_changes_lines(comparison)[-1] == "    … and 890 more in changes.md"
    assert render_changes_part(comparison).count("\n- new failure") == 20


def test_newly_inconclusive_cases_are_counted_by_reason() -> None:
    """An outage is one line with its number, not a line a case."""
    cases = crowd(900, "")
    new = results_of(*(turned(case, "inconclusive", f"{case.key} gave no answer") for case in cases))
    markdown = render_changes_markdown(between(results_of(*(turned(case, "pass") for case in cases)), new))
    assert "### 900 newly inconclusive cases" in markdown
    assert "- 900 × `<key> gave no answer`" in markdown  # noqa: RUF001  the sign says times
    assert markdown.count("TYPE-INTEGER::") == 1


def test_summary_tells_the_changes(comparison: Comparison) -> None:
    """summary.md says what changed where there is a baseline, and nothing of it where there is none."""
    results = results_of(PASS)
    assert "### Since the baseline: 1 new failure" in render_markdown(results, None, comparison)
    assert "baseline" not in render_markdown(results)


def test_baseline_is_kept_whole(tmp_path: Path) -> None:
    """What is kept of a baseline comes back the same, judged again or not."""
    old = results_of(PASS)
    for baseline in (
        Baseline(old, reason="gone"),
        Baseline(old, old, results_of(FAIL), "", ("pace",), ("0.1.0", "ab")),
    ):
        kept = tmp_path / str(bool(baseline.again))
        save_baseline(baseline, kept)
        assert load_baseline(kept) == baseline


def test_baseline_that_was_not_kept_is_refused(tmp_path: Path) -> None:
    """A directory that holds no baseline is refused."""
    with pytest.raises(ResultsError, match=r"said\.json"):
        load_baseline(tmp_path)


def test_comparison_that_breaks_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A comparison that cannot be made costs the run nothing, and is said."""
    monkeypatch.setattr("reports.changes.files.compare", None)
    (fault,) = report_changes(Baseline(results_of(PASS)), results_of(PASS), tmp_path)
    assert fault.startswith("changes.json could not be made: TypeError")
