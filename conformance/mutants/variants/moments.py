"""Values that move between two reads, and writes that take their time, do not last, or meet somebody there.

> Two statuses revert on their own

A super mode ends by itself as well (line 48). How long a write may take no line says, and nothing says what
else people and appliances do meanwhile: each of these happens within the time that the profile gives to a
write, or once in a run.
"""

from itertools import pairwise
from random import Random
from types import MappingProxyType
from typing import Any, ClassVar

from msgspec.structs import replace

from catalog import keys
from conformance.mutants import document, fleets
from conformance.mutants.model import odd, written
from conformance.mutants.shapes.reads import goes_on, hides
from conformance.mutants.shapes.side_effects import couples, follows, moves_unasked
from conformance.mutants.shapes.states import Lagging, Late
from conformance.mutants.shapes.writes import acknowledges, drops_where, passes
from conformance.reference.appliance import Appliance
from conformance.reference.fleets.cleaning import DISHWASHER
from conformance.reference.fleets.cooking import OVEN
from conformance.reference.service import Service
from conformance.reference.wire import INVALID_STATE, Incoming, Json, Refusal, Reply

_STATE = "Vendor.Common.EnumType.OperationState"
_CHANGING = "Vendor.Common.EnumType.LiquidVolumeUnit.Changing"
_DOORS = {keys.OPEN: keys.CLOSED, keys.CLOSED: keys.LOCKED, keys.LOCKED: keys.OPEN}
_PROGRAM = dict(pairwise(f"{_STATE}.{name}" for name in ("Finished", "Run", "Pause", "Error", "Finished")))
_STARTABLE = DISHWASHER.only(keys.POWER_STATE, keys.OPERATION_STATE, keys.REMOTE_START).having(
    {keys.REMOTE_START: True}
)
_COUNTDOWN = replace(fleets.TIMED_OVEN, read_only=frozenset({keys.ALARM_CLOCK})).having(
    {keys.ALARM_CLOCK: 30}
)


class LateUnevenly(Late):
    """Every write takes effect after 0.05 to 0.9 of the settle time, each after another part of it."""

    settle_s = 0.4
    profile_extras = fleets.settles(settle_s)

    def late_s(self, appliance: Appliance) -> float:
        parts = appliance.kept.setdefault("parts", Random(appliance.ha_id))  # noqa: S311  the same in each run
        return parts.uniform(0.05, 0.9) * self.settle_s


class BusyAfterWrites(Service):
    """An appliance that has taken a write refuses all others for a twentieth of a second, or longer.

    Attributes:
        busy_s: how long, in seconds.
    """

    busy_s: ClassVar[float] = 0.05
    profile_extras = MappingProxyType(
        {"timing": {"settle_s": 0.3, "power_settle_s": 0.3, "retry_s": 0.1, "put_back_s": 2}}
    )

    def accepts(self, appliance: Appliance, key: str, value: Json) -> Refusal | None:
        is_busy = self.clock.now() < appliance.kept.get("busy until", 0)
        return INVALID_STATE if is_busy else super().accepts(appliance, key, value)

    def apply(self, appliance: Appliance, key: str, value: Json) -> None:
        super().apply(appliance, key, value)
        appliance.kept["busy until"] = self.clock.now() + self.busy_s


class RefusedThenTakenBack(Service):
    """A value that is refused is shown all the same, until half of the settle time is over."""

    settle_s = 0.6
    profile_extras = MappingProxyType({**fleets.settles(settle_s), "pace": {"generated": 300}})

    def accepts(self, appliance: Appliance, key: str, value: Json) -> Refusal | None:
        kept = appliance.kept.setdefault(key, appliance.values[key])
        refusal = super().accepts(appliance, key, value)
        if refusal:
            self.change(appliance, key, value)
            self.timers.arm(
                (appliance.ha_id, f"back {key}"), self.settle_s / 2, lambda: self.change(appliance, key, kept)
            )
        else:
            appliance.kept[key] = value
        return refusal


class SwitchesItselfOff(Service):
    left = 12

    def answer(self, request: Incoming) -> Reply:
        self.left -= 1
        if self.left == 0:
            self.apply(self.appliances[fleets.MACHINE.ha_id], keys.POWER_STATE, keys.OFF)
        return super().answer(request)


class ColderByDegrees(Service):
    """A refrigerator setpoint goes to its new value by degrees.

    Attributes:
        step_s: how long each takes, in seconds.
    """

    step_s: ClassVar[float] = 0.02

    def apply(self, appliance: Appliance, key: str, value: Json) -> None:
        self.timers.disarm((appliance.ha_id, key))
        now, reached = appliance.values[key], value
        if key == keys.SETPOINT and isinstance(now, int | float) and isinstance(value, int | float):
            reached = value if abs(value - now) <= 1 else now + (1 if value > now else -1)
        super().apply(appliance, key, reached)
        if reached != value:
            self.timers.arm((appliance.ha_id, key), self.step_s, lambda: self.apply(appliance, key, value))


def _sets_the_rest(its: Service, appliance: Appliance, _: Json) -> None:
    its.change(appliance, keys.ALARM_CLOCK, 600)
    its.change(appliance, keys.DOOR_STATE, keys.OPEN)


def _counts_down(its: Service, appliance: Appliance, value: Any) -> None:
    timer = (appliance.ha_id, keys.ALARM_CLOCK)
    its.timers.disarm(timer)
    if value > 0:
        its.timers.arm(timer, 1.0, lambda: its.apply(appliance, keys.ALARM_CLOCK, value - 1))


# fmt: off
odd(goes_on(keys.BATTERY_LEVEL, lambda level: round(max(0.0, level - 0.1), 1)), "battery-drains",
    "PATH-AGREE", "BatteryLevel is a tenth of a point lower at every read, under either segment.",
    fleet=fleets.ROBOT_TWOFOLD, allowed=document.SAME_TWICE)
odd(goes_on(keys.COFFEE_COUNT, lambda cups: cups + 1), "counter-counts", "READ-REPEAT",
    "Somebody drinks a coffee between any two reads.", fleet=fleets.COUNTING, allowed=document.SAME_TWICE)
odd(goes_on(keys.ALARM_CLOCK, lambda seconds: max(0, seconds - 1)), "alarm-clock-runs", "READ-SAFE",
    "AlarmClock shows the seconds left, one fewer at every read down to 0, and cannot be written.",
    fleet=_COUNTDOWN, allowed=document.ALARM_CLOCK)
odd(goes_on(keys.DOOR_STATE, _DOORS.get), "door-moves", "SELF-DOOR",
    "The door is opened, closed and locked between any two reads, in an order of its own.",
    fleet=fleets.MACHINE, allowed=document.DOOR)
odd(goes_on(keys.OPERATION_STATE, lambda state: _PROGRAM.get(state, state)), "program-jumps",
    "OPS-TRANSITIONS",
    "OperationState goes from Finished to Run, Pause, Error and back, between any two reads.",
    fleet=fleets.MACHINE.having({keys.OPERATION_STATE: f"{_STATE}.Finished"}), allowed=document.OPERATION)
odd(Service, "remote-start-for-thirty-hours", "SELF-RCSA-24H",
    "RemoteControlStartAllowed is true and stays so for 30 hours.", fleet=_STARTABLE,
    reverting={**Service.reverting, keys.REMOTE_START: 30 * 3600.0}, allowed=document.REMOTE_START)
odd(Service, "remote-start-for-ten-minutes", "SELF-RCSA-24H",
    "RemoteControlStartAllowed is true and ends after ten minutes.", fleet=_STARTABLE,
    reverting={**Service.reverting, keys.REMOTE_START: 600.0}, allowed=document.REMOTE_START)
written(Service, "super-mode-ends-soon", "COOL-SUPER-TIMEOUT",
    "A super mode ends by itself half a second after it was switched on.", fleet=fleets.FRIDGE_SUPER,
    reverting={**Service.reverting, keys.SUPER_REFRIGERATOR: 0.5, keys.SUPER_FREEZER: 0.5},
    allowed=document.SUPER_MODE)
written(Late, "effects-late", "SET-WRITABLE",
    "A write is answered 204 and takes effect a tenth of a second later.", fleet=fleets.FRIDGE_SETPOINTS,
    allowed=document.WHEN_SHOWN)
written(Late, "colors-fade-late", "AMB-CUSTOM-ONLY",
    "An ambient light takes up its colour, and everything else, a tenth of a second after it was told.",
    fleet=fleets.AMBIENT, allowed=document.WHEN_SHOWN)
written(LateUnevenly, "effects-late-and-uneven", "SET-WRITABLE",
    "A write is answered 204 and takes effect after 0.05 to 0.9 of the settle time, now sooner, now later.",
    fleet=(fleets.OVEN_ALARM, fleets.FRIDGE_SETPOINTS, fleets.AMBIENT), allowed=document.WHEN_SHOWN)
written(RefusedThenTakenBack, "refused-values-shown-for-a-while", "SET-TYPEGUARD",
    "A value that is refused is shown for half of the settle time; what is allowed takes effect at once.",
    fleet=(fleets.OVEN_ALARM, fleets.AMBIENT), allowed=document.BEYOND,
    disputed="line 23: a range has the allowed values, and what is shown is beyond it")
written(passes(keys.LIQUID_UNIT, _CHANGING, 0.1), "unit-in-between-for-a-moment", "ENUM-LIQUIDUNIT",
    "LiquidVolumeUnit is told to be changing for a tenth of a second, and is then what was written.",
    fleet=fleets.COFFEE_SETTINGS, profile_extras=fleets.settles(0.4), allowed=document.VOLUME_MOMENT,
    disputed="line 39 names two values, and for a moment it shows another one")
written(Lagging, "reads-lag-behind", "SET-WRITABLE",
    "The first two reads after a change still show the old value.", fleet=fleets.OVEN_ALARM,
    allowed=document.WHEN_SHOWN)
written(couples({(keys.CHILD_LOCK, True): {keys.DOOR_STATE: keys.LOCKED},
        (keys.CHILD_LOCK, False): {keys.DOOR_STATE: keys.CLOSED}}), "door-moves-with-writes", "SELF-DOOR",
    "The door is locked while ChildLock is on and closed while it is not.", fleet=fleets.MACHINE_STATUSES,
    allowed=document.DOOR)
written((Late, acknowledges(Reply(202, media_type=None))), "effects-late-and-pending", "PROT-WRITE",
    "A write is answered 202 and takes effect a tenth of a second later.", fleet=fleets.OVEN_ALARM,
    allowed=document.ERRORS)
odd(goes_on(keys.SUPER_REFRIGERATOR, lambda _: False, once_at=2), "super-mode-ends",
    "COOL-SUPER-TIMEOUT",
    "SuperModeRefrigerator is found on and ends by itself after the second read.",
    fleet=fleets.FRIDGE.having({keys.SUPER_REFRIGERATOR: True}), allowed=document.SUPER_MODE)
written(tuple(goes_on(mode, lambda _: False) for mode in keys.SUPER_MODES), "super-mode-ends-once-seen",
    "COOL-SUPER-TIMEOUT", "A super mode ends by itself as soon as it has been read as on.",
    fleet=fleets.FRIDGE_SUPER, allowed=document.SUPER_MODE)
odd(SwitchesItselfOff, "switches-itself-off", "PWR-SPONTANEOUS",
    "The machine goes off by itself once, after a dozen questions, and is Inactive then.",
    fleet=fleets.MACHINE, allowed=document.POWER_MOVES)
written(ColderByDegrees, "colder-by-degrees", "SET-WRITABLE",
    "A refrigerator setpoint goes to its new value one degree every fiftieth of a second.",
    fleet=fleets.FRIDGE_SETPOINTS, profile_extras=fleets.PATIENT, allowed=document.WHEN_SHOWN)
written(ColderByDegrees, "colder-by-slow-degrees", "RANGE-WRITE-BOUNDS",
    "A setpoint goes to its new value one degree every fifth of a second, beyond the settle time.",
    step_s=0.2, fleet=fleets.FRIDGE_SETPOINTS, profile_extras=fleets.PATIENT, allowed=document.WHEN_SHOWN)
written(passes(keys.LIGHTING_BRIGHTNESS, 55.5, 0.05), "brightness-overshoots", "SET-WRITABLE",
    "A light is at 55.5 % for a moment before it takes up the brightness that was written.",
    fleet=fleets.LAMP, profile_extras=fleets.PATIENT, allowed=document.LIGHT)
written(drops_where(lambda its, key, _: its.nth(f"PUT {key}") == 1), "write-lost-once", "SET-WRITABLE",
    "The first write of every setting is answered 204 and lost; the second takes effect.",
    fleet=fleets.OVEN_ALARM, allowed=document.REFUSED_WRITE,
    disputed="a write that is answered as taken and lost is a fault, though no line says so")
written(moves_unasked(keys.DOOR_STATE, lambda door: keys.CLOSED if door == keys.OPEN else keys.OPEN, 0.17),
    "door-in-use", "STA-READONLY", "Every sixth of a second somebody opens the door, or closes it.",
    fleet=(fleets.MACHINE_STATUSES, fleets.OVEN_ALARM), profile_extras=fleets.PATIENT, allowed=document.DOOR)
written(moves_unasked(keys.DOOR_STATE, lambda door: keys.CLOSED if door == keys.OPEN else keys.OPEN, 0.8),
    "door-in-use-now-and-then", "STA-READONLY",
    "Every four fifths of a second somebody opens the door, or closes it.", fleet=fleets.MACHINE_STATUSES,
    profile_extras=fleets.settles(0.5), allowed=document.DOOR)
written(moves_unasked(keys.LOCAL_CONTROL, lambda _: True, 20.0), "operated-again-and-again",
    "SELF-LOCALCONTROL", "Every 20 s somebody operates the appliance, for five seconds each time.",
    fleet=OVEN.only(keys.CHILD_LOCK, keys.LOCAL_CONTROL), allowed=document.LOCAL_CONTROL)
written((hides(lambda its, key: key == keys.DOOR_STATE and its.kept.get("moving", False)),
        follows(keys.CHILD_LOCK, lambda _its, one, _: one.kept.update(moving=True)),
        follows(keys.CHILD_LOCK, lambda _its, one, _: one.kept.update(moving=False), after_s=0.05)),
    "door-hidden-for-a-moment", "READ-STATUS",
    "For a twentieth of a second after ChildLock was written, the door is refused.",
    fleet=fleets.OVEN_ALARM, profile_extras=fleets.PATIENT, allowed=document.READ_ALONE)
written(BusyAfterWrites, "busy-after-writes", "PWR-ON-OFF",
    "For a twentieth of a second after a write was taken, every other one is refused.",
    fleet=(fleets.LAMP, fleets.THREE_STATES), allowed=document.REFUSED_WRITE)
written(BusyAfterWrites, "busy-for-long-after-writes", "PWR-ON-STANDBY",
    "For seven tenths of a second after a write was taken, every other one is refused.",
    fleet=(fleets.ON_AND_STANDBY_AND_LOCK, fleets.AMBIENT, fleets.LAMP), busy_s=0.7,
    profile_extras=MappingProxyType({"timing": {"settle_s": 0.9, "power_settle_s": 0.9, "retry_s": 0.1,
        "put_back_s": 60}}), allowed=document.REFUSED_WRITE)
written(follows(keys.CHILD_LOCK, lambda its, one, value: its.change(one, keys.CHILD_LOCK, value is not True),
        once=True, after_s=0.01), "put-back-once", "SET-WRITABLE",
    "A person at the oven takes back the first change of ChildLock at once, and never again.",
    fleet=fleets.OVEN_ALARM, allowed=document.DEVICE_ACTS)
written(follows(keys.CHILD_LOCK, _sets_the_rest, once=True), "somebody-else-once", "SET-ONLY-TARGET",
    "While ChildLock is written for the first time, a person sets the other things of the oven.",
    fleet=fleets.OVEN_ALARM, allowed=document.DEVICE_ACTS)
written(follows(keys.ALARM_CLOCK, _counts_down), "alarm-clock-counts-down", "SET-WRITABLE",
    "AlarmClock shows the seconds left, from the write on.", fleet=fleets.OVEN_ALARM,
    allowed=document.ALARM_CLOCK)
