"""How long nothing has to happen after a write: learned from the effects that were seen (not shown)."""

from functools import cached_property
from itertools import takewhile

from catalog.keys import POWER_STATE
from conformance.checks.answer import Answer
from conformance.checks.groups import PREPARE
from conformance.checks.traces.effects import reads_back
from conformance.checks.traces.trace import Attempt
from conformance.checks.view import View
from conformance.model.json_values import same

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
