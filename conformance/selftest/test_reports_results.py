"""Results: how verdicts merge, what a run ends in, and the bytes of results.json."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import permutations
from typing import TYPE_CHECKING, Unpack

import pytest

from catalog.loader import load_catalog
from conformance.selftest.altered import taken
from reports.faults import Fault, own_fault
from reports.records import Keys, NotJudged
from reports.results import (
    NO_EVIDENCE,
    SCHEMA,
    Appliance,
    CaseResult,
    Requests,
    ResultsError,
    RunFacts,
    Target,
    WaiverResult,
    build_results,
    exit_code,
    load_results,
    merge_verdicts,
    run_verdict,
    write_results,
)
from reports.results_file import write_text
from reports.verdicts import VERDICTS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path
    from typing import TypedDict

    from reports.results import Results
    from reports.verdicts import Verdict

    class CaseParts(TypedDict, total=False):
        """What a test may say of a case beside its clause, key, appliance and verdict."""

        message: str
        document: str
        evidence: tuple[int, ...]
        curl: str
        waived: bool
        claimed: bool


ALARM = "Vendor.Common.Setting.AlarmClock"
FRIDGE = Appliance("fridge-1", "Refrigerator")
RUN = RunFacts(
    suite_version="0.1.0",
    catalog_sha256="ab" * 32,
    judging_sha256="ac" * 32,
    target=Target("staging hub", "https://staging.example/hub", "Vendor", "Hub 3.2", "cd" * 32),
    appliances=(FRIDGE, Appliance("oven-1", "Oven")),
    level="read",
    started="2026-11-21T09:00:00Z",
    finished="2026-11-21T09:04:11Z",
    requests=Requests(reads=12, controls=5),
    interpretations={"I-1": True, "integer_lexical": "value"},
    argv=("appliance-conformance", "run", "hub.toml"),
    answers={"answer.value": "/data/value"},
)


def a_case(clause: str, verdict: Verdict, key: str = ALARM, appliance: Appliance = FRIDGE, **parts: Unpack[CaseParts]) -> CaseResult:
    """A case of the alarm clock on the refrigerator, resting on exchange 1."""
    case = CaseResult(f"{clause}::{key}@{appliance.ha_id}", clause, key, appliance.kind, appliance.ha_id, verdict, evidence=(1,))
    return replace(case, **parts)


def results_of(*cases: CaseResult, faults: Sequence[Fault | str] = (), run: RunFacts = RUN, certify: bool = False) -> Results:
    """The results of a run with these cases, over the real catalog; a text in place of a fault is one of the suite's own."""
    told = [own_fault(fault) if isinstance(fault, str) else fault for fault in faults]
    return build_results(run, cases, load_catalog(), faults=told, certify=certify)


PASS = a_case("TYPE-INTEGER", "pass")
FAIL = a_case("RANGE-ALARMCLOCK", "fail")
WAIVED = WaiverResult("RANGE-*", "known", "me", "2027-01-31", "used", (FAIL.id,))
OF_ANY_TYPE = {"keys", "stale_waivers", "stale_waivers.0", "interpretations.I-1", "interpretations.integer_lexical"}
"""Members that follow from others and are not read, those that may be a text or a Boolean, and a table that may be missing."""
UNSURE = a_case("TYPE-NOTNULL", "inconclusive")
ERROR = a_case("READ-VALUE", "error")
SILENT = a_case("ADDR-BASE", "inconclusive", key="*")
ABSENT = a_case("TYPE-BOOLEAN", "not_applicable")
SEEN = a_case("CAT-FIELD-DESC", "observed")


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


def test_merge_never_improves() -> None:
    """Adding a verdict to others never makes the merge lighter."""
    order: tuple[Verdict, ...] = ("not_applicable", "observed", "pass", "inconclusive", "fail", "error")
    assert set(order) == set(VERDICTS)
    for first in order:
        for second in order:
            assert order.index(merge_verdicts((first, second))) == max(order.index(first), order.index(second))


@pytest.mark.parametrize(
    ("cases", "verdict"),
    [
        ((), "inconclusive"),
        ((ABSENT, SEEN), "inconclusive"),
        ((PASS, UNSURE, ABSENT), "pass"),
        ((PASS, SILENT), "inconclusive"),
        ((PASS, SILENT, FAIL), "fail"),
        ((PASS, FAIL, ERROR), "error"),
        ((PASS, replace(FAIL, waived=True)), "pass"),
        ((replace(FAIL, waived=True),), "inconclusive"),
    ],
)
def test_run_verdict(cases: tuple[CaseResult, ...], verdict: str) -> None:
    """A run passes only when something passed, nothing failed and every appliance answered."""
    assert run_verdict(cases) == verdict


CLAIMED = replace(UNSURE, claimed=True)


@pytest.mark.parametrize(
    ("cases", "certify", "code"),
    [
        ((PASS,), False, 0),
        ((PASS, UNSURE), True, 3),
        ((replace(PASS, claimed=True), UNSURE), True, 0),
        ((PASS, CLAIMED), False, 0),
        ((PASS, CLAIMED), True, 3),
        ((PASS, replace(CLAIMED, waived=True)), True, 0),
        ((PASS, CLAIMED, FAIL), True, 1),
        ((UNSURE,), False, 3),
        ((), False, 3),
        ((PASS, SILENT), False, 3),
        ((PASS, FAIL, ERROR), False, 5),
    ],
)
def test_exit_code_of_cases(cases: tuple[CaseResult, ...], code: int, *, certify: bool) -> None:
    """The cases alone give 0, 1, 3 or 5; a certificate needs every claimed case judged."""
    assert exit_code(results_of(*cases, certify=certify)) == code


def test_exit_codes_in_their_order() -> None:
    """Of several codes that apply, 5 goes before 1, 1 before 4, 4 before 3."""
    passed, failed = (replace(results_of(*cases), interrupted=True) for cases in ((PASS,), (PASS, FAIL)))
    stale = (WaiverResult("*", "mended soon", "hub team", "2026-11-20", "expired"),)
    assert exit_code(passed) == 3
    assert exit_code(replace(passed, waivers=stale)) == 4
    assert exit_code(replace(failed, waivers=stale)) == 1
    assert exit_code(replace(failed, waivers=stale, faults=(Fault("not_restored", "oven-1"),))) == 5


def test_fault_ends_in_five() -> None:
    """A fault of the suite makes the verdict an error and the code 5, even when every case passed."""
    results = results_of(PASS, faults=["a worker died"])
    assert (results.verdict, exit_code(results)) == ("error", 5)


def test_interrupted_run_does_not_conform() -> None:
    """A run that was cut off ends in 3 when nothing worse was found, in 1 when something was."""
    cut = build_results(RUN, [PASS], load_catalog(), interrupted=True)
    assert (cut.verdict, exit_code(cut)) == ("inconclusive", 3)
    worse = build_results(RUN, [PASS, FAIL], load_catalog(), interrupted=True)
    assert (worse.verdict, exit_code(worse)) == ("fail", 1)


def test_every_clause_is_listed() -> None:
    """Results name all 133 clauses in the catalog's order; one without a case is not judged, with all counts 0."""
    results = results_of(PASS, UNSURE)
    assert [clause.id for clause in results.clauses] == list(load_catalog().clauses)
    assert len(results.clauses) == 133
    of = {clause.id: clause for clause in results.clauses}
    assert of["TYPE-INTEGER"].counts["pass"] == 1
    assert of["TYPE-NOTNULL"].verdict == "inconclusive"
    assert (of["ENUM-CAMERA"].verdict, set(of["ENUM-CAMERA"].counts.values())) == ("not_judged", {0})


def test_counts_add_up() -> None:
    """The six counts add up to the number of cases, and waived cases are counted once more."""
    counts = results_of(PASS, replace(FAIL, waived=True), UNSURE, ABSENT, SEEN, ERROR).counts
    assert [counts[verdict] for verdict in VERDICTS] == [1, 1, 1, 1, 1, 1]
    assert counts["waived"] == 1


def test_zero_evidence_is_no_pass() -> None:
    """A pass that names no exchange becomes inconclusive and says why."""
    results = results_of(replace(PASS, evidence=()))
    assert (results.cases[0].verdict, results.cases[0].message, results.verdict) == ("inconclusive", NO_EVIDENCE, "inconclusive")


@pytest.mark.parametrize("cases", [(PASS, PASS), (replace(PASS, clause="TYPE-UNKNOWN"),)])
def test_impossible_cases_are_faults(cases: tuple[CaseResult, ...]) -> None:
    """Two cases of one id, or a case of a clause the catalog lacks, are the suite's own fault."""
    assert exit_code(results_of(*cases)) == 5


@pytest.mark.parametrize("message", ["plain", 'quotes " and \\', "22 °C", "\ud83d lone", "line\u2028separator", "\x00"])
def test_round_trip_keeps_every_byte(tmp_path: Path, message: str) -> None:
    """What is written, read and written again is the same, byte for byte."""
    results = results_of(PASS, replace(FAIL, message=message, curl=message, document="line 41", evidence=(3, 4)), CLAIMED)
    write_results(results, tmp_path / "a.json")
    again = load_results(tmp_path / "a.json")
    write_results(again, tmp_path / "b.json")
    assert again == results
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()


def test_members_are_those_of_the_contract(tmp_path: Path) -> None:
    """results.json has the members other people's scripts read, spelled as promised."""
    write_results(results_of(PASS), tmp_path / "results.json")
    document = json.loads((tmp_path / "results.json").read_bytes())
    top = "schema suite target appliances level started finished requests interpretations verdict counts clauses cases"
    assert set(top.split()) <= set(document)
    assert document["schema"] == SCHEMA
    assert set("id verdict quote line counts".split()) <= set(document["clauses"][0])  # noqa: SIM905  reads like the contract
    case = "id clause key kind ha_id verdict message document evidence curl waived"
    assert set(case.split()) <= set(document["cases"][0])
    assert set(document["counts"]) == {*VERDICTS, "waived"}


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"schema": "other/1"}, "other/1"),
        ({"verdict": "fine"}, "member verdict"),
        ({"level": "deep"}, "member level"),
        ({"started": "yesterday"}, "member started"),
        ({"finished": "2026-11-21T09:00:00"}, "a time without its zone"),
        ({"cases": [{"verdict": "splendid"}]}, r"member cases\.0"),
    ],
)
def test_foreign_file_is_refused(tmp_path: Path, change: dict[str, object], named: str) -> None:
    """A file that is no results.json is refused with its name and what is wrong."""
    path = tmp_path / "results.json"
    write_results(results_of(PASS), path)
    path.write_text(json.dumps(json.loads(path.read_bytes()) | change), encoding="utf-8")
    with pytest.raises(ResultsError, match=named) as refused:
        load_results(path)
    assert str(path) in str(refused.value)


def test_member_of_another_type_is_refused(tmp_path: Path) -> None:
    """Wherever a member has another type, the file is refused in one line that names the place."""
    path = tmp_path / "results.json"
    left_out = (NotJudged("SET-WRITABLE", (ALARM,), (FRIDGE.ha_id,), "the run only reads", "--level write"),)
    run = replace(RUN, keys=Keys(tried=2, claimed=1, gave_value=1))
    write_results(
        replace(
            results_of(PASS, FAIL, run=run),
            faults=(Fault("not_restored", "one", "oven-1", ALARM),),
            refused=("one",),
            waivers=(WAIVED,),
            not_judged=left_out,
        ),
        path,
    )

    def read(document: object) -> None:
        path.write_text(json.dumps(document), encoding="utf-8")
        load_results(path)

    assert taken(json.loads(path.read_bytes()), read, ResultsError) <= OF_ANY_TYPE


def test_missing_file_is_refused(tmp_path: Path) -> None:
    """A file that is not there is refused by name, as is one that is no JSON."""
    with pytest.raises(ResultsError, match=r"gone\.json"):
        load_results(tmp_path / "gone.json")
    for name, text in (("half.json", '{"schema": '), ("deep.json", "[" * 100_000)):
        (tmp_path / name).write_text(text, encoding="utf-8")
        with pytest.raises(ResultsError, match=name):
            load_results(tmp_path / name)


def test_failed_write_leaves_nothing_behind(tmp_path: Path) -> None:
    """A text that breaks off leaves the older file as it was, and no draft beside it."""

    def broken() -> Iterator[str]:
        yield "half"
        raise OSError("no space left on device")

    (tmp_path / "a.txt").write_text("whole", encoding="utf-8")
    with pytest.raises(OSError, match="no space"):
        write_text(tmp_path / "a.txt", broken())
    assert [(path.name, path.read_text(encoding="utf-8")) for path in tmp_path.iterdir()] == [("a.txt", "whole")]
