"""Odd ways to move between power states: states that are not there, not said, passed through, or reached late.

> only if the appliance supports it

A state that nobody claims need not be reached; one that is reached may take as long as the profile allows.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from conformance.mutants.model import variant
from conformance.mutants.variant_write_moments import Late
from conformance.mutants.variant_write_soil import (
    OFF,
    ON_AND_OFF,
    ON_AND_STANDBY,
    PATIENT,
    STANDBY,
    THREE_STATES,
    UNLISTED,
    WRITABLE_ALWAYS_ON,
)
from conformance.reference.names import ON, OPERATION_STATE, POWER_STATE
from conformance.reference.service import Service
from conformance.reference.wire import INVALID_STATE, Refusal, Reply

if TYPE_CHECKING:
    from catalog.model import Entry, Segment
    from conformance.reference.appliance import Appliance, ApplianceSpec
    from conformance.reference.wire import Json, Members


class Undeclared(Service):
    """The profile says neither which power states there are nor that they can be written."""

    def claims(self, spec: ApplianceSpec) -> dict[str, object]:
        """Leave the states out."""
        return {field: fact for field, fact in super().claims(spec).items() if field != "power_states"}

    def abilities(self, spec: ApplianceSpec) -> dict[str, object]:
        """Leave the setting out."""
        writable = [key for key in spec.values if key != POWER_STATE and self.entries[key].segment == "settings"]
        return super().abilities(spec) | {"writable": writable}


class Unlisted(Undeclared):
    """No answer lists the power states either."""

    def constraints(self, appliance: Appliance, entry: Entry) -> Members:
        """Leave the list out."""
        members = super().constraints(appliance, entry)
        return {name: value for name, value in members.items() if entry.key != POWER_STATE or name != "allowedvalues"}


@variant("power-states-undeclared", clause="PWR-STANDBY-OFF", knowledges=("full",))
class PowerStatesUndeclared(Undeclared):
    """The oven refuses Off, in On and in standby; its answers list On and Standby, and the profile nothing."""

    fleet = (ON_AND_STANDBY,)


@variant("power-states-untold", clause="PWR-STANDBY-OFF", knowledges=("full",))
class PowerStatesUntold(Unlisted):
    """The oven refuses Off, in On and in standby; neither its answers nor the profile say so."""

    fleet = (ON_AND_STANDBY,)


@variant("off-means-standby", clause="PWR-NO-FOREIGN", knowledges=("full",))
class OffMeansStandby(Service):
    """The oven takes Off and goes into standby; answers and profile know On and Standby only."""

    fleet = (ON_AND_STANDBY,)
    profile_extras = UNLISTED

    def decode(self, appliance: Appliance, key: str, body: bytes) -> Json:
        """Take one for the other."""
        value = super().decode(appliance, key, body)
        return STANDBY if key == POWER_STATE and value == OFF else value


@variant("off-means-standby-untold", clause="PWR-ON-OFF", knowledges=("full",))
class OffMeansStandbyUntold(Unlisted):
    """The oven takes Off and goes into standby; neither answers nor profile say which states it knows."""

    fleet = (ON_AND_STANDBY,)

    def decode(self, appliance: Appliance, key: str, body: bytes) -> Json:
        """Take one for the other."""
        value = super().decode(appliance, key, body)
        return STANDBY if key == POWER_STATE and value == OFF else value


@variant("power-refused-untold", clause="PWR-ON-OFF", knowledges=("full",))
class PowerRefusedUntold(Unlisted):
    """The hood is switched by hand alone, refuses every power write, and nobody says so."""

    fleet = (ON_AND_OFF,)

    def moves_power(self, appliance: Appliance, value: Json) -> bool:  # noqa: ARG002  no move is possible
        """Stay."""
        return False


@variant("always-on-refuses-on", clause="PWR-SELF", knowledges=("full",))
class AlwaysOnRefusesOn(Service):
    """The refrigerator knows On alone, calls its power state writable, and refuses to be switched on again."""

    fleet = (WRITABLE_ALWAYS_ON,)
    profile_extras = UNLISTED

    def moves_power(self, appliance: Appliance, value: Json) -> bool:  # noqa: ARG002  no move is possible
        """Stay."""
        return False


@variant("present-state-refused", clause="PWR-SELF", knowledges=("full",))
class PresentStateRefused(Service):
    """A write of the power state that is there already is refused: 409."""

    fleet = (THREE_STATES,)
    profile_extras = UNLISTED

    def moves_power(self, appliance: Appliance, value: Json) -> bool:
        """Take the moves of the table and no other."""
        return (appliance.values[POWER_STATE], value) in self.edges


@variant("present-state-fails", clause="PWR-SELF", knowledges=("full",))
class PresentStateFails(Service):
    """A write of the power state that is there already ends in an exception: 500, and leaves it."""

    fleet = (ON_AND_OFF,)
    profile_extras = UNLISTED

    def accepts(self, appliance: Appliance, key: str, value: Json) -> Refusal | None:
        """Stumble over it."""
        present = key == POWER_STATE and value == appliance.values[key]
        return Refusal(500, "500", "Internal server error") if present else super().accepts(appliance, key, value)


@variant("off-to-standby-taken", clause="PWR-OFF-STANDBY", knowledges=("full",))
class OffToStandbyTaken(Service):
    """The machine goes from Off into standby, which no row of the table lists."""

    fleet = (THREE_STATES,)
    profile_extras = UNLISTED

    def moves_power(self, appliance: Appliance, value: Json) -> bool:  # noqa: ARG002  every move is possible
        """Take every move."""
        return True


@variant("off-to-standby-ignored", clause="PWR-OFF-STANDBY", knowledges=("full",))
class OffToStandbyIgnored(Service):
    """The machine answers 204 to Standby while it is off, and stays off."""

    fleet = (THREE_STATES,)
    profile_extras = UNLISTED

    def write(self, appliance: Appliance, segment: Segment, key: str, body: bytes) -> Reply:
        """Call a refusal a success."""
        off = key == POWER_STATE and segment == "settings" and appliance.values[key] == OFF
        reply = super().write(appliance, segment, key, body)
        return Reply(204, media_type=None) if off and reply == self.refuse(INVALID_STATE) else reply


@variant("power-late", clause="PWR-READBACK", knowledges=("full",))
class PowerLate(Late):
    """A power write takes effect a tenth of a second after it was answered."""

    fleet = (THREE_STATES,)


class Passing(Service):
    """A power write shows another state for a moment before the one that was written."""

    fleet = (THREE_STATES,)
    profile_extras = PATIENT

    def apply(self, appliance: Appliance, key: str, value: Json) -> None:
        """Pass through the other state."""
        effect, passed = super().apply, self.passed(appliance.values[key], value) if key == POWER_STATE else None
        self.timers.disarm((appliance.ha_id, f"passing {key}"))
        effect(appliance, key, value if passed is None else passed)
        if passed is not None:
            self.timers.arm((appliance.ha_id, f"passing {key}"), 0.05, lambda: effect(appliance, key, value))

    def passed(self, before: Json, value: Json) -> str | None:  # noqa: ARG002  each passes another one
        """The state between two states, or None."""
        return None


@variant("off-through-standby", clause="PWR-NO-FOREIGN", knowledges=("full",))
class OffThroughStandby(Passing):
    """On its way from On to Off the machine is in standby for a moment."""

    def passed(self, before: Json, value: Json) -> str | None:
        """Slow down first."""
        return STANDBY if (before, value) == (ON, OFF) else None


@variant("on-through-standby", clause="PWR-NO-FOREIGN", knowledges=("full",))
class OnThroughStandby(Passing):
    """On its way from Off to On the machine is in standby for a moment."""

    def passed(self, before: Json, value: Json) -> str | None:
        """Warm up first."""
        return STANDBY if (before, value) == (OFF, ON) else None


@variant("power-seen-at-the-third-look", clause="PWR-ON-OFF", knowledges=("full",))
class PowerSeenAtTheThirdLook(Service):
    """The first two reads after a power write still show the old power state."""

    fleet = (ON_AND_OFF,)

    @cached_property
    def cache(self) -> dict[str, tuple[Json, int]]:
        """The state each appliance has shown last, and how often it will be shown although it is no longer so."""
        return {}

    def value(self, appliance: Appliance, key: str) -> Json:
        """Answer from the cache while it is fresh."""
        now = super().value(appliance, key)
        if key != POWER_STATE:
            return now
        cached, left = self.cache.get(appliance.ha_id, (now, 2))
        fresh = cached != now and left > 0
        self.cache[appliance.ha_id] = (cached, left - 1) if fresh else (now, 2)
        return cached if fresh else now


@variant("operation-state-lags", clause="PWR-READBACK", knowledges=("full",))
class OperationStateLags(Service):
    """OperationState follows a power write after a tenth of a second."""

    fleet = (THREE_STATES,)
    profile_extras = PATIENT

    def follow(self, appliance: Appliance, key: str, value: Json) -> None:
        """Look at the power state later."""
        if key != POWER_STATE:
            super().follow(appliance, key, value)
            return
        state = self.operation_state(appliance, value)
        self.timers.arm((appliance.ha_id, OPERATION_STATE), 0.1, lambda: self.change(appliance, OPERATION_STATE, state))
