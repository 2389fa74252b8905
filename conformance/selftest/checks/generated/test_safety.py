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


def asked(suspect: Exchange, *shown: bool) -> tuple[Exchange, ...]:
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
QUERY, HEADER = (
    generated(mutation, SERVED, sent=f"/{mutation.value}")[0]
    for mutation in (Mutation.QUERY, Mutation.HEADER)
)
CAUSED = asked(QUERY, *TURNS)


def looked(*steps: Exchange) -> Reads:
    """The child lock was read, then others in every way, then the child lock again."""
    return Reads(LOCKED, *QUIET, *after(*steps))


# fmt: off
ROWS = {
    "two methods leave it": Reads(SERVED, *QUIET, *series(Mutation.OPTIONS, 5, 5)),
    "neither method was sent": Reads(SERVED),
    "every key gives a value, and HEAD moves it": Reads(value("Vendor.Common.Setting.Nonce", 1,
        group=NONCE_SETTINGS), value("Vendor.Common.Status.Nonce", 2, group=NONCE_STATUS),
        *series(Mutation.HEAD, *range(7), idle=(6,) * 6)),
    "HEAD moves it": Reads(SERVED, *series(Mutation.HEAD, *range(7), idle=(6,) * 6)),
    "OPTIONS moves it": Reads(SERVED, *QUIET, *series(Mutation.OPTIONS, *range(7), idle=(6,) * 6)),
    "HEAD moves it, too seldom": Reads(SERVED, *series(Mutation.HEAD, *range(6), idle=(5,) * 6)),
    "HEAD moves it, not each time": Reads(SERVED, *series(Mutation.HEAD, *range(7), 6, idle=(6,) * 6)),
    "HEAD moves it, then it was read too seldom": Reads(SERVED,
        *series(Mutation.HEAD, *range(7), idle=(6,) * 5)),
    "it moves without HEAD, too": Reads(SERVED, *series(Mutation.HEAD, *range(7), idle=(6, 6, 6, 6, 6, 7))),
    "it moves without HEAD only": Reads(SERVED, *series(Mutation.HEAD, 5, 5, idle=(6, 7))),
    "it is silent after HEAD": Reads(SERVED, *series(Mutation.HEAD, 5, SILENT, 6)),
    "HEAD moves it, silent once": Reads(SERVED, *series(Mutation.HEAD, *range(7), idle=(SILENT, *(7,) * 7))),
    "a status moves once": Reads(value(BATTERY, 80), *generated(Mutation.OPTIONS, *DRAINED,
        part=RequestPart.WHOLE)),
    "each OPTIONS moves a status, seen too seldom": Reads(value(BATTERY, 80), *generated(Mutation.OPTIONS,
        *DRAINED[:3], part=RequestPart.WHOLE)),
    "a setting stays": looked(OFF),
    "a setting moved": looked(ON),
    "a setting moved, and HEAD moves another": Reads(LOCKED,
        *series(Mutation.HEAD, *range(7), idle=(6,) * 6), *after(ON)),
    "a switch is looked at before a number": Reads(*NUMBER_AND_SWITCH, *WARMER,
        *after(read(ECO, True), key=ECO), pace={"generated_reads": 6}),
    "one is looked at": Reads(*NUMBER_AND_SWITCH, *WARMER, *after(read(ECO, False), key=ECO),
        pace={"generated_reads": 11}),
    "two are looked at": Reads(*NUMBER_AND_SWITCH, *WARMER, *after(read(ECO, False), key=ECO),
        pace={"generated_reads": 12}),
    "the alarm clock moved": Reads(SERVED, *QUIET, *after(read(ANCHOR, 6), key=ANCHOR)),
    "a setting is silent then": looked(read(LOCK, SILENT)),
    "a setting moved beside a generated request": Reads(LOCKED, *QUIET,
        *generated(Mutation.QUERY, ON, LOCKED)),
    "another appliance's setting differs": Reads(LOCKED, *QUIET,
        *generated(Mutation.QUERY, LOCKED, read(LOCK, True, ha_id="two"))),
    "a generated request gives another value": Reads(LOCKED, *QUIET,
        *generated(Mutation.QUERY, value(LOCK, True))),
    "a request moves it": looked(*CAUSED, *(ON,) * 6),
    "a plain read of another key moves it": looked(*asked(read(ANCHOR, 5), *TURNS), *(ON,) * 6),
    "a request moves it, after others did not": looked(*asked(HEADER, False, False), *CAUSED, *(ON,) * 6),
    "a request moves it, too seldom": looked(*CAUSED[4:], *(ON,) * 7),
    "a request moves it, not each time": looked(*CAUSED, *asked(QUERY, True, True)[1:], *(ON,) * 6),
    "a request moves it, then it was read too seldom": looked(*CAUSED, *(ON,) * 5),
    "it moves without the request, too": looked(*CAUSED, *(ON,) * 6, OFF),
    "either of two requests moves it": looked(*(step for each in TURNS for step in (read(LOCK, each), QUERY,
        HEADER)), *(ON,) * 7),
    "a request moves it, silent between": looked(*(step for each in TURNS for step in (read(LOCK, each),
        QUERY, read(LOCK, SILENT))), *(ON,) * 7),
}
# fmt: on

test_reading_is_safe = Reads.each_of({("READ-SAFE", assert_generated_reads_are_safe): ROWS})
