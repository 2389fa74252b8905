"""The one place every write passes: allowed, journalled, then sent.

The gate also remembers, for the procedure under way, what each setting was when it was first read: that is
what is owed to the appliance at the end, whether the procedure came to its end, failed or was interrupted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from conformance.checks.exchange import WRITES
from conformance.checks.permission import reaches, why_not_written
from conformance.checks.writes.trace import same
from conformance.harness.errors import ForbiddenWriteError
from conformance.harness.writes.keeping.journal import UNWRITTEN, Debt, Journal

if TYPE_CHECKING:
    from pydantic import JsonValue

    from catalog.model import Level
    from conformance.checks.answer import Answer
    from conformance.checks.exchange import Exchange
    from conformance.harness.steps import Ask
    from conformance.profiles.model import Profile


class Gate:
    """Lets writes through, and knows what is owed for them.

    `cleanups` are requests that the procedure under way wants made at its end, whatever becomes of it;
    `blocked` are the appliances to which nothing more is written, because something could not be put back,
    with the words for that.
    """

    def __init__(
        self, profile: Profile, level: Level, journal: Journal, blocked: dict[str, str] | None = None
    ) -> None:
        """Owes nothing yet; gates of one run share what is `blocked`."""
        self._profile = profile
        self._level: Level = level
        self._journal = journal
        self._first: dict[tuple[str, str], JsonValue] = {}
        self._latest: dict[tuple[str, str], object] = {}
        self._written: dict[tuple[str, str], str] = {}
        self.blocked: dict[str, str] = {} if blocked is None else blocked
        self.cleanups: list[Ask] = []
        self.debts: list[Debt] = []

    def admit(self, ask: Ask) -> int:
        """Journals a write that is about to be sent; the number of its intent.

        Raises:
            ForbiddenWriteError: when it may not be sent.
        """
        place = (ask.ha_id, ask.key)
        is_restore = ask.purpose == "restore"
        reason = None if is_restore else self._why_not(ask)
        if reason is None and place not in self._first and ask.purpose != "hook":
            reason = "its value was not read before"
        if reason is not None:
            msg = f"a write of {ask.key} to {ask.ha_id} was not sent: {reason}"
            raise ForbiddenWriteError(msg)
        if ask.purpose == "hook":
            return UNWRITTEN  # it moves hands or time, which no write can put back
        self._written.setdefault(place, ask.segment)
        debt = Debt(ask.ha_id, ask.segment, ask.key, self._first[place])
        return self._journal.intend(ask.purpose, f"{ask.group}@{ask.lane}", debt, ask.value)

    def _why_not(self, ask: Ask) -> str | None:
        if ask.purpose == "hook":
            return None if reaches(self._level, "attended") else "hooks are used at level attended"
        if ask.ha_id in self.blocked:
            return self.blocked[ask.ha_id]
        omission = why_not_written(self._profile, self._level, ask.key)
        return omission.words if omission else None

    def answered(self, intent: int, answer: Answer) -> None:
        """Journals what came of a write."""
        if intent == UNWRITTEN:
            return
        status = answer.status
        outcome = "acknowledged" if answer.is_acknowledged else answer.outcome.value
        self._journal.answered(intent, outcome, str(status) if status else answer.words, answer.exchange.n)

    def learn(self, answer: Answer) -> None:
        """Remembers what a read within a procedure shows; the first one is what will be owed."""
        exchange: Exchange = answer.exchange
        if exchange.purpose in WRITES or not answer.has_value:
            return
        place = (exchange.ha_id, exchange.key)
        self._first.setdefault(place, cast("JsonValue", answer.value))
        self._latest[place] = answer.value

    def owe(self, debt: Debt) -> None:
        """Takes over a debt of an earlier run, or of the run as a whole."""
        place = (debt.ha_id, debt.key)
        self._first[place] = debt.before
        self._written[place] = debt.segment

    def due(self) -> list[Debt]:
        """What the procedure owes: its writes, last first, then the settings that changed with them."""
        moved = [
            place for place, first in self._first.items() if not same(first, self._latest.get(place, first))
        ]
        coupled = [place for place in moved if place not in self._written and ".Setting." in place[1]]
        allowed = [
            place for place in coupled if why_not_written(self._profile, self._level, place[1]) is None
        ]
        written = [(place, self._written[place]) for place in reversed(self._written)]
        places = [*written, *((place, "settings") for place in allowed)] if written else []
        return [
            Debt(ha_id, segment, key, self._first[ha_id, key], self._latest.get((ha_id, key)))
            for (ha_id, key), segment in places
        ]

    def settle(self, debts: list[Debt], *, changed: bool = False) -> None:
        """Ends a procedure: journals what was put back, and blocks the appliances where something was not."""
        for debt in debts:
            self._journal.settled(debt, changed=changed)
            if not debt.restored:
                self.blocked.setdefault(
                    debt.ha_id,
                    f"nothing more is written to {debt.ha_id}, as {debt.name} could not be put back",
                )
        self.debts += debts
        self._first.clear()
        self._latest.clear()
        self._written.clear()
        self.cleanups.clear()

    def note_changed(self, debts: list[Debt]) -> None:
        """Journals settings that somebody else changed and that this run must not write."""
        for debt in debts:
            self._journal.settled(debt, changed=True)
