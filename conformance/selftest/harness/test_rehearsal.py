"""What writing would cost is counted by running its procedures against a stand-in."""

from __future__ import annotations

from conformance.cases import CATALOG, all_cases
from conformance.harness.writes.rehearsal import rehearse
from conformance.selftest.support.handmade import profile_of

WRITE = {
    "method": "PUT",
    "path": "/api/homeappliances/{ha_id}/settings/{key}",
    "body": {"value": "{value}"},
    "allow": ["*"],
}


def test_an_appliance_called_like_a_missing_kind_is_counted() -> None:
    """A haId that begins with `no-` is a haId: its state machines are counted like those of any other
    appliance.
    """
    counts: list[object] = []
    for ha_id in ("no-frost", "one"):
        profile = profile_of(appliance={"ha_id": ha_id}, write=WRITE)
        costs = rehearse(all_cases(profile), profile, CATALOG, "power")
        counts.append([(cost.writes, cost.requests, cost.machines) for cost in costs.values()])
    assert counts[0] == counts[1] != []


def test_what_is_not_allowed_costs_nothing() -> None:
    """Nothing is counted that the write list does not name."""
    profile = profile_of(write={**WRITE, "allow": []})
    assert rehearse(all_cases(profile), profile, CATALOG, "power") == {}
