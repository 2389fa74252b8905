"""What an interrupted run was answered: the run that goes on from it does not ask for that again."""

from collections import defaultdict, deque
from collections.abc import Collection, Iterable, Mapping

from conformance.checks.exchange import JUDGED, Exchange
from conformance.checks.groups import Group
from conformance.harness.steps import Ask
from conformance.harness.wire.failures import INTERRUPTED
from conformance.harness.wire.messages import SAFE_METHODS, Sent

_MOST_READ_AGAIN, _IN_ALL = 4, 12


def read_again(appliances: int) -> int:
    """How many keys of each of so many appliances are asked again all the same, one at least.

    That is to see whether they answer as they did: a target that is another one shows it at any of them.
    """
    return max(1, min(_MOST_READ_AGAIN, _IN_ALL // max(1, appliances)))


class KeptAnswers:
    """What was sent for each request of a run, by its procedure, method and address."""

    def __init__(
        self,
        exchanges: Iterable[Exchange],
        given_up: Collection[int],
        renewed: Mapping[int, list[Sent]],
    ) -> None:
        """Takes the exchanges of a run that did not come to its end.

        Args:
            exchanges: in their order.
            given_up: the numbers of those that were made again at once. If the last of an address is one of
                them, it was never made again, and is not taken.
            renewed: what was sent instead of some of them since then, by their numbers.
        """
        self._attempts: dict[tuple[Group | None, str, str], deque[list[Sent]]] = defaultdict(deque)
        made: list[Sent] = []
        for exchange in exchanges:
            if exchange.purpose not in JUDGED or exchange.failure == INTERRUPTED:
                continue
            made.append(Sent(exchange.request, exchange.response, exchange.failure, exchange.at))
            if exchange.n not in given_up:
                place = exchange.group, exchange.request.method, exchange.request.url
                self._attempts[place].append(renewed.get(exchange.n, made))
                made = []

    def take(self, ask: Ask, url: str) -> list[Sent]:
        """All attempts of the next such request; none where the run had not come so far, or for a write."""
        waiting = self._attempts.get((ask.group, ask.wanted.method, url))
        return waiting.popleft() if waiting and ask.wanted.method in SAFE_METHODS else []
