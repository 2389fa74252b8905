"""Settings that move others: units, maps, lights, and what a person would expect of them.

> A setting describes a property of the appliance.

Power, modes, lights, maps with their names and units with temperatures belong together; nothing says how far.
"""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from conformance.mutants.model import variant
from conformance.mutants.soil import (
    AMBIENT_BRIGHTNESS,
    AMBIENT_COLOR,
    AMBIENT_ENABLED,
    COLOR_PERCENT,
    COLOR_TEMPERATURE,
    CURRENT_MAP,
    FREEZER_SETPOINT,
    INTERNAL_BRIGHTNESS,
    INTERNAL_LIGHT,
    LIGHTING,
    LIGHTING_BRIGHTNESS,
    SETPOINT,
)
from conformance.mutants.variant_write_soil import (
    AMBIENT_PRESET,
    COLD_LIT,
    COLD_UNITS,
    COLOR,
    EXTERNAL_BRIGHTNESS,
    EXTERNAL_LIGHT,
    LAMP,
    MAPPED,
    MAPS,
)
from conformance.reference.appliance import OwnRange
from conformance.reference.fleet_cooling import FRIDGE_FAHRENHEIT
from conformance.reference.names import TEMPERATURE_UNIT
from conformance.reference.service import Service

if TYPE_CHECKING:
    from conformance.reference.appliance import Appliance
    from conformance.reference.wire import Json

_BRIGHTNESS_OF = MappingProxyType({f"{COLOR}.Color1": 35, f"{COLOR}.Color2": 65, f"{COLOR}.Color99": 95, f"{COLOR}.CustomColor": 100})
_SWITCH_OF = MappingProxyType(
    {LIGHTING_BRIGHTNESS: LIGHTING, AMBIENT_BRIGHTNESS: AMBIENT_ENABLED, INTERNAL_BRIGHTNESS: INTERNAL_LIGHT, COLOR_PERCENT: LIGHTING}
)
_TOGETHER = MappingProxyType({INTERNAL_LIGHT: EXTERNAL_LIGHT, INTERNAL_BRIGHTNESS: EXTERNAL_BRIGHTNESS})
_FINE = replace(
    COLD_UNITS,
    elsewhere={SETPOINT: OwnRange(35.6, 46.4, 1.8, "°F"), FREEZER_SETPOINT: OwnRange(-11.2, 3.2, 1.8, "°F")},
)


class Coupled(Service):
    """A write that changes something moves something else as well."""

    def follow(self, appliance: Appliance, key: str, value: Json) -> None:
        """Move what the reference moves, and more."""
        super().follow(appliance, key, value)
        self.move(appliance, key, value)

    def move(self, appliance: Appliance, key: str, value: Json) -> None:
        """What else moves; nothing unless one of them says so."""


@variant("unit-change-in-fractions", clause="SET-ONLY-TARGET", knowledges=("full",))
class UnitChangeInFractions(Service):
    """A change of TemperatureUnit moves setpoints and bounds, and 4 °C is 39.2 °F in a range of 35.6 to 46.4."""

    fleet = (_FINE,)


@variant("unit-change-resets-setpoints", clause="SET-ONLY-TARGET", knowledges=("full",))
class UnitChangeResetsSetpoints(Coupled):
    """A change of TemperatureUnit sets the setpoints to the middle of their ranges in that unit, and back to another middle."""

    fleet = (COLD_UNITS,)

    def move(self, appliance: Appliance, key: str, value: Json) -> None:  # noqa: ARG002  either unit alike
        """Begin in the middle."""
        for setpoint in (SETPOINT, FREEZER_SETPOINT) if key == TEMPERATURE_UNIT else ():
            bounds = self.bounds(appliance, self.entries[setpoint])
            if bounds is not None:
                self.change(appliance, setpoint, bounds.nearest((bounds.min + bounds.max) / 2))


@variant("colors-have-their-brightness", clause="SET-ONLY-TARGET", knowledges=("full",))
class ColorsHaveTheirBrightness(Coupled):
    """The choice of an ambient colour sets the brightness that belongs to it, CustomColor included."""

    fleet = (AMBIENT_PRESET,)

    def move(self, appliance: Appliance, key: str, value: Json) -> None:
        """Look the brightness up."""
        if key == AMBIENT_COLOR and isinstance(value, str):
            self.change(appliance, AMBIENT_BRIGHTNESS, _BRIGHTNESS_OF[value])


@variant("brightness-switches-on", clause="SET-ONLY-TARGET", knowledges=("full",))
class BrightnessSwitchesOn(Coupled):
    """A light that is off goes on when its brightness or its percent setting is written."""

    fleet = (
        LAMP.having({LIGHTING: False}),
        AMBIENT_PRESET.having({AMBIENT_ENABLED: False}),
        COLD_LIT.having({INTERNAL_LIGHT: False}),
    )

    def move(self, appliance: Appliance, key: str, value: Json) -> None:  # noqa: ARG002  any value does
        """Switch on."""
        if key in _SWITCH_OF:
            self.change(appliance, _SWITCH_OF[key], value=True)


@variant("light-off-at-zero", clause="LIGHT-POWER", knowledges=("full",))
class LightOffAtZero(Coupled):
    """The light of a refrigerator goes off with brightness 0, and on with any other."""

    fleet = (COLD_LIT,)

    def move(self, appliance: Appliance, key: str, value: Json) -> None:
        """Move the switch."""
        if key == INTERNAL_BRIGHTNESS:
            self.change(appliance, INTERNAL_LIGHT, value != 0)


@variant("light-on-at-full", clause="LIGHT-POWER", knowledges=("full",))
class LightOnAtFull(Coupled):
    """A light that is switched on is at 100 %, whatever it was at before."""

    fleet = (LAMP, COLD_LIT)

    def move(self, appliance: Appliance, key: str, value: Json) -> None:
        """Begin with all there is."""
        for brightness, switch in _SWITCH_OF.items():
            if key == switch and value is True and brightness in appliance.values and brightness != COLOR_PERCENT:
                self.change(appliance, brightness, 100)


@variant("light-off-reads-zero", clause="LIGHT-POWER", knowledges=("full",))
class LightOffReadsZero(Service):
    """The brightness of a refrigerator's light reads 0 while the light is off."""

    fleet = (COLD_LIT,)

    def value(self, appliance: Appliance, key: str) -> Json:
        """Show the dark."""
        dark = key == INTERNAL_BRIGHTNESS and appliance.values[INTERNAL_LIGHT] is False
        return 0 if dark else super().value(appliance, key)


@variant("lights-together", clause="SET-ONLY-TARGET", knowledges=("full",))
class LightsTogether(Coupled):
    """The external light of a refrigerator takes over what is written to the internal one."""

    fleet = (FRIDGE_FAHRENHEIT.only(EXTERNAL_LIGHT, EXTERNAL_BRIGHTNESS, INTERNAL_LIGHT, INTERNAL_BRIGHTNESS),)

    def move(self, appliance: Appliance, key: str, value: Json) -> None:
        """Move the other light."""
        if key in _TOGETHER:
            self.change(appliance, _TOGETHER[key], value)


@variant("color-temperature-sets-the-percent", clause="SET-ONLY-TARGET", knowledges=("full",))
class ColorTemperatureSetsThePercent(Coupled):
    """The choice of a colour temperature other than custom leaves the percent setting at 0, 20, 50, 80 or 100."""

    fleet = (LAMP,)

    def move(self, appliance: Appliance, key: str, value: Json) -> None:
        """Follow the choice."""
        percents = {"warm": 0, "warmToNeutral": 20, "neutral": 50, "neutralToCold": 80, "cold": 100}
        chosen = str(value).rpartition(".")[2]
        if key == COLOR_TEMPERATURE and chosen in percents:
            self.change(appliance, COLOR_PERCENT, percents[chosen])


@variant("renaming-selects-the-map", clause="SET-ONLY-TARGET", knowledges=("full",))
class RenamingSelectsTheMap(Coupled):
    """A map that gets another name is selected."""

    fleet = (MAPPED,)

    def move(self, appliance: Appliance, key: str, value: Json) -> None:  # noqa: ARG002  any name does
        """Select it."""
        if "NameOfMap" in key:
            self.change(appliance, CURRENT_MAP, f"{MAPS}.Map{key[-1]}")
