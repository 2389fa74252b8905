"""Which values of the catalog no answer showed, and which values were shown that it does not list.

Support and subsets differ per appliance (lines 11, 26), so a missing value is never a fail. An unlisted
value of an entry is judged by the ENUM clauses.
"""

from collections.abc import Iterable
from typing import cast

from jsonpointer import JsonPointer, JsonPointerException

from catalog.keys import short_name
from catalog.maker import on_the_wire, with_maker
from catalog.model import Entry
from conformance.checks.answer import Answer
from conformance.checks.case import Case
from conformance.checks.groups import LISTS
from conformance.checks.traces.trace import of_reading
from conformance.checks.verdict import Inconclusive
from conformance.checks.view import View, segment_of
from conformance.model.json_values import quoted
from conformance.profiles.sections import ListShape


def items_of(seen: View, answer: Answer) -> list[tuple[object, object]] | None:
    """The items of a list, each with its key as on the wire, or None; None where none can be read."""
    lists = seen.profile.list
    shape = lists.settings if answer.segment == "settings" else lists.status
    items = cast("list[object] | object", answer.value)
    if not isinstance(items, list) or shape is None:
        return None
    return [(_key_of(item, shape), item) for item in cast("list[object]", items)]


def _key_of(item: object, shape: ListShape) -> object:
    try:
        return JsonPointer(shape.key).resolve(item, None)
    except (JsonPointerException, TypeError):
        return None


_FEW = 6
_MANY = 12  # values of one entry that are named one by one


def note_enumeration_subsets(_case: Case, seen: View) -> str:
    """ENUM-SUBSET: the values seen, those never seen, and those that are not listed."""
    shown = _values_by_key(seen)
    distinct = {value for values in shown.values() for value in values}
    parts = [f"{len(distinct)} distinct values seen on {len(shown)} enumeration keys"]
    unseen = [
        text for key, values in shown.items() if (text := _unseen(seen, seen.catalog.entries[key], values))
    ]
    parts += [f"never seen: {', '.join(unseen)}"] if unseen else []
    unlisted = [
        text for key, values in shown.items() if (text := _unlisted(seen, seen.catalog.entries[key], values))
    ]
    parts += [f"not listed: {', '.join(unlisted)}"] if unlisted else []
    return "; ".join(parts)


def note_lists(_case: Case, seen: View) -> str:
    """PROT-LIST: what the declared lists hold, as a hint, and which of their keys the catalog lacks."""
    lists = [answer for group in LISTS for answer in seen.group(group)]
    if not lists:
        raise Inconclusive("no list was asked for in this run")
    return "; ".join(
        f"{answer.segment}: {answer.status or answer.words}, {_items_in_words(seen, answer)}"
        for answer in lists
    )


def _values_by_key(seen: View) -> dict[str, list[str]]:
    """The values of each enumeration that was served, as JSON, in an order that does not depend on time."""
    shown: dict[str, set[str]] = {}
    for answer in (
        *seen.reads.values(),
        *(answer for answers in of_reading(seen).values() for answer in answers),
    ):
        entry = seen.catalog.entries.get(answer.key)
        if (
            answer.has_value
            and entry is not None
            and entry.type == "Enumeration"
            and answer.ha_id == seen.appliance.ha_id
        ):
            shown.setdefault(entry.key, set()).add(quoted(answer.value))
    first = [answer for answer in seen.reads.values() if answer.key in shown][:_FEW]
    seen.look_at(*first)
    return {key: sorted(shown[key]) for key in seen.catalog.entries if key in shown}


def _unseen(seen: View, entry: Entry, values: Iterable[str]) -> str:
    """The values of an entry that no answer showed, by their names; counted where they are many."""
    listed = {quoted(with_maker(value, seen.maker)): short_name(value) for value in entry.values or ()}
    left = [name for text, name in listed.items() if text not in values]
    named = " ".join(left) if len(left) <= _MANY else f"{len(left)} of {len(listed)} values"
    return f"{short_name(entry.key)} {named}" if left else ""


def _unlisted(seen: View, entry: Entry, values: Iterable[str]) -> str:
    """The values that were shown, or stand in a list of allowed values, and are none of the entry's."""
    own = {quoted(value) for value in on_the_wire(entry.values or (), seen.maker)}
    advertised = [
        quoted(value)
        for answer in seen.reads.values()
        if answer.key == entry.key
        for value in _allowed(seen, answer)
    ]
    others = [value for value in dict.fromkeys((*values, *advertised)) if value not in own]
    return f"{short_name(entry.key)} {_some(others)}" if others else ""


def _allowed(seen: View, answer: Answer) -> list[object]:
    return [*answer.shown.listed] if seen.pointers(segment_of(answer)).allowed else []


def _items_in_words(seen: View, answer: Answer) -> str:
    items = items_of(seen, answer)
    if items is None:
        return "no readable items"
    known = on_the_wire(tuple(seen.catalog.entries), seen.maker)
    extra = [key for key, _ in items if isinstance(key, str) and key not in known]
    beside = (
        f", {len(extra)} of them not in the catalog: {_some([quoted(key) for key in extra])}" if extra else ""
    )
    return f"{len(items)} items{beside}"


def _some(texts: list[str]) -> str:
    more = f" and {len(texts) - _MANY} more" if len(texts) > _MANY else ""
    return " ".join(texts[:_MANY]) + more
