"""The catalog as plain JSON data. Field names are promises: add, never rename."""

from dataclasses import asdict

from catalog.model import Catalog


def plain_document(catalog: Catalog) -> dict[str, object]:
    """The whole catalog as dicts, lists and scalars, keys and values spelled with `Vendor`."""
    return {
        "settings": [asdict(entry) for entry in catalog.settings],
        "statuses": [asdict(entry) for entry in catalog.statuses],
        "enumerations": {
            family: [value.key for value in known.values] for family, known in catalog.enumerations.items()
        },
        "labels": {
            value.key: value.label
            for known in catalog.enumerations.values()
            for value in known.values
            if value.label
        },
        "power_transitions": [
            {
                "from": edge.source,
                "write": edge.write,
                "to": edge.target,
                "condition": edge.condition,
                "effects": edge.effects,
                "line": edge.line,
            }
            for edge in catalog.power_edges
        ],
        "rules": [asdict(rule) for rule in catalog.rules],
        "kinds": [asdict(kind) for kind in catalog.kinds],
        "pairs": [asdict(pair) for pair in catalog.pairs],
        "clauses": [asdict(clause) | {"line": clause.line} for clause in catalog.clauses.values()],
        "gaps": [asdict(gap) for gap in catalog.gaps],
    }
