"""What a key may hold on one appliance, how it is made writable, and which keys go together."""

from collections.abc import Iterator
from typing import ClassVar

import pytest

from catalog import keys
from conformance.cases import CATALOG
from conformance.model import couplings
from conformance.model.json_values import NOTHING, described, identical, same
from conformance.model.states import write_exempting_states
from conformance.model.values import Bounds, Shown, Values
from conformance.model.ways import ending_of, locks_of, turn_back
from conformance.selftest.support.samples.handmade import profile_of, seen_of, value

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


# How a key is made writable, what locks it, and in what order values are put back.
CUSTOM = "Vendor.Common.EnumType.AmbientLightColor.CustomColor"
COLORS = ["CustomColor", "Color7", "Color8"]
COLOR_1, COLOR_7 = keys.COLOR_1, keys.COLOR_1.replace("Color1", "Color7")

# what is read of the key that shows a state, the key to write -> the state, and what ends it
ENDS: dict[str, tuple[str, object, str, str, object]] = {
    "custom colour": (keys.AMBIENT_COLOR, CUSTOM, keys.AMBIENT_BRIGHTNESS, "X1", COLOR_7),
    "preset": (keys.AMBIENT_COLOR, COLOR_7, keys.CUSTOM_COLOR, "X2", CUSTOM),
    "temperature": (keys.COLOR_TEMPERATURE, keys.NEUTRAL_LIGHT, keys.COLOR_PERCENT, "X3", keys.CUSTOM_LIGHT),
    "off": (keys.POWER_STATE, OFF, keys.ALARM_CLOCK, "X4", ON),
    "sabbath": (keys.FRIDGE_SABBATH, True, keys.SETPOINT, "X7", False),
    "dark": (keys.INTERNAL_LIGHT, False, keys.INTERNAL_BRIGHTNESS, "X8", True),
    "mode": (keys.ECO_MODE, True, keys.SETPOINT, "X9", False),
    "lock": (keys.CHILD_LOCK, True, keys.SETPOINT, "X13", False),
    "nobody may": (keys.REMOTE_CONTROL, False, keys.SETPOINT, "X6", None),
    "somebody is there": (keys.LOCAL_CONTROL, True, keys.SETPOINT, "X6", None),
    "program": (keys.OPERATION_STATE, keys.RUN, keys.SETPOINT, "X10", None),
    "no map": (keys.MAP_NAME_1, "", keys.MAP_NAME_1, "X12", None),
}


@pytest.mark.parametrize("name", ENDS)
def test_state_is_ended_by_a_write_of_its_key(name: str) -> None:
    """What ends a state is a value that the appliance has; a status is written by nobody."""
    controller, now, key, state, ends = ENDS[name]
    profile = profile_of("Other", appliance={"enum_subset": {keys.AMBIENT_COLOR: COLORS}})
    seen = seen_of(profile, value(controller, now))
    (found,) = write_exempting_states(seen, key)
    assert (found.id.name, ending_of(seen, found, lambda _: True)) == (state, ends)
    assert ending_of(seen, found, lambda _: False) is None


def test_way_begins_with_what_may_refuse_the_rest() -> None:
    """Locks are opened first, then lights and modes, then colours; what is owed goes before other values."""
    profile = profile_of("Other", appliance={"enum_subset": {keys.AMBIENT_COLOR: COLORS}})
    seen = seen_of(profile, value(keys.AMBIENT_COLOR, CUSTOM))
    way = list(locks_of(seen, keys.AMBIENT_BRIGHTNESS, {keys.AMBIENT_COLOR: COLOR_1}))
    assert [lock.row.id.name for lock in way] == ["X7", "X7", "X13", "X4", "X8", "X1"]
    assert (way[-1].opening[0], way[-1].closing) == (COLOR_1, (CUSTOM,))


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
}


@pytest.mark.parametrize(("key", "before"), BACK)
def test_what_opens_is_put_back_before_what_closes(key: str, before: object) -> None:
    """A value is put back in a state in which it can be written and read."""
    assert turn_back(seen_of(profile_of()), key, before) == BACK[key, before]


# Which keys go together.
LEFT, RIGHT = (
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
    assert {name: ask(CATALOG, *pair) for name, ask in asked.items()} == {
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
    assert LEFT in couplings.siblings_of(CATALOG, served, RIGHT)
    assert MAP_2 in couplings.siblings_of(CATALOG, served, keys.MAP_NAME_1)
    assert couplings.siblings_of(CATALOG, (RIGHT,), RIGHT) == ()
    for key in (keys.LIGHTING, keys.INTERNAL_BRIGHTNESS, keys.FRIDGE_SABBATH, keys.ALARM_CLOCK):
        assert couplings.siblings_of(CATALOG, served, key) == ()
    assert couplings.are_numbered(keys.MAP_NAME_1, MAP_2)
    assert not couplings.are_numbered(keys.MAP_NAME_1, keys.MAP_NAME_1)
    assert not couplings.are_numbered("a.Map1", "b.Map2")
