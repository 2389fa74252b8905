"""Writes of allowed values to one setting, which must take effect and move nothing else."""

from collections.abc import Iterable, Iterator, Sequence
from typing import cast

from pydantic import JsonValue

from catalog.keys import ALARM_CLOCK, TEMPERATURE_UNIT
from catalog.model import Entry
from conformance.checks.answer import Answer
from conformance.checks.groups import ProcedureKind, Purpose
from conformance.checks.reads.ranges import outside_own_range
from conformance.checks.view import View
from conformance.harness.reads.gets import reread
from conformance.harness.steps import Ask
from conformance.harness.writes.procedures import choices
from conformance.harness.writes.procedures.model import Stage, WriteProcedure
from conformance.harness.writes.procedures.parts import status_reads
from conformance.harness.writes.procedures.script_steps import Beside, Due, Look, ScriptWrite, Step, Wait
from conformance.harness.writes.procedures.scripts import Played, Scripted
from conformance.harness.writes.procedures.under_locks import coming_back, read_under, written_under
from conformance.model.couplings import is_coupled, locks
from conformance.model.json_values import NOTHING, is_whole, number, same
from conformance.model.state_table import SWITCHES, is_setpoint

_RUN_OUT_S = 2
"""How long it takes to see that an alarm clock of one second has run out, in seconds."""


class SettingWrites(Scripted):
    """Writes allowed values of a setting, then the old one, and reads its neighbours after each."""

    kind = ProcedureKind.SET
    turn = 3
    is_shareable = True

    def rests_on(self, seen: View) -> set[str]:
        """Its neighbours, too, what follows a unit, and what is written and watched while it locks."""
        locked = (ask.key for ask in self._locked(seen))
        return WriteProcedure.rests_on(self, seen).union(self.neighbours(seen), self._followers(seen), locked)

    def moves(self, seen: View) -> set[str]:
        """Also what is written while it locks."""
        return {self.group.subject, *(ask.key for ask in self._locked(seen)[:1])}

    def _locked(self, seen: View) -> Sequence[Ask]:
        """The reads of what is written while it is on, and of what is watched then, where it is a lock."""
        is_needed = self._is_lock(seen) and Purpose.NEIGHBOURS in self.purposes
        return read_under(seen, self.group.subject, self.group) if is_needed else ()

    def _is_lock(self, seen: View) -> bool:
        """Whether it is a lock, which keeps others from being written."""
        return self.group.subject in locks(seen.catalog)

    def watched(self, stage: Stage) -> Iterable[Ask]:
        """What it watches, and what else it reads after its writes: what a switch controls, a lock keeps."""
        seen = stage.seen
        keys = (*self.neighbours(seen), *self._followers(seen), *self._lit(seen))
        return (*(reread(seen, key, self.group) for key in keys), *self._locked(seen))

    def script(self, now: Played) -> Iterator[Step]:
        """Each value in turn; the last one and the old one again where a neighbour moved.

        While a lock is on, another setting is written. The neighbours are looked at after the last value and
        after the old one: one that had the written value already is moved only by that. That a value stays is
        waited for after the last, and where it moves others after the old one, too. Where something came
        otherwise, all is done after each.
        """
        seen, key = now.seen, self.group.subject
        before = cast("Answer", now.first(key))
        found = cast("JsonValue", before.value)
        values = self._values(seen, seen.catalog.entries[key], before)
        for value in values:
            is_last = value is values[-1]
            yield self._write(now, value, Wait.STAYS if is_last else Wait.NONE, is_looking=is_last)
            if value is True and self._locked(seen) and now.shows(key, value):
                yield from written_under(now, key, self.neighbours(seen))
        yield from self._further(now, values)
        # a lock that was off alone, since the run had ended it, is looked at only now
        is_known_to_stay = bool(values) and not (is_coupled(seen.catalog, key) or self._is_lock(seen))
        yield self._write(now, found, Wait.NONE if is_known_to_stay else Wait.STAYS)
        for value in (values[-1], found) if values and now.has_moved else ():
            yield self._write(now, value)

    def _write(
        self, now: Played, value: JsonValue, wait: Wait = Wait.STAYS, *, is_looking: bool = True
    ) -> ScriptWrite:
        """A write, with the neighbours, what a switch controls, and every status where it is a lock."""
        seen, key = now.seen, self.group.subject
        statuses = status_reads(seen, self.group) if self._is_lock(seen) and value is True else []
        return ScriptWrite(
            key,
            value,
            wait=Wait.STAYS if now.is_patient else wait,
            watch=tuple(
                reread(seen, other, self.group)
                for other in self.neighbours(seen)
                if is_looking or now.is_patient
            ),
            look=(
                *(reread(seen, other, self.group) for other in self._lit(seen)),
                *statuses,
                *self._locked(seen),
            ),
            beside=self._following(now, is_back=now.shows_first(key, value))
            or (coming_back(now, key) if value is not True and self._locked(seen) else None),
        )

    def _further(self, now: Played, values: Sequence[JsonValue]) -> Iterator[Step]:
        """Writes a whole number with a point to a Double, and sets an alarm clock that runs out.

        How the former is answered is observed. The latter is read twice once the settle time is over.
        """
        seen, entry = now.seen, now.seen.catalog.entries[self.group.subject]
        if entry.type == "Double" and values and is_whole(values[-1]):
            yield ScriptWrite(entry.key, float(number(values[-1])), Due.ANYTHING, Wait.NONE, is_read=False)
        found = seen.values(entry.key, cast("Answer", now.first(entry.key))).bounds
        settle_s = seen.profile.timing.settle_seconds(entry.key)
        if entry.key == ALARM_CLOCK and settle_s >= _RUN_OUT_S and found and found[0] <= 1 <= found[1]:
            yield ScriptWrite(entry.key, 1, Due.ANYTHING, Wait.SETTLED)
            yield Look(look=(self.own_read(seen, entry.key),))

    def _values(self, seen: View, entry: Entry, before: Answer) -> list[JsonValue]:
        """Both ends of a range, where a clause needs them, and others, where the old value lies at an end.

        One that lies between them shows what another one would when it is written back.
        """
        ends = choices.ends(seen, entry, before) if Purpose.BOTH_ENDS in self.purposes else []
        others = choices.other_values(seen, entry, before)
        if Purpose.ANOTHER_VALUE not in self.purposes:
            # one is enough to show that writes have an effect at all; of a range, it is the middle
            others = others[-1:]
        if ends and not any(same(before.value, end) for end in ends):
            return ends
        return [*ends, *(value for value in others if not any(same(value, end) for end in ends))]

    def _following(self, now: Played, *, is_back: bool) -> Beside | None:
        """What follows a unit: another one is shown than at first, or the same where it `is_back`."""
        first = [read for key in self._followers(now.seen) if (read := now.first(key))]
        if not first:
            return None
        reads = tuple(reread(now.seen, read.exchange.key, self.group) for read in first)
        return Beside(
            reads,
            lambda shown: all(
                _has_followed(*pair, is_back=is_back) for pair in zip(first, shown, strict=False)
            ),
        )

    def _lit(self, seen: View) -> list[str]:
        """What it controls, where it is the switch of a light."""
        return [key for key in SWITCHES.get(self.group.subject, ()) if seen.value(key) is not None]

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
