"""What is read, in whatever way, leaves the settings as they are."""

from conformance.checks.exchange import Exchange
from conformance.checks.generated.moved_settings import assert_generated_reads_are_safe
from conformance.checks.generated.mutations import Mutation, RequestPart
from conformance.checks.groups import NONCE_SETTINGS, NONCE_STATUS, after_group
from conformance.selftest.support.samples.handmade import ANCHOR, Reads, exchange, generated, value
from conformance.selftest.support.samples.handtraced import LOCK, SILENT, procedure, read

ECO = "Refrigeration.Common.Setting.EcoMode"
SETPOINT = "Refrigeration.FridgeFreezer.Setting.SetpointTemperatureRefrigerator"
SERVED, LOCKED = value(ANCHOR, 5), value(LOCK, False)
HEADED = exchange(ANCHOR, 200)


def series(method: Mutation, *numbers: object, idle: tuple[object, ...] = ()) -> tuple[Exchange, ...]:
    """Reads of the alarm clock that show these, the method between each two; then others without it."""
    walk = [step for number in numbers for step in (read(ANCHOR, number), HEADED)][:-1]
    rest = [read(ANCHOR, number) for number in idle]
    return generated(method, *walk, *rest, part=RequestPart.WHOLE)


def after(*steps: Exchange, key: str = LOCK) -> tuple[Exchange, ...]:
    """What was read after all that only reads."""
    return tuple(procedure(after_group(key), *steps))


def requests_beside(suspect: Exchange, *shown: bool) -> tuple[Exchange, ...]:
    """Reads of the child lock that show these, and another request between each two."""
    return tuple(step for each in shown for step in (read(LOCK, each), suspect))[:-1]


BATTERY = "Vendor.Common.Status.BatteryLevel"
DRAINED = tuple(step for left in (80, 79, 79) for step in (read(BATTERY, left), exchange(BATTERY, 200)))

QUIET = series(Mutation.HEAD, 5, 5)
ON, OFF = read(LOCK, True), read(LOCK, False)
NUMBER_AND_SWITCH = (value(SETPOINT, 5), value(ECO, False), *QUIET)
WARMER = after(read(SETPOINT, 6), key=SETPOINT)
TURNS = (False, True) * 4
"""Seven changes."""
(QUERY,) = generated(Mutation.QUERY, SERVED, sent="/query")
CAUSED = requests_beside(QUERY, *TURNS)


def looked(*steps: Exchange) -> Reads:
    """The child lock was read, then others in every way, then the child lock again."""
    return Reads(LOCKED, *QUIET, *after(*steps))


# fmt: off
ROWS = {
    "neither method was sent": ("inconclusive", Reads(SERVED)),
    "every key gives a value, and HEAD moves it": ("inconclusive nothing",
        Reads(value("Vendor.Common.Setting.Nonce", 1, group=NONCE_SETTINGS),
            value("Vendor.Common.Status.Nonce", 2, group=NONCE_STATUS), *series(Mutation.HEAD, *range(7),
            idle=(6,) * 6))),
    "HEAD moves it": ("fail 3 2 3 4 5 6 7 …AlarmClock 0 1 2 3 4 5",
        Reads(SERVED, *series(Mutation.HEAD, *range(7), idle=(6,) * 6))),
    "OPTIONS moves it": ("fail 6 5 6 7 8 9 10 …AlarmClock 0 1 2 3 4 5",
        Reads(SERVED, *QUIET, *series(Mutation.OPTIONS, *range(7), idle=(6,) * 6))),
    "HEAD moves it, too seldom": ("inconclusive 18 …AlarmClock 0 1 2 3 4 5",
        Reads(SERVED, *series(Mutation.HEAD, *range(6), idle=(5,) * 6))),
    "it is silent after HEAD": ("inconclusive 6 …AlarmClock 200",
        Reads(SERVED, *series(Mutation.HEAD, 5, SILENT, 6))),
    "each OPTIONS moves a status, seen too seldom": ("inconclusive 4 …BatteryLevel 80 79",
        Reads(value(BATTERY, 80), *generated(Mutation.OPTIONS, *DRAINED[:3], part=RequestPart.WHOLE))),
    "a setting stays": ("pass (5) 1 1", looked(OFF)),
    "a setting moved": ("inconclusive 5 ChildLock false true", looked(ON)),
    "a setting moved, and HEAD moves another": ("fail 3 2 3 4 5 6 7 …AlarmClock 0 1 2 3 4 5",
        Reads(LOCKED, *series(Mutation.HEAD, *range(7), idle=(6,) * 6), *after(ON))),
    "two are looked at": ("inconclusive 6 SetpointTemperatureRefrigerator 5 6",
        Reads(*NUMBER_AND_SWITCH, *WARMER, *after(read(ECO, False), key=ECO), pace={"generated_reads": 12})),
    "a setting is silent then": ("inconclusive 5 ChildLock 409", looked(read(LOCK, SILENT))),
    "another appliance's setting differs": ("inconclusive (4)",
        Reads(LOCKED, *QUIET, *generated(Mutation.QUERY, LOCKED, read(LOCK, True, ha_id="two")))),
    "a request moves it": (
        "fail 6 7 8 9 10 11 12 13 14 15 16 17 ChildLock false true http://127.0.0.1:1/query false",
        looked(*CAUSED, *(ON,) * 6)),
    "a request moves it, too seldom": ("inconclusive 7 ChildLock false true",
        looked(*CAUSED[4:], *(ON,) * 7)),
}
# fmt: on

test_reading_is_safe = Reads.each_of({("READ-SAFE", assert_generated_reads_are_safe): ROWS})
