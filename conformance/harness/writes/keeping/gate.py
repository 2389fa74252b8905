"""The one place every write passes: allowed, journalled, then sent.

The gate also remembers, for the procedure under way, what each setting was when it was first read: that is
what is owed to the appliance at the end, whether the procedure came to its end, failed or was interrupted.
What was written to prepare a state is owed until that state is given up, whatever the procedures in between
write and put back.
"""

from collections.abc import Mapping
from typing import cast

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
from conformance.harness.writes.keeping.owed import Account, Closed, Debt, was_taken
from conformance.model.couplings import is_light, of_one_light
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
        self._closed = closed
        self.cleanups: list[Ask] = []
        self.debts: list[Debt] = []

    def admit(self, ask: Ask) -> int:
        """Journals a write that is about to be sent; the number of its intent.

        Raises:
            ForbiddenWriteError: when it may not be sent.
            SecretValueError: when it may move a value in which a secret stands, or would write one.
        """
        place = (ask.ha_id, ask.key)
        is_restore = ask.purpose == "restore"
        if secret := self._why_secret(ask, is_restore=is_restore):
            raise SecretValueError(f"not written: {secret}")
        reason = None if is_restore else self._why_not(ask)
        if reason is None and place not in self._own.first and ask.purpose != "hook":
            reason = "its value was not read before"
        if reason is not None:
            raise ForbiddenWriteError(f"a write of {ask.key} to {ask.ha_id} was not sent: {reason}")
        if ask.purpose == "hook":
            self._own.since.clear()
            return UNWRITTEN  # it moves hands or time, which no write can put back
        own = self._own
        own.since.clear()
        self._caused.setdefault(place, []).append(ask.value)
        if not is_restore and place not in own.written and not self._held:
            self._owe_what_was_found(place)
        if not is_restore and place not in own.taken:
            self._learn_anew(place)
            own.refused.setdefault(place, []).append(ask.value)
        segment = own.written.get(place, ask.segment)
        if own.prepared and not is_restore:
            own.written.pop(place, None)  # what took effect last is put back first
        own.written.setdefault(place, segment)
        own.sent[place] = ask.value, self._clock.since_1970()
        debt = Debt(ask.ha_id, ask.segment, ask.key, own.first[place], prepared=own.prepared)
        debt.locked = own.locked.get(place)
        at_rest, lit = self._at_rest, of_one_light(ask.key)
        moved = {key: at_rest[ask.ha_id, key] for key in lit if (ask.ha_id, key) in at_rest}
        if not identical(found := at_rest.get(place, debt.before), debt.before):
            moved[ask.key] = found  # another procedure has moved it, or the state that it is made in
        intent = "restore" if is_restore else "write"
        return self._journal.intend(intent, f"{ask.group}@{ask.lane}", debt, ask.value, moved)

    def found(self, reads: Mapping[str, Answer]) -> None:
        """Takes what settings show before this run has written anything for what they were found with."""
        for key, read in reads.items():
            place = read.exchange.ha_id, key
            if read.has_value and place in self._at_rest:
                self._at_rest[place] = cast("JsonValue", read.value)

    def _owe_what_was_found(self, place: tuple[str, str]) -> None:
        """Owes what a setting showed at rest, whatever its procedure has found; no clock stands."""
        own, found = self._own, self._at_rest.get(place)
        if found is not None and place[1] != ALARM_CLOCK and not same(found, own.first[place]):
            own.first[place] = found

    def _learn_anew(self, place: tuple[str, str]) -> None:
        """Takes another value that a setting shows, no write of which was taken so far, for its own.

        It was refused, or was not written before others of its light were: what it showed while it was locked
        is then not what it will be put back to. But for a light, what a setting was found with is known.
        """
        own = self._own
        if place in self._at_rest and not is_light(place[1]):
            return
        shown, refused = own.latest[place], own.refused.get(place, [])
        may_show = refused or any((place[0], other) in own.written for other in of_one_light(place[1]))
        if may_show and not any(same(shown, known) for known in (own.first[place], *refused)):
            own.locked[place] = own.first[place]
            own.first[place] = cast("JsonValue", shown)

    def _why_not(self, ask: Ask) -> str | None:
        if ask.purpose == "hook":
            return None if reaches(self._level, "attended") else "hooks are used at level attended"
        if closed := self.why_closed(ask.ha_id, ask.key):
            return closed
        omission = why_not_written(self._profile, self._level, ask.key)
        return omission.words if omission else None

    def _why_secret(self, ask: Ask, *, is_restore: bool) -> str:
        if holds_secret(ask.value):
            return "the value to write is a secret, which is kept nowhere"
        return "" if is_restore else self._closed.why_secret(ask.ha_id, (ask.key,))

    def why_closed(self, ha_id: str, *keys: str) -> str:
        """Why some keys are not written any more: something was not put back, or could not be."""
        return self._closed.why_not(ha_id, keys) or self._closed.why_secret(ha_id, keys)

    @property
    def under_way(self) -> list[tuple[str, JsonValue]]:
        """The writes that were not answered yet, by key: what they do may be read before that."""
        return [(key, value) for (_, key), (value, _) in self._own.sent.items()]

    @property
    def owing(self) -> int:
        """How many requests it takes to put back what is owed now; of what was refused, a read shows that."""
        accounts = (self._own, *self._held)
        taken = sum(len(one.sent.keys() | one.last.keys()) for one in accounts)
        return sum(len(one.written) for one in accounts) + (TO_PUT_BACK - 1) * (taken + len(self.cleanups))

    def owed_by(self, ha_id: str) -> frozenset[str]:
        """The keys of an appliance that could not be put back."""
        return self._closed.owed_by(ha_id)

    def answered(self, intent: int, answer: Answer) -> None:
        """Journals what came of a write."""
        if intent == UNWRITTEN:
            return
        place = (answer.exchange.ha_id, answer.exchange.key)
        if answer.outcome is not Outcome.REFUSED and ".Setting." in answer.exchange.key:
            self._own.taken.add(place)
        status, own = answer.status, self._own
        outcome = "acknowledged" if answer.is_acknowledged else answer.outcome.value
        value, _ = own.sent.pop(place)
        if was_taken(outcome, is_back=identical(value, own.first[place])):
            own.last[place] = value, answer.ended
            own.unshown.add(place)
        self._journal.answered(intent, outcome, str(status) if status else answer.words, answer.exchange.n)

    def learn(self, answer: Answer) -> None:
        """Remembers what a read within a procedure shows; the first one is what will be owed."""
        exchange: Exchange = answer.exchange
        place = (exchange.ha_id, exchange.key)
        if exchange.purpose not in WRITES:
            self._closed.learn(answer)
        if exchange.purpose in WRITES or not answer.has_value:
            self._own.since.pop(place, None)
            return
        self._found.setdefault(place, answer.value)
        if self._own.written or self._held:
            self._caused.setdefault(place, []).append(answer.value)
        self._own.since[place] = answer.value
        self._own.first.setdefault(place, cast("JsonValue", answer.value))
        self._own.latest[place] = answer.value
        began, _ = self._own.read_at.get(place, (answer.began, 0.0))
        self._own.read_at[place] = began, answer.ended
        if place in self._own.last and same(answer.value, self._own.last[place][0]):
            self._own.unshown.discard(place)

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
        self._own.prepared = debt.prepared
        self._own.first[debt.place] = debt.before
        self._own.written[debt.place] = debt.segment

    def due(self, *, looked: bool = False) -> list[Debt]:
        """What the procedure owes: its writes, last first, then the settings that changed with them.

        One that is as it was found first has come back late: it still moved when the procedure began.

        Where it has `looked` as long as effects may take, what it read last, after all its writes, is there:
        such a debt is `restored`.
        """
        own = self._own
        for place in own.refused.keys() - own.taken:
            self._learn_anew(place)
        moved = [
            place
            for place, first in own.first.items()
            if not any(
                same(own.latest.get(place, first), before)
                for before in (first, self._found.get(place), self._at_rest.get(place))
            )
        ]
        coupled = [
            place
            for place in moved
            if place not in own.written and ".Setting." in place[1] and not self._has_run_on(place)
        ]
        allowed = [one for one in coupled if not why_not_written(self._profile, self._level, one[1])]
        for place in () if self._held else allowed:
            self._owe_what_was_found(place)
        written = [(place, own.written[place]) for place in reversed(own.written)]
        places = [*written, *((place, "settings") for place in allowed)] if written else []
        debts = [
            Debt(place[0], segment, place[1], own.first[place], own.latest.get(place), prepared=own.prepared)
            for place, segment in places
        ]
        for debt in debts:
            debt.locked = own.locked.get(debt.place)
            if ".Status." in debt.key:  # it follows what is put back
                debt.refused = own.refused.get(debt.place)
            if ".Status." in debt.key or debt.place not in own.written:
                debt.found = self._found.get(debt.place)
            value, at = own.last.get(debt.place, (debt.before, 0.0))
            sent = own.sent.get(debt.place)
            if sent and was_taken(None, is_back=identical(sent[0], debt.before)):
                value, at = sent
            is_back = identical(value, debt.before)
            debt.is_due = not is_back and ".Setting." in debt.key
            debt.is_written = is_back and debt.place in own.last
            if looked and debt.place in own.since:
                debt.restored = not debt.is_due and identical(own.since[debt.place], debt.before)
                debt.now = own.since[debt.place]
            elif not is_back and (debt.place in own.sent or debt.place in own.unshown):
                debt.taken_at = at
        return debts

    def _has_run_on(self, place: tuple[str, str]) -> bool:
        """Whether an alarm clock may only have run down since it was read first."""
        own = self._own
        began, ended = own.read_at[place]
        is_clock = place[1] == ALARM_CLOCK
        return is_clock and may_have_run(own.first[place], own.latest[place], ended - began)

    def settle(self, debts: list[Debt], *, changed: bool = False) -> None:
        """Ends a procedure: journals what was put back, and closes what may move that which was not.

        What could not be put back is settled, too, where it is back later, or the value is found again that
        was there before the state that it was made in.
        """
        for debt in debts:
            self._journal.settled(debt, changed=changed)
            self._closed.note(debt)
        self.debts = [
            known for known in self.debts if known.restored or not any(debt.settles(known) for debt in debts)
        ] + debts
        self._own = Account()
        self.cleanups.clear()

    def note(self, debts: list[Debt], *, changed: bool = True) -> None:
        """Journals what is known beside debts: that somebody else has `changed` a setting, or what it was."""
        for debt in debts:
            self._journal.settled(debt, changed=changed)
