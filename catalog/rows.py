"""Rows of the data files, each taken as a record, with the first mistake in every one collected.

Whoever raises is `catalog.loader`.
"""

import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping
from importlib.resources.abc import Traversable
from typing import Any, Generic, TypeVar

from msgspec import Struct, ValidationError, convert

_Said = TypeVar("_Said")


class Form(Struct, forbid_unknown_fields=True):
    """What a row says from which several records are made."""


class Row(Struct, Generic[_Said], frozen=True):
    """One table of a data file, such as the third `[[row]]` of settings.toml.

    `where` is its file and number, `says` the record it holds; `problems` takes what is wrong.
    """

    where: str
    says: _Said
    problems: list[str]

    def refuse(self, reason: str) -> None:
        """Note that the row breaks a rule, and why."""
        self.problems.append(f"{self.where}: {reason}")

    def refuse_twice(self, what: str, names: Iterable[str]) -> None:
        """Note each name of a list that stands there twice."""
        for name, times in Counter(names).items():
            if times > 1:
                self.refuse(f"{what} {name} stands twice")


def by_name(rows: Iterable[Row[_Said]], what: str, member: str = "id") -> dict[str, Row[_Said]]:
    """The rows by the member that names each, in their order; a name that stands twice is refused."""
    found: dict[str, Row[_Said]] = {}
    for row in rows:
        name = getattr(row.says, member)
        if name in found:
            row.refuse(f"{what} {name} stands twice")
        found[name] = row
    return found


def read_rows(
    directory: Traversable, file: str, forms: Mapping[str, type[Any]], problems: list[str]
) -> dict[str, list[Row[Any]]]:
    """The rows of a data file by the arrays of tables that it must hold, each of its form.

    A row that is not of its form is left out, and `problems` takes what is wrong.
    """
    rows: dict[str, list[Row[Any]]] = {table: [] for table in forms}
    try:
        text = directory.joinpath(file).read_text(encoding="utf-8")
        data = convert(tomllib.loads(text), dict[str, list[dict[str, Any]]])
    except (OSError, ValueError) as error:
        problems.append(f"{file}: cannot be read: {error}")
        return rows
    problems.extend(f"{file}: unknown table {table!r}" for table in sorted(data.keys() - rows.keys()))
    for table, form in forms.items():
        for number, said in enumerate(data.get(table, ()), start=1):
            where = f"{file}: [[{table}]] {number}"
            unknown = sorted(said.keys() - form.__annotations__.keys())
            problems.extend(f"{where}: unknown field {name!r}" for name in unknown)
            try:
                rows[table].append(Row(where, convert(said, form), problems))
            except ValidationError as error:
                problems.append(f"{where}: {error}")
        if not rows[table]:
            problems.append(f"{file}: there is no [[{table}]]")
    return rows
