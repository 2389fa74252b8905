"""What changed, written down: changes.json, Markdown, the terminal, and the parts of other reports."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from conformance.selftest.support.samples.results import (
    FAIL,
    PASS,
    RUN,
    a_case,
    between,
    results_of,
    turned,
)
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
    changes_in_short,
    render_changes_markdown,
)
from reports.results.file import ResultsError
from reports.story.blocks import MARKDOWN, PLAIN, markdown, plain

READ = a_case("READ-SETTING", "pass")
CROWD = [a_case("TYPE-INTEGER", "fail", key=f"Vendor.Common.Setting.K{count}") for count in range(900)]
"""Many cases that fail alike."""


def test_changes_are_read_back(tmp_path: Path) -> None:
    """What is written is read back by the reports of its run; those of a later run show none of it."""
    comparison = between(results_of(PASS, READ), results_of(turned(PASS, "fail"), turned(READ, "fail")))
    write_changes(comparison, tmp_path)
    assert load_changes(tmp_path, RUN.started) == comparison
    assert render_changes(comparison) == (tmp_path / "changes.json").read_text(encoding="utf-8")
    assert load_changes(tmp_path, "2026-11-22T09:00:00Z") is None


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


def on_the_terminal(comparison: Comparison) -> str:
    """The changes as a run ends with them."""
    return "\n".join(line for line, _ in plain(changes_in_short(comparison, PLAIN)))


def in_a_summary(comparison: Comparison) -> str:
    """The changes as summary.md has them."""
    return "\n\n".join(markdown(changes_in_short(comparison, MARKDOWN)))
