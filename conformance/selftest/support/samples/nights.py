"""Nights made by hand: runs of one target on one day after another, saved as a build server keeps them."""

import gzip
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from conformance.checks.verdict import Verdict
from conformance.records.results import CaseResult
from conformance.records.run_facts import RunFacts
from conformance.selftest.support.samples.results import ALARM, FRIDGE, RUN, a_case, results_of
from reports.history.kept_results import load_nights
from reports.history.model import History
from reports.history.occurrences import history_of
from reports.results.file import render_results

FIRST: Final = datetime(2026, 11, 1, 2, 17, tzinfo=UTC)
WORDS: Final[dict[str, Verdict]] = {
    "p": "pass",
    "f": "fail",
    "i": "inconclusive",
    "n": "not_applicable",
    "e": "error",
}
RANGE: Final = f"RANGE-ALARMCLOCK::{ALARM}@{FRIDGE.ha_id}"
"""The case whose verdicts most tests give."""


def run_on(day: float, run: RunFacts = RUN, minutes: float = 4) -> RunFacts:
    """The run of a day, counted from 0."""
    began = FIRST + timedelta(days=day)
    return replace(run, started=began.isoformat(), finished=(began + timedelta(minutes=minutes)).isoformat())


def save_night(directory: Path, *cases: CaseResult, run: RunFacts, packed: bool = False) -> Path:
    """The results of a night in a directory of their own, which is returned."""
    place = directory / run.started.replace(":", "")
    place.mkdir(parents=True)
    text = "".join(render_results(results_of(*cases, run=run))).encode()
    name = "results.json.gz" if packed else "results.json"
    (place / name).write_bytes(gzip.compress(text) if packed else text)
    return place


def history_in(
    directory: Path,
    verdicts: str,
    runs: Sequence[RunFacts] = (),
    message: str = "value is -1, below the minimum of 0",
) -> History:
    """The history of one case, by its verdicts night after night; `-` for a night that has no such case."""
    for day, word in enumerate(verdicts):
        run = runs[day] if runs else RUN
        told = message if word == "f" else ""
        of_night = [a_case("RANGE-ALARMCLOCK", WORDS[word], message=told)] if word != "-" else []
        save_night(directory, a_case("TYPE-INTEGER", "pass"), *of_night, run=run_on(day, run))
    return history_of(load_nights(directory))


def history_of_story(directory: Path, story: Mapping[CaseResult, str]) -> History:
    """The history of several cases, each with its verdicts night after night, one word a night."""
    for day, words in enumerate(zip(*story.values(), strict=True)):
        cases = [replace(case, verdict=WORDS[word]) for case, word in zip(story, words, strict=True)]
        told = [case if case.verdict == "fail" else replace(case, message="") for case in cases]
        run = run_on(day, with_product(f"Hub 3.{day // 25}"), minutes=21 + day * 7 % 5)
        save_night(directory, *told, run=run)
    return history_of(load_nights(directory))


def with_product(product: str) -> RunFacts:
    """A run of a target that declares another version."""
    return replace(RUN, target=replace(RUN.target, product=product))
