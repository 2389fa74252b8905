"""The variables `${NAME}` of a profile, whose values come from the environment."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import cast

VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")


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
