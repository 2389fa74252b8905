"""Files that other tools read by their own schemas: HAR, CTRF and JUnit; and the table of cases.html."""

import json
from pathlib import Path
from typing import Any, get_args
from xml.etree import ElementTree as ET

import pytest
from jsonschema_rs import validate
from msgspec.structs import replace

from conformance.checks.exchange import Exchange, Failure
from conformance.records.ledger_lines import exchange_of
from conformance.records.results import Results
from conformance.selftest.support import ROOT
from conformance.selftest.support.collected import PASSES, results_in, run_pytest
from conformance.selftest.support.pages import HOSTILE, cases_page_of
from conformance.selftest.support.results import (
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
from conformance.selftest.support.shown_runs import exchange
from reports.formats import InconclusiveAs
from reports.formats.cases_page import CaseRows
from reports.formats.ctrf import render_ctrf
from reports.formats.har import export_har
from reports.formats.junit import render_junit
from reports.limits import CASES

EVERY = (PASS, FAIL, UNSURE, ERROR, ABSENT, SEEN)
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


SILENT_LINE = {**exchange(3, "x"), "response": None, "failure": {"kind": "timeout", "text": "after 30 s"}}


def entries_of(tmp_path: Path, *lines: object) -> list[dict[str, Any]]:
    """The entries of the HTTP Archive made of these lines."""
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    (tmp_path / "evidence.ndjson").write_bytes("\n".join(texts).encode("utf-8", "surrogatepass"))
    return json.loads("".join(export_har(tmp_path / "evidence.ndjson", "0.1.0")))["log"]["entries"]


def test_only_exchanges_are_entries(tmp_path: Path) -> None:
    """The first and the last line, a note, a line that is cut and one that holds too little give no entry."""
    run, note, end = {"purpose": "run"}, {"note": "refused"}, {"purpose": "end"}
    cut, wrong = '{"n": 10, "requ', '{"request": {}}'
    assert len(entries_of(tmp_path, run, exchange(1, "22 °C"), note, cut, wrong, SILENT_LINE, end)) == 2
    assert entries_of(tmp_path) == []


def test_archive_comes_in_pieces(tmp_path: Path) -> None:
    """No piece is longer than an entry, so that a ledger of any size can be exported."""
    path = tmp_path / "evidence.ndjson"
    path.write_text("\n".join([json.dumps(exchange(1, "22 °C"))] * 50), encoding="utf-8")
    assert max(len(piece) for piece in export_har(path, "0.1.0")) < 3_000


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


def test_ctrf_is_what_its_schema_asks() -> None:
    """The document fits the schema with every verdict, and without a case."""
    waived = replace(FAIL, id="w", waived=True, message="lone \ud83d")
    for cases in ((), (*EVERY, waived)):
        validate(CTRF, json.loads("".join(render_ctrf(results_of(*cases, faults=["x"])))))


# junit.xml: a suite a clause.
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


def parsed(
    results: Results, inconclusive: InconclusiveAs = "skipped", exchanges: dict[int, Exchange] | None = None
) -> ET.Element:
    """junit.xml of results, parsed from its bytes."""
    return ET.fromstring("".join(render_junit(results, exchanges or {}, inconclusive)).encode("utf-8"))


def test_text_comes_suite_by_suite() -> None:
    """A run may have a hundred thousand tests: no more of them are in memory than those of one clause."""
    results = results_of(PASS, replace(PASS, id="another"), FAIL)
    assert [piece.count("<testcase ") for piece in render_junit(results, {})] == [0, 2, 1, 0]


@pytest.mark.parametrize(
    ("results", "outcome", "said"),
    [
        (replace(results_of(PASS), interrupted=True), "skipped", "inconclusive: The run was interrupted"),
        (results_of(PASS, SILENT), "skipped", "inconclusive: No value could be read"),
        (results_of(), "skipped", "nothing could be judged: No case passed"),
    ],
)
def test_what_no_case_says_is_a_test_of_the_run(results: Results, outcome: str, said: str) -> None:
    """An interruption and a run that knows nothing are not green."""
    suite = next(suite for suite in parsed(results) if suite.get("name") == "RUN")
    (end,) = (child for child in suite[0] if child.tag in OUTCOMES)
    assert end.tag == outcome
    assert str(end.get("message")).startswith(said)


STEERING = [*(code for code in range(0x20) if chr(code) not in "\t\n"), 0x7F, 0x85, 0x202E, 0xD83D]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        *((text, text) for text in (*HOSTILE, "]]>", "&#0;", "\t", "\U0001f600")),
        *((chr(code), f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}") for code in STEERING),
        *((chr(code), f"#x{code:04X}") for code in (0xFFFE, 0xFFFF)),
    ],
)
def test_text_is_shown_as_it_is(text: str, shown: str) -> None:
    """Whatever a server puts into a text, the file is XML and the text can be read in it."""
    assert f"case      a{shown}b\n" in account_of(text)


def account_of(text: str) -> str:
    """The text of a failure, where a server and a profile have put `text` everywhere."""
    long = f"a{text}b"
    case = replace(FAIL, id=long, key=long, ha_id=text, message=long, curl=long, document=long)
    run = replace(RUN, target=replace(RUN.target, name=long))
    failed = replace(exchange_of(SILENT_LINE), failure=Failure("other", text))
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


# cases.html: the page pytest-html makes of saved cases, parsed as a browser would.


def test_table_stays_small() -> None:
    """Beyond the most rows a case has none, and the summary says how many of each verdict have not, and where
    they are; what was only observed leaves its room to what is inconclusive.
    """
    failed = [a_case("TYPE-INTEGER", "fail", key=f"key{number}") for number in range(CASES.findings + 5)]
    others = [a_case("TYPE-INTEGER", "observed", key=f"other{number}") for number in range(CASES.rows + 2)]
    page = cases_page_of(results_of(*others, UNSURE, *failed))
    assert len(page.rows) == CASES.findings + CASES.rows
    assert [row["verdict"] for row in page.rows[CASES.findings - 1 : CASES.findings + 1]] == [
        "fail",
        "inconclusive",
    ]
    assert "to keep the table usable: 5 fail · 3 observed. results.json has every case" in page.seen.text


def test_page_is_of_the_session_that_judges(tmp_path: Path) -> None:
    """Without the plugin there is no page; a page of one's own that was asked for is made, too.

    It does not say where the suite is installed.
    """
    words = ["--html", str(tmp_path / "own.html"), "-p", "pytest_metadata.plugin"]
    ran = run_pytest(tmp_path, PASSES, "-p", "pytest_html.plugin", *words)
    assert (ran.code, (tmp_path / "own.html").is_file()) == (0, True)
    page = (tmp_path / "out" / "cases.html").read_text(encoding="utf-8")
    assert "1 pass" in page
    assert str(ROOT) not in page
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
