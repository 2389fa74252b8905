"""Writes that never work: a guard that refuses everything has shown nothing.

> Method and path for writing a setting value, and for listing all settings or statuses: not shown.
"""

from catalog import keys
from conformance.mutants import fleets
from conformance.mutants.model import Ground, unearned
from conformance.mutants.shapes.requests import intercepts
from conformance.mutants.shapes.states import Unsaid
from conformance.mutants.shapes.writes import drops_where, refuses, refuses_where
from conformance.reference.service import Service
from conformance.reference.wire import INVALID_STATE, INVALID_TOKEN, INVALID_VALUE, Incoming, Refusal, Reply

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
_WRITES = {"PUT", "POST", "PATCH"}


def _met(barrier: Refusal | Reply) -> tuple[type[Service], ...]:
    """Every write is met with this before anybody looks at it."""

    def reply(asked: Incoming) -> Refusal | Reply | None:
        return barrier if asked.method in _WRITES else None

    return intercepts(reply), Unsaid


def _refused(refusal: Refusal) -> tuple[type[Service], ...]:
    """Every write is refused, and the profile does not say which settings can be written."""
    return refuses_where(lambda _its, _key, _value: True, refusal), Unsaid


_ELSEWHERE = "/api/homeappliances/{ha_id}/setting/{key}"
_APPLIANCES = (fleets.OVEN_ALARM, fleets.AMBIENT_PRESET)

# fmt: off
unearned("write-path-wrong", Ground.EFFECT, _APPLIANCES, Unsaid,
    "The profile writes under /setting/, where nothing is: every write is answered 404.",
    guards=_GUARDS, fields=_SILENT, profile={"write": {"path": _ELSEWHERE}})
unearned("write-method-wrong", Ground.EFFECT, _APPLIANCES, Unsaid,
    "The profile writes with POST, which the server does not know: 405.",
    guards=_GUARDS, fields=_SILENT, profile={"write": {"method": "POST"}})
unearned("write-body-wrong", Ground.EFFECT, _APPLIANCES, Unsaid,
    "The profile sends the value where the server does not look for it: 400.",
    guards=_GUARDS, fields=_SILENT, profile={"write": {"body": {"data": "{value}"}}})
unearned("writes-refused", Ground.GUARD, _APPLIANCES, _refused(INVALID_STATE),
    "Every write is refused, as in a state that does not allow it.", guards=_GUARDS, fields=_SILENT)
unearned("values-refused", Ground.GUARD, _APPLIANCES, _refused(INVALID_VALUE),
    "Every write is refused, as if its value were none.", guards=_GUARDS, fields=_SILENT)
unearned("writes-forbidden", Ground.GUARD, _APPLIANCES, _met(_FORBIDDEN),
    "Every write is answered 403: the token is good for reading.", guards=_GUARDS, fields=_SILENT)
unearned("writes-unauthorized", Ground.GUARD, _APPLIANCES, _met(INVALID_TOKEN),
    "Every write is answered 401.", guards=_GUARDS, fields=_SILENT)
unearned("writes-break", Ground.EFFECT, _APPLIANCES, _met(_INTERNAL),
    "Every write is answered 500.", guards=_GUARDS, fields=_SILENT)
unearned("writes-hang-up-unread", Ground.EFFECT, _APPLIANCES, _met(Reply(0, drop=True)),
    "Every write ends the connection and does nothing.", guards=_GUARDS, fields=_SILENT)
unearned("advertised-values-refused", Ground.VALUES,
    fleets.COFFEE_SETTINGS.only(keys.LIQUID_UNIT, keys.COFFEE_COUNT), (refuses(keys.LIQUID_UNIT), Unsaid),
    "LiquidVolumeUnit advertises two values and takes neither.", guards=("SET-ENUMGUARD",), fields=_SILENT)
unearned("writes-dropped", Ground.GUARD, _APPLIANCES, (drops_where(lambda _its, _key, _value: True), Unsaid),
    "Every write of an allowed value is acknowledged and forgotten.", guards=_GUARDS, ends=(1,),
    fields=_SILENT)
