"""When late effects are looked for, and how long what must not move, or never comes, is waited for."""

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from functools import partial
from itertools import groupby
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any, cast

import pytest
from msgspec.structs import replace

from catalog import keys
from catalog.keys import (
    CHILD_LOCK,
    COOLING_MODES,
    CUSTOM_COLOR,
    ECO_MODE,
    FREEZER_DOOR,
    FREEZER_SETPOINT,
    OFF,
    ON,
    POWER_STATE,
    SETPOINT,
    STANDBY,
)
from conformance.checks.exchange import Exchange
from conformance.checks.view import View
from conformance.harness.writes.asking import poll_pauses
from conformance.harness.writes.keeping.gate import Gate
from conformance.harness.writes.keeping.owed import Closed
from conformance.harness.writes.lanes import LiveLane
from conformance.harness.writes.watching import Watch
from conformance.mutants.fleets import THREE_STATES, THREE_STATES_AND_LOCK
from conformance.mutants.registry import find_server
from conformance.mutants.shapes.states import Late
from conformance.reference.appliance import Appliance
from conformance.reference.fleets.cooling import FRIDGE_CELSIUS
from conformance.reference.service import Service
from conformance.reference.wire import Incoming, Json, Reply
from conformance.selftest.support.judged_runs import STILL, run_of
from conformance.selftest.support.samples.handmade import (
    HA_ID,
    exchange,
    profile_of,
    seen_of,
    value,
    write_table,
)
from conformance.selftest.support.stepping import Answering

SLOWEST_S = 4.5
EFFECT_S, SETTLE_S = 5.0, 10.0


@pytest.mark.parametrize(
    ("slowest_s", "pauses"),
    [
        (None, [1 / 16, 1 / 8, 1 / 4, 1 / 2, 1, 1, 1]),
        (0.01, [1 / 16, 1 / 8, 1 / 4, 1 / 2, 1, 1, 1]),
        (0.4, [0.1, 0.1, 0.1, 0.1, 0.1, 0.2, 0.4, 0.8, 1, 1]),
        (SLOWEST_S, [0.5] * 9),
        (100.0, [10 / 15] * 15),
    ],
    ids=["unknown", "at once", "soon", "late", "later than this key may take"],
)
def test_effects_are_looked_for_when_they_may_come(slowest_s: float | None, pauses: list[float]) -> None:
    """As often as before, but evenly up to the slowest that was seen, and ever more seldom after it."""
    seen = seen_of(profile_of(timing={"settle_s": 10, "poll_s": 1}))
    made = [*poll_pauses(seen, keys.CHILD_LOCK, slowest_s)]
    assert made[: len(pauses)] == pytest.approx(pauses)
    assert 10 <= sum(made) < 10 + pauses[0] + 1


class Slow(Service):
    """Effects come after half of the settle time; what a mode moves when it ends, later than that.

    Attributes:
        moved: which mode moves a setpoint then.
    """

    fleet = tuple(own for own in Service.fleet if own.ha_id == "fridge-1")
    moved = ""

    def apply(self, appliance: Appliance, key: str, value: Json) -> None:
        """Takes a write late."""
        effect = super().apply
        self.timers.arm(("late", key), EFFECT_S, lambda: effect(appliance, key, value))
        if key == self.moved and value is False:
            self.timers.arm(
                ("moved", key), SETTLE_S - 1, lambda: self.change(appliance, keys.FREEZER_SETPOINT, -20)
            )


def seconds_of(lines: Iterable[Mapping[str, Any]]) -> list[float]:
    """When some requests were made."""
    return [datetime.fromisoformat(line["at"]).timestamp() for line in lines]


def test_a_mode_is_watched_while_it_is_on(tmp_path: Path) -> None:
    """What it must leave alone has the settle time then; when it has ended, it has to stay off alone."""
    clauses = {"COOL-VACATION-FREEZER", "COOL-FRESH-FREEZER"}
    run = run_of(Slow(), tmp_path, "write", {"timing": {"settle_s": SETTLE_S}}, clauses=clauses)
    mode = keys.FRESH_MODE
    lines = [line for line in run.evidence if f"mode/{mode}" in line.get("groups", ())]
    lines = [line for line in lines if line["key"] == mode]
    on, off = (line for line in lines if line["purpose"] == "write")
    at = seconds_of((on, off, lines[-1]))
    assert at[1] - at[0] >= SETTLE_S
    assert EFFECT_S + 2 <= at[2] - at[1] < SETTLE_S


def test_what_a_mode_moves_when_it_ends_is_not_taken_for_the_next_one_s(tmp_path: Path) -> None:
    """It moves while the next one is on, which is made again alone."""
    service = type("Moving", (Slow,), {"moved": keys.VACATION_MODE})()
    clauses = {"COOL-VACATION-FREEZER", "COOL-FRESH-FREEZER"}
    run = run_of(service, tmp_path, "write", {"timing": {"settle_s": SETTLE_S}}, clauses=clauses)
    assert {one.verdict for one in run.cases.values()} == {"pass"}
    alone = f"mode/{keys.FRESH_MODE}/alone"
    assert any(alone in line.get("groups", ()) for line in run.evidence)


TABLES = {"timing": {"settle_s": SETTLE_S, "power_settle_s": SETTLE_S}, "pace": STILL | {"generated": 300}}
TRIED = 3
"""How often a tour writes what has no effect, at most, and waits for it."""


class NeverInStandby(Service):
    """A machine that is switched on acknowledges Standby, and stays on."""

    fleet = (THREE_STATES,)

    def apply(self, appliance: Appliance, key: str, value: Json) -> None:
        if (key, value, appliance.values[key]) != (POWER_STATE, STANDBY, ON):
            super().apply(appliance, key, value)


class OneModeAtATime(Late, find_server("super-remembers-the-setpoint")):
    """A cooling mode is acknowledged and not switched on while another one is on; effects take 0.1 s.

    The setpoint that is lost when SuperModeFreezer is switched on again shows in a tour alone.
    """

    fleet = (FRIDGE_CELSIUS.only(SETPOINT, FREEZER_SETPOINT, *COOLING_MODES, FREEZER_DOOR),)

    def apply(self, appliance: Appliance, key: str, value: Json) -> None:
        others = (mode for mode in COOLING_MODES if mode != key and appliance.values[mode] is True)
        if not (key in COOLING_MODES and value is True and any(others)):
            super().apply(appliance, key, value)


class RestsAtTimes(Late, find_server("off-refused-after-two-rests")):
    """Every second Standby that a machine is told while it is on has no effect; the others take 0.1 s."""

    def apply(self, appliance: Appliance, key: str, value: Json) -> None:
        is_rest = (value, appliance.values[key]) == (STANDBY, ON)
        appliance.kept["rests"] = appliance.kept.get("rests", 0) + is_rest
        if not is_rest or appliance.kept["rests"] % 2 == 0:
            super().apply(appliance, key, value)


def test_a_dead_edge_is_waited_for_as_often_as_it_tells_something(tmp_path: Path) -> None:
    """It is found; a tour waits for it three times, and then writes on."""
    run = run_of(NeverInStandby(), tmp_path, "power", TABLES)
    assert run.red() == {"PWR-ON-STANDBY"}
    assert run.writes("tour/").count(("PowerState", "Standby")) > TRIED
    times = seconds_of(run.requests("tour/"))
    assert TRIED * SETTLE_S <= times[-1] - times[0] < (TRIED + 1) * SETTLE_S


@pytest.mark.parametrize(
    ("service", "found"),
    [(OneModeAtATime, {"COOL-SUPER-FREEZER"}), (RestsAtTimes, {"PWR-ON-OFF", "PWR-ON-STANDBY"})],
)
def test_what_has_an_effect_at_times_is_waited_for(
    tmp_path: Path, service: type[Service], found: set[str]
) -> None:
    """What comes of a write that had no effect before is seen, late as it is, and what it leads to."""
    settles = {"settle_s": 2.0, "power_settle_s": 2.0}
    assert run_of(service(), tmp_path, "power", TABLES | {"timing": settles}).red() == found


class UsedByAnother(Late):
    """Somebody else switches the machine off and on, and leaves it alone for minutes in between, at times."""

    fleet = (THREE_STATES_AND_LOCK,)
    has_begun = False

    def late_s(self, appliance: Appliance) -> float:  # noqa: ARG002  the same of every appliance
        return SETTLE_S / 2

    def answer(self, request: Incoming) -> Reply:
        if not self.has_begun:
            self.has_begun, rests, at_s = True, Random(47), 165.0
            for number in range(200):
                self.timers.arm(
                    ("another", str(number)), at_s, partial(self.switch, ON if number % 2 else OFF)
                )
                at_s += rests.choice((10.0, 10.0, 10.0, 150.0))
        return super().answer(request)

    def switch(self, value: Json) -> None:
        """Somebody else writes a power state."""
        for one in self.appliances.values():
            self.apply(one, POWER_STATE, value)


def test_somebody_else_who_rests_for_minutes_is_not_taken_for_a_fault(tmp_path: Path) -> None:
    """Whether somebody else writes is looked for over twice the time that a tour takes."""
    assert run_of(UsedByAnother(), tmp_path, "power", TABLES).red() == set()


def test_walks_that_are_made_again_take_turns_and_are_watched_together(tmp_path: Path) -> None:
    """Three machines are walked one after the other; then nobody writes while all of them are watched.

    Before that, none is watched: whoever walked beside the others is walked again.
    """
    machines = [f"dishwasher-{number}" for number in range(3)]
    fleet = tuple(replace(THREE_STATES, ha_id=name) for name in machines)
    run = run_of(type("Three", (NeverInStandby,), {"fleet": fleet})(), tmp_path, "power", TABLES)
    again = [*run.requests("walk/alone"), *run.requests("watch")]
    since = sorted(again, key=lambda line: line["n"])
    assert "watch" not in since[0]["groups"]
    steps = groupby((line["ha_id"], "watch" in line["groups"]) for line in since)
    assert [ha_id for (ha_id, is_watched), _ in steps if not is_watched] == [*machines, *machines]


class MovedMeanwhile(Answering):
    """A lane of an appliance that turns off while it waits, and whose run does something else then."""

    def __init__(self, found: View, moved: View, meanwhile: Callable[[], object]) -> None:
        super().__init__(found, moved)
        self._meanwhile = meanwhile

    def pause(self, seconds: float) -> None:
        super().pause(seconds)
        self._seen = self._written
        self._meanwhile()


@pytest.mark.parametrize("is_answered", [True, False])
@pytest.mark.parametrize(
    ("shows", "key", "written", "is_left"),
    [
        ((POWER_STATE, ON, OFF), POWER_STATE, OFF, False),
        ((POWER_STATE, ON, OFF), POWER_STATE, STANDBY, True),
        ((POWER_STATE, ON, OFF), CHILD_LOCK, True, True),
        ((POWER_STATE, ON, OFF), ECO_MODE, True, True),
        ((CUSTOM_COLOR, "#102030", "#aabbcc"), CUSTOM_COLOR, "#AABBCC", False),
        ((CUSTOM_COLOR, "#102030", "#aabbcc"), CUSTOM_COLOR, "#AABBCD", True),
    ],
)
def test_what_the_run_writes_elsewhere_explains_only_what_it_is_taken_for(
    shows: tuple[str, str, str], key: str, written: object, *, is_left: bool, is_answered: bool
) -> None:
    """A setting moves while another appliance is written to: the same value may have gone to both, also
    before the write of it is answered.
    """
    profile, (moving, *states) = profile_of(write=write_table("*")), shows
    found, moved = (seen_of(profile, value(moving, state)) for state in states)
    exchanges, closed = list[Exchange](), Closed(found.catalog, [])
    under_way = list[tuple[str, object]]()
    gates = {"other": cast("Gate", SimpleNamespace(under_way=under_way))}
    watch = Watch({HA_ID: found}, closed, gates, exchanges)
    elsewhere = replace(exchange(key, purpose="write", ha_id="other"), value=written)
    answered, sent = partial(exchanges.append, elsewhere), partial(under_way.append, (key, written))
    lane = MovedMeanwhile(found, moved, answered if is_answered else sent)
    assert watch.look(cast("LiveLane", lane)) is is_left
