"""Writes of allowed values to one setting, which must take effect and move nothing else.

While a setting is on that may lock others, one of these is written: that must move no neighbour, either. What
a lock refuses, and what a mode has nothing to do with, is looked at as any write of that setting is.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import cast

from pydantic import JsonValue

from catalog.keys import ALARM_CLOCK, COOLING_MODES, TEMPERATURE_UNIT
from catalog.loader import CATALOG
from catalog.model import Entry
from conformance.checks.answer import Answer
from conformance.checks.groups import ProcedureKind, Purpose
from conformance.checks.view import View
from conformance.checks.writes.expected.other_keys import watched_with
from conformance.checks.writes.judging import TIMES
from conformance.harness.steps import Ask, locking_reads, unread
from conformance.harness.writes.procedures import choices, others
from conformance.harness.writes.procedures.model import Stage
from conformance.harness.writes.procedures.scripts import Beside, Due, Played, Scripted, Step, Wait
from conformance.model.couplings import LOCKS, UNITS, is_coupled, kept_with, write_controllers_of
from conformance.model.json_values import NOTHING, is_whole, number, same
from conformance.model.state_table import SETPOINTS, SWITCHES
from conformance.model.states import may_write_now

_RUN_OUT_S = 2
"""How long it takes to see that an alarm clock of one second has run out, in seconds."""


class SettingWrites(Scripted):
    """Writes allowed values of a setting, then the old one, and reads its neighbours after each."""

    kind = ProcedureKind.SET
    turn = 3

    def moves(self, seen: View) -> set[str]:
        """Also what is written while it locks, is another unit, or has another value."""
        beside = (*(ask.key for ask in self._locked(seen)[:1]), *self._converted(seen), self._sibling(seen))
        return {self.group.subject, *filter(None, beside)}

    def _sibling(self, seen: View) -> str:
        """The sibling that is written beside it, if any."""
        return others.saved_with(seen, self.group.subject) if Purpose.NEIGHBOURS in self.purposes else ""

    def _locked(self, seen: View) -> Sequence[Ask]:
        """The reads of what is written while it is on, and of what is watched then, where it is a lock."""
        is_needed = self._is_lock() and Purpose.NEIGHBOURS in self.purposes
        chosen = others.chosen_under(seen, self.group.subject) if is_needed else None
        return self.reads(seen, chosen[0].key, *others.beside(seen, chosen[0].key)) if chosen else ()

    def _is_lock(self) -> bool:
        """Whether it is a lock, which keeps others from being written."""
        return self.group.subject in LOCKS

    def watched(self, stage: Stage) -> Iterable[Ask]:
        """What it watches, what else it reads after its writes, and what may lock a setpoint it writes."""
        seen = stage.seen
        keys = (*self.neighbours(seen), *self._followers(seen), *SWITCHES.get(self.group.subject, ()))
        locking = locking_reads(seen, self._converted(seen), self.group)
        return (*self.reads(seen, *keys), *self._locked(seen), *locking)

    def script(self, now: Played) -> Iterator[Step]:
        """Each value in turn; where a neighbour moved, the last one and the old one, and twice what moved it.

        While a lock is on, another setting is written, and one wait serves both. The neighbours are looked at
        after the last value and after the old one: one that had the written value already is moved only by
        that. That a value stays is waited for after the last, and where it moves others after the old one,
        too. Where something came otherwise, all is done after each.
        """
        seen, key = now.seen, self.group.subject
        before = cast("Answer", now.first(key))
        found = cast("JsonValue", before.value)
        values, moving = self._values(seen, CATALOG.entries[key], before), list[JsonValue]()
        for value in values:
            is_last = value is values[-1]
            is_lock = value is True and bool(self._locked(seen))
            wait = Wait.STAYS if is_last and not is_lock else Wait.NONE
            yield self._write(now, value, wait, is_looking=is_last)
            if now.is_patient and not now.has_stayed:
                moving.append(value)
            if is_lock and now.shows(key, value):
                yield from others.written_under(now, key, self.reads(seen, *self.neighbours(seen)))
            if now.shows(key, value) and (key in UNITS or (value is True and self._is_lock())):
                alike = UNITS if key in UNITS else LOCKS
                look = unread(seen, self.group, now.answers, key, alike)
                yield Step(look=look, wait=Wait.NONE)
            yield from self._in_the_unit(now)
        if values and (sibling := self._sibling(seen)):
            yield from others.written_beside(now, key, sibling)
        yield from self._further(now, values)
        # a lock that was off alone, since the run had ended it, is looked at only now
        is_known_to_stay = bool(values) and not (is_coupled(key) or self._is_lock())
        yield self._write(now, found, Wait.NONE if is_known_to_stay else Wait.KEPT)
        for value in (values[-1], found) if values and now.has_moved else ():
            yield self._write(now, value)
        for value in moving[:1] * TIMES:
            yield from others.put_back_beside(now, self.neighbours(seen))
            yield Step(look=self.reads(seen, *self.neighbours(seen)), wait=Wait.SETTLED)
            yield self._write(now, value)
            yield self._write(now, found)

    def _write(
        self, now: Played, value: JsonValue, wait: Wait = Wait.STAYS, *, is_looking: bool = True
    ) -> Step:
        """A write, with the neighbours and what a switch controls then.

        What is written under a lock is read again before where each write is waited for: what the lock has
        moved is not the doing of that.
        """
        seen, key = now.seen, self.group.subject
        is_back = same(cast("Answer", now.first(key)).value, value)
        lit = () if is_back else self.reads(seen, *SWITCHES.get(key, ()))
        return Step(
            key,
            value,
            wait=Wait.STAYS if now.is_patient else wait,
            watch=self.reads(seen, *self.neighbours(seen)) if is_looking or now.is_patient else (),
            look=(*lit, *(self._locked(seen) if now.is_patient else ())),
            beside=self._following(now, is_back=is_back)
            or (others.coming_back(now, key) if value is not True and self._locked(seen) else None),
        )

    def _further(self, now: Played, values: Sequence[JsonValue]) -> Iterator[Step]:
        """Writes a whole number with a point to a Double, and sets an alarm clock that runs out.

        How the former is answered is observed. The latter is read twice once the settle time is over.
        """
        seen, entry = now.seen, CATALOG.entries[self.group.subject]
        if entry.type == "Double" and values and is_whole(values[-1]):
            yield Step(entry.key, float(number(values[-1])), Due.ANYTHING, Wait.NONE, is_read=False)
        found = seen.values(entry.key, cast("Answer", now.first(entry.key))).bounds
        settle_s = seen.profile.timing.settle_seconds(entry.key)
        if entry.key == ALARM_CLOCK and settle_s >= _RUN_OUT_S and found and found[0] <= 1 <= found[1]:
            yield Step(entry.key, 1, Due.ANYTHING, Wait.SETTLED)
            yield Step(look=(self.own_read(seen, entry.key),), wait=Wait.NONE)

    def _in_the_unit(self, now: Played) -> Iterator[Step]:
        """Writes an end of the range that a setpoint shows in the unit that it has followed."""
        for key in self._converted(now.seen):
            first, read = now.first(key), now.last(key)
            may_write = may_write_now(now.now, key) and not now.stage.why_closed(key)
            if first and read and first.shown.bounds != read.shown.bounds and may_write:
                ends = choices.ends(now.seen, CATALOG.entries[key], read)
                for end in [end for end in ends if not same(end, read.value)][-1:]:
                    yield Step(key, end, wait=Wait.NONE)
                    if now.is_patient and not now.was_right:  # a finding takes two
                        yield Step(key, end, wait=Wait.NONE)

    def _converted(self, seen: View) -> Sequence[str]:
        """The setpoint that is written in another unit, if any: that with the most neighbours."""
        may = [key for key in self._followers(seen) if seen.profile.may_write(key)]
        claimed = (key for key in may if seen.appliance.is_writable(key))
        return sorted(claimed, key=lambda key: -len(watched_with(seen, key)))[:1]

    def _values(self, seen: View, entry: Entry, before: Answer) -> list[JsonValue]:
        """Both ends of a range, where a clause needs them, and others, where the old value lies at an end.

        One that lies between them shows what another one would when it is written back.
        """
        ends = choices.ends(seen, entry, before) if Purpose.BOTH_ENDS in self.purposes else []
        further = choices.other_values(seen, entry, before)
        if Purpose.ANOTHER_VALUE not in self.purposes:
            # one is enough to show that writes have an effect at all; of a range, it is the middle
            further = further[-1:]
        if ends and not any(same(before.value, end) for end in ends):
            return ends
        return [*ends, *(value for value in further if not any(same(value, end) for end in ends))]

    def _following(self, now: Played, *, is_back: bool) -> Beside | None:
        """What follows a unit: another one is shown than at first, or the same where it `is_back`."""
        first = [read for key in self._followers(now.seen) if (read := now.first(key))]
        if not first:
            return None

        def have_followed(shown: Sequence[Answer]) -> bool:
            return all(_has_followed(*pair, is_back=is_back) for pair in zip(first, shown, strict=False))

        return Beside(self.reads(now.seen, *(read.exchange.key for read in first)), have_followed)

    def _followers(self, seen: View) -> list[str]:
        """The served setpoints, where it is the unit that they follow."""
        if self.group.subject != TEMPERATURE_UNIT:
            return []
        return [key for key in seen.tried if key in SETPOINTS and seen.value(key) is not None]


class CoolingMode(SettingWrites):
    """Switches a cooling mode on and off while no other is on; all setpoints are watched (lines 48 to 53)."""

    kind = ProcedureKind.MODE
    turn = 1

    def _kept(self) -> set[str]:
        """What is looked at while it is on."""
        return {*SETPOINTS, *kept_with(self.group.subject)}

    def _is_lock(self) -> bool:
        """What it has nothing to do with is written while it is on."""
        return True

    def rests_on(self, seen: View) -> set[str]:
        """The setpoints and their unit, what may lock it, the other modes, and what it looks at beside."""
        mode = self.group.subject
        movers = write_controllers_of(mode)
        beside = (ask.key for ask in self._locked(seen))
        return {mode, *movers, *COOLING_MODES, TEMPERATURE_UNIT, *self._kept(), *beside}

    def watched(self, stage: Stage) -> Iterable[Ask]:
        """The other modes, the unit, what is kept, and what is written under it, with its neighbours."""
        seen, modes = stage.seen, (key for key in COOLING_MODES if key != self.group.subject)
        return (*self.reads(seen, *modes, TEMPERATURE_UNIT), *self._setpoints(seen), *self._locked(seen))

    def may_begin(self, now: Played) -> bool:
        """Whether no other mode is on."""
        others = [now.last(key) for key in COOLING_MODES if key != self.group.subject]
        is_free = not any(read and (read.value is True or read.is_error) for read in others)
        return is_free and Scripted.may_begin(self, now)

    def script(self, now: Played) -> Iterator[Step]:
        """Off, on, off, each with a look at the setpoints; while it is on, a write of something else.

        That the setpoints stay is waited for while it is on. No clause speaks of what moves when it ends, and
        what that disturbs is made again.
        """
        seen, mode = now.seen, self.group.subject
        if now.value(mode) is True:
            yield self._switched(now, is_on=False)
            if now.value(mode) is True:
                return
        under = self._locked(seen)
        yield self._switched(now, is_on=True, wait=Wait.NONE if under else Wait.STAYS)
        if under and now.value(mode) is True:
            yield from others.written_under(now, mode, self._setpoints(seen))
        if now.value(mode) is True:
            yield Step(look=unread(seen, self.group, now.answers, mode, COOLING_MODES), wait=Wait.NONE)
        yield self._switched(now, is_on=False, wait=Wait.KEPT)

    def _switched(self, now: Played, *, is_on: bool, wait: Wait = Wait.STAYS) -> Step:
        seen, mode = now.seen, self.group.subject
        under = self._locked(seen) if now.is_patient else ()
        look = (*self.reads(seen, TEMPERATURE_UNIT), *under) if is_on else ()
        beside = None if is_on else others.coming_back(now, mode)
        if now.is_patient:
            wait = Wait.SETTLED if is_on else Wait.STAYS
        return Step(mode, is_on, wait=wait, watch=self._setpoints(seen), look=look, beside=beside)

    def _setpoints(self, seen: View) -> tuple[Ask, ...]:
        kept = self._kept()
        return self.reads(seen, *(key for key in seen.tried if key in kept))


def _has_followed(before: Answer, now: Answer, *, is_back: bool) -> bool:
    """Whether another unit is shown than before, or the same where it `is_back`, and a number of its range.

    What shows no unit may have followed unseen.
    """
    if now.outside:
        return False
    units = [read.shown.unit for read in (before, now)]
    return units[0] is NOTHING or (units[1] is not NOTHING and same(*units) is is_back)
