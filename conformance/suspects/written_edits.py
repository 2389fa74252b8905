"""An edit of a profile as a suspect: the line to write instead of what it says."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

from conformance.profiles.toml import dumped
from conformance.records.results import Suspect
from conformance.suspects.edits import Edit


def suspect_of(edit: Edit, data: Mapping[str, Any]) -> Suspect:
    """An edit of a profile that is plain data, in words; what it explains is left open."""
    table: Any = data
    for name in edit.place[:-1]:
        rows = cast("Iterable[Any]", table)
        table = (
            next(row for row in rows if row["ha_id"] == name)
            if isinstance(table, list | tuple)
            else table.get(name, {})
        )
    before = table.get(edit.place[-1])
    was = json.dumps(before, ensure_ascii=False)
    return Suspect(edit.field, edit.ha_id, _toml(edit, before), was, shown=edit.is_shown)


def _toml(edit: Edit, before: object) -> str:
    """What to write instead: a line of TOML, or what to take out."""
    name, value = edit.place[-1], edit.value
    if value is None:
        return f"{name} left out"
    if isinstance(value, list) and isinstance(before, list | tuple):
        kept, had = cast("list[object]", value), cast("Sequence[object]", before)
        if all(one in had for one in kept):
            return f"{name} without {', '.join(str(one) for one in had if one not in kept)}"
    return dumped({name: cast("object", value)}).strip()
