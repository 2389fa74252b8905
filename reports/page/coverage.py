"""Every clause of the catalog, and what became of it in a run."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from conformance.checks.verdict import Verdict
from reports.results.model import ClauseResult, NotJudged, Results


@dataclass(frozen=True, slots=True)
class Coverage:
    """A clause and what became of it.

    `why` says why it has no case, `places` on which appliances of the run it ended how, `not_judged` how many
    cases level and profile left out.
    """

    clause: ClauseResult
    why: str
    places: Mapping[Verdict, tuple[int, ...]]
    not_judged: int


def cover(results: Results, places: Mapping[str, int]) -> tuple[Coverage, ...]:
    """The clauses in the order of the results; `places` are the numbers of what the page shows, by haId."""
    found: dict[str, dict[Verdict, set[int]]] = defaultdict(dict)
    for case in results.cases:
        where = found[case.clause].setdefault(case.verdict, set())
        if case.ha_id in places:
            where.add(places[case.ha_id])
    left_out: dict[str, list[NotJudged]] = defaultdict(list)
    for row in results.not_judged:
        left_out[row.clause].append(row)
    return tuple(
        Coverage(
            clause=clause,
            why=_why_no_case(clause, left_out[clause.id]),
            places={verdict: tuple(sorted(where)) for verdict, where in found.get(clause.id, {}).items()},
            not_judged=sum(row.number for row in left_out[clause.id]),
        )
        for clause in results.clauses
    )


def _why_no_case(clause: ClauseResult, left_out: list[NotJudged]) -> str:
    if any(clause.counts.values()):
        return ""
    fields = dict.fromkeys(row.field for row in left_out)
    return f"not judged: needs {', '.join(fields)}" if fields else "no case in this run"
