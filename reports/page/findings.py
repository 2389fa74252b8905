"""What failed, as report.html shows it: grouped by clause, each finding with the exchanges it rests on.

A page must open at once, so exchanges are shown as long as there is room for them; a finding without names their numbers in the ledger.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from reports.ledger import Exchange, show_exchange
from reports.wording import visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from catalog.model import Catalog
    from reports.records import CaseResult, ClauseResult, Results

MOST_FINDINGS: Final = 1_000  # shown in full; beyond, the page says where the rest is
MOST_EXCHANGES: Final = 4  # of one finding
MOST_NUMBERS: Final = 8  # of exchanges that are named only
MOST_ALSO: Final = 8  # cases of the same answer
LONGEST_SCRIPT: Final = 20_000  # characters of the lines that reproduce a finding
ROOM: Final = 1_000_000  # characters of all exchanges and scripts together
_SAYS: Final = ", document says "  # between what was found and what was expected, where a finding names both
_LITTLE: Final = 1_000  # characters of a script when the room is used up


@dataclass(frozen=True, slots=True)
class Finding:
    """A case that failed, as it is shown; `expected` is what the document asks for.

    `script` are the curl lines that prove it, `earlier` those of what the run had done before.

    `missing` are exchanges that are named by their number only, `more` counts those not even named. `also` are other failing cases of
    the same answer with their anchors, `others` counts the ones left out of it.
    """

    anchor: str
    case: CaseResult
    expected: str
    found: str
    exchanges: tuple[Exchange, ...]
    missing: tuple[int, ...]
    more: int
    also: tuple[tuple[str, str], ...]
    others: int
    script: str
    earlier: str


@dataclass(frozen=True, slots=True)
class FindingGroup:
    """The findings of one clause; `number` counts all of them, also those beyond what the page shows, `waived` those that are expected."""

    clause: ClauseResult | None
    id: str
    title: str
    findings: tuple[Finding, ...]
    number: int
    waived: int


def group_findings(
    failed: Sequence[CaseResult], prefix: str, results: Results, catalog: Catalog, exchanges: Mapping[int, dict[str, Any]]
) -> tuple[FindingGroup, ...]:
    """The failed cases by clause, in the order of the clauses.

    Args:
        failed: Cases of one verdict.
        prefix: What their anchors begin with.
        results: The run, for its clauses.
        catalog: Gives the titles of clauses.
        exchanges: Lines of the ledger by number, as many as there are.
    """
    clauses = {clause.id: clause for clause in results.clauses}
    of_clause: dict[str, list[CaseResult]] = {clause: [] for clause in clauses}
    for case in failed:
        of_clause.setdefault(case.clause, []).append(case)
    titles = {name: clause.title for name, clause in catalog.clauses.items()}
    found = {finding.case.id: finding for finding in _findings(failed, prefix, titles, exchanges)}
    return tuple(
        FindingGroup(
            clause=clauses.get(name),
            id=name,
            title=titles.get(name, ""),
            findings=tuple(found[case.id] for case in cases if case.id in found),
            number=len(cases),
            waived=sum(case.waived for case in cases),
        )
        for name, cases in of_clause.items()
        if cases
    )


def anchors_of(groups: Iterable[FindingGroup], cases: Iterable[CaseResult], prefix: str) -> dict[str, str]:
    """Where each failed case is to be read: at its finding, or at its clause where it is beyond what the page shows."""
    anchors = {finding.case.id: finding.anchor for group in groups for finding in group.findings}
    return {case.id: anchors.get(case.id, f"{prefix}-{case.clause}") for case in cases}


def _findings(
    failed: Sequence[CaseResult], prefix: str, titles: Mapping[str, str], exchanges: Mapping[int, dict[str, Any]]
) -> Iterable[Finding]:
    anchors = {case.id: f"{prefix}-{number}" for number, case in enumerate(failed[:MOST_FINDINGS], start=1)}
    of_answer: dict[tuple[str, str, int], list[str]] = defaultdict(list)
    for case in failed:
        for number in case.evidence[:1]:
            of_answer[case.key, case.ha_id, number].append(case.id)
    room = ROOM
    for case in failed[:MOST_FINDINGS]:
        wanted = case.proof or case.evidence
        there = [show_exchange(number, exchanges[number]) for number in wanted if number in exchanges][-MOST_EXCHANGES:]
        shown = there if room > 0 else []
        script = _script(case.curl, LONGEST_SCRIPT if room > 0 else _LITTLE)
        earlier = _script(case.earlier, LONGEST_SCRIPT) if room > 0 else ""
        room -= sum(len(exchange.body) + len(exchange.request_body) + len(exchange.request) for exchange in shown)
        room -= len(script) + len(earlier)
        left = [number for number in case.evidence if number not in {exchange.number for exchange in shown}]
        missing = [number for number in left if not shown or number not in exchanges]
        same = [other for number in case.evidence[:1] for other in of_answer[case.key, case.ha_id, number] if other != case.id]
        also = list(dict.fromkeys(same))
        found, _, expected = case.message.partition(_SAYS)
        yield Finding(
            anchor=anchors[case.id],
            case=case,
            expected=expected or titles.get(case.clause, ""),
            found=found,
            exchanges=tuple(shown),
            missing=tuple(missing[:MOST_NUMBERS]),
            more=len(left) - len(missing[:MOST_NUMBERS]),
            also=tuple((other, anchors.get(other, "")) for other in also[:MOST_ALSO]),
            others=len(also[MOST_ALSO:]),
            script=script,
            earlier=earlier,
        )


def _script(lines: str, most: int) -> str:
    """Curl lines, cut where they are too long for a page."""
    text = visible(lines)
    return text if len(text) <= most else f"{text[:most]}\n# {len(text) - most:,} further characters: see results.json"
