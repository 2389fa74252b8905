"""Units are compared by the group of their word; the defaults hold where a unit setting is not returned."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from conformance.checks.groups import NONCE_SETTINGS, Group, setting_group
from conformance.checks.reads.units import (
    assert_celsius_by_default,
    assert_hot_water_in_ml,
    assert_millilitre_by_default,
    assert_percent,
    assert_seconds,
    assert_temperature_unit_applies,
    unit_group,
)
from conformance.selftest.support.handmade import (
    ANCHOR,
    exchange,
    judged,
    profile_of,
    refusal,
    seen_of,
    value,
)
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


PERCENTAGES: dict[str, tuple[object, str]] = {
    "%": ("%", "pass"),
    "a word": ("Percent", "pass"),
    "none": (None, "pass"),
    "empty": ("", "pass"),
    "lux": ("lux", "fail"),
    "permille": ("‰", "fail"),
    "unknown": ("steps", "inconclusive"),
    "a number": (5, "inconclusive"),
    "an object": ({"name": "%"}, "inconclusive"),
}


@pytest.mark.parametrize("name", PERCENTAGES)
def test_percentage(name: str) -> None:
    """Another group contradicts, an unknown word says nothing, no unit is no finding."""
    unit, verdict = PERCENTAGES[name]
    assert (
        judged(
            assert_percent, "UNIT-PERCENT", LIGHT, seen_of(profile_of(), value(LIGHT, 50, unit=unit))
        ).verdict
        == verdict
    )


def test_unit_needs_a_declared_pointer() -> None:
    """Where a unit stands is not shown."""
    seen = seen_of(profile_of(answer={"value": "/data/value"}), value(LIGHT, 50, unit="lux"))
    assert judged(assert_percent, "UNIT-PERCENT", LIGHT, seen).verdict == "not_applicable"


@pytest.mark.parametrize(
    ("unit", "verdict"),
    [("s", "pass"), ("Sec.", "pass"), ("min", "fail"), ("ms", "fail"), ("ticks", "inconclusive")],
)
def test_alarm_clock(unit: str, verdict: str) -> None:
    """Seconds, however they are spelled; minutes and milliseconds are others."""
    assert (
        judged(
            assert_seconds, "UNIT-SECONDS", ANCHOR, seen_of(profile_of(), value(ANCHOR, 50, unit=unit))
        ).verdict
        == verdict
    )


def again(key: str, exchange: Exchange, setting: Exchange | None = None) -> list[Exchange]:
    """The second read of a key, and of its unit setting."""
    group = Group.parse(f"confirm/{exchange.segment}/{key}")
    return [replace(item, group=group) for item in (exchange, setting) if item]


NONCE = refusal("Vendor.Common.Setting.NonceAb", group=NONCE_SETTINGS)
NOT_RETURNED = [NONCE, refusal(TEMPERATURE)]
ON, OFF = (value(POWER, f"Vendor.Common.EnumType.PowerState.{name}") for name in ("On", "Off"))
DEGREES_C, DEGREES_F = value(SETPOINT, 5, unit="°C"), value(SETPOINT, 41, unit="°F")

DEFAULTS: dict[str, tuple[list[Exchange], dict[str, object], str]] = {
    "Celsius": ([*NOT_RETURNED, DEGREES_C], {}, "pass"),
    "no unit, a small number": ([*NOT_RETURNED, value(SETPOINT, 5)], {}, "pass"),
    "no unit, a large number": ([*NOT_RETURNED, value(SETPOINT, 41)], {}, "inconclusive"),
    "Fahrenheit twice": (
        [*NOT_RETURNED, DEGREES_F, *again(SETPOINT, DEGREES_F, refusal(TEMPERATURE))],
        {},
        "fail",
    ),
    "kelvin twice": (
        [
            *NOT_RETURNED,
            value(SETPOINT, 278, unit="K"),
            *again(SETPOINT, value(SETPOINT, 278, unit="K"), refusal(TEMPERATURE)),
        ],
        {},
        "fail",
    ),
    "Fahrenheit, the setting refused once": ([*NOT_RETURNED, DEGREES_F], {}, "inconclusive"),
    "Fahrenheit, the setting returned later": (
        [*NOT_RETURNED, DEGREES_F, *again(SETPOINT, DEGREES_F, value(TEMPERATURE, FAHRENHEIT))],
        {},
        "inconclusive",
    ),
    "the setting is returned": ([value(TEMPERATURE, FAHRENHEIT), DEGREES_F], {}, "not_applicable"),
    "the setting is refused otherwise": ([NONCE, refusal(TEMPERATURE, 409), DEGREES_F], {}, "inconclusive"),
    "the setting is refused otherwise, and denied": (
        [NONCE, refusal(TEMPERATURE, 409), DEGREES_F, *again(SETPOINT, DEGREES_F, refusal(TEMPERATURE, 409))],
        {"lacks": [TEMPERATURE]},
        "fail",
    ),
    "the setting fails": ([NONCE, refusal(TEMPERATURE, 500), DEGREES_F], {}, "inconclusive"),
    "the setting was not asked": ([NONCE, DEGREES_F], {}, "inconclusive"),
    "the appliance is off": (
        [OFF, *NOT_RETURNED, DEGREES_F, *again(SETPOINT, DEGREES_F, refusal(TEMPERATURE))],
        {},
        "inconclusive",
    ),
    "the appliance is on": (
        [ON, *NOT_RETURNED, DEGREES_F, *again(SETPOINT, DEGREES_F, refusal(TEMPERATURE))],
        {},
        "fail",
    ),
    "the claimed power state is silent": (
        [*NOT_RETURNED, refusal(POWER, 409), DEGREES_F, *again(SETPOINT, DEGREES_F, refusal(TEMPERATURE))],
        {"supports": [POWER]},
        "inconclusive",
    ),
    "an unknown word": ([*NOT_RETURNED, value(SETPOINT, 5, unit="degrees")], {}, "inconclusive"),
}


@pytest.mark.parametrize("name", DEFAULTS)
def test_celsius_is_the_default(name: str) -> None:
    """Only while TemperatureUnit is shown not to be returned, twice, does another unit contradict the
    document.
    """
    exchanges, appliance, verdict = DEFAULTS[name]
    result = judged(
        assert_celsius_by_default,
        "UNIT-TEMP-DEFAULT",
        SETPOINT,
        seen_of(profile_of(appliance=appliance), *exchanges),
    )
    assert result.verdict == verdict, result.message


IN_C = value(TEMPERATURE, CELSIUS)

APPLIES: dict[str, tuple[list[Exchange], str]] = {
    "agrees": ([IN_C, DEGREES_C], "pass"),
    "agrees in Fahrenheit": ([value(TEMPERATURE, FAHRENHEIT), DEGREES_F], "pass"),
    "contradicts twice": ([IN_C, DEGREES_F, *again(SETPOINT, DEGREES_F, IN_C)], "fail"),
    "contradicts once": ([IN_C, DEGREES_F], "inconclusive"),
    "agrees when read again": ([IN_C, DEGREES_F, *again(SETPOINT, DEGREES_C, IN_C)], "inconclusive"),
    "the setting moved": (
        [IN_C, DEGREES_F, *again(SETPOINT, DEGREES_F, value(TEMPERATURE, FAHRENHEIT))],
        "inconclusive",
    ),
    "only a number": ([IN_C, value(SETPOINT, 41)], "inconclusive"),
    "not returned": ([refusal(TEMPERATURE), DEGREES_F], "not_applicable"),
    "a setting that is none": ([value(TEMPERATURE, "C"), DEGREES_F], "inconclusive"),
}


@pytest.mark.parametrize("name", APPLIES)
def test_temperature_unit_applies(name: str) -> None:
    """The unit shown contradicts the setting only if both say so on two reads."""
    exchanges, verdict = APPLIES[name]
    result = judged(
        assert_temperature_unit_applies, "UNIT-TEMP-APPLIES", SETPOINT, seen_of(profile_of(), *exchanges)
    )
    assert result.verdict == verdict, result.message


def written(
    *units: tuple[str, object], shown: object = 41, times: int = 1, pause: float = 0
) -> list[Exchange]:
    """TemperatureUnit is written, and the setpoint read after each write, so often and so long after the
    settle time.
    """
    steps: Steps = [read(TEMPERATURE, CELSIUS), read(SETPOINT, 5, unit="°C")]
    for wanted, unit in units:
        steps += [
            *attempt(TEMPERATURE, wanted, wanted, wanted),
            pause,
            *[read(SETPOINT, shown, unit=unit)] * times,
        ]
    return procedure(setting_group(TEMPERATURE), *steps)


FOLLOWS, STAYS = (FAHRENHEIT, "°F"), (FAHRENHEIT, "°C")
AFTER_WRITES: dict[str, tuple[list[Exchange], str, str]] = {
    "it follows": ([IN_C, DEGREES_C, *written(FOLLOWS, (CELSIUS, "°C"))], "pass", ""),
    "it stays": (
        [IN_C, DEGREES_C, *written(STAYS, STAYS)],
        "fail",
        f'is °C after TemperatureUnit was written: "{FAHRENHEIT}", twice; document says',
    ),
    "it stays once": ([IN_C, DEGREES_C, *written(STAYS, (CELSIUS, "°C"))], "inconclusive", "but not twice"),
    "it stays, on two reads": ([IN_C, DEGREES_C, *written(STAYS, pause=1, times=2)], "fail", "twice"),
    "it stays, on two reads too early": (
        [IN_C, DEGREES_C, *written(STAYS, pause=-5, times=2)],
        "inconclusive",
        "but not twice",
    ),
    "only a number": ([IN_C, DEGREES_C, *written((FAHRENHEIT, ""), (CELSIUS, ""))], "pass", ""),
    "an unknown word": (
        [IN_C, DEGREES_C, *written((FAHRENHEIT, "furlong"), (CELSIUS, "furlong"))],
        "pass",
        "",
    ),
    "the setpoint cannot be read": ([IN_C, DEGREES_C, *written(STAYS, STAYS, shown=SILENT)], "pass", ""),
    "the unit is none": ([IN_C, DEGREES_C, *written(("F", "°C"), ("F", "°C"))], "pass", ""),
    "it contradicted as found": (
        [IN_C, DEGREES_F, *again(SETPOINT, DEGREES_F, IN_C), *written(FOLLOWS)],
        "fail",
        "on two reads",
    ),
    "the write had no effect": (
        [
            IN_C,
            DEGREES_C,
            *procedure(
                setting_group(TEMPERATURE),
                attempt(TEMPERATURE, FAHRENHEIT, CELSIUS, CELSIUS),
                read(SETPOINT, 5, unit="°C"),
            ),
        ],
        "pass",
        "",
    ),
}


@pytest.mark.parametrize("name", AFTER_WRITES)
def test_temperature_unit_applies_after_it_was_written(name: str) -> None:
    """A unit that does not follow TemperatureUnit convicts after two writes that took effect."""
    exchanges, verdict, says = AFTER_WRITES[name]
    result = judged(
        assert_temperature_unit_applies, "UNIT-TEMP-APPLIES", SETPOINT, seen_of(profile_of(), *exchanges)
    )
    assert (result.verdict, says in result.message) == (verdict, True), result.message


def counted(unit: object) -> Exchange:
    """The hot water counter, with a unit."""
    return value(WATER, 500, unit=unit)


WATERS: dict[str, tuple[list[Exchange], dict[str, object], str]] = {
    "ml": ([counted("ml")], {}, "pass"),
    "none": ([value(WATER, 500)], {}, "pass"),
    "cups": ([counted("cups")], {}, "fail"),
    "litres": ([counted("l")], {}, "fail"),
    "ounces": ([counted("fl.oz")], {}, "fail"),
    "ounces, as the setting says": ([value(LIQUID, OUNCES), counted("fl.oz")], {}, "pass"),
    "ounces, against the setting": ([value(LIQUID, MILLILITRES), counted("fl.oz")], {}, "fail"),
    "ounces, the setting is claimed and silent": (
        [refusal(LIQUID, 409), counted("fl.oz")],
        {"supports": [LIQUID]},
        "inconclusive",
    ),
    "an unknown word": ([counted("drops")], {}, "inconclusive"),
}


@pytest.mark.parametrize("name", WATERS)
def test_hot_water(name: str) -> None:
    """Millilitres, or what LiquidVolumeUnit says."""
    exchanges, appliance, verdict = WATERS[name]
    result = judged(
        assert_hot_water_in_ml,
        "UNIT-HOTWATER",
        WATER,
        seen_of(profile_of("CoffeeMaker", appliance=appliance), *exchanges),
    )
    assert result.verdict == verdict, result.message


@pytest.mark.parametrize(
    ("unit", "verdict"), [("ml", "pass"), ("", "pass"), ("fl.oz", "fail"), ("cups", "fail")]
)
def test_millilitre_is_the_default(unit: str, verdict: str) -> None:
    """A dosing level is in ml while LiquidVolumeUnit is not returned."""
    dose = value(DOSE, 50, unit=unit)
    seen = seen_of(profile_of("Washer"), NONCE, refusal(LIQUID), dose, *again(DOSE, dose, refusal(LIQUID)))
    assert judged(assert_millilitre_by_default, "UNIT-LIQ-DEFAULT", DOSE, seen).verdict == verdict


def test_empty_exchange_has_no_unit() -> None:
    """A key without a value is no matter of units."""
    seen = seen_of(profile_of(), value(ANCHOR, 5), exchange(LIGHT, 404))
    assert judged(assert_percent, "UNIT-PERCENT", LIGHT, seen).verdict == "inconclusive"
