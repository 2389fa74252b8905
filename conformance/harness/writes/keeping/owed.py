"""What is owed: values to be put back, as the lines of a journal say; and what is not written any more.

Nothing is written that may move a setting which could not be put back, or never could be. A secret is kept
nowhere, so nobody could put back a value in which one stands. Nor could anybody put back a setting whose
answers are about another entry (line 31): its own value was never shown.
"""

import json
from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from msgspec import Struct
from pydantic import JsonValue

from catalog.keys import short_name
from catalog.loader import CATALOG
from conformance.checks.answer import Answer, Outcome
from conformance.checks.exchange import Remark
from conformance.checks.remarks import words_of
from conformance.checks.view import View
from conformance.model.couplings import are_tied, controllers_of, of_one_light
from conformance.model.json_values import identical, same
from conformance.profiles.keeping import holds_secret
from conformance.records.journal_lines import (
    SCHEMA,
    Intent,
    JournalEnd,
    JournalError,
    JournalLine,
    Settled,
    WriteAnswer,
    has_lines,
    journal_records,
)

_UNTAKEN = frozenset(outcome.value for outcome in (Outcome.REFUSED, Outcome.AUTH, Outcome.THROTTLE))
"""The outcomes of a write that say that nothing was taken; after any other one it may have been."""


class Debt(Struct):
    """A value to be put back: what was there before, after the write, and now.

    `tries` counts the writes that putting it back took, 0 where it was back by itself; `note` says why it is
    not. A `prepared` one is owed for a state that others are written in: what those owe meanwhile is the
    value of that state, and their putting back leaves this one open. `found` is what a status, or a setting
    that was not written, was found with first: where it moves late, `before` may be a value that it only
    passed. `locked` is what a setting showed instead of `before` while it could not be written. `refused` are
    the values that a killed run wrote, where each was refused; None where one was not. A status moves by
    itself, so whatever was answered counts there. One that `is_beside` says how a killed run found a setting
    that may have moved with what it wrote.

    `is_due` says that another value was taken last, or may have been: it is written whatever can be read.
    `is_written` says that it was taken itself since, so that what differs by less than a step is it.
    `taken_at` is when another value was taken that no read has shown yet, in seconds since 1970: until the
    settle time is over it may still take effect.
    """

    ha_id: str
    segment: str
    key: str
    before: JsonValue
    after: object = None
    now: object = None
    restored: bool = False
    tries: int = 0
    note: str = ""
    prepared: bool = False
    found: object = None
    locked: object = None
    refused: list[JsonValue] | None = []
    is_beside: bool = False
    is_due: bool = False
    is_written: bool = False
    taken_at: float | None = None

    def learn_anew(self, shown: JsonValue, *, is_lit: bool = False) -> None:
        """Takes another value for the one to put back: it is shown, and every write was refused.

        What was there before is then what the setting showed while it was locked. For one that `is_lit`, what
        was written is another setting of its light.
        """
        refused = self.refused or []
        if (refused or is_lit) and not any(same(shown, known) for known in (self.before, *refused)):
            self.locked, self.before = self.before, shown

    def take(self, outcome: str | None, value: JsonValue, at: float | None) -> None:
        """Notes what was written last, or may have been: where no answer was noted, it may have been taken.

        `at` is when that was, in seconds since 1970; None where it is not known, or a read has shown it.
        """
        is_back = identical(value, self.before)
        if not was_taken(outcome, is_back=is_back):
            return
        self.is_due, self.is_written = not is_back and ".Setting." in self.key, is_back
        if not is_back:
            self.taken_at = at

    def settles(self, known: "Debt") -> bool:
        """Whether what became of it settles one that was left before."""
        is_of_it = self.prepared or identical(self.before, known.before)
        return self.restored and self.place == known.place and is_of_it

    @property
    def place(self) -> tuple[str, str]:
        """The haId and the key."""
        return self.ha_id, self.key

    @property
    def words(self) -> str:
        """The debt as one line: `oven-1 PowerState was "Vendor.Common.EnumType.PowerState.On", is ...`."""
        now = "cannot be read" if self.now is None else f"is {json.dumps(self.now, ensure_ascii=False)}"
        return f"{self.ha_id} {short_name(self.key)} was {json.dumps(self.before, ensure_ascii=False)}, {now}"


class Unfinished(NamedTuple):
    """What a journal leaves to be done: its first line, and what is owed, the last write first."""

    header: dict[str, Any]
    owed: list[Debt]


def read_journal(path: Path) -> Unfinished:
    """What is left to be done by a journal.

    A last line that is cut is what a run leaves that was killed while writing it: nothing had been sent for
    it yet.

    Raises:
        JournalError: when the file is no journal, or another line cannot be read.
    """
    header, lines = journal_records(path)
    if header.get("schema") != SCHEMA:
        raise JournalError(f"{path}: not a journal of this suite")
    return Unfinished(header, _owed(lines)[::-1])


def owed_in(path: Path) -> list[Debt]:
    """What a journal still owes, the last write first.

    That is nothing where there is no file, or not one whole line in it; nor where the server was `embedded`:
    it ended with the run.

    Raises:
        JournalError: when it cannot be told.
    """
    if not has_lines(path):
        return []
    unfinished = read_journal(path)
    return [] if unfinished.header.get("embedded") is True else unfinished.owed


def _owed(lines: list[JournalLine]) -> list[Debt]:
    owed: dict[tuple[str, str, bool], Debt] = {}
    moved: dict[tuple[str, str], Debt] = {}
    outcomes = {line.of: line.outcome for line in lines if isinstance(line, WriteAnswer)}
    for line in lines:
        if isinstance(line, JournalEnd):
            # whoever ended has looked a last time
            moved = {place: one for place, one in moved.items() if line.ha_id not in {"", place[0]}}
        elif isinstance(line, Intent):
            # a restore may be tried under the other segment of a contested status (line 149)
            place = line.ha_id, line.key, line.prepared
            debt = owed.get(place)
            if line.prepared and debt and line.intent == "write":
                del owed[place]  # what took effect last is put back first
            debt = debt or Debt(
                line.ha_id, line.segment, line.key, line.before, locked=line.locked, prepared=line.prepared
            )
            owed.setdefault(place, debt)
            for other, value in line.beside.items():
                moved[line.ha_id, other] = Debt(
                    line.ha_id, "settings", other, value, refused=None, is_beside=True
                )
            debt.learn_anew(line.before)
            outcome = outcomes.get(line.n)
            if debt.refused is not None:
                is_refused = ".Status." in line.key or outcome == Outcome.REFUSED.value
                debt.refused = [*debt.refused, line.value] if is_refused else None
            debt.take(outcome, line.value, datetime.fromisoformat(line.at).timestamp() if line.at else None)
        elif isinstance(line, Settled) and line.restored:
            owed.pop((line.ha_id, line.key, False), None)
            if line.prepared:
                owed.pop((line.ha_id, line.key, True), None)
            known = moved.get((line.ha_id, line.key))
            if known and identical(known.before, line.before):
                del moved[line.ha_id, line.key]
    # what a write may have moved is compared with what was found, also where it was written itself
    return [*owed.values(), *moved.values()]


def was_taken(outcome: str | None, *, is_back: bool) -> bool:
    """Whether a write was taken, or may have been, by its outcome in a journal; None where none was noted.

    Of what is owed itself, so that it `is_back`, an acknowledgement says so; of another value, whatever does
    not deny it.
    """
    return outcome == "acknowledged" if is_back else outcome not in _UNTAKEN


class Known(Struct):
    """What one procedure, or one prepared state, has read and written of one setting or status.

    Of the `debt`, `after` is the value that was read last, and `refused` is of a setting, too. The first read
    `began`, and the last one `ended`. `last` is the last write that was taken, or may have been: its value,
    and when that was, until a read shows it.
    """

    debt: Debt
    began: float = 0.0
    ended: float = 0.0
    last: tuple[JsonValue, float | None] | None = None


class Account(Struct):
    """What one procedure, or one prepared state, has read and written, by haId and key.

    `since` are the values that were read since anything was written that may move them, `written` those that
    were written, in their order, and `sent` the writes that were not answered yet: values, and when that was.
    """

    prepared: bool = False
    known: dict[tuple[str, str], Known] = {}
    since: dict[tuple[str, str], object] = {}
    written: dict[tuple[str, str], Known] = {}
    sent: dict[tuple[str, str], tuple[JsonValue, float]] = {}


class Closed:
    """The settings of each appliance that must not be moved: nothing is written that may move them."""

    def __init__(self, views: Iterable[View] = ()) -> None:
        """Begins with what was read so far."""
        self._names: dict[str, dict[str, str]] = {}
        self._others: dict[str, str] = {}
        self._secret: defaultdict[str, set[str]] = defaultdict(set)
        self._foreign: dict[tuple[str, str], str] = {}
        for seen in views:
            for answer in seen.reads.values():
                self.learn(answer)

    def learn(self, answer: Answer) -> None:
        """Takes down whether a read shows a secret, or another entry than the one that was asked for."""
        ha_id, key, shown = answer.exchange.ha_id, answer.exchange.key, answer.shown.key
        if holds_secret(answer.value):
            self._secret[ha_id].add(key)
        if isinstance(shown, str) and shown.partition(".")[2] in _others(key):
            self._foreign[ha_id, key] = shown

    def note(self, debt: Debt) -> None:
        """Takes down what became of a debt."""
        own = self._names.setdefault(debt.ha_id, {})
        if debt.restored:
            own.pop(debt.key, None)
        else:
            own[debt.key] = short_name(debt.key)

    def leave(self, ha_id: str, remark: Remark) -> None:
        """Leaves an appliance to somebody else, who was seen to write to it."""
        self._others[ha_id] = words_of(remark)

    def is_left(self, ha_id: str) -> bool:
        """Whether an appliance was left to somebody else."""
        return ha_id in self._others

    def owed_by(self, ha_id: str) -> frozenset[str]:
        """The keys of an appliance that could not be put back."""
        return frozenset(self._names.get(ha_id, ()))

    def why_not(self, ha_id: str, keys: Iterable[str]) -> str:
        """Why some keys of an appliance are not written any more; empty where they may be."""
        if ha_id in self._others:
            return self._others[ha_id]
        wanted = [*keys]
        for key in wanted:
            if foreign := self._foreign.get((ha_id, key)):
                return f"{short_name(foreign)} answers for {short_name(key)}, whose value is not known then"
        for owed, name in self._names.get(ha_id, {}).items():
            if any(are_tied(owed, key) for key in wanted):
                return f"nothing more that may move {name} is written to {ha_id}, as it could not be put back"
        return self.why_secret(ha_id, wanted)

    def why_secret(self, ha_id: str, keys: Iterable[str]) -> str:
        """Why some keys of an appliance are not written beside a secret; empty where they may be."""
        wanted = [*keys]
        for secret in sorted(self._secret.get(ha_id, ())):
            if not _movers(secret).isdisjoint(wanted):
                return (
                    f"{short_name(secret)} holds a secret, which is kept nowhere and so could not be put back"
                )
        return ""


@cache
def _others(key: str) -> frozenset[str]:
    """The entries beside that of `key`, without the maker's name."""
    return frozenset(entry.partition(".")[2] for entry in CATALOG.entries if entry != key)


def _movers(key: str) -> frozenset[str]:
    """The keys that may move another one when they are written: itself, and what is coupled to it."""
    return frozenset({key, *controllers_of(key), *of_one_light(key)})
