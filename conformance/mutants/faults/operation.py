"""Servers that take a power write, while the operation state says something else.

> Current power state
> Inactive | Switched off or in standby
> Ready | Switched on, no program active
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from catalog import keys
from conformance.mutants.faults.rows import Row, add
from conformance.mutants.faults.write_shapes import detaches, operates
from conformance.mutants.fleets import ON_AND_OFF, ON_AND_STANDBY, THREE_STATES
from conformance.mutants.model import Symptom
from conformance.reference.service import Service

if TYPE_CHECKING:
    from conformance.reference.appliance import Appliance
    from conformance.reference.wire import Json

_READY = "PowerState is Off or Standby, and OperationState stays Ready."
_INACTIVE = "PowerState is On, and OperationState stays Inactive."


class InactiveAfterWaking(Service):
    def apply(self, appliance: Appliance, key: str, value: Json) -> None:
        wakes = key == keys.POWER_STATE and (appliance.values[key], value) == (keys.STANDBY, keys.ON)
        if wakes:
            self.change(appliance, key, value)
        else:
            super().apply(appliance, key, value)


# A row of a table takes two or three lines; the formatter would make ten of them.
# fmt: off
ROWS = (
    Row("power-echoed", "PWR-READBACK", "L3", THREE_STATES, detaches(keys.POWER_STATE),
        "PowerState is what was written last, and OperationState stays Ready through all of it.",
        partners={"OPS-READY": _READY},
        shows=Symptom("PowerState=Off", "Ready", "Inactive", read="OperationState")),
    Row("standby-echoed", "PWR-READBACK", "L3", ON_AND_STANDBY, operates({keys.STANDBY: keys.READY}),
        "PowerState becomes Standby and nothing else does: OperationState is Ready.",
        partners={"OPS-READY": _READY},
        shows=Symptom("PowerState=Standby", "Ready", "Inactive", read="OperationState")),
    Row("on-echoed", "PWR-READBACK", "L3", ON_AND_OFF, detaches(keys.POWER_STATE, keys.ON),
        "PowerState becomes On and nothing else does: OperationState stays Inactive.",
        partners={"OPS-ON-NOT-INACTIVE": _INACTIVE, "OPS-INACTIVE": _INACTIVE},
        shows=Symptom("PowerState=Off; PowerState=On", "Inactive", "Ready", read="OperationState")),
    Row("ready-when-switched-off", "OPS-READY", "L3", THREE_STATES, operates({keys.OFF: keys.READY}),
        "OperationState is Ready after Off was written, Inactive after Standby.",
        partners={"PWR-READBACK": _READY},
        shows=Symptom("PowerState=Off", "Ready", "Inactive", read="OperationState")),
    Row("ready-in-every-state", "OPS-READY", "L3", ON_AND_OFF,
        operates({keys.ON: keys.READY, keys.OFF: keys.READY}),
        "OperationState becomes Ready with every power write, On or not.", partners={"PWR-READBACK": _READY},
        shows=Symptom("PowerState=Off", "Ready", "Inactive", read="OperationState")),
    Row("inactive-after-switching-on", "OPS-ON-NOT-INACTIVE", "L3", THREE_STATES,
        operates({keys.ON: keys.INACTIVE, keys.OFF: keys.INACTIVE, keys.STANDBY: keys.INACTIVE}),
        "OperationState stays Inactive after On was written, whatever the appliance came from.",
        partners={"OPS-INACTIVE": _INACTIVE, "PWR-READBACK": _INACTIVE},
        shows=Symptom("PowerState=Off; PowerState=On", "Inactive", "Ready", read="OperationState")),
    Row("inactive-after-waking", "OPS-ON-NOT-INACTIVE", "L3", THREE_STATES, InactiveAfterWaking,
        "OperationState stays Inactive when standby ends, and follows when Off does.",
        partners={"OPS-INACTIVE": _INACTIVE, "PWR-READBACK": _INACTIVE},
        shows=Symptom("PowerState=Standby; PowerState=On", "Inactive", "Ready", read="OperationState")),
)
# fmt: on

add(__name__, ROWS)
