"""Values near the type and the range of a setting, as JSON text; every function is pure.

A value is kept as its text, since one number has several spellings, and some texts no encoder would write.
Where nobody shows the range of a number, none is chosen that the setting might take.
"""

import json
from collections.abc import Iterator

from msgspec import Struct
from pydantic import JsonValue

from catalog.model import Entry
from conformance.checks.answer import Answer
from conformance.checks.view import View
from conformance.harness.generated.candidates import number_of
from conformance.model.json_values import is_number, number, same
from conformance.model.values import fits

_LONG = 10_000
_BEYOND_DOUBLES = 2**53 + 1
"""The first whole number that no double holds."""
_WRAPPED = 2**32
_FRACTION = 0.75
"""What a check of whole numbers does not see, and no step of 1 explains."""
_DIGITS = "007"
_SURROGATE, _NULL = r"\ud800", r"\u0000"
_SUBNORMAL, _LARGE = "5e-324", "1e308"
_TOO_LARGE = "1e400"
"""A number that no double holds: parsers make it infinite."""
_TEXTS = ('"NaN"', '"Infinity"', f'"{_TOO_LARGE}"', f'"{_SURROGATE}"')
_TELLING = 6
"""Values of a setting that come first in each run: half of those that an appliance gets off loopback."""
_FULL_WIDTH = 0xFEE0


class EdgeValue(Struct, frozen=True):
    """One value as it is sent."""

    text: str

    @property
    def value(self) -> JsonValue:
        """What a parser makes of it; a number beyond all doubles is infinite."""
        return json.loads(self.text)


def edge_values(seen: View, entry: Entry, read: Answer, seed: str) -> list[EdgeValue]:
    """The values to write where `read` shows the present one: the most telling first.

    Of the others, those of another type come before those near the edges of one, each as `seed` says.
    """
    texts = list(dict.fromkeys(_of_type(seen, entry, read)))
    place = f"{seed}/{seen.appliance.ha_id}/{entry.key}"
    values = [EdgeValue(text) for text in texts]
    drawn = sorted(values[_TELLING:], key=lambda one: number_of(f"{place}/{one.text}", 1 << 32))
    return [*values[:_TELLING], *sorted(drawn, key=lambda one: fits(entry, one.value))]


def _of_type(seen: View, entry: Entry, read: Answer) -> Iterator[str]:
    """The values of a type, those first that a loose parser takes; some stand twice."""
    present = json.dumps(read.value)
    if entry.type == "Enumeration":
        yield from _members(seen, entry, read)
    elif entry.type == "String":
        yield from (f'"{"a" * _LONG}"', f'"{"b" * _LONG}"', f'"{_SURROGATE}"', f'"a{_NULL}b"', '""')
        yield from (f'"{_DIGITS}"', "-0.0", '"e\u0301"')
    elif entry.type == "Boolean":
        yield from (f"[{present}]", f'"{present}"', "-0.0", _SUBNORMAL, str(_BEYOND_DOUBLES))
    else:
        yield from _numbers(seen, entry, read)
    yield from (_TOO_LARGE, f"[{present}]", f'{{"value": {present}}}')
    if entry.type not in {"Enumeration", "String"}:
        yield from (f'"{"a" * _LONG}"', *_TEXTS)


def _numbers(seen: View, entry: Entry, read: Answer) -> Iterator[str]:
    found = seen.values(entry.key, read).bounds
    if found is not None and found[0] <= found[1]:
        low, high = found
        if entry.type == "Integer":
            other = int(low if is_number(read.value) and same(number(read.value), high) else high)
            yield from (f"{other}.0", str(_BEYOND_DOUBLES), str(_WRAPPED + other), f"{other}.000000001")
            yield from (_TOO_LARGE, f"{other}e0")
        else:
            yield from (_TEXTS[0], _TOO_LARGE, json.dumps(str(high)), str(_BEYOND_DOUBLES))
            yield from (str(high + _FRACTION), str(low - _FRACTION), _SUBNORMAL, f"-{_SUBNORMAL}")
        yield from (str(-_BEYOND_DOUBLES), _LARGE, f"-{_TOO_LARGE}", "-0.0")
    if entry.type == "Integer":
        yield _SUBNORMAL


def _members(seen: View, entry: Entry, read: Answer) -> Iterator[str]:
    """Texts near a member of an enumeration that the setting does not have now."""
    others = [value for value in seen.values(entry.key, read).choices if value != read.value]
    member = next(iter(others), "")
    if not member:
        return
    last = chr(ord(member[-1]) + _FULL_WIDTH)
    yield from (json.dumps(member.lower()), f'["{member}"]')
    for text in (
        *(f"{member} ", member.rpartition(".")[2], member[:-1], member.upper(), f" {member}", f"{member}."),
        *(f"{member[:-1]}{last}", f"{member}{'a' * _LONG}"),
    ):
        if text not in others and text != read.value:
            yield json.dumps(text)
    yield from (f'"{member}{_SURROGATE}"', f'"{member}{_NULL}"', f'{{"key": "{member}"}}')
