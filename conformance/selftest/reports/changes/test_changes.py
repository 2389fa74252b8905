"""What changed, written down: changes.json, Markdown, the terminal, and the parts of other reports."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from conformance.records.results import DecidingExchange, WaiverResult
from conformance.records.run_facts import JudgedAppliance
from conformance.selftest.support.samples.results import (
    ALARM,
    FAIL,
    FRIDGE,
    PASS,
    RUN,
    a_case,
    between,
    results_of,
    turned,
)
from reports.changes.comparison import compare
from reports.changes.files import (
    load_baseline,
    load_changes,
    render_changes,
    report_changes,
    save_baseline,
    write_changes,
)
from reports.changes.model import Baseline, Comparison
from reports.changes.text import (
    changes_in_a_line,
    changes_in_short,
    render_changes_markdown,
    render_changes_text,
)
from reports.results.file import ResultsError
from reports.story.blocks import MARKDOWN, PLAIN, markdown, plain

READ = a_case("READ-SETTING", "pass")
OVEN = JudgedAppliance("oven-1", "Oven")
SPAN = re.compile(r"(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)")
"""A code span of Markdown."""
EVIL = ["<img src=x onerror=alert(1)>", "`` ` ```", "[x](http://evil)", "@everyone", "\x1b[31m\u202ered"]
CROWD = [a_case("TYPE-INTEGER", "fail", key=f"Vendor.Common.Setting.K{count}") for count in range(900)]
"""Many cases that fail alike."""


def test_runs_without_a_change_say_so() -> None:
    """So do runs that have no case in common."""
    same, other = (between(results_of(PASS), results_of(case)) for case in (PASS, FAIL))
    assert changes_in_a_line(same) == "Since the baseline: nothing changed"
    assert changes_in_a_line(other) == "Nothing to compare: the runs have no case in common"


def test_changes_are_read_back(tmp_path: Path) -> None:
    """What is written is read back by the reports of its run; those of a later run show none of it."""
    comparison = between(results_of(PASS, READ), results_of(turned(PASS, "fail"), turned(READ, "fail")))
    write_changes(comparison, tmp_path)
    assert load_changes(tmp_path, RUN.started) == comparison
    assert render_changes(comparison) == (tmp_path / "changes.json").read_text(encoding="utf-8")
    assert load_changes(tmp_path, "2026-11-22T09:00:00Z") is None


@pytest.mark.parametrize("evil", EVIL)
def test_server_text_stays_in_code(evil: str) -> None:
    """A server's text stands in a code span wherever it appears; nothing of it steers a terminal."""
    target, oven = replace(RUN.target, name=evil, base_url=evil), JudgedAppliance(evil, evil)
    case = replace(READ, key=evil, ha_id=evil, id=f"READ-SETTING::{evil}@{evil}")
    run = replace(RUN, target=target, appliances=(oven,))
    new = results_of(turned(case, "fail", evil), turned(PASS, "inconclusive", evil), run=run)
    comparison = between(results_of(case, PASS), new, places=(evil,))
    told = render_changes_markdown(comparison) + in_a_summary(comparison)
    shown = evil if evil.isprintable() else "\\x1b[31m\\u202ered"
    assert told.count(shown) >= 10
    rest = SPAN.sub("", told)
    assert [text for text in (shown, "`") if text in rest] == []
    assert render_changes_text(comparison).replace("\n", "").isprintable()
    assert on_the_terminal(comparison).replace("\n", "").isprintable()


@pytest.mark.parametrize(
    "text", ["", "[]", '{"schema": "other/1"}', '{"schema": "appliance-conformance/changes/1"}']
)
def test_foreign_changes_are_none(text: str, tmp_path: Path) -> None:
    """A changes.json that is none of ours, or cut, is shown by no report."""
    (tmp_path / "changes.json").write_text(text, encoding="utf-8")
    assert load_changes(tmp_path, RUN.started) is None


def test_long_lists_are_cut() -> None:
    """Fifty of many changes are shown with what is left out, far below 1 MiB whatever a server has sent."""
    old, new = (results_of(*(turned(case, word, "x" * 5000) for case in CROWD)) for word in ("pass", "fail"))
    faults = tuple(f"fault of the suite: {number}" for number in range(25))
    comparison = replace(between(old, new), trouble=faults)
    whole = render_changes_markdown(comparison)
    assert whole.count("`TYPE-INTEGER::") == 50
    assert (whole.count("**`fault of the suite: "), "**… and 5 more in changes.json**" in whole) == (20, True)
    assert "… and 850 further changes in changes.json" in whole
    assert len(whole.encode()) < 100_000
    assert on_the_terminal(comparison).endswith("\n… and 890 further changes in changes.md")
    # in code, or a mail leads to a host of that name
    assert "further changes in `changes.md`" in in_a_summary(comparison)
    assert in_a_summary(comparison).count("\n- new finding") == 20


def test_newly_inconclusive_cases_are_counted_by_reason() -> None:
    """An outage is one line with its number, not a line a case."""
    old = results_of(*(turned(case, "pass") for case in CROWD))
    new = results_of(*(turned(case, "inconclusive", f"{case.key} gave no answer") for case in CROWD))
    told = render_changes_markdown(between(old, new))
    assert "### 900 newly inconclusive cases" in told
    assert "- 900 × `<key> gave no answer`" in told  # noqa: RUF001  the sign says times
    assert told.count("TYPE-INTEGER::") == 1


def test_baseline_is_kept_whole(tmp_path: Path) -> None:
    """What is kept of a baseline comes back the same, judged again or not; a directory without is refused."""
    old = results_of(PASS)
    whole = Baseline(old, old, results_of(FAIL), "", ("pace",), ("0.1.0", "ab"), {FAIL.id: RUN.started})
    for baseline in (Baseline(old, reason="gone"), whole):
        kept = tmp_path / str(bool(baseline.again))
        save_baseline(baseline, kept)
        assert load_baseline(kept) == baseline
    with pytest.raises(ResultsError, match=r"said\.json"):
        load_baseline(tmp_path)


def test_comparison_that_breaks_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A comparison that cannot be made costs the run nothing, and is said."""
    monkeypatch.setattr("reports.changes.files.compare", None)
    (fault,) = report_changes(Baseline(results_of(PASS)), results_of(PASS), tmp_path)
    assert fault.startswith("changes.json could not be made: TypeError")


DARK = [
    a_case(clause, "inconclusive", key=key, message="no answer")
    for clause, key in (("ADDR-BASE", "*"), ("TYPE-INTEGER", ALARM), ("RANGE-ALARMCLOCK", ALARM))
]
"""An appliance that gives no value."""


def on_the_terminal(comparison: Comparison) -> str:
    """The changes as a run ends with them."""
    return "\n".join(line for line, _ in plain(changes_in_short(comparison, PLAIN)))


def in_a_summary(comparison: Comparison) -> str:
    """The changes as summary.md has them."""
    return "\n\n".join(markdown(changes_in_short(comparison, MARKDOWN)))


SHORT = [in_a_summary, on_the_terminal]


@pytest.mark.parametrize("rendering", [*SHORT, render_changes_markdown, render_changes_text])
def test_appliance_that_fell_silent_is_told_once(rendering: Callable[[Comparison], str]) -> None:
    """An appliance that gives no value any more is one line, not a line for each of its cases."""
    still_open = a_case("READ-SETTING", "pass", appliance=OVEN)
    old = results_of(*(turned(case, "pass") for case in DARK), still_open)
    comparison = between(old, results_of(*DARK, turned(still_open, "inconclusive", "busy")))
    text = rendering(comparison)
    assert changes_in_a_line(comparison) == (
        "Since the baseline: 1 appliance no longer answers, 1 newly inconclusive case"
    )
    assert comparison.gate == 3
    assert (text.count("fridge-1"), text.count("busy")) == (1, 1)
    assert text.count("TYPE-INTEGER") == text.count("RANGE-ALARMCLOCK") == 0


@pytest.mark.parametrize("rendering", SHORT)
def test_bad_night_lists_findings(rendering: Callable[[Comparison], str]) -> None:
    """Cases of one finding are one line and are counted as one; so is what was fixed, which is named."""
    alike = DecidingExchange(1, FRIDGE.ha_id, ALARM, "VALUE")
    cases = [replace(case, sights=(alike,)) for case in CROWD[:30]]
    good, bad = results_of(*(turned(case, "pass") for case in cases)), results_of(*cases)
    comparison = between(good, bad)
    assert changes_in_a_line(comparison) == "Since the baseline: 1 new finding in 30 cases"
    assert rendering(comparison).count("\n") < 6
    assert "and 29 more; the server changed" in rendering(comparison)
    assert "fixed finding: " in rendering(between(bad, good))


def test_known_findings_keep_their_date() -> None:
    """What failed before is known, since the night that its baseline knew it from; a waived one is not."""
    old = new = results_of(FAIL, replace(READ, verdict="fail", waived=True))
    assert between(old, new).known == {FAIL.id: RUN.started}
    baseline = Baseline(old, reason="gone", known={FAIL.id: "2026-11-03T01:00:00Z"})
    line = changes_in_a_line(compare(baseline, new))
    assert line == "Since the baseline: nothing changed; 1 finding is known since 2026-11-03"


def test_expired_waiver_is_the_cause() -> None:
    """A failure whose waiver has expired says since when; nothing of it is blamed on the profile."""
    waiver = WaiverResult("RANGE-*", "known", "hub team", "2026-11-08", "expired")
    new = replace(results_of(FAIL), waivers=(waiver,))
    comparison = between(results_of(replace(FAIL, waived=True)), new)
    assert [one.cause for one in comparison.changes] == ["waiver"]
    for text in (render_changes_markdown(comparison), *(shown(comparison) for shown in SHORT)):
        assert "its waiver expired on 2026-11-08" in text
        assert "the profile changed" not in text
