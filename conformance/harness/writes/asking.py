"""What writes are made in: calls that return when a request was answered, or when a pause is over."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from conformance.checks.answer import Answer
from conformance.checks.exchange import Remark
from conformance.checks.traces.effects import Effects
from conformance.harness.clock import REAL, Clock
from conformance.harness.steps import Ask, Part, Pause, Result, apart


class Lane(ABC):
    """All that is written to one appliance, in one order: of a run, or of the rehearsal of one."""

    @abstractmethod
    def ask(self, ask: Ask) -> Answer:
        """What is answered to a request.

        Raises:
            StoppedError: when the run ends, and what was written is to be put back; so does every other call.
            TransportError: when nothing could be sent.
            ForbiddenWriteError: when it is a write that may not be sent.
        """

    @abstractmethod
    def pause(self, seconds: float) -> None:
        """Sends nothing for so long."""

    @property
    def clock(self) -> Clock:
        """What pauses are measured by: of whatever is no run, the time of the machine."""
        return REAL

    @property
    def slowest_s(self) -> float | None:
        """How long the slowest effect took that was seen so far, in seconds; None where that is not known."""
        return None

    @abstractmethod
    def remark(self, remark: Remark) -> None:
        """Keeps what is known beside exchanges."""

    def ask_all(self, asks: Iterable[Ask]) -> list[Answer]:
        """The answers to some requests, one after the other."""
        return [self.ask(ask) for ask in asks]

    def take(self, steps: Part[Result]) -> Result:
        """Takes the steps of a procedure of reads; its result."""
        told: Answer | None = None
        while True:
            try:
                step = next(steps) if told is None else steps.send(told)
            except StopIteration as end:
                return end.value
            told = None
            if isinstance(step, Ask):
                told = self.ask(step)
            elif isinstance(step, Pause):
                self.pause(step.seconds)
            else:
                self.remark(step)


@dataclass
class _WithinLane(Lane):
    """Asks and pauses in another lane."""

    lane: Lane

    def ask(self, ask: Ask) -> Answer:
        """What is answered in the other lane."""
        return self.lane.ask(ask)

    def pause(self, seconds: float) -> None:
        """As the other lane does."""
        self.lane.pause(seconds)

    @property
    def clock(self) -> Clock:
        """That of the other lane."""
        return self.lane.clock

    def remark(self, remark: Remark) -> None:
        """As the other lane does."""
        self.lane.remark(remark)


@dataclass
class WatchedLane(_WithinLane):
    """Another lane, of which each request is looked at, `before` it is made and `after` it was answered."""

    before: Callable[[Ask], None]
    after: Callable[[Ask, Answer], None]

    def ask(self, ask: Ask) -> Answer:
        """What is answered in the other lane."""
        self.before(ask)
        answer = super().ask(ask)
        self.after(ask, answer)
        return answer


@dataclass
class KnowingLane(_WithinLane):
    """A lane that knows the `effects` of its appliance."""

    effects: Effects

    @property
    def slowest_s(self) -> float | None:
        """By these."""
        return self.effects.slowest


@dataclass
class LearningLane(KnowingLane):
    """A lane whose `effects` learn from what comes.

    A read that shows new rules is made again, since a finding takes two.
    """

    def ask(self, ask: Ask) -> Answer:
        """What is answered in the other lane."""
        answer = super().ask(ask)
        self.effects.note(answer)
        if self.effects.has_new_rules(answer):
            super().ask(apart(ask))
        return answer
