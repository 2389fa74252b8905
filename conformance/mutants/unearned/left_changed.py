"""Settings that do not come back, and power states that an appliance should not take.

> | On | write PowerState Standby | only if the appliance supports it | Standby | none stated |
"""

from catalog import keys
from conformance.mutants import fleets
from conformance.mutants.model import Ground, unearned
from conformance.mutants.shapes.writes import drops_where, takes
from conformance.reference.appliance import Appliance
from conformance.reference.service import Service
from conformance.reference.wire import INVALID_STATE, Json, Refusal

_TOO_BRIGHT = 101


class StuckTooBright(Service):
    """A brightness of 101 is stored, and every later write is refused."""

    def accepts(self, appliance: Appliance, key: str, value: Json) -> Refusal | None:
        if key == keys.INTERNAL_BRIGHTNESS and appliance.values[key] == _TOO_BRIGHT:
            return INVALID_STATE
        taken = key == keys.INTERNAL_BRIGHTNESS and value == _TOO_BRIGHT
        return None if taken else super().accepts(appliance, key, value)


# fmt: off
unearned("brightness-stuck-at-101", Ground.READ, fleets.FRIDGE_LIGHT, StuckTooBright,
    "A brightness of 101 is taken, and nothing else after it.", guards=("RANGE-WRITE-OUT",), ends=(1, 5))
unearned("warmer-on-for-good", Ground.TRY, fleets.COFFEE_SETTINGS,
    drops_where(lambda _its, key, value: key == keys.CUP_WARMER and value is False),
    "CupWarmer can be switched on; to switch it off is acknowledged and forgotten.",
    guards=(f"SET-WRITABLE::{keys.CUP_WARMER}",), ends=(1, 5))
unearned("found-value-never-back", Ground.BACK, fleets.OVEN_ALARM,
    drops_where(lambda its, key, value: value == its.spec.values[key]),
    "A write of a value that was there at first is acknowledged and forgotten.", ends=(1, 5))
unearned("standby-taken-unsupported", Ground.POWER, fleets.ON_AND_OFF,
    takes(keys.POWER_STATE, lambda value: value == keys.STANDBY),
    "It is On or Off by its own word, and takes Standby.", guards=("PWR-UNSUPPORTED",), ends=(1,),
    profile=fleets.UNLISTED)
