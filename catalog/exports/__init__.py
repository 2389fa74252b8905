"""The catalog in other people's formats: JSON, JSON Schema, OpenAPI 3.1, Markdown.

    render_catalog(CATALOG, "openapi", value_pointer="/data/value")

JSON and Markdown spell keys and values with the segment `Vendor`, like every file of the suite.
The two schemas describe what a target sends, so they spell its maker's name.
"""

import json
from typing import Literal, assert_never

from msgspec import to_builtins

from catalog.exports.markdown import markdown_text
from catalog.exports.openapi import openapi_document, schema_document
from catalog.maker import STAND_IN
from catalog.model import Catalog

ExportFormat = Literal["json", "jsonschema", "openapi", "markdown"]

__all__ = ["ExportFormat", "openapi_document", "plain_document", "render_catalog", "schema_document"]


def render_catalog(
    catalog: Catalog,
    format: ExportFormat,  # noqa: A002  the word of the command line
    *,
    value_pointer: str = "/data/value",
    maker: str = STAND_IN,
) -> str:
    """The catalog as text with a newline at its end: `json`, `jsonschema`, `openapi` or `markdown`.

    `value_pointer`, empty for a bare value, is where an answer holds the value, for `openapi`; `maker` is the
    maker's name in keys and values, for `jsonschema` and `openapi`.

    Raises:
        JsonPointerException: `value_pointer` is no JSON Pointer.
    """
    match format:
        case "json":
            return _text(plain_document(catalog))
        case "jsonschema":
            return _text(schema_document(catalog, maker=maker))
        case "openapi":
            return _text(openapi_document(catalog, value_pointer=value_pointer, maker=maker))
        case "markdown":
            return markdown_text(catalog)
        case _:
            assert_never(format)


def plain_document(catalog: Catalog) -> dict[str, object]:
    """The whole catalog as dicts, lists and scalars, keys and values spelled with `Vendor`.

    Field names are promises: add, never rename.
    """
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


def _text(document: dict[str, object]) -> str:
    return json.dumps(document, ensure_ascii=False, indent=2) + "\n"
