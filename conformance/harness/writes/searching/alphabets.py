"""The state machines that look for faults: what they may write in which state, and who evaluates it.

power     the listed edges between the power states the appliance has (lines 129 to 133)
ambient   colours, and the two settings that the colour locks and frees (lines 68, 70)
hood      colour temperatures, and the percentage (lines 65, 66)
cooling   the modes that must leave setpoints alone, and one of those setpoints (lines 48, 49, 52, 53)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from catalog.keys import (
    AMBIENT_BRIGHTNESS,
    AMBIENT_COLOR,
    COLOR_PERCENT,
    COLOR_TEMPERATURE,
    CUSTOM_COLOR,
    FRESH_MODE,
    OPERATION_STATE,
    POWER_STATE,
    VACATION_MODE,
)
from conformance.checks.groups import AMBIENT_ORDERS, COOLING_ORDERS, HOOD_ORDERS, POWER_ORDERS
from conformance.checks.reads.states import SUPER_MODES, is_setpoint
from conformance.checks.reads.value_types import number
from conformance.checks.wording import is_number
from conformance.checks.writes import cooling, lights, power, power_readback
from conformance.checks.writes.trace import same
from conformance.harness.writes.procedures.choices import allowed_values, bounds, samples

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pydantic import JsonValue

    from conformance.checks.answer import Answer
    from conformance.checks.groups import Group
    from conformance.checks.view import View
    from conformance.checks.writes.evaluating import Evaluation
    from conformance.checks.writes.trace import Attempt

State: TypeAlias = "Mapping[str, Answer]"
"""The last read of each watched key."""
_PRESETS = 2
_MODES = (*SUPER_MODES, VACATION_MODE, FRESH_MODE)


@dataclass(frozen=True, slots=True)
class Letter:
    """One write that a machine may make."""

    key: str
    value: JsonValue


@dataclass(frozen=True, slots=True)
class Alphabet:
    """One state machine.

    Attributes:
        group: the procedure in which its finding is made again.
        watched: the keys that are read after each write.
        letters: the writes that a state allows.
        evaluate: evaluates the last attempt.
    """

    group: Group
    watched: tuple[str, ...]
    letters: Callable[[View, State], list[Letter]]
    evaluate: Callable[[View, Sequence[Attempt]], list[Evaluation | None]]


def alphabet_of(group: Group, seen: View) -> Alphabet | None:
    """The machine of a group for one appliance; None if it lacks a key, or a key must not be written."""
    made = {POWER_ORDERS: _power, AMBIENT_ORDERS: _ambient, HOOD_ORDERS: _hood, COOLING_ORDERS: _cooling}[
        group
    ](seen)
    return made if made and all(seen.value(key) is not None for key in made.watched) else None


def _power(seen: View) -> Alphabet | None:
    watched = (POWER_STATE, *((OPERATION_STATE,) if seen.value(OPERATION_STATE) is not None else ()))

    def letters(seen: View, state: State) -> list[Letter]:
        now = power.short_state(state[POWER_STATE].value)
        reachable = {
            power.short_state(edge.write)
            for edge in seen.catalog.power_edges
            if power.short_state(edge.source) == now
        }
        values = allowed_values(seen, seen.catalog.entries[POWER_STATE], state[POWER_STATE])
        supported = seen.appliance.power_states
        wanted = [value for value in values if supported is None or power.short_state(value) in supported]
        return [Letter(POWER_STATE, value) for value in wanted if power.short_state(value) in reachable]

    def evaluate(seen: View, tried: Sequence[Attempt]) -> list[Evaluation | None]:
        last = tried[-1]
        return [
            power.evaluate_edge(seen, last),
            power.evaluate_foreign(seen, last),
            power_readback.evaluate_readback(seen, last),
        ]

    return Alphabet(POWER_ORDERS, watched, letters, evaluate) if seen.value(POWER_STATE) is not None else None


def _ambient(seen: View) -> Alphabet | None:
    subjects = tuple(key for key in (AMBIENT_BRIGHTNESS, CUSTOM_COLOR) if _is_writable(seen, key))

    def evaluate(seen: View, tried: Sequence[Attempt]) -> list[Evaluation | None]:
        last = tried[-1]
        stored = [one for one in lights.evaluate_custom_stored(seen, tried) if one.attempt is last]
        single = (
            lights.evaluate_brightness_locked,
            lights.evaluate_brightness_free,
            lights.evaluate_custom_only,
            lights.evaluate_custom_settable,
        )
        return [*(one(seen, last) for one in single), *stored]

    return _of_a_selector(
        seen,
        AMBIENT_ORDERS,
        selector=AMBIENT_COLOR,
        custom="CustomColor",
        subjects=subjects,
        evaluate=evaluate,
    )


def _hood(seen: View) -> Alphabet | None:
    def evaluate(seen: View, tried: Sequence[Attempt]) -> list[Evaluation | None]:
        usable = (
            lights.evaluate_percent_usable(seen, tried[-1])
            if seen.profile.interpretation.usable_means_settable
            else None
        )
        return [usable, lights.evaluate_percent_applies(seen, tried[-1])]

    subjects = (COLOR_PERCENT,) if _is_writable(seen, COLOR_PERCENT) else ()
    return _of_a_selector(
        seen, HOOD_ORDERS, selector=COLOR_TEMPERATURE, custom="custom", subjects=subjects, evaluate=evaluate
    )


def _of_a_selector(  # noqa: PLR0913  what tells one selector from another
    seen: View,
    group: Group,
    *,
    selector: str,
    custom: str,
    subjects: tuple[str, ...],
    evaluate: Callable[[View, Sequence[Attempt]], list[Evaluation | None]],
) -> Alphabet | None:
    if not subjects or not _is_writable(seen, selector):
        return None

    def letters(seen: View, state: State) -> list[Letter]:
        values = allowed_values(seen, seen.catalog.entries[selector], state[selector])
        presets = [value for value in values if not str(value).endswith(f".{custom}")]
        chosen = [*presets[:_PRESETS], *(value for value in values if value not in presets)]
        found = [Letter(selector, value) for value in chosen if not same(value, state[selector].value)]
        return [*found, *(letter for key in subjects if (letter := _other_value(seen, key, state)))]

    return Alphabet(group, (selector, *subjects), letters, evaluate)


def _cooling(seen: View) -> Alphabet | None:
    modes = tuple(key for key in _MODES if _is_writable(seen, key))
    setpoints = tuple(key for key in seen.tried if is_setpoint(key) and seen.value(key) is not None)
    claimed = [key for key in setpoints if _is_writable(seen, key) and seen.appliance.is_writable(key)]
    written = claimed[-1] if claimed else None

    def letters(seen: View, state: State) -> list[Letter]:
        found = [Letter(mode, state[mode].value is not True) for mode in modes]
        setpoint = _other_value(seen, written, state) if written else None
        return [*found, *([setpoint] if setpoint else [])]

    def evaluate(seen: View, tried: Sequence[Attempt]) -> list[Evaluation | None]:
        kept = [
            cooling.evaluate_setpoints_kept(seen, tried[-1], mode) for mode in modes if mode in SUPER_MODES
        ]
        freezer = [
            cooling.evaluate_freezer_kept(seen, tried[-1], mode) for mode in modes if mode not in SUPER_MODES
        ]
        return [*kept, *freezer]

    return Alphabet(COOLING_ORDERS, (*modes, *setpoints), letters, evaluate) if modes and setpoints else None


def _is_writable(seen: View, key: str) -> bool:
    return seen.value(key) is not None and seen.profile.may_write(key)


def _other_value(seen: View, key: str, state: State) -> Letter | None:
    """Another value of a key: a text, or a number too far away to be explained by rounding."""
    entry, answer = seen.catalog.entries[key], state.get(key)
    if answer is None or not answer.has_value:
        return None
    if entry.type == "String":
        texts = [text for text in samples(seen.appliance, entry.key) if not same(text, answer.value)]
        return Letter(key, texts[0]) if texts else None
    found = bounds(entry, answer)
    if found is None or found[0] > found[1] or not is_number(answer.value):
        return None
    ends = [end for end in found if not same(end, answer.value)]
    far = max(ends, key=lambda end: abs(end - number(answer.value)), default=None)
    return None if far is None else Letter(key, int(far) if far == int(far) else far)
