"""What a whole run leaves: all that it sent, the same each time, and nothing half written on a full disk."""

import json
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import pytest

from catalog import keys
from catalog.model import Entry
from conformance.harness.writes.keeping.journal import UNWRITTEN, Journal, JournalFile
from conformance.harness.writes.keeping.owed import Debt, read_journal
from conformance.mutants.fleets import DOSER, HOOD_LIGHT
from conformance.proof.equivalence import lasting
from conformance.records.journal_lines import JOURNAL_FILE
from conformance.records.ledger_lines import LEDGER_FILE
from conformance.reference.appliance import Appliance
from conformance.reference.fleets.cleaning import ROBOT_WATCHING, WASHER
from conformance.reference.server import serve
from conformance.reference.service import Service
from conformance.reference.wire import Incoming, Json, Reply
from conformance.runs.observed_run import observed
from conformance.runs.saved.saved_run import SavedRun
from conformance.selftest.support.commands import BARE, FILES, SCRIPT, command, program, running_first
from conformance.selftest.support.judged_runs import STILL, judge_all, no_file_over, ran_of, session_of
from conformance.selftest.support.owed_journals import served
from conformance.selftest.support.ran import Ran, lines_of
from conformance.selftest.support.recording import served_by
from reports.results.file import load_results

SECRET, TOKEN = "quite-a-secret", "granted-token"
OAUTH2 = {"client_id": "me", "client_secret": "${ISSUER_SECRET}", "scope": "read"}


class Difficult(Service):
    """Grants short-lived tokens, and moves, throttles or drops most of what is asked the first time."""

    name = "difficult"
    fleet: ClassVar[Any] = (
        WASHER.only(keys.DOSING_1, keys.LOCAL_CONTROL, keys.DOOR_STATE),
        ROBOT_WATCHING.only(keys.POWER_STATE, keys.MAP_NAME_1, keys.CAMERA_STATE),
    )

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[tuple[str, str]] = []
        self.times = Counter[tuple[str, str]]()
        self.tokens = self.places = 0

    def handle(self, request: Incoming) -> Reply:
        """Takes the request down, and makes one of its difficulties."""
        this = (request.method, f"{request.path}?{request.query}".rstrip("?"))
        self.asked.append(this)
        self.times[this] += 1
        if request.path == "/token":
            self.tokens += 1
            granted = {
                "access_token": f"{TOKEN}-{self.tokens}",
                "refresh_token": "another-secret",
                "expires_in": 0.2,
            }
            return Reply(
                200, json.dumps(granted).encode(), headers={"Set-Cookie": f"session={TOKEN}-{self.tokens}"}
            )
        if self.times[this] > 1 or request.query:
            return super().handle(request)
        self.places += 1
        if self.places % 4 == 0:
            return Reply(307, headers={"Location": f"{request.path}?moved"})
        if self.places % 4 == 1:
            return Reply(429, headers={"Retry-After": "0"})
        return Reply(0, drop=True) if self.places % 4 == 2 else super().handle(request)

    def is_within(self, appliance: Appliance, entry: Entry, value: Json) -> bool:
        """Numbers are taken beyond their range, so that something is left to be put back."""
        del appliance, entry, value
        return True


@dataclass
class Record:
    """A run against the difficult server: what the server was asked, and what the run says it sent."""

    asked: list[tuple[str, str]]
    run: Ran
    base_url: str
    width: int

    def sent(self) -> Iterator[tuple[str, str]]:
        """The requests of the ledger, in order, redirects included."""
        for line in self.run.evidence:
            if "request" in line:
                came: dict[str, Any] = line.get("response") or line["failure"]
                for url in (line["request"]["url"], *came.get("redirects", ())):
                    yield line["request"]["method"], str(url).removeprefix(self.base_url)


@pytest.fixture(scope="module", params=[1, 16])
def record(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Record:
    """A run at level attended with all that a profile can ask for, one request at a time or sixteen."""
    out, service = tmp_path_factory.mktemp("difficult"), Difficult()
    with pytest.MonkeyPatch.context() as patch, serve({"": service}) as base_url:
        patch.setenv("ISSUER_SECRET", SECRET)
        tables = {
            "auth": {"oauth2": {**OAUTH2, "token_url": f"{base_url}/token"}},
            "http": {"follow_redirects": True},
            "pace": STILL | {"concurrency": request.param, "generated": 10},
        }
        with session_of(service, out, "attended", tables, base_url=base_url) as session:
            run = ran_of(session, judge_all(session), out)
            assert session.leaks() == []
            facts = session.ending(session.facts()).run.requests
    again = facts.writes - sum("intent" in line for line in run.journal)
    assert (facts.again, again > 0) == (again, True)  # those of which the journal has no intent
    assert facts.reads + facts.controls + facts.writes == sum("request" in line for line in run.evidence)
    return Record(service.asked, run, base_url, request.param)


def test_nothing_is_sent_that_is_not_in_the_ledger(record: Record) -> None:
    """What the server was asked and what the ledger says was sent are the same requests."""
    assert Counter(record.sent()) == Counter(record.asked)


def test_ledger_has_the_order_of_the_requests(record: Record) -> None:
    """One at a time, requests stand in the order they were made; a token before what needed it."""
    sent, asked = (
        [one for one in order if one != ("POST", "/token")] for order in (record.sent(), record.asked)
    )
    assert sent == asked or record.width > 1
    assert [line["purpose"] for line in record.run.evidence[:2]] == ["run", "auth"]


def test_no_case_rests_on_a_line_beside_the_judged_ones(record: Record) -> None:
    """What was sent for a token or to open a stream is no evidence, and judged again changes no verdict."""
    beside = {line["n"] for line in record.run.evidence if line["purpose"] in {"auth", "event"}}
    assert beside.isdisjoint(number for case in record.run.cases.values() for number in case.evidence)
    with closing(observed(SavedRun(record.run.out / LEDGER_FILE))) as session:
        again = judge_all(session)
    verdicts = [{name: case.verdict for name, case in run.items()} for run in (again, record.run.cases)]
    assert verdicts[0] == verdicts[1]


def test_all_ways_of_asking_were_met(record: Record) -> None:
    """The run had every purpose and every difficulty, so that the comparison means something."""
    lines = [line for line in record.run.evidence if "request" in line]
    purposes = {"read", "control", "repeat", "list", "event", "write", "restore", "hook", "auth"}
    assert {line["purpose"] for line in lines} >= purposes
    assert {line["failure"]["kind"] for line in lines if "failure" in line} == {"closed"}
    assert 429 in {line["response"]["status"] for line in lines if "response" in line}


# The same run says the same, byte for byte.
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


@pytest.fixture(scope="module")
def reference_runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Ran]:
    """The light of a hood, and a washer, judged twice, each time with --certify."""
    ran: dict[str, Ran] = {}
    for name in ("first", "second"):
        here = tmp_path_factory.mktemp(name)
        with served(served_by(fleet=(HOOD_LIGHT, DOSER))(), here / "hub.toml", pace=FEW):
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
DEBT = Debt("one", "settings", keys.CHILD_LOCK, before=False, refused=None)


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


def test_output_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    """Where what was asked for is printed, a full disk is another thing: it is not there."""
    ran = program("sh", "-c", '"$0" catalog > /dev/full', SCRIPT, directory=tmp_path)
    assert (ran.code, ran.output) == (2, "standard output: No space left on device\n")
