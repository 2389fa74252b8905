"""What reports are made from: results with their file, and the journal of a run that wrote."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec import to_builtins
from msgspec.json import encode
from msgspec.structs import replace

from conformance.files.text_files import compact_json, encoded, write_text
from conformance.records.faults import Fault, own_fault
from conformance.records.results import NotJudged, Suspect, WaiverResult
from conformance.records.run_facts import Keys
from conformance.selftest.support.altered import places_taken
from conformance.selftest.support.owed_journals import (
    END,
    HEADER,
    LOCK,
    OFF,
    ON,
    POWER,
    journal_text,
    outcome,
    restored,
    write,
)
from conformance.selftest.support.results import ALARM, CLAIMED, ERROR, FAIL, FRIDGE, PASS, RUN, results_of
from conformance.selftest.support.shown_runs import show
from reports.recorded.restored import alarms, sent_in_words, state_rows
from reports.recorded.saved_journal import SavedJournal, load_journal
from reports.results.file import ResultsError, load_outcome, load_results, write_results
from reports.results.headline import headline
from reports.texts import short_value

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


def test_verdict_is_told_where_nothing_says_why() -> None:
    """A file of another version may rest on a reason that this one does not know."""
    assert headline(replace(results_of(PASS), verdict="inconclusive")) == "Inconclusive"


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"schema": "other/1"}, "other/1"),
        ({"verdict": "fine"}, r"\$\.verdict"),
        ({"level": "deep"}, r"\$\.level"),
        ({"started": "yesterday"}, "'yesterday' is no time: Invalid RFC3339 encoded datetime"),
        ({"finished": "2026-11-21T09:00:00"}, "with a timezone component"),
        ({"started": "0001-01-01T00:00:00+01:00"}, "is no time: date value out of range"),
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


# The journal as reports read it, and what they say of a run that wrote.
def rows_of(directory: Path, *lines: dict[str, Any], tail: str = "") -> SavedJournal:
    """The journal with these lines, and a tail that is not whole."""
    path = directory / "journal.ndjson"
    path.write_text(journal_text(*lines) + tail, encoding="utf-8")
    journal = load_journal(path, RUN)
    assert journal is not None
    return journal


@pytest.mark.parametrize(
    "tail", ["", '{"n":9,"restored":tr', "\x00\n[1]\nnull\n", "[" * 100_000, '{"n": 1, "at']
)
def test_cut_journal_is_read_as_far_as_it_goes(tmp_path: Path, tail: str) -> None:
    """A last line that is cut, or no object, hides nothing before it."""
    journal = rows_of(tmp_path, write(1, POWER, OFF, ON), tail=tail)
    assert [(state.key, state.put_back) for state in journal.states] == [(POWER, None)]
    assert not journal.complete


@pytest.mark.parametrize(
    "line",
    [
        {"n": [], "intent": "write", "ha_id": "oven-1", "key": LOCK, "value": {"a": []}, "before": [None]},
        {"n": None, "intent": "write", "ha_id": {}, "key": None, "group": 7},
        {"n": 2, "of": {}, "outcome": ["refused"], "answer": None},
        {"n": 3, "restored": "yes", "ha_id": "oven-1", "key": LOCK},
        {"n": 4, "restored": False, "ha_id": "oven-1", "key": LOCK, "tries": "many", "note": {}},
        {**restored(5, POWER, now=ON), "prepared": True, "at": "0001-01-01T00:00:00+14:00"},
    ],
)
def test_line_of_any_shape_breaks_nothing(tmp_path: Path, line: dict[str, Any]) -> None:
    """A line that lacks what it should have, or has it in another type, is taken for what it is worth."""
    journal = rows_of(tmp_path, write(1, POWER, OFF, ON), line, restored(9, POWER, now=ON))
    assert journal.states[0].put_back
    assert sent_in_words(journal, 1)
    assert len(state_rows(journal)) <= 2


@pytest.mark.parametrize(
    ("again", "told"),
    [(0, ""), (2, "; 2 sent again, as the target asked for patience or for a new token")],
)
def test_writes_sent_again_are_told(tmp_path: Path, again: int, told: str) -> None:
    """A journal notes a write once, however often it was sent."""
    journal = rows_of(tmp_path, write(1, POWER, OFF, ON), END)
    assert sent_in_words(journal, again).partition("0 writes sent to put back")[2] == told


@pytest.mark.parametrize(
    ("begun", "is_ours"),
    [
        ("2026-11-21T09:00:00+00:00", True),
        ("2026-11-21T08:59:59.500Z", True),
        ("2026-11-21T09:04:11Z", True),
        ("2026-11-20T09:01:00Z", False),
        ("2026-11-21T10:00:00Z", False),
        ("some day", True),
        (None, True),
    ],
)
def test_journal_of_another_run_is_not_ours(tmp_path: Path, begun: object, *, is_ours: bool) -> None:
    """A journal that lies there from a run that was killed is not shown as this run's; nor is one of
    which no line is whole, or none at all.
    """
    path = tmp_path / "journal.ndjson"
    assert load_journal(path, RUN) is None
    path.write_text('{"n":0,"sch', encoding="utf-8")
    assert load_journal(path, RUN) is None
    path.write_text(json.dumps({**HEADER, "at": begun}) + "\n", encoding="utf-8")
    assert (load_journal(path, RUN) is not None) == is_ours


LEFT = "NOT RESTORED: oven-1 PowerState was On, is Off"
FAULT = Fault("not_restored", "oven-1 PowerState was On, is Off", "oven-1", POWER)
QUOTED = Fault("not_restored", f'oven-1 PowerState was "{ON}", is "{OFF}"', "oven-1", POWER)
LEFT_OFF = (
    write(1, POWER, OFF, ON),
    outcome(2, 1),
    restored(3, POWER, done=False, before=ON, after=OFF, now=OFF, tries=3),
    END,
)


@pytest.mark.parametrize("faults", [[FAULT], [], ["a worker died", FAULT], [QUOTED]])
def test_failed_restore_is_said_once(tmp_path: Path, faults: list[Fault | str]) -> None:
    """Whether the run says it, the journal shows it, or both."""
    results = results_of(PASS, faults=faults)
    assert alarms(results, rows_of(tmp_path, *LEFT_OFF)) == (LEFT,)
    assert alarms(results, None) == ((LEFT,) if FAULT in faults or QUOTED in faults else ())


def test_change_by_somebody_else_is_no_failed_restore(tmp_path: Path) -> None:
    """What was put back and then changed by somebody else is left as it is, and said beside the key."""
    note = "somebody else changed it"
    journal = rows_of(
        tmp_path,
        write(1, POWER, OFF, ON),
        restored(2, POWER, now=ON, tries=1),
        {**restored(3, POWER, done=False, before=ON, now=OFF, tries=0), "changed": True, "note": note},
    )
    assert alarms(results_of(PASS), journal) == ()
    ((state, put_back, is_left),) = state_rows(journal)
    assert (is_left, state.now) == (False, OFF)
    assert put_back.endswith(f"; {note}")


@pytest.mark.parametrize("text", ["x" * 10_000, "\u202e\x1b[2J`` ``` `", "a\u2028b"])
def test_text_of_a_fault_stays_in_its_line(text: str) -> None:
    """What a server has put into a key and a fault stays short, and steers nothing."""
    fault = Fault("not_restored", text, text, f"Vendor.Common.Setting.{text}")
    (line,) = alarms(results_of(PASS, faults=[fault]), None)
    assert (line.isprintable(), len(line) < 500) == (True, True)


def test_value_in_a_sentence() -> None:
    """A value of an enumeration is said by its name; no other text can pass for a part of the sentence."""
    short = {ON: "On", "Maker.Common.EnumType.PowerState.Off": "Off", 5: "5", "5": '"5"'}
    longer = {text: f'"{text}"' for text in ("a.EnumType.b.On, is On", "a.EnumType.")}
    for value, said in (short | longer).items():
        assert short_value(value) == said


def test_row_names_four_procedures_and_counts_the_others(tmp_path: Path) -> None:
    """A setting that many procedures write stays one row that is read at a glance, and says its own key once;
    a journal without its last line is said to end early.
    """
    lines = [write(number, POWER, OFF, ON, group=f"set{number}/{POWER}@oven-1") for number in range(1, 7)]
    text = show(tmp_path, results_of(PASS), *lines).read_text(encoding="utf-8").replace("<wbr>", "")
    shown = re.findall(r"set(\d)/&lt;key&gt;</code>|(and 2 further groups)", text)
    assert shown == [("1", ""), ("2", ""), ("3", ""), ("4", ""), ("", "and 2 further groups")]
    assert "The journal ends before the run did" in text
