"""A case that was judged when everything was read is judged again where it may come out otherwise."""

from collections.abc import Callable

import pytest

from catalog.keys import (
    ALARM_CLOCK,
    CHILD_LOCK,
    DOSING_1,
    FREEZER_DOOR,
    FREEZER_SETPOINT,
    INACTIVE,
    LIGHTING,
    LIQUID_UNIT,
    LOST,
    OPERATION_STATE,
    POWER_STATE,
)
from conformance.checks.exchange import Exchange, Remark
from conformance.checks.groups import NONCE_SETTINGS, Group, ProcedureKind
from conformance.checks.premise import Check
from conformance.checks.verdict import Deviation, Inconclusive
from conformance.checks.view import View
from conformance.runs.judging import judge
from conformance.selftest.support.samples.handmade import ANCHOR, HA_ID, case_of, profile_of, seen_of, value

PROFILE = profile_of()
LATER = Group(ProcedureKind.SET, CHILD_LOCK)
OTHER = Group(ProcedureKind.SET, ANCHOR)
READ = value(ANCHOR, 5)
MADE = value(CHILD_LOCK, shown=True, group=LATER)
REMARK = Remark("made", LATER, HA_ID, CHILD_LOCK, {})


def holds(check: Check, later: View) -> bool:
    """Whether what a check says of the first read is taken for what it says of the view that came later."""
    first = seen_of(PROFILE, READ)
    judged = judge(check, case_of("READ-VALUE", ANCHOR, first), first)
    return judged.holds_without(later.changed_since(first))


LOOKS: dict[str, tuple[Callable[[View], object], bool]] = {
    "a shared read": (lambda seen: seen.value(ANCHOR), True),
    "a procedure made later": (lambda seen: seen.group(LATER), False),
    "a procedure made later, in part": (lambda seen: seen.made_in(LATER), False),
    "what is noted later": (lambda seen: seen.noted(LATER), False),
    "a procedure that is not made": (lambda seen: seen.group(OTHER), True),
    "all procedures": (lambda seen: [*seen.groups], False),
}


@pytest.mark.parametrize("later", [seen_of(PROFILE, READ, MADE), seen_of(PROFILE, READ, remarks=[REMARK])])
@pytest.mark.parametrize("name", LOOKS)
def test_verdict_holds_where_nothing_it_looked_at_changed(name: str, later: View) -> None:
    """Neither what was made nor what was noted."""
    look, expected = LOOKS[name]
    assert holds(lambda _case, seen: str(look(seen)), later) is expected


@pytest.mark.parametrize("later", [value(ANCHOR, 6), value(ANCHOR, 5, group=NONCE_SETTINGS)])
def test_nothing_holds_where_reads_or_controls_changed(later: Exchange) -> None:
    """They say what all other answers mean."""
    assert not holds(lambda _case, _seen: None, seen_of(PROFILE, READ, later))


@pytest.mark.parametrize("judgement", [Deviation, Inconclusive])
def test_what_the_reports_explain_never_holds(judgement: type[Deviation | Inconclusive]) -> None:
    """They explain it by the exchanges of the whole run."""

    def check(_case: object, seen: View) -> None:
        raise judgement("odd", seen.answers(seen.catalog.entries[ANCHOR])[0])

    assert not holds(check, seen_of(PROFILE, READ, MADE))


@pytest.mark.parametrize(
    ("clause", "key", "document"),
    [
        (
            "RANGE-COMMON-ADVERTISED",
            ALARM_CLOCK,
            f"line 41: {ALARM_CLOCK} | Integer | 0 to 38340 seconds | Se",
        ),
        ("RANGE-WRITE-OUT", ALARM_CLOCK, f"line 41: {ALARM_CLOCK} | Integer | 0 to 38340 seconds | Sets the"),
        (
            "RANGE-WRITE-OUT",
            DOSING_1,
            "line 23: possible values | enumeration keys, true/false, or a numeric",
        ),
        (
            "TYPE-BOOLEAN",
            CHILD_LOCK,
            f"line 40: {CHILD_LOCK} | Boolean | true if enabled, false otherwise | Ch",
        ),
        ("TYPE-BOOLEAN", LIGHTING, f"line 63: {LIGHTING} | Boolean | true if on | Functional light of hoods"),
        ("OPT-UNITS", LIQUID_UNIT, "line 39: Not supported by all appliances."),
        (
            "UNIT-TEMP-APPLIES",
            FREEZER_SETPOINT,
            "line 38: When the setting is not returned, the unit is Cels",
        ),
        (
            "ENUM-DOOR-COOLING",
            FREEZER_DOOR,
            f"line 96: {FREEZER_DOOR} | Enumeration | Open, Closed | Freezer c",
        ),
        (
            "ENUM-POWERSTATE",
            POWER_STATE,
            f"line 37: {POWER_STATE} | Enumeration | see Power state values | Cu",
        ),
        ("OPS-INACTIVE", OPERATION_STATE, f"line 113: Inactive | {INACTIVE} | Switched off or in standby"),
        ("PATH-LOST", LOST, "line 149: For the four statuses BatteryLevel, DustBoxInserted, Lost"),
    ],
)
def test_sentence_stands_on_the_line_that_is_named(clause: str, key: str, document: str) -> None:
    """The row of the key, where its words decide; else the line of the clause."""
    seen = seen_of(PROFILE, READ)
    assert judge(lambda _case, _seen: None, case_of(clause, key, seen), seen).document.startswith(document)
