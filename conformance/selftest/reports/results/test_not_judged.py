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
    ran = run_pytest(tmp_path, items, certify=True)
    assert (ran.code, [case.exempt for case in results_in(ran).cases]) == (0, ["", "X4"])
    assert "conditional: 1 claimed case is inconclusive because the appliance is not on" in ran.output
