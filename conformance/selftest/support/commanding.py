"""The command line as another program meets it, and tiny servers to point it at."""

import json
import os
import socketserver
import subprocess
import sys
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from click.testing import CliRunner, Result

import conformance
from conformance.commands import main
from conformance.mutants.hostile.model import Asked, Pause, Piece
from conformance.runs.admission.locks import LOCK, InUseError, held
from conformance.selftest.support.forked_commands import RUN_FIRST, Started, measure
from conformance.selftest.support.ran import Ran
from conformance.selftest.support.servers.raw_server import http, raw_server

ROOT = Path(conformance.__file__).parent.parent
SCRIPT = str(Path(sys.executable).with_name("appliance-conformance"))
FRIDGE = ("--appliance", "fridge-1:Refrigerator")
LIMIT_S = 600
"""Seconds after which a command that a test waits for is killed."""
_BODY = b'{"data": {"value": true}}'
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
AUTH = '[auth]\nheaders = { Authorization = "Bearer ${HUB_TOKEN}" }\n'


def run(
    directory: Path, *words: str, script: str = SCRIPT, env: dict[str, str] | None = None, forked: bool = True
) -> Ran:
    """`appliance-conformance run`, with `directory` to work in and to write its files to."""
    after = words.index("--") if "--" in words else len(words)
    command = [script, "run", *words[:after], "--out", str(directory / "out"), *words[after:]]
    return finished(command, directory, env, forked=forked)


def finished(
    command: list[str], directory: Path, env: dict[str, str] | None = None, *, forked: bool = True
) -> Ran:
    """Any command, run to its end.

    Our own script, or a module, is not started anew but `forked` from an interpreter that has imported the
    suite, unless the environment says where else to import from.
    """
    environment = surroundings(env)
    ours = command[0] == SCRIPT or command[:2] == [sys.executable, "-m"]
    if forked and ours and "PYTHONPATH" not in (env or {}):
        ran = measure(command[1:], directory, environment, LIMIT_S)
        assert ran.code is not None, f"{command} takes longer than {LIMIT_S} seconds"
        return ran
    ended = subprocess.run(
        command, cwd=directory, env=environment, capture_output=True, check=False, timeout=LIMIT_S
    )
    return Ran(ended.returncode, ended.stdout + ended.stderr, directory / "out")


def started(*words: str, directory: Path, env: dict[str, str] | None = None) -> Started:
    """A command of ours in a forked process, to be sent signals while it runs."""
    return Started(words, directory, surroundings(env))


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


def surroundings(env: dict[str, str] | None = None) -> dict[str, str]:
    """The environment of a command: this one, without what the pytest that runs the tests has put there, and
    without where the user has other packages.
    """
    left_out = ("PYTEST_", "PYTHONPATH")
    names = [name for name in os.environ if not name.startswith(left_out)]  # those of pytest come and go
    return {name: os.environ[name] for name in names} | (env or {})


def said(*words: str) -> Result:
    """A command in this process, for those that start none."""
    return CliRunner().invoke(main, words, prog_name="appliance-conformance")


@dataclass
class Listener:
    """A server of a test: its address, and the paths it was asked for."""

    base_url: str
    asked: list[str] = field(default_factory=list[str])
    came: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))

    def wait_until_asked(self, times: int) -> None:
        """Returns when so many requests have come; gives up after a minute without one."""
        assert all(self.came.acquire(timeout=60) for _ in range(times))


@contextmanager
def listening(status: int = 200, *, delay: float = 0) -> Generator[Listener]:
    """A server that answers everything alike, after `delay` seconds."""
    listener = Listener("")

    def answer(asked: Asked) -> list[Piece]:
        listener.asked.append(asked.request.path)
        listener.came.release()
        return [Pause(delay), http(status, _BODY, Content_Type="application/json")]

    with raw_server(answer) as raw:
        listener.base_url = raw.base_url
        yield listener


def write_profile(path: Path, base_url: str, *, name: str = "hub", more: str = "") -> Path:
    """A profile of one refrigerator at `base_url`, with `more` tables."""
    target = f'[target]\nname = "{name}"\nbase_url = "{base_url}"\n'
    appliance = '[[appliance]]\nha_id = "fridge-1"\nkind = "Refrigerator"\n'
    path.write_text(f"{target}{more}\n{appliance}", encoding="utf-8")
    return path


def judged_again(ledger: Path, directory: Path, *words: str) -> Ran:
    """`appliance-conformance judge`, with `directory` to work in and to write its files to."""
    return finished([SCRIPT, "judge", str(ledger), "--out", str(directory / "out"), *words], directory)


def pytest_words(*words: str) -> list[str]:
    """A pytest of this checkout, as a command that can be run anywhere."""
    place = ["-c", str(ROOT / "pyproject.toml"), "--rootdir", str(ROOT), str(ROOT / "conformance")]
    return [sys.executable, "-m", "pytest", "-q", "--disable-plugin-autoload", *place, *words]


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
        measured = measure(words, Path(directory), environment, LIMIT_S)
        self.wfile.write(json.dumps([measured.code, measured.output]).encode())


@contextmanager
def forked_script() -> Generator[Path]:
    """The directory of a program that is called like our script, for as long as the context lasts.

    What the command says on standard error comes on standard output.
    """
    with TemporaryDirectory() as directory:
        address, program = Path(directory, "socket"), Path(directory, Path(SCRIPT).name)
        program.write_text(_CLIENT.format(python=sys.executable, address=str(address)))
        program.chmod(0o755)
        with socketserver.ThreadingUnixStreamServer(str(address), _Handler) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            yield program.parent
            server.shutdown()
