"""What writes are made in: calls that return when a request was answered, or when a pause is over."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate, chain, repeat, takewhile

from conformance.checks.answer import Answer
from conformance.checks.exchange import Remark
from conformance.checks.traces.effects import Effects
from conformance.checks.view import View
from conformance.harness.clock import REAL, Clock
from conformance.harness.steps import Ask, Part, Pause, Result

TRIES = 3
_LEAST_LOOKS = 4
_FIRST_POLL = 16
"""The first pause between two polls is so many times shorter than `timing.poll_s`."""


class Lane(ABC):
    """All that is written to one appliance, in one order: of a run, or of the rehearsal of one.

    Attributes:
        seen: the appliance as it is known now: as it was read last before anything was written, and in a
            prepared state as that shows it.
        effects: how long its effects take, by what procedures have written and read so far.
        taken: the write that was taken last, if any; no rehearsal refuses one, or needs to know.
    """

    seen: View
    effects: Effects
    taken: Answer | None = None

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


def answered(
    lane: Lane, asks: Sequence[Ask], is_well: Callable[[Answer], bool], retry_s: float = 0.0
) -> list[Answer]:
    """What is answered to some requests, made again after so many seconds where that is not well."""
    answers = lane.ask_all(asks)
    for _ in range(TRIES - 1):
        left = [place for place, answer in enumerate(answers) if not is_well(answer)]
        if left and retry_s:
            lane.pause(retry_s)
        for place in left:
            answers[place] = lane.ask(asks[place])
    return answers


def read_until(lane: Lane, seen: View, ask: Ask, reached: Callable[[Answer], bool]) -> Answer:
    """Reads a key until `reached`, ever more slowly, or until the settle time is over; the last read."""
    answer = first = lane.ask(ask)
    for looks, seconds in enumerate(poll_pauses(seen, ask.key, lane.effects.slowest), start=1):
        if reached(answer) or is_over(seen, first, answer, looks):
            break
        lane.pause(seconds)
        answer = lane.ask(ask)
    return answer


def is_over(seen: View, first: Answer, now: Answer, looks: int) -> bool:
    """Whether a read is so much later than the first one of its key that the settle time is over.

    However long each of them takes, so few reads may all be answered by what was known before.
    """
    waited_s = now.began - first.began
    return looks >= _LEAST_LOOKS and waited_s >= seen.profile.timing.settle_seconds(now.exchange.key)


def poll_pauses(seen: View, key: str, slowest_s: float | None) -> Iterator[float]:
    """The pauses between the reads of a key until its settle time is over, where answers take no time.

    They grow, since most effects come at once. Where effects were seen to come late, in `slowest_s` at most,
    those up to that are even: one more than there would be, so that about as many reads find them sooner.
    """
    shortest_s, longest_s = first_poll_s(seen), seen.profile.timing.poll_s
    left_s, poll_s, even = seen.profile.timing.settle_seconds(key), shortest_s, 0
    late_s = min(slowest_s or 0.0, left_s)
    if late_s > shortest_s:
        growing = accumulate(_growing(shortest_s, longest_s))
        even = 2 + sum(1 for _ in takewhile(lambda end: end < late_s, growing))
        poll_s = late_s / even
    for pause_s in chain(repeat(poll_s, even), _growing(poll_s, longest_s)):
        if left_s <= 0:
            return
        yield min(pause_s, left_s + shortest_s)
        left_s -= pause_s


def _growing(first_s: float, longest_s: float) -> Iterator[float]:
    """Each twice as long as the one before, up to the longest."""
    while True:
        yield min(first_s, longest_s)
        first_s *= 2


def first_poll_s(seen: View) -> float:
    """The first of these pauses."""
    return seen.profile.timing.poll_s / _FIRST_POLL
