"""The lists of settings and statuses that a draft finds at the usual paths.

The document shows none (line 151), so they are only observed: a run names the keys in them that the document
does not have.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from msgspec import Struct

from catalog.loader import CATALOG
from catalog.maker import on_the_wire
from catalog.model import Segment
from conformance.checks.groups import Group, ProcedureKind
from conformance.checks.view import View
from conformance.harness.answers.pointers import leaves, lists
from conformance.profiles.model import Profile
from conformance.profiles.sections import ListShape

USUAL: Final[Mapping[Segment, str]] = {
    "settings": "/api/homeappliances/{ha_id}/settings",
    "status": "/api/homeappliances/{ha_id}/status",
}


class FoundList(Struct, frozen=True):
    """Where a list stands, and the keys in it, by appliance, that the document does not have."""

    shape: ListShape
    undocumented: Mapping[str, Sequence[str]]


def asking_for_lists(profile: Profile) -> Profile:
    """The profile, with a list at each usual path where it declares none."""
    declared = profile.list
    undeclared = {
        segment: ListShape(path=path, items="")
        for segment, path in USUAL.items()
        if getattr(declared, segment) is None
    }
    return profile.model_copy(update={"list": declared.model_copy(update=undeclared)})


def found_list(views: Iterable[View], segment: Segment) -> FoundList | None:
    """The list of a segment that appliances answer with; None where no body holds keys of the document."""
    bodies = [
        (seen, answer.body) for seen in views for answer in seen.group(Group(ProcedureKind.LIST, segment))
    ]
    places = Counter(place for seen, body in bodies for place in _places_of_keys(seen, body))
    if not places:
        return None
    items, key = places.most_common(1)[0][0]
    shape = ListShape(path=USUAL[segment], items=items, key=key)
    others = {
        seen.appliance.ha_id: [name for name in _keys(body, items, key) if name not in _known(seen)]
        for seen, body in bodies
    }
    return FoundList(shape, {ha_id: keys for ha_id, keys in others.items() if keys})


def _places_of_keys(seen: View, body: object) -> list[tuple[str, str]]:
    """The places of a body, as list and member of an item, that hold keys, most of them of the document."""
    found: list[tuple[str, str]] = []
    for place, items in lists(body).items():
        for member in dict.fromkeys(name for item in items for name in leaves(item)):
            keys = _keys(body, place, member)
            if keys and 2 * sum(key in _known(seen) for key in keys) >= len(keys):
                found.append((place, member))
    return found


def _keys(body: object, items: str, key: str) -> list[str]:
    """The texts of a member of the items of a list."""
    texts = (leaves(item).get(key) for item in lists(body).get(items, []))
    return [text for text in texts if isinstance(text, str)]


def _known(seen: View) -> frozenset[str]:
    return on_the_wire(tuple(CATALOG.entries), seen.maker)
