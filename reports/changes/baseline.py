"""A baseline on its way into the run that is compared with it: kept before, for it may lie where that run writes; told at the end."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from reports.changes.comparison import compare
from reports.changes.file import CHANGES_FILE, write_changes
from reports.changes.records import Baseline
from reports.changes.text import render_changes_markdown
from reports.results_file import ResultsError, load_results, write_results, write_text

if TYPE_CHECKING:
    from pathlib import Path

    from reports.records import Results

CHANGES_FILES: Final = (CHANGES_FILE, "changes.md")
_SAID, _AGAIN, _REPROFILED, _BESIDE = "said.json", "again.json", "reprofiled.json", "baseline.json"


def save_baseline(baseline: Baseline, directory: Path) -> None:
    """Keeps a baseline in a directory of its own, for the session that makes the new run."""
    for name, results in ((_SAID, baseline.results), (_AGAIN, baseline.again), (_REPROFILED, baseline.reprofiled)):
        if results:
            write_results(results, directory / name)
    beside = {"reason": baseline.reason, "profile_changes": baseline.profile_changes, "installed": baseline.installed}
    write_text(directory / _BESIDE, json.dumps(beside))


def load_baseline(directory: Path) -> Baseline:
    """The baseline that was kept in a directory.

    Raises:
        ResultsError: when none is there.
    """

    def judged(name: str) -> Results | None:
        return load_results(directory / name) if (directory / name).is_file() else None

    said = load_results(directory / _SAID)
    try:
        beside = json.loads((directory / _BESIDE).read_bytes())
        reason, places, installed = beside["reason"], tuple(beside["profile_changes"]), (*beside["installed"],)
    except (OSError, ValueError, TypeError, LookupError) as problem:
        raise ResultsError(f"{directory / _BESIDE}: {problem}") from problem
    return Baseline(said, judged(_AGAIN), judged(_REPROFILED), reason, places, installed)


def tell_changes(baseline: Baseline, results: Results, directory: Path) -> tuple[str, ...]:
    """Writes changes.json and changes.md beside the results of the new run; answers what went wrong, a line."""
    try:
        comparison = compare(baseline, results)
        write_changes(comparison, directory)
        write_text(directory / CHANGES_FILES[1], render_changes_markdown(comparison))
    except Exception as problem:  # noqa: BLE001  the results are written, and are not lost for a comparison
        return (f"{CHANGES_FILE} could not be made: {type(problem).__name__}: {problem}",)
    return ()
