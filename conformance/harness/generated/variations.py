"""What is made of a plain read: names near its names, and more around it; every function is pure.

A misspelling takes a name and a word that nothing has in it, and gives the path segment to send, encoded
already, or None where the name cannot be spelled so. An addition is a query, a parameter or headers. None of
them asks for a change: no method is overridden, and nothing is called a value.
"""

from collections.abc import Callable, Mapping
from typing import TypeAlias
from urllib.parse import quote

from msgspec import Struct

from conformance.checks.generated.mutations import Mutation
from conformance.harness.steps import path_of
from conformance.harness.wire.messages import Wanted

Misspelling: TypeAlias = Callable[[str, str], str | None]

_LONG, _VERY_LONG, _LONG_VALUE = 300, 5_000, 4_000
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


ALIASES: Mapping[Mutation, Misspelling] = {
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
"""Other spellings of a name, which a server may take for it."""

NAMELESS: Mapping[Mutation, Misspelling] = {
    Mutation.LONGER: lambda name, word: encoded(name + word),
    Mutation.OTHER_BEGINNING: lambda name, word: encoded(word + name),
    Mutation.OTHER_END: lambda name, word: encoded(name[:-3] + word[:3]) if len(name) > len(word) else None,
    Mutation.LOOK_ALIKE: lambda name, _: _if_other(
        name, _first(name, lambda letter: letter.translate(_LOOK_ALIKE))
    ),
    Mutation.ANY_LETTER: lambda name, _: _any_letter(name, "_"),
    Mutation.ANY_LETTERS: lambda name, _: _any_letter(name, "%"),
    Mutation.AFTER_NULL: lambda name, word: f"{encoded(name)}%00{word}",
    Mutation.LONG: lambda name, word: encoded(name + word * (_LONG // len(word))),
    Mutation.VERY_LONG: lambda name, word: encoded(name + word * (_VERY_LONG // len(word))),
}
"""Names that nothing has, of keys and of appliances alike."""

NAMELESS_KEYS: Mapping[Mutation, Misspelling] = {
    **NAMELESS,
    Mutation.FURTHER_SEGMENT: lambda key, word: encoded(f"{key}.{word}"),
    Mutation.OTHER_SEPARATOR: lambda key, word: encoded(key.replace(".", word[0])),
}
"""Keys that no entry has, not even one of the server's own."""

NAMELESS_HA_IDS: Mapping[Mutation, Misspelling] = {**NAMELESS, Mutation.EMPTY: lambda _name, _word: ""}
"""HaIds that no appliance has; an empty key is none, since the list of all entries lies there."""

NEIGHBOURS: Mapping[Mutation, Misspelling] = {
    Mutation.SEGMENT_MISSING: lambda key, _: _segments(key, 0),
    Mutation.SEGMENT_DOUBLED: lambda key, _: _segments(key, 0, 1, 1),
    Mutation.SEGMENTS_SWAPPED: lambda key, _: _segments(key, 1, 0),
    Mutation.LAST_SEGMENT: lambda key, _: encoded(key.rpartition(".")[2]),
    Mutation.CUT: lambda key, _: encoded(key[:-1]),
}
"""Keys that no table has, but perhaps the server itself."""

KEY_ALIASES: Mapping[Mutation, Misspelling] = {
    **ALIASES,
    Mutation.FILE_EXTENSION: lambda key, _: f"{encoded(key)}.json",
}
"""Other spellings of a key."""


def _segments(key: str, *places: int) -> str:
    """A key whose first two segments are those of `places`, counted from 0."""
    segments = key.split(".")
    return encoded(".".join([*(segments[place] for place in places), *segments[2:]]))


class Names(Struct, frozen=True):
    """What an addition is made of: the entry that is read, another entry and another appliance, a new word.

    Keys are spelled as the maker does.
    """

    ha_id: str
    segment: str
    key: str
    other_ha_id: str
    other_key: str
    word: str

    @property
    def path(self) -> str:
        """The path of the plain read."""
        return path_of(self.ha_id, self.segment, self.key)


Addition: TypeAlias = Callable[[Names], Wanted]


def _with_query(names: Names, *fields: str, value: str) -> Wanted:
    return Wanted(f"{names.path}?{'&'.join(f'{field}={encoded(value)}' for field in fields)}")


def _with_headers(names: Names, *fields: str, value: str) -> Wanted:
    return Wanted(names.path, headers=tuple((field, value) for field in fields))


def _with_parameter(names: Names) -> Wanted:
    own = encoded(names.ha_id)
    return Wanted(names.path.replace(f"/{own}/", f"/{own};haId={encoded(names.other_ha_id)}/", 1))


OF_OTHERS: Mapping[Mutation, Addition] = {
    Mutation.QUERY_WITH_HA_ID: lambda names: _with_query(
        names, "haId", "ha_id", "haid", "id", value=names.other_ha_id
    ),
    Mutation.PARAMETER_WITH_HA_ID: _with_parameter,
    Mutation.HEADER_WITH_HA_ID: lambda names: _with_headers(
        names, "haId", "X-haId", "X-Appliance-Id", value=encoded(names.other_ha_id)
    ),
    Mutation.HEADER_WITH_URL: lambda names: _with_headers(
        names,
        "X-Original-URL",
        "X-Rewrite-URL",
        value=path_of(names.other_ha_id, names.segment, names.key),
    ),
    Mutation.COOKIE_WITH_HA_ID: lambda names: _with_headers(
        names, "Cookie", value=f"haId={encoded(names.other_ha_id)}"
    ),
}
"""Additions that name another appliance."""

OF_OTHER_KEYS: Mapping[Mutation, Addition] = {
    Mutation.QUERY_WITH_KEY: lambda names: _with_query(
        names, "key", "settingKey", "statusKey", value=names.other_key
    )
}
"""Additions that name another entry."""

OF_NOTHING: Mapping[Mutation, Addition] = {
    Mutation.QUERY: lambda names: _with_query(names, names.word, value=names.word),
    Mutation.LONG_QUERY: lambda names: _with_query(names, names.word, value="x" * _LONG_VALUE),
    Mutation.HEADER: lambda names: _with_headers(names, f"X-{names.word}", value=names.word),
    Mutation.LONG_HEADER: lambda names: _with_headers(names, f"X-{names.word}", value="x" * _LONG_VALUE),
    Mutation.LANGUAGE: lambda names: _with_headers(names, "Accept-Language", value="de, tlh;q=0.5"),
}
"""Additions that name nothing."""
