"""Servers that store what they should not take: values of another type, words outside the enumeration.

> Type of the value
> An enumeration value is identified by its own key, listed below.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from conformance.mutants.model import mutant
from conformance.mutants.soil import (
    AMBIENT_COLOR,
    ASSISTANT_TIMEOUT,
    CHILD_LOCK,
    CUP_WARMER,
    CURRENT_MAP,
    FREEZER_DOOR,
    LAST_MAP,
    LIQUID_UNIT,
    MAP_NAME_1,
    MAP_NAME_3,
    ROBOT_NAMED,
)
from conformance.mutants.write_soil import CHILLED, CUPS, GLOWING_PRESET, NAMED
from conformance.reference.fleet_cooling import FRIDGE_CELSIUS
from conformance.reference.names import TEMPERATURE_UNIT
from conformance.reference.service import Service

if TYPE_CHECKING:
    from catalog.model import Entry
    from conformance.reference.appliance import Appliance
    from conformance.reference.wire import Json

_FORCE = "Refrigeration.Common.Setting.Door.AssistantForceFridge"
_ASSISTED = FRIDGE_CELSIUS.only(_FORCE, ASSISTANT_TIMEOUT, FREEZER_DOOR)


@mutant("lock-in-words", clause="SET-TYPEGUARD", level="L3")
class LockInWords(Service):
    """Any text written to ChildLock is stored as it is."""

    fleet = (CUPS,)

    def fits_type(self, entry: Entry, value: Json) -> bool:
        """Take words for a Boolean."""
        return (entry.key == CHILD_LOCK and isinstance(value, str)) or super().fits_type(entry, value)


@mutant("warmer-in-numbers", clause="SET-TYPEGUARD", level="L3")
class WarmerInNumbers(Service):
    """Any number written to CupWarmer is stored as it is."""

    fleet = (CUPS,)

    def fits_type(self, entry: Entry, value: Json) -> bool:
        """Take 1 for true."""
        is_number = isinstance(value, int | float)
        return (entry.key == CUP_WARMER and is_number) or super().fits_type(entry, value)


@mutant("timeout-in-fractions", clause="SET-TYPEGUARD", level="L3")
class TimeoutInFractions(Service):
    """A fraction written to the time frame of the door assistant, an Integer, is stored as it is."""

    fleet = (_ASSISTED,)

    def fits_type(self, entry: Entry, value: Json) -> bool:
        """Take any number for a whole one."""
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        return (entry.key == ASSISTANT_TIMEOUT and is_number) or super().fits_type(entry, value)


@mutant("name-in-numbers", clause="SET-TYPEGUARD", level="L3")
class NameInNumbers(Service):
    """A number written to the name of a map is stored as a number."""

    fleet = (NAMED,)

    def fits_type(self, entry: Entry, value: Json) -> bool:
        """Take a number for a name."""
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        return (entry.key == MAP_NAME_1 and is_number) or super().fits_type(entry, value)


@mutant("any-unit", clause="SET-ENUMGUARD", level="L3")
class AnyUnit(Service):
    """Whatever word is written to TemperatureUnit is stored."""

    fleet = (CHILLED.only(TEMPERATURE_UNIT, FREEZER_DOOR),)

    def is_member(self, appliance: Appliance, entry: Entry, value: Json) -> bool:
        """Know every unit."""
        return entry.key == TEMPERATURE_UNIT or super().is_member(appliance, entry, value)


@mutant("any-force", clause="SET-ENUMGUARD", level="L3")
class AnyForce(Service):
    """Every word that begins like a force of the door assistant is stored as one."""

    fleet = (_ASSISTED,)

    def is_member(self, appliance: Appliance, entry: Entry, value: Json) -> bool:
        """Look at the family and not at the name."""
        related = entry.key == _FORCE and isinstance(value, str) and value.startswith(f"{entry.family}.")
        return related or super().is_member(appliance, entry, value)


class OneMore(Service):
    """An enumeration has one value more than the document lists.

    Attributes:
        key: the setting, spelled with Vendor.
        more: the value.
    """

    key: ClassVar[str]
    more: ClassVar[str]

    def is_member(self, appliance: Appliance, entry: Entry, value: Json) -> bool:
        """Count on."""
        return (entry.key, value) == (self.key, self.more) or super().is_member(appliance, entry, value)


@mutant("color-zero", clause="SET-ENUMGUARD", level="L3")
class ColorZero(OneMore):
    """Color0 can be written to AmbientLightColor, which begins with Color1."""

    fleet = (GLOWING_PRESET,)
    key, more = AMBIENT_COLOR, "Vendor.Common.EnumType.AmbientLightColor.Color0"


@mutant("color-hundred", clause="SET-ENUMGUARD", level="L3")
class ColorHundred(OneMore):
    """Color100 can be written to AmbientLightColor, which ends with Color99."""

    fleet = (GLOWING_PRESET,)
    key, more = AMBIENT_COLOR, "Vendor.Common.EnumType.AmbientLightColor.Color100"


@mutant("fourth-map", clause="SET-ENUMGUARD", level="L3")
class FourthMap(OneMore):
    """Map4 can be chosen as CurrentMap, which ends with Map3."""

    fleet = (ROBOT_NAMED.only(CURRENT_MAP, MAP_NAME_1, MAP_NAME_3, LAST_MAP),)
    key, more = CURRENT_MAP, "ConsumerProducts.CleaningRobot.EnumType.AvailableMaps.Map4"


@mutant("any-word-refused-and-kept", clause="SET-ENUMGUARD", level="L3")
class AnyWordRefusedAndKept(Service):
    """A word that LiquidVolumeUnit does not have is refused, and stored all the same."""

    fleet = (CUPS,)

    def is_member(self, appliance: Appliance, entry: Entry, value: Json) -> bool:
        """Store first and look then."""
        member = super().is_member(appliance, entry, value)
        if entry.key == LIQUID_UNIT and not member:
            self.change(appliance, entry.key, value)
        return member
