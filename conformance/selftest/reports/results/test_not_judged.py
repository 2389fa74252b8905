"""What a run did not judge: in few rows, in every report, with what would change it; and what a state of the
appliance kept open, which makes a certificate conditional.
"""

import json
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from catalog.loader import load_catalog
from conformance.model.state_table import STATES
from conformance.profiles.model import Waiver
from conformance.records.results import CaseResult, Omitted, Results
from conformance.records.run_facts import Keys
from conformance.selftest.support.collected import PASSES, results_in, run_pytest
from conformance.selftest.support.samples.pages import page_of, terminal_lines
from conformance.selftest.support.samples.results import (
    ALARM,
    CLAIMED,
    FAIL,
    PASS,
    RUN,
    UNSURE,
    a_case,
    between,
    results_of,
)
from reports.formats.summary import render_badge, render_markdown
from reports.results.build import build_results, exit_code
from reports.results.file import load_results, write_results
from reports.results.findings import apply_waivers
from reports.results.not_judged import condition, group_omitted, lacks, not_judged_in_a_line

KEY = "Vendor.Common.Setting.ChildLock"
OF_LEVEL = [
    Omitted("SET-WRITABLE", key, ha_id, "the run only reads", "--level write")
    for key in (KEY, ALARM)
    for ha_id in ("a", "b")
]
OF_FIELD = Omitted("UNIT-SECONDS", ALARM, "a", "its place in the body is not declared", "answer.unit")
UNCLAIMED = replace(RUN, keys=Keys(tried=27, claimed=0, gave_value=5))
OMITTED = st.builds(
    Omitted,
    *(
        st.sampled_from(words)
        for words in (["A", "B"], ["k", "l", "m"], ["x", "y", "z"], ["why"], ["f", "g"])
    ),
)


def left_out(*cases: CaseResult) -> Results:
    """A run with these cases, and with what level and profile left out."""
    return build_results(RUN, cases or (PASS,), load_catalog(), omitted=[*OF_LEVEL, OF_FIELD])


def said(results: Results, tmp_path: Path) -> dict[str, str]:
    """What terminal, report and summary say of a run."""
    texts = {"report": page_of(results).text, "summary": render_markdown(results)}
    return {"terminal": "\n".join(terminal_lines(results, tmp_path)), **texts}


def test_rows_are_few() -> None:
    """Keys that the same appliances are not judged on stand in one row, and most cases come first."""
    rows = [(row.clause, row.number) for row in left_out().not_judged]
    assert rows == [("SET-WRITABLE", 4), ("UNIT-SECONDS", 1)]
    found = [(lack.field, lack.number, lack.clauses) for lack in lacks(left_out())]
    assert found == [("--level write", 4, ("SET-WRITABLE",)), ("answer.unit", 1, ("UNIT-SECONDS",))]


def test_what_a_reader_can_change_comes_first() -> None:
    """Levels, then fields, then budgets of the suite, of which more cases may be left."""
    fields = ("pace.generated_reads", "pace.generated_reads", "answer.unit", "--level power")
    omitted = [OF_FIELD._replace(key=str(number), field=field) for number, field in enumerate(fields)]
    found = lacks(build_results(RUN, [PASS], load_catalog(), omitted=omitted))
    assert [lack.field for lack in found] == ["--level power", "answer.unit", "pace.generated_reads"]


@pytest.mark.parametrize("where", ["terminal", "report", "summary"])
def test_every_report_names_what_would_change_it(tmp_path: Path, where: str) -> None:
    """The fields and levels stand in each report, with the number of cases."""
    text = said(left_out(), tmp_path)[where]
    assert all(word in text for word in ("--level write", "answer.unit", "4 "))
    assert ("of 6 cases 1 were judged, 5 not; 4 need --level write, 1 need answer.unit" in text) == (
        where == "terminal"
    )


def test_nothing_left_out_says_nothing(tmp_path: Path) -> None:
    """A run that has judged everything has no such line."""
    assert not_judged_in_a_line(results_of(PASS)) == ""
    assert "not judged:" not in said(results_of(PASS), tmp_path)["terminal"]


def test_file_keeps_it(tmp_path: Path) -> None:
    """results.json has what was not judged and how many keys there are, and is read back."""
    results = replace(left_out(), run=UNCLAIMED)
    write_results(results, tmp_path / "results.json")
    assert load_results(tmp_path / "results.json") == results
    rows = json.loads((tmp_path / "results.json").read_bytes())["not_judged"]
    assert rows[0] == {
        "clause": "SET-WRITABLE",
        "keys": [KEY, ALARM],
        "ha_ids": ["a", "b"],
        "reason": "the run only reads",
        "field": "--level write",
    }


@pytest.mark.parametrize(
    ("glob", "state"), [("SET-WRITABLE::*@b", "open"), ("SET-WRITABLE::*@nobody", "unmatched")]
)
def test_waiver_of_what_was_not_judged_is_open(glob: str, state: str) -> None:
    """A waiver that matches only what was not judged is not stale; one that matches nothing at all is."""
    waiver = Waiver(case=glob, reason="known", owner="hub team", expires=date(2027, 1, 1))
    _, (record,) = apply_waivers([PASS], [waiver], started=RUN.started, omitted=OF_LEVEL)
    assert (record.state, bool(record.stale)) == (state, state == "unmatched")


def test_case_that_is_not_judged_any_more_is_a_change_of_extent() -> None:
    """A case that the new run leaves out did not vanish: that run went less far."""
    omitted = Omitted(FAIL.clause, FAIL.key, FAIL.ha_id, "no list", "write.allow")
    new = build_results(RUN, [PASS], load_catalog(), omitted=[omitted])
    (change,) = between(results_of(PASS, FAIL), new).changes
    assert (change.change, change.cause) == ("unjudged", "extent")
    assert between(new, results_of(PASS, FAIL)).changes[0].cause == "extent"


def test_nothing_claimed_does_not_conform(tmp_path: Path) -> None:
    """A run that claims nothing says so, counts the values, says how to claim, and exits 0."""
    results = results_of(PASS, run=UNCLAIMED)
    headline = "Nothing contradicts the document; nothing was claimed"
    for text in said(results, tmp_path).values():
        assert all(word in text for word in (headline, "5 of 27 keys gave a value.", "appliance.supports"))
        assert "Conforms" not in text
    badge = json.loads(render_badge(results))
    assert ("conforms" in badge["message"], "green" in badge["color"], exit_code(results)) == (
        False,
        False,
        0,
    )


def test_part_does_not_conform(tmp_path: Path) -> None:
    """A run that judged a selected part says so, with the number of all cases, and exits 0."""
    results = replace(results_of(PASS), unselected=7_791)
    headline = "Nothing contradicts the document; only a part was judged"
    for text in said(results, tmp_path).values():
        assert all(word in text for word in (headline, "1 of 7,792 cases were selected."))
        assert "Conforms" not in text
    badge = json.loads(render_badge(results))
    assert (badge["message"], badge["color"]) == ("partly judged, nothing contradicted", "blue")
    assert exit_code(results) == 0


@pytest.mark.parametrize(
    ("keys", "case", "headline"), [(RUN.keys, PASS, "Conforms"), (UNCLAIMED.keys, FAIL, "Does not conform")]
)
def test_other_verdicts_are_said_as_before(
    tmp_path: Path, keys: Keys | None, case: CaseResult, headline: str
) -> None:
    """What is claimed conforms, and what contradicts the document does not conform whoever claims what."""
    texts = said(results_of(case, run=replace(RUN, keys=keys)), tmp_path).values()
    assert all(headline in text for text in texts)


def test_headline_says_that_a_certificate_is_refused(tmp_path: Path) -> None:
    """The run ends with 3, and "Conforms" alone would not say why."""
    results = replace(results_of(PASS), certify=True, refused=("a claimed case is open",))
    assert all("(nothing was written); no certificate" in text for text in said(results, tmp_path).values())
    assert ("span", {"class": "stamp inconclusive"}) in page_of(results).tags
    assert exit_code(results) == 3


@given(st.sets(OMITTED))
def test_rows_hold_every_omission(omitted: set[Omitted]) -> None:
    """Folding keeps every omission and adds none."""
    rows = group_omitted(sorted(omitted))
    places = [(row, key, ha_id) for row in rows for key in row.keys for ha_id in row.ha_ids]
    unfolded = [Omitted(row.clause, key, ha_id, row.reason, row.field) for row, key, ha_id in places]
    assert sorted(unfolded) == sorted(omitted)
    assert sum(row.number for row in rows) == len(omitted)


OFF = replace(CLAIMED, exempt="X4", message="PowerState is Standby")
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
    """The states are counted and named once, each with what ends it; other cases are not of the condition."""
    others = [replace(UNSURE, exempt="X2"), replace(PASS, exempt="X3", claimed=True)]
    four = [OFF, replace(OFF, id="other"), LOCKED, COLOR]
    reasons = "; ".join(f"{STATES[name].words} ({STATES[name].ended_by})" for name in ("X1", "X4", "X13"))
    words = f"conditional: 4 claimed cases are inconclusive because {reasons}"
    assert condition([*four, *others]) == words
    assert condition([OFF]).startswith(
        "conditional: 1 claimed case is inconclusive because the appliance is not on (switch it on, or"
    )
    assert condition([PASS, CLAIMED]) == ""


def test_every_report_says_the_condition(tmp_path: Path) -> None:
    """Terminal, summary and page say the condition and what the state is, and nothing without one."""
    results = results_of(PASS, OFF, COLOR)
    page = page_of(results)
    line = "conditional: 2 claimed cases are inconclusive because the ambient light has its custom color"
    for text in (page.text, render_markdown(results), "\n".join(terminal_lines(results, tmp_path))):
        assert line in text
    rows = " ".join(page.text[page.text.index("Claimed, and inconclusive") :].split())
    assert all(said in rows for said in (f"X4 {STATES['X4'].words}", OFF.key, "PowerState is Standby"))
    assert "conditional: " not in page_of(results_of(PASS)).text + render_markdown(results_of(PASS))


def test_terminal_says_what_ends_each_state(tmp_path: Path) -> None:
    """No state stands alone: below the reasons a line says what it is, and which act ends it."""
    running = replace(OFF, exempt="X10", claimed=False, message="not written while OperationState is Run")
    lines = terminal_lines(results_of(PASS, running), tmp_path)
    assert "    a program is active: end it, or set write.while_busy = true" in lines
    assert not [line for line in lines if "X10" in line]


def test_numbers_add_up_and_a_key_that_protects_is_named() -> None:
    """Of all cases some were judged and some not; a glob does not name what protects people."""
    of_lock = Omitted("SET-WRITABLE", KEY, "a", "it is not on the write list", "write.allow")
    results = build_results(RUN, (PASS,), load_catalog(), omitted=[of_lock])
    said = "not judged: of 2 cases 1 were judged, 1 not; 1 need write.allow to name ChildLock in full"
    assert not_judged_in_a_line(results) == said


def test_key_that_protects_is_named_before_what_leaves_more_open() -> None:
    """However many fields a profile leaves out: the key is one that `allow = ["*"]` seems to name."""
    fields = [f"answer.{name}" for name in ("key", "unit", "type", "step", "allowed", "access")]
    omitted = [Omitted("READ-SETTING", KEY, ha_id, "undeclared", field) for field in fields for ha_id in "ab"]
    of_lock = Omitted("SET-WRITABLE", KEY, "a", "it is not on the write list", "write.allow")
    results = build_results(RUN, (PASS,), load_catalog(), omitted=[*omitted, of_lock])
    assert "; 1 need write.allow to name ChildLock in full, 2 need" in not_judged_in_a_line(results)


def test_state_is_taken_from_the_item(tmp_path: Path) -> None:
    """The `exempt` of an item reaches results and exit code."""
    attached = 'attach("TYPE-FLOAT", "inconclusive", exempt="X4"); raise unittest.SkipTest("x")'
    items = f"{PASSES}def test_b(attach): {attached}"
    ran = run_pytest(tmp_path, items, CERTIFY="1")
    assert (ran.code, [case.exempt for case in results_in(ran).cases]) == (0, ["", "X4"])
    assert "conditional: 1 claimed case is inconclusive because the appliance is not on" in ran.output
