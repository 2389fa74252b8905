"""What failed, as report.html shows it: each finding once, with the cases and clauses that show it and the exchanges it rests on.

A page must open at once, so exchanges are shown as long as there is room for them; a finding without names their numbers in the ledger.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from reports.ledger import Exchange, show_exchange
from reports.records import Finding
from reports.wording import visible

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from catalog.model import Catalog
    from reports.records import CaseResult, Results

MOST_FINDINGS: Final = 1_000  # shown in full; beyond, the page says where the rest is
MOST_CASES: Final = 200  # listed of one finding
MOST_EXCHANGES: Final = 4  # of one finding
MOST_NUMBERS: Final = 8  # of exchanges that are named only
LONGEST_SCRIPT: Final = 20_000  # characters of the lines that reproduce a finding
ROOM: Final = 1_000_000  # characters of all exchanges and scripts together
_SAYS: Final = ", document says "  # between what was found and what was expected, where a finding names both
_LITTLE: Final = 1_000  # characters of a script when the room is used up


@dataclass(frozen=True, slots=True)
class Sentence:
    """What the document says in the words of a clause: its id, what it asks, the quotation and its line."""

    id: str
    title: str
    quote: str
    line: int


@dataclass(frozen=True, slots=True)
class ShownFinding:
    """A finding as it is shown, by the case that stands for it; `expected` is what the document asks for.

    `sentences` are those of its clauses, `cases` those it has, as many as are listed, and `places` the numbers of their appliances in
    the run. `script` are the curl lines that prove it, `earlier` those of what the run had done before. `missing` are exchanges that
    are named by their number only, `more` counts those not even named.
    """

    anchor: str
    finding: Finding
    case: CaseResult
    sentences: tuple[Sentence, ...]
    cases: tuple[CaseResult, ...]
    expected: str
    found: str
    exchanges: tuple[Exchange, ...]
    missing: tuple[int, ...]
    more: int
    script: str
    earlier: str
    places: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Contradicted:
    """A clause that the target contradicts, in how many cases, and where the first finding on it is to be read."""

    id: str
    number: int
    anchor: str


def errors_as_findings(results: Results) -> tuple[Finding, ...]:
    """The cases in which the suite itself failed, each for itself: nothing is known of what they have in common."""
    return tuple(Finding(case.id, case.message, (case.clause,), (case.id,)) for case in results.cases if case.verdict == "error")


def show_findings(
    findings: Sequence[Finding],
    prefix: str,
    results: Results,
    catalog: Catalog,
    exchanges: Mapping[int, dict[str, Any]],
) -> tuple[ShownFinding, ...]:
    """The findings as they are shown, in the order given, no more than a page holds.

    Args:
        findings: What is to be shown.
        prefix: What their anchors begin with.
        results: The run, for its clauses and cases.
        catalog: Gives the titles of clauses.
        exchanges: Lines of the ledger by number, as many as there are.
    """
    cases = {case.id: case for case in results.cases}
    places = {appliance.ha_id: number for number, appliance in enumerate(results.run.appliances)}
    sentences = _sentences(results, catalog)
    room = ROOM
    shown: list[ShownFinding] = []
    for number, finding in enumerate(findings[:MOST_FINDINGS], start=1):
        own = tuple(cases[name] for name in finding.cases)
        made = _show(f"{prefix}-{number}", finding, own, sentences, exchanges if room > 0 else None)
        made = replace(made, places=tuple(sorted({places[case.ha_id] for case in own if case.ha_id in places})))
        room -= sum(len(exchange.body) + len(exchange.request_body) + len(exchange.request) for exchange in made.exchanges)
        room -= len(made.script) + len(made.earlier)
        shown.append(made)
    return tuple(shown)


def anchors_of(findings: Sequence[Finding], prefix: str, beyond: str) -> dict[str, str]:
    """Where each failed case is to be read: at its finding, or at `beyond` where the page does not show that one."""
    return {
        name: f"{prefix}-{number}" if number <= MOST_FINDINGS else beyond
        for number, finding in enumerate(findings, start=1)
        for name in finding.cases
    }


def contradicted_clauses(results: Results, anchors: Mapping[str, str]) -> tuple[Contradicted, ...]:
    """The clauses that cases contradict which are not waived, in their order."""
    failed = [case for case in results.cases if case.verdict == "fail" and not case.waived]
    first = {case.clause: anchors[case.id] for case in reversed(failed)}
    numbers = {clause.id: sum(case.clause == clause.id for case in failed) for clause in results.clauses if clause.id in first}
    return tuple(Contradicted(name, number, first[name]) for name, number in numbers.items())


def _show(
    anchor: str,
    finding: Finding,
    cases: tuple[CaseResult, ...],
    sentences: Mapping[str, Sentence],
    exchanges: Mapping[int, dict[str, Any]] | None,
) -> ShownFinding:
    """A finding; without `exchanges` there is no room for any, and its script is cut."""
    case = cases[0]
    there = exchanges or {}
    wanted = case.proof or case.evidence
    shown = [show_exchange(number, there[number]) for number in wanted if number in there][-MOST_EXCHANGES:]
    left = [number for number in case.evidence if number not in {exchange.number for exchange in shown}]
    missing = [number for number in left if not shown or number not in there]
    found, _, expected = case.message.partition(_SAYS)
    known = tuple(sentences[name] for name in finding.clauses if name in sentences)
    return ShownFinding(
        anchor=anchor,
        finding=finding,
        case=case,
        sentences=known,
        cases=cases[:MOST_CASES],
        expected=expected or (known[0].title if known else ""),
        found=found,
        exchanges=tuple(shown),
        missing=tuple(missing[:MOST_NUMBERS]),
        more=len(left) - len(missing[:MOST_NUMBERS]),
        script=_script(case.curl, _LITTLE if exchanges is None else LONGEST_SCRIPT),
        earlier="" if exchanges is None else _script(case.earlier, LONGEST_SCRIPT),
    )


def _sentences(results: Results, catalog: Catalog) -> dict[str, Sentence]:
    titles = {name: clause.title for name, clause in catalog.clauses.items()}
    return {clause.id: Sentence(clause.id, titles.get(clause.id, ""), clause.quote, clause.line) for clause in results.clauses}


def _script(lines: str, most: int) -> str:
    """Curl lines, cut where they are too long for a page."""
    text = visible(lines)
    return text if len(text) <= most else f"{text[:most]}\n# {len(text) - most:,} further characters: see results.json"
