"""Parts of a fleet: one for each process or machine of a campaign, or a sample, equal for equal seeds."""

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Mapping

from msgspec import Struct

from catalog.loader import CATALOG
from catalog.model import Level
from conformance.profiles.fields import Problem, ProfileError
from conformance.profiles.fleet.companions import devices_of, units_of
from conformance.profiles.kinds import claimed_keys
from conformance.profiles.model import Appliance, Profile
from conformance.profiles.sections import Fleet, Shard
from conformance.profiles.validation import digest_dumped, dump_profile

_AUTO = "auto"
_NODE, _NODES = "CI_NODE_INDEX", "CI_NODE_TOTAL"  # GitLab, CircleCI and others; counted from 1
_JOB = "JOB_COMPLETION_INDEX"  # a Kubernetes Indexed Job; counted from 0


class Part(Struct, frozen=True):
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


def sharded(profile: Profile, part: Part | None, level: Level) -> Profile:
    """The profile with the appliances of one part, and with its share of the pace, for a run of `level`.

    Raises:
        ProfileError: when there are more parts than appliances, or than requests of a minute or a day; where
            the level writes, also when there are more than appliances that can be asked apart.
    """
    if part is None:
        return profile
    units = units_of(profile)
    if level == "read" and len(units) < part.count:
        units = [[one.ha_id for one in device] for device in devices_of(profile)]
    cost_of = {one.ha_id: _cost(one) for one in profile.appliance}
    bins: list[list[list[str]]] = [[] for _ in range(part.count)]
    costs = [0] * part.count
    for unit in sorted(units, key=lambda unit: -sum(cost_of[ha_id] for ha_id in unit)):
        least = costs.index(min(costs))
        bins[least].append(unit)
        costs[least] += sum(cost_of[ha_id] for ha_id in unit)
    if not all(bins):
        told = f"{part.count} shards, and appliances for {sum(map(bool, bins))}"
        together = "" if level == "read" else ": those whose settings are compared stay together"
        raise ProfileError(profile.target.name, [Problem("--shard", f"{told}{together}")])
    own = tuple(tuple(unit) for unit in bins[part.index - 1])
    taken = {ha_id for unit in own for ha_id in unit}
    order = tuple(one.ha_id for one in profile.appliance)
    shard = Shard(index=part.index, count=part.count, order=order, units=own, nonces=nonces_of(profile))
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

    The address does not count, since a server of the suite is at another port each time, nor does how many
    requests are made at once.
    """
    if profile.shard:
        return profile.shard.nonces
    data = dump_profile(profile)
    data["target"]["base_url"] = ""
    pace = {name: value for name, value in data.pop("pace", {}).items() if name != "concurrency"}
    return digest_dumped({**data, **({"pace": pace} if pace else {})})[:16]


def _cost(appliance: Appliance) -> int:
    """The shared reads of an appliance: a key of two segments is read twice."""
    entries = CATALOG.entries
    return sum(len(entries[key].segments) for key in claimed_keys(appliance))


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
