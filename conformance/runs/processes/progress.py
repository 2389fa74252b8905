"""How far a run is, on standard error: a bar for each phase on a terminal, elsewhere a line each minute."""

import sys
import threading
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Final

from catalog.keys import short_name
from conformance.checks.groups import Group
from conformance.harness.planning import Plan
from conformance.runs.processes.outlets import printable
from reports.texts import plural

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress

_SILENT: Final = -2
"""The verbosity of a run that another command makes for itself: pytest's -qq."""
EVERY_S: Final = 60.0
"""How long a phase says nothing at most, in seconds: build servers end a job that is silent for some minutes.
"""


def progress_of(verbosity: int) -> "Bars | Lines | None":
    """What shows the progress of a run with this verbosity of pytest; None where nothing does."""
    if verbosity <= _SILENT:
        return None
    # between lines that name every case, a bar would be drawn again and again
    return Bars() if sys.stderr.isatty() and verbosity <= 0 else Lines()


class Lines:
    """Says of each phase that it begins, how much there is to do, and each minute how far it is."""

    def __init__(self, every_s: float = EVERY_S) -> None:
        self._every_s = every_s

    @contextmanager
    def reading(self, plan: Plan) -> Generator[Callable[[int], None]]:
        """The reading of a plan; call what it yields with the number of requests made."""
        most = plan.most_requests
        words = f"{plural(len(plan.appliances), 'appliance')}, at most {plural(most, 'request')}"
        with self._phase("reading", words, most) as advance:
            yield advance

    @contextmanager
    def writing(self, lanes: Mapping[str, int]) -> Generator[Callable[[str, Group, int], None]]:
        """The writing in lanes, each with so many procedures at most."""
        most = sum(lanes.values())
        words = f"{plural(len(lanes), 'appliance')}, at most {plural(most, 'procedure')}"
        with self._phase("writing", words, most) as advance:
            yield lambda _lane, _group, count: advance(count)

    @contextmanager
    def judging(self, cases: int) -> Generator[Callable[[int], None]]:
        """The judging of so many cases; call what it yields with the number of cases judged."""
        with self._phase("judging", f"at most {plural(cases, 'case')}", cases) as advance:
            yield advance

    @staticmethod
    def finding(words: str) -> None:
        """Says what was found so far, in one line."""
        _say("finding", _line(words))

    @contextmanager
    def _phase(self, phase: str, words: str, most: int) -> Generator[Callable[[int], None]]:
        _say(phase, words)
        done, began, is_over = 0, time.monotonic(), threading.Event()

        def advance(count: int) -> None:
            nonlocal done
            done += count

        def tell() -> None:
            while not is_over.wait(self._every_s):
                _say(phase, f"{done:,} of at most {most:,}{_left(done, most, time.monotonic() - began)}")

        teller = threading.Thread(target=tell, daemon=True)
        teller.start()
        try:
            yield advance
        finally:
            is_over.set()
            teller.join()


def _left(done: int, most: int, seconds: float) -> str:
    """How long the rest takes at most, if it goes on as it went so far."""
    return (
        f", at most {max(1, round((most - done) * seconds / done / 60))} min left" if 0 < done < most else ""
    )


def _line(words: str) -> str:
    return printable(next(iter(words.splitlines()), ""))


def _say(phase: str, words: str) -> None:
    print(f"{phase}  {words}", file=sys.stderr, flush=True)  # noqa: T201  that is what it is for


class Bars:
    """Draws a bar for each phase while it lasts, with the time that is left."""

    @contextmanager
    def reading(self, plan: Plan) -> Generator[Callable[[int], None]]:
        """The reading of a plan; call what it yields with the number of requests made."""
        with self._bar(f"reading {plan.profile.target.name}", plan.most_requests) as advance:
            yield advance

    @contextmanager
    def writing(self, lanes: Mapping[str, int]) -> Generator[Callable[[str, Group, int], None]]:
        """A bar for each lane, with what it does; the time left is that of the procedures left in it."""
        with _bars(self._console) as bars:
            tasks = {lane: bars.add_task(f"writing {lane}", total=most) for lane, most in lanes.items()}
            yield lambda lane, group, count: bars.update(
                tasks[lane], description=f"writing {lane}  {_doing(group)}", advance=count
            )

    @contextmanager
    def judging(self, cases: int) -> Generator[Callable[[int], None]]:
        """The judging of so many cases; call what it yields with the number of cases judged."""
        with self._bar("judging", cases) as advance:
            yield advance

    def finding(self, words: str) -> None:
        """Says what was found so far, above the bars."""
        self._console.print(f"finding  {_line(words)}", markup=False, highlight=False, soft_wrap=True)

    @contextmanager
    def _bar(self, words: str, total: int) -> Generator[Callable[[int], None]]:
        with _bars(self._console) as bars:
            task = bars.add_task(words, total=total)
            yield lambda count: bars.advance(task, count)

    @cached_property
    def _console(self) -> "Console":
        from rich.console import Console  # noqa: PLC0415  most runs draw no bar, and start without what draws it

        return Console(file=sys.stderr)


def _doing(group: Group) -> str:
    """What a procedure is and is about, in a few words: the key is named by its last segment."""
    return " ".join((group.kind.value, short_name(group.subject))).rstrip()


def _bars(console: "Console") -> "Progress":
    from rich.progress import (  # noqa: PLC0415  as above
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )
    from rich.table import Column  # noqa: PLC0415  as above

    words = TextColumn("{task.description}", table_column=Column(no_wrap=True, overflow="ellipsis", ratio=1))
    count, left = (Column(no_wrap=True, min_width=width) for width in (len("1,000/1,000"), len("00:00:00")))
    columns = (
        words,
        BarColumn(20),
        MofNCompleteColumn(table_column=count),
        TimeRemainingColumn(table_column=left),
    )
    return Progress(*columns, console=console, transient=True, expand=True)
