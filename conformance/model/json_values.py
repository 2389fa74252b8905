"""JSON values: what they are, when two are the same, and how a finding says one, short and safe to print."""

import json
import math
from typing import Final

_json = json.JSONEncoder(ensure_ascii=False, default=str).encode
"""A value as JSON, made by one encoder: `json.dumps` would make one for each."""
_LONGEST = 120
_TOLERANCE = 1e-6


class _Nothing:
    """The type of `NOTHING`: a body has no such member. None is not used, because null is a JSON value."""

    def __repr__(self) -> str:
        return "NOTHING"


NOTHING: Final = _Nothing()
type_of_nothing = _Nothing


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
    return printable(_json(value))


def printable(text: str, longest: int = _LONGEST) -> str:
    """A text of one line, cut, what cannot be printed escaped as in Python."""
    if not text.isprintable():
        text = "".join(character if character.isprintable() else repr(character)[1:-1] for character in text)
    return text if len(text) <= longest else f"{text[:longest]}..."


def described(value: object) -> str:
    """The value with its type: `"false" (string)`."""
    return f"{quoted(value)} ({type_word(value)})"


def is_number(value: object) -> bool:
    """Whether a value is a JSON number; true and false are none, although Python calls them integers."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def number(value: object) -> float:
    """A JSON number as Python's, for arithmetic.

    Raises:
        TypeError: when the value is no number.
    """
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value
    raise TypeError(f"{value!r} is no number")


def is_whole(value: object) -> bool:
    """Whether a value is a finite number without a fraction."""
    return is_number(value) and float(number(value)).is_integer()


def same(one: object, other: object) -> bool:
    """Whether two JSON values are equal; true is not 1, 5 is 5.0, and NaN equals itself."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if is_number(one) and is_number(other):
        distance = abs(number(one) - number(other))
        return distance <= _TOLERANCE or repr(one) == repr(other)  # an infinity is no distance from itself
    return one == other or repr(one) == repr(other)  # NaN within is not equal to itself


def identical(one: object, other: object) -> bool:
    """Whether two JSON values are the same literal value: 5 is 5.0, and 5e-324 and -0.0 are not 0."""
    if is_number(one) and is_number(other):
        known, shown = number(one), number(other)
        if known == shown == 0:
            return math.copysign(1, known) == math.copysign(1, shown)
        return known == shown or repr(one) == repr(other)  # NaN is not equal to itself
    return type(one) is type(other) and repr(one) == repr(other)
