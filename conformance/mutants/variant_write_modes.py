"""Cooling modes that move each other, the refrigerator setpoint, or the range of it.

> Refrigerator temperature switches to +14 °C; freezer follows its setting

What a mode does to the compartment may show on the setpoint or not; the freezer setpoint and those under a super mode stay.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

from conformance.mutants.model import variant
from conformance.mutants.soil import ECO_MODE, FREEZER_SETPOINT, SETPOINT
from conformance.mutants.variant_write_soil import COLD_MODES, COLD_SUPER, FRESH, VACATION
from conformance.reference.fleet_cooling import FRIDGE_CELSIUS, FRIDGE_FAHRENHEIT
from conformance.reference.names import SUPER_REFRIGERATOR, TEMPERATURE_UNIT
from conformance.reference.service import Service

if TYPE_CHECKING:
    from catalog.model import Entry
    from conformance.reference.appliance import Appliance
    from conformance.reference.wire import Json, Members

_MODES = (ECO_MODE, VACATION, FRESH, SUPER_REFRIGERATOR)
_MANY = FRIDGE_CELSIUS.only(SETPOINT, *_MODES)
_ECO = FRIDGE_CELSIUS.only(SETPOINT, FREEZER_SETPOINT, ECO_MODE, "Refrigeration.Common.Status.Door.Freezer")
_AMERICAN = replace(FRIDGE_FAHRENHEIT.only(TEMPERATURE_UNIT, SETPOINT, FREEZER_SETPOINT, VACATION), read_only=frozenset({TEMPERATURE_UNIT}))


class Switching(Service):
    """A mode sets the refrigerator setpoint to a temperature of its own, and puts it back when it ends.

    Attributes:
        mode: the mode.
        celsius: the temperature in °C.
        fahrenheit: the same in °F.
    """

    mode: ClassVar[str]
    celsius: ClassVar[int]
    fahrenheit: ClassVar[int]

    @cached_property
    def kept(self) -> dict[str, Json]:
        """The setpoint of each refrigerator before the mode."""
        return {}

    def follow(self, appliance: Appliance, key: str, value: Json) -> None:
        """Switch the setpoint with the mode."""
        super().follow(appliance, key, value)
        if key != self.mode:
            return
        if value is True:
            self.kept[appliance.ha_id] = appliance.values[SETPOINT]
            self.change(appliance, SETPOINT, self.fahrenheit if self.temperature_unit(appliance) == "°F" else self.celsius)
        else:
            self.change(appliance, SETPOINT, self.kept.pop(appliance.ha_id, appliance.spec.values[SETPOINT]))


@variant("vacation-switches-to-fourteen", clause="COOL-VACATION-14", knowledges=("full",))
class VacationSwitchesToFourteen(Switching):
    """VacationMode moves the refrigerator setpoint to 14 °C, or 57 °F, beyond its range, until it ends."""

    fleet = (COLD_MODES, _AMERICAN)
    mode = VACATION
    celsius = 14
    fahrenheit = 57


@variant("fresh-switches-to-two", clause="COOL-FRESH-2", knowledges=("full",))
class FreshSwitchesToTwo(Switching):
    """FreshMode moves the refrigerator setpoint to 2 °C until it ends."""

    fleet = (COLD_MODES,)
    mode = FRESH
    celsius = 2
    fahrenheit = 36


@variant("vacation-leaves-the-most", clause="COOL-VACATION-14", knowledges=("full",))
class VacationLeavesTheMost(Service):
    """VacationMode moves the refrigerator setpoint to 8 °C, and leaves it there when it ends."""

    fleet = (COLD_MODES,)

    def follow(self, appliance: Appliance, key: str, value: Json) -> None:
        """Go as warm as the range lets one."""
        super().follow(appliance, key, value)
        if key == VACATION and value is True:
            self.change(appliance, SETPOINT, 8)


@variant("eco-moves-setpoints", clause="COOL-ECO", knowledges=("full",))
class EcoMovesSetpoints(Service):
    """EcoMode makes every setpoint two degrees warmer until it ends."""

    fleet = (_ECO,)

    def follow(self, appliance: Appliance, key: str, value: Json) -> None:
        """Move both, not beyond their ranges."""
        super().follow(appliance, key, value)
        for setpoint in (SETPOINT, FREEZER_SETPOINT) if key == ECO_MODE else ():
            now, bounds = appliance.values[setpoint], self.bounds(appliance, self.entries[setpoint])
            if isinstance(now, int | float) and bounds is not None:
                self.change(appliance, setpoint, bounds.nearest(now + (2 if value is True else -2)))


@variant("modes-exclude-each-other", clause="SET-ONLY-TARGET", knowledges=("full",))
class ModesExcludeEachOther(Service):
    """A mode that is switched on switches off whichever of the others was on; FreshMode is found on."""

    fleet = (_MANY.having({FRESH: True}),)

    def follow(self, appliance: Appliance, key: str, value: Json) -> None:
        """Leave one on."""
        super().follow(appliance, key, value)
        for mode in _MODES if key in _MODES and value is True else ():
            if mode != key:
                self.change(appliance, mode, value=False)


@variant("modes-come-in-pairs", clause="SET-ONLY-TARGET", knowledges=("full",))
class ModesComeInPairs(Service):
    """EcoMode goes on and off with VacationMode."""

    fleet = (_MANY,)

    def follow(self, appliance: Appliance, key: str, value: Json) -> None:
        """Take the other one along."""
        super().follow(appliance, key, value)
        if key == VACATION:
            self.change(appliance, ECO_MODE, value)


@variant("super-mode-widens-the-range", clause="COOL-SUPER-FRIDGE", knowledges=("full",))
class SuperModeWidensTheRange(Service):
    """While SuperModeRefrigerator is on the setpoint stays, and its range reads from -2 to 9."""

    fleet = (COLD_SUPER,)

    def constraints(self, appliance: Appliance, entry: Entry) -> Members:
        """Show what the compartment can do now; what can be set stays as it was."""
        members = super().constraints(appliance, entry)
        wide = entry.key == SETPOINT and appliance.values[SUPER_REFRIGERATOR] is True
        return members | {"min": -2, "max": 9} if wide else members
