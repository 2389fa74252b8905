"""The levels of a run, from reading only to attended by a person, and which clauses a run of a lower level leaves out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeGuard, get_args

from catalog.model import Level

if TYPE_CHECKING:
    from collections.abc import Iterable

    from reports.records import ClauseResult, Results

LEVELS: Final[tuple[Level, ...]] = get_args(Level)  # each may do what the ones before it may


def is_level(word: object) -> TypeGuard[Level]:
    """Whether `word` is one of the four levels."""
    return word in LEVELS


def is_beyond(needed: Level, level: Level) -> bool:
    """Whether a clause that needs one level cannot be judged at the other."""
    return LEVELS.index(needed) > LEVELS.index(level)


def beyond_level(clauses: Iterable[ClauseResult]) -> dict[Level, list[str]]:
    """The clauses without a case that a higher level could judge, by that level, the lowest first."""
    names: dict[Level, list[str]] = {level: [] for level in LEVELS}
    for clause in clauses:
        if clause.needs:
            names[clause.needs].append(clause.id)
    return {level: of_level for level, of_level in names.items() if of_level}


def unjudged(results: Results) -> tuple[str, ...]:
    """A line for each level that the run lacked, with the clauses that had no case for want of it."""
    level = results.run.level
    return tuple(
        f"not judged at level {level}: needs --level {needed}: {', '.join(names)}"
        for needed, names in beyond_level(results.clauses).items()
    )
