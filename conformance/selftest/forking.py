"""Commands of the suite in processes that begin with everything imported, so that a hundred of them are cheap.

Each is forked from one interpreter that has imported the suite and runs no thread. It runs the main function of the
command line as the script does; where that starts pytest in a new interpreter, the new process is forked, too.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import resource
import runpy
import signal
import subprocess
import sys
import time
import traceback
from contextlib import suppress
from dataclasses import dataclass
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

_IMPORTED = [
    "pytest",
    "_pytest.junitxml",
    "httpx",
    "hypothesis",
    "schemathesis",
    "jinja2",
    "rich.progress",
    "tomlkit",
    "cryptography.x509",
    "conformance.commands.judging",
    "conformance.judge",
    "conformance.session",
    "conformance.runner",
    "conformance.profiles.writing",
    "reports.collector",
    "reports.render",
    "conformance.selftest.warmed",
]
_FORKING = multiprocessing.get_context("forkserver")


@dataclass(frozen=True)
class Measured:
    """A command that has ended, or was killed.

    Attributes:
        code: its exit code; None where it was killed because it took too long.
        said: all that it wrote to standard output and standard error.
        resident_mb: the most memory that one of its processes used.
        seconds: how long it took.
        cpu_s: how many seconds of a processor it used.
    """

    code: int | None
    said: bytes
    resident_mb: float
    seconds: float
    cpu_s: float


def measure(words: Sequence[str], directory: Path, environment: Mapping[str, str], limit_s: float) -> Measured:
    """Run a command of the suite in `directory`, which is made, and kill it after `limit_s` seconds."""
    directory.mkdir(parents=True, exist_ok=True)
    _FORKING.set_forkserver_preload(_IMPORTED)
    said, used = directory / "said.txt", directory / "used.json"
    began = time.monotonic()
    process = _FORKING.Process(target=_run, args=([*words], str(directory), dict(environment), str(said), str(used)), daemon=False)
    process.start()
    process.join(limit_s)
    alive = process.is_alive()
    if alive:
        _kill_group(process.pid)
    process.join()
    code = None if alive else process.exitcode
    process.close()
    seconds = time.monotonic() - began
    output = said.read_bytes() if said.exists() else b""
    usage = json.loads(used.read_bytes()) if used.exists() else {"resident_mb": 0, "cpu_s": 0}
    for path in (said, used):
        path.unlink(missing_ok=True)
    return Measured(code, output, usage["resident_mb"], seconds, usage["cpu_s"])


def _kill_group(leader: int | None) -> None:
    """Kill a process and all that it has started."""
    with suppress(ProcessLookupError):
        if leader:
            os.killpg(leader, signal.SIGKILL)


def _run(words: list[str], directory: str, environment: dict[str, str], said: str, used: str) -> None:
    """In the forked process: the command, from its words to its exit code."""
    from conformance import runner  # noqa: PLC0415  the parent has imported it; whoever collects the tests need not
    from conformance.commands import main  # noqa: PLC0415  for the same reason

    os.setpgid(0, 0)
    output = os.open(said, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.dup2(output, 1)
    os.dup2(output, 2)
    os.chdir(directory)
    os.environ.clear()
    os.environ.update(environment)
    sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115  as long as the process
    sys.stderr = open(2, "w", encoding="utf-8", errors="backslashreplace", closefd=False)  # noqa: SIM115
    sys.argv = ["appliance-conformance", *words]
    setattr(runner, "subprocess", SimpleNamespace(Popen=_Forked, DEVNULL=subprocess.DEVNULL))  # noqa: B010  a module, for pyright
    code: Any = 0
    try:
        main(words, prog_name="appliance-conformance")
    except SystemExit as ended:
        code = ended.code
    sys.stdout.flush()
    sys.stderr.flush()
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    most = max(usage.ru_maxrss for usage in usages) / 1024
    cpu = sum(usage.ru_utime + usage.ru_stime for usage in usages)
    with open(used, "w", encoding="utf-8") as file:  # noqa: PTH123
        json.dump({"resident_mb": most, "cpu_s": cpu}, file)
    os._exit(code if isinstance(code, int) else 1)


class _Forked:
    """What `runner` needs of subprocess.Popen, for a process that is forked instead of started."""

    def __init__(self, words: Sequence[str], *, env: Mapping[str, str], stdout: int | None = None, **_inherited: object) -> None:
        """Fork; whatever files the parent has open the child has, too, and it is killed with its parent."""
        self.returncode: int | None = None
        self.pid = os.fork()
        if self.pid:
            return
        if stdout == subprocess.DEVNULL:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        os.environ.clear()
        os.environ.update(env)
        module, *sys.argv[1:] = words[words.index("-m") + 1 :]
        code: Any = 0
        try:
            runpy.run_module(module, run_name="__main__", alter_sys=True)
        except SystemExit as ended:
            code = ended.code
        except BaseException:  # noqa: BLE001  what an interpreter would do at its end
            traceback.print_exc()
            code = 1
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(int(code or 0))

    def wait(self) -> int:
        """Wait for the process to end."""
        if self.returncode is None:
            self.returncode = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        return self.returncode

    def terminate(self) -> None:
        """Ask it to end."""
        os.kill(self.pid, signal.SIGTERM)
