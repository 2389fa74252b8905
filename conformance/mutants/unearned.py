"""Servers of which too little is seen for a green run: a suite that calls one conforming is wrong.

> Response body field names: not shown.
> Authentication: not shown.
> Error codes, status codes and error bodies: not shown.
> Method and path for writing a setting value, and for listing all settings or statuses: not shown.
> | On | write PowerState Standby | only if the appliance supports it | Stand-by | none stated |

A row of the table is a server, its appliance and perhaps what its profile says amiss, with how its run may
end and which clauses must not pass; a behaviour of its own is a class above the table. First come profiles
with a mistake, a waiver, too small a bound, or a level that does not show what is claimed.

Then entries that answer with errors, or no longer, and targets that go away in the middle of a run. An error
shows no state, and not that nothing has moved. What was not seen since a target went away did not pass. Where
one leaves right after a write, the run cannot put back what it has written, and says so first.

Last come writes that never work, settings that do not come back, and power states that should not be taken. A
guard that refuses everything has shown nothing.
"""

from typing import ClassVar

from catalog import keys
from catalog.model import Segment
from conformance.mutants import fleets
from conformance.mutants.model import Ground, unearned
from conformance.mutants.shapes.reads import hides, holds, meets, rewrites, sends, shows_as
from conformance.mutants.shapes.requests import ErringAtRandom, Leaving, bars_writes
from conformance.mutants.shapes.side_effects import couples
from conformance.mutants.shapes.states import Away, Unsaid, refuses_unsaid
from conformance.mutants.shapes.writes import drops_where, refuses, refuses_where, sticks, stores, takes
from conformance.reference.appliance import Appliance
from conformance.reference.fleets.cooking import COFFEE_MAKER
from conformance.reference.fleets.cooling import FRIDGE_CELSIUS
from conformance.reference.service import Service
from conformance.reference.wire import INVALID_STATE, INVALID_TOKEN, INVALID_VALUE, Json, Refusal, Reply

_WAIVED = {
    "waiver": [{"case": "TYPE-BOOLEAN::*", "reason": "known", "owner": "nobody", "expires": "9999-12-31"}]
}
_COLD = fleets.FRIDGE_SETPOINTS

_LONG = holds(lambda _, members: members | {"description": "x" * 3_000})
_BROKEN = Refusal(500, "500", "Internal server error")
_LATE = Refusal(504, "504", "Gateway timeout")
_TIMED_OUT = Refusal(408, "408", "Request timeout")
_UNAVAILABLE = Refusal(503, "503", "Service unavailable")
_TOO_MANY = Refusal(429, "429", "Too many requests", {"Retry-After": "0"})
_FORBIDDEN = Refusal(403, "insufficient_scope", "This token is not good for this")
_ANSWERS = {"broken": _BROKEN, "timed-out": _TIMED_OUT, "throttled": _TOO_MANY, "forbidden": _FORBIDDEN}
_DROPPED = Reply(0, drop=True)
_OFFLINE = Refusal(409, "SDK.Error.HomeAppliance.Connection.Initialization.Failed", "Offline")
_NO_ACCESS = Refusal(403, "insufficient_scope", "This token is good for nothing any more")
_NOT_FOUND = Refusal(404, "404", "There is no such home appliance")
_FRIDGE = FRIDGE_CELSIUS.only(
    keys.CHILD_LOCK,
    keys.SETPOINT,
    keys.INTERNAL_LIGHT,
    keys.INTERNAL_BRIGHTNESS,
    keys.FRIDGE_SABBATH,
    keys.FRIDGE_DOOR,
)
_PLACES = range(3, 183, 3)
"""After how many requests a token expires: from the first reads of a run to the last ones."""
_SOME = (20, 90, 160)
_ENDS: tuple[tuple[str, str, Refusal | Reply], ...] = (
    ("access-taken", "everything is answered 403", _NO_ACCESS),
    ("offline", "every one is answered 409: the appliance is offline", _OFFLINE),
    ("forgotten", "the service does not know the appliance any more: 404", _NOT_FOUND),
    ("breaks", "every one is answered 500", _BROKEN),
    ("gateway-late", "every one is answered 504", _LATE),
    ("line-dead", "every one ends the connection", _DROPPED),
)
"""Name, what becomes of requests, and what they are answered."""


def _met(on: str, answer: Refusal | Reply) -> tuple[type[Service], ...]:
    """Every read of a key that the profile does not name is met with this."""
    return meets(lambda _, key: key == on, answer), type("Unnamed", (Unsaid,), {"unnamed": (on,)})


def _ends_after(times: int, says: Refusal, *on: str) -> type[Service]:
    """Each of some keys is answered so many times, and then refused for good."""
    return meets(lambda its, key: key in on and its.nth(f"GET {key}") > times, says)


class GoneOnceWritten(Service):
    """Some keys are refused for good once another one was written.

    Attributes:
        on: the keys, or haIds of which all keys are.
    """

    on: ClassVar[tuple[str, ...]]
    is_gone: bool = False

    def apply(self, appliance: Appliance, key: str, value: Json) -> None:
        super().apply(appliance, key, value)
        self.is_gone = True

    def read(self, appliance: Appliance, segment: Segment, key: str) -> Reply:
        is_it = not {key, appliance.ha_id}.isdisjoint(self.on)
        return self.refuse(_OFFLINE) if self.is_gone and is_it else super().read(appliance, segment, key)


_REFUSING = refuses_where(lambda _its, _key, _value: True)
_DROPPING = drops_where(lambda _its, _key, _value: True)
_OFF_FOR_GOOD = (
    refuses_where(lambda its, _key, _value: its.ha_id == _OFF.ha_id),
    meets(lambda its, key: its.ha_id == _OFF.ha_id and key != keys.POWER_STATE, INVALID_STATE),
    Away,
)
_PUSHED = FRIDGE_CELSIUS.only(keys.CHILD_LOCK, keys.ASSISTANT_FORCE_FREEZER, keys.FREEZER_DOOR)
_STARTED = COFFEE_MAKER.only(keys.POWER_STATE, keys.CHILD_LOCK, keys.REMOTE_START, keys.DOOR_STATE)
_LIT = fleets.FRIDGE_LIGHT
_UNLIT = _LIT.only(keys.CHILD_LOCK, keys.FRIDGE_SABBATH, keys.INTERNAL_BRIGHTNESS)
_TWO = (fleets.OVEN_ALARM, fleets.MACHINE_STATUSES)
_OFF = fleets.MACHINE.having({keys.POWER_STATE: keys.OFF, keys.OPERATION_STATE: keys.INACTIVE})
_SABBATH = _LIT.having({keys.FRIDGE_SABBATH: True})
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
_READS_ONLY = Refusal(403, "insufficient_scope", "This token is good for reading")


_ELSEWHERE = "/api/homeappliances/{ha_id}/setting/{key}"
_APPLIANCES = (fleets.OVEN_ALARM, fleets.AMBIENT_PRESET)


_FIRST_SHOWN = shows_as(lambda _, one, key, now: one.kept.setdefault(key, now))
"""Every read shows what the first one showed."""


class Lags(Service):
    """What was first shown is forgotten a whole settle time after a change can be expected to show."""

    def change(self, appliance: Appliance, key: str, value: Json) -> None:
        super().change(appliance, key, value)
        self.timers.arm((appliance.ha_id, f"shown {key}"), 30, lambda: appliance.kept.pop(key, None))


# fmt: off
unearned("value-pointer-gives-the-key", Ground.OPEN, _COLD, Service,
    "The profile says that the value stands where the key does.", ends=(3,),
    guards=("TYPE-BOOLEAN", "TYPE-DOUBLE"), profile={"answer": {"value": "/data/key"}})
unearned("value-pointer-nowhere", Ground.OPEN, _COLD, Service,
    "The profile says that the value stands where no answer has anything.",
    profile={"answer": {"value": "/value"}})
unearned("min-pointer-nowhere", Ground.OPEN, _COLD, Service,
    "The profile says that the minimum stands where no answer has anything.",
    guards=("RANGE-PERAPP-PRESENT",), profile={"answer": {"min": "/minimum"}})
unearned("maker-in-another-case", Ground.OPEN, _COLD, Service,
    "The profile spells the name of the maker in lower case.", vendor="Acme",
    profile={"target": {"vendor": "acme"}})
unearned("kept-bytes-spent", Ground.OPEN, _COLD, _LONG,
    "Bodies are long, and the profile lets the ledger keep few of them.",
    profile={"http": {"limits": {"kept_bytes": 20_000}}})
unearned("errs-in-10-of-100", Ground.OPEN, (fleets.MACHINE, fleets.ROBOT_TWOFOLD), ErringAtRandom,
    "Of a hundred answers, 10 are 500 or 502.", ends=(0, 3), share=10, level="write")
unearned("errs-in-40-of-100", Ground.OPEN, (fleets.MACHINE, fleets.ROBOT_TWOFOLD), ErringAtRandom,
    "Of a hundred answers, 40 are 500 or 502.", share=40, level="write")
unearned("nothing-claimed", Ground.HEADLINE, _COLD, Unsaid,
    "The profile says of no key that an appliance has it.", ends=(0,), fields=("supports", "writable"),
    headline="Nothing contradicts the document; nothing was claimed")
unearned("read-only", Ground.HEADLINE, _COLD, Service,
    "Everything can be read, and nothing is written.", ends=(0,), level="read", certified=True,
    headline="Conforms as far as reading shows (nothing was written)")
unearned("failure-waived", Ground.HEADLINE, fleets.MACHINE, sends(keys.CHILD_LOCK, "true"),
    "ChildLock is a text, which a waiver excuses.", ends=(0,), level="read", certified=True, profile=_WAIVED,
    headline="Conforms as far as reading shows (nothing was written), but for 1 waived failure (known, "
        "nobody, until 9999-12-31)")
unearned("child-lock-twice", Ground.TWICE, _COLD,
    rewrites(keys.CHILD_LOCK, lambda body: body.replace(b'"value":', b'"value":false,"value":')),
    "ChildLock stands twice in its answer, with the same value.", ends=(1,),
    guards=(f"READ-SETTING::{keys.CHILD_LOCK}", f"TYPE-BOOLEAN::{keys.CHILD_LOCK}"), level="read")
for _place in _PLACES:
    unearned(f"token-expires-after-{_place}", Ground.AWAY, _FRIDGE, Leaving,
        f"After {_place} requests the token is not good any more: 401 for everything.",
        ends=(3, 5), level="write", after=_place, says=INVALID_TOKEN)
for _place in _SOME:
    for _name, _comes, _says in _ENDS:
        unearned(f"{_name}-after-{_place}", Ground.AWAY, _FRIDGE, Leaving,
            f"After {_place} requests {_comes}.", ends=(3, 5), level="write", after=_place, says=_says)
unearned("sabbath-late", Ground.ERROR, _UNLIT, _met(keys.FRIDGE_SABBATH, _LATE),
    "SabbathMode, which nobody claims, is answered 504.",
    headline="No allowed value was written: the cases that are open say why")
for _name, _answer in _ANSWERS.items():
    unearned(f"sabbath-{_name}", Ground.ERROR, _LIT, _met(keys.FRIDGE_SABBATH, _answer),
        f"SabbathMode, which nobody claims, is answered {_answer.status}.")
unearned("sabbath-drops-the-line", Ground.ERROR, _LIT, _met(keys.FRIDGE_SABBATH, _DROPPED),
    "A read of SabbathMode, which nobody claims, ends the connection.")
unearned("child-lock-broken", Ground.ERROR, _LIT, _met(keys.CHILD_LOCK, _BROKEN),
    "ChildLock, which nobody claims, is answered 500.")
unearned("remote-control-unavailable", Ground.ERROR, fleets.MACHINE_STATUSES,
    _met(keys.REMOTE_CONTROL, _UNAVAILABLE), "RemoteControlActive, which nobody claims, is answered 503.")
unearned("operation-state-late", Ground.ERROR, fleets.OVEN_ALARM, _met(keys.OPERATION_STATE, _LATE),
    "OperationState, which nobody claims, is answered 504.")
unearned("power-state-broken", Ground.ERROR, fleets.MACHINE, _met(keys.POWER_STATE, _BROKEN),
    "PowerState, which nobody claims, is answered 500.")
unearned("light-gone-and-sabbath-late", Ground.ERROR, _LIT,
    (*_met(keys.FRIDGE_SABBATH, _LATE), hides(lambda _, key: key == keys.INTERNAL_LIGHT)),
    "The light is claimed and refused like a key that is not there; SabbathMode is answered 504.",
    ends=(1, 3), level="read")
unearned("sabbath-seen-once", Ground.STATE, _SABBATH,
    (_ends_after(1, _LATE, keys.FRIDGE_SABBATH), hides(lambda _, key: key == keys.INTERNAL_LIGHT), _REFUSING,
        Away),
    "SabbathMode is on in the first read and answered 504 ever after; everything else is refused.")
unearned("child-lock-gone-at-the-end", Ground.LOOK, fleets.COFFEE_SETTINGS,
    _ends_after(4, _OFFLINE, keys.CHILD_LOCK, keys.CUP_WARMER, keys.LIQUID_UNIT),
    "ChildLock can be read four times, and is said to be offline then.", guards=("READ-SAFE",), level="read",
    ends=(1, 3))
unearned("statuses-gone-once-written", Ground.LOOK, fleets.MACHINE_STATUSES, GoneOnceWritten,
    "Once anything was written, every status is said to be offline.", guards=("SET-ONLY-TARGET",),
    level="write", ends=(1, 3, 5), on=(keys.REMOTE_CONTROL, keys.OPERATION_STATE, keys.DOOR_STATE))
unearned("other-appliance-gone-once-written", Ground.LOOK, _TWO, GoneOnceWritten,
    "Once anything was written, the other appliance is said to be offline.",
    guards=("ADDR-HAID-ISOLATION",), level="write", ends=(1, 3, 5), on=(fleets.MACHINE_STATUSES.ha_id,))
unearned("claimed-keys-throttled", Ground.OPEN, fleets.COFFEE_SETTINGS,
    meets(lambda _, key: key == keys.CUP_WARMER, _TOO_MANY), "CupWarmer, which is claimed, is answered 429.",
    level="read")
unearned("claimed-keys-forbidden", Ground.OPEN, fleets.COFFEE_SETTINGS,
    meets(lambda _, key: key == keys.CUP_WARMER, _FORBIDDEN), "CupWarmer, which is claimed, is answered 403.",
    ends=(1, 3), level="read")
unearned("claimed-keys-time-out", Ground.OPEN, fleets.COFFEE_SETTINGS,
    meets(lambda _, key: key == keys.CUP_WARMER, _TIMED_OUT), "CupWarmer, which is claimed, is answered 408.",
    ends=(1, 3), level="read")
unearned("off-for-good", Ground.OPEN, _OFF,
    (_REFUSING, meets(lambda _, key: key != keys.POWER_STATE, INVALID_STATE), Away),
    "The machine is off, says so, and takes and answers nothing else.", fields=("online", "writable"))
unearned("one-of-two-off-for-good", Ground.OPEN, (fleets.OVEN_ALARM, _OFF),
    _OFF_FOR_GOOD, "One of two appliances is off, says so, and takes and answers nothing else.",
    fields=("online", "writable"))
unearned("off-and-never-on", Ground.OPEN, _OFF,
    (_DROPPING, meets(lambda _, key: key != keys.POWER_STATE, INVALID_STATE), Away),
    "The machine is off, and a write of On is acknowledged and forgotten.", ends=(1, 3))
unearned("reads-frozen", Ground.BACK, fleets.OVEN_ALARM, _FIRST_SHOWN,
    "Every read shows what the first one showed, whatever was written.", guards=_FROZEN, ends=(1, 5))
unearned("reads-lag-behind-the-settle-time", Ground.BACK, fleets.OVEN_ALARM, (Lags, _FIRST_SHOWN),
    "What was written is shown when the settle time is long over.", guards=_FROZEN, ends=(1, 3, 5))
unearned("brightness-stuck-at-101", Ground.READ, fleets.FRIDGE_LIGHT,
    sticks(keys.INTERNAL_BRIGHTNESS, lambda value: value == 101),
    "A brightness of 101 is taken, and nothing else after it.", guards=("RANGE-WRITE-OUT",), ends=(1, 5))
unearned("middle-force-taken-for-high", Ground.READ, _PUSHED,
    stores(lambda value: str(value).replace("Middle", "High"), keys.ASSISTANT_FORCE_FREEZER),
    "A write of the middle force is acknowledged, and what is read then is the high one.",
    guards=(f"SET-WRITABLE::{keys.ASSISTANT_FORCE_FREEZER}",), ends=(0, 3))
unearned("remote-start-allowed-by-switching-on", Ground.READ, _STARTED,
    couples({(keys.POWER_STATE, keys.ON): {keys.REMOTE_START: True}}),
    "RemoteControlStartAllowed becomes true when the machine is switched on.",
    guards=("STA-RCSA-DISABLE-ONLY",), ends=(0, 3))
unearned("remote-start-allowed-by-a-lock", Ground.READ, _STARTED,
    couples({(keys.CHILD_LOCK, True): {keys.REMOTE_START: True}}),
    "RemoteControlStartAllowed becomes true when ChildLock is switched on.",
    guards=("STA-RCSA-DISABLE-ONLY",), ends=(0, 3))
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
unearned("writes-refused", Ground.GUARD, _APPLIANCES, refuses_unsaid(INVALID_STATE),
    "Every write is refused, as in a state that does not allow it.", guards=_GUARDS, fields=_SILENT)
unearned("values-refused", Ground.GUARD, _APPLIANCES, refuses_unsaid(INVALID_VALUE),
    "Every write is refused, as if its value were none.", guards=_GUARDS, fields=_SILENT)
unearned("writes-forbidden", Ground.GUARD, _APPLIANCES, (bars_writes(_READS_ONLY), Unsaid),
    "Every write is answered 403: the token is good for reading.", guards=_GUARDS, fields=_SILENT)
unearned("writes-unauthorized", Ground.GUARD, _APPLIANCES, (bars_writes(INVALID_TOKEN), Unsaid),
    "Every write is answered 401.", guards=_GUARDS, fields=_SILENT)
unearned("writes-break", Ground.EFFECT, _APPLIANCES, (bars_writes(_BROKEN), Unsaid),
    "Every write is answered 500.", guards=_GUARDS, fields=_SILENT)
unearned("writes-hang-up-unread", Ground.EFFECT, _APPLIANCES, (bars_writes(_DROPPED), Unsaid),
    "Every write ends the connection and does nothing.", guards=_GUARDS, fields=_SILENT)
unearned("advertised-values-refused", Ground.VALUES,
    fleets.COFFEE_SETTINGS.only(keys.LIQUID_UNIT, keys.COFFEE_COUNT), (refuses(keys.LIQUID_UNIT), Unsaid),
    "LiquidVolumeUnit advertises two values and takes neither.", guards=("SET-ENUMGUARD",), fields=_SILENT)
unearned("alarm-taken-for-minutes", Ground.VALUES, fleets.OVEN_ALARM,
    stores(lambda kept: min(60 * kept, 38_340) if isinstance(kept, int) else kept, keys.ALARM_CLOCK),
    "AlarmClock takes seconds for minutes, up to its end: the ends of its range alone read as written.",
    guards=(f"SET-WRITABLE::{keys.ALARM_CLOCK}",), ends=(0, 3))
unearned("setpoint-refused-in-fahrenheit", Ground.VALUES, fleets.FRIDGE_UNITS,
    refuses_where(lambda its, key, _:
        key == keys.SETPOINT and its.values[keys.TEMPERATURE_UNIT] == keys.FAHRENHEIT),
    "In °F the refrigerator advertises a range for its setpoint, and takes no value.",
    guards=(f"RANGE-WRITE-BOUNDS::{keys.SETPOINT}",), ends=(0, 3))
unearned("writes-dropped", Ground.GUARD, _APPLIANCES, (_DROPPING, Unsaid),
    "Every write of an allowed value is acknowledged and forgotten.", guards=_GUARDS, ends=(1,),
    fields=_SILENT)
