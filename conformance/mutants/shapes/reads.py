"""The shapes that faults of reading have: another value, another unit, another body, a key that is not there.

Each is a function that overrides one method of the reference, for the keys it is given; where it may be given
several, none stands for all of them. Keys are spelled with Vendor, and what is sent as it stands on the wire.
"""

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from msgspec.structs import replace

from catalog.model import Entry, Segment
from conformance.reference.appliance import Appliance
from conformance.reference.service import Service
from conformance.reference.wire import MALFORMED, UNSUPPORTED, Json, Members, Refusal, Reply

State: TypeAlias = tuple[str, Json]
"""A key and a value: the state in which an appliance is while the key has that value."""


def is_in(state: State | None, appliance: Appliance) -> bool:
    """Whether an appliance is in a state; it is always in none."""
    return state is None or appliance.values.get(state[0]) == state[1]


def spells(made: Callable[[Entry, Json], Json]) -> type[Service]:
    """The value of an entry is sent as the function makes it of what would be sent."""

    class Spells(Service):
        def spell_value(self, appliance: Appliance, entry: Entry, value: Json) -> Json:
            return made(entry, super().spell_value(appliance, entry, value))

    return Spells


def sends(on: str, sent: Json) -> type[Service]:
    """A key is sent with this in place of its value."""
    return converts(lambda _: sent, on)


def names(on: str, name: str) -> type[Service]:
    """A key of an enumeration is sent with this name behind its family."""
    return spells(lambda entry, sent: f"{entry.family}.{name}" if entry.key == on else sent)


def converts(function: Callable[[Json], Json], *keys: str) -> type[Service]:
    """The values of keys are sent as the function converts them."""
    return spells(lambda entry, sent: function(sent) if not keys or entry.key in keys else sent)


def holds(made: Callable[[Entry, Members], Members], under: Segment | None = None) -> type[Service]:
    """The members of an entry are what the function makes of them, under both segments or one of them."""

    class Holds(Service):
        def body(self, appliance: Appliance, segment: Segment, entry: Entry, value: Json) -> Members:
            members = super().body(appliance, segment, entry, value)
            return made(entry, members) if under in {None, segment} else members

    return Holds


def changes(
    member: str, function: Callable[[Json], Json], *keys: str, under: Segment | None = None
) -> type[Service]:
    """A member of the entries of keys is what the function makes of it, under both segments or one."""

    def changed(entry: Entry, members: Members) -> Members:
        is_wrong = not keys or entry.key in keys
        return members | {member: function(members[member])} if is_wrong else members

    return holds(changed, under)


def converts_under(segment: Segment, on: str, function: Callable[[Json], Json]) -> type[Service]:
    """The value of a key is sent as the function converts it, under one segment only."""
    return changes("value", function, on, under=segment)


def renames(function: Callable[[str], str], *keys: str) -> type[Service]:
    """The key that stands in the body is what the function makes of it."""
    return changes("key", lambda key: function(str(key)), *keys)


def wraps(document: Callable[[Members], Json]) -> type[Service]:
    """The document of an entry is what the function makes of its members."""

    class Wraps(Service):
        def wrap(self, members: Members) -> Json:
            return document(members)

    return Wraps


def measures_as(made: Callable[[Appliance, Entry, str | None], str | None]) -> type[Service]:
    """The unit of an entry, None where an answer names none, is what the function makes of it."""

    class Measures(Service):
        def unit(self, appliance: Appliance, entry: Entry) -> str | None:
            return made(appliance, entry, super().unit(appliance, entry))

    return Measures


def measures(wrong: str, *keys: str) -> type[Service]:
    """Keys are sent with this unit."""
    return measures_as(lambda _, entry, unit: wrong if entry.key in keys else unit)


def lists(on: str, *values: str) -> type[Service]:
    """A key of an enumeration is sent with these possible values."""

    class Lists(Service):
        def allowed(self, appliance: Appliance, entry: Entry) -> tuple[str, ...]:
            return values if entry.key == on else super().allowed(appliance, entry)

    return Lists


def limits(made: Callable[[Appliance, Entry, Members], Members]) -> type[Service]:
    """The constraints of an entry are what the function makes of them."""

    class Limits(Service):
        def constraints(self, appliance: Appliance, entry: Entry) -> Members:
            return made(appliance, entry, super().constraints(appliance, entry))

    return Limits


def constrains(on: str, sent: Mapping[str, Json], without: tuple[str, ...] = ()) -> type[Service]:
    """A key is sent with these members among its constraints, and without some."""

    def constrained(_: Appliance, entry: Entry, own: Members) -> Members:
        members = {**own, **sent}
        kept = {name: member for name, member in members.items() if name not in without}
        return kept if entry.key == on else own

    return limits(constrained)


def gives(answer: Callable[[Service, Appliance, Segment, str], Reply | Refusal | None]) -> type[Service]:
    """A GET of an entry gets what the function answers; where that is None, the answer of the service."""

    class Gives(Service):
        def read(self, appliance: Appliance, segment: Segment, key: str) -> Reply:
            found = answer(self, appliance, segment, key)
            if found is None:
                return super().read(appliance, segment, key)
            return self.refuse(found) if isinstance(found, Refusal) else found

    return Gives


def supplies(answer: Callable[[Service, Appliance, Segment, str], Reply | None]) -> type[Service]:
    """What an appliance does not have under a segment gets what the function answers, or a refusal."""
    return gives(
        lambda its, appliance, segment, key: (
            None if its.serves(appliance, segment, key) else answer(its, appliance, segment, key)
        )
    )


def meets(when: Callable[[Appliance, str], bool], reply: Reply | Refusal) -> type[Service]:
    """A GET is answered with something that is no entry, where the function says so."""
    return gives(lambda _its, appliance, _segment, key: reply if when(appliance, key) else None)


def answers(on: str, reply: Reply, under: Segment | None = None) -> type[Service]:
    """A GET of a key is answered with something that is no entry, under both segments or one of them."""
    return gives(lambda _its, _, segment, key: reply if key == on and under in {None, segment} else None)


def alternates(on: str, reply: Reply | Refusal) -> type[Service]:
    """Every second GET of a key is answered with something that is no entry."""
    return meets(lambda its, key: key == on and its.nth(f"GET {key}") % 2 == 0, reply)


def rewrites_where(
    when: Callable[[Appliance, str], bool], function: Callable[[bytes], bytes]
) -> type[Service]:
    """The body of a granted GET is what the second function makes of it, where the first one says so."""

    class Rewrites(Service):
        def read(self, appliance: Appliance, segment: Segment, key: str) -> Reply:
            reply = super().read(appliance, segment, key)
            is_other = reply.status < MALFORMED.status and when(appliance, key)
            return replace(reply, body=function(reply.body)) if is_other else reply

    return Rewrites


def rewrites(on: str, function: Callable[[bytes], bytes]) -> type[Service]:
    """The body of the answer to a GET of a key is what the function makes of it."""
    return rewrites_where(lambda _, key: key == on, function)


def confuses(on: str, other: str) -> type[Service]:
    """A GET of a key is answered with the whole entry of another one."""

    class Confuses(Service):
        def read(self, appliance: Appliance, segment: Segment, key: str) -> Reply:
            return super().read(appliance, segment, other if key == on else key)

    return Confuses


def lacks(on: str) -> type[Service]:
    """A key of the appliance is answered as if the appliance did not have it, under every segment."""
    return hides(lambda _, key: key == on)


def displaces(on: str) -> type[Service]:
    """A key is served under the other of the two segments, and there only."""

    class Displaces(Service):
        def serves(self, appliance: Appliance, segment: Segment, key: str) -> bool:
            other: Segment = "status" if segment == "settings" else "settings"
            return super().serves(appliance, other if key == on else segment, key)

    return Displaces


def hides(when: Callable[[Appliance, str], bool]) -> type[Service]:
    """A key is answered as if the appliance did not have it, where the function says so."""

    class Hides(Service):
        def serves(self, appliance: Appliance, segment: Segment, key: str) -> bool:
            return not when(appliance, key) and super().serves(appliance, segment, key)

    return Hides


def shows_as(made: Callable[[Service, Appliance, str, Json], Json]) -> type[Service]:
    """The value of a key is shown as the function makes it of what would be shown."""

    class ShowsAs(Service):
        def value(self, appliance: Appliance, key: str) -> Json:
            return made(self, appliance, key, super().value(appliance, key))

    return ShowsAs


def shows(function: Callable[[Json], Json], *keys: str, state: State | None = None) -> type[Service]:
    """The values of keys are shown as the function makes them, always or in a state."""
    return shows_as(
        lambda _, one, key, shown: function(shown) if key in keys and is_in(state, one) else shown
    )


def goes_on(on: str, step: Callable[[Any], Json], *, once_at: int | None = None) -> type[Service]:
    """A value goes on by one step whenever it is read; with `once_at`, only at that one of these reads."""

    def read_now(its: Service, one: Appliance, key: str, shown: Json) -> Json:
        goes = key == on and step(shown) != shown
        if goes and (once_at is None or one.nth(f"step of {key}") == once_at):
            its.change(one, key, step(shown))
        return shown

    return shows_as(read_now)


def nulls(when: Callable[[Appliance, str], bool]) -> type[Service]:
    """The value of a key that is served is null, where the function says so, and nothing stands beside it."""

    def null(its: Service, appliance: Appliance, segment: Segment, key: str) -> Reply | None:
        is_null = when(appliance, key) and its.serves(appliance, segment, key)
        return its.show({"key": its.spell(appliance, key), "value": None}) if is_null else None

    return gives(null)


def reveals(on: str, state: State, sent: Json) -> type[Service]:
    """A key is refused but in a state, and is sent with this as its value then."""

    def revealed(its: Service, appliance: Appliance, segment: Segment, key: str) -> Reply | Refusal | None:
        if key != on:
            return None
        if not is_in(state, appliance):
            return UNSUPPORTED[segment]
        members = its.body(appliance, segment, its.entries[key], appliance.values[key])
        return its.show({**members, "value": sent})

    return gives(revealed)
