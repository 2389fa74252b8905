"""Bodies are read strictly, wherever they are read alike, and never crash the reader."""

import json
import math
from contextlib import suppress
from encodings.aliases import aliases
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.checks.exchange import Response
from conformance.harness.answers.decoding import MalformedError, TooLargeError, decode, find, lexical
from conformance.model.json_values import NOTHING
from conformance.profiles.sections import LimitName, Limits

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
    assert decode('"ä"'.encode(), named(charset)) == "ä"


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
