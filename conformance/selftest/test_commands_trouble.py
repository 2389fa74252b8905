"""run, where something is wrong that is not the target's answer: each ends with the code that says whose fault it is."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
from typing import TYPE_CHECKING

import pytest

from conformance.harness.ledger import read_ledger
from conformance.selftest.commanding import FRIDGE, RENDERED, ROOT, SCRIPT, Ran, listening, run, surroundings, write_profile

if TYPE_CHECKING:
    from pathlib import Path

DOWN = "http://127.0.0.1:9"
CRASH = "\n\ndef _crash(*_):\n    raise ZeroDivisionError('ours')\n\n\nassert_boolean = _crash\n"
SELECTED = ("--", "-k", "ChildLock and oven-1")


def test_target_that_is_down_is_inconclusive(tmp_path: Path) -> None:
    """Nothing is said about a target that does not answer."""
    ran = run(tmp_path, "--base-url", DOWN, *FRIDGE)
    assert ran.code == 3
    assert not {verdict for _, verdict, _ in ran.verdicts} & {"pass", "fail", "error"}


def test_refused_access_is_inconclusive(tmp_path: Path) -> None:
    """Nothing is said about a target that answers 401 to everything."""
    with listening(401) as listener:
        ran = run(tmp_path, "--base-url", listener.base_url, *FRIDGE)
    assert ran.code == 3
    assert not {verdict for _, verdict, _ in ran.verdicts} & {"pass", "fail", "error"}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A copy of the rooms, to be broken."""
    for room in ("catalog", "conformance", "reports"):
        shutil.copytree(ROOT / room, tmp_path / "tree" / room, ignore=shutil.ignore_patterns("__pycache__", "selftest", "out"))
    for file in ("conftest.py", "pyproject.toml"):
        shutil.copy(ROOT / file, tmp_path / "tree")
    return tmp_path / "tree"


def run_tree(tree: Path) -> Ran:
    """A small run of the rooms in `tree` instead of ours."""
    return run(tree.parent, *SELECTED, env={"PYTHONPATH": str(tree)})


def test_copied_rooms_conform(tree: Path) -> None:
    """What the next two tests break works before."""
    ran = run_tree(tree)
    assert (ran.code, ran.results["verdict"]) == (0, "pass")
    assert str(tree) in " ".join(ran.results["argv"])


def test_check_that_crashes_is_the_suites_own_fault(tree: Path) -> None:
    """A check that crashes gives its cases an error and the run 5; the other cases are judged."""
    checks = tree / "conformance" / "checks" / "value_types.py"
    checks.write_text(checks.read_text() + CRASH)
    ran = run_tree(tree)
    assert ran.code == 5
    assert ("TYPE-BOOLEAN::Vendor.Common.Setting.ChildLock@oven-1", "error", "ZeroDivisionError: ours") in ran.verdicts
    assert "pass" in {verdict for _, verdict, _ in ran.verdicts}


def test_module_that_cannot_be_imported_is_the_suites_own_fault(tree: Path) -> None:
    """A test module that hides its cases ends a run with 5."""
    (tree / "conformance" / "test_units.py").write_text("raise ZeroDivisionError('ours')\n")
    ran = run_tree(tree)
    assert ran.code == 5
    assert "test_units.py: cannot be collected" in str(ran.results["faults"])


def test_secret_in_an_output_is_the_suites_own_fault(tmp_path: Path) -> None:
    """A secret that reaches the files of the run, here as the name of the target, ends it with 5, and each file is named."""
    headers = '[auth]\nheaders = { Authorization = "Bearer ${HUB_TOKEN}" }\n'
    profile = write_profile(tmp_path / "hub.toml", DOWN, name="hub of opensesame", more=headers)
    ran = run(tmp_path, str(profile), env={"HUB_TOKEN": "opensesame"})
    assert ran.code == 5
    for name in {"results.json", *RENDERED} - {"badge.json"}:
        assert f"a secret is in an output: {name} holds ${{HUB_TOKEN}}" in ran.results["faults"]
    assert "a secret is in an output: report.html holds ${HUB_TOKEN}" in ran.output


def test_secret_that_stays_in_is_no_fault(tmp_path: Path) -> None:
    """The same profile without the slip is inconclusive, as any target that is down."""
    headers = '[auth]\nheaders = { Authorization = "Bearer ${HUB_TOKEN}" }\n'
    profile = write_profile(tmp_path / "hub.toml", DOWN, more=headers)
    ran = run(tmp_path, str(profile), env={"HUB_TOKEN": "opensesame"})
    assert (ran.code, ran.results["faults"]) == (3, [])


@pytest.mark.parametrize(("interruption", "workers"), [(signal.SIGINT, "0"), (signal.SIGINT, "2"), (signal.SIGTERM, "0")])
def test_interrupted_run_writes_its_files(interruption: signal.Signals, workers: str, tmp_path: Path) -> None:
    """Ctrl-C and its like reach a run wherever they are sent, and it ends with 3 and its results."""
    with listening(delay=0.2) as listener:
        words = [SCRIPT, "run", "--base-url", listener.base_url, *FRIDGE, "--workers", workers, "--out", str(tmp_path)]
        process = subprocess.Popen(words, env=surroundings(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        listener.wait_until_asked(3)
        process.send_signal(interruption)
        assert process.wait() == 3
    results = json.loads((tmp_path / "results.json").read_bytes())
    assert not read_ledger(tmp_path / "evidence.ndjson").complete
    assert results["interrupted"]
    assert results["verdict"] == "inconclusive"
