"""What generated reads show: values of entries, and errors."""

from functools import partial
from typing import Any

from msgspec.structs import replace

from catalog.keys import SETPOINT, TEMPERATURE_UNIT
from conformance.checks.exchange import Exchange, Failure
from conformance.checks.generated.mutations import Mutation
from conformance.checks.generated.server_errors import note_errors_of_generated
from conformance.checks.groups import NONCE_SETTINGS, NONCE_STATUS, edge_group
from conformance.checks.reads.enumerations import assert_member
from conformance.checks.reads.ranges import assert_in_own_range
from conformance.checks.reads.value_types import assert_integer
from conformance.selftest.support.samples.handmade import (
    ANCHOR,
    GENERATED,
    Reads,
    exchange,
    generated,
    refusal,
    value,
)
from conformance.selftest.support.samples.handtraced import (
    LOCK,
    Steps,
    attempt,
    procedure,
    read,
    write,
)

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
        "a fraction with more around, and plainly": ("pass (2) 1",
            Reads(SERVED, *query(HALF, read(ANCHOR, 5.5), HALF))),
        "a fraction with more around, a plain read between": ("fail 2 4 /api 5.5",
            Reads(SERVED, *query(HALF, read(ANCHOR, 5), HALF))),
        "a fraction under an alias, its key not shown": ("not_judged (1) pace.generated_reads",
            Reads(SERVED, *generated(Mutation.UPPER_CASE, *[named("Foo")] * 2))),
        "no number with more around": ("not_judged (1) pace.generated_reads",
            Reads(SERVED, *query(refusal(ANCHOR)))),
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


# Errors that generated requests and values meet are told.
ANSWERED, BROKEN, DROPPED = value(ANCHOR, 5), exchange(ANCHOR, 500), exchange(ANCHOR, None)
asked = partial(generated, Mutation.OTHER_END)


def values(*steps: Exchange | Steps, alone: bool = False) -> tuple[Exchange, ...]:
    """A request that meets no error, and generated values of the child lock."""
    return *asked(ANSWERED), *procedure(replace(edge_group(LOCK), alone=alone), *steps)


def broken(wanted: Any, *shown: object) -> Steps:
    """A value that is met with an error, and reads after it."""
    return attempt(LOCK, wanted, *shown, status=500)


UNLOCKED, SICK = read(LOCK, False), replace(exchange(LOCK, 500), purpose="repeat")
# fmt: off
ERRORS = {
    "a request meets no response": ("observed (1) 2 3 1 /api nothing",
        Reads(*asked(DROPPED), *asked(BROKEN, sent="/longer"), *asked(ANSWERED, sent="/x"))),
    "an answer in an unknown coding": ("observed 1",
        Reads(*asked(replace(DROPPED, failure=Failure("undecodable", "zstd"))))),
    "a value meets an error, nothing read before": ("observed 1 1", Reads(*values(broken("yes", False)))),
    "reads are broken after a value": ('observed (4) 1 1 1 "yes" ChildLock 204 500',
        Reads(*values(UNLOCKED, write(LOCK, "yes"), SICK))),
    "nothing is read after a value": ("observed 1 1", Reads(*values(UNLOCKED, write(LOCK, "yes")))),
    "two values meet an error": ('observed (5) 1 2 2 "no" ChildLock 500 500',
        Reads(*values(UNLOCKED, broken("yes", False), broken("no", False)))),
}
# fmt: on

test_errors_of_generated_requests = Reads.each_of({("PROT-ERRORS", note_errors_of_generated): ERRORS})
