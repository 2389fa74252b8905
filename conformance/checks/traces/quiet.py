"""How long nothing has to happen after a write, and which wrong values stood for so long.

The first is learned from the effects that were seen (not shown), the second from whatever a key showed at
any read of a run.

A read alone may show a value on its way to another one, right after a write, also of one that is refused. So
one counts once no write that may move the key was made for the settle time, but refused ones of allowed
values. A finding takes two of those, or reads in a row that show wrong values for the whole settle time.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from itertools import takewhile

from msgspec import Struct

from catalog.keys import ALARM_CLOCK, POWER_STATE
from conformance.checks.answer import Answer, Outcome
from conformance.checks.groups import PREPARE
from conformance.checks.traces.effects import reads_back
from conformance.checks.traces.trace import Attempt
from conformance.checks.view import View
from conformance.model.couplings import controllers_of
from conformance.model.json_values import is_number, number, same
from conformance.model.state_table import states_of

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

    def take_up(self, seen: View) -> None:
        """Takes down every answer of the procedures of an appliance, in their order."""
        for answer in seen.told:
            self.note(answer)

    def note(self, answer: Answer) -> None:
        """Takes down an answer of a procedure that writes; they are to come in their order."""
        exchange = answer.exchange
        key, entry = exchange.key, self._seen.catalog.entries.get(exchange.key)
        if entry is None or exchange.ha_id != self._seen.appliance.ha_id or key == POWER_STATE:
            return
        self._prepared = self._prepared if exchange.group == PREPARE else None
        if exchange.purpose in {"write", "restore"}:
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
    movers = {key, *controllers_of(seen.catalog, key)}
    made = [one for one in seen.told if one.is_write and one.key in movers]
    lifting = {row.controller for row in states_of(seen.catalog) if key in row.lifts}
    found: list[Wrong] = []
    since: Answer | None = None
    right = 0
    for read in shown:
        number = read.n
        before = [one for one in made if one.n < number]
        moved = next((one for one in reversed(before) if one.is_acknowledged or one.is_forbidden), None)
        if number not in wrong:
            since, right = None, number
            continue
        if since is None or (moved is not None and moved.n > since.n):
            since = read
        settled_s = read.began - moved.ended if moved else float("inf")
        lifted = max((one.n for one in before if one.key in lifting), default=0)
        # once it was right again, what a mode shows that was switched since is the doing of the mode
        own = [one for one in before if one.n > lifted] if right < lifted else before
        found.append(Wrong(read, read.began - since.ended, settled_s, _put_there_by(read, own, right)))
    return found


def _put_there_by(read: Answer, before: Sequence[Answer], right: int) -> Answer | None:
    """The forbidden write that led to a wrong value: the last one of that value, else one right before it.

    `right` is the number of the last read before it that showed a right value.
    """
    own = [one for one in before if one.key == read.key and one.exchange.purpose == "write"]
    # what moves by itself may come to show what was refused
    is_still = not moves_by_itself(read.key)
    forbidden = [one for one in own if one.is_forbidden and (is_still or one.outcome is not Outcome.REFUSED)]
    for one in reversed(forbidden):
        written, shown = one.exchange.value, read.value
        if repr(written) == repr(shown) or _are_equal(written, shown) or _ran_down(one, read):
            return one
    return next((one for one in reversed(forbidden) if one.n > right), None)


def _are_equal(one: object, other: object) -> bool:
    return is_number(one) and is_number(other) and one == other


def _ran_down(write: Answer, read: Answer) -> bool:
    """Whether an alarm clock shows what a write has become by then, if it counts the seconds."""
    written, shown = write.exchange.value, read.value
    if read.key != ALARM_CLOCK or not is_number(written) or not is_number(shown):
        return False
    return 0 <= number(written) - number(shown) <= read.ended - write.began + 1


def moves_by_itself(key: str) -> bool:
    """Whether an entry changes though nobody writes it: a status, or the alarm clock, which runs down."""
    return ".Status." in key or key == ALARM_CLOCK


def have_stood(found: Sequence[Wrong], settle_s: float) -> bool:
    """Whether wrong reads are enough for a finding."""
    settled = [one for one in found if one.settled_s >= settle_s]
    return len(settled) > 1 or any(one.stood_s >= settle_s for one in found)
