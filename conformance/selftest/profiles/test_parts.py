"""A sample of a fleet, and its shards: which appliances each has, and what every report says of that."""

import json
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


def fleet(*, ovens: int = 20, hoods: int = 3, **more: Any) -> Profile:
    """The profile of some ovens and hoods."""
    kinds = [("Oven", number) for number in range(ovens)] + [("Hood", number) for number in range(hoods)]
    tables = [{"ha_id": f"{kind}-{number}", "kind": kind} for kind, number in kinds]
    return build_profile({"target": TARGET, "appliance": tables, **more}, CATALOG)


def names(profile: Profile) -> list[str]:
    """The haIds of its appliances."""
    return [appliance.ha_id for appliance in profile.appliance]


def test_sample_takes_so_many_of_each_kind() -> None:
    """A kind that has fewer is there as a whole, and the order stays."""
    taken = sampled(fleet(), 5, "a")
    assert [sum(one.kind == kind for one in taken.appliance) for kind in ("Oven", "Hood")] == [5, 3]
    assert names(taken) == [name for name in names(fleet()) if name in names(taken)]


def test_same_seed_takes_the_same() -> None:
    """And another one takes others."""
    assert (
        names(sampled(fleet(), 5, "a")) == names(sampled(fleet(), 5, "a")) != names(sampled(fleet(), 5, "b"))
    )


def test_fleet_that_grows_keeps_most_of_its_sample() -> None:
    """One more appliance replaces at most one."""
    before, after = (set(names(sampled(fleet(ovens=count), 5, "a"))) for count in (20, 21))
    assert len(before & after) >= len(before) - 1


def test_alias_comes_with_what_it_stands_for() -> None:
    """A sample is a profile without mistakes."""
    tables = [{"ha_id": f"a{n}", "kind": "Oven", **({"alias_of": "a0"} if n else {})} for n in range(9)]
    taken = sampled(build_profile({"target": TARGET, "appliance": tables}, CATALOG), 2, "a")
    assert "a0" in names(taken)


def test_profile_may_declare_a_sample() -> None:
    """What [fleet] says counts where the command line says nothing."""
    declared = fleet(fleet={"sample": 2, "seed": "x"})
    assert names(sampled(declared)) == names(sampled(fleet(), 2, "x"))
    assert len(sampled(declared, 1).appliance) == 2


def test_sample_is_not_sampled_again() -> None:
    """What a run has taken stays what it was taken of."""
    taken = sampled(fleet(), 5, "a")
    assert sampled(taken, 1, "b") is taken


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


def test_run_asks_the_sample_alone(ran: Ran) -> None:
    """Nothing is sent to the others, and the results say what was taken of how many."""
    assert {ha_id for ha_id, _, _ in ran.reads} == {TAKEN}
    assert ran.results["sample"] == {"per_kind": 1, "seed": "a", "listed": {"Hood": 4}}


def test_every_report_names_the_sample(ran: Ran) -> None:
    """On the terminal, on the page and in the summary."""
    told = 'at most 1 of each kind, chosen by seed "a", of 4 Hood'
    pages = [
        (ran.out / name).read_text(encoding="utf-8").replace("&#34;", '"')
        for name in ("report.html", "summary.md")
    ]
    assert [told in text for text in (ran.output, *pages)] == [True] * 3


def test_scope_of_the_certificate_is_the_sample(ran: Ran) -> None:
    """Who reads the certificate knows that a sample was judged, and it can be recomputed."""
    scope = json.loads((ran.out / "certificate.json").read_bytes())["scope"]
    assert (scope["sample"]["listed"], len(scope["appliances"])) == ({"Hood": 4}, 1)
    assert command("verify", str(ran.out / "certificate.json")).code == 0


def test_waiver_of_another_appliance_is_open(ran: Ran) -> None:
    """It is about an appliance that the sample leaves out, which makes it neither wrong nor stale."""
    states = sorted(waiver["state"] for waiver in ran.results["waivers"])
    assert states == ["open"] * 3


# Shards of a fleet: which appliances each has, and what share of the pace.
KINDS = ("Refrigerator", "Oven", "Hood", "CleaningRobot")


def fridges(number: int = 20, **tables: Any) -> Profile:
    """The profile of so many appliances."""
    rows = [{"ha_id": f"a{index}", "kind": KINDS[index % 4]} for index in range(number)]
    target = {"name": "hub", "base_url": "https://staging.example"}
    return build_profile({"target": target, "appliance": rows, **tables}, CATALOG)


def shards(profile: Profile, count: int) -> list[Profile]:
    """All shards of a profile."""
    return [sharded(profile, Part(index, count), CATALOG, "read") for index in range(1, count + 1)]


@pytest.mark.parametrize("count", [1, 2, 3, 7, 20])
def test_each_appliance_is_in_one_shard(count: int) -> None:
    """None is missing, none is asked by two."""
    assert sorted(name for shard in shards(fridges(), count) for name in names(shard)) == sorted(
        names(fridges())
    )


def test_shards_are_of_one_size() -> None:
    """By the reads that are planned, not by the number of appliances."""
    fleets = ([claimed_keys(one, CATALOG) for one in shard.appliance] for shard in shards(fridges(), 4))
    sizes = [sum(map(len, keys)) for keys in fleets]
    assert max(sizes) - min(sizes) <= max(sizes) // 4


def test_those_that_are_compared_stay_together() -> None:
    """Where the level writes, more shards than that allows are refused."""
    profile = fridges(7)
    units = units_of(profile, CATALOG)
    for index in range(1, len(units) + 1):
        shard = sharded(profile, Part(index, len(units)), CATALOG, "write")
        assert [names(shard)] in [[sorted(unit)] for unit in units]
    with pytest.raises(ProfileError, match="stay together"):
        sharded(profile, Part(1, len(units) + 1), CATALOG, "write")


@pytest.mark.parametrize("count", [2, 3, 5])
def test_no_appliance_is_alone(count: int) -> None:
    """Where there are enough of them, each shard has two of a kind, or two at least."""
    for shard in shards(fridges(), count):
        assert len({appliance.kind for appliance in shard.appliance}) < len(shard.appliance)


def test_haids_of_other_shards_are_known() -> None:
    """What is asked as a haId that does not exist must not be one that another shard asks."""
    assert {shard.ha_ids for shard in shards(fridges(), 3)} == {tuple(names(fridges()))}


def test_alias_stays_with_what_it_stands_for() -> None:
    """Otherwise one of the two could not be judged."""
    rows = [
        {"ha_id": f"a{n}", "kind": "Oven", **({"alias_of": f"a{n - 1}"} if n % 3 else {})} for n in range(12)
    ]
    profile = build_profile(dump_profile(fridges()) | {"appliance": rows}, CATALOG)
    for shard in shards(profile, 3):
        assert build_profile(dump_profile(shard), CATALOG) == shard


@pytest.mark.parametrize("field", ["per_day", "per_minute"])
@pytest.mark.parametrize(("most", "count"), [(900, 4), (10, 3), (7, 7)])
def test_shards_share_the_pace(field: str, most: int, count: int) -> None:
    """Together they send exactly what the profile allows one run to send."""
    parts = shards(fridges(pace={field: most}), count)
    assert sum(getattr(shard, field) for shard in parts) == most


def test_undeclared_pace_is_shared_too() -> None:
    """A remote target gets 40 a minute and 900 a day, however many processes ask it."""
    parts = shards(fridges(), 3)
    assert [sum(getattr(one, field) for one in parts) for field in ("per_minute", "per_day")] == [40, 900]


@pytest.mark.parametrize(("tables", "count"), [({}, 21), ({"pace": {"per_day": 2}}, 3)])
def test_more_shards_than_there_is_work_are_refused(tables: dict[str, Any], count: int) -> None:
    """A shard without an appliance, or without a request, could judge nothing."""
    with pytest.raises(ProfileError, match="shards"):
        sharded(fridges(**tables), Part(1, count), CATALOG, "read")


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
