"""The cases of each key, clause by clause: what a cell of the matrix merges into one word.

Clauses that ended in the same way on the same appliances stand in one row.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from catalog.model import Catalog
from conformance.checks.verdict import Verdict
from reports.page.fleet import ShownFleet
from reports.page.matrix import group_keys
from reports.results.model import Results
from reports.results.verdicts import WORST_FIRST


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


def cases_by_key(results: Results, fleet: ShownFleet, catalog: Catalog) -> tuple[KeyCases, ...]:
    """The cases of every key, in the order of the matrix."""
    clauses: dict[str, dict[tuple[Verdict, str], dict[str, None]]] = defaultdict(lambda: defaultdict(dict))
    for case in results.cases:
        if case.ha_id in fleet.places:
            name = fleet.appliances[fleet.places[case.ha_id]].name
            clauses[case.key][case.verdict, name][case.clause] = None
    keys = [key for _, group in group_keys(clauses, catalog) for key in group]
    numbered = enumerate(keys, start=1)
    return tuple(KeyCases(f"key-{number}", key, _ended(clauses[key])) for number, key in numbered)


def _ended(of_key: Mapping[tuple[Verdict, str], Iterable[str]]) -> tuple[VerdictRow, ...]:
    alike: dict[tuple[Verdict, tuple[str, ...]], list[str]] = defaultdict(list)
    for (verdict, name), clauses in of_key.items():
        alike[verdict, tuple(clauses)].append(name)
    rows = [
        VerdictRow(verdict, tuple(appliances), clauses) for (verdict, clauses), appliances in alike.items()
    ]
    return tuple(sorted(rows, key=lambda row: WORST_FIRST.index(row.verdict)))
