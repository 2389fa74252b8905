"""Rows of the data files, read field by field, with every mistake collected.

A row never raises: a wrong field is noted in the list of problems all rows share and read as an
empty value of its type, so that one load finds all mistakes. Whoever raises is `catalog.loader`.
"""

import tomllib
from collections.abc import Iterator
from importlib.resources.abc import Traversable
from typing import Any, cast

DOCUMENT_LINES = 181  # the document's last line, "Versioning scheme: not shown."


class Row:
    """One table of a data file, such as the third `[[row]]` of settings.toml."""

    def __init__(self, where: str, data: dict[str, Any], problems: list[str]) -> None:
        """A table as tomllib read it; `where` is its file and row, and `problems` takes what is wrong."""
        self.where = where
        self._data = data
        self._problems = problems
        self._read: set[str] = set()

    def refuse(self, reason: str) -> None:
        """Note that the row breaks a rule, and why."""
        self._problems.append(f"{self.where}: {reason}")

    def has(self, field: str) -> bool:
        """Whether the row says anything under this name."""
        return field in self._data

    def close(self) -> None:
        """Refuse the fields that nobody has read."""
        for field in sorted(self._data.keys() - self._read):
            self.refuse(f"unknown field {field!r}")

    def text(self, field: str) -> str:
        """A text that must be there and not be empty."""
        found = self._take(field)
        if isinstance(found, str) and found.strip():
            return found
        self.refuse(f"{field} must be a text, not {found!r}")
        return ""

    def optional_text(self, field: str) -> str | None:
        """A text, or None where the row has none."""
        return self.text(field) if self.has(field) else None

    def choice(self, field: str, allowed: tuple[str, ...]) -> str:
        """One of the allowed words; the first of them where the row is wrong."""
        found = self._take(field)
        if isinstance(found, str) and found in allowed:
            return found
        self.refuse(f"{field} must be one of {', '.join(allowed)}, not {found!r}")
        return allowed[0]

    def texts(self, field: str) -> tuple[str, ...]:
        """A list of texts with at least one of them, each only once."""
        found = self._list(field)
        wrong = [item for item in found if not isinstance(item, str) or not item.strip()]
        for item in wrong:
            self.refuse(f"{field} must hold texts, not {item!r}")
        texts = [item for item in found if item not in wrong]
        for item in sorted({item for item in texts if texts.count(item) > 1}):
            self.refuse(f"{field} names {item} twice")
        return tuple(texts)

    def scalars(self, field: str) -> tuple[str | bool, ...]:
        """A list of texts and truth values with at least one of them."""
        found = self._list(field)
        for item in found:
            if not isinstance(item, (str, bool)):
                self.refuse(f"{field} must hold texts or true and false, not {item!r}")
        return tuple(item for item in found if isinstance(item, (str, bool)))

    def text_by_key(self, field: str) -> dict[str, str]:
        """A table of texts; empty where the row has none."""
        if not self.has(field):
            return {}
        found = self._take(field)
        if not isinstance(found, dict):
            self.refuse(f"{field} must be a table, not {found!r}")
            return {}
        table = cast("dict[str, Any]", found)
        for key, item in table.items():
            if not isinstance(item, str):
                self.refuse(f"{field} of {key} must be a text, not {item!r}")
        return {key: item for key, item in table.items() if isinstance(item, str)}

    def flag(self, field: str, *, required: bool = False) -> bool:
        """A truth value; false where it may be absent and is."""
        if not required and not self.has(field):
            return False
        found = self._take(field)
        if isinstance(found, bool):
            return found
        self.refuse(f"{field} must be true or false, not {found!r}")
        return False

    def number(self, field: str) -> float:
        """A number that must be there; a whole one stays whole."""
        found = self._take(field)
        if isinstance(found, (int, float)) and not isinstance(found, bool):
            return found
        self.refuse(f"{field} must be a number, not {found!r}")
        return 0

    def line(self, field: str = "line") -> int:
        """A line of the document."""
        return self._checked_line(field, self._take(field))

    def lines(self) -> tuple[int, ...]:
        """The lines of the document under `lines`, at least one; a wrong row gets line 1."""
        found = tuple(self._checked_line("lines", item) for item in self._list("lines"))
        return found or (1,)

    def inner(self, field: str) -> "Iterator[Row]":
        """The tables in a list of tables, such as the values of an enumeration."""
        for number, item in enumerate(self._list(field), start=1):
            if isinstance(item, dict):
                yield Row(f"{self.where}, {field} {number}", cast("dict[str, Any]", item), self._problems)
            else:
                self.refuse(f"{field} must hold tables, not {item!r}")

    def part(self, field: str) -> "Row":
        """The table under this name, such as the range of an entry."""
        found = self._take(field)
        if not isinstance(found, dict):
            self.refuse(f"{field} must be a table, not {found!r}")
            found = {}
        return Row(f"{self.where}, {field}", cast("dict[str, Any]", found), self._problems)

    def _take(self, field: str) -> Any:
        self._read.add(field)
        return self._data.get(field)

    def _list(self, field: str) -> list[Any]:
        found = self._take(field)
        if isinstance(found, list) and found:
            return cast("list[Any]", found)
        self.refuse(f"{field} must be a list with something in it, not {found!r}")
        return []

    def _checked_line(self, field: str, found: Any) -> int:
        if isinstance(found, int) and not isinstance(found, bool) and 1 <= found <= DOCUMENT_LINES:
            return found
        self.refuse(f"{field} must name lines 1 to {DOCUMENT_LINES} of the document, not {found!r}")
        return 1


def read_rows(
    directory: Traversable, file: str, tables: tuple[str, ...], problems: list[str]
) -> dict[str, list[Row]]:
    """The rows of a data file by the arrays of tables that it must hold; none where it cannot be read.

    `problems` takes what is wrong.
    """
    rows: dict[str, list[Row]] = {table: [] for table in tables}
    try:
        data = tomllib.loads(directory.joinpath(file).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        problems.append(f"{file}: cannot be read: {error}")
        return rows
    problems.extend(f"{file}: unknown table {table!r}" for table in sorted(data.keys() - rows.keys()))
    for table in tables:
        whole = Row(file, {table: data.get(table)}, problems)
        for number, row in enumerate(whole.inner(table), start=1):
            row.where = f"{file}: [[{table}]] {number}"
            rows[table].append(row)
    return rows
