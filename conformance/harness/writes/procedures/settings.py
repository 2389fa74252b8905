"""Writes of allowed values to one setting, which must take effect and move nothing else."""

from typing import cast

from pydantic import JsonValue

from catalog.keys import TEMPERATURE_UNIT
from catalog.model import Catalog, Entry
from conformance.checks.answer import Answer
from conformance.checks.groups import ProcedureKind
from conformance.checks.reads.states import is_setpoint
from conformance.checks.traces.evaluating import TIMES
from conformance.checks.traces.neighbours import are_numbered
from conformance.checks.traces.trace import same
from conformance.checks.view import View
from conformance.harness.reads.gets import reread
from conformance.harness.steps import Ask, Part
from conformance.harness.writes.procedures import choices
from conformance.harness.writes.procedures.model import Stage, WriteProcedure
from conformance.harness.writes.procedures.parts import (
    alike,
    ask_all,
    begin_writing,
    end_writing,
    write_until_read_back,
)


class SettingWrites(WriteProcedure):
    """Writes allowed values of a setting, then the old one, and reads its neighbours after each."""

    kind = ProcedureKind.SET
    turn = 3
    is_shareable = True

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

    def rests_on(self, seen: View) -> set[str]:
        """Its neighbours, too, where they are watched."""
        return WriteProcedure.rests_on(self, seen) | {*self.neighbours(seen)}

    def steps(self, stage: Stage) -> Part[bool]:
        """Each value in turn, read back and confirmed; again where a neighbour moved."""
        seen, group, entry = stage.seen, self.group, stage.seen.catalog.entries[self.group.subject]
        before = yield from begin_writing(seen, entry.key, group)
        if before is None:
            return True
        watched = self._watched(seen, entry)
        first = yield from ask_all(watched)
        values, moved = self._values(seen, entry, before), False
        for value in values:
            took = yield from write_until_read_back(seen, entry, value, group, once=stage.is_shared)
            stayed = alike(first, (yield from ask_all(watched))) or entry.key == TEMPERATURE_UNIT
            if stage.is_shared and not (took and stayed):
                return False
            if not stayed:
                moved = True
                for again in (before.value, value):
                    yield from write_until_read_back(seen, entry, cast("JsonValue", again), group)
                    yield from ask_all(watched)
        found = cast("JsonValue", before.value)
        took = yield from write_until_read_back(seen, entry, found, group, once=stage.is_shared)
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

    def _values(self, seen: View, entry: Entry, before: Answer) -> list[JsonValue]:
        ends = choices.ends(entry, before) if "RANGE-WRITE-BOUNDS" in self.clauses else []
        others = choices.other_values(seen, entry, before)
        if "SET-WRITABLE" not in self.clauses:
            # one is enough to show that writes have an effect at all; of a range, it is the middle
            others = others[-1:]
        return [*ends, *(value for value in others if not any(same(value, end) for end in ends))]

    def _watched(self, seen: View, entry: Entry) -> list[Ask]:
        """The other keys that are read beside each write."""
        asks = [reread(seen, key, self.group) for key in self.neighbours(seen)]
        if entry.key == TEMPERATURE_UNIT and "UNIT-TEMP-APPLIES" in self.clauses:
            setpoints = [key for key in seen.tried if is_setpoint(key) and seen.value(key) is not None]
            asks += [reread(seen, key, self.group) for key in setpoints for _ in range(TIMES)]
        return asks
