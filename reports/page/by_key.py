"""The cases of each key, clause by clause: what a cell of the matrix merges into one word.

Clauses that ended in the same way on the same appliances stand in one row.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from reports.page.matrix import group_keys
from reports.results.verdicts import WORST_FIRST

if TYPE_CHECKING:
    from collections.abc import Mapping

    from catalog.model import Catalog
    from conformance.checks.verdict import Verdict
    from reports.results.model import Results


@dataclass(frozen=True, slots=True)
class VerdictRow:
    """Clauses that ended in one verdict on each of these appliances."""

    verdict: Verdict
    appliances: tuple[str, ...]
    clauses: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class KeyCases:
    """The cases of a key on the appliances of the target, the worst first."""

    anchor: str
    key: str
    ended: tuple[VerdictRow, ...]


def cases_by_key(results: Results, catalog: Catalog) -> tuple[KeyCases, ...]:
    """The cases of every key, in the order of the matrix."""
    judged = results.run.places
    clauses: dict[str, dict[tuple[Verdict, str], list[str]]] = defaultdict(lambda: defaultdict(list))
    for case in results.cases:
        if case.ha_id in judged:
            clauses[case.key][case.verdict, case.ha_id].append(case.clause)
    keys = [key for _, group in group_keys(clauses, catalog) for key in group]
    numbered = enumerate(keys, start=1)
    return tuple(KeyCases(f"key-{number}", key, _ended(clauses[key])) for number, key in numbered)


def _ended(of_key: Mapping[tuple[Verdict, str], list[str]]) -> tuple[VerdictRow, ...]:
    alike: dict[tuple[Verdict, tuple[str, ...]], list[str]] = defaultdict(list)
    for (verdict, ha_id), clauses in of_key.items():
        alike[verdict, tuple(clauses)].append(ha_id)
    rows = [
        VerdictRow(verdict, tuple(appliances), clauses) for (verdict, clauses), appliances in alike.items()
    ]
    return tuple(sorted(rows, key=lambda row: WORST_FIRST.index(row.verdict)))
