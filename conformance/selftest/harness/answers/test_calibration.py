"""Where values stand, and what beside them, is guessed from all shared reads together, or not at all."""

import json
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any

import pytest
from msgspec import Struct
from msgspec.structs import replace

from catalog.keys import ALARM_CLOCK, CHILD_LOCK, DOOR_STATE, ON, OPEN, POWER_STATE, SETPOINT
from catalog.maker import with_maker
from conformance.cases import CATALOG
from conformance.checks.answer import Absence
from conformance.checks.exchange import Exchange
from conformance.checks.groups import NONCE_SETTINGS, Group, ProcedureKind
from conformance.harness.answers.calibration import Calibration
from conformance.harness.answers.classes import Classifier, Guess
from conformance.harness.answers.members import Answered, Guessed, answered, guessed_members, members_shown
from conformance.harness.observing import Observations
from conformance.selftest.support.samples.handmade import (
    ANCHOR,
    exchange,
    numbered,
    profile_of,
    seen_of,
    value,
)

OTHER = "Vendor.Common.Setting.ChildLock"
POWER = "Vendor.Common.Setting.PowerState"
NONCE = "Vendor.Common.Setting.Nonce"
DOOR = "Vendor.Common.Status.DoorState"
REMOTE = "Vendor.Common.Status.RemoteControlActive"
VALUES: dict[str, object] = {
    POWER: "Vendor.Common.EnumType.PowerState.On",
    OTHER: False,
    ANCHOR: 5,
    DOOR: "Vendor.Common.EnumType.DoorState.Open",
    REMOTE: True,
    "Vendor.Common.Status.OperationState": "Vendor.Common.EnumType.OperationState.Ready",
}
"""What a small appliance says, by key."""
UNDECLARED = profile_of(answer={})


def learnt(exchanges: Iterable[Exchange], declared: dict[str, str] | None = None) -> Classifier:
    """What all of these teach at once."""
    return Calibration(profile_of(answer=declared or {}), CATALOG).learn(list(exchanges))


def guess_of(shape: Callable[[str, Any], object], values: Mapping[str, object]) -> Guess:
    """The guess from the shared reads of a service whose answers have a `shape`."""
    return learnt(
        exchange(key, 200, json.dumps(shape(key, shown)).encode()) for key, shown in values.items()
    ).guess


class Guessing(Struct):
    """Answers of a shape, of some keys, and where their values are said to stand: `candidates` are the places
    that may be it where none is; statuses may stand elsewhere.
    """

    shape: Callable[[str, Any], object]
    value: str | None
    candidates: tuple[str, ...] = ()
    status: str | None = None
    of: Mapping[str, object] = MappingProxyType(VALUES)


def word(shown: object) -> object:
    """The label of an enumeration, and any other value as it is."""
    return shown.rpartition(".")[2] if isinstance(shown, str) else shown


DOORS = {key: shown for key, shown in VALUES.items() if key == DOOR or "Setting" in key}
OF_A_MAKER = {
    key: with_maker(shown, "Maker") if isinstance(shown, str) else shown for key, shown in VALUES.items()
}
# fmt: off
GUESSED: dict[str, Guessing] = {
    # The place that does for entries of several types is the value's, whatever it is called.
    "the usual place": Guessing(lambda key, shown: {"data": {"key": key, "value": shown}}, "/data/value"),
    "another name below another": Guessing(
        lambda key, shown: {"result": {"setting": {"id": key, "val": shown}}}, "/result/setting/val"),
    "beside the key": Guessing(lambda key, shown: {"key": key, "state": {"val": shown}}, "/state/val"),
    "in a list of one": Guessing(lambda key, shown: [{"key": key, "v": shown}], "/0/v"),
    "bare": Guessing(lambda _key, shown: shown, ""),
    "a name with a slash": Guessing(lambda _key, shown: {"a/b~": shown}, "/a~1b~0"),
    "beside what says nothing": Guessing(
        lambda key, shown: {"value": "ok", "result": {"is": shown, "label": f"The {key}"}}, "/result/is"),
    "beside a counter": Guessing(lambda key, shown: {"value": len(key), "is": shown}, "/is"),
    "beside a default that some have": Guessing(
        lambda key, shown: {"is": shown, "default": shown} if "Setting" in key else {"is": shown}, "/is"),
    "the usual place, beside a default": Guessing(
        lambda _key, shown: {"value": shown, "default": shown}, "/value"),
    "of a maker whom no profile names": Guessing(lambda _key, shown: {"is": shown}, "/is", of=OF_A_MAKER),
    # Whoever answers with wrong values at a usual place is judged there.
    "all values as texts": Guessing(lambda _key, shown: {"value": str(shown), "default": shown}, "/value"),
    "labels for enumerations": Guessing(
        lambda _key, shown: {"value": word(shown), "default": shown}, "/value"),
    # Where two places do equally well, neither is taken, and both are named.
    "two places alike": Guessing(lambda _key, shown: {"is": shown, "was": shown}, None, ("/is", "/was")),
    "two usual places": Guessing(
        lambda _key, shown: {"data": {"value": shown}, "value": shown}, None, ("/data/value", "/value")),
    "each does for what the other does not": Guessing(
        lambda key, shown: {"is": "x" if key == ANCHOR else shown, "was": "x" if key == OTHER else shown},
        None, ("/is", "/was")),
    # Where every enumeration is a word of another kind, values may stand elsewhere; one body is no evidence.
    "a type that never fits": Guessing(
        lambda _key, shown: {"val": str(word(shown)).upper() if isinstance(shown, str) else shown},
        None, ("/val",)),
    "an unusual place in the only body": Guessing(
        lambda _key, shown: {"state": shown}, None, ("/state",), of={ANCHOR: 5}),
    # Where settings and statuses are shaped differently, each has its place; members of the right family are
    # evidence enough, and a status that lost its value is not read from the list of what it may be.
    "statuses of another shape": Guessing(
        lambda key, shown: {"data": {"is": shown}} if ".Setting." in key else {"now": shown},
        "/data/is", status="/now"),
    "statuses of one family": Guessing(
        lambda key, shown: {"set" if "Setting" in key else "status": {"value": shown}},
        "/set/value", status="/status/value", of=DOORS),
    "a list of one choice": Guessing(
        lambda key, shown: {"data": {"value": shown} if "Setting" in key else {"allowed": [shown]}},
        "/data/value", of=DOORS),
}
# fmt: on


@pytest.mark.parametrize("name", GUESSED)
def test_place_of_values_is_guessed_by_all_of_them(name: str) -> None:
    """What does for all entries together, or nothing where that is not one place."""
    row = GUESSED[name]
    guess = guess_of(row.shape, row.of)
    assert (guess.value, guess.status) == (row.value, row.status)
    if row.value is None:
        assert guess.candidates == row.candidates
    if row.status:
        assert guess.places("status") == (row.status, row.value)
        assert guess.places("settings") == (row.value, row.status)


def test_undecided_body_says_where_its_value_may_be() -> None:
    """The reason of an answer without a value names the candidates and the field that decides."""
    evidence = Observations(UNDECLARED, CATALOG)
    evidence.exchanges += numbered(
        exchange(key, 200, json.dumps({"is": shown, "was": shown}).encode()) for key, shown in VALUES.items()
    )
    answer = evidence.answer(evidence.exchanges[0])
    assert (answer.absence, answer.calibrated) == (Absence.UNPOINTED, True)
    assert "declare answer.value ('/is' or '/was'?)" in answer.words


SHAPES: dict[str, tuple[bytes, str | None]] = {
    "an envelope": (b'{"data": {"value": 5}}', "/data/value"),
    "bare": (b"5", ""),
    "two places": (b'{"data": {"value": 5}, "value": 5}', None),
    "two places, one fits": (b'{"data": {"value": 5}, "value": "five"}', "/data/value"),
    "another type": (b'{"value": "5"}', None),
    "null": (b'{"value": null}', None),
    "no JSON": (b"<p>5</p>", None),
}


@pytest.mark.parametrize("name", SHAPES)
def test_one_key_is_evidence_for_a_usual_place(name: str) -> None:
    """From a single body the value is at the one usual place that fits."""
    body, place = SHAPES[name]
    classifier = learnt([exchange(ANCHOR, 200, body)])
    assert classifier.guess.value == place
    assert classifier.speaks_json is (name != "no JSON")


def test_first_fitting_body_decides_where_two_disagree() -> None:
    """Of two keys with values at two usual places, the first one that was read decides."""
    first, later = exchange(OTHER, 200, b'{"value": true}'), exchange(ANCHOR, 200, b'{"data": {"value": 5}}')
    assert learnt([first, later]).guess.value == "/value"


def test_nothing_is_guessed_where_the_place_is_declared() -> None:
    """A declared pointer is no guess, however well a body fits it."""
    evidence = Observations(profile_of(answer={"value": "/value"}), CATALOG)
    evidence.exchanges += numbered([exchange(ANCHOR, 200, b'{"value": 5}')])
    assert evidence.answer(evidence.exchanges[0]).value == 5
    assert evidence.guess.value is None


def test_guess_is_fixed_when_the_shared_reads_are_over() -> None:
    """What comes after the shared reads changes no guess; a read made again among them ends nothing."""
    reads = [exchange(key, 200, json.dumps({"is": shown}).encode()) for key, shown in VALUES.items()]
    paced = replace(reads[0], purpose="control", groups=(Group(ProcedureKind.PACE),))
    later = [
        replace(
            one, request=replace(one.request, url="x"), response=replace(one.response, body=b'{"value": 1}')
        )
        for one in reads
        if one.response
    ]
    calibration = Calibration(UNDECLARED, CATALOG)
    assert calibration.learn([*reads[:2], paced, *reads[2:]]).guess.value == "/is"
    assert not calibration.is_settled
    nonce = exchange(f"{NONCE}Ab", 200, b"{}", group=NONCE_SETTINGS, purpose="control")
    assert calibration.learn([nonce, *later]).guess.value == "/is"
    assert calibration.is_settled


def test_place_is_guessed_as_soon_as_it_shows() -> None:
    """Bodies that fit nowhere are judged anew when a later one shows where values are."""
    evidence = Observations(UNDECLARED, CATALOG)
    evidence.exchanges += numbered([exchange(OTHER, 200, b'{"value": 5}')])
    assert evidence.answer(evidence.exchanges[0]).absence is Absence.UNPOINTED
    evidence.exchanges += [replace(exchange(ANCHOR, 200, b'{"value": 5}'), n=2)]
    assert evidence.answer(evidence.exchanges[1]).value == 5
    assert evidence.answer(evidence.exchanges[0]).value == 5


# What stands beside a value is guessed by what it holds, and by its name.
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
