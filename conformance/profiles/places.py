"""Where a profile says what: the file, and the line of each appliance and of each field of a table.

A report that names a line of the profile rests on this; no verdict does, and the digest of a profile is the
same wherever it stands.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, cast

from msgspec import Struct

_HEADER: Final = re.compile(r"\s*(\[\[?)\s*([\w.-]+)\s*\]\]?\s*(?:#.*)?")
_FIELD: Final = re.compile(r"\s*([\w-]+)\s*=")


class Place(Struct, frozen=True):
    """A line of a file, which is named as from the directory where the run began."""

    file: str
    line: int = 1

    def __str__(self) -> str:
        """As messages name it: `fleet.csv:14`."""
        return f"{self.file}:{self.line}"


class Places(Struct, frozen=True):
    """Where the profile of a run stands; `file` is empty where it was in no file.

    `appliances` are named by haId, and may stand in a fleet file; `fields` as messages name them
    (`answer.value`), each with its line in `file`. What has no line of its own is in neither.
    """

    file: str = ""
    appliances: Mapping[str, Place] = {}
    fields: Mapping[str, int] = {}


def places_of(
    text: str, own: Mapping[str, Any], path: Path, listed: Mapping[str, Place] | None = None
) -> Places:
    """Where a profile file says what.

    Args:
        text: the file.
        own: what it says, as TOML gives it.
        path: the file's name.
        listed: the appliances of its fleet file, by haId.
    """
    file, table, repeated = shown_path(path), "", False
    starts: list[int] = []
    fields: dict[str, int] = {}
    for number, line in enumerate(text.split("\n"), start=1):
        if header := _HEADER.fullmatch(line.rstrip("\r")):
            repeated, table = header[1] == "[[", header[2]
            if repeated and table == "appliance":
                starts.append(number)
        elif not repeated and (field := _FIELD.match(line)):
            fields.setdefault(f"{table}.{field[1]}", number)
    tables = cast("Sequence[Mapping[str, Any]]", own.get("appliance", ()))
    # a long text of TOML may hold what looks like a header: then no line can be told
    places = zip(tables, starts, strict=True) if len(tables) == len(starts) else ()
    appliances = {str(one["ha_id"]): Place(file, number) for one, number in places}
    there = {name: number for name, number in fields.items() if _says(own, name)}
    return Places(file, {**appliances, **(listed or {})}, there)


def shown_path(path: Path) -> str:
    """A file as from the working directory where it lies below that, else from the root."""
    whole = path.absolute()
    here = Path.cwd()
    name = (whole.relative_to(here) if whole.is_relative_to(here) else whole).as_posix()
    return name.encode("utf-8", "backslashreplace").decode()  # a name that is no text goes into files of text


def _says(own: object, name: str) -> bool:
    for part in name.split("."):
        if not isinstance(own, dict) or part not in own:
            return False
        own = cast("dict[str, object]", own)[part]
    return True
