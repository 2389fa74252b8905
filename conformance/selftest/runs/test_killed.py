"""After a run that is killed or interrupted in the middle of its lanes all is put back; a command goes on."""

import json
import os
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest
from msgspec.structs import replace

from catalog.keys import ON, POWER_STATE, STANDBY
from conformance.mutants.fleets import TIMED_OVEN
from conformance.records.journal_lines import JOURNAL_FILE
from conformance.records.ledger_lines import LEDGER_FILE
from conformance.reference.wire import Incoming, Reply
from conformance.runs.admission.locks import LOCK
from conformance.runs.exit_codes import INCONCLUSIVE
from conformance.selftest.support.commands import (
    BARE,
    LIMIT_S,
    Running,
    command,
    program,
    surroundings,
    wait_until,
    wait_until_free,
)
from conformance.selftest.support.judged_runs import STILL
from conformance.selftest.support.owed_journals import served
from conformance.selftest.support.ran import Ran, lines_of
from conformance.selftest.support.recording import OVEN_ID, Recording

WALK = f"{OVEN_ID} and (PWR or BASE or SET-WRITABLE)"
"""A case about the whole appliance has all of its keys read."""
LANES = 8


class Holding(Recording):
    """Eight ovens, four of them in standby, so that a state is prepared before others are written.

    The answer to the write number `which` to each of them takes `delay_s` seconds; then all are `held`, and
    nothing at all is answered before they may `go_on`.
    """

    fleet = tuple(
        replace(TIMED_OVEN.having({POWER_STATE: ON if number % 2 else STANDBY}), ha_id=f"{OVEN_ID}-{number}")
        for number in range(LANES)
    )
    which, delay_s = 5, 1.0

    def __init__(self) -> None:
        """Nobody has written."""
        super().__init__()
        self.held, self.go_on = threading.Event(), threading.Event()
        self.written: Counter[str] = Counter()

    def answer(self, request: Incoming) -> Reply:
        reply = super().answer(request)
        if request.method == "GET":
            return reply
        ha_id = request.path.split("/")[3]
        self.written[ha_id] += 1
        if min(self.written[spec.ha_id] for spec in self.fleet) >= self.which:
            self.held.set()
            self.go_on.wait()
        return replace(reply, delay_s=self.delay_s) if self.written[ha_id] == self.which else reply


class Standing(NamedTuple):
    """Such a server, its profile, and a directory for a run."""

    service: Holding
    profile: Path
    out: Path


@contextmanager
def standing(directory: Path) -> Generator[Standing]:
    """A server that listens."""
    service, profile = Holding(), directory / "held.toml"
    with served(service, profile, pace=STILL | {"concurrency": LANES}):
        yield Standing(service, profile, directory / "out")


@contextmanager
def walking(there: Standing) -> Generator[Running]:
    """`run --level power` in the middle of its lanes, which goes on at the end of the context."""
    words = ["run", str(there.profile), "--level", "power", "--out", str(there.out), *BARE, "-k", WALK]
    with Running(words, there.out.parent, surroundings()) as running:
        try:
            while not there.service.held.wait(0.1):
                assert running.goes_on()
            yield running
        finally:
            there.service.go_on.set()


@dataclass
class KilledRun:
    """What a killed run left, and what two restores made of it.

    `resumed` goes on from it once everything is back; `restored` is the journal before that.
    """

    there: Standing
    left: dict[tuple[str, str], Any]
    journal: list[dict[str, Any]]
    restores: list[Ran]
    restored: list[dict[str, Any]]
    resumed: Ran


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KilledRun]:
    """A run that is killed when all appliances have just taken their first write, and `restore` twice."""
    directory = tmp_path_factory.mktemp("killed")
    with standing(directory) as there:
        there.service.which, there.service.delay_s = 1, 60
        restore = ["restore", str(there.out / JOURNAL_FILE)]
        with walking(there) as running:
            running.kill()
            running.end()
        wait_until_free(there.out)
        left, journal = there.service.settings(), lines_of(there.out / JOURNAL_FILE)
        restores = [command(*restore, directory=directory) for _ in range(2)]
        restored = lines_of(there.out / JOURNAL_FILE)
        words = ["run", str(there.profile), "--level", "power", "--out", str(there.out), "--resume"]
        resumed = command(*words, *BARE, "-k", WALK, directory=directory)
        yield KilledRun(there, left, journal, restores, restored, resumed)


def test_killed_run_leaves_its_intents(killed: KilledRun) -> None:
    """The journal ends with the writes that were under way, each of which has moved its appliance."""
    intents = [line for line in killed.journal if "intent" in line]
    assert len({line["ha_id"] for line in intents if line["before"] != line["value"]}) == LANES
    moved = {(line["ha_id"], line["key"]): line["value"] for line in intents}
    assert (killed.left, killed.journal[1:]) == (Holding().settings() | moved, intents)


def test_restore_brings_every_setting_back(killed: KilledRun) -> None:
    """After restore every setting is what it was before the run; a second one finds nothing to do."""
    first, second = killed.restores
    assert (first.code, first.output.count("put back: ")) == (0, LANES)
    assert killed.there.service.settings() == Holding().settings()
    assert (second.code, "nothing is owed" in second.output) == (0, True)
    assert not list(killed.there.out.glob("restore-evidence-*"))


def test_restore_keeps_its_own_account(killed: KilledRun) -> None:
    """The journal says that the key was put back; the exchanges of the restore have a ledger of their own."""
    lines = killed.restored
    assert [line["n"] for line in lines] == list(range(len(lines)))
    assert [line["restored"] for line in lines[len(killed.journal) :] if "restored" in line] == [True] * LANES
    ledger = lines_of(killed.there.out / "restore-evidence.ndjson")
    owed = [(line["ha_id"], line["before"]) for line in killed.journal[1:]]
    assert [(line["ha_id"], line["value"]) for line in ledger if line["purpose"] == "restore"] == owed[::-1]
    assert (lines[-1]["end"], ledger[-1]["purpose"]) == (True, "end")


def test_killed_run_is_resumed(killed: KilledRun) -> None:
    """A part of what was read is read again; the walk is made from its beginning, and all is put back."""
    results = json.loads((killed.there.out / "results.json").read_bytes())
    assert (killed.resumed.code, results["interrupted"], results["faults"]) == (0, False, [])
    assert killed.there.service.settings() == Holding().settings()
    reads = [line for line in lines_of(killed.there.out / LEDGER_FILE) if line["purpose"] == "read"]
    again = [line["lane"] for line in reads if line["at"] > killed.journal[-1]["at"]]
    assert len(again) < len(reads)
    assert {*Counter(again).values()} <= {1, 2, 3, 4}
    lines = lines_of(killed.there.out / JOURNAL_FILE)
    assert [line["at"] for line in lines[1 : len(killed.journal)]] == [
        line["at"] for line in killed.journal[1:]
    ]
    assert lines[-1]["end"] is True


def assert_put_back(there: Standing) -> None:
    """Everything is as before, the journal and the results say so, and that the run was interrupted."""
    assert there.service.settings() == Holding().settings()
    lines = lines_of(there.out / JOURNAL_FILE)
    assert next(line for line in lines if "intent" in line)["intent"] == "write"
    assert lines[-1]["end"] is True
    assert {line["restored"] for line in lines if "restored" in line} == {True}
    assert not (there.out / LOCK).exists()
    results = json.loads((there.out / "results.json").read_bytes())
    assert (results["interrupted"], results["verdict"], results["faults"]) == (True, "inconclusive", [])


def test_interrupted_walk_is_put_back_by_the_run(tmp_path: Path) -> None:
    """The run puts everything back, writes its files and ends with 3, though a service manager has sent
    SIGTERM to the command and its pytest at once before Ctrl-C.
    """
    with standing(tmp_path) as there:
        with walking(there) as running:
            for each in reversed(running.processes()):
                os.kill(each, signal.SIGTERM)
            running.send_signal(signal.SIGINT)
            there.service.go_on.set()
            assert running.end().code == 3
        assert_put_back(there)


def test_process_that_a_killed_command_leaves_is_named(tmp_path: Path) -> None:
    """The next run says which process still judges and how to end it; that one then puts everything back."""
    with standing(tmp_path) as there:
        with walking(there) as running:
            _, judging = running.processes()
            running.send_signal(signal.SIGKILL)
            wait_until(lambda: not Path(f"/proc/{running.pid}").exists())
            words = ("run", str(there.profile), "--out", str(tmp_path / "other"))
            refused = command(*words, directory=tmp_path).output
            os.kill(judging, signal.SIGTERM)
            there.service.go_on.set()
            wait_until_free(there.out)
        assert (f"process {judging} on " in refused, f"`kill {judging}` has it" in refused) == (True, True)
        assert_put_back(there)


# The process in which a run is judged is another one than that of the command, although forked from it.
STARTING = """
import atexit, os, signal, pytest
from pathlib import Path
from conformance.runs.asked import Asked
from conformance.runs.processes.pytest_process import JudgingProcess

atexit.register(print, "the command ends")
print("the command begins")


def code_of(main, meanwhile):
    pytest.main = lambda *_, **__: main()
    process = JudgingProcess(Asked("reference", Path("nowhere")), [])
    meanwhile(process)
    return process.wait()


print(
    code_of(lambda: 7, lambda _: None),
    code_of(lambda: 1 / 0, lambda _: None),
    code_of(signal.pause, JudgingProcess.terminate),
    code_of(signal.pause, lambda process: os.killpg(process._pid, signal.SIGINT)),
)
"""


def test_command_goes_on_alone(tmp_path: Path) -> None:
    """What it has said is said once, and what it does at its end done once, however the other one ends."""
    ran = program(sys.executable, "-c", STARTING, directory=tmp_path)
    codes = f"7 1 {INCONCLUSIVE} {INCONCLUSIVE}"
    assert ran.stdout.decode() == f"the command begins\n{codes}\nthe command ends\n"


# The server that a run starts in a process of its own.
OPENER = """
import os, signal, sys
from conformance.reference.server import serve_apart
from conformance.reference.service import Service
signal.signal(signal.SIGTERM, lambda *_: os.write(1, b"told\\n"))
with serve_apart({"": Service()}) as base_url:
    print(base_url, flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def opener() -> Iterator[subprocess.Popen[str]]:
    """A process that opens a server, says where it is, and leaves it when its standard input ends."""
    words = [sys.executable, "-c", OPENER]
    with subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, process_group=0
    ) as process:
        yield process
        process.kill()


def _line(process: subprocess.Popen[str]) -> str:
    return process.stdout.readline().strip() if process.stdout else ""


@pytest.mark.parametrize("number", [None, signal.SIGKILL])
def test_server_ends_with_whoever_opened_it(
    number: signal.Signals | None, opener: subprocess.Popen[str]
) -> None:
    """When the context is left, and when its process is killed: what is read to its end is held by both."""
    base_url = _line(opener)
    assert httpx.get(base_url, timeout=LIMIT_S).status_code == 404
    if number:
        opener.send_signal(number)
    assert opener.communicate(timeout=LIMIT_S)[0] == ""
    with pytest.raises(httpx.ConnectError):
        httpx.get(base_url, timeout=LIMIT_S)


def test_server_answers_after_a_signal_to_all(opener: subprocess.Popen[str]) -> None:
    """A run that is ended puts back what it wrote."""
    base_url = _line(opener)
    os.killpg(opener.pid, signal.SIGTERM)
    assert _line(opener) == "told"
    assert httpx.get(base_url, timeout=LIMIT_S).status_code == 404
