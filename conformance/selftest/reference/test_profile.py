"""The appliances of the reference serve the whole catalog and start within its rules, and its profile tells
the truth about it, as much of it as it is asked for.
"""

from typing import Any, cast

import pytest

from catalog.loader import load_catalog
from catalog.model import Segment
from conformance.reference.fleets.twelve import FLEET
from conformance.reference.profile import Knowledge, truthful_profile
from conformance.reference.service import Service

URL = "http://127.0.0.1:1/reference"
TIMING = {"settle_s": 0.02, "power_settle_s": 0.05, "poll_s": 0.01, "retry_s": 0, "put_back_s": 0.2}


def profile_of(service: Service, knowledge: Knowledge = "full") -> dict[str, Any]:
    """The profile as loosely typed data."""
    return cast("dict[str, Any]", truthful_profile(service, URL, knowledge=knowledge))


def test_l0_names_the_appliances_and_nothing_else() -> None:
    """Without knowledge there are names, kinds and the pace of an embedded target."""
    assert profile_of(Service(), "L0") == {
        "target": {"name": "reference", "base_url": URL, "product": "a server of appliance-conformance"},
        "pace": {"generated_reads": 60, "generated_writes": 8},
        "timing": TIMING,
        "appliance": [{"ha_id": spec.ha_id, "kind": spec.kind} for spec in FLEET],
    }


def test_l1_adds_what_each_appliance_supports() -> None:
    """Support is claimed key by key, and lacking keys of the kind are named."""
    profile = profile_of(Service(), "L1")
    for table, spec in zip(profile["appliance"], FLEET, strict=True):
        tried = {entry.key for entry in load_catalog().of_kind(spec.kind)}
        assert set(table["supports"]) == set(spec.values)
        assert set(table["lacks"]) == tried - set(spec.values)
    assert "answer" not in profile


def test_full_knowledge_says_how_to_write_list_and_listen() -> None:
    """A profile for writing names method, path, body and what may be written."""
    profile = profile_of(Service())
    assert set(profile) == {
        *("target", "answer", "write", "list", "events", "hooks", "pace", "timing", "appliance")
    }
    assert profile["write"]["allow"][0] == "*"
    hood = next(table for table in profile["appliance"] if table["ha_id"] == "dishwasher-1")
    assert hood["enum_subset"] == {
        "Vendor.Common.Setting.AmbientLightColor": ["CustomColor", "Color1", "Color2", "Color99"]
    }
    assert len(hood["samples"]["custom_color"]) == 2


def test_writable_is_what_the_service_lets_write() -> None:
    """Read-only settings and statuses are not claimed to be writable."""
    service = Service()
    for table in profile_of(service)["appliance"]:
        appliance = service.appliances[table["ha_id"]]
        open_keys = [key for key in service.entries if service.writable(appliance, "settings", key) is None]
        assert table.get("writable", []) == open_keys


def test_token_is_never_in_a_profile() -> None:
    """A service with a token names the environment variable that holds it."""
    profile = profile_of(Service(token="open sesame"), "L0")
    assert profile["auth"] == {"headers": {"Authorization": "Bearer ${REFERENCE_TOKEN}"}}


CATALOG = load_catalog()
CONTESTED = [entry.key for entry in CATALOG.statuses if entry.contested]


def test_every_key_of_the_catalog_is_served_by_some_appliance() -> None:
    """No key is left without an appliance that shows it."""
    served = {key for spec in FLEET for key in spec.values}
    assert served == set(CATALOG.entries)


def test_fleet_has_every_kind_and_every_set_of_power_states() -> None:
    """All six kinds are there, and one more; three states, either pair, On alone, and none at all occur."""
    assert {spec.kind for spec in FLEET} == {kind.name for kind in CATALOG.kinds} | {"Dishwasher"}
    states = {"On Off Standby", "On Off", "On Standby", "On", ""}
    assert {" ".join(spec.power_states) for spec in FLEET} == states
    assert len({spec.ha_id for spec in FLEET}) == len(FLEET)


@pytest.mark.parametrize("segments", [("status",), ("settings",), ("status", "settings")])
def test_contested_statuses_are_served_in_each_way(segments: tuple[Segment, ...]) -> None:
    """One robot serves all four under status, one under settings, one under both."""
    assert any(spec.contested == segments and set(CONTESTED) <= set(spec.values) for spec in FLEET)
