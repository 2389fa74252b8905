"""The catalog as Markdown tables, for people."""

from collections.abc import Iterable, Iterator, Mapping
from typing import cast

from catalog.model import Catalog, Entry


def markdown_text(catalog: Catalog) -> str:
    """The catalog as one Markdown page, keys and values spelled with `Vendor`."""
    return "\n".join(("# The catalog", *_entries(catalog), *_statements(catalog))) + "\n"


def _entries(catalog: Catalog) -> Iterator[str]:
    head = ("Key", "Type", "Values or range", "Unit", "Kinds", "Notes", "Line")
    for title, entries in (("Settings", catalog.settings), ("Statuses", catalog.statuses)):
        yield from _table(title, head, (_row(catalog, entry) for entry in entries))
    values = (value for known in catalog.enumerations.values() for value in known.values)
    yield from _records("Enumerations", values, {"Key": "key", "Label": "label", "Line": "line"})


def _statements(catalog: Catalog) -> Iterator[str]:
    moves = {
        "State": "source",
        "Write": "write",
        "Next state": "target",
        "Condition": "condition",
        "Line": "line",
    }
    yield from _records("Power states", catalog.power_edges, moves)
    coupled = {
        "Key": "controller",
        "Its values": "values",
        "Effect": "effect",
        "Keys concerned": "subjects",
        "Line": "line",
    }
    yield from _records("Rules between keys", catalog.rules, coupled)
    judged = {
        "Clause": "id",
        "Statement": "title",
        "Sentence of the document": "quote",
        "Lines": "lines",
        "Basis": "basis",
        "Level": "level",
        "Judged by writes of others": "in_traces",
        "Can fail": "can_fail",
        "Why it is not judged": "excluded",
    }
    yield from _records("Clauses", catalog.clauses.values(), judged)
    silent = {
        "Gap": "id",
        "What is not shown": "what",
        "Sentence of the document": "quote",
        "Line": "line",
        "Answered by": "answered_by",
    }
    yield from _records("Not shown by the document", catalog.gaps, silent)


def _row(catalog: Catalog, entry: Entry) -> tuple[object, ...]:
    every_kind = len(entry.kinds) == len(catalog.kinds)
    kinds = "all" if every_kind else ", ".join(entry.kinds)
    notes = f"{entry.notes} (served under status or settings)" if entry.contested else entry.notes
    return entry.key, entry.type, _allowed(catalog, entry), entry.unit, kinds, notes, entry.line


def _allowed(catalog: Catalog, entry: Entry) -> str:
    if entry.values is not None and entry.family is not None:
        whole = len(catalog.enumerations[entry.family].values)
        if len(entry.values) == whole:
            return f"all {whole} of {entry.family}"
        return _cell(entry.values)
    if entry.range is not None:
        return f"{entry.range.min} to {entry.range.max}"
    if entry.own_range:
        return "read from the specific setting"
    return "true, false" if entry.type == "Boolean" else "any"


def _records(title: str, records: Iterable[object], columns: Mapping[str, str]) -> Iterator[str]:
    """A table of some fields of records: `columns` names the field under each head."""
    rows = (tuple(getattr(one, field) for field in columns.values()) for one in records)
    yield from _table(title, tuple(columns), rows)


def _table(title: str, head: tuple[str, ...], rows: Iterable[tuple[object, ...]]) -> Iterator[str]:
    yield from ("", f"## {title}", "", _line(head), "|" + "---|" * len(head))
    yield from (_line(row) for row in rows)


def _line(cells: tuple[object, ...]) -> str:
    return "| " + " | ".join(_cell(cell).replace("|", r"\|") for cell in cells) + " |"


def _cell(item: object) -> str:
    """What a cell says: a list with commas, true or false, nothing for what is not there."""
    if isinstance(item, tuple):
        return ", ".join(map(_cell, cast("tuple[object, ...]", item)))
    return "" if item is None else str(item).lower() if isinstance(item, bool) else str(item)
