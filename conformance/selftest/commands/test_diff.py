"""Two runs are compared: by `diff`, and by `run` and `judge` with --baseline."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from catalog.keys import LIGHTING
from conformance.mutants.fleets import HOOD
from conformance.mutants.registry import find_server
from conformance.profiles.toml import toml_of
from conformance.reference.profile import truthful_profile
from conformance.reference.server import serve
from conformance.reference.service import Service
from conformance.runs.saved.comparing import changed_places
from conformance.selftest.support.commanding import Ran, listening, run, said, write_profile

if TYPE_CHECKING:
    from collections.abc import Mapping

    from click.testing import Result

    from conformance.reference.appliance import Appliance, Segment
    from conformance.reference.profile import Knowledge

WRONG = f"TYPE-BOOLEAN::{LIGHTING}@hood-1"


class Healthy(Service):
    """A hood that conforms."""

    fleet = (HOOD,)


class Unlit(Healthy):
    """The hood has no light any more."""

    def serves(self, appliance: Appliance, segment: Segment, key: str) -> bool:
        """Forget the light."""
        return key != LIGHTING and super().serves(appliance, segment, key)


SERVERS: dict[str, tuple[type[Service], Knowledge]] = {
    "healthy": (Healthy, "L0"),
    "wrong": (find_server("booleans-as-words"), "L0"),
    "unlit": (Unlit, "L0"),
    "claimed": (Unlit, "L1"),
}
"""The servers that stand where the healthy one stood, and what the profile says of it."""


def profile_at(base_url: str, knowledge: Knowledge = "L0") -> dict[str, object]:
    """The profile of the healthy hood, wherever it is."""
    return truthful_profile(Healthy(), base_url, knowledge=knowledge)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The directory of a run of each server."""
    directories: dict[str, Path] = {}
    with serve({f"/{name}": service() for name, (service, _) in SERVERS.items()}) as base_url:
        for name, (_, knowledge) in SERVERS.items():
            here = tmp_path_factory.mktemp(name)
            (here / "hub.toml").write_text(
                toml_of(profile_at(f"{base_url}/{name}", knowledge)), encoding="utf-8"
            )
            directories[name] = run(here, "hub.toml").out
    return directories


def compared(old: Path, new: Path) -> tuple[int, dict[str, Any]]:
    """The exit code of `diff`, and what changed."""
    result = said("diff", str(old), str(new), "--format", "json")
    return result.exit_code, json.loads(result.stdout)


def told(changes: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """Each change with its case and its cause."""
    return [(one["change"], one["id"], one["cause"]) for one in changes["changes"]]


def copied(run_of: Path, directory: Path) -> Path:
    """A run to be tampered with."""
    return Path(shutil.copytree(run_of, directory / "old"))


def replace_in(path: Path, line: int, old: str, new: str) -> None:
    """Changes one line of a file."""
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    assert old in lines[line]
    lines[line] = lines[line].replace(old, new)
    path.write_text("".join(lines), encoding="utf-8")


def acquit(run_of: Path) -> None:
    """Makes the results of the wrong server say what an older suite might have
    said: that the Boolean passed.
    """
    path = run_of / "results.json"
    number = next(
        number
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines())
        if f'"id": "{WRONG}"' in line
    )
    replace_in(path, number, '"verdict": "fail"', '"verdict": "pass"')


def test_new_failure_is_the_servers(runs: dict[str, Path]) -> None:
    """A server that breaks has a new failure, which is its own doing, and the gate closes."""
    code, changes = compared(runs["healthy"], runs["wrong"])
    assert (code, changes["gate"], told(changes)) == (1, 1, [("new_failure", WRONG, "server")])
    assert [note.partition(":")[0] for note in changes["notes"]] == ["another address"]


def test_fixed_failure_passes_the_gate(runs: dict[str, Path]) -> None:
    """A server that is mended has a fixed failure, and nothing got worse."""
    code, changes = compared(runs["wrong"], runs["healthy"])
    assert (code, told(changes)) == (0, [("fixed", WRONG, "server")])


def test_nothing_changed(runs: dict[str, Path]) -> None:
    """A failure that was there before passes the gate, in each of the ways to name a run."""
    result = said("diff", str(runs["wrong"]), str(runs["wrong"] / "results.json"))
    assert (result.exit_code, result.stdout.splitlines()[0]) == (0, "Since the baseline: nothing changed")


def test_vanished_key_is_told(runs: dict[str, Path]) -> None:
    """A key that nobody claims and that is gone fails nothing, and yet something is lost."""
    code, changes = compared(runs["healthy"], runs["unlit"])
    assert (code, told(changes)) == (3, [])
    assert [(key["change"], key["key"], key["cause"]) for key in changes["keys"]] == [
        ("vanished", LIGHTING, "server")
    ]


def test_another_profile_is_told_from_another_server(runs: dict[str, Path]) -> None:
    """The old exchanges are judged with the new claims, too; where they do not hold what those ask for, the
    cause is open.
    """
    code, changes = compared(runs["unlit"], runs["claimed"])
    causes = {one["id"]: one["cause"] for one in changes["changes"] if one["change"] == "new_failure"}
    assert (code, causes[f"READ-SETTING::{LIGHTING}@hood-1"]) == (1, "unknown")
    assert any(
        "another profile: it differs in appliance[hood-1].supports" in note for note in changes["notes"]
    )


@pytest.fixture(scope="module")
def reread(runs: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The run of the healthy server, judged with a profile that looks for the key in the wrong place, and
    compared with itself.
    """
    here = tmp_path_factory.mktemp("reread")
    profile = {**profile_at("http://127.0.0.1:9"), "answer": {"value": "/data/value", "key": "/data/value"}}
    (here / "other.toml").write_text(toml_of(profile), encoding="utf-8")
    ledger, old = str(runs["healthy"] / "evidence.ndjson"), str(runs["healthy"])
    said(
        "judge", ledger, "--profile", str(here / "other.toml"), "--baseline", old, "--out", str(here / "new")
    )
    return here / "new"


def test_every_change_of_a_profile_is_named() -> None:
    """A table that comes often is told from the others of its name, also where two of them waive the same
    cases.
    """
    first, second = {"case": "RANGE-*", "reason": "ours"}, {"case": "RANGE-*", "reason": "theirs"}
    old: dict[str, Any] = {
        "pace": {"per_day": 5},
        "appliance": [{"ha_id": "one", "lacks": []}],
        "waiver": [first, second],
    }
    new: dict[str, Any] = {
        "pace": {"per_day": 6},
        "appliance": [{"ha_id": "two", "lacks": []}],
        "waiver": [{**first, "reason": "new"}, second],
    }
    assert changed_places(old, new) == (
        "pace.per_day",
        "appliance[one]",
        "waiver[RANGE-*].reason",
        "appliance[two]",
    )


def test_profile_is_the_cause_where_the_old_exchanges_show_it(reread: Path) -> None:
    """A failure that the new profile finds in the old exchanges is the profile's doing, whatever the address
    in it.
    """
    changes = json.loads((reread / "changes.json").read_bytes())
    assert {(change, cause) for change, _, cause in told(changes)} == {("new_failure", "profile")}
    assert changes["notes"][-1] == "another profile: it differs in answer"


def test_ledger_with_another_profile_tells_no_cause(reread: Path, runs: dict[str, Path]) -> None:
    """Results of another profile than the one in the ledger beside them leave the cause open, but for what
    the old run did not try.
    """
    for old, new, causes in (
        (runs["healthy"], reread, {"extent"}),
        (reread, runs["wrong"], {"extent", "unknown"}),
    ):
        changes = compared(old, new)[1]
        assert {cause for _, _, cause in told(changes)} == causes
        assert "profile" in changes["notes"][-1]


def test_suite_is_told_from_the_server(runs: dict[str, Path], tmp_path: Path) -> None:
    """A failure that the installed suite finds in the old exchanges as well is the suite's doing; the gate
    closes all the same.
    """
    old = copied(runs["wrong"], tmp_path)
    acquit(old)
    code, changes = compared(old, runs["wrong"])
    assert (code, told(changes)) == (1, [("new_failure", WRONG, "suite")])
    assert any("1 case of the old run end" in note for note in changes["notes"])


@pytest.mark.parametrize("trouble", ["gone", "altered", "cut", "another"])
def test_without_the_old_ledger_no_cause_is_known(
    trouble: str, runs: dict[str, Path], tmp_path: Path
) -> None:
    """A ledger that is gone, altered, cut or another run's is said; the changes are told, without their
    cause.
    """
    old = copied(runs["healthy"], tmp_path)
    ledger = old / "evidence.ndjson"
    lines = ledger.read_text(encoding="utf-8").splitlines(keepends=True)
    texts = {"altered": "".join(lines[:3] + lines[4:]), "cut": "".join(lines[:-1])}
    ledger.unlink()
    if trouble != "gone":
        ledger.write_text(
            texts.get(trouble) or (runs["wrong"] / ledger.name).read_text(encoding="utf-8"), encoding="utf-8"
        )
    code, changes = compared(old, runs["wrong"])
    words = {
        "gone": "there is no evidence.ndjson",
        "altered": "does not follow",
        "cut": "is cut off",
        "another": "that of another run",
    }
    assert (code, told(changes)) == (1, [("new_failure", WRONG, "unknown")])
    assert words[trouble] in changes["notes"][-1]


def test_markdown_goes_to_a_file(runs: dict[str, Path], tmp_path: Path) -> None:
    """-o writes the text to a file, as it would have been printed."""
    words = ("diff", str(runs["healthy"]), str(runs["wrong"]), "--format", "markdown")
    assert (
        said(*words, "-o", str(tmp_path / "pr.md")).exit_code,
        (tmp_path / "pr.md").read_text(encoding="utf-8"),
    ) == (
        1,
        said(*words).stdout,
    )


@pytest.fixture(scope="module")
def nightly(tmp_path_factory: pytest.TempPathFactory) -> tuple[Ran, Ran]:
    """Two nights at one server, which breaks between them; the second is compared with the first, whose files
    it overwrites.
    """
    here = tmp_path_factory.mktemp("nightly")
    services: dict[str, Service] = {"": Healthy()}
    with serve(services) as base_url:
        (here / "hub.toml").write_text(toml_of(profile_at(base_url)), encoding="utf-8")
        first = run(here, "hub.toml")
    with serve({"": SERVERS["wrong"][0]()}) as base_url:
        (here / "hub.toml").write_text(toml_of(profile_at(base_url)), encoding="utf-8")
        return first, run(here, "hub.toml", "--baseline", str(here / "out"))


def test_baseline_may_be_overwritten(nightly: tuple[Ran, Ran]) -> None:
    """A run compared with what lay in its own --out tells what changed, and ends with the code of
    conformance.
    """
    first, second = nightly
    changes = json.loads((second.out / "changes.json").read_bytes())
    assert (first.code, second.code, told(changes)) == (0, 1, [("new_failure", WRONG, "server")])
    assert f"Since the baseline: 1 new failure\n    new: {WRONG}; the server changed" in second.output


def test_reports_of_the_run_tell_the_changes(nightly: tuple[Ran, Ran]) -> None:
    """summary.md tells them, renders again to the same bytes, and changes.md is what a pull request shows."""
    out = nightly[1].out
    summary = (out / "summary.md").read_text(encoding="utf-8")
    assert "### Since the baseline: 1 new failure" in summary
    assert said("report", str(out / "results.json"), "--format", "markdown").stdout == summary
    assert (out / "changes.md").read_text(encoding="utf-8").startswith("## Since the baseline: 1 new failure")


def test_judging_again_compares_too(nightly: tuple[Ran, Ran], runs: dict[str, Path], tmp_path: Path) -> None:
    """`judge --baseline` tells what changed; without it nothing is left of an earlier comparison."""
    words = ("judge", str(nightly[1].out / "evidence.ndjson"), "--out", str(tmp_path))
    assert said(*words, "--baseline", str(runs["wrong"])).exit_code == 1
    assert told(json.loads((tmp_path / "changes.json").read_bytes())) == []
    assert said(*words).exit_code == 1
    assert not (tmp_path / "changes.json").exists()
    assert not (tmp_path / "changes.md").exists()


def test_help_names_the_exit_codes() -> None:
    """The help says what diff ends with."""
    assert re.findall(r"\b(\d)\s+(?:no|new|wrong)", said("diff", "--help").output) == ["0", "1", "2", "3"]


def mistaken(kind: str, directory: Path) -> Path:
    """A baseline that is none."""
    text = '{"schema": "other/1"}' if kind == "another schema" else "no JSON"
    if kind not in {"missing", "an empty directory"}:
        (directory / "results.json").write_text(text, encoding="utf-8")
    return directory if kind != "missing" else directory / "nosuch.json"


@pytest.mark.parametrize("kind", ["missing", "an empty directory", "another schema", "no JSON"])
def test_mistaken_baseline_sends_nothing(kind: str, tmp_path: Path) -> None:
    """A baseline that is no run ends with 2 before the target is asked; `diff` says the same."""
    baseline = str(mistaken(kind, tmp_path))
    with listening() as listener:
        profile = write_profile(tmp_path / "hub.toml", listener.base_url)
        results: list[Result] = [
            said("run", str(profile), "--out", str(tmp_path / "out"), "--baseline", baseline),
            said("diff", baseline, baseline),
        ]
    assert [result.exit_code for result in results] == [2, 2]
    assert all(baseline in result.output and "Traceback" not in result.output for result in results)
    assert listener.asked == []


def interrupted(*_words: object, **_options: object) -> int:
    """Ctrl-C while something is judged."""
    raise KeyboardInterrupt


def test_interruption_before_the_run_sends_nothing(
    runs: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C while the baseline is judged again ends the command, not only that."""
    monkeypatch.setattr("conformance.runs.saved.comparing.run_pytest", interrupted)
    with listening() as listener:
        profile = write_profile(tmp_path / "hub.toml", listener.base_url)
        result = said("run", str(profile), "--out", str(tmp_path / "out"), "--baseline", str(runs["healthy"]))
    assert (result.exit_code, listener.asked) == (3, [])
