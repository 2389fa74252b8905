"""Servers that name a unit the document contradicts.

> When the setting is not returned, the unit is Celsius.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from catalog import keys
from conformance.mutants.faults.rows import Row, add
from conformance.mutants.faults.shapes import measures
from conformance.mutants.fleets import (
    COUNTING,
    DOSER,
    FRIDGE,
    FRIDGE_AMERICAN,
    FRIDGE_EQUIPPED,
    FRIDGE_UNITLESS,
    FRIDGE_UNITS,
    HOOD,
    MACHINE_LIT,
    ROBOT,
    TIMED_OVEN,
)
from conformance.mutants.model import Symptom
from conformance.reference.fleets.cooking import COFFEE_MAKER
from conformance.reference.fleets.cooling import WINE_CABINET
from conformance.reference.service import Service

if TYPE_CHECKING:
    from catalog.model import Entry
    from conformance.reference.appliance import Appliance


class UnitForgotten(Service):
    def unit(self, appliance: Appliance, entry: Entry) -> str | None:
        shown, known = super().unit(appliance, entry), appliance.spec.ranges.get(entry.key)
        return shown if known is None else known.unit


class FreezerStaysBehind(Service):
    def unit(self, appliance: Appliance, entry: Entry) -> str | None:
        shown = super().unit(appliance, entry)
        moved = appliance.values[keys.TEMPERATURE_UNIT] != appliance.spec.values[keys.TEMPERATURE_UNIT]
        return "°C" if entry.key == keys.FREEZER_SETPOINT and moved else shown


class CelsiusForEver(Service):
    def temperature_unit(self, appliance: Appliance) -> str:
        unit = super().temperature_unit(appliance)
        return "°C" if unit == "°F" else unit


# A row of a table takes two or three lines; the formatter would make ten of them.
# fmt: off
ROWS = (
    Row("default-fahrenheit", "UNIT-TEMP-DEFAULT", "L2", FRIDGE_UNITLESS,
        measures("°F", keys.SETPOINT, keys.FREEZER_SETPOINT),
        "Setpoints are called °F on an appliance without TemperatureUnit."),
    Row("default-kelvin", "UNIT-TEMP-DEFAULT", "L2", FRIDGE_UNITLESS, measures("K", keys.FREEZER_SETPOINT),
        "The setpoint of the freezer is called K on an appliance without TemperatureUnit."),
    Row("one-wine-compartment-fahrenheit", "UNIT-TEMP-DEFAULT", "L2", WINE_CABINET,
        measures("Fahrenheit", keys.WINE_SETPOINT_2),
        "One of four setpoints is called Fahrenheit on an appliance without TemperatureUnit."),
    Row("unit-forgotten", "UNIT-TEMP-APPLIES", "L3", FRIDGE_UNITS, UnitForgotten,
        "After TemperatureUnit is written, numbers and ranges move and setpoints are still called by the "
        "first unit.",
        shows=Symptom("TemperatureUnit=Fahrenheit", "°C", "°F", read="SetpointTemperatureFreezer unit")),
    Row("freezer-stays-behind", "UNIT-TEMP-APPLIES", "L3", FRIDGE_UNITS, FreezerStaysBehind,
        "After TemperatureUnit is written, the refrigerator follows and the setpoint of the freezer is "
        "called by the other unit.",
        shows=Symptom("TemperatureUnit=Fahrenheit", "°C", "°F", read="SetpointTemperatureFreezer unit")),
    Row("celsius-for-ever", "UNIT-TEMP-APPLIES", "L2",
        FRIDGE_AMERICAN.having({keys.SETPOINT: 4, keys.FREEZER_SETPOINT: -18}), CelsiusForEver,
        "TemperatureUnit is Fahrenheit, values and ranges stay in °C and say so."),
    Row("one-setpoint-fahrenheit", "UNIT-TEMP-APPLIES", "L2", FRIDGE, measures("°F", keys.FREEZER_SETPOINT),
        "TemperatureUnit is Celsius, the setpoint of the freezer is called °F."),
    Row("unit-by-its-own-key", "UNIT-TEMP-APPLIES", "L2", FRIDGE_AMERICAN,
        measures("Vendor.Common.EnumType.TemperatureUnit.Celsius", keys.SETPOINT),
        "TemperatureUnit is Fahrenheit, the unit of one setpoint is the enumeration value for Celsius."),
    Row("dosing-in-ounces", "UNIT-LIQ-DEFAULT", "L2", DOSER, measures("fl.oz", keys.DOSING_1, keys.DOSING_2),
        "Dosing levels are called fl.oz on an appliance without LiquidVolumeUnit."),
    Row("one-dosing-in-litres", "UNIT-LIQ-DEFAULT", "L2", DOSER, measures("l", keys.DOSING_2),
        "Dosing2BaseLevel alone is called l on an appliance without LiquidVolumeUnit."),
    Row("default-ounces-of-water", "UNIT-LIQ-DEFAULT", "L2",
        COFFEE_MAKER.only(keys.POWER_STATE, keys.CUP_WARMER, keys.COFFEE_COUNT, keys.HOT_WATER),
        measures("fl.oz", keys.HOT_WATER),
        "The hot water counter is called fl.oz on an appliance without LiquidVolumeUnit.",
        partners={"UNIT-HOTWATER": "The hot water counter names another unit than ml."}),
    Row("water-in-cups", "UNIT-HOTWATER", "L2", COUNTING, measures("cups", keys.HOT_WATER),
        "The hot water counter is called cups."),
    Row("water-in-litres", "UNIT-HOTWATER", "L2", COUNTING, measures("l", keys.HOT_WATER),
        "The hot water counter is called l."),
    Row("water-in-ounces", "UNIT-HOTWATER", "L2", COUNTING, measures("fl.oz", keys.HOT_WATER),
        "The hot water counter is called fl.oz while LiquidVolumeUnit is MilliLiter."),
    Row("brightness-in-lux", "UNIT-PERCENT", "L2", FRIDGE_EQUIPPED, measures("lux", keys.INTERNAL_BRIGHTNESS),
        "The brightness of a refrigerator's light is called lux."),
    Row("ambient-light-in-lumen", "UNIT-PERCENT", "L2", MACHINE_LIT, measures("lm", keys.AMBIENT_BRIGHTNESS),
        "AmbientLightBrightness is called lm."),
    Row("percent-called-kelvin", "UNIT-PERCENT", "L2", HOOD, measures("K", keys.COLOR_PERCENT),
        "ColorTemperaturePercent is called K."),
    Row("battery-in-minutes", "UNIT-PERCENT", "L2", ROBOT, measures("min", keys.BATTERY_LEVEL),
        "BatteryLevel is called min, as if it were the time left."),
    Row("alarm-in-minutes", "UNIT-SECONDS", "L2", TIMED_OVEN, measures("min", keys.ALARM_CLOCK),
        "AlarmClock is called min."),
    Row("alarm-in-milliseconds", "UNIT-SECONDS", "L2", TIMED_OVEN, measures("ms", keys.ALARM_CLOCK),
        "AlarmClock is called ms."),
)
# fmt: on

add(__name__, ROWS)
