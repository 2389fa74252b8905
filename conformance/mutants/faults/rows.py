"""A fault is a row: its name, the clause it breaks, its appliance, what is done wrongly, and a sentence.

Every other module of this room is a table of rows, for one section of the clauses. The column
`fault` holds a call of a shape, such as `sends(CHILD_LOCK, "true")`, or a class above the table where the
fault is a behaviour of its own. A row may add what the profile says, and what shows the fault after a write.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from conformance.mutants.model import Mutant, class_name, fleet_of, register_mutant

if TYPE_CHECKING:
    from collections.abc import Mapping

    from conformance.mutants.model import SeenAt, Symptom
    from conformance.reference.appliance import ApplianceSpec
    from conformance.reference.service import Service


class Row(NamedTuple):
    """One mutant.

    Attributes:
        name: a name no other mutant has.
        clause: the id of the clause it breaks.
        level: the least a suite must be told or allowed to see it.
        fleet: its appliance, or its two appliances.
        fault: the service with the fault, which has no appliance of its own yet.
        wrong: how it is wrong, in one sentence.
        partners: the other clauses whose words name the same answer, each with the reason.
        vendor: the name of its maker.
        profile: what its profile says beside the truth about its appliances.
        shows: what shows the fault after a write, or after what a person does.
    """

    name: str
    clause: str
    level: SeenAt
    fleet: ApplianceSpec | tuple[ApplianceSpec, ...]
    fault: type[Service]
    wrong: str
    partners: Mapping[str, str] = MappingProxyType({})
    vendor: str = "Vendor"
    profile: Mapping[str, object] = MappingProxyType({})
    shows: Symptom | None = None


def add(module: str, rows: tuple[Row, ...]) -> None:
    """Register the mutants of the table of a module.

    Args:
        module: the name of the module.
        rows: its table.

    Raises:
        ValueError: a name is taken.
    """
    for row in rows:
        members = {
            "__module__": module,
            "fleet": fleet_of(row.fleet),
            "vendor": row.vendor,
            "profile_extras": row.profile,
        }
        service = type(class_name(row.name), (row.fault,), members)
        register_mutant(Mutant(row.name, row.wrong, row.clause, row.level, row.partners, service, row.shows))
