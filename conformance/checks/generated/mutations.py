"""How a generated request differs from a plain read, and what a server may take it for.

The document is silent about other spellings of a name. So a name that differs by case, encoding, normal form,
or by a dot, slash or space at its end, may be an alias: its value is only observed, unless it is that of
another entry or appliance. A name that nothing can have yields no value (interpretation I-9).
"""

from collections.abc import Mapping
from enum import Enum
from typing import Self

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
    """One way to generate a request, with what it is to the plain read; the value is its word in a ledger."""

    def __new__(cls, word: str, relation: Relation) -> Self:
        """The member of a word."""
        member = object.__new__(cls)
        member._value_ = word
        member.relation = relation
        return member

    relation: Relation

    UPPER_CASE = "upper-case", Relation.ALIAS
    LOWER_CASE = "lower-case", Relation.ALIAS
    DOT_AFTER = "dot-after", Relation.ALIAS
    SLASH_AFTER = "slash-after", Relation.ALIAS
    SLASH_BEFORE = "slash-before", Relation.ALIAS
    SPACE_AFTER = "space-after", Relation.ALIAS
    SPACE_BEFORE = "space-before", Relation.ALIAS
    ENCODED = "encoded", Relation.ALIAS
    ENCODED_TWICE = "encoded-twice", Relation.ALIAS
    DOT_SEGMENT = "dot-segment", Relation.ALIAS
    MATRIX_PARAMETER = "matrix-parameter", Relation.ALIAS
    FULL_WIDTH = "full-width", Relation.ALIAS
    FILE_EXTENSION = "file-extension", Relation.ALIAS

    SEGMENT_MISSING = "segment-missing", Relation.NEIGHBOUR
    SEGMENT_DOUBLED = "segment-doubled", Relation.NEIGHBOUR
    SEGMENTS_SWAPPED = "segments-swapped", Relation.NEIGHBOUR
    LAST_SEGMENT = "last-segment", Relation.NEIGHBOUR
    CUT = "cut", Relation.NEIGHBOUR

    LONGER = "longer", Relation.NOBODY
    FURTHER_SEGMENT = "further-segment", Relation.NOBODY
    OTHER_BEGINNING = "other-beginning", Relation.NOBODY
    OTHER_END = "other-end", Relation.NOBODY
    OTHER_SEPARATOR = "other-separator", Relation.NOBODY
    LOOK_ALIKE = "look-alike", Relation.NOBODY
    ANY_LETTER = "any-letter", Relation.NOBODY
    ANY_LETTERS = "any-letters", Relation.NOBODY
    AFTER_NULL = "after-null", Relation.NOBODY
    LONG = "long", Relation.NOBODY
    VERY_LONG = "very-long", Relation.NOBODY
    EMPTY = "empty", Relation.NOBODY
    DOTS_TO_ANOTHER = "dots-to-another", Relation.NOBODY
    DOTS_ENCODED_TWICE = "dots-encoded-twice", Relation.NOBODY
    DRAWN = "drawn", Relation.NOBODY

    QUERY = "query", Relation.ITSELF
    LONG_QUERY = "long-query", Relation.ITSELF
    QUERY_WITH_KEY = "query-with-key", Relation.ITSELF
    QUERY_WITH_HA_ID = "query-with-ha-id", Relation.ITSELF
    PARAMETER_WITH_HA_ID = "parameter-with-ha-id", Relation.ITSELF
    HEADER = "header", Relation.ITSELF
    LONG_HEADER = "long-header", Relation.ITSELF
    HEADER_WITH_HA_ID = "header-with-ha-id", Relation.ITSELF
    HEADER_WITH_URL = "header-with-url", Relation.ITSELF
    COOKIE_WITH_HA_ID = "cookie-with-ha-id", Relation.ITSELF
    LANGUAGE = "language", Relation.ITSELF
    HEAD = "head", Relation.ITSELF
    OPTIONS = "options", Relation.ITSELF


NAMING_NOTHING = frozenset(
    {Mutation.QUERY, Mutation.LONG_QUERY, Mutation.HEADER, Mutation.LONG_HEADER, Mutation.LANGUAGE}
)
"""The mutations that put more around a name, and name nothing else with it."""
METHODS = (Mutation.HEAD, Mutation.OPTIONS)
"""The mutations that send another safe method; what they answer is no value of the entry."""


def generated_group(part: RequestPart, mutation: Mutation) -> Group:
    """The group of the requests of one mutation on one appliance, and of the reads beside them."""
    return Group(ProcedureKind.GENERATED, f"{part.value}/{mutation.value}")


GENERATED: Mapping[Group, tuple[RequestPart, Mutation]] = {
    generated_group(part, mutation): (part, mutation) for part in RequestPart for mutation in Mutation
}
"""What each group of generated requests is about."""
