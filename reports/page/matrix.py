"""The matrix keys x appliances: for every pair the merged verdict of its cases.

Many appliances are set in blocks side by side in number, one below the other on the page, so that a block fits on paper.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from reports.wording import counted, worst

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from catalog.model import Catalog
    from reports.records import Appliance, CaseResult, Results
    from reports.verdicts import Verdict

WHOLE: Final = "*"
_WIDEST: Final = 8  # appliances a block, as many as stand legibly beside a key on A4


@dataclass(frozen=True, slots=True)
class Cell:
    """The cases of one key on one appliance. `href` leads to what is to be read of the gravest, else to the list of all."""

    verdict: Verdict
    number: int
    href: str
    title: str


@dataclass(frozen=True, slots=True)
class Row:
    """A key and its cells, one for each appliance of the block; None where there is no case."""

    key: str
    cells: tuple[Cell | None, ...]


@dataclass(frozen=True, slots=True)
class Block:
    """Some appliances and every key, in groups with a name."""

    appliances: tuple[Appliance, ...]
    first: int
    groups: tuple[tuple[str, tuple[Row, ...]], ...]


def build_matrix(results: Results, catalog: Catalog, anchors: Mapping[str, str]) -> tuple[Block, ...]:
    """The blocks of the matrix.

    Args:
        results: The judged run.
        catalog: Gives the order of the keys.
        anchors: Where each case is to be read on the page, by its id.
    """
    cells: dict[tuple[str, str], list[CaseResult]] = defaultdict(list)
    for case in results.cases:
        cells[case.key, case.ha_id].append(case)
    appliances = results.run.appliances
    judged = {appliance.ha_id for appliance in appliances}
    without = set(unserved_keys(results, catalog))
    served = [key for key, ha_id in cells if ha_id in judged and key not in without]
    groups = group_keys(served, catalog)
    return tuple(_block(first, some, groups, cells, anchors) for first, some in _split(appliances))


def unserved_keys(results: Results, catalog: Catalog) -> tuple[str, ...]:
    """The keys that no appliance has, as far as every case on them says: all of them are not applicable. They have no row."""
    judged = {appliance.ha_id for appliance in results.run.appliances}
    verdicts: dict[str, set[Verdict]] = defaultdict(set)
    for case in results.cases:
        if case.ha_id in judged and case.key != WHOLE:
            verdicts[case.key].add(case.verdict)
    return tuple(key for _, keys in group_keys(verdicts, catalog) for key in keys if verdicts[key] == {"not_applicable"})


def count_by_appliance(results: Results) -> dict[str, Counter[Verdict]]:
    """How many cases of each appliance ended in which verdict."""
    counts: dict[str, Counter[Verdict]] = defaultdict(Counter)
    for case in results.cases:
        counts[case.ha_id][case.verdict] += 1
    return counts


def count_elsewhere(results: Results) -> tuple[tuple[str, str, str], ...]:
    """Cases of no single appliance of the target, counted in words: the target as a whole by key, and each kind it lacks."""
    judged = {appliance.ha_id for appliance in results.run.appliances}
    counts: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for case in results.cases:
        if case.ha_id not in judged:
            counts[case.ha_id, case.key if case.ha_id == WHOLE else ""][case.verdict] += 1
    return tuple((ha_id, key, counted(count)) for (ha_id, key), count in counts.items())


def group_keys(keys: Iterable[str], catalog: Catalog) -> tuple[tuple[str, list[str]], ...]:
    """Some keys in the order of the catalog, in groups with a name."""
    left = dict.fromkeys(keys)
    whole = [WHOLE] if left.pop(WHOLE, 0) is None else []
    settings = [entry.key for entry in catalog.settings if entry.key in left]
    statuses = [entry.key for entry in catalog.statuses if entry.key in left]
    others = sorted(set(left) - set(settings) - set(statuses))
    return ("The appliance as a whole", whole), ("Settings", settings), ("Statuses", statuses), ("Other keys", others)


def _split(appliances: Sequence[Appliance]) -> list[tuple[int, tuple[Appliance, ...]]]:
    """Blocks of nearly the same width, none wider than fits."""
    number = -(-len(appliances) // _WIDEST)
    ends = [round(len(appliances) * block / number) for block in range(number + 1)] if number else []
    return [(start + 1, tuple(appliances[start:end])) for start, end in pairwise(ends)]


def _block(
    first: int,
    appliances: tuple[Appliance, ...],
    groups: Iterable[tuple[str, list[str]]],
    cells: Mapping[tuple[str, str], list[CaseResult]],
    anchors: Mapping[str, str],
) -> Block:
    """One block; a key without a case on any of its appliances has no row, a group without a row is left out."""
    named: list[tuple[str, tuple[Row, ...]]] = []
    for name, keys in groups:
        rows = (Row(key, tuple(_cell(cells.get((key, appliance.ha_id), []), anchors) for appliance in appliances)) for key in keys)
        said = tuple(row for row in rows if any(row.cells))
        if said:
            named.append((name, said))
    return Block(appliances, first, tuple(named))


def _cell(cases: list[CaseResult], anchors: Mapping[str, str]) -> Cell | None:
    if not cases:
        return None
    verdict = worst(cases)
    telling = [case for case in cases if case.verdict == verdict]
    title = f"{counted(Counter(case.verdict for case in cases))}: {', '.join(case.clause for case in telling)}"
    return Cell(verdict, len(telling), anchors[telling[0].id], title)
