"""Bodies are read strictly, wherever they are read alike, and never crash the reader; what stands beside a
value in them is guessed.
"""

import json
import math
from collections.abc import Callable
from contextlib import suppress
from encodings.aliases import aliases

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.keys import ALARM_CLOCK, CHILD_LOCK, DOOR_STATE, ON, OPEN, POWER_STATE, SETPOINT
from catalog.loader import CATALOG
from catalog.maker import with_maker
from conformance.checks.exchange import Response
from conformance.harness.answers.decoding import MalformedError, TooLargeError, decode
from conformance.harness.answers.members import Answered, Guessed, answered, guessed_members, members_shown
from conformance.model.json_values import NOTHING
from conformance.profiles.sections import LimitName, Limits
from conformance.selftest.support.handmade import profile_of, seen_of, value

MALFORMED: dict[str, tuple[bytes, str]] = {
    "nothing": (b"", "expecting value at byte 0"),
    "only spaces": (b" \r\n\t", "expecting value at byte 4"),
    "two byte order marks": (b"\xef\xbb\xbf\xef\xbb\xbf1", "byte 0"),
    "duplicate member": (b'{"a": 1, "a": 1}', "'a' stands twice"),
    "duplicate member, escaped": (b'{"a": 1, "\\u0061": 1}', "'a' stands twice"),
    "trailing bytes": (b'{"a": 1} x', "extra data at byte 9"),
    "cut": (b'{"a": [1, 2', "byte 11"),
    "cut in a text": (b'{"a": "b', "unterminated string starting at byte 6"),
    "not UTF-8": (b'{"a": "\xff"}', "not UTF-8 at byte 7"),
    "UTF-16": ('{"a": 1}'.encode("utf-16"), "not UTF-8 at byte 0"),
    "lone surrogate": (b'"\\ud800"', "unpaired surrogate"),
    "lone surrogate in capitals": (b'"\\uDA00"', "unpaired surrogate"),
    "lone surrogate in a name": (b'{"\\ud83d": 1}', "unpaired surrogate"),
    "nan in small letters": (b"nan", "byte 0"),
    "neither UTF-8 nor what it says": (b"\xff", "not UTF-16"),
}

READ: dict[str, tuple[bytes, object]] = {
    "a byte order mark before": (b"\xef\xbb\xbf5", 5),
    "spaces around": (b' \n{"a": 5}\r\n ', {"a": 5}),
    "a pair of surrogates": (b'"\\ud83d\\ude00"', "😀"),
    "an escaped backslash before u": (b'"\\\\ud800"', "\\ud800"),
    "infinity in letters": (b"-Infinity", -math.inf),
    "infinity in digits": (b'{"a": 1e999}', {"a": math.inf}),
    "a whole number without end": (b"9" * 5000, math.inf),
    "a large whole number": (b"9" * 300, int("9" * 300)),
    "broad, not deep": (b"[" + b"[]," * 1000 + b"[]]", [[]] * 1001),
    "as deep as it may be": (b"[[]," + b"[" * 499 + b"]" * 500, json.loads("[[]," + "[" * 499 + "]" * 500)),
    "as many items as there may be": (b"[" + b"0," * 10_000 + b"0]", [0] * 10_001),
    "brackets and commas in a string": (b'["' + b'[{,\\"' * 20_000 + b'"]', ['[{,"' * 20_000]),
}


@pytest.mark.parametrize("name", MALFORMED)
def test_malformed_body_is_told_with_its_reason(name: str) -> None:
    """What is no JSON raises, and says where or why."""
    body, reason = MALFORMED[name]
    with pytest.raises(MalformedError, match=reason):
        decode(body, "utf-16" if "UTF-16" in reason else "utf-8")


LARGE: dict[str, tuple[bytes, LimitName]] = {
    "bottomless": (b"[" * 1_000_000, "depth"),
    "deep, with a bottom": (b"[" * 501 + b"]" * 501, "depth"),
    "deep, after what was closed": (b"[" + b"[]," * 600 + b"[" * 500 + b"]" * 501, "depth"),
    "many items": (b"[" + b"0," * 10_001 + b"0]", "members"),
    "many members": (
        b'{"data": {' + b",".join(b'"%d":0' % number for number in range(10_002)) + b"}}",
        "members",
    ),
}


@pytest.mark.parametrize("name", LARGE)
def test_large_body_is_not_parsed(name: str) -> None:
    """What is over a bound raises with the bound that it is over, and is parsed where the bound is higher."""
    body, limit = LARGE[name]
    with pytest.raises(TooLargeError, match=f"http.limits.{limit} allows") as raised:
        decode(body)
    assert raised.value.limit == limit
    with suppress(MalformedError):
        assert decode(body, limits=Limits(members=1_000_000))


def named(charset: str) -> str:
    """The character set that a response has whose media type carries this parameter."""
    return Response(200, (("Content-Type", f'application/json; charset="{charset}"'),), b"", 0.0).charset


@pytest.mark.parametrize(
    "charset", ["undefined", "punycode", "unicode_escape", "utf-7", "hex", "nonsense", "é", "x" * 5000]
)
def test_what_names_no_character_set_is_ignored(charset: str) -> None:
    """A body whose charset parameter names none, or a codec of Python's own, is read as UTF-8."""
    assert (named(charset), decode('"ä"'.encode(), named(charset))) == ("utf-8", "ä")


@pytest.mark.parametrize(
    "charset", ["utf-8", "UTF8", "us-ascii", "iso-8859-1", "windows-1252", "utf-16", "gb18030", "shift_jis"]
)
def test_character_set_is_honoured(charset: str) -> None:
    """A body is read in the character set that its media type names, or as the UTF-8 it is."""
    assert decode('{"a": "b"}'.encode(charset), named(charset)) == {"a": "b"}
    assert decode(b'{"a": "b"}', "utf-16") == {"a": "b"}


@pytest.mark.parametrize("name", READ)
def test_unusual_json_is_read(name: str) -> None:
    """What is JSON, or only not finite, is read."""
    body, value = READ[name]
    assert decode(body) == value


def test_duplicate_among_many_members_is_found() -> None:
    """A hundred thousand members do not take a hundred thousand searches."""
    members = ",".join(f'"{number}":0' for number in range(100_000))
    with pytest.raises(MalformedError, match="'99999' stands twice"):
        decode(f'{{{members},"99999":0}}'.encode(), limits=Limits(members=200_000))


def test_reason_does_not_repeat_a_whole_body() -> None:
    """A name as long as a body is cut in the finding."""
    name = "x" * 100_000
    with pytest.raises(MalformedError) as raised:
        decode(f'{{"{name}": 1, "{name}": 1}}'.encode())
    assert len(str(raised.value)) < 200


text = st.text(st.characters(exclude_categories=["Cs"]))
scalars = st.none() | st.booleans() | st.integers(-(10**299), 10**299) | st.floats(allow_nan=False) | text
documents = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(text, inner, max_size=4),
    max_leaves=12,
)


@given(documents, st.booleans())
def test_whatever_is_written_is_read_back(document: object, plain: bool) -> None:
    """A document that Python writes comes back equal."""
    assert decode(json.dumps(document, ensure_ascii=plain).encode()) == document


@given(st.binary(max_size=40), st.sampled_from(["utf-8", *sorted(set(aliases.values()))]) | text)
def test_any_bytes_are_read_or_malformed(body: bytes, charset: str) -> None:
    """No bytes raise anything else, whatever they are said to be."""
    with suppress(MalformedError):
        assert decode(body, named(charset)) is not NOTHING


# What stands beside a value.
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
    "equals": (lambda key: {"a": key, "b": key, "v": SHOWN[key][0]}, "/v", {"key": ("/a", "/b")}),
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
        assert name not in guesses_of(
            lambda key, other=other: {"value": SHOWN[key][0], name: other}, "/value"
        )
