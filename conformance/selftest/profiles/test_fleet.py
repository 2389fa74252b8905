"""A fleet in a file: its rows, its templates, and mistakes in them; and a part of a fleet: a sample of each
kind, or a shard, and what every report says of that.
"""

import json
from collections.abc import Collection
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from catalog.keys import CHILD_LOCK, POWER_STATE
from conformance.mutants.fleets import HOOD
from conformance.profiles.fields import ProfileError
from conformance.profiles.fleet.companions import units_of
from conformance.profiles.fleet.sharding import Part, part_of, sampled, sharded
from conformance.profiles.kinds import claimed_keys
from conformance.profiles.model import Profile
from conformance.profiles.validation import build_profile, dump_profile, load_profile
from conformance.selftest.support.commands import command
from conformance.selftest.support.owed_journals import served
from conformance.selftest.support.ran import Ran
from conformance.selftest.support.recording import served_by

PROFILE = """
[target]
name = "hub"
base_url = "https://staging.example"
[fleet]
file = "{file}"
[[template]]
name = "fridge"
kind = "Refrigerator"
supports = ["Vendor.Common.Setting.PowerState"]
power_states = ["On"]
"""
CSV = """ha_id,kind,template,supports,unattended,samples
f-1,,fridge,,true,
o-1,Oven,,Vendor.Common.Setting.PowerState Vendor.Common.Status.*,,"{""map_name"": [""a""]}"
0042,Refrigerator,fridge,"[""Vendor.Common.Setting.ChildLock""]",,
"""
NDJSON = """{"ha_id": "f-1", "template": "fridge", "unattended": true}

{"ha_id": "o-1", "kind": "Oven"}
"""


def fleet_of(directory: Path, rows: str, file: str = "fleet.csv", more: str = "") -> Profile:
    """The profile with a fleet file of these rows."""
    (directory / file).write_text(rows, encoding="utf-8")
    (directory / "hub.toml").write_text(PROFILE.format(file=file) + more, encoding="utf-8")
    return load_profile(directory / "hub.toml", {})


def mistakes_in(directory: Path, rows: str, file: str = "fleet.csv", more: str = "") -> list[str]:
    """The mistakes of such a profile."""
    with pytest.raises(ProfileError) as caught:
        fleet_of(directory, rows, file, more)
    return [str(problem) for problem in caught.value.problems]


def test_row_is_completed_by_its_template(tmp_path: Path) -> None:
    """What a row does not say its template says; what it says itself counts.

    A list is words with blanks between them, or JSON like any other field; an empty cell says nothing.
    """
    first, oven, third = fleet_of(tmp_path, CSV).appliance
    assert (first.kind, first.supports, first.unattended) == ("Refrigerator", (POWER_STATE,), True)
    assert (third.ha_id, third.supports, third.power_states) == ("0042", (CHILD_LOCK,), ("On",))
    assert oven.supports == ("Vendor.Common.Setting.PowerState", "Vendor.Common.Status.*")
    assert (oven.samples.map_name, oven.power_states) == (("a",), None)


def test_rows_may_be_json(tmp_path: Path) -> None:
    """A file that is not called .csv holds an object in each line; tables of the profile come before them."""
    more = '[[appliance]]\nha_id = "first"\ntemplate = "fridge"\n'
    found = fleet_of(tmp_path, NDJSON, "fleet.ndjson", more=more).appliance
    assert [one.ha_id for one in found] == ["first", "f-1", "o-1"]
    assert found[0].kind == "Refrigerator"


def test_whole_profile_is_written_down(tmp_path: Path) -> None:
    """What a ledger keeps of the profile needs no other file: it has every appliance, and gives it again."""
    profile = fleet_of(tmp_path, CSV)
    assert build_profile(dump_profile(profile)) == profile
    assert profile.fleet is None


@pytest.mark.parametrize(
    ("rows", "mistake"),
    [
        ("ha_id,kind\na,Oven\na,Oven\n", "fleet.csv:3.ha_id: 'a' stands already at fleet.csv:2"),
        ("ha_id,kind\na,oven\n", "fleet.csv:2.kind: 'oven' is none of CoffeeMaker, "),
        (
            "ha_id,kind,suports\na,Oven,x\n",
            "fleet.csv:1: no such field: 'suports' (did you mean 'supports'?)",
        ),
        ("ha_id,template\na,fridg\n", "fleet.csv:2.template: there is no template 'fridg' (did you mean 'f"),
        ("ha_id,kind\na,Oven,b\n", "fleet.csv:2: has 3 cells, and the first line 2"),
        ("ha_id,kind\na,Oven\n,Hood\n", "fleet.csv:3.ha_id: is missing"),
        (
            "ha_id,kind,online\na,Oven,perhaps\n",
            "fleet.csv:2.online: must be true or false (found 'perhaps')",
        ),
        ('ha_id,kind\n"a,Oven\n', "fleet.csv:2: is not CSV: unexpected end of data"),
        ("ha_id,ha_id\na,b\n", "fleet.csv:1: names a field twice"),
        ("", "fleet.file: "),
        ('{"ha_id": "a", "kind": "Oven"}\n{"ha_id"\n', "fleet.ndjson:2: is no JSON object: Expecting"),
        ("[]\n", "fleet.ndjson:1: is no JSON object: it is a list"),
        (
            '{"ha_id": "a", "kind": "Oven", "lack": []}\n',
            "fleet.ndjson:1.lack: no such field (did you mean 'lacks'?)",
        ),
    ],
)
def test_mistake_names_file_and_line(rows: str, mistake: str, tmp_path: Path) -> None:
    """Whoever has thousands of rows, of CSV or JSON, is told which one is wrong."""
    file = "fleet.ndjson" if "ndjson" in mistake else "fleet.csv"
    assert any(told.startswith(mistake) for told in mistakes_in(tmp_path, rows, file))


@pytest.mark.parametrize(
    ("table", "mistake"),
    [
        ('name = "x"\nsuports = []', "template[1].suports: no such field (did you mean 'supports'?)"),
        ('name = "x"\nha_id = "a"', "template[1].ha_id: stands in the row of each appliance"),
        (
            'name = "x"\nkind = "Oven"\nsupports = ["Vendor.Common.Setting.PowerStat"]',
            "template[1].supports[0]: ",
        ),
        ('kind = "Oven"', "template[1].name: is missing"),
        ('name = "x"\nonline = "perhaps"', "template[1].online: must be true or false (found 'perhaps')"),
        (
            'name = "x"\npower_states = ["Of"]',
            "template[1].power_states[0]: must be 'On', 'Off' or 'Standby', not 'Of' (did you mean 'Off'?)",
        ),
    ],
)
def test_mistake_in_a_template_is_told_once(table: str, mistake: str, tmp_path: Path) -> None:
    """Not once for each appliance that follows it."""
    rows = "ha_id,template,kind\n" + "".join(f"a{n},x,Oven\n" for n in range(5))
    (told,) = (
        one
        for one in mistakes_in(tmp_path, rows, more=f"[[template]]\n{table}\n")
        if "there is no" not in one
    )
    assert told.startswith(mistake)


def test_fleet_of_ten_thousand_is_read(tmp_path: Path) -> None:
    """Appliances of one make are checked once."""
    rows = "ha_id,kind,supports\n" + "".join(
        f"a{n},{('Oven', 'Hood')[n % 2]},Vendor.Common.*\n" for n in range(10_000)
    )
    assert len(fleet_of(tmp_path, rows).appliance) == 10_000


def profile_with(rows: Collection[dict[str, Any]], **tables: Any) -> Profile:
    """The profile of these appliances."""
    target = {"name": "hub", "base_url": "https://staging.example"}
    return build_profile({"target": target, "appliance": list(rows), **tables})


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


def test_sample_is_a_profile_without_mistakes() -> None:
    """An alias comes with what it stands for. What [fleet] says counts where a command line does not."""
    rows = [{"ha_id": f"a{n}", "kind": "Oven", **({"alias_of": "a0"} if n else {})} for n in range(9)]
    assert "a0" in names(sampled(profile_with(rows), 2, "a"))
    declared = fleet(fleet={"sample": 2, "seed": "x"})
    assert names(sampled(declared)) == names(sampled(fleet(), 2, "x")) != names(sampled(declared, 1))


HOODS = [f"hood-{number}" for number in range(4)]
TAKEN = "hood-3"
"""The one that the seed of these tests takes."""
SAMPLED = 'at most 1 of each kind, chosen by seed "a", of 4 Hood'


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Ran:
    """A certified run of a sample of hoods, with waivers that are about the others."""
    here = tmp_path_factory.mktemp("sample")
    waiver = {"reason": "r", "owner": "o", "expires": "2099-01-01"}
    waivers = [waiver | {"case": f"*@{name}"} for name in HOODS if name != TAKEN]
    hoods = served_by(fleet=(replace(HOOD, ha_id=name) for name in HOODS))
    with served(hoods(), here / "hub.toml", target={"product": "Hub 1"}, waiver=waivers):
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
    assert [SAMPLED in text.replace("&#34;", '"') for text in (ran.output, *pages)] == [True] * 3


def test_scope_of_the_certificate_is_the_sample(ran: Ran) -> None:
    """Who reads the certificate knows that a sample was judged, and it can be recomputed."""
    scope = json.loads((ran.out / "certificate.json").read_bytes())["scope"]
    assert (scope["sample"]["listed"], len(scope["appliances"])) == ({"Hood": 4}, 1)
    verified = command("verify", str(ran.out / "certificate.json"))
    assert (verified.code, SAMPLED in verified.output) == (0, True)
    assert f"claimed: {len(scope['appliances'][0]['claimed'])} keys of 1 appliance" in verified.output


# Shards of a fleet: which appliances each has, and what share of the pace.
def mixed(number: int = 20, **tables: Any) -> Profile:
    """The profile of so many appliances of four kinds."""
    kinds = ("Refrigerator", "Oven", "Hood", "CleaningRobot")
    return profile_with([{"ha_id": f"a{n}", "kind": kinds[n % 4]} for n in range(number)], **tables)


def shards(profile: Profile, count: int) -> list[Profile]:
    """All shards of a profile."""
    return [sharded(profile, Part(index, count), "read") for index in range(1, count + 1)]


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
    sizes = [sum(len(claimed_keys(one)) for one in shard.appliance) for shard in shards(mixed(), 4)]
    assert max(sizes) - min(sizes) <= max(sizes) // 4


def test_those_that_are_compared_stay_together() -> None:
    """Where the level writes, more shards than that allows are refused; an alias stays with its appliance."""
    profile = mixed(7)
    units = units_of(profile)
    for index in range(1, len(units) + 1):
        shard = sharded(profile, Part(index, len(units)), "write")
        assert [names(shard)] in [[sorted(unit)] for unit in units]
    with pytest.raises(ProfileError, match="stay together"):
        sharded(profile, Part(1, len(units) + 1), "write")
    aliases = [{"alias_of": f"a{n - 1}"} if n % 3 else {} for n in range(12)]
    rows = [{"ha_id": f"a{n}", "kind": "Oven", **alias} for n, alias in enumerate(aliases)]
    for shard in shards(profile_with(rows), 3):
        assert build_profile(dump_profile(shard)) == shard


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
            sharded(profile, Part(1, count), "read")


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
