"""Names near a name, as a path segment that is encoded already; every function is pure.

Each takes a name and a word that nothing has in it, and gives the segment to send, or None where the name
cannot be spelled so.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TypeAlias
from urllib.parse import quote

from conformance.checks.generated.mutations import Mutation

Misspelling: TypeAlias = Callable[[str, str], str | None]

_LONG, _VERY_LONG = 300, 5_000
_LOOK_ALIKE = str.maketrans("aeiocpxysjABCEHIKMOPSTX1234", "аеіосрхуѕјАВСЕНІКМОРЅТХ١٢٣٤")
"""Letters of other scripts that look like these, and digits that count like them."""
_FULL_WIDTH = {code: code + 0xFEE0 for code in range(ord("!"), ord("~") + 1)}


def encoded(text: str) -> str:
    """The text as one path segment."""
    return quote(text, safe="")


def _octets(text: str) -> str:
    return "".join(f"%{octet:02X}" for octet in text.encode())


def _first(text: str, change: Callable[[str], str]) -> str | None:
    """The text with its last character changed that a function changes; None where it changes none."""
    for place in reversed(range(len(text))):
        changed = change(text[place])
        if changed != text[place]:
            return text[:place] + changed + text[place + 1 :]
    return None


def _if_other(text: str, changed: str | None) -> str | None:
    return None if changed is None or changed == text else encoded(changed)


def _any_letter(name: str, mark: str) -> str | None:
    """The name with a mark, which stands for any letters in a pattern, in place of its second letter."""
    return encoded(f"{name[:1]}{mark}{name[2:]}") if name[1:2].isalnum() else None


ALIASES: Mapping[Mutation, Misspelling] = MappingProxyType(
    {
        Mutation.LOWER_CASE: lambda name, _: _if_other(name, name.lower()),
        Mutation.UPPER_CASE: lambda name, _: _if_other(name, name.upper()),
        Mutation.DOT_AFTER: lambda name, _: f"{encoded(name)}.",
        Mutation.SLASH_AFTER: lambda name, _: f"{encoded(name)}/",
        Mutation.SLASH_BEFORE: lambda name, _: f"/{encoded(name)}",
        Mutation.SPACE_AFTER: lambda name, _: f"{encoded(name)}%20",
        Mutation.SPACE_BEFORE: lambda name, _: f"%20{encoded(name)}",
        Mutation.ENCODED: lambda name, _: f"{_octets(name[0])}{encoded(name[1:])}",
        Mutation.ENCODED_TWICE: lambda name, _: f"{encoded(_octets(name[0]))}{encoded(encoded(name[1:]))}",
        Mutation.DOT_SEGMENT: lambda name, _: f"%2E/{encoded(name)}",
        Mutation.MATRIX_PARAMETER: lambda name, word: f"{encoded(name)};{word}={word}",
        Mutation.FULL_WIDTH: lambda name, _: _if_other(
            name, _first(name, lambda letter: letter.translate(_FULL_WIDTH) if letter.isalnum() else letter)
        ),
    }
)
"""Other spellings of a name, which a server may take for it."""

NAMELESS: Mapping[Mutation, Misspelling] = MappingProxyType(
    {
        Mutation.LONGER: lambda name, word: encoded(name + word),
        Mutation.OTHER_BEGINNING: lambda name, word: encoded(word + name),
        Mutation.OTHER_END: lambda name, word: (
            encoded(name[:-3] + word[:3]) if len(name) > len(word) else None
        ),
        Mutation.LOOK_ALIKE: lambda name, _: _if_other(
            name, _first(name, lambda letter: letter.translate(_LOOK_ALIKE))
        ),
        Mutation.ANY_LETTER: lambda name, _: _any_letter(name, "_"),
        Mutation.ANY_LETTERS: lambda name, _: _any_letter(name, "%"),
        Mutation.AFTER_NULL: lambda name, word: f"{encoded(name)}%00{word}",
        Mutation.LONG: lambda name, word: encoded(name + word * (_LONG // len(word))),
        Mutation.VERY_LONG: lambda name, word: encoded(name + word * (_VERY_LONG // len(word))),
    }
)
"""Names that nothing has, of keys and of appliances alike."""

NAMELESS_KEYS: Mapping[Mutation, Misspelling] = MappingProxyType(
    {
        **NAMELESS,
        Mutation.FURTHER_SEGMENT: lambda key, word: encoded(f"{key}.{word}"),
        Mutation.OTHER_SEPARATOR: lambda key, word: encoded(key.replace(".", word[0])),
    }
)
"""Keys that no entry has, not even one of the server's own."""

NAMELESS_HA_IDS: Mapping[Mutation, Misspelling] = MappingProxyType(
    {**NAMELESS, Mutation.EMPTY: lambda _name, _word: ""}
)
"""HaIds that no appliance has; an empty key is none, since the list of all entries lies there."""

NEIGHBOURS: Mapping[Mutation, Misspelling] = MappingProxyType(
    {
        Mutation.SEGMENT_MISSING: lambda key, _: _segments(key, 0),
        Mutation.SEGMENT_DOUBLED: lambda key, _: _segments(key, 0, 1, 1),
        Mutation.SEGMENTS_SWAPPED: lambda key, _: _segments(key, 1, 0),
        Mutation.LAST_SEGMENT: lambda key, _: encoded(key.rpartition(".")[2]),
        Mutation.CUT: lambda key, _: encoded(key[:-1]),
    }
)
"""Keys that no table has, but perhaps the server itself."""

KEY_ALIASES: Mapping[Mutation, Misspelling] = MappingProxyType(
    {**ALIASES, Mutation.FILE_EXTENSION: lambda key, _: f"{encoded(key)}.json"}
)
"""Other spellings of a key."""


def _segments(key: str, *places: int) -> str:
    """A key whose first two segments are those of `places`, counted from 0."""
    segments = key.split(".")
    return encoded(".".join([*(segments[place] for place in places), *segments[2:]]))
