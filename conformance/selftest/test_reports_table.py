"""cases.html: the rows pytest-html shows, parsed as a browser would."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from catalog.loader import load_catalog
from conformance.selftest.test_reports_collector import CONFTEST, run_pytest
from conformance.selftest.test_reports_page import CURL, HOSTILE, Seen, assert_harmless
from conformance.selftest.test_reports_results import ABSENT, ALARM, FAIL, PASS, RUN, SEEN, a_case
from reports.attached import attach
from reports.results import CaseResult
from reports.table import MOST_FAILED, Table

if TYPE_CHECKING:
    from pathlib import Path


def report_of(case: CaseResult) -> pytest.TestReport:
    """The report of a test that attached this case."""
    report = pytest.TestReport("test_items.py::test_a", ("test_items.py", 0, "test_a"), {}, "passed", None, "call")
    attach(report, case, 0)
    return report


def row_of(table: Table, case: CaseResult) -> tuple[list[str], str]:
    """The cells of a case and what opens below them."""
    cells, below = ["the cells", "of pytest-html"], ["<a traceback>"]
    table.pytest_html_results_table_row(report_of(case), cells)
    table.pytest_html_results_table_html(report_of(case), below)
    return cells, "".join(below)


@pytest.fixture
def table() -> Table:
    """A table of the staging hub."""
    return Table(load_catalog(), RUN.target)


@pytest.mark.parametrize("text", HOSTILE)
def test_server_text_stays_text(table: Table, text: str) -> None:
    """A message, a key, a name and a curl line are text in every cell."""
    case = CaseResult(f"{text}@", text, f"{ALARM}{text}", text, text, "fail", text, text, (1,), text)
    cells, below = row_of(table, case)
    page = Seen("<table><tr>" + "".join(cells) + "</tr></table>" + below)
    assert_harmless(page)
    assert page.text.count(text) >= 5
    assert "a traceback" not in page.text


def test_finding_shows_sentence_and_curl(table: Table) -> None:
    """Below a row stand the finding, the sentence of the clause with its line, and the curl line."""
    _, below = row_of(table, a_case("RANGE-ALARMCLOCK", "fail", message="38341 is too much", curl=CURL))
    clause = load_catalog().clauses["RANGE-ALARMCLOCK"]
    text = Seen(below).text
    for said in ("38341 is too much", f"line {clause.line}: > {clause.quote}", CURL):
        assert said in text


@pytest.mark.parametrize("case", [PASS, ABSENT])
def test_plain_rows_are_folded(table: Table, case: CaseResult) -> None:
    """A pass and a case that is not applicable have no row; a sentence counts them."""
    assert row_of(table, case)[0] == []
    summary: list[str] = []
    table.pytest_html_results_summary(summary)
    assert "without a row of their own: 1 " in "".join(summary)


@pytest.mark.parametrize("case", [FAIL, SEEN])
def test_telling_rows_are_kept(table: Table, case: CaseResult) -> None:
    """A finding and an observation have a row with clause, key, kind, haId and verdict."""
    text = Seen("|".join(row_of(table, case)[0])).text.split("|")
    assert text[:4] == [case.clause, case.key, case.kind, case.ha_id]


def test_table_stays_small(table: Table) -> None:
    """Beyond the most rows a case has none, and the summary says how many have not."""
    kept = [row_of(table, a_case("TYPE-INTEGER", "fail", key=f"key{number}"))[0] for number in range(MOST_FAILED + 5)]
    summary: list[str] = []
    table.pytest_html_results_summary(summary)
    assert len([cells for cells in kept if cells]) == MOST_FAILED
    assert "5 further cases" in "".join(summary)


TABLE_TOO = CONFTEST + "    from reports.table import Table\n    config.pluginmanager.register(Table(load_catalog(), RUN.target))\n"
HOSTILE_ITEMS = """
@pytest.mark.parametrize("name", ["TYPE-INTEGER", "TYPE-FLOAT"])
def test_a(attach, name):
    attach(name, "fail", message='Even <img src=x onerror=alert(1)> is "><script>alert(1)</script>')
    raise AssertionError('Even <img src=x onerror=alert(1)>')
def test_b(attach): attach("TYPE-ENUM", "pass")
"""


def test_whole_page_of_pytest_html(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The page pytest-html writes has a row for each finding, none for the pass, and no tag of a server's text."""
    monkeypatch.setattr("conformance.selftest.test_reports_collector.CONFTEST", TABLE_TOO)
    plugins = ("-p", "pytest_html.plugin", "-p", "pytest_metadata.plugin", "-p", "xdist.plugin", "-n2")
    run_pytest(tmp_path, HOSTILE_ITEMS, *plugins, "--html=out/cases.html", "--self-contained-html")
    page = Seen((tmp_path / "out" / "cases.html").read_text(encoding="utf-8"))
    blob = next(str(attributes["data-jsonblob"]) for _, attributes in page.tags if "data-jsonblob" in attributes)
    data = json.loads(blob)
    assert data["environment"] == {"target": "hub", "base address": "http://127.0.0.1"}
    rows: list[dict[str, Any]] = [row for rows in data["tests"].values() for row in rows]
    assert len(rows) == 2
    for row in rows:
        assert_harmless(Seen("".join(row["resultsTableRow"]) + row["log"]))
        assert (row["result"], row["verdict"]) == ("Failed", "fail")
    assert not page.named("img")[1:]
