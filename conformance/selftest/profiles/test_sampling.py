"""A sample of a fleet: some appliances of each kind, and every report says of how many."""

import json
from typing import Any

import pytest
from msgspec.structs import replace

from conformance.cases import CATALOG
from conformance.mutants.fleets import HOOD
from conformance.profiles.fleet.sharding import sampled
from conformance.profiles.model import Profile
from conformance.profiles.toml import toml_of
from conformance.profiles.validation import build_profile
from conformance.reference.profile import truthful_profile
from conformance.reference.server import serve
from conformance.reference.service import Service
from conformance.selftest.support.commanding import Ran, run, said

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
        return run(here, "hub.toml", "--level", "read", "--sample", "1", "--seed", "a", "--certify")


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
    assert said("verify", str(ran.out / "certificate.json")).exit_code == 0


def test_waiver_of_another_appliance_is_open(ran: Ran) -> None:
    """It is about an appliance that the sample leaves out, which makes it neither wrong nor stale."""
    states = sorted(waiver["state"] for waiver in ran.results["waivers"])
    assert states == ["open"] * 3
