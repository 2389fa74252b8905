"""The files of a comparison: changes.json and changes.md beside the results of the new run."""

from pathlib import Path
from typing import Final

from msgspec import convert, to_builtins

from conformance.files.foreign_files import CHANGES
from conformance.files.text_files import json_by_row, read_document, write_text
from conformance.records.results import Results
from reports.changes.comparison import compare
from reports.changes.model import CHANGES_SCHEMA, Baseline, Comparison
from reports.changes.text import render_changes_markdown

CHANGES_FILE: Final = "changes.json"
CHANGES_FILES: Final = (CHANGES_FILE, "changes.md")


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
