"""The appliances as the page shows them: each by itself, or those of a large fleet together that are alike.

Appliances of one kind whose cases all ended alike are one column and one row. Where that still leaves more
than fit on a page, those with the most failures, errors and undecided cases stand by themselves, and the
others by their kind.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from reports.results.model import Results

MOST_SINGLE: Final = 100
"""A fleet of so many appliances is shown one by one."""
MOST_SHOWN: Final = 150


@dataclass(frozen=True, slots=True)
class ShownAppliance:
    """One appliance, or several that are shown together: what they are called, and their kind."""

    name: str
    kind: str


@dataclass(frozen=True, slots=True)
class ShownFleet:
    """What is shown, in order; `places` is the number of what an appliance is shown in, by haId."""

    appliances: tuple[ShownAppliance, ...]
    places: Mapping[str, int]


def shown_fleet(results: Results) -> ShownFleet:
    """The appliances of a run as its page shows them."""
    appliances = results.run.appliances
    if len(appliances) <= MOST_SINGLE:
        return ShownFleet(
            tuple(ShownAppliance(one.ha_id, one.kind) for one in appliances), results.run.places
        )
    alike = _alike(results)
    bad = Counter(case.ha_id for case in results.cases if case.verdict in {"fail", "error", "inconclusive"})
    kept = sorted(alike, key=lambda group: -sum(bad[ha_id] for ha_id in group[1]))[:MOST_SHOWN]
    named = [(kind, ha_ids, _name(ha_ids)) for kind, ha_ids in alike if (kind, ha_ids) in kept]
    left: dict[str, list[str]] = {}
    for kind, ha_ids in alike:
        if (kind, ha_ids) not in kept:
            left.setdefault(kind, []).extend(ha_ids)
    named += [(kind, ha_ids, f"{len(ha_ids)} further") for kind, ha_ids in left.items()]
    places = {ha_id: number for number, (_, ha_ids, _) in enumerate(named) for ha_id in ha_ids}
    return ShownFleet(tuple(ShownAppliance(name, kind) for kind, _, name in named), places)


def _alike(results: Results) -> list[tuple[str, list[str]]]:
    """The kind and the haIds of those whose cases all ended alike."""
    ended = {one.ha_id: hashlib.blake2b(one.kind.encode()) for one in results.run.appliances}
    for case in results.cases:
        if case.ha_id in ended:
            ended[case.ha_id].update(f"\n{case.clause} {case.key} {case.verdict}".encode())
    groups: dict[bytes, tuple[str, list[str]]] = {}
    for one in results.run.appliances:
        groups.setdefault(ended[one.ha_id].digest(), (one.kind, []))[1].append(one.ha_id)
    return list(groups.values())


def _name(ha_ids: list[str]) -> str:
    return ha_ids[0] if len(ha_ids) == 1 else f"{ha_ids[0]} and {len(ha_ids) - 1} alike"
