"""Procedures that are made together: who may be, and who is made again alone."""

from itertools import groupby
from pathlib import Path
from unittest.mock import Mock

import pytest
from msgspec.structs import replace

from catalog.keys import (
    ALARM_CLOCK,
    AMBIENT_BRIGHTNESS,
    AMBIENT_COLOR,
    AMBIENT_ENABLED,
    CHILD_LOCK,
    COLOR_PERCENT,
    COLOR_TEMPERATURE,
    ECO_MODE,
    LIGHTING,
    LIGHTING_BRIGHTNESS,
    POWER_STATE,
    SETPOINT,
    TEMPERATURE_UNIT,
    VACATION_MODE,
)
from conformance.cases import CATALOG
from conformance.checks.exchange import Purpose
from conformance.checks.groups import edge_group, guard_group, setting_group
from conformance.checks.traces.quiet import Effects
from conformance.harness.reads.gets import reread
from conformance.harness.writes.asking import LearningLane
from conformance.harness.writes.batches import batches_of
from conformance.harness.writes.keeping.kept_batches import Batch, KeptBatches
from conformance.harness.writes.procedures.registry import procedure_of
from conformance.harness.writes.procedures.requests import write
from conformance.harness.writes.unsure import Unsure
from conformance.model.values import Shown
from conformance.mutants.fleets import FRIDGE_SETPOINTS, LAMP
from conformance.mutants.registry import find_server
from conformance.reference.service import Service
from conformance.selftest.support.judged_runs import run_of
from conformance.selftest.support.samples.handmade import (
    HA_ID,
    exchange,
    profile_of,
    seen_of,
    value,
    write_table,
)
from conformance.selftest.support.stepping import Answering

NOW, NEXT, LATER = setting_group(CHILD_LOCK), setting_group(ALARM_CLOCK), guard_group(CHILD_LOCK)
SEEN = seen_of(
    profile_of(write=write_table("*")),
    value(SETPOINT, shown=5),
    value(CHILD_LOCK, shown=False),
    value(ALARM_CLOCK, shown=0),
    value(POWER_STATE, shown="Vendor.Common.EnumType.PowerState.On"),
)


APART: list[tuple[tuple[str, ...], int]] = [
    ((LIGHTING, AMBIENT_ENABLED), 1),
    ((LIGHTING_BRIGHTNESS, COLOR_TEMPERATURE, AMBIENT_COLOR), 1),
    ((LIGHTING, LIGHTING_BRIGHTNESS), 2),
    ((COLOR_TEMPERATURE, COLOR_PERCENT), 2),
    ((AMBIENT_BRIGHTNESS, AMBIENT_COLOR), 2),
    ((AMBIENT_ENABLED, AMBIENT_COLOR), 2),
    ((ECO_MODE, VACATION_MODE), 2),
    ((TEMPERATURE_UNIT, CHILD_LOCK, SETPOINT), 3),
]
"""Keys, and in how many batches they are written."""


@pytest.mark.parametrize(("keys", "batches"), APART)
def test_only_what_a_rule_couples_is_written_apart(keys: tuple[str, ...], batches: int) -> None:
    """A switch or a colour may keep another key from being written; nothing else of a light does."""
    assert len(batches_of([procedure_of(setting_group(key)) for key in keys], SEEN)) == batches


def test_all_forbidden_writes_wait_together() -> None:
    """What has no effect disturbs nothing, however many they are; of allowed writes twelve wait at most."""
    keys = [entry.key for entry in CATALOG.settings][:30]
    forbidden, allowed = (
        [procedure_of(group(key)) for key in keys] for group in (guard_group, setting_group)
    )
    assert batches_of(forbidden, SEEN) == [forbidden]
    assert max(map(len, batches_of(allowed, SEEN))) <= 12


def test_values_that_are_none_of_the_type_wait_together() -> None:
    """No edge value of a switch or a mode may have an effect; one of a range may, and move what follows."""
    near = [procedure_of(edge_group(key)) for key in (CHILD_LOCK, LIGHTING, AMBIENT_COLOR, ECO_MODE)]
    numbers = [procedure_of(edge_group(key)) for key in (LIGHTING_BRIGHTNESS, COLOR_PERCENT)]
    assert batches_of([*near, *numbers], SEEN) == [near, numbers]


@pytest.mark.parametrize(("purpose", "sent"), [("repeat", 2), ("write", 1)])
def test_only_a_read_that_shows_something_new_is_made_again(purpose: Purpose, sent: int) -> None:
    """Another key, unit, range or list takes two reads; a write is made once, whatever its answer shows."""
    group = setting_group(SETPOINT)
    ask = reread(SEEN, SETPOINT, group) if purpose == "repeat" else write(SEEN, group, SETPOINT, 6)
    shown = replace(value(SETPOINT, shown=6, unit="degree"), purpose=purpose, groups=(group,))
    told = replace(SEEN.reads["settings", SETPOINT], exchange=shown, shown=Shown(unit="degree"))
    lane = Answering(replace(SEEN, reads={("settings", SETPOINT): told}))
    LearningLane(lane, Effects(SEEN)).ask(ask)
    assert len(lane.asked) == sent


@pytest.mark.parametrize(
    ("odd", "again"), [(CHILD_LOCK, [CHILD_LOCK, ALARM_CLOCK]), (ALARM_CLOCK, [ALARM_CLOCK])]
)
def test_what_was_disturbed_is_made_again_too(odd: str, again: list[str]) -> None:
    """Forbidden writes are made together; where one had an effect, what depends on its key is made again."""
    forbidden = [procedure_of(guard_group(key)) for key in (CHILD_LOCK, ALARM_CLOCK)]
    assert batches_of(forbidden, SEEN) == [forbidden]
    made = [
        Mock(procedure=one, is_well=one.group.subject != odd, is_patient=False, error=None)
        for one in forbidden
    ]
    found = Unsure(Mock(), Mock()).of(made, SEEN, 1)
    assert [one.group.subject for one in found] == again


def test_what_was_left_to_a_batch_that_was_cut_short_is_not_kept() -> None:
    """A run that goes on reads anew for the procedures that the one before had not come to."""
    sent = replace(exchange(POWER_STATE, purpose="repeat"), lane=HA_ID, groups=(NOW, NEXT, LATER))
    made = [Batch(HA_ID, (NOW,)), Batch(HA_ID, (NEXT,))]
    kept = KeptBatches([sent], [batch.remark for batch in made])
    assert [one.groups for one in kept.sent(made[0])] == [(NOW, NEXT)]


def test_ends_of_a_range_and_the_value_between_them_are_written(tmp_path: Path) -> None:
    """The one that is written back lies between the ends; one number is also written with a point."""
    service: type[Service] = type("Cool", (Service,), {"fleet": (FRIDGE_SETPOINTS.only(SETPOINT),)})
    run = run_of(service(), tmp_path, "write", clauses={"SET-WRITABLE", "RANGE-WRITE-BOUNDS"})
    assert len(run.written(f"set/{SETPOINT}")) == 4


def test_nobody_is_written_to_while_another_one_is_compared(tmp_path: Path) -> None:
    """Each appliance has its turn, and all have had it before anything else is written."""
    kind = find_server("one-vacation-a-household")
    lamps = LAMP, replace(LAMP, ha_id="lamp-2")
    beside: type[Service] = type("BesideLamps", (kind,), {"fleet": (*kind.fleet, *lamps)})
    run = run_of(beside(), tmp_path, "write", clauses={"ADDR-HAID-ISOLATION", "SET-WRITABLE"})
    written = [line for line in run.evidence if line.get("purpose") == "write" and "request" in line]
    compared = [line["groups"][0].startswith("isolation/") for line in written]
    assert compared == sorted(compared, reverse=True)
    lanes = [line["lane"] for line in written if line["groups"][0].startswith("isolation/")]
    assert len([*groupby(lanes)]) == len({*lanes}) == len(beside.fleet)
