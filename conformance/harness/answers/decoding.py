"""Strict JSON: what a body says, or why it says nothing.

A body is malformed when it is not UTF-8, holds a duplicate member, trailing bytes or an unpaired surrogate.
NaN, Infinity and numbers beyond all bounds are read all the same, as floats that are not finite: they are a
finding of their own (TYPE-FINITE), not a malformed body. How deep and how large it is, is counted before it
is parsed.
"""

import codecs
import json
import math
import re
from collections import Counter
from functools import lru_cache
from sys import intern
from typing import Any, cast

from jsonpointer import JsonPointer, JsonPointerException

from conformance.model.json_values import NOTHING
from conformance.profiles.sections import EXCEEDED, LimitName, Limits

_MOST_DIGITS = 300
_LONGEST_NUMBER = 40
_LONGEST_NAME = 60
_BOM = b"\xef\xbb\xbf"
_STRING = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"?', re.DOTALL)
_DEFAULT = Limits()
_INDEX = re.compile("0|[1-9][0-9]{0,8}")
_BRACKET = re.compile(r"[\[\]{}]")


class MalformedError(ValueError):
    """A body that is no JSON; its text says why."""


class TooLargeError(MalformedError):
    """A body that is over a bound, `limit`, and is not parsed: it may be JSON."""

    def __init__(self, limit: LimitName) -> None:
        """Names the field that raises the bound."""
        super().__init__(f"{EXCEEDED[limit]} http.limits.{limit} allows")
        self.limit: LimitName = limit


def decode(body: bytes, charset: str = "utf-8", limits: Limits = _DEFAULT) -> object:
    """The JSON value of `body`, in UTF-8 or the encoding `charset`, with or without a byte order mark.

    JSON is UTF-8, and a parameter charset of its media type means nothing (RFC 8259, 8.1 and 11). So a wrong
    one does no harm, and a body that is in another encoding and says so is read all the same.

    Raises:
        MalformedError: when it is none.
        TooLargeError: when it is deeper, or has more members and items, than `limits` allow.
    """
    try:
        return _decode(body, "utf-8", limits)
    except MalformedError:
        if codecs.lookup(charset).name == "utf-8":
            raise
        return _decode(body, charset, limits)


def _decode(body: bytes, charset: str, limits: Limits) -> object:
    try:
        text = body.removeprefix(_BOM).decode(charset)
    except UnicodeError as error:
        at = f" at byte {error.start}" if isinstance(error, UnicodeDecodeError) else ""
        raise MalformedError(f"not {charset.upper()}{at}") from error
    _require_bounds(text, limits)
    try:
        value = _DECODER.decode(text)
    except json.JSONDecodeError as error:
        said, at = error.msg.lower().removesuffix(" at"), len(text[: error.pos].encode("utf-8", "replace"))
        raise MalformedError(f"{said} at byte {at}") from error
    if re.search(r"\\u[dD][89a-fA-F]", text):
        _require_characters(value)
    return value


def find(body: object, pointer: str) -> object:
    """What `body` holds at a JSON Pointer; NOTHING where it holds no such member."""
    found = body
    try:
        parts = _parts(pointer)
    except JsonPointerException:
        return NOTHING
    for part in parts:
        if isinstance(found, dict):
            found = cast("dict[str, object]", found).get(part, NOTHING)
        elif isinstance(found, list):
            items = cast("list[object]", found)
            found = items[int(part)] if _INDEX.fullmatch(part) and int(part) < len(items) else NOTHING
        else:
            return NOTHING
    return found


@lru_cache  # a profile has a handful of them, and its library takes longer to follow one than to read it
def _parts(pointer: str) -> tuple[str, ...]:
    """The members and indexes that a JSON Pointer names.

    Raises:
        JsonPointerException: when it is none.
    """
    return tuple(JsonPointer(pointer).parts)


def lexical(body: bytes, value: object) -> str:
    """How a number was written, where that says more than its value: `5.0`, `1e999`, `NaN`; else empty.

    The value is looked for among the numbers of the text; the first one of equal value and not written as a
    plain integer counts, so that a finding can quote what the server sent. A number too long to quote gives
    nothing.
    """
    if not isinstance(value, float):
        return ""
    for found in re.finditer(
        r"-?(?:Infinity|NaN|\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)", body.decode("utf-8", "replace")
    ):
        if found[0].removeprefix("-").isdigit() or len(found[0]) > _LONGEST_NUMBER:
            continue
        number = float(found[0])
        if number == value or (math.isnan(number) and math.isnan(value)):
            return found[0]
    return ""


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = {intern(name): value for name, value in pairs}  # the same few in every body
    if len(members) != len(pairs):
        counts = Counter(name for name, _ in pairs)
        twice = next(name for name, count in counts.items() if count > 1)
        raise MalformedError(f"member {twice[:_LONGEST_NAME]!r} stands twice in one object")
    return members


def _integer(text: str) -> int | float:
    return int(text) if len(text.lstrip("-")) <= _MOST_DIGITS else float(text)


_DECODER = json.JSONDecoder(object_pairs_hook=_members, parse_constant=float, parse_int=_integer)


def _require_bounds(text: str, limits: Limits) -> None:
    """Counts commas and brackets; where there may be too many, those outside of strings.

    Raises:
        TooLargeError: when there are.
    """
    is_small = text.count(",") <= limits.members and text.count("[") + text.count("{") <= limits.depth
    if is_small or not text.lstrip().startswith(("[", "{")):
        return
    bare = _STRING.sub("", text)
    if bare.count(",") > limits.members:
        raise TooLargeError("members")
    depth = 0
    for bracket in _BRACKET.finditer(bare):
        depth += 1 if bracket[0] in "[{" else -1
        if depth > limits.depth:
            raise TooLargeError("depth")


def _require_characters(value: object) -> None:
    try:
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError as error:
        raise MalformedError("an unpaired surrogate") from error
