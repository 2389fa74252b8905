"""Servers that do not go where a power write says.

> The power state (setting) moves by writes:
"""

from __future__ import annotations

from contextlib import suppress
from types import MappingProxyType
from typing import TYPE_CHECKING

from conformance.mutants.model import mutant
from conformance.mutants.write_shapes import Deaf, Straying, Stubborn
from conformance.mutants.write_soil import OFF, ON_AND_OFF, ON_AND_STANDBY, STANDBY, THREE_STATES
from conformance.reference.names import ON, POWER_STATE
from conformance.reference.service import Service

if TYPE_CHECKING:
    from catalog.model import Segment
    from conformance.reference.appliance import Appliance
    from conformance.reference.wire import Reply

_THIRD_STATE = {"PWR-NO-FOREIGN": "The state is neither the written one nor the old one, each time."}
_UNLISTED = MappingProxyType({"power": {"probe_unlisted": True}})


@mutant("off-ignored", clause="PWR-ON-OFF", level="L3")
class OffIgnored(Deaf):
    """Off is acknowledged while the appliance is on, and it stays on."""

    fleet = (THREE_STATES,)
    move = (ON, OFF)


@mutant("off-refused", clause="PWR-ON-OFF", level="L3")
class OffRefused(Stubborn):
    """Off is refused while the appliance is on, although it is declared."""

    fleet = (ON_AND_OFF,)
    move = (ON, OFF)


@mutant("off-rests", clause="PWR-ON-OFF", level="L3", partners=_THIRD_STATE)
class OffRests(Straying):
    """Off puts an appliance that has Off into standby."""

    fleet = (THREE_STATES,)
    move, end = (ON, OFF), STANDBY


@mutant("standby-ignored", clause="PWR-ON-STANDBY", level="L3")
class StandbyIgnored(Deaf):
    """Standby is acknowledged while the appliance is on, and it stays on."""

    fleet = (ON_AND_STANDBY,)
    move = (ON, STANDBY)


@mutant("standby-refused", clause="PWR-ON-STANDBY", level="L3")
class StandbyRefused(Stubborn):
    """Standby is refused while the appliance is on, although it is declared."""

    fleet = (THREE_STATES,)
    move = (ON, STANDBY)


@mutant("standby-switches-off", clause="PWR-ON-STANDBY", level="L3", partners=_THIRD_STATE)
class StandbySwitchesOff(Straying):
    """Standby switches an appliance off that has Standby."""

    fleet = (THREE_STATES,)
    move, end = (ON, STANDBY), OFF


@mutant("on-ignored-in-standby", clause="PWR-STANDBY-ON", level="L3")
class OnIgnoredInStandby(Deaf):
    """On is acknowledged in standby, and the appliance stays there."""

    fleet = (ON_AND_STANDBY,)
    move = (STANDBY, ON)


@mutant("on-refused-in-standby", clause="PWR-STANDBY-ON", level="L3")
class OnRefusedInStandby(Stubborn):
    """On is refused in standby; only an appliance that is off can be switched on."""

    fleet = (THREE_STATES,)
    move = (STANDBY, ON)


@mutant("off-ignored-in-standby", clause="PWR-STANDBY-OFF", level="L3")
class OffIgnoredInStandby(Deaf):
    """Off is acknowledged in standby, and the appliance stays there, although it has Off."""

    fleet = (THREE_STATES,)
    move = (STANDBY, OFF)


@mutant("off-refused-in-standby", clause="PWR-STANDBY-OFF", level="L3")
class OffRefusedInStandby(Stubborn):
    """Off is refused in standby, and only there."""

    fleet = (THREE_STATES,)
    move = (STANDBY, OFF)


@mutant("off-wakes-from-standby", clause="PWR-STANDBY-OFF", level="L3", partners=_THIRD_STATE)
class OffWakesFromStandby(Straying):
    """Off in standby switches the appliance on."""

    fleet = (THREE_STATES,)
    move, end = (STANDBY, OFF), ON


@mutant("on-refused-when-off", clause="PWR-OFF-ON", level="L3")
class OnRefusedWhenOff(Stubborn):
    """On is refused for ever once the appliance is off."""

    fleet = (THREE_STATES,)
    move = (OFF, ON)


@mutant("on-ignored-when-off", clause="PWR-OFF-ON", level="L3")
class OnIgnoredWhenOff(Deaf):
    """On is acknowledged while the appliance is off, and it stays off."""

    fleet = (ON_AND_OFF,)
    move = (OFF, ON)


@mutant("on-wakes-halfway", clause="PWR-OFF-ON", level="L3", partners=_THIRD_STATE)
class OnWakesHalfway(Straying):
    """On leads from Off to Standby, and from there to On."""

    fleet = (THREE_STATES,)
    move, end = (OFF, ON), STANDBY


@mutant("standby-in-off-switches-on", clause="PWR-NO-FOREIGN", level="L3")
class StandbyInOffSwitchesOn(Service):
    """Standby, written while the appliance is off, switches it on."""

    fleet = (THREE_STATES,)
    profile_extras = _UNLISTED

    def write(self, appliance: Appliance, segment: Segment, key: str, body: bytes) -> Reply:
        """Wake up by being sent to rest."""
        with suppress(ValueError):
            if key == POWER_STATE and appliance.values[key] == OFF and self.decode(appliance, key, body) == STANDBY:
                self.apply(appliance, key, ON)
                return self.acknowledge(appliance, key)
        return super().write(appliance, segment, key, body)


@mutant("on-toggles", clause="PWR-NO-FOREIGN", level="L3")
class OnToggles(Straying):
    """On, written while the appliance is on, switches it off."""

    fleet = (ON_AND_OFF,)
    profile_extras = _UNLISTED
    move, end = (ON, ON), OFF


@mutant("standby-toggles", clause="PWR-NO-FOREIGN", level="L3")
class StandbyToggles(Straying):
    """Standby, written in standby, switches the appliance on."""

    fleet = (ON_AND_STANDBY,)
    profile_extras = _UNLISTED
    move, end = (STANDBY, STANDBY), ON


@mutant(
    "on-in-standby-switches-off",
    clause="PWR-NO-FOREIGN",
    level="L3",
    partners={"PWR-STANDBY-ON": "On is acknowledged in standby, and the appliance is not on."},
)
class OnInStandbySwitchesOff(Straying):
    """On, written in standby, switches the appliance off."""

    fleet = (THREE_STATES,)
    move, end = (STANDBY, ON), OFF
