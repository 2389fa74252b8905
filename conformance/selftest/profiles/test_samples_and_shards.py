"""A part of a fleet: a sample of each kind, or a shard; and what every report says of that."""

import json
from collections.abc import Collection
from typing import Any

import pytest
from msgspec.structs import replace

from conformance.cases import CATALOG
from conformance.mutants.fleets import HOOD
from conformance.profiles.fields import ProfileError
from conformance.profiles.fleet.companions import units_of
from conformance.profiles.fleet.sharding import Part, part_of, sampled, sharded
from conformance.profiles.kinds import claimed_keys
from conformance.profiles.model import Profile
from conformance.profiles.toml import toml_of
from conformance.profiles.validation import build_profile, dump_profile
from conformance.reference.profile import truthful_profile
from conformance.reference.server import serve
from conformance.reference.service import Service
from conformance.selftest.support.commands import command
from conformance.selftest.support.ran import Ran

TARGET = {"name": "hub", "base_url": "https://staging.example"}
KINDS = ("Refrigerator", "Oven", "Hood", "CleaningRobot")


def profile_with(rows: Collection[dict[str, Any]], **tables: Any) -> Profile:
    """The profile of these appliances."""
    return build_profile({"target": TARGET, "appliance": list(rows), **tables}, CATALOG)


def fleet(*, ovens: int = 20, **tables: Any) -> Profile:
    """The profile of some ovens and three hoods."""
    kinds = [("Oven", number) for number in range(ovens)] + [("Hood", number) for number in range(3)]
    return profile_with([{"ha_id": f"{kind}-{number}", "kind": kind} for kind, number in kinds], **tables)


def names(profile: Profile) -> list[str]:
    """The haIds of its appliances."""
    return [appliance.ha_id for appliance in profile.appliance]


def test_sample_takes_so_many_of_each_kind() -> None:
    """A kind that has fewer is there as a whole, and the order stays. The same seed takes the same; where a
    fleet grows, one more appliance replaces at most one.
    """
    taken = sampled(fleet(), 5, "a")
    assert [sum(one.kind == kind for one in taken.appliance) for kind in ("Oven", "Hood")] == [5, 3]
    assert names(taken) == [name for name in names(fleet()) if name in names(taken)]
    assert names(taken) == names(sampled(fleet(), 5, "a")) != names(sampled(fleet(), 5, "b"))
    assert len({*names(taken)} & {*names(sampled(fleet(ovens=21), 5, "a"))}) >= len(names(taken)) - 1
    assert sampled(taken, 1, "b") is taken  # what a run has taken stays what it was taken of


def test_alias_comes_with_what_it_stands_for() -> None:
    """A sample is a profile without mistakes."""
    rows = [{"ha_id": f"a{n}", "kind": "Oven", **({"alias_of": "a0"} if n else {})} for n in range(9)]
    assert "a0" in names(sampled(profile_with(rows), 2, "a"))


def test_profile_may_declare_a_sample() -> None:
    """What [fleet] says counts where the command line says nothing."""
    declared = fleet(fleet={"sample": 2, "seed": "x"})
    assert names(sampled(declared)) == names(sampled(fleet(), 2, "x")) != names(sampled(declared, 1))


HOODS = [f"hood-{number}" for number in range(4)]
TAKEN = "hood-3"
"""The one that the seed of these tests takes."""


class Hoods(Service):
    """Four hoods alike."""

    fleet = tuple(replace(HOOD, ha_id=name) for name in HOODS)


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Ran:
    """A certified run of a sample of hoods, with waivers that are about the others."""
    here = tmp_path_factory.mktemp("sample")
    with serve({"": Hoods()}) as base_url:
        data = truthful_profile(Hoods(), base_url)
        target = {"name": "hub", "base_url": base_url, "product": "Hub 1"}
        waiver = {"reason": "r", "owner": "o", "expires": "2099-01-01"}
        waivers = [waiver | {"case": f"*@{name}"} for name in HOODS if name != TAKEN]
        (here / "hub.toml").write_text(
            toml_of(data | {"target": target, "waiver": waivers}), encoding="utf-8"
        )
        return command(
            "run", "hub.toml", "--level", "read", "--sample", "1", "--seed", "a", "--certify", directory=here
        )


def test_every_report_names_the_sample(ran: Ran) -> None:
    """Nothing is sent to the others. The results say what was taken of how many, and so do the terminal, the
    page and the summary; a waiver of an appliance that is left out is neither wrong nor stale. The seed is
    also what unknown words and generated requests are drawn from.
    """
    assert ran.evidence[0]["seed"] == "a"
    assert {ha_id for ha_id, _, _ in ran.reads} == {TAKEN}
    assert ran.results["sample"] == {"per_kind": 1, "seed": "a", "listed": {"Hood": 4}}
    assert [waiver["state"] for waiver in ran.results["waivers"]] == ["open"] * 3
    pages = ((ran.out / name).read_text(encoding="utf-8") for name in ("report.html", "summary.md"))
    told = 'at most 1 of each kind, chosen by seed "a", of 4 Hood'
    assert [told in text.replace("&#34;", '"') for text in (ran.output, *pages)] == [True] * 3


def test_scope_of_the_certificate_is_the_sample(ran: Ran) -> None:
    """Who reads the certificate knows that a sample was judged, and it can be recomputed."""
    scope = json.loads((ran.out / "certificate.json").read_bytes())["scope"]
    assert (scope["sample"]["listed"], len(scope["appliances"])) == ({"Hood": 4}, 1)
    assert command("verify", str(ran.out / "certificate.json")).code == 0


# Shards of a fleet: which appliances each has, and what share of the pace.
def mixed(number: int = 20, **tables: Any) -> Profile:
    """The profile of so many appliances."""
    return profile_with([{"ha_id": f"a{n}", "kind": KINDS[n % 4]} for n in range(number)], **tables)


def shards(profile: Profile, count: int) -> list[Profile]:
    """All shards of a profile."""
    return [sharded(profile, Part(index, count), CATALOG, "read") for index in range(1, count + 1)]


@pytest.mark.parametrize("count", [1, 2, 3, 7, 20])
def test_each_appliance_is_in_one_shard(count: int) -> None:
    """None is missing, none is asked by two, and none is alone while there are enough. What is asked as an
    unknown haId must not be one that another shard asks.
    """
    parts = shards(mixed(), count)
    assert sorted(name for shard in parts for name in names(shard)) == sorted(names(mixed()))
    assert {shard.ha_ids for shard in parts} == {tuple(names(mixed()))}
    assert count > 5 or all(len({one.kind for one in each.appliance}) < len(each.appliance) for each in parts)


def test_shards_are_of_one_size() -> None:
    """By the reads that are planned, not by the number of appliances."""
    fleets = ([claimed_keys(one, CATALOG) for one in shard.appliance] for shard in shards(mixed(), 4))
    sizes = [sum(map(len, keys)) for keys in fleets]
    assert max(sizes) - min(sizes) <= max(sizes) // 4


def test_those_that_are_compared_stay_together() -> None:
    """Where the level writes, more shards than that allows are refused; an alias stays with its appliance."""
    profile = mixed(7)
    units = units_of(profile, CATALOG)
    for index in range(1, len(units) + 1):
        shard = sharded(profile, Part(index, len(units)), CATALOG, "write")
        assert [names(shard)] in [[sorted(unit)] for unit in units]
    with pytest.raises(ProfileError, match="stay together"):
        sharded(profile, Part(1, len(units) + 1), CATALOG, "write")
    aliases = [{"alias_of": f"a{n - 1}"} if n % 3 else {} for n in range(12)]
    rows = [{"ha_id": f"a{n}", "kind": "Oven", **alias} for n, alias in enumerate(aliases)]
    for shard in shards(profile_with(rows), 3):
        assert build_profile(dump_profile(shard), CATALOG) == shard


@pytest.mark.parametrize(("pace", "count"), [((900, 40), 4), ((10, 7), 3), (None, 3)])
def test_shards_share_the_pace(pace: tuple[int, int] | None, count: int) -> None:
    """Together they send what the profile allows one run to send: undeclared, 900 a day and 40 a minute."""
    fields = ("per_day", "per_minute")
    tables: dict[str, Any] = {"pace": dict(zip(fields, pace, strict=True))} if pace else {}
    parts = shards(mixed(**tables), count)
    assert tuple(sum(getattr(shard, field) for shard in parts) for field in fields) == (pace or (900, 40))


def test_more_shards_than_there_is_work_are_refused() -> None:
    """A shard without an appliance, or without a request, could judge nothing."""
    for profile, count in ((mixed(), 21), (mixed(pace={"per_day": 2}), 3)):
        with pytest.raises(ProfileError, match="shards"):
            sharded(profile, Part(1, count), CATALOG, "read")


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
