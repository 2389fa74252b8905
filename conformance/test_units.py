"""A unit that is shown is the one the document gives.

> When the setting is not returned, the unit is Celsius.
"""

from catalog import keys
from conformance.cases import CATALOG, Judge, each
from conformance.checks.groups import setting_group
from conformance.checks.reads import units

_ENTRIES = tuple(CATALOG.entries.values())
_TEMPERATURES = tuple(entry for entry in CATALOG.settings if entry.own_range and entry.unit != "ml")


@each(_TEMPERATURES, clause="UNIT-TEMP-DEFAULT")
def test_temperature_defaults_to_celsius(judge: Judge) -> None:
    """Temperatures are in °C when TemperatureUnit is not returned."""
    judge(units.assert_celsius_by_default)


@each(_TEMPERATURES, clause="UNIT-TEMP-APPLIES", written=setting_group(keys.TEMPERATURE_UNIT))
def test_temperature_unit_applies(judge: Judge) -> None:
    """The unit shown with a temperature is the one TemperatureUnit names."""
    judge(units.assert_temperature_unit_applies)


@each([entry for entry in _ENTRIES if entry.unit == "ml"], clause="UNIT-LIQ-DEFAULT")
def test_volume_defaults_to_millilitres(judge: Judge) -> None:
    """Volumes are in ml when LiquidVolumeUnit is not returned."""
    judge(units.assert_millilitre_by_default)


@each(keys.HOT_WATER, clause="UNIT-HOTWATER")
def test_hot_water_is_counted_in_millilitres(judge: Judge) -> None:
    """The hot water counter is in ml."""
    judge(units.assert_hot_water_in_ml)


@each([entry for entry in _ENTRIES if entry.unit == "%"], clause="UNIT-PERCENT")
def test_percentage_is_in_percent(judge: Judge) -> None:
    """A percentage is in %."""
    judge(units.assert_percent)


@each(keys.ALARM_CLOCK, clause="UNIT-SECONDS")
def test_alarm_clock_is_in_seconds(judge: Judge) -> None:
    """The alarm clock is in seconds."""
    judge(units.assert_seconds)
