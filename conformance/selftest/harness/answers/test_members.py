"""What stands beside a value is guessed by what it holds and by its name."""

from collections.abc import Callable
from functools import partial

import pytest

from catalog.keys import ALARM_CLOCK, CHILD_LOCK, DOOR_STATE, ON, OPEN, POWER_STATE, SETPOINT
from catalog.maker import with_maker
from conformance.cases import CATALOG
from conformance.harness.answers.members import Answered, Guessed, answered, guessed_members, members_shown
from conformance.harness.answers.pointers import lists
from conformance.selftest.support.samples.handmade import (
    profile_of,
    seen_of,
    value,
)

SHOWN: dict[str, tuple[object, str | None, tuple[float, float] | None]] = {
    POWER_STATE: (ON, None, None),
    CHILD_LOCK: (False, None, None),
    ALARM_CLOCK: (600, "seconds", (0, 38340)),
    SETPOINT: (5, "°C", (2, 8)),
}
"""By key: the value, the unit, the bounds."""


def guesses_of(shape: Callable[[str], object], value: str) -> dict[str, tuple[str, ...]]:
    """What is guessed of a service whose answers have a shape."""
    answers = [Answered(CATALOG.entries[key], key, shown[0], shape(key)) for key, shown in SHOWN.items()]
    return {field: guess.places for field, guess in guessed_members(answers, value).items()}


def usual(key: str) -> object:
    """The usual words."""
    value, unit, bounds = SHOWN[key]
    more = (
        {"unit": unit, "constraints": {"min": bounds[0], "max": bounds[1], "stepsize": 1}} if bounds else {}
    )
    listed = {"constraints": {"allowedvalues": [value], "access": "read"}} if key == POWER_STATE else {}
    return {
        "data": {
            "key": key,
            "name": "A name",
            "value": value,
            "type": CATALOG.entries[key].type,
            **more,
            **listed,
        }
    }


def odd(key: str) -> object:
    """Words that nobody would guess, in another order."""
    value, unit, bounds = SHOWN[key]
    more: dict[str, object] = (
        {"in": unit, "can": list(bounds)} if bounds else {"pick": [value]} if key == POWER_STATE else {}
    )
    return {"of": key, "links": [{"self": f"/x/{key}"}, {"self": "/y"}], "is": value, "kept": value, **more}


def all_alike(key: str) -> object:
    """Two members that both are the key."""
    return {"a": key, "b": key, "v": SHOWN[key][0]}


def in_every_answer(key: str) -> object:
    """A key that is shown everywhere, and one that nearly is; a word that may be a unit, and no step."""
    most = {} if key == CHILD_LOCK else {"most": key}
    return {"data": {"value": SHOWN[key][0], **most}, "every": key, "in": "furlongs", "step": 0}


def in_both(key: str) -> object:
    """Two members that both are the key, and a value beside each."""
    return {name: {"key": key, name: SHOWN[key][0]} for name in ("data", "meta")}


MEMBERS: dict[str, tuple[Callable[[str], object], str, dict[str, tuple[str, ...]]]] = {
    # Each field is where its usual name holds what would fit it.
    "usual words": (
        usual,
        "/data/value",
        {
            **{name: (f"/data/{name}",) for name in ("key", "unit", "type")},
            **{name: (f"/data/constraints/{name}",) for name in ("min", "max", "access")},
            "step": ("/data/constraints/stepsize",),
            "allowed": ("/data/constraints/allowedvalues",),
            "description": ("/data/name",),
        },
    ),
    # The key equals the one asked for, a unit is of the document, bounds are of an entry with a range.
    "other words": (
        odd,
        "/is",
        {"key": ("/of",), "unit": ("/in",), "min": ("/can/0",), "max": ("/can/1",), "allowed": ("/pick",)},
    ),
    # Equals are all named, but for the nearest to the value; what is shown everywhere goes first.
    "equals": (all_alike, "/v", {"key": ("/a", "/b")}),
    "unlike places": (in_every_answer, "/data/value", {"key": ("/every",)}),
    "the nearest, first": (in_both, "/data/data", {"key": ("/data/key",)}),
    "the nearest, second": (in_both, "/meta/meta", {"key": ("/meta/key",)}),
}
"""Shapes of answers, where their values stand, and where each member is guessed to stand."""


@pytest.mark.parametrize("name", MEMBERS)
def test_member_is_guessed_by_what_it_holds_and_by_its_name(name: str) -> None:
    """Of the places that fit, the surest; a member that nothing speaks for is none."""
    shape, value, places = MEMBERS[name]
    assert guesses_of(shape, value) == places


NONE_WITHIN = "0 of 1 values lie within"


def test_bound_that_a_value_violates_stands_beside_it() -> None:
    """What is called like a bound elsewhere in the body is the bound of something else."""
    answers = [
        Answered(CATALOG.entries[SETPOINT], SETPOINT, 9, {"data": {"is": {"value": 9, "max": 8}}, "min": 10}),
    ]
    assert guessed_members(answers, "/data/is/value") == {"max": Guessed(("/data/is/max",), NONE_WITHIN)}


def test_only_answers_with_a_place_are_looked_at() -> None:
    """What was read of a segment, by the key as the target spells it."""
    seen = seen_of(profile_of(), value(CHILD_LOCK, shown=False, unit="s"), value(DOOR_STATE, OPEN))
    (found,) = answered([seen], "settings")
    assert (found.asked, found.value, found.pointer) == (
        with_maker(CHILD_LOCK, "Vendor"),
        False,
        "/data/value",
    )
    assert found.body == seen.reads["settings", CHILD_LOCK].body
    assert members_shown([seen], "settings")["key"].places == ("/data/key",)
    assert [each.asked for each in answered([seen])] == [CHILD_LOCK, DOOR_STATE]


@pytest.mark.parametrize(
    ("shown", "doubts"),
    [
        ([(4, 2, 8), (-30, -24, -16)], {"min": "1 of 2 values lie within", "max": ""}),
        ([(9, 2, 8)], {"min": "", "max": "0 of 1 values lie within"}),
        ([(4, 2, 8), (5, None, None), (5, None, None)], {"min": "", "max": ""}),
        ([(3, 3, 3)], {"min": "", "max": ""}),
        ([(4, 2, 9), (1, 2, 9), (1, 2, 9)], {"min": "1 of 3 values lie within", "max": ""}),
    ],
    ids=["below", "above", "null", "at both", "twice below"],
)
def test_bound_that_a_value_violates_is_no_less_a_bound(
    shown: list[tuple[int, int | None, int | None]], doubts: dict[str, str]
) -> None:
    """A draft that left it out would hide the fault; null says only that there is none."""
    answers = [
        Answered(CATALOG.entries[SETPOINT], SETPOINT, value, {"value": value, "min": least, "max": most})
        for value, least, most in shown
    ]
    guesses = guessed_members(answers, "/value")
    assert {field: guesses.get(field) for field in ("min", "max")} == {  # pyright: ignore[reportArgumentType]  names of fields
        field: Guessed((f"/{field}",), doubt) for field, doubt in doubts.items()
    }


@pytest.mark.parametrize("name", ["unit", "min", "max", "key", "type", "allowed", "access"])
def test_usual_name_alone_is_no_evidence(name: str) -> None:
    """A member with the right name that holds something else is no guess."""
    unlike = {"min": ("?",), "max": ("?",), "unit": (7,), "allowed": (["?"], [ON, "?", "!"])}
    others: tuple[object, ...] = ([], {"x": 1}, *unlike.get(name, ("?", 7)))
    for other in others:
        assert name not in guesses_of(partial(_with_member, name, other), "/value")


def _with_member(name: str, other: object, key: str) -> object:
    return {"value": SHOWN[key][0], name: other}


def test_lists_come_from_the_outside_in() -> None:
    """Where two of them suit as well, the one that is less deep is taken first."""
    assert [*lists({"meta": {"index": {"keys": [1]}}, "data": [2], "also": [3]})] == [
        "/data",
        "/also",
        "/meta/index/keys",
    ]
