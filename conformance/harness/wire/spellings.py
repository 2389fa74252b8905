"""The ways a text may be spelled: encoded as a whole, or escaped character by character.

What is encoded as a whole (base64, hexadecimal, UTF-16, reversed) is looked for as it is. What is escaped by
characters (in JSON, in URLs, in HTML, in one inside another) is unescaped first, and `unescaped` says where
each character of the outcome stood.
"""

import base64
import binascii
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from html.entities import html5
from itertools import accumulate, pairwise, repeat
from typing import NamedTuple
from urllib.parse import quote_plus, unquote_to_bytes

from conformance.profiles.keeping import SHORTEST

_SHORTEST_PART = 6
_COOKIES = re.compile(r"\s*[^\s=;]+=[^;]+(;\s*[^\s=;]+=[^;]*)*;?\s*")
_SHORT = 40
"""The characters of an escape that is kept in memory once it was read."""
_ENCODINGS = ("utf-8", "utf-16-le", "utf-16-be")
_ESCAPE = re.compile(
    r"""[\\%&\x00] (?:
        (?P<units> (?<=\\)u[0-9a-f]{4} (?:\\u[0-9a-f]{4})* )
      | (?P<octets> (?<=%)[0-9a-f]{2} (?:%[0-9a-f]{2})* )
      | (?: (?<=\\)u\{ | (?<=\\)x | (?<=%)u | (?<=&)\#x0* )
        (?P<hex> (?<=x)[0-9a-f]{2} | (?<=u)[0-9a-f]{4} | (?<=[x{0])[0-9a-f]{1,6} ) [};]?
      | (?<=&)\#0*(?P<decimal>[0-9]{1,7});?
      | (?<=&)(?P<name>[a-z][a-z0-9]{1,31});
      | (?<=\\)(?P<plain>["'/\\])
      | (?P<nothing>(?<=\x00)\x00*)
    )""",
    re.IGNORECASE | re.VERBOSE,
)
"""Its first character is of a set, which is found five times as fast as the beginnings of alternatives."""


def forms_of(value: str) -> tuple[set[str], set[str]]:
    """The forms that `value` as a whole may have in an unescaped text, whose characters may be bytes.

    The first are in small letters, and looked for in texts made small as well, the others as they are.
    A `value` that is base64 of a text, as in HTTP's Basic authentication, is looked for decoded, too.
    """
    words = {value, _decoded(value)} - {""}
    raws = {word.encode(encoding) for word in words for encoding in _ENCODINGS}
    octets = {raw.decode("latin-1").replace("\0", "") for raw in raws}
    hexes = {
        separator.join(f"{octet:02x}" for octet in raw) for raw in raws for separator in ("", " ", ":", "-")
    }
    any_case = {
        *words,
        *(word[::-1] for word in words),
        *octets,
        *(quote_plus(word, safe="") for word in words),
        *hexes,
    }
    once = {part for raw in raws for part in _base64_parts(raw)}
    twice = {part for one in once for part in _base64_parts(one.encode())}
    return {form.lower() for form in any_case}, once | twice


def parts_of(value: str) -> Iterator[str]:
    """What is a secret by itself within one: each value of a cookie line, the password of a login."""
    if _COOKIES.fullmatch(value):
        yield from (pair.partition("=")[2].strip() for pair in value.split(";"))
    if password := _decoded(value).partition(":")[2]:
        yield password


class Unescaped(NamedTuple):
    """A text without one layer of escapes, and where each of its characters began and ended."""

    text: str
    starts: Sequence[int]
    ends: Sequence[int]


def layers(text: str, most: int) -> Iterator[str]:
    """`text`, then with one more layer of escapes taken off each time, at most `most` times."""
    for _ in range(most):
        yield text
        further = _ESCAPE.sub(_plain, _without_single_backslashes(text))
        if further == text:
            return
        text = further
    yield text


def unescaped(text: str, depth: int) -> Unescaped:
    """`text` with `depth` layers of escapes taken off."""
    seen = Unescaped(text, range(len(text)), range(1, len(text) + 1))
    for _ in range(depth):
        seen = _one_layer(seen)
    return seen


def _without_single_backslashes(text: str) -> str:
    """What `_ESCAPE` does with the commonest escapes, but faster."""
    return text if "\\\\" in text else text.replace('\\"', '"').replace("\\/", "/").replace("\\'", "'")


def _one_layer(seen: Unescaped) -> Unescaped:
    pieces: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    at = 0
    for found in _ESCAPE.finditer(seen.text):
        pieces.append(seen.text[at : found.start()])
        starts += seen.starts[at : found.start()]
        ends += seen.ends[at : found.start()]
        for part, begin, end in _parts(found):
            pieces.append(part)
            starts += repeat(seen.starts[begin], len(part))
            ends += repeat(seen.ends[end - 1], len(part))
        at = found.end()
    return Unescaped(
        "".join([*pieces, seen.text[at:]]), [*starts, *seen.starts[at:]], [*ends, *seen.ends[at:]]
    )


def _plain(found: re.Match[str]) -> str:
    """What an escape stands for; a page has a few short ones thousands of times."""
    return (_known if len(found[0]) <= _SHORT else _known.__wrapped__)(found[0])


@lru_cache(10_000)
def _known(escape: str) -> str:
    return "".join(part for found in _ESCAPE.finditer(escape) for part, _, _ in _parts(found))


def _parts(found: re.Match[str]) -> Iterator[tuple[str, int, int]]:
    """The characters of an escape, each with its place; those that are not one to one share a place."""
    begin, end = found.span()
    if found["units"] or found["octets"]:
        pieces = re.findall(r"\\u[0-9a-fA-F]{4}|%[0-9a-fA-F]{2}", found[0])
        whole = _of_units(pieces) if found["units"] else _of_octets(found[0])
        if len(whole) == len(pieces):
            places = pairwise(accumulate(map(len, pieces), initial=begin))
            yield from ((letter, *place) for letter, place in zip(whole, places, strict=True))
        else:
            yield whole, begin, end
    else:
        yield _of_one(found), begin, end


def _of_units(pieces: list[str]) -> str:
    return b"".join(int(piece[-4:], 16).to_bytes(2, "big") for piece in pieces).decode("utf-16-be", "replace")


def _of_octets(text: str) -> str:
    octets = unquote_to_bytes(text)
    try:
        return octets.decode("utf-8")
    except UnicodeDecodeError:
        return octets.decode("latin-1")


def _of_one(found: re.Match[str]) -> str:
    if found["name"]:
        return html5.get(f"{found['name']};", html5.get(f"{found['name'].lower()};", found[0]))
    if found["plain"] or found["nothing"] is not None:
        return found["plain"] or ""
    number = int(found["hex"], 16) if found["hex"] else int(found["decimal"])
    return chr(number) if number <= 0x10FFFF else found[0]


def _base64_parts(raw: bytes) -> set[str]:
    """How `raw` shows in base64, wherever in a longer text it begins."""
    parts: set[str] = set()
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        parts.add(encode(raw).decode().rstrip("="))
        parts |= {
            encode(b"\0" * shift + raw).decode()[-(-shift * 8 // 6) : (shift + len(raw)) * 8 // 6]
            for shift in range(3)
        }
    return {part for part in parts if len(part) >= _SHORTEST_PART}


def _decoded(value: str) -> str:
    """The text of which `value` is the base64; empty where it is none, or a short one."""
    try:
        text = base64.b64decode(value, validate=True).decode("utf-8")
    except (binascii.Error, ValueError):
        return ""
    return text if text.isprintable() and len(text) >= SHORTEST else ""
