"""Commands in forked processes are told apart, from however many threads tests start them."""

from __future__ import annotations

import os
import time
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import forkserver
from pathlib import Path

import pytest

from conformance.selftest.support.forking import measure


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
