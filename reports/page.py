"""report.html: one self-contained page that a person decides from.

It is read in this order: the verdict and what was judged, what was not judged and why, the matrix, the findings
with the sentence each contradicts, then everything that led there. It needs no JavaScript, and without its style sheet (a strict
content policy blocks that too) it is still a document in the same order, in words.
"""

from __future__ import annotations

import shlex
from collections import defaultdict
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from jinja2 import Environment, PackageLoader, StrictUndefined

from reports.conditional import condition, conditional_cases
from reports.faults import own_faults
from reports.ledger import Exchange, show_exchange
from reports.levels import beyond_level
from reports.matrix import build_matrix, count_by_appliance
from reports.readings import READINGS, answer_to
from reports.restoring import alarms, sent_in_words, state_rows
from reports.verdicts import VERDICTS
from reports.wording import HEADLINE, SHORT_WORD, SYMBOL, WORD, counted, lead, mask, one_line, plural, visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from catalog.model import Catalog
    from reports.events import Events
    from reports.journal import Journal
    from reports.records import CaseResult, ClauseResult, Results
    from reports.verdicts import Verdict

MOST_FINDINGS: Final = 1_000  # shown in full; beyond, the page says where the rest is
MOST_EXCHANGES: Final = 4  # of one finding
MOST_EXAMPLES: Final = 8  # cases named under one reason
MOST_ROWS: Final = 500  # of the tables of states, of events and of conditional cases
_WORDS: Final[dict[str, Any]] = {
    "VERDICTS": VERDICTS,
    "WORD": WORD,
    "SHORT_WORD": SHORT_WORD,
    "SYMBOL": SYMBOL,
    "HEADLINE": HEADLINE,
    "READINGS": READINGS,
    "MOST_ROWS": MOST_ROWS,
    "plural": plural,
}


@dataclass(frozen=True, slots=True)
class Finding:
    """A case that failed, as it is shown: `also` are other failing cases of the same answer."""

    anchor: str
    case: CaseResult
    exchanges: tuple[Exchange, ...]
    missing: tuple[int, ...]
    more: int
    also: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class FindingGroup:
    """The findings of one clause; `number` counts all of them, also those beyond what the page shows."""

    clause: ClauseResult | None
    id: str
    title: str
    findings: tuple[Finding, ...]
    number: int


@dataclass(frozen=True, slots=True)
class Reason:
    """Cases that ended without a decision, or were only observed, for the same reason."""

    anchor: str
    text: str
    number: int
    clauses: tuple[str, ...]
    examples: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Coverage:
    """A clause of the catalog and what became of it; `why` says why it has no case."""

    clause: ClauseResult
    title: str
    why: str


def render_page(
    results: Results,
    catalog: Catalog,
    exchanges: Mapping[int, dict[str, Any]],
    journal: Journal | None = None,
    events: Sequence[Events] = (),
) -> str:
    """The text of report.html.

    Args:
        results: The judged run.
        catalog: Gives titles, gaps and the order of the keys.
        exchanges: Lines of the ledger by number, as many as there are.
        journal: What was written and put back, where anything was.
        events: What an event stream brought.
    """
    cases = results.cases
    of_verdict: dict[Verdict, list[CaseResult]] = {verdict: [] for verdict in VERDICTS}
    for case in cases:
        of_verdict[case.verdict].append(case)
    groups = _findings(of_verdict["fail"], "finding", results, catalog, exchanges)
    errors = _findings(of_verdict["error"], "error", results, catalog, exchanges)
    reasons = _reasons(of_verdict["inconclusive"], "reason")
    observations = _reasons(of_verdict["observed"], "observation", by_clause=True)
    anchors = _anchors(cases, (*groups, *errors), reasons, observations)
    judged = {appliance.ha_id for appliance in results.run.appliances}
    return (
        _environment()
        .get_template("report.html.j2", globals=_WORDS)
        .render(
            results=results,
            run=results.run,
            alarms=alarms(results, journal),
            own_faults=own_faults(results.faults),
            conditional=condition(results.cases),
            conditional_cases=conditional_cases(results.cases),
            states=state_rows(journal) if journal else (),
            journal=journal,
            sent=sent_in_words(journal) if journal else "",
            events=events,
            gaps=[(gap, answer_to(gap, results.run)) for gap in catalog.gaps],
            groups=groups,
            errors=errors,
            reasons=reasons,
            observations=observations,
            not_applicable=_reasons(of_verdict["not_applicable"], "lack"),
            blocks=build_matrix(results, catalog, anchors),
            by_appliance=count_by_appliance(results),
            elsewhere=_elsewhere([case for case in cases if case.ha_id not in judged]),
            coverage=_coverage(results, catalog),
            out_of_level=beyond_level(results.clauses),
        )
    )


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("reports", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"visible": visible, "line": one_line, "counted": counted, "lead": lead, "command": shlex.join}
    return environment


def _findings(
    failed: list[CaseResult], prefix: str, results: Results, catalog: Catalog, exchanges: Mapping[int, dict[str, Any]]
) -> tuple[FindingGroup, ...]:
    clauses = {clause.id: clause for clause in results.clauses}
    anchors = {case.id: f"{prefix}-{number}" for number, case in enumerate(failed[:MOST_FINDINGS], start=1)}
    of_answer: dict[tuple[str, str, int], list[str]] = defaultdict(list)
    of_clause: dict[str, list[CaseResult]] = {clause: [] for clause in clauses}
    for case in failed:
        of_clause.setdefault(case.clause, []).append(case)
        for number in case.evidence[:1]:
            of_answer[case.key, case.ha_id, number].append(case.id)

    def finding(case: CaseResult) -> Finding:
        shown = [number for number in case.evidence if number in exchanges][:MOST_EXCHANGES]
        missing = tuple(number for number in case.evidence if number not in exchanges)
        same = [other for number in case.evidence[:1] for other in of_answer[case.key, case.ha_id, number] if other != case.id]
        return Finding(
            anchor=anchors[case.id],
            case=case,
            exchanges=tuple(show_exchange(number, exchanges[number]) for number in shown),
            missing=missing[:MOST_EXAMPLES],
            more=len(case.evidence) - len(shown) - len(missing),
            also=tuple((other, anchors.get(other, "")) for other in dict.fromkeys(same)),
        )

    return tuple(
        FindingGroup(
            clause=clauses.get(name),
            id=name,
            title=_title(catalog, name),
            findings=tuple(finding(case) for case in cases if case.id in anchors),
            number=len(cases),
        )
        for name, cases in of_clause.items()
        if cases
    )


def _reasons(cases: Iterable[CaseResult], prefix: str, *, by_clause: bool = False) -> tuple[Reason, ...]:
    """Cases counted by the reason they give, the most frequent first (observations: in the order of the clauses)."""
    grouped: dict[tuple[str, str], list[CaseResult]] = defaultdict(list)
    for case in cases:
        grouped[case.clause if by_clause else "", mask(case)].append(case)
    ordered = list(grouped.items()) if by_clause else sorted(grouped.items(), key=lambda group: -len(group[1]))
    return tuple(
        Reason(
            anchor=f"{prefix}-{number}",
            text=text,
            number=len(same),
            clauses=tuple(dict.fromkeys(case.clause for case in same)),
            examples=tuple(case.id for case in same[:MOST_EXAMPLES]),
        )
        for number, ((_, text), same) in enumerate(ordered, start=1)
    )


def _anchors(
    cases: Iterable[CaseResult], groups: Iterable[FindingGroup], reasons: Iterable[Reason], observations: Iterable[Reason]
) -> dict[str, str]:
    """Where each case that is no plain pass is to be read."""
    anchors = {finding.case.id: finding.anchor for group in groups for finding in group.findings}
    undecided = {reason.text: reason.anchor for reason in reasons}
    observed = {(reason.clauses[0], reason.text): reason.anchor for reason in observations}
    for case in cases:
        if case.verdict == "inconclusive":
            anchors[case.id] = undecided[mask(case)]
        elif case.verdict == "observed":
            anchors[case.id] = observed[case.clause, mask(case)]
        elif case.verdict in {"fail", "error"}:
            anchors.setdefault(case.id, f"{case.verdict}-{case.clause}")
    return anchors


def _elsewhere(cases: Iterable[CaseResult]) -> tuple[tuple[str, str, str], ...]:
    """Cases of no single appliance of the target: a line for the target as a whole, one for each kind it lacks."""
    grouped: dict[tuple[str, str], list[CaseResult]] = defaultdict(list)
    for case in cases:
        grouped[case.ha_id, case.key if case.ha_id == "*" else ""].append(case)
    counts = {place: {verdict: sum(case.verdict == verdict for case in some) for verdict in VERDICTS} for place, some in grouped.items()}
    return tuple((ha_id, key, counted(counts[ha_id, key])) for ha_id, key in grouped)


def _coverage(results: Results, catalog: Catalog) -> tuple[Coverage, ...]:
    return tuple(Coverage(clause, _title(catalog, clause.id), _why_no_case(clause)) for clause in results.clauses)


def _why_no_case(clause: ClauseResult) -> str:
    if any(clause.counts.values()):
        return ""
    return f"needs level {clause.needs}" if clause.needs else "no case in this run"


def _title(catalog: Catalog, name: str) -> str:
    clause = catalog.clauses.get(name)
    return clause.title if clause is not None else ""
