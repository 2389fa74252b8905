"""A JSON Schema for every key's value, and the two endpoints of the document as OpenAPI 3.1.

A schema accepts what the checks of type, enumeration and common range accept, no more and no less. Own ranges
differ per appliance, so they set no limit here.

There is one operation a key and segment. The document shows no body: the value's schema stands where a JSON
Pointer puts it, whatever else the body holds is free. Status codes of errors are not shown either, so the
response `default` describes nothing.
"""

from urllib.parse import quote

from jsonpointer import JsonPointer

from catalog.maker import STAND_IN, with_maker
from catalog.model import Catalog, Entry, Segment, ValueType

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


def openapi_document(
    catalog: Catalog, *, value_pointer: str = "/data/value", maker: str = STAND_IN
) -> dict[str, object]:
    """The document of OpenAPI 3.1, which reads and never writes.

    `value_pointer`, empty for a bare value, is where an answer holds the value. `maker` is the maker's name
    in paths and enumeration values; operation ids and component names keep the catalog's spelling, so that
    they are the same for every maker.

    Raises:
        JsonPointerException: `value_pointer` is no JSON Pointer.
    """
    tokens = JsonPointer(value_pointer).parts
    return {
        "openapi": "3.1.0",
        "info": {"title": "Appliance Settings and Status Catalog", "version": "1"},
        "paths": {
            operation_path(entry, segment, maker=maker): {"get": _operation(entry, segment, tokens)}
            for entry in catalog.entries.values()
            for segment in entry.segments
        },
        "components": {
            "parameters": {
                "haId": {
                    "name": "haId",
                    "in": "path",
                    "required": True,
                    "description": "The identifier of the home appliance (line 8)",
                    "schema": {"type": "string", "minLength": 1},
                }
            },
            "schemas": value_schemas(catalog, maker=maker),
        },
    }


def operation_path(entry: Entry, segment: Segment, *, maker: str = STAND_IN) -> str:
    """The path of a key under a segment as `maker` spells it, with `{haId}` left open."""
    return f"/api/homeappliances/{{haId}}/{segment}/{quote(with_maker(entry.key, maker), safe='')}"


def _operation(entry: Entry, segment: Segment, tokens: list[str]) -> dict[str, object]:
    return {
        "operationId": f"read_{segment}_{entry.key.replace('.', '_')}",
        "summary": entry.notes,
        "tags": [segment],
        "parameters": [{"$ref": "#/components/parameters/haId"}],
        "responses": {
            "2XX": {
                "description": "The specific setting"
                if entry.segment == "settings"
                else "The specific status",
                "content": {
                    "application/json": {"schema": _at(tokens, {"$ref": f"#/components/schemas/{entry.key}"})}
                },
            },
            "default": {"description": "Anything else; the document shows no error"},
        },
    }


def _at(tokens: list[str], schema: dict[str, object]) -> dict[str, object]:
    for token in reversed(tokens):
        if token.isdecimal() and token.isascii():  # a place in a list, or a member that is called like one
            schema = {
                "type": ["object", "array"],
                "required": [token],
                "properties": {token: schema},
                "minItems": int(token) + 1,
                "prefixItems": [*({} for _ in range(int(token))), schema],
            }
        else:
            schema = {"type": "object", "required": [token], "properties": {token: schema}}
    return schema
