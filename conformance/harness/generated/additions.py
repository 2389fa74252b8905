"""Plain reads with more around them: a query, a parameter, headers; every function is pure.

None of them asks for a change: no method is overridden, and nothing is called a value.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TypeAlias

from msgspec import Struct

from conformance.checks.generated.mutations import Mutation
from conformance.harness.generated.misspellings import encoded
from conformance.harness.reads.gets import path_of
from conformance.harness.wire.messages import Wanted

_LONG = 4_000


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


OF_OTHERS: Mapping[Mutation, Addition] = MappingProxyType(
    {
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
)
"""Additions that name another appliance."""

OF_OTHER_KEYS: Mapping[Mutation, Addition] = MappingProxyType(
    {
        Mutation.QUERY_WITH_KEY: lambda names: _with_query(
            names, "key", "settingKey", "statusKey", value=names.other_key
        )
    }
)
"""Additions that name another entry."""

OF_NOTHING: Mapping[Mutation, Addition] = MappingProxyType(
    {
        Mutation.QUERY: lambda names: _with_query(names, names.word, value=names.word),
        Mutation.LONG_QUERY: lambda names: _with_query(names, names.word, value="x" * _LONG),
        Mutation.HEADER: lambda names: _with_headers(names, f"X-{names.word}", value=names.word),
        Mutation.LONG_HEADER: lambda names: _with_headers(names, f"X-{names.word}", value="x" * _LONG),
        Mutation.LANGUAGE: lambda names: _with_headers(names, "Accept-Language", value="de, tlh;q=0.5"),
    }
)
"""Additions that name nothing."""
