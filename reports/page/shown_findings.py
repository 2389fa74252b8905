"""What failed, as report.html shows it: each finding once, with its cases, clauses and exchanges.

A page must open at once, so exchanges are shown as long as there is room; after that a finding only names
their numbers in the ledger.
"""

import hashlib
import re
from collections.abc import Mapping, Sequence
from typing import Final

from msgspec import Struct

from conformance.checks.exchange import Exchange
from conformance.records.results import CaseResult, ClauseResult, Finding, Results
from reports.limits import PAGE
from reports.recorded.exchanges import ShownExchange, show_exchange
from reports.texts import visible

MOST_NUMBERS: Final = 8  # of exchanges that are named only
LONGEST_SCRIPT: Final = 20_000  # characters of the lines that reproduce a finding
ROOM: Final = 1_000_000  # characters of all exchanges and scripts together
_PLAIN: Final = re.compile(r"[A-Za-z0-9.:@*~_-]{1,300}")
"""What an address holds as it is."""
_LITTLE: Final = 1_000  # characters of a script when the room is used up


class ShownFinding(Struct, frozen=True):
    """A finding as it is shown.

    `clauses` are those it contradicts, `cases` those it has, as many as are listed and first the one that
    stands for it, and `places` the numbers of what their `appliances` are shown in. `script` are the curl
    lines that prove it. `named` are exchanges that are given by their number only, `more` counts those not
    even named.
    """

    finding: Finding
    clauses: tuple[ClauseResult, ...]
    cases: tuple[CaseResult, ...]
    places: tuple[int, ...]
    appliances: int
    exchanges: tuple[ShownExchange, ...]
    named: tuple[int, ...]
    more: int
    script: str


def errors_as_findings(results: Results) -> tuple[Finding, ...]:
    """The cases in which the suite itself failed, each as a finding of its own."""
    errors = results.of("error")
    return tuple(Finding(case.id, case.message, (case.clause,), (case.id,)) for case in errors)


def show_findings(
    findings: Sequence[Finding],
    results: Results,
    *,
    places: Mapping[str, int],
    exchanges: Mapping[int, Exchange],
) -> tuple[ShownFinding, ...]:
    """The findings as they are shown, in the order given, no more than a page holds.

    Args:
        findings: What is to be shown.
        results: The run, for its clauses and cases.
        places: The number of what each appliance is shown in, by haId.
        exchanges: Lines of the ledger by number, as many as there are.
    """
    cases, judged = results.by_id, results.run.places
    clauses = {clause.id: clause for clause in results.clauses}
    room = ROOM
    made: list[ShownFinding] = []
    for finding in findings[: PAGE.findings]:
        own = tuple(cases[name] for name in finding.cases)
        case, has_room = own[0], room > 0
        shown, named, more = _exchanges(case, exchanges if has_room else {})
        script = _script(case.curl, LONGEST_SCRIPT if has_room else _LITTLE)
        room -= len(script) + sum(len(one.body) + len(one.request_body) + len(one.request) for one in shown)
        made.append(
            ShownFinding(
                finding=finding,
                clauses=tuple(clauses[name] for name in finding.clauses if name in clauses),
                cases=own[: PAGE.places],
                places=tuple(sorted({places[one.ha_id] for one in own if one.ha_id in places})),
                appliances=len({one.ha_id for one in own if one.ha_id in judged}),
                exchanges=shown,
                named=named,
                more=more,
                script=script,
            )
        )
    return tuple(made)


def anchor_of(case: str) -> str:
    """The anchor of a finding, by the id of the case that stands for it: the same in every run.

    An id that does not stand in an address as it is gives its clause and a digest.
    """
    if _PLAIN.fullmatch(case):
        return case
    clause = case.partition("::")[0]
    digest = hashlib.blake2b(case.encode("utf-8", "backslashreplace"), digest_size=6).hexdigest()
    return f"{clause if _PLAIN.fullmatch(clause) else 'case'}::{digest}"


def anchors_of(findings: Sequence[Finding], beyond: str) -> dict[str, str]:
    """The anchor of each failed case: that of its finding, or `beyond` where the page does not show it."""
    return {
        name: anchor_of(finding.case) if number <= PAGE.findings else beyond
        for number, finding in enumerate(findings, start=1)
        for name in finding.cases
    }


def _exchanges(
    case: CaseResult, exchanges: Mapping[int, Exchange]
) -> tuple[tuple[ShownExchange, ...], tuple[int, ...], int]:
    """The exchanges of a case that are shown, those that are named by number, and how many are neither."""
    known = [number for number in case.proof or case.evidence if number in exchanges][-PAGE.requests :]
    left = [number for number in case.evidence if number not in known]
    named = [number for number in left if not known or number not in exchanges][:MOST_NUMBERS]
    shown = tuple(show_exchange(number, exchanges[number]) for number in known)
    return shown, tuple(named), len(left) - len(named)


def _script(lines: str, most: int) -> str:
    """Curl lines, cut where they are too long for a page."""
    text = visible(lines)
    more = f"\n# {len(text) - most:,} further characters: see results.json"
    return text if len(text) <= most else text[:most] + more
