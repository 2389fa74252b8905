"""A write changes what it names, on the appliance it names: what else moved, how
often, and whether it may.
"""

# ruff: noqa: FBT003  true and false stand here for values on the wire

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from conformance.cases import CATALOG
from conformance.checks.groups import setting_group
from conformance.checks.writes.sharing import assert_isolated, assert_only_target
from conformance.profiles.loader import build_profile
from conformance.selftest.support.handmade import HA_ID, POINTERS, URL, judged, seen_of, value
from conformance.selftest.support.handtraced import LOCK, SILENT, Story, attempt, procedure, read

if TYPE_CHECKING:
    from conformance.checks.view import View
    from conformance.selftest.support.handtraced import Steps

NAME1, NAME2, NAME3 = (f"ConsumerProducts.CleaningRobot.Setting.NameOfMap{number}" for number in (1, 2, 3))
DISPENSER = "Refrigeration.Common.Setting.Dispenser.Enabled"
LEFT, RIGHT = (
    f"Refrigeration.Common.Setting.Chiller{side}.SetpointTemperature" for side in ("Left", "Right")
)
LIGHT = "Refrigeration.Common.Setting.Light.Internal.Power"
LOCAL = "Vendor.Common.Status.LocalControlActive"
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
SERVED = (
    value(NAME1, "a"),
    value(NAME2, "b"),
    value(LOCK, False),
    value(DISPENSER, False),
    value(LEFT, 2),
    value(RIGHT, 3),
)

ONLY: dict[str, Story] = {
    "both stay": Story("pass", "", [*SWITCHES, *locks((True, False), (False, False))]),
    "the sibling stays": Story("pass", "", [*MAPS, *names(("c", "b"), ("a", "b"))], NAME1),
    "the sibling follows": Story(
        "fail",
        "and its sibling NameOfMap2 took it, too, twice with different values",
        [*MAPS, *names(("c", "c"), ("a", "a"))],
        NAME1,
    ),
    "the sibling follows once": Story(
        "inconclusive", "took it, too, but not", [*MAPS, *names(("c", "c"), ("a", "c"))], NAME1
    ),
    "the sibling follows twice with one value": Story(
        "inconclusive", "but not", [*MAPS, *names(("c", "c")), read(NAME2, "b"), *names(("c", "c"))], NAME1
    ),
    "the sibling has that value": Story(
        "pass", "", [read(NAME1, "a"), read(NAME2, "c"), *names(("c", "c"))], NAME1
    ),
    "siblings are declared coupled": Story(
        "not_applicable",
        "no sibling",
        [*MAPS, *names(("c", "c"), ("a", "a"))],
        NAME1,
        tables={"interpretation": {"siblings_independent": False}},
    ),
    "a setpoint follows the one beside it": Story(
        "fail",
        "its sibling ChillerRight",
        [read(LEFT, 2), read(RIGHT, 3), *beside(LEFT, 0, RIGHT, 0), *beside(LEFT, 2, RIGHT, 2)],
        LEFT,
    ),
    "an unrelated one changes each time": Story(
        "fail",
        "Dispenser.Enabled changed from false to true; with each of two writes and back; document says",
        [*SWITCHES, *locks((True, True), (False, False), (True, True))],
    ),
    "an unrelated one changes once": Story(
        "inconclusive",
        "but not with each of two writes and back",
        [*SWITCHES, *locks((True, True), (False, True))],
    ),
    "an unrelated one changes without rule": Story(
        "inconclusive",
        "but not",
        [*SWITCHES, *locks((True, True), (False, True), (True, False), (False, True))],
    ),
    "somebody operates it": Story(
        "inconclusive",
        "meanwhile",
        [
            read(LOCAL, False),
            *SWITCHES,
            *locks((True, True), (False, False), (True, True)),
            read(LOCAL, True),
        ],
    ),
    "the other cannot be read then": Story(
        "inconclusive", "Dispenser.Enabled could not be read", [*SWITCHES, *locks((True, SILENT))]
    ),
    "the other was not read": Story(
        "inconclusive", "nothing beside", [read(LOCK, False), *attempt(LOCK, True, True, True)]
    ),
    "the write had no effect": Story(
        "inconclusive", "no effect", [*SWITCHES, *beside(LOCK, True, DISPENSER, False, took=False)]
    ),
    "nothing was written": Story("inconclusive", "not written", SWITCHES),
    "a light moves others": Story("not_applicable", "no sibling", [read(LIGHT, False)], LIGHT),
    "a read-only key": Story("not_applicable", "read-only", [read(LOCK, False, access="read")]),
}


@pytest.mark.parametrize("name", ONLY)
def test_write_changes_what_it_names(name: str) -> None:
    """A sibling that follows two different values convicts, and a setting that changes with a write, back,
    and with it again.
    """
    story = ONLY[name]
    Story(story.verdict, story.says, story.steps, story.key, tables=story.tables, shared=SERVED).holds(
        assert_only_target, "SET-ONLY-TARGET", setting_group(story.key)
    )


def two_appliances(steps: Steps, **second: Any) -> View:
    """What the first of two appliances shows."""
    appliances = [
        {"ha_id": HA_ID, "kind": "Refrigerator"},
        {"ha_id": OTHER, "kind": "Refrigerator", **second},
    ]
    data: dict[str, Any] = {
        "target": {"name": "handmade", "base_url": URL},
        "answer": POINTERS,
        "appliance": appliances,
    }
    profile = build_profile(data, CATALOG, environment={})
    return seen_of(profile, *SERVED, *procedure(setting_group(LOCK), *steps))


def pair(wanted: Any, other: object, *, took: bool = True) -> Steps:
    """A write of the child lock, and what the other appliance's shows afterwards."""
    return [
        *attempt(LOCK, wanted, *([wanted, wanted] if took else [not wanted, not wanted])),
        read(LOCK, other, ha_id=OTHER),
    ]


BOTH: Steps = [read(LOCK, False), read(LOCK, False, ha_id=OTHER)]
ISOLATED: dict[str, tuple[Steps, dict[str, Any], str, str]] = {
    "the other stays": ([*BOTH, *pair(True, False), *pair(False, False)], {}, "pass", ""),
    "the other follows": (
        [*BOTH, *pair(True, True), *pair(False, False)],
        {},
        "fail",
        "and two took it as well (was false), also after 1 other write; document",
    ),
    "the other follows once": (
        [*BOTH, *pair(True, True), *pair(False, True)],
        {},
        "inconclusive",
        "not with two different values",
    ),
    "the other has that value": (
        [read(LOCK, False), read(LOCK, True, ha_id=OTHER), *pair(True, True)],
        {},
        "inconclusive",
        "already",
    ),
    "the other cannot be read then": (
        [*BOTH, *pair(True, SILENT)],
        {},
        "inconclusive",
        "two could not be read",
    ),
    "the write had no effect": (
        [*BOTH, *pair(True, False, took=False)],
        {},
        "inconclusive",
        "no effect on its own appliance",
    ),
    "an alias": (
        [*BOTH, *pair(True, True), *pair(False, False)],
        {"alias_of": HA_ID},
        "not_applicable",
        "no second appliance",
    ),
    "not served there": (
        [read(LOCK, False), read(LOCK, SILENT, ha_id=OTHER), *pair(True, SILENT)],
        {},
        "not_applicable",
        "no other",
    ),
    "nothing was written": (BOTH, {}, "inconclusive", "not written"),
}


@pytest.mark.parametrize("name", ISOLATED)
def test_appliances_share_nothing(name: str) -> None:
    """The other appliance must follow two different values; an alias is the same appliance."""
    steps, second, verdict, says = ISOLATED[name]
    result = judged(assert_isolated, "ADDR-HAID-ISOLATION", LOCK, two_appliances(steps, **second))
    assert (result.verdict, says in result.message) == (verdict, True), result.message


def test_another_number_on_the_other_appliance_is_a_doubt() -> None:
    """A change to what nobody wrote is the other appliance's own."""
    steps = [read(LEFT, 2), read(LEFT, 3, ha_id=OTHER), *attempt(LEFT, 0, 0, 0), read(LEFT, 1, ha_id=OTHER)]
    seen = two_appliances([])
    seen = seen_of(seen.profile, *SERVED, *procedure(setting_group(LEFT), *steps))
    result = judged(assert_isolated, "ADDR-HAID-ISOLATION", LEFT, seen)
    assert (result.verdict, "two changed from 3 to 1" in result.message) == ("inconclusive", True), (
        result.message
    )


def test_one_appliance_shares_with_nobody() -> None:
    """Without a second appliance there is nothing to isolate."""
    Story("not_applicable", "no second appliance", BOTH).holds(
        assert_isolated, "ADDR-HAID-ISOLATION", setting_group(LOCK)
    )
