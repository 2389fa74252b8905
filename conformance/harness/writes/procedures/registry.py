"""The procedures that write, by the kinds of their groups, and those that some cases need."""

from collections.abc import Iterable

from catalog.model import Level
from conformance.checks.case import Case
from conformance.checks.groups import Group, ProcedureKind, Purpose
from conformance.harness.writes.procedures.attending import DayPassed, DustBoxMoved, Touched
from conformance.harness.writes.procedures.guarding import EdgeWrites, ForbiddenWrites, StatusWrites
from conformance.harness.writes.procedures.isolation import Isolation
from conformance.harness.writes.procedures.lights import AmbientLight, HoodLight
from conformance.harness.writes.procedures.model import WriteProcedure
from conformance.harness.writes.procedures.power import PowerWalk
from conformance.harness.writes.procedures.settings import CoolingMode, SettingWrites
from conformance.harness.writes.tours.playing import OrdersOfWrites

_MADE: tuple[type[WriteProcedure], ...] = (
    Isolation,
    SettingWrites,
    ForbiddenWrites,
    EdgeWrites,
    StatusWrites,
    AmbientLight,
    HoodLight,
    CoolingMode,
    PowerWalk,
    Touched,
    DayPassed,
    DustBoxMoved,
    OrdersOfWrites,
)
_BY_KIND: dict[ProcedureKind, type[WriteProcedure]] = {procedure.kind: procedure for procedure in _MADE}


def procedure_of(group: Group, purposes: Iterable[Purpose] = ()) -> WriteProcedure:
    """The procedure of a group, for these purposes."""
    return _BY_KIND[group.kind](group, frozenset(purposes))


def procedures_of(cases: Iterable[Case], level: Level) -> dict[str, list[WriteProcedure]]:
    """What a run of `level` writes for some cases, by haId, in the order in which an appliance gets it."""
    purposes: dict[str, dict[Group, set[Purpose]]] = {}
    for case in cases:
        if not case.is_of_absent_kind:
            for group in (*case.groups, *case.besides):
                own = purposes.setdefault(case.ha_id, {}).setdefault(group, set())
                own.update({case.purpose} if case.purpose else ())
    profiles = {case.ha_id: case.profile for case in cases}
    made: dict[str, list[WriteProcedure]] = {}
    for ha_id, groups in purposes.items():
        needed = [procedure_of(group, wanted) for group, wanted in groups.items()]
        may = [one for one in needed if one.why_not(profiles[ha_id], level) is None]
        if may:
            made[ha_id] = sorted(may, key=lambda procedure: procedure.turn)
    return made
