"""Which appliances are asked beside each other: to see that they share no settings.

Those that are compared stay together, so that a shard of a fleet finds what one run of all of it finds. A
unit holds two or three of a kind. Kinds of which there is one share a unit. Units are joined where a setting
would have nothing to be compared with, and where it would be compared among appliances of one kind alone: a
server may share it among kinds.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import TypeAlias

from conformance.profiles.kinds import claimed_keys
from conformance.profiles.model import Appliance, Profile

Device: TypeAlias = list[Appliance]
"""One appliance, with those that are declared to be another name of it."""


def units_of(profile: Profile) -> list[list[str]]:
    """The haIds of the appliances of a profile, those together that are compared with each other."""
    if profile.shard:
        return [list(unit) for unit in profile.shard.units]
    groups = list(_groups(devices_of(profile)))
    return [
        [appliance.ha_id for group in unit for device in groups[group] for appliance in device]
        for unit in _joined(groups)
    ]


def companions_of(profile: Profile) -> dict[str, tuple[str, ...]]:
    """The other appliances of the unit of each appliance by haId, in the order of the profile.

    Without those that are declared to be the same appliance (appliance.alias_of).
    """
    place = {own.ha_id: (number, own) for number, own in enumerate(profile.appliance)}
    found: dict[str, tuple[str, ...]] = {}
    for unit in units_of(profile):
        members = [own for _, own in sorted((place[ha_id] for ha_id in unit), key=lambda pair: pair[0])]
        for own in members:
            names = {own.ha_id, own.alias_of} - {""}
            found[own.ha_id] = tuple(one.ha_id for one in members if not names & {one.ha_id, one.alias_of})
    return found


def devices_of(profile: Profile) -> list[Device]:
    """The appliances of a profile in their order, each with the other names of it."""
    devices: dict[str, Device] = {}
    known = {one.ha_id: one for one in profile.appliance}
    for appliance in profile.appliance:
        first, seen = appliance, {appliance.ha_id}
        while first.alias_of and first.alias_of not in seen:
            first = known[first.alias_of]
            seen.add(first.ha_id)
        devices.setdefault(min(seen) if first.alias_of else first.ha_id, []).append(appliance)
    return list(devices.values())


def _groups(devices: Iterable[Device]) -> Iterator[list[Device]]:
    """Two devices of a kind each time, and three where one would be left; then the kinds of one device."""
    kinds: dict[str, list[Device]] = {}
    for device in devices:
        kinds.setdefault(device[0].kind, []).append(device)
    for alike in kinds.values():
        for start in range(0, len(alike) - 1, 2):
            is_last = start + 2 >= len(alike) - 1
            yield alike[start:] if is_last else alike[start : start + 2]
            if is_last:
                break
    alone = [alike[0] for alike in kinds.values() if len(alike) == 1]
    if alone:
        yield alone


def _joined(groups: Sequence[list[Device]]) -> list[list[int]]:
    """The numbers of the groups that are one unit."""
    holders: dict[str, Counter[int]] = {}
    for number, device in ((number, device) for number, group in enumerate(groups) for device in group):
        for key in {key for own in device for key in _held(own.kind, own.supports, own.lacks)}:
            holders.setdefault(key, Counter())[number] += 1
    unit_of = list(range(len(groups)))
    for holding in holders.values():
        for number in (number for number, devices in holding.items() if devices == 1):
            others = (other for other in holding if other != number)
            _join(unit_of, number, min(others, key=lambda other: abs(other - number), default=number))
    kinds = [{device[0].kind for device in group} for group in groups]
    for _, numbers in sorted(holders.items()):
        first = next(iter(numbers))
        unlike = next((other for other in numbers if kinds[other] != kinds[first]), first)
        of_units = {(_first(unit_of, number), kind) for number in numbers for kind in kinds[number]}
        if len(of_units) == len({unit for unit, _ in of_units}):  # none of them is of two kinds
            _join(unit_of, first, unlike)
    units: dict[int, list[int]] = {}
    for number in range(len(groups)):
        units.setdefault(_first(unit_of, number), []).append(number)
    return list(units.values())


def _join(unit_of: list[int], number: int, other: int) -> None:
    """Makes one unit of those of two groups."""
    low, high = sorted((_first(unit_of, number), _first(unit_of, other)))
    unit_of[high] = low


@lru_cache(maxsize=512)  # a fleet has thousands of appliances of a few makes
def _held(kind: str, supports: tuple[str, ...], lacks: tuple[str, ...]) -> frozenset[str]:
    """The settings that an appliance may serve, by what is known before it is asked."""
    own = Appliance(ha_id="any", kind=kind, supports=supports, lacks=lacks)
    tried = (key for key in claimed_keys(own) if ".Setting." in key)
    return frozenset(key for key in tried if own.claim(key) != "no")


def _first(unit_of: Sequence[int], number: int) -> int:
    """The group that a unit is named by."""
    while unit_of[number] != number:
        number = unit_of[number]
    return number
