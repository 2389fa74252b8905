"""Two runs are compared: by `diff`, by `run` and `judge` with --baseline, and many by `history`."""

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeAlias
from unittest.mock import Mock

import pytest

from catalog.keys import LIGHTING
from conformance.mutants.fleets import HOOD
from conformance.mutants.registry import find_server
from conformance.mutants.shapes.reads import lacks
from conformance.profiles.toml import toml_of
from conformance.records.ledger_lines import LEDGER_FILE
from conformance.reference.profile import Knowledge, truthful_profile
from conformance.reference.server import serve
from conformance.reference.service import Service
from conformance.runs.saved.comparing import changed_places
from conformance.selftest.support.commands import BARE, command
from conformance.selftest.support.judged_runs import STILL
from conformance.selftest.support.ran import Ran
from conformance.selftest.support.raw_server import listening, write_profile
from conformance.selftest.support.recording import served_by
from conformance.selftest.support.results import PASS, run_on, save_night
from conformance.selftest.support.signed import SMALL

Change: TypeAlias = tuple[str, str, str]
WRONG = f"TYPE-BOOLEAN::{LIGHTING}@hood-1"
UNKNOWN = {("new_failure", WRONG, "unknown")}
PROFILE = "another profile: it differs in answer"
COMPARED: dict[str, tuple[str, str, int, set[Change], str]] = {
    "breaks": ("healthy", "wrong", 1, {("new_failure", WRONG, "server")}, "another address"),
    "is fixed": ("wrong", "healthy", 0, {("fixed", WRONG, "server")}, "another address"),
    "loses a key that nobody claims": ("healthy", "unlit", 3, set(), "another address"),
    "was acquitted by another suite": (
        "acquitted",
        "wrong",
        1,
        {("new_failure", WRONG, "suite")},
        "1 case of",
    ),
    "has no ledger": ("gone", "wrong", 1, UNKNOWN, "there is no evidence.ndjson"),
    "has an altered ledger": ("altered", "wrong", 1, UNKNOWN, "does not follow"),
    "has half a ledger": ("cut", "wrong", 1, UNKNOWN, "is cut off"),
    "has the ledger of another run": ("another", "wrong", 1, UNKNOWN, "that of another run"),
}
"""What happened to the old run: both runs, the gate, the changes of cases, and a note beside them."""


HEALTHY, UNLIT = served_by(fleet=HOOD), served_by(lacks(LIGHTING), fleet=HOOD)
"""A hood that conforms, and one that has no light any more."""
SERVERS: dict[str, tuple[type[Service], Knowledge]] = {
    "healthy": (HEALTHY, "L0"),
    "wrong": (find_server("booleans-as-words"), "L0"),
    "unlit": (UNLIT, "L0"),
    "claimed": (UNLIT, "L1"),
}
"""The servers that stand where the healthy one stood, and what the profile says of it."""


def profile_at(base_url: str, knowledge: Knowledge = "L0", **tables: object) -> str:
    """The profile of the healthy hood, wherever it is."""
    return toml_of({**truthful_profile(HEALTHY(), base_url, knowledge=knowledge), "pace": STILL, **tables})


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The directory of a run of each server, and copies of which a file is not what it was."""
    directories: dict[str, Path] = {}
    with serve({f"/{name}": service() for name, (service, _) in SERVERS.items()}) as base_url:
        for name, (_, knowledge) in SERVERS.items():
            here = tmp_path_factory.mktemp(name)
            (here / "hub.toml").write_text(profile_at(f"{base_url}/{name}", knowledge), encoding="utf-8")
            directories[name] = command("run", "hub.toml", *BARE, directory=here).out
    lines = (directories["healthy"] / LEDGER_FILE).read_bytes().splitlines(keepends=True)
    other = (directories["wrong"] / LEDGER_FILE).read_bytes()
    ledgers = {"altered": b"".join(lines[:3] + lines[4:]), "cut": b"".join(lines[:-1]), "another": other}
    for name in ("gone", *ledgers):
        directories[name] = tmp_path_factory.mktemp(name) / "out"
        shutil.copytree(directories["healthy"], directories[name])
        (directories[name] / LEDGER_FILE).unlink()
        if name in ledgers:
            (directories[name] / LEDGER_FILE).write_bytes(ledgers[name])
    directories["acquitted"] = tmp_path_factory.mktemp("acquitted") / "out"
    results = Path(shutil.copytree(directories["wrong"], directories["acquitted"])) / "results.json"
    before, case, after = results.read_text(encoding="utf-8").partition(f'"id": "{WRONG}"')
    acquitted = after.replace('"verdict": "fail"', '"verdict": "pass"', 1)
    results.write_text(before + case + acquitted, encoding="utf-8")
    return directories


def changes_between(old: Path, new: Path) -> tuple[int | None, dict[str, Any]]:
    """The exit code of `diff`, and what changed."""
    result = command("diff", str(old), str(new), "--format", "json")
    return result.code, json.loads(result.stdout)


def causes_of(changes: Mapping[str, Any]) -> list[Change]:
    """Each change with its case and its cause."""
    return [(one["change"], one["id"], one["cause"]) for one in changes["changes"]]


@pytest.mark.parametrize("name", COMPARED)
def test_changes_are_told_with_their_causes(name: str, runs: dict[str, Path]) -> None:
    """What got worse closes the gate, whoever caused it, what is fixed passes it. What the old exchanges show
    is the doing of the suite; where they are not to be had, no cause is known.
    """
    old, new, gate, cases, note = COMPARED[name]
    code, changes = changes_between(runs[old], runs[new])
    assert (code, changes["gate"], {*causes_of(changes)}) == (gate, gate, cases)
    vanished = [("vanished", LIGHTING, "server")] * (new == "unlit")
    assert [(key["change"], key["key"], key["cause"]) for key in changes["keys"]] == vanished
    assert any(note in text for text in changes["notes"])


def test_another_profile_is_told_from_another_server(runs: dict[str, Path]) -> None:
    """The old exchanges are judged with the new claims, too; where those show nothing, it is open."""
    code, changes = changes_between(runs["unlit"], runs["claimed"])
    causes = {case: cause for change, case, cause in causes_of(changes) if change == "new_failure"}
    assert (code, causes[f"READ-SETTING::{LIGHTING}@hood-1"]) == (1, "claim")
    says = "another profile: it differs in appliance[hood-1].supports"
    assert any(says in note for note in changes["notes"])


@pytest.fixture(scope="module")
def reread(runs: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The run of the healthy server, judged with a profile that finds no key, and compared with itself."""
    here = tmp_path_factory.mktemp("reread")
    answer = {"value": "/data/value", "key": "/data/value"}
    (here / "other.toml").write_text(profile_at("http://127.0.0.1:9", answer=answer), encoding="utf-8")
    words = ("judge", str(runs["healthy"] / LEDGER_FILE), "--profile", str(here / "other.toml"))
    command(*words, "--baseline", str(runs["healthy"]), "--out", str(here / "new"), *BARE)
    return here / "new"


def test_profile_is_the_cause_where_the_old_exchanges_show_it(reread: Path, runs: dict[str, Path]) -> None:
    """A failure that the new profile finds in the old exchanges is the profile's doing. Results of another
    profile than that of their ledger leave the cause open, or the extent.
    """
    changes = json.loads((reread / "changes.json").read_bytes())
    assert {(change, cause) for change, _, cause in causes_of(changes)} == {("new_failure", "profile")}
    assert changes["notes"][-1] == PROFILE
    for old, new, causes in (("healthy", "", {"extent"}), ("", "wrong", {"extent", "unknown"})):
        changes = changes_between(runs.get(old, reread), runs.get(new, reread))[1]
        assert {cause for _, _, cause in causes_of(changes)} == causes
        assert "profile" in changes["notes"][-1]


def test_every_change_of_a_profile_is_named() -> None:
    """A table that comes often is told from the others of its name, also where two waive the same cases."""
    first, second = {"case": "RANGE-*", "reason": "ours"}, {"case": "RANGE-*", "reason": "theirs"}
    old: dict[str, Any] = {"pace": {"per_day": 5}, "appliance": [{"ha_id": "one"}], "waiver": [first, second]}
    waivers = [{**first, "reason": "new"}, second]
    new: dict[str, Any] = {"pace": {"per_day": 6}, "appliance": [{"ha_id": "two"}], "waiver": waivers}
    places = ("pace.per_day", "appliance[one]", "waiver[RANGE-*].reason", "appliance[two]")
    assert changed_places(old, new) == places


def test_markdown_goes_to_a_file(runs: dict[str, Path], tmp_path: Path) -> None:
    """-o writes the text to a file, as it would have been printed; a run may be named by its results."""
    words = ("diff", str(runs["healthy"]), str(runs["wrong"] / "results.json"), "--format", "markdown")
    assert command(*words, "-o", str(tmp_path / "pr.md")).code == 1
    printed = command(*words, "-o", "-").output
    assert (tmp_path / "pr.md").read_text(encoding="utf-8") == command(*words).output == printed
    same = command("diff", str(runs["wrong"]), str(runs["wrong"]))
    nothing = "Since the baseline: nothing changed; 1 finding is known since"
    assert same.code == 0
    assert same.output.startswith(nothing)


@pytest.fixture(scope="module")
def nightly(runs: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Ran:
    """The run of a server that has broken, compared with the one before, whose files it overwrites."""
    here = tmp_path_factory.mktemp("nightly")
    shutil.copytree(runs["healthy"], here / "out")
    with serve({"": SERVERS["wrong"][0]()}) as base_url:
        (here / "hub.toml").write_text(profile_at(base_url), encoding="utf-8")
        return command("run", "hub.toml", "--baseline", str(here / "out"), directory=here)


def test_baseline_may_be_overwritten(nightly: Ran) -> None:
    """A run compared with what lay in its own --out tells what changed, and ends with its own code."""
    changes = json.loads((nightly.out / "changes.json").read_bytes())
    assert (nightly.code, causes_of(changes)) == (1, [("new_failure", WRONG, "server")])
    line = f"new finding: {WRONG}; the server changed"
    assert f"Since the baseline: 1 new finding\n    {line}" in nightly.output


def test_reports_of_the_run_tell_the_changes(nightly: Ran) -> None:
    """summary.md tells them, renders again to the same bytes, and changes.md is what a pull request shows."""
    summary = (nightly.out / "summary.md").read_text(encoding="utf-8")
    assert "### Since the baseline: 1 new finding" in summary
    assert command("report", str(nightly.out / "results.json"), "--format", "markdown").output == summary
    text = (nightly.out / "changes.md").read_text(encoding="utf-8")
    assert text.startswith("## Since the baseline: 1 new finding")


def test_judging_again_compares_too(nightly: Ran, runs: dict[str, Path], tmp_path: Path) -> None:
    """`judge --baseline` tells what changed; without it nothing is left of an earlier comparison."""
    words = ("judge", str(nightly.out / "evidence.ndjson"), "--out", str(tmp_path))
    assert command(*words, "--baseline", str(runs["wrong"])).code == 1
    assert causes_of(json.loads((tmp_path / "changes.json").read_bytes())) == []
    assert command(*words).code == 1
    assert not list(tmp_path.glob("changes.*"))


def test_interruption_before_the_run_sends_nothing(
    runs: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C while the baseline is judged again ends the command, not only that."""
    monkeypatch.setattr("conformance.runs.saved.comparing.judged_in", Mock(side_effect=KeyboardInterrupt))
    with listening() as listener:
        profile = write_profile(tmp_path / "hub.toml", listener.base_url)
        result = command(
            "run", str(profile), "--out", str(tmp_path / "out"), "--baseline", str(runs["healthy"])
        )
    assert (result.code, listener.requests) == (3, [])


def test_history_writes_a_page(tmp_path: Path) -> None:
    """It ends with 0, and says on standard error which file it could not read; without a night, with 2."""
    words = ("history", str(tmp_path / "nights"), "-o", str(tmp_path / "history.html"))
    (tmp_path / "nights").mkdir()
    assert (command(*words).code, (tmp_path / "history.html").exists()) == (2, False)
    save_night(tmp_path / "nights", PASS, run=run_on(0))
    (tmp_path / "nights" / "results.json").write_text("{}", encoding="utf-8")
    ran = command(*words)
    assert (ran.code, "not read" in ran.output) == (0, True)
    assert "1 night" in (tmp_path / "history.html").read_text(encoding="utf-8")


def test_certified_run_has_the_profile_of_another_one(certified: Ran, tmp_path: Path) -> None:
    """What --certify itself sets is no change since a baseline that was certified as well."""
    words = ("--certify", "--baseline", str(certified.out), *BARE)
    ran = command("run", *SMALL, *words, directory=tmp_path)
    assert "Since the baseline: nothing changed" in ran.output, ran.output
    assert "another profile" not in (ran.out / "changes.md").read_text(encoding="utf-8")
