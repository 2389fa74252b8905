"""JSON values in the words of a finding: short, with their type, and safe to print."""

import json

from conformance.checks.answer import type_of_nothing

_LONGEST = 120


def type_word(value: object) -> str:
    """The JSON type of a value, as a word."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        return "number"
    if isinstance(value, str):
        return "string"
    return "array" if isinstance(value, list) else "object"


def quoted(value: object) -> str:
    """The value as JSON, cut to one readable line."""
    if isinstance(value, type_of_nothing):
        return "nothing"
    text = json.dumps(value, ensure_ascii=False, default=str)
    if not text.isprintable():
        text = "".join(character if character.isprintable() else repr(character)[1:-1] for character in text)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."


def described(value: object) -> str:
    """The value with its type: `"false" (string)`."""
    return f"{quoted(value)} ({type_word(value)})"


def is_number(value: object) -> bool:
    """Whether a value is a JSON number; true and false are none, although Python calls them integers."""
    return isinstance(value, int | float) and not isinstance(value, bool)
