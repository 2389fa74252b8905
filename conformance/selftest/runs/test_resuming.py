"""A run that goes on where an earlier one was cut off sends what is missing, and says what one run says."""

import json
import re
import shutil
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from catalog.keys import CHILD_LOCK
from catalog.model import Level
from conformance.harness.writes.keeping.owed import owed_in
from conformance.mutants.fleets import HOOD
from conformance.mutants.registry import find_server
from conformance.records.journal_lines import JOURNAL_FILE
from conformance.records.ledger_lines import LEDGER_FILE
from conformance.reference.fleets.cooking import OVEN
from conformance.reference.service import Service
from conformance.selftest.support.commands import BARE, command
from conformance.selftest.support.judged_runs import STILL
from conformance.selftest.support.owed_journals import served
from conformance.selftest.support.ran import Ran
from conformance.selftest.support.recording import several

FEW = {"generated_reads": 20}
COLLECTING = ("--", "--collect-only")
"""The last words of a run that asks for nothing."""
WRONG = several(HOOD, 2, find_server("booleans-as-words"))
DROPPING = several(OVEN.only(CHILD_LOCK), 2, find_server("acknowledged-and-dropped"))


@contextmanager
def ran_against(server: Service, here: Path, level: Level, words: tuple[str, ...] = BARE) -> Generator[Ran]:
    """A run of a server, which goes on serving."""
    with served(server, here / "hub.toml", pace=STILL if level != "read" else FEW):
        yield command("run", "hub.toml", "--level", level, *words, directory=here)


@pytest.fixture(scope="module")
def server() -> Service:
    """What is read."""
    return WRONG()


@pytest.fixture(scope="module")
def whole(server: Service, tmp_path_factory: pytest.TempPathFactory) -> Generator[Ran]:
    """A run that reads."""
    with ran_against(server, tmp_path_factory.mktemp("whole"), "read") as ran:
        yield ran


@pytest.fixture(scope="module")
def writing_run(tmp_path_factory: pytest.TempPathFactory) -> Generator[Ran]:
    """A run that writes."""
    with ran_against(DROPPING(), tmp_path_factory.mktemp("written"), "write") as ran:
        yield ran


def second_run(
    whole: Ran, directory: Path, lines: int, level: Level = "read", words: tuple[str, ...] = BARE
) -> Ran:
    """The run that goes on from so many lines of its ledger, and from its journal, where nothing is owed."""
    ledger = (whole.out / "evidence.ndjson").read_bytes().splitlines(keepends=True)
    (directory / "out").mkdir(parents=True)
    (directory / "out" / "evidence.ndjson").write_bytes(b"".join(ledger[:lines]))
    if level != "read":
        shutil.copy(whole.out / "journal.ndjson", directory / "out")
    return command(
        "run", str(whole.out.parent / "hub.toml"), "--level", level, "--resume", *words, directory=directory
    )


def times(lines: list[dict[str, Any]]) -> list[str]:
    """When the exchanges were made."""
    return [line["at"] for line in lines if "request" in line]


def test_resumed_run_says_the_same(whole: Ran, tmp_path: Path) -> None:
    """Its verdicts are those of the whole run; what was kept is in its ledger, and only a few keys of each
    appliance are read again. Its files say from when to when its evidence comes.
    """
    lines = int(0.9 * len(whole.evidence))
    ran = second_run(whole, tmp_path, lines)
    assert (ran.code, ran.verdicts) == (whole.code, whole.verdicts)
    kept, made = times(whole.evidence[:lines]), times(ran.evidence)
    again = [at for at, before in zip(made, kept, strict=False) if at != before]
    assert 0 < len(again) <= 4 * 2
    newer = [at for at in made if at > whole.results["finished"]]
    assert (len(newer), {*again} <= {*newer}) == (len(times(whole.evidence)) - len(kept) + len(again), True)
    (interruption,) = ran.results["interruptions"]
    assert interruption["after"] == whole.evidence[lines - 1]["at"]
    assert interruption["until"] <= min(newer)
    assert ran.results["notices"][0].startswith("the evidence comes from ")
    assert ran.results["started"] == whole.results["started"]


def test_appliance_that_answers_otherwise_is_asked_anew(
    server: Service, whole: Ran, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What an earlier run saw of it is no evidence any more; that of the others stays."""
    gone, stays = server.appliances
    monkeypatch.setattr(server.appliances[gone], "values", {})
    ran = second_run(whole, tmp_path, len(whole.evidence) - 10)
    older = {
        line["lane"] for line in ran.evidence if "request" in line and line["at"] < whole.results["finished"]
    }
    assert (older, f"what was asked of {gone} is asked anew" in ran.output) == ({stays}, True)


def test_certificate_of_a_resumed_run_names_the_gap(tmp_path: Path) -> None:
    """Whoever reads or verifies it learns when nothing was asked."""
    words = ("--certify",)
    with ran_against(find_server("off-means-standby")(), tmp_path, "read", words) as whole:
        ran = second_run(whole, tmp_path / "again", len(whole.evidence) // 2, words=words)
    certificate = json.loads((ran.out / "certificate.json").read_bytes())
    assert (ran.code, len(certificate["interruptions"])) == (0, 1)
    assert certificate["interruptions"] == ran.results["interruptions"]
    verified = command("verify", str(ran.out))
    assert (verified.code, "nothing was asked " in verified.output) == (0, True)


def test_resumed_run_writes_what_is_missing(writing_run: Ran, tmp_path: Path) -> None:
    """Its verdicts are those of the whole run; what was made to its end is not made again.

    Its journal holds the writes of the run that was cut off, and its own; none is owed.
    """
    lines = len(writing_run.evidence) // 2  # some appliances have been written to and others not
    ran = second_run(writing_run, tmp_path, lines, "write")
    assert (ran.code, findings_of(ran)) == (writing_run.code, findings_of(writing_run))
    made = [line for line in writing_run.evidence[:lines] if line.get("purpose") == "made"]
    kept = {(made_of["ha_id"], group) for made_of in made for group in made_of["note"]["made"]}
    writes = [line for line in ran.evidence if line["purpose"] in {"write", "restore"}]
    assert kept
    for write in writes:
        was_kept = (write["lane"], write["groups"][0]) in kept
        assert was_kept == (write["at"] <= writing_run.results["finished"])
    before, lines = ([line["at"] for line in each.journal if "intent" in line] for each in (writing_run, ran))
    assert (lines[: len(before)], owed_in(ran.out / JOURNAL_FILE)) == (before, [])
    numbers, ends = [line["n"] for line in ran.journal], [line.get("end") for line in ran.journal]
    assert (numbers, ends) == ([*range(len(ends))], [None] * (len(ends) - 1) + [True])


def findings_of(ran: Ran) -> list[tuple[str, ...]]:
    """The id, verdict and finding of every case, without how long was waited."""
    ends = ran.verdicts.items()
    return [(case, verdict, re.sub(r" after [0-9.]+ s\b", "", said)) for case, (verdict, said) in ends]


def test_run_that_begins_anew_says_so(whole: Ran, tmp_path: Path) -> None:
    """It does where the run came to its end, or there is none, as after a directory misspelt."""
    over = second_run(whole, tmp_path / "over", len(whole.evidence), words=COLLECTING)
    none = command("run", str(whole.out.parent / "hub.toml"), "--resume", *COLLECTING, directory=tmp_path)
    assert over.output.startswith(
        f"the run of {over.out / LEDGER_FILE} had come to its end: this one begins anew\n"
    )
    told = f"there is no {none.out / LEDGER_FILE} to go on from: this run begins anew\n"
    assert none.output.startswith(told)


def test_run_of_another_profile_is_not_resumed(whole: Ran, tmp_path: Path) -> None:
    """What another profile has asked for may be something else; an option may be missing, too."""
    profile = whole.out.parent / "hub.toml"
    kept = profile.read_text(encoding="utf-8")
    profile.write_text(f"{kept}\n[paths]\nbattery_drift = 3\n", encoding="utf-8")
    ran = second_run(whole, tmp_path, 10)
    profile.write_text(kept, encoding="utf-8")
    says = "cannot be resumed: its profile is another one (--shard and --sample belong to it)"
    assert (ran.code, says in ran.output) == (2, True)
