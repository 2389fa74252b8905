"""A signal while the suite starts: nothing was sent, and the command ends with 3 and one line."""

import signal
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from conformance.runs.exit_codes import INCONCLUSIVE
from conformance.runs.processes.interruption import interruptible
from conformance.selftest.support.commanding import SCRIPT, Listener, listening, surroundings, write_profile

HAS_PROC = Path("/proc/self/status").exists()
pytestmark = pytest.mark.skipif(not HAS_PROC, reason="which signals are handled is read from /proc")
LIMIT_S = 60
"""After so long a test fails: a machine may be slow, and a command must not hang."""
MOMENTS = [(0, signal.SIGINT), (50, signal.SIGTERM), (200, signal.SIGINT), (800, signal.SIGTERM)]
"""Milliseconds after a process handles signals, and what it gets."""


def handles(pid: int, number: signal.Signals) -> bool:
    """Whether a process has a handler of its own for a signal."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    mask = next(line.split()[1] for line in status.splitlines() if line.startswith("SigCgt"))
    return bool(int(mask, 16) >> (number - 1) & 1)


@contextmanager
def starting(listener: Listener, directory: Path) -> Generator[subprocess.Popen[str]]:
    """`run` in the background of a script, so with SIGINT ignored, as soon as it handles SIGTERM."""
    profile = write_profile(directory / "hub.toml", listener.base_url)
    words = [SCRIPT, "run", str(profile), "--out", str(directory / "out")]
    ignoring = (
        "import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_IGN); os.execv(sys.argv[1],"
        " sys.argv[1:])"
    )
    command = [sys.executable, "-c", ignoring, *words]
    with subprocess.Popen(
        command, env=surroundings(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        try:
            until = time.monotonic() + LIMIT_S
            while not handles(process.pid, signal.SIGTERM):
                assert time.monotonic() < until
                time.sleep(0.001)
            yield process
        finally:
            process.kill()


@pytest.mark.parametrize(("delay_ms", "number"), MOMENTS)
def test_signal_while_starting_ends_with_3_and_one_line(
    delay_ms: int, number: signal.Signals, tmp_path: Path
) -> None:
    """At any moment of the start a signal ends the run with 3; as long as nothing was sent, with one line."""
    with listening() as listener, starting(listener, tmp_path) as process:
        time.sleep(delay_ms / 1000)
        process.send_signal(number)
        said, _ = process.communicate(timeout=LIMIT_S)
    assert (process.returncode, "Traceback" in said) == (INCONCLUSIVE, False), said
    assert listener.asked or said == "interrupted before anything was sent\n"


@pytest.mark.parametrize(("sent", "code"), [(False, INCONCLUSIVE), (True, 7)])
def test_signal_before_the_first_request_does_what_it_did(*, sent: bool, code: int) -> None:
    """A run that has taken over the signals still ends at once as long as nothing was sent."""
    code_of_run = (
        "import signal, sys; from conformance.runs.processes.interruption import EndAtOnce\n"
        "from conformance.harness.writes.keeping.interruptions import interrupted_once\n"
        f"EndAtOnce().install(); interrupted_once(lambda: {sent})\n"
        "try: signal.raise_signal(signal.SIGTERM)\nexcept KeyboardInterrupt: sys.exit(7)"
    )
    assert subprocess.run([sys.executable, "-c", code_of_run], check=False).returncode == code


def test_signal_after_the_end_is_ignored() -> None:
    """A signal changes nothing once a command has done its work; elsewhere the handler is what it was."""
    before = signal.getsignal(signal.SIGTERM)
    with interruptible():
        pass
    assert signal.getsignal(signal.SIGTERM) == before
    code = (
        "import signal; from conformance.runs.processes.interruption import EndAtOnce, interruptible;"
        " EndAtOnce().install()\nwith interruptible(): pass\nsignal.raise_signal(signal.SIGTERM)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
