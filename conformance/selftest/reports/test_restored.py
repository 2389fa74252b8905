"""What every report says of a run that wrote: first what was not put back, then states and events."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from catalog.loader import load_catalog
from conformance.selftest.support.sample_journals import (
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
from conformance.selftest.support.sample_pages import HOSTILE, Seen, assert_harmless
from conformance.selftest.support.sample_results import FAIL, PASS, results_of
from conformance.selftest.support.terminals import Lines
from reports.formats.terminal import summarize
from reports.recorded.event_counts import load_events
from reports.recorded.exchanges import show_exchange
from reports.renderings import RENDERINGS, write_renderings
from reports.results.build import exit_code
from reports.results.faults import Fault
from reports.texts import short_value

if TYPE_CHECKING:
    from pathlib import Path

    from reports.results.model import Results

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


class Said:
    """The reports of a run, as they are written beside its journal and its ledger."""

    def __init__(self, directory: Path, results: Results, *journal: dict[str, Any], ledger: str = "") -> None:
        """Writes the files and makes every report."""
        if journal:
            (directory / "journal.ndjson").write_text(journal_text(*journal), encoding="utf-8")
        (directory / "evidence.ndjson").write_text(ledger, encoding="utf-8")
        assert write_renderings(results, directory, load_catalog(), RENDERINGS) == ()
        self.html = (directory / "report.html").read_text(encoding="utf-8")
        self.page = Seen(self.html)
        self.markdown = (directory / "summary.md").read_text(encoding="utf-8")
        terminal = Lines()
        summarize(results, load_catalog(), directory, terminal)
        self.terminal = terminal.lines

    @property
    def first_lines(self) -> tuple[str, str, str]:
        """The first line of report.html below its title, of summary.md, and of the terminal's summary."""
        body = Seen(self.html[self.html.index("<body>") :])
        return body.text.strip().splitlines()[0], self.markdown.splitlines()[0].strip("*`"), self.terminal[0]


@pytest.mark.parametrize(
    ("faults", "journal"),
    [([FAULT], FAILED), ([FAULT], ()), ([], FAILED), (["a worker died", FAULT], FAILED), ([QUOTED], FAILED)],
)
def test_failed_restore_is_the_first_line(
    tmp_path: Path, faults: list[Fault | str], journal: tuple[dict[str, Any], ...]
) -> None:
    """Whether the run says it, the journal shows it, or both: once, before anything else, in every report."""
    said = Said(tmp_path, results_of(PASS, faults=faults), *journal)
    assert said.first_lines == (LEFT, LEFT, LEFT)
    assert [
        text.count("NOT RESTORED: ") for text in (said.page.text, said.markdown, "\n".join(said.terminal))
    ] == [1, 1, 1]
    assert "<title>NOT RESTORED" in said.html


def test_failed_restore_is_not_called_a_fault_of_the_suite(tmp_path: Path) -> None:
    """A failed restore is named as that, verdicts stay, and the run ends in 5."""
    results = results_of(PASS, FAIL, faults=[FAULT])
    said = Said(tmp_path, results)
    for text in (said.page.text, said.markdown, "\n".join(said.terminal)):
        assert "ault of the suite" not in text
        assert "the suite is at fault" not in text
        assert "1 key of the target was not put back." in text
    assert (results.verdict, exit_code(results)) == ("fail", 5)


def test_nothing_conforms_that_is_left_changed() -> None:
    """A pass with a failed restore is inconclusive, and an error with a fault of the suite."""
    assert results_of(PASS, faults=[FAULT]).verdict == "inconclusive"
    assert results_of(PASS, faults=[FAULT, "a worker died"]).verdict == "error"


def test_other_faults_stay_the_suites_own(tmp_path: Path) -> None:
    """A fault of the suite is listed below, without what was not put back."""
    said = Said(tmp_path, results_of(PASS, faults=["a worker died", FAULT]))
    assert "The run has 1 fault of the suite." in said.page.text
    section = Seen(said.html[said.html.index('<section class="faults">') : said.html.index("</header>")])
    assert section.text.split() == ["Faults", "of", "the", "suite", "a", "worker", "died"]
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
    said = Said(tmp_path, results_of(PASS), changed)
    assert not said.first_lines[2].startswith("NOT RESTORED")
    assert "changed without a write; NOT put back" in said.page.text


def test_every_failed_restore_is_said(tmp_path: Path) -> None:
    """Each failed restore has a line, also of keys with the same last name; many end in a count."""
    chillers = [
        f"Refrigeration.Common.Setting.Chiller{side}.SetpointTemperature" for side in ("Left", "Right")
    ]
    lines = [
        line
        for key in chillers
        for line in (write(1, key, 3, 2), restored(2, key, done=False, before=2, now=3))
    ]
    said = Said(
        tmp_path,
        results_of(
            PASS,
            faults=[
                Fault("not_restored", "oven-1 SetpointTemperature was 2, is 3", "oven-1", lines[0]["key"])
            ],
        ),
        *lines,
    )
    assert said.terminal[:2] == [
        "NOT RESTORED: oven-1 SetpointTemperature was 2, is 3",
        "NOT RESTORED: oven-1 ChillerRight.SetpointTemperature was 2, is 3",
    ]
    many = Said(
        tmp_path,
        results_of(PASS, faults=[replace(FAULT, text=f"{FAULT.text} ({number})") for number in range(30)]),
    )
    assert "NOT RESTORED: 12 further keys, see the report" in many.terminal


def test_table_of_states(tmp_path: Path) -> None:
    """With a journal, the page has a table of it in words, and says what was sent."""
    said = Said(tmp_path, results_of(PASS), *PUT_BACK)
    section = Seen(said.html[said.html.index('<section id="state">') : said.html.index('<section id="run">')])
    assert len(section.named("caption")) == len(section.named("table")) == 1
    assert all(attributes.get("scope") for attributes in section.named("th"))
    for word in (
        "State before, after, restored",
        "oven-1",
        LOCK,
        "false",
        "true",
        "yes",
        f"set/{LOCK}@oven-1",
    ):
        assert word in section.text
    sent = "1 write sent (1 acknowledged) for cases; 0 writes sent to put back"
    assert sent in section.text
    assert sent in said.markdown
    assert f"journal: {sent}" in said.terminal


def test_cut_journal_is_called_cut(tmp_path: Path) -> None:
    """A journal without its last line is said to end early; a whole one is not."""
    assert "The journal ends before the run did" in Said(tmp_path, results_of(PASS), *PUT_BACK[:-1]).page.text
    assert "The journal ends before the run did" not in Said(tmp_path, results_of(PASS), *PUT_BACK).page.text


def test_no_journal_no_section(tmp_path: Path) -> None:
    """A run that wrote nothing has neither the section nor a link to it."""
    said = Said(tmp_path, results_of(PASS))
    assert "State before, after, restored" not in said.page.text
    assert "journal" not in said.markdown


def test_links_of_the_new_sections(tmp_path: Path) -> None:
    """Every link of a page with all its sections leads somewhere in it."""
    page = Said(tmp_path, results_of(PASS), *PUT_BACK).page
    anchors = {attributes["id"] for _, attributes in page.tags if "id" in attributes}
    links = {
        str(attributes["href"])[1:]
        for attributes in page.named("a")
        if str(attributes["href"]).startswith("#")
    }
    assert "state" in links
    assert links <= anchors


def event(value: object, **note: object) -> dict[str, Any]:
    """A line of the ledger about an event."""
    said = {
        "kind": "STATUS",
        "key": "Vendor.Common.Status.LocalControlActive",
        "value": value,
        "raw": "data: {}",
        **note,
    }
    return {
        "n": 1,
        "purpose": "event",
        "groups": [],
        "lane": "oven-1",
        "ha_id": "oven-1",
        "key": said["key"],
        "note": said,
    }


def as_ledger(*lines: object) -> str:
    """The text of a ledger."""
    return "".join(json.dumps(line) + "\n" for line in lines)


def test_events_are_counted(tmp_path: Path) -> None:
    """Events of one key are one record, with the first values and what was read after the last one."""
    path = tmp_path / "evidence.ndjson"
    others: list[dict[str, Any]] = [
        {"n": 0, "purpose": "run", "event": 1},
        {"n": 7, "purpose": "event", "note": "text"},
        {"n": 8, "purpose": "operator", "note": {"event": "event"}},
    ]
    path.write_text(
        as_ledger(
            *others,
            *(event(number) for number in range(7)),
            event(None, read=True),
            event(None, read=False),
            event(1),
        )
        + '{"purpose":"event"',
        "utf-8",
    )
    (record,) = load_events(path)
    assert (record.kind, record.number, record.values, record.more, record.read) == (
        "STATUS",
        10,
        ("0", "1", "2", "3", "4"),
        5,
        "false",
    )
    assert load_events(tmp_path / "none") == ()


def test_events_stand_under_observations(tmp_path: Path) -> None:
    """The page shows which events came; without any it shows no table."""
    unread = {"n": 3, "purpose": "event", "ha_id": "oven-1", "note": {"raw": "nonsense <b>"}}
    page = Said(tmp_path, results_of(PASS), ledger=as_ledger(event(value=True, read=None), unread)).html
    section = Seen(page[page.index('<section id="observations">') : page.index('<section id="coverage">')])
    for word in (
        "Events that came on the event stream",
        "STATUS",
        "true",
        "null",
        "nonsense <b>",
        "not known",
        "not asked",
    ):
        assert word in section.text
    assert "Events that came" not in Said(tmp_path, results_of(PASS)).page.text


def test_note_of_the_ledger_is_shown_as_json() -> None:
    """What an operator said is shown like any JSON, not as Python."""
    assert (
        show_exchange(1, {"note": {"asked": "Open the door", "said": None}}).request
        == '{"asked": "Open the door", "said": null}'
    )


@pytest.mark.parametrize("text", [*HOSTILE, "x" * 10_000, "\u202e\x1b[2J`` ``` `", "a\u2028b"])
def test_server_text_stays_text_everywhere(tmp_path: Path, text: str) -> None:
    """Texts of a hostile server are text in every report, and short."""
    key = f"Vendor.Common.Setting.{text}"
    journal = (
        write(1, key, text, text, group=text),
        outcome(2, 1, text),
        restored(3, key, done=False, before=text, after=[text], now={text: text}, note=text),
        write(4, LOCK, None, None),
    )
    ledger = as_ledger(
        event(text, key=key, kind=text, read=text), event(None, key=text), event([{text: None}], raw=text)
    )
    said = Said(
        tmp_path, results_of(PASS, faults=[Fault("not_restored", text, text, key)]), *journal, ledger=ledger
    )
    assert_harmless(said.page)
    assert not {"\u202e", "\x1b", "\u2028"} & set(said.page.text)
    assert len(said.html) < 200_000
    assert not {"\u202e", "\x1b"} & set(said.markdown + "".join(said.terminal))
    for line in said.markdown.splitlines()[:4:2]:
        assert line.startswith("**`")
        assert line.endswith("`**")
        fence = line.removeprefix("**")[
            : len(line.removeprefix("**")) - len(line.removeprefix("**").lstrip("`"))
        ]
        assert fence not in line.removeprefix("**").removesuffix("**").strip("`")
    assert all("\n" not in line for line in said.terminal)
