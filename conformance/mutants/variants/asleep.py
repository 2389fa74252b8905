"""Appliances that are off, in standby or out of reach, and what becomes of everything else meanwhile.

> | Off | write PowerState On | none stated | On | none stated |

Nothing says what else can be read of an appliance that is not on. It may be out of reach, dark or forgetful,
as long as writing On brings it back.
"""

from msgspec.structs import replace

from catalog import keys
from conformance.mutants import document, fleets
from conformance.mutants.model import odd, written
from conformance.mutants.shapes.reads import hides, meets, nulls, rewrites_where, shows
from conformance.mutants.shapes.requests import intercepts
from conformance.mutants.shapes.side_effects import couples, follows
from conformance.mutants.shapes.states import Away, is_asleep, is_on
from conformance.mutants.shapes.writes import operates, refuses_where
from conformance.reference.appliance import Appliance
from conformance.reference.service import Service
from conformance.reference.wire import UNSUPPORTED, Incoming, Json, Refusal, Reply, dump

_STATE = "Vendor.Common.EnumType.OperationState"
_MACHINE_OFF = fleets.MACHINE.having({keys.POWER_STATE: keys.OFF, keys.OPERATION_STATE: keys.INACTIVE})
_MACHINE_STANDBY = fleets.MACHINE.having(
    {keys.POWER_STATE: keys.STANDBY, keys.OPERATION_STATE: keys.INACTIVE}
)
_NOT_ON = (
    replace(_MACHINE_OFF.having({keys.OPERATION_STATE: f"{_STATE}.Error"}), ha_id="machine-error"),
    replace(_MACHINE_STANDBY.having({keys.OPERATION_STATE: f"{_STATE}.Finished"}), ha_id="machine-finished"),
    replace(
        _MACHINE_STANDBY.having({keys.OPERATION_STATE: f"{_STATE}.DelayedStart"}), ha_id="machine-waiting"
    ),
    replace(_MACHINE_OFF.having({keys.OPERATION_STATE: keys.RUN}), ha_id="machine-running"),
)
_OVEN_STANDBY = (
    fleets.TIMED_OVEN.having({keys.POWER_STATE: keys.STANDBY}),
    fleets.COUNTING.having({keys.POWER_STATE: keys.STANDBY, keys.OPERATION_STATE: keys.INACTIVE}),
)
_OFFLINE = Refusal(
    409, "SDK.Error.HomeAppliance.Connection.Initialization.Failed", "The appliance is offline"
)
_POWER_STATES = (keys.ON, keys.OFF, keys.STANDBY)
_ASLEEP = Refusal(409, "SDK.Error.WrongOperationState", "Not while the appliance is in standby")


def _silent(silence: Reply) -> tuple[type[Service], ...]:
    """An appliance that is not on answers no read, not even one of its power state; it takes writes."""
    return (Away, meets(lambda appliance, _: not is_on(appliance), silence))


def _rinses(its: Service, appliance: Appliance, _: Json) -> None:
    ready = appliance.values.get(keys.OPERATION_STATE, keys.INACTIVE)

    def rinsed() -> None:
        if is_on(appliance):
            its.change(appliance, keys.OPERATION_STATE, ready)

    if ready != keys.INACTIVE:
        its.change(appliance, keys.OPERATION_STATE, keys.RUN)
        its.timers.arm((appliance.ha_id, "rinse"), 0.1, rinsed)


class LineDeadOnceOff(Service):
    def answer(self, request: Incoming) -> Reply:
        machine = self.appliances[fleets.MACHINE.ha_id]
        reply = super().answer(request) if is_on(machine) else Reply(0, drop=True)
        return reply if is_on(machine) else Reply(0, drop=True)


# fmt: off
odd(Away, "off-and-readable", "OPS-READY", "The machine is off and Inactive, and everything can be read.",
    fleet=_MACHINE_OFF, allowed=document.OFF)
odd(Away, "oven-in-standby", "PWR-STANDBY-OFF", "The oven is in standby, which is all it can be but on.",
    fleet=_OVEN_STANDBY, allowed=document.STANDBY)
odd(Away, "errors-while-off", "OPS-OTHERS",
    "One machine is off and in an error state, one has finished and sleeps, one waits in standby for its "
    "time, one is off and runs.", fleet=_NOT_ON, allowed=document.OPERATION,
    disputed="line 113: Inactive is switched off or in standby")
written(_silent(Reply(503, b"Service Unavailable", "text/plain")), "unavailable-while-off", "PWR-OFF-ON",
    "Once the hood is written off every read is answered 503, until On is written.",
    fleet=fleets.ON_AND_OFF_AND_LIGHT, allowed=document.OFF)
written(_silent(Reply(200, drop=True)), "hangs-up-in-standby", "PWR-STANDBY-ON",
    "Once the oven is written into standby every read ends the connection, until On is written.",
    fleet=fleets.ON_AND_STANDBY_AND_LOCK, allowed=document.STANDBY)
written(_silent(Reply(409, dump({"error": {"key": _OFFLINE.key}}))), "offline-while-off", "PWR-OFF-ON",
    "Once the hood is written off every read says that it is offline, until On is written.",
    fleet=fleets.ON_AND_OFF_AND_LIGHT, allowed=document.OFF)
written(operates({keys.ON: f"{_STATE}.ActionRequired"}), "wakes-up-needing-somebody", "OPS-OTHERS",
    "Whenever the machine is switched on its OperationState is ActionRequired.",
    fleet=fleets.THREE_STATES_AND_LOCK, allowed=document.OPERATION)
written(operates({keys.OFF: f"{_STATE}.Finished", keys.STANDBY: f"{_STATE}.Error"}), "sleeps-finished",
    "OPS-OTHERS", "Whenever the machine is off its OperationState is Finished, and Error in standby.",
    fleet=fleets.THREE_STATES_AND_LOCK, allowed=document.OPERATION,
    disputed="line 113: Inactive is switched off or in standby")
written(couples({(keys.POWER_STATE, keys.OFF): {keys.LIGHTING: False}}), "unlit-once-off", "SET-ONLY-TARGET",
    "The light of the hood goes off with the hood, and stays off when the hood is on again.",
    fleet=fleets.ON_AND_OFF_AND_LIGHT, allowed=document.POWER_EFFECTS)
written(couples({(keys.POWER_STATE, keys.ON): {keys.LIGHTING: True, keys.LIGHTING_BRIGHTNESS: 30}}),
    "on-forgets",
    "SET-ONLY-TARGET", "Whenever the hood is switched on its light is on at 30 %, whatever it was at before.",
    fleet=fleets.ON_AND_OFF_AND_LIGHT, allowed=document.POWER_EFFECTS)
written(couples({(keys.POWER_STATE, to): {keys.REMOTE_CONTROL: to == keys.ON} for to in _POWER_STATES}),
    "remote-control-sleeps", "SELF-RCA",
    "RemoteControlActive is true while the machine is on and false while it is not, and On is taken all the "
    "same.", fleet=fleets.MACHINE, allowed=document.REMOTE_CONTROL)
written(couples({(keys.POWER_STATE, keys.ON): {keys.CHILD_LOCK: False}}), "child-lock-with-off",
    "SET-ONLY-TARGET", "ChildLock comes off whenever the machine is switched on.",
    fleet=fleets.THREE_STATES_AND_LOCK.having({keys.CHILD_LOCK: True}), allowed=document.CHILD_LOCK)
written(couples({(keys.POWER_STATE, keys.ON): {keys.ALARM_CLOCK: 0}}), "alarm-cleared-by-a-power-cycle",
    "SET-ONLY-TARGET", "The alarm clock is cleared whenever the oven is switched on.",
    fleet=fleets.TIMED_OVEN.having({keys.ALARM_CLOCK: 600}), allowed=document.POWER_EFFECTS)
odd((Away, hides(is_asleep)), "off-and-silent", "READ-SETTING",
    "The machine is off and refuses everything but PowerState, as it refuses what it does not have.",
    fleet=_MACHINE_OFF, allowed=document.OFF)
written(meets(lambda its, key: key == keys.POWER_STATE and not is_on(its), UNSUPPORTED["settings"]),
    "power-hidden-while-off", "READ-SETTING",
    "Once the hood is written off its power state is refused to whoever reads, and nothing else is.",
    fleet=fleets.ON_AND_OFF_AND_LIGHT, allowed=document.OFF)
written(hides(is_asleep), "switch-alone-while-off", "OPS-READY",
    "Once the machine is off or in standby it has nothing but PowerState, for reads and for writes.",
    fleet=fleets.THREE_STATES_AND_LOCK, allowed=document.OFF)
odd((Away, hides(is_asleep), refuses_where(lambda _appliance, key, _value: key != keys.POWER_STATE)),
    "off-silent-and-not-remote", "SET-WRITABLE",
    "The machine is off and has nothing but PowerState; once it is on, remote control is not allowed, and "
    "nothing else is taken.", fleet=_MACHINE_OFF.having({keys.REMOTE_CONTROL: False}),
    allowed=document.REMOTE_CONTROL)
odd((Away, rewrites_where(is_asleep, lambda _: b"")), "off-and-empty", "READ-VALUE",
    "The machine is off, and every answer about anything but PowerState is a success without a body.",
    fleet=_MACHINE_OFF, allowed=document.OFF)
odd((Away, nulls(is_asleep)), "off-and-null", "TYPE-NOTNULL",
    "The machine is off, and the value of everything but PowerState is null until it is on.",
    fleet=fleets.MACHINE_LIT.having({keys.POWER_STATE: keys.OFF}), allowed=document.OFF,
    disputed="line 22: null is of none of the six types")
written(nulls(is_asleep), "null-once-asleep", "TYPE-NOTNULL",
    "Once the oven is written into standby, the value of everything but PowerState is null.",
    fleet=fleets.ON_AND_STANDBY_AND_LOCK, allowed=document.STANDBY,
    disputed="line 22: null is of none of the six types")
odd((Away, meets(is_asleep, Reply(200, drop=True))), "off-hangs-up", "READ-STATUS",
    "The machine is off, and whoever asks for anything but PowerState gets no answer.", fleet=_MACHINE_OFF,
    allowed=document.OFF)
odd((Away, meets(lambda its, key: key in its.values and is_asleep(its, key), _ASLEEP)), "standby-and-silent",
    "READ-STATUS",
    "The machine is in standby and says of everything but PowerState that this is not the moment.",
    fleet=_MACHINE_STANDBY, allowed=document.STANDBY)
odd((Away, meets(lambda appliance, _: appliance.ha_id == _MACHINE_OFF.ha_id, Reply(200, drop=True))),
    "out-of-reach", "READ-SETTING",
    "The machine is off at the wall and answers no question, while an oven of the same hub answers.",
    fleet=(_MACHINE_OFF, fleets.TIMED_OVEN), allowed=document.READ_ALONE)
odd((Away, intercepts(lambda _: _OFFLINE)), "offline", "ADDR-BASE",
    "The hub has lost the machine and says so, whatever is asked; the profile says that it is offline.",
    fleet=fleets.MACHINE, allowed=document.READ_ALONE)
written((Away, shows(lambda _: False, keys.REMOTE_CONTROL, state=(keys.POWER_STATE, keys.OFF)),
        refuses_where(lambda its, _key, _value: its.values.get(keys.POWER_STATE) == keys.OFF)),
    "remote-control-ends-with-off", "PWR-OFF-ON",
    "Once the machine is written off, remote control is not allowed, and only a person can switch it on.",
    fleet=fleets.MACHINE, allowed=document.REMOTE_CONTROL)
written(follows(keys.POWER_STATE, _rinses), "wakes-up-running", "OPS-TRANSITIONS",
    "Whenever the oven is switched on it rinses itself for a tenth of a second: Run, and then Ready.",
    fleet=fleets.ON_AND_STANDBY_AND_LOCK, profile_extras=fleets.PATIENT, allowed=document.OPERATION)
written(follows(keys.POWER_STATE, lambda its, one, _: its.apply(one, keys.POWER_STATE, keys.ON), once=True,
        after_s=0.02), "switched-back-by-hand-once", "PWR-SPONTANEOUS",
    "The first time the hood is switched off a person switches it on again, and never again.",
    fleet=fleets.ON_AND_OFF_AND_LIGHT, allowed=document.POWER_MOVES)
written(LineDeadOnceOff, "line-dead-once-off", "PWR-OFF-ON",
    "From the moment the machine has left On every connection is closed, and nothing is done any more.",
    fleet=(fleets.MACHINE, fleets.TIMED_OVEN), allowed=document.OFF)
