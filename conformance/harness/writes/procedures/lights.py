"""The writes that show the rules of the lights: what can be set under which colour (lines 65, 66, 68, 70).

Each colour is chosen, what it locks is tried and what it frees is written; second values only where the first
ones tell against the target. A key is written only after it was read: under the colour it was found with, if
nowhere else.
"""

from collections.abc import Iterable, Sequence
from typing import cast

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
from conformance.checks.answer import Answer
from conformance.checks.groups import ProcedureKind, Purpose
from conformance.checks.view import View
from conformance.harness.reads.gets import reread
from conformance.harness.steps import Part
from conformance.harness.writes.procedures.choices import other_samples
from conformance.harness.writes.procedures.controlled import TWO, Light, levels
from conformance.harness.writes.procedures.parts import end_writing, write_until_shown
from conformance.harness.writes.procedures.requests import write
from conformance.model.json_values import same
from conformance.model.values import alike

_PARTS = {
    Purpose.CUSTOM_COLOR_FREE: ("custom", CUSTOM_COLOR),
    Purpose.BRIGHTNESS_LOCKED: ("custom", AMBIENT_BRIGHTNESS),
    Purpose.BRIGHTNESS_FREE: ("preset", AMBIENT_BRIGHTNESS),
    Purpose.CUSTOM_COLOR_LOCKED: ("preset", CUSTOM_COLOR),
}
"""Under which colour each purpose of the ambient light is tried, and with which key."""
_FREED = {
    Purpose.BRIGHTNESS_LOCKED: Purpose.BRIGHTNESS_FREE,
    Purpose.CUSTOM_COLOR_LOCKED: Purpose.CUSTOM_COLOR_FREE,
    Purpose.PERCENT_LOCKED: Purpose.PERCENT_FREE,
}
"""The write of what is found locked, in the state that frees it: a lock shows beside that."""


class AmbientLight(Light):
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
        left, is_unseen = set(_PARTS) & _with_freed(self.purposes), False
        # Where a key cannot be read under the colour that was found, its turn comes when it has been read
        # under the other.
        turns = (here, *((preset, custom) if same(here, custom) else (custom, preset)), preset)
        for turn, chosen in enumerate(turns):
            is_needed = is_unseen or (left and turn < len(turns) - 1)
            if not same(here, chosen) and not (
                is_needed and (yield from self._taken(seen, AMBIENT_COLOR, chosen))
            ):
                break
            # also where the colour is chosen already: what is tried must differ from what the last turn left,
            # and what could not be read under its lock is read now
            if turn:
                known |= yield from self._read(seen, AMBIENT_BRIGHTNESS, CUSTOM_COLOR)
            for purpose in sorted(left, key=list(_PARTS).index):
                under, key = _PARTS[purpose]
                if same(chosen, custom) is (under == "custom") and key in known:
                    left.discard(purpose)
                    is_unseen = yield from self._tried(seen, known, purpose, presets)
            here = cast("JsonValue", (yield reread(seen, AMBIENT_COLOR, self.group)).value)
        yield from end_writing(seen, self.group)

    def _tried(
        self, seen: View, known: dict[str, Answer], purpose: Purpose, presets: Sequence[JsonValue]
    ) -> Part[bool]:
        """What one purpose needs under the colour that has been chosen: CustomColor, or the first preset.

        Returns: as `_locked`.
        """
        key = _PARTS[purpose][1]
        values = _texts(seen, known) if key == CUSTOM_COLOR else levels(seen, known, key)
        if purpose is Purpose.BRIGHTNESS_LOCKED:
            return (yield from self._locked(seen, key, values))
        if purpose is Purpose.CUSTOM_COLOR_LOCKED:
            yield from self._custom_under_presets(seen, values, presets)
        else:
            yield from self._allowed(seen, key, values)
            known |= yield from self._read(seen, key)
        return False

    def _custom_under_presets(
        self, seen: View, texts: Iterable[JsonValue], presets: Sequence[JsonValue]
    ) -> Part[None]:
        """Tries the custom colour under the first and the last preset, then whether CustomColor shows it.

        Under the first also while the light is off: what is written last needs the fewest writes to be shown.
        """
        for attempt, text in enumerate(texts):
            if attempt and not (yield from self._taken(seen, AMBIENT_COLOR, presets[0])):
                return
            if not (yield from self._keeps(seen, presets[0], text)):
                return
            yield from self._in_the_dark(seen, CUSTOM_COLOR, self._keeps(seen, presets[0], text))
            for last in presets[1:][-1:]:  # what it locks is known; that it stays is read after the try
                color = seen.catalog.entries[AMBIENT_COLOR]
                is_chosen = yield from write_until_shown(seen, color, last, self.group)
                if is_chosen and not (yield from self._keeps(seen, last, text)):
                    return
            if not (yield from self._taken(seen, AMBIENT_COLOR, self._custom(seen))):
                return
            shown = yield reread(seen, CUSTOM_COLOR, self.group)
            if not alike(seen.catalog.entries[CUSTOM_COLOR], shown.value, text):
                return

    def _keeps(self, seen: View, preset: JsonValue, text: JsonValue) -> Part[bool]:
        """Writes a custom colour under a preset; whether the preset stays."""
        yield write(seen, self.group, CUSTOM_COLOR, text)
        yield from self._watch_gone(seen, CUSTOM_COLOR, text)
        now = yield reread(seen, AMBIENT_COLOR, self.group)
        return same(now.value, preset)


class HoodLight(Light):
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
        elif is_free and Purpose.PERCENT_FREE in self.purposes:
            yield from self._allowed(seen, COLOR_PERCENT, levels(seen, known, COLOR_PERCENT))
        yield from end_writing(seen, self.group)

    def _under_temperatures(self, seen: View, known: dict[str, Answer], found: Answer) -> Part[None]:
        """Custom, and the first and the last of the others, which come once it was read under custom.

        Those between them are tried once, where the percentage can be read under them.
        """
        custom, others = self._choice(seen, found)
        if custom is None:
            return
        if (yield from self._under_ends(seen, known, found, custom, others)):
            yield from self._between(seen, known, others[1:-1])

    def _between(self, seen: View, known: dict[str, Answer], others: Iterable[JsonValue]) -> Part[None]:
        """Tries the percentage under temperatures of which the first and the last have kept it out."""
        temperature = seen.catalog.entries[COLOR_TEMPERATURE]
        for chosen in others:
            if not (yield from write_until_shown(seen, temperature, chosen, self.group)):
                return
            known |= yield from self._read(seen, COLOR_PERCENT)
            yield from self._kept(seen, COLOR_PERCENT, levels(seen, known, COLOR_PERCENT))

    def _under_ends(
        self,
        seen: View,
        known: dict[str, Answer],
        found: Answer,
        custom: JsonValue,
        others: list[JsonValue],
    ) -> Part[bool]:
        """Whether the percentage was tried under the first and the last of the others, and could be read."""
        here = cast("JsonValue", found.value)
        ends = others[:1] + others[1:][-1:]
        wanted: dict[Purpose, list[JsonValue]] = {
            Purpose.PERCENT_LOCKED: ends,
            Purpose.PERCENT_FREE: [custom],
        }
        needed = _with_freed(self.purposes)
        left: list[JsonValue] = [
            value for purpose, values in wanted.items() if purpose in needed for value in values
        ]
        is_unseen = was_seen = False
        for chosen in (here, custom, *(each for end in ends for each in (end, custom))):
            if not left and not is_unseen:
                break
            if chosen not in left and COLOR_PERCENT in known and chosen != custom:
                continue
            if not same(here, chosen):
                if not (yield from self._taken(seen, COLOR_TEMPERATURE, chosen)):
                    if chosen == custom:
                        return False
                    left = [one for one in left if one != chosen]
                    continue
                known |= yield from self._read(seen, COLOR_PERCENT)
                is_unseen = False
            here = chosen
            if chosen in left and COLOR_PERCENT in known:
                left.remove(chosen)
                values = levels(seen, known, COLOR_PERCENT)
                if same(here, custom):
                    yield from self._allowed(seen, COLOR_PERCENT, values)
                    known |= yield from self._read(seen, COLOR_PERCENT)
                else:
                    is_unseen = yield from self._locked(seen, COLOR_PERCENT, values)
                    was_seen = not is_unseen
                here = cast("JsonValue", (yield reread(seen, COLOR_TEMPERATURE, self.group)).value)
        return was_seen


def _with_freed(purposes: frozenset[Purpose]) -> frozenset[Purpose]:
    """Some purposes, with the writes of what they find locked."""
    return purposes | {_FREED[purpose] for purpose in purposes & _FREED.keys()}


def _texts(seen: View, known: dict[str, Answer]) -> Sequence[JsonValue]:
    present = known[CUSTOM_COLOR].value if CUSTOM_COLOR in known else None
    return other_samples(seen, seen.catalog.entries[CUSTOM_COLOR], present)[:TWO]
