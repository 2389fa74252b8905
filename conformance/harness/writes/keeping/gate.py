"""The one place every write passes: allowed, journalled, then sent.

The gate also remembers, for the procedure under way, what each setting was when it was first read: that is
what is owed to the appliance at the end, whether the procedure came to its end, failed or was interrupted.
What was written to prepare a state is owed until that state is given up, whatever the procedures in between
write and put back.
"""

from collections.abc import Mapping
from typing import cast

from msgspec.structs import replace
from pydantic import JsonValue

from catalog.keys import ALARM_CLOCK
from catalog.model import Level
from conformance.checks.answer import Answer, Outcome
from conformance.checks.case import reaches, why_not_written
from conformance.checks.exchange import WRITES, Exchange
from conformance.checks.traces.effects import may_have_run
from conformance.harness.clock import REAL, Clock
from conformance.harness.errors import ForbiddenWriteError, SecretValueError
from conformance.harness.pace import TO_PUT_BACK
from conformance.harness.steps import Ask
from conformance.harness.writes.keeping.journal import UNWRITTEN, Journal
from conformance.harness.writes.keeping.owed import Account, Closed, Debt, Known, was_taken
from conformance.model.couplings import is_light, may_move, of_one_light
from conformance.model.json_values import identical, same
from conformance.profiles.keeping import holds_secret
from conformance.profiles.model import Profile


class Gate:
    """Lets writes through, and knows what is owed for them.

    `cleanups` are requests that the procedure under way wants made at its end, whatever becomes of it;
    `closed` is what could not be put back: what may move that is not written any more.
    """

    def __init__(  # noqa: PLR0913  what a write is admitted by meets here
        self,
        profile: Profile,
        level: Level,
        journal: Journal,
        closed: Closed,
        at_rest: dict[tuple[str, str], JsonValue] | None = None,
        *,
        clock: Clock = REAL,
    ) -> None:
        """Owes nothing yet; gates of one run share what is `closed`.

        `at_rest` are the settings that it may write as they were found, by haId and key. That is what is owed
        for a write, whatever its procedure has found: somebody else may only have passed that. A write may
        move them, too, and a run that is killed then has not seen it.
        """
        self._profile = profile
        self._level: Level = level
        self._journal = journal
        self._clock = clock
        self._own = Account()
        self._held: list[Account] = []
        self._found: dict[tuple[str, str], object] = {}
        self._caused: dict[tuple[str, str], list[object]] = {}
        self._at_rest = {} if at_rest is None else at_rest
        self.closed = closed
        self.cleanups: list[Ask] = []
        self.debts: list[Debt] = []

    def admit(self, ask: Ask) -> int:
        """Journals a write that is about to be sent; the number of its intent.

        Raises:
            ForbiddenWriteError: when it may not be sent.
            SecretValueError: when it may move a value in which a secret stands, or would write one.
        """
        place, own = (ask.ha_id, ask.key), self._own
        is_restore, one = ask.purpose == "restore", own.known.get(place)
        if secret := self._why_secret(ask, is_restore=is_restore):
            raise SecretValueError(f"not written: {secret}")
        reason = None if is_restore else self._why_not(ask)
        if reason is None and one is None and ask.purpose != "hook":
            reason = "its value was not read before"
        if reason is not None:
            raise ForbiddenWriteError(f"a write of {ask.key} to {ask.ha_id} was not sent: {reason}")
        own.since = {
            (ha_id, key): shown
            for (ha_id, key), shown in own.since.items()
            if ask.purpose != "hook" and ha_id == ask.ha_id and not may_move(ask.key, key)
        }
        if one is None or ask.purpose == "hook":
            return UNWRITTEN  # it moves hands or time, which no write can put back
        debt = one.debt
        self._caused.setdefault(place, []).append(ask.value)
        if not is_restore and place not in own.written and not self._held:
            self._owe_what_was_found(debt)
        if not is_restore and debt.refused is not None:
            self._learn_anew(debt)
            debt.refused.append(ask.value)
        if place not in own.written:
            debt.segment = ask.segment
        if debt.prepared and not is_restore:
            own.written.pop(place, None)  # what took effect last is put back first
        own.written.setdefault(place, one)
        own.sent[place] = ask.value, self._clock.since_1970()
        at_rest, lit = self._at_rest, of_one_light(ask.key)
        moved = {key: at_rest[ask.ha_id, key] for key in lit if (ask.ha_id, key) in at_rest}
        if not identical(found := at_rest.get(place, debt.before), debt.before):
            moved[ask.key] = found  # another procedure has moved it, or the state that it is made in
        intent = "restore" if is_restore else "write"
        told = replace(debt, segment=ask.segment)
        return self._journal.intend(intent, f"{ask.group}@{ask.lane}", told, ask.value, moved)

    def found(self, reads: Mapping[str, Answer]) -> None:
        """Takes what settings show before this run has written anything for what they were found with.

        Of one without a definite answer that is not known any more.
        """
        for key, read in reads.items():
            place = read.exchange.ha_id, key
            if not (read.has_value or read.is_refusal):
                self._at_rest.pop(place, None)
            elif read.has_value and place in self._at_rest:
                self._at_rest[place] = cast("JsonValue", read.value)

    def _owe_what_was_found(self, debt: Debt) -> None:
        """Owes what a setting showed at rest, whatever its procedure has found; no clock stands."""
        found = self._at_rest.get(debt.place)
        if found is not None and debt.key != ALARM_CLOCK and not same(found, debt.before):
            debt.before = found

    def _learn_anew(self, debt: Debt) -> None:
        """Takes another value that a setting shows, no write of which was taken so far, for its own.

        It was refused, or was not written before others of its light were: what it showed while it was locked
        is then not what it will be put back to. But for a light, what a setting was found with is known.
        """
        if debt.place not in self._at_rest or is_light(debt.key):
            is_lit = any((debt.ha_id, other) in self._own.written for other in of_one_light(debt.key))
            debt.learn_anew(cast("JsonValue", debt.after), is_lit=is_lit)

    def _why_not(self, ask: Ask) -> str | None:
        if ask.purpose == "hook":
            return None if reaches(self._level, "attended") else "hooks are used at level attended"
        if closed := self.closed.why_not(ask.ha_id, (ask.key,)):
            return closed
        omission = why_not_written(self._profile, self._level, ask.key)
        return omission.words if omission else None

    def _why_secret(self, ask: Ask, *, is_restore: bool) -> str:
        if holds_secret(ask.value):
            return "the value to write is a secret, which is kept nowhere"
        return "" if is_restore else self.closed.why_secret(ask.ha_id, (ask.key,))

    @property
    def under_way(self) -> list[tuple[str, JsonValue]]:
        """The writes that were not answered yet, by key: what they do may be read before that."""
        return [(key, value) for (_, key), (value, _) in self._own.sent.items()]

    @property
    def owing(self) -> int:
        """How many requests it takes to put back what is owed now; of what was refused, a read shows that."""
        written = [
            one.last is not None or place in account.sent
            for account in (self._own, *self._held)
            for place, one in account.written.items()
        ]
        return len(written) + (TO_PUT_BACK - 1) * (sum(written) + len(self.cleanups))

    def answered(self, intent: int, answer: Answer) -> None:
        """Journals what came of a write."""
        if intent == UNWRITTEN:
            return
        place = (answer.exchange.ha_id, answer.exchange.key)
        one, (value, _) = self._own.known[place], self._own.sent.pop(place)
        if answer.outcome is not Outcome.REFUSED and ".Setting." in one.debt.key:
            one.debt.refused = None  # a status moves by itself, whatever is answered
        status = answer.status
        outcome = "acknowledged" if answer.is_acknowledged else answer.outcome.value
        if was_taken(outcome, is_back=identical(value, one.debt.before)):
            one.last = value, answer.ended
        self._journal.answered(intent, outcome, str(status) if status else answer.words, answer.exchange.n)

    def learn(self, answer: Answer) -> None:
        """Remembers what a read within a procedure shows; the first one is what will be owed."""
        exchange: Exchange = answer.exchange
        place = (exchange.ha_id, exchange.key)
        if exchange.purpose not in WRITES:
            self.closed.learn(answer)
        own, shown = self._own, cast("JsonValue", answer.value)
        if exchange.purpose in WRITES or not answer.has_value:
            own.since.pop(place, None)
            return
        self._found.setdefault(place, shown)
        if own.written or self._held:
            self._caused.setdefault(place, []).append(shown)
        debt = Debt(exchange.ha_id, "settings", exchange.key, shown, prepared=own.prepared)
        one = own.known.setdefault(place, Known(debt, answer.began))
        own.since[place] = one.debt.after = shown
        one.ended = answer.ended
        if one.last and same(shown, one.last[0]):
            one.last = one.last[0], None

    def may_have_caused(self, ha_id: str, key: str, value: object) -> bool:
        """Whether a value of a setting may be of this run: it wrote it, or read it while it owed anything."""
        return any(same(value, known) for known in self._caused.get((ha_id, key), ()))

    @property
    def is_holding(self) -> bool:
        """Whether a state is prepared."""
        return bool(self._held)

    def prepare(self) -> None:
        """What is read and written from now on is for a state that procedures are to be made in."""
        self._own = Account(prepared=True)

    def hold(self) -> None:
        """The state is there: what is owed for it stays owed while procedures come and go."""
        self._held.append(self._own)
        self._own = Account()

    def release(self) -> bool:
        """The state that was held last is given up: `due` is what is owed for it; whether there was one."""
        if not self._held:
            return False
        self._own = self._held.pop()
        self._own.since.clear()  # others have written meanwhile
        return True

    def owe(self, debt: Debt) -> None:
        """Takes over a debt of an earlier run, or of the run as a whole."""
        one = Known(Debt(debt.ha_id, debt.segment, debt.key, debt.before, prepared=debt.prepared))
        self._own.known[debt.place] = self._own.written[debt.place] = one

    def due(self, *, looked: bool = False) -> list[Debt]:
        """What the procedure owes: its writes, last first, then the settings that changed with them.

        One that is as it was found first has come back late: it still moved when the procedure began.

        Where it has `looked` as long as effects may take, what it read last, after all its writes, is there:
        such a debt is `restored`.
        """
        own = self._own
        for one in own.known.values():
            if one.debt.refused:
                self._learn_anew(one.debt)
        moved = [one for place, one in own.known.items() if place not in own.written and self._has_moved(one)]
        allowed = [one for one in moved if not why_not_written(self._profile, self._level, one.debt.key)]
        for one in () if self._held else allowed:
            self._owe_what_was_found(one.debt)
        owed = [*reversed(own.written.values()), *allowed] if own.written else []
        return [self._debt_of(one, looked=looked) for one in owed]

    def _debt_of(self, one: Known, *, looked: bool) -> Debt:
        """What is owed for a setting or status."""
        own, place, is_status = self._own, one.debt.place, ".Status." in one.debt.key
        debt = replace(one.debt, refused=one.debt.refused if is_status else [])  # it follows what is put back
        if is_status or place not in own.written:
            debt.found = self._found.get(place)
        if one.last:
            debt.take("acknowledged", *one.last)
        if place in own.sent:
            debt.take(None, *own.sent[place])
        if looked and place in own.since:
            debt.restored = not debt.is_due and identical(own.since[place], debt.before)
            debt.now, debt.taken_at = own.since[place], None
        return debt

    def _has_moved(self, one: Known) -> bool:
        """Whether a setting shows another value than at first, which no clock has only run down to."""
        debt = one.debt
        known = (debt.before, self._found.get(debt.place), self._at_rest.get(debt.place))
        has_run = debt.key == ALARM_CLOCK and may_have_run(debt.before, debt.after, one.ended - one.began)
        return ".Setting." in debt.key and not has_run and not any(same(debt.after, other) for other in known)

    def settle(self, debts: list[Debt], *, changed: bool = False) -> None:
        """Ends a procedure: journals what was put back, and closes what may move that which was not.

        What could not be put back is settled, too, where it is back later, or the value is found again that
        was there before the state that it was made in.
        """
        for debt in debts:
            self._journal.settled(debt, changed=changed)
            self.closed.note(debt)
        self.debts = [
            known for known in self.debts if known.restored or not any(debt.settles(known) for debt in debts)
        ] + debts
        self._own = Account()
        self.cleanups.clear()

    def note(self, debts: list[Debt], *, changed: bool = True) -> None:
        """Journals what is known beside debts: that somebody else has `changed` a setting, or what it was."""
        for debt in debts:
            self._journal.settled(debt, changed=changed)
