"""How long a run takes over a power state that no write reaches."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from itertools import groupby, pairwise
from pathlib import Path
from statistics import median
from typing import Any

from msgspec.structs import replace

from catalog.keys import ON, POWER_STATE, STANDBY
from conformance.mutants.fleets import THREE_STATES
from conformance.reference.appliance import Appliance
from conformance.reference.service import Service
from conformance.reference.wire import Json
from conformance.selftest.support.judged_runs import STILL, run_of

SETTLE_S = 10.0
TABLES = {"timing": {"settle_s": SETTLE_S, "power_settle_s": SETTLE_S}, "pace": STILL | {"generated": 300}}
TRIED = 3
"""How often a tour writes what has no effect, at most, and waits for it."""


class NeverInStandby(Service):
    """A machine that is switched on acknowledges Standby, and stays on."""

    fleet = (THREE_STATES,)

    def apply(self, appliance: Appliance, key: str, value: Json) -> None:
        if (key, value, appliance.values[key]) != (POWER_STATE, STANDBY, ON):
            super().apply(appliance, key, value)


def seconds_of(lines: Iterable[Mapping[str, Any]]) -> list[float]:
    """When some requests were made."""
    return [datetime.fromisoformat(line["at"]).timestamp() for line in lines]


def test_a_dead_edge_is_waited_for_as_often_as_it_tells_something(tmp_path: Path) -> None:
    """It is found; a tour waits for it three times, and then writes on."""
    run = run_of(NeverInStandby(), tmp_path, "power", TABLES)
    assert run.red() == {"PWR-ON-STANDBY"}
    assert run.writes("tour/").count(("PowerState", "Standby")) > TRIED
    times = seconds_of(run.requests("tour/"))
    assert TRIED * SETTLE_S <= times[-1] - times[0] < (TRIED + 1) * SETTLE_S


class Slow(NeverInStandby):
    """What is taken takes half of the settle time."""

    def apply(self, appliance: Appliance, key: str, value: Json) -> None:
        effect = super().apply
        self.timers.arm((appliance.ha_id, key), SETTLE_S / 2, lambda: effect(appliance, key, value))


def test_an_appliance_is_watched_by_how_long_this_run_leaves_it_as_it_is(tmp_path: Path) -> None:
    """Twice as long as it shows nothing new at most, and not twice as long as a whole tour takes."""
    run = run_of(Slow(), tmp_path, "power", TABLES)
    times = seconds_of(line for line in run.requests("watch") if line["key"] == POWER_STATE)
    assert SETTLE_S < median(later - one for one, later in pairwise(times)) < 2 * TRIED * SETTLE_S / 4


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
