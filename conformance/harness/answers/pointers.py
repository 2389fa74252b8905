"""The places of a body that may hold a value, and whether what stands there suits a catalog entry."""

from collections.abc import Iterator
from itertools import islice
from typing import cast

from catalog.model import Entry
from conformance.model.json_values import number
from conformance.model.values import fits

_DEEPEST = 8
_MOST_LEAVES = 200
_LONGEST_POINTER = 200


def leaves(body: object, *, longest_list: int = 1) -> dict[str, object]:
    """The members of `body` that are no structures and not null, by JSON Pointer; "" is the body itself.

    A list is entered where it has at most `longest_list` items: in a longer one, no item is the one asked
    for. Bodies are looked into as far as no service that means one value goes: 8 levels, 200 members.
    """
    found = (
        (place, node)
        for place, node in _nodes(body, "", longest_list)
        if node is not None and not isinstance(node, dict | list)
    )
    return dict(islice(found, _MOST_LEAVES))


def lists(body: object) -> dict[str, list[object]]:
    """The lists of `body` by JSON Pointer, as far down as `leaves` looks; those that are less deep first."""
    nodes = _nodes(body, "", 1)
    found = ((place, cast("list[object]", node)) for place, node in nodes if isinstance(node, list))
    return dict(sorted(found, key=lambda one: one[0].count("/"))[:_MOST_LEAVES])


def suits(entry: Entry, value: object) -> bool | None:
    """Whether `value` has the type, family and range of `entry`; None where that tells nothing.

    Any text would do for a String; a text of no enumeration, or a number beyond the range, may be the fault
    of a value.
    """
    if not fits(entry, value):
        return False
    if entry.type == "String":
        return None
    if entry.type == "Enumeration":
        return True if is_member(entry, str(value)) else None
    if entry.range and not entry.range.min <= number(value) <= entry.range.max:
        return None
    return True


def is_member(entry: Entry, value: str) -> bool:
    """Whether `value` is one of the entry's enumeration, whoever the maker is (line 3)."""
    own, _, rest = value.partition(".")
    known = (one.partition(".") for one in entry.values or ())
    return any(rest == same and first in {own, "Vendor"} for first, _, same in known)


def kind_of(entry: Entry) -> str:
    """What a value of `entry` cannot be taken for: a truth value, a number, a member of one family."""
    return entry.family or type_of(entry)


def type_of(entry: Entry) -> str:
    """The type of `entry`, where JSON has one type for all numbers."""
    return "number" if entry.is_numeric else entry.type


def _nodes(node: object, place: str, longest_list: int) -> Iterator[tuple[str, object]]:
    """A node and all that are below it, with their places."""
    yield place, node
    if place.count("/") < _DEEPEST and len(place) <= _LONGEST_POINTER:
        for below, value in _inside(node, place, longest_list):
            yield from _nodes(value, below, longest_list)


def _inside(node: object, place: str, longest_list: int) -> Iterator[tuple[str, object]]:
    """What stands directly in a structure, with its place."""
    if isinstance(node, dict):
        for name, value in cast("dict[str, object]", node).items():
            yield f"{place}/{name.replace('~', '~0').replace('/', '~1')}", value
    elif isinstance(node, list) and len(items := cast("list[object]", node)) <= longest_list:
        for index, value in enumerate(items):
            yield f"{place}/{index}", value
