"""The observing half of a run: shared reads first, then what only several exchanges can tell.

    lists -> shared reads -> anchors and controls -> tries, confirmations, probes -> repeat series -> sandwiches

Each stage is sent for all appliances together, then what was seen is looked at anew for the next. Judging comes after.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.checks.confirming import needs_confirming
from conformance.checks.reading import walks
from conformance.checks.support import needs_again
from conformance.harness import procedures

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.checks.seen import Seen
    from conformance.harness.evidence import Evidence
    from conformance.harness.plan import Plan
    from conformance.harness.scheduler import Scheduler
    from conformance.harness.steps import Ask, Procedure


def observe(plan: Plan, evidence: Evidence, scheduler: Scheduler, seed: str) -> None:
    """Makes every read-only exchange of the plan; what was seen is in `evidence` afterwards."""
    scheduler.fetch(_shared_reads(plan, evidence.views()))
    stages = (_lists, _anchors, _controls, _tries, _further_tries, _series, _sandwiches)
    asked = {appliance.ha_id for appliance in plan.appliances}
    for stage in stages:
        views = [seen for ha_id, seen in evidence.views().items() if ha_id in asked]
        scheduler.run(procedure for seen in views for procedure in stage(seen, seed))


def _shared_reads(plan: Plan, views: dict[str, Seen]) -> Iterator[Ask]:
    for ha_id, segment, key in plan.reads:
        yield procedures.read(views[ha_id], key, segment)


def _lists(seen: Seen, _seed: str) -> Iterator[Procedure]:
    shapes = seen.profile.list
    if shapes.settings:
        yield procedures.listing(seen, "settings", shapes.settings)
    if shapes.status:
        yield procedures.listing(seen, "status", shapes.status)


def _anchors(seen: Seen, _seed: str) -> Iterator[Procedure]:
    if seen.anchor is None:
        yield procedures.find_anchor(seen)


def _controls(seen: Seen, seed: str) -> Iterator[Procedure]:
    yield procedures.unknown_keys(seen, seed, "settings")
    yield procedures.unknown_keys(seen, seed, "status")
    yield procedures.unknown_appliances(seen, seed)
    yield procedures.foreign_keys(seen, seed)


def _tries(seen: Seen, _seed: str) -> Iterator[Procedure]:
    """Whatever a finding needs before it may be said: spaced tries, second reads, probes of other addresses."""
    yield procedures.version_probes(seen)
    if seen.answers_anything:
        return
    for key in seen.tried:
        entry = seen.catalog.entries[key]
        answers = [answer for segment in entry.segments if (answer := seen.read(key, segment))]
        served = any(answer.has_value for answer in answers)
        for answer in answers:
            if not served and needs_again(seen, entry, answer):
                yield procedures.spaced_tries(seen, answer)
            if needs_confirming(seen, answer):
                yield procedures.second_read(seen, answer)
            if not served and seen.claim(key) == "yes" and answer.is_refusal:
                yield procedures.payload_probes(seen, answer)
        probing = seen.claim(key) == "yes" or seen.profile.paths.probe_other_segment
        if answers and not served and not entry.contested and probing and answers[0].is_refusal:
            yield procedures.other_segments(seen, entry)


def _further_tries(seen: Seen, _seed: str) -> Iterator[Procedure]:
    """More tries where the first were no answer: by now it shows how often the appliance errs."""
    for key in seen.tried if not seen.answers_anything else ():
        entry = seen.catalog.entries[key]
        answers = [answer for segment in entry.segments if (answer := seen.read(key, segment))]
        if not any(answer.has_value for answer in answers):
            yield from (procedures.further_tries(seen, answer) for answer in answers if needs_again(seen, entry, answer))


def _series(seen: Seen, _seed: str) -> Iterator[Procedure]:
    """The keys read again and again: those watched for changes first, as many as the sample holds."""
    if seen.answers_anything:
        return
    entries = [seen.catalog.entries[key] for key in seen.tried]
    served = [
        (entry, answer) for entry in entries for segment in entry.segments if (answer := seen.read(entry.key, segment)) and answer.has_value
    ]
    served.sort(key=lambda pair: not walks(pair[0]))
    for entry, answer in served[: seen.profile.repeat_sample]:
        yield procedures.repeated_reads(seen, entry, answer)
    for entry in entries:
        for segment in entry.segments:
            answer = seen.read(entry.key, segment)
            if answer and not answer.has_value and procedures.comes_and_goes(seen, answer):
                yield procedures.repeated_reads(seen, entry, answer)


def _sandwiches(seen: Seen, _seed: str) -> Iterator[Procedure]:
    if seen.answers_anything:
        return
    yield procedures.power_and_operation(seen)
    yield procedures.local_control(seen)
    for key in seen.tried:
        entry = seen.catalog.entries[key]
        if entry.contested and all((answer := seen.read(key, segment)) and answer.has_value for segment in entry.segments):
            yield procedures.both_segments(seen, key)
