"""The observing half of a run: shared reads first, then what only several exchanges can tell.

    shared reads -> anchors -> lists, controls -> agreements, repeat series -> generated requests

Each stage is sent for all appliances together, then what was seen is looked at anew for the next. There are
no more stages than what one needs to know of another, and the longest procedures of a stage begin first: at
the end of each stage, fewer requests are under way than there may be. Judging comes after, and what
it asks again.
"""

from collections.abc import Iterator

from conformance.checks.groups import NONCE_HA_ID
from conformance.checks.reads.paths import agreement
from conformance.checks.reads.reading import walks
from conformance.checks.view import View
from conformance.harness.generated.lane import Generated, generated_reads, settings_after
from conformance.harness.observing import Observations
from conformance.harness.planning import Plan
from conformance.harness.reads import controls, repeats
from conformance.harness.reads.first_answers import read_shared
from conformance.harness.reads.glance import glances
from conformance.harness.scheduler import Scheduler
from conformance.harness.steps import Procedure, shared_answers


def observe(plan: Plan, observations: Observations, scheduler: Scheduler, seed: str) -> Generated:
    """Makes every read-only exchange of the plan; what was seen is in `observations` afterwards.

    `seed` is what unknown words and generated requests are drawn from. The plan of a draft ends after the
    controls, and a glance is a few reads of each kind. Returns how what was generated is made again.
    """
    if plan.look == "glance":
        scheduler.is_watched = False
        scheduler.run(glances(observations.views().values(), seed))
        return Generated()
    read_shared(plan, observations, scheduler, seed)
    looks = ((_anchors,), (_controls,))
    stages = (*looks, (_agreements, _series))
    asked = {appliance.ha_id for appliance in plan.appliances}
    for stage in looks if plan.look == "draft" else stages:
        views = [seen for ha_id, seen in observations.views().items() if ha_id in asked]
        scheduler.run(procedure for part in stage for seen in views for procedure in part(seen, seed))
    made = Generated()
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
        if seen.catalog.entries[key].contested and len(served) > 1:
            yield repeats.both_segments(seen, agreement(key))


def _series(seen: View, _seed: str) -> Iterator[Procedure]:
    """The served keys read again and again: those watched for changes first, as many as the sample holds."""
    if seen.learned.answers_anything:
        return
    entries = [seen.catalog.entries[key] for key in seen.tried]
    asked = [(entry, answer) for entry in entries for answer in shared_answers(seen, entry.key)]
    served = [(entry, answer) for entry, answer in asked if answer.has_value]
    served.sort(key=lambda pair: not walks(pair[0]))
    for _, answer in served[: seen.profile.repeat_sample]:
        yield repeats.series(seen, answer, answer.series, [answer])
