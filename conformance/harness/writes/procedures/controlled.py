"""What the procedures of a light have in common: its switch, its colour, and what the colour locks and frees.

What is locked is tried while the light is on and while it is off: the rules of the document ask for no light.
"""

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from typing import ClassVar

from pydantic import JsonValue

from catalog.keys import COLOR_PERCENT
from catalog.maker import with_maker
from conformance.checks.answer import Answer
from conformance.checks.view import View, with_reads
from conformance.harness.reads.gets import reread
from conformance.harness.steps import Part
from conformance.harness.writes.procedures.choices import plain
from conformance.harness.writes.procedures.model import Stage, WriteProcedure
from conformance.harness.writes.procedures.parts import (
    read_controllers,
    read_until,
    watch,
    write_until_read_back,
    write_until_shown,
)
from conformance.harness.writes.procedures.requests import write
from conformance.model.json_values import same
from conformance.model.state_table import LIGHT_STATES
from conformance.model.states import ExemptingState, may_write_now

TWO = 2
_PORTIONS = (0.5, 0.25, 0.75, 0.375, 1, 0)
"""The parts of a range that are tried, in this order."""


class Light(WriteProcedure):
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
        """Under the colour that is found, then the others."""
        known = yield from self._opened(stage.seen)
        if (yield from self._switched_on(stage.seen, known)):
            yield from self._under_colors(stage.seen, known)
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
        values = seen.values(self.selector, found).choices
        custom = self._custom(seen)
        others = [value for value in values if value != custom]
        return custom if custom in values else None, sorted(others, key=lambda one: one != found.value)

    def _watch_gone(self, seen: View, key: str, value: JsonValue) -> Part[Answer]:
        """Watches a value that must not come; one that came until it is gone or has stayed; the last read."""
        last = yield from watch(seen, key, self.group)
        if not same(last.value, value):
            return last
        return (yield from read_until(seen, key, self.group, lambda answer: not same(answer.value, value)))

    def _locked(self, seen: View, key: str, values: Sequence[JsonValue]) -> Part[bool]:
        """Writes what must have no effect; once more while the light is off, where it had none.

        Returns: whether nothing could be read then, so that it is to be read once it has been freed.
        """
        kept = yield from self._kept(seen, key, values)
        if kept is None:
            return False
        yield from self._in_the_dark(seen, key, self._kept(seen, key, values))
        return not kept.has_value

    def _kept(self, seen: View, key: str, values: Iterable[JsonValue]) -> Part[Answer | None]:
        """Writes a value and watches, another one where it had an effect; what was read of one without."""
        for value in values:
            yield write(seen, self.group, key, value)
            last = yield from self._watch_gone(seen, key, value)
            yield reread(seen, self.selector, self.group)
            if not same(last.value, value):
                return last
        return None

    def _in_the_dark(self, seen: View, key: str, tries: Part[object]) -> Part[None]:
        """Makes some tries of a key while the light is off, where the run may switch it off."""
        switch = self.keys[0]
        if seen.value(switch) is None or not seen.profile.may_write(switch):
            return
        entry = seen.catalog.entries[switch]
        if (yield from write_until_shown(seen, entry, value=False, group=self.group)):
            yield from self._read(seen, self.selector, key)
            yield from tries
        yield from write_until_shown(seen, entry, value=True, group=self.group)

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


def levels(seen: View, known: dict[str, Answer], key: str) -> Sequence[JsonValue]:
    """Two numbers of the range that its step reaches, neither the present one nor the one first read."""
    answer, entry = known[key], seen.catalog.entries[key]
    values = seen.values(key, answer)
    low, high = values.bounds or (0.0, 100.0)
    step = values.step or 1
    portions = (low + round((high - low) * part / step) * step for part in _PORTIONS)
    levels = dict.fromkeys(values.listed or portions)
    taken = (answer.value, seen.value(key))
    found = [level for level in levels if low <= level <= high and not any(same(level, one) for one in taken)]
    return [plain(entry, level) for level in found[:TWO]]
