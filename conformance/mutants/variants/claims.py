"""Oddities of what is said about writing, and of appliances that are not alone.

> Support differs per appliance.

Nobody claims here what is then refused: a refusal that no profile rules out breaks no rule.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, ClassVar

from catalog import keys
from conformance.mutants.fleets import (
    AMBIENT_PRESET,
    FRIDGE_SETPOINTS,
    OVEN_ALARM,
    ROBOT_THREE_MAPS,
    THREE_STATES_AND_LOCK,
)
from conformance.mutants.model import Symptom, add_variant, variant
from conformance.mutants.variants.shapes import Unsaid
from conformance.reference.service import Service
from conformance.reference.wire import INVALID_STATE, Refusal

if TYPE_CHECKING:
    from catalog.model import Entry
    from conformance.reference.appliance import Appliance, ApplianceSpec
    from conformance.reference.wire import Json, Members

_FAILURE = Refusal(500, "500", "Internal server error")
_BUSY = Refusal(409, "SDK.Error.HomeAppliance.Busy", "Not now")
_FREEZER = replace(FRIDGE_SETPOINTS.only(keys.FREEZER_SETPOINT), ha_id="fridge-1-freezer")
_OVENS = (OVEN_ALARM, replace(OVEN_ALARM, ha_id="oven-2"))
_COLORS = ["CustomColor", "Color1", "Color2", "Color99"]
_COLOR_VALUES = [f"{keys.COLOR_FAMILY}.{color}" for color in _COLORS]
_SUBSETS = (AMBIENT_PRESET, replace(ROBOT_THREE_MAPS, subsets={keys.CURRENT_MAP: ("Map1", "Map2")}))
_READ_ONLY = replace(
    FRIDGE_SETPOINTS, read_only=frozenset({keys.CHILD_LOCK, keys.SETPOINT, keys.FREEZER_SETPOINT})
)

odd = partial(add_variant, __name__)


class Barring(Unsaid):
    """No setting takes anything, and the profile does not say which settings can be written.

    Attributes:
        barrier: why.
    """

    fields = ("writable",)
    barrier: ClassVar[Refusal]

    def accepts(self, appliance: Appliance, key: str, value: Json) -> Refusal | None:
        return self.barrier


# fmt: off
odd(Barring, "settings-refuse-unclaimed", "SET-WRITABLE",
    "Every write is refused; answers call the settings writable, and the profile does not.",
    fleet=(FRIDGE_SETPOINTS,), barrier=INVALID_STATE,
    shows=Symptom("SetpointTemperatureRefrigerator=6", 409, 204, "answer"))
odd(Barring, "settings-fail-unclaimed", "SET-WRITABLE",
    "Every write ends in an exception, on all tries; the profile does not call anything writable.",
    fleet=(OVEN_ALARM,), barrier=_FAILURE, shows=Symptom("AlarmClock=6", 500, 204, "answer"))
odd(Service, "settings-read-only", "SET-WRITABLE",
    "Settings are shown, called readable, and refuse to be written.", fleet=(_READ_ONLY,),
    knowledges=("full",))
odd(Service, "equal-twins", "ADDR-HAID-ISOLATION", "Two ovens are alike in everything but their haIds.",
    fleet=_OVENS, knowledges=("full",))
odd(Unsaid, "subset-only-advertised", "ENUM-SUBSET",
    "Four colours of a hundred and two maps of four can be chosen, as the answers show and the"
    " profile does not.", fleet=_SUBSETS, fields=("enum_subset",),
    shows=Symptom("", None, {keys.AMBIENT_COLOR: _COLORS}, "profile enum_subset"))
odd(Unsaid, "subset-only-declared", "ENUM-SUBSET",
    "Four colours of a hundred and two maps of four can be chosen, as the profile says and no answer shows.",
    fleet=_SUBSETS, members=("allowedvalues",),
    shows=Symptom("", None, _COLOR_VALUES, "AmbientLightColor allowedvalues"))
# fmt: on


@variant("busy-once", clause="SET-WRITABLE")
class BusyOnce(Unsaid):
    """The first write of every setting is refused as the oven is busy; no profile calls one writable."""

    fleet = (OVEN_ALARM,)
    fields = ("writable",)
    shows = Symptom("ChildLock=true", False, True)

    @cached_property
    def asked(self) -> set[str]:
        """The settings that have been written."""
        return set()

    def accepts(self, appliance: Appliance, key: str, value: Json) -> Refusal | None:
        busy = key not in self.asked
        self.asked.add(key)
        return _BUSY if busy else super().accepts(appliance, key, value)


@variant("access-called-read", clause="SET-WRITABLE")
class AccessCalledRead(Service):
    """Answers call every setting readable only, and all of them take what is written."""

    fleet = (FRIDGE_SETPOINTS, THREE_STATES_AND_LOCK)
    shows = Symptom("", "read", "readWrite", "SetpointTemperatureRefrigerator access")

    def constraints(self, appliance: Appliance, entry: Entry) -> Members:
        return super().constraints(appliance, entry) | {"access": "read"}


@variant("compartment-of-its-own", clause="ADDR-HAID-ISOLATION")
class CompartmentOfItsOwn(Service):
    """The freezer of a refrigerator has a haId of its own, with fewer keys; the profile calls it an alias."""

    fleet = (FRIDGE_SETPOINTS, _FREEZER)
    shows = Symptom("SetpointTemperatureFreezer@fridge-1-freezer=-20", -20, -18, "SetpointTemperatureFreezer")

    def find(self, ha_id: str) -> Appliance | None:
        found = super().find(ha_id)
        if found is not None and ha_id == _FREEZER.ha_id:
            found.values[keys.FREEZER_SETPOINT] = self.appliances[FRIDGE_SETPOINTS.ha_id].values[
                keys.FREEZER_SETPOINT
            ]
        return found

    def apply(self, appliance: Appliance, key: str, value: Json) -> None:
        super().apply(self.appliances[FRIDGE_SETPOINTS.ha_id], key, value)

    def claims(self, spec: ApplianceSpec) -> dict[str, object]:
        alias = {"alias_of": FRIDGE_SETPOINTS.ha_id} if spec.ha_id == _FREEZER.ha_id else {}
        return super().claims(spec) | alias


@variant("neighbour-follows-once", clause="ADDR-HAID-ISOLATION")
class NeighbourFollowsOnce(Service):
    """Just when ChildLock of one oven is written for the first time a person sets that of the other alike."""

    fleet = _OVENS
    followed = False
    shows = Symptom("ChildLock=true", True, False, "ChildLock@oven-2")

    def apply(self, appliance: Appliance, key: str, value: Json) -> None:
        super().apply(appliance, key, value)
        if key == keys.CHILD_LOCK and not self.followed:
            self.followed = True
            for other in self.appliances.values():
                self.change(other, key, value)
