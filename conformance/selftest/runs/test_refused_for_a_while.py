"""A write is refused, or not made, because of what an appliance, its hub or somebody does for a while."""

from functools import partial
from pathlib import Path

import pytest

from catalog.keys import (
    CHILD_LOCK,
    LOCAL_CONTROL,
    ON,
    OPERATION_STATE,
    POWER_STATE,
    READY,
    RUN,
    STANDBY,
    VACATION_MODE,
)
from conformance.mutants.fleets import (
    COFFEE_SETTINGS,
    FRIDGE_LIGHT,
    FRIDGE_MODES,
    HOOD_LIGHT,
    MACHINE,
    THREE_STATES,
)
from conformance.mutants.registry import find_server
from conformance.mutants.shapes.states import is_asleep
from conformance.mutants.shapes.writes import refuses_where
from conformance.reference.appliance import Appliance
from conformance.reference.wire import INVALID_STATE, Incoming, Json, Refusal, Reply
from conformance.selftest.support.judged_runs import run_of
from conformance.selftest.support.servers.recording import Recording

_DOZY = COFFEE_SETTINGS.having({POWER_STATE: ON, OPERATION_STATE: READY})


class FallsAsleep(Recording, refuses_where(lambda appliance, key, _: is_asleep(appliance, key))):
    """A coffee machine that goes to standby while it is read, and takes no other write there."""

    fleet = (_DOZY,)

    def answer(self, request: Incoming) -> Reply:
        if len(self.requests) == 40:
            self.apply(self.appliances[_DOZY.ha_id], POWER_STATE, STANDBY)
        return super().answer(request)


class ProgramEnds(Recording):
    """A coffee machine whose program comes to its end while it is read; it takes writes then."""

    fleet = (_DOZY.having({OPERATION_STATE: RUN, CHILD_LOCK: True}),)

    def answer(self, request: Incoming) -> Reply:
        if len(self.requests) == 40:
            self.change(self.appliances[_DOZY.ha_id], OPERATION_STATE, READY)
        return super().answer(request)


@pytest.mark.parametrize("service", [FallsAsleep, ProgramEnds])
def test_state_that_comes_or_goes_while_it_is_read_is_ended(tmp_path: Path, service: type[Recording]) -> None:
    """What is in the way of a write is known by what was read last, not by what was read first."""
    run = run_of(service(), tmp_path, "power", clauses={"SET-WRITABLE"})
    verdicts = {judged.verdict for judged in run.cases.values()}
    assert (verdicts, run.left) == ({"pass", "not_applicable"}, [])


class OneAtATime(Recording):
    """No appliance takes a write as long as another one is not as it was found."""

    fleet = (MACHINE, FRIDGE_LIGHT, COFFEE_SETTINGS)

    def accepts(self, appliance: Appliance, key: str, value: Json) -> Refusal | None:
        others = (one for one in self.appliances.values() if one is not appliance)
        is_busy = any(one.values != one.spec.values for one in others)
        return INVALID_STATE if is_busy else super().accepts(appliance, key, value)


def test_refusal_while_others_are_written_to_is_no_finding(tmp_path: Path) -> None:
    """What was refused beside the other appliance is written again once that one rests."""
    run = run_of(OneAtATime(), tmp_path, "write", clauses={"SET-WRITABLE"})
    verdicts = {judged.verdict for judged in run.cases.values()}
    assert (run.red(), "inconclusive" in verdicts, run.left) == (set(), False, [])


class BusyForSeconds(Recording):
    """Whoever was written to keeps the hub busy for a while: it refuses writes of any other appliance."""

    fleet = (THREE_STATES, FRIDGE_LIGHT, COFFEE_SETTINGS, HOOD_LIGHT)
    busy_s = 7
    served: str = ""
    until: float = 0.0

    def accepts(self, appliance: Appliance, key: str, value: Json) -> Refusal | None:
        now = self.clock.now()
        if now < self.until and appliance.ha_id != self.served:
            return INVALID_STATE
        if refusal := super().accepts(appliance, key, value):
            return refusal
        self.served, self.until = appliance.ha_id, now + self.busy_s
        return None


def test_busy_hub_is_waited_for_and_all_is_put_back(tmp_path: Path) -> None:
    """What was refused as long as others were written to is put back and written again once they rest."""
    timing = {"settle_s": 10, "quiet_s": 5, "power_settle_s": 10, "put_back_s": 10}
    run = run_of(BusyForSeconds(), tmp_path, "power", {"timing": timing}, clauses=("SET-WRITABLE", "PWR"))
    assert (run.red(), run.left) == (set(), [])


class OperatedAtTheSwitch(find_server("vacation-switches-to-fourteen")):
    """While a case ends the vacation mode, somebody opens the door for a moment, each time."""

    fleet = (FRIDGE_MODES.having({LOCAL_CONTROL: False}),)
    ended = 0

    def accepts(self, appliance: Appliance, key: str, value: Json) -> Refusal | None:
        self.ended += (key, value) == (VACATION_MODE, False)
        if (key, value) == (VACATION_MODE, False) and self.ended % 3:
            self.change(appliance, LOCAL_CONTROL, value=True)
            away = partial(self.change, appliance, LOCAL_CONTROL, value=False)
            self.timers.arm((appliance.ha_id, LOCAL_CONTROL), 0.2, away)
            return INVALID_STATE
        return super().accepts(appliance, key, value)


def test_refusal_while_somebody_operates_the_appliance_is_no_finding(tmp_path: Path) -> None:
    """It shows only beside the refusal: once all is waited for, nobody is there any more."""
    brief = {"timing": {"settle_s": 0.5, "quiet_s": 0.5, "power_settle_s": 0.5, "retry_s": 0.05}}
    run = run_of(OperatedAtTheSwitch(), tmp_path, "write", brief, clauses={"SET-WRITABLE"})
    assert run.red() == set()
