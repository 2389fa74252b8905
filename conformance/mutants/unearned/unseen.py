"""Entries that answer with errors, or no longer, and targets that go away in the middle of a run.

> Authentication: not shown.
> Error codes, status codes and error bodies: not shown.

An error shows no state, and not that nothing has moved. What was not seen since a target went away did not
pass. Where one leaves right after a write, the run cannot put back what it has written, and says so first.
"""

from typing import ClassVar, cast

from catalog import keys
from catalog.model import Segment
from conformance.mutants import fleets
from conformance.mutants.model import Ground, unearned
from conformance.mutants.shapes.reads import hides, meets
from conformance.mutants.shapes.requests import Leaving
from conformance.mutants.shapes.states import Away, Unsaid
from conformance.mutants.shapes.writes import drops_where, refuses_where
from conformance.reference.appliance import Appliance, ApplianceSpec
from conformance.reference.fleets.cooling import FRIDGE_CELSIUS
from conformance.reference.service import Service
from conformance.reference.wire import INVALID_STATE, INVALID_TOKEN, Json, Refusal, Reply

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
    ("line-dead", "every one ends the connection", Reply(0, drop=True)),
)
"""Name, what becomes of requests, and what they are answered."""


def _unclaimed(*unnamed: str) -> type[Service]:
    """The profile says nothing of some keys, neither that the appliance has them nor that it lacks them."""

    class Unclaimed(Unsaid):
        unwritable = unnamed

        def claims(self, spec: ApplianceSpec) -> dict[str, object]:
            facts = super().claims(spec)
            supported = cast("list[str]", facts["supports"])
            return facts | {"supports": [key for key in supported if key not in unnamed]}

    return Unclaimed


def _met(on: str, answer: Refusal | Reply) -> tuple[type[Service], ...]:
    """Every read of a key that the profile does not name is met with this."""
    return meets(lambda _, key: key == on, answer), _unclaimed(on)


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
_LIT = fleets.FRIDGE_LIGHT
_UNLIT = _LIT.only(keys.CHILD_LOCK, keys.FRIDGE_SABBATH, keys.INTERNAL_BRIGHTNESS)
_TWO = (fleets.OVEN_ALARM, fleets.MACHINE_STATUSES)
_OFF = fleets.MACHINE.having({keys.POWER_STATE: keys.OFF, keys.OPERATION_STATE: keys.INACTIVE})
_SABBATH = _LIT.having({keys.FRIDGE_SABBATH: True})

# fmt: off
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
