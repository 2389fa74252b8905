"""Procedures that are made together: what they leave to those that come next, who is made again alone, and
how lanes wait.
"""

from contextlib import suppress
from functools import partial
from pathlib import Path
from queue import Empty
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
    FREEZER_SETPOINT,
    LIGHTING,
    LIGHTING_BRIGHTNESS,
    POWER_STATE,
    SETPOINT,
    TEMPERATURE_UNIT,
    VACATION_MODE,
)
from conformance.cases import CATALOG
from conformance.checks.exchange import Purpose
from conformance.checks.groups import Group, edge_group, guard_group, setting_group
from conformance.checks.traces.quiet import Effects
from conformance.harness.reads.gets import reread
from conformance.harness.steps import Ask, Handing, Part, Pause, Procedure, Step
from conformance.harness.writes import lanes
from conformance.harness.writes.batches import Handover, batches_of, to_make_alone, together, turns_of
from conformance.harness.writes.keeping.kept_batches import Batch, KeptBatches
from conformance.harness.writes.lanes import Lane, Lanes
from conformance.harness.writes.procedures.registry import procedure_of
from conformance.harness.writes.procedures.requests import write
from conformance.model.values import Shown
from conformance.mutants.fleets import FRIDGE_SETPOINTS
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

NOW, NEXT, LATER = setting_group(CHILD_LOCK), setting_group(ALARM_CLOCK), guard_group(CHILD_LOCK)
SEEN = seen_of(
    profile_of(write=write_table("*")),
    value(SETPOINT, shown=5),
    value(CHILD_LOCK, shown=False),
    value(ALARM_CLOCK, shown=0),
    value(POWER_STATE, shown="Vendor.Common.EnumType.PowerState.On"),
)


def look(group: Group, handing: Handing) -> Ask:
    """A read of the power state."""
    return replace(reread(SEEN, POWER_STATE, group), handing=handing)


def asked(handover: Handover, ask: Ask) -> list[Ask]:
    """What is sent for a request."""
    steps, sent = handover.answered(ask), list[Ask]()
    try:
        step = next(steps)
        while isinstance(step, Ask):
            sent.append(step)
            step = steps.send(SEEN.reads["settings", POWER_STATE])
    except StopIteration:
        pass
    return sent


def test_last_read_is_the_first_one_of_those_that_come_next() -> None:
    """It is made once, and the ledger says for whom; others read for themselves."""
    handover = Handover(to=(NEXT,))
    (left,) = asked(handover, look(NOW, Handing.LEFT))
    assert (left.group, left.also) == (NOW, (NEXT,))
    assert [len(asked(handover, look(group, Handing.TAKEN))) for group in (NEXT, LATER)] == [0, 1]


def test_nothing_is_left_of_what_was_read_before_a_write() -> None:
    """What a write may have moved is read again."""
    handover = Handover(to=(NEXT,))
    asked(handover, look(NOW, Handing.LEFT))
    asked(handover, write(SEEN, NOW, CHILD_LOCK, value=True))
    assert len(asked(handover, look(NEXT, Handing.TAKEN))) == 1


TURNS: list[tuple[tuple[str, ...], list[list[list[int]]]]] = [
    ((LIGHTING, AMBIENT_ENABLED), [[[], []]]),
    ((LIGHTING_BRIGHTNESS, COLOR_TEMPERATURE, AMBIENT_COLOR), [[[], [], []]]),
    ((LIGHTING, LIGHTING_BRIGHTNESS), [[[]], [[]]]),
    ((COLOR_TEMPERATURE, COLOR_PERCENT), [[[]], [[]]]),
    ((AMBIENT_BRIGHTNESS, AMBIENT_COLOR), [[[]], [[]]]),
    ((AMBIENT_ENABLED, AMBIENT_COLOR), [[[]], [[]]]),
    ((ECO_MODE, VACATION_MODE), [[[], [0]]]),
    ((TEMPERATURE_UNIT, CHILD_LOCK, SETPOINT), [[[], [0]], [[]]]),
]
"""Keys, and for each batch of them the numbers of those that each one waits for."""


@pytest.mark.parametrize(("keys", "turns"), TURNS)
def test_only_lights_that_a_rule_couples_are_written_apart(
    keys: tuple[str, ...], turns: list[list[list[int]]]
) -> None:
    """A switch or a colour may keep another key from being written; nothing else of a light does.

    What moves nothing that an earlier one still looks at is written as soon as that one only looks, unless
    that one may have moved what it shows.
    """
    batches = batches_of([procedure_of(setting_group(key)) for key in keys], SEEN)
    assert [turns_of(batch, SEEN) for batch in batches] == turns


def made(name: str, log: list[str], *, is_last: bool = False, result: bool = True) -> Part[bool]:
    """A procedure that says when it writes, and when it has ended."""
    log.append(f"{name} writes")
    yield Pause(1.0, is_last=is_last)
    log.append(f"{name} ends")
    return result


@pytest.mark.parametrize(
    ("is_last", "result", "order"),
    [
        (True, True, ["lock writes", "clock writes", "lock ends", "clock ends"]),
        (True, False, ["lock writes", "clock writes", "lock ends", "clock ends"]),
        (False, True, ["lock writes", "lock ends", "clock writes", "clock ends"]),
        (False, False, ["lock writes", "lock ends"]),
    ],
)
def test_one_begins_when_the_one_before_it_only_looks(
    *, is_last: bool, result: bool, order: list[str]
) -> None:
    """Where that ends otherwise than it should before, nothing is written on what it has left."""
    log: list[str] = []
    procedures = [
        made("lock", log, is_last=is_last, result=result),
        made("clock", log, is_last=False, result=True),
    ]
    steps = together(procedures, Effects(SEEN), Handover(), [[], [0]])
    assert (len(list(steps)), log) == (1 if is_last else len(order) // 2, order)


@pytest.mark.parametrize("is_quiet", [True, False])
def test_pause_of_a_batch_is_quiet_where_that_of_a_procedure_is(*, is_quiet: bool) -> None:
    """Whoever counts what a batch sends tells its polls from a read after a quiet wait."""

    def waiting() -> Part[bool]:
        yield Pause(1.0, is_quiet=is_quiet)
        return True

    pauses = [step for step in together([waiting()], Effects(SEEN), Handover()) if isinstance(step, Pause)]
    assert [pause.is_quiet for pause in pauses] == [is_quiet]


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

    def asking() -> Part[bool]:
        yield ask
        return True

    steps, made = together([asking()], Effects(SEEN), Handover()), list[Step]()
    step = next(steps)
    with suppress(StopIteration):
        while True:
            made.append(step)
            step = steps.send(told)
    assert len(made) == sent


@pytest.mark.parametrize(("results", "again"), [((True, True), 0), ((False, True), 2), ((True, False), 1)])
def test_what_was_disturbed_is_made_again_too(results: tuple[bool, bool], again: int) -> None:
    """Forbidden writes are made together; where one had an effect, what depends on its key is made again."""
    forbidden = [procedure_of(guard_group(key)) for key in (CHILD_LOCK, ALARM_CLOCK)]
    assert batches_of(forbidden, SEEN) == [forbidden]
    assert to_make_alone(forbidden, results, SEEN) == forbidden[len(forbidden) - again :]


def test_what_was_left_to_a_batch_that_was_cut_short_is_not_kept() -> None:
    """A run that goes on reads anew for the procedures that the one before had not come to."""
    sent = replace(exchange(POWER_STATE, purpose="repeat"), lane=HA_ID, groups=(NOW, NEXT, LATER))
    made = [Batch(HA_ID, (NOW,)), Batch(HA_ID, (NEXT,))]
    kept = KeptBatches([sent], [batch.remark for batch in made])
    assert [one.groups for one in kept.sent(made[0])] == [(NOW, NEXT)]


@pytest.mark.parametrize(("keys", "written"), [((SETPOINT,), 5), ((SETPOINT, FREEZER_SETPOINT), 4)])
def test_middle_of_a_range_is_written_to_keys_that_are_made_alone(
    keys: tuple[str, ...], written: int, tmp_path: Path
) -> None:
    """Of those made together, the value that is written back lies between the ends, too.

    To each, one number is also written with a point.
    """
    service: type[Service] = type("Cool", (Service,), {"fleet": (FRIDGE_SETPOINTS.only(*keys),)})
    run = run_of(service(), tmp_path, "write", clauses={"SET-WRITABLE", "RANGE-WRITE-BOUNDS"})
    assert [len(run.written(f"set/{key}")) for key in keys] == [written] * len(keys)


class FreeQueue:
    """A queue that stays empty, as CPython has it: whoever looks takes its lock, and keeps it.

    Where a timed wait takes the lock itself and its time is over by then, the wait never ends.
    """

    is_locked = False

    def get_nowait(self) -> None:
        """Takes the lock."""
        self.is_locked = True
        raise Empty

    def get(self, timeout: float) -> None:
        """Waits for ever, or not at all."""
        assert self.is_locked, f"a wait of {timeout} s may never end"
        raise Empty


def pausing() -> Procedure:
    """Pauses twice, for no time."""
    yield Pause(0)
    yield Pause(0)


def test_pause_that_is_over_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """No timed wait begins on a queue whose lock is free."""
    monkeypatch.setattr(lanes, "SimpleQueue", FreeQueue)
    lane = Lane("oven-1", Mock(), lambda _: pausing())
    Lanes(Mock(width=1, is_ending=False)).run([lane])
    assert next(lane.steps, "ended") == "ended"


def noting(begun: list[str], lane: Lane) -> Procedure:
    """Notes when a lane begins, and when it ends."""
    begun.append(lane.name)
    yield Pause(0)
    begun.append(lane.name)


@pytest.mark.parametrize("is_ending", [False, True])
def test_lane_begins_unless_the_run_ends(*, is_ending: bool) -> None:
    """As the run ends, only those begin that put something back."""
    begun: list[str] = []
    first, last = (Lane(name, Mock(), partial(noting, begun)) for name in ("first", "last"))
    last.is_restoring = True
    Lanes(Mock(width=1, is_ending=is_ending)).run([first, last])
    assert begun == [*(() if is_ending else ("first", "first")), "last", "last"]
