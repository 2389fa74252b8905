"""A full disk, or a directory where a file belongs: said in a line, and nothing stays written."""

from pathlib import Path

import pytest

from catalog.keys import CHILD_LOCK
from conformance.harness.writes.keeping.journal import UNWRITTEN, Journal, JournalFile
from conformance.harness.writes.keeping.owed import Debt, read_journal
from conformance.records.journal_lines import JOURNAL_FILE
from conformance.records.ledger_lines import append
from conformance.selftest.support.commanding import SCRIPT, finished, run, running_first
from conformance.selftest.support.full_disk import no_file_over
from conformance.selftest.support.owed_journals import lines_of

MUTANT = "mutant:any-ha-id"
DEBT = Debt("one", "settings", CHILD_LOCK, before=False, refused=None)


def test_line_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    """What does not fit leaves the file as it was, and what fits afterwards follows the last whole line."""
    with (tmp_path / "lines").open("wb", buffering=0) as file, no_file_over(10):
        append(file, "first\n")
        with pytest.raises(OSError, match="too large"):
            append(file, "too long\n")
        append(file, "two\n")
    assert (tmp_path / "lines").read_text() == "first\ntwo\n"


def test_nothing_is_sent_for_an_intent_that_is_not_on_disk(tmp_path: Path) -> None:
    """A write needs its intent; a restore has that of the write, and what came of either may be left out."""
    journal = Journal(JournalFile(tmp_path / JOURNAL_FILE, {"level": "power"}))
    journal.intend("write", "x@one", DEBT, value=True)
    with no_file_over((tmp_path / JOURNAL_FILE).stat().st_size + 20):
        journal.settled(DEBT)
        assert journal.intend("restore", "x@one", DEBT, value=False) == UNWRITTEN
        with pytest.raises(OSError, match="too large"):
            journal.intend("write", "x@one", DEBT, value=True)
    journal.end()
    assert [line["n"] for line in lines_of(tmp_path / JOURNAL_FILE)] == [0, 1, 2]
    (owed,) = read_journal(tmp_path / JOURNAL_FILE).owed
    assert (owed.place, owed.before, owed.is_due) == (DEBT.place, False, True)


FULL = """
import os, sys

os.dup2(os.open("/dev/full", os.O_WRONLY), 1)
sys.stdout.reconfigure(line_buffering=True)
"""
LIMITING = "import resource\n\nresource.setrlimit(resource.RLIMIT_FSIZE, ({size}, {size}))\n"


@pytest.mark.parametrize(("size", "unwritten"), [(8_000, "evidence.ndjson"), (60_000, "results.json")])
def test_full_disk_is_the_suites_own_fault(size: int, unwritten: str, tmp_path: Path) -> None:
    """The run ends with 5 and says what could not be written; no verdict is called the target's."""
    ran = run(tmp_path, MUTANT, "--level", "read", env=running_first(tmp_path, LIMITING.format(size=size)))
    assert (ran.code, "Traceback" in ran.output) == (5, False)
    faults = [line for line in ran.output.splitlines() if line.startswith("fault of the suite: ")]
    assert any(unwritten in line and "too large" in line for line in faults)
    assert "Not judged: the suite is at fault" in ran.output


@pytest.mark.parametrize("name", ["report.html", "evidence.ndjson", "journal.ndjson"])
def test_directory_in_the_way_is_named(name: str, tmp_path: Path) -> None:
    """Where a file of the run belongs and a directory is, nothing is sent: the place is wrong."""
    (tmp_path / "out" / name).mkdir(parents=True)
    ran = finished([SCRIPT, "run", MUTANT, "--out", str(tmp_path / "out")], tmp_path)
    assert (ran.code, "Traceback" in ran.output, f"{name}: Is a directory" in ran.output) == (2, False, True)


def test_output_that_is_not_taken_changes_no_verdict(tmp_path: Path) -> None:
    """Standard output on a full disk: the files are written, and the code is that of the verdict."""
    ran = run(tmp_path, "variant:off-means-standby", "--level", "read", env=running_first(tmp_path, FULL))
    assert (ran.code, ran.results["verdict"]) == (0, "pass")
