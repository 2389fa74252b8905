"""The shapes that faults of writing have: a write without effect, one too many, one refused.

As with the shapes of reading, each is a function that overrides one method.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from typing import TypeAlias, TypeGuard

from catalog.keys import POWER_STATE
from catalog.model import Entry, Rule, Segment
from conformance.mutants.shapes.reads import State, is_in
from conformance.reference.appliance import Appliance
from conformance.reference.service import Service
from conformance.reference.wire import INVALID_STATE, MALFORMED, Json, Refusal, Reply


def is_text(value: Json) -> bool:
    """Whether a value is a text."""
    return isinstance(value, str)


def is_number(value: Json) -> TypeGuard[float]:
    """Whether a value is a number."""
    return isinstance(value, int | float) and not isinstance(value, bool)


Effect: TypeAlias = Callable[[Json], None]
"""What comes of a write, by the value that its key takes up."""


def effects(act: Callable[[Service, Appliance, str, Json, Effect], None]) -> type[Service]:
    """What comes of a write of a value is what the function does, which is given its right effect."""

    class Effects(Service):
        def apply(self, appliance: Appliance, key: str, value: Json) -> None:
            act(self, appliance, key, value, partial(super().apply, appliance, key))

    return Effects


def drops_where(when: Callable[[Appliance, str, Json], bool]) -> type[Service]:
    """Writes of a value to a key are acknowledged and forgotten, where the function says so."""
    return effects(lambda _, one, key, value, effect: None if when(one, key, value) else effect(value))


def drops(on: str, *values: Json) -> type[Service]:
    """Writes of a key, all or those of some values, are acknowledged and forgotten."""
    return drops_where(lambda _, key, value: key == on and (not values or value in values))


def refuses(on: str) -> type[Service]:
    """Writes of a key are refused, whatever they say."""
    return refuses_where(lambda _appliance, key, _value: key == on)


def decides(made: Callable[[Service, Appliance, str, Json, Refusal | None], Refusal | None]) -> type[Service]:
    """Why a value is not taken, or None if it is, is what the function makes of what it would be."""

    class Decides(Service):
        def accepts(self, appliance: Appliance, key: str, value: Json) -> Refusal | None:
            return made(self, appliance, key, value, super().accepts(appliance, key, value))

    return Decides


def refuses_where(
    when: Callable[[Appliance, str, Json], bool], refusal: Refusal = INVALID_STATE
) -> type[Service]:
    """Writes of a value to a key are refused, where the function says so."""
    return decides(lambda _, one, key, value, reason: refusal if when(one, key, value) else reason)


def refuses_while(state: State) -> type[Service]:
    """In a state, every setting but the one that shows it is refused."""
    return refuses_where(lambda appliance, key, _: key != state[0] and is_in(state, appliance))


def swallows_while(state: State) -> type[Service]:
    """In a state, writes of every setting but the one that shows it are acknowledged and forgotten."""
    return drops_where(lambda appliance, key, _: key != state[0] and is_in(state, appliance))


def takes(on: str, fits: Callable[[Json], bool], while_shown: State | None = None) -> type[Service]:
    """Values of a key are stored that should be refused, always or in a state."""
    return decides(
        lambda _, one, key, value, reason: (
            None if key == on and is_in(while_shown, one) and fits(value) else reason
        )
    )


def sticks(on: str, wrong: Callable[[Json], bool], while_shown: State | None = None) -> type[Service]:
    """Wrong values of a key are stored, always or in a state; from the first one on, right ones refused."""

    def reason_now(_: Service, one: Appliance, key: str, value: Json, why: Refusal | None) -> Refusal | None:
        if key == on and wrong(one.values[on]):
            return INVALID_STATE
        return None if key == on and is_in(while_shown, one) and wrong(value) else why

    return decides(reason_now)


def reaches(on: str, low: float, high: float) -> type[Service]:
    """Numbers from `low` to `high` are stored as well, whatever the range of a key is."""

    class Reaches(Service):
        def is_within(self, appliance: Appliance, entry: Entry, value: Json) -> bool:
            reached = entry.key == on and isinstance(value, int | float) and low <= value <= high
            return reached or super().is_within(appliance, entry, value)

    return Reaches


def stores(function: Callable[[Json], Json], *keys: str) -> type[Service]:
    """Accepted values of keys are stored as the function makes them."""

    class Stores(Service):
        def normal(self, appliance: Appliance, key: str, value: Json) -> Json:
            kept = super().normal(appliance, key, value)
            return function(kept) if key in keys else kept

    return Stores


def obeys(on: str, late_s: float = 0) -> type[Service]:
    """A refused write of a key that fits its type and range has its effect all the same, at once or later."""

    class Obeys(Service):
        def write(self, appliance: Appliance, segment: Segment, key: str, body: bytes) -> Reply:
            reply = super().write(appliance, segment, key, body)
            if key == on and reply.status >= MALFORMED.status:
                with suppress(ValueError):
                    value, entry = self.decode(appliance, key, body), self.entries[key]
                    if self.fits_type(entry, value) and self.is_within(appliance, entry, value):
                        kept = self.normal(appliance, key, value)
                        soon(self, appliance, key, late_s, lambda: self.apply(appliance, key, kept))
            return reply

    return Obeys


def unlocks(on: str, while_shown: State | None = None) -> type[Service]:
    """A key can be written whatever another key says, always or in a state."""

    class Unlocks(Service):
        def locked_by(self, appliance: Appliance, key: str) -> Rule | None:
            is_free = key == on and is_in(while_shown, appliance)
            return None if is_free else super().locked_by(appliance, key)

    return Unlocks


def opens(on: str, under: Segment = "status", while_shown: State | None = None) -> type[Service]:
    """A status takes writes under one segment, always or in a state."""

    class Opens(Service):
        def writable(self, appliance: Appliance, segment: Segment, key: str) -> Refusal | None:
            opened = (key, segment) == (on, under) and is_in(while_shown, appliance)
            return None if opened else super().writable(appliance, segment, key)

    return Opens


def coerces(made: Callable[[Service, Appliance, Entry, Json], Json]) -> type[Service]:
    """A value is what the function makes of it before anybody looks whether it can be taken."""

    class Coerces(Service):
        def decode(self, appliance: Appliance, key: str, body: bytes) -> Json:
            return made(self, appliance, self.entries[key], super().decode(appliance, key, body))

    return Coerces


def refuses_move(source: str, write: str) -> type[Service]:
    """A power write is refused, in one state."""
    return refuses_where(
        lambda its, key, value: key == POWER_STATE and (its.values[key], value) == (source, write)
    )


def strays(source: str, write: str, end: str) -> type[Service]:
    """A power write leads to another state than the written one, in one state."""

    def act(_: Service, one: Appliance, key: str, value: Json, effect: Effect) -> None:
        effect(end if key == POWER_STATE and (one.values[key], value) == (source, write) else value)

    return effects(act)


def operates(states: Mapping[str, str]) -> type[Service]:
    """The operation state that comes with a power state is another."""

    class Operates(Service):
        def operation_state(self, appliance: Appliance, power: Json) -> Json:
            return states.get(str(power)) or super().operation_state(appliance, power)

    return Operates


def passes(on: str, between: Json, seconds: float, move: tuple[str, str] | None = None) -> type[Service]:
    """A key that is written another value, or makes one move, has one in between for so many seconds."""

    def act(its: Service, one: Appliance, key: str, value: Json, effect: Effect) -> None:
        timer, now = (one.ha_id, f"passing {key}"), one.values[key]
        its.timers.disarm(timer)
        passes = key == on and now != value and (move is None or move == (now, value))
        effect(between if passes else value)
        if passes:
            its.timers.arm(timer, seconds, lambda: effect(value))

    return effects(act)


def acknowledges(reply: Reply | Callable[[Service, Appliance, str], Reply | None]) -> type[Service]:
    """Every write that took effect has an answer of its own, or what the function gives, if not None."""

    class Acknowledges(Service):
        def acknowledge(self, appliance: Appliance, key: str) -> Reply:
            own = reply if isinstance(reply, Reply) else reply(self, appliance, key)
            return own or super().acknowledge(appliance, key)

    return Acknowledges


def stores_unchecked(on: str, made: Callable[[Json], Json], late_s: float = 0) -> type[Service]:
    """A value of which the function makes anything is stored as that, at once or later, whatever it is."""

    class StoresUnchecked(Service):
        def write(self, appliance: Appliance, segment: Segment, key: str, body: bytes) -> Reply:
            stored = made(self.decode(appliance, key, body)) if key == on else None
            if stored is None:
                return super().write(appliance, segment, key, body)
            soon(self, appliance, key, late_s, lambda: self.apply(appliance, key, stored))
            return self.acknowledge(appliance, key)

    return StoresUnchecked


def soon(its: Service, appliance: Appliance, key: str, late_s: float, effect: Callable[[], None]) -> None:
    """Let an effect of a key come at once, or so many seconds later; of several of a key the last counts."""
    if late_s:
        its.timers.arm((appliance.ha_id, f"soon {key}"), late_s, effect)
    else:
        effect()
