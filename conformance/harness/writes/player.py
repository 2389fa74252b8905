"""Plays scripts side by side: each makes its steps, and while it waits, the others make theirs.

A write is sent and read back at once, so that an effect that comes at once is known to be its own. What must
come is polled; what must not, or must stay, is waited for. What is due at the same time is done together: one
wait serves all that begin one, and one read all that look at the same.
"""

from collections.abc import Callable, Iterable, Sequence
from itertools import chain

from msgspec import Struct
from msgspec.structs import replace

from conformance.checks.answer import Outcome
from conformance.checks.reads.tries import LEAST_TRIES
from conformance.checks.view import View
from conformance.harness.steps import Ask
from conformance.harness.wire.messages import Wanted
from conformance.harness.writes.asking import LearningLane
from conformance.harness.writes.procedures.parts import STAYS_AFTER_S, first_poll_s, is_over, poll_pauses
from conformance.harness.writes.procedures.script_steps import Due, Look, ScriptWrite, Step, Wait
from conformance.harness.writes.procedures.scripts import Phase, Played
from conformance.model.json_values import same

_ERRED = frozenset({Outcome.REFUSED, Outcome.SERVERERR})
_UNAWAITED = frozenset({Wait.NONE, Wait.LATER})


class Player(Struct):
    """Plays scripts of one appliance in its lane."""

    seen: View
    lane: LearningLane

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

    def _side_by_side(self, playing: Sequence[Played]) -> None:
        """Goes on with whatever is due, phase by phase: who comes to one together does it together."""
        phases: dict[Phase, Callable[[Sequence[Played]], None]] = {
            Phase.BEGINNING: self._begin,
            Phase.WRITING_AGAIN: self._make,
            Phase.COMING: self._await,
            Phase.RESTING: self._rest,
            Phase.RESTED: self._read_rested,
            Phase.COMING_LATE: self._await,
            Phase.BESIDE: self._await_beside,
            Phase.LOOKING: self._look,
            Phase.STILL_WRONG: self._look_again,
        }
        while playing:
            self._wait_for(playing)
            for phase, work in phases.items():
                if due := [one for one in playing if one.phase is phase and one.until <= self._now]:
                    work(due)
            playing = [one for one in playing if one.step]

    def _wait_for(self, playing: Iterable[Played]) -> None:
        """Waits until one is due, and a moment longer for those that are due then."""
        ends = [one.until for one in playing]
        soon = max(min(ends), self._now) + first_poll_s(self.seen)
        if (left := max(end for end in ends if end <= soon) - self._now) > 0:
            self.lane.pause(left)

    @property
    def _now(self) -> float:
        return self.lane.clock.now()

    def _begin(self, due: Sequence[Played]) -> None:
        """Begins the steps that have their turn: those that wait for nothing, and only then those that do.

        So one wait serves as many as it may. Those that look around come later, and those that write nothing
        last: they look at what is beside their keys together, and after all writes.
        """
        ready = [one for one in due if not _waits(one)] or due
        least = min(_turn_of(one.step) for one in ready)
        self._make([one for one in ready if _turn_of(one.step) == least])

    def _make(self, due: Iterable[Played]) -> None:
        """Writes and reads; once more where an appliance that claims to take it may only be busy."""
        for one in due:
            if (step := one.written) is None:
                one.go_on(Phase.RESTING)
                continue
            self._ask(one.request(step), [one])
            may_convict = step.comes is Due.VALUE and one.procedure.convicts(one.seen, step.key)
            if one.phase is Phase.BEGINNING and may_convict and one.sent and one.sent.outcome in _ERRED:
                one.go_on(Phase.WRITING_AGAIN, self._now + self.seen.profile.retry_s)
                continue
            if step.is_read or one.is_patient:
                self._read([(one, one.own_read(step))])
            self._expect(one, step, Phase.COMING if _may_come(step) else Phase.RESTING)

    def _expect(self, one: Played, step: ScriptWrite, phase: Phase) -> None:
        """Has its value come in that phase, by what is read of it now."""
        one.awaited, one.pauses = one.last(step.key), poll_pauses(self.seen, step.key)
        one.go_on(phase)

    def _await(self, due: Iterable[Played]) -> None:
        """Reads what must come, ever more slowly, until it shows or the settle time is over."""
        for one in due:
            step = one.written
            if step and one.until:
                self._read([(one, one.own_read(step))])
            is_coming = (
                step and one.error is None and not one.has_taken(step) and not self._is_over(one, step)
            )
            if is_coming and (pause := next(one.pauses, None)):
                one.until = self._now + pause
            else:
                one.go_on(Phase.RESTING if one.phase is Phase.COMING else Phase.BESIDE)

    def _is_over(self, one: Played, step: ScriptWrite) -> bool:
        """Whether a value is not waited for any longer: it was refused, or its settle time is over."""
        first, now = one.awaited, one.last(step.key)
        is_refused = one.sent is None or one.sent.outcome in _ERRED
        return is_refused or first is None or now is None or is_over(self.seen, first, now)

    def _rest(self, due: Iterable[Played]) -> None:
        """Has all wait together that have anything to wait for."""
        waits = [(one, self._wait_s(one) if one.error is None else 0.0) for one in due]
        until = self._now + max(seconds for _, seconds in waits)
        for one, seconds in waits:
            if seconds:
                one.go_on(Phase.RESTED, until)
            else:
                one.go_on(Phase.BESIDE)

    def _read_rested(self, due: Sequence[Played]) -> None:
        """Reads what each has written."""
        writing = [(one, step) for one in due if (step := one.written)]
        self._read((one, one.own_read(step)) for one, step in writing if not _is_for_others(step))
        for one in due:
            one.go_on(Phase.BESIDE)
        for one, step in writing:
            if _is_on_its_way(one, step):
                self._expect(one, step, Phase.COMING_LATE)

    def _wait_s(self, one: Played) -> float:
        """How long the step of a script is waited for, in seconds: that nothing happens, since its write."""
        step = one.step
        if step is None:
            return 0.0
        settle_s = self._settle_s(step.key if isinstance(step, ScriptWrite) else one.procedure.writes[0])
        if step.wait is Wait.SETTLED:
            return settle_s
        is_watched = step.wait is Wait.QUIET
        if isinstance(step, ScriptWrite):
            if step.wait is Wait.STAYS and one.has_taken(step):
                stays_s = min(STAYS_AFTER_S, settle_s)
                return max(stays_s, self.lane.effects.quiet_s(settle_s)) if step.watch else stays_s
            is_open = step.wait is Wait.STAYS and step.comes is Due.ANYTHING
            is_watched |= is_open or (step.comes is Due.NOTHING and one.is_patient)
        return max(0.0, self.lane.effects.quiet_s(settle_s) - one.watched_s) if is_watched else 0.0

    def _await_beside(self, due: Iterable[Played]) -> None:
        """Reads what has to come with a write, until it has and once more when its settle time is over."""
        for one in due:
            beside = one.step.beside if one.step else None
            if beside is None:
                one.go_on(Phase.LOOKING)
                continue
            if not one.until:
                one.pauses = chain(poll_pauses(self.seen, beside.reads[0].key), (self.seen.profile.retry_s,))
            for _ in range(1 if one.until else beside.times):
                self._read((one, ask) for ask in beside.reads)
            answers = [answer for ask in beside.reads if (answer := one.answer_to(ask))]
            has_come = one.error is not None or beside.has_come(answers)
            if not has_come and (pause := next(one.pauses, None)):
                one.until = self._now + pause
            else:
                one.go_on(Phase.LOOKING)

    def _look(self, due: Iterable[Played]) -> None:
        """Reads what is watched and looked at; once more, later, what shows a value that must not be there.

        How long nothing comes says nothing of how long what came takes to go: the first is given its settle
        time.
        """
        steps = [(one, step) for one in due if (step := one.step)]
        self._read((one, ask) for one, step in steps for ask in (*step.watch, *step.look))
        for one, step in steps:
            asks = (*_own(one, step), *_looked_at(step)) if one.error is None else ()
            one.wrong = [ask for ask in asks if _is_wrong(one, step, ask)]
        settle_s = max((self._settle_s(ask.key) for one, _ in steps for ask in one.wrong), default=0.0)
        waited_s = self.lane.effects.quiet_s(settle_s) if self.lane.effects.has_stayed else settle_s
        for one, step in steps:
            if one.wrong:
                one.go_on(Phase.STILL_WRONG, self._now + waited_s)
            else:
                self._end(one, step)

    def _look_again(self, due: Iterable[Played]) -> None:
        """Reads once more what was wrong, when it is known to stay."""
        steps = [(one, step) for one in due if (step := one.step)]
        self._read((one, ask) for one, _ in steps for ask in one.wrong)
        for one, step in steps:
            self._end(one, step)

    @staticmethod
    def _end(one: Played, step: Step) -> None:
        """Notes how a step came, and goes on to the next one."""
        one.has_stayed = all(_has_stayed(one, ask) for ask in step.watch)
        one.has_moved = one.has_moved or not one.has_stayed
        is_as_it_should_be = _is_as_it_should_be(one, step)
        one.has_failed = one.has_failed or not is_as_it_should_be
        one.was_right = one.has_stayed and is_as_it_should_be
        is_kept = (
            isinstance(step, Look) or step.wait is Wait.LATER or (step.comes is Due.VALUE and one.was_right)
        )
        one.has_rested = step.wait not in _UNAWAITED or (is_kept and one.has_rested)
        one.advance()

    def _read_well(self, wanted: Iterable[tuple[Played, Ask]]) -> None:
        """Reads; what met an error, which says nothing of the appliance, again."""
        left = [*wanted]
        for tried in range(LEAST_TRIES):
            if tried:
                self.lane.pause(self.seen.profile.retry_s)
            self._read(left)
            left = [(one, ask) for one, ask in left if (read := one.answer_to(ask)) and read.is_error]
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

    def _settle_s(self, key: str) -> float:
        return self.seen.profile.timing.settle_seconds(key)


def _may_come(step: ScriptWrite) -> bool:
    """Whether a value is read until it shows."""
    return step.comes is Due.VALUE or (step.comes is Due.ANYTHING and step.wait is Wait.STAYS)


def _waits(one: Played) -> bool:
    """Whether the step of a script waits for what may come late."""
    step = one.step
    is_watched = isinstance(step, ScriptWrite) and step.comes is Due.NOTHING and one.is_patient
    return step is not None and (step.wait not in _UNAWAITED or is_watched)


def _turn_of(step: Step | None) -> int:
    if isinstance(step, Look) and step.wait is not Wait.NONE:
        return 2
    return int(isinstance(step, ScriptWrite) and bool(step.watch))


def _is_for_others(step: ScriptWrite) -> bool:
    """Whether what is waited for is what it may move elsewhere: its own value has come."""
    return step.comes is Due.VALUE and step.wait is Wait.QUIET


def _own(one: Played, step: Step) -> Sequence[Ask]:
    return (one.own_read(step),) if isinstance(step, ScriptWrite) and step.comes is not Due.VALUE else ()


def _looked_at(step: Step) -> Sequence[Ask]:
    beside = step.beside.reads if step.beside else ()
    return (*step.watch, *step.look, *beside)


def _is_wrong(one: Played, step: Step, ask: Ask) -> bool:
    """Whether a read shows a value that its key may not have, or that a write must not have left."""
    read = one.answer_to(ask)
    is_left = isinstance(step, ScriptWrite) and ask == one.own_read(step) and one.has_left(step)
    return is_left or (read is not None and read.has_value and not one.seen.admits(read))


def _has_stayed(one: Played, ask: Ask) -> bool:
    """Whether a read shows what it showed before the step, as far as both gave a value."""
    before, now = one.before.get((ask.ha_id, ask.key)), one.answer_to(ask)
    is_compared = before is not None and now is not None and before.has_value and now.has_value
    return not is_compared or same(before.value, now.value)  # pyright: ignore[reportOptionalMemberAccess]  both are there


def _is_on_its_way(one: Played, step: ScriptWrite) -> bool:
    """Whether a write that may have an effect has moved its key."""
    before, now = one.had(step.key), one.last(step.key)
    is_open = step.comes is Due.ANYTHING and step.wait is Wait.QUIET
    return bool(is_open and before and now) and not same(before.value, now.value)  # pyright: ignore[reportOptionalMemberAccess]  both are there


def _is_as_it_should_be(one: Played, step: Step) -> bool:
    """Whether what was written shows what it should."""
    if isinstance(step, Look):
        return True
    return one.has_taken(step) if step.comes is Due.VALUE else not one.has_left(step)
