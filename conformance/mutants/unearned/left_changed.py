"""Settings that do not come back, and power states that an appliance should not take.

> | On | write PowerState Standby | only if the appliance supports it | Standby | none stated |
"""

from catalog import keys
from conformance.mutants import fleets
from conformance.mutants.model import Ground, unearned
from conformance.mutants.shapes.writes import drops_where

# fmt: off
unearned("warmer-on-for-good", Ground.TRY, fleets.COFFEE_SETTINGS,
    drops_where(lambda _its, key, value: key == keys.CUP_WARMER and value is False),
    "CupWarmer can be switched on; to switch it off is acknowledged and forgotten.",
    guards=(f"SET-WRITABLE::{keys.CUP_WARMER}",), ends=(1, 5))
unearned("found-value-never-back", Ground.BACK, fleets.OVEN_ALARM,
    drops_where(lambda its, key, value: value == its.spec.values[key]),
    "A write of a value that was there at first is acknowledged and forgotten.", ends=(1, 5))
