"""Names that schemathesis draws against the exported OpenAPI document.

The document is completed with the haIds of the target and the keys of the catalog. The strategies draw what
contradicts it: haIds and keys that are none of these. What they draw is sent as the suite sends everything,
and judged by its clauses; the checks of schemathesis itself are not used.
"""

import unicodedata
from collections.abc import Generator
from contextlib import contextmanager
from functools import cache
from hashlib import shake_256
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import unquote

from msgspec import Struct

from catalog.exports.openapi import openapi_document
from catalog.loader import CATALOG
from conformance.profiles.model import Profile

_FEWEST = 120
"""Nothing is drawn for a smaller budget, which the tables use up: loading schemathesis takes long."""
_EACH_DRAWN = 4
"""One request of so many is drawn at most."""
_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._:-~")
_OCTETS = 512
"""From how many octets a pair of names is drawn: where they do not suffice, there is none."""
_SPARE = 5
"""How often is drawn for a pair that is used: some are spellings of what there is, or too long."""


class Drawn(Struct, frozen=True):
    """A haId and a key as encoded path segments; None where the strategy drew one of the target."""

    ha_id: str | None
    key: str | None


def names_for(profile: Profile, maker: str, seed: str) -> tuple[Drawn, ...]:
    """What is drawn for the appliances of a maker; none where the tables use up the budget."""
    most = profile.generated_reads
    if most < _FEWEST:
        return ()
    document: dict[str, Any] = openapi_document(CATALOG, maker=maker)
    return drawn_names(tuple(document["paths"]), profile.ha_ids, seed, most // _EACH_DRAWN)


@cache
def drawn_names(paths: tuple[str, ...], ha_ids: tuple[str, ...], seed: str, most: int) -> tuple[Drawn, ...]:
    """At most so many pairs of names, of which at least one is nobody's; the same for the same arguments.

    They are drawn from octets that the seed gives. Hypothesis' own choice would not be the same in each
    process: it prefers words and numbers that stand in the modules which happen to be loaded.

    Args:
        paths: the paths of the exported document.
        ha_ids: the haIds of the target.
        seed: what the names are drawn from.
        most: how many are wanted.
    """
    import hypothesis  # noqa: PLC0415  a run that draws nothing starts faster
    import schemathesis  # noqa: PLC0415  for the same reason
    from schemathesis.config import SchemathesisConfig  # noqa: PLC0415  for the same reason

    keys = tuple(unquote(path.rpartition("/")[2]) for path in paths)
    config: Any = SchemathesisConfig.from_dict({"cache": {"enabled": False}})  # pyright: ignore[reportUnknownMemberType]  its dict has no type arguments
    # all but lone surrogates, as with UTF-8, whose table Hypothesis would work out for some seconds
    config.projects.default.generation.codec = None
    schema: Any = schemathesis.openapi.from_dict(_completed(ha_ids, keys), config=config)
    (operation,) = (found.ok() for found in schema.get_all_operations())
    strategy = operation.as_strategy(generation_mode=schemathesis.GenerationMode.NEGATIVE)
    drawn: dict[Drawn, None] = {}

    @hypothesis.settings(database=None, deadline=None)
    @hypothesis.given(strategy)
    def collect(case: Any) -> None:
        names = case.path_parameters
        found = Drawn(_unknown(names["haId"], ha_ids), _unknown(names["settingKey"], keys))
        unknown = [name for name in (found.ha_id, found.key) if name is not None]
        if unknown and all(is_nobodys(name) for name in unknown):
            drawn[found] = None

    draw: Any = collect.hypothesis.fuzz_one_input  # pyright: ignore[reportFunctionMemberAccess]  `given` adds it
    with _no_files():
        for number in range(_SPARE * most):
            if len(drawn) >= most:
                break
            draw(_octets(f"{seed}/{number}"))
    return tuple(drawn)


def _octets(seed: str) -> bytes:
    """The octets that a pair of names is drawn from: half of them null, which makes short and plain names."""
    given = shake_256(seed.encode()).digest(2 * _OCTETS)
    return bytes(octet if coin % 2 else 0 for octet, coin in zip(given[::2], given[1::2], strict=True))


@contextmanager
def _no_files() -> Generator[None]:
    """Lets Hypothesis keep its tables in a directory that goes, not in the one where the user works."""
    from hypothesis.configuration import set_hypothesis_home_dir  # noqa: PLC0415  as above

    with TemporaryDirectory() as directory:
        set_hypothesis_home_dir(directory)
        try:
            yield
        finally:
            set_hypothesis_home_dir(None)


def is_nobodys(segment: str) -> bool:
    """Whether a path segment is a name that no key and no haId is: it holds what neither is made of.

    A short name of letters and digits may be another appliance, and one of dots and slashes another path.
    """
    text = unicodedata.normalize("NFKC", unquote(unquote(segment)))
    return "/" not in text and not _PLAIN.issuperset(text) and bool(text.strip(" ."))


def _unknown(name: object, known: tuple[str, ...]) -> str | None:
    """A drawn name as it is sent; None where it is a known one."""
    return None if unquote(str(name)) in known else str(name)


def _completed(ha_ids: tuple[str, ...], keys: tuple[str, ...]) -> dict[str, object]:
    """The exported document as one operation, in which every haId and every key is named."""
    named = {"haId": ha_ids, "settingKey": keys}
    parameters = [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string", "enum": list(values)}}
        for name, values in named.items()
    ]
    operation = {"parameters": parameters, "responses": {"default": {"description": "Anything"}}}
    return {
        "openapi": "3.1.0",
        "info": {"title": "Names of a target", "version": "1"},
        "paths": {"/api/homeappliances/{haId}/settings/{settingKey}": {"get": operation}},
    }
