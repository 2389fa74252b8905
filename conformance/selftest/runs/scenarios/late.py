"""Effects that come late, or not each time: they are waited for, and nothing else is taken for them."""

from functools import partial
from random import Random

from catalog import keys
from conformance.model.state_table import SETPOINTS
from conformance.mutants.fleets import FRIDGE_SUPER, THREE_STATES_AND_LOCK
from conformance.mutants.registry import find_server
from conformance.mutants.shapes.side_effects import follows
from conformance.mutants.shapes.states import Late
from conformance.reference.appliance import Appliance
from conformance.reference.fleets.cooling import FRIDGE_CELSIUS
from conformance.reference.service import Service
from conformance.reference.wire import Incoming, Json, Reply
from conformance.selftest.runs.scenarios.model import Scenario
from conformance.selftest.runs.scenarios.others import SOME
from conformance.selftest.support.judged_runs import STILL
from conformance.selftest.support.recording import served_by

EFFECT_S, SETTLE_S = 5.0, 10.0
TIMING = {"timing": {"settle_s": SETTLE_S, "power_settle_s": SETTLE_S}}
BRIEF = {"timing": {"settle_s": 0.3, "power_settle_s": 0.3, "poll_s": 0.02}}
TWO_SECONDS = {"timing": {"settle_s": 2.0, "power_settle_s": 2.0}}


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


class OneModeAtATime(Late, find_server("super-remembers-the-setpoint")):
    """A cooling mode is acknowledged and not switched on while another one is on; effects take 0.1 s.

    The setpoint that is lost when SuperModeFreezer is switched on again shows in a tour alone.
    """

    fleet = (
        FRIDGE_CELSIUS.only(keys.SETPOINT, keys.FREEZER_SETPOINT, *keys.COOLING_MODES, keys.FREEZER_DOOR),
    )

    def apply(self, appliance: Appliance, key: str, value: Json) -> None:
        others = (mode for mode in keys.COOLING_MODES if mode != key and appliance.values[mode] is True)
        if not (key in keys.COOLING_MODES and value is True and any(others)):
            super().apply(appliance, key, value)


class RestsAtTimes(Late, find_server("off-refused-after-two-rests")):
    """Every second Standby that a machine is told while it is on has no effect; the others take 0.1 s."""

    def apply(self, appliance: Appliance, key: str, value: Json) -> None:
        is_rest = (value, appliance.values[key]) == (keys.STANDBY, keys.ON)
        appliance.kept["rests"] = appliance.kept.get("rests", 0) + is_rest
        if not is_rest or appliance.kept["rests"] % 2 == 0:
            super().apply(appliance, key, value)


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
                    ("another", str(number)), at_s, partial(self.switch, keys.ON if number % 2 else keys.OFF)
                )
                at_s += rests.choice((10.0, 10.0, 10.0, 150.0))
        return super().answer(request)

    def switch(self, value: Json) -> None:
        """Somebody else writes a power state."""
        for one in self.appliances.values():
            self.apply(one, keys.POWER_STATE, value)


class SetpointsComeLate(Service):
    """A setpoint takes longer to show what was written than a mode takes to switch."""

    fleet = (FRIDGE_SUPER,)

    def apply(self, appliance: Appliance, key: str, value: Json) -> None:
        effect, seconds = super().apply, 0.12 if key in SETPOINTS else 0.03
        self.timers.arm((appliance.ha_id, key), seconds, lambda: effect(appliance, key, value))


class MovingAtItsEnd(Slow):
    """What VacationMode moves when it ends comes while the next mode is on."""

    moved = keys.VACATION_MODE


def strays(key: str, shown: Json) -> type[Service]:
    """A second after FreshMode was switched on, a setting shows a value that nobody wrote."""
    return follows(
        keys.FRESH_MODE, lambda its, one, on: its.change(one, key, shown) if on else None, after_s=1.0
    )


def tours(requests: int) -> dict[str, object]:
    """The table of a profile with so many requests for orders of writes."""
    return {"pace": STILL | {"generated": requests}}


FOUR_OFF = "PowerState Off, PowerState Off, PowerState Off, PowerState Off"


# fmt: off
ROWS = [
    *(Scenario(f"what comes of a write that had no effect before is seen: {what}",
        server, tables=TWO_SECONDS | tours(300), red=red)
      for what, server, red in (
        ("one mode at a time", OneModeAtATime, {"COOL-SUPER-FREEZER"}),
        ("rests at times", RestsAtTimes, {"PWR-ON-OFF", "PWR-ON-STANDBY"}))),
    # Whether somebody else writes is looked for over twice the time that a tour takes.
    Scenario("somebody else who rests for minutes is not taken for a fault",
        UsedByAnother, tables=TIMING | tours(300), moved={"PowerState", "OperationState"}),
    Scenario("what a mode moves when it ends is not taken for the next one's, which is made again alone",
        MovingAtItsEnd, "write", {"timing": {"settle_s": SETTLE_S}},
        ("COOL-VACATION-FREEZER", "COOL-FRESH-FREEZER"), verdicts={"pass"},
        requests={f"mode/{keys.FRESH_MODE}/alone": SOME}),
    # It has to stay for two seconds, and so has what it keeps; one wait serves both.
    *(Scenario(f"what strays a second after a mode came on is seen beside another write: {what}",
        served_by(strays(key, shown), fleet=FRIDGE_CELSIUS), "write", {"timing": {"settle_s": SETTLE_S}},
        (clause, "SET-ONLY-TARGET"), red=None, cases={f"{clause}::*FreshMode@*": "fail"})
      for what, key, shown, clause in (
        ("itself", keys.FRESH_MODE, False, "SET-WRITABLE"),
        ("a setpoint", keys.FREEZER_SETPOINT, -20, "COOL-FRESH-FREEZER"))),
    Scenario("a setpoint that moves while a mode is on, since it was written before, contradicts no clause",
        SetpointsComeLate, tables=BRIEF | tours(150), clauses=("COOL-SUPER-FRIDGE", "COOL-SUPER-FREEZER"),
        requests={"tour/": SOME, "orders/": 0}),
    Scenario("what a colour locks has no effect, and is no sign of one that comes late",
        find_server("effects-late-and-uneven"), tables=tours(300), requests={"tour/": SOME, "orders/": 0}),
    # The first Off of the tour completes the order of the walk.
    Scenario("what one write of a tour showed, and none of those made again, convicts nobody",
        find_server("off-rests-after-off-from-standby"), tables=tours(20), verdicts={"pass"},
        clauses=("PWR-ON-OFF", "PWR-NO-FOREIGN"), written={"orders/": FOUR_OFF}),
]
