"""Writes that take their time, do not last, or meet somebody who is at the appliance.

> until disabled by the customer or by the appliance on a timeout

How long a write may take no line says. Each of these happens within the time that the profile gives to a write, or once in a run.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

from conformance.mutants.model import variant
from conformance.mutants.soil import ALARM_CLOCK, CHILD_LOCK, DOOR_STATE, LIGHTING_BRIGHTNESS, SETPOINT
from conformance.mutants.variant_write_soil import AMBIENT, CLOCKED, COLD, COLD_SUPER, LAMP, PATIENT, WATCHED
from conformance.reference.names import SUPER_FREEZER, SUPER_REFRIGERATOR
from conformance.reference.service import Service
from conformance.reference.wire import Reply

if TYPE_CHECKING:
    from collections.abc import Mapping

    from conformance.reference.appliance import Appliance
    from conformance.reference.wire import Json


class Late(Service):
    """Every write takes effect a tenth of a second after it was answered."""

    profile_extras = PATIENT

    def apply(self, appliance: Appliance, key: str, value: Json) -> None:
        """Do it later; the last of several writes counts."""
        effect = super().apply
        self.timers.arm((appliance.ha_id, f"late {key}"), 0.1, lambda: effect(appliance, key, value))


@variant("effects-late", clause="SET-WRITABLE", knowledges=("full",))
class EffectsLate(Late):
    """A write is answered 204 and takes effect a tenth of a second later."""

    fleet = (COLD,)


@variant("effects-late-and-pending", clause="PROT-WRITE", knowledges=("full",))
class EffectsLateAndPending(Late):
    """A write is answered 202 and takes effect a tenth of a second later."""

    fleet = (CLOCKED,)

    def acknowledge(self, appliance: Appliance, key: str) -> Reply:  # noqa: ARG002  all writes are answered alike
        """Promise to do it."""
        return Reply(202, media_type=None)


@variant("colors-fade-late", clause="AMB-CUSTOM-ONLY", knowledges=("full",))
class ColorsFadeLate(Late):
    """An ambient light takes up its colour, and everything else, a tenth of a second after it was told."""

    fleet = (AMBIENT,)


@variant("colder-by-degrees", clause="SET-WRITABLE", knowledges=("full",))
class ColderByDegrees(Service):
    """A refrigerator setpoint goes to its new value one degree every fiftieth of a second."""

    fleet = (COLD,)
    profile_extras = PATIENT

    def apply(self, appliance: Appliance, key: str, value: Json) -> None:
        """Take one degree now, and the rest after a while."""
        self.timers.disarm((appliance.ha_id, key))
        now = appliance.values[key]
        if key != SETPOINT or not isinstance(now, int | float) or not isinstance(value, int | float) or abs(value - now) <= 1:
            super().apply(appliance, key, value)
            return
        super().apply(appliance, key, now + (1 if value > now else -1))
        self.timers.arm((appliance.ha_id, key), 0.02, lambda: self.apply(appliance, key, value))


@variant("brightness-overshoots", clause="SET-WRITABLE", knowledges=("full",))
class BrightnessOvershoots(Service):
    """A light is at 55.5 % for a moment before it takes up the brightness that was written."""

    fleet = (LAMP,)
    profile_extras = PATIENT

    def apply(self, appliance: Appliance, key: str, value: Json) -> None:
        """Flare up first."""
        if key == LIGHTING_BRIGHTNESS and value != appliance.values[key]:
            self.change(appliance, key, 55.5)
            self.timers.arm((appliance.ha_id, key), 0.05, lambda: self.change(appliance, key, value))
        else:
            super().apply(appliance, key, value)


@variant("reads-lag-behind", clause="SET-WRITABLE", knowledges=("full",))
class ReadsLagBehind(Service):
    """The first two reads after a change still show the old value."""

    fleet = (CLOCKED,)

    @cached_property
    def cache(self) -> dict[str, tuple[Json, int]]:
        """What each key has shown last, and how often it will be shown although it is no longer so."""
        return {}

    def value(self, appliance: Appliance, key: str) -> Json:
        """Answer from the cache while it is fresh."""
        now = super().value(appliance, key)
        cached, left = self.cache.get(key, (now, 2))
        if cached != now and left:
            self.cache[key] = (cached, left - 1)
            return cached
        self.cache[key] = (now, 2)
        return now


@variant("write-lost-once", clause="SET-WRITABLE", knowledges=("full",))
class WriteLostOnce(Service):
    """The first write of every setting is answered 204 and lost; the second takes effect."""

    fleet = (CLOCKED,)

    @cached_property
    def lost(self) -> set[str]:
        """The settings that have lost a write."""
        return set()

    def apply(self, appliance: Appliance, key: str, value: Json) -> None:
        """Lose one of each."""
        if key in self.lost:
            super().apply(appliance, key, value)
        self.lost.add(key)


@variant("put-back-once", clause="SET-WRITABLE", knowledges=("full",))
class PutBackOnce(Service):
    """A person at the oven takes back the first change of ChildLock at once, and never again."""

    fleet = (CLOCKED,)
    taken_back = False

    def follow(self, appliance: Appliance, key: str, value: Json) -> None:
        """Let the person do it once."""
        super().follow(appliance, key, value)
        if key == CHILD_LOCK and not self.taken_back:
            self.taken_back = True
            self.timers.arm((appliance.ha_id, key), 0.01, lambda: self.change(appliance, key, value is not True))


@variant("somebody-else-once", clause="SET-ONLY-TARGET", knowledges=("full",))
class SomebodyElseOnce(Service):
    """While ChildLock is written for the first time, a person sets the other things of the oven to something else."""

    fleet = (CLOCKED,)
    came = False

    def follow(self, appliance: Appliance, key: str, value: Json) -> None:
        """Let the person do it once."""
        super().follow(appliance, key, value)
        if key == CHILD_LOCK and not self.came:
            self.came = True
            self.change(appliance, ALARM_CLOCK, 600)
            self.change(appliance, DOOR_STATE, "Vendor.Common.EnumType.DoorState.Open")


@variant("door-moves-with-writes", clause="SELF-DOOR", knowledges=("full",))
class DoorMovesWithWrites(Service):
    """The door is locked while ChildLock is on and closed while it is not."""

    fleet = (WATCHED,)

    def follow(self, appliance: Appliance, key: str, value: Json) -> None:
        """Turn the lock of the door as well."""
        super().follow(appliance, key, value)
        if key == CHILD_LOCK:
            self.change(appliance, DOOR_STATE, f"Vendor.Common.EnumType.DoorState.{'Locked' if value is True else 'Closed'}")


@variant("alarm-clock-counts-down", clause="SET-WRITABLE", knowledges=("full",))
class AlarmClockCountsDown(Service):
    """AlarmClock shows the seconds left, from the write on."""

    fleet = (CLOCKED,)

    def follow(self, appliance: Appliance, key: str, value: Json) -> None:
        """Start, or stop at 0."""
        super().follow(appliance, key, value)
        if key == ALARM_CLOCK and isinstance(value, int | float):
            self.timers.disarm((appliance.ha_id, key))
            if value > 0:
                self.timers.arm((appliance.ha_id, key), 1.0, lambda: self.apply(appliance, key, value - 1))


@variant("super-mode-ends-soon", clause="COOL-SUPER-TIMEOUT", knowledges=("full",))
class SuperModeEndsSoon(Service):
    """A super mode ends by itself half a second after it was switched on."""

    fleet = (COLD_SUPER,)
    reverting: ClassVar[Mapping[str, float]] = {**Service.reverting, SUPER_REFRIGERATOR: 0.5, SUPER_FREEZER: 0.5}


@variant("super-mode-ends-once-seen", clause="COOL-SUPER-TIMEOUT", knowledges=("full",))
class SuperModeEndsOnceSeen(Service):
    """A super mode ends by itself as soon as it has been read as on."""

    fleet = (COLD_SUPER,)

    def value(self, appliance: Appliance, key: str) -> Json:
        """Switch off what has been seen."""
        shown = super().value(appliance, key)
        if key in {SUPER_REFRIGERATOR, SUPER_FREEZER} and shown is True:
            self.change(appliance, key, value=False)
        return shown
