"""Somebody, another appliance or a program is at work while a run writes: nobody is blamed for what is lost
or refused by that.
"""

import sys
from functools import partial

from catalog import keys
from conformance.harness.writes.keeping.owed import Closed
from conformance.harness.writes.last_looks import LastLooks
from conformance.mutants import fleets
from conformance.mutants.registry import find_server
from conformance.mutants.shapes.states import Lagging, is_asleep
from conformance.mutants.shapes.writes import refuses_where
from conformance.reference.appliance import Appliance
from conformance.reference.wire import INVALID_STATE, Incoming, Json, Refusal, Reply
from conformance.runs.session import Session
from conformance.selftest.runs.scenarios.keeping import turns_back
from conformance.selftest.runs.scenarios.model import Scenario
from conformance.selftest.support.recording import MACHINE_ID, OVEN_ID, Recording, served_by

BRIEF = {"timing": {"settle_s": 0.05, "power_settle_s": 0.05}}
TWO_SECONDS = {"timing": {"settle_s": 2.0, "power_settle_s": 2.0}}
SOME = range(1, 10_000)
"""Any number of requests, but one at least."""
DOZY = fleets.COFFEE_SETTINGS.having({keys.POWER_STATE: keys.ON, keys.OPERATION_STATE: keys.READY})
LIT = find_server("light-on-at-full")


class FallsAsleep(Recording, refuses_where(lambda appliance, key, _: is_asleep(appliance, key))):
    """A coffee machine that goes to standby while it is read, and takes no other write there."""

    fleet = (DOZY,)

    def answer(self, request: Incoming) -> Reply:
        if len(self.requests) == 40:
            self.apply(self.appliances[DOZY.ha_id], keys.POWER_STATE, keys.STANDBY)
        return super().answer(request)


class ProgramEnds(Recording):
    """A coffee machine whose program comes to its end while it is read; it takes writes then."""

    fleet = (DOZY.having({keys.OPERATION_STATE: keys.RUN, keys.CHILD_LOCK: True}),)

    def answer(self, request: Incoming) -> Reply:
        if len(self.requests) == 40:
            self.change(self.appliances[DOZY.ha_id], keys.OPERATION_STATE, keys.READY)
        return super().answer(request)


class OneAtATime(Recording):
    """No appliance takes a write as long as another one is not as it was found."""

    fleet = (fleets.MACHINE, fleets.FRIDGE_LIGHT, fleets.COFFEE_SETTINGS)

    def accepts(self, appliance: Appliance, key: str, value: Json) -> Refusal | None:
        others = (one for one in self.appliances.values() if one is not appliance)
        is_busy = any(one.values != one.spec.values for one in others)
        return INVALID_STATE if is_busy else super().accepts(appliance, key, value)


class BusyForSeconds(Recording):
    """Whoever was written to keeps the hub busy for a while: it refuses writes of any other appliance."""

    fleet = (fleets.THREE_STATES, fleets.FRIDGE_LIGHT, fleets.COFFEE_SETTINGS, fleets.HOOD_LIGHT)
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


class OperatedAtTheSwitch(find_server("vacation-switches-to-fourteen")):
    """While a case ends the vacation mode, somebody opens the door for a moment, each time."""

    fleet = (fleets.FRIDGE_MODES.having({keys.LOCAL_CONTROL: False}),)
    ended = 0

    def accepts(self, appliance: Appliance, key: str, value: Json) -> Refusal | None:
        self.ended += (key, value) == (keys.VACATION_MODE, False)
        if (key, value) == (keys.VACATION_MODE, False) and self.ended % 3:
            self.change(appliance, keys.LOCAL_CONTROL, value=True)
            away = partial(self.change, appliance, keys.LOCAL_CONTROL, value=False)
            self.timers.arm((appliance.ha_id, keys.LOCAL_CONTROL), 0.2, away)
            return INVALID_STATE
        return super().accepts(appliance, key, value)


class Overwritten(Recording):
    """An oven whose child lock somebody else switches on again, three times once the run has read it off."""

    fleet = (fleets.TIMED_OVEN.only(keys.CHILD_LOCK),)
    left, is_off = 3, False

    def answer(self, request: Incoming) -> Reply:
        reply, values = super().answer(request), self.appliances[OVEN_ID].values
        if self.is_off and self.left:
            self.left -= 1
            values[keys.CHILD_LOCK] = True
        self.is_off = request.method != "GET" and values[keys.CHILD_LOCK] is False
        return reply


class SwitchesOffAlone(Recording):
    """An oven that drops two writes that would switch its child lock on, and refuses later ones."""

    fleet = (fleets.TIMED_OVEN.only(keys.CHILD_LOCK).having({keys.CHILD_LOCK: False}),)
    tries = 0

    def accepts(self, appliance: Appliance, key: str, value: Json) -> Refusal | None:
        self.tries += value is True
        return INVALID_STATE if value is True and self.tries > 2 else super().accepts(appliance, key, value)

    def apply(self, appliance: Appliance, key: str, value: Json) -> None:
        if value is False:
            super().apply(appliance, key, value)


class LockedByAnother(Recording):
    """An oven whose child lock somebody else switches."""

    fleet = (fleets.TIMED_OVEN,)

    def switch(self, *, value: bool) -> None:
        """What that one does."""
        self.appliances[OVEN_ID].values[keys.CHILD_LOCK] = value

    def lock_for_a_moment(self) -> None:
        """On, and off while a run waits whether that stays."""
        self.switch(value=True)
        self.timers.arm(
            (OVEN_ID, keys.CHILD_LOCK),
            0.03,
            partial(self.change, self.appliances[OVEN_ID], keys.CHILD_LOCK, value=False),
        )


class PassedByAnother(LockedByAnother):
    """It is on before the run begins."""

    fleet = (fleets.TIMED_OVEN.having({keys.CHILD_LOCK: True}),)


class MovedByAnother(LockedByAnother):
    """Whenever five requests were made, it is switched on or off, from some request on."""

    every, since = 5, 0

    def answer(self, request: Incoming) -> Reply:
        if len(self.requests) >= self.since and len(self.requests) % self.every == 0:
            self.switch(value=not self.appliances[OVEN_ID].values[keys.CHILD_LOCK])
        return super().answer(request)

    def leave_locked(self) -> None:
        """Switches it on a last time."""
        self.since = sys.maxsize
        self.switch(value=True)


class MovedLater(MovedByAnother):
    """The same, once the run has begun to write."""

    since = 55


class Beside(Recording):
    """The child lock of the machine follows that of the oven; for a while, somebody else moves it as well."""

    is_alone = False

    def answer(self, request: Incoming) -> Reply:
        machine, oven = self.appliances[MACHINE_ID].values, self.appliances[OVEN_ID].values
        if not self.is_alone and len(self.requests) % MovedByAnother.every == 0:
            machine[keys.CHILD_LOCK] = not machine[keys.CHILD_LOCK]
        reply = super().answer(request)
        if request.method != "GET" and f"/{OVEN_ID}/" in request.path:
            machine[keys.CHILD_LOCK] = oven[keys.CHILD_LOCK]
        return reply


OF_OVEN = {f"{OVEN_ID} ChildLock"}
ANOTHER = "inconclusive perhaps another run, or effects take longer than timing.settle_s"

# fmt: off
ROWS = [
    *(Scenario(f"a state that {does} while it is read is ended: by what was read last, not first",
        server, clauses=("SET-WRITABLE",), verdicts={"pass"}, moved=moved)
      for does, server, moved in (
        ("comes", FallsAsleep, {"PowerState", "OperationState"}), ("goes", ProgramEnds, {"OperationState"}))),
    Scenario("what was refused beside another appliance is written again once that one rests",
        OneAtATime, "write", clauses=("SET-WRITABLE",), cases={"*": "!inconclusive"}),
    Scenario("what a busy hub refused as long as others were written to is put back, and written again",
        BusyForSeconds, clauses=("SET-WRITABLE",),
        tables={"timing": {"settle_s": 10, "quiet_s": 5, "power_settle_s": 10, "put_back_s": 10}}),
    # Somebody is there only beside the refusal: once all is waited for, nobody is there any more.
    Scenario("a refusal while somebody operates the appliance is no finding",
        OperatedAtTheSwitch, "write", clauses=("SET-WRITABLE",),
        tables={"timing": {"settle_s": 0.5, "quiet_s": 0.5, "power_settle_s": 0.5, "retry_s": 0.05}}),
    Scenario("watching whether others write costs nothing where nothing moves, with tours and all",
        served_by(fleet=fleets.MACHINE), still=False, requests={"watch": 0, "tour": SOME}, others=set()),
    Scenario("what the run moved, and what shows late, is not taken for somebody else's: it is put back",
        served_by(Lagging, LIT, fleet=LIT.fleet), tables=BRIEF, red=None, others=set()),
    Scenario("tries to put back that somebody else has overwritten convict nobody: the last one stays",
        Overwritten, "write", clauses=("SET-WRITABLE",)),
    # The last time it did not come either: that the lock is as it was written back tells nothing.
    Scenario("what is dropped and then refused is nobody else's doing",
        SwitchesOffAlone, "write", clauses=("SET-WRITABLE",), red=None, others=set()),
    Scenario("a try to put back that is read more briefly than it took to lose the first one excuses nobody",
        turns_back(False, 0.1), "write", TWO_SECONDS, red=None, moved={"CupWarmer"},
        cases={"SET-WRITABLE::*CupWarmer@*": "fail"},
        left=("not restored: coffee-maker-1 CupWarmer was false, is true",)),
    # Somebody else switches a lock, at a moment of the run or all the time.
    Scenario("nothing is written to what moves by itself", MovedByAnother, "write", others=OF_OVEN,
        journal=False, cases={"SET-WRITABLE::*ChildLock@*": ANOTHER}, moved={"ChildLock"}),
    Scenario("nor to what moves since the run has begun to write", MovedLater, "write", others=OF_OVEN,
        journal=True, cases={"SET-TYPEGUARD::*ChildLock@*": ANOTHER}, moved={"ChildLock"}),
    Scenario("what somebody else left is not put back", MovedLater, "write",
        happens=(LastLooks, "look", MovedLater.leave_locked), moved={"ChildLock"}),
    Scenario("a value that was only passed is not put back", PassedByAnother, "write",
        happens=(Session, "write", partial(PassedByAnother.switch, value=False)), moved={"ChildLock"}),
    Scenario("what moved before it was put back is said", LockedByAnother, "write",
        clauses=("SET-WRITABLE",), told=OF_OVEN, moved={"ChildLock"},
        happens=(LastLooks, "put_back", partial(LockedByAnother.switch, value=True))),
    Scenario("what moved while it was looked at last is said", LockedByAnother, "write",
        clauses=("SET-WRITABLE",), told=OF_OVEN,
        happens=(LastLooks, "look", LockedByAnother.lock_for_a_moment)),
    # The oven moves the machine again and again afterwards, but is not convicted of that.
    Scenario("no appliance is blamed for another one that somebody else writes to", Beside, "write",
        clauses=("ADDR-HAID-ISOLATION",), others={f"{MACHINE_ID} ChildLock"},
        happens=(Closed, "leave", lambda its: setattr(its, "is_alone", True))),
]
