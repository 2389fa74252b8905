"""Commands in forked processes are told apart, from however many threads tests start them, and one server
forks all of them.
"""

from __future__ import annotations

import os
import time
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import forkserver
from pathlib import Path

import pytest

from conformance.selftest.support.forking import exit_code, forked, measure


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
    """One that starts workers of pytest starts no server that imports the suite again."""
    exit_code(forked(_write_parent, tmp_path, 1))
    assert (tmp_path / "0").read_text(encoding="utf-8") == (tmp_path / "1").read_text(encoding="utf-8")


def _write_parent(directory: Path, further: int) -> None:
    """Write which process has forked this one, and the same for so many further ones."""
    (directory / str(further)).write_text(str(os.getppid()), encoding="utf-8")
    if further:
        exit_code(forked(_write_parent, directory, further - 1))
