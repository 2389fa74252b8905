"""Parts of a fleet, one for each process or machine of a campaign.

Appliances stay whole. Those that are about each other stay together: an alias with what it stands for, and
two of a kind as long as there are twice as many appliances as parts, so that one can be asked for the other.
The parts are balanced by the reads that are planned for them, and the same for everybody who makes them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from conformance.profiles.claimed import claimed_keys
from conformance.profiles.fleet.fleet_tables import Fleet, Shard
from conformance.profiles.mistakes import Problem, ProfileError
from conformance.profiles.validation import digest_dumped, dump_profile

if TYPE_CHECKING:
    from collections.abc import Mapping

    from catalog.model import Catalog
    from conformance.profiles.model import Appliance, Profile

_AUTO = "auto"
_NODE, _NODES = "CI_NODE_INDEX", "CI_NODE_TOTAL"  # GitLab, CircleCI and others; counted from 1
_JOB = "JOB_COMPLETION_INDEX"  # a Kubernetes Indexed Job; counted from 0


@dataclass(frozen=True, slots=True)
class Part:
    """The `index`th of `count` shards, counted from 1."""

    index: int
    count: int


def part_of(text: str, environment: Mapping[str, str]) -> Part:
    """What `--shard` means: I/N, auto/N with the number of the job, or auto with the number of jobs as well.

    Raises:
        ValueError: when it is none of that, or the environment does not say.
    """
    first, slash, count = text.partition("/")
    if first == _AUTO and _JOB in environment:
        first = str(int(environment[_JOB]) + 1) if environment[_JOB].isdecimal() else environment[_JOB]
    elif first == _AUTO:
        first = environment.get(_NODE, "")
        count = count if slash else environment.get(_NODES, "")
    if not (re.fullmatch(r"[0-9]{1,6}", first) and re.fullmatch(r"[0-9]{1,6}", count)):
        raise ValueError(
            f"{text!r} is neither I/N, such as 1/3, nor auto/N where {_JOB} or {_NODE} says which one,"
            f" nor auto where {_NODE} and {_NODES} do"
        )
    part = Part(int(first), int(count))
    if not 1 <= part.index <= part.count:
        raise ValueError(f"{part.index}/{part.count}: shards are counted from 1 to {part.count}")
    return part


def sharded(profile: Profile, part: Part | None, catalog: Catalog) -> Profile:
    """The profile with the appliances of one part, and with its share of the pace.

    Raises:
        ProfileError: when there are more parts than appliances, or than requests of a minute or a day.
    """
    if part is None:
        return profile
    bins: list[list[Appliance]] = [[] for _ in range(part.count)]
    costs = [0] * part.count
    units = [(sum(_cost(one, catalog) for one in unit), unit) for unit in _units(profile, part)]
    for cost, unit in sorted(units, key=lambda pair: -pair[0]):
        least = costs.index(min(costs))
        bins[least] += unit
        costs[least] += cost
    if not all(bins):
        raise ProfileError(
            profile.target.name,
            [Problem("--shard", f"{part.count} shards, and appliances for {sum(map(bool, bins))}")],
        )
    taken = {one.ha_id for one in bins[part.index - 1]}
    order = tuple(one.ha_id for one in profile.appliance)
    shard = Shard(index=part.index, count=part.count, order=order, nonces=nonces_of(profile))
    narrowed = profile.model_copy(
        update={
            "appliance": tuple(one for one in profile.appliance if one.ha_id in taken),
            "fleet": (profile.fleet or Fleet()).model_copy(update={"shard": shard}),
        }
    )
    for field in ("per_minute", "per_day"):
        most = getattr(profile, field)
        if most and most < part.count:
            raise ProfileError(
                profile.target.name, [Problem(f"pace.{field}", f"{part.count} shards cannot share {most}")]
            )
    return narrowed


def nonces_of(profile: Profile) -> str:
    """What seeds the words that do not exist: a second run, and each shard, asks for the same ones.

    The address does not count: a server of the suite is at another port each time.
    """
    if profile.shard:
        return profile.shard.nonces
    data = dump_profile(profile)
    return digest_dumped({**data, "target": {**data["target"], "base_url": ""}})[:16]


def _units(profile: Profile, part: Part) -> list[list[Appliance]]:
    """The appliances that must stay together, in their order."""
    units: dict[str, list[Appliance]] = {}
    known = {one.ha_id: one for one in profile.appliance}
    for appliance in profile.appliance:
        first, seen = appliance, {appliance.ha_id}
        while first.alias_of and first.alias_of not in seen:
            first = known[first.alias_of]
            seen.add(first.ha_id)
        units.setdefault(min(seen) if first.alias_of else first.ha_id, []).append(appliance)
    if len(profile.appliance) < 2 * part.count:
        return list(units.values())
    paired: list[list[Appliance]] = []
    waiting: dict[str, list[Appliance]] = {}
    for unit in units.values():
        kind = unit[0].kind
        if len(unit) > 1 or kind in waiting:
            paired.append([*waiting.pop(kind, ()), *unit])
        else:
            waiting[kind] = unit
    alone = list(waiting.values())
    twos = (alone[index : index + 2] for index in range(0, len(alone), 2))
    paired += [[one for unit in two for one in unit] for two in twos]
    return paired if len(paired) >= part.count else list(units.values())


def _cost(appliance: Appliance, catalog: Catalog) -> int:
    """The shared reads of an appliance: a key of two segments is read twice."""
    return sum(len(catalog.entries[key].segments) for key in claimed_keys(appliance, catalog))
