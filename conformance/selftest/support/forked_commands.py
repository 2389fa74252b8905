"""Commands of the suite in forked processes.

Each runs the main function of the command line as the script does, or a module. The same holds for pytest
that a test starts by calling a command in its own process.
"""

import os
import resource
import runpy
import signal
import subprocess
import sys
import traceback
from collections.abc import Mapping, Sequence
from contextlib import suppress
from multiprocessing.connection import wait as wait_for
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Self, cast

from conformance.runs.asked import Asked
from conformance.selftest.support.forking import ForkedProcess, exit_code, forked
from conformance.selftest.support.ran import Ran

RUN_FIRST = "FORKED_RUN_FIRST"
"""The variable that names a file of Python which a forked command runs before all else."""


class Started:
    """A command of the suite that has been started, in a process group of its own.

    Leaving its context kills what is left of it.
    """

    def __init__(self, words: Sequence[str], directory: Path, environment: Mapping[str, str]) -> None:
        """Start it.

        Args:
            words: those of the command, or `-m`, a module and its arguments.
            directory: where it runs; it is made.
            environment: all of its variables.
        """
        directory.mkdir(parents=True, exist_ok=True)
        self._place = TemporaryDirectory()
        self._said, self._used = Path(self._place.name, "said.txt"), Path(self._place.name, "used.txt")
        self._out = directory / "out"
        self._process = forked(
            _run, [*words], str(directory), dict(environment), str(self._said), str(self._used)
        )
        self.pid = cast("int", self._process.pid)
        self._over = False

    def __enter__(self) -> Self:
        """The command itself."""
        return self

    def __exit__(self, *_raised: object) -> None:
        """Kill it where nobody has waited for its end: a test that fails leaves nothing behind."""
        if not self._over:
            self.ended(0)
        self._place.cleanup()

    def runs(self, seconds: float = 0) -> bool:
        """Whether it still runs, after so many seconds at most."""
        return not wait_for([self._process.sentinel], seconds)

    def send_signal(self, number: signal.Signals) -> None:
        """Send it a signal; what it has started gets none."""
        os.kill(self.pid, number)

    def kill(self) -> None:
        """End it and the pytest it has started at once, without any of them having a say."""
        for each in self.processes():
            os.kill(each, signal.SIGKILL)

    def ended(self, limit_s: float) -> Ran:
        """How it ended; it is killed after `limit_s` seconds, with all that it has started."""
        if killed := self.runs(limit_s):
            self._kill()
        code, self._over = exit_code(self._process), True
        output = self._said.read_bytes() if self._said.exists() else b""
        resident_mb = float(self._used.read_bytes()) if self._used.exists() else 0.0
        return Ran(None if killed else code, output, self._out, resident_mb)

    def processes(self) -> list[int]:
        """Its process and those that it has started: its pytest, which has a group of its own."""
        found = subprocess.run(["pgrep", "-P", str(self.pid)], capture_output=True, text=True, check=False)
        return [self.pid, *map(int, found.stdout.split())]

    def _kill(self) -> None:
        for process in self.processes():
            for kill in (os.killpg, os.kill):  # it has no group yet in its first moments
                with suppress(ProcessLookupError):
                    kill(process, signal.SIGKILL)


def measure(words: Sequence[str], directory: Path, environment: Mapping[str, str], limit_s: float) -> Ran:
    """Run a command of the suite to its end, and kill it after `limit_s` seconds."""
    with Started(words, directory, environment) as command:
        return command.ended(limit_s)


def _run(words: list[str], directory: str, environment: dict[str, str], said: str, used: str) -> None:
    """In the forked process: the command, from its words to its exit code."""
    os.setpgid(0, 0)
    output = os.open(said, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.dup2(output, 1)
    os.dup2(output, 2)
    os.chdir(directory)
    sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115  as long as the process
    sys.stderr = open(2, "w", encoding="utf-8", errors="backslashreplace", closefd=False)  # noqa: SIM115
    code = _code_of(words, environment)
    usages = [resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    with open(used, "w", encoding="utf-8") as file:  # noqa: PTH123
        file.write(str(max(usages) / 1024))
    os._exit(code)


def _code_of(words: Sequence[str], environment: Mapping[str, str]) -> int:
    """The exit code of a module, or of a command of the suite, that runs in this process to its end."""
    from conformance.commands import main  # noqa: PLC0415  the parent has imported it; whoever collects the tests need not

    code: Any = 0
    try:
        _begin(environment)
        if words[0] == "-m":
            sys.argv[1:] = words[2:]
            runpy.run_module(words[1], run_name="__main__", alter_sys=True)
        else:
            sys.argv = ["appliance-conformance", *words]
            main([*words], prog_name="appliance-conformance")
    except SystemExit as ended:
        code = ended.code
    except BaseException:  # noqa: BLE001  what an interpreter would do at its end
        traceback.print_exc()
        code = 1
    sys.stdout.flush()
    sys.stderr.flush()
    return code if isinstance(code, int) else int(code is not None)


def _begin(environment: Mapping[str, str]) -> None:
    """What a forked process does first; whatever it forks begins with that."""
    os.environ.clear()
    os.environ.update(environment)
    if RUN_FIRST in environment:
        runpy.run_path(environment[RUN_FIRST])


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
    from conformance.runs.processes.judging_process import judge  # noqa: PLC0415  for the same reason

    os.chdir(directory)
    for number in (1, 2):
        os.dup2(os.open(os.devnull, os.O_WRONLY), number)
    _begin(environment)
    judge(asked, words)
