"""The files of a run that hold one JSON object a line.

A killed run leaves its last line cut, and a file may hold anything: other lines are passed over.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast


def read_objects(path: Path, containing: bytes = b"") -> Iterator[dict[str, Any]]:
    """The objects of a file in their order; none when there is no file.

    Args:
        path: The file.
        containing: Only lines with these bytes are looked at, which is much quicker than reading each.
    """
    if not path.is_file():
        return
    with path.open("rb") as lines:
        for line in lines:
            if containing not in line:
                continue
            try:
                record: object = json.loads(line)
            except (ValueError, RecursionError):
                continue
            if isinstance(record, dict):
                yield cast("dict[str, Any]", record)
