"""What writing would cost is counted by running its procedures against a stand-in."""

import pytest
from msgspec.structs import replace
from pydantic import JsonValue

from catalog.keys import CHILD_LOCK, ECO_MODE, INTERNAL_BRIGHTNESS, INTERNAL_LIGHT, ON, POWER_STATE, SETPOINT
from catalog.model import Level, Rule
from conformance.cases import CATALOG, all_cases
from conformance.checks.answer import Answer
from conformance.checks.groups import ProcedureKind, setting_group
from conformance.checks.traces.quiet import Effects
from conformance.harness.steps import Ask
from conformance.harness.writes.asking import LearningLane
from conformance.harness.writes.batches import scripts_of
from conformance.harness.writes.lanes import LiveLane
from conformance.harness.writes.player import Player
from conformance.harness.writes.procedures.model import Stage
from conformance.harness.writes.procedures.registry import procedures_of
from conformance.harness.writes.procedures.requests import write
from conformance.harness.writes.rehearsal import StandIn, rehearse
from conformance.profiles.validation import build_profile
from conformance.proof.in_process import BASE_URL
from conformance.reference.appliance import Appliance
from conformance.reference.profile import truthful_profile
from conformance.reference.service import Service
from conformance.reference.wire import Json
from conformance.selftest.support.judged_runs import STILL, run_of
from conformance.selftest.support.samples.handmade import profile_of, write_table
from conformance.selftest.support.servers.recording import MACHINE_ID, OVEN_ID, Recording


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


AT_ONCE = {"settle_s": 0.2, "power_settle_s": 0.2, "quiet_s": 0.1, "poll_s": 0.02}
LATE = {"settle_s": 0.1, "power_settle_s": 0.1, "poll_s": 0.05}


class Late(Recording):
    """Each write takes effect when nine tenths of the settle time are over."""

    def apply(self, appliance: Appliance, key: str, value: Json) -> None:
        effect, name = super().apply, (appliance.ha_id, f"late {key}")
        self.timers.arm(name, 0.9 * LATE["settle_s"], lambda: effect(appliance, key, value))


@pytest.fixture(scope="module", params=[(Recording, AT_ONCE), (Late, LATE)], ids=["at once", "late"])
def planned_and_made(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, tuple[list[float], list[float]]]:
    """Of each of two appliances the requests and the seconds of waiting that are planned, and those made."""
    made = {ha_id: [0.0, 0.0] for ha_id in (MACHINE_ID, OVEN_ID)}
    ask, pause = LiveLane.ask, LiveLane.pause

    def asked(lane: LiveLane, wanted: Ask) -> Answer:
        made[lane.name][0] += 1
        return ask(lane, wanted)

    def paused(lane: LiveLane, seconds: float) -> None:
        made[lane.name][1] += seconds
        pause(lane, seconds)

    server, timing = request.param
    tables = {"timing": timing}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(LiveLane, "ask", asked)
        patch.setattr(LiveLane, "pause", paused)
        run_of(server(), tmp_path_factory.mktemp("made"), "power", tables)
    profile = build_profile({**truthful_profile(Recording(), BASE_URL), "pace": STILL, **tables}, CATALOG)
    costs = rehearse(all_cases(profile, "power"), profile, CATALOG, "power", is_late=timing is LATE)
    return {ha_id: ([cost.requests, cost.seconds], made[ha_id]) for ha_id, cost in costs.items()}


@pytest.mark.parametrize("what", [0, 1], ids=["requests", "waiting"])
@pytest.mark.parametrize("ha_id", [MACHINE_ID, OVEN_ID])
def test_plan_is_near_what_is_made(
    ha_id: str, what: int, planned_and_made: dict[str, tuple[list[float], list[float]]]
) -> None:
    """Where nothing is in the way, what is planned is two thirds of what is made at least, 1.5 at most.

    That is so of effects that come at once, and of those that take as long as they may.
    """
    planned, made = planned_and_made[ha_id]
    assert made[what] / 1.5 <= planned[what] <= 1.5 * made[what]


def test_forbidden_values_of_all_settings_are_waited_for_once() -> None:
    """However many of them a setting has: those without any more wait for the others."""
    truth = truthful_profile(Recording(), BASE_URL)
    profile = build_profile({**truth, "pace": STILL, "timing": LATE}, CATALOG)
    stand_in = StandIn(CATALOG, profile)
    seen = stand_in.view(OVEN_ID)
    procedures = procedures_of(all_cases(profile, "write"), "write")[OVEN_ID]
    scripts = scripts_of([one for one in procedures if one.kind is ProcedureKind.GUARD], Stage(seen, {}))
    Player(seen, LearningLane(stand_in, Effects(seen))).play(scripts)
    written = [sum(one.exchange.purpose == "write" for one in script.answers) for script in scripts]
    assert len({*written}) > 1
    assert stand_in.cost.seconds == LATE["settle_s"]


def test_what_is_not_allowed_costs_nothing() -> None:
    """Nothing is counted that the write list does not name."""
    profile = profile_of(write=write_table())
    assert rehearse(all_cases(profile), profile, CATALOG, "power") == {}
