"""What the results say of a run beside its cases, made from its profile and its observations."""

import json
import math
from collections.abc import Collection, Iterable, Iterator
from typing import Any, cast

from msgspec.structs import replace

from catalog.keys import OPERATION_STATE, POWER_STATE
from catalog.loader import CATALOG
from conformance.checks.answer import Outcome
from conformance.checks.case import Case, Omission
from conformance.checks.exchange import JUDGED, WRITES
from conformance.checks.groups import ProcedureKind
from conformance.checks.reads.support import Standing, resolve
from conformance.checks.remarks import losses_of, lost_appliances
from conformance.checks.traces.effects import Effects
from conformance.checks.view import View
from conformance.checks.writes.requirements import allowed_writes
from conformance.harness.clock import REAL
from conformance.harness.ledger import LedgerContents
from conformance.harness.observing import Observations, made_again
from conformance.harness.steps import shared_answers
from conformance.model.state_table import EndedAt
from conformance.profiles.days import Days
from conformance.profiles.kinds import claimed_keys
from conformance.profiles.model import Profile
from conformance.profiles.validation import digest_profile, dump_profile
from conformance.records.results import Omitted, RunEnding
from conformance.records.run_facts import (
    Campaign,
    JudgedAppliance,
    JudgedTarget,
    Keys,
    Requests,
    RunFacts,
    Sample,
    Writing,
    moment,
)
from conformance.runs.identity import catalog_digest, judging_digest, suite_version
from conformance.runs.notices import crowded, notices_of, taken_singly
from reports.texts import period

_ERRORS = frozenset({Outcome.SERVERERR, Outcome.TRANSPORT})
_OF_POWER = frozenset({POWER_STATE, OPERATION_STATE})
_SCOPE = {"ha_id", "supports", "lacks"}
"""What a profile says of an appliance that is no answer to a gap: which one it is, and what it claims."""
_WITH_DEFAULTS = {"target", "http", "timing", "paths", "power", "judging"}
_PACE = ("per_minute", "per_day", "concurrency", "max_refusals_in_a_row")


def facts_of(contents: LedgerContents, observations: Observations, argv: tuple[str, ...]) -> RunFacts:
    """What is known of a run beside its cases, as far as it has come, by what its ledger holds."""
    profile, target = observations.profile, observations.profile.target
    purposes = [exchange.purpose for exchange in observations.exchanges]
    reads, writes = purposes.count("read"), purposes.count("write") + purposes.count("restore")
    controls = len(purposes) - reads - writes
    digest = digest_profile(profile)
    return RunFacts(
        suite_version=suite_version(),
        catalog_sha256=catalog_digest(),
        judging_sha256=judging_digest(),
        target=JudgedTarget(target.name, target.base_url, target.vendor, target.product, digest),
        appliances=tuple(JudgedAppliance(appliance.ha_id, appliance.kind) for appliance in profile.appliance),
        level=contents.header.level,
        started=contents.header.at,
        finished=contents.ended or REAL.stamp(),
        requests=Requests(reads, controls, writes),
        interpretations=profile.interpretation.model_dump(by_alias=True),
        argv=argv,
        answers=answers_of(profile),
        sample=_sample(profile),
        most_open=profile.judging.most_open,
        profile=profile.places,
        campaign=_campaign(observations, contents.planned),
        interruptions=contents.header.interruptions,
    )


def answers_of(profile: Profile) -> dict[str, str]:
    """How a profile fills the gaps of the document, by field, as JSON, those of appliances by haId.

    A gap that it does not fill has a default, which is marked behind its value.
    """
    answers: dict[str, object] = {}
    for table, fields in dump_profile(profile).items():
        if isinstance(fields, dict):
            answers |= {f"{table}.{name}": value for name, value in cast("dict[str, object]", fields).items()}
    for appliance in profile.appliance:
        said: dict[str, Any] = appliance.model_dump(mode="json", exclude_unset=True, exclude=_SCOPE)
        samples = {f"samples.{name}": value for name, value in said.pop("samples", {}).items()}
        for name, value in {**said, **samples}.items():
            cast("dict[str, object]", answers.setdefault(f"appliance.{name}", {}))[appliance.ha_id] = value
    answers["appliance.ha_id"] = [appliance.ha_id for appliance in profile.appliance]
    told = {name: json.dumps(value, ensure_ascii=False) for name, value in answers.items()}
    return told | {
        name: f"{json.dumps(value)} (default)"
        for name, value in _defaults(profile).items()
        if name not in told
    }


def _defaults(profile: Profile) -> dict[str, object]:
    """The default of a field, or nothing; that of the pace depends on where the target is."""
    tables: dict[str, dict[str, object]] = profile.model_dump(mode="json", include=_WITH_DEFAULTS)
    values = {f"{table}.{name}": value for table, fields in tables.items() for name, value in fields.items()}
    values |= {f"pace.{name}": getattr(profile, name) for name in _PACE}
    return {name: value for name, value in values.items() if value not in (None, "", [], {})}


def _sample(profile: Profile) -> Sample | None:
    """What a run took of the fleet; None where it took every appliance."""
    fleet = profile.fleet
    return Sample(fleet.sample, fleet.seed, fleet.listed) if fleet and fleet.sample and fleet.listed else None


def _campaign(observations: Observations, planned: int) -> Campaign | None:
    """How far a run has come that asks on several days; `planned` is 0 where it came to its end.

    A run of one day that came to its end is none, nor is one that is not kept to so many requests a day.
    """
    profile, exchanges = observations.profile, observations.exchanges
    days = Days.of(profile.pace.day_starts)
    nights = len({days.day_of(moment(one.at).timestamp()) for one in exchanges}) if profile.per_day else 1
    sent = len(exchanges)
    if planned:
        left = max(1, planned - sent)
        more = math.ceil(left / profile.per_day) if profile.per_day else 1
        return Campaign(nights, nights + more, sent, sent + left)
    return Campaign(nights, nights, sent, sent) if nights > 1 else None


def ending_of(
    facts: RunFacts, observations: Observations, every: Iterable[tuple[Case, Omission | None]]
) -> RunEnding:
    """What is known when a run is over: its facts, every value that was read, and what was not judged.

    `every` are all cases of the target, with why the run does not make them. What an appliance shows that it
    lacks, no field that describes it would change.
    """
    judged = [exchange for exchange in observations.exchanges if exchange.purpose in JUDGED]
    answers = [observations.answer(exchange) for exchange in judged]
    values = {answer.n: json.dumps(answer.value, sort_keys=True) for answer in answers if answer.has_value}
    again = made_again(judged, observations.profile)
    written_again = sum(one.purpose in WRITES for one in judged if one.n in again)
    came = [answer for answer in answers if answer.limit is None]  # a bound of the profile is no error
    errors = sum(answer.outcome in _ERRORS and answer.n not in again for answer in came)
    guess = observations.guess
    places = {"answer.value": guess.value, "answer.status.value": guess.status}
    guessed = {
        name: f"{json.dumps(place)} (guessed once in this run)"
        for name, place in places.items()
        if place is not None
    }
    views = observations.views()
    expected, omitted = 0, list[Omitted]()
    for case, omission in every:
        if omission is None:
            expected += 1
        elif not (omission.is_of_one_appliance and _is_lacking(views.get(case.ha_id), case)):
            place = case.clause.id, case.key, case.ha_id
            omitted.append(Omitted(*place, omission.reason, omission.field))
    facts = replace(
        facts,
        requests=replace(facts.requests, errors=errors, again=written_again),
        keys=_keys(observations),
        lost=losses_of(lost_appliances(observations.remarks, observations.exchanges)),
        # what others wrote says nothing of what may be written
        writing=None if facts.level == "seen" else _writing(views.values(), observations),
        answers={**facts.answers, **guessed},
        appliances=tuple(map(learned, views.values())),
        notices=(
            *_going_on(facts),
            *_paused(facts),
            *taken_singly(observations.exchanges, observations.profile.concurrency),
            *crowded(views.values()),
            *notices_of(views.values()),
        ),
    )
    return RunEnding(facts, values, expected, tuple(omitted))


def _going_on(run: RunFacts) -> Iterator[str]:
    """How far a run has come that goes on another day, and how it does."""
    if run.campaign and not run.campaign.is_over:
        yield f"{run.campaign.words}; go on with the same command and --resume"


def _paused(run: RunFacts) -> Iterator[str]:
    """From when to when the evidence of a run comes that was interrupted and went on."""
    if run.interruptions:
        left_out = ", ".join(
            period(interruption.after, interruption.until) for interruption in run.interruptions
        )
        whole = period(run.started, run.finished)
        yield f"the evidence comes from {whole}, but for {left_out}: the run was interrupted and resumed"


def _is_lacking(seen: View | None, case: Case) -> bool:
    """Whether an appliance was asked for the key of a case, and shows that it does not have it."""
    if seen is None or case.entry is None:
        return False
    answers = shared_answers(seen, case.key)
    stands = [resolve(seen, case.entry, answer).standing for answer in answers]
    return bool(stands) and set(stands) == {Standing.UNSUPPORTED}


def learned(seen: View) -> JudgedAppliance:
    """What was learned of an appliance by writing to it."""
    tours = tuple(group.subject for group in seen.groups if group.kind is ProcedureKind.TOUR)
    effects = Effects(seen)
    for answer in seen.told:
        effects.note(answer)
    own, settle_s = seen.appliance, seen.profile.timing.settle_s
    quiet_s = effects.quiet_s(settle_s) if effects.has_writes else None
    return JudgedAppliance(own.ha_id, own.kind, effects.slowest, quiet_s, tours, _off(seen))


def _off(seen: View) -> str:
    """The power state in which an appliance showed nothing but that; empty where it showed more."""
    kept = [
        support.state
        for (_, key), answer in seen.reads.items()
        if not answer.has_value and (support := resolve(seen, CATALOG.entries[key], answer)).state
    ]
    others = (
        answer
        for answer in (*seen.reads.values(), *(one for made in seen.groups.values() for one in made))
        if answer.has_value
        and answer.ha_id == seen.appliance.ha_id
        and answer.key in CATALOG.entries.keys() - _OF_POWER
    )
    if (
        seen.value(POWER_STATE) is None
        or next(others, None)
        or not any(one.id.turn is EndedAt.POWER for one in kept)
    ):
        return ""
    return "in standby" if seen.is_value(POWER_STATE, "Standby") else "off"


def _writing(views: Collection[View], observations: Observations) -> Writing | None:
    """What came of the writes of allowed values to settings; None where nothing was written to a setting."""
    if not any(one.purpose == "write" and one.segment == "settings" for one in observations.exchanges):
        return None
    tried = [one for seen in views for one in allowed_writes(seen)]
    refused = [one.attempt.answer for one in tried if not one.attempt.is_acknowledged]
    statuses = {answer.status for answer in refused if answer.status}
    effects = sum(one.result == "holds" for one in tried)
    return Writing(len(tried), len(refused), effects, tuple(sorted(statuses)))


def _keys(observations: Observations) -> Keys:
    """How many keys are tried and claimed, and how many gave a value when they were read."""
    appliances = observations.profile.appliance
    tried = [(appliance, key) for appliance in appliances for key in claimed_keys(appliance)]
    reads = (exchange for exchange in observations.exchanges if exchange.purpose == "read")
    served = {(read.ha_id, read.key) for read in reads if observations.answer(read).has_value}
    return Keys(len(tried), sum(appliance.claim(key) == "yes" for appliance, key in tried), len(served))
