"""The progress bar: on a terminal while a target is read, and nowhere else."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path
SNIPPET = """
import sys
from conformance.commands import main
main(["run", "--out", sys.argv[1], "--", "-k", "AlarmClock and oven-1"])
"""


def said_on(directory: Path, *, terminal: bool) -> str:
    """What a small run writes to standard error, with or without a terminal there."""
    ours, theirs = pty.openpty() if terminal else os.pipe()
    words = [sys.executable, "-c", SNIPPET, str(directory)]
    with subprocess.Popen(words, cwd=directory, stdout=subprocess.DEVNULL, stderr=theirs) as process:
        assert process.wait(60) == 0
    os.close(theirs)
    said = b""
    with suppress(OSError):  # a terminal nobody writes to any more ends in an error on Linux
        while part := os.read(ours, 65536):
            said += part
    os.close(ours)
    return said.decode()


def test_terminal_sees_the_bar(tmp_path: Path) -> None:
    """On a terminal the bar names the target that is read."""
    assert "reading reference" in said_on(tmp_path, terminal=True)


def test_a_file_sees_none(tmp_path: Path) -> None:
    """Off a terminal nothing is drawn."""
    assert "reading" not in said_on(tmp_path, terminal=False)
