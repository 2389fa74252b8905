"""Waits until a target answers: a staging service may still be starting when the night begins."""

from typing import Final

from msgspec.structs import replace

from conformance.checks.answer import Outcome
from conformance.harness.errors import TransportError, UnmaskableSecretError
from conformance.harness.observing import Observations
from conformance.harness.planning import Plan
from conformance.harness.reads.controls import unknown_appliance
from conformance.harness.scheduler import Scheduler
from conformance.harness.steps import Ask, read

_FIRST_PAUSE_S: Final = 0.5
_LONGEST_PAUSE_S: Final = 30.0
_OF_A_GATEWAY: Final = frozenset({502, 503, 504})
"""What stands before a service answers so while the service is away."""


def wait_for_target(
    plan: Plan, observations: Observations, scheduler: Scheduler, seconds: float, seed: str
) -> None:
    """Asks for one key of the plan until the target is there, at most so many seconds.

    A value is an answer of the target, and so is a refusal that it does not give for a haId that does not
    exist, drawn from `seed`: what stands before a service refuses everything alike while it starts. Each of
    these requests is kept, and no case rests on it. What the target says is judged by the run that follows,
    also if nothing came.

    Raises:
        UnmaskableSecretError: when an access token is granted that cannot be masked.
    """
    if not plan.reads:
        return
    views = observations.views()
    claimed = (place for place in plan.reads if views[place[0]].claim(place[2]) == "yes")
    ha_id, segment, key = next(claimed, plan.reads[0])
    seen = views[ha_id]
    asks = (
        read(seen, key, segment, purpose="wait"),
        replace(unknown_appliance(seen, segment, key, seed), purpose="wait", group=None),
    )
    until, pause = scheduler.clock.now() + seconds, _FIRST_PAUSE_S
    while not scheduler.is_over:
        try:
            if _is_there(asks, observations, scheduler):
                return
        except UnmaskableSecretError:
            raise
        except TransportError:
            pass  # whoever grants the token may be away as well; in the end the run says so
        left = until - scheduler.clock.now()
        if left <= 0:
            return
        scheduler.clock.sleep(min(pause, left))
        pause = min(2 * pause, _LONGEST_PAUSE_S)


def _is_there(asks: tuple[Ask, Ask], observations: Observations, scheduler: Scheduler) -> bool:
    """Whether the target itself answers: the second request is made where the first alone does not tell."""
    known, unknown = asks
    scheduler.fetch([known])
    if not observations.exchanges:
        return False
    answer = observations.answer(observations.exchanges[-1])
    if answer.is_error or answer.status in _OF_A_GATEWAY:
        return False
    if answer.outcome in {Outcome.VALUE, Outcome.AUTH, Outcome.THROTTLE} or isinstance(answer.body, dict):
        return True
    scheduler.fetch([unknown])
    other = observations.answer(observations.exchanges[-1])
    return not other.is_error and other.signature != answer.signature
