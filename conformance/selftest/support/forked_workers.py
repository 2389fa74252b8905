"""Workers of pytest-xdist that are forked instead of started."""

import gc
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from multiprocessing import forkserver
from multiprocessing.connection import Connection
from types import SimpleNamespace
from typing import Any, cast

from conformance.selftest.support.forking import FROM_SERVER, ForkedProcess, forked_from_here


class ForkedWorker(ForkedProcess):
    """What execnet needs of subprocess.Popen, for the workers of pytest-xdist."""

    def __init__(self, words: Sequence[str]) -> None:
        """Fork the interpreter that runs this; our standard error is also the worker's."""
        reads, ours_out = FROM_SERVER.Pipe(duplex=False)
        ours_in, writes = FROM_SERVER.Pipe(duplex=False)
        files = (reads, writes, Connection(os.dup(2), readable=False))
        place = os.getcwd()  # noqa: PTH109  a text is sent
        super().__init__(forked_from_here(_run_worker, words[-1], place, dict(os.environ), files))
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
