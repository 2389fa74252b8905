"""What the state machines may write, in which state, and what their steps are weighed by: the tables of the catalog as models.

power     the listed edges between the power states the appliance has (lines 129 to 133)
ambient   colours, and the two settings that the colour locks and frees (lines 68, 70)
hood      colour temperatures, and the percentage (lines 65, 66)
cooling   the modes that must leave setpoints alone, and one of those setpoints (lines 48, 49, 52, 53)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias, cast

from conformance.checks import cooling, lights, power
from conformance.checks.seen import OPERATION_STATE, POWER_STATE
from conformance.checks.states import (
    AMBIENT_BRIGHTNESS,
    AMBIENT_COLOR,
    AMBIENT_CUSTOM,
    COLOR_PERCENT,
    COLOR_TEMPERATURE,
    FRESH_MODE,
    SUPER_MODES,
    VACATION_MODE,
    is_setpoint,
)
from conformance.checks.trace import AMBIENT_ORDERS, COOLING_ORDERS, HOOD_ORDERS, POWER_ORDERS, same
from conformance.harness.choices import allowed_values, bounds, samples

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pydantic import JsonValue

    from conformance.checks.answer import Answer
    from conformance.checks.groups import Group
    from conformance.checks.seen import Seen
    from conformance.checks.trace import Attempt
    from conformance.checks.weighing import Weighed

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
    """One machine: the group of its finding, the keys read after each write, the letters of a state, what weighs the last attempt."""

    group: Group
    watched: tuple[str, ...]
    letters: Callable[[Seen, State], list[Letter]]
    weigh: Callable[[Seen, Sequence[Attempt]], list[Weighed | None]]


def alphabet_of(group: Group, seen: Seen) -> Alphabet | None:
    """The machine of a group for one appliance; None where it does not serve what that needs, or nobody may write it."""
    made = {POWER_ORDERS: _power, AMBIENT_ORDERS: _ambient, HOOD_ORDERS: _hood, COOLING_ORDERS: _cooling}[group](seen)
    return made if made and all(seen.value(key) is not None for key in made.watched) else None


def _power(seen: Seen) -> Alphabet | None:
    watched = (POWER_STATE, *((OPERATION_STATE,) if seen.value(OPERATION_STATE) is not None else ()))

    def letters(seen: Seen, state: State) -> list[Letter]:
        now = power.short_state(state[POWER_STATE].value)
        reachable = {power.short_state(edge.write) for edge in seen.catalog.power_edges if power.short_state(edge.source) == now}
        values = allowed_values(seen, seen.catalog.entries[POWER_STATE], state[POWER_STATE])
        supported = seen.appliance.power_states
        wanted = [value for value in values if supported is None or power.short_state(value) in supported]
        return [Letter(POWER_STATE, value) for value in wanted if power.short_state(value) in reachable]

    def weigh(seen: Seen, tried: Sequence[Attempt]) -> list[Weighed | None]:
        last = tried[-1]
        return [power.weigh_edge(seen, last), power.weigh_foreign(seen, last), power.weigh_readback(seen, last)]

    return Alphabet(POWER_ORDERS, watched, letters, weigh) if seen.value(POWER_STATE) is not None else None


def _ambient(seen: Seen) -> Alphabet | None:
    subjects = tuple(key for key in (AMBIENT_BRIGHTNESS, AMBIENT_CUSTOM) if seen.value(key) is not None and seen.profile.may_write(key))

    def weigh(seen: Seen, tried: Sequence[Attempt]) -> list[Weighed | None]:
        last = tried[-1]
        stored = [one for one in lights.weigh_custom_stored(seen, tried) if one.attempt is last]
        single = (lights.weigh_brightness_locked, lights.weigh_brightness_free, lights.weigh_custom_only, lights.weigh_custom_settable)
        return [*(one(seen, last) for one in single), *stored]

    return _of_a_selector(seen, AMBIENT_ORDERS, selector=AMBIENT_COLOR, custom="CustomColor", subjects=subjects, weigh=weigh)


def _hood(seen: Seen) -> Alphabet | None:
    def weigh(seen: Seen, tried: Sequence[Attempt]) -> list[Weighed | None]:
        usable = lights.weigh_percent_usable(seen, tried[-1]) if seen.profile.interpretation.usable_means_settable else None
        return [usable, lights.weigh_percent_applies(seen, tried[-1])]

    subjects = (COLOR_PERCENT,) if seen.value(COLOR_PERCENT) is not None and seen.profile.may_write(COLOR_PERCENT) else ()
    return _of_a_selector(seen, HOOD_ORDERS, selector=COLOR_TEMPERATURE, custom="custom", subjects=subjects, weigh=weigh)


def _of_a_selector(  # noqa: PLR0913  what tells one selector from another
    seen: Seen,
    group: Group,
    *,
    selector: str,
    custom: str,
    subjects: tuple[str, ...],
    weigh: Callable[[Seen, Sequence[Attempt]], list[Weighed | None]],
) -> Alphabet | None:
    if not subjects or seen.value(selector) is None or not seen.profile.may_write(selector):
        return None

    def letters(seen: Seen, state: State) -> list[Letter]:
        values = allowed_values(seen, seen.catalog.entries[selector], state[selector])
        presets = [value for value in values if not str(value).endswith(f".{custom}")]
        chosen = [*presets[:_PRESETS], *(value for value in values if value not in presets)]
        found = [Letter(selector, value) for value in chosen if not same(value, state[selector].value)]
        return [*found, *(letter for key in subjects if (letter := _other_value(seen, key, state)))]

    return Alphabet(group, (selector, *subjects), letters, weigh)


def _cooling(seen: Seen) -> Alphabet | None:
    modes = tuple(key for key in _MODES if seen.value(key) is not None and seen.profile.may_write(key))
    setpoints = tuple(key for key in seen.tried if is_setpoint(key) and seen.value(key) is not None)
    written = next((key for key in reversed(setpoints) if seen.profile.may_write(key) and seen.appliance.is_writable(key)), None)

    def letters(seen: Seen, state: State) -> list[Letter]:
        found = [Letter(mode, state[mode].value is not True) for mode in modes]
        setpoint = _other_value(seen, written, state) if written else None
        return [*found, *([setpoint] if setpoint else [])]

    def weigh(seen: Seen, tried: Sequence[Attempt]) -> list[Weighed | None]:
        kept = [cooling.weigh_setpoints_kept(seen, tried[-1], mode) for mode in modes if mode in SUPER_MODES]
        freezer = [cooling.weigh_freezer_kept(seen, tried[-1], mode) for mode in modes if mode not in SUPER_MODES]
        return [*kept, *freezer]

    return Alphabet(COOLING_ORDERS, (*modes, *setpoints), letters, weigh) if modes and setpoints else None


def _other_value(seen: Seen, key: str, state: State) -> Letter | None:
    """A value of a subject that it does not have now: another text, or a number far enough away not to be taken for rounding."""
    entry, answer = seen.catalog.entries[key], state.get(key)
    if answer is None or not answer.has_value:
        return None
    if entry.type == "String":
        texts = [text for text in samples(seen.appliance, entry.key) if not same(text, answer.value)]
        return Letter(key, texts[0]) if texts else None
    found = bounds(entry, answer)
    if found is None or found[0] > found[1]:
        return None
    ends = [end for end in found if not same(end, answer.value)]
    far = max(ends, key=lambda end: abs(end - cast("float", answer.value)), default=None)
    return None if far is None else Letter(key, int(far) if far == int(far) else far)
