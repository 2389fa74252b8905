"""What SIGINT and SIGTERM do to the command line.

Until a command holds something that has to be released or put back, a signal ends the process at once
(`EndAtOnce`): an exception that a handler raises in the middle of an import can be swallowed there. From then
on a signal raises KeyboardInterrupt (`interruptible`). How a run handles them that has sent something, and
who passes them on, is said in `conformance.harness.interruptions`.

Each handler is set explicitly: a job that a script started in the background has SIGINT ignored, and hands
that on to its children. This module imports little, because nothing catches a signal before it is imported.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Generator
from contextlib import contextmanager

from conformance.runs.exit_codes import INCONCLUSIVE

TYPE_CHECKING = False  # the module typing takes a moment to import, and every type checker knows this name

INTERRUPTIONS = (signal.SIGINT, signal.SIGTERM)


class EndAtOnce:
    """A handler that ends the process with 3, after a line on standard error where there is one to say."""

    def __init__(self, line: str = "") -> None:
        self._line = f"{line}\n".encode() if line else b""

    def __call__(self, _number: int, _frame: object) -> None:
        """Ends the process; nothing is cleaned up."""
        os.write(2, self._line)
        os._exit(INCONCLUSIVE)

    def install(self) -> None:
        """Handles both signals from now on."""
        for number in INTERRUPTIONS:
            signal.signal(number, self)


@contextmanager
def interruptible() -> Generator[None]:
    """Makes both signals raise KeyboardInterrupt, whatever they did before.

    Afterwards they do again what they did before; where that was to end the process at once they are ignored,
    since what had to be done is done, and the exit code is known.
    """

    def interrupt(_number: int, _frame: object) -> None:
        raise KeyboardInterrupt

    before = {number: signal.signal(number, interrupt) for number in INTERRUPTIONS}
    try:
        yield
    finally:
        for number, earlier in before.items():
            signal.signal(number, signal.SIG_IGN if isinstance(earlier, EndAtOnce) else earlier)
