"""What writing would cost is counted by running its procedures against a stand-in."""

import pytest
from msgspec.structs import replace
from pydantic import JsonValue

from catalog.keys import CHILD_LOCK, ECO_MODE, INTERNAL_BRIGHTNESS, INTERNAL_LIGHT, ON, POWER_STATE, SETPOINT
from catalog.model import Level, Rule
from conformance.cases import CATALOG, all_cases
from conformance.checks.groups import setting_group
from conformance.harness.writes.procedures.requests import write
from conformance.harness.writes.rehearsal import StandIn, rehearse
from conformance.profiles.validation import build_profile
from conformance.proof.in_process import BASE_URL
from conformance.reference.profile import truthful_profile
from conformance.reference.service import Service
from conformance.selftest.support.samples.handmade import profile_of, write_table


def test_an_appliance_called_like_a_missing_kind_is_counted() -> None:
    """A haId that begins with `no-` is a haId: its tours are counted like those of others."""
    counts: list[object] = []
    for ha_id in ("no-frost", "one"):
        profile = profile_of(appliance={"ha_id": ha_id}, write=write_table("*"))
        costs = rehearse(all_cases(profile), profile, CATALOG, "power")
        counts.append([cost.writes for cost in costs.values()])
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
        write = write_table("*", *named, prepare=prepare)
        profile = profile_of("Refrigerator", appliance=own, write=write)
        (cost,) = rehearse(all_cases(profile, level), profile, CATALOG, level).values()
        told.append(cost.prepared)
    assert told == [prepared, {}]


OF_A_CASE = [(rule, subject) for rule in CATALOG.rules for subject in rule.subjects]


@pytest.mark.parametrize(("rule", "subject"), OF_A_CASE, ids=[f"{rule.id}-{key}" for rule, key in OF_A_CASE])
def test_stand_in_is_locked_as_the_reference_is(rule: Rule, subject: str) -> None:
    """Under each value of the controlling key both let a key be written, or neither does."""
    controller = CATALOG.entries[rule.controller]
    specs = (spec for spec in Service.fleet if {rule.controller, subject} <= spec.values.keys())
    spec = next(specs, None) or replace(Service.fleet[0], values={rule.controller: True, subject: 4})

    class OfTheRule(Service):
        fleet = (spec,)

    service = OfTheRule()
    (appliance,) = service.appliances.values()
    profile = build_profile(truthful_profile(service, BASE_URL), CATALOG)
    stand_in = StandIn(CATALOG, profile)
    ask = write(stand_in.view(spec.ha_id), setting_group(subject), subject, 4)
    told: set[bool] = set()
    for value in controller.values or (True, False):
        appliance.values[rule.controller] = stand_in.values[spec.ha_id, rule.controller] = value
        is_locked = service.locked_by(appliance, subject) is not None
        assert stand_in.is_locked(ask) is is_locked
        told.add(is_locked)
    assert told == ({True, False} if rule.may_lock else {False})


def test_what_is_not_allowed_costs_nothing() -> None:
    """Nothing is counted that the write list does not name."""
    profile = profile_of(write=write_table())
    assert rehearse(all_cases(profile), profile, CATALOG, "power") == {}
