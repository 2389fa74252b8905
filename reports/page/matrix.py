"""The matrix of keys and appliances: for every pair the merged verdict of its cases.

Appliances of one kind stand together, the worst first. They are split into blocks one below the other, so
that a block fits on paper. Of a large fleet, those with the most failures stand by themselves.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby, pairwise
from typing import Final

from msgspec import Struct

from catalog.loader import CATALOG
from conformance.checks.verdict import Verdict
from conformance.records.results import CaseResult, Results
from conformance.records.verdicts import merge_verdicts
from reports.phrases import counted

MOST_SINGLE: Final = 100
"""So many appliances stand by themselves: where there are more, those with the most failures."""


class ShownAppliance(Struct, frozen=True):
    """One appliance, or the further ones of a kind, which are shown together: what they are called.

    `number` is its place among all that are shown, from 0.
    """

    name: str
    kind: str
    number: int


class ShownFleet(Struct, frozen=True):
    """What is shown, in order; `places` is the number of what an appliance is shown in, by haId."""

    appliances: tuple[ShownAppliance, ...]
    places: Mapping[str, int]


def shown_fleet(results: Results) -> ShownFleet:
    """The appliances of a run as its page shows them: by kind, of each kind the worst first."""
    failed = Counter(case.ha_id for case in results.cases if case.verdict in {"fail", "error"})
    undecided = Counter(case.ha_id for case in results.cases if case.verdict == "inconclusive")
    ordered = sorted(results.run.appliances, key=lambda one: (-failed[one.ha_id], -undecided[one.ha_id]))
    shown: list[tuple[str, str, list[str]]] = []
    for kind in dict.fromkeys(one.kind for one in ordered):
        shown += [(one.ha_id, kind, [one.ha_id]) for one in ordered[:MOST_SINGLE] if one.kind == kind]
        further = [one.ha_id for one in ordered[MOST_SINGLE:] if one.kind == kind]
        if further:
            shown.append((f"{len(further)} further", kind, further))
    appliances = (ShownAppliance(name, kind, number) for number, (name, kind, _) in enumerate(shown))
    places = {ha_id: number for number, (*_, ha_ids) in enumerate(shown) for ha_id in ha_ids}
    return ShownFleet(tuple(appliances), places)


WHOLE: Final = "*"
_WIDEST: Final = 8  # appliances a block, as many as stand legibly beside a key on A4


class Cell(Struct, frozen=True):
    """The cases of one key on one appliance; `title` counts them, and names the clauses of the worst verdict.

    `href` leads to the first of these; empty where the page tells nothing more of it.
    """

    verdict: Verdict
    number: int
    href: str
    title: str


class Block(Struct, frozen=True):
    """Some appliances, and in groups with a name the cells of every key, None where there is no case."""

    appliances: Sequence[ShownAppliance]
    groups: Mapping[str, Mapping[str, Sequence[Cell | None]]]


def build_matrix(results: Results, fleet: ShownFleet, anchors: Mapping[str, str]) -> tuple[Block, ...]:
    """The blocks of the matrix; `anchors` say where each case is to be read on the page, by its id."""
    cells: dict[tuple[str, int], list[CaseResult]] = defaultdict(list)
    for case in results.cases:
        if case.ha_id in fleet.places:
            cells[case.key, fleet.places[case.ha_id]].append(case)
    without = set(unserved_keys(results))
    served = [key for key, _ in cells if key not in without]
    groups = group_keys(served)
    return tuple(_block(some, groups, cells, anchors) for some in _split(fleet.appliances))


def unserved_keys(results: Results) -> tuple[str, ...]:
    """The keys on which every case is not applicable, so that they have no row."""
    judged = results.run.places
    verdicts: dict[str, set[Verdict]] = defaultdict(set)
    for case in results.cases:
        if case.ha_id in judged and case.key != WHOLE:
            verdicts[case.key].add(case.verdict)
    ordered = [key for keys in group_keys(verdicts).values() for key in keys]
    return tuple(key for key in ordered if verdicts[key] == {"not_applicable"})


def count_by_appliance(results: Results, fleet: ShownFleet) -> list[tuple[ShownAppliance, Counter[Verdict]]]:
    """How many cases of each appliance that is shown ended in which verdict."""
    counts: list[Counter[Verdict]] = [Counter() for _ in fleet.appliances]
    for case in results.cases:
        if case.ha_id in fleet.places:
            counts[fleet.places[case.ha_id]][case.verdict] += 1
    return list(zip(fleet.appliances, counts, strict=True))


def count_elsewhere(results: Results) -> tuple[tuple[str, str, str], ...]:
    """Cases of no single appliance, counted in words: of the whole target by key, and of kinds it lacks."""
    judged = results.run.places
    counts: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for case in results.cases:
        if case.ha_id not in judged:
            counts[case.ha_id, case.key if case.ha_id == WHOLE else ""][case.verdict] += 1
    return tuple((ha_id, key, counted(count)) for (ha_id, key), count in counts.items())


def group_keys(keys: Iterable[str]) -> dict[str, list[str]]:
    """Some keys in the order of the catalog, in groups with a name."""
    left = dict.fromkeys(keys)
    whole = [WHOLE] if left.pop(WHOLE, 0) is None else []
    settings = [entry.key for entry in CATALOG.settings if entry.key in left]
    statuses = [entry.key for entry in CATALOG.statuses if entry.key in left]
    others = sorted(set(left) - set(settings) - set(statuses))
    return {
        "The appliance as a whole": whole,
        "Settings": settings,
        "Statuses": statuses,
        "Other keys": others,
    }


def _split(appliances: Sequence[ShownAppliance]) -> list[list[ShownAppliance]]:
    """Blocks none of which is wider than fits: several small kinds, or a part of a large one."""
    blocks: list[list[ShownAppliance]] = []
    for _, group in groupby(appliances, key=lambda one: one.kind):
        of_kind = list(group)
        if blocks and len(blocks[-1]) + len(of_kind) <= _WIDEST:
            blocks[-1] += of_kind
            continue
        number = -(-len(of_kind) // _WIDEST)
        ends = [round(len(of_kind) * part / number) for part in range(number + 1)]
        blocks += [of_kind[start:end] for start, end in pairwise(ends)]
    return blocks


def _block(
    appliances: Sequence[ShownAppliance],
    groups: Mapping[str, list[str]],
    cells: Mapping[tuple[str, int], list[CaseResult]],
    anchors: Mapping[str, str],
) -> Block:
    """One block; a key without a case on its appliances has no row, a group without a row is left out."""
    named = {
        name: {key: [_cell(cells.get((key, one.number), []), anchors) for one in appliances] for key in keys}
        for name, keys in groups.items()
    }
    said = {name: {key: row for key, row in rows.items() if any(row)} for name, rows in named.items()}
    return Block(appliances, {name: rows for name, rows in said.items() if rows})


def _cell(cases: list[CaseResult], anchors: Mapping[str, str]) -> Cell | None:
    if not cases:
        return None
    verdict = merge_verdicts(case.verdict for case in cases)
    telling = [case for case in cases if case.verdict == verdict]
    counts = counted(Counter(case.verdict for case in cases))
    title = f"{counts}: {', '.join(dict.fromkeys(case.clause for case in telling))}"
    return Cell(verdict, len(telling), anchors.get(telling[0].id, ""), title)
