"""What is written together, what is not read again, and how long is waited for what comes late."""

from collections.abc import Callable, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from msgspec.structs import replace
from pydantic import JsonValue

from catalog import keys
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
)
from conformance.cases import CATALOG, all_cases
from conformance.checks.answer import Answer, Outcome
from conformance.checks.exchange import Remark
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
from conformance.checks.remarks import known
from conformance.checks.view import View
from conformance.harness.steps import Ask
from conformance.harness.writes.batches import Batch, KeptBatches, batches_of, scripts_of
from conformance.harness.writes.conducting import Conducting
from conformance.harness.writes.lanes import StoppedError
from conformance.harness.writes.player import Player
from conformance.harness.writes.preparing import Preparation
from conformance.harness.writes.procedures.model import Stage, WriteProcedure
from conformance.harness.writes.procedures.registry import procedure_of, procedures_of
from conformance.harness.writes.procedures.settings import SettingWrites
from conformance.harness.writes.rehearsal import StandIn
from conformance.harness.writes.tours.playing import OrdersOfWrites
from conformance.model.state_table import StateId
from conformance.model.ways import CLEARING, PARTICULAR
from conformance.mutants.fleets import LAMP
from conformance.mutants.registry import find_server
from conformance.profiles.validation import build_profile
from conformance.proof.in_process import BASE_URL
from conformance.reference.profile import truthful_profile
from conformance.reference.service import Service
from conformance.selftest.support.handmade import (
    HA_ID,
    exchange,
    profile_of,
    refusal,
    seen_of,
    value,
    write_table,
)
from conformance.selftest.support.judged_runs import run_of
from conformance.selftest.support.recording import served_by
from conformance.selftest.support.stepping import Answering

NOW, NEXT, LATER = setting_group(CHILD_LOCK), setting_group(ALARM_CLOCK), guard_group(CHILD_LOCK)
SETTLE_S = 1.0
TIMING = {"settle_s": SETTLE_S, "power_settle_s": SETTLE_S}
PROFILE = build_profile({**truthful_profile(Service(), BASE_URL), "timing": TIMING})
PLANNED = procedures_of(all_cases(PROFILE, "power"), "power")
HOODS, FRIDGES = "hood-1", "fridge-1"
TIMEOUT, OTHER, FORCE = (
    f"Refrigeration.Common.Setting.Door.Assistant{name}"
    for name in ("TimeoutFridge", "TimeoutFreezer", "ForceFridge")
)


def batch(*keys: str, of: Callable[[str], Group] = setting_group) -> tuple[Group, ...]:
    """What is written of some keys together."""
    return tuple(map(of, keys))


def apart(*keys: str) -> tuple[tuple[Group, ...], ...]:
    """What is written of each key by itself."""
    return tuple(map(batch, keys))


MANY = [entry.key for entry in CATALOG.settings[:30]]
BATCHED: dict[str, tuple[str, Sequence[Sequence[Group]]]] = {
    # A switch or a colour may keep another key from being written; nothing else of a light does.
    "two lights": (HOODS, [batch(LIGHTING, AMBIENT_ENABLED)]),
    "what two lights show": (HOODS, [batch(LIGHTING_BRIGHTNESS, COLOR_TEMPERATURE, AMBIENT_COLOR)]),
    "switch and brightness": (HOODS, apart(LIGHTING, LIGHTING_BRIGHTNESS)),
    "two colours of a light": (HOODS, apart(COLOR_TEMPERATURE, COLOR_PERCENT)),
    "brightness and colour": (HOODS, apart(AMBIENT_BRIGHTNESS, AMBIENT_COLOR)),
    "switch and colour": (HOODS, apart(AMBIENT_ENABLED, AMBIENT_COLOR)),
    "two modes": (FRIDGES, apart(ECO_MODE, keys.VACATION_MODE)),
    "unit, lock and setpoint": (FRIDGES, apart(keys.TEMPERATURE_UNIT, CHILD_LOCK, keys.SETPOINT)),
    "unit and light": (FRIDGES, [batch(keys.TEMPERATURE_UNIT, keys.INTERNAL_LIGHT)]),
    # What has no effect disturbs nothing, however many they are.
    "forbidden writes": (FRIDGES, [batch(*MANY, of=guard_group)]),
    # No edge value of a switch or a mode may have an effect.
    "edges of switches": (FRIDGES, [batch(CHILD_LOCK, LIGHTING, AMBIENT_COLOR, ECO_MODE, of=edge_group)]),
    "edges of a light": (HOODS, [batch(AMBIENT_COLOR, AMBIENT_BRIGHTNESS, of=edge_group)]),
    "edges of a mode and a light": (FRIDGES, [batch(ECO_MODE, keys.INTERNAL_BRIGHTNESS, of=edge_group)]),
    # A number of a range may have an effect, and move its neighbour.
    "edges of neighbours": (FRIDGES, [batch(TIMEOUT, of=edge_group), batch(OTHER, of=edge_group)]),
    "edges before guards": (
        HOODS,
        [batch(AMBIENT_BRIGHTNESS, of=edge_group), batch(AMBIENT_BRIGHTNESS, of=guard_group)],
    ),
    "a guard beside the edge of a neighbour": (FRIDGES, [(edge_group(OTHER), guard_group(TIMEOUT))]),
    # What one stores that it must not, the other may undo before anybody reads it.
    "forbidden writes of one setting": (
        HOODS,
        [batch(AMBIENT_COLOR, of=edge_group), batch(AMBIENT_COLOR, of=guard_group)],
    ),
    "forbidden writes of two settings": (HOODS, [(edge_group(AMBIENT_ENABLED), guard_group(AMBIENT_COLOR))]),
    "forbidden writes and numbers": (HOODS, [(edge_group(AMBIENT_BRIGHTNESS), guard_group(AMBIENT_COLOR))]),
    # No setting is written while power is switched; what is written under a mode rests on it.
    "power states": (HOODS, [(POWER_ORDERS,), (AMBIENT_ORDERS,)]),
    "under a mode": (FRIDGES, [(mode_group(keys.SUPER_FREEZER),), batch(FORCE)]),
    # What couples nothing waits at the same time.
    "lights": (HOODS, [(AMBIENT, HOOD)]),
    "tours": (HOODS, [(AMBIENT_ORDERS, HOOD_ORDERS)]),
    "mode and setting": (FRIDGES, [(mode_group(keys.SUPER_FREEZER), setting_group(TIMEOUT))]),
}
"""An appliance of the reference, and what is written to it, in batches."""


def procedures_for(ha_id: str, *groups: Group) -> list[WriteProcedure]:
    """The procedures of some groups, as a run of an appliance has them; of orders of writes, the tours."""
    planned = {one.group: one for one in PLANNED[ha_id]}
    made = [planned.get(group) or procedure_of(group) for group in groups]
    return [one.toured if isinstance(one, OrdersOfWrites) else one for one in made]


@pytest.mark.parametrize("name", BATCHED)
def test_only_what_is_coupled_is_written_apart(name: str) -> None:
    """What nothing couples is written together, in the order of its turns."""
    ha_id, groups = BATCHED[name]
    batches = [procedures_for(ha_id, *together) for together in groups]
    view = StandIn(PROFILE).view(ha_id)
    assert batches_of([one for together in batches for one in together], view) == batches


def test_of_allowed_writes_twelve_wait_at_most() -> None:
    """What one of them has read before is to be true when it writes."""
    settings = procedures_for(FRIDGES, *batch(*MANY))
    assert max(map(len, batches_of(settings, StandIn(PROFILE).view(FRIDGES)))) <= 12


def waited_s(ha_id: str, procedures: Sequence[WriteProcedure], *, is_late: bool = True) -> float:
    """How long is waited for procedures that are made together."""
    stand_in = StandIn(PROFILE, is_late=is_late)
    seen = stand_in.view(ha_id)
    Player(stand_in).play(scripts_of(procedures, Stage(seen, {})))
    return stand_in.cost.seconds


@pytest.mark.parametrize("name", ["lights", "tours", "mode and setting"])
def test_those_that_couple_nothing_take_as_long_as_the_longest(name: str) -> None:
    """Where effects come late, one waits while the other does."""
    ha_id, (groups,) = BATCHED[name]
    procedures = procedures_for(ha_id, *groups)
    alone = [waited_s(ha_id, [one]) for one in procedures]
    assert min(alone) > SETTLE_S
    assert waited_s(ha_id, procedures) == pytest.approx(max(alone), rel=0.05)


class Erring(StandIn):
    """Meets an error at one read, of a key that stands beside the one that was written."""

    written, has_erred = "", False

    def ask(self, ask: Ask) -> Answer:
        """As any other one does, but for that."""
        self.written = ask.key if ask.purpose == "write" else self.written
        answer = super().ask(ask)
        if self.has_erred or self.written in {"", ask.key}:
            return answer
        self.has_erred = True
        return replace(answer, outcome=Outcome.SERVERERR)


def test_error_ends_no_tour() -> None:
    """It says nothing of what is there, so that is read again, and all writes are made."""
    writes: list[int] = []
    for kind in (StandIn, Erring):
        lane = kind(PROFILE)
        seen = lane.view(HOODS)
        Player(lane).play(scripts_of(procedures_for(HOODS, AMBIENT_ORDERS), Stage(seen, {})))
        writes.append(lane.cost.writes)
    assert writes[0] == writes[1] > 20


def test_what_was_left_to_a_batch_that_was_cut_short_is_not_kept() -> None:
    """A run that goes on reads anew for the procedures that the one before had not come to."""
    sent = replace(exchange(keys.POWER_STATE, purpose="repeat"), lane=HA_ID, groups=(NOW, NEXT, LATER))
    made = [Batch(HA_ID, (NOW,)), Batch(HA_ID, (NEXT,))]
    kept = KeptBatches([sent], [batch.remark for batch in made])
    assert [one.groups for one in kept.sent(made[0])] == [(NOW, NEXT)]


def test_nobody_is_written_to_while_another_one_watches_it(tmp_path: Path) -> None:
    """Each appliance of a unit has its turn, beside one of another unit, before anything else is written.

    What moved then is written again alone.
    """
    kind = find_server("one-vacation-a-household")
    lamps = LAMP, replace(LAMP, ha_id="lamp-2")
    beside = served_by(kind, fleet=(*kind.fleet, *lamps))
    run = run_of(beside(), tmp_path, "write", clauses={"ADDR-HAID-ISOLATION", "SET-WRITABLE"})
    lines = [line for line in run.evidence if line.get("purpose") == "write" and "request" in line]
    written = [(line["lane"], line["groups"][0]) for line in lines]
    compared = [group.startswith("isolation/") for _, group in written]
    assert compared == sorted(compared, reverse=True)
    lanes = [lane for lane, group in written if group.startswith("isolation/")]
    for fleet in (kind.fleet, lamps):
        names = [spec.ha_id for spec in fleet]
        assert [name for name, _ in groupby(lane for lane in lanes if lane in names)] == names
    assert len([*groupby(lanes)]) > len({*lanes})
    alone = {
        name: [place for place, one in enumerate(written) if one[0] == name and one[1].endswith("/alone")]
        for name in lanes
    }
    found = {name: {*lanes[places[0] : places[-1] + 1]} for name, places in alone.items() if places}
    assert found == {spec.ha_id: {spec.ha_id} for spec in kind.fleet}


@pytest.mark.parametrize(
    ("made", "kept"), [((NOW, NEXT, LATER), (NOW, NEXT, LATER)), ((NEXT, LATER), (LATER,))]
)
def test_what_began_with_a_read_of_a_batch_that_is_not_kept_is_made_again(
    made: tuple[Any, ...], kept: tuple[Any, ...]
) -> None:
    """So is what began with one of that."""
    read = replace(exchange(CHILD_LOCK, purpose="repeat"), n=7, lane=HA_ID, groups=(NOW,))
    noted: list[Remark] = [
        known((NEXT,), HA_ID, read),
        *(Batch(HA_ID, (group,)).remark for group in made),
    ]
    batches = KeptBatches([read], noted)
    assert [group for group in (NOW, NEXT, LATER) if batches.made(HA_ID, (group,))] == [*kept]


# How long is waited until a state shows what it hid, or something has had time to fall back.
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
    ("found", "states", "pauses", "errs"),
    [
        (light(is_on=True, color=keys.COLOR_CUSTOM), PARTICULAR, [0.1], False),
        (light(is_on=False, color=keys.COLOR_1), CLEARING, [10], False),
        (light(is_on=False, color=keys.COLOR_1), CLEARING, [0.2, 10], True),
    ],
    ids=["colour", "dark", "error"],
)
def test_what_a_state_hid_may_come_late(
    found: View, states: tuple[StateId, ...], pauses: list[float], *, errs: bool
) -> None:
    """A light that was dark may take the settle time to show its own value; a colour was confirmed. What met
    an error may be in the way, and is looked at again.
    """
    procedure = SettingWrites(setting_group(keys.AMBIENT_BRIGHTNESS), frozenset())
    lane = Answering(found, light(is_on=True, color=keys.COLOR_1), errs=errs)
    Preparation([procedure], "write", states).make(lane)
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
    Preparation([procedure], "power", CLEARING).make(lane)
    assert lane.pauses == [2, 7, 1, 1, 1]


@pytest.mark.parametrize("colors", [[keys.COLOR_1], [keys.COLOR_CUSTOM, keys.COLOR_1]], ids=["one", "two"])
def test_what_a_prepared_state_shows_is_known_no_longer_than_that(colors: list[str]) -> None:
    """Where a signal ends the run while it is given up, the last look knows the appliance as it was found.

    A second state, within which the suite crashed, is given up before it; the signal comes meanwhile.
    """
    found = light(is_on=False, color=colors[0])
    procedure = SettingWrites(setting_group(keys.AMBIENT_BRIGHTNESS), frozenset())
    lane = Answering(found, *(light(is_on=True, color=color) for color in colors))
    make, leave = Mock(side_effect=ValueError), Mock(side_effect=[StoppedError, None])
    with pytest.raises(StoppedError):
        Conducting(lane, "write", make, lambda one: one.make(lane), leave).conduct([procedure])
    assert lane.seen is found
    assert leave.call_count == len(colors)
