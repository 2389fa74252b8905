"""Runs the command of a client, several times at once, each with a server of its own."""

import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Final, TypeVar

from reports.survival import ClientRun

BASE_URL: Final = "APPLIANCE_BASE_URL"
PROFILE: Final = "APPLIANCE_PROFILE"
_MOST_SAID: Final = 4_000  # characters of what a command printed: a test says at its end what was wrong
_One = TypeVar("_One")
_Made = TypeVar("_Made")


class Commands:
    """Runs of one command. None of them outlives a call that ends early."""

    def __init__(self, words: Sequence[str], limit_s: float, at_once: int) -> None:
        """`limit_s` seconds are what one run may take, and `at_once` run side by side."""
        self._words, self._limit_s, self._at_once = words, limit_s, at_once
        self._running = set[subprocess.Popen[bytes]]()
        self._is_over = False

    def each(self, run: Callable[[_One], _Made], servers: Iterable[_One]) -> list[_Made]:
        """What `run` makes of each server, several at once, in their order."""
        with ThreadPoolExecutor(self._at_once) as pool:
            try:
                return list(pool.map(run, servers))
            except BaseException:
                self._is_over = True
                pool.shutdown(wait=False, cancel_futures=True)
                for process in tuple(self._running):
                    _kill(process)
                raise

    def run(self, environment: Mapping[str, str], asked: Callable[[], int]) -> ClientRun:
        """Run the command once.

        Args:
            environment: what it finds in its environment besides that of this process.
            asked: how many requests the server got so far.

        Raises:
            OSError: there is no such command.
        """
        with tempfile.TemporaryFile() as printed:
            started = time.monotonic()
            process = subprocess.Popen(  # noqa: S603  the command of whoever runs this
                self._words,
                env={**os.environ, **environment},
                stdin=subprocess.DEVNULL,
                stdout=printed,
                stderr=subprocess.STDOUT,
                start_new_session=True,  # so that what it starts ends with it
            )
            self._running.add(process)
            try:
                if self._is_over:
                    _kill(process)
                process.wait(self._limit_s)
                ended: int | None = process.returncode
            except subprocess.TimeoutExpired:
                ended = None
            finally:
                _kill(process)
                self._running.discard(process)
            size = printed.seek(0, os.SEEK_END)
            printed.seek(max(0, size - 4 * _MOST_SAID))
            said = printed.read().decode("utf-8", "replace").strip()[-_MOST_SAID:]
            return ClientRun(ended, time.monotonic() - started, asked(), said)


def environment_of(base_url: str, profile: Path) -> dict[str, str]:
    """What a command finds in its environment: where its server is, and a profile of it."""
    return {BASE_URL: base_url, PROFILE: str(profile)}


def _kill(process: subprocess.Popen[bytes]) -> None:
    """End a command and all that it started, and wait until it has ended."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
