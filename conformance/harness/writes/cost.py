"""What writing costs at most, computed before anything is sent, as if every key were served."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.checks.groups import ProcedureKind
from conformance.checks.permission import reaches
from conformance.harness.repertoire import groups_of, why_not_run
from conformance.harness.writes.choices import FEW, SPREAD, WRONG, beyond_the_ends
from conformance.harness.writes.parts import CONFIRMED_AFTER_S

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from catalog.model import Catalog, Entry, Level
    from conformance.checks.case import Case
    from conformance.checks.groups import Group

_WRITES = {
    ProcedureKind.WALK: 7,
    ProcedureKind.AMBIENT: 8,
    ProcedureKind.HOOD: 4,
    ProcedureKind.PROBE: 1,
    ProcedureKind.MODE: 2,
}
"""How many writes a procedure makes; those of `SET` and `GUARD` depend on the key."""
_WAITS = {
    ProcedureKind.SET: (0, 2),
    ProcedureKind.GUARD: (1, 0),
    ProcedureKind.PROBE: (1, 0),
    ProcedureKind.AMBIENT: (2, 4),
    ProcedureKind.HOOD: (1, 2),
    ProcedureKind.MODE: (0, 2),
    ProcedureKind.WALK: (0, 7),
}
"""How often a procedure waits for the settle time, and how often for the moment before a confirming read."""
_ENDS, _MIDDLE, _BACK, _SAMPLES = 2, 1, 1, 2


def most_writes(cases: Iterable[Case], catalog: Catalog, level: Level) -> dict[str, int]:
    """Writes by appliance if every answer is right; without putting back and state machines."""
    writes: dict[str, int] = {}
    for (ha_id, group), clauses in _planned(cases, level).items():
        writes[ha_id] = writes.get(ha_id, 0) + _writes(group, clauses, catalog)
    return writes


def seconds_of_waiting(cases: Sequence[Case], level: Level) -> float:
    """The time that passes for values to settle if every key that is tried is served and nothing contradicts.

    What must have no effect is watched for the whole settle time, what had one is read again a moment later.
    """
    waiting = 0.0
    for _, group in _planned(cases, level):
        settle_s = cases[0].profile.timing.settle_s
        times, moments = _WAITS.get(group.kind, (0, 0))
        waiting += times * settle_s + moments * min(settle_s, CONFIRMED_AFTER_S)
    return waiting


def _planned(cases: Iterable[Case], level: Level) -> dict[tuple[str, Group], set[str]]:
    """The procedures to run, by appliance and group, with the clauses each serves; no state machines."""
    planned: dict[tuple[str, Group], set[str]] = {}
    for case in cases:
        for group in groups_of(case):
            may = _is_present(case) and not why_not_run(case.profile, level, group)
            if may and group.kind is not ProcedureKind.ORDERS:
                planned.setdefault((case.ha_id, group), set()).add(case.clause.id)
    return planned


def _is_present(case: Case) -> bool:
    """Whether a case is about an appliance that the target has."""
    return case.ha_id in {appliance.ha_id for appliance in case.profile.appliance}


def machines(cases: Iterable[Case], level: Level) -> int:
    """How many state machines would run, one for each appliance and set of rules."""
    if not reaches(level, "power"):
        return 0
    present = (case for case in cases if _is_present(case))
    groups = {(case.ha_id, group) for case in present for group in groups_of(case)}
    return sum(group.kind is ProcedureKind.ORDERS for _, group in groups)


def _writes(group: Group, clauses: set[str], catalog: Catalog) -> int:
    entry = catalog.entries.get(group.subject)
    if group.kind is ProcedureKind.SET and entry:
        return _values(entry) + _BACK
    if group.kind is ProcedureKind.GUARD and entry:
        others = 2 + len(beyond_the_ends(entry)) if "SET-ENUMGUARD" in clauses else 0
        outside = 2 if "RANGE-WRITE-OUT" in clauses else 0
        return others + outside + (len(WRONG.get(entry.type, ())) if "SET-TYPEGUARD" in clauses else 0)
    return _WRITES.get(group.kind, 0)


def _values(entry: Entry) -> int:
    if entry.values:
        others = len(entry.values) - 1
        return others if others <= FEW else SPREAD
    return {"Boolean": 1, "String": _SAMPLES}.get(entry.type, _ENDS + _MIDDLE)
