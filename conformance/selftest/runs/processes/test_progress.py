"""The progress of a run on standard error: bars on a terminal, a line for each phase elsewhere."""

import os
import pty
import sys
import time
from collections import Counter
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext, suppress
from io import StringIO
from pathlib import Path
from unittest.mock import Mock

import pytest

from catalog.keys import SETPOINT
from conformance.checks.groups import Group, guard_group
from conformance.mutants.registry import load_mutants
from conformance.runs.processes.progress import Bars, Lines, progress_of
from conformance.selftest.support.commanding import run, running_first
from conformance.selftest.support.judged_runs import STILL, begin, session_of

ERRORS_TO = """
import os

os.dup2(os.open({place!r}, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOCTTY), 2)
"""
FEW = ("--", "-k", "ChildLock")


def ran_with_errors_to(place: str, directory: Path, *words: str) -> None:
    """A small run that conforms, with a file or a terminal as its standard error."""
    env = running_first(directory, ERRORS_TO.format(place=place))
    assert run(directory, "variant:off-means-standby", *words, env=env).code == 0


def all_from(terminal: int) -> bytes:
    """What is written to a terminal until nobody has it open."""
    said = b""
    with suppress(OSError):  # a terminal nobody writes to any more ends in an error on Linux
        while part := os.read(terminal, 65536):
            said += part
    return said


def test_terminal_sees_bars(tmp_path: Path) -> None:
    """On a terminal a bar names the target that is read, one each lane, and one counts the cases."""
    ours, theirs = pty.openpty()
    with ThreadPoolExecutor() as pool:
        reading = pool.submit(all_from, ours)
        try:
            ran_with_errors_to(os.ttyname(theirs), tmp_path, *FEW)
        finally:
            os.close(theirs)
    os.close(ours)
    said = reading.result().decode()
    assert "judging" in said.partition("reading off-means-standby")[2].partition("writing oven-1")[2]


@pytest.mark.parametrize(
    ("words", "phases"),
    [(FEW, ["reading", "writing", "judging"]), (("--level", "read", *FEW), ["reading", "judging"])],
)
def test_file_sees_a_line_for_each_phase(words: tuple[str, ...], phases: list[str], tmp_path: Path) -> None:
    """Off a terminal nothing is drawn: each phase is one line, as it begins."""
    ran_with_errors_to(str(tmp_path / "errors"), tmp_path, *words)
    lines = (tmp_path / "errors").read_text(encoding="utf-8").splitlines()
    assert [line.split("  ")[0] for line in lines] == phases


@pytest.mark.parametrize("verbosity", [-2, -3])
def test_run_that_another_command_makes_says_nothing(verbosity: int) -> None:
    """Such as the two runs that diff compares."""
    assert progress_of(verbosity) is None


def test_phase_that_lasts_says_how_far_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    """Off a terminal a line tells again and again how much is done, and how long the rest takes at most."""
    with Lines(every_s=0.05).writing({"oven-1": 3, "hood-1": 2}) as advance:
        advance("oven-1", guard_group(SETPOINT), 2)
        time.sleep(0.2)
    first, again, *_ = capsys.readouterr().err.splitlines()
    assert first == "writing  2 appliances, at most 5 procedures"
    assert again == "writing  2 of at most 5, at most 1 min left"


def test_what_is_made_again_counts_once(tmp_path: Path) -> None:
    """No more procedures are told of than there are, where what a tour contradicts is made twice more."""
    (mutant,) = (one for one in load_mutants() if one.name == "vacation-outlives-fresh")
    most, told = Counter[str](), Counter[str]()

    def writing(lanes: Mapping[str, int]) -> nullcontext[Callable[[str, Group, int], None]]:
        most.update(lanes)
        return nullcontext(lambda lane, _group, count: told.update({lane: count}))

    pace = {"pace": STILL | {"generated": 60}}
    with session_of(mutant.service(), tmp_path, "power", pace) as session:
        begin(session, {mutant.clause})
        session.write(Mock(writing=writing))
    assert told
    assert told <= most


def test_count_has_room_beside_a_long_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a terminal of 100 columns the key is named by its last segment, and the count is seen whole."""
    monkeypatch.setattr(sys, "stderr", told := StringIO())
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    monkeypatch.setenv("FORCE_COLOR", "1")
    with Bars().writing({"FRIDGE-0001": 191}) as advance:
        advance("FRIDGE-0001", guard_group(SETPOINT), 10)
    drawn = told.getvalue()
    assert "writing FRIDGE-0001  guard SetpointTemperatureRefrigerator" in drawn
    assert " 10/191" in drawn
