"""The values of an entry that generated requests give are judged like a plain one."""

from typing import Any

from msgspec.structs import replace

from catalog.keys import SETPOINT, TEMPERATURE_UNIT
from conformance.checks.exchange import Exchange
from conformance.checks.generated.mutations import Mutation
from conformance.checks.groups import NONCE_SETTINGS, NONCE_STATUS
from conformance.checks.reads.enumerations import assert_member
from conformance.checks.reads.ranges import assert_in_own_range
from conformance.checks.reads.value_types import assert_integer
from conformance.selftest.support.samples.handmade import ANCHOR, GENERATED, Reads, generated, refusal, value
from conformance.selftest.support.samples.handtraced import LOCK, read

CELSIUS, LITRES = (
    f"Vendor.Common.EnumType.{name}" for name in ("TemperatureUnit.Celsius", "LiquidVolumeUnit.MilliLiter")
)
SERVED, HALF, FIVE = value(ANCHOR, 5), value(ANCHOR, 5.5), value(ANCHOR, 5)
INTEGER = ("TYPE-INTEGER", assert_integer, GENERATED, (ANCHOR,))
MEMBER = ("ENUM-TEMPUNIT", assert_member, GENERATED, (TEMPERATURE_UNIT,))
RANGE = ("RANGE-PERAPP-VALUE", assert_in_own_range, GENERATED, (SETPOINT,))


def query(*answers: Exchange, **members: Any) -> tuple[Exchange, ...]:
    """A request with a query that names nothing."""
    return generated(Mutation.QUERY, *answers, **members)


def named(key: str, shown: object = 5.5) -> Exchange:
    """An answer about the alarm clock whose body shows a key."""
    return replace(value(key, shown, segment="settings"), key=ANCHOR)


def degrees(shown: int) -> Exchange:
    """A setpoint between 2 and 8."""
    return value(SETPOINT, shown, min=2, max=8)


# fmt: off
ROWS = {
    INTEGER: {
        "whole numbers with more around": ("pass (3) 2",
            Reads(SERVED, *query(FIVE), *query(FIVE, sent="/longer"))),
        "a fraction with more around": ("fail 2 3 /api 5.5", Reads(SERVED, *query(HALF, HALF))),
        "a fraction with more around, once": ("inconclusive 2 /api 5.5", Reads(SERVED, *query(HALF, FIVE))),
        "a fraction with more around, then refused": ("inconclusive 2 /api 5.5",
            Reads(SERVED, *query(HALF, refusal(ANCHOR)))),
        "a fraction with more around, and plainly": ("pass (2) 1",
            Reads(SERVED, *query(HALF, read(ANCHOR, 5.5), HALF))),
        "a fraction with more around, once, and in the shared read": ("pass (3) 2",
            Reads(value(ANCHOR, 5.5), *query(HALF), *query(HALF, sent="/longer"))),
        "a fraction with more around, a plain read between": ("fail 2 4 /api 5.5",
            Reads(SERVED, *query(HALF, read(ANCHOR, 5), HALF))),
        "the shorter of two that give a fraction": ("fail 4 5 /api 5.5",
            Reads(SERVED, *query(HALF, HALF, sent="/longer"), *query(HALF, HALF))),
        "a fraction under an alias": ("fail 2 3 /api 5.5",
            Reads(SERVED, *generated(Mutation.UPPER_CASE, HALF, HALF))),
        "a fraction under an alias, its key not shown": ("not_judged (1) pace.generated_reads",
            Reads(SERVED, *generated(Mutation.UPPER_CASE, *[named("Foo")] * 2))),
        "a fraction, its key not shown": ("fail 2 3 /api 5.5", Reads(SERVED, *query(*[named("Foo")] * 2))),
        "a fraction of another key": ("not_judged (1) pace.generated_reads",
            Reads(SERVED, *query(*[named(LOCK)] * 2))),
        "a fraction by the maker's name": ("fail 2 3 /api 5.5",
            Reads(SERVED, *query(*[named(ANCHOR.replace("Vendor", "Maker"))] * 2),
                appliance={"vendor": "Maker"})),
        "a fraction beside another name": ("not_judged (1) pace.generated_reads",
            Reads(SERVED, *generated(Mutation.QUERY_WITH_KEY, HALF, HALF))),
        "a fraction for nobody": ("not_judged (1) pace.generated_reads",
            Reads(SERVED, *generated(Mutation.LONGER, HALF, HALF))),
        "no number with more around": ("not_judged (1) pace.generated_reads",
            Reads(SERVED, *query(refusal(ANCHOR)))),
        "a switch with more around": ("not_judged (1) pace.generated_reads",
            Reads(SERVED, *query(*[value(LOCK, 5.5)] * 2))),
        "a fraction, nothing is served": ("not_applicable", Reads(*query(HALF, HALF))),
        "a fraction, every key gives a value": ("inconclusive nothing",
            Reads(SERVED, value("Vendor.Common.Setting.Nonce", 1, group=NONCE_SETTINGS),
                value("Vendor.Common.Status.Nonce", 2, group=NONCE_STATUS), *query(HALF, HALF))),
    },
    MEMBER: {
        "another list's member with more around": (
            'fail 2 3 /api "…LiquidVolumeUnit.MilliLiter" …TemperatureUnit.Celsius',
            Reads(value(TEMPERATURE_UNIT, CELSIUS), *query(*[value(TEMPERATURE_UNIT, LITRES)] * 2))),
    },
    RANGE: {
        "beyond its range with more around": ("fail 2 3 /api 9 2 8",
            Reads(degrees(4), *query(degrees(9), degrees(9)))),
        "beyond its range with more around, once": ("inconclusive 2 /api 9 2 8",
            Reads(degrees(4), *query(degrees(9), degrees(8)))),
    },
}
# fmt: on

test_values_of_generated_requests = Reads.each_of(ROWS)
