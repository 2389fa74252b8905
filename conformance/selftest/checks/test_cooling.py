"""What a cooling mode must leave alone: every setpoint, or the freezer's; and what is only noted."""

# ruff: noqa: FBT003  true and false stand here for values on the wire

from __future__ import annotations

from typing import Any

import pytest

from catalog.keys import (
    ECO_MODE,
    FREEZER_SETPOINT,
    FRESH_MODE,
    LOCAL_CONTROL,
    POWER_STATE,
    SETPOINT,
    TEMPERATURE_UNIT,
    VACATION_MODE,
)
from conformance.checks.groups import COOLING_ORDERS, NONCE_SETTINGS, mode_group
from conformance.checks.reads.states import SUPER_MODES
from conformance.checks.writes.cooling import (
    assert_freezer_kept,
    assert_fresh_setpoint,
    assert_setpoints_kept,
    evaluate_freezer_kept,
    evaluate_fresh_setpoint,
    evaluate_setpoints_kept,
    note_super_timeout,
    note_vacation_setpoint,
)
from conformance.checks.writes.trace import attempts
from conformance.selftest.support.handmade import refusal, value
from conformance.selftest.support.handtraced import (
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
ALARM = "Vendor.Common.Setting.AlarmClock"
CELSIUS, FAHRENHEIT = (f"Vendor.Common.EnumType.TemperatureUnit.{name}" for name in ("Celsius", "Fahrenheit"))
OFF = "Vendor.Common.EnumType.PowerState.Off"
UNKNOWN = refusal("Vendor.Common.Setting.Nonce", group=NONCE_SETTINGS)


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


def of(mode: str, verdict: str, says: str, *steps: Steps, **members: Any) -> Story:
    """A story about a mode."""
    return Story(verdict, says, [step for part in steps for step in part], mode, **members)


def super_mode(verdict: str, says: str, *steps: Steps, **members: Any) -> Story:
    """A story about the super mode of the refrigerator."""
    return of(SUPER, verdict, says, *steps, **members)


# While the mode is on, another key is written, and that moves a setpoint.
WITH_ANOTHER: Steps = [
    *attempt(SUPER, True, True),
    *points(4, -18),
    write(ALARM, 5),
    read(SUPER, True),
    *points(4, -20),
    restore(SUPER, False),
    read(SUPER, False),
    *points(4, -18),
]
SHOWN = (value(SETPOINT, 4), value(FREEZER_SETPOINT, -18))
KEPT: dict[str, Story] = {
    "they stay": super_mode("pass", "", found(SUPER), cycle(SUPER, (4, -18))),
    "their bounds move": super_mode(
        "pass",
        "",
        found(SUPER),
        attempt(SUPER, True, True, True),
        points(4, -18, min=3, max=8),
        attempt(SUPER, False, False, False),
    ),
    "the other one moves": super_mode(
        "fail",
        "wrote true to SuperModeRefrigerator, acknowledged (204), and SetpointTemperatureFreezer went from"
        " -18 to -20 while SuperMode",
        found(SUPER),
        cycle(SUPER, (4, -20)),
        cycle(SUPER, (4, -20)),
    ),
    "its own one moves": super_mode(
        "fail", 'twice; document says "setpoints unchanged"', found(SUPER), cycle(SUPER, (2, -18)) * 2
    ),
    "one moves once": super_mode(
        "inconclusive", "but not twice", found(SUPER), cycle(SUPER, (4, -20)), cycle(SUPER, (4, -18))
    ),
    "one does not come to rest": super_mode(
        "inconclusive",
        "did not come to rest",
        found(SUPER),
        attempt(SUPER, True, True, True),
        points(4, -19, times=1),
        points(4, -20, times=1),
    ),
    "one differs afterwards": super_mode(
        "inconclusive", "after the mode was switched off", found(SUPER), cycle(SUPER, (4, -18), (4, -20))
    ),
    "one cannot be read afterwards": super_mode(
        "pass", "", found(SUPER), cycle(SUPER, (4, -18), (4, SILENT))
    ),
    "one moved before": super_mode(
        "inconclusive",
        "moved before",
        [read(SUPER, False)],
        points(4, -18, times=1),
        points(4, -17, times=1),
        cycle(SUPER, (4, -20)) * 2,
    ),
    "the unit changes": super_mode(
        "inconclusive",
        "the unit changed",
        found(SUPER, unit=CELSIUS),
        attempt(SUPER, True, True, True),
        points(39, 0),
        [read(TEMPERATURE_UNIT, FAHRENHEIT)],
    ),
    "the shown unit changes": super_mode(
        "inconclusive",
        "the unit changed",
        found(SUPER),
        attempt(SUPER, True, True, True),
        points(39, 0, unit="°F"),
    ),
    "the mode ends before the reading": super_mode(
        "inconclusive", "had ended", found(SUPER), attempt(SUPER, True, True, False), points(4, -20)
    ),
    "the mode ends, and nothing moves": super_mode(
        "pass", "", found(SUPER), attempt(SUPER, True, True, False), points(4, -18)
    ),
    "the mode does not begin": super_mode(
        "inconclusive", "did not switch on", found(SUPER), cycle(SUPER, (4, -20), took=False) * 2
    ),
    "the mode does not begin, off": super_mode(
        "inconclusive", "while X4", [read(POWER_STATE, OFF)], found(SUPER), cycle(SUPER, (4, -18), took=False)
    ),
    "another mode is on": super_mode(
        "inconclusive", "while X9: EcoMode is on", found(SUPER, ECO_MODE), cycle(SUPER, (4, -20)) * 2
    ),
    "not written, as another mode is on": super_mode(
        "inconclusive", "not written while X9: FreshMode is on", found(SUPER, FRESH_MODE)
    ),
    "nothing was written": super_mode("inconclusive", "not written", found(SUPER)),
    "not in this run": super_mode(
        "inconclusive", "not written in this run", shared=(value(SUPER, False), *SHOWN)
    ),
    "only ended": super_mode("inconclusive", "was not on", found(SUPER), attempt(SUPER, False, False)),
    "somebody operates it": super_mode(
        "inconclusive", "meanwhile", found(SUPER), cycle(SUPER, (4, -20)) * 2, [read(LOCAL_CONTROL, True)]
    ),
    "one cannot be read": super_mode("pass", "", found(SUPER), cycle(SUPER, (4, SILENT))),
    "none can be read": super_mode(
        "inconclusive",
        "no setpoint could be read",
        found(SUPER),
        cycle(SUPER, (SILENT, SILENT), (SILENT, SILENT)),
    ),
    "another key is written meanwhile": super_mode(
        "fail", "wrote 5 to AlarmClock", found(SUPER), WITH_ANOTHER * 2
    ),
    "a setpoint is written meanwhile": super_mode(
        "pass",
        "",
        found(SUPER),
        attempt(SUPER, True, True),
        points(4, -18),
        attempt(FREEZER_SETPOINT, -20, -20),
        [read(SUPER, True)],
    ),
    "no setpoint": super_mode(
        "not_applicable", "no setpoint", [read(SUPER, False)], attempt(SUPER, True, True)
    ),
    "read-only": super_mode("not_applicable", "read-only", [read(SUPER, False, access="read")]),
    "not served": super_mode(
        "not_applicable", "not supported", [read(SUPER, SILENT)], shared=(UNKNOWN, refusal(SUPER))
    ),
}


@pytest.mark.parametrize("name", KEPT)
def test_super_mode_keeps_every_setpoint(name: str) -> None:
    """A setpoint that differs while the mode is on convicts when that is shown twice; other modes, units and
    people excuse it.
    """
    KEPT[name].holds(assert_setpoints_kept, "COOL-SUPER-FRIDGE", mode_group(SUPER))


def vacation(verdict: str, says: str, *steps: Steps, **members: Any) -> Story:
    """A story about VacationMode."""
    return of(VACATION_MODE, verdict, says, *steps, **members)


def fresh(verdict: str, says: str, *steps: Steps, **members: Any) -> Story:
    """A story about FreshMode."""
    return of(FRESH_MODE, verdict, says, *steps, **members)


# FreshMode is switched on and off while VacationMode is on, and its end moves the freezer setpoint.
OUTLIVED: Steps = [
    *found(VACATION_MODE),
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
I4_OFF: dict[str, Any] = {"interpretation": {"I-4": False}}
FREEZER: dict[str, Story] = {
    "it stays": vacation("pass", "", found(VACATION_MODE), cycle(VACATION_MODE, (14, -18))),
    "it moves": vacation(
        "fail",
        'twice; document says "freezer follows its setting"',
        found(VACATION_MODE),
        cycle(VACATION_MODE, (4, -16)) * 2,
    ),
    "it moves with FreshMode": fresh(
        "fail", 'document says "freezer unchanged"', found(FRESH_MODE), cycle(FRESH_MODE, (2, -16)) * 2
    ),
    "it moves with FreshMode, and I-4 is off": fresh(
        "fail", "", found(FRESH_MODE), cycle(FRESH_MODE, (2, -16)) * 2, tables=I4_OFF
    ),
    "it moves while a super mode is on": fresh(
        "fail", "", found(FRESH_MODE, SUPER_FREEZER), cycle(FRESH_MODE, (2, -16)) * 2
    ),
    "a super mode moves it meanwhile": vacation(
        "fail",
        "to SuperModeFreezer, acknowledged (204), and SetpointTemperatureFreezer went from",
        found(VACATION_MODE),
        attempt(VACATION_MODE, True, True),
        points(4, -18),
        [
            *attempt(SUPER_FREEZER, True, True),
            read(VACATION_MODE, True),
            *points(4, -24),
            *attempt(SUPER_FREEZER, False, False),
            *points(4, -18),
        ]
        * 2,
    ),
    "another mode moves it meanwhile": vacation(
        "pass",
        "",
        found(VACATION_MODE),
        attempt(VACATION_MODE, True, True),
        points(4, -18),
        [
            *attempt(FRESH_MODE, True, True),
            read(VACATION_MODE, True),
            *points(4, -24),
            *attempt(FRESH_MODE, False, False),
            *points(4, -18),
        ]
        * 2,
    ),
    "it moves when another mode ends": vacation(
        "fail",
        "wrote false to FreshMode, acknowledged (204), and SetpointTemperatureFreezer went from -18 to -16"
        " while VacationMode was on",
        OUTLIVED * 2,
    ),
    "EcoMode is on": fresh(
        "inconclusive",
        "while X9: EcoMode is on",
        found(FRESH_MODE, ECO_MODE),
        cycle(FRESH_MODE, (2, -16)) * 2,
    ),
    "it moves once": fresh(
        "inconclusive",
        "but not twice",
        found(FRESH_MODE),
        cycle(FRESH_MODE, (2, -16)),
        cycle(FRESH_MODE, (2, -18)),
    ),
    "the mode does not begin": fresh(
        "inconclusive", "did not switch on", found(FRESH_MODE), cycle(FRESH_MODE, (2, -16), took=False)
    ),
    "no freezer": fresh(
        "not_applicable",
        "not supported",
        [read(FRESH_MODE, False), read(FREEZER_SETPOINT, SILENT)],
        attempt(FRESH_MODE, True, True),
        shared=(UNKNOWN, refusal(FREEZER_SETPOINT), value(FRESH_MODE, False)),
    ),
}


@pytest.mark.parametrize("name", FREEZER)
def test_mode_keeps_the_freezer(name: str) -> None:
    """The freezer setpoint stays with VacationMode and FreshMode; only EcoMode may move it."""
    story = FREEZER[name]
    clause = "COOL-VACATION-FREEZER" if story.key == VACATION_MODE else "COOL-FRESH-FREEZER"
    story.holds(assert_freezer_kept, clause, mode_group(story.key))


def test_orders_of_modes_are_judged_with_the_rest() -> None:
    """What a state machine found and made twice counts like a cycle of the mode."""
    once: Steps = [
        *found(FRESH_MODE, SUPER_FREEZER),
        *attempt(FRESH_MODE, True, True),
        *points(2, -16),
        restore(FRESH_MODE, False),
    ]
    fresh("fail", "twice", once, once).holds(assert_freezer_kept, "COOL-FRESH-FREEZER", COOLING_ORDERS)


TIMEOUTS: dict[str, Story] = {
    "it stays on": super_mode(
        "observed", "stayed on for the 10.0 s", found(SUPER), attempt(SUPER, True, True, True)
    ),
    "it ends": super_mode(
        "observed", "ended by itself, 10.0 s after", found(SUPER), attempt(SUPER, True, True, False)
    ),
    "it does not begin": super_mode(
        "inconclusive", "could not be switched on", found(SUPER), attempt(SUPER, True, False, False)
    ),
    "it is only ended": super_mode(
        "inconclusive", "could not be switched on", found(SUPER), attempt(SUPER, False, False)
    ),
}


@pytest.mark.parametrize("name", TIMEOUTS)
def test_timeout_is_noted(name: str) -> None:
    """How long a super mode stayed on is noted and never judged."""
    TIMEOUTS[name].holds(note_super_timeout, "COOL-SUPER-TIMEOUT", mode_group(SUPER))


@pytest.mark.parametrize(
    ("shown", "says"),
    [
        (14, "shows +14 °C"),
        (57, "shows +14 °C"),
        (4, "keeps its value"),
        (9, "shows another value: 4 before, 9 while"),
    ],
)
def test_vacation_setpoint_is_noted(shown: float, says: str) -> None:
    """Whether the setpoint key shows the 14 °C is left open by the document."""
    story = vacation("observed", says, found(VACATION_MODE), cycle(VACATION_MODE, (shown, -18)))
    story.holds(note_vacation_setpoint, "COOL-VACATION-14", mode_group(VACATION_MODE))


JUDGED: dict[str, Any] = {"interpretation": {"freshmode_setpoint": True}}
FRESH: dict[str, Story] = {
    "it reads 2": fresh("observed", "from 4 to 2", found(FRESH_MODE), cycle(FRESH_MODE, (2, -18))),
    "it reads 2 in °F": fresh("observed", "from 4 to 36", found(FRESH_MODE), cycle(FRESH_MODE, (36, -18))),
    "it keeps its value": fresh(
        "observed", "from 4 to 4", found(FRESH_MODE), cycle(FRESH_MODE, (4, -18)), tables=JUDGED
    ),
    "it reads another value": fresh(
        "inconclusive", "neither 2 °C nor its old value", found(FRESH_MODE), cycle(FRESH_MODE, (3, -18)) * 2
    ),
    "another value is judged": fresh(
        "fail", "from 4 to 3, twice", found(FRESH_MODE), cycle(FRESH_MODE, (3, -18)) * 2, tables=JUDGED
    ),
    "another value once": fresh(
        "inconclusive", "but not twice", found(FRESH_MODE), cycle(FRESH_MODE, (3, -18)), tables=JUDGED
    ),
    "another value while the mode had ended": fresh(
        "inconclusive",
        "had ended",
        found(FRESH_MODE),
        attempt(FRESH_MODE, True, True, False),
        points(3, -18),
        tables=JUDGED,
    ),
    "not readable while it is on": fresh(
        "inconclusive", "before and after", found(FRESH_MODE), cycle(FRESH_MODE, (SILENT, -18))
    ),
    "no refrigerator setpoint": fresh(
        "not_applicable",
        "not supported",
        [read(FRESH_MODE, False)],
        attempt(FRESH_MODE, True, True),
        shared=(UNKNOWN, refusal(SETPOINT), value(FRESH_MODE, False)),
    ),
}


@pytest.mark.parametrize("name", FRESH)
def test_fresh_setpoint(name: str) -> None:
    """Another value than 2 °C or the old one fails only where the profile chose to judge it."""
    FRESH[name].holds(assert_fresh_setpoint, "COOL-FRESH-2", mode_group(FRESH_MODE))


def test_one_step_alone_is_weighed_too() -> None:
    """What a state machine asks after every step needs no whole procedure, and says nothing where nothing was
    read.
    """
    seen = traced(procedure(COOLING_ORDERS, write(FRESH_MODE, True), read(FRESH_MODE, True)))
    (step,) = attempts(seen, COOLING_ORDERS)
    assert evaluate_fresh_setpoint(step) is None
    assert evaluate_setpoints_kept(seen, step, SUPER) is None
    kept = evaluate_freezer_kept(seen, step, FRESH_MODE)
    assert kept is not None
    assert kept.result == "undecided"
