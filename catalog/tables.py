"""The entries and the enumerations, made of their rows and compared with each other."""

from collections.abc import Iterable, Iterator
from typing import Annotated

from msgspec import Meta, Struct, field

from catalog.model import NUMERIC, Entry, Enumeration, EnumValue, Line, Range, Segment, Text, Texts, ValueType
from catalog.rows import Form, Row, by_name

THIRD_SEGMENT: dict[Segment, str] = {"settings": "Setting", "status": "Status"}


class _Numbered(Form):
    key: Annotated[str, Meta(pattern=r"\{n\}")]
    first: int = field(name="from")
    last: int = field(name="to")


class _ValueRow(Form):
    line: Line
    key: Text = ""
    label: Text | None = None
    numbered: _Numbered | None = None


class EnumerationRow(Form):
    """A row of enumerations.toml."""

    family: Text
    values: Annotated[list[_ValueRow], Meta(min_length=1)]


def read_enumerations(rows: Iterable[Row[EnumerationRow]]) -> dict[str, Enumeration]:
    """The enumerations of enumerations.toml by family, in their order."""
    found: dict[str, Enumeration] = {}
    for family, row in by_name(rows, "family", "family").items():
        values = tuple(value for said in row.says.values for value in _values(row, said))
        row.refuse_twice("value", [value.key for value in values])
        found[family] = Enumeration(family, values)
    return found


def _values(row: Row[EnumerationRow], said: _ValueRow) -> Iterator[EnumValue]:
    keys = [said.key]
    if numbers := said.numbered:
        if numbers.first > numbers.last:
            row.refuse(f"from {numbers.first} is greater than to {numbers.last}")
        keys = [numbers.key.replace("{n}", str(n)) for n in range(numbers.first, numbers.last + 1)]
    for key in keys:
        of, _, name = key.rpartition(".")
        if of != row.says.family:
            row.refuse(f"value {key} is not of the family {row.says.family}")
        yield EnumValue(key, name, said.label, said.line)


class _RangeRow(Form):
    min: int | float
    max: int | float
    unit: Text | None = None


class EntryRow(Form):
    """A row of settings.toml or statuses.toml: one key, or several that say the same."""

    keys: Texts
    type: ValueType
    line: Line
    notes: Text
    says: Text | None = None
    family: Text | None = None
    values: Texts | None = None
    unit: Text | None = None
    units: dict[str, str] = field(default_factory=dict[str, str])
    hints: dict[str, str] = field(default_factory=dict[str, str])
    range: _RangeRow | None = None
    examples: list[_RangeRow] = field(default_factory=list[_RangeRow])
    own_range: bool = False
    contested: bool = False


class EntryReader(Struct, frozen=True):
    """Reads the rows of one table of entries.

    `segment` is the path segment of the table, `families` the enumerations, `taken` the keys
    that other tables hold; what is read is added to it.
    """

    segment: Segment
    families: dict[str, Enumeration]
    taken: dict[str, Entry]

    def read(self, rows: Iterable[Row[EntryRow]]) -> tuple[Entry, ...]:
        """One entry a key of settings.toml or statuses.toml, in their order, still without kinds."""
        return tuple(entry for row in rows for entry in self._row(row))

    def _row(self, row: Row[EntryRow]) -> Iterator[Entry]:
        said = row.says
        row.refuse_twice("key", said.keys)
        limits = _range(row, said.range, said.unit) if said.range else None
        examples = tuple(_range(row, example, example.unit) for example in said.examples)
        if (limits or said.own_range or examples) and said.type not in NUMERIC:
            row.refuse(f"a range stands beside the type {said.type}")
        if limits and said.own_range:
            row.refuse("a common range stands beside own_range")
        if examples and not said.own_range:
            row.refuse("examples stand where there is no own_range")
        if said.contested and self.segment != "status":
            row.refuse("only a status can be contested")
        for key in sorted((said.units.keys() | said.hints.keys()) - set(said.keys)):
            row.refuse(f"a unit or a hint is given for {key}, which the row does not list")
        values = self._allowed(row)
        for key in said.keys:
            self._check_key(row, key)
            entry = Entry(
                key=key, type=said.type, segment=self.segment, line=said.line, notes=said.notes, kinds=(),
                family=said.family, values=values, range=limits, own_range=said.own_range,
                unit=said.units.get(key, said.unit), contested=said.contested, hint=said.hints.get(key),
                examples=examples, says=said.says or "",
            )  # fmt: skip
            self.taken.setdefault(key, entry)
            yield entry

    def _allowed(self, row: Row[EntryRow]) -> tuple[str, ...] | None:
        family, listed = row.says.family, row.says.values
        if row.says.type != "Enumeration":
            if family or listed:
                row.refuse(f"a family or values stand beside the type {row.says.type}")
            return None
        known = self.families.get(family or "")
        if known is None:
            row.refuse(f"unknown family {family}")
            return listed
        whole = tuple(value.key for value in known.values)
        for value in listed or ():
            if value not in whole:
                row.refuse(f"value {value} is not of the family {family}")
        return listed or whole

    def _check_key(self, row: Row[EntryRow], key: str) -> None:
        third = THIRD_SEGMENT[self.segment]
        if key.split(".")[2:3] != [third]:
            row.refuse(f"the third segment of {key} is not {third}")
        if key in self.taken:
            row.refuse(f"key {key} stands twice")


def _range(row: Row[EntryRow], said: _RangeRow, unit: str | None) -> Range:
    if said.min > said.max:
        row.refuse(f"min {said.min} is greater than max {said.max}")
    return Range(said.min, said.max, unit)
