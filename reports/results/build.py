"""From the cases of a run to its results: a verdict for every clause, one for the run, an exit code.

Times and counts of requests come from `RunFacts`, never from the clock.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from typing import Final

from msgspec.structs import replace

from catalog.loader import CATALOG
from catalog.model import Clause
from conformance.model.state_table import STATES
from conformance.records.faults import Fault, own_fault, own_faults
from conformance.records.results import CaseResult, ClauseResult, Open, Results, RunEnding, WaiverResult
from conformance.records.run_facts import RunFacts
from conformance.records.verdicts import COUNTED, merge_verdicts
from reports.certificate import SERVED, refusals
from reports.kills import published_kills
from reports.results.findings import findings_of
from reports.results.headline import why_inconclusive
from reports.results.not_judged import group_omitted

NO_EVIDENCE: Final = "passed without naming an exchange it rests on"
_SEEN: Final = frozenset({"pass", "fail", "observed"})  # verdicts that rest on what was seen


def exit_code(results: Results) -> int:
    """The exit code of a run; where several apply, the first of 5, 1, 4, 3.

    Code 2, wrong usage or profile, has no results to take it from: the command returns it before a run.
    """
    rows = (
        (5, bool(results.faults) or results.verdict == "error"),
        (1, results.verdict == "fail"),
        (4, bool(results.stale_waivers)),
        (3, results.interrupted or results.verdict == "inconclusive" or bool(results.refused)),
    )
    return next((code for code, applies in rows if applies), 0)


def build_results(  # noqa: PLR0913  the last ones are what a run says of itself
    ending: RunEnding,
    cases: Iterable[CaseResult],
    *,
    faults: Iterable[Fault] = (),
    waivers: Iterable[WaiverResult] = (),
    interrupted: bool = False,
    certify: bool = False,
) -> Results:
    """Joins the cases of a run, in the order given, with every clause of the catalog.

    A clause without a case is `not_judged`, with all counts 0. A pass that rests on no exchange
    becomes inconclusive: zero evidence is never a pass. A case that comes twice, or whose clause the catalog
    lacks, is a fault of the suite. A fault of the suite makes the verdict `error`. A waived failure is not
    counted. Single inconclusive cases do not make a run inconclusive. What does: that nothing passed, or an
    appliance gave no value for any key; an interruption; a failed restore, since an appliance that does not
    go back was not judged to the end; that the run goes on another day; something that went away, or was off
    all the time; writes of which none had an effect; more open cases than judging.most_open allows. Of a
    selected part no share is asked for.

    Args:
        ending: What is known of the run besides its cases.
        cases: The judged cases, waivers applied.
        faults: The suite's own, and what could not be put back.
        waivers: What became of the waivers of the profile.
        interrupted: The run was cut off.
        certify: A certificate was asked for.
    """
    run, settled = ending.run, tuple(map(_with_evidence, cases))
    unselected = max(0, ending.expected - len(settled))
    every_fault = (*faults, *_mistakes(settled))
    counted = {case.verdict for case in settled if not (case.waived and case.verdict == "fail")}
    is_error = own_faults(every_fault) or "error" in counted
    results = Results(
        run=run,
        verdict="error" if is_error else "fail" if "fail" in counted else "pass",
        counts=_count(settled),
        clauses=_judge_clauses(settled, ending.values),
        cases=settled,
        findings=findings_of(settled, ending.values),
        faults=every_fault,
        waivers=tuple(waivers),
        interrupted=interrupted,
        unselected=unselected,
        certify=certify,
        not_judged=group_omitted(ending.omitted),
        open=open_cases(run, settled),
    )
    if results.verdict == "pass" and why_inconclusive(results):
        results = replace(results, verdict="inconclusive")
    return replace(results, refused=(*refusals(results, published_kills()),)) if certify else results


def with_faults(results: Results, faults: Iterable[Fault]) -> Results:
    """The results with faults that show when the files are made: no verdict, and no certificate."""
    flawed = replace(results, verdict="error", faults=(*results.faults, *faults))
    return replace(flawed, refused=(*refusals(flawed, published_kills()),)) if results.certify else flawed


def open_cases(run: RunFacts, cases: Collection[CaseResult]) -> Open:
    """How many claimed cases are open without a state that explains it, of those that apply.

    Where the profile claims nothing, a key that gave a value counts as claimed: whoever has it is asked for
    what it promises. An observation is no judgement, and does not count.
    """
    claims_nothing = run.keys is not None and not run.keys.claimed
    served = {(case.ha_id, case.key) for case in cases if case.clause in SERVED and case.verdict == "pass"}
    counted = [
        case
        for case in cases
        if case.verdict not in {"not_applicable", "observed"}
        and not case.waived
        and ((case.ha_id, case.key) in served if claims_nothing else case.claimed)
    ]
    still = [case for case in counted if case.verdict == "inconclusive" and case.exempt not in STATES]
    return Open(len(still), len(counted))


def _with_evidence(case: CaseResult) -> CaseResult:
    """The case; inconclusive where it passed without an exchange."""
    without = case.verdict == "pass" and not case.evidence
    return replace(case, verdict="inconclusive", message=NO_EVIDENCE) if without else case


def _mistakes(cases: Collection[CaseResult]) -> list[Fault]:
    often = Counter(case.id for case in cases)
    twice = [f"two cases have the id {case}" for case, times in often.items() if times > 1]
    unknown = dict.fromkeys(case.clause for case in cases if case.clause not in CATALOG.clauses)
    return [*map(own_fault, twice), *(own_fault(f"the catalog has no clause {clause}") for clause in unknown)]


def _count(cases: Iterable[CaseResult]) -> dict[str, int]:
    counts = dict.fromkeys(COUNTED, 0)
    for case in cases:
        counts[case.verdict] += 1
        counts["waived"] += case.waived
    return counts


def _judge_clauses(cases: Iterable[CaseResult], values: Mapping[int, str]) -> tuple[ClauseResult, ...]:
    of_clause: dict[str, list[CaseResult]] = {name: [] for name in CATALOG.clauses}
    for case in cases:
        of_clause.setdefault(case.clause, []).append(case)
    return tuple(_judge_clause(clause, of_clause[clause.id], values) for clause in CATALOG.clauses.values())


def _judge_clause(clause: Clause, cases: list[CaseResult], values: Mapping[int, str]) -> ClauseResult:
    rests_on = {number for case in cases if case.verdict in _SEEN for number in case.evidence}
    return ClauseResult(
        id=clause.id,
        verdict=merge_verdicts(case.verdict for case in cases) if cases else "not_judged",
        quote=clause.quote,
        line=clause.line,
        counts=_count(cases),
        level=clause.level,
        excluded=clause.excluded,
        exchanges=len(rests_on),
        values=len({values[number] for number in rests_on if number in values}),
    )
