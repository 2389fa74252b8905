"""Guesses, for the draft of a profile, what bodies show beside the value. A run never uses them.

Each field has a test of its own: the key is the member that equals the key that was asked for, a unit is one
of those that the document names, bounds lie around the value and are exact where the document has a range,
allowed values are members of the entry's enumeration. Where contents alone tell nothing, the usual names do.
A member beside the value that is called like a bound is one also where values lie outside: that is a fault of
the server as well as of the guess, and only a person can tell which.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile
from typing import Literal, NamedTuple, TypeAlias, cast

from catalog.loader import CATALOG
from catalog.maker import with_maker
from catalog.model import Entry, Segment
from conformance.checks.reads.units import unit_group
from conformance.checks.view import View
from conformance.harness.answers.pointers import is_member, leaves, lists, type_of
from conformance.model.json_values import is_number, number

Field: TypeAlias = Literal["key", "unit", "type", "min", "max", "step", "allowed", "access", "description"]

_NAMES: dict[Field, frozenset[str]] = {
    "key": frozenset({"key", "id"}),
    "unit": frozenset({"unit", "units", "uom"}),
    "type": frozenset({"type", "datatype"}),
    "min": frozenset({"min", "minimum", "lower", "low", "lo", "from"}),
    "max": frozenset({"max", "maximum", "upper", "high", "hi", "to"}),
    "step": frozenset({"step", "stepsize", "increment"}),
    "allowed": frozenset({"allowed", "allowedvalues", "enum", "options", "possiblevalues"}),
    "access": frozenset({"access"}),
    "description": frozenset({"description", "name"}),
}
_NEEDS_NAME: frozenset[Field] = frozenset({"step", "access", "description"})
_TYPES: dict[str, frozenset[str]] = {
    "Boolean": frozenset({"boolean", "bool"}),
    "number": frozenset(
        {"integer", "int", "int32", "int64", "double", "float", "float32", "float64", "number"}
    ),
    "String": frozenset({"string", "str", "text"}),
    "Enumeration": frozenset({"enumeration", "enum"}),
}
_ACCESS = frozenset(
    {"read", "readwrite", "read-write", "readonly", "read-only", "rw", "ro", "r", "write", "writeonly"}
)
_FITS_A_MISFIT = 4


class Answered(NamedTuple):
    """An answer with a value: its entry, the key as it was asked for, the value, the whole body.

    `pointer` is where the value stands.
    """

    entry: Entry
    asked: str
    value: object
    body: object
    pointer: str = ""


def answered(views: Iterable[View], segment: Segment | None = None) -> Iterator[Answered]:
    """The shared reads that gave a value; those under a segment, if one is given."""
    for seen in views:
        for (asked, key), answer in seen.reads.items():
            if answer.has_value and asked == (segment or asked):
                entry, name = CATALOG.entries[key], with_maker(key, seen.maker)
                yield Answered(entry, name, answer.value, answer.body, answer.pointer or "")


class Guessed(NamedTuple):
    """The likely pointers of a field, several if equal, and why a person has to look at them."""

    places: tuple[str, ...]
    doubt: str = ""


_Seems: TypeAlias = bool | Literal["exact", "outside"] | None
"""Whether a member may be a field; "exact" if it can hardly be another, None if it tells nothing, "outside"
if it may be a bound, and the value lies beyond it.
"""


_Tally: TypeAlias = Counter[_Seems]
"""How many answers a place seems to suit, by how."""


def members_shown(views: Iterable[View], segment: Segment | None = None) -> dict[Field, Guessed]:
    """What seems to stand beside the values that were read; nothing where none was, or all stand bare."""
    answers = [one for one in answered(views, segment) if one.pointer]
    return guessed_members(answers, answers[0].pointer) if answers else {}


def guessed_members(answers: Sequence[Answered], value: str) -> dict[Field, Guessed]:
    """The likely pointers of the fields of `[answer]`, if the value stands at `value`."""
    found: dict[Field, Guessed] = {}
    for field in _NAMES:
        taken = {value, *(guess.places[0] for name, guess in found.items() if name != "key")}
        tallies = _tallied(field, answers, taken)
        places = _ranked(field, tallies, value)
        if places:
            fits, outside = _fits(tallies[places[0]]), tallies[places[0]]["outside"]
            doubt = f"{fits} of {fits + outside} values lie within" if outside else ""
            found[field] = Guessed(places, doubt)
    return found


def _tallied(field: Field, answers: Iterable[Answered], taken: set[str]) -> dict[str, _Tally]:
    tallies = defaultdict[str, _Tally](Counter)
    for answer in answers:
        shown = lists(answer.body) if field == "allowed" else leaves(answer.body, longest_list=2)
        for place, member in shown.items():
            if place not in taken:
                tallies[place][_seems(field, answer, member)] += 1
    return tallies


def _fits(tally: _Tally) -> int:
    return tally[True] + tally["exact"]


def _ranked(field: Field, tallies: dict[str, _Tally], value: str) -> tuple[str, ...]:
    """The best places, by exact matches, name, number of matches, and distance from the value."""

    def rank(place: str) -> tuple[int, bool, int, int]:
        tally = tallies[place]
        return -tally["exact"], not _is_named(field, place), -_fits(tally), -_shared(place, value)

    beside = f"{value.rpartition('/')[0]}/"
    fitting = [
        place
        for place, tally in tallies.items()
        if 0 < _fits(tally) >= _FITS_A_MISFIT * (tally[False] + tally["outside"])
        or (
            _is_named(field, place)
            and place.startswith(beside)
            and 0 < _fits(tally) + tally["outside"] >= _FITS_A_MISFIT * tally[False]
        )
    ]
    by_content = field not in _NEEDS_NAME
    likely = [
        place for place in fitting if _is_named(field, place) or (by_content and tallies[place]["exact"])
    ]
    best = min((rank(place) for place in likely), default=None)
    return tuple(sorted(place for place in likely if rank(place) == best))


def _shared(place: str, value: str) -> int:
    """How many steps two pointers go together."""
    pairs = zip(place.split("/"), value.split("/"), strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _is_named(field: Field, place: str) -> bool:
    return place.rpartition("/")[2].casefold().replace("_", "") in _NAMES[field]


def _seems(field: Field, answer: Answered, member: object) -> _Seems:  # noqa: PLR0911  one return a field
    """Whether a member may be the field."""
    entry = answer.entry
    if field == "key":
        return "exact" if member == answer.asked else False
    if field == "allowed":
        listed = [text for text in cast("list[object]", member) if isinstance(text, str)]
        return (
            "exact" if listed and 2 * sum(is_member(entry, text) for text in listed) >= len(listed) else None
        )
    if field in {"min", "max", "step"}:
        return _bounds(field, answer, member)
    if not isinstance(member, str):
        return False
    word = member.casefold()
    if field == "unit":
        return None if not word else "exact" if entry.is_numeric and unit_group(word) else entry.is_numeric
    if field == "type":
        family = entry.family or ""
        same = word in _TYPES[type_of(entry)] or (
            bool(family) and word.endswith(family.partition(".")[2].casefold())
        )
        return "exact" if same else False
    return word in _ACCESS if field == "access" else member != answer.asked


def _bounds(field: Field, answer: Answered, member: object) -> _Seems:
    entry = answer.entry
    if member is None or answer.value is None:
        return None
    if not entry.is_numeric or not is_number(member) or not is_number(answer.value):
        return False
    bound, value = number(member), number(answer.value)
    if field == "step":
        return bound > 0
    if entry.range and bound == (entry.range.min if field == "min" else entry.range.max):
        return "exact"
    return (bound <= value if field == "min" else bound >= value) or "outside"
