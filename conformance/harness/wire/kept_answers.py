"""The answers that an interrupted run has had: a run that goes on from it takes them, and sends the rest.

Both runs ask the same things in the same order, since their profile, their seed and the suite are the same.
So what one address answered to a method the first time is what it is taken to answer the first time now.
"""

from __future__ import annotations

import threading
from collections import defaultdict, deque
from collections.abc import Collection, Sequence

from conformance.checks.exchange import JUDGED, Exchange
from conformance.harness.wire.failures import INTERRUPTED
from conformance.harness.wire.messages import Sent


class KeptAnswers:
    """What was sent for each request of a run, by its method and address, from any thread."""

    def __init__(self, exchanges: Sequence[Exchange], given_up: Collection[int]) -> None:
        """Takes the exchanges of a run that did not come to its end.

        Args:
            exchanges: in their order.
            given_up: the numbers of those that were made again at once. If the last of an address is one of
                them, it was never made again, and is not taken.
        """
        self._lock = threading.Lock()
        self._attempts: dict[tuple[str, str], deque[list[Sent]]] = defaultdict(deque)
        made: list[Sent] = []
        for exchange in exchanges:
            if exchange.purpose not in JUDGED or exchange.failure == INTERRUPTED:
                continue
            made.append(Sent(exchange.request, exchange.response, exchange.failure, exchange.at))
            if exchange.n not in given_up:
                self._attempts[exchange.request.method, exchange.request.url].append(made)
                made = []

    def take(self, method: str, url: str) -> list[Sent]:
        """All attempts of the next such request of an address; none where the run had not come so far."""
        with self._lock:
            waiting = self._attempts.get((method, url))
            return waiting.popleft() if waiting else []
