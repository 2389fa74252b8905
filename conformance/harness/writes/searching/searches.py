"""The searches of a run, one for each set of rules and each fleet of alike appliances, and what they found.

An order of writes that a search found is made again by a procedure, for judging.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import cast

from pydantic import JsonValue

from catalog.keys import COOLING_MODES, POWER_STATE
from catalog.model import Catalog, Level
from conformance.checks.exchange import WRITES, Remark
from conformance.checks.groups import (
    AMBIENT_ORDERS,
    COOLING_ORDERS,
    HOOD_ORDERS,
    POWER_ORDERS,
    Group,
    ProcedureKind,
)
from conformance.checks.permission import Omission, reaches, why_not_written
from conformance.checks.view import View
from conformance.harness.observing import Observations
from conformance.harness.steps import Part, Procedure
from conformance.harness.writes.procedures.lights import AmbientLight, HoodLight
from conformance.harness.writes.procedures.model import Stage, WriteProcedure
from conformance.harness.writes.searching.alphabets import Alphabet, Letter, Word, alphabet_of
from conformance.harness.writes.searching.exploring import Search
from conformance.harness.writes.searching.machine import Machine
from conformance.model.state_table import is_setpoint
from conformance.model.states import ExemptingState
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
    is_by_itself = True

    def found(self, order: tuple[Word, ...]) -> "OrdersOfWrites":
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


def searched_on(
    planned: Mapping[str, Sequence[WriteProcedure]], views: Mapping[str, View], *, thorough: bool
) -> dict[tuple[str, Group], str]:
    """The appliance that is searched, by haId and group: the first of those alike, or each if `thorough`.

    Alike are appliances of which the same is declared, and which serve the same keys.
    """
    first: dict[tuple[str, Group], str] = {}
    found: dict[tuple[str, Group], str] = {}
    for ha_id, procedures in planned.items():
        for one in procedures:
            if isinstance(one, OrdersOfWrites) and one.is_served(views[ha_id]):
                fleet = ha_id if thorough else _likeness(views[ha_id])
                found[ha_id, one.group] = first.setdefault((fleet, one.group), ha_id)
    return found


def _likeness(seen: View) -> str:
    """What is declared of an appliance beside its name, and the keys that it serves."""
    declared = seen.appliance.model_dump_json(exclude={"ha_id", "alias_of"})
    return " ".join([declared, *(key for key in seen.tried if seen.value(key) is not None)])


class Searches:
    """Who is searched for whom, and what was found."""

    def __init__(
        self, planned: Mapping[str, Sequence[WriteProcedure]], observations: Observations, *, thorough: bool
    ) -> None:
        self._planned = planned
        self._observations = observations
        self._views = observations.views()
        self._on = searched_on(planned, self._views, thorough=thorough)

    def of(self, ha_id: str) -> Iterator[OrdersOfWrites]:
        """The searches that are made on an appliance, for itself and those like it."""
        return (one for one in self._orders(ha_id) if self._on.get((ha_id, one.group)) == ha_id)

    def of_others(self, ha_id: str) -> Iterator[OrdersOfWrites]:
        """The searches that were made on another appliance for this one."""
        return (one for one in self._orders(ha_id) if self._on.get((ha_id, one.group), ha_id) != ha_id)

    def explore(
        self,
        ha_id: str,
        orders: OrdersOfWrites,
        put_back: Callable[[Group], Part[bool]],
        made: Callable[[OrdersOfWrites], Procedure],
    ) -> Procedure:
        """Searches an appliance, or takes what was found on one like it, and makes that again.

        Args:
            ha_id: the appliance.
            orders: the rules that are looked after.
            put_back: puts back what was written for a group; whether everything is back.
            made: makes an order for judging.
        """
        on = self._on[ha_id, orders.group]
        alphabet = self._alphabet(ha_id, orders.group)
        if alphabet is None:
            return
        search = Search(self._views[ha_id], alphabet, put_back)
        try:
            own = on == ha_id
            order = (yield from self._run(search, ha_id, alphabet)) if own else self._found(on, orders.group)
            if order is None:
                return
            written: list[JsonValue] = [[*word] if isinstance(word, tuple) else word for word in order]
            yield Remark("search", orders.group, ha_id, "*", {"on": on, "order": written})
            yield from search.make_again(order, lambda: made(orders.found(order)))
        finally:
            yield from put_back(search.group)

    def _found(self, ha_id: str, group: Group) -> tuple[Word, ...] | None:
        """What was found on an appliance; None where it was not searched."""
        noted = (one for one in self._observations.remarks if (one.ha_id, one.group) == (ha_id, group))
        searched = next((one for one in noted if one.purpose == "search"), None)
        if searched is None:
            return None
        words = cast("list[list[JsonValue] | str]", searched.note["order"])
        return tuple(tuple(word) if isinstance(word, list) else word for word in words)

    def _orders(self, ha_id: str) -> Iterator[OrdersOfWrites]:
        return (one for one in self._planned.get(ha_id, ()) if isinstance(one, OrdersOfWrites))

    def _alphabet(self, ha_id: str, group: Group) -> Alphabet | None:
        """The machine of a group without what was shown so far; None where there is nothing to look for."""
        seen = self._views[ha_id]
        alphabet = alphabet_of(group, seen) if seen.profile.generated else None
        alphabet = alphabet.without_shown(self._observations.view(ha_id)) if alphabet else None
        return alphabet if alphabet and alphabet.rules else None

    def _run(self, search: Search, ha_id: str, alphabet: Alphabet) -> Part[tuple[Word, ...] | None]:
        """What a search finds, which knows what was written to the appliance before."""
        made = (one for one in self._observations.exchanges if one.ha_id == ha_id and one.purpose in WRITES)
        return (
            yield from search.run([Letter(one.key, one.value) for one in made if one.key in alphabet.watched])
        )
