"""What is known of keys in one place: what controls what, what they may hold, and which go together."""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

import pytest

from catalog import keys
from catalog.loader import CATALOG
from conformance.model import couplings
from conformance.model.json_values import NOTHING, described, identical, same
from conformance.model.state_table import SHOWING_A_STATE, STATE_ROWS
from conformance.model.values import Bounds, Shown, Values
from conformance.model.ways import turn_back
from conformance.selftest.support import ROOT
from conformance.selftest.support.handmade import profile_of, seen_of

NAMED = SHOWING_A_STATE | {key for row in STATE_ROWS for key in row.lifts}
GROUPS = {"COOLING_MODES", "SUPER_MODES", "MAP_NAMES", "SABBATH_MODES", "SWITCHES", "LIGHTS", "PROTECTING"}
NAMES = GROUPS | {name for name, key in vars(keys).items() if isinstance(key, str) and key in NAMED}


def conditions(tree: ast.AST) -> Iterator[ast.AST]:
    """Every expression that decides something."""
    for node in ast.walk(tree):
        match node:
            case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test):
                yield test
            case ast.comprehension(ifs=ifs):
                yield from ifs
            case ast.Compare() | ast.BoolOp():
                yield node
            case _:
                pass


def named_in(path: Path) -> int:
    """How many names of keys that show a state stand in the conditions of a file."""
    found = {
        (node.lineno, node.col_offset)
        for test in conditions(ast.parse(path.read_text(encoding="utf-8")))
        for node in ast.walk(test)
        if (isinstance(node, ast.Name) and node.id in NAMES)
        or (isinstance(node, ast.Attribute) and node.attr in NAMES)
    }
    return len(found)


OWN_SUBJECT = {
    "checks/writes/cooling.py",
    "checks/writes/expected/power_moves.py",
    "checks/writes/operation.py",
    "checks/writes/power.py",
    "harness/writes/procedures/lights.py",
    "harness/writes/procedures/power.py",
    "harness/writes/tours/letters.py",
}
"""What judges or tries the power states, the lights or local control themselves."""
WHO_ACTS = (
    "who acts is read off the very keys that show it, each with a meaning of its own (lines 88, 90, 94)"
)
POWER = "the power state has procedures, clauses and a level of its own"
LEFT = {
    "checks/groups.py": (2, "which procedure writes a key is no question about an appliance"),
    "checks/case.py": (3, "what a profile allows and declares is asked by the key that it is about"),
    "checks/reads/enumerations.py": (1, POWER),
    "checks/reads/reading.py": (3, "the power state is what a moved reading is explained by"),
    "checks/traces/effects.py": (1, POWER),
    "checks/traces/witnessing.py": (3, WHO_ACTS),
    "checks/writes/doubts.py": (1, POWER),
    "checks/writes/judging.py": (6, WHO_ACTS),
    "harness/presence.py": (2, "the power state is read first, and tells that an appliance answers"),
    "harness/reads/repeats.py": (3, "a watch is of the very keys that are watched"),
    "harness/writes/keeping/putting_back.py": (
        1,
        "no move of the power table leads from Off but to On (129)",
    ),
    "harness/writes/last_looks.py": (1, WHO_ACTS),
    "harness/writes/procedures/guarding.py": (1, POWER),
    "harness/writes/procedures/isolation.py": (3, POWER),
    "harness/writes/rehearsal.py": (
        1,
        "a rehearsal stands in for an appliance, whose program ends with its power",
    ),
}
"""How many names still stand in conditions of other files, and why: a number here may only fall."""


def test_conditions_ask_the_model() -> None:
    """No check and no procedure decides by the name of a key what a row of the model says."""
    files = (path for room in ("checks", "harness") for path in (ROOT / "conformance" / room).rglob("*.py"))
    found = {path.relative_to(ROOT / "conformance").as_posix(): named_in(path) for path in files}
    others = {name: count for name, count in found.items() if count and name not in OWN_SUBJECT}
    assert others == {name: number for name, (number, _why) in LEFT.items()}
    assert {name for name, count in found.items() if count} >= OWN_SUBJECT


# What a key may hold on one appliance.
ON, OFF = keys.ON, keys.OFF


def values(key: str, *shown: Shown, **appliance: object) -> Values:
    """What a key may hold, by what is declared of the appliance and shown by its bodies."""
    (own,) = profile_of("Other", appliance=appliance).appliance
    return Values(CATALOG.entries[key], own, "Vendor", shown)


# the key, what is shown -> the range to write in, and the one that must hold
RANGES: dict[str, tuple[Values, Bounds | None, Bounds | None]] = {
    "common": (values(keys.LIGHTING_BRIGHTNESS), (10, 100), (10, 100)),
    "narrower": (values(keys.LIGHTING_BRIGHTNESS, Shown(min=20, max=90)), (20, 90), (10, 100)),
    "wider": (values(keys.LIGHTING_BRIGHTNESS, Shown(min=0, max=255)), (10, 100), (10, 100)),
    "upside down": (values(keys.LIGHTING_BRIGHTNESS, Shown(min=90, max=20)), (10, 100), (10, 100)),
    "half": (values(keys.LIGHTING_BRIGHTNESS, Shown(min=20)), (10, 100), (10, 100)),
    "texts": (values(keys.LIGHTING_BRIGHTNESS, Shown(min="20", max="90")), (10, 100), (10, 100)),
    "own": (values(keys.SETPOINT, Shown(min=2, max=8)), (2, 8), (2, 8)),
    "second": (values(keys.SETPOINT, Shown(), Shown(min=2, max=8)), (2, 8), (2, 8)),
    "whole": (values(keys.DOSING_1, Shown(min=4.5, max=200.5)), (5, 200), (5, 200)),
    "none": (values(keys.SETPOINT), None, None),
}


class Counted(tuple[Shown, ...]):
    """What bodies show; counts how often all of them are gone through."""

    __slots__ = ()
    rounds: ClassVar[list[object]] = []

    def __iter__(self) -> Iterator[Shown]:
        self.rounds.append(self)
        return super().__iter__()


def test_bodies_are_gone_through_once() -> None:
    """However many values are compared: a procedure may have read its key for hours."""
    (own,) = profile_of("Other").appliance
    some = Values(CATALOG.entries[keys.SETPOINT], own, "Vendor", Counted([Shown()] * 3))
    Counted.rounds.clear()
    for number in range(9):
        assert not some.alike(number, number + 1)
        assert some.offers(number)
        assert some.admits(number)
    assert len(Counted.rounds) == len(("step", "list", "range"))


@pytest.mark.parametrize("name", RANGES)
def test_range_is_its_own_within_the_common_one(name: str) -> None:
    """A body may narrow the range of the Limits table, which is what must hold all the same."""
    found, bounds, limits = RANGES[name]
    assert (found.bounds, found.limits) == (bounds, limits)


# a JSON value -> how a finding says it, with its type
SAID: list[tuple[object, str]] = [
    (None, "null (null)"),
    (True, "true (boolean)"),
    (5.5, "5.5 (number)"),
    ("ä\n", '"ä\\n" (string)'),
    ([1], "[1] (array)"),
    ({"a": 1}, '{"a": 1} (object)'),
    (NOTHING, "nothing (object)"),
    ("\x1b", '"\\u001b" (string)'),
    ("\u202e", '"\\u202e" (string)'),
    ("x" * 200, f'"{"x" * 119}... (string)'),
]


@pytest.mark.parametrize(("value", "said"), SAID, ids=range(len(SAID)))
def test_value_is_said_in_one_line(value: object, said: str) -> None:
    """As JSON, cut, and without what steers a terminal."""
    assert described(value) == said


NAN = float("nan")
EQUAL: list[tuple[object, object, str]] = [
    (5, 5.0, "same identical"),
    (5, 5.0000001, "same"),
    (5, 6, ""),
    (0, -0.0, "same"),
    (0.0, 0, "same identical"),
    (0, 5e-324, "same"),
    (NAN, NAN, "same identical"),
    (NAN, 5, ""),
    (True, 1, ""),
    (True, True, "same identical"),
    ("5", 5, ""),
    ("a", "a", "same identical"),
    ([NAN], [NAN], "same identical"),
    ([1], [2], ""),
    ({"a": NAN}, {"a": NAN}, "same identical"),
    ({"a": 1}, {"a": 1}, "same identical"),
    ({"a": 1}, {"a": 2}, ""),
    (NOTHING, NOTHING, "same identical"),
    (NOTHING, None, ""),
]


@pytest.mark.parametrize(("one", "other", "how"), EQUAL, ids=range(len(EQUAL)))
def test_values_are_equal_in_two_ways(one: object, other: object, how: str) -> None:
    """Within what arithmetic loses, or to the last digit and the sign of zero."""
    assert (same(one, other), identical(one, other)) == ("same" in how.split(), "identical" in how.split())


def test_list_and_step_of_a_number_are_those_that_are_shown() -> None:
    """Of a list its finite numbers; a declared step comes first, and whole numbers without one have 1."""
    shown = Shown(allowed=[1, "2", NAN, True, 4.5])
    assert values(keys.SETPOINT, shown).listed == [1, 4.5]
    steps = [values(keys.ALARM_CLOCK), values(keys.SETPOINT), values(keys.ALARM_CLOCK, Shown(step=60))]
    steps.append(values(keys.ALARM_CLOCK, Shown(step=60), step={keys.ALARM_CLOCK: 30}))
    assert [(one.step, one.stated_step) for one in steps] == [(1, None), (None, None), (60, 60), (30, 30)]


# In what order values are put back.
CUSTOM = "Vendor.Common.EnumType.AmbientLightColor.CustomColor"


BACK: dict[tuple[str, object], int] = {
    (keys.LIGHTING, True): 0,
    (keys.LIGHTING, False): 3,
    (keys.POWER_STATE, ON): 0,
    (keys.POWER_STATE, OFF): 3,
    (keys.CHILD_LOCK, False): 0,
    (keys.CHILD_LOCK, True): 3,
    (keys.ECO_MODE, True): 3,
    (keys.AMBIENT_COLOR, CUSTOM): 2,
    (keys.COLOR_TEMPERATURE, keys.NEUTRAL_LIGHT): 2,
    (keys.AMBIENT_BRIGHTNESS, 50): 1,
    (keys.MAP_NAME_1, ""): 1,
    (keys.TEMPERATURE_UNIT, keys.CELSIUS): 0,
}


@pytest.mark.parametrize(("key", "before"), BACK)
def test_what_opens_is_put_back_before_what_closes(key: str, before: object) -> None:
    """A value is put back in a state in which it can be written and read."""
    assert turn_back(seen_of(profile_of()), key, before) == BACK[key, before]


# Which keys go together.
CHILLER_LEFT, CHILLER_RIGHT = (
    f"Refrigeration.Common.Setting.Chiller{side}.SetpointTemperature" for side in ("Left", "Right")
)
MAP_2 = keys.MAP_NAME_1.replace("Map1", "Map2")
DISPENSER = "Refrigeration.Common.Setting.Dispenser.Enabled"

# a key that is written, another one -> it may move it, it may carry it along, they are tied
PAIRS: dict[tuple[str, str], str] = {
    (keys.CHILD_LOCK, keys.CHILD_LOCK): "may_move are_tied",
    (keys.CHILD_LOCK, keys.ALARM_CLOCK): "are_tied",
    (keys.ALARM_CLOCK, keys.CHILD_LOCK): "are_tied",
    (keys.ALARM_CLOCK, DISPENSER): "",
    (keys.ALARM_CLOCK, keys.LOCAL_CONTROL): "are_tied",
    (keys.TEMPERATURE_UNIT, keys.SETPOINT): "may_move may_carry_along are_tied",
    (keys.SETPOINT, keys.TEMPERATURE_UNIT): "",
    (keys.ECO_MODE, keys.VACATION_MODE): "may_move may_carry_along are_tied",
    (keys.ECO_MODE, keys.POWER_STATE): "may_move are_tied",
    (keys.LIGHTING_BRIGHTNESS, keys.LIGHTING): "may_move may_carry_along are_tied",
    (keys.INTERNAL_BRIGHTNESS, keys.INTERNAL_LIGHT): "may_move may_carry_along are_tied",
}


@pytest.mark.parametrize("pair", PAIRS)
def test_keys_of_a_pair_are_coupled(pair: tuple[str, str]) -> None:
    """Units move what they measure, modes each other; a lock moves nothing, and is tied to all."""
    asked = {name: getattr(couplings, name) for name in ("may_move", "may_carry_along", "are_tied")}
    assert {name: ask(*pair) for name, ask in asked.items()} == {
        name: name in PAIRS[pair].split() for name in asked
    }


def test_settings_of_one_light_are_known() -> None:
    """All but the key itself; a key of no light has none."""
    assert keys.LIGHTING_BRIGHTNESS in couplings.of_one_light(keys.LIGHTING)
    assert keys.LIGHTING in couplings.of_one_light(keys.LIGHTING_BRIGHTNESS)
    assert keys.LIGHTING_BRIGHTNESS not in couplings.of_one_light(keys.LIGHTING_BRIGHTNESS)
    assert couplings.of_one_light(keys.CHILD_LOCK) == ()


def test_siblings_are_of_one_row_or_number() -> None:
    """With the same type and segment; neither lights nor a Sabbath mode have any."""
    served = tuple(CATALOG.entries)
    assert CHILLER_LEFT in couplings.siblings_of(served, CHILLER_RIGHT)
    assert MAP_2 in couplings.siblings_of(served, keys.MAP_NAME_1)
    assert couplings.siblings_of((CHILLER_RIGHT,), CHILLER_RIGHT) == ()
    for key in (keys.LIGHTING, keys.INTERNAL_BRIGHTNESS, keys.FRIDGE_SABBATH, keys.ALARM_CLOCK):
        assert couplings.siblings_of(served, key) == ()
    assert couplings.are_numbered(keys.MAP_NAME_1, MAP_2)
    assert not couplings.are_numbered(keys.MAP_NAME_1, keys.MAP_NAME_1)
    assert not couplings.are_numbered("a.Map1", "b.Map2")
