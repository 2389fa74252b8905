"""What a number that lies outside its range may mean, for whoever reads the finding.

A hint is a note: no verdict rests on it, and none is changed by one. It says what people met most often in
bodies like these: another scale, another unit, a number that stands for "not available".
"""

from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from catalog.model import Entry
from conformance.checks.answer import Answer
from conformance.model.json_values import is_number, number

_STAND_INS: Final = frozenset({-32768, 32767, 65535, -2147483648, 2147483647, 4294967295})
"""The ends of what 16 and 32 bits hold: no sensor measures one, and many services send one for nothing."""


_Hints: TypeAlias = Mapping[str, Callable[[float], float]]
"""What a value may be instead, by the words for it."""
_SCALES: Final[_Hints] = {
    "ten times {value:g} lies within": lambda value: value * 10,
    "a tenth of {value:g} lies within": lambda value: value / 10,
    "a hundred times {value:g} lies within": lambda value: value * 100,
    "a hundredth of {value:g} lies within": lambda value: value / 100,
}
_TEMPERATURES: Final[_Hints] = {
    "it looks like °F: {value:g} °F are {meant:g} °C": lambda value: (value - 32) / 1.8,
    "it looks like °C: {value:g} °C are {meant:g} °F": lambda value: value * 1.8 + 32,
}


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
    common = entry.range
    bounds = (common.min, common.max) if common else answer.shown.bounds
    if bounds is None or bounds[0] <= value <= bounds[1]:
        return ""
    rows = (_SCALES, _TEMPERATURES if entry.own_range and entry.unit != "ml" else {})
    return "; or ".join(filter(None, (_first(hints, value, *bounds) for hints in rows))) if value else ""


def _first(hints: _Hints, value: float, low: float, high: float) -> str:
    """The first hint by which a value lies within."""
    meant = ((words, other(value)) for words, other in hints.items())
    return next(
        (words.format(value=value, meant=round(it, 1)) for words, it in meant if low <= it <= high), ""
    )
