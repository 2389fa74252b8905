"""changes.json: written beside the results of the new run, and read by the reports made of them."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final, cast

from reports.changes.records import CHANGES_SCHEMA, CaseChange, Comparison, KeyChange, Side
from reports.records import Appliance
from reports.results_file import write_text
from reports.rows import json_by_row

if TYPE_CHECKING:
    from pathlib import Path

    from reports.records import RunFacts

CHANGES_FILE: Final = "changes.json"


def render_changes(comparison: Comparison) -> str:
    """The text of changes.json: one change a line."""
    return json_by_row({"schema": CHANGES_SCHEMA, "gate": comparison.gate, **asdict(comparison)})


def write_changes(comparison: Comparison, directory: Path) -> None:
    """Writes changes.json beside the results of the new run."""
    write_text(directory / CHANGES_FILE, render_changes(comparison))


def load_changes(directory: Path, run: RunFacts) -> Comparison | None:
    """What changed up to `run`, from the changes.json beside its results; None when there is none, or when it is about another run."""
    try:
        document = cast("dict[str, Any]", json.loads((directory / CHANGES_FILE).read_bytes()))
        comparison = _comparison(document) if document["schema"] == CHANGES_SCHEMA else None
    except (OSError, ValueError, TypeError, LookupError):
        return None
    return comparison if comparison and comparison.new.started == run.started else None


def _comparison(document: dict[str, Any]) -> Comparison:
    return Comparison(
        old=Side(**document["old"]),
        new=Side(**document["new"]),
        notes=tuple(document["notes"]),
        trouble=tuple(document["trouble"]),
        changes=tuple(CaseChange(**row) for row in document["changes"]),
        keys=tuple(KeyChange(**row) for row in document["keys"]),
        came=tuple(Appliance(**row) for row in document["came"]),
        went=tuple(Appliance(**row) for row in document["went"]),
        common=document["common"],
        only_new=document["only_new"],
        only_old=document["only_old"],
        transitions=document["transitions"],
    )
