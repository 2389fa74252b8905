"""Finds what need not be read: what was read since anything was written that may change it."""

from collections.abc import Iterator, Mapping

from catalog.model import Catalog
from conformance.checks.answer import Answer
from conformance.checks.exchange import WRITES, Exchange
from conformance.checks.groups import PREPARE, WRITING
from conformance.harness.clock import Clock
from conformance.harness.observing import Observations
from conformance.harness.steps import Ask
from conformance.model.couplings import may_move
from conformance.profiles.fleet.companions import units_of

_FRESH_S = 60
"""How long a read may stand for a later one: what others do to the appliance is seen no later than that."""


def may_change(catalog: Catalog, write: Ask | Exchange, key: str) -> bool:
    """Whether a key may be read otherwise after a write: it may have moved, or an appliance was prepared.

    In a prepared state a faulty server may show otherwise what the document leaves alone, such as a setpoint
    under a super mode (line 48). What was read before that state is not what is to be put back in it.
    """
    return write.group == PREPARE or may_move(catalog, write.key, key)


class KnownAnswers:
    """What procedures that write have read in a run, in whatever lane."""

    def __init__(self, observations: Observations, clock: Clock) -> None:
        """Knows what is observed, however much that becomes."""
        self._observations = observations
        self._clock = clock
        units = units_of(observations.profile, observations.catalog)
        self._beside: Mapping[str, frozenset[str]] = {
            ha_id: frozenset(unit) for unit in units for ha_id in unit
        }

    def answer_to(self, ask: Ask) -> Answer | None:
        """The last answer to a request that may be known; None where it has to be made."""
        place = ask.ha_id, ask.segment, ask.key
        for exchange in self._since_changed(ask) if ask.may_be_known else ():
            if (exchange.ha_id, exchange.segment, exchange.key) != place:
                continue
            is_plain = exchange.group is not None and exchange.group.kind in WRITING
            answer = self._observations.answer(exchange)
            is_fresh = self._clock.since_1970() - answer.began < _FRESH_S
            return answer if is_plain and is_fresh and answer.has_value else None
        return None

    def _since_changed(self, ask: Ask) -> Iterator[Exchange]:
        """The exchanges since the last write that may change what is asked, the last one first.

        One to an appliance that it is compared with counts as well: they may turn out to share a setting.
        """
        beside, catalog = self._beside[ask.ha_id], self._observations.catalog
        for exchange in reversed(self._observations.exchanges):
            is_beside = exchange.ha_id in beside
            if is_beside and exchange.purpose == "hook":
                return
            if is_beside and exchange.purpose in WRITES and may_change(catalog, exchange, ask.key):
                return
            yield exchange
