"""Writes of allowed values to one setting, which must take effect and move nothing else."""

from collections.abc import Iterable
from typing import cast

from pydantic import JsonValue

from catalog.keys import TEMPERATURE_UNIT
from catalog.model import Catalog, Entry
from conformance.checks.answer import Answer
from conformance.checks.groups import ProcedureKind
from conformance.checks.reads.ranges import outside_own_range
from conformance.checks.reads.states import SWITCHES, is_setpoint
from conformance.checks.reads.units import contradicts_unit_setting
from conformance.checks.traces.evaluating import TIMES
from conformance.checks.traces.neighbours import are_numbered
from conformance.checks.traces.trace import same
from conformance.checks.view import View, with_reads
from conformance.harness.reads.gets import reread
from conformance.harness.steps import Ask, Part, Pause
from conformance.harness.writes.procedures import choices
from conformance.harness.writes.procedures.model import Stage, WriteProcedure
from conformance.harness.writes.procedures.parts import (
    alike,
    ask_all,
    begin_writing,
    could_be_written,
    end_writing,
    may_be_written,
    write_until_read_back,
)


class SettingWrites(WriteProcedure):
    """Writes allowed values of a setting, then the old one, and reads its neighbours after each."""

    kind = ProcedureKind.SET
    turn = 3
    is_shareable = is_followed = True

    def watches(self, catalog: Catalog) -> set[str]:
        """What may lock it, and the keys beside it."""
        own = catalog.entries[self.group.subject]
        beside = {
            entry.key
            for entry in catalog.settings
            if entry.type == "Boolean" or entry.line == own.line or are_numbered(entry.key, own.key)
        }
        setpoints = {key for key in catalog.entries if is_setpoint(key) and own.key == TEMPERATURE_UNIT}
        return WriteProcedure.watches(self, catalog) | beside | setpoints

    def looks_at(self, seen: View) -> set[str]:
        """Its neighbours, too, where they are watched, and what follows a unit."""
        return WriteProcedure.looks_at(self, seen).union(
            self.neighbours(seen), self._setpoints(seen) if self.group.subject == TEMPERATURE_UNIT else ()
        )

    def steps(self, stage: Stage) -> Part[bool]:
        """Each value in turn, read back and confirmed; again where a neighbour moved."""
        seen, group, entry = stage.seen, self.group, stage.seen.catalog.entries[self.group.subject]
        before = yield from begin_writing(seen, entry.key, group)
        if before is None:
            return not (stage.is_shared and could_be_written(seen, entry))
        watched = self._watched(seen, entry)
        first = yield from ask_all(watched)
        values, moved = self._values(stage, entry, before), False
        for value in values:
            took = yield from write_until_read_back(seen, entry, value, group, once=stage.is_shared)
            shown = yield from ask_all(watched)
            stayed = alike(first, shown) or entry.key == TEMPERATURE_UNIT
            if stage.is_shared and not (took and stayed):
                return False
            yield from self._look_at_controlled(seen)
            yield from self._look_at_units(seen, shown)
            if not stayed:
                moved = True
                for again in (before.value, value):
                    yield from write_until_read_back(seen, entry, cast("JsonValue", again), group)
                    yield from ask_all(watched)
        found = cast("JsonValue", before.value)
        took = yield from write_until_read_back(seen, entry, found, group, once=stage.is_shared, is_last=True)
        stayed = alike(first, (yield from ask_all(watched))) or entry.key == TEMPERATURE_UNIT
        if stage.is_shared and not (took and stayed):
            return False
        if values and not moved and not stayed:
            # A neighbour that had the written value already is moved only by the value that is written back.
            for again in (values[-1], found):
                yield from write_until_read_back(seen, entry, again, group)
                yield from ask_all(watched)
        yield from end_writing(seen, group)
        return True

    def _look_at_controlled(self, seen: View) -> Part[None]:
        """Reads what a switch of a light controls; a wrong value once more, when it is known to stay."""
        keys = [key for key in SWITCHES.get(self.group.subject, ()) if seen.value(key) is not None]
        shown = yield from ask_all([reread(seen, key, self.group) for key in keys])
        wrong = [
            key
            for key, answer in zip(keys, shown, strict=True)
            if answer.has_value and not may_be_written(seen, seen.catalog.entries[key], answer)
        ]
        if wrong:
            yield Pause(seen.profile.timing.settle_seconds(self.group.subject), for_wrong=True)
            yield from ask_all([reread(seen, key, self.group) for key in wrong])

    def _look_at_units(self, seen: View, shown: Iterable[Answer]) -> Part[None]:
        """Reads setpoints that do not go with the unit that was written again, when it is known to stay."""
        setpoints = {one.exchange.key: one for one in shown if is_setpoint(one.exchange.key)}
        if self.group.subject != TEMPERATURE_UNIT or not setpoints:
            return
        then = with_reads(seen, [(yield reread(seen, TEMPERATURE_UNIT, self.group))])
        wrong = [
            key
            for key, one in setpoints.items()
            if contradicts_unit_setting(then, one) or outside_own_range(one)
        ]
        if wrong:
            yield Pause(seen.profile.timing.settle_seconds(TEMPERATURE_UNIT))
            yield from ask_all([reread(seen, key, self.group) for key in wrong for _ in range(TIMES)])

    def _values(self, stage: Stage, entry: Entry, before: Answer) -> list[JsonValue]:
        ends = choices.ends(entry, before) if "RANGE-WRITE-BOUNDS" in self.clauses else []
        others = choices.other_values(stage.seen, entry, before)
        if "SET-WRITABLE" not in self.clauses:
            # one is enough to show that writes have an effect at all; of a range, it is the middle
            others = others[-1:]
        others = [value for value in others if not any(same(value, end) for end in ends)]
        if stage.is_shared and ends and not any(same(before.value, end) for end in ends):
            return ends  # the value that is written back lies between them, and shows what another one would
        return [*ends, *others]

    def _watched(self, seen: View, entry: Entry) -> list[Ask]:
        """The other keys that are read beside each write."""
        asks = [reread(seen, key, self.group) for key in self.neighbours(seen)]
        if entry.key == TEMPERATURE_UNIT and "UNIT-TEMP-APPLIES" in self.clauses:
            asks += [reread(seen, key, self.group) for key in self._setpoints(seen) for _ in range(TIMES)]
        return asks

    @staticmethod
    def _setpoints(seen: View) -> list[str]:
        return [key for key in seen.tried if is_setpoint(key) and seen.value(key) is not None]
