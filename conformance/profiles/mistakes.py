"""What is wrong with a profile: its mistakes, and the error that holds all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Problem:
    """One mistake: its TOML path (`appliance[0].kind`), what is wrong, and what may have been meant."""

    place: str
    text: str
    suggestion: str | None = None

    def __str__(self) -> str:
        return f"{self.place}: {self.text}" + (
            f" (did you mean {self.suggestion!r}?)" if self.suggestion else ""
        )


class ProfileError(Exception):
    """A profile that cannot be used; `problems` holds every mistake, in the order of the tables."""

    def __init__(self, source: str, problems: Sequence[Problem]) -> None:
        """Keeps the mistakes; the text of the error lists them all."""
        self.source = source
        self.problems = tuple(problems)
        count = f"{len(problems)} mistake" + ("s" if len(problems) != 1 else "")
        super().__init__("\n".join([f"{source}: {count}", *(f"  {problem}" for problem in problems)]))
