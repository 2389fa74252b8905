"""Which procedures the cases of a clause rest on: the table that says what is written for what."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING

from catalog.keys import (
    AMBIENT_COLOR,
    COLOR_PERCENT,
    COLOR_TEMPERATURE,
    DUST_BOX,
    LOCAL_CONTROL,
    POWER_STATE,
    REMOTE_START,
    TEMPERATURE_UNIT,
)
from conformance.checks.extent import Omission, below
from conformance.checks.groups import (
    AMBIENT,
    AMBIENT_ORDERS,
    COOLING_ORDERS,
    HOOD,
    HOOD_ORDERS,
    POWER_ORDERS,
    WALK,
    Group,
    ProcedureKind,
    guard_group,
    mode_group,
    probe_group,
    setting_group,
)
from conformance.checks.permission import UNLISTED, reaches, why_not_written
from conformance.checks.reads.states import COOLING_MODES, is_setpoint, write_controllers_of
from conformance.checks.writes.attending import DAY, DUST_BOX_OUT, TOUCH
from conformance.checks.writes.neighbours import are_numbered
from conformance.checks.writes.sharing import others_of
from conformance.harness.writes import lights
from conformance.harness.writes.attending import day_passed, dust_box_moved, touched
from conformance.harness.writes.cooling import cooling_mode
from conformance.harness.writes.guarding import forbidden_writes, status_writes
from conformance.harness.writes.power import power_walk
from conformance.harness.writes.settings import setting_writes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from catalog.model import Catalog, Level
    from conformance.checks.case import Case
    from conformance.checks.view import View
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
        AMBIENT: lights.AMBIENT_KEYS,
        AMBIENT_ORDERS: lights.AMBIENT_KEYS,
        HOOD: lights.HOOD_KEYS,
        HOOD_ORDERS: lights.HOOD_KEYS,
        COOLING_ORDERS: COOLING_MODES,
    }
)
"""The keys that the other procedures write."""


def groups_of(case: Case) -> tuple[Group, ...]:
    """The procedures a case rests on, in the order they are run; none for what reading alone decides."""
    clause, key = case.clause.id, case.key
    own = next((name(key) for clauses, name in _OF_A_KEY if clause in clauses), None)
    if own is not None:
        if own == setting_group(POWER_STATE):
            return (WALK,)
        return (own, COOLING_ORDERS) if clause in _COOLING else (own,)
    if clause in AFTER_A_WALK or case.clause.level == "power":
        return (WALK, POWER_ORDERS)
    if clause == "UNIT-TEMP-APPLIES":
        return (setting_group(TEMPERATURE_UNIT),)
    return {"AMB": (AMBIENT, AMBIENT_ORDERS), "HOOD": (HOOD, HOOD_ORDERS)}.get(case.clause.section, ())


def keys_needed(case: Case, catalog: Catalog) -> set[str]:
    """The keys that the procedures of a case write or watch, and those that may lock them."""
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
            entry
            for entry in catalog.settings
            if entry.type == "Boolean" or entry.line == own.line or are_numbered(entry.key, own.key)
        ]
        needed.update(entry.key for entry in beside)
    return frozenset(needed)


def attended_by(case: Case) -> Group | None:
    """The procedure that judges a case at level attended, beside the reads; None for most."""
    by_clause = {"SELF-LOCALCONTROL": TOUCH, "SELF-LOCALEVENT": TOUCH, "SELF-RCSA-24H": DAY}
    moves_box = (case.clause.id, case.key) == ("PATH-AGREE", DUST_BOX)
    return DUST_BOX_OUT if moves_box else by_clause.get(case.clause.id)


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
            if len(keys) > 1 and omission == UNLISTED:
                return Omission(f"{key.rpartition('.')[2]}: {omission.reason}", omission.field)
            return omission
    return None


def clauses_by_group(selected: Iterable[Case]) -> dict[tuple[str, Group], frozenset[str]]:
    """The clauses of the selected cases by appliance and procedure; nothing is sent for others."""
    clauses: dict[tuple[str, Group], set[str]] = {}
    for case in selected:
        for group in groups_of(case):
            clauses.setdefault((case.ha_id, group), set()).add(case.clause.id)
    return {place: frozenset(served) for place, served in clauses.items()}


@dataclass(frozen=True, slots=True)
class Stage:
    """What a procedure is made from: its appliance, all appliances, the clauses it serves, level and seed."""

    seen: View
    views: Mapping[str, View]
    clauses: frozenset[str]
    level: Level
    seed: str


def make(group: Group, stage: Stage) -> Procedure | None:
    """The procedure of a group; None where it would write a key that the appliance does not serve."""
    kind, key, seen = group.kind, group.subject, stage.seen
    if kind in _ABOUT_A_KEY - {ProcedureKind.PROBE} and seen.value(key) is None:
        return None
    makers: dict[ProcedureKind, Callable[[], Procedure]] = {
        ProcedureKind.SET: lambda: setting_writes(
            seen, seen.catalog.entries[key], stage.clauses, _other_with(stage, key)
        ),
        ProcedureKind.GUARD: lambda: forbidden_writes(
            seen, seen.catalog.entries[key], stage.clauses, stage.seed
        ),
        ProcedureKind.PROBE: lambda: status_writes(seen, seen.catalog.entries[key]),
        ProcedureKind.MODE: lambda: cooling_mode(seen, seen.catalog.entries[key]),
        ProcedureKind.WALK: lambda: power_walk(
            seen, _other_with(stage, POWER_STATE) if "ADDR-HAID-ISOLATION" in stage.clauses else None
        ),
        ProcedureKind.AMBIENT: lambda: lights.ambient_light(seen, stage.clauses),
        ProcedureKind.HOOD: lambda: lights.hood_light(seen, stage.clauses),
    }
    attended: dict[Group, tuple[str, Callable[[View], Procedure]]] = {
        TOUCH: (LOCAL_CONTROL, touched),
        DAY: (REMOTE_START, day_passed),
        DUST_BOX_OUT: (DUST_BOX, dust_box_moved),
    }
    if group in attended:
        subject, procedure = attended[group]
        return procedure(seen) if (answer := seen.read(subject)) and answer.has_value else None
    gate = {WALK: POWER_STATE, AMBIENT: AMBIENT_COLOR, HOOD: COLOR_PERCENT}.get(group)
    if (
        gate is not None
        and seen.value(gate) is None
        and (group != HOOD or seen.value(COLOR_TEMPERATURE) is None)
    ):
        return None
    return makers[kind]() if kind in makers else None


def _other_with(stage: Stage, key: str) -> View | None:
    """Another appliance that serves the key and is not declared to be the same one."""
    others = (stage.views[ha_id] for ha_id in others_of(stage.seen))
    return next((seen for seen in others if seen.value(key) is not None), None)
