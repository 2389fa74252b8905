"""The process in which a run is judged: pytest, which a signal ends at once as long as nothing has been sent.

From the first request on the run handles the signals itself (`conformance.harness.writes.keeping`): it puts
back what it wrote and writes its files. What there is to say, the command says that started the process.
"""

import gc
import os
import signal
import sys
import traceback
from collections.abc import Sequence
from contextlib import suppress
from typing import NoReturn

import pytest

from conformance.runs.admission.locks import name_judging_process
from conformance.runs.asked import Asked
from conformance.runs.processes.driving import Driving
from conformance.runs.processes.interruption import INTERRUPTIONS, EndAtOnce
from conformance.runs.processes.outlets import outlets

_BENDING = ("PYTEST_ADDOPTS", "PYTEST_PLUGINS")


class JudgingProcess:
    """A process that runs pytest, forked from this one, so that nothing is imported twice.

    It has a process group of its own, and whatever this one has open, also the locks that it holds. This one
    must not run any other thread.
    """

    def __init__(self, asked: Asked, words: Sequence[str]) -> None:
        """Starts pytest with `words`."""
        self._ended = False
        sys.stdout.flush()
        sys.stderr.flush()
        # no signal comes before the new process has a handler of its own
        before = signal.pthread_sigmask(signal.SIG_BLOCK, INTERRUPTIONS)
        self._pid = os.fork()
        if not self._pid:
            os.setpgid(0, 0)
            judge(asked, words)
        os.setpgid(self._pid, 0)  # here, too: nobody knows which of the two goes on first
        signal.pthread_sigmask(signal.SIG_SETMASK, before)

    def terminate(self) -> None:
        """Asks it to end."""
        if not self._ended:
            with suppress(ProcessLookupError):  # it has just ended
                os.kill(self._pid, signal.SIGTERM)

    def wait(self) -> int:
        """Waits for its end; its exit code, or the number of the signal that has ended it, below zero."""
        _, status = os.waitpid(self._pid, 0)
        self._ended = True
        return os.waitstatus_to_exitcode(status)


def judge(asked: Asked, words: Sequence[str]) -> NoReturn:
    """Judges what was asked in a process that was forked for it, and ends that process.

    What the process that it was forked from does at its end is not done here.
    """
    code = 1  # as of an interpreter that an exception ends: if there are results, they count
    try:
        EndAtOnce().install()
        signal.pthread_sigmask(signal.SIG_UNBLOCK, INTERRUPTIONS)
        for name in _BENDING:
            os.environ.pop(name, None)
        os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
        name_judging_process(asked.out)
        gc.freeze()  # what was imported lives as long as the process
        with outlets(str):  # pytest colours what it says; texts of a target are made harmless before
            code = int(pytest.main([*words], plugins=[Driving(asked)]))
    except BaseException:  # noqa: BLE001  it must not go on as the process that it was forked from
        traceback.print_exc()
    finally:
        with suppress(OSError):  # nobody reads what it says any more
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)
