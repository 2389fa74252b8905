"""A terminal that keeps what is written to it."""

from __future__ import annotations


class Lines:
    """A terminal that remembers its lines."""

    def __init__(self) -> None:
        """Nothing was written."""
        self.lines: list[str] = []

    def write_sep(
        self, sep: str, title: str | None = None, fullwidth: int | None = None, **markup: bool
    ) -> None:
        """Takes the title of a ruled line."""
        del sep, fullwidth, markup
        self.lines.append(title or "")

    def write_line(self, line: str | bytes, **markup: bool) -> None:
        """Takes a line."""
        del markup
        self.lines.append(str(line))
