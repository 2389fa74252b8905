"""JSON files of a run: compact, with each object of a list on a line of its own, so that they can be searched and compared by line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


def compact_json(value: object) -> str:
    """A value on one line, as it is read; NaN and infinity, which are no JSON, are refused."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, default=dict)


def json_by_row(document: Mapping[str, object]) -> str:
    """The text of a file that holds one object: a member a line, and of a list of objects a row a line."""
    members = [f"{compact_json(name)}: {_laid_out(value)}" for name, value in document.items()]
    return "{\n" + ",\n".join(members) + "\n}\n"


def _laid_out(value: object) -> str:
    rows = list(cast("Iterable[object]", value)) if isinstance(value, list | tuple) else []
    if not any(isinstance(row, dict) for row in rows):
        return compact_json(cast("object", value))
    return "[\n" + ",\n".join(f" {compact_json(row)}" for row in rows) + "\n]"
