"""The same run says the same, byte for byte; a full disk is said."""

from pathlib import Path

import pytest

from catalog.keys import CHILD_LOCK
from conformance.harness.writes.keeping.journal import UNWRITTEN, Journal, JournalFile
from conformance.harness.writes.keeping.owed import Debt, read_journal
from conformance.mutants.fleets import DOSER, HOOD_LIGHT
from conformance.proof.equivalence import lasting
from conformance.records.journal_lines import JOURNAL_FILE
from conformance.records.ledger_lines import append
from conformance.reference.service import Service
from conformance.selftest.support.commands import BARE, FILES, SCRIPT, command, program, running_first
from conformance.selftest.support.judged_runs import no_file_over
from conformance.selftest.support.owed_journals import served
from conformance.selftest.support.ran import Ran, lines_of
from reports.results.file import load_results

FEW = {"generated": 30, "generated_reads": 20, "generated_writes": 8}
"""The pace of the two runs: they need not search for faults."""
FEW_KEYS = "variant:off-means-standby"
_BENDING = {"PYTEST_ADDOPTS": "--collect-only", "PYTEST_PLUGINS": "no_such_plugin"}
_STRAY = {
    "pytest.ini": "[pytest]\naddopts = --collect-only\n",
    "pytest.toml": "[pytest]\naddopts = ['--collect-only']\n",
    "conftest.py": "raise RuntimeError('not ours')\n",
    "catalog/__init__.py": "raise RuntimeError('not ours')\n",
    "reports/__init__.py": "raise RuntimeError('not ours')\n",
    "conformance/__init__.py": "raise RuntimeError('not ours')\n",
}


class Two(Service):
    """The light of a hood, and a washer."""

    fleet = (HOOD_LIGHT, DOSER)


@pytest.fixture(scope="module")
def reference_runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Ran]:
    """Two appliances judged twice, each time with --certify."""
    ran: dict[str, Ran] = {}
    for name in ("first", "second"):
        here = tmp_path_factory.mktemp(name)
        with served(Two(), here / "hub.toml", pace=FEW):
            ran[name] = command("run", "hub.toml", "--level", "power", "--certify", directory=here)
    return ran


def test_two_runs_give_the_same_results(reference_runs: dict[str, Ran]) -> None:
    """A second run changes no id, order, verdict, finding or count."""
    results = [lasting(load_results(ran.out / "results.json")) for ran in reference_runs.values()]
    for told in results:
        del told["target"], told["answers"]  # another port
    assert ([ran.code for ran in reference_runs.values()], results[0]) == ([0, 0], results[1])


def writes_by_lane(ran: Ran) -> dict[str, list[str]]:
    """The keys that were written of each appliance, in order."""
    lanes: dict[str, list[str]] = {}
    for line in ran.evidence:
        if line["purpose"] == "write":
            lanes.setdefault(line["lane"], []).append(line["key"])
    return lanes


def test_two_runs_ask_the_same(reference_runs: dict[str, Ran]) -> None:
    """Shared reads are made once, in one order, and so are the writes of each appliance."""
    first, second = reference_runs.values()
    assert second.reads == first.reads
    assert writes_by_lane(first) == writes_by_lane(second) != {}


def test_two_runs_leave_the_same_files(reference_runs: dict[str, Ran]) -> None:
    """Every run writes the same set of files; its cases name lines of its ledger, which has its last one."""
    files = [{path.name for path in ran.out.iterdir()} for ran in reference_runs.values()]
    assert files == [FILES | {"certificate.json"}] * 2
    lines = reference_runs["second"].evidence
    named = {number for case in reference_runs["second"].results["cases"] for number in case["evidence"]}
    assert (lines[-1]["purpose"], named <= {line["n"] for line in lines}) == ("end", True)


def test_nothing_of_the_users_bends_a_run(tmp_path: Path) -> None:
    """Options in variables, stray files of pytest and stray packages of our names are left alone."""
    for name, text in _STRAY.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    words = (SCRIPT, "run", FEW_KEYS, "--level", "read", "--out", "out", *BARE, "-k", "ChildLock")
    ran = program(*words, directory=tmp_path, env=_BENDING)
    assert (ran.code, {verdict for verdict, _ in ran.verdicts.values()} > {"pass"}) == (0, True)


# A full disk, or a directory where a file belongs: said in a line, and nothing stays written.
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
    ran = command(
        "run",
        MUTANT,
        "--level",
        "read",
        directory=tmp_path,
        env=running_first(tmp_path, LIMITING.format(size=size)),
    )
    assert (ran.code, "Traceback" in ran.output) == (5, False)
    faults = [line for line in ran.output.splitlines() if line.startswith("fault of the suite: ")]
    assert any(unwritten in line and "too large" in line for line in faults)
    assert "Not judged: the suite is at fault" in ran.output


@pytest.mark.parametrize("name", ["report.html", "evidence.ndjson", "journal.ndjson"])
def test_directory_in_the_way_is_named(name: str, tmp_path: Path) -> None:
    """Where a file of the run belongs and a directory is, nothing is sent: the place is wrong."""
    (tmp_path / "out" / name).mkdir(parents=True)
    ran = command("run", MUTANT, "--out", str(tmp_path / "out"), directory=tmp_path)
    assert (ran.code, "Traceback" in ran.output, f"{name}: Is a directory" in ran.output) == (2, False, True)


def test_output_that_is_not_taken_changes_no_verdict(tmp_path: Path) -> None:
    """Standard output on a full disk: the files are written, and the code is that of the verdict."""
    ran = command(
        "run",
        *(FEW_KEYS, "--level", "read", *BARE),
        directory=tmp_path,
        env=running_first(tmp_path, FULL),
    )
    assert (ran.code, ran.results["verdict"]) == (0, "pass")


def test_output_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    """Where what was asked for is printed, a full disk is another thing: it is not there."""
    ran = program("sh", "-c", '"$0" catalog > /dev/full', SCRIPT, directory=tmp_path)
    assert (ran.code, ran.output) == (2, "standard output: No space left on device\n")
