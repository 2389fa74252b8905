"""Writes of allowed values to one setting, which must take effect and move nothing else."""

from collections.abc import Sequence
from typing import cast

from pydantic import JsonValue

from catalog.keys import ALARM_CLOCK, TEMPERATURE_UNIT
from catalog.model import Catalog, Entry
from conformance.checks.answer import Answer
from conformance.checks.groups import ProcedureKind, Purpose
from conformance.checks.reads.ranges import outside_own_range
from conformance.checks.traces.evaluating import TIMES
from conformance.checks.view import View
from conformance.harness.reads.gets import reread
from conformance.harness.steps import Part, Pause
from conformance.harness.writes.procedures import choices
from conformance.harness.writes.procedures.model import Stage, WriteProcedure
from conformance.harness.writes.procedures.parts import (
    ask_all,
    begin_writing,
    could_be_written,
    end_writing,
    look_at_statuses,
    look_for_wrong,
    poll_pauses,
    show_the_same,
    write_until_read_back,
)
from conformance.harness.writes.procedures.requests import write
from conformance.harness.writes.procedures.under_locks import write_under
from conformance.model.couplings import are_numbered
from conformance.model.json_values import NOTHING, is_whole, number, same
from conformance.model.state_table import SWITCHES, is_setpoint
from conformance.profiles.model import PROTECTING

_RUN_OUT_S = 2
"""How long it takes to see that an alarm clock of one second has run out, in seconds."""


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
        return WriteProcedure.looks_at(self, seen).union(self.neighbours(seen), self._followers(seen))

    def steps(self, stage: Stage) -> Part[bool]:
        """Each value in turn, read back and confirmed; again where a neighbour moved."""
        seen, group, entry = stage.seen, self.group, stage.seen.catalog.entries[self.group.subject]
        before = yield from begin_writing(seen, entry.key, group)
        if before is None:
            return not (stage.is_shared and could_be_written(seen, entry))
        watched = [reread(seen, key, group) for key in self.neighbours(seen)]
        first = yield from ask_all(watched)
        values, moved = self._values(stage, entry, before), False
        following = yield from ask_all([reread(seen, key, group) for key in self._followers(seen)])
        for value in values:
            took = yield from write_until_read_back(seen, entry, value, group, once=stage.is_shared)
            if took:
                yield from self._await_followers(seen, following)
            stayed = show_the_same(first, (yield from ask_all(watched)))
            stayed &= yield from self._look_at_controlled(seen, is_on=took and value is True)
            if stage.is_shared and not (took and stayed):
                return False
            if not stayed:
                moved = True
                for again in (before.value, value):
                    yield from write_until_read_back(seen, entry, cast("JsonValue", again), group)
                    yield from ask_all(watched)
        yield from self._write_further(seen, entry, before, values)
        found = cast("JsonValue", before.value)
        took = yield from write_until_read_back(seen, entry, found, group, once=stage.is_shared, is_last=True)
        yield from self._await_followers(seen, following, is_back=True)
        stayed = show_the_same(first, (yield from ask_all(watched)))
        if stage.is_shared and not (took and stayed):
            return False
        if values and not moved and not stayed:
            # A neighbour that had the written value already is moved only by the value that is written back.
            for again in (values[-1], found):
                yield from write_until_read_back(seen, entry, again, group)
                yield from ask_all(watched)
        yield from end_writing(seen, group)
        return True

    def _look_at_controlled(self, seen: View, *, is_on: bool) -> Part[bool]:
        """Reads what a switch of a light controls, and every status while a lock is on, or off.

        While a lock `is_on`, another setting is written; whether its neighbours stayed.
        """
        keys = [key for key in SWITCHES.get(self.group.subject, ()) if seen.value(key) is not None]
        yield from look_for_wrong(seen, [reread(seen, key, self.group) for key in keys])
        if self.group.subject not in PROTECTING:
            return True
        yield from look_at_statuses(seen, self.group)
        is_needed = is_on and Purpose.NEIGHBOURS in self.purposes
        return not is_needed or (yield from write_under(seen, self.group.subject, self.group))

    def _write_further(
        self, seen: View, entry: Entry, before: Answer, values: Sequence[JsonValue]
    ) -> Part[None]:
        """Writes a whole number with a point to a Double, and sets an alarm clock that runs out.

        How the former is answered is observed. The latter is read twice once the settle time is over.
        """
        if entry.type == "Double" and values and is_whole(values[-1]):
            yield write(seen, self.group, entry.key, float(number(values[-1])))
        settle_s, found = seen.profile.timing.settle_seconds(entry.key), seen.values(entry.key, before).bounds
        if entry.key != ALARM_CLOCK or settle_s < _RUN_OUT_S or not found or not found[0] <= 1 <= found[1]:
            return
        yield write(seen, self.group, entry.key, 1)
        yield Pause(settle_s)
        for _ in range(TIMES):
            yield reread(seen, entry.key, self.group)

    def _values(self, stage: Stage, entry: Entry, before: Answer) -> list[JsonValue]:
        ends = choices.ends(stage.seen, entry, before) if Purpose.BOTH_ENDS in self.purposes else []
        others = choices.other_values(stage.seen, entry, before)
        if Purpose.ANOTHER_VALUE not in self.purposes:
            # one is enough to show that writes have an effect at all; of a range, it is the middle
            others = others[-1:]
        others = [value for value in others if not any(same(value, end) for end in ends)]
        if stage.is_shared and ends and not any(same(before.value, end) for end in ends):
            return ends  # the value that is written back lies between them, and shows what another one would
        return [*ends, *others]

    def _await_followers(self, seen: View, first: Sequence[Answer], *, is_back: bool = False) -> Part[None]:
        """Reads what follows a unit until it has, or until the settle time is over.

        It shows another unit then than at `first`, or the same where the setting `is_back`. What does not is
        read once more, as a finding rests on two reads.
        """
        asks = [reread(seen, answer.exchange.key, self.group) for answer in first]
        now = yield from ask_all(asks)
        for seconds in poll_pauses(seen, self.group.subject):
            if all(_has_followed(*pair, is_back=is_back) for pair in zip(first, now, strict=True)):
                return
            yield Pause(seconds)
            now = yield from ask_all(asks)
        yield from ask_all(asks)

    def _followers(self, seen: View) -> list[str]:
        """The served setpoints, where it is the unit that they follow."""
        if self.group.subject != TEMPERATURE_UNIT:
            return []
        return [key for key in seen.tried if is_setpoint(key) and seen.value(key) is not None]


def _has_followed(before: Answer, now: Answer, *, is_back: bool) -> bool:
    """Whether another unit is shown than before, or the same where it `is_back`, and a number of its range.

    What shows no unit may have followed unseen.
    """
    if outside_own_range(now):
        return False
    units = [read.shown.unit for read in (before, now)]
    return units[0] is NOTHING or (units[1] is not NOTHING and same(*units) is is_back)
