"""Processes that begin with everything imported, so that hundreds of them are cheap.

Each is forked from one interpreter that has imported the suite and runs no thread.
"""

import multiprocessing
import os
import threading
from collections.abc import Callable
from contextlib import suppress
from multiprocessing import forkserver
from multiprocessing.connection import wait as wait_for
from typing import Any, cast

FROM_SERVER = multiprocessing.get_context("forkserver")
"""Forks processes from the interpreter that has imported the suite."""
FROM_SERVER.set_forkserver_preload(
    [
        "hypothesis",
        "conformance.commands.run",
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
        FROM_SERVER.Process(target=_in_group, args=(os.getpgrp(), target, *arguments), daemon=False),
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


def forked_from_here(target: Callable[..., None], *arguments: object) -> multiprocessing.Process:
    """A process that runs `target` and was forked from this one, which runs no thread."""
    process = cast("multiprocessing.Process", _HERE.Process(target=target, args=arguments, daemon=False))
    process.start()
    return process


def exit_code(process: multiprocessing.Process) -> int:
    """How a process ended, once it has."""
    wait_for([process.sentinel])
    with _ASKING:
        process.join()
        code = cast("int", process.exitcode)
        process.close()
    return code


class ForkedProcess:
    """A process that was forked from the interpreter that has imported everything."""

    def __init__(self, process: multiprocessing.Process) -> None:
        self.returncode: int | None = None
        self._process = process

    def wait(self) -> int:
        """Wait for the process to end."""
        if self.returncode is None:
            self.returncode = exit_code(self._process)
        return self.returncode
