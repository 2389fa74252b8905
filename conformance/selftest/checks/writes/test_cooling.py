"""What a cooling mode must leave alone: every setpoint, or the freezer's; and what is only noted."""

from typing import Any

from catalog.keys import (
    ECO_MODE,
    FREEZER_SETPOINT,
    FRESH_MODE,
    OFF,
    POWER_STATE,
    SETPOINT,
    SUPER_MODES,
    TEMPERATURE_UNIT,
    VACATION_MODE,
)
from conformance.checks.groups import COOLING_ORDERS, mode_group
from conformance.selftest.support.samples.handmade import UNKNOWN, refusal, value
from conformance.selftest.support.samples.handtraced import (
    SILENT,
    Steps,
    Story,
    attempt,
    read,
    restore,
)

SUPER, SUPER_FREEZER = SUPER_MODES
CELSIUS, FAHRENHEIT = (f"Vendor.Common.EnumType.TemperatureUnit.{name}" for name in ("Celsius", "Fahrenheit"))
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


def found_modes(mode: str, *others: str, unit: object = None) -> Steps:
    """The mode is off, the other modes named are on, and both setpoints are still."""
    units: Steps = [read(TEMPERATURE_UNIT, unit)] if unit else []
    return [read(mode, False), *(read(other, True) for other in others), *units, *points(4, -18)]


STILL, FRESHLY, AWAY = found_modes(SUPER), found_modes(FRESH_MODE), found_modes(VACATION_MODE)
ON, SUPER_ON, ENDED = (
    attempt(SUPER, True, True),
    attempt(SUPER, True, True, True),
    attempt(SUPER, True, True, False),
)
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


MEANWHILE = [*AWAY, *attempt(VACATION_MODE, True, True), *points(4, -18)]


def within(mode: str) -> Steps:
    """Another mode is switched on and off while VacationMode is on, and moves the freezer setpoint."""
    on = [*attempt(mode, True, True), read(VACATION_MODE, True), *points(4, -24)]
    return [*on, *attempt(mode, False, False), *points(4, -18)]


# What a tour showed and was made twice counts like a cycle of the mode.
ONCE: Steps = [
    *found_modes(FRESH_MODE, SUPER_FREEZER),
    *attempt(FRESH_MODE, True, True),
    *points(2, -16),
    restore(FRESH_MODE, False),
]


# fmt: off
ROWS = {
    # A setpoint that differs twice while the mode is on convicts; modes, units and people excuse it.
    ("COOL-SUPER-FRIDGE", mode_group, SUPER): {
        "they stay": ("pass (17) ~3a9", Story(STILL, cycle(SUPER, (4, -18)))),
        "the other one moves": ("fail 12 true SuperModeRefrigerator 204 ~ce2",
            Story(STILL, cycle(SUPER, (4, -20)), cycle(SUPER, (4, -20)))),
        "one does not come to rest": ("inconclusive 12 true SuperModeRefrigerator 204 ~2b3",
            Story(STILL, SUPER_ON, points(4, -19, times=1), points(4, -20, times=1),
                says="did not come to rest")),
        "one differs afterwards": ("inconclusive 17 SetpointTemperatureFreezer -18 -20 ~9b8",
            Story(STILL, cycle(SUPER, (4, -18), (4, -20)))),
        "one moved before": ("inconclusive 5 SetpointTemperatureFreezer ~550",
            Story(read(SUPER, False), points(4, -18, times=1), points(4, -17, times=1), cycle(SUPER, (4,
                -20)) * 2)),
        "the unit changes": ("inconclusive 12 true SuperModeRefrigerator 204 ~cbf",
            Story(found_modes(SUPER, unit=CELSIUS), SUPER_ON, points(39, 0), read(TEMPERATURE_UNIT,
                FAHRENHEIT))),
        "the mode ends before the reading": ("inconclusive 12 true SuperModeRefrigerator 204 ~ca3",
            Story(STILL, ENDED, points(4, -20))),
        "the mode ends, and nothing moves": ("pass (12) ~b61", Story(STILL, ENDED, points(4, -18))),
        "the mode does not begin, off": ("inconclusive 9 X4 true SuperModeRefrigerator 204 PowerState ~0ce",
            Story(read(POWER_STATE, OFF), STILL, cycle(SUPER, (4, -18), took=False))),
        "the mode does not begin": ("inconclusive 8 true SuperModeRefrigerator 204 ~c88",
            Story(STILL, cycle(SUPER, (4, -18), took=False))),
        "another unit": ("inconclusive 11 true SuperModeRefrigerator 204 ~8d6",
            Story(STILL, SUPER_ON, points(39, 0, unit="°F"))),
        "one is silent then": ("inconclusive 12 true SuperModeRefrigerator 204 ~b89",
            Story(STILL, SUPER_ON, points(4, SILENT))),
        "neither can be read then": ("inconclusive 8 true SuperModeRefrigerator 204 ~df5",
            Story(STILL, SUPER_ON, points(SILENT, SILENT))),
        "one is of another type then": ("pass (12) ~b61", Story(STILL, SUPER_ON, points(4, "-18"))),
        "another mode is on then": ("inconclusive 8 X9 true SuperModeRefrigerator 204 EcoMode ~498",
            Story(STILL, SUPER_ON, read(ECO_MODE, True), points(4, -20))),
        "another mode is on": ("inconclusive 21 X9 true SuperModeRefrigerator 204 EcoMode ~ed4",
            Story(found_modes(SUPER, ECO_MODE), cycle(SUPER, (4, -20)) * 2)),
        "nothing was written": ("inconclusive (5) ~9ed", Story(STILL)),
        "only ended": ("inconclusive (7) SuperModeRefrigerator ~ea9",
            Story(STILL, attempt(SUPER, False, False))),
        "the other super mode moves it": ("pass (57) ~eca", Story(STILL, WITH_THE_OTHER * 2)),
        "a setpoint is written meanwhile": ("pass (14) ~3b3",
            Story(STILL, ON, points(4, -18), attempt(FREEZER_SETPOINT, -20, -20), read(SUPER, True))),
        "no setpoint": ("not_applicable (3) ~751", Story(read(SUPER, False), ON)),
        "not served": ("not_applicable 2 404 ~69b",
            Story(read(SUPER, SILENT), shared=(UNKNOWN, refusal(SUPER)))),
    },
    # The freezer setpoint stays with VacationMode, whatever other mode but a super mode is on.
    ("COOL-VACATION-FREEZER", mode_group): {
        "it stays": ("pass (17) ~393", Story(AWAY, cycle(VACATION_MODE, (14, -18)))),
        "a super mode moves it meanwhile": (
            "fail 18 true SuperModeFreezer 204 SetpointTemperatureFreezer ~5aa",
            Story(MEANWHILE, within(SUPER_FREEZER) * 2)),
    },
    # The freezer setpoint stays with FreshMode; only EcoMode may move it.
    ("COOL-FRESH-FREEZER", mode_group): {
        "it moves with FreshMode": ("fail 12 true FreshMode 204 SetpointTemperatureFreezer -18 ~43d",
            Story(FRESHLY, cycle(FRESH_MODE, (2, -16)) * 2)),
        "EcoMode is on": ("inconclusive 21 X9 true FreshMode 204 EcoMode ~5c0",
            Story(found_modes(FRESH_MODE, ECO_MODE), cycle(FRESH_MODE, (2, -16)) * 2)),
        "it moves when the mode ends": ("inconclusive 17 SetpointTemperatureFreezer -18 -16 ~501",
            Story(FRESHLY, cycle(FRESH_MODE, (2, -18), (4, -16)))),
        "the refrigerator moves when the mode ends": ("pass (17) ~1b7",
            Story(FRESHLY, cycle(FRESH_MODE, (2, -18), (5, -18)))),
        "no freezer": ("not_applicable 2 404 ~49b",
            Story(read(FRESH_MODE, False), read(FREEZER_SETPOINT, SILENT), attempt(FRESH_MODE, True, True),
                shared=(UNKNOWN, refusal(FREEZER_SETPOINT), value(FRESH_MODE, False)))),
    },
    # Another value than 2 °C or the old one fails only where the profile chose to judge it.
    ("COOL-FRESH-2", mode_group): {
        "it reads 2": ("observed (17) true FreshMode 204 ~837", Story(FRESHLY, cycle(FRESH_MODE, (2, -18)))),
        "it reads 2 in °F": ("observed (17) true FreshMode 204 ~814",
            Story(FRESHLY, cycle(FRESH_MODE, (36, -18)))),
        "it reads another value": ("inconclusive 11 true FreshMode 204 ~fdc",
            Story(FRESHLY, cycle(FRESH_MODE, (3, -18)) * 2)),
        "another value is judged": ("fail 11 true FreshMode 204 SetpointTemperatureRefrigerator 4 ~469",
            Story(FRESHLY, cycle(FRESH_MODE, (3, -18)) * 2, interpretation=JUDGED)),
        "not readable while it is on": ("inconclusive (17) ~eea",
            Story(FRESHLY, cycle(FRESH_MODE, (SILENT, -18)))),
        "it does not begin": ("inconclusive 6 ~d23", Story(FRESHLY, cycle(FRESH_MODE, (4, -18), took=False))),
        "it is not written": ("inconclusive (5) ~25e", Story(FRESHLY)),
        "it is only ended": ("inconclusive (7) ~62c", Story(FRESHLY, attempt(FRESH_MODE, False, False))),
        "reads 2.5": ("inconclusive 11 true FreshMode 204 ~81d",
            Story(FRESHLY, cycle(FRESH_MODE, (2.5, -18)))),
        "no refrigerator setpoint": ("not_applicable 2 404 ~124",
            Story(read(FRESH_MODE, False), attempt(FRESH_MODE, True, True), shared=(UNKNOWN,
                refusal(SETPOINT), value(FRESH_MODE, False)))),
    },
    ("COOL-FRESH-FREEZER", COOLING_ORDERS): {
        "orders": ("fail 12 true FreshMode 204 SetpointTemperatureFreezer -18 ~537", Story(ONCE, ONCE)),
    },
}
# fmt: on

test_cooling = Story.each_of(ROWS)
