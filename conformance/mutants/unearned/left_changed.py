"""Settings that do not come back, and power states that an appliance should not take.

> | On | write PowerState Standby | only if the appliance supports it | Stand-by | none stated |
"""

from functools import cached_property

from catalog import keys
from conformance.mutants import fleets
from conformance.mutants.model import Ground, unearned
from conformance.mutants.shapes.writes import drops_where, sticks, takes
from conformance.reference.appliance import Appliance
from conformance.reference.service import Service
from conformance.reference.wire import Json


class Frozen(Service):
    """Every read shows what the first one showed."""

    @cached_property
    def shown(self) -> dict[tuple[str, str], Json]:
        """What each key of an appliance has shown first."""
        return {}

    def value(self, appliance: Appliance, key: str) -> Json:
        return self.shown.setdefault((appliance.ha_id, key), super().value(appliance, key))


class Lags(Frozen):
    """A change is shown a whole settle time after it can be expected."""

    def change(self, appliance: Appliance, key: str, value: Json) -> None:
        super().change(appliance, key, value)
        self.timers.arm((appliance.ha_id, f"shown {key}"), 0.3, lambda: self.catch_up(appliance, key))

    def catch_up(self, appliance: Appliance, key: str) -> None:
        """The next read shows what is there."""
        self.shown.pop((appliance.ha_id, key), None)


_GUARDS = ("RANGE-WRITE-OUT", "SET-TYPEGUARD", "STA-READONLY")

# fmt: off
unearned("reads-frozen", Ground.BACK, fleets.OVEN_ALARM, Frozen,
    "Every read shows what the first one showed, whatever was written.", guards=_GUARDS, ends=(1, 5))
unearned("reads-lag-behind-the-settle-time", Ground.BACK, fleets.OVEN_ALARM, Lags,
    "What was written is shown when the settle time is long over.", guards=_GUARDS, ends=(1, 3, 5))
unearned("brightness-stuck-at-101", Ground.READ, fleets.FRIDGE_LIGHT,
    sticks(keys.INTERNAL_BRIGHTNESS, lambda value: value == 101),
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
