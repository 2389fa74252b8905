"""Reads the data files into a catalog, or says everything that is wrong with them.

    catalog = load_catalog()
    catalog.entries["Vendor.Common.Setting.AlarmClock"].range

It needs no profile and no server.
"""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, Final

from msgspec.structs import replace

from catalog.model import Catalog, Clause, Entry, Gap, Kind, PowerEdge, Rule
from catalog.pairs import ExceptionRow, PrefixRow, read_kinds, read_pairs
from catalog.rows import read_rows
from catalog.statements import read_clauses, read_gaps, read_power_edges, read_rules
from catalog.tables import EntryReader, EntryRow, EnumerationRow, read_enumerations


class CatalogError(Exception):
    """The data files break an invariant of the catalog.

    `problems` holds one line a problem: file, row, reason.
    """

    def __init__(self, problems: list[str]) -> None:
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


_FORMS: Final[Mapping[str, Mapping[str, type[Any]]]] = {
    "enumerations": {"enumeration": EnumerationRow},
    "settings": {"row": EntryRow},
    "statuses": {"row": EntryRow},
    "kinds": {"kind": Kind, "prefix": PrefixRow, "exception": ExceptionRow},
    "power": {"edge": PowerEdge},
    "rules": {"rule": Rule},
    "clauses": {"clause": Clause},
    "gaps": {"gap": Gap},
}
"""The tables of each file, and what a row of each holds."""


def _read(directory: Path | Traversable) -> Catalog:
    problems: list[str] = []
    files = {name: read_rows(directory, f"{name}.toml", forms, problems) for name, forms in _FORMS.items()}
    if problems:
        raise CatalogError(problems)
    enumerations = read_enumerations(files["enumerations"]["enumeration"])
    entries: dict[str, Entry] = {}
    settings = EntryReader("settings", enumerations, entries).read(files["settings"]["row"])
    statuses = EntryReader("status", enumerations, entries).read(files["statuses"]["row"])
    tied = files["kinds"]
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
        power_edges=read_power_edges(files["power"]["edge"], entries),
        rules=read_rules(files["rules"]["rule"], entries),
        clauses=read_clauses(files["clauses"]["clause"]),
        gaps=read_gaps(files["gaps"]["gap"]),
    )
    if problems:
        raise CatalogError(problems)
    return catalog
