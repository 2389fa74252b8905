"""Starts pytest on the test modules, in a process that no setting of the user changes."""

import os
import sys
from collections.abc import Sequence
from pathlib import Path

import conformance
from conformance.runs.exit_codes import INCONCLUSIVE, SUITE_FAULT, USAGE
from conformance.runs.processes.interruption import passing_on
from conformance.runs.processes.judging_process import JudgingProcess
from conformance.runs.saved.saved_run import SavedRun
from reports.formats.summary import append_summary
from reports.results.build import exit_code
from reports.results.faults import has_leaked
from reports.results.file import RESULTS_FILE, load_outcome

PACKAGE = Path(conformance.__file__).parent
HOME = PACKAGE.parent if (PACKAGE.parent / "conftest.py").is_file() else PACKAGE
"""Where conftest.py and the pytest configuration are: the root of a checkout, or the installed package."""

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


def arguments(
    target: str | SavedRun, out: Path, *, certify: bool = False, level: str | None = None
) -> list[str]:
    """The arguments of pytest that judge a target or a saved run, with the configuration of the suite.

    Options of ours are one word each: pytest looks for a conftest.py beside every other word that is a path.
    """
    words = ["-c", str(HOME / "pyproject.toml"), "--rootdir", str(HOME), "--assert=plain", f"--out={out}"]
    words += [word for plugin in _NEEDLESS for word in ("-p", f"no:{plugin}")]
    if isinstance(target, str):
        words.append(f"--target={target}")
    else:
        words.append(f"--evidence={target.ledger}")
        words += [f"--profile={target.profile}"] if target.profile else []
    words += ["--certify"] if certify else []
    words += [f"--level={level}"] if level else []
    return [*words, str(PACKAGE)]


def run_pytest(  # noqa: PLR0913  one parameter an option
    target: str | SavedRun,
    out: Path,
    *,
    certify: bool = False,
    level: str | None = None,
    workers: int = 0,
    quiet: bool = False,
    verbose: bool = False,
    extra: Sequence[str] = (),
    held: bool = False,
) -> int:
    """Judges a target in a new process; the exit code of its results, 2 or 5 if there are none.

    A signal to this process is passed on to the new one, which then writes its files, or ends at once where
    nothing was sent. The new one has a process group of its own, so that Ctrl-C reaches it once, from here,
    and its workers not at all. A `quiet` run says nothing on standard output, and nothing of its progress.

    Args:
        target: what is judged: a saved run, or what `--target` of pytest takes.
        out: the directory of the run.
        certify: whether a certificate is wanted.
        level: what the run may do; None leaves it to the target.
        workers: the processes that judge, 0 for one.
        quiet: whether to say nothing.
        verbose: whether to name every case with its verdict.
        extra: more arguments of pytest.
        held: whether this process holds the locks, and the new one with it; if not, it takes them itself.

    Raises:
        KeyboardInterrupt: when the new process was not started yet, or is quiet.
    """
    out.mkdir(parents=True, exist_ok=True)
    results = out / RESULTS_FILE
    results.unlink(missing_ok=True)
    words = [*_QUIET, "-v" if verbose else "-qq" if quiet else "-q"]
    words += ["-p", "xdist.plugin", "-n", str(workers)] if workers else []
    words += [*arguments(target, out, certify=certify, level=level), *(["--held"] if held else []), *extra]
    process: JudgingProcess | None = None
    interrupted = False

    def receive() -> None:
        nonlocal interrupted
        interrupted = True
        if process:
            process.terminate()

    with passing_on(receive):
        process = JudgingProcess(words, quiet=quiet)
        if interrupted:
            process.terminate()
        code = process.wait()
        if quiet and interrupted:
            raise KeyboardInterrupt
        return _exit_code(code, out, interrupted=interrupted)


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
