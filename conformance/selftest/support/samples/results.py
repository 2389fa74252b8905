"""Results made by hand: a run, cases with each verdict, and what changed between two runs."""

from collections.abc import Sequence
from typing import TypedDict, Unpack

from msgspec.structs import replace

from catalog.loader import load_catalog
from conformance.checks.verdict import Verdict
from conformance.records.faults import Fault, own_fault
from conformance.records.results import CaseResult, Results
from conformance.records.run_facts import JudgedAppliance, JudgedTarget, Requests, RunFacts
from reports.changes.comparison import compare
from reports.changes.model import Baseline, Comparison
from reports.results.build import build_results


class CaseParts(TypedDict, total=False):
    """What a test may say of a case beside its clause, key, appliance and verdict."""

    message: str
    document: str
    evidence: tuple[int, ...]
    curl: str
    waived: bool
    claimed: bool


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
    clause: str,
    verdict: Verdict,
    key: str = ALARM,
    appliance: JudgedAppliance = FRIDGE,
    **parts: Unpack[CaseParts],
) -> CaseResult:
    """A case of the alarm clock on the refrigerator, resting on exchange 1 and the sentence of the clause."""
    known = load_catalog().clauses.get(clause)
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
    *cases: CaseResult, faults: Sequence[Fault | str] = (), run: RunFacts = RUN, certify: bool = False
) -> Results:
    """The results of a run with these cases, over the real catalog; a text is a fault of the suite."""
    told = [own_fault(fault) if isinstance(fault, str) else fault for fault in faults]
    return build_results(run, cases, load_catalog(), faults=told, certify=certify)


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
