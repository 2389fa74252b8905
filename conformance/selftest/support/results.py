"""Results made by hand: a run, cases with each verdict, what changed between two runs, and nights: runs of
one target on one day after another, saved as a build server keeps them.
"""

import gzip
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

from msgspec.structs import replace

from catalog.loader import CATALOG
from conformance.checks.verdict import Verdict
from conformance.records.faults import Fault, own_fault
from conformance.records.results import CaseResult, Omitted, Results, RunEnding
from conformance.records.run_facts import JudgedAppliance, JudgedTarget, Requests, RunFacts
from conformance.records.verdicts import VERDICTS
from reports.changes.comparison import compare
from reports.changes.model import Baseline, Comparison
from reports.history.kept_results import load_nights
from reports.history.model import History
from reports.history.occurrences import history_of
from reports.results.build import build_results
from reports.results.file import render_results

ALARM = "Vendor.Common.Setting.AlarmClock"
FRIDGE = JudgedAppliance("fridge-1", "Refrigerator")
RUN = RunFacts(
    suite_version="0.1.0",
    catalog_sha256="ab" * 32,
    judging_sha256="ac" * 32,
    target=JudgedTarget("staging hub", "https://staging.example/hub", "Vendor", "Hub 3.2", "cd" * 32),
    appliances=(FRIDGE, JudgedAppliance("oven-1", "Oven")),
    level="read",
    started="2026-11-21T09:00:00Z",
    finished="2026-11-21T09:04:11Z",
    requests=Requests(reads=12, controls=5),
    interpretations={"I-1": True, "integer_lexical": "value"},
    argv=("appliance-conformance", "run", "hub.toml"),
    answers={"answer.value": "/data/value"},
)


def a_case(
    clause: str, verdict: Verdict, key: str = ALARM, appliance: JudgedAppliance = FRIDGE, **parts: Any
) -> CaseResult:
    """A case of the alarm clock on the refrigerator, resting on exchange 1 and the sentence of the clause."""
    known = CATALOG.clauses.get(clause)
    case = CaseResult(
        f"{clause}::{key}@{appliance.ha_id}",
        clause,
        key,
        appliance.kind,
        appliance.ha_id,
        verdict,
        document=f"line {known.line}: {known.quote}" if known else "",
        evidence=(1,),
    )
    return replace(case, **parts)


def results_of(
    *cases: CaseResult,
    faults: Sequence[Fault | str] = (),
    run: RunFacts = RUN,
    values: Mapping[int, str] = {},
    omitted: Sequence[Omitted] = (),
    unselected: int = 0,
    **told: Any,
) -> Results:
    """The results of a run with these cases, over the real catalog; a text is a fault of the suite.

    `told` is what else is known when results are built.
    """
    said = [own_fault(fault) if isinstance(fault, str) else fault for fault in faults]
    ending = RunEnding(run, values, len(cases) + unselected, tuple(omitted))
    return build_results(ending, cases, faults=said, **told)


PASS = a_case("TYPE-INTEGER", "pass")
FAIL = a_case("RANGE-ALARMCLOCK", "fail")
UNSURE = a_case("TYPE-NOTNULL", "inconclusive")
ERROR = a_case("READ-VALUE", "error")
SILENT = a_case("ADDR-BASE", "inconclusive", key="*")
ABSENT = a_case("TYPE-BOOLEAN", "not_applicable")
SEEN = a_case("CAT-FIELD-DESC", "observed")
CLAIMED = replace(UNSURE, claimed=True)


INSTALLED = (RUN.suite_version, RUN.judging_sha256)


def turned(case: CaseResult, verdict: str, message: str = "") -> CaseResult:
    """The case with another verdict."""
    return replace(case, verdict=verdict, message=message)  # pyright: ignore[reportArgumentType]  the tests name verdicts


def between(
    old: Results,
    new: Results,
    again: Results | None = None,
    reprofiled: Results | None = None,
    *,
    places: tuple[str, ...] = (),
) -> Comparison:
    """What changed between two results; the old ledger, judged again, gives the same unless it is said."""
    return compare(Baseline(old, again or old, reprofiled, "", places, INSTALLED), new)


FIRST: Final = datetime(2026, 11, 1, 2, 17, tzinfo=UTC)
WORDS: Final = {verdict[0]: verdict for verdict in VERDICTS}


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


def history_of_story(
    directory: Path, story: Mapping[CaseResult, str], runs: Sequence[RunFacts] = ()
) -> History:
    """The history of several cases, each with its verdicts night after night, one word a night, of `runs`.

    A `-` stands for a night that has no such case.
    """
    for day, words in enumerate(zip(*story.values(), strict=True)):
        cases = [
            replace(case, verdict=WORDS[word], message=case.message if word == "f" else "")
            for case, word in zip(story, words, strict=True)
            if word != "-"
        ]
        run = runs[day] if runs else with_product(f"Hub 3.{day // 25}")
        save_night(directory, *cases, run=run_on(day, run, minutes=21 + day * 7 % 5))
    return history_of(load_nights(directory))


def with_product(product: str) -> RunFacts:
    """A run of a target that declares another version."""
    return replace(RUN, target=replace(RUN.target, product=product))
