"""Servers whose settings do not take what is written to them.

> a set of settings (configurable properties)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.mutants.model import mutant
from conformance.mutants.soil import ASSISTANT_TIMEOUT, CHILD_LOCK, CUP_WARMER, LIGHTING, LIQUID_UNIT, MAP_NAME_1
from conformance.mutants.write_shapes import Dropping, Keeping, Refusing
from conformance.mutants.write_soil import CHILLED, CUPS, NAMED, WARMED
from conformance.reference.fleet_cooling import FRIDGE_CELSIUS
from conformance.reference.names import OPERATION_STATE, TEMPERATURE_UNIT
from conformance.reference.service import Service
from conformance.reference.wire import Refusal

if TYPE_CHECKING:
    from catalog.model import Entry, Segment
    from conformance.reference.appliance import Appliance
    from conformance.reference.wire import Json, Reply

_ASSISTANT = "Refrigeration.Common.Setting.Door.AssistantFridge"
_FORCE = "Refrigeration.Common.Setting.Door.AssistantForceFridge"
_BROKEN = Refusal(500, "500", "Something went wrong")

_ASSISTED = FRIDGE_CELSIUS.only(_ASSISTANT, _FORCE, ASSISTANT_TIMEOUT, CHILD_LOCK)


@mutant("acknowledged-and-dropped", clause="SET-WRITABLE", level="L3")
class AcknowledgedAndDropped(Service):
    """Every write is acknowledged and dropped."""

    fleet = (CUPS,)

    def apply(self, appliance: Appliance, key: str, value: Json) -> None:
        """Let nothing take effect."""


@mutant("seen-once", clause="SET-WRITABLE", level="L3")
class SeenOnce(Keeping):
    """A written ChildLock can be read once, and then the old one is back."""

    fleet = (CUPS,)

    def value(self, appliance: Appliance, key: str) -> Json:
        """Show what is new, and put back what has been shown before."""
        shown = super().value(appliance, key)
        if key == CHILD_LOCK:
            known = self.kept(appliance, key)
            if known is None:
                self.keep(appliance, key, shown)
            elif shown != known:
                self.change(appliance, key, known)
        return shown


@mutant("map-name-kept", clause="SET-WRITABLE", level="L3")
class MapNameKept(Dropping):
    """The name of a map is acknowledged, and the map keeps its old one."""

    fleet = (NAMED,)
    key = MAP_NAME_1


@mutant("unit-for-life", clause="SET-WRITABLE", level="L3")
class UnitForLife(Dropping):
    """TemperatureUnit is acknowledged and stays what it was."""

    fleet = (CHILLED.only(TEMPERATURE_UNIT).having({CHILD_LOCK: False}),)
    key = TEMPERATURE_UNIT


@mutant("cup-warmer-refused", clause="SET-WRITABLE", level="L3")
class CupWarmerRefused(Refusing):
    """CupWarmer is refused although it is declared writable and nothing forbids it."""

    fleet = (CUPS,)
    key = CUP_WARMER


@mutant("liquid-unit-breaks", clause="SET-WRITABLE", level="L3")
class LiquidUnitBreaks(Service):
    """A write of LiquidVolumeUnit is answered with 500 every time, all else is well."""

    fleet = (CUPS,)

    def write(self, appliance: Appliance, segment: Segment, key: str, body: bytes) -> Reply:
        """Stumble over the one key."""
        return self.refuse(_BROKEN) if key == LIQUID_UNIT else super().write(appliance, segment, key, body)


@mutant("cup-warmer-never-off", clause="SET-WRITABLE", level="L3")
class CupWarmerNeverOff(Service):
    """CupWarmer can be switched on and not off."""

    fleet = (CUPS,)

    def apply(self, appliance: Appliance, key: str, value: Json) -> None:
        """Stay warm."""
        if (key, value) != (CUP_WARMER, False):
            super().apply(appliance, key, value)


@mutant("light-never-on-again", clause="SET-WRITABLE", level="L3")
class LightNeverOnAgain(Service):
    """The light of a hood can be switched off and not on again."""

    fleet = (WARMED.only(LIGHTING, OPERATION_STATE),)

    def apply(self, appliance: Appliance, key: str, value: Json) -> None:
        """Stay dark."""
        if (key, value) != (LIGHTING, True):
            super().apply(appliance, key, value)


@mutant("force-takes-what-it-has", clause="SET-WRITABLE", level="L3")
class ForceTakesWhatItHas(Service):
    """The force of the door assistant takes the value it has, and refuses every other one."""

    fleet = (_ASSISTED,)

    def is_member(self, appliance: Appliance, entry: Entry, value: Json) -> bool:
        """Know one value, whatever the list says."""
        return super().is_member(appliance, entry, value) and (entry.key != _FORCE or value == appliance.values[_FORCE])
