"""How far a run is, on standard error: a line each minute, or one that is drawn again on a terminal."""

import shutil
import sys
import threading
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import AbstractContextManager, contextmanager
from typing import Final

from catalog.keys import short_name
from conformance.checks.groups import Group
from conformance.harness.planning import Plan
from conformance.runs.processes.outlets import printable
from reports.texts import plural

_SILENT: Final = -2
"""The verbosity of a run that is to say nothing: pytest's -qq."""
EVERY_S: Final = 60.0
"""How long a phase says nothing at most, in seconds: build servers end a job that is silent for some minutes.
"""
_DRAWN_EVERY_S: Final = 0.2
_ERASED: Final = "\r\x1b[K"
"""What makes a terminal forget the line that it shows last."""


def progress_of(verbosity: int) -> "Progress | None":
    """What shows the progress of a run with this verbosity of pytest; None where nothing does."""
    if verbosity <= _SILENT:
        return None
    # between lines that name every case, a line would be drawn again and again
    return Progress(is_drawn=sys.stderr.isatty() and verbosity <= 0)


class Progress:
    """Says of each phase how much there is to do as it begins, and how far it is as long as it lasts."""

    def __init__(self, *, is_drawn: bool = False, every_s: float = EVERY_S) -> None:
        """One that `is_drawn` has a terminal, on which it takes one line; else it tells `every_s` seconds."""
        self._is_drawn = is_drawn
        self._every_s = _DRAWN_EVERY_S if is_drawn else every_s
        self._lock = threading.RLock()  # a finding is said while another thread draws

    def reading(self, plan: Plan) -> AbstractContextManager[Callable[[int], None]]:
        """The reading of a plan; call what it yields with the number of requests made."""
        most = plan.most_requests
        words = f"{plural(len(plan.appliances), 'appliance')}, at most {plural(most, 'request')}"
        return self._phase("reading", words, most)

    @contextmanager
    def writing(self, lanes: Mapping[str, int]) -> Generator[Callable[[str, Group, int], None]]:
        """The writing in lanes, each with so many procedures at most; a terminal shows which one began last.

        A procedure is named in a few words, and its key by the last segment.
        """
        most = sum(lanes.values())
        words = f"{plural(len(lanes), 'appliance')}, at most {plural(most, 'procedure')}"
        with self._phase("writing", words, most) as advance:
            yield lambda lane, group, count: advance(
                count, f"{lane} {group.kind.value} {short_name(group.subject)}"
            )

    def judging(self, cases: int) -> AbstractContextManager[Callable[[int], None]]:
        """The judging of so many cases; call what it yields with the number of cases judged."""
        return self._phase("judging", f"at most {plural(cases, 'case')}", cases)

    def finding(self, words: str) -> None:
        """Says what was found so far, in one line."""
        self._say("finding", printable(next(iter(words.splitlines()), "")))

    @contextmanager
    def _phase(self, phase: str, words: str, most: int) -> Generator[Callable[..., None]]:
        done, doing, began, is_over = 0, "", time.monotonic(), threading.Event()

        def advance(count: int, what: str = "") -> None:
            nonlocal done, doing
            done, doing = done + count, what

        def tell() -> None:
            while not is_over.wait(self._every_s):
                told = f"{done:,} of at most {most:,}{_left(done, most, time.monotonic() - began)}"
                show(phase, f"{told}  {doing}" if self._is_drawn else told)

        show = self._draw if self._is_drawn else self._say
        show(phase, words)
        teller = threading.Thread(target=tell, daemon=True)
        teller.start()
        try:
            yield advance
        finally:
            is_over.set()
            teller.join()
            self._draw()

    def _say(self, phase: str, words: str) -> None:
        with self._lock:
            self._draw()
            print(f"{phase}  {words}", file=sys.stderr, flush=True)  # noqa: T201  that is what it is for

    def _draw(self, *words: str) -> None:
        """Puts words in place of the line that was drawn last, as many as the terminal has room for."""
        if self._is_drawn:
            terminal = getattr(sys.stderr, "beneath", sys.stderr)  # what steers it is our own
            shown = printable("  ".join(words))[: shutil.get_terminal_size().columns - 1]
            with self._lock:
                print(f"{_ERASED}{shown}", end="", file=terminal, flush=True)


def _left(done: int, most: int, seconds: float) -> str:
    """How long the rest takes at most, if it goes on as it went so far."""
    return (
        f", at most {max(1, round((most - done) * seconds / done / 60))} min left" if 0 < done < most else ""
    )
