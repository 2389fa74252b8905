"""The secrets of a profile: variables `${NAME}` of the environment, and which values can be masked."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import cast

from catalog.exports import render_catalog
from catalog.loader import CATALOG

SHORTEST = 8
"""A text of fewer characters is too common to be told from other text."""


def why_not_kept(value: str, known: str) -> str:
    """Why a secret of this `value` cannot be masked without changing evidence; empty where it can.

    `known` is the text of what stands in answers and reports anyway, as `known_text` gives it.
    """
    if len(value) < SHORTEST:
        return f"has fewer than {SHORTEST} characters"
    return "is part of a word of the catalog or of this profile" if value.casefold() in known else ""


def known_text(data: Mapping[str, object]) -> str:
    """The words of the catalog, of the document's paths and of a profile (`data`, secrets as names)."""
    return f"{_of_catalog()}\n{json.dumps(data, ensure_ascii=False, default=str).casefold()}"


@cache
def _of_catalog() -> str:
    return f"/api/homeappliances/settings/status/\n{render_catalog(CATALOG, 'markdown')}".casefold()


VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")


def holds_secret(value: object) -> bool:
    """Whether a secret stood in a value that was read: `${NAME}` stands there instead."""
    return VARIABLE.search(str(value)) is not None


def fill(text: str, environment: Mapping[str, str]) -> str:
    """`text` with every `${NAME}` replaced from `environment`.

    Raises:
        KeyError: when a name is not set; `build_profile` has ruled that out.
    """
    return VARIABLE.sub(lambda found: environment[found[1]], text)


def variables_in(
    data: object, location: tuple[int | str, ...] = ()
) -> Iterator[tuple[tuple[int | str, ...], str]]:
    """Every `${NAME}` in the strings of nested plain data, with its place."""
    if isinstance(data, str):
        yield from ((location, name) for name in VARIABLE.findall(data))
    elif isinstance(data, dict):
        for field, value in cast("dict[str, object]", data).items():
            yield from variables_in(value, (*location, field))
    elif isinstance(data, list | tuple):
        for index, value in enumerate(cast("Sequence[object]", data)):
            yield from variables_in(value, (*location, index))
