"""Starts pytest on the test modules, in a process that no setting of the user changes."""

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from conformance.harness.interruptions import undisturbed
from conformance.records.faults import has_leaked
from conformance.runs.asked import Asked
from conformance.runs.exit_codes import INCONCLUSIVE, SUITE_FAULT, USAGE
from conformance.runs.processes.driving import PACKAGE
from conformance.runs.processes.judging_process import JudgingProcess
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


def fixed_words() -> list[str]:
    """The words of pytest that every run has: the configuration and the test modules of the suite."""
    words = ["-c", str(HOME / "pyproject.toml"), "--rootdir", str(HOME), "--noconftest", "--assert=plain"]
    return [*words, *(word for plugin in _NEEDLESS for word in ("-p", f"no:{plugin}")), str(PACKAGE)]


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
