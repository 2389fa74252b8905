"""Commands as a user types them, and what is left of one that has ended."""

import json
import os
import resource
import runpy
import signal
import socketserver
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from multiprocessing.connection import wait as wait_for
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Self, cast
from unittest.mock import patch

from click.testing import CliRunner
from msgspec.json import decode, encode

from conformance.commands import main
from conformance.runs.admission.locks import LOCK, InUseError, held
from conformance.selftest.support import ROOT
from conformance.selftest.support.forking import RUN_FIRST, begin, exit_code, forked
from conformance.selftest.support.ran import Ran, Used, used_by

SCRIPT = str(Path(sys.executable).with_name("appliance-conformance"))
FRIDGE = ("--appliance", "fridge-1:Refrigerator")
LIMIT_S = 600
"""Seconds after which a command that a test waits for is killed: a machine may be slow."""
RENDERED = {
    "report.html",
    "cases.html",
    "junit.xml",
    "summary.md",
    "badge.json",
    "ctrf.json",
    "results.sarif",
}
FILES = {"results.json", *RENDERED, "evidence.ndjson", "journal.ndjson"}
"""The files of every run that writes."""
BARE = ("--", "--no-renderings")
"""The last words of a run of which nothing is read but its results, ledger and journal."""
PRIVATE = "import os\n\nos.umask(0o077)\n"
"""Lets nobody else read what a command writes, where `running_first` is told of it."""
_WRITING = {"run", "judge"}
"""The commands whose files are looked at."""


def command(*words: str, directory: Path | None = None, env: Mapping[str, str] | None = None) -> Ran:
    """A command of the suite, run to its end.

    Args:
        words: those of the command line, or `-m`, a module and its arguments.
        directory: where it works, in a process of its own; `run` and `judge` write their files to `out` there
            unless their words say otherwise. Without one it runs in this process, which is for what a test
            looks at while it runs, or has altered.
        env: variables beside those of this process.
    """
    if directory:
        if words[0] in _WRITING and "--out" not in words:
            after = words.index("--") if "--" in words else len(words)
            words = (*words[:after], "--out", str(directory / "out"), *words[after:])
        with Running(words, directory, surroundings(env)) as running:
            ran = running.end()
        assert ran.code is not None, f"{words} takes longer than {LIMIT_S} seconds"
        return ran
    with patch.dict(os.environ):  # `try` keeps a token there, until its process ends
        ended = CliRunner().invoke(main, words, prog_name="appliance-conformance", env=env)
    return Ran(ended.exit_code, ended.output_bytes, _out_of(words, Path()), stdout=ended.stdout_bytes)


def program(*words: str, directory: Path, env: Mapping[str, str] | None = None) -> Ran:
    """Any program, started anew in a directory and run to its end."""
    ended = subprocess.run(
        words, cwd=directory, env=surroundings(env), capture_output=True, check=False, timeout=LIMIT_S
    )
    return Ran(ended.returncode, ended.stdout + ended.stderr, directory / "out", stdout=ended.stdout)


def files_in(directory: Path) -> dict[Path, bytes]:
    """Every file below a directory."""
    return {path: path.read_bytes() for path in directory.rglob("*") if path.is_file()}


def is_running(process: str) -> bool:
    """Whether a process of this number is there, and not only waits to be forgotten."""
    try:
        return Path(f"/proc/{process}/stat").read_text("utf-8").rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def wait_until(holds: Callable[[], object]) -> None:
    """Returns once something holds; gives up where that takes longer than any machine needs."""
    end = time.monotonic() + LIMIT_S
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.01)


class Running:
    """A command of the suite in a forked process, which leads a process group of its own.

    Leaving its context kills what is left of it.
    """

    def __init__(self, words: Sequence[str], directory: Path, environment: Mapping[str, str]) -> None:
        """Start it in a directory, which is made; `environment` are all of its variables."""
        directory.mkdir(parents=True, exist_ok=True)
        self._place = TemporaryDirectory()
        self._said, self._used = Path(self._place.name, "said.txt"), Path(self._place.name, "used.txt")
        self._out = _out_of(words, directory)
        self._process = forked(
            _run, [*words], str(directory), dict(environment), str(self._said), str(self._used)
        )
        self.pid = cast("int", self._process.pid)
        self._is_over = False

    def __enter__(self) -> Self:
        """The command itself."""
        return self

    def __exit__(self, *_raised: object) -> None:
        """Kill it where nobody has waited for its end: a test that fails leaves nothing behind."""
        if not self._is_over:
            self.end(0)
        self._place.cleanup()

    @property
    def output(self) -> str:
        """What it has said so far."""
        return self._said.read_text(encoding="utf-8") if self._said.exists() else ""

    def wait_until_said(self, text: str) -> None:
        """Returns once it has said that; gives up where that takes longer than any machine needs."""
        wait_until(lambda: text in self.output)

    def goes_on(self, seconds: float = 0) -> bool:
        """Whether it still runs, after so many seconds at most."""
        return not wait_for([self._process.sentinel], seconds)

    def send_signal(self, number: signal.Signals) -> None:
        """Send it a signal; what it has started gets none."""
        os.kill(self.pid, number)

    def kill(self) -> None:
        """End it and the pytest it has started at once, without any of them having a say."""
        for each in self.processes():
            os.kill(each, signal.SIGKILL)

    def end(self, limit_s: float = LIMIT_S) -> Ran:
        """How it ends; it is killed after `limit_s` seconds, with all that it has started."""
        if is_late := self.goes_on(limit_s):
            for process in self.processes():
                for kill in (os.killpg, os.kill):  # it has no group yet in its first moments
                    with suppress(ProcessLookupError):
                        kill(process, signal.SIGKILL)
        code, self._is_over = exit_code(self._process), True
        output = self._said.read_bytes() if self._said.exists() else b""
        used = decode(self._used.read_bytes(), type=Used) if self._used.exists() else Used()
        return Ran(None if is_late else code, output, self._out, used)

    def processes(self) -> list[int]:
        """Its process and those that it has started: its pytest, which has a group of its own."""
        children = subprocess.run(["pgrep", "-P", str(self.pid)], capture_output=True, text=True, check=False)
        return [self.pid, *map(int, children.stdout.split())]


def _out_of(words: Sequence[str], directory: Path) -> Path:
    """The directory of a command's files."""
    return directory / (words[words.index("--out") + 1] if "--out" in words else "out")


def _run(words: Sequence[str], directory: str, environment: Mapping[str, str], said: str, used: str) -> None:
    """In the forked process: the command, from its words to its exit code."""
    os.setpgid(0, 0)
    output = os.open(said, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.dup2(output, 1)
    os.dup2(output, 2)
    os.chdir(directory)
    sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115  as long as the process
    sys.stderr = open(2, "w", encoding="utf-8", errors="backslashreplace", closefd=False)  # noqa: SIM115
    code = _code_of(words, environment)
    Path(used).write_bytes(encode(used_by(resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)))
    os._exit(code)


def _code_of(words: Sequence[str], environment: Mapping[str, str]) -> int:
    """The exit code of a module, or of a command of the suite, that runs in this process to its end."""
    code: Any = 0
    try:
        begin(environment)
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


def wait_until_free(out: Path) -> None:
    """Until no process of a run is left that holds its directory."""
    while True:
        with suppress(InUseError), held(out / LOCK, "it", out):
            return
        time.sleep(0.01)


def running_first(directory: Path, code: str) -> dict[str, str]:
    """An environment in which a forked command, and the pytest that it starts, run `code` before all else."""
    first = directory / "first.py"
    first.write_text(code, encoding="utf-8")
    return {RUN_FIRST: str(first)}


def without_masking(directory: Path) -> dict[str, str]:
    """An environment in which a forked command masks no secret, so that one reaches the files of a run."""
    masking = "from conformance.harness.wire import redaction\n\nredaction.Redactor.text = "
    return running_first(directory, f"{masking}lambda _, text: text\n")


def surroundings(env: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment of a command: this one, without what the pytest that runs the tests has put there, and
    without where the user has other packages.
    """
    left_out = ("PYTEST_", "PYTHONPATH")
    names = [name for name in os.environ if not name.startswith(left_out)]  # those of pytest come and go
    return {name: os.environ[name] for name in names} | {**(env or {})}


def pytest_words(*words: str) -> list[str]:
    """A pytest of this checkout, as a command that can be run anywhere."""
    place = ["-c", str(ROOT / "pyproject.toml"), "--rootdir", str(ROOT), str(ROOT / "conformance")]
    return ["-m", "pytest", "-q", "--disable-plugin-autoload", *place, *words]


_CLIENT = """#!{python} -ISE
import json, os, socket, sys

with socket.socket(socket.AF_UNIX) as server:
    server.connect({address!r})
    server.sendall(json.dumps([sys.argv[1:], os.getcwd(), dict(os.environ)]).encode() + b"\\n")
    code, said = json.load(server.makefile("rb"))
sys.stdout.write(said)
sys.exit(code)
"""


class _Handler(socketserver.StreamRequestHandler):
    """Runs one command for a client."""

    def handle(self) -> None:
        """Read words, directory and environment; answer with the exit code and what was said."""
        words, directory, environment = json.loads(self.rfile.readline())
        with Running(words, Path(directory), environment) as running:
            ran = running.end()
        self.wfile.write(json.dumps([ran.code, ran.output]).encode())


@contextmanager
def forked_script() -> Generator[Path]:
    """The directory of a program that is called like our script, for as long as the context lasts.

    What the command says on standard error comes on standard output.
    """
    with TemporaryDirectory() as directory:
        address, script = Path(directory, "socket"), Path(directory, Path(SCRIPT).name)
        script.write_text(_CLIENT.format(python=sys.executable, address=str(address)))
        script.chmod(0o755)
        with socketserver.ThreadingUnixStreamServer(str(address), _Handler) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            yield script.parent
            server.shutdown()
