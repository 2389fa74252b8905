"""Every place of a body that may hold a value, and whether what stands there would do for an entry of the catalog."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from conformance.checks.value_types import fits, number

if TYPE_CHECKING:
    from collections.abc import Iterator

    from catalog.model import Entry

_DEEPEST = 8
_MOST_LEAVES = 200
_LONGEST_POINTER = 200


def leaves(body: object, *, longest_list: int = 1) -> dict[str, object]:
    """The members of `body` that are no structures, by JSON Pointer; "" is a body that is none itself. Null is left out.

    A list is entered where it has at most `longest_list` items: in a longer one, no item is the one asked for. Bodies are looked
    into as far as no service that means one value goes: 8 levels, 200 members.
    """
    found: dict[str, object] = {}
    for pointer, value in _members(body, "", 0, longest_list):
        if len(found) == _MOST_LEAVES:
            break
        found[pointer] = value
    return found


def does(entry: Entry, value: object) -> bool | None:
    """Whether `value` would do for `entry`: its type, its enumeration, its range. None where that says nothing.

    Any text would do for a String; a text of no enumeration, or a number beyond the range, may be the fault of a value.
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
    for known in entry.values or ():
        first, _, same = known.partition(".")
        if rest == same and first in {own, "Vendor"}:
            return True
    return False


def kind_of(entry: Entry) -> str:
    """What a value of `entry` cannot be taken for: a truth value, a number, a member of one family."""
    return entry.family or type_of(entry)


def type_of(entry: Entry) -> str:
    """The type of `entry`, where JSON has one type for all numbers."""
    return "number" if entry.is_numeric else entry.type


def _members(node: object, place: str, depth: int, longest_list: int) -> Iterator[tuple[str, object]]:
    if not isinstance(node, dict | list):
        if node is not None:
            yield place, node
        return
    if depth == _DEEPEST or len(place) > _LONGEST_POINTER:
        return
    if isinstance(node, dict):
        for name, value in cast("dict[str, object]", node).items():
            yield from _members(value, f"{place}/{name.replace('~', '~0').replace('/', '~1')}", depth + 1, longest_list)
    elif len(items := cast("list[object]", node)) <= longest_list:
        for index, value in enumerate(items):
            yield from _members(value, f"{place}/{index}", depth + 1, longest_list)
