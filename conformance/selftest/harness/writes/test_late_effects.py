"""When effects that come late are looked for, and how long what must not move is watched."""

from datetime import datetime
from pathlib import Path

import pytest

from catalog import keys
from conformance.harness.writes.procedures.parts import poll_pauses
from conformance.reference.appliance import Appliance
from conformance.reference.service import Service
from conformance.reference.wire import Json
from conformance.selftest.support.judged_runs import run_of
from conformance.selftest.support.samples.handmade import profile_of, seen_of

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


class Late(Service):
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


def test_a_mode_is_watched_while_it_is_on(tmp_path: Path) -> None:
    """What it must leave alone has the settle time then; when it has ended, it has to stay off alone."""
    clauses = {"COOL-VACATION-FREEZER", "COOL-FRESH-FREEZER"}
    run = run_of(Late(), tmp_path, "write", {"timing": {"settle_s": SETTLE_S}}, clauses=clauses)
    mode = keys.FRESH_MODE
    lines = [line for line in run.evidence if f"mode/{mode}" in line.get("groups", ())]
    lines = [line for line in lines if line["key"] == mode]
    on, off = (line for line in lines if line["purpose"] == "write")
    at = [datetime.fromisoformat(line["at"]).timestamp() for line in (on, off, lines[-1])]
    assert at[1] - at[0] >= SETTLE_S
    assert EFFECT_S + 2 <= at[2] - at[1] < SETTLE_S


def test_what_a_mode_moves_when_it_ends_is_not_taken_for_the_next_one_s(tmp_path: Path) -> None:
    """It moves while the next one is on, which is made again alone."""
    service = type("Moving", (Late,), {"moved": keys.VACATION_MODE})()
    clauses = {"COOL-VACATION-FREEZER", "COOL-FRESH-FREEZER"}
    run = run_of(service, tmp_path, "write", {"timing": {"settle_s": SETTLE_S}}, clauses=clauses)
    assert {one.verdict for one in run.cases.values()} == {"pass"}
    alone = f"mode/{keys.FRESH_MODE}/alone"
    assert any(alone in line.get("groups", ()) for line in run.evidence)
