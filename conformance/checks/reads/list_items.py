"""What a declared list shows (line 151: not shown): its items, and the keys that they name."""

from __future__ import annotations

from typing import cast

from jsonpointer import JsonPointer, JsonPointerException

from conformance.checks.answer import Answer
from conformance.checks.traces.trace import same
from conformance.checks.view import View
from conformance.profiles.shapes import ListShape


def items_of(seen: View, answer: Answer) -> list[tuple[object, object]] | None:
    """The items of a list, each with its key as on the wire, or None; None where none can be read."""
    lists = seen.profile.list
    shape = lists.settings if answer.exchange.segment == "settings" else lists.status
    items = cast("list[object] | object", answer.value)
    if not isinstance(items, list) or shape is None:
        return None
    return [(_key_of(item, shape), item) for item in cast("list[object]", items)]


def agrees(item: object, value: object) -> bool:
    """Whether an item may be of an entry with this value: one of its members is that value."""
    members = cast("dict[str, object]", item).values() if isinstance(item, dict) else ()
    return any(same(member, value) for member in members)


def _key_of(item: object, shape: ListShape) -> object:
    try:
        return JsonPointer(shape.key).resolve(item, None)
    except (JsonPointerException, TypeError):
        return None
