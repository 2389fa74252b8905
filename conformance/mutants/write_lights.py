"""Servers that pay no heed to what ties one key of a light to another, or too much.

> Cannot be set while the ambient light color is CustomColor
> Can be set only while the ambient light color is CustomColor
> Usable only when the ColorTemperature setting, if supported, is set to custom

What is found when a run begins locks the key in question wherever that matters, so that no clause
about writing in general sees the fault.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from conformance.mutants.model import mutant
from conformance.mutants.soil import AMBIENT_BRIGHTNESS, AMBIENT_COLOR, COLOR_PERCENT, COLOR_TEMPERATURE, CUSTOM_COLOR, LIGHTING
from conformance.mutants.write_shapes import Dropping, Keeping, Refusing, Unlocked
from conformance.mutants.write_soil import (
    COLOR_CUSTOM,
    CUSTOM_LIGHT,
    GLOWING,
    GLOWING_PRESET,
    NEUTRAL_LIGHT,
    WARMED,
    WARMED_NEUTRAL,
)
from conformance.reference.service import Service

if TYPE_CHECKING:
    from catalog.model import Rule, Segment
    from conformance.reference.appliance import Appliance
    from conformance.reference.wire import Json, Reply


@mutant("brightness-under-custom-color", clause="AMB-BRIGHTNESS-LOCKED", level="L3")
class BrightnessUnderCustomColor(Unlocked):
    """AmbientLightBrightness can be set while the colour is CustomColor."""

    fleet = (GLOWING,)
    key = AMBIENT_BRIGHTNESS


@mutant("brightness-refused-and-set", clause="AMB-BRIGHTNESS-LOCKED", level="L3")
class BrightnessRefusedAndSet(Service):
    """AmbientLightBrightness is refused under CustomColor, and set all the same."""

    fleet = (GLOWING_PRESET,)

    def write(self, appliance: Appliance, segment: Segment, key: str, body: bytes) -> Reply:
        """Obey a write that is refused afterwards."""
        if key == AMBIENT_BRIGHTNESS and appliance.values[AMBIENT_COLOR] == COLOR_CUSTOM:
            with suppress(ValueError):
                value, entry = self.decode(appliance, key, body), self.entries[key]
                if self.fits_type(entry, value) and self.is_within(appliance, entry, value):
                    self.apply(appliance, key, self.normal(appliance, key, value))
        return super().write(appliance, segment, key, body)


@mutant("brightness-never-moves", clause="AMB-BRIGHTNESS-FREE", level="L3")
class BrightnessNeverMoves(Dropping):
    """AmbientLightBrightness is acknowledged and dropped under a preset, and refused under CustomColor."""

    fleet = (GLOWING,)
    key = AMBIENT_BRIGHTNESS


@mutant("brightness-always-refused", clause="AMB-BRIGHTNESS-FREE", level="L3")
class BrightnessAlwaysRefused(Refusing):
    """AmbientLightBrightness is refused under every colour."""

    fleet = (GLOWING,)
    key = AMBIENT_BRIGHTNESS


@mutant("custom-color-kept-for-later", clause="AMB-CUSTOM-ONLY", level="L3")
class CustomColorKeptForLater(Keeping):
    """A custom colour written under a preset is acknowledged, and appears when CustomColor is chosen."""

    fleet = (GLOWING_PRESET,)

    def write(self, appliance: Appliance, segment: Segment, key: str, body: bytes) -> Reply:
        """Put aside what cannot be shown yet."""
        if key == CUSTOM_COLOR and appliance.values[AMBIENT_COLOR] != COLOR_CUSTOM:
            with suppress(ValueError):
                value = self.decode(appliance, key, body)
                if self.fits_type(self.entries[key], value):
                    self.keep(appliance, key, value)
                    return self.acknowledge(appliance, key)
        reply = super().write(appliance, segment, key, body)
        if appliance.values[AMBIENT_COLOR] == COLOR_CUSTOM and self.kept(appliance, CUSTOM_COLOR) is not None:
            self.change(appliance, CUSTOM_COLOR, self.give_back(appliance, CUSTOM_COLOR))
        return reply


@mutant("custom-color-at-any-time", clause="AMB-CUSTOM-ONLY", level="L3")
class CustomColorAtAnyTime(Unlocked):
    """AmbientLightCustomColor takes a colour while a preset is shown."""

    fleet = (GLOWING,)
    key = CUSTOM_COLOR


@mutant("custom-color-refused-and-set", clause="AMB-CUSTOM-ONLY", level="L3")
class CustomColorRefusedAndSet(Service):
    """AmbientLightCustomColor is refused under a preset, and set all the same."""

    fleet = (GLOWING_PRESET,)

    def write(self, appliance: Appliance, segment: Segment, key: str, body: bytes) -> Reply:
        """Obey a write that is refused afterwards."""
        if key == CUSTOM_COLOR and appliance.values[AMBIENT_COLOR] != COLOR_CUSTOM:
            with suppress(ValueError):
                value = self.decode(appliance, key, body)
                if self.fits_type(self.entries[key], value):
                    self.apply(appliance, key, value)
        return super().write(appliance, segment, key, body)


@mutant("custom-color-never-moves", clause="AMB-CUSTOM-SETTABLE", level="L3")
class CustomColorNeverMoves(Dropping):
    """AmbientLightCustomColor is acknowledged under CustomColor and dropped."""

    fleet = (GLOWING_PRESET,)
    key = CUSTOM_COLOR


@mutant(
    "custom-color-is-the-first",
    clause="AMB-CUSTOM-SETTABLE",
    level="L3",
    partners={"SET-WRITABLE": "The setting is acknowledged and has its old value, and nothing locks it."},
)
class CustomColorIsTheFirst(Service):
    """Whatever custom colour is written under CustomColor, the one found there is taken for it."""

    fleet = (GLOWING,)

    def normal(self, appliance: Appliance, key: str, value: Json) -> Json:
        """Know one colour."""
        return appliance.spec.values[key] if key == CUSTOM_COLOR else super().normal(appliance, key, value)


@mutant("percent-under-neutral", clause="HOOD-PERCENT-USABLE", level="L3")
class PercentUnderNeutral(Unlocked):
    """ColorTemperaturePercent can be set whatever ColorTemperature is."""

    fleet = (WARMED,)
    key = COLOR_PERCENT


@mutant("percent-locked-in-the-dark", clause="HOOD-PERCENT-USABLE", level="L3")
class PercentLockedInTheDark(Service):
    """ColorTemperaturePercent is locked while the light is off, and not while ColorTemperature is no custom one."""

    fleet = (WARMED_NEUTRAL,)

    def locked_by(self, appliance: Appliance, key: str) -> Rule | None:
        """Ask the wrong setting."""
        free = key == COLOR_PERCENT and appliance.values[LIGHTING] is True
        return None if free else super().locked_by(appliance, key)


@mutant("percent-ends-custom", clause="HOOD-PERCENT-APPLIES", level="L3")
class PercentEndsCustom(Service):
    """A percent written under custom switches ColorTemperature to neutral."""

    fleet = (WARMED_NEUTRAL,)

    def follow(self, appliance: Appliance, key: str, value: Json) -> None:
        """Leave custom with every percent."""
        super().follow(appliance, key, value)
        if key == COLOR_PERCENT and appliance.values[COLOR_TEMPERATURE] == CUSTOM_LIGHT:
            self.change(appliance, COLOR_TEMPERATURE, NEUTRAL_LIGHT)


@mutant("percent-never-moves", clause="HOOD-PERCENT-APPLIES", level="L3")
class PercentNeverMoves(Dropping):
    """ColorTemperaturePercent is acknowledged under custom and dropped."""

    fleet = (WARMED_NEUTRAL,)
    key = COLOR_PERCENT
