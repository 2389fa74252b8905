"""The nightly run of a build server: its script is run for real."""

import json
import os
import re
import subprocess
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from msgspec import Struct
from msgspec.structs import replace

from catalog.keys import CHILD_LOCK, LIGHTING, POWER_STATE
from conformance.commands.around import write_used
from conformance.harness.writes.keeping.owed import Debt
from conformance.mutants.fleets import HOOD
from conformance.mutants.registry import find_server
from conformance.profiles.validation import build_profile
from conformance.runs.admission.state import new_journal
from conformance.selftest.support import ROOT
from conformance.selftest.support.commands import forked_script, surroundings, without_masking
from conformance.selftest.support.judged_runs import STILL
from conformance.selftest.support.owed_journals import served
from conformance.selftest.support.raw_server import AUTH, listening, write_profile
from conformance.selftest.support.recording import MACHINE_ID, Small, served_by

ACTION = ROOT / ".github" / "actions" / "judge"
MUTANT = "mutant:booleans-as-words"
POSIX_COMMANDS = {"date": "echo 2026-11-23T030000Z", "head": "exit 1"}
"""A clock that tells whole seconds and stands still, and no head that could leave out the last lines."""
ASKED_LITTLE = "[pace]\ngenerated_reads = 0\n"


class Night(Struct, frozen=True):
    """A night that is over: the exit code, what was said, what the job was told, and the files that stay."""

    code: int
    said: str
    told: dict[str, str]
    files: Path

    @property
    def results(self) -> dict[str, Any]:
        """Its results.json."""
        return json.loads((self.files / "results" / "results.json").read_bytes())

    @property
    def baseline(self) -> set[str]:
        """The files that the next night compares with."""
        return (
            {path.name for path in (self.files / "baseline").iterdir()}
            if (self.files / "baseline").is_dir()
            else set()
        )


def night(directory: Path, **variables: str) -> Night:
    """One run of the script, as the action starts it."""
    told = directory / "told"
    told.unlink(missing_ok=True)
    environment = surroundings(
        {"GITHUB_OUTPUT": str(told), "NAME": "hub", "GITHUB_ACTIONS": "true", **variables}
    )
    ended = subprocess.run(
        [str(ACTION / "judge.sh")], cwd=directory, env=environment, capture_output=True, check=False
    )
    lines = told.read_text(encoding="utf-8").splitlines() if told.is_file() else []
    words = {name: value for name, _, value in (line.partition("=") for line in lines)}
    return Night(
        ended.returncode,
        (ended.stdout + ended.stderr).decode("utf-8"),
        words,
        directory / "conformance-runs" / "hub",
    )


@pytest.fixture(scope="module", autouse=True)
def installed() -> Generator[None]:
    """The suite is on the path of the script, as the action installs it, with commands that do not know
    what GNU adds to them.
    """
    with forked_script() as place, pytest.MonkeyPatch.context() as patch:
        for name, script in POSIX_COMMANDS.items():
            (place / name).write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
            (place / name).chmod(0o755)
        patch.setenv("PATH", str(place), prepend=os.pathsep)
        patch.setenv("PYTHONPATH", str(place))  # whoever runs the tests may have one
        yield


HOODS = (replace(HOOD.only(POWER_STATE, LIGHTING), ha_id=name) for name in ("hood-1", "hood-2"))
WRONG = served_by(find_server("booleans-as-words"), fleet=HOODS)
"""Two hoods that do not conform."""


@pytest.fixture(scope="module")
def hoods(tmp_path_factory: pytest.TempPathFactory) -> Generator[str]:
    """The path of their profile."""
    path = tmp_path_factory.mktemp("hoods") / "hub.toml"
    with served(WRONG(), path, pace=STILL):
        yield str(path)


@pytest.fixture(scope="module")
def nights(hoods: str, tmp_path_factory: pytest.TempPathFactory) -> list[Night]:
    """Three nights of a target that does not conform, each with what the one before has left: the first finds
    results of another schema and more than a year of nights, the last asks for what is new alone.
    """
    directory = tmp_path_factory.mktemp("nights")
    for number in range(400):
        (directory / "conformance-runs" / "hub" / "history" / f"2020-{number:04}").mkdir(parents=True)
    last = directory / "conformance-runs" / "hub" / "baseline" / "results.json"
    last.parent.mkdir()
    last.write_text("{}", encoding="utf-8")
    drawn = {"LEVEL": "read", "SAMPLE": "1", "SEED": "tonight", "WAIT": "5"}
    return [night(directory, TARGET=hoods, ONLY_NEW=only_new, **drawn) for only_new in ("", "", "true")]


def test_night_ends_like_the_run(nights: list[Night]) -> None:
    """The script ends with the code of the run, or with that of diff where only what is new counts, and says
    why it is green then; the job is told where the files are.
    """
    assert [one.code for one in nights] == [1, 1, 0]
    assert [one.told["exit-code"] for one in nights] == ["1", "1", "1"]
    since = f"known since {nights[0].results['started'][:10]}"
    assert "green because nothing is new. Since the baseline: nothing changed; " in nights[2].said
    assert since in nights[2].said
    assert nights[0].told == {"results": "conformance-runs/hub/results", "exit-code": "1", "reached": "true"}


def test_next_night_compares(nights: list[Night]) -> None:
    """What a run with a verdict has found is there the next night, which says what changed since. Results
    that cannot be read do not stop the nights, and sample and seed reach each run.
    """
    assert ["nothing is compared" in one.said for one in nights] == [True, False, False]
    assert nights[2].baseline == {"results.json", "evidence.ndjson", "changes.json"}
    assert (nights[2].files / "results" / "changes.json").is_file()
    sample = nights[2].results["sample"]
    assert (sample["seed"], sample["per_kind"], sample["listed"]) == ("tonight", 1, {"Hood": 2})


def test_every_night_is_kept_without_its_ledger(nights: list[Night]) -> None:
    """Results and changes of each night stay, also of nights that end in one second, and the page of all
    nights is among the files of the last; nights older than a year go.
    """
    history = nights[-1].files / "history"
    kept = sorted(path.name for path in history.rglob("*.*") if path.is_file())
    assert kept == ["changes.json"] * 2 + ["night.json"] * 3 + ["results.json.gz"] * 3
    page = (nights[-1].files / "results" / "history.html").read_text(encoding="utf-8")
    assert "3 nights" in page
    days = sorted(path.name for path in history.iterdir())
    assert (len(days), days[0]) == (366, "2020-0037")


def test_new_failure_is_a_red_night(nights: list[Night], hoods: str, tmp_path: Path) -> None:
    """Where only what is new counts, a failure that the last results do not have ends the night with 1, and
    is in the next baseline.
    """
    results = nights[0].results
    results["cases"] = [
        case | ({"verdict": "pass", "message": ""} if case["verdict"] == "fail" else {})
        for case in results["cases"]
    ]
    last = tmp_path / "conformance-runs" / "hub" / "baseline"
    last.mkdir(parents=True)
    (last / "results.json").write_text(json.dumps(results | {"verdict": "pass"}), encoding="utf-8")
    ended = night(tmp_path, TARGET=hoods, LEVEL="read", ONLY_NEW="true")
    assert ended.code == 1
    assert json.loads((last / "results.json").read_bytes())["verdict"] == "fail"


def test_night_after_a_killed_one_begins_with_what_is_owed(tmp_path: Path) -> None:
    """What the job of an earlier night has left on an appliance is put back before it is judged; the next
    night finds nothing.
    """
    service = Small()
    with served(service) as data:
        profile = build_profile(data | {"pace": STILL})
        state = tmp_path / "conformance-runs" / "hub" / "state"
        state.mkdir(parents=True)
        (tmp_path / "gone").mkdir()
        killed = new_journal(tmp_path / "gone", {"level": "power", "profile": data}, profile, state)
        killed.intend("write", "x", Debt(MACHINE_ID, "settings", CHILD_LOCK, before=False), value=True)
        service.appliances[MACHINE_ID].values[CHILD_LOCK] = True
        ended = night(tmp_path, TARGET=str(write_used(profile, tmp_path / "hub.toml")), LEVEL="read")
    assert (ended.code, service.appliances[MACHINE_ID].values[CHILD_LOCK]) == (0, False)
    assert f"put back: {MACHINE_ID} {CHILD_LOCK} is false" in ended.said
    assert {path.name for path in state.iterdir()} == {".kept", "restore-evidence.ndjson"}


def leave(directory: Path) -> Path:
    """What the night before has left in a workspace that stays; its results."""
    results = directory / "conformance-runs" / "hub" / "results"
    results.mkdir(parents=True)
    for name in ("results.json", "junit.xml", "report.html", "certificate.json", "certificate.intoto.jsonl"):
        (results / name).write_text("{}", encoding="utf-8")
    (results / "evidence.ndjson").write_text("the ledger\n", encoding="utf-8")
    return results


def test_night_that_ends_early_shows_nothing_of_the_last(tmp_path: Path) -> None:
    """Where the run is refused, no file of the night before is left to be published as tonight's; its
    certificate is kept, with its ledger.
    """
    results = leave(tmp_path)
    ended = night(tmp_path, TARGET=MUTANT, LEVEL="no such level")
    assert (ended.code, results.exists()) == (2, False)
    (kept,) = (ended.files / "certificates").iterdir()
    assert {path.name for path in kept.iterdir()} == {
        "certificate.json",
        "certificate.intoto.jsonl",
        "evidence.ndjson",
    }


@pytest.mark.parametrize("left", [True, False])
def test_interruption_before_the_first_request_is_filed_without_results(left: bool, tmp_path: Path) -> None:
    """A run that was interrupted before it had results ends with 3, and nothing but that is filed."""
    if left:
        leave(tmp_path)
    with pytest.MonkeyPatch.context() as patch:
        interrupted = tmp_path / "bin" / "appliance-conformance"
        interrupted.parent.mkdir()
        interrupted.write_text("#!/bin/sh\necho interrupted before anything was sent\nexit 3\n")
        interrupted.chmod(0o755)
        patch.setenv("PATH", str(interrupted.parent), prepend=os.pathsep)
        ended = night(tmp_path, TARGET=MUTANT, CI_JOB_URL="https://ci.example/jobs/7")
    assert ended.code == 3
    (kept,) = (ended.files / "history").glob("*/*")
    told = json.loads(kept.read_bytes())
    assert (kept.name, told["exit_code"], told["url"]) == ("night.json", 3, "https://ci.example/jobs/7")
    assert not (ended.files / "results").exists()


def test_secrets_reach_the_run_and_nothing_else(tmp_path: Path) -> None:
    """A variable fills the profile and is masked in the log; no file holds it, and one named like a setting
    of the script bends nothing.
    """
    with listening() as listener:
        profile = write_profile(tmp_path / "hub.toml", listener.base_url, more=AUTH + ASKED_LITTLE)
        ended = night(
            tmp_path, TARGET=str(profile), VARIABLES="HUB_TOKEN=open=100%sesame\r\n\nTARGET=mutant:none\n"
        )
    assert ended.results["target"]["base_url"] == listener.base_url
    assert ended.said.count("open=100%") == 1
    assert "::add-mask::open=100%25sesame\n" in ended.said
    assert not [path for path in ended.files.rglob("*") if path.is_file() and b"sesame" in path.read_bytes()]


def test_files_with_a_secret_are_not_kept(tmp_path: Path) -> None:
    """Where a file of the run holds a secret, none is where the build server takes
    the files of a run from.
    """
    profile = write_profile(tmp_path / "hub.toml", "http://127.0.0.1:9", more=AUTH)
    ended = night(
        tmp_path, TARGET=str(profile), VARIABLES="HUB_TOKEN=opensesame", **without_masking(tmp_path)
    )
    assert (ended.code, ended.baseline) == (5, set())
    assert {path.name for path in ended.files.iterdir()} == {"history", "leaked", "state"}


@pytest.mark.parametrize(
    "variables",
    [
        {"NAME": "../hub", "TARGET": MUTANT},
        {"NAME": "", "TARGET": MUTANT},
        {"TARGET": ""},
        {"TARGET": "--help"},
        {"TARGET": MUTANT, "VARIABLES": "no variable"},
        {"TARGET": "$(touch seen)`touch seen`; touch seen"},
        {"TARGET": MUTANT, "LEVEL": "$(touch seen)"},
        {"TARGET": MUTANT, "JUNIT_INCONCLUSIVE": "green"},
        {"TARGET": MUTANT, "WAIT": "soon"},
    ],
)
def test_wrong_settings_end_with_2(variables: dict[str, str], tmp_path: Path) -> None:
    """A setting that cannot be meant is wrong usage, and none is taken for a command."""
    ended = night(tmp_path, **variables)
    assert (ended.code, ended.baseline) == (2, set())
    assert not (tmp_path / "seen").exists()


def test_outputs_are_those_of_the_script(nights: list[Night]) -> None:
    """What the steps of the action go by is what the script tells."""
    text = (ACTION / "action.yml").read_text(encoding="utf-8")
    assert set(re.findall(r"steps\.judge\.outputs\.([\w-]+)", text)) == set(nights[0].told)
