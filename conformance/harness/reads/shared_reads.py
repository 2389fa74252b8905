"""The observing half of a run: shared reads first, then what only several exchanges can tell.

    (waiting) -> shared reads -> anchors -> lists, controls -> agreements, repeat series -> generated requests

A run may wait until the target answers: a staging service may still be starting when the night begins.
The run ends early where no answer fits the profile. Where one of the first answers fits, the rest is read in
its order. Where none does, some keys of each appliance and segment are read next: one that is off, or lacks
what was asked first, is no reason to end. Where all are refused alike, some of these are asked for in other
ways before it is. Nothing is sent for that which the run would not send anyway.

Each stage is sent for all appliances together, then what was seen is looked at anew for the next. There are
no more stages than what one needs to know of another, and the longest procedures of a stage begin first: at
the end of each stage, fewer requests are under way than there may be. Judging comes after, and what
it asks again.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final, TypeAlias

from msgspec.structs import replace

from catalog.loader import CATALOG
from conformance.checks.answer import Outcome
from conformance.checks.groups import NONCE_HA_ID
from conformance.checks.reads.paths import agreement
from conformance.checks.reads.reading import walks
from conformance.checks.view import View
from conformance.harness.answers.fitting import fits, may_be_nowhere, misfit_of
from conformance.harness.errors import TransportError, UnmaskableSecretError
from conformance.harness.generated.procedures import Generated, generated_reads, settings_after
from conformance.harness.observing import Observations
from conformance.harness.planning import Plan
from conformance.harness.reads import controls, repeats
from conformance.harness.reads.glance import glances
from conformance.harness.scheduler import Scheduler
from conformance.harness.steps import Ask, Procedure, read, shared_answers

FIRST: Final = 12
"""Answers that are looked at first; where a plan has no more reads, nothing is gained by ending it."""
_OF_EACH: Final = 3
"""Reads of each kind and segment that come next, beside one of each appliance and segment."""
_Place: TypeAlias = tuple[str, str, str]
"""A shared read of a plan: haId, segment, key."""
_FIRST_PAUSE_S: Final = 0.5
_LONGEST_PAUSE_S: Final = 30.0
_OF_A_GATEWAY: Final = frozenset({502, 503, 504})
"""What stands before a service answers so while the service is away."""


def wait_for_target(plan: Plan, scheduler: Scheduler, seconds: float, seed: str) -> None:
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
    views = scheduler.observations.views()
    claimed = (place for place in plan.reads if views[place[0]].claim(place[2]) == "yes")
    ha_id, segment, key = next(claimed, plan.reads[0])
    seen = views[ha_id]
    asks = (
        read(seen, key, segment, purpose="wait"),
        replace(controls.unknown_appliance(seen, segment, key, seed), purpose="wait", group=None),
    )
    until, pause = scheduler.clock.now() + seconds, _FIRST_PAUSE_S
    while not scheduler.is_over:
        try:
            if _is_there(asks, scheduler):
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


def _is_there(asks: tuple[Ask, Ask], scheduler: Scheduler) -> bool:
    """Whether the target itself answers: the second request is made where the first alone does not tell."""
    (known, unknown), observations = asks, scheduler.observations
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


def read_shared(plan: Plan, scheduler: Scheduler, seed: str) -> None:
    """Makes the shared reads of a plan; where nothing fits, the run is over before they are all made.

    `seed` is what a haId that names no appliance is drawn from.
    """
    observations = scheduler.observations
    views = observations.views()

    def fetch(places: Iterable[_Place]) -> None:
        scheduler.fetch(read(views[ha_id], key, segment) for ha_id, segment, key in places)

    first, left = plan.reads[:FIRST], plan.reads[FIRST:]
    fetch(first)
    if left and plan.look == "whole" and not _is_any_right(observations):
        sample = _sample_of(plan, left)
        for begin in range(0, len(sample), FIRST):
            fetch(sample[begin : begin + FIRST])
            if _is_any_right(observations):
                break
        else:
            begin = len(sample)
            _end_where_nothing_fits(scheduler, seed)
        made = set(sample[: begin + FIRST])
        left = tuple(place for place in left if place not in made)
    fetch(left)


def _is_any_right(observations: Observations) -> bool:
    return any(fits(answer) for seen in observations.views().values() for answer in seen.reads.values())


def _sample_of(plan: Plan, left: Iterable[_Place]) -> list[_Place]:
    """One of the reads that are left of each appliance and segment, and a few of each kind and segment.

    What is claimed comes first, as it is the likeliest to be there.
    """
    own = {appliance.ha_id: appliance for appliance in plan.appliances}
    taken = Counter[tuple[str, ...]]()
    sample: list[_Place] = []
    for place in sorted(left, key=lambda place: own[place[0]].claim(place[2]) != "yes"):
        ha_id, segment, _ = place
        of_appliance, of_kind = (ha_id, segment), (own[ha_id].kind, segment, "")
        if not taken[of_appliance] or taken[of_kind] < _OF_EACH:
            taken.update((of_appliance, of_kind))
            sample.append(place)
    return sample


def _end_where_nothing_fits(scheduler: Scheduler, seed: str) -> None:
    """Ends the run if no answer so far fits, whatever else is asked of a key that is refused."""
    views = scheduler.observations.views().values()
    if may_be_nowhere(views):
        asked = next(seen for seen in views if seen.reads)
        scheduler.run(_probes(asked, seed))
        views = scheduler.observations.views().values()
    if misfit := misfit_of(views):
        scheduler.presence.end(misfit)


def _probes(seen: View, seed: str) -> Iterator[Procedure]:
    """Other ways to ask for what is refused: a run that is answered nothing else asks so for each key."""
    refused = [answer for (_, key), answer in seen.reads.items() if seen.claim(key) == "yes"]
    yield controls.unknown_appliances(seen, seed)
    yield controls.version_probes(seen)
    for answer in {answer.exchange.segment: answer for answer in refused}.values():
        yield controls.other_segments(seen, CATALOG.entries[answer.exchange.key])
        yield controls.payload_probes(seen, answer)


def observe(plan: Plan, scheduler: Scheduler, seed: str) -> Generated:
    """Makes every read-only exchange of the plan; what was seen is in its scheduler's `observations`.

    `seed` is what unknown words and generated requests are drawn from. The plan of a draft ends after the
    controls, and a glance is a few reads of each kind. Returns how what was generated is made again.
    """
    observations = scheduler.observations
    if plan.look == "glance":
        scheduler.is_watched = False
        scheduler.run(glances(observations.views().values(), seed))
        return {}
    read_shared(plan, scheduler, seed)
    looks = ((_anchors,), (_controls,))
    stages = (*looks, (_agreements, _series))
    asked = {appliance.ha_id for appliance in plan.appliances}
    for stage in looks if plan.look == "draft" else stages:
        views = [seen for ha_id, seen in observations.views().items() if ha_id in asked]
        scheduler.run(procedure for part in stage for seen in views for procedure in part(seen, seed))
    made: Generated = {}
    if plan.generated:
        for part in (generated_reads, settings_after):
            seen_of = observations.views()
            scheduler.run(
                procedure
                for ha_id, seen in seen_of.items()
                if ha_id in plan.generated
                for procedure in part(seen, seen_of, seed, made)
            )
    return made


def _anchors(seen: View, _seed: str) -> Iterator[Procedure]:
    if seen.anchor is None:
        yield controls.find_anchor(seen)


def _controls(seen: View, seed: str) -> Iterator[Procedure]:
    """What an appliance lists, and how it answers for what should not exist."""
    yield controls.unknown_keys(seen, seed, "settings")
    yield controls.unknown_keys(seen, seed, "status")
    if NONCE_HA_ID not in seen.made:  # before a run ends early, it is asked for first
        yield controls.unknown_appliances(seen, seed)
    yield controls.foreign_keys(seen, seed)
    yield controls.lists(seen)


def _agreements(seen: View, _seed: str) -> Iterator[Procedure]:
    """Keys that are read in turn because they have to agree."""
    if seen.learned.answers_anything:
        return
    yield repeats.power_and_operation(seen)
    for key in seen.tried:
        served = [answer for answer in shared_answers(seen, key) if answer.has_value]
        if CATALOG.entries[key].contested and len(served) > 1:
            yield repeats.both_segments(seen, agreement(key))


def _series(seen: View, _seed: str) -> Iterator[Procedure]:
    """The served keys read again and again: those watched for changes first, as many as the sample holds."""
    if seen.learned.answers_anything:
        return
    entries = [CATALOG.entries[key] for key in seen.tried]
    asked = [(entry, answer) for entry in entries for answer in shared_answers(seen, entry.key)]
    served = [(entry, answer) for entry, answer in asked if answer.has_value]
    served.sort(key=lambda pair: not walks(pair[0]))
    for _, answer in served[: seen.profile.repeat_sample]:
        yield repeats.series(seen, answer, answer.series, [answer])
