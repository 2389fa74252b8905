"""Names that schemathesis draws against the exported OpenAPI document.

The document is completed with the haIds of the target and the keys of the catalog. The strategies draw what
contradicts it: haIds and keys that are none of these. What they draw is sent as the suite sends everything,
and judged by its clauses; the checks of schemathesis itself are not used.
"""

import unicodedata
from collections.abc import Generator
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import unquote

from msgspec import Struct

_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._:-~")
_SPARE = 3
"""How many are drawn for one that is used: some are spellings of what there is."""


class Drawn(Struct, frozen=True):
    """A haId and a key as encoded path segments; None where the strategy drew one of the target."""

    ha_id: str | None
    key: str | None


@cache
def drawn_names(paths: tuple[str, ...], ha_ids: tuple[str, ...], seed: int, most: int) -> tuple[Drawn, ...]:
    """At most so many pairs of names, of which at least one is nobody's; the same for the same arguments.

    Args:
        paths: the paths of the exported document.
        ha_ids: the haIds of the target.
        seed: what Hypothesis draws from.
        most: how many are wanted.
    """
    import hypothesis  # noqa: PLC0415  a run that draws nothing starts faster
    import schemathesis  # noqa: PLC0415  for the same reason
    from schemathesis.config import SchemathesisConfig  # noqa: PLC0415  for the same reason

    keys = tuple(unquote(path.rpartition("/")[2]) for path in paths)
    config = SchemathesisConfig.from_dict({"cache": {"enabled": False}})  # pyright: ignore[reportUnknownMemberType]  its dict has no type arguments
    schema: Any = schemathesis.openapi.from_dict(_completed(ha_ids, keys), config=config)
    (operation,) = (found.ok() for found in schema.get_all_operations())
    strategy = operation.as_strategy(generation_mode=schemathesis.GenerationMode.NEGATIVE)
    drawn: dict[Drawn, None] = {}

    def collect(case: Any) -> None:
        names = case.path_parameters
        found = Drawn(_unknown(names["haId"], ha_ids), _unknown(names["settingKey"], keys))
        unknown = [name for name in (found.ha_id, found.key) if name is not None]
        if unknown and all(is_nobodys(name) for name in unknown):
            drawn[found] = None

    settings = hypothesis.settings(
        max_examples=_SPARE * most,
        database=None,
        deadline=None,
        phases=[hypothesis.Phase.generate],
        suppress_health_check=[
            hypothesis.HealthCheck.too_slow,
            hypothesis.HealthCheck.filter_too_much,
            hypothesis.HealthCheck.data_too_large,
        ],
    )
    with _no_constants_of_modules(), _no_files():
        hypothesis.seed(seed)(settings(hypothesis.given(strategy)(collect)))()
    return tuple(drawn)[:most]


@contextmanager
def _no_files() -> Generator[None]:
    """Lets Hypothesis keep its tables in a directory that goes, not in the one where the user works."""
    configuration: Any = import_module("hypothesis.configuration")
    with TemporaryDirectory() as directory:
        configuration.set_hypothesis_home_dir(directory)
        try:
            yield
        finally:
            configuration.set_hypothesis_home_dir(None)


@contextmanager
def _no_constants_of_modules() -> Generator[None]:
    """Lets Hypothesis draw none of the words and numbers that stand in the modules of this process.

    They would be others in another process, and looking for them takes longer than drawing does. Hypothesis
    has no setting for that.
    """
    providers: Any = import_module("hypothesis.internal.conjecture.providers")
    found, kept = providers._get_local_constants, providers.CONSTANTS_CACHE  # noqa: SLF001  there is no other way
    providers._get_local_constants = providers.Constants  # noqa: SLF001  there is no other way
    providers.CONSTANTS_CACHE = type(kept)(kept.max_size)
    try:
        yield
    finally:
        providers._get_local_constants, providers.CONSTANTS_CACHE = found, kept  # noqa: SLF001  as it was


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
