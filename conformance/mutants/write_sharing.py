"""Servers whose writes change more than they name: a neighbouring key, or the same key of another appliance.

> The service exposes, per home appliance, a set of settings (configurable properties) and a set of statuses (read-only states).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from conformance.mutants.model import mutant
from conformance.mutants.soil import (
    ALARM_CLOCK,
    CHILD_LOCK,
    CUP_WARMER,
    DOOR_STATE,
    DOSER,
    DOSING_1,
    DOSING_2,
    FREEZER_DOOR,
    MAP_NAME_1,
    MAP_NAME_2,
    SETPOINT,
    TIMED_OVEN,
)
from conformance.mutants.write_shapes import Mirroring
from conformance.mutants.write_soil import CHILLED, CUPS, NAMED
from conformance.reference.appliance import OwnRange
from conformance.reference.fleet_cooling import WINE_CABINET
from conformance.reference.service import Service

if TYPE_CHECKING:
    from conformance.reference.appliance import Appliance
    from conformance.reference.wire import Json

_WINE = "Refrigeration.Common.Setting.WineCompartment.SetpointTemperature"
_SECOND_WINE = "Refrigeration.Common.Setting.WineCompartment2.SetpointTemperature"
_WINE_DOOR = "Refrigeration.Common.Status.Door.WineCompartment"

# Equal ranges: what one key takes the other may have, so that nothing but the sharing is wrong.
_CELLAR = replace(
    WINE_CABINET.only(_WINE, _SECOND_WINE, _WINE_DOOR).having({_WINE: 12, _SECOND_WINE: 12}),
    ranges=dict.fromkeys((_WINE, _SECOND_WINE), OwnRange(5, 20, 1, "°C")),
)
_DOSER = replace(DOSER.only(DOSING_1, DOSING_2, DOOR_STATE), ranges=dict.fromkeys((DOSING_1, DOSING_2), OwnRange(5, 200, 1, "ml")))
_OVEN = TIMED_OVEN.only(CHILD_LOCK, ALARM_CLOCK, DOOR_STATE)
_FRIDGE = CHILLED.only(SETPOINT, FREEZER_DOOR)


@mutant("map-names-shared", clause="SET-ONLY-TARGET", level="L3")
class MapNamesShared(Mirroring):
    """NameOfMap1 and NameOfMap2 share one name."""

    fleet = (NAMED,)
    keys = (MAP_NAME_1, MAP_NAME_2)


@mutant("wine-compartments-shared", clause="SET-ONLY-TARGET", level="L3")
class WineCompartmentsShared(Mirroring):
    """The setpoint of the middle wine compartment reads and writes that of the top one."""

    fleet = (_CELLAR,)
    keys = (_WINE, _SECOND_WINE)


@mutant("dosing-follows", clause="SET-ONLY-TARGET", level="L3")
class DosingFollows(Service):
    """A write of Dosing1BaseLevel writes Dosing2BaseLevel as well, and not the other way round."""

    fleet = (_DOSER,)

    def apply(self, appliance: Appliance, key: str, value: Json) -> None:
        """Dose both contents alike."""
        super().apply(appliance, key, value)
        if key == DOSING_1:
            super().apply(appliance, DOSING_2, value)


@mutant("locked-cups-cool", clause="SET-ONLY-TARGET", level="L3")
class LockedCupsCool(Service):
    """ChildLock switches CupWarmer off, and on again when it is lifted."""

    fleet = (CUPS,)

    def apply(self, appliance: Appliance, key: str, value: Json) -> None:
        """Warm cups for those who may touch them."""
        super().apply(appliance, key, value)
        if key == CHILD_LOCK:
            super().apply(appliance, CUP_WARMER, value is False)


@mutant("one-store-for-all", clause="ADDR-HAID-ISOLATION", level="L4")
class OneStoreForAll(Service):
    """All appliances share one store: a ChildLock written to one is that of the other, both ways."""

    fleet = (CUPS.only(CHILD_LOCK, CUP_WARMER), _OVEN)

    def apply(self, appliance: Appliance, key: str, value: Json) -> None:
        """Write every other appliance that has the key as well."""
        super().apply(appliance, key, value)
        for other in self.appliances.values():
            if other is not appliance and key in other.values:
                super().apply(other, key, value)


@mutant("second-oven-follows", clause="ADDR-HAID-ISOLATION", level="L4")
class SecondOvenFollows(Service):
    """What is written to the first of two ovens is written to the second, and not the other way round."""

    fleet = (_OVEN, replace(_OVEN, ha_id="oven-2"))

    def apply(self, appliance: Appliance, key: str, value: Json) -> None:
        """Lead the second."""
        super().apply(appliance, key, value)
        if appliance.ha_id == _OVEN.ha_id:
            super().apply(self.appliances["oven-2"], key, value)


@mutant("one-setpoint-a-household", clause="ADDR-HAID-ISOLATION", level="L4")
class OneSetpointAHousehold(Service):
    """Two refrigerators have one setpoint between them."""

    fleet = (_FRIDGE, replace(_FRIDGE, ha_id="fridge-3"))

    def apply(self, appliance: Appliance, key: str, value: Json) -> None:
        """Cool them alike."""
        super().apply(appliance, key, value)
        for other in self.appliances.values():
            if other is not appliance and key == SETPOINT:
                super().apply(other, key, value)
