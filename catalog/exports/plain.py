"""The catalog as plain JSON data. Field names are promises: add, never rename."""

from msgspec import to_builtins

from catalog.model import Catalog


def plain_document(catalog: Catalog) -> dict[str, object]:
    """The whole catalog as dicts, lists and scalars, keys and values spelled with `Vendor`."""
    return {
        "settings": to_builtins(catalog.settings),
        "statuses": to_builtins(catalog.statuses),
        "enumerations": {
            family: [value.key for value in known.values] for family, known in catalog.enumerations.items()
        },
        "labels": {
            value.key: value.label
            for known in catalog.enumerations.values()
            for value in known.values
            if value.label
        },
        "power_transitions": to_builtins(catalog.power_edges),
        "rules": to_builtins(catalog.rules),
        "kinds": to_builtins(catalog.kinds),
        "pairs": to_builtins(catalog.pairs),
        "clauses": [to_builtins(clause) | {"line": clause.line} for clause in catalog.clauses.values()],
        "gaps": to_builtins(catalog.gaps),
    }
