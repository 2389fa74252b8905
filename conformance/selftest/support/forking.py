"""Processes that begin with everything imported, so that hundreds of them are cheap.

Commands, and the pytest that one starts, are forked from one interpreter that has imported the suite and runs
no thread; workers of pytest-xdist from the process that begins them.
"""

import gc
import multiprocessing
import os
import runpy
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from multiprocessing import forkserver
from multiprocessing.connection import Connection
from multiprocessing.connection import wait as wait_for
from pkgutil import iter_modules
from types import SimpleNamespace
from typing import Any, cast

from conformance import commands
from conformance.runs.asked import Asked

RUN_FIRST = "FORKED_RUN_FIRST"
"""The variable that names a file of Python which a forked command runs before all else."""
_FROM_SERVER = multiprocessing.get_context("forkserver")
"""Forks processes from the interpreter that has imported the suite."""
_FROM_SERVER.set_forkserver_preload(
    [
        "hypothesis",
        *(f"conformance.commands.{module.name}" for module in iter_modules(commands.__path__)),
        "conformance.gym.commands",
        "conformance.captures.passing_on",
        "conformance.pasted.trying",
        "conformance.runs.admission.admitting",
        "reports.certificate",
        "conformance.selftest.support.hostile_runs",
        "conformance.selftest.support.warmed",
    ]
)
_HERE = multiprocessing.get_context("fork")
_ASKING = threading.Lock()
"""Held while a process is started or asked for its exit code: starting one asks all others, too, and of two
threads that ask for the code of one process at the same time the second is told 255.
"""


def forked(target: Callable[..., None], *arguments: object) -> multiprocessing.Process:
    """A process that runs `target` and was forked from the interpreter that has imported everything."""
    process = cast(
        "multiprocessing.Process",
        _FROM_SERVER.Process(target=_in_group, args=(os.getpgrp(), target, *arguments), daemon=False),
    )
    server = cast("Any", forkserver)._forkserver
    if server._forkserver_address and not server._forkserver_pid:
        # multiprocessing starts a second server here, although that which has forked this process answers
        server.ensure_running = lambda: None
    with _ASKING:
        process.start()
    return process


def _in_group(group: int, target: Callable[..., None], *arguments: object) -> None:
    """In the forked process: in the process group of whoever asked for it, to be killed with that."""
    with suppress(OSError):  # that group is gone already
        os.setpgid(0, group)
    target(*arguments)


def exit_code(process: multiprocessing.Process) -> int:
    """How a process ended, once it has."""
    wait_for([process.sentinel])
    with _ASKING:
        process.join()
        code = cast("int", process.exitcode)
        process.close()
    return code


def begin(environment: Mapping[str, str]) -> None:
    """What a forked command does first; whatever it forks begins with that."""
    os.environ.clear()
    os.environ.update(environment)
    if RUN_FIRST in environment:
        runpy.run_path(environment[RUN_FIRST])


class ForkedProcess:
    """What `subprocess.Popen` is to whoever waits for a process."""

    def __init__(self, process: multiprocessing.Process) -> None:
        self.returncode: int | None = None
        self._process = process

    def wait(self) -> int:
        """Wait for the process to end."""
        if self.returncode is None:
            self.returncode = exit_code(self._process)
        return self.returncode


class ForkedElsewhere(ForkedProcess):
    """Stands in for `JudgingProcess` in a process that runs threads and cannot fork itself: what the new one
    prints is lost.
    """

    def __init__(self, asked: Asked, words: Sequence[str]) -> None:
        super().__init__(forked(_judge_in, os.getcwd(), asked, [*words], dict(os.environ)))  # noqa: PTH109  a text is sent

    def terminate(self) -> None:
        """Ask it to end."""
        self._process.terminate()


def _judge_in(directory: str, asked: Asked, words: Sequence[str], environment: Mapping[str, str]) -> None:
    from conformance.runs.processes.pytest_process import judge  # noqa: PLC0415  the parent has imported it; whoever collects the tests need not

    os.chdir(directory)
    for number in (1, 2):
        os.dup2(os.open(os.devnull, os.O_WRONLY), number)
    begin(environment)
    judge(asked, words)


class ForkedWorker(ForkedProcess):
    """What execnet needs of subprocess.Popen, for the workers of pytest-xdist."""

    def __init__(self, words: Sequence[str]) -> None:
        """Fork the interpreter that runs this; our standard error is also the worker's."""
        reads, ours_out = _HERE.Pipe(duplex=False)
        ours_in, writes = _HERE.Pipe(duplex=False)
        files = (reads, writes, Connection(os.dup(2), readable=False))
        place = os.getcwd()  # noqa: PTH109  a text is sent
        worker = _HERE.Process(
            target=_run_worker, args=(words[-1], place, dict(os.environ), files), daemon=False
        )
        worker.start()
        super().__init__(cast("multiprocessing.Process", worker))
        self.stdin = os.fdopen(os.dup(ours_out.fileno()), "wb")
        self.stdout = os.fdopen(os.dup(ours_in.fileno()), "rb")
        for file in (*files, ours_in, ours_out):
            file.close()

    def kill(self) -> None:
        """End it."""
        self._process.kill()


def _run_worker(
    code: str, directory: str, environment: Mapping[str, str], files: "Sequence[Connection[Any, Any]]"
) -> None:
    # whatever server there is, it is not our child
    cast("Any", forkserver)._forkserver._forkserver_pid = None
    os.chdir(directory)
    os.environ.clear()
    os.environ.update(environment)
    for number, file in enumerate(files):
        os.dup2(file.fileno(), number)
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115  as long as the process
    sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    exec(code, {"__name__": "__main__"})
    os._exit(0)


def share_imports(count: int) -> None:
    """Let the next workers of pytest-xdist begin with all imports of this process, and share one fork server.

    Args:
        count: how many there are; they are forked at once, before this process runs a thread.
    """
    from execnet import gateway_base, gateway_io  # noqa: PLC0415  commands that run no worker need it not

    forkserver.ensure_running()
    gc.freeze()
    waiting = [ForkedWorker([gateway_io.popen_bootstrapline]) for _ in range(count)]

    def start(*words: Any, **pipes: Any) -> Any:
        return waiting.pop() if waiting else subprocess.Popen(*words, **pipes)

    workers = SimpleNamespace(Popen=start, PIPE=subprocess.PIPE)
    setattr(gateway_base.ThreadExecModel, "subprocess", workers)  # noqa: B010  a property, for pyright
