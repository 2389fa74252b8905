"""How a generated request differs from a plain read, and what a server may take it for.

The document is silent about other spellings of a name. So a name that differs by case, encoding, normal form,
or by a dot, slash or space at its end, may be an alias: its value is only observed, unless it is that of
another entry or appliance. A name that nothing can have yields no value (interpretation I-9).
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from types import MappingProxyType

from conformance.checks.groups import Group, ProcedureKind


class Relation(Enum):
    """What a generated request is to the plain read that it was made from."""

    ITSELF = "the name itself, with more around it"
    ALIAS = "another spelling of the name"
    NEIGHBOUR = "a name that may be an entry of the server's own"
    NOBODY = "a name that nothing has"


class RequestPart(Enum):
    """Which part of the request is generated."""

    KEY = "key"
    HA_ID = "ha_id"
    WHOLE = "whole"


class Mutation(Enum):
    """One way to generate a request; the value is its word in a ledger."""

    UPPER_CASE = "upper-case"
    LOWER_CASE = "lower-case"
    DOT_AFTER = "dot-after"
    SLASH_AFTER = "slash-after"
    SLASH_BEFORE = "slash-before"
    SPACE_AFTER = "space-after"
    SPACE_BEFORE = "space-before"
    ENCODED = "encoded"
    ENCODED_TWICE = "encoded-twice"
    DOT_SEGMENT = "dot-segment"
    MATRIX_PARAMETER = "matrix-parameter"
    FULL_WIDTH = "full-width"
    FILE_EXTENSION = "file-extension"

    SEGMENT_MISSING = "segment-missing"
    SEGMENT_DOUBLED = "segment-doubled"
    SEGMENTS_SWAPPED = "segments-swapped"
    LAST_SEGMENT = "last-segment"
    CUT = "cut"

    LONGER = "longer"
    FURTHER_SEGMENT = "further-segment"
    OTHER_BEGINNING = "other-beginning"
    OTHER_END = "other-end"
    OTHER_SEPARATOR = "other-separator"
    LOOK_ALIKE = "look-alike"
    ANY_LETTER = "any-letter"
    ANY_LETTERS = "any-letters"
    AFTER_NULL = "after-null"
    LONG = "long"
    VERY_LONG = "very-long"
    EMPTY = "empty"
    DOTS_TO_ANOTHER = "dots-to-another"
    DOTS_ENCODED_TWICE = "dots-encoded-twice"
    DRAWN = "drawn"

    QUERY = "query"
    LONG_QUERY = "long-query"
    QUERY_WITH_KEY = "query-with-key"
    QUERY_WITH_HA_ID = "query-with-ha-id"
    PARAMETER_WITH_HA_ID = "parameter-with-ha-id"
    HEADER = "header"
    LONG_HEADER = "long-header"
    HEADER_WITH_HA_ID = "header-with-ha-id"
    HEADER_WITH_URL = "header-with-url"
    COOKIE_WITH_HA_ID = "cookie-with-ha-id"
    LANGUAGE = "language"
    HEAD = "head"
    OPTIONS = "options"

    @property
    def relation(self) -> Relation:
        """What the request is to the plain read."""
        return _RELATIONS[self]


_ALIASES = (
    Mutation.UPPER_CASE,
    Mutation.LOWER_CASE,
    Mutation.DOT_AFTER,
    Mutation.SLASH_AFTER,
    Mutation.SLASH_BEFORE,
    Mutation.SPACE_AFTER,
    Mutation.SPACE_BEFORE,
    Mutation.ENCODED,
    Mutation.ENCODED_TWICE,
    Mutation.DOT_SEGMENT,
    Mutation.MATRIX_PARAMETER,
    Mutation.FULL_WIDTH,
    Mutation.FILE_EXTENSION,
)
_NEIGHBOURS = (
    Mutation.SEGMENT_MISSING,
    Mutation.SEGMENT_DOUBLED,
    Mutation.SEGMENTS_SWAPPED,
    Mutation.LAST_SEGMENT,
    Mutation.CUT,
)
_WITH_MORE = (
    Mutation.QUERY,
    Mutation.LONG_QUERY,
    Mutation.QUERY_WITH_KEY,
    Mutation.QUERY_WITH_HA_ID,
    Mutation.PARAMETER_WITH_HA_ID,
    Mutation.HEADER,
    Mutation.LONG_HEADER,
    Mutation.HEADER_WITH_HA_ID,
    Mutation.HEADER_WITH_URL,
    Mutation.COOKIE_WITH_HA_ID,
    Mutation.LANGUAGE,
    Mutation.HEAD,
    Mutation.OPTIONS,
)
_RELATIONS: Mapping[Mutation, Relation] = MappingProxyType(
    {
        **dict.fromkeys(Mutation, Relation.NOBODY),
        **dict.fromkeys(_ALIASES, Relation.ALIAS),
        **dict.fromkeys(_NEIGHBOURS, Relation.NEIGHBOUR),
        **dict.fromkeys(_WITH_MORE, Relation.ITSELF),
    }
)
NAMING_NOTHING = frozenset(
    {Mutation.QUERY, Mutation.LONG_QUERY, Mutation.HEADER, Mutation.LONG_HEADER, Mutation.LANGUAGE}
)
"""The mutations that put more around a name, and name nothing else with it."""
METHODS = (Mutation.HEAD, Mutation.OPTIONS)
"""The mutations that send another safe method; what they answer is no value of the entry."""


def generated_group(part: RequestPart, mutation: Mutation) -> Group:
    """The group of the requests of one mutation on one appliance, and of the reads beside them."""
    return Group(ProcedureKind.GENERATED, f"{part.value}/{mutation.value}")


GENERATED: Mapping[Group, tuple[RequestPart, Mutation]] = MappingProxyType(
    {generated_group(part, mutation): (part, mutation) for part in RequestPart for mutation in Mutation}
)
"""What each group of generated requests is about."""
