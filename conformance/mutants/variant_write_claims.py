"""Oddities of what is said about writing, and of appliances that are not alone.

> Support differs per appliance.

Nobody claims here what is then refused: a refusal that no profile rules out breaks no rule.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

from conformance.mutants.model import variant
from conformance.mutants.soil import CHILD_LOCK, CURRENT_MAP, FREEZER_SETPOINT, SETPOINT
from conformance.mutants.variant_write_soil import AMBIENT_PRESET, CLOCKED, COLD, MAPPED, THREE_STATES
from conformance.reference.service import Service
from conformance.reference.wire import INVALID_STATE, Refusal

if TYPE_CHECKING:
    from catalog.model import Entry
    from conformance.reference.appliance import Appliance, ApplianceSpec
    from conformance.reference.wire import Json, Members

_FAILURE = Refusal(500, "500", "Internal server error")
_BUSY = Refusal(409, "SDK.Error.HomeAppliance.Busy", "Not now")
_FREEZER = replace(COLD.only(FREEZER_SETPOINT), ha_id="fridge-1-freezer")
_OVENS = (CLOCKED, replace(CLOCKED, ha_id="oven-2"))


class Unclaimed(Service):
    """The profile does not say which settings can be written."""

    def abilities(self, spec: ApplianceSpec) -> dict[str, object]:
        """Claim everything but that."""
        return {field: fact for field, fact in super().abilities(spec).items() if field != "writable"}


class Barring(Unclaimed):
    """No setting takes anything.

    Attributes:
        barrier: why.
    """

    barrier: ClassVar[Refusal]

    def accepts(self, appliance: Appliance, key: str, value: Json) -> Refusal | None:  # noqa: ARG002  nothing is taken
        """Refuse."""
        return self.barrier


@variant("settings-refuse-unclaimed", clause="SET-WRITABLE", knowledges=("full",))
class SettingsRefuseUnclaimed(Barring):
    """Every write is refused; answers call the settings writable, and the profile does not."""

    fleet = (COLD,)
    barrier = INVALID_STATE


@variant("settings-fail-unclaimed", clause="SET-WRITABLE", knowledges=("full",))
class SettingsFailUnclaimed(Barring):
    """Every write ends in an exception, on all tries; the profile does not call anything writable."""

    fleet = (CLOCKED,)
    barrier = _FAILURE


@variant("busy-once", clause="SET-WRITABLE", knowledges=("full",))
class BusyOnce(Unclaimed):
    """The first write of every setting is refused because something is being done; the profile calls nothing writable."""

    fleet = (CLOCKED,)

    @cached_property
    def asked(self) -> set[str]:
        """The settings that have been written."""
        return set()

    def accepts(self, appliance: Appliance, key: str, value: Json) -> Refusal | None:
        """Be busy once."""
        busy = key not in self.asked
        self.asked.add(key)
        return _BUSY if busy else super().accepts(appliance, key, value)


@variant("settings-read-only", clause="SET-WRITABLE", knowledges=("full",))
class SettingsReadOnly(Service):
    """Settings are shown, called readable, and refuse to be written."""

    fleet = (replace(COLD, read_only=frozenset({CHILD_LOCK, SETPOINT, FREEZER_SETPOINT})),)


@variant("access-called-read", clause="SET-WRITABLE", knowledges=("full",))
class AccessCalledRead(Service):
    """Answers call every setting readable only, and all of them take what is written."""

    fleet = (COLD, THREE_STATES)

    def constraints(self, appliance: Appliance, entry: Entry) -> Members:
        """Name the wrong access."""
        return super().constraints(appliance, entry) | {"access": "read"}


@variant("subset-only-advertised", clause="ENUM-SUBSET", knowledges=("full",))
class SubsetOnlyAdvertised(Service):
    """Four colours of a hundred and two maps of four can be chosen, as the answers show and the profile does not."""

    fleet = (AMBIENT_PRESET, replace(MAPPED, subsets={CURRENT_MAP: ("Map1", "Map2")}))

    def abilities(self, spec: ApplianceSpec) -> dict[str, object]:
        """Leave the subsets to the answers."""
        return {field: fact for field, fact in super().abilities(spec).items() if field != "enum_subset"}


@variant("subset-only-declared", clause="ENUM-SUBSET", knowledges=("full",))
class SubsetOnlyDeclared(Service):
    """Four colours of a hundred and two maps of four can be chosen, as the profile says and no answer shows."""

    fleet = (AMBIENT_PRESET, replace(MAPPED, subsets={CURRENT_MAP: ("Map1", "Map2")}))

    def constraints(self, appliance: Appliance, entry: Entry) -> Members:
        """Show no list."""
        return {name: value for name, value in super().constraints(appliance, entry).items() if name != "allowedvalues"}


@variant("equal-twins", clause="ADDR-HAID-ISOLATION", knowledges=("full",))
class EqualTwins(Service):
    """Two ovens are alike in everything but their haIds."""

    fleet = _OVENS


@variant("compartment-of-its-own", clause="ADDR-HAID-ISOLATION", knowledges=("full",))
class CompartmentOfItsOwn(Service):
    """The freezer of a refrigerator answers to a haId of its own, with fewer keys, and the profile calls it an alias."""

    fleet = (COLD, _FREEZER)

    def find(self, ha_id: str) -> Appliance | None:
        """Let both share what the freezer has."""
        found = super().find(ha_id)
        if found is not None and ha_id == _FREEZER.ha_id:
            found.values[FREEZER_SETPOINT] = self.appliances[COLD.ha_id].values[FREEZER_SETPOINT]
        return found

    def apply(self, appliance: Appliance, key: str, value: Json) -> None:  # noqa: ARG002  there is one appliance
        """Set it in the one place there is."""
        super().apply(self.appliances[COLD.ha_id], key, value)

    def claims(self, spec: ApplianceSpec) -> dict[str, object]:
        """Say that one is an alias."""
        return super().claims(spec) | ({"alias_of": COLD.ha_id} if spec.ha_id == _FREEZER.ha_id else {})


@variant("neighbour-follows-once", clause="ADDR-HAID-ISOLATION", knowledges=("full",))
class NeighbourFollowsOnce(Service):
    """Just when ChildLock of one oven is written for the first time, a person sets that of the other alike."""

    fleet = _OVENS
    followed = False

    def apply(self, appliance: Appliance, key: str, value: Json) -> None:
        """Let the person do it once."""
        super().apply(appliance, key, value)
        if key == CHILD_LOCK and not self.followed:
            self.followed = True
            for other in self.appliances.values():
                self.change(other, key, value)
