"""Commands in forked processes are told apart, from however many threads tests start them, and one server
forks all of them.
"""

import os
import time
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import forkserver
from pathlib import Path

import pytest

from conformance.selftest.support.forked_commands import measure
from conformance.selftest.support.forking import exit_code, forked


def test_exit_codes_are_those_of_the_commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However slowly the codes are read and whoever asks for them at the same time."""
    read_signed = forkserver.read_signed

    def slowly(descriptor: int) -> int:
        time.sleep(0.05)
        return read_signed(descriptor)

    def mistaken(number: int) -> int | None:
        return measure(["--nonsense"], tmp_path / str(number), os.environ, 60).code

    monkeypatch.setattr(forkserver, "read_signed", slowly)
    with ThreadPoolExecutor(4) as pool:
        assert [*pool.map(mistaken, range(8))] == [2] * 8


def test_forked_process_forks_by_the_same_server(tmp_path: Path) -> None:
    """One that starts workers of pytest starts no server that imports the suite again; all end together."""
    exit_code(forked(_write_origin, tmp_path, 1))
    first, second = ((tmp_path / name).read_text(encoding="utf-8").split() for name in ("1", "0"))
    assert first == second
    assert first[1] == str(os.getpgrp())


def _write_origin(directory: Path, further: int) -> None:
    """Write which process has forked this one, and its group; the same for so many further ones."""
    (directory / str(further)).write_text(f"{os.getppid()} {os.getpgrp()}", encoding="utf-8")
    if further:
        exit_code(forked(_write_origin, directory, further - 1))
