"""Puts one value back: in a state in which it can be written and read, and as what was found."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import cast

from msgspec import Struct
from msgspec.structs import replace
from pydantic import JsonValue

from catalog.keys import ALARM_CLOCK, OFF, ON, POWER_STATE
from catalog.maker import with_maker, without_maker
from conformance.checks.answer import Answer, Outcome
from conformance.checks.groups import Group
from conformance.checks.traces.effects import reads_back
from conformance.checks.view import View, with_reads
from conformance.harness.reads.gets import reread
from conformance.harness.writes.asking import Lane
from conformance.harness.writes.keeping.owed import Debt
from conformance.harness.writes.procedures.parts import read_controllers, read_until
from conformance.harness.writes.procedures.requests import write
from conformance.model.json_values import identical, is_number, number, same
from conformance.model.state_table import EndedAt
from conformance.model.states import exempting_state
from conformance.model.values import beyond
from conformance.model.ways import is_locked_at_times, locks_of
from conformance.profiles.keeping import holds_secret

TRIES = 3


class WritingBack(Struct):
    """Puts values back in the lane of an appliance, in the name of a group; `debts` is all that is owed."""

    lane: Lane
    seen: View
    debts: list[Debt]
    group: Group

    def put_back(self, debt: Debt, *, writing: bool) -> None:
        """Looks at a debt, and writes it once where it is not back, or has to be written whatever is read."""
        answer = self._look(debt)
        if answer.has_value:
            debt.learn_anew(cast("JsonValue", answer.value))
        if debt.restored and self._is_hidden(debt, answer):
            return  # it was read as it should be, before what hides it was put back
        if holds_secret(debt.before):  # it is kept nowhere: only the appliance itself can bring it back
            writing = False
        is_back = _is_back(self.seen, debt, answer, answer)
        if debt.is_due and is_back and is_locked_at_times(self.seen.catalog, debt.key):
            # what was written while it cannot be set has no effect, and what shows then need not be its own
            debt.is_due = not self._is_locked(debt)
        if debt.is_written and not writing and not is_back:
            answer = self._read_until_back(debt, answer, answer)  # who answers may lag behind
        if writing and _is_to_be_written(self.seen, debt, answer):
            answer = self._made_writable(debt, answer)
            if debt.key == POWER_STATE and without_maker(str(answer.value), self.seen.maker) == OFF:
                # no line leads from Off anywhere but to On (lines 129 to 133)
                on = Debt(debt.ha_id, debt.segment, debt.key, with_maker(ON, self.seen.maker))
                if not same(debt.before, on.before) and _is_to_be_written(self.seen, debt, answer):
                    self._write_back(on, answer)
                    answer = self._look(debt)
            if _is_to_be_written(self.seen, debt, answer):
                self._write_back(debt, answer)
                return
        _judge(self.seen, debt, answer, answer)

    def doubted(self, debt: Debt) -> None:
        """Takes back what a debt has learned anew, unless the setting is locked again and shows that.

        A write that was refused may have moved it all the same. A status has moved by itself.
        """
        if debt.locked is not None and ".Setting." in debt.key:
            answer = self._look(debt)
            if answer.has_value and not same(answer.value, debt.locked):
                debt.before, debt.refused, debt.restored = cast("JsonValue", debt.locked), None, False

    def _is_hidden(self, debt: Debt, answer: Answer) -> bool:
        """Whether a state of the appliance may keep a key from being read now, or shows another value."""
        if answer.has_value:
            return debt.locked is not None and same(answer.value, debt.locked)
        return self._is_locked(debt)

    def _is_locked(self, debt: Debt) -> bool:
        """Whether the appliance is in a state in which a key may be hidden, or cannot be set."""
        shown = read_controllers(self.lane, self.seen, [debt.key], self.group)
        return exempting_state(with_reads(self.seen, shown), debt.key) is not None

    def _made_writable(self, debt: Debt, answer: Answer) -> Answer:
        """Gives the keys that lock this one a value under which it can be written; each is one more debt.

        Returns: `answer`, or what is read once something was written for that.
        """
        has_written = False
        for key, opening, closing in _keys_that_lock(self.seen, debt, self.debts):
            now = self.lane.ask(reread(self.seen, key, self.group))
            open_already = now.value in opening
            if not now.has_value or (open_already and not (debt.tries and closing)):
                continue
            if (debt.ha_id, key) not in {known.place for known in self.debts}:
                found = cast("JsonValue", now.value)
                self.debts.append(Debt(debt.ha_id, "settings", key, found, prepared=debt.prepared))
            if open_already:  # the key should have been taken: it is locked, and opened anew
                self._write_back(Debt(debt.ha_id, "settings", key, closing[0]), now)
                now = self.lane.ask(reread(self.seen, key, self.group))
            self._write_back(Debt(debt.ha_id, "settings", key, opening[0]), now)
            has_written = True
        return self._look(debt) if has_written else answer

    def _write_back(self, debt: Debt, answer: Answer) -> None:
        """Writes a value back once, and reads until it is there; `answer` shows the one that is there now."""
        debt.after = answer.value if debt.after is None and answer.has_value else debt.after
        segment = debt.segment if debt.tries % 2 == 0 else _other_segment(debt)
        ask = write(self.seen, self.group, debt.key, debt.before, segment)
        sent = self.lane.ask(replace(ask, purpose="restore"))
        debt.tries += 1
        if sent.is_acknowledged:
            debt.is_due, debt.is_written = False, True
        answer = self._look(debt)
        if sent.outcome is not Outcome.REFUSED and not _is_back(self.seen, debt, answer, sent):
            answer = self._read_until_back(debt, answer, sent)
        _judge(self.seen, debt, answer, sent)

    def _read_until_back(self, debt: Debt, answer: Answer, written: Answer) -> Answer:
        """Reads what is owed where an answer has shown it, until it is back or has had its time."""
        ask = reread(self.seen, debt.key, self.group, answer.exchange.segment)
        return read_until(self.lane, self.seen, ask, partial(_is_back, self.seen, debt, written=written))

    def _look(self, debt: Debt) -> Answer:
        """Reads what is owed, under the segment that serves it, and again after an error."""
        segments = self.seen.catalog.entries[debt.key].segments
        known = ((segment, self.seen.reads.get((segment, debt.key))) for segment in segments)
        serving = next((segment for segment, answer in known if answer and answer.has_value), segments[0])
        ask = reread(self.seen, debt.key, self.group, serving)
        answer = self.lane.ask(ask)
        for _ in range(TRIES - 1):
            if answer.is_error:
                answer = self.lane.ask(ask)
        return answer


def _is_to_be_written(seen: View, debt: Debt, answer: Answer) -> bool:
    """Whether a debt is to be written, by what is read now; where all writes are refused, not for ever."""
    return (debt.is_due and debt.tries < TRIES) or not _is_back(seen, debt, answer, answer)


def _keys_that_lock(
    seen: View, debt: Debt, debts: Sequence[Debt]
) -> Iterator[tuple[str, Sequence[JsonValue], Sequence[JsonValue]]]:
    """The keys that may lock this one, each with the values that open it and those that close it.

    What is to be put back anyway stands first among them.
    """
    wanted = {known.key: known.before for known in debts if known.ha_id == debt.ha_id}
    for lock in locks_of(seen, debt.key, wanted):
        if lock.row.id.turn is EndedAt.POWER or not _may_move(seen, lock.controller):
            continue  # the power state is put back in its own turn
        if lock.row.id.turn in {EndedAt.LOCK, EndedAt.MODE} and not debt.tries:
            continue  # only what is refused may need that
        if lock.opening:
            yield lock.controller, lock.opening, lock.closing if lock.row.is_stated else ()


def _may_move(seen: View, key: str) -> bool:
    return key in seen.tried and seen.profile.may_write(key)


def _judge(seen: View, debt: Debt, answer: Answer, written: Answer) -> None:
    """Notes what a read says of a debt."""
    debt.now = answer.value if answer.has_value else None
    debt.restored = _is_back(seen, debt, answer, written)
    debt.note = "" if answer.has_value else "it could not be read"


def _other_segment(debt: Debt) -> str:
    """The other segment where a status may have taken a write (line 149); a setting has but one."""
    return "settings" if debt.segment == "status" else "status" if ".Status." in debt.key else debt.segment


def _is_back(seen: View, debt: Debt, answer: Answer, written: Answer) -> bool:
    """Whether the old value is there again.

    Once it was taken, one that differs by less than a step is it, and so is the end of its range that is
    next to it, if it was beyond it. An alarm clock has run on meanwhile, also where it takes no write.
    """
    if not answer.has_value:
        return False
    if identical(answer.value, debt.before) or (debt.found is not None and same(answer.value, debt.found)):
        return True
    is_tried = debt.tries > 0 and not debt.is_due
    if debt.key == ALARM_CLOCK and is_tried and is_number(answer.value) and is_number(debt.before):
        return 0 <= number(answer.value) <= number(debt.before)
    if not debt.is_written:
        return False
    values = seen.values(debt.key, answer)
    if is_number(answer.value) and is_number(debt.before):
        now, before = number(answer.value), number(debt.before)
        low, high = values.bounds or (before, before)
        if beyond((low, high), before) and same(now, min(max(before, low), high)):
            return True
    return reads_back(values, debt.before, answer, written)
