"""Which keys are tried on an appliance, by its kind and by what its profile claims."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from catalog.model import Catalog
    from conformance.profiles.model import Appliance


def claimed_keys(appliance: Appliance, catalog: Catalog) -> tuple[str, ...]:
    """The keys tried on `appliance`, in catalog order: those of its kind, and those its profile names."""
    return _claimed(appliance.kind, appliance.supports, catalog)


@lru_cache(maxsize=256)  # every clause of a run asks for those of every appliance
def _claimed(kind: str, supports: tuple[str, ...], catalog: Catalog) -> tuple[str, ...]:
    of_kind = {entry.key for entry in catalog.of_kind(kind)}
    named_in_full = {
        name for name in supports if name in catalog.entries
    }  # a glob speaks of the kind's keys alone
    return tuple(key for key in catalog.entries if key in of_kind | named_in_full)
