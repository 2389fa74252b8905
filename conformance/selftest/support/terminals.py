"""The terminal summary of a run, as it is written to pytest's terminal."""

from pathlib import Path

from catalog.loader import load_catalog
from conformance.records.results import Results
from reports.formats.terminal import summarize


class Lines:
    """A terminal that remembers its lines."""

    def __init__(self) -> None:
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


def terminal_lines(results: Results, directory: Path) -> list[str]:
    """What a terminal shows at the end of a run with its files in `directory`."""
    terminal = Lines()
    summarize(results, load_catalog(), directory, terminal)
    return terminal.lines
