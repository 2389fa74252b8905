"""Reads the data files into a catalog, or says everything that is wrong with them.

    catalog = load_catalog()
    catalog.entries["Vendor.Common.Setting.AlarmClock"].range

The standard library is all it needs: no profile, no server, no pydantic.
"""

from dataclasses import replace
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from catalog.model import Catalog, Entry
from catalog.pairs import read_kinds, read_pairs
from catalog.rows import Row, read_rows
from catalog.statements import read_clauses, read_gaps, read_power_edges, read_rules
from catalog.tables import EntryReader, read_enumerations


class CatalogError(Exception):
    """The data files break an invariant of the catalog.

    `problems` holds one line a problem: file, row, reason.
    """

    def __init__(self, problems: list[str]) -> None:
        """Keeps the problems, one line each, and shows them all."""
        self.problems = tuple(problems)
        super().__init__("\n".join(("the catalog's data is broken:", *problems)))


def load_catalog(directory: Path | Traversable | None = None) -> Catalog:
    """The catalog of a directory; by default that of the package, which is read once.

    Raises:
        CatalogError: the files break an invariant; names every problem, not only the first.
    """
    return _installed() if directory is None else _read(directory)


@cache
def _installed() -> Catalog:
    return _read(files("catalog") / "data")


def _read(directory: Path | Traversable) -> Catalog:
    problems: list[str] = []

    def rows_of(file: str, *tables: str) -> dict[str, list[Row]]:
        return read_rows(directory, file, tables, problems)

    enumerations = read_enumerations(rows_of("enumerations.toml", "enumeration")["enumeration"])
    entries: dict[str, Entry] = {}
    settings = EntryReader("settings", enumerations, entries).read(rows_of("settings.toml", "row")["row"])
    statuses = EntryReader("status", enumerations, entries).read(rows_of("statuses.toml", "row")["row"])
    tied = rows_of("kinds.toml", "kind", "prefix", "exception")
    kinds = read_kinds(tied["kind"])
    pairs = read_pairs(tied["prefix"], tied["exception"], entries, kinds)

    core: dict[str, list[str]] = {key: [] for key in entries}
    for pair in pairs:
        if pair.certainty != "unknown":
            core[pair.key].append(pair.kind)

    def with_kinds(table: tuple[Entry, ...]) -> tuple[Entry, ...]:
        return tuple(replace(entry, kinds=tuple(core[entry.key])) for entry in table)

    catalog = Catalog(
        settings=with_kinds(settings),
        statuses=with_kinds(statuses),
        enumerations=enumerations,
        kinds=kinds,
        pairs=pairs,
        power_edges=read_power_edges(rows_of("power.toml", "edge")["edge"], entries),
        rules=read_rules(rows_of("rules.toml", "rule")["rule"], entries),
        clauses=read_clauses(rows_of("clauses.toml", "clause")["clause"]),
        gaps=read_gaps(rows_of("gaps.toml", "gap")["gap"]),
    )
    if problems:
        raise CatalogError(problems)
    return catalog
