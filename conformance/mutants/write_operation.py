"""Servers that echo a power write, while the operation state tells another story.

> Current power state
> Inactive | Switched off or in standby
> Ready | Switched on, no program active
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.mutants.model import mutant
from conformance.mutants.write_soil import OFF, ON_AND_OFF, ON_AND_STANDBY, STANDBY, THREE_STATES
from conformance.reference.names import INACTIVE, ON, POWER_STATE, READY
from conformance.reference.service import Service

if TYPE_CHECKING:
    from conformance.reference.appliance import Appliance
    from conformance.reference.wire import Json

_READY = "PowerState is Off or Standby, and OperationState stays Ready."
_INACTIVE = "PowerState is On, and OperationState stays Inactive."


@mutant("power-echoed", clause="PWR-READBACK", level="L3", partners={"OPS-READY": _READY})
class PowerEchoed(Service):
    """PowerState is what was written last, and OperationState stays Ready through all of it."""

    fleet = (THREE_STATES,)

    def follow(self, appliance: Appliance, key: str, value: Json) -> None:
        """Let the operation state be."""
        if key != POWER_STATE:
            super().follow(appliance, key, value)


@mutant("standby-echoed", clause="PWR-READBACK", level="L3", partners={"OPS-READY": _READY})
class StandbyEchoed(Service):
    """PowerState becomes Standby and nothing else does: OperationState is Ready."""

    fleet = (ON_AND_STANDBY,)

    def operation_state(self, appliance: Appliance, power: Json) -> Json:
        """Take standby for being on."""
        return READY if power == STANDBY else super().operation_state(appliance, power)


@mutant("on-echoed", clause="PWR-READBACK", level="L3", partners={"OPS-ON-NOT-INACTIVE": _INACTIVE, "OPS-INACTIVE": _INACTIVE})
class OnEchoed(Service):
    """PowerState becomes On and nothing else does: OperationState stays Inactive."""

    fleet = (ON_AND_OFF,)

    def follow(self, appliance: Appliance, key: str, value: Json) -> None:
        """Fall asleep with the appliance and not wake up with it."""
        if (key, value) != (POWER_STATE, ON):
            super().follow(appliance, key, value)


@mutant("ready-when-switched-off", clause="OPS-READY", level="L3", partners={"PWR-READBACK": _READY})
class ReadyWhenSwitchedOff(Service):
    """OperationState is Ready after Off was written, Inactive after Standby."""

    fleet = (THREE_STATES,)

    def operation_state(self, appliance: Appliance, power: Json) -> Json:
        """Be ready in the dark."""
        return READY if power == OFF else super().operation_state(appliance, power)


@mutant("ready-in-every-state", clause="OPS-READY", level="L3", partners={"PWR-READBACK": _READY})
class ReadyInEveryState(Service):
    """OperationState becomes Ready with every power write, On or not."""

    fleet = (ON_AND_OFF,)

    def operation_state(self, appliance: Appliance, power: Json) -> Json:  # noqa: ARG002  it looks at nothing
        """Be ready for anything."""
        return READY


@mutant(
    "inactive-after-switching-on", clause="OPS-ON-NOT-INACTIVE", level="L3", partners={"OPS-INACTIVE": _INACTIVE, "PWR-READBACK": _INACTIVE}
)
class InactiveAfterSwitchingOn(Service):
    """OperationState stays Inactive after On was written, whatever the appliance came from."""

    fleet = (THREE_STATES,)

    def operation_state(self, appliance: Appliance, power: Json) -> Json:  # noqa: ARG002  it looks at nothing
        """Rest for ever after the first rest."""
        return INACTIVE


@mutant("inactive-after-waking", clause="OPS-ON-NOT-INACTIVE", level="L3", partners={"OPS-INACTIVE": _INACTIVE, "PWR-READBACK": _INACTIVE})
class InactiveAfterWaking(Service):
    """OperationState stays Inactive when standby ends, and follows when Off does."""

    fleet = (THREE_STATES,)

    def apply(self, appliance: Appliance, key: str, value: Json) -> None:
        """Wake the switch and not the appliance."""
        wakes = key == POWER_STATE and (appliance.values[key], value) == (STANDBY, ON)
        if wakes:
            self.change(appliance, key, value)
        else:
            super().apply(appliance, key, value)
