"""Puts back what was written: after a procedure, after a run that was killed, and at the end.

A restore is always made, whatever state the appliance is in, and its proof is what can be read afterwards.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from conformance.checks.groups import Group
from conformance.checks.view import View
from conformance.harness.errors import TransportError
from conformance.harness.steps import Ask
from conformance.harness.writes.asking import Lane
from conformance.harness.writes.keeping.owed import Debt
from conformance.harness.writes.keeping.writing_back import TRIES, WritingBack
from conformance.model.ways import turn_back

_LAST = 4
_MOST_ROUNDS = 12
"""How often all that is owed is gone through while all of it is back, and each round moves something."""
_PARTS = 60
"""The first pause is at least so small a part of all the time that putting back may take."""


def put_back(
    lane: Lane, views: Mapping[str, View], debts: list[Debt], group: Group, patience_s: float
) -> None:
    """Writes back each debt that is still owed, until it reads back; the debt then says what became of it.

    Each value is put back in a state in which it can be written and read: before the color, the light or the
    power state is put back under which it can not be (lines 65, 68, 70, X4, X8). Where that state has to be
    made first, its key is one more debt. What was refused may depend on another debt, as a setpoint does on a
    mode, and what is back may be moved by another one, as a brightness is by a switch: all are looked at
    until nothing has to be written any more. What was owed for a prepared state is put back in the order of
    the debts, the last write first.

    What is not back is tried again after pauses that grow, for `patience_s` seconds at most: somebody may
    operate the appliance, and a target may be away for a while. A write that may still take effect is waited
    for.

    A debt that is `restored` from the beginning was read since the last write, and is looked at only where
    another one has to be written.
    """
    trying = _Trying(lane, views, debts, group, patience_s)
    trying.go_through(done=[debt for debt in debts if debt.restored])
    for debt in debts:
        trying.writing_back(debt).doubted(debt)
    trying.until_back()


@dataclass
class _Trying:
    """What is owed, gone through in rounds, for as long as is left."""

    lane: Lane
    views: Mapping[str, View]
    debts: list[Debt]
    group: Group
    left_s: float
    _has_written: bool = False
    _error: TransportError | None = None

    def __post_init__(self) -> None:
        self._until = self.lane.clock.now() + self.left_s
        self._pause_s = self.left_s / _PARTS

    def until_back(self) -> None:
        """Goes through all debts until all are back and nothing had to be written, or time is over.

        Raises:
            TransportError: when nothing could be sent any more.
        """
        rounds = 0
        while self._has_written or self._is_open or self._effects_awaited():
            is_over = self._patience_s <= 0 and rounds >= TRIES
            if is_over if self._is_open else rounds == _MOST_ROUNDS:
                break
            if rounds and (self._is_open or any(debt.is_due for debt in self.debts)):
                self.lane.pause(self._next_pause_s())
            self.go_through()
            rounds += 1
        if self._error:
            raise self._error
        if self._has_written:
            self.go_through(writing=False)

    def go_through(self, done: Sequence[Debt] = (), *, writing: bool = True) -> None:
        """Looks at every debt in turn that is not `done`, and writes each that is not back once."""
        self._has_written, done = False, list(done)
        try:
            while waiting := [debt for debt in self.debts if debt not in done]:
                debt = min(waiting, key=self._turn)
                done.append(debt)
                tries = debt.tries
                self.writing_back(debt).put_back(debt, writing=writing)
                self._has_written = self._has_written or debt.tries > tries
            self._error = None
        except TransportError as error:  # what grants access, too, may be away for a while
            self._error = error

    def writing_back(self, debt: Debt) -> WritingBack:
        """What puts a debt back."""
        return WritingBack(self.lane, self.views[debt.ha_id], self.debts, self.group)

    def _turn(self, debt: Debt) -> int:
        """When a debt has its turn: what was owed for a prepared state comes last."""
        return _LAST if debt.prepared else turn_back(self.views[debt.ha_id], debt.key, debt.before)

    @property
    def _is_open(self) -> bool:
        """Whether anything is not back."""
        return not all(debt.restored for debt in self.debts)

    @property
    def _patience_s(self) -> float:
        """How many seconds may be waited yet; a pause counts also where no time passes, as in a rehearsal."""
        return max(0.0, min(self.left_s, self._until - self.lane.clock.now()))

    def _next_pause_s(self) -> float:
        """How long to wait before the next round: twice as long as before the last one."""
        retry_s = max(seen.profile.retry_s for seen in self.views.values())
        pause_s = min(max(self._pause_s, retry_s), self._patience_s)
        self.left_s -= pause_s
        self._pause_s = 2 * pause_s
        return pause_s

    def _effects_awaited(self) -> bool:
        """Waits for writes that no read has shown and that may still take effect; whether there was one."""
        now, ends = self.lane.clock.since_1970(), list[float]()
        for debt in self.debts:
            settle_s = self.views[debt.ha_id].profile.timing.settle_seconds(debt.key)
            ends += [] if debt.taken_at is None else [debt.taken_at + settle_s]
            debt.taken_at = None
        if not any(end > now for end in ends):
            return False
        self.lane.pause(max(ends) - now)
        return True


def make_cleanups(lane: Lane, cleanups: Sequence[Ask], broken: list[str]) -> None:
    """Makes the requests for the end of a procedure, three times at most; `broken` gets those that failed."""
    for ask in cleanups:
        answer = lane.ask(ask)
        for _ in range(TRIES - 1):
            if not answer.is_acknowledged:
                answer = lane.ask(ask)
        if not answer.is_acknowledged:
            broken.append(f"{ask.ha_id} {ask.key}: the hook that puts it back answered {answer.words}")
