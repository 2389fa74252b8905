"""The cases of each key, clause by clause: what a cell of the matrix merges into one word.

A target has thousands of cases, and most appliances end alike: so the clauses that ended in the same way on the same
appliances stand in one row.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from reports.page.matrix import group_keys

if TYPE_CHECKING:
    from collections.abc import Mapping

    from catalog.model import Catalog
    from reports.records import Results
    from reports.verdicts import Verdict

_GRAVEST_FIRST: Final[tuple[Verdict, ...]] = ("error", "fail", "inconclusive", "pass", "observed", "not_applicable")


@dataclass(frozen=True, slots=True)
class Ended:
    """Clauses that ended in one verdict on each of these appliances."""

    verdict: Verdict
    appliances: tuple[str, ...]
    clauses: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class KeyCases:
    """The cases of a key on the appliances of the target, the gravest first."""

    anchor: str
    key: str
    ended: tuple[Ended, ...]


def cases_by_key(results: Results, catalog: Catalog) -> tuple[KeyCases, ...]:
    """The cases of every key, in the order of the matrix."""
    judged = {appliance.ha_id for appliance in results.run.appliances}
    clauses: dict[str, dict[tuple[Verdict, str], list[str]]] = defaultdict(lambda: defaultdict(list))
    for case in results.cases:
        if case.ha_id in judged:
            clauses[case.key][case.verdict, case.ha_id].append(case.clause)
    keys = [key for _, group in group_keys(clauses, catalog) for key in group]
    return tuple(KeyCases(f"key-{number}", key, _ended(clauses[key])) for number, key in enumerate(keys, start=1))


def _ended(of_key: Mapping[tuple[Verdict, str], list[str]]) -> tuple[Ended, ...]:
    alike: dict[tuple[Verdict, tuple[str, ...]], list[str]] = defaultdict(list)
    for (verdict, ha_id), clauses in of_key.items():
        alike[verdict, tuple(clauses)].append(ha_id)
    rows = [Ended(verdict, tuple(appliances), clauses) for (verdict, clauses), appliances in alike.items()]
    return tuple(sorted(rows, key=lambda row: _GRAVEST_FIRST.index(row.verdict)))
