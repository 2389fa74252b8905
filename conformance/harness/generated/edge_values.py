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
from conformance.checks.reads.value_types import number
from conformance.checks.traces.trace import same
from conformance.checks.view import View
from conformance.checks.wording import is_number
from conformance.harness.generated.candidates import number_of
from conformance.harness.writes.procedures.choices import allowed_values, bounds

_LONG = 10_000
_BEYOND_DOUBLES = 2**53 + 1
"""The first whole number that no double holds."""
_WRAPPED = 2**32
_SURROGATE, _NULL = r"\ud800", r"\u0000"
_SUBNORMAL, _LARGE = "5e-324", "1e308"
_TOO_LARGE = "1e400"
"""A number that no double holds: parsers make it infinite."""
_TEXTS = ('"NaN"', '"Infinity"', f'"{_TOO_LARGE}"', f'"{_SURROGATE}"')
_FULL_WIDTH = 0xFEE0


class EdgeValue(Struct, frozen=True):
    """One value as it is sent."""

    text: str

    @property
    def value(self) -> JsonValue:
        """What a parser makes of it; a number beyond all doubles is infinite."""
        return json.loads(self.text)


def edge_values(seen: View, entry: Entry, read: Answer, seed: str) -> list[EdgeValue]:
    """The values to write where `read` shows the present one, in an order drawn from `seed`."""
    texts = dict.fromkeys(_of_type(seen, entry, read))
    place = f"{seed}/{seen.appliance.ha_id}/{entry.key}"
    return [EdgeValue(text) for text in sorted(texts, key=lambda text: number_of(f"{place}/{text}", 1 << 32))]


def shorter(edge: EdgeValue) -> EdgeValue | None:
    """A text of half the length, or a whole number of half the digits; None for any other value."""
    value = edge.value
    if isinstance(value, str) and len(value) > 1:
        return EdgeValue(json.dumps(value[: len(value) // 2]))
    digits = edge.text.removeprefix("-")
    return EdgeValue(edge.text[: -(len(digits) // 2)]) if digits.isdecimal() and len(digits) > 1 else None


def _of_type(seen: View, entry: Entry, read: Answer) -> Iterator[str]:
    present = json.dumps(read.value)
    yield from (f"[{present}]", f'{{"value": {present}}}', _TOO_LARGE)
    if entry.type == "Enumeration":
        yield from _members(seen, entry, read)
        return
    yield f'"{"a" * _LONG}"'
    if entry.type == "String":
        yield from (f'"{"b" * _LONG}"', f'"{_SURROGATE}"', f'"a{_NULL}b"', '""', '"e\u0301"', "-0.0")
        return
    yield from _TEXTS
    if entry.type == "Boolean":
        yield from (f'"{present}"', "-0.0", _SUBNORMAL, str(_BEYOND_DOUBLES))
    elif entry.is_numeric:
        yield from _numbers(entry, read)


def _numbers(entry: Entry, read: Answer) -> Iterator[str]:
    found = bounds(entry, read)
    if entry.type == "Integer":
        yield _SUBNORMAL
    if found is None or found[0] > found[1]:
        return
    low, high = found
    yield from (str(_BEYOND_DOUBLES), str(-_BEYOND_DOUBLES), _LARGE, f"-{_TOO_LARGE}", "-0.0")
    if entry.type == "Integer":
        other = int(low if is_number(read.value) and same(number(read.value), high) else high)
        yield from (f"{other}.0", f"{other}e0", str(_WRAPPED + other), f"{other}.000000001")
    else:
        yield from (_SUBNORMAL, f"-{_SUBNORMAL}", json.dumps(str(high)))


def _members(seen: View, entry: Entry, read: Answer) -> Iterator[str]:
    """Texts near a member of an enumeration that the setting does not have now."""
    others = [value for value in allowed_values(seen, entry, read) if value != read.value]
    member = next((value for value in others if isinstance(value, str)), "")
    if not member:
        return
    last = chr(ord(member[-1]) + _FULL_WIDTH)
    for text in (
        *(member.lower(), member.upper(), f"{member} ", f" {member}", f"{member}.", member[:-1]),
        *(f"{member[:-1]}{last}", member.rpartition(".")[2], f"{member}{'a' * _LONG}"),
    ):
        if text not in others and text != read.value:
            yield json.dumps(text)
    yield from (f'"{member}{_SURROGATE}"', f'"{member}{_NULL}"', f'["{member}"]', f'{{"key": "{member}"}}')
