"""What a cooling mode must leave alone: every setpoint, or the freezer's; and what is only noted."""

from functools import partial
from typing import Any

from catalog.keys import (
    ALARM_CLOCK,
    ECO_MODE,
    FREEZER_SETPOINT,
    FRESH_MODE,
    LOCAL_CONTROL,
    OFF,
    POWER_STATE,
    SETPOINT,
    SUPER_MODES,
    TEMPERATURE_UNIT,
    VACATION_MODE,
)
from conformance.checks.groups import COOLING_ORDERS, NONCE_SETTINGS, mode_group
from conformance.checks.traces.expecting import evaluation_of
from conformance.checks.traces.trace import attempts
from conformance.checks.writes import cooling
from conformance.checks.writes.expected.other_keys import kept_by
from conformance.checks.writes.judging import judge_writes
from conformance.selftest.support.samples.handmade import refusal, value
from conformance.selftest.support.samples.handtraced import (
    SILENT,
    Steps,
    Story,
    attempt,
    procedure,
    read,
    restore,
    traced,
    write,
)

SUPER, SUPER_FREEZER = SUPER_MODES
CELSIUS, FAHRENHEIT = (f"Vendor.Common.EnumType.TemperatureUnit.{name}" for name in ("Celsius", "Fahrenheit"))
UNKNOWN = refusal("Vendor.Common.Setting.Nonce", group=NONCE_SETTINGS)
JUDGED = {"freshmode_setpoint": True}


def points(refrigerator: object, freezer: object, *, times: int = 2, **members: Any) -> Steps:
    """Both setpoints, read so often."""
    return [read(SETPOINT, refrigerator, **members), read(FREEZER_SETPOINT, freezer, **members)] * times


def cycle(
    mode: str, during: tuple[object, object], after: tuple[object, object] = (4, -18), *, took: Any = True
) -> Steps:
    """The mode is switched on and off, with both setpoints read while it is on and afterwards."""
    return [
        *attempt(mode, True, took, took),
        *points(*during),
        *attempt(mode, False, False, False),
        *points(*after, times=1),
    ]


def found(mode: str, *others: str, unit: object = None) -> Steps:
    """The mode is off, the other modes named are on, and both setpoints are still."""
    units: Steps = [read(TEMPERATURE_UNIT, unit)] if unit else []
    return [read(mode, False), *(read(other, True) for other in others), *units, *points(4, -18)]


STILL, FRESHLY, AWAY = found(SUPER), found(FRESH_MODE), found(VACATION_MODE)
ON, SUPER_ON, ENDED = (
    attempt(SUPER, True, True),
    attempt(SUPER, True, True, True),
    attempt(SUPER, True, True, False),
)
# While the mode is on, another key is written, and that moves a setpoint.
WITH_ANOTHER: Steps = [
    *ON,
    *points(4, -18),
    write(ALARM_CLOCK, 5),
    read(SUPER, True),
    *points(4, -20),
    restore(SUPER, False),
    read(SUPER, False),
    *points(4, -18),
]
# While the mode is on, another one of the same rule is switched on and off, and that moves a setpoint.
WITH_THE_OTHER: Steps = [
    *ON,
    *points(4, -18),
    *attempt(SUPER_FREEZER, True, True),
    read(SUPER, True),
    *points(4, -24),
    *attempt(SUPER_FREEZER, False, False),
    read(SUPER, True),
    *points(4, -18),
    restore(SUPER, False),
    read(SUPER, False),
    *points(4, -18),
]
SHOWN = (value(SETPOINT, 4), value(FREEZER_SETPOINT, -18))
# A setpoint that differs twice while the mode is on convicts; modes, units and people excuse it.
# fmt: off
KEPT: dict[str, Story] = {
    "they stay": Story("pass", STILL, cycle(SUPER, (4, -18))),
    "their bounds move": Story("pass", STILL, SUPER_ON, points(4, -18, min=3, max=8),
        attempt(SUPER, False, False, False)),
    "the other one moves": Story("fail", STILL, cycle(SUPER, (4, -20)), cycle(SUPER, (4, -20))),
    "one moves once": Story("inconclusive", STILL, cycle(SUPER, (4, -20)), cycle(SUPER, (4, -18))),
    "one does not come to rest": Story("inconclusive", STILL, SUPER_ON, points(4, -19, times=1),
        points(4, -20, times=1), says="did not come to rest"),
    "one differs afterwards": Story("inconclusive", STILL, cycle(SUPER, (4, -18), (4, -20))),
    "one cannot be read afterwards": Story("pass", STILL, cycle(SUPER, (4, -18), (4, SILENT))),
    "one moved before": Story("inconclusive", read(SUPER, False), points(4, -18, times=1),
        points(4, -17, times=1), cycle(SUPER, (4, -20)) * 2),
    "the unit changes": Story("inconclusive", found(SUPER, unit=CELSIUS), SUPER_ON, points(39, 0),
        read(TEMPERATURE_UNIT, FAHRENHEIT)),
    "the shown unit changes": Story("inconclusive", STILL, SUPER_ON, points(39, 0, unit="°F"),
        says="the unit changed"),
    "the mode ends before the reading": Story("inconclusive", STILL, ENDED, points(4, -20)),
    "the mode ends, and nothing moves": Story("pass", STILL, ENDED, points(4, -18)),
    "the mode does not begin": Story("inconclusive", STILL, cycle(SUPER, (4, -20), took=False) * 2),
    "the mode does not begin, off": Story("inconclusive", read(POWER_STATE, OFF), STILL,
        cycle(SUPER, (4, -18), took=False)),
    "another mode is on": Story("inconclusive", found(SUPER, ECO_MODE), cycle(SUPER, (4, -20)) * 2),
    "not written, as another mode is on": Story("inconclusive", found(SUPER, FRESH_MODE)),
    "nothing was written": Story("inconclusive", STILL),
    "not in this run": Story("inconclusive", shared=(value(SUPER, False), *SHOWN)),
    "only ended": Story("inconclusive", STILL, attempt(SUPER, False, False)),
    "somebody operates it": Story("inconclusive", STILL, cycle(SUPER, (4, -20)) * 2,
        [read(LOCAL_CONTROL, True)]),
    "none can be read": Story("inconclusive", STILL, cycle(SUPER, (SILENT, SILENT), (SILENT, SILENT))),
    "another key is written meanwhile": Story("fail", STILL, WITH_ANOTHER * 2),
    "the other super mode moves it": Story("pass", STILL, WITH_THE_OTHER * 2),
    "a setpoint is written meanwhile": Story("pass", STILL, ON, points(4, -18),
        attempt(FREEZER_SETPOINT, -20, -20), read(SUPER, True)),
    "no setpoint": Story("not_applicable", read(SUPER, False), ON),
    "read-only": Story("not_applicable", read(SUPER, False, access="read")),
    "not served": Story("not_applicable", read(SUPER, SILENT), shared=(UNKNOWN, refusal(SUPER))),
}
# fmt: on


# FreshMode is switched on and off while VacationMode is on, and its end moves the freezer setpoint.
OUTLIVED: Steps = [
    *AWAY,
    *attempt(VACATION_MODE, True, True),
    *points(4, -18),
    *attempt(FRESH_MODE, True, True),
    read(VACATION_MODE, True),
    *points(2, -18),
    *attempt(FRESH_MODE, False, False),
    read(VACATION_MODE, True),
    *points(4, -16),
    restore(VACATION_MODE, False),
]
MEANWHILE = [*AWAY, *attempt(VACATION_MODE, True, True), *points(4, -18)]


def within(mode: str) -> Steps:
    """Another mode is switched on and off while VacationMode is on, and moves the freezer setpoint."""
    on = [*attempt(mode, True, True), read(VACATION_MODE, True), *points(4, -24)]
    return [*on, *attempt(mode, False, False), *points(4, -18)]


# The freezer setpoint stays with VacationMode, whatever other mode but a super mode is on.
VACATION: dict[str, Story] = {
    "it stays": Story("pass", AWAY, cycle(VACATION_MODE, (14, -18))),
    "it moves": Story("fail", AWAY, cycle(VACATION_MODE, (4, -16)) * 2),
    "a super mode moves it meanwhile": Story("fail", MEANWHILE, within(SUPER_FREEZER) * 2),
    "another mode moves it meanwhile": Story("pass", MEANWHILE, within(FRESH_MODE) * 2),
    "it moves when another mode ends": Story("fail", OUTLIVED * 2),
}


# The freezer setpoint stays with FreshMode; only EcoMode may move it.
FREEZER: dict[str, Story] = {
    "it moves with FreshMode": Story("fail", FRESHLY, cycle(FRESH_MODE, (2, -16)) * 2),
    "it moves while a super mode is on": Story(
        "fail", found(FRESH_MODE, SUPER_FREEZER), cycle(FRESH_MODE, (2, -16)) * 2
    ),
    "EcoMode is on": Story("inconclusive", found(FRESH_MODE, ECO_MODE), cycle(FRESH_MODE, (2, -16)) * 2),
    "it moves when the mode ends": Story("inconclusive", FRESHLY, cycle(FRESH_MODE, (2, -18), (4, -16))),
    "the refrigerator moves when the mode ends": Story(
        "pass", FRESHLY, cycle(FRESH_MODE, (2, -18), (5, -18))
    ),
    "it moves once": Story("inconclusive", FRESHLY, cycle(FRESH_MODE, (2, -16)), cycle(FRESH_MODE, (2, -18))),
    "the mode does not begin": Story("inconclusive", FRESHLY, cycle(FRESH_MODE, (2, -16), took=False)),
    "no freezer": Story(
        "not_applicable",
        read(FRESH_MODE, False),
        read(FREEZER_SETPOINT, SILENT),
        attempt(FRESH_MODE, True, True),
        shared=(UNKNOWN, refusal(FREEZER_SETPOINT), value(FRESH_MODE, False)),
    ),
}


# What a tour showed and was made twice counts like a cycle of the mode.
ONCE: Steps = [
    *found(FRESH_MODE, SUPER_FREEZER),
    *attempt(FRESH_MODE, True, True),
    *points(2, -16),
    restore(FRESH_MODE, False),
]


# Another value than 2 °C or the old one fails only where the profile chose to judge it.
FRESH: dict[str, Story] = {
    "it reads 2": Story("observed", FRESHLY, cycle(FRESH_MODE, (2, -18))),
    "it reads 2 in °F": Story("observed", FRESHLY, cycle(FRESH_MODE, (36, -18))),
    "it keeps its value": Story("observed", FRESHLY, cycle(FRESH_MODE, (4, -18)), interpretation=JUDGED),
    "it reads another value": Story("inconclusive", FRESHLY, cycle(FRESH_MODE, (3, -18)) * 2),
    "another value is judged": Story("fail", FRESHLY, cycle(FRESH_MODE, (3, -18)) * 2, interpretation=JUDGED),
    "another value once": Story("inconclusive", FRESHLY, cycle(FRESH_MODE, (3, -18)), interpretation=JUDGED),
    "another value while the mode had ended": Story(
        "inconclusive", FRESHLY, attempt(FRESH_MODE, True, True, False), points(3, -18), interpretation=JUDGED
    ),
    "not readable while it is on": Story("inconclusive", FRESHLY, cycle(FRESH_MODE, (SILENT, -18))),
    "no refrigerator setpoint": Story(
        "not_applicable",
        read(FRESH_MODE, False),
        attempt(FRESH_MODE, True, True),
        shared=(UNKNOWN, refusal(SETPOINT), value(FRESH_MODE, False)),
    ),
}


test_cooling = Story.each_of(
    {
        ("COOL-SUPER-FRIDGE", judge_writes(cooling.kept), mode_group, SUPER): KEPT,
        ("COOL-VACATION-FREEZER", judge_writes(cooling.kept), mode_group): VACATION,
        ("COOL-FRESH-FREEZER", judge_writes(cooling.kept), mode_group): FREEZER,
        ("COOL-FRESH-2", cooling.assert_fresh_setpoint, mode_group): FRESH,
        ("COOL-FRESH-FREEZER", judge_writes(cooling.kept), COOLING_ORDERS): {
            "orders": Story("fail", ONCE, ONCE)
        },
    }
)


def test_one_step_alone_is_weighed_too() -> None:
    """What is asked after every write of a tour says nothing where nothing was read."""
    seen = traced(procedure(COOLING_ORDERS, write(FRESH_MODE, True), read(FRESH_MODE, True)))
    (step,) = attempts(seen, COOLING_ORDERS)
    of_super, of_fresh = (rule for mode in (SUPER, FRESH_MODE) for rule in seen.catalog.keeping(mode))
    assert evaluation_of(seen, partial(kept_by, of_super), step) is None
    kept = evaluation_of(seen, partial(kept_by, of_fresh), step)
    assert kept is not None
    assert kept.result == "undecided"
