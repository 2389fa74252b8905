"""The state machines that look for faults: what they may write in which state, and who evaluates it.

power     the listed edges between the power states the appliance has (lines 129 to 133)
ambient   colours, and the two settings that the colour locks and frees (lines 68, 70)
hood      colour temperatures, and the percentage (lines 65, 66)
cooling   the modes that must leave setpoints alone, and one of those setpoints (lines 48, 49, 52, 53)
"""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias, cast

from msgspec import Struct
from msgspec.structs import replace
from pydantic import JsonValue

from catalog import keys
from catalog.model import PowerEdge
from conformance.checks.answer import Answer
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
from conformance.checks.traces.evaluating import TIMES, Evaluation
from conformance.checks.traces.trace import Attempt, attempts
from conformance.checks.view import View
from conformance.checks.writes import cooling, lights, power, power_readback
from conformance.harness.writes.procedures.choices import other_samples, plain
from conformance.model.json_values import is_number, number, same
from conformance.model.state_table import is_setpoint

State: TypeAlias = Mapping[str, Answer]
"""The last read of each watched key."""
Rule: TypeAlias = Callable[[View, Sequence[Attempt]], Evaluation | None]
"""What the last of some attempts says of one clause; None where it does not concern it."""
Word: TypeAlias = tuple[JsonValue, ...] | str
"""What a write is in an order: its key, and what tells its value from others that mean something else."""
_LONGEST_POWER, _LONGEST = 5, 4
"""The longest orders that are all made where the budget allows it, in writes."""
_PRESETS = 2
_MODES = (*keys.SUPER_MODES, keys.VACATION_MODE, keys.FRESH_MODE)


class Letter(Struct, frozen=True):
    """One write that a machine may make."""

    key: str
    value: JsonValue


class Alphabet(Struct, frozen=True):
    """One state machine.

    Attributes:
        group: the procedure in which its finding is made again.
        watched: the keys whose values are its state.
        letters: the writes that a state allows.
        rules: what evaluates the last attempt, for each clause.
        shown_in: the procedures whose writes the same rules evaluate.
        word: what a write is in an order; two presets of a light are one word.
        place: what of a state tells one order from another: the power state, or how the selector stands.
        longest: how long the orders are that are all made, in writes.
        selector: the key that locks and frees the others; empty where there is none.
        custom: what the selector is while they are under its own value, as a word.
    """

    group: Group
    watched: tuple[str, ...]
    letters: Callable[[View, State], list[Letter]]
    rules: tuple[Rule, ...]
    shown_in: tuple[Group, ...]
    word: Callable[[Letter], Word]
    place: Callable[[State], Word]
    longest: int = _LONGEST
    selector: str = ""
    custom: Word = ""

    def beside(self, letter: Letter) -> list[str]:
        """The keys to read beside the written one, while it is searched: those that may show something."""
        others = [key for key in self.watched if key != letter.key]
        if self.selector in others:
            return [self.selector]
        return others if not self.selector or self.word(letter) == self.custom else []

    def is_contradicted(self, seen: View, tried: Sequence[Attempt]) -> bool:
        """Whether the last attempt contradicts a clause."""
        found = (rule(seen, tried) for rule in self.rules)
        return any(one is not None and one.result == "contradicts" for one in found)

    def without_shown(self, seen: View) -> "Alphabet":
        """The same machine without the rules that a walk or a procedure has already shown to be broken."""
        tries = [attempts(seen, group) for group in self.shown_in]

        def is_shown(rule: Rule) -> bool:
            found = (rule(seen, tried[:end]) for tried in tries for end in range(1, len(tried) + 1))
            return sum(one is not None and one.result == "contradicts" for one in found) >= TIMES

        return replace(self, rules=tuple(rule for rule in self.rules if not is_shown(rule)))


def alphabet_of(group: Group, seen: View) -> Alphabet | None:
    """The machine of a group for one appliance; None if it lacks a key, or a key must not be written."""
    made = {POWER_ORDERS: _power, AMBIENT_ORDERS: _ambient, HOOD_ORDERS: _hood, COOLING_ORDERS: _cooling}[
        group
    ](seen)
    return made if made and all(seen.value(key) is not None for key in made.watched) else None


def _power(seen: View) -> Alphabet | None:
    watched = (
        keys.POWER_STATE,
        *((keys.OPERATION_STATE,) if seen.value(keys.OPERATION_STATE) is not None else ()),
    )

    def letters(seen: View, state: State) -> list[Letter]:
        now = power.short_state(state[keys.POWER_STATE].value)
        reachable = {
            power.short_state(edge.write)
            for edge in seen.catalog.power_edges
            if power.short_state(edge.source) == now
        }
        values = seen.values(keys.POWER_STATE, state[keys.POWER_STATE]).choices
        return [Letter(keys.POWER_STATE, value) for value in values if power.short_state(value) in reachable]

    edges = tuple(_of_an_edge(edge) for edge in seen.catalog.power_edges)
    rules = (*edges, *_of_single(power.evaluate_foreign, power_readback.evaluate_readback))

    def place(state: State) -> Word:
        return str(state[keys.POWER_STATE].value)

    made = Alphabet(POWER_ORDERS, watched, letters, rules, (WALK,), _key_and_value, place, _LONGEST_POWER)
    return made if seen.value(keys.POWER_STATE) is not None else None


def _ambient(seen: View) -> Alphabet | None:
    subjects = tuple(key for key in (keys.AMBIENT_BRIGHTNESS, keys.CUSTOM_COLOR) if _is_writable(seen, key))

    def stored(seen: View, tried: Sequence[Attempt]) -> Evaluation | None:
        if tried[-1].key != keys.AMBIENT_COLOR:  # only choosing a color shows what was written before
            return None
        found = lights.evaluate_custom_stored(seen, tried)
        return next((one for one in found if one.attempt is tried[-1]), None)

    rules = _of_single(
        lights.evaluate_brightness_locked,
        lights.evaluate_brightness_free,
        lights.evaluate_custom_only,
        lights.evaluate_custom_settable,
    )
    return _of_a_selector(
        seen,
        (AMBIENT_ORDERS, AMBIENT),
        selector=keys.AMBIENT_COLOR,
        custom="CustomColor",
        subjects=subjects,
        rules=(*rules, stored),
    )


def _hood(seen: View) -> Alphabet | None:
    settable = seen.profile.interpretation.usable_means_settable
    usable = _of_single(lights.evaluate_percent_usable) if settable else ()
    return _of_a_selector(
        seen,
        (HOOD_ORDERS, HOOD),
        selector=keys.COLOR_TEMPERATURE,
        custom="custom",
        subjects=(keys.COLOR_PERCENT,) if _is_writable(seen, keys.COLOR_PERCENT) else (),
        rules=(*usable, *_of_single(lights.evaluate_percent_applies)),
    )


def _of_a_selector(  # noqa: PLR0913  what tells one selector from another
    seen: View,
    groups: tuple[Group, Group],
    *,
    selector: str,
    custom: str,
    subjects: tuple[str, ...],
    rules: tuple[Rule, ...],
) -> Alphabet | None:
    if not subjects or not _is_writable(seen, selector):
        return None

    def letters(seen: View, state: State) -> list[Letter]:
        values = seen.values(selector, state[selector]).choices
        presets = [value for value in values if not is_custom(value)]
        chosen = [*presets[:_PRESETS], *(value for value in values if value not in presets)]
        found = [Letter(selector, value) for value in chosen if not same(value, state[selector].value)]
        return [*found, *(letter for key in subjects if (letter := _other_value(seen, key, state)))]

    def is_custom(value: JsonValue) -> bool:
        return str(value).endswith(f".{custom}")

    def word(letter: Letter) -> Word:
        return (letter.key, is_custom(letter.value)) if letter.key == selector else letter.key

    def place(state: State) -> Word:
        return word(Letter(selector, cast("JsonValue", state[selector].value)))

    orders, shown_in = groups
    watched, own = (selector, *subjects), (selector, True)
    return Alphabet(orders, watched, letters, rules, (shown_in,), word, place, selector=selector, custom=own)


def _cooling(seen: View) -> Alphabet | None:
    modes = tuple(key for key in _MODES if _is_writable(seen, key))
    setpoints = tuple(key for key in seen.tried if is_setpoint(key) and seen.value(key) is not None)
    claimed = [key for key in setpoints if _is_writable(seen, key) and seen.appliance.is_writable(key)]
    written = claimed[-1] if claimed else None

    def letters(seen: View, state: State) -> list[Letter]:
        found = [Letter(mode, state[mode].value is not True) for mode in modes]
        setpoint = _other_value(seen, written, state) if written else None
        return [*found, *([setpoint] if setpoint else [])]

    def word(letter: Letter) -> Word:
        return _key_and_value(letter) if letter.key in modes else letter.key

    rules = tuple(_of_a_mode(mode) for mode in modes)
    watched = (*modes, *setpoints)
    shown_in = tuple(map(mode_group, modes))
    made = Alphabet(COOLING_ORDERS, watched, letters, rules, shown_in, word, lambda _: "")
    return made if modes and setpoints else None


def _of_an_edge(edge: PowerEdge) -> Rule:
    states = power.short_state(edge.source), power.short_state(edge.write)

    def rule(seen: View, tried: Sequence[Attempt]) -> Evaluation | None:
        last = tried[-1]
        is_along = (power.short_state(last.old()), power.short_state(last.value)) == states
        return power.evaluate_edge(seen, last) if is_along else None

    return rule


def _of_a_mode(mode: str) -> Rule:
    evaluate = cooling.evaluate_setpoints_kept if mode in keys.SUPER_MODES else cooling.evaluate_freezer_kept
    return lambda seen, tried: evaluate(seen, tried[-1], mode)


def _of_single(*evaluate: Callable[[View, Attempt], Evaluation | None]) -> tuple[Rule, ...]:
    """Rules that need no more than the last attempt."""

    def rule_of(one: Callable[[View, Attempt], Evaluation | None]) -> Rule:
        return lambda seen, tried: one(seen, tried[-1])

    return tuple(map(rule_of, evaluate))


def _key_and_value(letter: Letter) -> Word:
    return letter.key, str(letter.value)


def _is_writable(seen: View, key: str) -> bool:
    return seen.value(key) is not None and seen.profile.may_write(key)


def _other_value(seen: View, key: str, state: State) -> Letter | None:
    """Another value of a key: a text, or a number too far away to be explained by rounding."""
    entry, answer = seen.catalog.entries[key], state.get(key)
    if answer is None or not answer.has_value:
        return None
    if entry.type == "String":
        texts = other_samples(seen, entry, answer.value)
        return Letter(key, texts[0]) if texts else None
    own = seen.values(key, answer)
    found = own.bounds
    if found is None or found[0] > found[1] or not is_number(answer.value):
        return None
    values = [value for value in own.listed or found if found[0] <= value <= found[1]]
    others = [value for value in values if not same(value, answer.value)]
    far = max(others, key=lambda value: abs(value - number(answer.value)), default=None)
    return None if far is None else Letter(key, plain(entry, far))
