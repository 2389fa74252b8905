"""What appliances share, what the last look shows, and what a doubt needs."""

from functools import partial
from pathlib import Path
from typing import Any

import pytest

from conformance.cases import CATALOG, check_of
from conformance.checks.exchange import Exchange
from conformance.checks.groups import LAST_LOOK, guard_group, isolation_group, setting_group
from conformance.checks.view import View
from conformance.checks.writes.doubts import DOUBTS
from conformance.checks.writes.judging import judge_writes
from conformance.checks.writes.sharing import isolated, only_target
from conformance.mutants.registry import load_mutants, load_variants
from conformance.profiles.validation import build_profile
from conformance.selftest.support.findings import assert_said, rows_of, said
from conformance.selftest.support.samples.handmade import (
    HA_ID,
    POINTERS,
    URL,
    case_of,
    refusal,
    ruling,
    seen_of,
    value,
)
from conformance.selftest.support.samples.handtraced import (
    LOCK,
    SETTLE_S,
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

NAME1, NAME2 = (f"ConsumerProducts.CleaningRobot.Setting.NameOfMap{number}" for number in (1, 2))
DISPENSER = "Refrigeration.Common.Setting.Dispenser.Enabled"
LEFT, RIGHT = (
    f"Refrigeration.Common.Setting.Chiller{side}.SetpointTemperature" for side in ("Left", "Right")
)
LIGHT = "Refrigeration.Common.Setting.Light.Internal.Power"
REMOTE = "Vendor.Common.Status.RemoteControlActive"
OTHER = "two"


def beside(key: str, wanted: Any, other: str, *shown: object, took: bool = True, **members: Any) -> Steps:
    """A write of a key that takes effect, and reads of another setting afterwards."""
    return [
        *attempt(key, wanted, *([wanted, wanted] if took else [SILENT]), **members),
        *(read(other, each) for each in shown),
    ]


def names(*pairs: tuple[str, str]) -> Steps:
    """Writes of the name of map 1, each with what map 2 is called afterwards."""
    return [step for wanted, second in pairs for step in beside(NAME1, wanted, NAME2, second)]


def locks(*pairs: tuple[bool, object]) -> Steps:
    """Writes of the child lock, each with what the dispenser is afterwards."""
    return [step for wanted, second in pairs for step in beside(LOCK, wanted, DISPENSER, second)]


MAPS: Steps = [read(NAME1, "a"), read(NAME2, "b")]
SWITCHES: Steps = [read(LOCK, False), read(DISPENSER, False)]
SHOWN = {NAME1: "a", NAME2: "b", LOCK: False, DISPENSER: False, LEFT: 2, RIGHT: 3}
SERVED = tuple(value(key, shown) for key, shown in SHOWN.items())
only = partial(Story, shared=SERVED)

# A sibling that follows two values convicts, and a setting that moves with a write, back, and again.
# fmt: off
ONLY: dict[str, tuple[str, Story]] = {
    "both stay": ("pass (3)", only(SWITCHES, locks((True, False), (False, False)))),
    "the sibling stays": ("pass (1)", only(MAPS, names(("c", "b"), ("a", "b")))),
    "the sibling follows": ('fail 12 "c" NameOfMap1 204 NameOfMap2 1',
        only(MAPS, names(("c", "c"), ("a", "a")))),
    "an unrelated one changes without rule": (
        "inconclusive 24 false ChildLock 204 Dispenser.Enabled false true",
        only(SWITCHES, locks((True, True), (False, True), (True, False), (False, True)))),
    "the other cannot be read then": ("inconclusive 12 true ChildLock 204 Dispenser.Enabled 409",
        only(SWITCHES, locks((True, SILENT)))),
    "the other was not read": ("inconclusive (3)", only(read(LOCK, False), attempt(LOCK, True, True, True))),
    "the write had no effect": ("inconclusive 11 true ChildLock 204 Dispenser.Enabled false",
        only(SWITCHES, beside(LOCK, True, DISPENSER, False, took=False))),
    "nothing is served beside it": ("not_applicable (1)",
        Story(read(LOCK, False), shared=(value(LOCK, False), refusal(DISPENSER)))),
    "nothing was written": ("inconclusive (3)", only(SWITCHES, key=LOCK)),
    "a light moves others": ("not_applicable (7)", only(read(LIGHT, False))),
    "a read-only key": ('not_applicable 7 ChildLock "read"', only(read(LOCK, False, access="read"))),
}
# fmt: on


test_sharing = Story.each_of(
    {
        ("SET-ONLY-TARGET", judge_writes(only_target), setting_group): ONLY,
    }
)


def two_appliances(key: str, *steps: Exchange | float | Steps, **second: object) -> View:
    """What the first of two appliances shows."""
    one, other = ({"ha_id": ha_id, "kind": "Refrigerator"} for ha_id in (HA_ID, OTHER))
    data = {"target": {"name": "x", "base_url": URL}, "answer": POINTERS, "appliance": [one, other | second]}
    return seen_of(build_profile(data, CATALOG), *SERVED, *procedure(isolation_group(key), *steps))


def pair(wanted: Any, other: object, *, took: bool = True) -> Steps:
    """A write of the child lock, and what the other appliance's shows afterwards."""
    shown = wanted if took else not wanted
    return [*attempt(LOCK, wanted, shown, shown), read(LOCK, other, ha_id=OTHER)]


BOTH: Steps = [read(LOCK, False), read(LOCK, False, ha_id=OTHER)]
FOLLOWS: Steps = [*BOTH, *pair(True, True), *pair(False, False)]
# fmt: off
ISOLATED: dict[str, tuple[str, View]] = {
    "the other stays": ("pass (3)", two_appliances(LOCK, BOTH, pair(True, False), pair(False, False))),
    "the other follows": ("fail 12 true 204 false true 1", two_appliances(LOCK, FOLLOWS)),
    "the other follows one value alone": ("inconclusive 18 true 204 false true",
        two_appliances(LOCK, BOTH, pair(True, True), BOTH, pair(True, True))),
    "the other has that value": ("inconclusive (3)",
        two_appliances(LOCK, read(LOCK, False), read(LOCK, True, ha_id=OTHER), pair(True, True))),
    "the other cannot be read then": ("inconclusive 12 true 204 409",
        two_appliances(LOCK, BOTH, pair(True, SILENT))),
    "the write had no effect": ("inconclusive 12 true 204 false",
        two_appliances(LOCK, BOTH, pair(True, False, took=False))),
    "an alias": ("not_applicable", two_appliances(LOCK, FOLLOWS, alias_of=HA_ID)),
    "not served there": ("not_applicable (12) ChildLock",
        two_appliances(LOCK, read(LOCK, False), read(LOCK, SILENT, ha_id=OTHER), pair(True, SILENT))),
    "nothing was written": ("inconclusive (3)", two_appliances(LOCK, BOTH)),
    "nothing was written without remote control": ("inconclusive (3) X6 RemoteControlActive false",
        two_appliances(LOCK, read(REMOTE, False), BOTH)),
}
# fmt: on


@pytest.mark.parametrize("name", ISOLATED)
def test_appliances_share_nothing(name: str) -> None:
    """The other appliance must follow two different values; an alias is the same appliance."""
    expected, seen = ISOLATED[name]
    assert_said(ruling(judge_writes(isolated), "ADDR-HAID-ISOLATION", LOCK, seen), expected, name)


def test_another_number_on_the_other_appliance_is_a_doubt() -> None:
    """A change to what nobody wrote is the other appliance's own."""
    steps = [read(LEFT, 2), read(LEFT, 3, ha_id=OTHER), *attempt(LEFT, 0, 0, 0), read(LEFT, 1, ha_id=OTHER)]
    seen = two_appliances(LEFT, steps)
    assert ruling(judge_writes(isolated), "ADDR-HAID-ISOLATION", LEFT, seen).verdict == "inconclusive"


# What a setting shows when all was written is judged where it stays, and where nobody wanted it.
ALARM = "Vendor.Common.Setting.AlarmClock"
FOUND, TEXT = False, "false"


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        ([read(LOCK, TEXT), SETTLE_S, read(LOCK, TEXT)], 'fail 3 "false"'),
        ([read(LOCK, TEXT), SETTLE_S, read(LOCK, FOUND)], 'inconclusive 2 "false"'),
        ([read(LOCK, TEXT), 1, restore(LOCK, FOUND), SETTLE_S, read(LOCK, FOUND)], 'inconclusive 2 "false"'),
        ([read(LOCK, FOUND)], "pass (1)"),
    ],
    ids=["it stays", "it passes", "it is put back at once", "it is as it was"],
)
def test_type_at_last(steps: Steps, expected: str) -> None:
    """A value that stays for the settle time is judged; one that was seen once is a doubt."""
    seen = traced([value(LOCK, FOUND), *procedure(LAST_LOOK, steps)])
    check = check_of(case_of("TYPE-BOOLEAN", LOCK, seen))
    assert said(ruling(check, "TYPE-BOOLEAN", LOCK, seen)) == expected


@pytest.mark.parametrize(("status", "expected"), [(204, "pass (1)"), (409, "fail 6 BELOW -1 0 38340")])
def test_alarm_clock_at_last(status: int, expected: str) -> None:
    """Two looks at the alarm clock count, unless a write that was not refused wanted what they show."""
    made = procedure(guard_group(ALARM), read(ALARM, 0), attempt(ALARM, -1, 0, status=status))
    looks = procedure(LAST_LOOK, read(ALARM, -1), SETTLE_S, read(ALARM, -1))
    seen = traced([value(ALARM, 0), *made, *looks], "Oven")
    check = check_of(case_of("RANGE-ALARMCLOCK", ALARM, seen))
    assert said(ruling(check, "RANGE-ALARMCLOCK", ALARM, seen)) == expected


def test_what_was_written_to_be_refused_is_not_told_twice() -> None:
    """A wrong value that stays although the run wrote it is the finding of that write alone."""
    made = procedure(guard_group(LOCK), read(LOCK, FOUND), write(LOCK, TEXT), 1, read(LOCK, FOUND))
    late = procedure(LAST_LOOK, read(LOCK, TEXT), SETTLE_S, read(LOCK, TEXT))
    seen = traced([value(LOCK, FOUND), *made, *late])
    check = check_of(case_of("TYPE-BOOLEAN", LOCK, seen))
    assert said(ruling(check, "TYPE-BOOLEAN", LOCK, seen)) == "pass (1)"


@pytest.mark.parametrize(("looks", "expected"), [(1, "inconclusive 4 null"), (2, "fail 4 null")])
def test_null_at_last(looks: int, expected: str) -> None:
    """A null counts where it was read twice, also after another setting was put back."""
    steps = [read(LOCK, TEXT), restore(LOCK, FOUND), *[read(ALARM, None)] * looks]
    seen = traced([value(ALARM, 0), *procedure(LAST_LOOK, *steps)], "Oven")
    check = check_of(case_of("TYPE-NOTNULL", ALARM, seen))
    assert said(ruling(check, "TYPE-NOTNULL", ALARM, seen)) == expected


# Each doubt is needed by something that is tried: a server of the proof, or a row of these tests.
def test_each_doubt_is_needed() -> None:
    """What needs a doubt is a variant, a mutant of another clause, or a finding that is no failure."""
    sources = (path.read_text(encoding="utf-8") for path in Path(__file__).parent.glob("test_*.py"))
    rows = (row for source in sources for row in rows_of(source))
    tried = {row.name for row in rows if not str(row.expected.value).startswith("fail")}
    servers = {one.name for one in (*load_variants(), *load_mutants())}
    assert [doubt.needed_by for doubt in DOUBTS if doubt.needed_by not in tried | servers] == []
