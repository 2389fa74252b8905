"""Sees whether somebody else writes to an appliance, such as another run that keeps its locks elsewhere.

What moves while nothing is written is nobody's effect. It is looked for where that is cheap: among the reads
that a run makes anyway, and, where these show something that the run does not account for, by reading the
settings a few times while nothing is written to the appliance. Where one moves then, nothing more is written.
"""

from collections import Counter, defaultdict, deque
from collections.abc import Collection, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import takewhile

from catalog.loader import CATALOG
from conformance.checks.answer import Answer
from conformance.checks.exchange import WRITES, Exchange
from conformance.checks.groups import WATCH, ProcedureKind
from conformance.checks.reads.support import is_lost
from conformance.checks.remarks import moved_by_others
from conformance.checks.traces.effects import shows_as_before
from conformance.checks.view import View, with_reads
from conformance.harness.errors import TransportError
from conformance.harness.reads.repeats import tries_in
from conformance.harness.steps import LAGGING_READS, Ask, reread
from conformance.harness.writes.lanes import LiveLane
from conformance.model.couplings import may_carry_along, of_one_light
from conformance.model.json_values import same
from conformance.model.values import alike

_WATCHES = 3  # of each appliance
_LOOKS = 6  # of each time that it is watched
_MOST = 5  # settings that were written, and others, that it is watched by
CONFIRMED = frozenset({ProcedureKind.SET, ProcedureKind.WALK, ProcedureKind.ISOLATION})
"""The procedures that write allowed values, and that are made again where one came otherwise."""


class _OthersWriteError(BaseException):
    """Ends work that writes: somebody else was seen to write to the appliance."""


class Watch:
    """Watches the appliances of a run; what somebody else writes to is closed.

    Attributes:
        since: what an appliance showed before anything was written, by haId and key, where it had moved while
            it was only read, or where the run goes on from another one.
        moved: by haId and key what a setting showed, and the read that first showed what this run had
            neither read nor written since.
    """

    def __init__(
        self, lanes: Mapping[str, LiveLane], exchanges: Sequence[Exchange], *, kept_until: float
    ) -> None:
        """Begins with what was read so far; `exchanges` are those of the run, which become more.

        What was read until `kept_until` (seconds since 1970) an earlier run has read, which this one goes on
        from. It is not compared: between two nights the owner of an appliance may set what he likes.
        """
        self._lanes = lanes
        self._views = views = {ha_id: lane.found for ha_id, lane in lanes.items()}
        self._exchanges = exchanges
        self._left = Counter(dict.fromkeys(views, _WATCHES))
        self._rest: dict[str, dict[str, Answer]] = defaultdict(dict)
        self._doubted: set[str] = set()
        self._written: set[str] = set()
        self._longest_s = {
            ha_id: min(_span_s(seen, kept_until), seen.profile.timing.settle_s * 5)
            for ha_id, seen in views.items()
        }
        self.since: dict[str, dict[str, Answer]] = {}
        self.moved: dict[str, dict[str, tuple[object, Answer]]] = defaultdict(dict)
        self._last: dict[tuple[str, str], Answer] = {}
        self._taken_up = 0
        self._unshown: defaultdict[tuple[str, str], deque[object]] = defaultdict(deque)
        for ha_id, seen in views.items():
            made = (answer for answers in seen.made.values() for answer in answers)
            read = {answer.exchange.n: answer for answer in (*seen.reads.values(), *made)}
            for answer in (read[number] for number in sorted(read)):
                if answer.exchange.ha_id == ha_id and answer.began > kept_until and _is_still(answer):
                    self._compare(answer)

    def begin_anew(self, lane: LiveLane, now: Mapping[str, Answer]) -> None:
        """Takes what the settings show `now` for what they showed before anything was written.

        That is what a run looks at before it writes that goes on from another one.
        """
        for answer in now.values():
            if _is_still(answer):
                self._compare(answer)
        self.since[lane.name] = {**now}
        lane.gate.found(self.since[lane.name])

    @contextmanager
    def guarded(self, lane: LiveLane) -> Generator[None]:
        """Ends what writes to an appliance as long as the context lasts where somebody else is seen to.

        It is watched before the first write of one that moved while it was only read, and where nothing is
        prepared, before a setting is written that shows another value than it had. The effects of the lane
        learn from what comes. One that gives no value any more is tried again, since a finding takes three.
        """
        ha_id, began, written, at_rest = lane.name, lane.clock.now(), set[str](), not lane.gate.is_holding
        shown: dict[str, Answer] = {}
        lost = set[str]()

        def before(ask: Ask) -> None:
            if ask.purpose == "write":
                is_own = ask.key in written or _may_follow(ask.key, written)
                is_odd = at_rest and not is_own and self._has_moved(ha_id, ask.key, shown)
                if (is_odd or ha_id in self._doubted) and self.look(lane):
                    raise _OthersWriteError
                written.add(ask.key)
                self._written.add(ha_id)

        def shows(ask: Ask, answer: Answer) -> None:
            if ask.ha_id == ha_id and _is_still(answer):
                shown[ask.key] = answer
                self.note(answer)
                if ha_id not in self._written and not self._is_of_another(answer, 0):
                    self._compare(answer)

        def after(ask: Ask, answer: Answer) -> None:
            shows(ask, answer)
            lane.effects.note(answer)
            with lane.looked_at(shows):
                self._try_again(lane, answer, lost)

        try:
            with lane.looked_at(after, before):
                yield
        except _OthersWriteError:
            pass
        finally:
            self._longest_s[ha_id] = max(self._longest_s[ha_id], lane.clock.now() - began)

    def _try_again(self, lane: LiveLane, answer: Answer, lost: set[str]) -> None:
        """Tries an entry again that gives no value any more and is not among those `lost`; then it is."""
        if answer.ha_id != lane.name or answer.key in lost or answer.has_value:
            return
        now = with_reads(lane.seen, (read for (ha_id, _), read in self._last.items() if ha_id == lane.name))
        if is_lost(answer, lane.found, now):
            lost.add(answer.key)
            writes = (one for one in reversed(self._exchanges) if one.purpose in WRITES)
            last = next((one for one in writes if one.ha_id == lane.name), None)
            if last:  # what was written may still be having its effect
                settle_s = now.profile.timing.settle_seconds(last.key)
                lane.pause(max(0.0, settle_s - (answer.began - last.began)))
            lane.take(tries_in(answer.exchange.group or WATCH, lane.seen, answer))

    def note(self, answer: Answer) -> None:
        """Notes a setting that shows another value than it did, though no write since then explains it.

        What was written before that, and no read has shown, may come late.
        """
        if not _is_still(answer):
            return
        ha_id, key = place = answer.exchange.ha_id, answer.exchange.key
        for one in self._exchanges[self._taken_up :]:
            if one.purpose in WRITES:
                self._unshown[one.ha_id, one.key].append(one.value)
        self._taken_up = len(self._exchanges)
        known = self._last.get(place) or self._rest[ha_id].get(key)
        self._last[place] = answer
        is_late = any(same(value, answer.value) for value in self._unshown[place])
        while is_late and not same(self._unshown[place].popleft(), answer.value):
            pass  # what was written before that comes no more
        if known is None or is_late or shows_as_before(known, answer):
            return
        later = takewhile(lambda one: one.n > known.exchange.n, reversed(self._exchanges))
        since = {one.key for one in later if one.ha_id == ha_id and one.purpose in WRITES}
        if key not in since and not _may_follow(key, since):
            self.moved[ha_id].setdefault(key, (known.value, answer))

    def look(self, lane: LiveLane, written: Collection[str] = ()) -> bool:
        """Reads settings of an appliance while nothing is written to it; whether somebody else writes to it.

        What this run has just `written` is given the settle time first.
        """
        if self._left[lane.name]:
            self._left[lane.name] -= 1
            with lane.looked_at(), suppress(TransportError):  # what comes next meets it, too
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
                if shows_as_before(before[key], now[key]):
                    continue
                if not (self._is_of_another(now[key], began) or self._may_lag_behind(ha_id, key)):
                    self.leave(lane, before[key].value, now[key])
                    return True
            before |= now
        if ha_id in self._doubted:
            self.begin_anew(lane, self._rest[ha_id] | before)
            self._doubted.discard(ha_id)
        return False

    def leave(self, lane: LiveLane, before: object, now: Answer) -> None:
        """Leaves an appliance to somebody else, who has moved a setting."""
        remark = moved_by_others(before, now)
        lane.gate.closed.leave(remark.ha_id, remark)
        lane.remark(remark)

    def _compare(self, answer: Answer) -> None:
        """Compares a read with the one before it, since when nothing was written."""
        ha_id, key = answer.exchange.ha_id, answer.exchange.key
        known = self._rest[ha_id].get(key)
        if known and not shows_as_before(known, answer):
            self._doubted.add(ha_id)
        self._rest[ha_id][key] = answer

    def _has_moved(self, ha_id: str, key: str, shown: Mapping[str, Answer]) -> bool:
        """Whether a setting shows another value than it had when nothing was written."""
        known = self._rest[ha_id].get(key)
        return known is not None and key in shown and not shows_as_before(known, shown[key])

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

        Who takes one appliance for another shows the value that was written, or what comes with it; also
        before the write is answered.
        """
        ha_id, key = now.exchange.ha_id, now.exchange.key
        entry = CATALOG.entries[key]
        answered = self._exchanges[began:]
        later = [
            *((one.key, one.value) for one in answered if one.purpose in WRITES and one.ha_id != ha_id),
            *(one for name, lane in self._lanes.items() if name != ha_id for one in lane.gate.under_way),
        ]
        is_written = any(one == key and alike(entry, value, now.value) for one, value in later)
        return is_written or _may_follow(key, (one for one, _ in later))


def _may_follow(key: str, written: Iterable[str]) -> bool:
    """Whether a setting may have moved with another one that was `written`."""
    return any(may_carry_along(one, key) for one in written)


def _span_s(seen: View, since: float) -> float:
    """How long the appliance was read after a moment (seconds since 1970), in seconds."""
    times = [answer.began for answer in seen.reads.values() if answer.began > since]
    return max(times, default=0) - min(times, default=0)


def _is_still(answer: Answer | None) -> bool:
    """Whether an answer shows a setting that nobody moves but who writes it."""
    if answer is None or not answer.has_value or answer.exchange.purpose not in {"read", "repeat"}:
        return False
    return ".Setting." in answer.exchange.key
