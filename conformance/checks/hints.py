"""What a number that lies outside its range may mean, for whoever reads the finding.

A hint is a note: no verdict rests on it, and none is changed by one. It says what people met most often in
bodies like these: another scale, another unit, a number that stands for "not available".
"""

from collections.abc import Callable, Iterable
from typing import Final

from msgspec import Struct

from catalog.model import Entry
from conformance.checks.answer import Answer
from conformance.model.json_values import is_number, number

_STAND_INS: Final = frozenset({-32768, 32767, 65535, -2147483648, 2147483647, 4294967295})
"""The ends of what 16 and 32 bits hold: no sensor measures one, and many services send one for nothing."""


class _Hint(Struct, frozen=True):
    """What a value may be instead, and the words for it."""

    meant: Callable[[float], float]
    words: str


_SCALES: Final[tuple[_Hint, ...]] = (
    _Hint(lambda value: value * 10, "ten times {value:g} lies within"),
    _Hint(lambda value: value / 10, "a tenth of {value:g} lies within"),
    _Hint(lambda value: value * 100, "a hundred times {value:g} lies within"),
    _Hint(lambda value: value / 100, "a hundredth of {value:g} lies within"),
)
_TEMPERATURES: Final[tuple[_Hint, ...]] = (
    _Hint(lambda value: (value - 32) / 1.8, "it looks like °F: {value:g} °F are {meant:g} °C"),
    _Hint(lambda value: value * 1.8 + 32, "it looks like °C: {value:g} °C are {meant:g} °F"),
)


def stands_in(answer: Answer) -> bool:
    """Whether a value is a number that often stands for none."""
    return answer.has_value and is_number(answer.value) and number(answer.value) in _STAND_INS


def hint_of(entry: Entry, answer: Answer) -> str:
    """What the value of an answer may mean where it lies outside its range; empty where nobody can tell."""
    if not answer.has_value or not is_number(answer.value) or not entry.is_numeric:
        return ""
    value = number(answer.value)
    if stands_in(answer):
        return f"{value:.0f} often means that no value is available"
    bounds = _range_of(entry, answer)
    if bounds is None or bounds[0] <= value <= bounds[1]:
        return ""
    rows = (_SCALES, _TEMPERATURES if entry.own_range and entry.unit != "ml" else ())
    return "; or ".join(filter(None, (_first(hints, value, *bounds) for hints in rows))) if value else ""


def _first(hints: Iterable[_Hint], value: float, low: float, high: float) -> str:
    """The first hint by which a value lies within."""
    for hint in hints:
        meant = hint.meant(value)
        if low <= meant <= high:
            return hint.words.format(value=value, meant=round(meant, 1))
    return ""


def _range_of(entry: Entry, answer: Answer) -> tuple[float, float] | None:
    """The common range of the entry, else the one that the body shows."""
    if entry.range:
        return entry.range.min, entry.range.max
    return answer.shown.bounds
