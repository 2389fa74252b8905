"""The writes that show the rules of the lights: what can be set under which colour (lines 65, 66, 68, 70).

Each colour is chosen, what it locks is tried and what it frees is written; second values only where the first
ones tell against the target. A key is written only after it was read: under the colour it was found with, if
nowhere else.
"""

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from typing import ClassVar, cast

from pydantic import JsonValue

from catalog.keys import (
    AMBIENT_BRIGHTNESS,
    AMBIENT_COLOR,
    AMBIENT_ENABLED,
    COLOR_CUSTOM,
    COLOR_PERCENT,
    COLOR_TEMPERATURE,
    CUSTOM_COLOR,
    CUSTOM_LIGHT,
    LIGHTING,
)
from catalog.maker import with_maker
from conformance.checks.answer import Answer
from conformance.checks.groups import ProcedureKind
from conformance.checks.traces.trace import same
from conformance.checks.verdict import ExemptingState
from conformance.checks.view import View, with_reads
from conformance.harness.reads.gets import reread
from conformance.harness.steps import Part
from conformance.harness.writes.procedures.choices import allowed_values, bounds, samples
from conformance.harness.writes.procedures.model import Stage, WriteProcedure
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

_TWO = 2
_PARTS = {
    "AMB-BRIGHTNESS-LOCKED": ("custom", AMBIENT_BRIGHTNESS),
    "AMB-CUSTOM-SETTABLE": ("custom", CUSTOM_COLOR),
    "AMB-BRIGHTNESS-FREE": ("preset", AMBIENT_BRIGHTNESS),
    "AMB-CUSTOM-ONLY": ("preset", CUSTOM_COLOR),
}
"""Under which colour each clause of the ambient light is tried, and with which key."""


class _Light(WriteProcedure):
    """Writes a light whatever the light itself shows.

    Attributes:
        keys: its switch, the selector of its colour, and what can be set under one colour alone, or not.
        custom: that colour.
    """

    turn = 2
    keys: ClassVar[tuple[str, ...]]
    custom: ClassVar[str]

    @property
    def writes(self) -> tuple[str, ...]:
        """The settings of the light."""
        return self.keys

    @property
    def selector(self) -> str:
        """The setting that selects the colour."""
        return self.keys[1]

    def hindered_by(self, seen: View) -> tuple[ExemptingState, ...]:
        """What keeps it from being written but the light itself."""
        return tuple(state for state in self.touched_by(seen) if state.id not in LIGHT_STATES)

    def steps(self, stage: Stage) -> Part[bool]:
        """Under the colour that is found, then under the others."""
        seen = stage.seen
        known = yield from self._opened(seen)
        if (yield from self._switched_on(seen, known)):
            yield from self._under_colors(seen, known)
        return True

    @abstractmethod
    def _under_colors(self, seen: View, known: dict[str, Answer]) -> Part[None]:
        """The tries under each colour, of a light that is on and of which the values are `known`."""

    def _opened(self, seen: View) -> Part[dict[str, Answer]]:
        """The present values of its keys; empty where nothing may be written now."""
        served = [
            key for key in self.keys if key in seen.tried and seen.reads.get(("settings", key)) is not None
        ]
        shown = yield from read_controllers(seen, served, self.group)
        known = yield from self._read(seen, *served)
        probe = next((key for key in self.keys[:2] if key in known), None)
        now = with_reads(seen, [*shown, *known.values()])
        return known if probe and may_write_now(now, probe) else {}

    def _read(self, seen: View, *keys: str) -> Part[dict[str, Answer]]:
        found: dict[str, Answer] = {}
        for key in keys:
            if ("settings", key) in seen.reads:
                answer = yield reread(seen, key, self.group)
                if answer.has_value:
                    found[key] = answer
        return found

    def _switched_on(self, seen: View, known: dict[str, Answer]) -> Part[bool]:
        """Whether the light is on, if need be by switching it on; a light without a switch is."""
        switch = self.keys[0]
        if switch not in known:
            return bool(known)
        if known[switch].value is True:
            return True
        return seen.profile.may_write(switch) and (yield from self._taken(seen, switch, value=True))

    def _taken(self, seen: View, key: str, value: JsonValue) -> Part[bool]:
        """Whether a written value reads back and stays."""
        return (yield from write_until_read_back(seen, seen.catalog.entries[key], value, self.group))

    def _custom(self, seen: View) -> JsonValue:
        return with_maker(self.custom, seen.maker)

    def _choice(self, seen: View, found: Answer) -> tuple[JsonValue, list[JsonValue]]:
        """The custom colour, and the others that the appliance can take, the present one first."""
        values = allowed_values(seen, seen.catalog.entries[self.selector], found)
        custom = self._custom(seen)
        others = [value for value in values if value != custom]
        return custom if custom in values else None, sorted(others, key=lambda one: one != found.value)

    def _watch_gone(self, seen: View, key: str, value: JsonValue) -> Part[Answer]:
        """Watches a value that must not come; one that came until it is gone or has stayed; the last read."""
        last = yield from watch(seen, key, self.group)
        if not same(last.value, value):
            return last
        return (yield from read_until(seen, key, self.group, lambda answer: not same(answer.value, value)))

    def _locked(self, seen: View, key: str, values: Iterable[JsonValue]) -> Part[None]:
        """Writes what must have no effect, and watches; a second value where the first had one."""
        for value in values:
            yield write(seen, self.group, key, value)
            last = yield from self._watch_gone(seen, key, value)
            yield reread(seen, self.selector, self.group)
            if not same(last.value, value):
                return

    def _allowed(self, seen: View, key: str, values: Iterable[JsonValue]) -> Part[None]:
        """Writes what must have an effect; a second value where the first had none, or moved the selector."""
        for value in values:
            took = yield from self._taken(seen, key, value)
            if seen.value(self.selector) is None:
                if took:
                    return
                continue
            now = yield reread(seen, self.selector, self.group)
            moved = key == COLOR_PERCENT and now.has_value and now.value != self._custom(seen)
            if took and not moved:
                return
            if moved:
                yield from self._taken(seen, self.selector, self._custom(seen))


class AmbientLight(_Light):
    """Tries brightness and custom colour under CustomColor and under a preset."""

    kind = ProcedureKind.AMBIENT
    keys = (AMBIENT_ENABLED, AMBIENT_COLOR, AMBIENT_BRIGHTNESS, CUSTOM_COLOR)
    custom = COLOR_CUSTOM

    def is_served(self, seen: View) -> bool:
        """Whether there is a colour to choose."""
        return seen.value(AMBIENT_COLOR) is not None

    def _opened(self, seen: View) -> Part[dict[str, Answer]]:
        known = yield from super()._opened(seen)
        return known if AMBIENT_COLOR in known else {}

    def _under_colors(self, seen: View, known: dict[str, Answer]) -> Part[None]:
        custom, presets = self._choice(seen, known[AMBIENT_COLOR])
        if custom is None or not presets:
            return
        preset = presets[0]
        here = cast("JsonValue", known[AMBIENT_COLOR].value)
        left = set(_PARTS) & self.clauses
        # Where a key cannot be read under the colour that was found, its turn comes when it has been read
        # under the other.
        for turn, chosen in enumerate(
            (here, *((preset, custom) if same(here, custom) else (custom, preset)))
        ):
            if not same(here, chosen) and not (
                left and (yield from self._taken(seen, AMBIENT_COLOR, chosen))
            ):
                break
            # also where the colour is chosen already: what is tried must differ from what the last turn left
            if turn:
                known |= yield from self._read(seen, AMBIENT_BRIGHTNESS, CUSTOM_COLOR)
            for clause in sorted(left, key=list(_PARTS).index):
                under, key = _PARTS[clause]
                if same(chosen, custom) is (under == "custom") and key in known:
                    left.discard(clause)
                    yield from self._tried(seen, known, clause, presets)
            here = cast("JsonValue", (yield reread(seen, AMBIENT_COLOR, self.group)).value)
        yield from end_writing(seen, self.group)

    def _tried(
        self, seen: View, known: dict[str, Answer], clause: str, presets: Sequence[JsonValue]
    ) -> Part[None]:
        """What one clause needs under the colour that has been chosen: CustomColor, or the first preset."""
        key = _PARTS[clause][1]
        values = _texts(seen, known) if key == CUSTOM_COLOR else _levels(seen, known, key)
        if clause == "AMB-BRIGHTNESS-LOCKED":
            yield from self._locked(seen, key, values)
        elif clause == "AMB-CUSTOM-ONLY":
            yield from self._custom_under_presets(seen, values, presets)
        else:
            yield from self._allowed(seen, key, values)

    def _custom_under_presets(
        self, seen: View, texts: Iterable[JsonValue], presets: Sequence[JsonValue]
    ) -> Part[None]:
        """Tries the custom colour under the first and the last preset, then whether CustomColor shows it."""
        for attempt, text in enumerate(texts):
            if attempt and not (yield from self._taken(seen, AMBIENT_COLOR, presets[0])):
                return
            if not (yield from self._keeps(seen, presets[0], text)):
                return
            for last in presets[1:][-1:]:
                is_chosen = yield from self._taken(seen, AMBIENT_COLOR, last)
                if is_chosen and not (yield from self._keeps(seen, last, text)):
                    return
            if not (yield from self._taken(seen, AMBIENT_COLOR, self._custom(seen))):
                return
            shown = yield reread(seen, CUSTOM_COLOR, self.group)
            if not same(shown.value, text):
                return

    def _keeps(self, seen: View, preset: JsonValue, text: JsonValue) -> Part[bool]:
        """Writes a custom colour under a preset; whether the preset stays."""
        yield write(seen, self.group, CUSTOM_COLOR, text)
        yield from self._watch_gone(seen, CUSTOM_COLOR, text)
        now = yield reread(seen, AMBIENT_COLOR, self.group)
        return same(now.value, preset)


class HoodLight(_Light):
    """Tries the percentage under a colour temperature of its own and under custom (line 65)."""

    kind = ProcedureKind.HOOD
    keys = (LIGHTING, COLOR_TEMPERATURE, COLOR_PERCENT)
    custom = CUSTOM_LIGHT

    def is_served(self, seen: View) -> bool:
        """Whether there is a percentage, or a colour temperature under which there may be one."""
        return seen.value(COLOR_PERCENT) is not None or seen.value(COLOR_TEMPERATURE) is not None

    def _under_colors(self, seen: View, known: dict[str, Answer]) -> Part[None]:
        temperature = known.get(COLOR_TEMPERATURE)
        is_free = temperature is None and seen.value(COLOR_TEMPERATURE) is None and COLOR_PERCENT in known
        if temperature is not None:
            yield from self._under_temperatures(seen, known, temperature)
        elif is_free and "HOOD-PERCENT-APPLIES" in self.clauses:
            yield from self._allowed(seen, COLOR_PERCENT, _levels(seen, known, COLOR_PERCENT))
        yield from end_writing(seen, self.group)

    def _under_temperatures(self, seen: View, known: dict[str, Answer], found: Answer) -> Part[None]:
        """Custom, and the first and the last of the others, which come once it was read under custom."""
        custom, others = self._choice(seen, found)
        if custom is None:
            return
        here = cast("JsonValue", found.value)
        ends = others[:1] + others[1:][-1:]
        wanted: dict[str, list[JsonValue]] = {"HOOD-PERCENT-USABLE": ends, "HOOD-PERCENT-APPLIES": [custom]}
        left: list[JsonValue] = [
            value for clause, values in wanted.items() if clause in self.clauses for value in values
        ]
        for chosen in (here, custom, *(each for end in ends for each in (end, custom))):
            if not left:
                return
            if chosen not in left and COLOR_PERCENT in known and chosen != custom:
                continue
            if not same(here, chosen):
                if not (yield from self._taken(seen, COLOR_TEMPERATURE, chosen)):
                    if chosen == custom:
                        return
                    left = [one for one in left if one != chosen]
                    continue
                known |= yield from self._read(seen, COLOR_PERCENT)
            here = chosen
            if chosen in left and COLOR_PERCENT in known:
                left.remove(chosen)
                tried = self._allowed if same(here, custom) else self._locked
                yield from tried(seen, COLOR_PERCENT, _levels(seen, known, COLOR_PERCENT))


def _levels(seen: View, known: dict[str, Answer], key: str) -> Sequence[JsonValue]:
    """Two numbers within the range, neither the present one nor the one first read."""
    answer = known[key]
    low, high = bounds(seen.catalog.entries[key], answer) or (0.0, 100.0)
    steps = [round(low + (high - low) * part) for part in (0.5, 0.25, 0.75, 0.375)]
    taken = (answer.value, seen.value(key))
    return [step for step in steps if low <= step <= high and not any(same(step, one) for one in taken)][
        :_TWO
    ]


def _texts(seen: View, known: dict[str, Answer]) -> Sequence[JsonValue]:
    present = known[CUSTOM_COLOR].value if CUSTOM_COLOR in known else None
    return [text for text in samples(seen.appliance, CUSTOM_COLOR) if not same(text, present)][:_TWO]
