"""Writes a profile as TOML."""

from collections.abc import Mapping
from typing import Any, cast

import tomlkit


def toml_of(data: Mapping[str, object]) -> str:
    """Plain data in the shape of a profile as the text of a TOML file."""
    return dumped(_without_none(data))


def dumped(data: Any) -> str:
    """A document of tomlkit, comments included, as the text of a TOML file."""
    return tomlkit.dumps(data)  # pyright: ignore[reportUnknownMemberType]  tomlkit leaves a parameter untyped


def _without_none(data: object) -> object:
    """TOML has no null: an absent field says the same."""
    if isinstance(data, dict):
        members = cast("dict[str, object]", data)
        return {name: _without_none(value) for name, value in members.items() if value is not None}
    return [_without_none(value) for value in cast("list[object]", data)] if isinstance(data, list) else data
