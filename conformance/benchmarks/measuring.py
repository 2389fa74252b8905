"""Runs commands as whole processes, two of them in turn, and says how the first compares to the second.

The speed of a machine drifts, so a ratio is that of two runs next to each other, and of several such pairs
the median counts.
"""

import os
import subprocess
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from statistics import median

from msgspec import Struct


class Spent(Struct, frozen=True):
    """What one process took.

    Attributes:
        began: when it was started, in seconds since the epoch.
        wall_s, cpu_s: seconds, and processor seconds with those of its children.
        peak_bytes: the memory of the largest of them.
    """

    began: float
    wall_s: float
    cpu_s: float
    peak_bytes: int


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
        spread = f"({min(self.values):.3g} to {max(self.values):.3g}, {len(self.values)} times)"
        return f"{self.name:<58} {median(self.values):8.3g} {self.unit:<3} {spread}{wanted}"


class CommandError(Exception):
    """A command of a benchmark did not end as it has to."""


def spend(
    words: Sequence[str],
    cwd: Path,
    environment: Mapping[str, str] | None = None,
    *,
    codes: Collection[int] = (0,),
) -> Spent:
    """Runs a command to its end; it says nothing here.

    Args:
        words: the command.
        cwd: where it runs.
        environment: what it finds in its environment beside that of this process.
        codes: the exit codes of a run that did its work.

    Raises:
        CommandError: when it ends otherwise.
    """
    began, start = time.time(), time.perf_counter()
    process = subprocess.Popen(  # noqa: S603  commands of this room
        list(words),
        cwd=cwd,
        env={**os.environ, **(environment or {})},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    _, status, used = os.wait4(process.pid, 0)
    wall_s = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in codes:
        raise CommandError(f"{' '.join(words)}: exit code {process.returncode}")
    # Linux counts ru_maxrss in KiB
    return Spent(began, wall_s, used.ru_utime + used.ru_stime, used.ru_maxrss * 1024)


def in_turn(
    ours: Callable[[], Spent], theirs: Callable[[], Spent], pairs: int
) -> tuple[tuple[Spent, Spent], ...]:
    """So many pairs of runs: ours, theirs, ours, theirs; one uncounted run of each comes first."""
    ours()
    theirs()
    return tuple((ours(), theirs()) for _ in range(pairs))


def walls(pairs: Sequence[tuple[Spent, Spent]]) -> tuple[float, ...]:
    """The time of the first of each pair as a multiple of that of the second."""
    return tuple(ours.wall_s / theirs.wall_s for ours, theirs in pairs)


def cpus(pairs: Sequence[tuple[Spent, Spent]]) -> tuple[float, ...]:
    """The processor time of the first of each pair as a multiple of that of the second."""
    return tuple(ours.cpu_s / theirs.cpu_s for ours, theirs in pairs)
