"""Runs the lanes of a run that writes side by side, within pace and concurrency.

Each lane is a thread, and one of them goes on at a time, until it waits; then it stands behind those that are
ready. So all lanes get on alike, and gate, journal, ledger and all else belong to one thread at a time. A
lane that is alone needs no thread of its own. Where the run has to end, each lane is told so at its next
call, and puts back what it wrote.
"""

from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from queue import SimpleQueue
from threading import Lock

from msgspec.structs import replace

from conformance.checks.answer import Answer
from conformance.checks.exchange import Remark
from conformance.checks.groups import Group
from conformance.checks.remarks import known as noted_as_known
from conformance.checks.traces.effects import Effects
from conformance.checks.view import View
from conformance.harness.clock import Clock
from conformance.harness.errors import DayBudgetError
from conformance.harness.scheduler import Scheduler
from conformance.harness.steps import Ask, Pause, apart
from conformance.harness.wire.messages import Heard, Sent, Wanted
from conformance.harness.writes.asking import Lane
from conformance.harness.writes.keeping.gate import Gate

_MOMENT_S = 0.5
"""How long a lane rests before it looks whether it is its turn."""


class StoppedError(BaseException):
    """Told to a lane, at its next call: the run ends, and what it wrote is to be put back."""


@dataclass(eq=False)
class LiveLane(Lane):
    """A lane of a run: all that is written to one appliance, past its gate.

    Attributes:
        lanes: what runs it.
        name: the haId of the appliance.
        found: the appliance as it was read first.
        is_restoring: whether it puts something back, which nothing ends.
        is_last: whether it looks a last time, which no signal ends: only the end of the day does.
        is_told: whether it was told that the run ends.
        error: what ended it before its end.
    """

    lanes: "Lanes"
    name: str
    found: View
    gate: Gate
    is_restoring: bool = False
    is_last: bool = False
    is_told: bool = False
    error: BaseException | None = None

    def __post_init__(self) -> None:
        self._scheduler = self.lanes.scheduler
        self.seen, self.effects = self.found, Effects(self.found)
        self._before: Callable[[Ask], object] = lambda _: None
        self._after: Callable[[Ask, Answer], object] = lambda _, _answer: None

    @property
    def _owes(self) -> bool:
        """Whether it asks only for what it takes to leave the appliance as it was."""
        return self.is_restoring or self.is_told

    @property
    def is_ending(self) -> bool:
        """Whether it has to end, and was not told so."""
        return self._scheduler.is_ending and not (self.is_last or self._owes)

    @property
    def clock(self) -> Clock:
        """That of the run."""
        return self._scheduler.clock

    def ask(self, ask: Ask) -> Answer:
        """What is answered to a request; a write is sent only if the gate admits it.

        A read that shows new rules is made again, since a finding takes two.
        """
        self._before(ask)
        answer = self._asked(ask)
        if answer.is_write and answer.is_acknowledged:
            self.taken = answer
        self._after(ask, answer)
        if self.effects.has_new_rules(answer):  # once: there may be other rules at each read
            again = replace(apart(ask), may_be_known=False)
            self._after(again, self._asked(again))
        return answer

    @contextmanager
    def looked_at(
        self,
        after: Callable[[Ask, Answer], object] = lambda _, _answer: None,
        before: Callable[[Ask], object] = lambda _: None,
    ) -> Generator[None]:
        """Has each request looked at `before` it is made, and `after` it was answered, by these alone."""
        were = self._before, self._after
        self._before, self._after = before, after
        try:
            yield
        finally:
            self._before, self._after = were

    def _asked(self, ask: Ask) -> Answer:
        self._go_on()
        wanted = replace(ask.wanted, owed=True) if self._owes else ask.wanted
        ask = replace(ask, lane=self.name, wanted=wanted)
        if known := self._known(ask):
            return known
        permit = self._permit(ask) if wanted.method != "GET" else None
        while True:
            try:
                answer = self._answer(ask, permit)
            finally:
                self._go_on()
            if answer:
                return answer

    def pause(self, seconds: float) -> None:
        """Lets the others go on for so long."""
        self._go_on()
        self.lanes.turn.rest(lambda: self.is_ending, Pause(seconds).lasts_s)
        self._go_on()

    def remark(self, remark: Remark) -> None:
        """Keeps what is known beside exchanges."""
        self._go_on()
        self._scheduler.remark(remark)

    @contextmanager
    def listening(self, group: Group, wanted: Wanted) -> Generator[SimpleQueue[Heard]]:
        """The events of a stream, which are taken down as long as the context lasts."""
        self._go_on()
        with self._scheduler.listening(Ask("event", group, self.name, "*", "", wanted)) as heard:
            yield heard

    def at_end(self, ask: Ask) -> None:
        """Has a request made at the end of the procedure, whatever becomes of it."""
        self._go_on()
        self.gate.cleanups.append(ask)

    def _go_on(self) -> None:
        """Raises StoppedError where the run ends, once."""
        if self.is_ending:
            self.is_told = True
            raise StoppedError

    def _permit(self, ask: Ask) -> int:
        """The number under which a write passes."""
        try:
            if not ask.wanted.owed:
                self._scheduler.transport.pace.before_write()
        except DayBudgetError:
            self._scheduler.spent = True
            self._go_on()
        return self.gate.admit(ask)

    def _known(self, ask: Ask) -> Answer | None:
        """What is known already of what is asked, which is noted; None where it has to be asked."""
        known = self._scheduler.known.answer_to(ask)
        if known:
            own = known.exchange.groups if known.exchange.lane == self.name else ()
            if groups := tuple(one for one in (ask.group, *ask.also) if one and one not in own):
                self._scheduler.remark(noted_as_known(groups, self.name, known.exchange))
            self.gate.learn(known)
        return known

    def _answer(self, ask: Ask, permit: int | None) -> Answer | None:
        """What is answered to a request, which is kept; None where the end of the run kept it from that."""
        made: list[Sent] = []
        sent = self._scheduler.pool.submit(
            self._scheduler.transport.send, ask.wanted, permit=permit, made=made
        )
        with self.lanes.turn.aside():
            sent.exception()  # waits for it
        kept = self._scheduler.keep(ask, made)
        try:
            sent.result()
        except DayBudgetError:
            self._scheduler.spent = True
            if self.is_last:
                raise StoppedError from None
            return None
        except KeyboardInterrupt:
            if self.is_restoring or self.is_last:
                raise
            self.lanes.interrupt()
            return None
        answer = self._scheduler.observations.answer(kept[-1])
        if permit is not None:
            self.gate.answered(permit, answer)
        self.gate.learn(answer)
        self._scheduler.read_after_refusals(ask, kept[-1])
        return answer


class Alone:
    """Lets lanes write one at a time, in the order of their names, and look at their appliances together."""

    def __init__(self, names: Iterable[str] = ()) -> None:
        """Nobody writes yet."""
        self._places = {name: place for place, name in enumerate(names)}
        self._waiting: list[LiveLane] = []
        self._writing: LiveLane | None = None
        self._looking = 0

    @contextmanager
    def writing(self, lane: LiveLane) -> Generator[None]:
        """Waits until no other lane writes or looks; then the others wait."""
        self._take(lane)
        try:
            yield
        finally:
            self._writing = None if self._writing is lane else self._writing

    @contextmanager
    def looking(self, lane: LiveLane) -> Generator[None]:
        """Lets those write that wait for it before a lane looks at its appliance, which has had its turn."""
        if self._writing is not lane:
            yield
            return
        self._writing = None
        while self._writing or self._waiting:
            lane.pause(_MOMENT_S)
        self._looking += 1
        try:
            yield
        finally:
            self._looking -= 1
        self._take(lane)

    def _take(self, lane: LiveLane) -> None:
        self._waiting.append(lane)
        try:
            while self._writing or self._looking or self._first is not lane:
                lane.pause(_MOMENT_S)
            self._writing = lane
        finally:
            self._waiting.remove(lane)

    @property
    def _first(self) -> LiveLane:
        return min(self._waiting, key=lambda lane: self._places[lane.name])


class Lanes:
    """Runs lanes; `interrupt` may be called at any time, also by the handler of a signal.

    Whichever of them has the `turn` goes on. A run `in_turn` works in one lane after the other, so that the
    end of its day cuts one of them short, and not all.
    """

    def __init__(self, scheduler: Scheduler, *, in_turn: bool = False) -> None:
        self.scheduler = scheduler
        self.turn = scheduler.clock.turn()
        self._in_turn = in_turn

    def interrupt(self) -> None:
        """Ends the run: every lane puts back what it wrote."""
        self.scheduler.is_interrupted = True

    def run(
        self, lanes: Iterable[LiveLane], work: Callable[[LiveLane], None], *, is_last: bool = False
    ) -> None:
        """Does work in lanes, in as many at once as requests may be; `is_last` is that of the lanes then.

        Raises:
            BaseException: the first error that ended one, once all have ended.
        """
        begun = [*lanes]
        for lane in begun:
            lane.is_last, lane.is_told, lane.error = is_last, False, None
        left, most = deque(begun), 1 if self._in_turn else self.scheduler.reach.width
        width = min(most, len(begun))
        if width > 1:
            with ThreadPoolExecutor(width, "lane") as threads:
                self.turn.take()  # until all stand in their order
                for _ in range(width):
                    threads.submit(self._work_off, left, work, self.turn.place())
                self.turn.pass_on()
        else:
            self._work_off(left, work)
        for error in (lane.error for lane in begun if lane.error):
            raise error

    def _work_off(
        self, left: deque[LiveLane], work: Callable[[LiveLane], None], place: "Lock | None" = None
    ) -> None:
        """Does work in those lanes that are left, one after the other, unless the run ends before."""
        self.turn.take(place)
        while left:
            lane = left.popleft()
            try:
                if not lane.is_ending:
                    work(lane)
            except StoppedError:
                pass
            except BaseException as error:  # noqa: BLE001  the other lanes go on
                lane.error = error
            with self.turn.aside():  # those that are ready have their turn before the next lane
                pass
        self.turn.pass_on()
