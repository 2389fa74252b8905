"""Results: how verdicts merge, what a run ends in, and the file in which they are kept."""

import json
from collections.abc import Iterable, Iterator
from itertools import permutations
from pathlib import Path

import pytest
from msgspec import to_builtins
from msgspec.json import encode
from msgspec.structs import replace

from catalog.loader import load_catalog
from conformance.checks.verdict import Manner, Verdict
from conformance.files.text_files import compact_json, encoded, write_text
from conformance.records.faults import Fault, own_fault
from conformance.records.results import (
    SCHEMA,
    CaseResult,
    DecidingExchange,
    NotJudged,
    Open,
    Suspect,
    WaiverResult,
)
from conformance.records.run_facts import Keys, RunFacts
from conformance.records.verdicts import VERDICTS, merge_verdicts
from conformance.selftest.support.samples.altered import places_taken
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
from reports.results.file import ResultsError, load_outcome, load_results, write_results

WAIVED_FAIL = replace(FAIL, waived=True)


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


# The file of results: what is written comes back, and what is no such file is refused.
WAIVER = WaiverResult("RANGE-*", "known", "me", "2027-01-31", "used", (FAIL.id,))
OF_ANY_TYPE = {
    "keys",
    "suspects",
    "partial",
    "stale_waivers",
    "stale_waivers.0",
    "interpretations.I-1",
    "interpretations.integer_lexical",
    "appliances.0.slowest_effect_s",
    "appliances.0.quiet_s",
    "headline",
    "most_open",
    "writing",
}
"""Members that follow from others and are not read, those that may be a text or a Boolean, a table that may
be missing, and numbers that are null where nothing was written.
"""


@pytest.mark.parametrize(
    "message", ["plain", 'quotes " and \\', "22 °C", "\ud83d lone", "line\u2028separator", "\x00"]
)
def test_round_trip_keeps_every_byte(tmp_path: Path, message: str) -> None:
    """What is written, read and written again is the same, byte for byte."""
    results = results_of(
        PASS, replace(FAIL, message=message, curl=message, document="line 41", evidence=(3, 4)), CLAIMED
    )
    write_results(results, tmp_path / "a.json")
    again = load_results(tmp_path / "a.json")
    write_results(again, tmp_path / "b.json")
    assert again == results
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()
    lines = (tmp_path / "a.json").read_text(encoding="utf-8").split("\n")
    rows = [encoded(compact_json(to_builtins(case))).decode() for case in again.cases]
    assert [line.strip(" ,") for line in lines[-6:-3]] == rows, "written as any other row"


def test_outcome_is_all_but_the_cases(tmp_path: Path) -> None:
    """What a run ends in is read from the first lines of its file: the cases may be half a million."""
    results = replace(results_of(PASS, FAIL, ERROR), waivers=(WAIVER,), faults=(own_fault('"cases": ['),))
    write_results(results, tmp_path / "results.json")
    assert load_outcome(tmp_path / "results.json") == replace(results, cases=())
    (tmp_path / "half.json").write_text('{"suite": 1,\n"cases": [', encoding="utf-8")
    with pytest.raises(ResultsError, match=r"half\.json"):
        load_outcome(tmp_path / "half.json")


def test_members_are_those_of_the_contract(tmp_path: Path) -> None:
    """results.json has the members other people's scripts read, spelled as promised."""
    write_results(results_of(PASS), tmp_path / "results.json")
    document = json.loads((tmp_path / "results.json").read_bytes())
    top = "suite target appliances level started finished requests interpretations verdict counts"
    clause = "id verdict quote line counts"
    case = "id clause key kind ha_id verdict message document evidence curl waived"
    assert {*top.split(), "clauses", "cases"} <= set(document)
    assert set(clause.split()) <= set(document["clauses"][0])
    assert set(case.split()) <= set(document["cases"][0])
    assert (document["schema"], set(document["counts"])) == (SCHEMA, {*VERDICTS, "waived"})


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"schema": "other/1"}, "other/1"),
        ({"verdict": "fine"}, r"\$\.verdict"),
        ({"level": "deep"}, r"\$\.level"),
        ({"started": "yesterday"}, r"\$\.started"),
        ({"finished": "2026-11-21T09:00:00"}, r"with a timezone component - at `\$\.finished"),
        ({"cases": [{"verdict": "splendid"}]}, r"\$\.cases\[0\]"),
        ({"counts": {}}, r"no number of pass - at `\$\.counts"),
        ({"findings": []}, "no finding names the failed case"),
        ({"findings": [{"case": PASS.id, "message": "", "clauses": [], "cases": [FAIL.id]}]}, "no case TYPE"),
        ({"cases": []}, r"no case RANGE-ALARMCLOCK::\S+ - at `\$\.findings\[0\]"),
        ({"level": "\ud800"}, "utf-8"),
    ],
)
def test_foreign_file_is_refused(tmp_path: Path, change: dict[str, object], named: str) -> None:
    """A file that is no results.json is refused with its name and what is wrong."""
    path = tmp_path / "results.json"
    write_results(results_of(PASS, FAIL), path)
    path.write_text(json.dumps(json.loads(path.read_bytes()) | change), encoding="utf-8")
    with pytest.raises(ResultsError, match=named) as refused:
        load_results(path)
    assert str(path) in str(refused.value)


def test_member_of_another_type_is_refused(tmp_path: Path) -> None:
    """Wherever a member has another type, the file is refused in one line that names the place."""
    path = tmp_path / "results.json"
    results = replace(
        results_of(PASS, FAIL, run=replace(RUN, keys=Keys(tried=2, claimed=1, gave_value=1))),
        faults=(Fault("not_restored", "one", "oven-1", ALARM),),
        refused=("one",),
        waivers=(WAIVER,),
        not_judged=(NotJudged("SET-WRITABLE", (ALARM,), (FRIDGE.ha_id,), "only reads", "--level write"),),
        suspects=(Suspect("answer.min", "", 'min = "/min"', '"/max"', (FAIL.id,)),),
    )
    write_results(results, path)

    def read(document: object) -> None:
        path.write_bytes(encode(document))
        load_results(path)

    assert places_taken(json.loads(path.read_bytes()), read, ResultsError) <= OF_ANY_TYPE


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
    assert [path.read_text(encoding="utf-8") for path in tmp_path.iterdir()] == ["whole"]
