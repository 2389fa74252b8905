"""Waits until a target answers: a staging service may still be starting when the night begins."""

import time
from typing import Final

from conformance.checks.exchange import Exchange
from conformance.harness.errors import TransportError, UnmaskableSecretError
from conformance.harness.observing import Observations
from conformance.harness.planning import Plan
from conformance.harness.reads.gets import read
from conformance.harness.scheduler import Scheduler

_FIRST_PAUSE_S: Final = 0.5
_LONGEST_PAUSE_S: Final = 30.0
_OF_A_GATEWAY: Final = frozenset({502, 503, 504})
"""What stands before a service answers so while the service is away."""


def wait_for_target(plan: Plan, observations: Observations, scheduler: Scheduler, seconds: float) -> None:
    """Asks for the first key of the plan until the target answers, at most so many seconds.

    Each of these requests is kept, and no case rests on it. Any answer will do but one of a gateway; what it
    says is judged by the run that follows, also if there was none.

    Raises:
        UnmaskableSecretError: when an access token is granted that cannot be masked.
    """
    if not plan.reads:
        return
    ha_id, segment, key = plan.reads[0]
    ask = read(observations.views()[ha_id], key, segment, purpose="wait")
    until, pause = time.monotonic() + seconds, _FIRST_PAUSE_S
    while not scheduler.is_over:
        try:
            scheduler.fetch([ask])
            if observations.exchanges and _answers(observations.exchanges[-1]):
                return
        except UnmaskableSecretError:
            raise
        except TransportError:
            pass  # whoever grants the token may be away as well; in the end the run says so
        left = until - time.monotonic()
        if left <= 0:
            return
        time.sleep(min(pause, left))
        pause = min(2 * pause, _LONGEST_PAUSE_S)


def _answers(exchange: Exchange) -> bool:
    return exchange.response is not None and exchange.response.status not in _OF_A_GATEWAY
