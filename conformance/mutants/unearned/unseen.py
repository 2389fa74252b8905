"""Entries that answer with errors, or no longer: no state was seen, and nothing that did not move.

> Error codes and error response bodies: not shown.
"""

from typing import ClassVar

from catalog import keys
from catalog.model import Segment
from conformance.mutants import fleets
from conformance.mutants.model import Ground, unearned
from conformance.mutants.shapes.reads import meets
from conformance.reference.appliance import Appliance
from conformance.reference.service import Service
from conformance.reference.wire import Json, Refusal, Reply

_TIMED_OUT = Refusal(408, "408", "Request timeout")
_OFFLINE = Refusal(409, "SDK.Error.HomeAppliance.Connection.Initialization.Failed", "Offline")


class GoneOnceWritten(Service):
    """A key is refused for good once another one was written.

    Attributes:
        on: the key, or a haId of which all keys are.
    """

    on: ClassVar[str]
    is_gone: bool = False

    def apply(self, appliance: Appliance, key: str, value: Json) -> None:
        super().apply(appliance, key, value)
        self.is_gone = True

    def read(self, appliance: Appliance, segment: Segment, key: str) -> Reply:
        is_it = self.on in {key, appliance.ha_id}
        return self.refuse(_OFFLINE) if self.is_gone and is_it else super().read(appliance, segment, key)


_TWO = (fleets.OVEN_ALARM, fleets.MACHINE_STATUSES)

# fmt: off
unearned("other-appliance-gone-once-written", Ground.LOOK, _TWO, GoneOnceWritten,
    "Once anything was written, the other appliance is said to be offline.",
    guards=("ADDR-HAID-ISOLATION",), level="write", ends=(1, 3, 5), on=fleets.MACHINE_STATUSES.ha_id)
unearned("claimed-keys-time-out", Ground.OPEN, fleets.COFFEE_SETTINGS,
    meets(lambda _, key: key == keys.CUP_WARMER, _TIMED_OUT), "CupWarmer, which is claimed, is answered 408.",
    ends=(1, 3), level="read")
