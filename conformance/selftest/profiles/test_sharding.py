"""Shards of a fleet: which appliances each has, and what share of the pace."""

from typing import Any

import pytest

from conformance.cases import CATALOG
from conformance.profiles.fields import ProfileError
from conformance.profiles.fleet.companions import units_of
from conformance.profiles.fleet.sharding import Part, part_of, sharded
from conformance.profiles.kinds import claimed_keys
from conformance.profiles.model import Profile
from conformance.profiles.validation import build_profile, dump_profile

KINDS = ("Refrigerator", "Oven", "Hood", "CleaningRobot")


def fleet(number: int = 20, **tables: Any) -> Profile:
    """The profile of so many appliances."""
    rows = [{"ha_id": f"a{index}", "kind": KINDS[index % 4]} for index in range(number)]
    target = {"name": "hub", "base_url": "https://staging.example"}
    return build_profile({"target": target, "appliance": rows, **tables}, CATALOG)


def shards(profile: Profile, count: int) -> list[Profile]:
    """All shards of a profile."""
    return [sharded(profile, Part(index, count), CATALOG, "read") for index in range(1, count + 1)]


def names(profile: Profile) -> list[str]:
    """The haIds of its appliances."""
    return [appliance.ha_id for appliance in profile.appliance]


@pytest.mark.parametrize("count", [1, 2, 3, 7, 20])
def test_each_appliance_is_in_one_shard(count: int) -> None:
    """None is missing, none is asked by two."""
    assert sorted(name for shard in shards(fleet(), count) for name in names(shard)) == sorted(names(fleet()))


def test_shards_are_of_one_size() -> None:
    """By the reads that are planned, not by the number of appliances."""
    fleets = ([claimed_keys(one, CATALOG) for one in shard.appliance] for shard in shards(fleet(), 4))
    sizes = [sum(map(len, keys)) for keys in fleets]
    assert max(sizes) - min(sizes) <= max(sizes) // 4


def test_those_that_are_compared_stay_together() -> None:
    """Where the level writes, more shards than that allows are refused."""
    profile = fleet(7)
    units = units_of(profile, CATALOG)
    for index in range(1, len(units) + 1):
        shard = sharded(profile, Part(index, len(units)), CATALOG, "write")
        assert [names(shard)] in [[sorted(unit)] for unit in units]
    with pytest.raises(ProfileError, match="stay together"):
        sharded(profile, Part(1, len(units) + 1), CATALOG, "write")


@pytest.mark.parametrize("count", [2, 3, 5])
def test_no_appliance_is_alone(count: int) -> None:
    """Where there are enough of them, each shard has two of a kind, or two at least."""
    for shard in shards(fleet(), count):
        assert len({appliance.kind for appliance in shard.appliance}) < len(shard.appliance)


def test_haids_of_other_shards_are_known() -> None:
    """What is asked as a haId that does not exist must not be one that another shard asks."""
    assert {shard.ha_ids for shard in shards(fleet(), 3)} == {tuple(names(fleet()))}


def test_alias_stays_with_what_it_stands_for() -> None:
    """Otherwise one of the two could not be judged."""
    rows = [
        {"ha_id": f"a{n}", "kind": "Oven", **({"alias_of": f"a{n - 1}"} if n % 3 else {})} for n in range(12)
    ]
    profile = build_profile(dump_profile(fleet()) | {"appliance": rows}, CATALOG)
    for shard in shards(profile, 3):
        assert build_profile(dump_profile(shard), CATALOG) == shard


@pytest.mark.parametrize("field", ["per_day", "per_minute"])
@pytest.mark.parametrize(("most", "count"), [(900, 4), (10, 3), (7, 7)])
def test_shards_share_the_pace(field: str, most: int, count: int) -> None:
    """Together they send exactly what the profile allows one run to send."""
    parts = shards(fleet(pace={field: most}), count)
    assert sum(getattr(shard, field) for shard in parts) == most


def test_undeclared_pace_is_shared_too() -> None:
    """A remote target gets 40 a minute and 900 a day, however many processes ask it."""
    parts = shards(fleet(), 3)
    assert [sum(getattr(one, field) for one in parts) for field in ("per_minute", "per_day")] == [40, 900]


@pytest.mark.parametrize(("tables", "count"), [({}, 21), ({"pace": {"per_day": 2}}, 3)])
def test_more_shards_than_there_is_work_are_refused(tables: dict[str, Any], count: int) -> None:
    """A shard without an appliance, or without a request, could judge nothing."""
    with pytest.raises(ProfileError, match="shards"):
        sharded(fleet(**tables), Part(1, count), CATALOG, "read")


@pytest.mark.parametrize(
    ("text", "environment", "part"),
    [
        ("2/3", {}, Part(2, 3)),
        ("auto/3", {"JOB_COMPLETION_INDEX": "0"}, Part(1, 3)),
        ("auto/3", {"CI_NODE_INDEX": "3"}, Part(3, 3)),
        ("auto", {"CI_NODE_INDEX": "2", "CI_NODE_TOTAL": "4"}, Part(2, 4)),
    ],
)
def test_shard_is_said_or_told_by_the_engine(text: str, environment: dict[str, str], part: Part) -> None:
    """An Indexed Job counts from 0, a build server from 1."""
    assert part_of(text, environment) == part


@pytest.mark.parametrize("text", ["0/3", "4/3", "1", "a/b", "auto", "auto/3", "-1/3", "1/0", "1/3/3", "²/3"])
def test_other_words_are_no_shard(text: str) -> None:
    """What cannot be meant is refused."""
    with pytest.raises(ValueError, match=r"shards are counted|neither"):
        part_of(text, {})
