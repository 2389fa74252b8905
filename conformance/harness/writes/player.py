"""Plays scripts side by side: each makes its steps, and while it waits, the others make theirs.

A write is sent and read back at once, so that an effect that comes at once is known to be its own. What must
come is polled; what must not, or must stay, is waited for. A step is made in phases. Those that come to one
phase at the same time make it together, so that one wait serves all that begin one, and one read all that
look at the same; but the writes with which their steps begin are in an order in which one wait serves as many
as it may.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from msgspec import Struct
from msgspec.structs import replace

from catalog.loader import CATALOG
from conformance.checks.answer import Answer, Outcome
from conformance.checks.reads.tries import LEAST_TRIES
from conformance.checks.traces.trace import STAYS_AFTER_S
from conformance.checks.view import View
from conformance.harness.steps import Ask, acting_reads
from conformance.harness.wire.messages import Wanted
from conformance.harness.writes.asking import Lane, first_poll_s, is_over, poll_pauses
from conformance.harness.writes.procedures.scripts import Beside, Due, Next, Phase, Played, Step, Wait
from conformance.model.json_values import same

_UNAWAITED = frozenset({Wait.NONE, Wait.LATER})
"""What is not waited for where it is written."""
_TOGETHER = Phase.RESTED, Phase.STILL_WRONG
"""The phases that begin with the longest wait of all that come to one together."""


def _first_of(due: Sequence[Played]) -> Sequence[Played]:
    """Those whose steps have their turn: those that wait for nothing, and only then those that do.

    So one wait serves as many as it may. Those that look around come later, and those that write nothing
    last: they look at what is beside their keys together, and after all writes.
    """
    ready = [each for each in due if not _waits(each)] or due
    turns = [_turn_of(each.step) for each in ready]
    return [each for each, turn in zip(ready, turns, strict=True) if turn == min(turns)]


def _waits(one: Played) -> bool:
    """Whether the step of a script waits for what may come late."""
    step = one.step
    is_watched = step is not None and step.comes is Due.NOTHING and one.is_patient
    return step is not None and (step.wait not in _UNAWAITED or is_watched)


def _turn_of(step: Step | None) -> int:
    if step is None or (not step.key and step.wait is Wait.NONE):
        return 0
    return int(bool(step.watch)) if step.key else 2


_ERRED = frozenset({Outcome.REFUSED, Outcome.SERVERERR})
_STAYING = frozenset({Wait.STAYS, Wait.KEPT, Wait.RETURNS})


class Player(Struct):
    """Plays scripts of one appliance in its lane."""

    lane: Lane

    @property
    def seen(self) -> View:
        """The appliance as it is known now."""
        return self.lane.seen

    def play(self, scripts: Sequence[Played]) -> None:
        """Plays scripts to their ends, once; each then knows whether everything came as it should."""
        self._read_well(
            (one, replace(ask, may_be_known=not one.group.alone))
            for one in scripts
            for ask in one.procedure.opening(one.stage)
        )
        begun = [one for one in scripts if one.error is None and one.procedure.may_begin(one)]
        for one in scripts:
            one.has_failed = one not in begun and one.procedure.was_expected(self.seen)
        self._side_by_side([one for one in begun if one.advance()])
        odd = [one for one in begun if one.is_patient or not one.is_well]
        self._read_well((one, ask) for one in odd for ask in one.procedure.closing(one))

    def _side_by_side(self, begun: Sequence[Played]) -> None:
        """Goes on with whatever is due, phase by phase: who comes to one together does it together."""
        for one in begun:
            one.course = self._course(one)
        self._go_on(begun)
        while playing := [one for one in begun if one.ahead]:
            self._wait_for(playing)
            for phase in Phase:
                due = [each for each in playing if each.is_at(phase) and each.until <= self._now]
                self._go_on(_first_of(due) if phase is Phase.BEGINNING else due)

    def _wait_for(self, playing: Iterable[Played]) -> None:
        """Waits until one is due, and a moment longer for those that are due then."""
        ends = [each.until for each in playing]
        soon = max(min(ends), self._now) + first_poll_s(self.seen)
        if (left := max(end for end in ends if end <= soon) - self._now) > 0:
            self.lane.pause(left)

    @property
    def _now(self) -> float:
        return self.lane.clock.now()

    def _go_on(self, due: Sequence[Played]) -> None:
        """Makes the reads with which what is next of some begins, and goes on to what is next of each."""
        self._read((each, ask) for each in due if each.ahead for ask in each.ahead.reads)
        for each in due:
            each.ahead = next(each.course, None)
            each.until = self._now + (each.ahead.seconds if each.ahead else 0.0)
        for phase in _TOGETHER:
            waiting = [each for each in due if each.is_at(phase)]
            for each in waiting:
                each.until = max(one.until for one in waiting)

    def _course(self, one: Played) -> Iterator[Next]:
        """All that is done for a script; each part is done together with others that come to it."""
        while step := one.step:
            yield Next(Phase.BEGINNING)
            if step.key:
                yield from self._written(one, step)
            yield Next(Phase.RESTING)
            if seconds := self._wait_s(one, step):
                yield Next(Phase.RESTED, _awaited(one, step), seconds)
                if step.key and _is_on_its_way(one, step):
                    yield from self._coming(one, step, Phase.COMING_LATE)
            if step.beside:
                yield from self._coming_beside(one, step.beside)
            yield Next(Phase.LOOKING, (*step.watch, *step.look))
            asks = [*step.watch, *step.look, *(step.beside.reads if step.beside else ())]
            if step.key:
                asks = [one.own_read(step), *asks]
            for _ in range(LEAST_TRIES - 1):
                if met := [ask for ask in asks if _met_error(one, ask)]:
                    yield Next(Phase.LOOKING, met, self.seen.profile.retry_s)
            if wrong := [ask for ask in asks if one.error is None and _is_wrong(one, step, ask)]:
                # how long nothing comes says nothing of how long what came takes to go
                settle_s = max(self.seen.profile.timing.settle_seconds(ask.key) for ask in wrong)
                effects = self.lane.effects
                waited_s = effects.quiet_s(settle_s) if effects.has_stayed else settle_s
                yield Next(Phase.STILL_WRONG, wrong, waited_s)
            self._end(one, step)

    def _written(self, one: Played, step: Step) -> Iterator[Next]:
        """Writes and reads; once more where an appliance that claims to take it may only be busy."""
        self._ask(one.request(step), [one])
        may_convict = step.comes is Due.VALUE and one.procedure.convicts(one.seen, step.key)
        if may_convict and one.sent and one.sent.outcome in _ERRED:
            yield Next(Phase.WRITING_AGAIN, seconds=self._busy_s(one, one.sent))
            self._ask(one.request(step), [one])
            if one.sent.outcome in _ERRED:  # who acts now may have gone when nothing is waited for any more
                self._read((one, ask) for ask in acting_reads(self.seen, one.group))
        if step.is_read or one.is_patient:
            self._read([(one, one.own_read(step))])
        if step.comes is Due.VALUE or (step.comes is Due.ANYTHING and step.wait is Wait.STAYS):
            yield from self._coming(one, step, Phase.COMING)

    def _busy_s(self, one: Played, sent: Answer) -> float:
        """How long who refuses a write may be busy with the one that was taken last, which has to settle."""
        profile, taken = self.seen.profile, self.lane.taken
        if not one.is_patient:
            return profile.retry_s
        settle_s = profile.timing.settle_seconds
        left_s = settle_s(taken.key) - (sent.ended - taken.ended) if taken else 0.0
        return max(profile.retry_s, settle_s(sent.key), left_s)

    def _coming(self, one: Played, step: Step, phase: Phase) -> Iterator[Next]:
        """Reads what must come, ever more slowly, until it shows or the settle time is over."""
        first = one.last(step.key)
        yield Next(phase)
        for looks, pause in enumerate(poll_pauses(self.seen, step.key, self.lane.effects.slowest), start=1):
            now = one.last(step.key)
            is_refused = one.error or one.sent is None or one.sent.outcome in _ERRED
            if is_refused or one.has_taken(step) or first is None or now is None:
                return
            if is_over(self.seen, first, now, looks):
                return
            yield Next(phase, (one.own_read(step),), pause)

    def _coming_beside(self, one: Played, beside: Beside) -> Iterator[Next]:
        """Reads what has to come with a write, until it has, or once more when its settle time is over."""
        yield Next(Phase.BESIDE)
        for _ in range(beside.times):
            self._read((one, ask) for ask in beside.reads)
        polls = poll_pauses(self.seen, beside.reads[0].key, self.lane.effects.slowest)
        for pause in chain(polls, (self.seen.profile.retry_s,)):
            shown = [answer for ask in beside.reads if (answer := one.answer_to(ask))]
            if one.error or beside.has_come(shown):
                return
            yield Next(Phase.BESIDE, beside.reads, pause)

    def _wait_s(self, one: Played, step: Step) -> float:
        """How long the step of a script is waited for, in seconds: that nothing happens, since its write."""
        if one.error:
            return 0.0
        settle_s = self.seen.profile.timing.settle_seconds(step.key or one.procedure.writes[0])
        if step.wait is Wait.SETTLED:
            return settle_s
        busy_s = self.seen.profile.retry_s if step.wait is Wait.FREE else 0.0
        rest_s = max(0.0, max(self.lane.effects.quiet_s(settle_s), busy_s) - one.watched_s)
        if step.wait in _STAYING and (one.has_taken(step) or step.comes is Due.ANYTHING):
            # what came late stays from then on; what it moves beside itself it moves since it was written
            is_all_awaited = bool(step.watch) and step.wait is not Wait.KEPT
            return max(min(STAYS_AFTER_S, settle_s), rest_s if is_all_awaited else 0.0)
        is_watched = step.wait in {Wait.QUIET, Wait.FREE} or (step.comes is Due.NOTHING and one.is_patient)
        return rest_s if is_watched else 0.0

    @staticmethod
    def _end(one: Played, step: Step) -> None:
        """Notes how a step came, and goes on to the next one."""
        one.has_stayed = all(_has_stayed(one, ask) for ask in step.watch)
        one.has_moved = one.has_moved or not one.has_stayed
        is_as_it_should_be = one.has_taken(step) if step.comes is Due.VALUE else not one.has_left(step)
        one.has_failed = one.has_failed or not is_as_it_should_be
        one.was_right = one.has_stayed and is_as_it_should_be
        is_kept = not step.key or step.wait is Wait.LATER or (step.comes is Due.VALUE and one.was_right)
        one.has_rested = step.wait not in _UNAWAITED or (is_kept and one.has_rested)
        one.advance()

    def _read_well(self, wanted: Iterable[tuple[Played, Ask]]) -> None:
        """Reads, and reads again what met an error."""
        left = [*wanted]
        for tried in range(LEAST_TRIES):
            if tried:
                self.lane.pause(self.seen.profile.retry_s)
            self._read(left)
            left = [(one, ask) for one, ask in left if _met_error(one, ask)]
            if not left:
                return

    def _read(self, wanted: Iterable[tuple[Played, Ask]]) -> None:
        """Makes reads, alike ones once for all scripts that want them."""
        waiting: dict[Wanted, tuple[Ask, list[Played]]] = {}
        for one, ask in wanted:
            if one.error is None:
                waiting.setdefault(ask.wanted, (ask, []))[1].append(one)
        for ask, members in waiting.values():
            self._ask(ask, members)

    def _ask(self, ask: Ask, members: Sequence[Played]) -> None:
        """Makes a request."""
        groups = tuple(dict.fromkeys(one.group for one in members))
        ask = replace(ask, group=groups[0], also=groups[1:])
        try:
            answer = self.lane.ask(ask)
            for one in members:
                one.take(answer)
        except Exception as error:  # noqa: BLE001  those that wait for it have to know
            for one in members:
                one.error = error


def _awaited(one: Played, step: Step) -> Sequence[Ask]:
    """The read of what is written; none where it has come, and what it may move elsewhere is waited for."""
    if not step.key or (step.comes is Due.VALUE and step.wait is Wait.QUIET):
        return ()
    return (one.own_read(step),)


def _met_error(one: Played, ask: Ask) -> bool:
    """Whether the last read met an error, which says nothing of the appliance."""
    read = one.answer_to(ask)
    return one.error is None and read is not None and read.is_error


def _is_wrong(one: Played, step: Step, ask: Ask) -> bool:
    """Whether a read shows a value that its key may not have, or that a write must not have left.

    Or another one than the other segment of a contested status shows (line 149).
    """
    read = one.answer_to(ask)
    is_left = one.has_left(step) and ask == one.own_read(step)
    if is_left or read is None or not read.has_value:
        return is_left
    elsewhere = (other for other in CATALOG.entries[ask.key].segments if other != ask.segment)
    others = (one.answer_to(replace(ask, segment=other)) for other in elsewhere)
    differs = any(other and other.has_value and not same(other.value, read.value) for other in others)
    return differs or not one.seen.admits(read)


def _has_stayed(one: Played, ask: Ask) -> bool:
    """Whether a read shows what it showed before the step, as far as both gave a value."""
    before, now = one.had(ask.key, ask.ha_id), one.answer_to(ask)
    is_compared = before is not None and now is not None and before.has_value and now.has_value
    return not is_compared or same(before.value, now.value)  # pyright: ignore[reportOptionalMemberAccess]  both are there


def _is_on_its_way(one: Played, step: Step) -> bool:
    """Whether a write that may have an effect has moved its key, or a value that may come back has gone.

    Until the settle time is over, each may: a finding waits for that.
    """
    if step.wait is Wait.RETURNS or (step.wait is Wait.STAYS and step.comes is Due.VALUE and one.is_patient):
        return not one.has_taken(step)
    before, now = one.had(step.key), one.last(step.key)
    is_open = step.comes is Due.ANYTHING and step.wait is Wait.QUIET
    return bool(is_open and before and now) and not same(before.value, now.value)  # pyright: ignore[reportOptionalMemberAccess]  both are there
