"""JSON Schemas of what other programs ask of a file, in few words."""

from typing import Any

Schema = dict[str, Any]
TEXT: Schema = {"type": "string"}
INTEGER: Schema = {"type": "integer"}


def needs(names: str, /, **properties: Schema) -> Schema:
    """An object with these members, with spaces between their names; of some it is said what they hold."""
    return {"type": "object", "required": names.split(), "properties": properties}


def needs_only(names: str, /, **properties: Schema) -> Schema:
    """The same, with no other members than those of which it is said what they hold."""
    return {**needs(names, **properties), "additionalProperties": False}


def rows(schema: Schema) -> Schema:
    """A list of such values."""
    return {"type": "array", "items": schema}
