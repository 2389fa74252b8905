"""Odd ways to move between power states: states not there, not said, passed through, or reached late.

> only if the appliance supports it

A state that nobody claims need not be reached; one that is reached may take as long as the profile allows.
"""

from functools import partial

from msgspec.structs import replace

from catalog import keys
from conformance.mutants import document, fleets
from conformance.mutants.model import written
from conformance.mutants.shapes.reads import constrains
from conformance.mutants.shapes.states import Away, Lagging, Late, Unsaid, refuses_with
from conformance.mutants.shapes.writes import coerces, passes, refuses, refuses_where, takes
from conformance.reference.appliance import Appliance
from conformance.reference.service import Service
from conformance.reference.wire import INVALID_STATE, INVALID_VALUE, Incoming, Json, Refusal, Reply

_FAILURE = Refusal(500, "500", "Internal server error")
_IGNORED = Reply(204, media_type=None)
_REST_S = 70
"""Longer than a power write takes at most, so that one that is made again then is taken."""
_ERRING_LOOKS = (3, 4)


class Undeclared(Unsaid):
    """The profile says neither which power states there are nor that they can be written."""

    fields = ("power_states",)
    unwritable = (keys.POWER_STATE,)


_UNLISTED = (constrains(keys.POWER_STATE, {}, ("allowedvalues",)), Undeclared)
"""No answer lists the power states either."""


def _takes_for(sent: str, meant: str) -> type[Service]:
    """A written power state is taken for another one."""
    return coerces(
        lambda _its, _appliance, entry, value: (
            meant if (entry.key, value) == (keys.POWER_STATE, sent) else value
        )
    )


class ErrsAfterARest(Service):
    """A write of PowerState is answered with 500 where the last one was a while ago, and else taken."""

    last = float("-inf")

    def accepts(self, appliance: Appliance, key: str, value: Json) -> Refusal | None:
        if key != keys.POWER_STATE:
            return super().accepts(appliance, key, value)
        rested_s, self.last = self.clock.now() - self.last, self.clock.now()
        return _FAILURE if rested_s > _REST_S else super().accepts(appliance, key, value)


class ErrsAtTheThirdLook(Service):
    """The third and the fourth read of PowerState after each of its writes are answered with 500."""

    looks = float("-inf")

    def answer(self, request: Incoming) -> Reply:
        if request.path.endswith(keys.POWER_STATE):
            self.looks = self.looks + 1 if request.method == "GET" else 0
            if self.looks in _ERRING_LOOKS:
                return self.refuse(_FAILURE)
        return super().answer(request)


class OperationStateLags(Service):
    def follow(self, appliance: Appliance, key: str, value: Json) -> None:
        if key != keys.POWER_STATE:
            super().follow(appliance, key, value)
            return
        state, timer = self.operation_state(appliance, value), (appliance.ha_id, keys.OPERATION_STATE)
        self.timers.arm(timer, 0.1, lambda: self.change(appliance, keys.OPERATION_STATE, state))


class OneOnAtATime(Service):
    """An appliance that is switched on switches off whichever other one is on, a moment later."""

    def follow(self, appliance: Appliance, key: str, value: Json) -> None:
        super().follow(appliance, key, value)
        for other in self.appliances.values() if (key, value) == (keys.POWER_STATE, keys.ON) else ():
            if other is not appliance:
                self.timers.arm((other.ha_id, "off"), 0.01, partial(self.switch_off, other, appliance))

    def switch_off(self, appliance: Appliance, other: Appliance) -> None:
        if appliance.values[keys.POWER_STATE] == other.values[keys.POWER_STATE] == keys.ON:
            self.apply(appliance, keys.POWER_STATE, keys.OFF)


def _is_present(appliance: Appliance, key: str, value: Json) -> bool:
    return key == keys.POWER_STATE and value == appliance.values[key]


# fmt: off
written((ErrsAfterARest, Away), "power-errs-after-a-rest", "PWR-OFF-ON",
    "A write of PowerState is answered 500 where the last one was a while ago; sent again it is taken.",
    fleet=fleets.ON_AND_OFF.having({keys.POWER_STATE: keys.OFF, keys.OPERATION_STATE: keys.INACTIVE}),
    allowed=document.POWER_MOVES)
written(ErrsAtTheThirdLook, "power-errs-at-the-third-look", "PWR-STANDBY-OFF",
    "The third and fourth read of PowerState after each of its writes are 500, those before show it written.",
    fleet=fleets.THREE_STATES_AND_LOCK, allowed=document.ERRORS)
written(Undeclared, "power-states-undeclared", "PWR-STANDBY-OFF",
    "The oven refuses Off, in On and in standby; its answers list On and Standby, and the profile nothing.",
    fleet=fleets.ON_AND_STANDBY_AND_LOCK, allowed=document.IF_SUPPORTED)
written(_UNLISTED, "power-states-untold", "PWR-STANDBY-OFF",
    "The oven refuses Off, in On and in standby; neither its answers nor the profile say so.",
    fleet=fleets.ON_AND_STANDBY_AND_LOCK, allowed=document.IF_SUPPORTED)
written(Late, "power-late", "PWR-READBACK",
    "A power write takes effect a tenth of a second after it was answered.",
    fleet=fleets.THREE_STATES_AND_LOCK, allowed=document.POWER_MOVES)
for _from, _to, _move in (("On", "Off", (keys.ON, keys.OFF)), ("Off", "On", (keys.OFF, keys.ON))):
    written(passes(keys.POWER_STATE, keys.STANDBY, 0.05, _move), f"{_to.lower()}-through-standby",
        "PWR-NO-FOREIGN", f"On its way from {_from} to {_to} the machine is in standby for a moment.",
        fleet=fleets.THREE_STATES_AND_LOCK, profile_extras=fleets.PATIENT, allowed=document.POWER_MOVES)
written(Lagging, "power-seen-at-the-third-look", "PWR-ON-OFF",
    "The first two reads after a power write still show the old power state.",
    fleet=fleets.ON_AND_OFF_AND_LIGHT, only=(keys.POWER_STATE,), allowed=document.POWER_MOVES)
written(_takes_for(keys.OFF, keys.STANDBY), "off-means-standby", "PWR-NO-FOREIGN",
    "The oven takes Off and goes into standby; answers and profile know On and Standby only.",
    fleet=fleets.ON_AND_STANDBY_AND_LOCK, profile_extras=fleets.UNLISTED, allowed=document.IF_SUPPORTED)
written((_takes_for(keys.OFF, keys.STANDBY), *_UNLISTED), "off-means-standby-untold", "PWR-ON-OFF",
    "The oven takes Off and goes into standby; neither answers nor profile say which states it knows.",
    fleet=fleets.ON_AND_STANDBY_AND_LOCK, allowed=document.IF_SUPPORTED)
written((refuses(keys.POWER_STATE), *_UNLISTED), "power-refused-untold", "PWR-ON-OFF",
    "The hood is switched by hand alone, refuses every power write, and nobody says so.",
    fleet=fleets.ON_AND_OFF_AND_LIGHT, allowed=document.POWER_STATES)
written((constrains(keys.POWER_STATE, {"access": ["read"]}), Service), "power-read-only-in-a-list",
    "PWR-ON-OFF", "The hood is switched by hand alone; the access of its power state is a list of one, read.",
    fleet=replace(fleets.ON_AND_OFF_AND_LIGHT, read_only=frozenset({keys.POWER_STATE})),
    allowed=document.POWER_STATES)
written(refuses_with(_IGNORED, INVALID_VALUE), "unsupported-state-ignored", "PWR-UNSUPPORTED",
    "The hood has On and Off alone; Standby is answered 204 and ignored.",
    fleet=fleets.ON_AND_OFF_AND_LIGHT, profile_extras=fleets.UNLISTED, allowed=document.IF_SUPPORTED)
written(_takes_for(keys.STANDBY, keys.OFF), "unsupported-state-switches-off", "PWR-UNSUPPORTED",
    "The hood has On and Off alone; Standby switches it off.",
    fleet=fleets.ON_AND_OFF_AND_LIGHT, profile_extras=fleets.UNLISTED, allowed=document.IF_SUPPORTED)
written((_takes_for(keys.STANDBY, keys.OFF), passes(keys.POWER_STATE, keys.STANDBY, 0.01,
        (keys.ON, keys.OFF))),
    "unsupported-state-for-a-moment", "PWR-UNSUPPORTED",
    "The hood has On and Off alone; on its way to Off, and so after Standby, it shows that for a moment.",
    fleet=fleets.ON_AND_OFF_AND_LIGHT, profile_extras=fleets.UNLISTED, allowed=document.POWER_MOVES,
    disputed="line 79: a state that it does not support is shown for a moment")
written(refuses_where(_is_present), "always-on-refuses-on", "PWR-SELF",
    "The refrigerator knows On alone, calls its power state writable and refuses to be switched on again.",
    fleet=fleets.WRITABLE_ALWAYS_ON, profile_extras=fleets.UNLISTED, allowed=document.POWER_STATES)
written(refuses_where(_is_present), "present-state-refused", "PWR-SELF",
    "A write of the power state that is there already is refused: 409.", fleet=fleets.THREE_STATES_AND_LOCK,
    profile_extras=fleets.UNLISTED, allowed=document.UNLISTED_MOVE)
written(refuses_where(_is_present, _FAILURE), "present-state-fails",
    "PWR-SELF", "A write of the power state that is there already ends in an exception: 500, and leaves it.",
    fleet=fleets.ON_AND_OFF_AND_LIGHT, profile_extras=fleets.UNLISTED, allowed=document.UNLISTED_MOVE)
written(takes(keys.POWER_STATE, lambda value: value == keys.STANDBY, (keys.POWER_STATE, keys.OFF)),
    "off-to-standby-taken", "PWR-OFF-STANDBY",
    "The machine goes from Off into standby, which no row of the table lists.",
    fleet=fleets.THREE_STATES_AND_LOCK, profile_extras=fleets.UNLISTED, allowed=document.UNLISTED_MOVE)
written(refuses_with(_IGNORED, INVALID_STATE), "off-to-standby-ignored", "PWR-OFF-STANDBY",
    "The machine answers 204 to Standby while it is off, and stays off.", fleet=fleets.THREE_STATES_AND_LOCK,
    profile_extras=fleets.UNLISTED, allowed=document.UNLISTED_MOVE)
written(OneOnAtATime, "one-on-at-a-time", "PWR-OFF-ON",
    "Of three machines one may be on: which is switched on switches off the one that was.",
    fleet=(fleets.THREE_STATES, *(
        replace(fleets.THREE_STATES, ha_id=ha_id).having(
            {keys.POWER_STATE: keys.OFF, keys.OPERATION_STATE: keys.INACTIVE})
        for ha_id in ("dishwasher-2", "dishwasher-3"))),
    allowed=document.POWER_MOVES)
written(OperationStateLags, "operation-state-lags", "PWR-READBACK",
    "OperationState follows a power write after a tenth of a second.", fleet=fleets.THREE_STATES_AND_LOCK,
    profile_extras=fleets.PATIENT, allowed=document.OPERATION)
