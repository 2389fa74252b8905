"""What becomes of the cases of a run: collected from the items of a real pytest, not judged, or kept open by
a state of the appliance.
"""

from datetime import date
from pathlib import Path
from types import MappingProxyType
from typing import Any
from unittest.mock import Mock

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from catalog.loader import load_catalog
from conformance.model.state_table import STATES
from conformance.profiles.model import Waiver
from conformance.records.results import CaseResult, Omitted, Results
from conformance.selftest.support.collected import PASSES, results_in, run_pytest
from conformance.selftest.support.ran import Ran
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
from reports.renderings import RENDERINGS
from reports.results.build import build_results, exit_code
from reports.results.collector import Collector
from reports.results.findings import apply_waivers
from reports.results.not_judged import condition, group_omitted, lacks, not_judged_in_a_line

SIX = """
def test_a(attach): attach("TYPE-INTEGER", "pass")
def test_b(attach): attach("TYPE-DOUBLE", "not_applicable"); raise unittest.SkipTest("no such key")
def test_c(attach): attach("TYPE-FLOAT", "inconclusive"); raise unittest.SkipTest("refused")
def test_d(attach): attach("CAT-FIELD-DESC", "observed")
def test_e(attach):
    attach("TYPE-STRING", "fail", document="line 60: String")
    raise AssertionError("5 is no text")
def test_f(attach): attach("TYPE-ENUM", "pass"); raise ValueError("one\\ntwo")
def test_g(): pass
"""


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Ran:
    """All six verdicts in one process."""
    return run_pytest(tmp_path_factory.mktemp("alone"), SIX, "-v")


IN_ORDER = ["pass", "not_applicable", "inconclusive", "observed", "fail", "error"]
UNDECIDED = 'def test_b(attach): attach("TYPE-FLOAT", "inconclusive"); raise unittest.SkipTest("x")'


def test_verdicts_in_the_order_of_the_items(alone: Ran) -> None:
    """Every item that attaches a case gives one, in the order of collection; another item gives none."""
    cases = results_in(alone).cases
    assert [case.verdict for case in cases] == IN_ORDER
    first, *_, last = cases
    assert (first.evidence, first.claimed, last.message) == ((1,), True, "ValueError: two")


def test_words_on_the_terminal(alone: Ran) -> None:
    """Each verdict has its own word beside its item, and pytest's last line counts them."""
    for name, verdict in zip("abcdef", IN_ORDER, strict=True):
        assert f"test_{name} {verdict.upper().replace('_', ' ')}" in alone.output
    assert "1 not applicable" in alone.output.splitlines()[-1]


FLOAT = PASSES + 'def test_b(attach): attach("TYPE-FLOAT", '
LEFT_OUT = 'def test_b(request): request.node.stash[ATTACHED] = Omitted("A", KEY, "hub", "not on", "pace"); '


@pytest.mark.parametrize(
    ("items", "verdict", "code"),
    [
        (PASSES, "pass", 0),
        (FLOAT + '"fail"); raise AssertionError', "fail", 1),
        (FLOAT + '"fail")', "fail", 1),
        (FLOAT + '"pass"); raise AssertionError("x")', "error", 5),
        (FLOAT + '"pass"); raise unittest.SkipTest("x")', "inconclusive", 3),
        (UNDECIDED.replace("inconclusive", "not_applicable"), "inconclusive", 3),
        (PASSES + LEFT_OUT + 'raise unittest.SkipTest("x")', "pass", 0),
        (PASSES + LEFT_OUT + "raise ValueError", "error", 5),
        (PASSES + "def test_b(): assert False", "error", 5),
        (PASSES + 'def test_b(attach): attach("TYPE-INTEGER", "pass")', "error", 5),
        (PASSES + "def test_b(): raise KeyboardInterrupt", "inconclusive", 3),
        (PASSES + "1 / 0", "error", 5),
        ("", "inconclusive", 3),
    ],
)
def test_exit_status_is_that_of_a_run(tmp_path: Path, items: str, verdict: str, code: int) -> None:
    """Bare pytest ends in the code `run` would: whatever yields no verdict is not 0."""
    ran = run_pytest(tmp_path, items)
    assert (results_in(ran).verdict, ran.code) == (verdict, code)


@pytest.mark.parametrize(
    ("items", "told", "code"),
    [
        (PASSES + UNDECIDED, {}, 3),
        (PASSES + UNDECIDED, {"certify": True}, 3),
        (PASSES, {"finish": Mock(side_effect=OSError("no clock"))}, 5),
    ],
)
def test_cases_are_written_whatever_the_run_ends_in(
    tmp_path: Path, items: str, told: dict[str, Any], code: int
) -> None:
    """Too many claims are open, with or without a certificate; facts that cannot be completed are a fault."""
    ran = run_pytest(tmp_path, items, **told)
    assert (ran.code, results_in(ran).cases[0].verdict) == (code, "pass")


def test_no_signature_outlives_its_certificate(tmp_path: Path) -> None:
    """What was signed in the directory before is no signature of the certificate that a new run writes."""
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "certificate.intoto.jsonl").touch()
    run_pytest(tmp_path, PASSES, certify=True)
    assert [path.name for path in (tmp_path / "out").glob("certificate.*")] == ["certificate.json"]


class Broken(Collector):
    """One of its renderings cannot be made."""

    renderings = MappingProxyType({**RENDERINGS, "report.html": Mock(side_effect=LookupError("none"))})


@pytest.mark.parametrize(
    "trouble", [{"kind": Broken}, {"leaks": lambda: ["badge.json holds ${TOKEN}"]}], ids=["broken", "leaks"]
)
def test_fault_of_a_file_is_said_by_every_other(trouble: dict[str, Any], tmp_path: Path) -> None:
    """A fault that shows when the files are made is in each of them; the certificate goes, no other file."""
    ran = run_pytest(tmp_path, PASSES, certify=True, **trouble)
    written = {path.name for path in (tmp_path / "out").iterdir()}
    assert (ran.code, results_in(ran).verdict, len(results_in(ran).refused)) == (5, "error", 1)
    assert f"fault of the suite: {results_in(ran).faults[0]}" in ran.output
    assert "Conforms" not in ran.output + (tmp_path / "out" / "summary.md").read_text(encoding="utf-8")
    assert ("certificate.json" in written, "report.html" in written) == (False, "kind" not in trouble)


@pytest.mark.parametrize(("options", "kept"), [(("--collect-only",), True), (("no_such_file.py",), False)])
def test_no_verdict_outlives_its_run(tmp_path: Path, options: tuple[str, ...], *, kept: bool) -> None:
    """A run that is refused leaves no results; merely collecting leaves those of the last run alone."""
    run_pytest(tmp_path, PASSES)
    ran = run_pytest(tmp_path, PASSES, *options)
    assert ((tmp_path / "out" / "results.json").exists(), ran.code == 0) == (kept, kept)


# What a run did not judge, and what a state of the appliance kept open.
KEY = "Vendor.Common.Setting.ChildLock"
OF_LEVEL = [
    Omitted("SET-WRITABLE", key, ha_id, "the run only reads", "--level write")
    for key in (KEY, ALARM)
    for ha_id in ("a", "b")
]
OF_FIELD = Omitted("UNIT-SECONDS", ALARM, "a", "its place in the body is not declared", "answer.unit")
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


def test_key_that_protects_is_named_before_what_leaves_more_open() -> None:
    """However many fields a profile leaves out: a glob does not name what protects people."""
    fields = [f"answer.{name}" for name in ("key", "unit", "type", "step", "allowed", "access")]
    omitted = [Omitted("READ-SETTING", KEY, ha_id, "undeclared", field) for field in fields for ha_id in "ab"]
    of_lock = Omitted("SET-WRITABLE", KEY, "a", "it is not on the write list", "write.allow")
    alone = not_judged_in_a_line(build_results(RUN, (PASS,), load_catalog(), omitted=[of_lock]))
    need = "1 need write.allow to name ChildLock in full"
    assert alone == f"not judged: of 2 cases 1 were judged, 1 not; {need}"
    results = build_results(RUN, (PASS,), load_catalog(), omitted=[*omitted, of_lock])
    assert f"; {need}, 2 need" in not_judged_in_a_line(results)
