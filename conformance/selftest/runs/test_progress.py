"""The progress bar: on a terminal, while a target is read."""

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


def test_terminal_sees_the_bar(tmp_path: Path) -> None:
    """On a terminal the bar names the target that is read."""
    ours, theirs = pty.openpty()
    words = [sys.executable, "-c", SNIPPET, str(tmp_path)]
    with subprocess.Popen(words, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=theirs) as process:
        assert process.wait(60) == 0
    os.close(theirs)
    said = b""
    with suppress(OSError):  # a terminal nobody writes to any more ends in an error on Linux
        while part := os.read(ours, 65536):
            said += part
    os.close(ours)
    assert b"reading reference" in said
