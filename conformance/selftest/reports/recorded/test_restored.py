"""What every report says of a run that wrote: first what was not put back, then states."""

from pathlib import Path
from typing import Any

import pytest

from catalog.loader import load_catalog
from conformance.checks.exchange import Remark
from conformance.checks.groups import Group
from conformance.records.faults import Fault
from conformance.records.results import Results
from conformance.selftest.support.owed_journals import (
    END,
    LOCK,
    OFF,
    ON,
    POWER,
    journal_text,
    outcome,
    restored,
    write,
)
from conformance.selftest.support.samples.pages import Seen, terminal_lines
from conformance.selftest.support.samples.results import FAIL, PASS, results_of
from reports.recorded.exchanges import show_exchange
from reports.renderings import RENDERINGS, write_renderings
from reports.results.build import exit_code
from reports.texts import short_value

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
FAILED = (
    write(1, POWER, OFF, ON),
    outcome(2, 1),
    restored(3, POWER, done=False, before=ON, after=OFF, now=OFF, tries=3),
    END,
)


class Reports:
    """The reports of a run, as they are written beside its journal and its ledger."""

    def __init__(self, directory: Path, results: Results, *journal: dict[str, Any]) -> None:
        """Writes the files and makes every report."""
        if journal:
            (directory / "journal.ndjson").write_text(journal_text(*journal), encoding="utf-8")
        (directory / "evidence.ndjson").touch()
        assert write_renderings(results, directory, load_catalog(), RENDERINGS) == ()
        self.html = (directory / "report.html").read_text(encoding="utf-8")
        self.page = Seen(self.html)
        self.markdown = (directory / "summary.md").read_text(encoding="utf-8")
        self.terminal = terminal_lines(results, directory)
        self.texts = (self.page.text, self.markdown, "\n".join(self.terminal))

    @property
    def first_lines(self) -> tuple[str, str, str]:
        """The first line of report.html below its title, of summary.md, and of the terminal's summary."""
        body = Seen(self.html[self.html.index("<body>") :])
        return body.text.strip().splitlines()[0], self.markdown.splitlines()[0].strip("*`"), self.terminal[0]

    def section(self, start: str, end: str) -> Seen:
        """The part of the page between two tags."""
        return Seen(self.html[self.html.index(start) : self.html.index(end)])


@pytest.mark.parametrize(
    ("faults", "journal"),
    [([FAULT], FAILED), ([FAULT], ()), ([], FAILED), (["a worker died", FAULT], FAILED), ([QUOTED], FAILED)],
)
def test_failed_restore_is_the_first_line(
    tmp_path: Path, faults: list[Fault | str], journal: tuple[dict[str, Any], ...]
) -> None:
    """Whether the run says it, the journal shows it, or both: once, before anything else, in every report."""
    said = Reports(tmp_path, results_of(PASS, faults=faults), *journal)
    assert said.first_lines == (LEFT, LEFT, LEFT)
    assert [text.count("NOT RESTORED: ") for text in said.texts] == [1, 1, 1]
    assert "<title>NOT RESTORED" in said.html


def test_failed_restore_is_not_called_a_fault_of_the_suite(tmp_path: Path) -> None:
    """A failed restore is named as that, verdicts stay, and the run ends in 5; alone, it leaves no pass."""
    results = results_of(PASS, FAIL, faults=[FAULT])
    for text in Reports(tmp_path, results).texts:
        assert not [said for said in ("ault of the suite", "the suite is at fault") if said in text]
        assert "1 key of the target was not put back." in text
    assert (results.verdict, exit_code(results)) == ("fail", 5)
    assert results_of(PASS, faults=[FAULT]).verdict == "inconclusive"


def test_other_faults_stay_the_suites_own(tmp_path: Path) -> None:
    """A fault of the suite stands below what was not put back."""
    said = Reports(tmp_path, results_of(PASS, faults=["a worker died", FAULT]))
    assert "The run has 1 fault of the suite." in said.page.text
    assert "Fault of the suite: a worker died" in said.page.text
    assert "fault of the suite: a worker died" in said.terminal
    assert "**Fault of the suite:** `a worker died`" in said.markdown


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (ON, "On"),
        ("Maker.Common.EnumType.PowerState.Off", "Off"),
        (5, "5"),
        ("5", '"5"'),
        (True, "true"),
        ("a.EnumType.b.On, is On", '"a.EnumType.b.On, is On"'),
        ("a.EnumType.", '"a.EnumType."'),
    ],
)
def test_value_in_a_sentence(value: object, said: str) -> None:
    """A value of an enumeration is said by its name; no other text can pass for a part of the sentence."""
    assert short_value(value) == said


def test_change_by_itself_is_no_failed_restore(tmp_path: Path) -> None:
    """A setting that moved without a write is in the table and not in the first line."""
    changed = {**restored(1, LOCK, done=False, before=True, now=False), "changed": True}
    said = Reports(tmp_path, results_of(PASS), changed)
    assert not said.first_lines[2].startswith("NOT RESTORED")
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
    said = Reports(tmp_path, results_of(PASS, faults=[*lost, fault, *lost]), *lines)
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
    said = Reports(tmp_path, results_of(PASS), *lines)
    refused = "oven-1 ChildLock was On; oven-1 EcoMode was On"
    assert said.terminal[:2] == [
        "NOT RESTORED: oven-1 PowerState was On, cannot be read",
        f"NOT RESTORED: 2 values cannot be read, and each write was refused: {refused}",
    ]


def test_table_of_states(tmp_path: Path) -> None:
    """With a journal, the page has a table of it in words, says what was sent, and leads to it."""
    said = Reports(tmp_path, results_of(PASS), *PUT_BACK)
    section = said.section('<section id="state">', '<section id="run">')
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
    assert early in Reports(tmp_path, results_of(PASS), *PUT_BACK[:-1]).page.text
    assert early not in Reports(tmp_path, results_of(PASS), *PUT_BACK).page.text
    (tmp_path / "journal.ndjson").unlink()
    page, summary, terminal = Reports(tmp_path, results_of(PASS)).texts
    assert not any(["State before, after" in page, "journal" in summary, "journal:" in terminal])


def test_note_of_the_ledger_is_shown_as_json() -> None:
    """What an operator said is shown like any JSON, not as Python."""
    note: dict[str, Any] = {"asked": "Open the door", "said": None}
    remark = Remark("operator", Group.parse("touch"), "oven-1", "*", note)
    assert show_exchange(1, remark).request == '{"asked": "Open the door", "said": null}'


@pytest.mark.parametrize("text", ["x" * 10_000, "\u202e\x1b[2J`` ``` `", "a\u2028b"])
def test_text_of_a_fault_stays_in_its_line(tmp_path: Path, text: str) -> None:
    """What a server has put into a key and a fault stays short, in its line and in its span of code."""
    key = f"Vendor.Common.Setting.{text}"
    journal = (write(1, key, text, text), restored(2, key, done=False, before=text, after=[text], now=text))
    faults = [Fault("not_restored", text, text, key)]
    said = Reports(tmp_path, results_of(PASS, faults=faults), *journal)
    assert not {"\u202e", "\x1b", "\u2028"} & set("".join(said.texts))
    assert len(said.html) < 200_000
    span = said.markdown.splitlines()[0].removeprefix("**").removesuffix("**")
    fence = span[: len(span) - len(span.lstrip("`"))]
    assert (span.startswith("`"), span.endswith(fence), fence in span.strip("`")) == (True, True, False)
    assert all("\n" not in line for line in said.terminal)
