"""The server that a run starts in a process of its own."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator

import httpx
import pytest

LIMIT_S = 60
OPENER = """
import os, signal, sys
from conformance.reference.server import serve_apart
from conformance.reference.service import Service
signal.signal(signal.SIGTERM, lambda *_: os.write(1, b"told\\n"))
with serve_apart({"": Service()}) as base_url:
    print(base_url, flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def opener() -> Iterator[subprocess.Popen[str]]:
    """A process that opens a server, says where it is, and leaves it when its standard input ends."""
    words = [sys.executable, "-c", OPENER]
    with subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, process_group=0
    ) as process:
        yield process
        process.kill()


def _line(process: subprocess.Popen[str]) -> str:
    return process.stdout.readline().strip() if process.stdout else ""


@pytest.mark.parametrize("number", [None, signal.SIGKILL])
def test_server_ends_with_whoever_opened_it(
    number: signal.Signals | None, opener: subprocess.Popen[str]
) -> None:
    """When the context is left, and when its process is killed: what is read to its end is held by both."""
    base_url = _line(opener)
    assert httpx.get(base_url).status_code == 404
    if number:
        opener.send_signal(number)
    assert opener.communicate(timeout=LIMIT_S)[0] == ""
    with pytest.raises(httpx.ConnectError):
        httpx.get(base_url)


def test_server_answers_after_a_signal_to_all(opener: subprocess.Popen[str]) -> None:
    """A run that is ended puts back what it wrote."""
    base_url = _line(opener)
    os.killpg(opener.pid, signal.SIGTERM)
    assert _line(opener) == "told"
    assert httpx.get(base_url).status_code == 404
