"""Puts back what was written: after a procedure, after a run that was killed, and at the end.

A restore is always made, whatever state the appliance is in, and its proof is what can be read afterwards.
Each value is put back in a state in which it can be written and read, and as what was found.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import cast

from msgspec.structs import replace
from pydantic import JsonValue

from catalog.keys import ALARM_CLOCK, OFF, ON, POWER_STATE
from catalog.loader import CATALOG
from catalog.maker import with_maker, without_maker
from conformance.checks.answer import Answer, Outcome
from conformance.checks.groups import Group
from conformance.checks.traces.effects import reads_back
from conformance.checks.view import View, with_reads
from conformance.harness.errors import TransportError
from conformance.harness.steps import locking_reads, reread, write
from conformance.harness.writes.asking import TRIES, Lane, answered, read_until
from conformance.harness.writes.keeping.owed import Debt
from conformance.model.json_values import identical, is_number, number, same
from conformance.model.state_table import STATED, EndedAt
from conformance.model.states import exempting_state
from conformance.model.values import beyond
from conformance.model.ways import locks_of, turn_back
from conformance.profiles.keeping import holds_secret

_LAST = 4
_MOST_ROUNDS = 12
"""How often all that is owed is gone through while all of it is back, and each round moves something."""
_PARTS = 60
"""The first pause is at least so small a part of all the time that putting back may take."""


@dataclass
class PuttingBack:
    """Writes back each debt that is still owed, until it reads back; the debt then says what became of it.

    Each value is put back in a state in which it can be written and read: before the color, the light or the
    power state is put back under which it can not be (lines 65, 68, 70, X4, X8). Where that state has to be
    made first, its key is one more debt. What was refused may depend on another debt, as a setpoint does on a
    mode, and what is back may be moved by another one, as a brightness is by a switch: all are looked at
    until nothing has to be written any more. What was owed for a prepared state is put back in the order of
    the debts, the last write first.

    What is not back is tried again after pauses that grow, for `patience_s` seconds in all: somebody may
    operate the appliance, and a target may be away for a while. A write that may still take effect is waited
    for.

    A debt that is `restored` from the beginning was read since the last write, and is looked at only where
    another one has to be written.
    """

    lane: Lane
    _views: Mapping[str, View]
    debts: list[Debt]
    group: Group
    patience_s: float
    _has_written: bool = False
    _error: TransportError | None = None

    def __post_init__(self) -> None:
        self._until = self.lane.clock.now() + self.patience_s
        self._pause_s = self.patience_s / _PARTS

    def until_back(self) -> None:
        """Goes through all debts until all are back and nothing had to be written, or time is over.

        Raises:
            TransportError: when nothing could be sent any more.
        """
        self._go_through(done=[debt for debt in self.debts if debt.restored])
        for debt in self.debts:
            self._doubt(debt)
        rounds = 0
        while self._has_written or self._is_open or self._effects_awaited():
            is_over = self._left_s <= 0 and rounds >= TRIES
            if is_over if self._is_open else rounds == _MOST_ROUNDS:
                break
            if rounds and (self._is_open or any(debt.is_due for debt in self.debts)):
                self.lane.pause(self._next_pause_s())
            self._go_through()
            rounds += 1
        if self._error:
            raise self._error
        if self._has_written:
            self._go_through(writing=False)

    def _go_through(self, done: Sequence[Debt] = (), *, writing: bool = True) -> None:
        """Looks at every debt in turn that is not `done`, and writes each that is not back once."""
        self._has_written, done = False, list(done)
        try:
            while waiting := [debt for debt in self.debts if debt not in done]:
                debt = min(waiting, key=self._turn)
                done.append(debt)
                tries = debt.tries
                self._put_back(debt, writing=writing)
                self._has_written = self._has_written or debt.tries > tries
            self._error = None
        except TransportError as error:  # what grants access, too, may be away for a while
            self._error = error

    def _turn(self, debt: Debt) -> int:
        """When a debt has its turn: what was owed for a prepared state comes last."""
        return _LAST if debt.prepared else turn_back(self._views[debt.ha_id], debt.key, debt.before)

    @property
    def _is_open(self) -> bool:
        """Whether anything is not back."""
        return not all(debt.restored for debt in self.debts)

    @property
    def _left_s(self) -> float:
        """How many seconds may be waited yet."""
        return max(0.0, self._until - self.lane.clock.now())

    def _next_pause_s(self) -> float:
        """How long to wait before the next round: twice as long as before the last one."""
        retry_s = max(seen.profile.retry_s for seen in self._views.values())
        pause_s = min(max(self._pause_s, retry_s), self._left_s)
        self._pause_s = 2 * pause_s
        return pause_s

    def _effects_awaited(self) -> bool:
        """Waits for writes that no read has shown and that may still take effect; whether there was one."""
        left_s, now = 0.0, self.lane.clock.since_1970()
        for debt in self.debts:
            if debt.taken_at is not None:
                settle_s = self._views[debt.ha_id].profile.timing.settle_seconds(debt.key)
                # no longer than that: the clock may have been set back since
                left_s = max(left_s, min(settle_s, debt.taken_at + settle_s - now))
            debt.taken_at = None
        if left_s > 0:
            self.lane.pause(left_s)
        return left_s > 0

    def _put_back(self, debt: Debt, *, writing: bool) -> None:
        """Looks at a debt, and writes it once where it is not back, or has to be written whatever is read."""
        seen = self._views[debt.ha_id]
        answer = self._look(debt)
        if answer.has_value:
            debt.learn_anew(cast("JsonValue", answer.value))
        if debt.restored and self._is_hidden(debt, answer):
            return  # it was read as it should be, before what hides it was put back
        if holds_secret(debt.before):  # it is kept nowhere: only the appliance itself can bring it back
            writing = False
        is_back = _is_back(seen, debt, answer, answer)
        if debt.is_due and is_back and debt.key in STATED:
            # what was written while it cannot be set has no effect, and what shows then need not be its own
            debt.is_due = not self._is_locked(debt)
        if debt.is_written and not writing and not is_back:
            answer = self._read_until_back(debt, answer, answer)  # who answers may lag behind
        if writing and _is_to_be_written(seen, debt, answer):
            answer = self._made_writable(debt, answer)
            if debt.key == POWER_STATE and without_maker(str(answer.value), seen.maker) == OFF:
                # no line leads from Off anywhere but to On (lines 129 to 133)
                on = Debt(debt.ha_id, debt.segment, debt.key, with_maker(ON, seen.maker))
                if not same(debt.before, on.before) and _is_to_be_written(seen, debt, answer):
                    self._write_back(on, answer)
                    answer = self._look(debt)
            if _is_to_be_written(seen, debt, answer):
                self._write_back(debt, answer)
                return
        _judge(seen, debt, answer, answer)

    def _doubt(self, debt: Debt) -> None:
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
        seen = self._views[debt.ha_id]
        asks = locking_reads(seen, [debt.key], self.group)
        shown = answered(self.lane, asks, lambda answer: not answer.is_error, seen.profile.retry_s)
        return exempting_state(with_reads(seen, shown), debt.key) is not None

    def _made_writable(self, debt: Debt, answer: Answer) -> Answer:
        """Gives the keys that lock this one a value under which it can be written; each is one more debt.

        Returns: `answer`, or what is read once something was written for that.
        """
        seen = self._views[debt.ha_id]
        has_written = False
        for key, opening, closing in _keys_that_lock(seen, debt, self.debts):
            now = self.lane.ask(reread(seen, key, self.group))
            open_already = now.value in opening
            if not now.has_value or (open_already and not (debt.tries and closing)):
                continue
            if (debt.ha_id, key) not in {known.place for known in self.debts}:
                found = cast("JsonValue", now.value)
                self.debts.append(Debt(debt.ha_id, "settings", key, found, prepared=debt.prepared))
            if open_already:  # the key should have been taken: it is locked, and opened anew
                self._write_back(Debt(debt.ha_id, "settings", key, closing[0], tries=debt.tries), now)
                now = self.lane.ask(reread(seen, key, self.group))
            self._write_back(Debt(debt.ha_id, "settings", key, opening[0], tries=debt.tries), now)
            has_written = True
        return self._look(debt) if has_written else answer

    def _write_back(self, debt: Debt, answer: Answer) -> None:
        """Writes a value back once, and reads until it is there; `answer` shows the one that is there now."""
        seen = self._views[debt.ha_id]
        debt.after = answer.value if debt.after is None and answer.has_value else debt.after
        sent = self._sent(debt)
        if debt.tries > 1 and sent.outcome in {Outcome.REFUSED, Outcome.SERVERERR}:
            # it may only have come too soon after another write, and would in every round
            self.lane.pause(max(seen.profile.retry_s, seen.profile.timing.settle_seconds(debt.key)))
            sent = self._sent(debt)
        if sent.is_acknowledged:
            debt.is_due, debt.is_written = False, True
        answer = self._look(debt)
        if sent.outcome is not Outcome.REFUSED and not _is_back(seen, debt, answer, sent):
            answer = self._read_until_back(debt, answer, sent)
        _judge(seen, debt, answer, sent)

    def _sent(self, debt: Debt) -> Answer:
        """Writes a value back, under one segment and the other in turn, as there are."""
        segment = debt.segment if debt.tries % 2 == 0 else _other_segment(debt)
        debt.tries += 1
        ask = write(self._views[debt.ha_id], self.group, debt.key, debt.before, segment)
        return self.lane.ask(replace(ask, purpose="restore"))

    def _read_until_back(self, debt: Debt, answer: Answer, written: Answer) -> Answer:
        """Reads what is owed where an answer has shown it, until it is back or has had its time."""
        seen = self._views[debt.ha_id]
        ask = reread(seen, debt.key, self.group, answer.exchange.segment)
        return read_until(self.lane, seen, ask, partial(_is_back, seen, debt, written=written))

    def _look(self, debt: Debt) -> Answer:
        """Reads what is owed, under the segment that serves it, and again after an error."""
        seen = self._views[debt.ha_id]
        segments = CATALOG.entries[debt.key].segments
        known = ((segment, seen.reads.get((segment, debt.key))) for segment in segments)
        serving = next((segment for segment, answer in known if answer and answer.has_value), segments[0])
        ask = reread(seen, debt.key, self.group, serving)
        return answered(self.lane, [ask], lambda answer: not answer.is_error)[0]


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
        if lock.row.id.turn is EndedAt.POWER or lock.controller not in seen.tried:
            continue  # the power state is put back in its own turn
        if lock.row.id.turn in {EndedAt.LOCK, EndedAt.MODE} and not debt.tries:
            continue  # only what is refused may need that
        if lock.opening and seen.profile.may_write(lock.controller):
            yield lock.controller, lock.opening, lock.closing if lock.row.is_stated else ()


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
