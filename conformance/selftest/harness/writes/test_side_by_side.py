"""What couples nothing waits at the same time: kinds of procedures, tours, the values of settings."""

from collections.abc import Sequence

import pytest

from catalog import keys
from conformance.cases import CATALOG, all_cases
from conformance.checks.groups import (
    AMBIENT,
    AMBIENT_ORDERS,
    HOOD,
    HOOD_ORDERS,
    POWER_ORDERS,
    Group,
    edge_group,
    guard_group,
    mode_group,
    setting_group,
)
from conformance.checks.traces.quiet import Effects
from conformance.checks.view import View
from conformance.harness.writes.asking import LearningLane
from conformance.harness.writes.batches import batches_of, scripts_of
from conformance.harness.writes.player import Player
from conformance.harness.writes.procedures.model import Stage, WriteProcedure
from conformance.harness.writes.procedures.registry import procedures_of
from conformance.harness.writes.rehearsal import StandIn
from conformance.harness.writes.tours.playing import OrdersOfWrites
from conformance.profiles.validation import build_profile
from conformance.proof.in_process import BASE_URL
from conformance.reference.profile import truthful_profile
from conformance.reference.service import Service

SETTLE_S = 1.0
TIMING = {"settle_s": SETTLE_S, "power_settle_s": SETTLE_S}
PROFILE = build_profile({**truthful_profile(Service(), BASE_URL), "timing": TIMING}, CATALOG)
PLANNED = procedures_of(all_cases(PROFILE, "power"), "power")
HOODS, FRIDGES = "hood-1", "fridge-1"
TIMEOUT, TRIGGER, FORCE = (
    f"Refrigeration.Common.Setting.Door.Assistant{name}Fridge" for name in ("Timeout", "Trigger", "Force")
)


def named(ha_id: str, *groups: Group) -> list[WriteProcedure]:
    """Procedures of an appliance of the reference; of orders of writes, the tours."""
    found = [next(one for one in PLANNED[ha_id] if one.group == group) for group in groups]
    return [one.toured if isinstance(one, OrdersOfWrites) else one for one in found]


def view_of(ha_id: str) -> View:
    """The appliance as it is known when all was read once."""
    return StandIn(CATALOG, PROFILE).view(ha_id)


def waited_s(ha_id: str, procedures: Sequence[WriteProcedure], *, is_late: bool = True) -> float:
    """How long is waited for procedures that are made together."""
    stand_in = StandIn(CATALOG, PROFILE, is_late=is_late)
    seen = stand_in.view(ha_id)
    Player(seen, LearningLane(stand_in, Effects(seen))).play(scripts_of(procedures, Stage(seen, {})))
    return stand_in.cost.seconds


@pytest.mark.parametrize(
    ("ha_id", "groups"),
    [
        (HOODS, (AMBIENT, HOOD)),
        (HOODS, (AMBIENT_ORDERS, HOOD_ORDERS)),
        (FRIDGES, (mode_group(keys.SUPER_FREEZER), setting_group(TIMEOUT))),
    ],
    ids=["lights", "tours", "mode and setting"],
)
def test_those_that_couple_nothing_take_as_long_as_the_longest(ha_id: str, groups: Sequence[Group]) -> None:
    """Where effects come late, one waits while the other does."""
    procedures = named(ha_id, *groups)
    assert batches_of(procedures, view_of(ha_id)) == [procedures]
    alone = [waited_s(ha_id, [one]) for one in procedures]
    assert min(alone) > SETTLE_S
    assert waited_s(ha_id, procedures) == pytest.approx(max(alone), rel=0.05)


def test_a_tour_of_power_states_is_played_alone() -> None:
    """No setting is written while an appliance is switched off and on."""
    power, ambient = named(HOODS, POWER_ORDERS, AMBIENT_ORDERS)
    assert batches_of([power, ambient], view_of(HOODS)) == [[power], [ambient]]


def test_what_a_mode_writes_while_it_is_on_is_no_other_setting_of_its_batch() -> None:
    """The setting that is written under a mode rests on that mode, whatever the document couples."""
    mode, under = named(FRIDGES, mode_group(keys.SUPER_FREEZER), setting_group(FORCE))
    assert batches_of([mode, under], view_of(FRIDGES)) == [[mode], [under]]


def test_one_wait_is_for_the_values_of_all_settings() -> None:
    """However many values one of them has: that the last one of each stays is waited for at once."""
    number, switch = named(FRIDGES, setting_group(TIMEOUT), setting_group(TRIGGER))
    alone = [waited_s(FRIDGES, [one], is_late=False) for one in (number, switch)]
    assert waited_s(FRIDGES, [number, switch], is_late=False) == pytest.approx(max(alone)) != 0


def test_numbers_are_tried_beside_what_must_have_no_effect() -> None:
    """A value that no setting may take disturbs nothing, whatever may lock another one."""
    brightness, color = keys.AMBIENT_BRIGHTNESS, keys.AMBIENT_COLOR
    edges = named(HOODS, edge_group(color), edge_group(brightness))
    assert batches_of(edges, view_of(HOODS)) == [edges]
    guard = named(HOODS, guard_group(brightness))
    assert batches_of([*guard, *edges[1:]], view_of(HOODS)) == [guard, edges[1:]]
