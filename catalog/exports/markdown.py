"""The catalog as Markdown tables, for people."""

from collections.abc import Iterable, Iterator

from catalog.model import Catalog, Entry


def markdown_text(catalog: Catalog) -> str:
    """The catalog as one Markdown page, keys and values spelled with `Vendor`."""
    return "\n".join(("# The catalog", *_entries(catalog), *_statements(catalog))) + "\n"


def _entries(catalog: Catalog) -> Iterator[str]:
    head = ("Key", "Type", "Values or range", "Unit", "Kinds", "Notes", "Line")
    for title, entries in (("Settings", catalog.settings), ("Statuses", catalog.statuses)):
        yield from _table(title, head, (_row(catalog, entry) for entry in entries))
    yield from _table(
        "Enumerations",
        ("Value", "Label", "Line"),
        (
            (value.key, value.label or "", value.line)
            for known in catalog.enumerations.values()
            for value in known.values
        ),
    )


def _statements(catalog: Catalog) -> Iterator[str]:
    yield from _table(
        "Power states",
        ("From", "Write", "To", "Condition", "Line"),
        ((edge.source, edge.write, edge.target, edge.condition, edge.line) for edge in catalog.power_edges),
    )
    yield from _table(
        "Rules between keys",
        ("Key", "Values", "Effect", "Subjects", "Line"),
        (
            (
                rule.controller,
                _listed(rule.values),
                rule.effect.replace("_", " "),
                _listed(rule.subjects),
                rule.line,
            )
            for rule in catalog.rules
        ),
    )
    yield from _table(
        "Clauses",
        ("Id", "Title", "Quote", "Lines", "Basis", "Level", "In traces", "Can fail", "Without cases"),
        (
            (
                clause.id,
                clause.title,
                clause.quote,
                _listed(clause.lines),
                clause.basis,
                clause.level,
                "yes" if clause.in_traces else "no",
                "yes" if clause.can_fail else "no",
                clause.excluded,
            )
            for clause in catalog.clauses.values()
        ),
    )
    yield from _table(
        "Not shown by the document",
        ("Id", "What", "Quote", "Line", "Answered by"),
        ((gap.id, gap.what, gap.quote, gap.line, gap.answered_by) for gap in catalog.gaps),
    )


def _row(catalog: Catalog, entry: Entry) -> tuple[object, ...]:
    every_kind = len(entry.kinds) == len(catalog.kinds)
    kinds = "all" if every_kind else ", ".join(entry.kinds)
    notes = f"{entry.notes} (served under status or settings)" if entry.contested else entry.notes
    return entry.key, entry.type, _allowed(catalog, entry), entry.unit or "", kinds, notes, entry.line


def _allowed(catalog: Catalog, entry: Entry) -> str:
    if entry.values is not None and entry.family is not None:
        whole = len(catalog.enumerations[entry.family].values)
        if len(entry.values) == whole:
            return f"all {whole} of {entry.family}"
        return _listed(entry.values)
    if entry.range is not None:
        return f"{entry.range.min} to {entry.range.max}"
    if entry.own_range:
        return "read from the specific setting"
    return "true, false" if entry.type == "Boolean" else "any"


def _table(title: str, head: tuple[str, ...], rows: Iterable[tuple[object, ...]]) -> Iterator[str]:
    yield from ("", f"## {title}", "", _line(head), "|" + "---|" * len(head))
    yield from (_line(row) for row in rows)


def _line(cells: tuple[object, ...]) -> str:
    return "| " + " | ".join(str(cell).replace("|", r"\|") for cell in cells) + " |"


def _listed(items: Iterable[object]) -> str:
    return ", ".join(_yes_or_text(item) for item in items)


def _yes_or_text(item: object) -> str:
    return str(item).lower() if isinstance(item, bool) else str(item)
