"""The process in which a run is judged is another one than that of the command, although forked from it."""

import subprocess
import sys

import pytest

from conformance.runs.exit_codes import INCONCLUSIVE

STARTING = """
import atexit, os, signal, pytest
from pathlib import Path
from conformance.runs.asked import Asked
from conformance.runs.processes.judging_process import JudgingProcess

atexit.register(print, "the command ends")
print("the command begins")
pytest.main = lambda *_, **__: {main}
process = JudgingProcess(Asked("reference", Path("nowhere")), [], quiet=True)
{meanwhile}
print(process.wait())
"""


@pytest.mark.parametrize(
    ("main", "meanwhile", "code"),
    [
        ("print('quiet') or 7", "", 7),
        ("1 / 0", "", 1),
        ("signal.pause()", "process.terminate()", INCONCLUSIVE),
        ("signal.pause()", "os.killpg(process._pid, signal.SIGINT)", INCONCLUSIVE),
    ],
)
def test_command_goes_on_alone(main: str, meanwhile: str, code: int) -> None:
    """What it has said is said once, and what it does at its end done once, however the other one ends."""
    script = STARTING.format(main=main, meanwhile=meanwhile)
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert ended.stdout == f"the command begins\n{code}\nthe command ends\n"
