"""A run that was cut off is resumed: it sends what is missing, and says what an uninterrupted one says."""

import json
import re
import shutil
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from catalog.keys import ALARM_CLOCK, CHILD_LOCK
from catalog.model import Level
from conformance.harness.writes.keeping.owed import owed_in
from conformance.mutants.fleets import HOOD
from conformance.mutants.registry import find_server
from conformance.profiles.toml import toml_of
from conformance.records.ledger_lines import LEDGER_FILE
from conformance.reference.fleets.cooking import OVEN
from conformance.reference.profile import truthful_profile
from conformance.reference.server import serve
from conformance.reference.service import Service
from conformance.selftest.support.commands import BARE, command
from conformance.selftest.support.judged_runs import STILL
from conformance.selftest.support.ran import Ran, lines_of
from conformance.selftest.support.servers.recording import several

FEW = {"generated_reads": 20}
CUTS = (0.02, 0.35, 0.9)
"""Where the ledger is cut, as parts of its lines."""
WRITTEN = (0.5, 0.8, 0.99)
"""The same for a run that writes, where some appliances have been written to and others not."""
WRONG = several(HOOD, 2, find_server("booleans-as-words"))
DROPPING = several(OVEN.only(CHILD_LOCK, ALARM_CLOCK), 3, find_server("acknowledged-and-dropped"))


@contextmanager
def ran_against(
    server: type[Service], here: Path, level: Level, words: tuple[str, ...] = BARE
) -> Generator[Ran]:
    """A run of a server, which goes on serving."""
    with serve({"": server()}) as base_url:
        data = {**truthful_profile(server(), base_url), "pace": STILL if level != "read" else FEW}
        (here / "hub.toml").write_text(toml_of(data), encoding="utf-8")
        yield command("run", "hub.toml", "--level", level, *words, directory=here)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Generator[Ran]:
    """A run that reads."""
    with ran_against(WRONG, tmp_path_factory.mktemp("whole"), "read") as ran:
        yield ran


@pytest.fixture(scope="module")
def writing_run(tmp_path_factory: pytest.TempPathFactory) -> Generator[Ran]:
    """A run that writes."""
    with ran_against(DROPPING, tmp_path_factory.mktemp("written"), "write") as ran:
        yield ran


def resumed(
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


@pytest.mark.parametrize("cut", CUTS)
def test_resumed_run_says_the_same(cut: float, whole: Ran, tmp_path: Path) -> None:
    """Its verdicts are those of the whole run; what was kept is in its ledger, and only a few keys of each
    appliance are read again. Its files say from when to when its evidence comes.
    """
    lines = int(cut * len(whole.evidence)) + 1
    ran = resumed(whole, tmp_path, lines)
    assert (ran.code, ran.verdicts) == (whole.code, whole.verdicts)
    kept, made = times(whole.evidence[:lines]), times(ran.evidence)
    again = [at for at, before in zip(made, kept, strict=False) if at != before]
    assert 0 < len(again) <= 4 * 2
    newer = [at for at in made if at > whole.results["finished"]]
    assert (len(newer), {*again} <= {*newer}) == (len(times(whole.evidence)) - len(kept) + len(again), True)
    (interruption,) = ran.results["interruptions"]
    assert (interruption["after"], interruption["until"] <= min(newer)) == (
        whole.evidence[lines - 1]["at"],
        True,
    )
    assert ran.results["notices"][0].startswith("the evidence comes from ")
    assert ran.results["started"] == whole.results["started"]


def test_appliance_that_answers_otherwise_is_asked_anew(tmp_path: Path) -> None:
    """What an earlier run saw of it is no evidence any more; that of the others stays."""
    service = WRONG()
    gone, stays = service.appliances
    with serve({"": service}) as base_url:
        data = {**truthful_profile(service, base_url), "pace": FEW}
        (tmp_path / "hub.toml").write_text(toml_of(data), encoding="utf-8")
        whole = command("run", "hub.toml", "--level", "read", *BARE, directory=tmp_path)
        service.appliances[gone].values.clear()
        ran = resumed(whole, tmp_path / "again", len(whole.evidence) - 10)
    older = {
        line["lane"] for line in ran.evidence if "request" in line and line["at"] < whole.results["finished"]
    }
    assert (older, f"what was asked of {gone} is asked anew" in ran.output) == ({stays}, True)


def test_certificate_of_a_resumed_run_names_the_gap(tmp_path: Path) -> None:
    """Whoever reads or verifies it learns when nothing was asked."""
    words = ("--certify",)
    with ran_against(find_server("off-means-standby"), tmp_path, "read", words) as whole:
        ran = resumed(whole, tmp_path / "again", len(whole.evidence) // 2, words=words)
    certificate = json.loads((ran.out / "certificate.json").read_bytes())
    assert (ran.code, certificate["interruptions"], len(certificate["interruptions"])) == (
        0,
        ran.results["interruptions"],
        1,
    )
    verified = command("verify", str(ran.out))
    assert (verified.code, "nothing was asked " in verified.output) == (0, True)


@pytest.mark.parametrize("cut", WRITTEN)
def test_resumed_run_writes_what_is_missing(cut: float, writing_run: Ran, tmp_path: Path) -> None:
    """Its verdicts are those of the whole run; what was made to its end is not made again."""
    lines = int(cut * len(writing_run.evidence)) + 1
    ran = resumed(writing_run, tmp_path, lines, "write")
    assert (ran.code, findings_of(ran)) == (writing_run.code, findings_of(writing_run))
    made = [line for line in writing_run.evidence[:lines] if line["purpose"] == "made"]
    kept = {(made_of["ha_id"], group) for made_of in made for group in made_of["note"]["made"]}
    writes = [line for line in ran.evidence if line["purpose"] in {"write", "restore"}]
    assert kept
    for write in writes:
        was_kept = (write["lane"], write["groups"][0]) in kept
        assert was_kept == (write["at"] <= writing_run.results["finished"])


def test_journal_of_a_resumed_run_holds_all_writes(writing_run: Ran, tmp_path: Path) -> None:
    """Those of the run that was cut off, and its own; none is owed."""
    before = lines_of(writing_run.out / "journal.ndjson")
    ran = resumed(writing_run, tmp_path, len(writing_run.evidence) // 2, "write")
    lines = lines_of(ran.out / "journal.ndjson")
    intents = [line["at"] for line in lines if "intent" in line]
    assert intents[: len(before)] >= [line["at"] for line in before if "intent" in line]
    assert ([line["n"] for line in lines], lines[-1]["end"]) == ([*range(len(lines))], True)
    assert (sum("end" in line for line in lines), owed_in(ran.out / "journal.ndjson")) == (1, [])


def findings_of(ran: Ran) -> list[tuple[str, ...]]:
    """The id, verdict and finding of every case, without how long was waited."""
    ends = ran.verdicts.items()
    return [(case, verdict, re.sub(r" after [0-9.]+ s\b", "", said)) for case, (verdict, said) in ends]


def test_run_that_came_to_its_end_is_made_anew(whole: Ran, tmp_path: Path) -> None:
    """There is nothing to go on from, which is said before anything is asked once more."""
    ran = resumed(whole, tmp_path, len(whole.evidence))
    assert ran.output.startswith(
        f"the run of {ran.out / LEDGER_FILE} had come to its end: this one begins anew\n"
    )
    assert (ran.code, set(times(ran.evidence)) & set(times(whole.evidence))) == (whole.code, set())


def test_resuming_of_nothing_is_said(whole: Ran, tmp_path: Path) -> None:
    """Where there is no ledger, as after a directory misspelt, the run says first that it begins anew."""
    ran = command(
        "run", str(whole.out.parent / "hub.toml"), "--resume", "--", "--collect-only", directory=tmp_path
    )
    assert ran.output.startswith(f"there is no {ran.out / LEDGER_FILE} to go on from: this run begins anew\n")


def test_run_of_another_profile_is_not_resumed(whole: Ran, tmp_path: Path) -> None:
    """What another profile has asked for may be something else."""
    profile = whole.out.parent / "hub.toml"
    kept = profile.read_text(encoding="utf-8")
    profile.write_text(f"{kept}\n[paths]\nbattery_drift = 3\n", encoding="utf-8")
    ran = resumed(whole, tmp_path, 10)
    profile.write_text(kept, encoding="utf-8")
    assert (ran.code, "cannot be resumed" in ran.output) == (2, True)
