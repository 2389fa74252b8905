"""Where values stand is guessed from all shared reads together, or not at all; a pointer finds them there."""

import json
import math
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any

import pytest
from msgspec import Struct
from msgspec.structs import replace

from catalog.maker import with_maker
from catalog.model import Entry
from conformance.checks.answer import Absence
from conformance.checks.exchange import Exchange
from conformance.checks.groups import NONCE_SETTINGS, Group, ProcedureKind
from conformance.harness.answers import calibration
from conformance.harness.answers.calibration import Calibration
from conformance.harness.answers.classes import Classifier
from conformance.harness.answers.decoding import find, lexical
from conformance.harness.answers.pointers import lists
from conformance.harness.observing import Observations
from conformance.model.json_values import NOTHING
from conformance.model.values import fits
from conformance.selftest.support.handmade import ANCHOR, exchange, numbered, profile_of

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
    return Calibration(profile_of(answer=declared or {})).learn(list(exchanges))


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
    bodies = {key: json.dumps(row.shape(key, shown)).encode() for key, shown in row.of.items()}
    guess = learnt(exchange(key, 200, body) for key, body in bodies.items()).guess
    assert (guess.value, guess.status) == (row.value, row.status)
    if row.value is None:
        assert guess.candidates == row.candidates
    if row.status:
        assert guess.places("status") == (row.status, row.value)
        assert guess.places("settings") == (row.value, row.status)


def test_undecided_body_says_where_its_value_may_be() -> None:
    """The reason of an answer without a value names the candidates and the field that decides."""
    evidence = Observations(UNDECLARED)
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
    calibration = Calibration(UNDECLARED)
    assert calibration.learn([*reads[:2], paced, *reads[2:]]).guess.value == "/is"
    assert not calibration.is_settled
    nonce = exchange(f"{NONCE}Ab", 200, b"{}", group=NONCE_SETTINGS, purpose="control")
    assert calibration.learn([nonce, *later]).guess.value == "/is"
    assert calibration.is_settled


def test_place_is_guessed_as_soon_as_it_shows() -> None:
    """Bodies that fit nowhere are judged anew when a later one shows where values are."""
    evidence = Observations(UNDECLARED)
    evidence.exchanges += numbered([exchange(OTHER, 200, b'{"value": 5}')])
    assert evidence.answer(evidence.exchanges[0]).absence is Absence.UNPOINTED
    evidence.exchanges += [replace(exchange(ANCHOR, 200, b'{"value": 5}'), n=2)]
    assert evidence.answer(evidence.exchanges[1]).value == 5
    assert evidence.answer(evidence.exchanges[0]).value == 5


@pytest.mark.parametrize("declared", [{"value": "/data/value"}, {}])
def test_no_body_is_looked_at_again(declared: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Where nothing fits for hours, each answer costs as much as the first one."""
    looks: list[object] = []

    def looked(entry: Entry, value: object) -> bool:
        looks.append(value)
        return fits(entry, value)

    monkeypatch.setattr(calibration, "fits", looked)
    group = Group(ProcedureKind.REPEAT, "on")
    learning = Calibration(profile_of(answer=declared))
    costs: list[int] = []
    for number in range(50):
        before = len(looks)
        body = json.dumps({"data": {"value": f"wrong {number}"}}).encode()
        learning.learn([exchange(OTHER, 200, body, group=group)])
        costs.append(len(looks) - before)
    assert not learning.is_settled
    assert len(set(costs[1:])) == 1


# What a pointer finds.
BODY: dict[str, Any] = {"data": {"value": 5, "a/b": 1, "c~d": 2, "": 3, "0": 4, "list": [10, [20]]}, "-": 6}

POINTERS: dict[str, object] = {
    "": BODY,
    "/data/value": 5,
    "/data/a~1b": 1,
    "/data/c~0d": 2,
    "/data/": 3,
    "/data/0": 4,
    "/data/list/1/0": 20,
    "/-": 6,
    "/data/list/-": NOTHING,
    "/data/list/01": NOTHING,
    "/data/list/-1": NOTHING,
    "/data/list/²": NOTHING,
    f"/data/list/{'9' * 5000}": NOTHING,
    "/data/value/0": NOTHING,
    "/data/c~2d": NOTHING,
    "data/value": NOTHING,
    "/": NOTHING,
}


@pytest.mark.parametrize("pointer", POINTERS)
def test_pointer_finds_what_it_names(pointer: str) -> None:
    """A JSON Pointer finds its member, or nothing; it never fails."""
    assert find(BODY, pointer) == POINTERS[pointer]


@pytest.mark.parametrize("body", ["text", 5, None, True, []])
def test_pointer_finds_nothing_in_a_scalar(body: object) -> None:
    """A text has no members, not even its letters."""
    assert find(body, "/0") is NOTHING
    assert find(body, "") == body


def test_lists_come_from_the_outside_in() -> None:
    """Where two of them suit as well, the one that is less deep is taken first."""
    assert [*lists({"meta": {"index": {"keys": [1]}}, "data": [2], "also": [3]})] == [
        "/data",
        "/also",
        "/meta/index/keys",
    ]


LEXICAL: dict[str, tuple[bytes, object, str]] = {
    "a fraction of zero": (b'{"id": 5, "value": 5.0}', 5.0, "5.0"),
    "an exponent": (b'{"value": 5e0}', 5.0, "5e0"),
    "infinite": (b'{"value": 1e999}', math.inf, "1e999"),
    "in letters": (b'{"value": -Infinity}', -math.inf, "-Infinity"),
    "no number": (b'{"value": NaN}', math.nan, "NaN"),
    "after no number": (b'{"id": NaN, "value": 5.0}', 5.0, "5.0"),
    "a whole number": (b'{"value": 5}', 5, ""),
    "one like it before": (b'{"id": -5, "value": -5.0}', -5.0, "-5.0"),
    "true": (b'{"value": true}', True, ""),
    "too long to quote": (b'{"value": 5.' + b"0" * 100_000 + b"}", 5.0, ""),
    "bytes that are no text": (b"\xff 5.0", 5.0, "5.0"),
}


@pytest.mark.parametrize("name", LEXICAL)
def test_number_is_quoted_as_it_was_written(name: str) -> None:
    """A finding can show the number in the server's own spelling."""
    body, value, spelling = LEXICAL[name]
    assert lexical(body, value) == spelling
