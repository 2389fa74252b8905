"""The files of a comparison: the baseline, kept for the new run, and changes.json and changes.md beside it.

A baseline is kept before the run begins, since it may lie where the run writes.
"""

import json
from pathlib import Path
from typing import Final

from msgspec import convert, to_builtins

from conformance.files.foreign_files import CHANGES
from conformance.files.text_files import json_by_row, read_document, write_text
from conformance.records.results import Results
from reports.changes.comparison import compare
from reports.changes.model import CHANGES_SCHEMA, Baseline, Comparison
from reports.changes.text import render_changes_markdown
from reports.results.file import ResultsError, load_results, write_results

CHANGES_FILE: Final = "changes.json"
CHANGES_FILES: Final = (CHANGES_FILE, "changes.md")
_SAID, _AGAIN, _REPROFILED, _BESIDE = "said.json", "again.json", "reprofiled.json", "baseline.json"


def render_changes(comparison: Comparison) -> str:
    """The text of changes.json: one change a line."""
    return json_by_row({"schema": CHANGES_SCHEMA, "gate": comparison.gate, **to_builtins(comparison)})


def write_changes(comparison: Comparison, directory: Path) -> None:
    """Writes changes.json beside the results of the new run."""
    write_text(directory / CHANGES_FILE, render_changes(comparison))


def load_changes(directory: Path, started: str) -> Comparison | None:
    """What changed up to the run that `started` then, from its changes.json; None without one of that run."""
    try:
        document = read_document(directory / CHANGES_FILE, CHANGES, CHANGES_SCHEMA, ValueError)
        comparison = convert(document, Comparison)
    except ValueError:
        return None
    return comparison if comparison.new.started == started else None


def report_changes(baseline: Baseline, results: Results, directory: Path) -> tuple[str, ...]:
    """Writes changes.json and changes.md beside the results of the new run; returns what went wrong."""
    try:
        comparison = compare(baseline, results)
        write_changes(comparison, directory)
        write_text(directory / CHANGES_FILES[1], render_changes_markdown(comparison))
    except Exception as problem:  # noqa: BLE001  the results are written, and are not lost for a comparison
        return (f"{CHANGES_FILE} could not be made: {type(problem).__name__}: {problem}",)
    return ()


def save_baseline(baseline: Baseline, directory: Path) -> None:
    """Keeps a baseline in a directory, for the session that makes the new run."""
    judgements = {_SAID: baseline.results, _AGAIN: baseline.again, _REPROFILED: baseline.reprofiled}
    for name, results in judgements.items():
        if results:
            write_results(results, directory / name)
    beside = {name: getattr(baseline, name) for name in ("reason", "profile_changes", "installed")}
    write_text(directory / _BESIDE, json.dumps({**beside, "known": dict(baseline.known)}))


def load_baseline(directory: Path) -> Baseline:
    """The baseline that was kept in a directory.

    Raises:
        ResultsError: There is none.
    """

    def judged(name: str) -> Results | None:
        return load_results(directory / name) if (directory / name).is_file() else None

    said = load_results(directory / _SAID)
    try:
        beside = json.loads((directory / _BESIDE).read_bytes())
        reason, places, installed = beside["reason"], (*beside["profile_changes"],), (*beside["installed"],)
        known = dict(beside["known"])
    except (OSError, ValueError, TypeError, LookupError) as problem:
        raise ResultsError(f"{directory / _BESIDE}: {problem}") from problem
    return Baseline(said, judged(_AGAIN), judged(_REPROFILED), reason, places, installed, known)
