"""What the kind of an appliance means: which keys are tried, all of them for an unnamed one (line 11)."""

from functools import lru_cache

from catalog.loader import CATALOG
from conformance.profiles.model import Appliance, Profile

UNNAMED = "Appliance"
"""A kind that the document does not name: one of it is asked every key."""
_MOST_NAMED = 3
_CALLED = {
    "Refrigerator": ("fridge", "icebox"),
    "Washer": ("washingmachine", "laundry"),
    "CleaningRobot": ("robot", "robotvacuum", "vacuum", "vacuumcleaner"),
    "CoffeeMaker": ("coffeemachine", "coffee", "espressomachine"),
    "Hood": ("cookerhood", "rangehood", "extractor", "extractorhood"),
    "Oven": ("stove", "cooker"),
}
"""What people call the kinds; such a word may be another kind all the same, and is only asked about."""


def kind_called(word: str) -> str:
    """The kind of the document that a word names, or that people call so; empty where it is none."""
    plain = "".join(letter for letter in word.casefold() if letter.isalnum())
    names = (kind.name for kind in CATALOG.kinds)
    return next((name for name in names if plain == name.casefold() or plain in _CALLED.get(name, ())), "")


def claimed_keys(appliance: Appliance) -> tuple[str, ...]:
    """The keys tried on `appliance`, in catalog order: those of its kind, and those its profile names."""
    return _claimed(appliance.kind, appliance.supports)


@lru_cache(maxsize=256)  # every clause of a run asks for those of every appliance
def _claimed(kind: str, supports: tuple[str, ...]) -> tuple[str, ...]:
    of_kind = {entry.key for entry in CATALOG.of_kind(kind)}
    named_in_full = {
        name for name in supports if name in CATALOG.entries
    }  # a glob speaks of the kind's keys alone
    return tuple(key for key in CATALOG.entries if key in of_kind | named_in_full)


def unnamed_kinds(profile: Profile) -> tuple[str, ...]:
    """A line for each kind of the profile's appliances that is none of the six; none where all are."""
    places = dict[str, list[str]]()
    for appliance in profile.appliance:
        if not CATALOG.names_kind(appliance.kind):
            places.setdefault(appliance.kind, []).append(appliance.ha_id)
    six = ", ".join(kind.name for kind in CATALOG.kinds)
    return tuple(
        f"kind {kind} is none of the six of the document ({six}): {_named(ha_ids)}"
        f" {'is' if len(ha_ids) == 1 else 'are'} asked all {len(CATALOG.entries)} keys"
        f"{_perhaps(kind)}"
        for kind, ha_ids in places.items()
    )


def _perhaps(kind: str) -> str:
    meant = kind_called(kind)
    return f" (did you mean {meant}?)" if meant else ""


def _named(ha_ids: list[str]) -> str:
    more = f" and {len(ha_ids) - _MOST_NAMED} more" if len(ha_ids) > _MOST_NAMED else ""
    return ", ".join(ha_ids[:_MOST_NAMED]) + more
