"""Whether a server gets the same results in each way of running.

That is with one lane and with sixteen, as a whole and in three shards that are merged. The first way of all
is the one that the proof judges.
"""

import json
import os
import re
import shutil
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from conformance.mutants.registry import is_among
from conformance.profiles.fleet.companions import units_of
from conformance.profiles.fleet.sharding import Part, sharded
from conformance.profiles.model import Profile
from conformance.profiles.validation import build_profile
from conformance.proof.in_process import network_of
from conformance.proof.outcomes import PREFIX, TrialOutcome
from conformance.proof.pool import judge_all
from conformance.proof.trials import Trial, usual_trials
from conformance.records.results import Results
from conformance.reference.service import Service
from conformance.runs.observed_run import observed
from conformance.runs.saved.judged_again import judged_in
from conformance.runs.saved.merging import merge
from conformance.runs.saved.verifying import first_difference
from conformance.runs.session import Session
from reports.results.file import render_results

_SHARDS = 3
_TIMES = re.compile(r"(?: after)? -?[0-9]+(?:\.[0-9]+)? s\b|, [0-9]+ at once")
_OF_ONE_RUN = {"argv", "started", "finished", "requests"}
_NUMBERS = {"evidence", "proof", "sights"}


def lasting(results: Results) -> dict[str, Any]:
    """The members of results.json without times, numbers of exchanges, and how many there were, or at once.

    What a generated case says is left out, too: it counts requests that name other appliances, of which a
    shard has fewer.
    """
    told: dict[str, Any] = json.loads(_TIMES.sub("", "".join(render_results(results))))
    for case in told["cases"]:
        for member in (*_NUMBERS, *(["message"] if "~generated" in case["id"] else [])):
            case.pop(member)
    for appliance in told["appliances"]:
        del appliance["slowest_effect_s"], appliance["quiet_s"]  # what is learned depends on the machine
    for loss in told["lost"]:
        del loss["at"]
    for clause in told["clauses"]:
        del clause["exchanges"], clause["values"]
    return {member: value for member, value in told.items() if member not in _OF_ONE_RUN}


def outcome_of_all_ways(trial: Trial, directory: Path) -> TrialOutcome:
    """What came of a trial, with the first thing that differs when it is run in another way.

    Args:
        trial: the server; at level attended it is not divided into shards, since a person is at one place.
        directory: where the files of the runs are written; what it holds before is taken away.
    """
    shutil.rmtree(directory, ignore_errors=True)
    results = _run(trial, directory / "whole")
    found: dict[str, Results] = {}
    if trial.level != "read":
        found["in one lane"] = _run(trial, directory / "lane", concurrency=1)
    if trial.level != "attended":
        found["in shards"] = _merged(trial, directory)
    differs = (
        f"{way}: {difference}"
        for way, other in found.items()
        if (difference := _difference(results, other, way))
    )
    fails = {case.id: case.message for case in results.cases if case.verdict == "fail"}
    return TrialOutcome(results.verdict, fails, differs="; ".join(differs))


def compare_ways(
    out: Path, *, only: Sequence[str] = (), workers: int | None = None
) -> dict[str, TrialOutcome]:
    """What came of every trial, or of those whose name holds one of `only`, in each way of running."""
    names = [name for name, trial in usual_trials().items() if is_among(name, only) and trial.is_steady]
    return judge_all(names, partial(_outcome, out=out), workers=workers or (os.cpu_count() or 1) + 1)


def _outcome(name: str, out: Path) -> TrialOutcome:
    return outcome_of_all_ways(usual_trials()[name], out / name)


def _difference(results: Results, other: Results, way: str) -> str:
    one, two = lasting(results), lasting(other)
    if way == "in one lane":  # its profile says so
        for told in (one, two):
            del told["target"], told["answers"]
    return first_difference(one, two, "run")


def _run(trial: Trial, directory: Path, *, concurrency: int | None = None) -> Results:
    service = trial.server()
    profile = build_profile(trial.profile(service))
    if concurrency:
        pace = profile.pace.model_copy(update={"concurrency": concurrency})
        profile = profile.model_copy(update={"pace": pace})
    return _judged(trial, service, profile, directory)


def _judged(trial: Trial, service: Service, profile: Profile, directory: Path) -> Results:
    return judged_in(Session(profile, directory, trial.level, network=network_of({PREFIX: service})))


def _merged(trial: Trial, directory: Path) -> Results:
    """The results of the shards, which ask one server in turn."""
    service = trial.server()
    whole = build_profile(trial.profile(service))
    count = min(_SHARDS, len(units_of(whole)))
    places = [directory / f"shard-{number}" for number in range(1, count + 1)]
    for number, place in enumerate(places, start=1):
        place.mkdir(parents=True)
        part = sharded(whole, Part(number, count), trial.level)
        _judged(trial, service, part, place)
    return judged_in(observed(merge(places, directory / "merged")))
