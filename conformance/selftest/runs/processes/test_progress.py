"""The progress of a run on standard error: bars on a terminal, a line for each phase elsewhere."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

from conformance.runs.processes.progress import progress_of

if TYPE_CHECKING:
    from pathlib import Path

SNIPPET = (
    "import sys; from conformance.commands import main; main(['run', '--out', sys.argv[1], '--', '-k',"
    " 'AlarmClock'])"
)


def said_on(directory: Path, *, terminal: bool) -> str:
    """What a small run writes to standard error, with or without a terminal there."""
    ours, theirs = pty.openpty() if terminal else os.pipe()
    command = [sys.executable, "-c", SNIPPET, str(directory)]
    said = b""
    with subprocess.Popen(command, cwd=directory, stdout=subprocess.DEVNULL, stderr=theirs) as process:
        os.close(theirs)
        with suppress(OSError):  # a terminal nobody writes to any more ends in an error on Linux
            while part := os.read(ours, 65536):
                said += part
        assert process.wait(600) == 0
    os.close(ours)
    return said.decode()


def test_terminal_sees_bars(tmp_path: Path) -> None:
    """On a terminal a bar names the target that is read, one each lane, and one counts the cases."""
    said = said_on(tmp_path, terminal=True)
    assert "judging" in said.partition("reading reference")[2].partition("writing oven-1")[2]


def test_file_sees_a_line_for_each_phase(tmp_path: Path) -> None:
    """Off a terminal nothing is drawn: each phase is one line, as it begins."""
    lines = said_on(tmp_path, terminal=False).splitlines()
    assert [line.split("  ")[0] for line in lines] == ["reading", "writing", "judging"]


@pytest.mark.parametrize("verbosity", [-2, -3])
def test_run_that_another_command_makes_says_nothing(verbosity: int) -> None:
    """Such as the two runs that diff compares."""
    assert progress_of(verbosity) is None
