"""What a tour writes on one appliance, and which clauses its writes may contradict.

power     the listed edges between the power states that the appliance has (lines 129 to 133)
ambient   colours, and the two settings that the colour locks and frees (lines 68, 70)
hood      colour temperatures, and the percentage (lines 65, 66)
cooling   the modes that must leave setpoints alone, and one of those setpoints (lines 48, 49, 52, 53)
"""

from collections.abc import Iterable, Mapping
from functools import partial
from types import MappingProxyType
from typing import cast

from msgspec import Struct
from pydantic import JsonValue

from catalog import keys
from catalog.keys import short_name
from catalog.loader import CATALOG
from catalog.maker import with_maker
from conformance.checks.groups import (
    AMBIENT,
    AMBIENT_ORDERS,
    COOLING_ORDERS,
    HOOD,
    HOOD_ORDERS,
    POWER_ORDERS,
    WALK,
    Group,
    mode_group,
)
from conformance.checks.traces.expecting import Evaluation, Expect, Expecting, evaluation_of
from conformance.checks.traces.trace import Attempt, attempts
from conformance.checks.view import View
from conformance.checks.writes.expected import locked_keys, other_keys, power_moves
from conformance.checks.writes.judging import TIMES
from conformance.harness.writes.procedures.choices import other_samples, other_values
from conformance.model.json_values import is_number, number, same
from conformance.model.state_table import SETPOINTS

TOURS: Mapping[Group, str] = MappingProxyType(
    {
        POWER_ORDERS: "OFOFOFOSOSOSFOSFOFOSFOSOFOFOSOFOSOSOF",
        AMBIENT_ORDERS: "CpqCbxpbxqCpqbxCpxbCbbbxbbpbbCxxbxxxpxxCpCbpxCpCxpqxbCpqCxpqpbCpqpxCpqbbCpqxx",
        HOOD_ORDERS: "CpqCbpqbbCpCpbCbpCbbbbpbbbCpqpbCpCqbpb",
        COOLING_ORDERS: "vfftrvfrvvtzffzrftrrzrtvzzvrzvrv",
    }
)
"""The writes of each tour, a letter each, the most telling orders first; a selftest says what they hold.

power     O On, F Off, S Standby: every order of up to five that begins in On, first those that repeat
ambient   C CustomColor, p and q two presets, b the brightness, x the custom colour: every order of up to
          three that begins in CustomColor and ends with b or x, and those of four that begin with two presets
hood      the same with custom, two other temperatures, and b for the percentage: every order of up to four
cooling   v VacationMode, f FreshMode, z and r the super modes, each switched on or off, t a setpoint: each
          mode on and off while each other one alone is on, and on anew once the setpoint was written while it
          alone was on, and not since
"""
_MODES = MappingProxyType(
    dict(zip("rzvf", (*keys.SUPER_MODES, keys.VACATION_MODE, keys.FRESH_MODE), strict=True))
)
LONGEST = MappingProxyType({POWER_ORDERS: 5, AMBIENT_ORDERS: 4, HOOD_ORDERS: 4, COOLING_ORDERS: 4})
"""How many writes the orders of each tour have, at most."""


class Letter(Struct, frozen=True):
    """One write of a tour.

    Attributes:
        key: the setting.
        values: what may be written; it is the first that the setting does not show then.
        beside: what is read after it beside the setting: what the write may show something of.
        sources: the values of the setting from which it is written; from all where there are none.
    """

    key: str
    values: tuple[JsonValue, ...]
    beside: tuple[str, ...] = ()
    sources: tuple[JsonValue, ...] = ()

    def value(self, now: object) -> JsonValue:
        """The value to write where the setting shows `now`; None where nothing is to be written."""
        if self.sources and not any(same(now, source) for source in self.sources):
            return None
        return next((value for value in self.values if not same(value, now)), None)


class Tour(Struct, frozen=True):
    """The writes of one set of rules on one appliance.

    Attributes:
        letters: the writes in their order; those that the appliance lacks are left out.
        watched: the keys that tell what a write did.
        rules: what each clause expects after a write.
        shown_in: the procedures whose writes the same rules evaluate.
        home: the key and the value with which these begin; any value where the key is empty.
    """

    letters: tuple[Letter, ...]
    watched: tuple[str, ...]
    rules: tuple[Expecting, ...]
    shown_in: tuple[Group, ...]
    home: tuple[str, JsonValue] = ("", None)

    def is_contradicted(self, seen: View, attempt: Attempt) -> bool:
        """Whether an attempt contradicts a clause."""
        return any(contradicts(rule, seen, attempt) for rule in self.rules)

    def begins_at_home(self, attempt: Attempt) -> bool:
        """Whether an order of the tour may begin with an attempt."""
        key, value = self.home
        return not key or same(attempt.old(key), value)


def contradicts(rule: Expecting, seen: View, attempt: Attempt) -> bool:
    """Whether an attempt contradicts the clause of a rule, and no earlier write of a tour explains it."""
    found = evaluation_of(seen, rule, attempt)
    return found is not None and found.result == "contradicts" and not _came_late(seen, found)


def _came_late(seen: View, found: Evaluation) -> bool:
    """Whether what moved shows what an earlier write was to bring, which may take its settle time."""
    shown = found.shown
    own = (one for one in found.attempt.earlier if one.key == shown.exchange.key)
    before = next(own, None)
    if before is None or not same(before.value, shown.value) or found.attempt.key == before.key:
        return False
    is_in_time = shown.began - before.answer.ended <= seen.profile.timing.settle_seconds(before.key)
    return is_in_time and not any(same(read.value, before.value) for read in before.reads())


def is_certain(rule: Expecting, seen: View, groups: Iterable[Group]) -> bool:
    """Whether the clause of a rule was contradicted so often in procedures that it is a finding."""
    return sum(contradicts(rule, seen, one) for one in attempts(seen, *groups)) >= TIMES


def tour_of(group: Group, seen: View) -> Tour | None:
    """The tour of a group on one appliance; None if it lacks a key, or a key must not be written."""
    made = {POWER_ORDERS: _power, AMBIENT_ORDERS: _ambient, HOOD_ORDERS: _hood, COOLING_ORDERS: _cooling}
    found = made[group](seen)
    return found if found and all(seen.value(key) is not None for key in found.watched) else None


def _in_order(group: Group, letters: Mapping[str, Letter | None]) -> tuple[Letter, ...]:
    """The letters of a tour that there are, in its order, up to the last that ends a new order of them."""
    found = [letter for name in TOURS[group] if (letter := letters.get(name))]
    pairs = zip([None, *found], found, strict=False)
    found = [letter for before, letter in pairs if letter != before or len(letter.values) > 1]
    made: dict[tuple[Letter, ...], int] = {}
    for end in range(1, len(found) + 1):
        for begin in range(max(0, end - LONGEST[group]), end):
            made.setdefault(tuple(found[begin:end]), end)
    return tuple(found[: max(made.values(), default=0)])


def _power(seen: View) -> Tour | None:
    read = seen.reads.get(("settings", keys.POWER_STATE))
    if read is None:
        return None
    shown = (keys.OPERATION_STATE,) if seen.value(keys.OPERATION_STATE) is not None else ()
    wanted = seen.values(keys.POWER_STATE, read).choices

    def letter(value: JsonValue) -> Letter:
        edges = [edge for edge in CATALOG.power_edges if with_maker(edge.write, seen.maker) == value]
        sources = tuple(with_maker(edge.source, seen.maker) for edge in edges)
        return Letter(keys.POWER_STATE, (value,), shown, sources)

    named = {"O": "On", "F": "Off", "S": "Standby"}
    letters = {name: letter(value) for name in named for value in wanted if short_name(value) == named[name]}
    return Tour(
        _in_order(POWER_ORDERS, letters),
        (keys.POWER_STATE, *shown),
        (
            *(partial(power_moves.along, edge) for edge in CATALOG.power_edges),
            power_moves.no_third_state,
            power_moves.in_agreement,
        ),
        (WALK,),
        (keys.POWER_STATE, with_maker(keys.ON, seen.maker)),
    )


def _ambient(seen: View) -> Tour | None:
    rules = (
        partial(locked_keys.kept_out, keys.CUSTOM_COLOR),
        partial(_of_key, keys.AMBIENT_BRIGHTNESS, locked_keys.not_while_locked),
        partial(_of_key, keys.AMBIENT_BRIGHTNESS, locked_keys.taken_while_free),
        partial(_of_key, keys.CUSTOM_COLOR, locked_keys.taken_in_a_format),
    )
    subjects = {"b": keys.AMBIENT_BRIGHTNESS, "x": keys.CUSTOM_COLOR}
    orders = AMBIENT_ORDERS, AMBIENT
    return _of_a_selector(seen, orders, keys.AMBIENT_COLOR, "CustomColor", subjects, rules)


def _hood(seen: View) -> Tour | None:
    settable = seen.profile.interpretation.usable_means_settable
    usable = (locked_keys.not_while_locked,) if settable else ()
    rules = (*usable, locked_keys.applied)
    orders = HOOD_ORDERS, HOOD
    return _of_a_selector(seen, orders, keys.COLOR_TEMPERATURE, "custom", {"b": keys.COLOR_PERCENT}, rules)


def _of_a_selector(  # noqa: PLR0913, PLR0917  what tells one selector from another
    seen: View,
    groups: tuple[Group, Group],
    selector: str,
    custom: str,
    subjects: Mapping[str, str],
    rules: tuple[Expecting, ...],
) -> Tour | None:
    orders, shown_in = groups
    read = seen.reads.get(("settings", selector))
    written = {name: key for name, key in subjects.items() if _is_writable(seen, key)}
    if read is None or not written or not _is_writable(seen, selector):
        return None
    values = seen.values(selector, read).choices
    presets = [value for value in values if not str(value).endswith(f".{custom}")]
    own = [value for value in values if value not in presets]
    stored = tuple(key for key in written.values() if key == keys.CUSTOM_COLOR)
    letters = {
        **{name: Letter(selector, (value,), stored) for name, value in zip("C", own, strict=False)},
        **{name: Letter(selector, (value,)) for name, value in zip("pq", presets, strict=False)},
        **{name: _other_values(seen, key, (selector,)) for name, key in written.items()},
    }
    home = (selector, own[0] if own else None)
    watched = (selector, *written.values())
    return Tour(_in_order(orders, letters), watched, rules, (shown_in,), home)


def _cooling(seen: View) -> Tour | None:
    modes = {name: key for name, key in _MODES.items() if _is_writable(seen, key)}
    setpoints = tuple(key for key in seen.tried if key in SETPOINTS and seen.value(key) is not None)
    claimed = [key for key in setpoints if _is_writable(seen, key) and seen.appliance.is_writable(key)]
    if not modes or not setpoints:
        return None
    letters: dict[str, Letter | None] = {
        name: Letter(key, (True, False), setpoints) for name, key in modes.items()
    }
    if claimed:
        letters["t"] = _other_values(seen, claimed[-1], ())
    return Tour(
        _in_order(COOLING_ORDERS, letters),
        (*modes.values(), *setpoints),
        tuple(partial(other_keys.kept_by, rule) for mode in modes.values() for rule in CATALOG.keeping(mode)),
        tuple(map(mode_group, modes.values())),
    )


def _of_key(key: str, expects: Expecting, seen: View, attempt: Attempt) -> Iterable[Expect]:
    """What is expected of the writes of one key alone."""
    return expects(seen, attempt) if attempt.key == key else ()


def _is_writable(seen: View, key: str) -> bool:
    return seen.value(key) is not None and seen.profile.may_write(key)


def _other_values(seen: View, key: str, beside: tuple[str, ...]) -> Letter | None:
    """Another value of a key and the found one: a text, or a number that no rounding explains."""
    entry, read = CATALOG.entries[key], seen.reads[("settings", key)]
    found = cast("JsonValue", read.value)
    if entry.type == "String":
        texts = other_samples(seen, entry, found)[:2]
        return Letter(key, tuple(dict.fromkeys((*texts, cast("str", found)))), beside) if texts else None
    others = other_values(seen, entry, read) if is_number(found) and seen.values(key, read).bounds else ()
    far = max(others, key=lambda value: abs(number(value) - number(found)), default=None)
    return None if far is None else Letter(key, (far, found), beside)
