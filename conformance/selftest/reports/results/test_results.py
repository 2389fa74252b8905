"""Results: how verdicts merge, what a run ends in, and the file in which they are kept."""

import json
from collections.abc import Iterator
from itertools import permutations
from pathlib import Path

import pytest
from msgspec import to_builtins
from msgspec.json import encode
from msgspec.structs import replace

from conformance.checks.verdict import Verdict
from conformance.files.text_files import compact_json, encoded, write_text
from conformance.records.faults import Fault, own_fault
from conformance.records.results import SCHEMA, NotJudged, Suspect, WaiverResult
from conformance.records.run_facts import Keys
from conformance.records.verdicts import VERDICTS, merge_verdicts
from conformance.selftest.support.samples.altered import places_taken
from conformance.selftest.support.samples.results import (
    ALARM,
    CLAIMED,
    ERROR,
    FAIL,
    FRIDGE,
    PASS,
    RUN,
    results_of,
)
from reports.results.file import ResultsError, load_outcome, load_results, write_results


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
        clauses=results_of(PASS).clauses[:1],
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


def test_failed_write_leaves_nothing_behind(tmp_path: Path) -> None:
    """A text that breaks off leaves the older file as it was, and no draft beside it."""

    def broken() -> Iterator[str]:
        yield "half"
        raise OSError("no space left on device")

    (tmp_path / "a.txt").write_text("whole", encoding="utf-8")
    with pytest.raises(OSError, match="no space"):
        write_text(tmp_path / "a.txt", broken())
    assert [path.read_text(encoding="utf-8") for path in tmp_path.iterdir()] == ["whole"]
