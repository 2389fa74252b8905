"""Runs procedures side by side, within the pace; their exchanges are always in the same order.

Requests stand in a queue. The exchange of the first one enters the ledger as soon as it is there, then the
procedure that asked for it adds its next request at the end. So the order is that of sending, whatever the
timing. As many requests as the profile allows are under way at once, and as many again stand ready, so that
one slow answer does not leave the others idle. A procedure that pauses leaves the queue; when only pausing
ones are left, all of them wait for the longest pause.
"""

from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, wait
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from itertools import islice
from queue import SimpleQueue
from typing import Self
from weakref import proxy

from msgspec import Struct
from msgspec.structs import replace

from conformance.checks.answer import Answer
from conformance.checks.exchange import Exchange, Remark
from conformance.checks.groups import Group, ProcedureKind
from conformance.checks.remarks import renumbered
from conformance.harness.errors import DayBudgetError
from conformance.harness.known_answers import KeptAnswers, KnownAnswers
from conformance.harness.ledger import Ledger
from conformance.harness.observing import Observations
from conformance.harness.presence import Presence
from conformance.harness.reach import Reach, is_lost
from conformance.harness.steps import Ask, Pause, Procedure
from conformance.harness.wire.messages import Heard, Sent, Wanted
from conformance.harness.wire.network import SOCKETS, Network
from conformance.harness.wire.transport import Transport

_ASKED = Ask("auth", None, "*", "*", "", Wanted(""))
"""What a request for an access token is about: no appliance, no key."""


class _Queued(Struct):
    """A request in the queue, the procedure that asked for it if any, and what was sent for it so far."""

    ask: Ask
    procedure: Procedure | None = None
    made: list[Sent] = []
    ending: Future[bool] | None = None


class Scheduler:
    """Sends what procedures ask for and keeps every exchange; use it as a context.

    `spent` turns true when the day's requests are used up. What is lost (`presence`) is not asked any more.
    `on_progress` is told of each request that was made. What is `kept` of an earlier run is not made again,
    nor what is `known` and may be. One that `is_watched` makes sure by reads of its own that the target still
    answers.
    """

    on_progress: Callable[[int], None] | None = None
    is_watched = True

    def __init__(
        self,
        transport: Transport,
        ledger: Ledger,
        observations: Observations,
        *,
        owed: bool = False,
        network: Network = SOCKETS,
    ) -> None:
        """Prepares to make as many requests at once as the profile allows.

        Where all that is sent is `owed` to the target, neither the end of the day nor a full disk ends it.
        """
        self.transport = transport
        self._owed = owed
        self._ledger = ledger
        self.observations = observations
        self.reach = Reach(observations.profile.concurrency)
        self._limit = observations.profile.max_refusals_in_a_row
        self.pool = network.pool(self.reach.width)
        self.clock = network.clock
        self._paused: list[tuple[float, Procedure]] = []
        self._anchor: Ask | None = None
        self._refusals = 0
        own = proxy(self)  # it has what asks by it: without it, only the garbage collector would free a run
        ask, pause = partial(Scheduler._answer_to, own), partial(Scheduler._pause, own)
        self.presence = Presence(
            observations, ask, pause, partial(Scheduler.remark, own), began=network.clock.stamp()
        )
        self.spent = False
        self.is_interrupted = False
        self.kept: KeptAnswers | None = None
        self.known = KnownAnswers(observations, network.clock)
        self._adopted: dict[int, int] = {}  # the numbers of exchanges, by those of an earlier run
        self._begun: dict[Procedure, Ask] = {}  # procedures that are under way, and what they asked last

    @property
    def is_over(self) -> bool:
        """Whether procedures stop: no request is left, ledger or target are lost, or nobody is there."""
        is_useless = self.spent or bool(self._ledger.lost) or self.presence.is_all_lost
        return (is_useless or self.reach.is_nobody_there) and not self._owed

    @property
    def is_ending(self) -> bool:
        """Whether lanes have to put back what they wrote and end."""
        return self.is_interrupted or self.is_over

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Lets no further request begin and waits for those under way."""
        self.pool.shutdown(wait=True, cancel_futures=True)

    def fetch(self, asks: Iterable[Ask]) -> None:
        """Makes single requests that wait for nothing, in order."""
        self._work(_Queued(ask) for ask in asks if ask.ha_id not in self.presence.lost)

    def run(self, procedures: Iterable[Procedure]) -> None:
        """Runs procedures to their ends; those that the end of the run cuts short are noted."""
        coming, self._paused = procedures, []
        self._begun.clear()
        try:
            while not self.is_over:
                self._work(queued for procedure in coming if (queued := self._next_of(procedure)))
                if not self._paused:
                    return
                longest = max(until for until, _ in self._paused)
                coming, self._paused = [procedure for _, procedure in self._paused], []
                self.clock.sleep(max(0.0, longest - self.clock.now()))
        except KeyboardInterrupt:
            self._note_unfinished()
            raise
        if self.spent:
            self._note_unfinished()

    def _note_unfinished(self) -> None:
        for ask in self._begun.values():
            if ask.group:
                self.remark(Remark("unfinished", ask.group, ask.lane or ask.ha_id, "*", {}))

    def remark(self, remark: Remark) -> None:
        """Keeps what is known beside exchanges."""
        self._ledger.remark(remark)
        self.observations.remarks.append(remark)

    def adopt(self, exchanges: Iterable[Exchange], remarks: Iterable[Remark]) -> None:
        """Keeps what an interrupted run has sent and noted, as if this one had."""
        for exchange in exchanges:
            again = replace(exchange, n=self._ledger.count + 1)
            self._adopted[exchange.n] = again.n
            self._ledger.add(again)
            self.observations.exchanges.append(again)
        for remark in remarks:
            self.remark(renumbered(remark, self._adopted))

    def _work(self, coming: Iterator[_Queued]) -> None:
        """Makes the requests that come, and those that their procedures ask for, until there are no more."""
        queue: deque[_Queued] = deque()
        try:
            while not self.is_over:
                most = 2 * self.reach.width if self.reach.width > 1 else 1
                queue.extend(islice(coming, max(0, most - len(queue))))
                if not queue:
                    return
                kept = self._first(queue)
                queued = queue.popleft()
                # when the run is over, what the others bring is kept, too, but no procedure goes on with it
                if kept and queued.procedure and not self.is_over:
                    following = self._next_of(queued.procedure, self.observations.answer(kept))
                    queue.extend([following] if following else [])
        finally:  # where one of them ends the run, those that are under way are waited for and kept, too
            wait([queued.ending for queued in queue if queued.ending and not queued.ending.cancel()])
            for queued in queue:
                self.keep(queued.ask, queued.made)

    def _next_of(self, procedure: Procedure, answer: Answer | None = None) -> _Queued | None:
        """The next request of a procedure; None where it has ended, or pauses."""
        step = _advance(procedure, answer)
        while isinstance(step, Remark):
            self.remark(step)
            step = _advance(procedure, None)
        if isinstance(step, Pause):
            self._paused.append((self.clock.now() + step.lasts_s, procedure))
            return None
        if not isinstance(step, Ask) or {step.ha_id, step.lane} & self.presence.lost.keys():
            self._begun.pop(procedure, None)
            return None
        self._begun[procedure] = step
        return _Queued(step, procedure)

    def _first(self, queue: deque[_Queued]) -> Exchange | None:
        """The last exchange of the first request of a queue; None where the day's requests ran out."""
        queued = queue[0]
        # what is sent from here on is not beside a request that has ended by now
        has_ended = queued.ending is not None and queued.ending.done()
        before = [waiting for waiting in queue if waiting.ending] if has_ended else queue
        # a single one needs no thread, and where nobody may be there, one is asked after another
        if len(queue) > 1 and self.reach.is_shown and self.reach.width > 1:
            for waiting in queue:
                waiting.ending = waiting.ending or self.pool.submit(self._attempt, waiting.ask, waiting.made)
        is_made = self._beside_others(before) if queued.ending else self._attempt(queued.ask, queued.made)
        made, queued.made = queued.made, []
        kept = self.keep(queued.ask, made)
        self.spent = self.spent or not is_made
        if kept:
            if self.on_progress:
                self.on_progress(len(kept))
            self.reach.note(kept)
            self.read_after_refusals(queued.ask, kept[-1])
        return kept[-1] if kept else None

    def _beside_others(self, under_way: Iterable[_Queued]) -> bool:
        """Waits for the first of the requests under way; false where the day's requests were used up.

        Where it may have waited for the others in vain, that tells nothing of an appliance, and it is made
        again when they have ended.
        """
        queued, *others = (waiting for waiting in under_way if waiting.ending)
        is_made = queued.ending.result() if queued.ending else False
        if is_lost(queued.made):
            wait([waiting.ending for waiting in others if waiting.ending])
        if self.reach.is_lost_beside_others(queued.made, [waiting.made for waiting in others]):
            self.keep(replace(queued.ask, purpose="wait"), queued.made)
            queued.made = []
            is_made = self._attempt(queued.ask, queued.made)
            self.reach.note_alone(queued.made)
        return is_made

    def _attempt(self, ask: Ask, made: list[Sent]) -> bool:
        """Makes a request, filling `made`; false where the day's requests were used up."""
        before = self.kept.take(ask, self.transport.address(ask.wanted)) if self.kept else []
        made += before
        if before:
            return True
        with suppress(DayBudgetError):
            self.transport.send(replace(ask.wanted, owed=self._owed), made=made)
            return True
        return False

    @contextmanager
    def listening(self, ask: Ask) -> Generator[SimpleQueue[Heard]]:
        """What is heard of a stream as long as the context lasts; the request that opens it is kept."""
        made: list[Sent] = []
        heard: SimpleQueue[Heard] = SimpleQueue()
        with ExitStack() as line:
            try:
                heard = line.enter_context(self.transport.listening(ask.wanted, made))
            except DayBudgetError:
                self.spent = True
            finally:  # where no stream is opened, there may still have been a request for a token
                self.keep(ask, made)
            yield heard

    def keep(self, ask: Ask, made: Iterable[Sent]) -> list[Exchange]:
        """Writes down what was sent for a request, after what was sent for an access token meanwhile."""
        while not self.transport.granted.empty():
            self._write(_ASKED, self.transport.granted.get())
        return [self._write(ask, sent) for sent in made]

    def _write(self, ask: Ask, sent: Sent) -> Exchange:
        groups = tuple(group for group in (ask.group, *ask.also) if group)
        identity = (groups, ask.lane or ask.ha_id, ask.ha_id, ask.key, ask.segment)
        came = (sent.at, sent.request, sent.response, sent.failure)
        exchange = Exchange(self._ledger.count + 1, ask.purpose, *identity, *came, ask.value)
        self._ledger.add(exchange)
        self.observations.exchanges.append(exchange)
        return exchange

    def read_after_refusals(self, ask: Ask, exchange: Exchange) -> None:
        """Reads a key that gave an answer, after many refusals: some services block who only fails.

        Where that and others give none any more, the appliance, or the target, is lost.
        """
        refused = exchange.response is not None and exchange.response.status >= 400
        self._refusals = self._refusals + 1 if refused else 0
        if ask.purpose == "read" and exchange.response and exchange.response.status < 300:
            self._anchor = Ask(
                "control", Group(ProcedureKind.PACE), ask.ha_id, ask.key, ask.segment, ask.wanted
            )
        if not self.is_watched:
            return
        if self._limit and self._refusals >= self._limit and self._anchor:
            self._refusals = 0
            self._answer_to(self._anchor)
        if not self._owed and not self.is_ending:
            self.presence.note(ask, exchange)
            self.presence.look_for(ask.ha_id)

    def _answer_to(self, ask: Ask) -> Answer | None:
        """What is answered to a request that no procedure makes; None where it is not sent."""
        made: list[Sent] = []
        if self.is_ending:
            return None
        try:
            self._attempt(ask, made)
        finally:
            kept = self.keep(ask, made)
        return self.observations.answer(kept[-1]) if kept else None

    def _pause(self, seconds: float) -> None:
        """Waits, as long as the run does not end."""
        self.clock.pause(lambda: self.is_ending, seconds)


def _advance(procedure: Procedure, answer: Answer | None) -> Ask | Pause | Remark | None:
    try:
        return next(procedure) if answer is None else procedure.send(answer)
    except StopIteration:
        return None
