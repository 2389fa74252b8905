"""Reads the data files into a catalog.

    CATALOG.entries["Vendor.Common.Setting.AlarmClock"].range

It needs no profile and no server. A row that is not of its form is refused here, with its place. Whether rows
contradict each other is the same wherever the package is installed: a test asks that.
"""

import tomllib
from collections.abc import Iterable, Iterator, Sequence
from importlib.resources import files
from typing import Annotated, Final, TypeVar

from msgspec import Meta, Struct, convert, field
from msgspec.structs import replace

from catalog.model import (
    Catalog,
    Certainty,
    Clause,
    Entry,
    Enumeration,
    EnumValue,
    Gap,
    Kind,
    Line,
    Pair,
    PowerEdge,
    Range,
    Rule,
    Segment,
    Text,
    Texts,
    ValueType,
)

_Row = TypeVar("_Row")


class _Form(Struct, forbid_unknown_fields=True):
    """What a row says from which several records are made."""


class _Values(_Form):
    """A value of an enumeration, or a run of them: `{n}` is each number from `first` to `last`."""

    key: Text
    line: Line
    label: Text | None = None
    first: int = field(name="from", default=1)
    last: int = field(name="to", default=1)


class _Family(_Form):
    """A row of enumerations.toml."""

    family: Text
    values: Annotated[list[_Values], Meta(min_length=1)]


class _Entries(_Form):
    """A row of settings.toml or statuses.toml: one key, or several that say the same."""

    keys: Texts
    type: ValueType
    line: Line
    notes: Text
    says: Text = ""
    family: Text | None = None
    values: Texts | None = None
    unit: Text | None = None
    units: dict[str, str] = field(default_factory=dict[str, str])
    hints: dict[str, str] = field(default_factory=dict[str, str])
    range: Range | None = None
    examples: tuple[Range, ...] = ()
    own_range: bool = False
    contested: bool = False


class _Ground(_Form):
    """Why keys are tried on kinds."""

    kinds: Texts
    certainty: Certainty
    line: Line
    why: Text


class _Prefix(_Ground, kw_only=True):
    """A row of kinds.toml: on which kinds the keys are tried that begin so."""

    prefix: Text


class _Exception(_Ground, kw_only=True):
    """A row of kinds.toml: what holds of some keys instead."""

    keys: Texts


def _catalog() -> Catalog:
    families = {row.family: tuple(_values(row)) for row in rows_in("enumerations", "enumeration", _Family)}
    settings, statuses = (rows_in(file, "row", _Entries) for file in ("settings", "statuses"))
    kinds = rows_in("kinds", "kind", Kind)
    keys = [key for row in (*settings, *statuses) for key in row.keys]
    pairs = tuple(_pairs(keys, [kind.name for kind in kinds]))
    return Catalog(
        settings=tuple(_entries("settings", settings, families, pairs)),
        statuses=tuple(_entries("status", statuses, families, pairs)),
        enumerations={name: Enumeration(name, values) for name, values in families.items()},
        kinds=tuple(kinds),
        pairs=pairs,
        power_edges=tuple(rows_in("power", "edge", PowerEdge)),
        rules=tuple(rows_in("rules", "rule", Rule)),
        clauses={clause.id: clause for clause in rows_in("clauses", "clause", Clause)},
        gaps=tuple(rows_in("gaps", "gap", Gap)),
    )


def rows_in(file: str, table: str, form: type[_Row]) -> list[_Row]:
    """The rows of an array of tables in a data file.

    Raises:
        ValueError: when a row is not of its form; names its file, its table and its number there.
    """
    text = (files("catalog") / "data" / f"{file}.toml").read_text(encoding="utf-8")
    try:
        return convert(tomllib.loads(text).get(table), list[form])
    except ValueError as error:
        raise ValueError(f"catalog/data/{file}.toml, [[{table}]]: {error}") from error


def _values(row: _Family) -> Iterator[EnumValue]:
    """The values of a family, in their order."""
    for said in row.values:
        for number in range(said.first, said.last + 1):
            key = said.key.replace("{n}", str(number))
            yield EnumValue(key, key.rpartition(".")[2], said.label, said.line)


def _entries(
    segment: Segment,
    rows: Iterable[_Entries],
    families: dict[str, tuple[EnumValue, ...]],
    pairs: Sequence[Pair],
) -> Iterator[Entry]:
    """One entry a key of a table of the document, in their order."""
    for said in rows:
        whole = tuple(value.key for value in families.get(said.family or "", ())) or None
        for key in said.keys:
            yield Entry(
                key=key,
                type=said.type,
                segment=segment,
                line=said.line,
                notes=said.notes,
                kinds=tuple(pair.kind for pair in pairs if pair.key == key and pair.certainty != "unknown"),
                family=said.family,
                values=said.values or whole,
                range=said.range and replace(said.range, unit=said.unit),
                own_range=said.own_range,
                unit=said.units.get(key, said.unit),
                contested=said.contested,
                hint=said.hints.get(key),
                examples=said.examples,
                says=said.says,
            )


def _pairs(keys: Sequence[str], kinds: Sequence[str]) -> Iterator[Pair]:
    """The core pairs of keys and kinds, and those of certainty "unknown", by key and then by kind."""
    prefixes = sorted(rows_in("kinds", "prefix", _Prefix), key=lambda row: len(row.prefix))
    grounds: dict[str, dict[str, _Ground]] = {
        key: dict.fromkeys(row.kinds, row) for key in keys for row in prefixes if key.startswith(row.prefix)
    }  # the longest prefix of a key is the last one
    for row in rows_in("kinds", "exception", _Exception):
        for key in row.keys:
            grounds.setdefault(key, {}).update(dict.fromkeys(row.kinds, row))
    for key, ground_of in grounds.items():
        for kind in kinds:
            if ground := ground_of.get(kind):
                yield Pair(key, kind, ground.certainty, f"line {ground.line}: {ground.why}")


CATALOG: Final = _catalog()
"""The catalog of the package."""
