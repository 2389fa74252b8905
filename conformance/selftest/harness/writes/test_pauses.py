"""What has come is waited for no longer, and what writing would cost is counted against a stand-in."""

from pathlib import Path
from typing import Any, cast
from unittest.mock import Mock

import pytest
from msgspec.structs import replace
from pydantic import JsonValue

from catalog import keys
from catalog.keys import CHILD_LOCK, ECO_MODE, INTERNAL_BRIGHTNESS, INTERNAL_LIGHT, ON, POWER_STATE, SETPOINT
from catalog.model import Level, Rule
from conformance.cases import CATALOG, all_cases
from conformance.checks.groups import setting_group
from conformance.checks.reads.paths import agreement
from conformance.checks.view import View
from conformance.harness.reads.repeats import both_segments_again
from conformance.harness.writes.keeping.closed import Closed
from conformance.harness.writes.lanes import LiveLane
from conformance.harness.writes.last_looks import LastLooks
from conformance.harness.writes.preparing import Preparation
from conformance.harness.writes.procedures.requests import write
from conformance.harness.writes.procedures.settings import SettingWrites
from conformance.harness.writes.rehearsal import StandIn, rehearse
from conformance.model.state_table import StateId
from conformance.model.ways import CLEARING, PARTICULAR
from conformance.mutants.fleets import FRIDGE_UNITS
from conformance.profiles.validation import build_profile
from conformance.proof.in_process import BASE_URL
from conformance.reference.appliance import Appliance
from conformance.reference.profile import truthful_profile
from conformance.reference.service import Service
from conformance.selftest.support.judged_runs import run_of
from conformance.selftest.support.samples.handmade import (
    HA_ID,
    profile_of,
    refusal,
    seen_of,
    value,
    write_table,
)
from conformance.selftest.support.servers.recording import values_of
from conformance.selftest.support.stepping import Answering

SETTLE_S, FOLLOWS_S = 10, 0.1
BATTERY = "Vendor.Common.Status.BatteryLevel"
AT_ODDS = (
    value(keys.POWER_STATE, keys.ON),
    value(keys.OPERATION_STATE, keys.INACTIVE),
    value(BATTERY, 20, segment="status"),
    value(BATTERY, 90, segment="settings"),
)
SPACES: dict[str, tuple[str, dict[str, Any], float]] = {
    "loopback": ("127.0.0.1", {}, 0.2),
    "elsewhere": ("hub.example", {}, 5),
    "declared": ("127.0.0.1", {"retry_s": 3}, 3),
}


class UnitsFollowLate(Service):
    """TemperatureUnit shows at once what was written, and setpoints follow after a moment."""

    fleet = (FRIDGE_UNITS.only(keys.TEMPERATURE_UNIT, keys.SETPOINT),)
    shown = "°C"

    def temperature_unit(self, appliance: Appliance) -> str:  # noqa: ARG002  one for all
        return self.shown

    def convert(self, appliance: Appliance) -> None:
        self.timers.arm((appliance.ha_id, "unit"), FOLLOWS_S, lambda: self.have_followed(appliance))

    def have_followed(self, appliance: Appliance) -> None:
        """The setpoints are in the unit that is chosen now."""
        self.shown = super().temperature_unit(appliance)
        super().convert(appliance)


def test_what_follows_a_unit_is_read_until_it_has(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It may take the settle time, and takes no more of it than it needs."""
    pauses: list[float] = []
    pause = LiveLane.pause

    def noted(lane: LiveLane, seconds: float) -> None:
        pauses.append(seconds)
        pause(lane, seconds)

    monkeypatch.setattr(LiveLane, "pause", noted)
    timing = {"settle_s": SETTLE_S, "quiet_s": 0.01, "poll_s": 0.02}
    service = UnitsFollowLate()
    run = run_of(service, tmp_path, "write", {"timing": timing}, clauses={"UNIT-TEMP-APPLIES"})
    assert run.finding("UNIT-TEMP-APPLIES", keys.SETPOINT)[0] == "pass"
    assert (run.left, values_of(service)) == ([], values_of(UnitsFollowLate()))
    assert sum(pauses) < SETTLE_S


def light(*, is_on: bool, color: str) -> View:
    """A light as it is found, or once it was written to."""
    shown: dict[str, JsonValue] = {
        keys.AMBIENT_ENABLED: is_on,
        keys.AMBIENT_COLOR: color,
        keys.AMBIENT_BRIGHTNESS: 40,
    }
    profile = profile_of(
        "Hood", appliance={"supports": [*shown]}, timing={"quiet_s": 0.1}, write=write_table("*")
    )
    return seen_of(profile, *(value(key, now) for key, now in shown.items()))


@pytest.mark.parametrize(
    ("found", "states", "pauses"),
    [
        (light(is_on=True, color=keys.COLOR_CUSTOM), PARTICULAR, [0.1]),
        (light(is_on=False, color=keys.COLOR_1), CLEARING, [10]),
    ],
    ids=["colour", "dark"],
)
def test_what_a_state_hid_may_come_late(
    found: View, states: tuple[StateId, ...], pauses: list[float]
) -> None:
    """A light that was dark may take the settle time to show its own value; a colour was confirmed."""
    procedure = SettingWrites(setting_group(keys.AMBIENT_BRIGHTNESS), frozenset())
    lane = Answering(found, light(is_on=True, color=keys.COLOR_1))
    Preparation(found, [procedure], "write", states).make(lane.learning)
    assert lane.pauses == pauses


def test_what_stays_hidden_is_tried_once_the_power_has_settled() -> None:
    """An appliance that was switched on has the settle time of its power state to show everything."""
    timing, claims = {"power_settle_s": 7, "retry_s": 1}, {"supports": [keys.CHILD_LOCK]}
    profile = profile_of(timing=timing, appliance=claims, write=write_table("*", keys.CHILD_LOCK))
    off, on = (
        seen_of(profile, value(keys.POWER_STATE, state), refusal(keys.CHILD_LOCK, 409))
        for state in (keys.OFF, keys.ON)
    )
    procedure = SettingWrites(setting_group(keys.CHILD_LOCK), frozenset())
    lane = Answering(off, on)
    Preparation(off, [procedure], "power", CLEARING).make(lane.learning)
    assert lane.pauses == [2, 7, 1, 1, 1]


def test_what_was_put_back_at_last_has_time_to_fall_back() -> None:
    """The final look at an appliance comes after the settle time of what the look before had to put back."""
    profile = profile_of(timing={"power_settle_s": 7}, write=write_table("*"))
    found, fallen = (seen_of(profile, value(keys.POWER_STATE, state)) for state in (keys.ON, keys.OFF))
    gate = Mock(debts=[], owed_by=Mock(return_value=frozenset[str]()), why_closed=Mock(return_value=""))
    looks = LastLooks({HA_ID: found}, "power", Closed(found.catalog, []), Mock(moved={}))
    for seen, is_final in ((fallen, False), (found, True)):
        lane = Answering(seen, gate=gate)
        looks.look(cast("LiveLane", lane), put_back=Mock(return_value=True), is_final=is_final)
        assert lane.pauses == [7]


@pytest.mark.parametrize("name", SPACES)
def test_findings_are_spaced_as_the_profile_says(name: str) -> None:
    """Whatever looks twice waits `retry_s` in between: 0.2 s on loopback, 5 elsewhere."""
    host, declared, wanted = SPACES[name]
    timing = {"power_settle_s": 0.01, "poll_s": 0.01, **declared}
    seen = seen_of(profile_of(target={"name": "x", "base_url": f"http://{host}"}, timing=timing), *AT_ODDS)
    lane = Answering(seen)
    lane.take(both_segments_again(seen, agreement(BATTERY)))
    assert max(lane.pauses) == wanted


# What writing would cost is counted by running its procedures against a stand-in.
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
    for chosen in controller.values or (True, False):
        appliance.values[rule.controller] = stand_in.values[spec.ha_id, rule.controller] = chosen
        is_locked = service.locked_by(appliance, subject) is not None
        assert stand_in.is_locked(ask) is is_locked
        told.add(is_locked)
    assert told == ({True, False} if rule.may_lock else {False})


def test_what_is_not_allowed_costs_nothing() -> None:
    """Nothing is counted that the write list does not name."""
    profile = profile_of(write=write_table())
    assert rehearse(all_cases(profile), profile, CATALOG, "power") == {}
