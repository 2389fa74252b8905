"""How far a run is, on standard error: a bar for each phase on a terminal, one line for each elsewhere."""

import sys
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

from conformance.checks.groups import Group
from conformance.harness.planning import Plan

if TYPE_CHECKING:
    from rich.progress import Progress

_SILENT = -2
"""The verbosity of a run that another command makes for itself: pytest's -qq."""


def progress_of(verbosity: int) -> "Bars | Lines | None":
    """What shows the progress of a run with this verbosity of pytest; None where nothing does."""
    if verbosity <= _SILENT:
        return None
    # between lines that name every case, a bar would be drawn again and again
    return Bars() if sys.stderr.isatty() and verbosity <= 0 else Lines()


class Lines:
    """Says of each phase that it begins, and how much there is to do."""

    @contextmanager
    def reading(self, plan: Plan) -> Generator[Callable[[int], None]]:
        """The reading of a plan; call what it yields with the number of requests made."""
        appliances = f"{len(plan.appliances)} appliance{'' if len(plan.appliances) == 1 else 's'}"
        self._say("reading", f"{appliances}, at most {_most_requests(plan):,} requests")
        yield lambda _: None

    @contextmanager
    def writing(self, lanes: Mapping[str, int]) -> Generator[Callable[[str, Group, int], None]]:
        """The writing in lanes, each with so many procedures at most."""
        appliances = f"{len(lanes)} appliance{'' if len(lanes) == 1 else 's'}"
        self._say("writing", f"{appliances}, at most {sum(lanes.values()):,} procedures")
        yield lambda _lane, _group, _count: None

    @contextmanager
    def judging(self, cases: int) -> Generator[Callable[[int], None]]:
        """The judging of so many cases; call what it yields with the number of cases judged."""
        self._say("judging", f"{cases:,} case{'' if cases == 1 else 's'}")
        yield lambda _: None

    def _say(self, phase: str, words: str) -> None:
        print(f"{phase}  {words}", file=sys.stderr, flush=True)  # noqa: T201  that is what it is for


class Bars:
    """Draws a bar for each phase while it lasts, with the time that is left."""

    @contextmanager
    def reading(self, plan: Plan) -> Generator[Callable[[int], None]]:
        """The reading of a plan; call what it yields with the number of requests made."""
        with _bar(f"reading {plan.profile.target.name}", _most_requests(plan)) as advance:
            yield advance

    @contextmanager
    def writing(self, lanes: Mapping[str, int]) -> Generator[Callable[[str, Group, int], None]]:
        """A bar for each lane, with what it does; the time left is that of the procedures left in it."""
        with _bars() as bars:
            tasks = {lane: bars.add_task(f"writing {lane}", total=most) for lane, most in lanes.items()}
            yield lambda lane, group, count: bars.update(
                tasks[lane], description=f"writing {lane}  {group}", advance=count
            )

    @contextmanager
    def judging(self, cases: int) -> Generator[Callable[[int], None]]:
        """The judging of so many cases; call what it yields with the number of cases judged."""
        with _bar("judging", cases) as advance:
            yield advance


def _most_requests(plan: Plan) -> int:
    """The most that a run of the plan sends to read; where keys are not served, fewer are needed."""
    return len(plan.reads) + plan.controls + plan.most_repeats + plan.most_generated


@contextmanager
def _bar(words: str, total: int) -> Generator[Callable[[int], None]]:
    with _bars() as bars:
        task = bars.add_task(words, total=total)
        yield lambda count: bars.advance(task, count)


def _bars() -> "Progress":
    from rich.console import Console  # noqa: PLC0415  most runs draw no bar, and start without what draws it
    from rich.progress import (  # noqa: PLC0415  as above
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    return Progress(*columns, console=Console(file=sys.stderr), transient=True)
