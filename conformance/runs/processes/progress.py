"""A progress bar on the terminal while the target is read."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from conformance.harness.planning import Plan


@contextmanager
def progress_bar(plan: Plan) -> Generator[Callable[[int], None]]:
    """A progress bar of a plan on standard error; call what it yields with the number of requests made.

    The total is the most that a run of the plan sends: where keys are not served, fewer are needed.
    """
    from rich.console import Console  # noqa: PLC0415  slow to import, and not wanted off a terminal
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn  # noqa: PLC0415  slow to import

    columns = (
        TextColumn("reading {task.fields[target]}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(file=sys.stderr), transient=True) as bar:
        task = bar.add_task(
            "reading",
            total=len(plan.reads) + plan.controls + plan.most_repeats,
            target=plan.profile.target.name,
        )
        yield lambda count: bar.advance(task, count)
