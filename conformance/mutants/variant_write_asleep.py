"""Appliances that were switched off by a write, and what becomes of everything else meanwhile, and afterwards.

> | Off | write PowerState On | none stated | On | none stated |

An appliance that is not on may be out of reach, dark or forgetful, as long as writing On brings it back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from conformance.mutants.model import variant
from conformance.mutants.soil import CHILD_LOCK, LIGHTING, LIGHTING_BRIGHTNESS, MACHINE, REMOTE_CONTROL
from conformance.mutants.variant_power import Away
from conformance.mutants.variant_write_soil import OFF, ON_AND_OFF, ON_AND_STANDBY, PATIENT, STANDBY, THREE_STATES
from conformance.reference.names import INACTIVE, ON, OPERATION_STATE, POWER_STATE
from conformance.reference.service import Service
from conformance.reference.wire import INVALID_STATE, Reply, dump

if TYPE_CHECKING:
    from catalog.model import Segment
    from conformance.reference.appliance import Appliance
    from conformance.reference.wire import Json, Refusal

_STATE = "Vendor.Common.EnumType.OperationState"


class Silent(Away):
    """An appliance that is not on answers no read, not even one of its power state; it takes writes.

    Attributes:
        silence: what a read is met with.
    """

    silence: ClassVar[Reply]

    def read(self, appliance: Appliance, segment: Segment, key: str) -> Reply:
        """Answer when awake."""
        return super().read(appliance, segment, key) if appliance.values[POWER_STATE] == ON else self.silence


@variant("unavailable-while-off", clause="PWR-OFF-ON", knowledges=("full",))
class UnavailableWhileOff(Silent):
    """Once the hood is written off every read is answered 503, until On is written."""

    fleet = (ON_AND_OFF,)
    silence = Reply(503, b"Service Unavailable", "text/plain")


@variant("hangs-up-in-standby", clause="PWR-STANDBY-ON", knowledges=("full",))
class HangsUpInStandby(Silent):
    """Once the oven is written into standby every read ends the connection, until On is written."""

    fleet = (ON_AND_STANDBY,)
    silence = Reply(200, drop=True)


@variant("offline-while-off", clause="PWR-OFF-ON", knowledges=("full",))
class OfflineWhileOff(Silent):
    """Once the hood is written off every read says that it is offline, until On is written."""

    fleet = (ON_AND_OFF,)
    silence = Reply(409, dump({"error": {"key": "SDK.Error.HomeAppliance.Connection.Initialization.Failed"}}))


@variant("switch-alone-while-off", clause="OPS-READY", knowledges=("full",))
class SwitchAloneWhileOff(Service):
    """Once the machine is off or in standby it has nothing but PowerState, for reads and for writes."""

    fleet = (THREE_STATES,)

    def serves(self, appliance: Appliance, segment: Segment, key: str) -> bool:
        """Know nothing but the switch."""
        awake = key == POWER_STATE or appliance.values[POWER_STATE] == ON
        return awake and super().serves(appliance, segment, key)


@variant("wakes-up-needing-somebody", clause="OPS-OTHERS", knowledges=("full",))
class WakesUpNeedingSomebody(Service):
    """Whenever the machine is switched on its OperationState is ActionRequired."""

    fleet = (THREE_STATES,)

    def operation_state(self, appliance: Appliance, power: Json) -> Json:
        """Ask for water."""
        return f"{_STATE}.ActionRequired" if power == ON else super().operation_state(appliance, power)


@variant("sleeps-finished", clause="OPS-OTHERS", knowledges=("full",))
class SleepsFinished(Service):
    """Whenever the machine is off its OperationState is Finished, and Error in standby."""

    fleet = (THREE_STATES,)

    def operation_state(self, appliance: Appliance, power: Json) -> Json:
        """Say how it ended."""
        return {OFF: f"{_STATE}.Finished", STANDBY: f"{_STATE}.Error"}.get(str(power)) or super().operation_state(appliance, power)


@variant("wakes-up-running", clause="OPS-TRANSITIONS", knowledges=("full",))
class WakesUpRunning(Service):
    """Whenever the oven is switched on it rinses itself for a tenth of a second: Run, and then Ready."""

    fleet = (ON_AND_STANDBY,)
    profile_extras = PATIENT

    def follow(self, appliance: Appliance, key: str, value: Json) -> None:
        """Rinse first."""
        super().follow(appliance, key, value)
        ready = appliance.values[OPERATION_STATE]
        if key == POWER_STATE and ready != INACTIVE:
            self.change(appliance, OPERATION_STATE, f"{_STATE}.Run")
            self.timers.arm((appliance.ha_id, "rinse"), 0.1, lambda: self.rinsed(appliance, ready))

    def rinsed(self, appliance: Appliance, ready: Json) -> None:
        """Be ready, unless it was switched off meanwhile."""
        if appliance.values[POWER_STATE] == ON:
            self.change(appliance, OPERATION_STATE, ready)


@variant("switched-back-by-hand-once", clause="PWR-SPONTANEOUS", knowledges=("full",))
class SwitchedBackByHandOnce(Service):
    """The first time the hood is switched off a person switches it on again, and never again."""

    fleet = (ON_AND_OFF,)
    came = False

    def follow(self, appliance: Appliance, key: str, value: Json) -> None:
        """Let the person do it once."""
        super().follow(appliance, key, value)
        if key == POWER_STATE and value == OFF and not self.came:
            self.came = True
            self.timers.arm((appliance.ha_id, "hand"), 0.02, lambda: self.apply(appliance, POWER_STATE, ON))


@variant("off-darkens", clause="SET-ONLY-TARGET", knowledges=("full",))
class OffDarkens(Service):
    """The light of the hood goes off with the hood, and stays off when the hood is on again."""

    fleet = (ON_AND_OFF,)

    def follow(self, appliance: Appliance, key: str, value: Json) -> None:
        """Switch the light as well."""
        super().follow(appliance, key, value)
        if key == POWER_STATE and value == OFF:
            self.change(appliance, LIGHTING, value=False)


@variant("on-forgets", clause="SET-ONLY-TARGET", knowledges=("full",))
class OnForgets(Service):
    """Whenever the hood is switched on its light is on at 30 %, whatever it was at before."""

    fleet = (ON_AND_OFF,)

    def follow(self, appliance: Appliance, key: str, value: Json) -> None:
        """Begin anew."""
        super().follow(appliance, key, value)
        if key == POWER_STATE and value == ON:
            self.change(appliance, LIGHTING, value=True)
            self.change(appliance, LIGHTING_BRIGHTNESS, 30)


@variant("remote-control-sleeps", clause="SELF-RCA", knowledges=("full",))
class RemoteControlSleeps(Service):
    """RemoteControlActive is true while the machine is on and false while it is not, and On is taken all the same."""

    fleet = (MACHINE,)

    def follow(self, appliance: Appliance, key: str, value: Json) -> None:
        """Say whether it listens."""
        super().follow(appliance, key, value)
        if key == POWER_STATE:
            self.change(appliance, REMOTE_CONTROL, value == ON)


@variant("remote-control-ends-with-off", clause="PWR-OFF-ON", knowledges=("full",))
class RemoteControlEndsWithOff(Away):
    """Once the machine is written off remote control is not allowed, and nobody but a person can switch it on again."""

    fleet = (MACHINE,)

    def value(self, appliance: Appliance, key: str) -> Json:
        """Say that it does not listen."""
        asleep = key == REMOTE_CONTROL and appliance.values[POWER_STATE] == OFF
        return False if asleep else super().value(appliance, key)

    def accepts(self, appliance: Appliance, key: str, value: Json) -> Refusal | None:
        """Do not listen."""
        return INVALID_STATE if appliance.values[POWER_STATE] == OFF else super().accepts(appliance, key, value)


@variant("child-lock-with-off", clause="SET-ONLY-TARGET", knowledges=("full",))
class ChildLockWithOff(Service):
    """ChildLock comes off whenever the machine is switched on."""

    fleet = (THREE_STATES.having({CHILD_LOCK: True}),)

    def follow(self, appliance: Appliance, key: str, value: Json) -> None:
        """Unlock."""
        super().follow(appliance, key, value)
        if key == POWER_STATE and value == ON:
            self.change(appliance, CHILD_LOCK, value=False)
