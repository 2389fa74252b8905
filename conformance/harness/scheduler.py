"""Runs procedures side by side, within the pace, so that a run's exchanges come in one order whatever the timing.

Procedures take turns in rounds: each gets one request a round, the requests of a round go out together, and their
exchanges enter the ledger in the order of the procedures. One that pauses gives its place to the next; when only
pausing ones are left, all of them wait for the longest pause.
"""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from itertools import chain, islice
from typing import TYPE_CHECKING, Self

from conformance.checks.exchange import Exchange
from conformance.harness.procedures import Ask, Pause
from conformance.harness.transport import DayBudgetError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from types import TracebackType

    from conformance.checks.answer import Answer
    from conformance.harness.evidence import Evidence
    from conformance.harness.ledger import Ledger
    from conformance.harness.procedures import Procedure
    from conformance.harness.transport import Sent, Transport


class Scheduler:
    """Sends what procedures ask for and keeps every exchange; use it as a context.

    `spent` turns true when the day's requests are used up: from then on procedures end where they are.
    """

    def __init__(self, transport: Transport, ledger: Ledger, evidence: Evidence, on_progress: Callable[[int], None] | None = None) -> None:
        """Prepares as many threads as the profile allows requests at once."""
        self._transport = transport
        self._ledger = ledger
        self._evidence = evidence
        self._on_progress = on_progress
        self._width = evidence.profile.concurrency
        self._limit = evidence.profile.max_refusals_in_a_row
        self._pool = ThreadPoolExecutor(self._width)
        self._anchor: Ask | None = None
        self._refusals = 0
        self.spent = False

    def __enter__(self) -> Self:
        """The scheduler, ready."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Lets no further request begin and waits for those under way."""
        self._pool.shutdown(wait=True, cancel_futures=True)

    def fetch(self, asks: Iterable[Ask]) -> None:
        """Makes single requests that wait for nothing, in order."""
        coming = iter(asks)
        while not self.spent and (batch := list(islice(coming, self._width))):
            self._send(batch)

    def run(self, procedures: Iterable[Procedure]) -> None:
        """Runs procedures to their ends."""
        coming: Iterator[Procedure] = iter(procedures)
        active: list[tuple[Procedure, Answer | None]] = []
        paused: list[Procedure] = []
        until = 0.0
        while not self.spent:
            active += [(procedure, None) for procedure in islice(coming, self._width - len(active))]
            if not active:
                if not paused:
                    return
                time.sleep(max(0.0, until - time.monotonic()))
                coming, paused, until = chain(paused, coming), [], 0.0
                continue
            asking: list[tuple[Procedure, Ask]] = []
            for procedure, answer in active:
                step = _advance(procedure, answer)
                if isinstance(step, Ask):
                    asking.append((procedure, step))
                elif isinstance(step, Pause):
                    paused.append(procedure)
                    until = max(until, time.monotonic() + step.seconds)
            answers = [self._evidence.answer(exchange) for exchange in self._send([ask for _, ask in asking])]
            active = [(procedure, answer) for (procedure, _), answer in zip(asking, answers, strict=False)]

    def _send(self, asks: list[Ask]) -> list[Exchange]:
        """The last exchange of each request; fewer where the day's requests ran out."""
        last: list[Exchange] = []
        attempts = self._pool.map(self._attempt, asks) if len(asks) > 1 else map(self._attempt, asks)
        for ask, sent in zip(asks, attempts, strict=True):
            if sent is None:
                self.spent = True
                continue
            kept = [self._keep(ask, one) for one in sent]
            if not self.spent:  # what others of the batch still brought is kept, but no procedure goes on with it
                last.append(kept[-1])
            if self._on_progress:
                self._on_progress(len(kept))
            self._mind_refusals(ask, kept[-1])
        return last

    def _attempt(self, ask: Ask) -> list[Sent] | None:
        try:
            return self._transport.send(ask.wanted)
        except DayBudgetError:
            return None

    def _keep(self, ask: Ask, sent: Sent) -> Exchange:
        identity = (self._ledger.count + 1, ask.purpose, ask.group, ask.ha_id, ask.key, ask.segment)
        exchange = Exchange(*identity, sent.request, sent.response, sent.failure, sent.at)
        self._ledger.add(exchange)
        self._evidence.exchanges.append(exchange)
        return exchange

    def _mind_refusals(self, ask: Ask, exchange: Exchange) -> None:
        """After so many refusals in a row, one read of a key that gave an answer: some services block a client that only fails."""
        refused = exchange.response is not None and exchange.response.status >= 400
        self._refusals = self._refusals + 1 if refused else 0
        if not refused and ask.purpose == "read" and exchange.response and exchange.response.status < 300:
            self._anchor = Ask("control", f"pace@{ask.ha_id}", ask.ha_id, ask.key, ask.segment, ask.wanted)
        if self._limit and self._refusals >= self._limit and self._anchor:
            self._refusals = 0
            for sent in self._attempt(self._anchor) or []:
                self._keep(self._anchor, sent)


def _advance(procedure: Procedure, answer: Answer | None) -> Ask | Pause | None:
    try:
        return next(procedure) if answer is None else procedure.send(answer)
    except StopIteration:
        return None
