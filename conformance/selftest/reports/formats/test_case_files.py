"""Cases for machines and for people's eyes: junit.xml and cases.html."""

from pathlib import Path
from typing import get_args
from xml.etree import ElementTree as ET

import pytest
from msgspec.structs import replace

from catalog.loader import load_catalog
from conformance.checks.exchange import Failure
from conformance.records.results import CaseResult, Results, WaiverResult
from conformance.selftest.support.collected import PASSES, results_in, run_pytest
from conformance.selftest.support.samples.pages import CURL, EXCHANGE, HOSTILE, cases_page_of
from conformance.selftest.support.samples.results import (
    ABSENT,
    ERROR,
    FAIL,
    PASS,
    RUN,
    SEEN,
    SILENT,
    UNSURE,
    a_case,
    results_of,
)
from reports.formats.cases_page import CaseRows
from reports.formats.junit import InconclusiveAs, render_junit
from reports.limits import CASES
from reports.recorded.exchanges import Recorded

EVERY = (PASS, FAIL, UNSURE, ERROR, ABSENT, SEEN)
OUTCOMES = {"skipped", "failure", "error"}
ALLOWED: dict[str, tuple[set[str], set[str], set[str]]] = {
    "testsuites": ({"testsuite"}, set(), {"name", "tests", "failures", "errors", "skipped", "time"}),
    "testsuite": ({"testcase"}, {"name", "tests", "failures", "errors"}, {"skipped", "time", "timestamp"}),
    "testcase": ({"properties", "system-out", *OUTCOMES}, {"name", "classname"}, {"time"}),
    "properties": ({"property"}, set(), set()),
    "property": (set(), {"name", "value"}, set()),
    "skipped": (set(), set(), {"message"}),
    "failure": (set(), set(), {"message", "type"}),
    "error": (set(), set(), {"message", "type"}),
    "system-out": (set(), set(), set()),
}
"""Of each element the children, the attributes that must be there and those that may, as the schema of
Jenkins' plugins has them.
"""
STALE = WaiverResult("RANGE-*", "mended soon", "hub team", "2026-11-20", "expired")


def parsed(
    results: Results,
    inconclusive: InconclusiveAs = "skipped",
    exchanges: dict[int, Recorded] | None = None,
) -> ET.Element:
    """junit.xml of results, parsed from its bytes."""
    return ET.fromstring("".join(render_junit(results, exchanges or {}, inconclusive)).encode("utf-8"))


def outcomes_of(root: ET.Element) -> dict[str, tuple[str, str]]:
    """The outcome of each test and its message, by its property `verdict`."""
    found: dict[str, tuple[str, str]] = {}
    for test in root.iter("testcase"):
        ends = [(child.tag, str(child.get("message"))) for child in test if child.tag in OUTCOMES]
        found[properties_of(test)["verdict"]] = ends[0] if ends else ("passed", "")
    return found


def properties_of(test: ET.Element) -> dict[str, str]:
    """The properties of a test."""
    return {str(one.get("name")): str(one.get("value")) for one in test.iter("property")}


def test_each_verdict_has_its_outcome() -> None:
    """Each verdict has its outcome; message and property tell the skipped ones apart."""
    root = parsed(results_of(*(replace(case, message=f"says {case.verdict}") for case in EVERY)))
    assert outcomes_of(root) == {
        "pass": ("passed", ""),
        "fail": ("failure", "says fail"),
        "inconclusive": ("skipped", "inconclusive: says inconclusive"),
        "error": ("error", "says error"),
        "not_applicable": ("skipped", "not applicable: says not_applicable"),
        "observed": ("passed", ""),
    }
    assert [out.text for out in root.iter("system-out")] == ["says observed"]


def test_inconclusive_can_be_a_failure() -> None:
    """Where the option says so, what is inconclusive is a failure, and what is not applicable is none."""
    found = outcomes_of(parsed(results_of(PASS, UNSURE, ABSENT), "failure"))
    assert (found["inconclusive"][0], found["not_applicable"][0]) == ("failure", "skipped")


def test_waived_failure_does_not_fail() -> None:
    """An expected failure is skipped, and says that it is waived, what it found and why."""
    waiver = WaiverResult("RANGE-*", "mended soon", "hub team", "2027-01-31", "used", (FAIL.id,))
    root = parsed(replace(results_of(PASS, replace(FAIL, waived=True, message="38341")), waivers=(waiver,)))
    assert outcomes_of(root)["fail"] == ("skipped", "waived: 38341")
    assert "waived    mended soon (hub team, until 2027-01-31)" in str(next(root.iter("skipped")).text)
    assert [properties_of(test).get("waived") for test in root.iter("testcase")] == [None, "true"]


def test_suites_are_the_clauses() -> None:
    """A suite is a clause, a test a case with its id, and each case has its five properties."""
    root = parsed(results_of(PASS, FAIL))
    assert [suite.get("name") for suite in root] == [PASS.clause, FAIL.clause]
    (test,) = root[1]
    assert (test.get("classname"), test.get("name")) == (FAIL.clause, FAIL.id)
    names = ("clause", "key", "kind", "ha_id", "verdict")
    assert properties_of(test) == {name: getattr(FAIL, name) for name in names}


def test_text_comes_suite_by_suite() -> None:
    """A run may have a hundred thousand tests: no more of them are in memory than those of one clause."""
    results = results_of(PASS, replace(PASS, id="another"), FAIL)
    assert [piece.count("<testcase ") for piece in render_junit(results, {})] == [0, 2, 1, 0]


def test_counts_add_up() -> None:
    """The counts of a suite are those of its tests."""
    for element in parsed(results_of(*EVERY)):
        tests = list(element.iter("testcase"))
        assert int(element.attrib["tests"]) == len(tests)
        for name, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            assert int(element.attrib[name]) == sum(test.find(tag) is not None for test in tests)


def test_failure_explains_itself() -> None:
    """A failure says its finding first, then document, case, request with answer, and curl."""
    case = replace(FAIL, message="38341 is too much", document="line 41: 0 to 38340", curl=CURL)
    (failure,) = parsed(results_of(case), exchanges={1: EXCHANGE}).iter("failure")
    first, _, *lines = str(failure.text).splitlines()
    assert (failure.get("message"), failure.get("type"), first) == (case.message, case.clause, case.message)
    assert lines == [
        "document  line 41: 0 to 38340",
        f"case      {case.id}",
        "request   GET https://staging.example/hub/x -> 200 · application/json · 4 ms",
        f"curl      {CURL}",
    ]


@pytest.mark.parametrize(
    ("results", "outcome", "said"),
    [
        (results_of(PASS, faults=["a worker died"]), "error", "a worker died"),
        (replace(results_of(PASS), waivers=(STALE,)), "failure", "RANGE-*: expired on 2026-11-20 (hub team)"),
        (replace(results_of(PASS), refused=("one", "two")), "skipped", "no certificate: one; two"),
        (replace(results_of(PASS), interrupted=True), "skipped", "inconclusive: The run was interrupted"),
        (results_of(PASS, SILENT), "skipped", "inconclusive: No value could be read"),
        (results_of(), "skipped", "nothing could be judged: No case passed"),
    ],
)
def test_what_no_case_says_is_a_test_of_the_run(results: Results, outcome: str, said: str) -> None:
    """A fault, a stale waiver, an interruption and a run that knows nothing are not green."""
    suite = next(suite for suite in parsed(results) if suite.get("name") == "RUN")
    (end,) = (child for child in suite[0] if child.tag in OUTCOMES)
    assert end.tag == outcome
    assert str(end.get("message")).startswith(said)


@pytest.mark.parametrize("text", [*HOSTILE, "]]>", "&#0;", "\t", "\U0001f600"])
def test_text_is_shown_as_it_is(text: str) -> None:
    """Whatever a server puts into a text, the file is XML and the text can be read in it."""
    assert f"case      a{text}b\n" in account_of(text)


@pytest.mark.parametrize(
    "code",
    [*(code for code in range(0x20) if chr(code) not in "\t\n"), 0x7F, 0x85, 0x202E, 0xD83D],
)
def test_what_xml_cannot_hold_is_an_escape(code: int) -> None:
    """A character that XML cannot hold, or that steers a terminal, is shown as its number."""
    assert f"case      a\\{f'x{code:02x}' if code < 0x100 else f'u{code:04x}'}b\n" in account_of(chr(code))


@pytest.mark.parametrize("code", [0xFFFE, 0xFFFF])
def test_what_is_no_character_is_its_number(code: int) -> None:
    """As pytest writes it."""
    assert f"case      a#x{code:04X}b\n" in account_of(chr(code))


def account_of(text: str) -> str:
    """The text of a failure, where a server and a profile have put `text` everywhere."""
    long = f"a{text}b"
    case = replace(FAIL, id=long, key=long, ha_id=text, message=long, curl=long, document=long)
    run = replace(RUN, target=replace(RUN.target, name=long))
    failed = replace(EXCHANGE, response=None, failure=Failure("other", text))
    root = parsed(results_of(case, faults=[long], run=run), exchanges={1: failed})
    return next(str(failure.text) for failure in root.iter("failure"))


@pytest.mark.parametrize("inconclusive", get_args(InconclusiveAs))
def test_shape_is_that_of_the_schema(inconclusive: InconclusiveAs) -> None:
    """Elements, attributes and children are those of Jenkins' schema, with its types."""
    cases = (*EVERY, replace(FAIL, id="w", waived=True))
    for element in parsed(results_of(*cases, faults=["x"]), inconclusive).iter():
        children, needed, possible = ALLOWED[element.tag]
        assert {child.tag for child in element} <= children
        assert needed <= set(element.attrib) <= needed | possible


def test_time_is_that_of_the_run() -> None:
    """The time is that of the run, not of its writing; no suite names the machine."""
    (suite,) = parsed(results_of(PASS))
    assert (suite.get("time"), suite.get("timestamp")) == ("0", "2026-11-21T09:00:00")
    assert "hostname" not in suite.attrib


# cases.html: the page pytest-html makes of saved cases, parsed as a browser would.
def test_row_shows_the_finding_and_opens_sentence_and_curl() -> None:
    """The finding stands in the row; below it, folded, the sentence with its line and the curl line."""
    page = cases_page_of(a_case("RANGE-ALARMCLOCK", "fail", message="38341 is too much", curl=CURL))
    clause = load_catalog().clauses["RANGE-ALARMCLOCK"]
    assert page.cells[0][-1] == "38341 is too much"
    for said in (f"line {clause.line}: > {clause.quote}", CURL):
        assert said in page.below[0].text
    assert page.data["renderCollapsed"] == ["all"]


def test_plain_rows_are_folded() -> None:
    """A pass and a case that is not applicable have no row; a sentence counts them."""
    page = cases_page_of(PASS, ABSENT)
    assert page.rows == []
    assert "without a row of their own: 1 pass · 1 not applicable" in page.seen.text


@pytest.mark.parametrize(
    ("case", "result"), [(FAIL, "Failed"), (ERROR, "Error"), (UNSURE, "Skipped"), (SEEN, "Passed")]
)
def test_telling_rows_are_kept(case: CaseResult, result: str) -> None:
    """A case that tells something has a row with its columns, and a word that the filter knows."""
    page = cases_page_of(case)
    assert page.cells == [[case.clause, case.key, case.kind, case.ha_id, case.verdict, case.message]]
    assert (page.rows[0]["result"], page.rows[0]["verdict"]) == (result, case.verdict)
    assert page.seen.text.count(f"1 {case.verdict}") == 2  # in the sentence and beside the filter


def test_waived_row_says_so() -> None:
    """The verdict of an expected failure says that it is waived."""
    assert cases_page_of(replace(FAIL, waived=True)).cells[0][4] == "fail, waived"


def test_table_stays_small() -> None:
    """Beyond the most rows a case has none, and the summary says how many of each verdict have not, and where
    they are; what was only observed leaves its room to what is inconclusive.
    """
    failed = [a_case("TYPE-INTEGER", "fail", key=f"key{number}") for number in range(CASES.findings + 5)]
    others = [a_case("TYPE-INTEGER", "observed", key=f"other{number}") for number in range(CASES.rows + 2)]
    page = cases_page_of(*others, UNSURE, *failed)
    assert len(page.rows) == CASES.findings + CASES.rows
    assert [row["verdict"] for row in page.rows[CASES.findings - 1 : CASES.findings + 1]] == [
        "fail",
        "inconclusive",
    ]
    assert "to keep the table usable: 5 fail · 3 observed. results.json has every case" in page.seen.text


def test_page_says_the_verdict_first() -> None:
    """The headline of the run stands above the counts, and the verdict of a row has its color."""
    page = cases_page_of(PASS, FAIL)
    assert "Does not conform" in page.seen.text[: page.seen.text.index("staging hub at")]
    assert page.seen.named("p")[1:2] == [{"class": "fail"}]
    assert "prefers-color-scheme: dark" in "".join(page.seen.scripts)


def test_page_names_the_target_and_the_time_of_the_run() -> None:
    """Title, environment and times are those of the run, none of the machine that makes the page."""
    page = cases_page_of(FAIL)
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


def test_trouble_is_a_fault_that_other_files_say(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What goes wrong in the page is named in the results, and leaves no half of a page."""

    def no_room(*_: object) -> None:
        raise OSError("no room")

    monkeypatch.setattr(CaseRows, "pytest_html_results_summary", no_room)
    ran = run_pytest(tmp_path, PASSES, "-p", "pytest_html.plugin")
    assert [str(fault) for fault in results_in(ran).faults] == [
        "cases.html could not be made: OSError: no room"
    ]
    assert [path.name for path in (tmp_path / "out").glob("*cases*")] == []
