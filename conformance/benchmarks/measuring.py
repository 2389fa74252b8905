"""Runs a command as a whole process, and says what it took: one line for each figure."""

import os
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median

from msgspec import Struct

FINDING = "finding"
"""What the line holds that tells of the first finding of a run."""
_VERDICTS = (0, 1)
"""The exit codes of whoever has come to a verdict, good or bad."""


class Spent(Struct, frozen=True):
    """What one process took.

    Attributes:
        wall_s: seconds.
        finding_s: seconds until it said what it found; None where it said nothing of the kind.
        peak_bytes: the memory of the largest of it and its children.
        code: its exit code.
    """

    wall_s: float
    finding_s: float | None
    peak_bytes: int
    code: int


class Figure(Struct, frozen=True):
    """One line of a benchmark: what was measured, how often, and what it is to be at most, if anything."""

    name: str
    values: tuple[float, ...]
    at_most: float | None = None
    unit: str = "x"

    @property
    def words(self) -> str:
        """The median with the smallest and the largest value, beside what is wanted."""
        wanted = "" if self.at_most is None else f"  at most {self.at_most:g}"
        often = len(self.values)
        spread = f" ({min(self.values):.3g} to {max(self.values):.3g}, {often} times)" if often > 1 else ""
        return f"{self.name:<58} {median(self.values):8.4g} {self.unit:<3}{spread}{wanted}"


class CommandError(Exception):
    """A command of a benchmark came to no verdict."""


def spend(words: Sequence[str], cwd: Path, environment: Mapping[str, str] | None = None) -> Spent:
    """Runs a command in `cwd` to its end, and listens for what it finds; `environment` is added to its own.

    Raises:
        CommandError: when it ends without a verdict.
    """
    start, finding_s = time.perf_counter(), None
    process = subprocess.Popen(  # noqa: S603  commands of this room
        list(words),
        cwd=cwd,
        env={**os.environ, **(environment or {})},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert process.stdout
    with process.stdout as said:
        for line in said:
            if finding_s is None and FINDING in line:
                finding_s = time.perf_counter() - start
    _, status, used = os.wait4(process.pid, 0)
    wall_s = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in _VERDICTS:
        raise CommandError(f"{' '.join(words)}: exit code {process.returncode}")
    # Linux counts ru_maxrss in KiB
    return Spent(wall_s, finding_s, used.ru_maxrss * 1024, process.returncode)
