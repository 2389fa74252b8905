"""The levels of a run, from reading only to attended by a person."""

from __future__ import annotations

from typing import Final, TypeGuard, get_args

from catalog.model import Level

LEVELS: Final[tuple[Level, ...]] = get_args(Level)  # each may do what the ones before it may


def is_level(word: object) -> TypeGuard[Level]:
    """Whether `word` is one of the four levels."""
    return word in LEVELS
