"""The shapes that faults of writing have: a write without effect, one too many, one refused.

As with the shapes of reading, each is a function that overrides one method.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TypeAlias

from catalog.keys import POWER_STATE
from catalog.model import Entry, Rule, Segment
from conformance.reference.appliance import Appliance
from conformance.reference.service import Service
from conformance.reference.wire import INVALID_STATE, MALFORMED, Json, Refusal, Reply

State: TypeAlias = tuple[str, Json]
"""A key and a value: the state in which an appliance is while the key has that value."""


def is_text(value: Json) -> bool:
    """Whether a value is a text."""
    return isinstance(value, str)


def is_number(value: Json) -> bool:
    """Whether a value is a number."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def _holds(state: State | None, appliance: Appliance) -> bool:
    """Whether an appliance is in a state; it is always in none."""
    return state is None or appliance.values.get(state[0]) == state[1]


def drops_where(when: Callable[[Appliance, str, Json], bool]) -> type[Service]:
    """Writes of a value to a key are acknowledged and forgotten, where the function says so."""

    class Drops(Service):
        def apply(self, appliance: Appliance, key: str, value: Json) -> None:
            if not when(appliance, key, value):
                super().apply(appliance, key, value)

    return Drops


def drops(on: str, *values: Json) -> type[Service]:
    """Writes of a key, all or those of some values, are acknowledged and forgotten."""
    return drops_where(lambda _, key, value: key == on and (not values or value in values))


def refuses(on: str) -> type[Service]:
    """Writes of a key are refused, whatever they say."""
    return refuses_where(lambda _appliance, key, _value: key == on)


def refuses_where(
    when: Callable[[Appliance, str, Json], bool], refusal: Refusal = INVALID_STATE
) -> type[Service]:
    """Writes of a value to a key are refused, where the function says so."""

    class Refuses(Service):
        def accepts(self, appliance: Appliance, key: str, value: Json) -> Refusal | None:
            refused = when(appliance, key, value)
            return refusal if refused else super().accepts(appliance, key, value)

    return Refuses


def refuses_while(state: State) -> type[Service]:
    """In a state, every setting but the one that shows it is refused."""
    return refuses_where(lambda appliance, key, _: key != state[0] and _holds(state, appliance))


def swallows_while(state: State) -> type[Service]:
    """In a state, writes of every setting but the one that shows it are acknowledged and forgotten."""
    return drops_where(lambda appliance, key, _: key != state[0] and _holds(state, appliance))


def takes(on: str, fits: Callable[[Json], bool], while_shown: State | None = None) -> type[Service]:
    """Values of a key are stored that should be refused, always or in a state."""

    class Takes(Service):
        def accepts(self, appliance: Appliance, key: str, value: Json) -> Refusal | None:
            taken = key == on and _holds(while_shown, appliance) and fits(value)
            return None if taken else super().accepts(appliance, key, value)

    return Takes


def sticks(on: str, wrong: Callable[[Json], bool], while_shown: State | None = None) -> type[Service]:
    """Wrong values of a key are stored, always or in a state; from the first one on, right ones refused."""

    class Sticks(Service):
        def accepts(self, appliance: Appliance, key: str, value: Json) -> Refusal | None:
            if key != on or not (_holds(while_shown, appliance) or wrong(appliance.values[on])):
                return super().accepts(appliance, key, value)
            if wrong(appliance.values[on]):
                return INVALID_STATE
            return None if wrong(value) else super().accepts(appliance, key, value)

    return Sticks


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
            is_free = key == on and _holds(while_shown, appliance)
            return None if is_free else super().locked_by(appliance, key)

    return Unlocks


def opens(on: str, under: Segment = "status", while_shown: State | None = None) -> type[Service]:
    """A status takes writes under one segment, always or in a state."""

    class Opens(Service):
        def writable(self, appliance: Appliance, segment: Segment, key: str) -> Refusal | None:
            opened = (key, segment) == (on, under) and _holds(while_shown, appliance)
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

    class Strays(Service):
        def apply(self, appliance: Appliance, key: str, value: Json) -> None:
            is_wrong = key == POWER_STATE and (appliance.values[key], value) == (source, write)
            super().apply(appliance, key, end if is_wrong else value)

    return Strays


def operates(states: Mapping[str, str]) -> type[Service]:
    """The operation state that comes with a power state is another."""

    class Operates(Service):
        def operation_state(self, appliance: Appliance, power: Json) -> Json:
            return states.get(str(power)) or super().operation_state(appliance, power)

    return Operates


def passes(on: str, between: Json, seconds: float, move: tuple[str, str] | None = None) -> type[Service]:
    """A key that is written another value, or makes one move, has one in between for so many seconds."""

    class Passes(Service):
        def apply(self, appliance: Appliance, key: str, value: Json) -> None:
            effect, timer, now = super().apply, (appliance.ha_id, f"passing {key}"), appliance.values[key]
            self.timers.disarm(timer)
            if key != on or now == value or (move is not None and (now, value) != move):
                effect(appliance, key, value)
                return
            effect(appliance, key, between)
            self.timers.arm(timer, seconds, lambda: effect(appliance, key, value))

    return Passes


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
