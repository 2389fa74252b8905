"""Odd ranges and units: unlike the examples, narrower than the common ones, in the other unit, or not told.

> no common range; read per appliance from the specific setting
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from conformance.mutants.model import variant
from conformance.mutants.soil import (
    ALARM_CLOCK,
    AMBIENT_BRIGHTNESS,
    AMBIENT_COLOR,
    COUNTING,
    DOSER,
    DOSING_1,
    DOSING_2,
    FREEZER_SETPOINT,
    FRIDGE,
    FRIDGE_AMERICAN,
    FRIDGE_EQUIPPED,
    FRIDGE_UNITLESS,
    HOOD,
    HOT_WATER,
    INTERNAL_BRIGHTNESS,
    LIGHTING_BRIGHTNESS,
    LIQUID_UNIT,
    MACHINE_LIT,
    ROBOT,
    SETPOINT,
    TIMED_OVEN,
)
from conformance.reference.appliance import OwnRange
from conformance.reference.fleet_cooling import WINE_CABINET
from conformance.reference.names import FAHRENHEIT, POWER_STATE, TEMPERATURE_UNIT
from conformance.reference.service import Service

if TYPE_CHECKING:
    from collections.abc import Mapping

    from catalog.model import Entry
    from conformance.reference.appliance import Appliance, ApplianceSpec
    from conformance.reference.wire import Json, Members

_BOTTLES = "Refrigeration.Common.Setting.BottleCooler.SetpointTemperature"
_OUNCES = "Vendor.Common.EnumType.LiquidVolumeUnit.FluidOunces"
_PRESET = MACHINE_LIT.only(POWER_STATE, AMBIENT_BRIGHTNESS).having({AMBIENT_COLOR: "Vendor.Common.EnumType.AmbientLightColor.Color1"})


def _ranged(spec: ApplianceSpec, ranges: Mapping[str, OwnRange], *fixed: str) -> ApplianceSpec:
    """The appliance with these ranges, its settings in `fixed` not to be written."""
    return replace(spec, ranges={**spec.ranges, **ranges}, read_only=spec.read_only | frozenset(fixed))


@variant("ranges-unlike-the-examples", clause="RANGE-EXAMPLES")
class RangesUnlikeTheExamples(Service):
    """Own ranges and values lie outside every example of the document."""

    fleet = (
        _ranged(FRIDGE_UNITLESS, {SETPOINT: OwnRange(1, 9, 0.5, "°C"), FREEZER_SETPOINT: OwnRange(-30, -15, 1, "°C")}).having(
            {SETPOINT: 8.5, FREEZER_SETPOINT: -29}
        ),
        _ranged(DOSER, {DOSING_1: OwnRange(10, 400, 1, "ml"), DOSING_2: OwnRange(0, 1000, 10, "ml")}).having({DOSING_1: 399, DOSING_2: 0}),
        FRIDGE_AMERICAN.having({SETPOINT: 33}),
    )


@variant("ranges-not-converted", clause="UNIT-TEMP-APPLIES")
class RangesNotConverted(Service):
    """The bottle cooler goes from 28 to 46 °F where the same in °C is said to be -1 to 3."""

    fleet = (
        replace(
            WINE_CABINET.only(_BOTTLES),
            values={TEMPERATURE_UNIT: FAHRENHEIT, _BOTTLES: 44},
            ranges={_BOTTLES: OwnRange(28, 46, 1, "°F")},
            elsewhere={_BOTTLES: OwnRange(-1, 3, 1, "°C")},
        ),
    )


@variant("range-of-one-value", clause="RANGE-PERAPP-WELLFORMED")
class RangeOfOneValue(Service):
    """The refrigerator setpoint goes from 4 to 4 and cannot be written."""

    fleet = (_ranged(FRIDGE_UNITLESS, {SETPOINT: OwnRange(4, 4, 1, "°C")}, SETPOINT),)


@variant("setpoint-rounded-beyond", clause="RANGE-PERAPP-VALUE")
class SetpointRoundedBeyond(Service):
    """The refrigerator setpoint is 8.4 in a range to 8 of step 1, as a finer thermometer rounds, and cannot be written."""

    fleet = (_ranged(FRIDGE_UNITLESS, {}, SETPOINT).having({SETPOINT: 8.4}),)


@variant("setpoint-of-binary-fractions", clause="RANGE-PERAPP-VALUE")
class SetpointOfBinaryFractions(Service):
    """The refrigerator setpoint is 8.000000000000002, as sums of tenths are, and cannot be written."""

    fleet = (_ranged(FRIDGE_UNITLESS, {}, SETPOINT).having({SETPOINT: 8.000000000000002}),)


@variant("common-ranges-narrower", clause="RANGE-COMMON-ADVERTISED")
class CommonRangesNarrower(Service):
    """Lights and clock show narrower ranges than the common ones."""

    fleet = (
        _ranged(HOOD, {LIGHTING_BRIGHTNESS: OwnRange(20, 100, 10)}),
        _ranged(FRIDGE_EQUIPPED, {INTERNAL_BRIGHTNESS: OwnRange(25, 75, 5)}),
        _ranged(TIMED_OVEN, {ALARM_CLOCK: OwnRange(0, 35940, 60)}),
        _ranged(_PRESET, {AMBIENT_BRIGHTNESS: OwnRange(10, 90, 10)}),
    )


@variant("common-ranges-untold", clause="RANGE-COMMON-ADVERTISED")
class CommonRangesUntold(Service):
    """Answers show no bounds where a common range is stated, and own ranges all the same."""

    fleet = (HOOD, FRIDGE, TIMED_OVEN, ROBOT)

    def constraints(self, appliance: Appliance, entry: Entry) -> Members:
        """Leave out what the document says already."""
        members = super().constraints(appliance, entry)
        return {name: value for name, value in members.items() if entry.range is None or name not in {"min", "max", "stepsize"}}


class Worded(Service):
    """Units are worded in another way.

    Attributes:
        words: what is said for each unit of the reference.
    """

    words: ClassVar[Mapping[str, str]]

    def unit(self, appliance: Appliance, entry: Entry) -> str | None:
        """Translate the unit."""
        unit = super().unit(appliance, entry)
        return None if unit is None else self.words.get(unit, unit)


@variant("units-in-words", clause="UNIT-SECONDS")
class UnitsInWords(Worded):
    """Units are words: deg C, Percent, sec., milli_liters."""

    fleet = (FRIDGE, FRIDGE_AMERICAN, TIMED_OVEN, HOOD, DOSER, COUNTING)
    words: ClassVar[Mapping[str, str]] = {"°C": "deg C", "°F": "DEGF", "seconds": "sec.", "%": "Percent", "ml": "milli_liters"}


@variant("units-as-keys", clause="UNIT-TEMP-APPLIES")
class UnitsAsKeys(Worded):
    """Units are the enumeration values of the unit settings."""

    fleet = (FRIDGE, FRIDGE_AMERICAN, DOSER)
    words: ClassVar[Mapping[str, str]] = {
        "°C": "Vendor.Common.EnumType.TemperatureUnit.Celsius",
        "°F": "Vendor.Common.EnumType.TemperatureUnit.Fahrenheit",
        "ml": "Vendor.Common.EnumType.LiquidVolumeUnit.MilliLiter",
    }


@variant("units-untold", clause="UNIT-PERCENT")
class UnitsUntold(Service):
    """No answer names a unit."""

    fleet = (FRIDGE, TIMED_OVEN, HOOD, DOSER, COUNTING)

    def unit(self, appliance: Appliance, entry: Entry) -> None:
        """Name none."""


@variant("hot-water-in-ounces", clause="UNIT-HOTWATER")
class HotWaterInOunces(Service):
    """The hot water counter is shown in fl.oz while LiquidVolumeUnit says so."""

    fleet = (COUNTING.having({LIQUID_UNIT: _OUNCES}),)

    def unit(self, appliance: Appliance, entry: Entry) -> str | None:
        """Follow the setting."""
        return "fl.oz" if entry.key == HOT_WATER and appliance.values[LIQUID_UNIT] == _OUNCES else super().unit(appliance, entry)

    def value(self, appliance: Appliance, key: str) -> Json:
        """Count ounces where the unit says so."""
        counted = super().value(appliance, key)
        if key != HOT_WATER or appliance.values[LIQUID_UNIT] != _OUNCES or not isinstance(counted, int):
            return counted
        return round(counted / 29.5735)
