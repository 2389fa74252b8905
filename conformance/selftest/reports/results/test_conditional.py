"""A certificate on a condition: claimed cases that a state of the appliance kept open."""

from dataclasses import replace
from pathlib import Path

import pytest

from conformance.checks.verdict import STATES
from conformance.selftest.support.collected import PASSES, run_pytest
from conformance.selftest.support.samples.pages import page_of
from conformance.selftest.support.samples.results import CLAIMED, PASS, UNSURE, a_case, results_of
from conformance.selftest.support.terminals import terminal_lines
from reports.formats.summary import render_markdown
from reports.results.build import exit_code
from reports.results.file import load_results, write_results
from reports.results.model import CaseResult
from reports.results.not_judged import condition

OFF = replace(CLAIMED, exempt="X4", message="X4: PowerState is Standby")
LOCKED = replace(a_case("TYPE-BOOLEAN", "inconclusive"), claimed=True, exempt="X13")
COLOR = replace(a_case("TYPE-DOUBLE", "inconclusive"), claimed=True, exempt="X1")


@pytest.mark.parametrize(
    ("cases", "code"),
    [
        ((PASS, OFF), 0),
        ((PASS, OFF, LOCKED, COLOR), 0),
        ((PASS, OFF, replace(LOCKED, exempt="")), 3),
        ((PASS, replace(OFF, exempt="X14")), 3),
        ((PASS, replace(OFF, exempt="X0")), 3),
        ((PASS, replace(OFF, exempt="X4\n")), 3),
        ((PASS, replace(OFF, exempt="because")), 3),
        ((OFF,), 3),
    ],
)
def test_certificate_does_not_count_exempt_cases(cases: tuple[CaseResult, ...], code: int) -> None:
    """Only an exempting state keeps an undecided case from preventing a certificate."""
    assert exit_code(results_of(*cases, certify=True)) == code


def test_condition_in_words() -> None:
    """The states are counted and named once, by their number; other cases are not of the condition."""
    others = [replace(UNSURE, exempt="X2"), replace(PASS, exempt="X3", claimed=True)]
    four = [OFF, replace(OFF, id="other"), LOCKED, COLOR]
    words = "conditional: 4 claimed cases inconclusive because of X1, X4, X13"
    assert condition([*four, *others]) == words
    assert condition([OFF]) == "conditional: 1 claimed case inconclusive because of X4"
    assert condition([PASS, CLAIMED]) == ""


def test_every_report_says_the_condition(tmp_path: Path) -> None:
    """Terminal, summary and page say the condition and what the state is, and nothing without one."""
    results = results_of(PASS, OFF, COLOR)
    page = page_of(results)
    line = "conditional: 2 claimed cases inconclusive because of X1, X4"
    for text in (page.text, render_markdown(results), "\n".join(terminal_lines(results, tmp_path))):
        assert line in text
    rows = " ".join(page.text[page.text.index("Claimed, and inconclusive") :].split())
    assert all(said in rows for said in (f"X4 {STATES['X4']}", OFF.key, "PowerState is Standby"))
    assert "conditional" not in page_of(results_of(PASS)).text + render_markdown(results_of(PASS))
    assert list(STATES) == [f"X{number}" for number in range(1, 14)]


def test_exempt_is_in_the_file(tmp_path: Path) -> None:
    """results.json carries the state; a case of a file without it has none."""
    write_results(results_of(PASS, OFF), tmp_path / "results.json")
    text = (tmp_path / "results.json").read_text(encoding="utf-8")
    assert '"exempt": "X4"' in text
    assert load_results(tmp_path / "results.json").cases[1].exempt == "X4"
    (tmp_path / "results.json").write_text(text.replace(', "exempt": "X4"', ""), encoding="utf-8")
    assert load_results(tmp_path / "results.json").cases[1].exempt == ""


def test_state_is_taken_from_the_item(tmp_path: Path) -> None:
    """The `exempt` of an item reaches results and exit code, also through a worker."""
    attached = 'attach("TYPE-FLOAT", "inconclusive", exempt="X4"); raise unittest.SkipTest("x")'
    options = ("-p", "xdist.plugin", "-n1", "--junitxml=out/pytest.xml")
    ran = run_pytest(tmp_path, f"{PASSES}def test_b(attach): {attached}", *options, CERTIFY="1")
    assert (ran.code, [case.exempt for case in ran.results.cases]) == (0, ["", "X4"])
    assert "conditional: 1 claimed case inconclusive because of X4" in ran.output
    assert "exempt" not in (tmp_path / "out" / "pytest.xml").read_text(encoding="utf-8")
