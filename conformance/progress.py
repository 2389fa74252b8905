"""A progress bar on the terminal while the target is read."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.harness.plan import Plan


def progress_bar(plan: Plan) -> Callable[[int], None]:
    """A bar of the requests of `plan` on standard error; call what is returned with the number of requests made."""
    from rich.console import Console  # noqa: PLC0415  dear to import, and not wanted off a terminal
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn  # noqa: PLC0415  likewise

    columns = (TextColumn("reading {task.fields[target]}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    bar = Progress(*columns, console=Console(file=sys.stderr), transient=True)
    total = len(plan.reads) + plan.controls + plan.most_repeats
    task = bar.add_task("reading", total=total, target=plan.profile.target.name)
    bar.start()
    made = 0

    def on_progress(count: int) -> None:
        nonlocal made
        made += count
        bar.update(task, completed=made)
        if made >= total:
            bar.stop()

    return on_progress
