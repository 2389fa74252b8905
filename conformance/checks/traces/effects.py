"""What became of writes, as reads tell: their effects, how long these take, and which wrong values stood.

How long nothing has to happen after a write is learned from the effects that were seen (not shown).

A read alone may show a wrong value on its way to another one, right after a write, also of one that is
refused. So one counts once no write that may move the key was made for the settle time, but refused ones of
allowed values. A finding takes two of those, or reads in a row that show wrong values for that time.
"""

from collections.abc import Callable, Container, Iterable, Sequence
from enum import Enum
from functools import cached_property
from itertools import chain, takewhile

from msgspec import Struct

from catalog.keys import ALARM_CLOCK, POWER_STATE
from catalog.loader import CATALOG
from conformance.checks.answer import Answer, Outcome
from conformance.checks.groups import PREPARE, ProcedureKind
from conformance.checks.traces.trace import Attempt, tries_to_put_back
from conformance.checks.view import View
from conformance.model.couplings import controllers_of, moves_by_itself
from conformance.model.json_values import NOTHING, identical, is_number, is_whole, number, same
from conformance.model.state_table import STATE_ROWS
from conformance.model.values import Values, alike

_MINUTE_S = 60  # an alarm clock may count whole minutes


class Effect(Enum):
    """What became of a write that was to have an effect."""

    TOOK = "took effect"
    DROPPED = "acknowledged, and the old value stayed"
    REVERTED = "read once, then the old value again"
    REFUSED = "refused, and the old value stayed"
    OTHER = "another value than the written one"
    UNKNOWN = "not known"


def reads_back(values: Values, wanted: object, read: Answer, written: Answer) -> bool:
    """Whether a read shows the value that was written: one like it, or an alarm clock that has run on."""
    if values.alike(wanted, read.value):
        return True
    return is_whole(wanted) and is_whole(read.value) and _ran_down(wanted, read, written)


def _ran_down(wanted: object, read: Answer, written: Answer) -> bool:
    """Whether an alarm clock shows what a value has become since it was written, if it counts the seconds."""
    if read.key != ALARM_CLOCK or not (is_number(wanted) and is_number(read.value)):
        return False
    return 0 <= number(wanted) - number(read.value) <= read.ended - written.began + 1


def may_have_run(before: object, now: object, passed_s: float) -> bool:
    """Whether an alarm clock may have run down from one value to another in so many seconds, and a minute."""
    if not (is_number(before) and is_number(now)):
        return False
    return 0 <= number(before) - number(now) <= passed_s + _MINUTE_S


def may_come_to(values: Values, before: object, now: object, settle_s: float) -> bool:
    """Whether what is there before may show as this once it has settled: an alarm clock may run down."""
    runs = values.entry.key == ALARM_CLOCK and may_have_run(before, now, settle_s)
    return runs or values.alike(before, now)


def are_told_apart(values: Values, one: object, other: object, settle_s: float) -> bool:
    """Whether neither of two values may come to show as the other."""
    return not (may_come_to(values, one, other, settle_s) or may_come_to(values, other, one, settle_s))


def shows_as_before(before: Answer, now: Answer) -> bool:
    """Whether a setting shows what it showed before; an alarm clock may have run down meanwhile."""
    if alike(CATALOG.entries[before.exchange.key], before.value, now.value):
        return True
    passed_s = now.ended - before.began
    return before.exchange.key == ALARM_CLOCK and may_have_run(before.value, now.value, passed_s)


def values_around(seen: View, attempt: Attempt) -> Values:
    """What the written key may hold, as the reads of it before and after the write show."""
    reads = (attempt.old_read(), *attempt.reads())
    return seen.values(attempt.key, *(read for read in reads if read and read.has_value))


def effect_of(seen: View, attempt: Attempt) -> Effect:
    """What became of a write that was to have an effect, as far as the reads after it tell."""
    reads, values = attempt.reads(), values_around(seen, attempt)
    took = [reads_back(values, attempt.value, read, attempt.answer) for read in reads]
    # an alarm clock that shows its old value may have run down to it, or never have left it
    is_as_old = not values.alike(attempt.value, attempt.old()) and all(
        same(read.value, attempt.old()) for read in reads if read.has_value
    )
    if any(took) and not is_as_old:
        # an error says nothing of what came before it
        last, is_there = [one for one in zip(reads, took, strict=True) if not one[0].is_error][-1]
        if is_there:
            return Effect.TOOK
        if last.has_value:  # what is hidden by then, or kept from who reads, may be there still
            return Effect.REVERTED if same(last.value, attempt.old()) else Effect.OTHER
    if any(took) or not reads or not reads[-1].has_value or attempt.old() is NOTHING:
        return Effect.UNKNOWN
    if not is_as_old:
        return Effect.OTHER
    if attempt.is_refused:
        return Effect.REFUSED
    is_settled = attempt.is_settled(seen.profile.timing.settle_seconds(attempt.key))
    return Effect.DROPPED if attempt.is_acknowledged and is_settled else Effect.UNKNOWN


def not_taken_later(seen: View, tries: Iterable[Attempt], tried: Sequence[Attempt]) -> list[Attempt]:
    """Those of some tries whose write had no effect later either: somebody else may have acted until then.

    `tried` are those that may have had one. What was read for less time than it took until the value was seen
    to be lost may have lost it, too.
    """
    return [one for one in tries if not any(_is_like_and_took(seen, one, later) for later in tried)]


def lost_tries(seen: View, key: str, tried: Sequence[Attempt], of: Container[ProcedureKind]) -> list[Attempt]:
    """The tries of procedures of some kinds to put a setting back that had no effect later either.

    `tried` are further writes that may have had it. What is refused, and taken then, shows nothing.
    """
    tries = tries_to_put_back(seen, key)
    left = not_taken_later(seen, tries, (*tried, *tries))
    made = [one for one in left if one.answer.exchange.groups[0].kind in of]
    return [one for one in made if one.is_acknowledged] or made


def _is_like_and_took(seen: View, attempt: Attempt, later: Attempt) -> bool:
    is_alike = later.answer.n > attempt.answer.n and same(later.value, attempt.value)
    if not is_alike or same(later.value, later.old()) or effect_of(seen, later) is not Effect.TOOK:
        return False
    return later.watched() >= _lost_after_s(seen, attempt)


def _lost_after_s(seen: View, attempt: Attempt) -> float:
    """Seconds from a write to the first read without its value after one with it; 0 where there is none."""
    values, has_shown = values_around(seen, attempt), False
    for read in attempt.reads():
        is_shown = reads_back(values, attempt.value, read, attempt.answer)
        if has_shown and not is_shown:
            return read.began - attempt.answer.ended
        has_shown = has_shown or is_shown
    return 0.0


_TIMES_THE_SLOWEST = 5
_LEAST_S = 0.2


class Effects:
    """The effects of the writes to an appliance so far: how long the slowest took, in seconds.

    `has_stayed` says whether a value that must not be there was, for the whole settle time.

    An effect took from the answer to a write that was acknowledged to the first read that shows the value.
    One that was not read before the next write says nothing of how long it took. Where it was written to
    prepare a state, so did what another entry shows while that is prepared.
    Power states take their own time, and are not counted.
    """

    def __init__(self, seen: View) -> None:
        self._seen = seen
        self._latest: dict[str, object] = {}
        self._prepared: Answer | None = None
        self._open: dict[str, Answer] = {}
        self._unread = ""
        self._forbidden: dict[str, Answer] = {}
        self.slowest: float | None = None
        self.has_writes = self.has_stayed = False

    def note(self, answer: Answer) -> None:
        """Takes down an answer of a procedure that writes; they are to come in their order."""
        exchange = answer.exchange
        key, entry = exchange.key, CATALOG.entries.get(exchange.key)
        if entry is None or exchange.ha_id != self._seen.appliance.ha_id or key == POWER_STATE:
            return
        self._prepared = self._prepared if exchange.group == PREPARE else None
        if answer.is_write:
            self.has_writes = True
            self._open.pop(self._unread, None)
            self._open.pop(key, None)
            self._unread = key
            self._forbidden.pop(key, None)
            moves = key in self._latest and not same(self._latest[key], exchange.value)
            if exchange.group == PREPARE and answer.is_acknowledged:
                self._prepared = answer
            if exchange.purpose == "write" and moves and answer.is_forbidden:
                self._forbidden[key] = answer
            elif exchange.purpose == "write" and moves and answer.is_acknowledged:
                self._open[key] = answer
        elif answer.has_value:
            self._unread = "" if self._unread == key else self._unread
            written = self._open.get(key)
            values = self._seen.values(key, answer)
            if written and reads_back(values, written.exchange.value, answer, written):
                self.slowest = max(self.slowest or 0.0, answer.ended - written.ended)
                del self._open[key]
            elif self._prepared and self._has_moved(answer):
                self.slowest = max(self.slowest or 0.0, answer.ended - self._prepared.ended)
            wrong = self._forbidden.get(key)
            if wrong and same(answer.value, wrong.exchange.value):
                waited_s = answer.began - wrong.ended
                self.has_stayed = self.has_stayed or waited_s >= self._seen.profile.timing.settle_seconds(key)
            self._latest[key] = answer.value

    def has_new_rules(self, answer: Answer) -> bool:
        """Whether a read shows another key, unit, range or list than every one of its address before.

        It is taken down, so that the next one alike shows nothing new.
        """
        known = self._rules.get(answer.exchange.request.url)
        is_read = answer.has_value and not answer.is_write
        if known is None or not is_read or answer.rules in known:
            return False
        known.add(answer.rules)
        return True

    @cached_property
    def _rules(self) -> dict[str, set[str]]:
        reads = [read for read in self._seen.reads.values() if read.has_value]
        return {read.exchange.request.url: {read.rules} for read in reads}

    def _has_moved(self, answer: Answer) -> bool:
        """Whether a read shows another value than the one before it."""
        key = answer.key
        return not same(self._latest.get(key, self._seen.value(key)), answer.value)

    def quiet_s(self, most_s: float) -> float:
        """How long nothing has to happen: `most_s` at most, and the settle time, also of a power state."""
        timing = self._seen.profile.timing
        most_s = min(most_s, timing.settle_s)
        if timing.quiet_s is not None:
            return min(timing.quiet_s, most_s)
        if self.slowest is None:
            return most_s
        return min(most_s, max(_LEAST_S, _TIMES_THE_SLOWEST * self.slowest))


def quiet_seconds(seen: View, attempt: Attempt) -> float:
    """How long an attempt that must have no effect is to be watched, by what had been seen by then."""
    most_s = seen.profile.timing.settle_seconds(attempt.key)
    effects, shortest = Effects(seen), most_s
    if seen.profile.timing.quiet_s is not None or most_s <= _LEAST_S:
        return effects.quiet_s(most_s)
    last = attempt.after[-1] if attempt.after else attempt.answer
    for answer in takewhile(lambda one: one.n <= last.n, seen.told):
        if answer.n > attempt.answer.n:
            shortest = min(shortest, effects.quiet_s(most_s))
        effects.note(answer)
    return min(shortest, effects.quiet_s(most_s))


class Wrong(Struct, frozen=True):
    """A read that shows a wrong value.

    Attributes:
        read: the read.
        stood_s: how long wrong values had been read by then, and nothing else, since the last write that may
            move the key.
        settled_s: how long that write was ago.
        by: the forbidden write that this run had made before and that put the value there, if one did.
    """

    read: Answer
    stood_s: float
    settled_s: float
    by: Answer | None


def wrong_reads(
    seen: View, key: str, reads: Iterable[Answer], is_wrong: Callable[[Answer], bool]
) -> list[Wrong]:
    """Those of the reads of a key that show a wrong value, in their order."""
    shown = sorted(reads, key=lambda read: read.n)
    wrong = {read.n for read in shown if is_wrong(read)}
    if not wrong:
        return []
    movers = {key, *controllers_of(key)}
    made = [one for one in seen.told if one.is_write and one.key in movers]
    lifting = {row.controller for row in STATE_ROWS if key in row.lifts}
    found: list[Wrong] = []
    since: Answer | None = None
    right = 0
    for read in shown:
        if read.n not in wrong:
            since, right = None, read.n
            continue
        before = [one for one in made if one.n < read.n]
        moved = next((one for one in reversed(before) if one.is_acknowledged or one.is_forbidden), None)
        if since is None or (moved is not None and moved.n > since.n):
            since = read
        settled_s = read.began - moved.ended if moved else float("inf")
        lifted = max((one.n for one in before if one.key in lifting), default=0)
        # once it was right again, what a mode shows that was switched since is the doing of the mode
        own = [one for one in before if one.n > lifted] if right < lifted else before
        found.append(Wrong(read, read.began - since.ended, settled_s, _put_there_by(read, own, right)))
    return found


def _put_there_by(read: Answer, before: Sequence[Answer], right: int) -> Answer | None:
    """The forbidden write that led to a wrong value; `right` numbers the last read of a right one before."""
    own = [one for one in reversed(before) if one.key == read.key and one.exchange.purpose == "write"]
    # what moves by itself may come to show what was refused
    is_still = not moves_by_itself(read.key)
    forbidden = [one for one in own if one.is_forbidden and (is_still or one.outcome is not Outcome.REFUSED)]
    of_it = (one for one in forbidden if identical(one.exchange.value, read.value))
    run_down = (one for one in forbidden if _ran_down(one.exchange.value, read, one))
    # its own value counts before one from which a clock ran down, and that before what was written last
    return next(chain(of_it, run_down, (one for one in forbidden if one.n > right)), None)


def have_stood(found: Sequence[Wrong], settle_s: float) -> bool:
    """Whether wrong reads are enough for a finding."""
    settled = [one for one in found if one.settled_s >= settle_s]
    return len(settled) > 1 or any(one.stood_s >= settle_s for one in found)
