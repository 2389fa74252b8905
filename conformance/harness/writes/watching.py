"""Sees whether somebody else writes to an appliance, such as another run that keeps its locks elsewhere.

What moves while nothing is written is nobody's effect. It is looked for where that is cheap: among the reads
that a run makes anyway, and, where these show something that the run does not account for, by reading the
settings a few times while nothing is written to the appliance. Where one moves then, nothing more is written.
"""

from collections import Counter, defaultdict, deque
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from conformance.checks.answer import Answer
from conformance.checks.exchange import WRITES, Exchange
from conformance.checks.groups import WATCH, ProcedureKind
from conformance.checks.others import moved_by_others
from conformance.checks.traces.effects import reads_back, shows_as_before
from conformance.checks.view import View
from conformance.harness.errors import TransportError
from conformance.harness.reads.gets import LAGGING_READS, reread
from conformance.harness.steps import Ask
from conformance.harness.writes.asking import Lane, WatchedLane
from conformance.harness.writes.keeping.closed import Closed
from conformance.harness.writes.keeping.gate import Gate
from conformance.harness.writes.lanes import LiveLane
from conformance.model.couplings import may_carry_along, of_one_light
from conformance.model.json_values import same

_WATCHES = 3  # of each appliance
_LOOKS = 6  # of each time that it is watched
_MOST = 5  # settings that were written, and others, that it is watched by
CONFIRMED = frozenset({ProcedureKind.SET, ProcedureKind.WALK, ProcedureKind.ISOLATION})
"""The procedures that write allowed values, and that are made again where one came otherwise."""


@dataclass
class _Written:
    """The last write of a setting, what it showed before, and what it has shown since.

    Attributes:
        last: the last read since.
        has_taken: whether one has shown what was written.
        is_noted: whether it is noted that it came otherwise than it should.
    """

    ask: Ask
    sent: Answer
    before: Answer | None
    last: Answer | None = None
    has_taken: bool = False
    is_noted: bool = False

    def has_moved(self, seen: View, now: Answer) -> bool:
        """Whether a setting shows neither what was written nor what it showed before, or that again."""
        self.last = now
        if reads_back(seen.values(self.ask.key, now), self.ask.value, now, self.sent):
            self.has_taken = True
            return False
        return self.has_taken or (self.before is not None and not shows_as_before(seen, self.before, now))

    @property
    def is_untaken(self) -> bool:
        """Whether an allowed value was taken, and never shown."""
        is_allowed = self.ask.group is not None and self.ask.group.kind in CONFIRMED
        return is_allowed and self.sent.is_acknowledged and not self.has_taken


@dataclass
class _Noted:
    """What some work has `shown` and `written`, by key, and shown first of others `beside`."""

    shown: dict[str, Answer] = field(default_factory=dict[str, Answer])
    written: dict[str, _Written] = field(default_factory=dict[str, _Written])
    beside: dict[tuple[str, str], Answer] = field(default_factory=dict[tuple[str, str], Answer])


class _OthersWriteError(BaseException):
    """Ends work that writes: somebody else was seen to write to the appliance."""


class Watch:
    """Watches the appliances of a run; what somebody else writes to is `closed`.

    Attributes:
        since: what a quiet appliance showed that had moved before anything was written, by haId and key.
        odd: by haId of a lane what came otherwise than it should in its last steps: what was written, or
            shown first of another appliance, and the read that shows it.
        taken: by haId of a lane the settings that took what was written last in its last steps, and kept it.
        moved: by haId and key what a setting showed, and the read that first showed what this run had
            neither read nor written since.
    """

    def __init__(
        self,
        views: Mapping[str, View],
        closed: Closed,
        gates: Mapping[str, Gate],
        exchanges: Sequence[Exchange],
    ) -> None:
        """Begins with what was read so far; `exchanges` are those of the run, which become more."""
        self._views = views
        self._closed = closed
        self._gates = gates
        self._exchanges = exchanges
        self._left = Counter(dict.fromkeys(views, _WATCHES))
        self._rest: dict[str, dict[str, Answer]] = defaultdict(dict)
        self._doubted: set[str] = set()
        self._written: set[str] = set()
        self._longest_s = {
            ha_id: min(_span_s(seen), seen.profile.timing.settle_s * 5) for ha_id, seen in views.items()
        }
        self.since: dict[str, dict[str, Answer]] = {}
        self.odd: dict[str, tuple[object, Answer]] = {}
        self.taken: dict[str, set[str]] = defaultdict(set)
        self.moved: dict[str, dict[str, tuple[object, Answer]]] = defaultdict(dict)
        self._last: dict[tuple[str, str], Answer] = {}
        self._taken_up = 0
        self._sent: defaultdict[str, list[Exchange]] = defaultdict(list)
        self._unshown: defaultdict[tuple[str, str], deque[object]] = defaultdict(deque)
        for ha_id, seen in views.items():
            made = (answer for answers in seen.made.values() for answer in answers)
            read = {answer.exchange.n: answer for answer in (*seen.reads.values(), *made)}
            for answer in (read[number] for number in sorted(read)):
                if answer.exchange.ha_id == ha_id and _is_still(answer):
                    self._compare(answer)

    def guarded(self, lane: LiveLane, work: Callable[[Lane], None], *, at_rest: bool) -> bool:
        """Does work that writes to an appliance; whether it came to its end, and nobody else was seen to.

        It is watched before the first write of one that moved while it was only read, and where it is
        `at_rest`, so that nothing is prepared, before a setting is written that shows another value than it
        had.
        """
        ha_id, began, noted = lane.name, lane.clock.now(), _Noted()
        self.odd.pop(ha_id, None)
        self.taken.pop(ha_id, None)

        def before(ask: Ask) -> None:
            if ask.purpose == "write":
                last = noted.written.get(ask.key)
                odd = at_rest and last is None and self._has_moved(ha_id, ask.key, noted.shown)
                if (odd or ha_id in self._doubted) and self.look(lane):
                    raise _OthersWriteError
                self._written.add(ha_id)
                self._note_untaken(ha_id, [last] if last else [])

        def after(ask: Ask, answer: Answer) -> None:
            if ask.ha_id == ha_id:
                self._learn(ask, answer, noted)
            elif _is_still(answer):
                self._compare_beside(ha_id, answer, noted.beside)

        try:
            work(WatchedLane(lane, before, after))
        except _OthersWriteError:
            return False
        finally:
            self._longest_s[ha_id] = max(self._longest_s[ha_id], lane.clock.now() - began)
        self._note_untaken(ha_id, noted.written.values())
        return True

    def _learn(self, ask: Ask, answer: Answer, noted: _Noted) -> None:
        """Compares what a setting shows with what was written, or with what it showed at rest."""
        ha_id, key, written = ask.ha_id, ask.key, noted.written
        if ask.purpose == "write":
            written[key] = _Written(ask, answer, noted.shown.get(key))
        if not _is_still(answer):
            return
        noted.shown[key] = answer
        self.note(answer)
        if key in written and written[key].has_moved(self._views[ha_id], answer):
            self._note_odd(ha_id, written[key])
        if ha_id not in self._written and not self._is_of_another(answer, 0):
            self._compare(answer)

    def noting(self, lane: Lane) -> Lane:
        """The lane, whose reads are noted, and no more than that."""
        return WatchedLane(lane, lambda _: None, lambda _, answer: self.note(answer))

    def note(self, answer: Answer) -> None:
        """Notes a setting that shows another value than it did, though no write since then explains it.

        What was written before that, and no read has shown, may come late.
        """
        if not _is_still(answer):
            return
        ha_id, key = place = answer.exchange.ha_id, answer.exchange.key
        for one in self._exchanges[self._taken_up :]:
            if one.purpose in WRITES:
                self._sent[one.ha_id].append(one)
                self._unshown[one.ha_id, one.key].append(one.value)
        self._taken_up = len(self._exchanges)
        known = self._last.get(place) or self._rest[ha_id].get(key)
        self._last[place] = answer
        is_late = any(same(value, answer.value) for value in self._unshown[place])
        while is_late and not same(self._unshown[place].popleft(), answer.value):
            pass  # what was written before that comes no more
        if known is None or is_late or shows_as_before(self._views[ha_id], known, answer):
            return
        since = {one.key for one in self._sent[ha_id] if one.n > known.exchange.n}
        if key not in since and not self._may_follow(ha_id, key, since):
            self.moved[ha_id].setdefault(key, (known.value, answer))

    def _compare_beside(self, ha_id: str, answer: Answer, beside: dict[tuple[str, str], Answer]) -> None:
        """Compares what another appliance shows with what it showed before something was written here."""
        first = beside.setdefault((answer.exchange.ha_id, answer.exchange.key), answer)
        if not shows_as_before(self._views[answer.exchange.ha_id], first, answer):
            self.odd[ha_id] = first.value, answer

    def _note_untaken(self, ha_id: str, written: Iterable[_Written]) -> None:
        """Notes allowed values that were taken, and that no read has shown."""
        for one in written:
            if one.is_untaken:
                self._note_odd(ha_id, one)
            elif one.has_taken:
                self.taken[ha_id].add(one.ask.key)

    def _note_odd(self, ha_id: str, written: _Written) -> None:
        """Notes a write that came otherwise than it should, once."""
        if written.last and not written.is_noted:
            written.is_noted = True
            self.odd[ha_id] = written.ask.value, written.last

    def look(self, lane: LiveLane, written: Collection[str] = ()) -> bool:
        """Reads settings of an appliance while nothing is written to it; whether somebody else writes to it.

        What this run has just `written` is given the settle time first.
        """
        if self._left[lane.name]:
            self._left[lane.name] -= 1
            with suppress(TransportError):  # what comes next meets it, too
                return self._look(lane, written)
        return False

    def _look(self, lane: LiveLane, written: Collection[str]) -> bool:
        ha_id, seen = lane.name, self._views[lane.name]
        settle_s = seen.profile.timing.settle_s
        each_s = max(settle_s, 2 * self._longest_s[ha_id]) / (_LOOKS - 1)
        watched = list(self._rest[ha_id])
        if written:
            parts = [key for key in watched if key in written], [key for key in watched if key not in written]
            watched = [key for part in parts for key in part[:_MOST]]
        began, before = len(self._exchanges), dict[str, Answer]()
        for number in range(_LOOKS):
            if number or written:
                lane.pause(each_s if number else settle_s)
            asks = [reread(seen, key, WATCH) for key in watched]
            now = {answer.exchange.key: answer for answer in lane.ask_all(asks) if answer.has_value}
            for key in now.keys() & before.keys():
                if shows_as_before(seen, before[key], now[key]):
                    continue
                self.odd[ha_id] = before[key].value, now[key]
                if not (self._is_of_another(now[key], began) or self._may_lag_behind(ha_id, key)):
                    self.leave(lane, before[key].value, now[key])
                    return True
            before |= now
        if ha_id in self._doubted:
            self._doubted.discard(ha_id)
            self._rest[ha_id] |= before
            self.since[ha_id] = {**self._rest[ha_id]}
            self._gates[ha_id].found(self.since[ha_id])
        return False

    def leave(self, lane: LiveLane, before: object, now: Answer) -> None:
        """Leaves an appliance to somebody else, who has moved a setting."""
        remark = moved_by_others(before, now)
        self._closed.leave(remark.ha_id, remark)
        lane.remark(remark)

    def _compare(self, answer: Answer) -> None:
        """Compares a read with the one before it, since when nothing was written."""
        ha_id, key = answer.exchange.ha_id, answer.exchange.key
        known = self._rest[ha_id].get(key)
        if known and not shows_as_before(self._views[ha_id], known, answer):
            self._doubted.add(ha_id)
        self._rest[ha_id][key] = answer

    def _has_moved(self, ha_id: str, key: str, shown: Mapping[str, Answer]) -> bool:
        """Whether a setting shows another value than it had when nothing was written."""
        known = self._rest[ha_id].get(key)
        return (
            known is not None and key in shown and not shows_as_before(self._views[ha_id], known, shown[key])
        )

    def _may_lag_behind(self, ha_id: str, key: str) -> bool:
        """Whether the last read of a key may be the first that shows what its light was written.

        Who answers from what was read before shows that at a later read, however long ago it was written.
        """
        reads = 0
        for one in reversed(self._exchanges):
            if one.ha_id == ha_id and one.purpose in WRITES and one.key in of_one_light(key):
                return reads <= LAGGING_READS + 1
            reads += one.ha_id == ha_id and one.key == key
        return False

    def _is_of_another(self, now: Answer, began: int) -> bool:
        """Whether a setting may show what the run itself has written to another appliance since then.

        Who takes one appliance for another shows the value that was written, or what comes with it.
        """
        ha_id, key = now.exchange.ha_id, now.exchange.key
        later = [one for one in self._exchanges[began:] if one.purpose in WRITES and one.ha_id != ha_id]
        is_written = any(one.key == key and same(one.value, now.value) for one in later)
        return is_written or self._may_follow(ha_id, key, {one.key for one in later})

    def _may_follow(self, ha_id: str, key: str, written: Collection[str]) -> bool:
        """Whether a setting may have moved with another one that was `written`."""
        catalog = self._views[ha_id].catalog
        return any(may_carry_along(catalog, one, key) for one in written)


def _span_s(seen: View) -> float:
    """How long the appliance was read, in seconds."""
    times = [answer.began for answer in seen.reads.values()]
    return max(times, default=0) - min(times, default=0)


def _is_still(answer: Answer | None) -> bool:
    """Whether an answer shows a setting that nobody moves but who writes it."""
    if answer is None or not answer.has_value or answer.exchange.purpose not in {"read", "repeat"}:
        return False
    return ".Setting." in answer.exchange.key
