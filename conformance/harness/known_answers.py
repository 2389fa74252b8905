"""Finds what need not be asked: what this run has read, and what an interrupted one was answered."""

from collections import defaultdict, deque
from collections.abc import Collection, Iterable, Mapping
from itertools import takewhile

from conformance.checks.answer import Answer
from conformance.checks.exchange import JUDGED, WRITES, Exchange
from conformance.checks.groups import PREPARE, WRITING, Group
from conformance.harness.clock import Clock
from conformance.harness.observing import Observations
from conformance.harness.steps import Ask
from conformance.harness.wire.bodies import INTERRUPTED
from conformance.harness.wire.messages import Sent
from conformance.model.couplings import KEEPING_ALL, UNITS, may_move
from conformance.profiles.fleet.companions import units_of

_FRESH_S = 60
"""How long a read may stand for a later one: what others do to the appliance is seen no later than that."""
_MOVING = WRITES | {"hook"}
"""The purposes of exchanges after which a key may be read otherwise."""
_MOST_READ_AGAIN, _IN_ALL = 4, 12
"""Keys of each appliance, and of all, that a run asks again which goes on from another."""


def may_change(write: Ask | Exchange, key: str) -> bool:
    """Whether a key may be read otherwise after a write: it may have moved, or an appliance was prepared.

    Units, locks and the power state move others, and follow none of them.
    In a prepared state a faulty server may show otherwise what the document leaves alone, such as a setpoint
    under a super mode (line 48). What was read before that state is not what is to be put back in it.
    """
    follows_none = key != write.key and key in UNITS | KEEPING_ALL
    return write.group == PREPARE or (may_move(write.key, key) and not follows_none)


class KnownAnswers:
    """What procedures that write have read in a run, in whatever lane."""

    def __init__(self, observations: Observations, clock: Clock) -> None:
        """Knows what is observed, however much that becomes."""
        self._observations = observations
        self._clock = clock
        units = (frozenset(unit) for unit in units_of(observations.profile))
        self._unit_of: Mapping[str, frozenset[str]] = {ha_id: unit for unit in units for ha_id in unit}
        self._taken_in = 0
        self._last: dict[tuple[str, str, str], Exchange] = {}
        self._moving: dict[frozenset[str], list[Exchange]] = {}

    def answer_to(self, ask: Ask) -> Answer | None:
        """The last answer to a request that may be known; None where it has to be made."""
        if not ask.may_be_known:
            return None
        self._take_in()
        last = self._last.get((ask.ha_id, ask.segment, ask.key))
        if last is None or last.group is None or last.group.kind not in WRITING:
            return None
        answer = self._observations.answer(last)
        is_fresh = self._clock.since_1970() - answer.began < _FRESH_S
        return answer if is_fresh and answer.has_value and not self._may_have_changed(ask, last) else None

    def _take_in(self) -> None:
        """Notes what came since: no request looks through all that a run of many appliances has made."""
        come = self._observations.exchanges[self._taken_in :]
        self._taken_in += len(come)
        for exchange in come:
            self._last[exchange.ha_id, exchange.segment, exchange.key] = exchange
            unit = self._unit_of.get(exchange.ha_id)
            if unit and exchange.purpose in _MOVING:
                self._moving.setdefault(unit, []).append(exchange)

    def _may_have_changed(self, ask: Ask, last: Exchange) -> bool:
        """Whether anything was written, or done by hand, that may change what is asked, since that or by it.

        A write to an appliance that it is compared with counts as well: they may turn out to share a setting.
        """
        moving = reversed(self._moving.get(self._unit_of[ask.ha_id], ()))
        since = takewhile(lambda one: one.n >= last.n, moving)
        return any(one.purpose == "hook" or may_change(one, ask.key) for one in since)


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
        """All attempts of the next such request; none where the run had not come so far."""
        waiting = self._attempts.get((ask.group, ask.wanted.method, url))
        return waiting.popleft() if waiting else []
