"""Results: how verdicts merge, and what a run ends in."""

from collections.abc import Iterable
from itertools import permutations

import pytest
from msgspec.structs import replace

from catalog.loader import load_catalog
from conformance.checks.verdict import Manner, Verdict
from conformance.records.faults import Fault, own_fault
from conformance.records.results import (
    CaseResult,
    DecidingExchange,
    NotJudged,
    Open,
    WaiverResult,
)
from conformance.records.run_facts import Keys, RunFacts
from conformance.records.verdicts import VERDICTS, merge_verdicts
from conformance.selftest.support.samples.results import (
    ABSENT,
    ALARM,
    CLAIMED,
    ERROR,
    FAIL,
    FRIDGE,
    PASS,
    RUN,
    SEEN,
    SILENT,
    UNSURE,
    a_case,
    results_of,
)
from reports.results.build import NO_EVIDENCE, build_results, exit_code, open_cases, run_verdict, with_faults

WAIVED = WaiverResult("RANGE-*", "known", "me", "2027-01-31", "used", (FAIL.id,))
WAIVED_FAIL = replace(FAIL, waived=True)
JUDGED = [replace(PASS, id=f"TYPE-INTEGER::{number}@fridge-1", claimed=True) for number in range(20)]
"""As many claimed cases as it takes for one that is open to be within judging.most_open."""


@pytest.mark.parametrize(
    ("verdicts", "merged"),
    [
        ((), "not_applicable"),
        (("not_applicable", "not_applicable"), "not_applicable"),
        (("not_applicable", "observed"), "observed"),
        (("observed", "pass", "not_applicable"), "pass"),
        (("pass", "inconclusive"), "inconclusive"),
        (("pass", "inconclusive", "fail"), "fail"),
        (("pass", "inconclusive", "fail", "error"), "error"),
    ],
)
def test_merge_takes_the_gravest(verdicts: tuple[Verdict, ...], merged: Verdict) -> None:
    """A merge answers the gravest verdict, in whatever order they come."""
    assert {merge_verdicts(order) for order in permutations(verdicts)} == {merged}


@pytest.mark.parametrize(
    ("cases", "verdict"),
    [
        ((), "inconclusive"),
        ((ABSENT, SEEN), "inconclusive"),
        ((PASS, UNSURE, ABSENT), "pass"),
        ((PASS, SILENT), "inconclusive"),
        ((PASS, SILENT, FAIL), "fail"),
        ((PASS, FAIL, ERROR), "error"),
        ((PASS, WAIVED_FAIL), "pass"),
        ((WAIVED_FAIL,), "inconclusive"),
    ],
)
def test_run_verdict(cases: tuple[CaseResult, ...], verdict: str) -> None:
    """A run passes only when something passed, nothing failed and every appliance answered."""
    assert run_verdict(cases) == verdict
    code = {"pass": 0, "fail": 1, "inconclusive": 3, "error": 5}[verdict]
    assert exit_code(results_of(*cases)) == code


@pytest.mark.parametrize(
    ("cases", "code"),
    [
        ((PASS, UNSURE), 3),
        ((replace(PASS, claimed=True), UNSURE), 0),
        ((*JUDGED, CLAIMED), 3),
        ((PASS, replace(CLAIMED, waived=True)), 0),
        ((*JUDGED, CLAIMED, FAIL), 1),
    ],
)
def test_certificate_needs_every_claim_judged(cases: tuple[CaseResult, ...], code: int) -> None:
    """With a certificate wanted, a claimed case that was not judged ends in 3; without, it does not."""
    certified = results_of(*cases, certify=True)
    assert (exit_code(certified), certified.is_certified) == (code, code == 0)
    assert exit_code(results_of(*cases)) == (1 if FAIL in cases else 0)


def test_exit_codes_in_their_order() -> None:
    """Of several codes that apply, 5 goes before 1, 1 before 4, 4 before 3."""
    passed, failed = (
        build_results(RUN, cases, load_catalog(), interrupted=True) for cases in ([PASS], [PASS, FAIL])
    )
    stale = (WaiverResult("*", "mended soon", "hub team", "2026-11-20", "expired"),)
    left = (Fault("not_restored", "oven-1"),)
    assert (passed.verdict, passed.interrupted, exit_code(passed)) == ("inconclusive", True, 3)
    assert (failed.verdict, exit_code(failed)) == ("fail", 1)
    assert exit_code(replace(passed, waivers=stale)) == 4
    assert exit_code(replace(failed, waivers=stale)) == 1
    assert exit_code(replace(failed, waivers=stale, faults=left)) == 5


@pytest.mark.parametrize("certify", [False, True])
def test_fault_that_shows_late_is_one_of_the_run(*, certify: bool) -> None:
    """What goes wrong when the files are made ends a run as if it had before: in an error, and 5."""
    late = with_faults(results_of(PASS, certify=certify), [own_fault("another")])
    assert late == results_of(PASS, faults=["another"], certify=certify)
    assert (late.verdict, exit_code(late), late.certify) == ("error", 5, certify)


def test_every_clause_is_listed() -> None:
    """Results name all clauses in the catalog's order; one without a case is not judged."""
    results = results_of(PASS, UNSURE)
    assert [clause.id for clause in results.clauses] == list(load_catalog().clauses)
    of = {clause.id: clause for clause in results.clauses}
    assert of["TYPE-INTEGER"].counts["pass"] == 1
    assert (of["TYPE-NOTNULL"].verdict, of["SET-WRITABLE"].level) == ("inconclusive", "write")
    assert (of["ENUM-CAMERA"].verdict, set(of["ENUM-CAMERA"].counts.values())) == ("not_judged", {0})
    assert (of["ENUM-CAMERA"].excluded, of["OPS-TRANSITIONS"].excluded) == (
        "",
        "the document shows no transitions",
    )


def test_counts_add_up() -> None:
    """The six counts add up to the number of cases, and waived cases are counted once more."""
    cases = [PASS, WAIVED_FAIL, UNSURE, ABSENT, SEEN, ERROR]
    results = build_results(RUN, cases, load_catalog(), waivers=[WAIVED], unselected=3)
    assert results.counts == {**dict.fromkeys(VERDICTS, 1), "waived": 1}
    assert (results.of("pass"), results.waivers, results.partial) == ([PASS], (WAIVED,), True)


def test_zero_evidence_is_no_pass() -> None:
    """A pass that names no exchange becomes inconclusive and says why."""
    results = results_of(replace(PASS, evidence=()))
    (case,) = results.cases
    assert (case.verdict, case.message, results.verdict) == ("inconclusive", NO_EVIDENCE, "inconclusive")


@pytest.mark.parametrize(
    ("cases", "fault"),
    [
        ((PASS, PASS), f"two cases have the id {PASS.id}"),
        ((replace(PASS, clause="TYPE-UNKNOWN"),), "the catalog has no clause TYPE-UNKNOWN"),
    ],
)
def test_impossible_cases_are_faults(cases: tuple[CaseResult, ...], fault: str) -> None:
    """Two cases of one id, or a case of a clause the catalog lacks, are the suite's own fault."""
    results = results_of(*cases)
    assert (exit_code(results), [*map(str, results.faults)]) == (5, [fault])


READ = a_case("READ-SETTING", "pass")
UNCLAIMED = replace(RUN, keys=Keys(tried=27, claimed=0, gave_value=1))
ELSEWHERE = replace(UNSURE, key="other", id="other")


@pytest.mark.parametrize(
    ("run", "cases", "still"),
    [
        (RUN, (replace(PASS, claimed=True), UNSURE, CLAIMED), Open(1, 2)),
        (RUN, (replace(CLAIMED, exempt="X8"), replace(CLAIMED, exempt="X0", id="2")), Open(1, 2)),
        (RUN, [replace(one, claimed=True) for one in (ABSENT, SEEN)], Open(0, 0)),
        (RUN, (replace(CLAIMED, waived=True), FAIL), Open(0, 0)),
        (replace(RUN, keys=Keys(27, 1, 1)), (READ, UNSURE), Open(0, 0)),
        (UNCLAIMED, (READ, PASS, UNSURE, ELSEWHERE), Open(1, 3)),
        (UNCLAIMED, (READ, replace(UNSURE, exempt="X8")), Open(0, 2)),
        (UNCLAIMED, (replace(READ, verdict="inconclusive"), PASS, UNSURE), Open(0, 0)),
        (UNCLAIMED, (replace(READ, ha_id="oven-1"), UNSURE), Open(0, 1)),
    ],
)
def test_open_cases_are_those_that_nobody_explains(
    run: RunFacts, cases: Iterable[CaseResult], still: Open
) -> None:
    """Of what is claimed, and where nothing is, of what gave a value: a key that is refused opens nothing."""
    assert open_cases(run, tuple(cases)) == still


def test_what_is_left_out_is_counted() -> None:
    """Each key of a row is left out on each of its appliances."""
    row = NotJudged("SET-WRITABLE", (ALARM, "other"), ("a", "b", "c"), "only reads", "--level write")
    assert (str(row.number), len({*row.ids})) == ("6", 6)


def test_finding_of_many_values_gives_one_as_an_example() -> None:
    """Values that exchanges showed reach the findings."""
    cases = [
        replace(
            a_case("ENUM-KEYFORM", "fail", f"{ALARM}{number}"),
            sights=(DecidingExchange(number, FRIDGE.ha_id, f"{ALARM}{number}", "value"),),
            manner=Manner.SHORT.value,
        )
        for number in range(3)
    ]
    (finding,) = build_results(RUN, cases, load_catalog(), values={0: '"On"'}).findings
    assert finding.message == '3 enumeration values are short names, such as "On"'
