"""Servers that name a unit the document contradicts.

> When the setting is not returned, the unit is Celsius.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.mutants.model import mutant
from conformance.mutants.shapes import Mismeasured
from conformance.mutants.soil import (
    ALARM_CLOCK,
    AMBIENT_BRIGHTNESS,
    BATTERY_LEVEL,
    COFFEE_COUNT,
    COLOR_PERCENT,
    COUNTING,
    CUP_WARMER,
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
    MACHINE_LIT,
    ROBOT,
    SETPOINT,
    TIMED_OVEN,
)
from conformance.reference.fleet_cooking import COFFEE_MAKER
from conformance.reference.fleet_cooling import WINE_CABINET
from conformance.reference.names import POWER_STATE
from conformance.reference.service import Service

if TYPE_CHECKING:
    from catalog.model import Entry
    from conformance.reference.appliance import Appliance

_SECOND_WINE = "Refrigeration.Common.Setting.WineCompartment2.SetpointTemperature"


@mutant("default-fahrenheit", clause="UNIT-TEMP-DEFAULT", level="L2")
class DefaultFahrenheit(Service):
    """Setpoints are called °F on an appliance without TemperatureUnit."""

    fleet = (FRIDGE_UNITLESS,)

    def unit(self, appliance: Appliance, entry: Entry) -> str | None:
        """Call every setpoint so."""
        return "°F" if entry.own_range else super().unit(appliance, entry)


@mutant("default-kelvin", clause="UNIT-TEMP-DEFAULT", level="L2")
class DefaultKelvin(Mismeasured):
    """The setpoint of the freezer is called K on an appliance without TemperatureUnit."""

    fleet = (FRIDGE_UNITLESS,)
    key, sent = FREEZER_SETPOINT, "K"


@mutant("one-wine-compartment-fahrenheit", clause="UNIT-TEMP-DEFAULT", level="L2")
class OneWineCompartmentFahrenheit(Mismeasured):
    """One of four setpoints is called Fahrenheit on an appliance without TemperatureUnit."""

    fleet = (WINE_CABINET,)
    key, sent = _SECOND_WINE, "Fahrenheit"


@mutant("celsius-for-ever", clause="UNIT-TEMP-APPLIES", level="L2")
class CelsiusForEver(Service):
    """TemperatureUnit is Fahrenheit, values and ranges stay in °C and say so."""

    fleet = (FRIDGE_AMERICAN.having({SETPOINT: 4, FREEZER_SETPOINT: -18}),)

    def temperature_unit(self, appliance: Appliance) -> str:
        """Pay no heed to the setting."""
        unit = super().temperature_unit(appliance)
        return "°C" if unit == "°F" else unit


@mutant("one-setpoint-fahrenheit", clause="UNIT-TEMP-APPLIES", level="L2")
class OneSetpointFahrenheit(Mismeasured):
    """TemperatureUnit is Celsius, the setpoint of the freezer is called °F."""

    fleet = (FRIDGE,)
    key, sent = FREEZER_SETPOINT, "°F"


@mutant("unit-by-its-own-key", clause="UNIT-TEMP-APPLIES", level="L2")
class UnitByItsOwnKey(Mismeasured):
    """TemperatureUnit is Fahrenheit, the unit of one setpoint is the enumeration value for Celsius."""

    fleet = (FRIDGE_AMERICAN,)
    key, sent = SETPOINT, "Vendor.Common.EnumType.TemperatureUnit.Celsius"


@mutant("dosing-in-ounces", clause="UNIT-LIQ-DEFAULT", level="L2")
class DosingInOunces(Service):
    """Dosing levels are called fl.oz on an appliance without LiquidVolumeUnit."""

    fleet = (DOSER,)

    def unit(self, appliance: Appliance, entry: Entry) -> str | None:
        """Call both levels so."""
        return "fl.oz" if entry.key in {DOSING_1, DOSING_2} else super().unit(appliance, entry)


@mutant("one-dosing-in-litres", clause="UNIT-LIQ-DEFAULT", level="L2")
class OneDosingInLitres(Mismeasured):
    """Dosing2BaseLevel alone is called l on an appliance without LiquidVolumeUnit."""

    fleet = (DOSER,)
    key, sent = DOSING_2, "l"


@mutant(
    "default-ounces-of-water",
    clause="UNIT-LIQ-DEFAULT",
    level="L2",
    partners={"UNIT-HOTWATER": "The hot water counter names another unit than ml."},
)
class DefaultOuncesOfWater(Mismeasured):
    """The hot water counter is called fl.oz on an appliance without LiquidVolumeUnit."""

    fleet = (COFFEE_MAKER.only(POWER_STATE, CUP_WARMER, COFFEE_COUNT, HOT_WATER),)
    key, sent = HOT_WATER, "fl.oz"


@mutant("water-in-cups", clause="UNIT-HOTWATER", level="L2")
class WaterInCups(Mismeasured):
    """The hot water counter is called cups."""

    fleet = (COUNTING,)
    key, sent = HOT_WATER, "cups"


@mutant("water-in-litres", clause="UNIT-HOTWATER", level="L2")
class WaterInLitres(Mismeasured):
    """The hot water counter is called l."""

    fleet = (COUNTING,)
    key, sent = HOT_WATER, "l"


@mutant("water-in-ounces", clause="UNIT-HOTWATER", level="L2")
class WaterInOunces(Mismeasured):
    """The hot water counter is called fl.oz while LiquidVolumeUnit is MilliLiter."""

    fleet = (COUNTING,)
    key, sent = HOT_WATER, "fl.oz"


@mutant("brightness-in-lux", clause="UNIT-PERCENT", level="L2")
class BrightnessInLux(Mismeasured):
    """The brightness of a refrigerator's light is called lux."""

    fleet = (FRIDGE_EQUIPPED,)
    key, sent = INTERNAL_BRIGHTNESS, "lux"


@mutant("ambient-light-in-lumen", clause="UNIT-PERCENT", level="L2")
class AmbientLightInLumen(Mismeasured):
    """AmbientLightBrightness is called lm."""

    fleet = (MACHINE_LIT,)
    key, sent = AMBIENT_BRIGHTNESS, "lm"


@mutant("percent-called-kelvin", clause="UNIT-PERCENT", level="L2")
class PercentCalledKelvin(Mismeasured):
    """ColorTemperaturePercent is called K."""

    fleet = (HOOD,)
    key, sent = COLOR_PERCENT, "K"


@mutant("battery-in-minutes", clause="UNIT-PERCENT", level="L2")
class BatteryInMinutes(Mismeasured):
    """BatteryLevel is called min, as if it were the time left."""

    fleet = (ROBOT,)
    key, sent = BATTERY_LEVEL, "min"


@mutant("alarm-in-minutes", clause="UNIT-SECONDS", level="L2")
class AlarmInMinutes(Mismeasured):
    """AlarmClock is called min."""

    fleet = (TIMED_OVEN,)
    key, sent = ALARM_CLOCK, "min"


@mutant("alarm-in-milliseconds", clause="UNIT-SECONDS", level="L2")
class AlarmInMilliseconds(Mismeasured):
    """AlarmClock is called ms."""

    fleet = (TIMED_OVEN,)
    key, sent = ALARM_CLOCK, "ms"
