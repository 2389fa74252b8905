"""Writes that never work, settings that do not come back, and power states that should not be taken.

> Method and path for writing a setting value, and for listing all settings or statuses: not shown.
> | On | write PowerState Standby | only if the appliance supports it | Stand-by | none stated |

A guard that refuses everything has shown nothing.
"""

from catalog import keys
from conformance.mutants import fleets
from conformance.mutants.model import Ground, unearned
from conformance.mutants.shapes.requests import bars_writes
from conformance.mutants.shapes.states import Unsaid
from conformance.mutants.shapes.writes import drops_where, refuses, refuses_where, sticks, takes
from conformance.reference.appliance import Appliance
from conformance.reference.service import Service
from conformance.reference.wire import (
    INVALID_STATE,
    INVALID_TOKEN,
    INVALID_VALUE,
    Json,
    Refusal,
    Reply,
)

_FROZEN = ("RANGE-WRITE-OUT", "SET-TYPEGUARD", "STA-READONLY")
_GUARDS = (
    "RANGE-WRITE-OUT",
    "SET-TYPEGUARD",
    "SET-ENUMGUARD",
    "STA-READONLY",
    "AMB-BRIGHTNESS-LOCKED",
    "AMB-CUSTOM-ONLY",
    "HOOD-PERCENT-USABLE",
    "PWR-NO-FOREIGN",
)
_SILENT = ("writable",)
_INTERNAL = Refusal(500, "500", "Internal server error")
_FORBIDDEN = Refusal(403, "insufficient_scope", "This token is good for reading")


def _refused(refusal: Refusal) -> tuple[type[Service], ...]:
    """Every write is refused, and the profile does not say which settings can be written."""
    return refuses_where(lambda _its, _key, _value: True, refusal), Unsaid


_ELSEWHERE = "/api/homeappliances/{ha_id}/setting/{key}"
_APPLIANCES = (fleets.OVEN_ALARM, fleets.AMBIENT_PRESET)


class Frozen(Service):
    """Every read shows what the first one showed."""

    def value(self, appliance: Appliance, key: str) -> Json:
        return appliance.kept.setdefault(key, super().value(appliance, key))


class Lags(Frozen):
    """A change is shown a whole settle time after it can be expected."""

    def change(self, appliance: Appliance, key: str, value: Json) -> None:
        super().change(appliance, key, value)
        self.timers.arm((appliance.ha_id, f"shown {key}"), 0.3, lambda: appliance.kept.pop(key, None))


# fmt: off
unearned("reads-frozen", Ground.BACK, fleets.OVEN_ALARM, Frozen,
    "Every read shows what the first one showed, whatever was written.", guards=_FROZEN, ends=(1, 5))
unearned("reads-lag-behind-the-settle-time", Ground.BACK, fleets.OVEN_ALARM, Lags,
    "What was written is shown when the settle time is long over.", guards=_FROZEN, ends=(1, 3, 5))
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
unearned("write-path-wrong", Ground.EFFECT, _APPLIANCES, Unsaid,
    "The profile writes under /setting/, where nothing is: every write is answered 404.",
    guards=_GUARDS, fields=_SILENT, profile={"write": {"path": _ELSEWHERE}})
unearned("write-method-wrong", Ground.EFFECT, _APPLIANCES, Unsaid,
    "The profile writes with POST, which the server does not know: 405.",
    guards=_GUARDS, fields=_SILENT, profile={"write": {"method": "POST"}})
unearned("write-body-wrong", Ground.EFFECT, _APPLIANCES, Unsaid,
    "The profile sends the value where the server does not look for it: 400.",
    guards=_GUARDS, fields=_SILENT, profile={"write": {"body": {"data": "{value}"}}})
unearned("write-path-wrong-of-what-is-claimed", Ground.EFFECT, (*_APPLIANCES, fleets.ON_AND_OFF), Service,
    "Writes go to /setting/, where nothing is, and the profile claims settings and power states: 404.",
    guards=_GUARDS, profile={"write": {"path": _ELSEWHERE}})
unearned("writes-refused", Ground.GUARD, _APPLIANCES, _refused(INVALID_STATE),
    "Every write is refused, as in a state that does not allow it.", guards=_GUARDS, fields=_SILENT)
unearned("values-refused", Ground.GUARD, _APPLIANCES, _refused(INVALID_VALUE),
    "Every write is refused, as if its value were none.", guards=_GUARDS, fields=_SILENT)
unearned("writes-forbidden", Ground.GUARD, _APPLIANCES, (bars_writes(_FORBIDDEN), Unsaid),
    "Every write is answered 403: the token is good for reading.", guards=_GUARDS, fields=_SILENT)
unearned("writes-unauthorized", Ground.GUARD, _APPLIANCES, (bars_writes(INVALID_TOKEN), Unsaid),
    "Every write is answered 401.", guards=_GUARDS, fields=_SILENT)
unearned("writes-break", Ground.EFFECT, _APPLIANCES, (bars_writes(_INTERNAL), Unsaid),
    "Every write is answered 500.", guards=_GUARDS, fields=_SILENT)
unearned("writes-hang-up-unread", Ground.EFFECT, _APPLIANCES, (bars_writes(Reply(0, drop=True)), Unsaid),
    "Every write ends the connection and does nothing.", guards=_GUARDS, fields=_SILENT)
unearned("advertised-values-refused", Ground.VALUES,
    fleets.COFFEE_SETTINGS.only(keys.LIQUID_UNIT, keys.COFFEE_COUNT), (refuses(keys.LIQUID_UNIT), Unsaid),
    "LiquidVolumeUnit advertises two values and takes neither.", guards=("SET-ENUMGUARD",), fields=_SILENT)
unearned("writes-dropped", Ground.GUARD, _APPLIANCES, (drops_where(lambda _its, _key, _value: True), Unsaid),
    "Every write of an allowed value is acknowledged and forgotten.", guards=_GUARDS, ends=(1,),
    fields=_SILENT)
