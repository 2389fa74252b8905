"""Writes a profile as TOML, with comments where something was guessed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import tomlkit

from conformance.profiles.loader import dump_profile

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from conformance.profiles.model import Profile


def write_profile(profile: Profile, path: Path) -> Path:
    """Writes `profile` to `path`, and gives the path back."""
    path.write_text(toml_of(dump_profile(profile)), encoding="utf-8")
    return path


def toml_of(data: Mapping[str, object], *, heading: str = "", notes: Mapping[str, str] | None = None) -> str:
    """Plain data in the shape of a profile as the text of a TOML file.

    `heading` is a comment above it; `notes` are comments beside fields, by their place (`answer.value`).
    """
    document: Any = tomlkit.parse(_dumped(_without_none(data)))
    for place, note in (notes or {}).items():
        table, _, field = place.partition(".")
        found: Any = document.get(table, {})
        each: Any
        for each in cast("list[Any]", found) if isinstance(found, list) else [found]:
            if field in each:
                each.value.item(field).comment(note)
    return "".join(f"# {line}\n" for line in heading.splitlines()) + _dumped(document)


def _dumped(data: Any) -> str:
    return tomlkit.dumps(data)  # pyright: ignore[reportUnknownMemberType]  tomlkit leaves a parameter untyped


def _without_none(data: object) -> object:
    """TOML has no null: an absent field says the same."""
    if isinstance(data, dict):
        members = cast("dict[str, object]", data)
        return {name: _without_none(value) for name, value in members.items() if value is not None}
    return [_without_none(value) for value in cast("list[object]", data)] if isinstance(data, list) else data
