"""The entries and the enumerations, read from their rows and compared with each other."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import cast, get_args

from catalog.model import Entry, Enumeration, EnumValue, Range, Segment, ValueType
from catalog.rows import Row

NUMERIC: frozenset[ValueType] = frozenset({"Integer", "Double", "Float"})
THIRD_SEGMENT: dict[Segment, str] = {"settings": "Setting", "status": "Status"}


def read_enumerations(rows: Iterable[Row]) -> dict[str, Enumeration]:
    """The enumerations of enumerations.toml by family, in their order."""
    found: dict[str, Enumeration] = {}
    for row in rows:
        family = row.text("family")
        values = tuple(value for inner in row.inner("values") for value in _values(inner, family))
        row.close()
        if family in found:
            row.refuse(f"family {family} stands twice")
        keys = [value.key for value in values]
        for key in sorted({key for key in keys if keys.count(key) > 1}):
            row.refuse(f"value {key} stands twice")
        found[family] = Enumeration(family, values)
    return found


def _values(row: Row, family: str) -> Iterator[EnumValue]:
    line, label = row.line(), row.optional_text("label")
    if row.has("numbered"):
        part = row.part("numbered")
        pattern, first, last = part.text("key"), part.number("from"), part.number("to")
        part.close()
        if "{n}" not in pattern:
            part.refuse(f"key {pattern} has no place {{n}} for the number")
        if first > last:
            part.refuse(f"from {first} is greater than to {last}")
        keys = [pattern.replace("{n}", str(number)) for number in range(int(first), int(last) + 1)]
    else:
        keys = [row.text("key")]
    row.close()
    for key in keys:
        of, _, name = key.rpartition(".")
        if of != family:
            row.refuse(f"value {key} is not of the family {family}")
        yield EnumValue(key, name, label, line)


@dataclass(frozen=True, slots=True)
class EntryReader:
    """Reads the rows of one table of entries.

    `segment` is the path segment of the table, `families` the enumerations, `taken` the keys
    that other tables hold; what is read is added to it.
    """

    segment: Segment
    families: dict[str, Enumeration]
    taken: dict[str, Entry]

    def read(self, rows: Iterable[Row]) -> tuple[Entry, ...]:
        """One entry a key of settings.toml or statuses.toml, in their order, still without kinds."""
        return tuple(entry for row in rows for entry in self._row(row))

    def _row(self, row: Row) -> Iterator[Entry]:
        keys = row.texts("keys")
        of_type = cast("ValueType", row.choice("type", get_args(ValueType)))
        line, notes = row.line(), row.text("notes")
        family, values = self._allowed(row, of_type)
        unit, units, hints = row.optional_text("unit"), row.text_by_key("units"), row.text_by_key("hints")
        limits = _range(row.part("range"), unit) if row.has("range") else None
        examples = tuple(_example(inner) for inner in row.inner("examples")) if row.has("examples") else ()
        own_range, contested = row.flag("own_range"), row.flag("contested")
        row.close()
        if (limits or own_range or examples) and of_type not in NUMERIC:
            row.refuse(f"a range stands beside the type {of_type}")
        if limits and own_range:
            row.refuse("a common range stands beside own_range")
        if examples and not own_range:
            row.refuse("examples stand where there is no own_range")
        if contested and self.segment != "status":
            row.refuse("only a status can be contested")
        for key in sorted((units.keys() | hints.keys()) - set(keys)):
            row.refuse(f"a unit or a hint is given for {key}, which the row does not list")
        for key in keys:
            self._check_key(row, key)
            entry = Entry(
                key=key, type=of_type, segment=self.segment, line=line, notes=notes, kinds=(), family=family,
                values=values, range=limits, own_range=own_range, unit=units.get(key, unit),
                contested=contested, hint=hints.get(key), examples=examples,
            )  # fmt: skip
            self.taken.setdefault(key, entry)
            yield entry

    def _allowed(self, row: Row, of_type: ValueType) -> tuple[str | None, tuple[str, ...] | None]:
        family = row.optional_text("family")
        listed = row.texts("values") if row.has("values") else None
        if of_type != "Enumeration":
            if family or listed:
                row.refuse(f"a family or values stand beside the type {of_type}")
            return None, None
        known = self.families.get(family or "")
        if known is None:
            row.refuse(f"unknown family {family}")
            return family, listed or ()
        whole = tuple(value.key for value in known.values)
        for value in listed or ():
            if value not in whole:
                row.refuse(f"value {value} is not of the family {family}")
        return family, listed or whole

    def _check_key(self, row: Row, key: str) -> None:
        third = THIRD_SEGMENT[self.segment]
        if key.split(".")[2:3] != [third]:
            row.refuse(f"the third segment of {key} is not {third}")
        if key in self.taken:
            row.refuse(f"key {key} stands twice")


def _range(row: Row, unit: str | None) -> Range:
    found = Range(row.number("min"), row.number("max"), unit)
    row.close()
    if found.min > found.max:
        row.refuse(f"min {found.min} is greater than max {found.max}")
    return found


def _example(row: Row) -> Range:
    return _range(row, row.text("unit"))
