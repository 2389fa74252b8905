"""Runs pytest on the test modules in a process of its own, which no setting of the user changes.

As long as nothing has been sent, a signal ends that process at once. From the first request on the run
handles signals itself (`conformance.harness.interruptions`): it puts back what it wrote and writes its
files. What there is to say, the command says that started the process.
"""

import gc
import os
import signal
import sys
import traceback
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

import pytest

from conformance.harness.interruptions import undisturbed
from conformance.records.faults import has_leaked
from conformance.runs.admission.locks import name_judging_process
from conformance.runs.asked import Asked
from conformance.runs.exit_codes import INCONCLUSIVE, SUITE_FAULT, USAGE
from conformance.runs.processes.driving import PACKAGE, Driving
from conformance.runs.processes.interruption import INTERRUPTIONS, EndAtOnce
from conformance.runs.processes.outlets import outlets
from reports.formats.summary import append_summary
from reports.results.build import exit_code
from reports.results.file import RESULTS_FILE, load_outcome

HOME = PACKAGE if (PACKAGE / "pyproject.toml").is_file() else PACKAGE.parent
"""Where the pytest configuration is: the installed package, or the root of a checkout."""

_UNUSABLE = 4  # pytest's code for options it does not know, and for what a session of ours cannot begin with
_QUIET = ("--tb=no", "-rN")
"""The summary of the run says each finding once; `-- --tb=short` brings pytest's own account back."""
_NEEDLESS = (
    "unraisableexception",
    "threadexception",
    "doctest",
    "pastebin",
    "stepwise",
    "setuponly",
    "warnings",
    "setupplan",
    "faulthandler",
    "debugging",
    "subtests",
    "skipping",
    "unittest",
    "tmpdir",
    "funcmanage",
)
"""Plugins of pytest that would be asked about each of thousands of items, and have nothing to say about a
target.
"""
_BENDING = ("PYTEST_ADDOPTS", "PYTEST_PLUGINS")


def fixed_words() -> list[str]:
    """The words of pytest that every run has: the configuration and the test modules of the suite."""
    words = ["-c", str(HOME / "pyproject.toml"), "--rootdir", str(HOME), "--noconftest", "--assert=plain"]
    return [*words, *(word for plugin in _NEEDLESS for word in ("-p", f"no:{plugin}")), str(PACKAGE)]


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


def run_pytest(asked: Asked, words: Sequence[str] = (), *, verbose: bool = False) -> int:
    """Judges in a new process; the exit code of its results, 2 or 5 if there are none.

    A signal to this process is passed on to the new one, which then writes its files, or ends at once where
    nothing was sent. The new one has a process group of its own, so that Ctrl-C reaches it once, from here.
    The locks that this one holds are held by the new one, too.

    Args:
        asked: what is judged.
        words: more arguments of pytest.
        verbose: whether to name every case with its verdict.

    Raises:
        KeyboardInterrupt: when the new process was not started yet.
    """
    out = asked.out
    out.mkdir(parents=True, exist_ok=True)
    results = out / RESULTS_FILE
    results.unlink(missing_ok=True)
    every = [*_QUIET, "-v" if verbose else "-q", *fixed_words(), *words]
    process: JudgingProcess | None = None
    with undisturbed(lambda: process and process.terminate()) as came:
        process = JudgingProcess(asked, every)
        if came:
            process.terminate()
        code = process.wait()
        return _exit_code(code, out, interrupted=bool(came))


def _exit_code(returned: int, out: Path, *, interrupted: bool) -> int:
    """What a run ends with whose pytest returned that."""
    results = out / RESULTS_FILE
    if not results.is_file():
        if interrupted and returned != _UNUSABLE:
            print("interrupted before anything was sent", file=sys.stderr)  # noqa: T201  the command says it
            return INCONCLUSIVE
        return USAGE if returned == _UNUSABLE else SUITE_FAULT
    judged = load_outcome(results)
    trouble = "" if has_leaked(judged.faults) else append_summary(out / "summary.md", os.environ)
    if trouble:
        print(trouble, file=sys.stderr)  # noqa: T201  the command says it; a page that is not shown changes no verdict
    # its own file may be one that could not be written
    return SUITE_FAULT if returned == SUITE_FAULT else exit_code(judged)
