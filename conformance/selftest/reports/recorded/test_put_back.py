"""The journal as reports read it: whole, cut, hostile, of another run; and what they say of a run that wrote:
first what was not put back, then states.
"""

import json
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from conformance.records.faults import Fault
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
from conformance.selftest.support.samples.pages import Seen, Told
from conformance.selftest.support.samples.results import PASS, RUN, results_of
from reports.recorded.restored import sent_in_words, state_rows
from reports.recorded.saved_journal import NO_OUTCOME, SavedJournal, load_journal
from reports.texts import short_value


def rows_of(directory: Path, *lines: dict[str, Any], tail: str = "") -> SavedJournal:
    """The journal with these lines, and a tail that is not whole."""
    path = directory / "journal.ndjson"
    path.write_text(journal_text(*lines) + tail, encoding="utf-8")
    journal = load_journal(path, RUN)
    assert journal is not None
    return journal


def prepared(line: dict[str, Any], at: str) -> dict[str, Any]:
    """The same line at another time, about a state that others are written in."""
    return line | {"prepared": True, "at": at}


def test_a_prepared_state_is_told_with_its_length(tmp_path: Path) -> None:
    """What a procedure puts back within a prepared state is no end of it; the row says how long it lasted."""
    lines = (
        prepared(write(1, LOCK, value=False, before=True), "2026-01-01T00:00:01.000+00:00"),
        write(2, LOCK, value=True, before=False),
        restored(3, LOCK, before=False, after=True, now=False),
        prepared(restored(4, LOCK, before=True, after=False, now=True), "2026-01-01T00:00:03.500+00:00"),
    )
    (cut,), (whole,) = rows_of(tmp_path, *lines[:3]).states, rows_of(tmp_path, *lines, END).states
    assert (cut.put_back, cut.before, whole.put_back, whole.now) == (None, True, True, True)
    (row,) = state_rows(rows_of(tmp_path, *lines, END))
    assert row.put_back == "yes; held at false so that others could be written, 2.5 s in all"


def test_a_key_is_followed_from_its_first_write(tmp_path: Path) -> None:
    """A record has the values of a key, and how often and for which groups it was written."""
    other = "type/ChildLock@oven-1"
    journal = rows_of(
        tmp_path,
        write(1, LOCK, value=True, before=False),
        outcome(2, 1),
        write(3, POWER, OFF, ON),
        outcome(4, 3, "refused"),
        {**write(5, LOCK, value=False, before=False), "intent": "restore"},
        outcome(6, 5),
        restored(7, LOCK, before=False, after=True, now=False),
        write(8, LOCK, value="yes", before=False, group=other),
        restored(9, LOCK, before=False, after="yes", now=False, tries=2, note="slow"),
        restored(10, POWER, before=ON, after=ON, now=ON, tries=0),
        END,
    )
    lock, power = journal.states
    values = (lock.before, lock.written, lock.after, lock.now, lock.put_back)
    assert (lock.key, values) == (LOCK, (False, "yes", "yes", False, True))
    assert (lock.writes, lock.groups) == (2, (f"set/{LOCK}@oven-1", other))
    assert (lock.tries, lock.note) == (2, "slow")
    assert (power.key, power.before, power.written, power.tries) == (POWER, ON, OFF, 0)
    outcomes = {"acknowledged": 1, "refused": 1, NO_OUTCOME: 1}
    assert (journal.writes.sent, dict(journal.writes.outcomes), journal.complete) == (3, outcomes, True)
    assert (journal.restores.sent, dict(journal.restores.outcomes)) == (1, {"acknowledged": 1})
    sent = "3 writes sent (1 acknowledged, 1 refused, 1 no outcome recorded) for cases; 1 write sent"
    assert sent_in_words(journal) == f"{sent} (1 acknowledged) to put back"


NOT_RECORDED = "not recorded: the journal does not say that it was put back"
FAILED = restored(2, POWER, before=ON, now=OFF, done=False, tries=3)


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ([restored(2, POWER, before=ON, now=ON)], "yes"),
        ([restored(2, POWER, before=ON, now=ON, tries=3)], "yes, at try 3"),
        ([restored(2, POWER, before=ON, now=ON, tries=0)], "yes: nothing had to be put back"),
        ([FAILED], "NOT put back, tried 3 times"),
        ([FAILED, restored(3, POWER, before=ON, now=ON)], "yes; it had failed 1 time before"),
        ([restored(2, POWER, before=OFF, now=OFF)], "yes; not its first value"),
        ([], NOT_RECORDED),
        ([restored(2, POWER, now=ON), write(3, POWER, OFF)], NOT_RECORDED),
        ([restored(2, POWER, done=False), write(3, POWER, OFF)], "NOT put back, tried 1 time"),
    ],
)
def test_words_for_what_was_put_back(tmp_path: Path, lines: list[dict[str, Any]], said: str) -> None:
    """The last line of a key counts; an earlier failure is said, and silence is not called put back."""
    assert [row.put_back for row in state_rows(rows_of(tmp_path, write(1, POWER, OFF, ON), *lines))] == [said]


def test_what_is_left_comes_first(tmp_path: Path) -> None:
    """Failed restores stand before what is not known, that before what is odd, that before the rest."""
    writes = [write(n, key, 1, 0) for n, key in enumerate(("plain", "odd", "open", "failed"), start=1)]
    failed = [restored(n, key, done=False) for n, key in ((6, "odd"), (8, "failed"))]
    lines = (*writes, restored(5, "plain", now=0), *failed, restored(9, "odd", now=0))
    rows = [(row.key, row.is_left) for row in state_rows(rows_of(tmp_path, *lines))]
    assert rows == [("failed", True), ("open", True), ("odd", False), ("plain", False)]


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
    ],
)
def test_line_of_any_shape_breaks_nothing(tmp_path: Path, line: dict[str, Any]) -> None:
    """A line that lacks what it should have, or has it in another type, is taken for what it is worth."""
    journal = rows_of(tmp_path, write(1, POWER, OFF, ON), line, restored(9, POWER, now=ON))
    assert journal.states[0].put_back
    assert sent_in_words(journal)
    assert len(state_rows(journal)) <= 2


def test_null_is_told_from_nothing(tmp_path: Path) -> None:
    """A null that was written is shown as a value, an unknown value in words; a text keeps its quotes."""
    end = restored(2, LOCK, done=False, after="not known", now=None)
    (row,) = state_rows(rows_of(tmp_path, write(1, LOCK, None), end))
    assert (row.before, row.written) == ("not known", "null")
    assert (row.after, row.now) == ('"not known"', "cannot be read")


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
    assert load_journal(path, replace(RUN, started="then")) is not None


ECO = "Refrigeration.Common.Setting.EcoMode"
LEFT = "NOT RESTORED: oven-1 PowerState was On, is Off"
FAULT = Fault("not_restored", "oven-1 PowerState was On, is Off", "oven-1", POWER)
QUOTED = Fault("not_restored", f'oven-1 PowerState was "{ON}", is "{OFF}"', "oven-1", POWER)
PUT_BACK = (
    write(1, LOCK, value=True, before=False),
    outcome(2, 1),
    restored(3, LOCK, before=False, after=True, now=False),
    END,
)
LEFT_OFF = (
    write(1, POWER, OFF, ON),
    outcome(2, 1),
    restored(3, POWER, done=False, before=ON, after=OFF, now=OFF, tries=3),
    END,
)


@pytest.mark.parametrize(
    ("faults", "journal"),
    [
        ([FAULT], LEFT_OFF),
        ([FAULT], ()),
        ([], LEFT_OFF),
        (["a worker died", FAULT], LEFT_OFF),
        ([QUOTED], LEFT_OFF),
    ],
)
def test_failed_restore_is_the_first_line(
    tmp_path: Path, faults: list[Fault | str], journal: tuple[dict[str, Any], ...]
) -> None:
    """Whether the run says it, the journal shows it, or both: once, before anything else, in every report."""
    said = Told(tmp_path, results_of(PASS, faults=faults), *journal)
    body = Seen(said.html[said.html.index("<body>") :]).text.strip()
    summary = said.markdown.splitlines()[0].strip("*`")
    assert (body.splitlines()[0], summary, said.terminal[0]) == (LEFT, LEFT, LEFT)
    assert [text.count("NOT RESTORED: ") for text in said.texts] == [1, 1, 1]
    assert "<title>NOT RESTORED" in said.html


def test_value_in_a_sentence() -> None:
    """A value of an enumeration is said by its name; no other text can pass for a part of the sentence."""
    short = {ON: "On", "Maker.Common.EnumType.PowerState.Off": "Off", 5: "5", "5": '"5"'}
    longer = {text: f'"{text}"' for text in ("a.EnumType.b.On, is On", "a.EnumType.")}
    for value, said in (short | longer).items():
        assert short_value(value) == said


def test_change_by_itself_is_no_failed_restore(tmp_path: Path) -> None:
    """A setting that moved without a write is in the table and not in the first line."""
    changed = {**restored(1, LOCK, done=False, before=True, now=False), "changed": True}
    said = Told(tmp_path, results_of(PASS), changed)
    assert not said.terminal[0].startswith("NOT RESTORED")
    assert "changed without a write; NOT put back" in said.page.text


def test_values_not_restored_for_one_reason_share_a_line(tmp_path: Path) -> None:
    """Values that are others now are named in one line, unreadable ones in another; many end in a count."""
    left, right = (f"Refrigeration.Common.Setting.Chiller{s}.SetpointTemperature" for s in ("Left", "Right"))
    fault = Fault("not_restored", "oven-1 SetpointTemperature was 2, is 3", "oven-1", left)
    lines = [
        line
        for key in (left, right)
        for line in (write(1, key, 3, 2), restored(2, key, done=False, before=2, now=3))
    ]
    lost = [
        Fault("not_restored", f"oven-1 Light{number} was true, cannot be read", "oven-1", f"Light{number}")
        for number in range(6)
    ]
    said = Told(tmp_path, results_of(PASS, faults=[*lost, fault, *lost]), *lines)
    moved = "oven-1 SetpointTemperature was 2, is 3; oven-1 ChillerRight.SetpointTemperature was 2, is 3"
    lights = "oven-1 Light0 was true; oven-1 Light1 was true; oven-1 Light2 was true"
    assert said.terminal[:2] == [
        f"NOT RESTORED: 2 values: {moved}",
        f"NOT RESTORED: 6 values cannot be read: {lights}; and 3 more (report.html, State before and after)",
    ]
    assert [text.count("NOT RESTORED: ") for text in said.texts] == [2, 2, 2]


def test_values_whose_writes_were_refused_stand_apart(tmp_path: Path) -> None:
    """What cannot be read, and what no write was taken of, is no reason to look for a changed appliance."""
    lines = [
        line
        for n, (key, word) in enumerate(((POWER, "acknowledged"), (LOCK, "refused"), (ECO, "access refused")))
        for line in (
            write(3 * n, key, OFF, ON),
            outcome(3 * n + 1, 3 * n, word),
            restored(3 * n + 2, key, done=False, before=ON),
        )
    ]
    said = Told(tmp_path, results_of(PASS), *lines)
    refused = "oven-1 ChildLock was On; oven-1 EcoMode was On"
    assert said.terminal[:2] == [
        "NOT RESTORED: oven-1 PowerState was On, cannot be read",
        f"NOT RESTORED: 2 values cannot be read, and each write was refused: {refused}",
    ]


def test_table_of_states(tmp_path: Path) -> None:
    """With a journal, the page has a table of it in words, says what was sent, and leads to it."""
    said = Told(tmp_path, results_of(PASS), *PUT_BACK)
    section = Seen(said.html[said.html.index('<section id="state">') : said.html.index('<section id="run">')])
    assert len(section.named("caption")) == len(section.named("table")) == 1
    for word in ("State before, after, restored", LOCK, "false", "true", "yes", f"set/{LOCK}@oven-1"):
        assert word in section.text
    sent = "1 write sent (1 acknowledged) for cases; 0 writes sent to put back"
    assert all(sent in text for text in (section.text, *said.texts))
    assert f"journal: {sent}" in said.terminal
    assert {"href": "#state"} in said.page.named("a")


def test_cut_journal_is_called_cut(tmp_path: Path) -> None:
    """A journal without its last line is said to end early; a whole one is not, and no journal is nothing."""
    early = "The journal ends before the run did"
    assert early in Told(tmp_path, results_of(PASS), *PUT_BACK[:-1]).page.text
    assert early not in Told(tmp_path, results_of(PASS), *PUT_BACK).page.text
    (tmp_path / "journal.ndjson").unlink()
    page, summary, terminal = Told(tmp_path, results_of(PASS)).texts
    assert not any(["State before, after" in page, "journal" in summary, "journal:" in terminal])


@pytest.mark.parametrize("text", ["x" * 10_000, "\u202e\x1b[2J`` ``` `", "a\u2028b"])
def test_text_of_a_fault_stays_in_its_line(tmp_path: Path, text: str) -> None:
    """What a server has put into a key and a fault stays short, in its line and in its span of code."""
    key = f"Vendor.Common.Setting.{text}"
    journal = (write(1, key, text, text), restored(2, key, done=False, before=text, after=[text], now=text))
    faults = [Fault("not_restored", text, text, key)]
    said = Told(tmp_path, results_of(PASS, faults=faults), *journal)
    assert not {"\u202e", "\x1b", "\u2028"} & set("".join(said.texts))
    assert len(said.html) < 200_000
    span = said.markdown.splitlines()[0].removeprefix("**").removesuffix("**")
    fence = span[: len(span) - len(span.lstrip("`"))]
    assert (span.startswith("`"), span.endswith(fence), fence in span.strip("`")) == (True, True, False)
    assert all("\n" not in line for line in said.terminal)
