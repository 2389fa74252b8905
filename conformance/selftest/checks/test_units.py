"""Units are compared by the group of their word; the defaults hold where a unit setting is not returned."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from conformance.checks.groups import NONCE_SETTINGS, Group, ProcedureKind, setting_group
from conformance.checks.reads.units import (
    assert_celsius_by_default,
    assert_hot_water_in_ml,
    assert_millilitre_by_default,
    assert_percent,
    assert_seconds,
    assert_temperature_unit_applies,
    unit_group,
)
from conformance.selftest.support.handmade import ANCHOR, Reads, exchange, refusal, value
from conformance.selftest.support.handtraced import SILENT, Steps, attempt, procedure, read

if TYPE_CHECKING:
    from conformance.checks.exchange import Exchange

SETPOINT = "Refrigeration.FridgeFreezer.Setting.SetpointTemperatureRefrigerator"
DOSE = "LaundryCare.Washer.Setting.Dosing1BaseLevel"
WATER = "ConsumerProducts.CoffeeMaker.Status.BeverageCounterHotWater"
LIGHT = "Refrigeration.Common.Setting.Light.Internal.Brightness"
POWER = "Vendor.Common.Setting.PowerState"
TEMPERATURE, LIQUID = "Vendor.Common.Setting.TemperatureUnit", "Vendor.Common.Setting.LiquidVolumeUnit"
CELSIUS, FAHRENHEIT = (f"Vendor.Common.EnumType.TemperatureUnit.{name}" for name in ("Celsius", "Fahrenheit"))
OUNCES, MILLILITRES = (
    f"Vendor.Common.EnumType.LiquidVolumeUnit.{name}" for name in ("FluidOunces", "MilliLiter")
)

GROUPS: dict[str | None, list[str]] = {
    "Celsius": ["°C", "C", "degC", "deg_C", "celsius", "CELSIUS", "° C", "ºC", "℃", CELSIUS],
    "Fahrenheit": ["°F", "F", "degF", "fahrenheit", "℉", FAHRENHEIT],
    "kelvin": ["K", "kelvin", "\u212a"],
    "percent": ["%", "percent", "pct", " % ", "Percent."],
    "second": ["s", "sec", "sec.", "second", "Seconds"],
    "other time": ["ms", "min", "minute", "minutes", "h", "hour", "hours"],
    "millilitre": ["ml", "mL", "ML", "milliliter", "milliliters", "millilitre", MILLILITRES],
    "fluid ounce": ["fl.oz", "fl. oz.", "fl_oz", "oz", "fluid ounce", "fluid ounces", OUNCES],
    "other volume": ["l", "L", "cl", "dl", "liter", "litre", "gal"],
    "count": ["cup", "cups", "pcs", "count"],
    "light": ["lux", "lx", "lm", "cd", "nit"],
    "permille": ["‰", "permille"],
    None: ["", "furlong", "°", "degrees", "m", "percent of maximum", "Cc", "мл"],
}
WORDS = {word: group for group, words in GROUPS.items() for word in words}


@pytest.mark.parametrize("word", WORDS)
def test_word_belongs_to_its_group(word: str) -> None:
    """Case, spaces, dots and underscores do not count; a word of no group has none."""
    assert unit_group(word) == WORDS[word]


def again(answer: Exchange, setting: Exchange | None = None) -> tuple[Exchange, ...]:
    """An answer that is read twice, and its unit setting with the second read."""
    group = Group(ProcedureKind.CONFIRM, f"{answer.segment}/{answer.key}")
    return answer, *(replace(each, group=group) for each in (answer, setting) if each)


def written(
    *units: tuple[str, object], shown: object = 41, times: int = 1, pause: float = 0
) -> list[Exchange]:
    """TemperatureUnit is written, and the setpoint read after each write, so often and so long after the
    settle time.
    """
    steps: Steps = [read(TEMPERATURE, CELSIUS), read(SETPOINT, 5, unit="°C")]
    for wanted, unit in units:
        taken = attempt(TEMPERATURE, wanted, wanted, wanted)
        steps += [*taken, pause, *[read(SETPOINT, shown, unit=unit)] * times]
    return [IN_C, DEGREES_C, *procedure(setting_group(TEMPERATURE), *steps)]


def lit(unit: object) -> Exchange:
    """The brightness of a light, with a unit."""
    return value(LIGHT, 50, unit=unit)


def counted(unit: object) -> Exchange:
    """The hot water counter, with a unit."""
    return value(WATER, 500, unit=unit)


def dosed(unit: str) -> tuple[Exchange, ...]:
    """A dosing level with a unit, twice, on an appliance that does not return LiquidVolumeUnit."""
    return NONCE, refusal(LIQUID), *again(value(DOSE, 50, unit=unit), refusal(LIQUID))


NONCE = refusal("Vendor.Common.Setting.NonceAb", group=NONCE_SETTINGS)
ABSENT, DENIED = refusal(TEMPERATURE), refusal(TEMPERATURE, 409)
NOT_RETURNED = (NONCE, ABSENT)
ON, OFF = (value(POWER, f"Vendor.Common.EnumType.PowerState.{name}") for name in ("On", "Off"))
DEGREES_C, DEGREES_F = value(SETPOINT, 5, unit="°C"), value(SETPOINT, 41, unit="°F")
KELVIN = value(SETPOINT, 278, unit="K")
IN_C, IN_F = value(TEMPERATURE, CELSIUS), value(TEMPERATURE, FAHRENHEIT)
FOLLOWS, STAYS, BACK = (FAHRENHEIT, "°F"), (FAHRENHEIT, "°C"), (CELSIUS, "°C")
IGNORED = [*attempt(TEMPERATURE, FAHRENHEIT, CELSIUS, CELSIUS), read(SETPOINT, 5, unit="°C")]

CHECKS = {
    "UNIT-PERCENT": (assert_percent, LIGHT),
    "UNIT-SECONDS": (assert_seconds, ANCHOR),
    "UNIT-TEMP-DEFAULT": (assert_celsius_by_default, SETPOINT),
    "UNIT-TEMP-APPLIES": (assert_temperature_unit_applies, SETPOINT),
    "UNIT-HOTWATER": (assert_hot_water_in_ml, WATER),
    "UNIT-LIQ-DEFAULT": (assert_millilitre_by_default, DOSE),
}
ROWS = {
    "%": Reads("UNIT-PERCENT", lit("%")),
    "no unit": Reads("UNIT-PERCENT", lit(None)),
    "an empty unit": Reads("UNIT-PERCENT", lit("")),
    "lux": Reads("UNIT-PERCENT", lit("lux")),
    "a light of no known unit": Reads("UNIT-PERCENT", lit("steps")),
    "a unit that is a number": Reads("UNIT-PERCENT", lit(5)),
    "a unit that is an object": Reads("UNIT-PERCENT", lit({"name": "%"})),
    "where it stands is not declared": Reads("UNIT-PERCENT", lit("lux"), answer={"value": "/data/value"}),
    "no value, no unit": Reads("UNIT-PERCENT", value(ANCHOR, 5), exchange(LIGHT, 404)),
    "seconds": Reads("UNIT-SECONDS", value(ANCHOR, 50, unit="Sec.")),
    "milliseconds": Reads("UNIT-SECONDS", value(ANCHOR, 50, unit="ms")),
    "ticks": Reads("UNIT-SECONDS", value(ANCHOR, 50, unit="ticks")),
    "Celsius": Reads("UNIT-TEMP-DEFAULT", *NOT_RETURNED, DEGREES_C),
    "no unit, a small number": Reads("UNIT-TEMP-DEFAULT", *NOT_RETURNED, value(SETPOINT, 5)),
    "no unit, a large number": Reads("UNIT-TEMP-DEFAULT", *NOT_RETURNED, value(SETPOINT, 41)),
    "Fahrenheit twice": Reads("UNIT-TEMP-DEFAULT", *NOT_RETURNED, *again(DEGREES_F, ABSENT)),
    "kelvin twice": Reads("UNIT-TEMP-DEFAULT", *NOT_RETURNED, *again(KELVIN, ABSENT)),
    "Fahrenheit, the setting refused once": Reads("UNIT-TEMP-DEFAULT", *NOT_RETURNED, DEGREES_F),
    "Fahrenheit, the setting returned later": Reads(
        "UNIT-TEMP-DEFAULT", *NOT_RETURNED, *again(DEGREES_F, IN_F)
    ),
    "the setting is returned": Reads("UNIT-TEMP-DEFAULT", IN_F, DEGREES_F),
    "the setting is refused otherwise": Reads("UNIT-TEMP-DEFAULT", NONCE, DENIED, DEGREES_F),
    "the setting is refused otherwise, and denied": Reads(
        "UNIT-TEMP-DEFAULT", NONCE, DENIED, *again(DEGREES_F, DENIED), appliance={"lacks": [TEMPERATURE]}
    ),
    "the setting fails": Reads("UNIT-TEMP-DEFAULT", NONCE, refusal(TEMPERATURE, 500), DEGREES_F),
    "the setting was not asked": Reads("UNIT-TEMP-DEFAULT", NONCE, DEGREES_F),
    "the appliance is off": Reads("UNIT-TEMP-DEFAULT", OFF, *NOT_RETURNED, *again(DEGREES_F, ABSENT)),
    "the appliance is on": Reads("UNIT-TEMP-DEFAULT", ON, *NOT_RETURNED, *again(DEGREES_F, ABSENT)),
    "the claimed power state is silent": Reads(
        "UNIT-TEMP-DEFAULT",
        *NOT_RETURNED,
        refusal(POWER, 409),
        *again(DEGREES_F, ABSENT),
        appliance={"supports": [POWER]},
    ),
    "a setpoint of no known unit": Reads(
        "UNIT-TEMP-DEFAULT", *NOT_RETURNED, value(SETPOINT, 5, unit="degrees")
    ),
    "it agrees": Reads("UNIT-TEMP-APPLIES", IN_C, DEGREES_C),
    "it agrees in Fahrenheit": Reads("UNIT-TEMP-APPLIES", IN_F, DEGREES_F),
    "it contradicts twice": Reads("UNIT-TEMP-APPLIES", IN_C, *again(DEGREES_F, IN_C)),
    "it contradicts once": Reads("UNIT-TEMP-APPLIES", IN_C, DEGREES_F),
    "it agrees when read again": Reads("UNIT-TEMP-APPLIES", IN_C, DEGREES_F, *again(DEGREES_C, IN_C)[1:]),
    "the setting moved": Reads("UNIT-TEMP-APPLIES", IN_C, *again(DEGREES_F, IN_F)),
    "a large number without a unit": Reads("UNIT-TEMP-APPLIES", IN_C, value(SETPOINT, 41)),
    "the setting is not returned": Reads("UNIT-TEMP-APPLIES", ABSENT, DEGREES_F),
    "a setting that is none": Reads("UNIT-TEMP-APPLIES", value(TEMPERATURE, "C"), DEGREES_F),
    "it follows": Reads("UNIT-TEMP-APPLIES", *written(FOLLOWS, BACK)),
    "it stays": Reads("UNIT-TEMP-APPLIES", *written(STAYS, STAYS)),
    "it stays once": Reads("UNIT-TEMP-APPLIES", *written(STAYS, BACK)),
    "it stays, on two reads": Reads("UNIT-TEMP-APPLIES", *written(STAYS, pause=1, times=2)),
    "it stays, on two reads too early": Reads("UNIT-TEMP-APPLIES", *written(STAYS, pause=-5, times=2)),
    "it shows only a number": Reads("UNIT-TEMP-APPLIES", *written((FAHRENHEIT, ""), (CELSIUS, ""))),
    "it shows an unknown word": Reads(
        "UNIT-TEMP-APPLIES", *written((FAHRENHEIT, "furlong"), (CELSIUS, "furlong"))
    ),
    "it cannot be read": Reads("UNIT-TEMP-APPLIES", *written(STAYS, STAYS, shown=SILENT)),
    "what is written is none": Reads("UNIT-TEMP-APPLIES", *written(("F", "°C"), ("F", "°C"))),
    "it contradicted as found": Reads(
        "UNIT-TEMP-APPLIES", IN_C, *again(DEGREES_F, IN_C), *written(FOLLOWS)[2:]
    ),
    "the write had no effect": Reads(
        "UNIT-TEMP-APPLIES", IN_C, DEGREES_C, *procedure(setting_group(TEMPERATURE), IGNORED)
    ),
    "water in ml": Reads("UNIT-HOTWATER", counted("ml")),
    "water of no unit": Reads("UNIT-HOTWATER", value(WATER, 500)),
    "water in cups": Reads("UNIT-HOTWATER", counted("cups")),
    "water in ounces": Reads("UNIT-HOTWATER", counted("fl.oz")),
    "water in ounces, as the setting says": Reads("UNIT-HOTWATER", value(LIQUID, OUNCES), counted("fl.oz")),
    "water in ounces, against the setting": Reads(
        "UNIT-HOTWATER", value(LIQUID, MILLILITRES), counted("fl.oz")
    ),
    "water in ounces, the setting is claimed and silent": Reads(
        "UNIT-HOTWATER", refusal(LIQUID, 409), counted("fl.oz"), appliance={"supports": [LIQUID]}
    ),
    "water in drops": Reads("UNIT-HOTWATER", counted("drops")),
    "a dose in ml": Reads("UNIT-LIQ-DEFAULT", *dosed("ml")),
    "a dose of no unit": Reads("UNIT-LIQ-DEFAULT", *dosed("")),
    "a dose in ounces": Reads("UNIT-LIQ-DEFAULT", *dosed("fl.oz")),
    "a dose in cups": Reads("UNIT-LIQ-DEFAULT", *dosed("cups")),
}


@pytest.mark.parametrize("name", ROWS)
def test_units(name: str) -> None:
    """What is said of each of them is the golden finding."""
    row = ROWS[name]
    row.judged(name, *CHECKS[row.clause])
