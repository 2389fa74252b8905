"""The writes that show the rules of the lights: what can be set under which colour (lines 65, 66, 68, 70).

Each colour is chosen, what it locks is tried and what it frees is written. A key is written only after it was
read: under the colour it was found with, if nowhere else. What is locked is tried while the light is on and
while it is off: the rules of the document ask for no light.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import ClassVar

from msgspec import Struct
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
from catalog.loader import CATALOG
from catalog.maker import with_maker
from conformance.checks.groups import ProcedureKind, Purpose
from conformance.checks.view import View
from conformance.harness.steps import Ask, reread
from conformance.harness.writes.procedures.choices import other_samples, other_values
from conformance.harness.writes.procedures.scripts import Due, Played, Scripted, Step, Wait
from conformance.model.json_values import same
from conformance.model.state_table import LIGHT_STATES
from conformance.model.states import ExemptingState, may_write_now
from conformance.model.values import fits

_TEXTS = 2


class _Part(Struct, frozen=True):
    """What a clause needs: a key that is written under the custom colour, or under others.

    There it is `locked`, and the write of it in the state that frees it is `beside` that: a lock shows there.
    """

    key: str
    under_custom: bool
    locked: bool = False
    beside: Purpose | None = None


class Light(Scripted):
    """Writes a light whatever the light itself shows.

    Attributes:
        keys: its switch, the selector of its colour, and what can be set under one colour alone, or not.
        custom: that colour.
        parts: what its clauses need, in the order in which it is written under one colour.
    """

    turn = 2
    is_patient = True
    keys: ClassVar[tuple[str, ...]]
    custom: ClassVar[str]
    parts: ClassVar[Mapping[Purpose, _Part]]

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

    def may_begin(self, now: Played) -> bool:
        """Whether its switch, or the colour of one without, may be written."""
        probe = next((key for key in self.keys[:2] if now.known(key)), None)
        return probe is not None and may_write_now(now.now, probe)

    def script(self, now: Played) -> Iterator[Step]:
        """Under the colour that is found, then the others, of a light that is switched on if need be."""
        switch = self.keys[0]
        if now.known(switch) and now.value(switch) is not True:
            if not now.seen.profile.may_write(switch):
                return
            yield Step(switch, value=True)
            if now.value(switch) is not True:
                return
        yield from self.under_colors(now)

    def under_colors(self, now: Played) -> Iterator[Step]:
        """The first and the last of the other colours, and the custom one.

        What is locked is tried under each that locks it, what is free under one. Where a key cannot be read
        under a colour that locks it, it is tried when it was read under one that frees it. What it keeps is
        read there at last.
        """
        found = now.first(self.selector)
        choices = now.seen.values(self.selector, *([found] if found else ())).choices
        custom = with_maker(self.custom, now.seen.maker)
        others = [value for value in choices if value != custom]
        if custom not in choices or not others:
            return
        others.sort(key=lambda one: not now.shows(self.selector, one))
        ends = [*dict.fromkeys((others[0], others[-1]))]
        left, between = self._tries(custom, ends), others[1:-1]
        unshown = dict[str, tuple[bool, JsonValue]]()
        begun = [custom] if now.shows(self.selector, custom) else []
        for chosen in (*begun, *ends, custom, *ends, custom, *ends[:1]):
            if chosen == ends[-1]:
                yield from self.between(now, between)
                between = []
            is_custom = chosen == custom
            parts = [
                part for part, under in left if under == chosen and (now.known(part.key) or not part.locked)
            ]
            shown = {key: value for key, (under, value) in unshown.items() if under is is_custom}
            choosing = Step(self.selector, chosen, look=self.reads(now.seen, *self.keys[2:]))
            if not now.shows(self.selector, chosen) and (parts or shown):
                yield choosing
            if not now.shows(self.selector, chosen):
                continue
            for key in shown:
                del unshown[key]
            yield from self._came_once_freed(now, shown, ends[0] if is_custom else custom, choosing)
            for part in parts:
                if now.known(part.key) and now.shows(self.selector, chosen):
                    left.remove((part, chosen))
                    value = next(iter(values_of(now, part.key)), None)
                    yield from self._tried(now, part, in_the_dark=chosen in (custom, ends[0]))
                    if part.locked:
                        unshown[part.key] = not part.under_custom, value

    def _came_once_freed(
        self, now: Played, tried: Mapping[str, JsonValue], locking: JsonValue, choosing: Step
    ) -> Iterator[Step]:
        """Where a number came that was tried while it was locked, another one is tried under that colour.

        The first may be what comes with the colour that is chosen now. Of a text, one is enough.
        """
        for key, value in tried.items():
            if key == CUSTOM_COLOR or not now.shows(key, value):
                continue
            yield Step(self.selector, locking, wait=Wait.NONE, look=choosing.look)
            for another in values_of(now, key)[:1] if now.shows(self.selector, locking) else ():
                look = self.reads(now.seen, self.selector)
                yield Step(key, another, Due.NOTHING, Wait.QUIET, look=look)
            yield choosing

    def between(self, now: Played, others: Iterable[JsonValue]) -> Iterator[Step]:  # noqa: ARG002
        """What is tried under the colours between the first and the last: nothing."""
        yield from ()

    def _tries(self, custom: JsonValue, ends: Sequence[JsonValue]) -> list[tuple[_Part, JsonValue]]:
        """What its clauses need, each with a colour under which it is tried."""
        beside = {part.beside for one, part in self.parts.items() if one in self.purposes}
        needed = [part for one, part in self.parts.items() if one in self.purposes or one in beside]
        return [
            (part, chosen)
            for part in needed
            for chosen in ([custom] if part.under_custom else ends if part.locked else ends[:1])
        ]

    def reads(self, seen: View, *keys: str) -> tuple[Ask, ...]:
        """Reads of some of its keys, also of one that is hidden now."""
        return tuple(reread(seen, key, self.group) for key in keys if ("settings", key) in seen.reads)

    def _tried(self, now: Played, part: _Part, *, in_the_dark: bool) -> Iterator[Step]:
        """Writes what must have no effect, once more while the light is off, or what must have one.

        A text that has none may be in a format that the light does not take, and a second one is tried.
        """
        selector = self.reads(now.seen, self.selector)
        for value in values_of(now, part.key)[: 1 if part.locked else _TEXTS]:
            if part.locked:
                tried = Step(part.key, value, Due.NOTHING, Wait.QUIET, look=selector)
                yield tried
                if in_the_dark and not now.shows(part.key, value):
                    yield from self._in_the_dark(now, tried)
            else:
                yield Step(part.key, value, watch=selector)
                if now.shows(part.key, value):
                    return

    def _in_the_dark(self, now: Played, tried: Step) -> Iterator[Step]:
        """Makes a write while the light is off, where the run may switch it off."""
        switch, seen = self.keys[0], now.seen
        if seen.value(switch) is None or not seen.profile.may_write(switch):
            return
        yield Step(switch, value=False, wait=Wait.NONE, look=self.reads(seen, self.selector, tried.key))
        if now.value(switch) is False:
            yield tried
        yield Step(switch, value=True, wait=Wait.NONE)


class AmbientLight(Light):
    """Tries brightness and custom colour under CustomColor and under presets."""

    kind = ProcedureKind.AMBIENT
    keys = (AMBIENT_ENABLED, AMBIENT_COLOR, AMBIENT_BRIGHTNESS, CUSTOM_COLOR)
    custom = COLOR_CUSTOM
    parts: ClassVar[Mapping[Purpose, _Part]] = {
        Purpose.CUSTOM_COLOR_FREE: _Part(CUSTOM_COLOR, under_custom=True),
        Purpose.BRIGHTNESS_LOCKED: _Part(
            AMBIENT_BRIGHTNESS, under_custom=True, locked=True, beside=Purpose.BRIGHTNESS_FREE
        ),
        Purpose.BRIGHTNESS_FREE: _Part(AMBIENT_BRIGHTNESS, under_custom=False),
        Purpose.CUSTOM_COLOR_LOCKED: _Part(
            CUSTOM_COLOR, under_custom=False, locked=True, beside=Purpose.CUSTOM_COLOR_FREE
        ),
    }

    def is_served(self, seen: View) -> bool:
        """Whether there is a colour to choose."""
        return seen.value(AMBIENT_COLOR) is not None

    def may_begin(self, now: Played) -> bool:
        """Whether the colour was read, too."""
        return now.known(AMBIENT_COLOR) is not None and Light.may_begin(self, now)


class HoodLight(Light):
    """Tries the percentage under colour temperatures of its own and under custom (line 65)."""

    kind = ProcedureKind.HOOD
    keys = (LIGHTING, COLOR_TEMPERATURE, COLOR_PERCENT)
    custom = CUSTOM_LIGHT
    parts: ClassVar[Mapping[Purpose, _Part]] = {
        Purpose.PERCENT_LOCKED: _Part(
            COLOR_PERCENT, under_custom=False, locked=True, beside=Purpose.PERCENT_FREE
        ),
        Purpose.PERCENT_FREE: _Part(COLOR_PERCENT, under_custom=True),
    }

    def is_served(self, seen: View) -> bool:
        """Whether there is a percentage, or a colour temperature under which there may be one."""
        return seen.value(COLOR_PERCENT) is not None or seen.value(COLOR_TEMPERATURE) is not None

    def under_colors(self, now: Played) -> Iterator[Step]:
        """Under the temperatures, or of a light without any."""
        if now.known(COLOR_TEMPERATURE):
            yield from Light.under_colors(self, now)
        elif now.seen.value(COLOR_TEMPERATURE) is None and Purpose.PERCENT_FREE in self.purposes:
            for value in values_of(now, COLOR_PERCENT)[:1]:
                yield Step(COLOR_PERCENT, value)

    def between(self, now: Played, others: Iterable[JsonValue]) -> Iterator[Step]:
        """Tries the percentage once under each of the others, where it can be read there."""
        look = self.reads(now.seen, COLOR_TEMPERATURE)
        for chosen in others if Purpose.PERCENT_LOCKED in self.purposes else ():
            yield Step(COLOR_TEMPERATURE, chosen, wait=Wait.NONE, look=self.reads(now.seen, COLOR_PERCENT))
            if not now.shows(COLOR_TEMPERATURE, chosen) or now.value(COLOR_PERCENT) is None:
                return
            for value in values_of(now, COLOR_PERCENT)[:1]:
                yield Step(COLOR_PERCENT, value, Due.NOTHING, Wait.QUIET, look=look)


def values_of(now: Played, key: str) -> Sequence[JsonValue]:
    """What may be written to what a colour locks: numbers of its range, or declared texts.

    Neither the present one nor the one first read; none where that is of another type, which no write of a
    right one brings back.
    """
    seen, answer, entry = now.seen, now.known(key), CATALOG.entries[key]
    if answer is None or not fits(entry, answer.value):
        return ()
    if key == CUSTOM_COLOR:
        return other_samples(seen, entry, answer.value)
    others = other_values(seen, entry, answer)[::-1]  # the middle first: an end may be as good as off
    return [value for value in others if not same(value, seen.value(key))]
