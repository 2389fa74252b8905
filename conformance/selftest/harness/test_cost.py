"""What writing would cost is worked out from the appliances of the target, whatever these are called."""

from __future__ import annotations

from conformance.cases import all_cases
from conformance.harness.writes.cost import machines
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
    named, other = (profile_of(appliance={"ha_id": ha_id}, write=WRITE) for ha_id in ("no-frost", "one"))
    assert machines(all_cases(named), "power") == machines(all_cases(other), "power") > 0
