"""A sample of a fleet: some appliances of each kind, the same ones for the same seed."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict

from conformance.profiles.fleet.fleet_tables import Fleet
from conformance.profiles.model import Appliance, Profile


def sampled(profile: Profile, most: int | None = None, seed: str | None = None) -> Profile:
    """The profile with at most so many appliances of each kind, chosen by the seed.

    An appliance that another one is an alias of comes with it. Which ones are chosen depends on nothing but
    the seed and their haIds, so a fleet that grows changes little of its sample. A profile that is a sample
    already stays as it is.

    Args:
        profile: the whole fleet.
        most: of each kind; by default what `[fleet] sample` says, and all without it.
        seed: by default what `[fleet] seed` says.
    """
    fleet = profile.fleet or Fleet()
    most = most or fleet.sample
    by = fleet.seed if seed is None else seed
    if most is None or fleet.listed:
        return profile
    of_kind: dict[str, list[Appliance]] = defaultdict(list)
    for appliance in profile.appliance:
        of_kind[appliance.kind].append(appliance)
    ranked = (sorted(kind, key=lambda one: _rank(by, one.ha_id))[:most] for kind in of_kind.values())
    chosen = {one.ha_id for kind in ranked for one in kind}
    chosen |= {one.alias_of for one in profile.appliance if one.ha_id in chosen}
    listed = Counter(one.kind for one in profile.appliance)
    taken = tuple(one for one in profile.appliance if one.ha_id in chosen)
    return profile.model_copy(
        update={"appliance": taken, "fleet": Fleet(sample=most, seed=by, listed=dict(listed))}
    )


def _rank(seed: str, ha_id: str) -> bytes:
    return hashlib.sha256(f"{seed}\0{ha_id}".encode()).digest()
