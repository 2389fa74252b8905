"""A JSON document with one member of another type, at each place in turn."""

from collections.abc import Callable, Iterator
from typing import Any, cast

OTHERS: tuple[object, ...] = (None, True, -7, 1.5, "another", [], [[None]], {}, {"a": [1]})


def places_taken(document: object, read: Callable[[Any], object], error: type[Exception]) -> set[str]:
    """The places at which `read` takes another type; elsewhere it raises `error`, in one line."""
    places: set[str] = set()
    for place, other in altered(document):
        try:
            read(other)
        except error as refused:
            assert "\n" not in str(refused)  # noqa: PT017  which of many are refused is what is asked
        else:
            places.add(place)
    return places


def altered(document: object, place: tuple[str | int, ...] = ()) -> Iterator[tuple[str, Any]]:
    """Each place of `document` that holds a value, and the document with a value of another type there; of a
    list, its first row counts.

    Of two values of one type none is of another type, and an empty table or list fits wherever one of them
    does.
    """
    for other in OTHERS:
        if type(other) is not type(document) and place:
            yield ".".join(map(str, place)), other
    for name, member in _members(document):
        for named, other in altered(member, (*place, name)):
            yield named, _with(document, name, other)


def _members(document: object) -> list[tuple[str | int, object]]:
    if isinstance(document, dict):
        return list(cast("dict[str | int, object]", document).items())
    return [(0, cast("list[object]", document)[0])] if isinstance(document, list) and document else []


def _with(document: object, name: str | int, member: object) -> object:
    if isinstance(document, dict):
        return {**cast("dict[str | int, object]", document), name: member}
    return [member, *cast("list[object]", document)[1:]]
