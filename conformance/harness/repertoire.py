"""Which procedures the cases of a clause rest on: the table that says what is written for what."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING

from conformance.checks.attending import DAY, DUST_BOX, DUST_BOX_OUT, TOUCH
from conformance.checks.extent import Omission, below
from conformance.checks.groups import Group, ProcedureKind
from conformance.checks.neighbours import are_numbered
from conformance.checks.permission import UNLISTED, reaches, why_not_written
from conformance.checks.seen import POWER_STATE, TEMPERATURE_UNIT
from conformance.checks.sharing import others_of
from conformance.checks.states import (
    AMBIENT_COLOR,
    COLOR_PERCENT,
    COLOR_TEMPERATURE,
    COOLING_MODES,
    LOCAL_CONTROL,
    START_ALLOWED,
    is_setpoint,
    write_controllers_of,
)
from conformance.checks.trace import (
    AMBIENT,
    AMBIENT_ORDERS,
    COOLING_ORDERS,
    HOOD,
    HOOD_ORDERS,
    POWER_ORDERS,
    WALK,
    guard_group,
    mode_group,
    probe_group,
    setting_group,
)
from conformance.harness import lighting
from conformance.harness.attending import day_passed, dust_box_moved, touched
from conformance.harness.cooling import cooling_mode
from conformance.harness.guarded import forbidden_writes, guarded_writes, status_writes
from conformance.harness.walking import power_walk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from catalog.model import Catalog, Level
    from conformance.checks.case import Case
    from conformance.checks.seen import Seen
    from conformance.harness.steps import Procedure
    from conformance.profiles.model import Profile

SETTINGS = frozenset({"SET-WRITABLE", "SET-ONLY-TARGET", "RANGE-WRITE-BOUNDS", "ADDR-HAID-ISOLATION"})
GUARDS = frozenset({"SET-TYPEGUARD", "SET-ENUMGUARD", "RANGE-WRITE-OUT"})
PROBES = frozenset({"STA-READONLY", "STA-RCSA-DISABLE-ONLY"})
AFTER_A_WALK = frozenset({"OPS-INACTIVE", "OPS-READY", "OPS-ON-NOT-INACTIVE"})
"""Clauses that a read judges, and a power walk once more in each state."""
_COOLING = frozenset(
    {
        "COOL-ECO",
        "COOL-SUPER-FRIDGE",
        "COOL-SUPER-FREEZER",
        "COOL-SUPER-TIMEOUT",
        "COOL-VACATION-14",
        "COOL-VACATION-FREEZER",
        "COOL-FRESH-2",
        "COOL-FRESH-FREEZER",
    }
)
_OF_A_KEY = ((SETTINGS, setting_group), (GUARDS, guard_group), (PROBES, probe_group), (_COOLING, mode_group))


_ABOUT_A_KEY = frozenset({ProcedureKind.SET, ProcedureKind.GUARD, ProcedureKind.PROBE, ProcedureKind.MODE})
"""The kinds of procedures whose subject is the one key that they write."""
_WRITTEN: Mapping[Group, tuple[str, ...]] = MappingProxyType(
    {
        WALK: (POWER_STATE,),
        POWER_ORDERS: (POWER_STATE,),
        AMBIENT: lighting.AMBIENT_KEYS,
        AMBIENT_ORDERS: lighting.AMBIENT_KEYS,
        HOOD: lighting.HOOD_KEYS,
        HOOD_ORDERS: lighting.HOOD_KEYS,
        COOLING_ORDERS: COOLING_MODES,
    }
)
"""The keys that the other procedures write."""


def groups_of(case: Case) -> tuple[Group, ...]:
    """The procedures a case rests on, in the order they are run; none for what reading alone decides."""
    clause, key = case.clause.id, case.key
    own = next((name(key) for clauses, name in _OF_A_KEY if clause in clauses), None)
    if own is not None:
        return (WALK,) if own == setting_group(POWER_STATE) else (own, COOLING_ORDERS) if clause in _COOLING else (own,)
    if clause in AFTER_A_WALK or case.clause.level == "power":
        return (WALK, POWER_ORDERS)
    if clause == "UNIT-TEMP-APPLIES":
        return (setting_group(TEMPERATURE_UNIT),)
    return {"AMB": (AMBIENT, AMBIENT_ORDERS), "HOOD": (HOOD, HOOD_ORDERS)}.get(case.clause.section, ())


def keys_needed(case: Case, catalog: Catalog) -> set[str]:
    """The keys that the procedures of a case read beside its own: what they write, what may lock it, and what they watch."""
    return set[str]().union(*(_needed(group, catalog) for group in groups_of(case)))


@cache
def _needed(group: Group, catalog: Catalog) -> frozenset[str]:
    written = written_by(group)
    needed = {*written, *(controller for key in written for controller in write_controllers_of(catalog, key))}
    if group.kind in {ProcedureKind.MODE, ProcedureKind.ORDERS} or group == setting_group(TEMPERATURE_UNIT):
        needed.update(key for key in catalog.entries if is_setpoint(key))
    if group.kind is ProcedureKind.SET:
        own = catalog.entries[written[0]]
        beside = [
            entry for entry in catalog.settings if entry.type == "Boolean" or entry.line == own.line or are_numbered(entry.key, own.key)
        ]
        needed.update(entry.key for entry in beside)
    return frozenset(needed)


def attended_by(case: Case) -> Group | None:
    """The procedure of hands or time that a case is judged by at level attended, beside what reading tells."""
    by_clause = {"SELF-LOCALCONTROL": TOUCH, "SELF-LOCALEVENT": TOUCH, "SELF-RCSA-24H": DAY}
    return DUST_BOX_OUT if (case.clause.id, case.key) == ("PATH-AGREE", DUST_BOX) else by_clause.get(case.clause.id)


def written_by(group: Group) -> tuple[str, ...]:
    """The settings that a procedure writes; all of them have to be on the write list."""
    if group.kind in _ABOUT_A_KEY:
        return (group.subject,)
    return _WRITTEN.get(group, ())


def why_not_run(profile: Profile, level: Level, group: Group) -> Omission | None:
    """Why a run must not make the writes of a procedure; None where it may."""
    if group in {TOUCH, DAY, DUST_BOX_OUT}:
        return None if reaches(level, "attended") else below("attended")
    if group.kind is ProcedureKind.ORDERS and not reaches(level, "power"):
        return Omission("state machines run at level power", "--level power")
    keys = written_by(group)
    if group == COOLING_ORDERS:  # the modes that may be written are enough
        keys = tuple(key for key in keys if why_not_written(profile, level, key) is None) or keys[:1]
    for key in keys:
        omission = why_not_written(profile, level, key)
        if omission:
            of_one = len(keys) > 1 and omission == UNLISTED
            return Omission(f"{key.rpartition('.')[2]}: {omission.reason}", omission.field) if of_one else omission
    return None


def clauses_by_group(selected: Iterable[Case]) -> dict[tuple[str, Group], frozenset[str]]:
    """The clauses of the selected cases that rest on a procedure, by appliance and group; what none of them needs is not sent."""
    clauses: dict[tuple[str, Group], set[str]] = {}
    for case in selected:
        for group in groups_of(case):
            clauses.setdefault((case.ha_id, group), set()).add(case.clause.id)
    return {place: frozenset(served) for place, served in clauses.items()}


@dataclass(frozen=True, slots=True)
class Stage:
    """What a procedure is made from: the appliance it is about, all appliances, the clauses it serves, the seed of made-up words."""

    seen: Seen
    views: Mapping[str, Seen]
    clauses: frozenset[str]
    level: Level
    seed: str


def make(group: Group, stage: Stage) -> Procedure | None:
    """The procedure of a group; None where it would write a key that the appliance does not serve."""
    kind, key, seen = group.kind, group.subject, stage.seen
    if kind in _ABOUT_A_KEY - {ProcedureKind.PROBE} and seen.value(key) is None:
        return None
    makers: dict[ProcedureKind, Callable[[], Procedure]] = {
        ProcedureKind.SET: lambda: guarded_writes(seen, seen.catalog.entries[key], stage.clauses, _twin(stage, key)),
        ProcedureKind.GUARD: lambda: forbidden_writes(seen, seen.catalog.entries[key], stage.clauses, stage.seed),
        ProcedureKind.PROBE: lambda: status_writes(seen, seen.catalog.entries[key]),
        ProcedureKind.MODE: lambda: cooling_mode(seen, seen.catalog.entries[key]),
        ProcedureKind.WALK: lambda: power_walk(seen, _twin(stage, POWER_STATE) if "ADDR-HAID-ISOLATION" in stage.clauses else None),
        ProcedureKind.AMBIENT: lambda: lighting.ambient_light(seen, stage.clauses),
        ProcedureKind.HOOD: lambda: lighting.hood_light(seen, stage.clauses),
    }
    attended: dict[Group, tuple[str, Callable[[Seen], Procedure]]] = {
        TOUCH: (LOCAL_CONTROL, touched),
        DAY: (START_ALLOWED, day_passed),
        DUST_BOX_OUT: (DUST_BOX, dust_box_moved),
    }
    if group in attended:
        subject, procedure = attended[group]
        return procedure(seen) if (answer := seen.read(subject)) and answer.has_value else None
    gate = {WALK: POWER_STATE, AMBIENT: AMBIENT_COLOR, HOOD: COLOR_PERCENT}.get(group)
    if gate is not None and seen.value(gate) is None and (group != HOOD or seen.value(COLOR_TEMPERATURE) is None):
        return None
    return makers[kind]() if kind in makers else None


def _twin(stage: Stage, key: str) -> Seen | None:
    """Another appliance that serves the key and is not declared to be the same one."""
    others = (stage.views[ha_id] for ha_id in others_of(stage.seen))
    return next((seen for seen in others if seen.value(key) is not None), None)
