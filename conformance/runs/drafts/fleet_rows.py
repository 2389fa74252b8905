"""Fills a fleet file with what its appliances have shown: the keys that gave a value, as `supports`."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from typing import Any

_FIELD = "supports"


def with_supports(name: str, text: str, served: Mapping[str, Sequence[str]]) -> str:
    """The text of a fleet file in which each row that is named has the keys that it serves.

    Whatever else a row says stays, and so does the order; a row that says what it supports is not changed.

    Args:
        name: the name of the file; `.csv` is read as CSV, any other as one JSON object a line.
        text: its text, which gives a profile without mistakes.
        served: the keys, by haId.
    """
    if not name.casefold().endswith(".csv"):
        return "".join(f"{_filled(line, served)}\n" for line in text.splitlines())
    rows = list(csv.DictReader(io.StringIO(text.removeprefix("\ufeff"), newline="")))
    columns = [column.strip() for column in text.removeprefix("\ufeff").splitlines()[0].split(",")]
    columns += [] if _FIELD in columns else [_FIELD]
    out = io.StringIO()
    writer = csv.DictWriter(out, columns, lineterminator="\n", restval="")
    writer.writeheader()
    for row in rows:
        cells = {column.strip(): cell or "" for column, cell in row.items()}
        keys = served.get(cells.get("ha_id", "").strip(), ())
        writer.writerow({**cells, _FIELD: cells.get(_FIELD, "") or " ".join(keys)})
    return out.getvalue()


def _filled(line: str, served: Mapping[str, Sequence[str]]) -> str:
    if not line.strip():
        return line
    row: dict[str, Any] = json.loads(line)
    keys = served.get(row["ha_id"], ())
    return line if _FIELD in row or not keys else json.dumps({**row, _FIELD: list(keys)}, ensure_ascii=False)
