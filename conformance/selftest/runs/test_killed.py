"""A run that is killed while it writes, and one that is interrupted: everything is put back, by `restore` or
by the run itself.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import tomllib
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from catalog.keys import ON, POWER_STATE
from conformance.cases import CATALOG
from conformance.profiles.toml import write_profile
from conformance.profiles.validation import build_profile
from conformance.runs.admission.holding import LOCK
from conformance.selftest.support.between import Line, line_to
from conformance.selftest.support.commanding import SCRIPT, Ran, finished, surroundings
from conformance.selftest.support.writing_runs import STILL

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator
    from pathlib import Path

MACHINE = "dishwasher-1"
WALK = f"{MACHINE} and (PWR or BASE)"  # a case about the whole appliance has all of its keys read


@dataclass
class Standing:
    """A reference in a process of its own, the line to it, and a profile of one of its appliances that speaks
    over that line.
    """

    base_url: str
    line: Line
    profile: Path
    before: dict[str, Any]

    def settings(self) -> dict[str, Any]:
        """Every setting of every appliance now, as the reference itself lists them."""
        return listed(self.base_url)


def listed(base_url: str) -> dict[str, Any]:
    """Every setting of a reference, by appliance and key."""
    api = f"{base_url}/api/homeappliances"
    with httpx.Client(trust_env=False) as client:
        ha_ids = [appliance["haId"] for appliance in client.get(api).json()["data"]["homeappliances"]]
        lists = {ha_id: client.get(f"{api}/{ha_id}/settings").json()["data"]["settings"] for ha_id in ha_ids}
    return {f"{item['key']}@{ha_id}": item["value"] for ha_id, items in lists.items() for item in items}


def moves_away(key: str, value: object) -> bool:
    """Whether a write leads away from On."""
    return key == POWER_STATE and value != ON


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, dict[str, Any]]]:
    """`serve reference` in a process of its own: its base URL, and the profile that it wrote."""
    directory = tmp_path_factory.mktemp("served")
    words = [SCRIPT, "serve", "reference", "--port", "0", "--out", str(directory)]
    with subprocess.Popen(words, env=surroundings(), stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        base_url = process.stdout.readline().split()[-1]
        process.stdout.readline()
        yield base_url, tomllib.loads((directory / "reference.toml").read_text(encoding="utf-8"))
        process.send_signal(signal.SIGINT)


@contextmanager
def standing(reference: tuple[str, dict[str, Any]], directory: Path) -> Generator[Standing]:
    """The reference behind a line that is held as soon as the power walk has left On."""
    base_url, data = reference
    with line_to(base_url, moves_away) as line:
        own = data | {"appliance": [table for table in data["appliance"] if table["ha_id"] == MACHINE]}
        own["target"] = {"name": "held", "base_url": line.base_url}
        own["pace"] = STILL | {
            "concurrency": 1
        }  # a connection that an interruption leaves behind must not be in the way of the next one
        profile = write_profile(build_profile(own, CATALOG), directory / "held.toml")
        yield Standing(base_url, line, profile, listed(base_url))


@contextmanager
def walking(there: Standing, out: Path, workers: str = "0") -> Generator[subprocess.Popen[bytes]]:
    """`run --level power` in the middle of its power walk."""
    words = [SCRIPT, "run", str(there.profile), "--level", "power", "--out", str(out), "--workers", workers]
    words += [] if int(workers) else ["--", "-k", WALK]  # with workers all cases are written for
    said = (out.parent / "said").open("wb")
    with (
        said,
        subprocess.Popen(
            words, env=surroundings(), stdout=said, stderr=said, start_new_session=True
        ) as process,
    ):
        try:
            while not there.line.held.wait(0.1):
                assert process.poll() is None
            yield process
        finally:
            process.kill()  # whatever a test has found: no process is waited for that nobody ends


def journalled(out: Path) -> list[dict[str, Any]]:
    """The lines of a journal."""
    return [json.loads(line) for line in (out / "journal.ndjson").read_bytes().splitlines()]


def started_by(process: subprocess.Popen[bytes]) -> list[int]:
    """The processes that a run has started: its pytest."""
    found = subprocess.run(["pgrep", "-P", str(process.pid)], capture_output=True, text=True, check=True)
    return [int(child) for child in found.stdout.split()]


def kill_all(process: subprocess.Popen[bytes]) -> None:
    """Ends a run and the pytest it has started, without any of them having a say."""
    for each in (process.pid, *started_by(process)):
        os.kill(each, signal.SIGKILL)
    process.wait()


@dataclass
class Killed:
    """What a run left that was killed, what two restores made of it, and how other runs ended while it lived
    and before a restore.
    """

    there: Standing
    out: Path
    left: dict[str, Any]
    journal: list[dict[str, Any]]
    restores: list[Ran]
    beside: list[Ran]
    after: Ran
    pid: int


@pytest.fixture(scope="module")
def killed(
    reference: tuple[str, dict[str, Any]], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Killed]:
    """A run that is killed when the appliance has just left On, and `restore` twice."""
    directory = tmp_path_factory.mktemp("killed")
    out = directory / "out"
    with standing(reference, directory) as there:
        again = [SCRIPT, "run", str(there.profile), "--level", "power", "--out"]
        restore = [SCRIPT, "restore", str(out / "journal.ndjson")]
        with walking(there, out) as process:
            beside = [
                finished(words, directory)
                for words in ([*again, str(out)], [*again, str(directory / "other")], restore)
            ]
            kill_all(process)
        after = finished([*again, str(out)], directory)
        there.line.freed.set()
        left, journal = there.settings(), journalled(out)
        restores = [finished(restore, directory) for _ in range(2)]
        yield Killed(there, out, left, journal, restores, beside, after, process.pid)


def test_killed_run_leaves_its_intent(killed: Killed) -> None:
    """The journal ends with the write that was under way, and the appliance is
    where that write has moved it.
    """
    last = killed.journal[-1]
    assert (last["intent"], last["key"], last["before"]) == ("write", POWER_STATE, ON)
    changed = {name for name, value in killed.left.items() if value != killed.there.before[name]}
    assert changed == {f"{POWER_STATE}@{MACHINE}"}
    assert killed.left[f"{POWER_STATE}@{MACHINE}"] == last["value"]


def test_nobody_else_is_at_work_beside_a_run(killed: Killed) -> None:
    """While a run lives, another one into its directory or at its appliance ends with 2 and names it; so does
    a restore of its journal.
    """
    assert [ran.code for ran in killed.beside] == [2, 2, 2]
    assert all(f"another run: process {killed.pid} on " in ran.output for ran in killed.beside)


def test_run_after_a_killed_one_is_refused(killed: Killed) -> None:
    """The same command again sends nothing, so that Off is not taken for what the appliance was; it says what
    to do.
    """
    assert killed.after.code == 2
    assert f'{MACHINE} {POWER_STATE} was "{ON}"' in killed.after.output
    assert f"appliance-conformance restore {killed.out / 'journal.ndjson'}" in killed.after.output


def test_restore_brings_every_setting_back(killed: Killed) -> None:
    """After restore every setting of the reference is what it was before the run."""
    assert killed.restores[0].code == 0
    assert killed.restores[0].output == f'put back: {MACHINE} {POWER_STATE} is "{ON}"\n'
    assert killed.there.settings() == killed.there.before


def test_restore_keeps_its_own_account(killed: Killed) -> None:
    """The journal says that the key was put back, and how; the exchanges of the restore stand in a ledger of
    their own.
    """
    own = journalled(killed.out)[len(killed.journal) :]
    assert [line["n"] for line in own] == list(range(len(killed.journal), len(killed.journal) + len(own)))
    assert [line["restored"] for line in own if "restored" in line] == [True]
    assert own[-1]["end"] is True
    ledger = [json.loads(line) for line in (killed.out / "restore-evidence.ndjson").read_bytes().splitlines()]
    assert [line["value"] for line in ledger if line["purpose"] == "restore"] == [ON]
    assert ledger[-1]["purpose"] == "end"


def test_second_restore_finds_nothing(killed: Killed) -> None:
    """Once everything is back, restore says so, ends with 0, and has sent nothing:
    there is no second ledger.
    """
    assert killed.restores[1].code == 0
    assert "nothing is owed" in killed.restores[1].output
    assert not list(killed.out.glob("restore-evidence-*"))


def assert_put_back(there: Standing, out: Path) -> None:
    """Everything is as before, the journal and the results say so, and that the run was interrupted."""
    assert there.settings() == there.before
    lines = journalled(out)
    assert next(line for line in lines if "intent" in line)["intent"] == "write"
    assert lines[-1]["end"] is True
    assert {line["restored"] for line in lines if "restored" in line} == {True}
    assert not (out / LOCK).exists()
    results = json.loads((out / "results.json").read_bytes())
    assert (results["interrupted"], results["verdict"], results["faults"]) == (True, "inconclusive", [])


@pytest.mark.parametrize(
    ("interruption", "workers"), [(signal.SIGINT, "0"), (signal.SIGTERM, "0"), (signal.SIGINT, "2")]
)
def test_interrupted_walk_is_put_back_by_the_run(
    interruption: signal.Signals, workers: str, reference: tuple[str, dict[str, Any]], tmp_path: Path
) -> None:
    """Ctrl-C and its like in the middle of a walk: the run puts everything back, writes its files and ends
    with 3.
    """
    with standing(reference, tmp_path) as there:
        with walking(there, tmp_path / "out", workers) as process:
            process.send_signal(interruption)
            there.line.freed.wait(0.2)
            there.line.freed.set()
            assert process.wait(20) == 3
        assert_put_back(there, tmp_path / "out")


def test_every_process_of_a_run_may_be_terminated(
    reference: tuple[str, dict[str, Any]], tmp_path: Path
) -> None:
    """SIGTERM to the command and to its pytest at once, as a service manager sends it: everything is put back
    all the same.
    """
    with standing(reference, tmp_path) as there:
        with walking(there, tmp_path / "out") as process:
            for each in (*started_by(process), process.pid):
                os.kill(each, signal.SIGTERM)
            there.line.freed.wait(0.2)
            process.send_signal(signal.SIGINT)  # and somebody who cannot wait
            there.line.freed.set()
            assert process.wait(20) == 3
        assert_put_back(there, tmp_path / "out")
