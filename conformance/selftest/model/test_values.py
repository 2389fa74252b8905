"""What a key may hold on one appliance: declared, else advertised, else as the document says of all."""

import pytest

from catalog import keys
from conformance.cases import CATALOG
from conformance.model.json_values import NOTHING, described, identical, is_whole, number, same
from conformance.model.values import Bounds, Shown, Values
from conformance.selftest.support.samples.handmade import profile_of

ON, OFF, STANDBY = keys.ON, keys.OFF, keys.STANDBY


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


@pytest.mark.parametrize("name", RANGES)
def test_range_is_its_own_within_the_common_one(name: str) -> None:
    """A body may narrow the range of the Limits table, which is what must hold all the same."""
    found, bounds, limits = RANGES[name]
    assert (found.bounds, found.limits) == (bounds, limits)


# what is declared and shown of PowerState -> the members that it offers
MEMBERS: dict[str, tuple[Values, tuple[str, ...] | None]] = {
    "nothing": (values(keys.POWER_STATE), None),
    "advertised": (values(keys.POWER_STATE, Shown(allowed=[ON, OFF, "x"])), (OFF, ON)),
    "declared": (
        values(keys.POWER_STATE, Shown(allowed=[OFF]), power_states=["On", "Standby"]),
        (ON, STANDBY),
    ),
    "empty": (values(keys.POWER_STATE, Shown(allowed=[])), None),
    "no list": (values(keys.POWER_STATE, Shown(allowed="On")), None),
}


@pytest.mark.parametrize("name", MEMBERS)
def test_members_are_declared_else_advertised(name: str) -> None:
    """Where nothing says which members an appliance has, it may have all."""
    found, offered = MEMBERS[name]
    assert found.offered == offered
    assert set(found.choices) == set(found.members if offered is None else offered)


# a value of the key -> it is of the entry, may be written, must be right, is left out by a list
ADMITTED: dict[str, tuple[Values, object, str]] = {
    "inside": (values(keys.LIGHTING_BRIGHTNESS, Shown(min=20, max=90)), 20, "is_of admits is_right offers"),
    "beside its own": (values(keys.LIGHTING_BRIGHTNESS, Shown(min=20, max=90)), 15, "is_of is_right offers"),
    "beyond": (values(keys.LIGHTING_BRIGHTNESS), 101, "is_of offers"),
    "calculated": (values(keys.LIGHTING_BRIGHTNESS), 100.0000001, "is_of admits is_right offers"),
    "not listed": (values(keys.LIGHTING_BRIGHTNESS, Shown(allowed=[10, 50])), 20, "is_of admits is_right"),
    "a text": (values(keys.LIGHTING_BRIGHTNESS), "20", "offers"),
    "true": (values(keys.ALARM_CLOCK), True, "offers"),
    "a fraction": (values(keys.ALARM_CLOCK), 5.5, "offers"),
    "a member": (values(keys.POWER_STATE), ON, "is_of admits is_right offers"),
    "a short name": (values(keys.POWER_STATE), "On", "offers"),
    "not offered": (values(keys.POWER_STATE, power_states=["On"]), OFF, "is_of admits is_right"),
}


@pytest.mark.parametrize("name", ADMITTED)
def test_value_may_be_written_or_must_be_right(name: str) -> None:
    """Each question about a value has one answer."""
    found, value, answers = ADMITTED[name]
    asked = {word: getattr(found, word)(value) for word in ("is_of", "admits", "is_right", "offers")}
    assert asked == {word: word in answers.split() for word in asked}


ALIKE = [
    (values(keys.SETPOINT, Shown(step=1)), 4, 4.5, True),
    (values(keys.SETPOINT), 4, 4.5, False),
    (values(keys.ALARM_CLOCK), 60, 60.5, False),
    (values(keys.CUSTOM_COLOR), "#FF00ff", "#ff00FF", True),
    (values(keys.MAP_NAME_1), "Hall", "hall", False),
]


@pytest.mark.parametrize(("found", "one", "other", "is_alike"), ALIKE)
def test_values_are_alike(found: Values, one: object, other: object, *, is_alike: bool) -> None:
    """A number may be rounded by less than its step, and a colour spelled in either case."""
    assert found.alike(one, other) is is_alike


@pytest.mark.parametrize(
    ("access", "is_read_only"),
    [("read", True), ("readWrite", False), (["read"], True), (["read", "write"], False), (5, False)],
)
def test_access_is_a_word_or_a_list(access: object, *, is_read_only: bool) -> None:
    """What is advertised as read-only is written by nobody."""
    assert values(keys.SETPOINT, Shown(access=access)).is_read_only is is_read_only


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
    ({"a": 1}, {"a": 1}, "same identical"),
    ({"a": 1}, {"a": 2}, ""),
    (NOTHING, NOTHING, "same identical"),
    (NOTHING, None, ""),
]


@pytest.mark.parametrize(("one", "other", "how"), EQUAL, ids=range(len(EQUAL)))
def test_values_are_equal_in_two_ways(one: object, other: object, how: str) -> None:
    """Within what arithmetic loses, or to the last digit and the sign of zero."""
    assert (same(one, other), identical(one, other)) == ("same" in how.split(), "identical" in how.split())


def test_number_is_no_text_and_no_switch() -> None:
    """And a whole one is finite."""
    assert [is_whole(value) for value in (5, 5.0, 5.5, NAN, True, "5")] == [True, True, *[False] * 4]
    for value in ("5", True, None):
        with pytest.raises(TypeError):
            number(value)


def test_list_and_step_of_a_number_are_those_that_are_shown() -> None:
    """Of a list its finite numbers; without a step, whole numbers have one of 1."""
    shown = Shown(allowed=[1, "2", NAN, True, 4.5])
    assert values(keys.SETPOINT, shown).listed == [1, 4.5]
    steps = [values(keys.ALARM_CLOCK), values(keys.SETPOINT), values(keys.ALARM_CLOCK, Shown(step=60))]
    assert [(one.step, one.stated_step) for one in steps] == [(1, None), (None, None), (60, 60)]
