"""A JSON Schema for every key's value.

A schema accepts what the checks of type, enumeration and common range accept, no more and no less. Own ranges
differ per appliance, so they set no limit here.
"""

from catalog.maker import STAND_IN, with_maker
from catalog.model import Catalog, Entry, ValueType

JSON_TYPES: dict[ValueType, str] = {
    "Enumeration": "string",
    "Boolean": "boolean",
    "Integer": "integer",
    "Double": "number",
    "Float": "number",
    "String": "string",
}


def schema_document(catalog: Catalog, *, maker: str = STAND_IN) -> dict[str, object]:
    """One JSON Schema of draft 2020-12, to be used by reference to one of its `$defs`, one a key.

    The definitions keep the catalog's keys; `maker` is the maker's name in enumeration values.
    """
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Values of the Appliance Settings and Status Catalog",
        "$defs": value_schemas(catalog, maker=maker),
    }


def value_schemas(catalog: Catalog, *, maker: str = STAND_IN) -> dict[str, object]:
    """The schema of every key's value by key, in the catalog's order; `maker` spells the values."""
    return {key: value_schema(entry, maker=maker) for key, entry in catalog.entries.items()}


def value_schema(entry: Entry, *, maker: str = STAND_IN) -> dict[str, object]:
    """The schema of one key's value; `maker` spells the values of an enumeration."""
    schema: dict[str, object] = {"type": JSON_TYPES[entry.type], "description": _description(entry)}
    if entry.values is not None:
        schema["enum"] = [with_maker(value, maker) for value in entry.values]
    if entry.is_counter:
        schema["minimum"] = 0
    if entry.range is not None:
        schema["minimum"], schema["maximum"] = entry.range.min, entry.range.max
    return schema


def _description(entry: Entry) -> str:
    unit = f" [{entry.unit}]" if entry.unit else ""
    return f"{entry.notes}{unit} (line {entry.line})"
