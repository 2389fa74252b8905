"""What a user is told of a kind the document does not name: it is asked every key (line 11)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from catalog.model import Catalog
    from conformance.profiles.model import Profile

_MOST_NAMED = 3


def unnamed_kinds(profile: Profile, catalog: Catalog) -> tuple[str, ...]:
    """A line for each kind of the profile's appliances that is none of the six; none where all are."""
    places: dict[str, list[str]] = {}
    for appliance in profile.appliance:
        if not catalog.names_kind(appliance.kind):
            places.setdefault(appliance.kind, []).append(appliance.ha_id)
    six = ", ".join(kind.name for kind in catalog.kinds)
    return tuple(
        f"kind {kind} is none of the six of the document ({six}): {_named(ha_ids)}"
        f" {'is' if len(ha_ids) == 1 else 'are'} asked all {len(catalog.entries)} keys"
        for kind, ha_ids in places.items()
    )


def _named(ha_ids: list[str]) -> str:
    more = f" and {len(ha_ids) - _MOST_NAMED} more" if len(ha_ids) > _MOST_NAMED else ""
    return ", ".join(ha_ids[:_MOST_NAMED]) + more
