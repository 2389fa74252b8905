"""What writing would cost is counted by running its procedures against a stand-in."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from catalog.keys import (
    CHILD_LOCK,
    ECO_MODE,
    INTERNAL_BRIGHTNESS,
    INTERNAL_LIGHT,
    ON,
    POWER_STATE,
    SETPOINT,
)
from conformance.cases import CATALOG, all_cases
from conformance.harness.writes.rehearsal import rehearse
from conformance.selftest.support.samples.handmade import profile_of

if TYPE_CHECKING:
    from pydantic import JsonValue

    from catalog.model import Level

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


@pytest.mark.parametrize(
    ("level", "named", "prepared"),
    [
        ("write", (), {ECO_MODE: False, INTERNAL_LIGHT: True}),
        ("write", (CHILD_LOCK,), {ECO_MODE: False, INTERNAL_LIGHT: True, CHILD_LOCK: False}),
        ("power", (), {ECO_MODE: False, INTERNAL_LIGHT: True, POWER_STATE: ON}),
    ],
)
def test_plan_knows_what_would_be_prepared(
    level: Level, named: tuple[str, ...], prepared: dict[str, JsonValue]
) -> None:
    """It is what level and write list allow of what may be in the way; nothing where `prepare` is off."""
    keys = [ECO_MODE, INTERNAL_LIGHT, INTERNAL_BRIGHTNESS, SETPOINT, POWER_STATE, *named]
    own = {"supports": keys, "lacks": ["*"], "power_states": ["On", "Off"]}
    told: list[object] = []
    for prepare in (True, False):
        write = {**WRITE, "allow": ["*", *named], "prepare": prepare}
        profile = profile_of("Refrigerator", appliance=own, write=write)
        (cost,) = rehearse(all_cases(profile, level), profile, CATALOG, level).values()
        told.append(cost.prepared)
    assert told == [prepared, {}]


def test_what_is_not_allowed_costs_nothing() -> None:
    """Nothing is counted that the write list does not name."""
    profile = profile_of(write={**WRITE, "allow": []})
    assert rehearse(all_cases(profile), profile, CATALOG, "power") == {}
