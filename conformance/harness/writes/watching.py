"""Sees whether somebody else writes to an appliance, such as another run that keeps its locks elsewhere.

What moves while nothing is written is nobody's effect. It is looked for where that is cheap: among the reads
that a run makes anyway, and, where these show something that the run does not account for, by reading the
settings a few times while nothing is written to the appliance. Where one moves then, nothing more is written.
"""

import time
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from functools import partial

from catalog.keys import ALARM_CLOCK
from conformance.checks.answer import Answer
from conformance.checks.exchange import WRITES, Exchange
from conformance.checks.groups import WATCH
from conformance.checks.others import moved_by_others
from conformance.checks.traces.trace import may_have_run
from conformance.checks.view import View
from conformance.harness.errors import TransportError
from conformance.harness.reads.gets import reread
from conformance.harness.steps import Ask, Part, Pause, Result
from conformance.harness.writes.keeping.closed import Closed
from conformance.harness.writes.procedures.parts import ask_all
from conformance.model.couplings import are_tied
from conformance.model.values import alike

_WATCHES = 3  # of each appliance
_LOOKS = 6  # of each time that it is watched
_MOST = 5  # settings that were written, and others, that it is watched by


class Watch:
    """Watches the appliances of a run; what somebody else writes to is `closed`.

    Attributes:
        since: what a quiet appliance showed that had moved before anything was written, by haId and key.
    """

    def __init__(self, views: Mapping[str, View], closed: Closed, exchanges: Sequence[Exchange]) -> None:
        """Begins with what was read so far; `exchanges` are those of the run, which become more."""
        self._views = views
        self._closed = closed
        self._exchanges = exchanges
        self._left = Counter(dict.fromkeys(views, _WATCHES))
        self._rest: dict[str, dict[str, Answer]] = defaultdict(dict)
        self._doubted: set[str] = set()
        self._written: set[str] = set()
        self._longest_s = {
            ha_id: min(_span_s(seen), seen.profile.timing.settle_s * 5) for ha_id, seen in views.items()
        }
        self.since: dict[str, dict[str, Answer]] = {}
        for ha_id, seen in views.items():
            made = (answer for answers in seen.made.values() for answer in answers)
            read = {answer.exchange.n: answer for answer in (*seen.reads.values(), *made)}
            for answer in (read[number] for number in sorted(read)):
                if answer.exchange.ha_id == ha_id and _is_still(answer):
                    self._compare(answer)

    def guarded(self, ha_id: str, steps: Part[Result], *, at_rest: bool) -> Part[Result | None]:
        """Takes steps that write to an appliance; None where they end since somebody else writes to it.

        It is watched before the first write of one that moved while it was only read, and where it is
        `at_rest`, so that nothing is prepared, before a setting is written that shows another value than it
        had.
        """
        shown: dict[str, Answer] = {}
        written: set[str] = set()
        advance, began = partial(next, steps), time.monotonic()
        try:
            while True:
                try:
                    step = advance()
                except StopIteration as end:
                    return end.value
                if isinstance(step, Ask) and step.purpose == "write":
                    odd = at_rest and step.key not in written and self._has_moved(ha_id, step.key, shown)
                    if (odd or ha_id in self._doubted) and (yield from self.look(ha_id)):
                        return None
                    self._written.add(ha_id)
                    written.add(step.key)
                try:
                    answer = yield step
                except GeneratorExit:
                    raise
                except BaseException as error:  # noqa: BLE001  it is told to whoever has asked
                    advance = partial(steps.throw, error)
                else:
                    advance = partial(steps.send, answer)
                    if isinstance(step, Ask) and step.ha_id == ha_id and _is_still(answer):
                        shown[step.key] = answer
                        if ha_id not in self._written and not self._may_have_moved(step.key, 0):
                            self._compare(answer)
        finally:
            steps.close()
            self._longest_s[ha_id] = max(self._longest_s[ha_id], time.monotonic() - began)

    def look(self, ha_id: str, written: Collection[str] = ()) -> Part[bool]:
        """Reads settings of an appliance while nothing is written to it; whether somebody else writes to it.

        What this run has just `written` may still move once.
        """
        if self._left[ha_id]:
            self._left[ha_id] -= 1
            with suppress(TransportError):  # what comes next meets it, too
                return (yield from self._look(ha_id, written))
        return False

    def _look(self, ha_id: str, written: Collection[str]) -> Part[bool]:
        seen, counted = self._views[ha_id], Counter[str]()
        settle_s = seen.profile.timing.settle_s
        each_s = max(settle_s, 2 * self._longest_s[ha_id]) / (_LOOKS - 1)
        watched = list(self._rest[ha_id])
        if written:
            parts = [key for key in watched if key in written], [key for key in watched if key not in written]
            watched = [key for part in parts for key in part[:_MOST]]
        began, before = len(self._exchanges), dict[str, Answer]()
        for number in range(_LOOKS):
            if number or written:
                yield Pause(each_s if number else settle_s)
            asks = [reread(seen, key, WATCH) for key in watched]
            now = {answer.exchange.key: answer for answer in (yield from ask_all(asks)) if answer.has_value}
            for key in now.keys() & before.keys():
                counted[key] += not _is_alike(seen, before[key], now[key])
                is_other = counted[key] > (key in written)
                if is_other and not self._may_have_moved(key, began):
                    remark = moved_by_others(before[key], now[key])
                    self._closed.leave(ha_id, remark)
                    yield remark
                    return True
            before |= now
        if ha_id in self._doubted:
            self._doubted.discard(ha_id)
            self._rest[ha_id] |= before
            self.since[ha_id] = {**self._rest[ha_id]}
        return False

    def _compare(self, answer: Answer) -> None:
        """Compares a read with the one before it, since when nothing was written."""
        ha_id, key = answer.exchange.ha_id, answer.exchange.key
        known = self._rest[ha_id].get(key)
        if known and not _is_alike(self._views[ha_id], known, answer):
            self._doubted.add(ha_id)
        self._rest[ha_id][key] = answer

    def _has_moved(self, ha_id: str, key: str, shown: Mapping[str, Answer]) -> bool:
        """Whether a setting shows another value than it had when nothing was written."""
        known = self._rest[ha_id].get(key)
        return known is not None and key in shown and not _is_alike(self._views[ha_id], known, shown[key])

    def _may_have_moved(self, key: str, began: int) -> bool:
        """Whether the run itself has written to another appliance since then what may move this key."""
        catalog = next(iter(self._views.values())).catalog
        later = (one for one in self._exchanges[began:] if one.purpose in WRITES)
        return any(are_tied(catalog, one.key, key) for one in later)


def _span_s(seen: View) -> float:
    """How long the appliance was read, in seconds."""
    times = [answer.began for answer in seen.reads.values()]
    return max(times, default=0) - min(times, default=0)


def _is_still(answer: Answer | None) -> bool:
    """Whether an answer shows a setting that nobody moves but who writes it."""
    if answer is None or not answer.has_value or answer.exchange.purpose not in {"read", "repeat"}:
        return False
    return ".Setting." in answer.exchange.key


def _is_alike(seen: View, one: Answer, other: Answer) -> bool:
    """Whether a setting shows what it showed before; an alarm clock may have run down meanwhile."""
    if alike(seen.catalog.entries[one.exchange.key], one.value, other.value):
        return True
    return one.exchange.key == ALARM_CLOCK and may_have_run(one.value, other.value, other.ended - one.began)
