"""Plays scripts side by side, those of one kind in turns: each makes a step, and all of them wait together.

A write is sent and read back at once, so that an effect that comes at once is known to be its own. What must
come is polled; what must not, or must stay, is waited for once in a turn, however many scripts wait for it.
While those of one kind wait, those of another go on.
"""

from collections.abc import Iterable, Iterator, Sequence
from heapq import heapify, heappop, heappush
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from conformance.checks.answer import Answer, Outcome
from conformance.checks.groups import Group, ProcedureKind
from conformance.checks.reads.tries import LEAST_TRIES
from conformance.checks.view import View
from conformance.harness.steps import Ask
from conformance.harness.wire.messages import Wanted
from conformance.harness.writes.asking import LearningLane
from conformance.harness.writes.procedures.parts import STAYS_AFTER_S, is_over, poll_pauses
from conformance.harness.writes.procedures.scripts import (
    Beside,
    Due,
    Look,
    Played,
    ScriptWrite,
    Step,
    Wait,
)
from conformance.model.json_values import same

_Waits: TypeAlias = Iterator[float]
"""Something is done, and each time so many seconds are waited before it goes on."""
_ERRED = frozenset({Outcome.REFUSED, Outcome.SERVERERR})


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
        alike: dict[Group | ProcedureKind, list[Played]] = {}
        for one in begun:
            alike.setdefault(one.group if one.procedure.is_patient else one.group.kind, []).append(one)
        self._side_by_side(self._turns(scripts) for scripts in alike.values())
        odd = [one for one in begun if one.is_patient or not one.is_well]
        self._read_well((one, ask) for one in odd for ask in one.procedure.closing(one))

    def _side_by_side(self, lines: Iterable[_Waits]) -> None:
        """Goes on with whatever has waited for long enough, in its order where two have."""
        due = [(self.lane.clock.now(), number, line) for number, line in enumerate(lines)]
        heapify(due)
        while due:
            until, number, line = heappop(due)
            if (left := until - self.lane.clock.now()) > 0:
                self.lane.pause(left)
            if (seconds := next(line, None)) is not None:
                heappush(due, (self.lane.clock.now() + seconds, number, line))

    def _turns(self, scripts: Sequence[Played]) -> _Waits:
        """Plays some scripts in turns."""
        held: list[Played] = []
        while making := [one for one in scripts if one in held or one.advance()]:
            now = _next_of(making)
            held = [one for one in making if one not in now]
            yield from self._turn(now)

    def _turn(self, making: Sequence[Played]) -> _Waits:
        """Makes a step of each script."""
        writing = [(one, one.step) for one in making if isinstance(one.step, ScriptWrite)]
        for one, step in writing:
            yield from self._write(one, step)
        yield from self._await([(one, step) for one, step in writing if step.comes is Due.VALUE])
        yield from self._wait(making)
        yield from self._await([(one, step) for one, step in writing if _is_on_its_way(one, step)])
        steps = [(one, step) for one in making if (step := one.step)]
        for one, step in steps:
            if step.beside and one.error is None:
                yield from self._read_beside(one, step.beside)
        self._read((one, ask) for one, step in steps for ask in (*step.watch, *step.look))
        yield from self._read_wrong(steps)
        for one, step in steps:
            one.has_stayed = all(_has_stayed(one, ask) for ask in step.watch)
            one.has_moved = one.has_moved or not one.has_stayed
            is_as_it_should_be = _is_as_it_should_be(one, step)
            one.has_failed = one.has_failed or not is_as_it_should_be
            one.was_right = one.has_stayed and is_as_it_should_be
            is_kept = isinstance(step, Look) or (step.comes is Due.VALUE and one.was_right)
            one.has_rested = step.wait is not Wait.NONE or (is_kept and one.has_rested)

    def _write(self, one: Played, step: ScriptWrite) -> _Waits:
        """Writes and reads; once more where an appliance that claims to take it may only be busy."""
        ask = one.request(step)
        self._ask(ask, [one])
        may_convict = step.comes is Due.VALUE and one.procedure.convicts(one.seen, step.key)
        if one.sent and one.sent.outcome in _ERRED and may_convict:
            yield self.seen.profile.retry_s
            self._ask(ask, [one])
        if step.is_read or one.is_patient:
            self._read([(one, one.own_read(step))])

    def _await(self, writing: Sequence[tuple[Played, ScriptWrite]]) -> _Waits:
        """Reads what must come, ever more slowly, until it shows or the settle time is over."""
        first = {id(one): one.last(step.key) for one, step in writing}
        longest = max((step.key for _, step in writing), key=self._settle_s, default="")
        for seconds in poll_pauses(self.seen, longest) if longest else ():
            waiting = [
                (one, step)
                for one, step in writing
                if one.error is None
                and not one.has_taken(step)
                and not self._is_over(one, step, first[id(one)])
            ]
            if not waiting:
                return
            yield seconds
            self._read((one, one.own_read(step)) for one, step in waiting)

    def _is_over(self, one: Played, step: ScriptWrite, first: Answer | None) -> bool:
        """Whether a value is not waited for any longer: it was refused, or its settle time is over."""
        now = one.last(step.key)
        is_refused = one.sent is None or one.sent.outcome in _ERRED
        return is_refused or first is None or now is None or is_over(self.seen, first, now)

    def _wait(self, making: Sequence[Played]) -> _Waits:
        """Waits for all together, and reads what each has written."""
        waits = [(one, self._wait_s(one)) for one in making if one.error is None]
        longest = max((seconds for _, seconds in waits), default=0.0)
        if longest:
            yield longest
        self._read(
            (one, one.own_read(one.step))
            for one, seconds in waits
            if seconds and isinstance(one.step, ScriptWrite) and not _is_for_others(one.step)
        )

    def _wait_s(self, one: Played) -> float:
        """How long the step of a script is waited for, in seconds."""
        step = one.step
        if isinstance(step, Look):
            settle_s = self._settle_s(one.procedure.writes[0])
            quiet_s = self.lane.effects.quiet_s(settle_s) if step.wait is Wait.QUIET else 0.0
            return settle_s if step.wait is Wait.SETTLED else quiet_s
        if step is None:
            return 0.0
        settle_s = self._settle_s(step.key)
        if step.wait is Wait.SETTLED:
            return settle_s
        if step.wait is Wait.STAYS:
            return self.lane.effects.quiet_s(min(STAYS_AFTER_S, settle_s)) if one.has_taken(step) else 0.0
        is_awaited = step.wait is Wait.QUIET or (step.comes is Due.NOTHING and one.is_patient)
        return self.lane.effects.quiet_s(settle_s) if is_awaited else 0.0

    def _read_beside(self, one: Played, beside: Beside) -> _Waits:
        """Reads what has to come with a write."""
        asks = [(one, ask) for ask in beside.reads]

        def has_come() -> bool:
            answers = [one.answer_to(ask) for ask in beside.reads]
            return one.error is not None or beside.has_come([answer for answer in answers if answer])

        for _ in range(beside.times):
            self._read(asks)
        for seconds in poll_pauses(self.seen, beside.reads[0].key):
            if has_come():
                return
            yield seconds
            self._read(asks)
        if not has_come():
            yield self.seen.profile.retry_s
            self._read(asks)

    def _read_wrong(self, steps: Sequence[tuple[Played, Step]]) -> _Waits:
        """Reads once more what shows a value that must not be there, when it is known to stay.

        How long nothing comes says nothing of how long what came takes to go: the first is given its settle
        time.
        """
        wrong = [
            (one, ask)
            for one, step in steps
            for ask in (*_own(one, step), *_looked_at(step))
            if _is_wrong(one, step, ask)
        ]
        if wrong:
            settle_s = max(self._settle_s(ask.key) for _, ask in wrong)
            yield self.lane.effects.quiet_s(settle_s) if self.lane.effects.has_stayed else settle_s
            self._read(wrong)

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


def _next_of(making: Sequence[Played]) -> list[Played]:
    """The scripts whose step has its turn now: those that wait for nothing, and only then those that do.

    So one wait serves as many as it may. Those that look around come later, and those that write nothing
    last: they look at what is beside their keys together, and after all writes.
    """
    ready = [one for one in making if not _waits(one)] or making
    least = min(_turn_of(one.step) for one in ready)
    return [one for one in ready if _turn_of(one.step) == least]


def _waits(one: Played) -> bool:
    """Whether the step of a script waits for what may come late."""
    step = one.step
    is_watched = isinstance(step, ScriptWrite) and step.comes is Due.NOTHING and one.is_patient
    return step is not None and (step.wait is not Wait.NONE or is_watched)


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
