"""cases.html: the page pytest-html makes of saved cases, parsed as a browser would."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from catalog.loader import load_catalog
from conformance.records.results import CaseResult
from conformance.selftest.support.collected import PASSES, run_pytest
from conformance.selftest.support.samples.pages import CURL
from conformance.selftest.support.samples.results import (
    ABSENT,
    ERROR,
    FAIL,
    PASS,
    RUN,
    SEEN,
    UNSURE,
    a_case,
)
from conformance.selftest.support.samples.tables import page_of
from reports.limits import CASES


def test_row_shows_the_finding_and_opens_sentence_and_curl() -> None:
    """The finding stands in the row; below it, folded, the sentence with its line and the curl line."""
    page = page_of(a_case("RANGE-ALARMCLOCK", "fail", message="38341 is too much", curl=CURL))
    clause = load_catalog().clauses["RANGE-ALARMCLOCK"]
    assert page.cells[0][-1] == "38341 is too much"
    for said in (f"line {clause.line}: > {clause.quote}", CURL):
        assert said in page.below[0].text
    assert page.data["renderCollapsed"] == ["all"]


def test_plain_rows_are_folded() -> None:
    """A pass and a case that is not applicable have no row; a sentence counts them."""
    page = page_of(PASS, ABSENT)
    assert page.rows == []
    assert "without a row of their own: 1 pass · 1 not applicable" in page.seen.text


@pytest.mark.parametrize(
    ("case", "result"), [(FAIL, "Failed"), (ERROR, "Error"), (UNSURE, "Skipped"), (SEEN, "Passed")]
)
def test_telling_rows_are_kept(case: CaseResult, result: str) -> None:
    """A case that tells something has a row with its columns, and a word that the filter knows."""
    page = page_of(case)
    assert page.cells == [[case.clause, case.key, case.kind, case.ha_id, case.verdict, case.message]]
    assert (page.rows[0]["result"], page.rows[0]["verdict"]) == (result, case.verdict)
    assert page.seen.text.count(f"1 {case.verdict}") == 2  # in the sentence and beside the filter


def test_waived_row_says_so() -> None:
    """The verdict of an expected failure says that it is waived."""
    assert page_of(replace(FAIL, waived=True)).cells[0][4] == "fail, waived"


def test_table_stays_small() -> None:
    """Beyond the most rows a case has none, and the summary says how many of each verdict have not, and where
    they are; what was only observed leaves its room to what is inconclusive.
    """
    failed = [a_case("TYPE-INTEGER", "fail", key=f"key{number}") for number in range(CASES.findings + 5)]
    others = [a_case("TYPE-INTEGER", "observed", key=f"other{number}") for number in range(CASES.rows + 2)]
    page = page_of(*others, UNSURE, *failed)
    assert len(page.rows) == CASES.findings + CASES.rows
    assert [row["verdict"] for row in page.rows[CASES.findings - 1 : CASES.findings + 1]] == [
        "fail",
        "inconclusive",
    ]
    assert "to keep the table usable: 5 fail · 3 observed. results.json has every case" in page.seen.text


def test_page_says_the_verdict_first() -> None:
    """The headline of the run stands above the counts, and the verdict of a row has its color."""
    page = page_of(PASS, FAIL)
    assert "Does not conform" in page.seen.text[: page.seen.text.index("staging hub at")]
    assert page.seen.named("p")[1:2] == [{"class": "fail"}]
    assert "prefers-color-scheme: dark" in "".join(page.seen.scripts)


def test_page_names_the_target_and_the_time_of_the_run() -> None:
    """Title, environment and times are those of the run, none of the machine that makes the page."""
    page = page_of(FAIL)
    assert page.data["environment"] == {"target": RUN.target.name, "base address": RUN.target.base_url}
    for said in (
        "Cases: staging hub",
        "Judged 21 Nov 2026, 09:00:00 to 09:04:11 UTC",
        "JavaScript",
    ):
        assert said in page.seen.text
    assert {"href": "report.html"} in page.seen.named("a")


def test_page_is_of_the_session_that_judges(tmp_path: Path) -> None:
    """Without the plugin there is no page; a page of one's own that was asked for is made, too."""
    words = ["--html", str(tmp_path / "own.html"), "-p", "pytest_metadata.plugin"]
    ran = run_pytest(tmp_path, PASSES, "-p", "pytest_html.plugin", *words)
    assert (ran.code, (tmp_path / "own.html").is_file()) == (0, True)
    assert "1 pass" in (tmp_path / "out" / "cases.html").read_text(encoding="utf-8")
    run_pytest(tmp_path, PASSES, "-p", "no:html")
    assert not (tmp_path / "out" / "cases.html").exists()


def test_trouble_is_a_fault_that_other_files_say(tmp_path: Path) -> None:
    """What goes wrong in the page is named in the results, and leaves no half of a page."""
    ran = run_pytest(tmp_path, PASSES, "-p", "pytest_html.plugin", NO_PAGE="1")
    assert [str(fault) for fault in ran.results.faults] == ["cases.html could not be made: OSError: no room"]
    assert [path.name for path in (tmp_path / "out").glob("*cases*")] == []
