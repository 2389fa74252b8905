"""A value has the type of its entry and is shown in its unit, compared by the group of its word."""

import json

import pytest
from msgspec.structs import replace

from catalog.loader import CATALOG
from conformance.checks.exchange import Exchange
from conformance.checks.groups import NONCE_SETTINGS, PREPARE, Group, ProcedureKind, setting_group
from conformance.checks.reads.units import unit_group
from conformance.checks.view import View
from conformance.model.values import fits
from conformance.selftest.support.findings import said
from conformance.selftest.support.handmade import (
    ANCHOR,
    Reads,
    exchange,
    of,
    profile_of,
    refusal,
    ruling,
    seen_of,
    value,
)
from conformance.selftest.support.handtraced import SILENT, Steps, attempt, procedure, read

BOOLEAN = "Vendor.Common.Setting.ChildLock"
INTEGER = "Vendor.Common.Setting.AlarmClock"
DOUBLE = "Refrigeration.Common.Setting.Light.Internal.Brightness"
FLOAT = "Vendor.Common.Status.BatteryLevel"
STRING = "Vendor.Common.Setting.AmbientLightCustomColor"
ENUMERATION = "Vendor.Common.Setting.PowerState"

CLAUSES = {
    BOOLEAN: "TYPE-BOOLEAN",
    INTEGER: "TYPE-INTEGER",
    DOUBLE: "TYPE-DOUBLE",
    FLOAT: "TYPE-FLOAT",
    STRING: "TYPE-STRING",
    ENUMERATION: "TYPE-ENUM",
}

# JSON texts, by the keys whose type they have
TYPED: dict[frozenset[str], list[str]] = {
    frozenset({BOOLEAN}): ["true", "false"],
    frozenset({INTEGER, DOUBLE, FLOAT}): [
        *("0", "1", "-1", "5.0", "-0.0", "1e2", "1E+2", "10e-1", "9" * 300)
    ],
    frozenset({DOUBLE, FLOAT}): ["5.5", "1e-2", "5e-324"],
    frozenset({STRING, ENUMERATION}): ['""', '"5"', '"true"', '"4,5"', '"4 °C"', '"NaN"'],
    frozenset(): ["[]", "[5]", "{}", '{"value": true}'],
}
LITERALS = {literal: keys for keys, literals in TYPED.items() for literal in literals}


def answered(key: str, literal: str) -> View:
    """The view of an appliance that gave this JSON text as the value of `key`."""
    body = exchange(key, 200, f'{{"data": {{"value": {literal}}}}}'.encode())
    return seen_of(profile_of("CleaningRobot"), body)


@pytest.mark.parametrize("key", CLAUSES)
@pytest.mark.parametrize("literal", LITERALS)
def test_type_takes_its_own_values(literal: str, key: str) -> None:
    """Each JSON value passes exactly for the types it is of; `fits` agrees with the check."""
    passes = key in LITERALS[literal]
    told = said(ruling(CLAUSES[key], key, answered(key, literal)))
    assert told.startswith("pass (1)" if passes else "fail 1")
    assert fits(CATALOG.entries[key], json.loads(literal)) is passes


@pytest.mark.parametrize("key", CLAUSES)
@pytest.mark.parametrize("literal", ["NaN", "Infinity", "-Infinity", "1e999", "-1e999", "9" * 400])
def test_number_that_is_not_finite(literal: str, key: str) -> None:
    """It is no Double and no Float; an Integer leaves it to the clause about finiteness."""
    told = said(ruling(CLAUSES[key], key, answered(key, literal)))
    assert told.startswith("inconclusive 1" if key == INTEGER else "fail 1")
    assert said(ruling("TYPE-FINITE", key, answered(key, literal))).startswith("fail 1")


@pytest.mark.parametrize(
    ("key", "literal", "due"),
    [
        (DOUBLE, "1e999", "value is 1e999, which is no finite number"),
        (FLOAT, "NaN", "under /status/: value is NaN, which is no finite number"),
        (DOUBLE, "9" * 400, "value is Infinity, which is no finite number"),
        (STRING, "1e2", "value is 1e2 (number), document says String"),
        (BOOLEAN, "1.0", "value is 1.0 (number), document says Boolean"),
    ],
)
def test_number_is_quoted_as_it_was_written(key: str, literal: str, due: str) -> None:
    """A reader finds it in the answer, and learns whether it is the type or the number that is wrong."""
    assert ruling(CLAUSES[key], key, answered(key, literal)).message == due


@pytest.mark.parametrize("key", CLAUSES)
@pytest.mark.parametrize("literal", ["[]", "{}", '{"value": 5}'])
def test_structure_at_a_guessed_place_is_not_blamed(literal: str, key: str) -> None:
    """Where the place was only guessed, a list or an object may hold the value further down."""
    calibrating = exchange("Vendor.Common.Setting.LiquidVolumeUnit", 200, b'{"data": {"value": "x"}}')
    body = exchange(key, 200, f'{{"data": {{"value": {literal}}}}}'.encode())
    seen = seen_of(profile_of(answer={}), body, calibrating)
    told = said(ruling(CLAUSES[key], key, seen)).partition(" ~")[0]
    assert (told[:14], told[-12:]) == ("inconclusive 1", "answer.value")


def confirming(*shown: object) -> list[Exchange]:
    """The first read of the Boolean, and those that are to confirm what later ones showed."""
    groups = [None, *[AGAIN] * (len(shown) - 1)]
    return [value(BOOLEAN, one, group=group) for one, group in zip(shown, groups, strict=True)]


TRULY, WHOLE_FRACTION = value(BOOLEAN, True), value(INTEGER, 5.0)
SERVED, NULL = value(INTEGER, 5), value(BOOLEAN, None)
AGAIN = Group.parse(f"again/settings/{BOOLEAN}")
STILL_NULL = value(BOOLEAN, None, group=AGAIN)
YES, NO = {"supports": [BOOLEAN]}, {"lacks": [BOOLEAN]}


# Units, and the defaults that hold where a unit setting is not returned.
SETPOINT = "Refrigeration.FridgeFreezer.Setting.SetpointTemperatureRefrigerator"
DOSE = "LaundryCare.Washer.Setting.Dosing1BaseLevel"
WATER = "ConsumerProducts.CoffeeMaker.Status.BeverageCounterHotWater"
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
    "millisecond": ["ms"],
    "minute": ["min", "minute", "minutes"],
    "hour": ["h", "hour", "hours"],
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
    return answer, *(each for one in (answer, setting) if one for each in of(ProcedureKind.AGAIN, one))


def written(
    *units: tuple[str, object], shown: object = 41, times: int = 1, pause: float = 0
) -> list[Exchange]:
    """TemperatureUnit is written, and the setpoint read so often and so long after each settle time."""
    steps: Steps = [read(TEMPERATURE, CELSIUS), read(SETPOINT, 5, unit="°C")]
    for wanted, unit in units:
        taken = attempt(TEMPERATURE, wanted, wanted, wanted)
        steps += [*taken, pause, *[read(SETPOINT, shown, unit=unit)] * times]
    return [IN_C, DEGREES_C, *procedure(setting_group(TEMPERATURE), *steps)]


def lit(unit: object) -> Exchange:
    """The brightness of a light, with a unit."""
    return value(DOUBLE, 50, unit=unit)


def counted(unit: object) -> Exchange:
    """The hot water counter, with a unit."""
    return value(WATER, 500, unit=unit)


def dosed(unit: str) -> tuple[Exchange, ...]:
    """A dosing level with a unit, twice, on an appliance that does not return LiquidVolumeUnit."""
    return NONCE, refusal(LIQUID), *again(value(DOSE, 50, unit=unit), refusal(LIQUID))


NONCE = refusal("Vendor.Common.Setting.NonceAb", group=NONCE_SETTINGS)
ABSENT, DENIED = refusal(TEMPERATURE), refusal(TEMPERATURE, 409)
ON, OFF = (value(ENUMERATION, f"Vendor.Common.EnumType.PowerState.{name}") for name in ("On", "Off"))
PREPARED = tuple(replace(each, groups=(PREPARE,)) for each in (ON, value(BOOLEAN, 5)))
NOT_RETURNED = (NONCE, ABSENT)
DEGREES_C, DEGREES_F = value(SETPOINT, 5, unit="°C"), value(SETPOINT, 41, unit="°F")
IN_C, IN_F = value(TEMPERATURE, CELSIUS), value(TEMPERATURE, FAHRENHEIT)
FOLLOWS, STAYS, BACK = (FAHRENHEIT, "°F"), (FAHRENHEIT, "°C"), (CELSIUS, "°C")


# fmt: off
ROWS = {
    ("TYPE-INTEGER", INTEGER): {
        "a fraction of zero": ("pass (1) 5.0 ~ff8", Reads(WHOLE_FRACTION)),
        "a fraction of zero, read strictly": ("fail 1 5.0 ~001",
            Reads(WHOLE_FRACTION, interpretation={"integer_lexical": "strict"})),
    },
    ("TYPE-BOOLEAN", BOOLEAN): {
        "a text in two of four reads": ('fail 2 "true" ~419', Reads(*confirming(True, "true", True, "true"))),
        # The first value counts that is shown once a state has ended that hid it, and no other key's.
        "a number once it was on": ("fail 4 5 ~58b",
            Reads(OFF, refusal(BOOLEAN, 409), *PREPARED, appliance=YES)),
        "a text in one of three reads": ('inconclusive 2 "true" ~7eb',
            Reads(*confirming(True, "true", True))),
    },
    ("TYPE-NOTNULL", BOOLEAN): {
        "twice null": ("fail 2 null ~088", Reads(SERVED, NULL, STILL_NULL, appliance=YES)),
        "null, then a value": ("inconclusive 2 null true ~d03",
            Reads(SERVED, NULL, replace(TRULY, groups=(AGAIN,)), appliance=YES)),
        "null, then refused": ("inconclusive 2 null 404 ~bcd",
            Reads(SERVED, NULL, refusal(BOOLEAN, group=AGAIN), appliance=YES)),
        "null while off": ("inconclusive 3 null PowerState …PowerState.Off ~755",
            Reads(SERVED, OFF, NULL, STILL_NULL, appliance=YES)),
        "null, denied": ("not_applicable 2 null ~28d", Reads(SERVED, NULL, STILL_NULL, appliance=NO)),
        "not null": ("pass (2) ~ce4", Reads(SERVED, TRULY, appliance=YES)),
        "not there": ("not_applicable 2 404 ~a9f", Reads(SERVED, refusal(BOOLEAN), NONCE)),
    },
    ("UNIT-PERCENT", DOUBLE): {
        "%": ("pass (1) ~f4e", Reads(lit("%"))),
        "no unit": ("pass (1) nothing ~411", Reads(lit(None))),
        "lux": ("fail 1 ~66f", Reads(lit("lux"))),
        "a unit that is a number": ("inconclusive 1 5 ~a45", Reads(lit(5))),
        "where it stands is not declared": ("not_applicable 1 ~cda",
            Reads(lit("lux"), answer={"value": "/data/value"})),
    },
    ("UNIT-SECONDS", ANCHOR): {
        "seconds": ("pass (1) ~9cc", Reads(value(ANCHOR, 50, unit="Sec."))),
        "milliseconds": ("fail 1 ~6a9", Reads(value(ANCHOR, 50, unit="ms"))),
        "ticks": ('inconclusive 1 "ticks" ~71a', Reads(value(ANCHOR, 50, unit="ticks"))),
    },
    ("UNIT-TEMP-DEFAULT", SETPOINT): {
        "Celsius": ("pass (2) ~edb", Reads(*NOT_RETURNED, DEGREES_C)),
        "no unit, a small number": ("pass (2) nothing °C ~54e", Reads(*NOT_RETURNED, value(SETPOINT, 5))),
        "no unit, a large number": ("inconclusive 3 TemperatureUnit 41 °F ~c8f",
            Reads(*NOT_RETURNED, value(SETPOINT, 41))),
        "Fahrenheit twice": ("fail 3 °F TemperatureUnit ~652",
            Reads(*NOT_RETURNED, *again(DEGREES_F, ABSENT))),
        "Fahrenheit, the setting returned later": ("inconclusive 3 °F TemperatureUnit ~f7d",
            Reads(*NOT_RETURNED, *again(DEGREES_F, IN_F))),
        "the setting is returned": ("not_applicable 2 TemperatureUnit ~0e6", Reads(IN_F, DEGREES_F)),
        "the setting is refused otherwise, and denied": ("fail 3 °F TemperatureUnit ~652",
            Reads(NONCE, DENIED, *again(DEGREES_F, DENIED), appliance={"lacks": [TEMPERATURE]})),
        "the setting is refused otherwise": ("inconclusive 3 TemperatureUnit 409 ~d68",
            Reads(NONCE, DENIED, DEGREES_F)),
        "the setting was not asked": ("inconclusive 2 TemperatureUnit ~ec9", Reads(NONCE, DEGREES_F)),
        "the setting is returned once it is on": ("not_applicable 4 TemperatureUnit ~bf3",
            Reads(OFF, NONCE, DENIED, DEGREES_F, *(replace(each, groups=(PREPARE,)) for each in (ON, IN_F)))),
        "the setting is refused once it is on, too": (
            "inconclusive 4 TemperatureUnit PowerState …PowerState.Off ~b67",
            Reads(OFF, NONCE, DENIED, DEGREES_F, replace(ON, groups=(PREPARE,)))),
        "the claimed power state is silent": ("inconclusive 4 X4 TemperatureUnit PowerState ~718",
            Reads(*NOT_RETURNED, refusal(ENUMERATION, 409), *again(DEGREES_F, ABSENT),
                appliance={"supports": [ENUMERATION]})),
        "a setpoint of no known unit": ('inconclusive 3 "degrees" ~ba8',
            Reads(*NOT_RETURNED, value(SETPOINT, 5, unit="degrees"))),
    },
    ("UNIT-TEMP-APPLIES", SETPOINT): {
        "it agrees when read again": ("inconclusive 2 °F TemperatureUnit …TemperatureUnit.Celsius 5 ~ff5",
            Reads(IN_C, DEGREES_F, *again(DEGREES_C, IN_C)[1:])),
        "a large number without a unit": ("inconclusive 2 ~31f", Reads(IN_C, value(SETPOINT, 41))),
        "its unit is another one later": ("fail 3 TemperatureUnit ~a36",
            Reads(IN_C, DEGREES_C, *procedure(PREPARE, *[read(SETPOINT, 5, unit="ml")] * 2))),
        "the setting is not returned": ("not_applicable 2 TemperatureUnit ~8c6", Reads(ABSENT, DEGREES_F)),
        "a setting that is none": ('inconclusive 2 TemperatureUnit "C" ~a1d',
            Reads(value(TEMPERATURE, "C"), DEGREES_F)),
        "it follows": ("pass (1) ~ad1", Reads(*written(FOLLOWS, BACK))),
        "it stays each time": ('fail 8 7 "…TemperatureUnit.Fahrenheit" TemperatureUnit 204 ~5b1',
            Reads(*written(STAYS, (CELSIUS, "°F")))),
        "it stays once": ('inconclusive 8 "…TemperatureUnit.Fahrenheit" TemperatureUnit ~fc3',
            Reads(*written(STAYS))),
        "it stays once, in two reads": ('fail 9 7 "…TemperatureUnit.Fahrenheit" TemperatureUnit 204 ~605',
            Reads(*written(STAYS, times=2))),
        "it is no unit of a temperature": ("pass (1) ~ea2", Reads(*written((FAHRENHEIT, "bar"), times=2))),
        "another unit is shown than was written": ("pass (1) ~4c2",
            Reads(IN_C, DEGREES_C, *procedure(setting_group(TEMPERATURE), read(TEMPERATURE, CELSIUS),
                [*attempt(TEMPERATURE, FAHRENHEIT, CELSIUS), *[read(SETPOINT, 5, unit="°F")] * 2]))),
        "it shows only a number": ("pass (1) ~ad1", Reads(*written((FAHRENHEIT, ""), (CELSIUS, "")))),
        "it cannot be read": ("pass (1) ~ad1", Reads(*written(STAYS, STAYS, shown=SILENT))),
        "it contradicted as found": ("fail 2 °F TemperatureUnit …TemperatureUnit.Celsius ~c78",
            Reads(IN_C, *again(DEGREES_F, IN_C), *written(FOLLOWS)[2:])),
    },
    ("UNIT-HOTWATER", WATER): {
        "water in ml": ("pass (1) ~f59", Reads(counted("ml"))),
        "water in ounces": ("fail 1 fl.oz ~207", Reads(counted("fl.oz"))),
        "water in ounces, as the setting says": ("pass (1) fl.oz LiquidVolumeUnit ~134",
            Reads(value(LIQUID, OUNCES), counted("fl.oz"))),
        "water in ounces, the setting is claimed and silent": ("inconclusive 2 fl.oz LiquidVolumeUnit ~293",
            Reads(refusal(LIQUID, 409), counted("fl.oz"), appliance={"supports": [LIQUID]})),
        "water in ounces, once the setting was written": ("pass (1) ~f10",
            Reads(counted("ml"), *procedure(setting_group(LIQUID), attempt(LIQUID, OUNCES, OUNCES),
                *[read(WATER, 12, unit="fl.oz")] * 2))),
        "water in cups, once the setting was written": ("fail 4 ~b25",
            Reads(counted("ml"), *procedure(setting_group(LIQUID), attempt(LIQUID, OUNCES, OUNCES),
                *[read(WATER, 1, unit="cups")] * 2))),
        "water in drops": ('inconclusive 1 "drops" ~5a9', Reads(counted("drops"))),
    },
    ("UNIT-LIQ-DEFAULT", DOSE): {
        "a dose in ml": ("pass (2) ~088", Reads(*dosed("ml"))),
        "a dose of no unit": ("pass (2) nothing ~521", Reads(*dosed(""))),
        "a dose in ounces": ("fail 3 fl.oz LiquidVolumeUnit ~63f", Reads(*dosed("fl.oz"))),
    },
}
# fmt: on

test_values = Reads.each_of(ROWS)
