"""The writes that show the rules of the lights: what can be set under which colour (lines 65, 66, 68, 70).

Each colour is chosen, what it locks is tried and what it frees is written; second values only where the first
ones tell against the target. A key is written only after it was read: under the colour it was found with, if
nowhere else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from catalog.keys import (
    AMBIENT_BRIGHTNESS,
    AMBIENT_COLOR,
    AMBIENT_ENABLED,
    COLOR_PERCENT,
    COLOR_TEMPERATURE,
    CUSTOM_COLOR,
    LIGHTING,
)
from catalog.maker import with_maker
from conformance.checks.groups import AMBIENT, HOOD, ProcedureKind
from conformance.checks.traces.trace import same
from conformance.checks.view import on_the_wire, with_reads
from conformance.harness.reads.gets import reread
from conformance.harness.writes.procedures.choices import allowed_values, bounds, samples
from conformance.harness.writes.procedures.model import WriteProcedure
from conformance.harness.writes.procedures.parts import (
    LIGHT_STATES,
    end_writing,
    may_write_now,
    read_controllers,
    read_until,
    watch,
    write_until_read_back,
)
from conformance.harness.writes.procedures.requests import write

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from pydantic import JsonValue

    from conformance.checks.answer import Answer
    from conformance.checks.exempting import ExemptingState
    from conformance.checks.groups import Group
    from conformance.checks.view import View
    from conformance.harness.steps import Part
    from conformance.harness.writes.procedures.model import Stage

AMBIENT_KEYS = (AMBIENT_ENABLED, AMBIENT_COLOR, AMBIENT_BRIGHTNESS, CUSTOM_COLOR)
HOOD_KEYS = (LIGHTING, COLOR_TEMPERATURE, COLOR_PERCENT)
_TWO = 2
_PARTS = {
    "AMB-BRIGHTNESS-LOCKED": ("custom", AMBIENT_BRIGHTNESS),
    "AMB-CUSTOM-SETTABLE": ("custom", CUSTOM_COLOR),
    "AMB-BRIGHTNESS-FREE": ("preset", AMBIENT_BRIGHTNESS),
    "AMB-CUSTOM-ONLY": ("preset", CUSTOM_COLOR),
}
"""Under which colour each clause of the ambient light is tried, and with which key."""


class _Light(WriteProcedure):
    """Writes a light whatever the light itself shows."""

    turn = 2

    def hindered_by(self, seen: View) -> tuple[ExemptingState, ...]:
        """What keeps it from being written but the light itself."""
        return tuple(state for state in self.touched_by(seen) if state.id not in LIGHT_STATES)


class AmbientLight(_Light):
    """Tries brightness and custom colour under CustomColor and under a preset."""

    kind = ProcedureKind.AMBIENT

    @property
    def writes(self) -> tuple[str, ...]:
        """The settings of the ambient light."""
        return AMBIENT_KEYS

    def is_served(self, seen: View) -> bool:
        """Whether there is a colour to choose."""
        return seen.value(AMBIENT_COLOR) is not None

    def steps(self, stage: Stage) -> Part[bool]:
        """Under the colour that is found, then under the others."""
        yield from _ambient_light(stage.seen, self.clauses)
        return True


class HoodLight(_Light):
    """Tries the percentage under a colour temperature of its own and under custom (line 65)."""

    kind = ProcedureKind.HOOD

    @property
    def writes(self) -> tuple[str, ...]:
        """The settings of the light of a hood."""
        return HOOD_KEYS

    def is_served(self, seen: View) -> bool:
        """Whether there is a percentage, or a colour temperature under which there may be one."""
        return seen.value(COLOR_PERCENT) is not None or seen.value(COLOR_TEMPERATURE) is not None

    def steps(self, stage: Stage) -> Part[bool]:
        """Under the temperature that is found, then under the others."""
        yield from _hood_light(stage.seen, self.clauses)
        return True


def _ambient_light(seen: View, clauses: Collection[str]) -> Part[None]:
    known = yield from _opened(seen, AMBIENT_KEYS, AMBIENT)
    color = known.get(AMBIENT_COLOR)
    if color is None or not (yield from _switched_on(seen, known, AMBIENT_ENABLED, AMBIENT)):
        return
    custom, preset = _choice(seen, color, "CustomColor")
    if custom is None or preset is None:
        return
    here = cast("JsonValue", color.value)
    left = set(_PARTS) & set(clauses)
    # Where a key cannot be read under the colour that was found, its turn comes when it has been read under
    # the other.
    for turn, chosen in enumerate(
        (here, preset if same(here, custom) else custom, custom if same(here, custom) else preset)
    ):
        if not same(here, chosen) and not (
            left
            and (yield from write_until_read_back(seen, seen.catalog.entries[AMBIENT_COLOR], chosen, AMBIENT))
        ):
            break
        # also where the colour is chosen already: what is tried must differ from what the last turn left
        if turn:
            known |= yield from _read(seen, (AMBIENT_BRIGHTNESS, CUSTOM_COLOR), AMBIENT)
        for clause in sorted(left, key=list(_PARTS).index):
            under, key = _PARTS[clause]
            if same(chosen, custom) is (under == "custom") and key in known:
                left.discard(clause)
                yield from _part(seen, known, clause, custom, chosen)
        here = cast("JsonValue", (yield reread(seen, AMBIENT_COLOR, AMBIENT)).value)
    yield from end_writing(seen, AMBIENT)


def _hood_light(seen: View, clauses: Collection[str]) -> Part[None]:
    known = yield from _opened(seen, HOOD_KEYS, HOOD)
    if not (yield from _switched_on(seen, known, LIGHTING, HOOD)):
        return
    temperature = known.get(COLOR_TEMPERATURE)
    if temperature is not None:
        yield from _percent_under_temperatures(seen, known, clauses, temperature)
    elif (
        COLOR_PERCENT in known and seen.value(COLOR_TEMPERATURE) is None and "HOOD-PERCENT-APPLIES" in clauses
    ):
        yield from _allowed(seen, COLOR_PERCENT, _levels(seen, known, COLOR_PERCENT), HOOD, COLOR_TEMPERATURE)
    yield from end_writing(seen, HOOD)


def _percent_under_temperatures(
    seen: View, known: dict[str, Answer], clauses: Collection[str], found: Answer
) -> Part[None]:
    custom, other = _choice(seen, found, "custom")
    if custom is None:
        return
    here = cast("JsonValue", found.value)
    left = {"HOOD-PERCENT-APPLIES", "HOOD-PERCENT-USABLE"} & set(clauses)
    for chosen in (here, other if same(here, custom) else custom, custom if same(here, custom) else other):
        if chosen is None or not left:
            return
        if not same(here, chosen):
            if not (
                yield from write_until_read_back(seen, seen.catalog.entries[COLOR_TEMPERATURE], chosen, HOOD)
            ):
                return
            known |= yield from _read(seen, (COLOR_PERCENT,), HOOD)
        here = chosen
        clause = "HOOD-PERCENT-APPLIES" if same(here, custom) else "HOOD-PERCENT-USABLE"
        if clause in left and COLOR_PERCENT in known:
            left.discard(clause)
            tried = _allowed if same(here, custom) else _locked
            yield from tried(
                seen, COLOR_PERCENT, _levels(seen, known, COLOR_PERCENT), HOOD, COLOR_TEMPERATURE
            )


def _part(
    seen: View, known: dict[str, Answer], clause: str, custom: JsonValue, here: JsonValue
) -> Part[None]:
    """What one clause needs under the colour that has been chosen."""
    key = _PARTS[clause][1]
    values = _texts(seen, known) if key == CUSTOM_COLOR else _levels(seen, known, key)
    if clause == "AMB-BRIGHTNESS-LOCKED":
        yield from _locked(seen, key, values, AMBIENT, AMBIENT_COLOR)
    elif clause == "AMB-CUSTOM-ONLY":
        yield from _custom_under_preset(seen, values, custom, here)
    else:
        yield from _allowed(seen, key, values, AMBIENT, AMBIENT_COLOR)


def _custom_under_preset(
    seen: View, texts: Iterable[JsonValue], custom: JsonValue, preset: JsonValue
) -> Part[None]:
    """Tries the custom colour under a preset, then looks whether it comes up under CustomColor."""
    color = seen.catalog.entries[AMBIENT_COLOR]
    for attempt, text in enumerate(texts):
        if attempt and not (yield from write_until_read_back(seen, color, preset, AMBIENT)):
            return
        yield write(seen, AMBIENT, CUSTOM_COLOR, text)
        yield from _watch_gone(seen, CUSTOM_COLOR, AMBIENT, text)
        now = yield reread(seen, AMBIENT_COLOR, AMBIENT)
        if not same(now.value, preset) or not (
            yield from write_until_read_back(seen, color, custom, AMBIENT)
        ):
            return
        shown = yield reread(seen, CUSTOM_COLOR, AMBIENT)
        if not same(shown.value, text):
            return


def _watch_gone(seen: View, key: str, group: Group, value: JsonValue) -> Part[Answer]:
    """Watches a value that must not come; one that came until it is gone or has stayed; the last read."""
    last = yield from watch(seen, key, group)
    if not same(last.value, value):
        return last
    return (yield from read_until(seen, key, group, lambda answer: not same(answer.value, value)))


def _locked(seen: View, key: str, values: Iterable[JsonValue], group: Group, selector: str) -> Part[None]:
    """Writes what must have no effect, and watches; a second value where the first had one."""
    for value in values:
        yield write(seen, group, key, value)
        last = yield from _watch_gone(seen, key, group, value)
        yield reread(seen, selector, group)
        if not same(last.value, value):
            return


def _allowed(seen: View, key: str, values: Iterable[JsonValue], group: Group, selector: str) -> Part[None]:
    """Writes what must have an effect; a second value where the first one had none, or moved the selector."""
    for value in values:
        took = yield from write_until_read_back(seen, seen.catalog.entries[key], value, group)
        if seen.value(selector) is None:
            if took:
                return
            continue
        now = yield reread(seen, selector, group)
        moved = key == COLOR_PERCENT and now.has_value and not _is_custom(seen, now.value)
        if took and not moved:
            return
        if moved:
            yield from write_until_read_back(
                seen, seen.catalog.entries[selector], _custom_of(seen, selector), group
            )


def _opened(seen: View, keys: tuple[str, ...], group: Group) -> Part[dict[str, Answer]]:
    """The present values of some keys; empty where nothing may be written now."""
    served = [key for key in keys if key in seen.tried and seen.reads.get(("settings", key)) is not None]
    shown = yield from read_controllers(seen, served, group)
    known = yield from _read(seen, tuple(served), group)
    probe = next((key for key in (keys[0], keys[1]) if key in known), None)
    now = with_reads(seen, [*shown, *known.values()])
    return known if probe and may_write_now(now, probe) else {}


def _read(seen: View, keys: tuple[str, ...], group: Group) -> Part[dict[str, Answer]]:
    found: dict[str, Answer] = {}
    for key in keys:
        if ("settings", key) in seen.reads:
            answer = yield reread(seen, key, group)
            if answer.has_value:
                found[key] = answer
    return found


def _switched_on(seen: View, known: dict[str, Answer], switch: str, group: Group) -> Part[bool]:
    """Whether the light is on, if need be by switching it on; a light without a switch is."""
    if switch not in known:
        return bool(known)
    if known[switch].value is True:
        return True
    if not seen.profile.may_write(switch):
        return False
    return (yield from write_until_read_back(seen, seen.catalog.entries[switch], value=True, group=group))


def _choice(seen: View, selector: Answer, name: str) -> tuple[JsonValue, JsonValue]:
    """The value called `name`, and another one that the appliance can take, the present one if possible."""
    values = allowed_values(seen, seen.catalog.entries[selector.exchange.key], selector)
    custom = next((value for value in values if str(value).endswith(f".{name}")), None)
    others = [value for value in values if value != custom]
    present = next((value for value in others if same(value, selector.value)), None)
    return custom, present if present is not None else next(iter(others), None)


def _levels(seen: View, known: dict[str, Answer], key: str) -> list[JsonValue]:
    """Two numbers within the range, neither the present one nor the one first read."""
    answer = known[key]
    found = bounds(seen.catalog.entries[key], answer) or (0.0, 100.0)
    span = found[1] - found[0]
    steps: list[JsonValue] = [round(found[0] + span * part) for part in (0.5, 0.25, 0.75, 0.375)]
    inside = [value for value in steps if found[0] <= cast("float", value) <= found[1]]
    return [value for value in inside if not same(value, answer.value) and not same(value, seen.value(key))][
        :_TWO
    ]


def _texts(seen: View, known: dict[str, Answer]) -> list[JsonValue]:
    present = known[CUSTOM_COLOR].value if CUSTOM_COLOR in known else None
    texts: list[JsonValue] = [
        text for text in samples(seen.appliance, CUSTOM_COLOR) if not same(text, present)
    ]
    return texts[:_TWO]


def _custom_of(seen: View, selector: str) -> JsonValue:
    values = seen.catalog.entries[selector].values or ()
    value = next(value for value in values if value.casefold().endswith(("custom", "customcolor")))
    return with_maker(value, seen.maker)


def _is_custom(seen: View, value: object) -> bool:
    values = tuple(
        one for one in seen.catalog.entries[COLOR_TEMPERATURE].values or () if one.endswith(".custom")
    )
    return value in on_the_wire(values, seen.maker)
