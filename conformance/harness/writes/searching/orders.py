"""The procedure that makes an order of writes, found by a search, for judging."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from catalog.keys import POWER_STATE
from catalog.model import Catalog, Level
from conformance.checks.exempting import ExemptingState
from conformance.checks.groups import (
    AMBIENT_ORDERS,
    COOLING_ORDERS,
    HOOD_ORDERS,
    POWER_ORDERS,
    Group,
    ProcedureKind,
)
from conformance.checks.permission import Omission, reaches, why_not_written
from conformance.checks.reads.states import COOLING_MODES, is_setpoint
from conformance.checks.view import View
from conformance.harness.steps import Part
from conformance.harness.writes.procedures.lights import AmbientLight, HoodLight
from conformance.harness.writes.procedures.model import Stage, WriteProcedure
from conformance.harness.writes.searching.alphabets import Word, alphabet_of
from conformance.harness.writes.searching.machine import Machine
from conformance.profiles.model import Profile

_WRITTEN: Mapping[Group, tuple[str, ...]] = MappingProxyType(
    {
        POWER_ORDERS: (POWER_STATE,),
        AMBIENT_ORDERS: AmbientLight.keys,
        HOOD_ORDERS: HoodLight.keys,
        COOLING_ORDERS: COOLING_MODES,
    }
)
"""The keys of each set of rules."""


@dataclass(frozen=True, slots=True)
class OrdersOfWrites(WriteProcedure):
    """Makes an order of writes that a search has found; `order` is empty before."""

    order: tuple[Word, ...] = ()

    kind = ProcedureKind.ORDERS
    turn = 8
    level = "power"

    def found(self, order: tuple[Word, ...]) -> OrdersOfWrites:
        """The same rules with an order that was found."""
        return replace(self, order=order)

    @property
    def writes(self) -> tuple[str, ...]:
        """The keys of its rules."""
        return _WRITTEN[self.group]

    def hindered_by(self, seen: View) -> tuple[ExemptingState, ...]:  # noqa: ARG002  the same of every appliance
        """Nothing: a search begins from the state as found."""
        return ()

    def watches(self, catalog: Catalog) -> set[str]:
        """What may lock them, and the setpoints."""
        return WriteProcedure.watches(self, catalog) | set(filter(is_setpoint, catalog.entries))

    def why_not(self, profile: Profile, level: Level) -> Omission | None:
        """For the cooling modes, those that may be written are enough."""
        if not reaches(level, self.level):
            return Omission("state machines run at level power", "--level power")
        if self.group == COOLING_ORDERS:
            omissions = [why_not_written(profile, level, key) for key in self.writes]
            return omissions[0] if all(omissions) else None
        return WriteProcedure.why_not(self, profile, level)

    def is_served(self, seen: View) -> bool:
        """Whether there is anything to search with."""
        return alphabet_of(self.group, seen) is not None

    def steps(self, stage: Stage) -> Part[bool]:
        """The writes of the order, and what is read after each."""
        alphabet = alphabet_of(self.group, stage.seen)
        if alphabet:
            yield from Machine(stage.seen, alphabet, self.group).follow(self.order)
        return True
