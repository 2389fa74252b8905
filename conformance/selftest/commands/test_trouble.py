"""run, where something is wrong that is not the target's answer: each ends with the code that says whose
fault it is.
"""

from __future__ import annotations

import json
import re
import shutil
import signal
import subprocess
from typing import TYPE_CHECKING

import pytest

from conformance.harness.ledger import read_ledger
from conformance.selftest.support.commanding import (
    FRIDGE,
    ROOT,
    SCRIPT,
    Ran,
    finished,
    listening,
    run,
    surroundings,
    without_masking,
    write_profile,
)
from conformance.selftest.support.raw_server import always, http, raw_server

if TYPE_CHECKING:
    from pathlib import Path

DOWN = "http://127.0.0.1:9"
CRASH = "\n\ndef _crash(*_):\n    raise ZeroDivisionError('ours')\n\n\nassert_boolean = _crash\n"
SELECTED = ("--", "-k", "ChildLock and oven-1")


def test_target_that_is_down_is_inconclusive(tmp_path: Path) -> None:
    """Nothing is said about a target that does not answer but why, under the headline."""
    ran = run(tmp_path, "--base-url", DOWN, *FRIDGE)
    assert ran.code == 3
    assert (
        "No value could be read from 1 appliance, fridge-1: nothing listens at 127.0.0.1:9 (connection"
        " refused)" in ran.output
    )
    assert not {verdict for _, verdict, _ in ran.verdicts} & {"pass", "fail", "error"}


def test_refused_access_is_inconclusive(tmp_path: Path) -> None:
    """Nothing is said about a target that answers 401 to everything."""
    with listening(401) as listener:
        ran = run(tmp_path, "--base-url", listener.base_url, *FRIDGE)
    assert ran.code == 3
    assert "fridge-1: access is refused (status 401" in ran.output
    assert not {verdict for _, verdict, _ in ran.verdicts} & {"pass", "fail", "error"}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A copy of the rooms, to be broken."""
    for room in ("catalog", "conformance", "reports"):
        shutil.copytree(
            ROOT / room,
            tmp_path / "tree" / room,
            ignore=shutil.ignore_patterns("selftest", "out"),
        )
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
    checks = tree / "conformance" / "checks" / "reads" / "value_types.py"
    checks.write_text(checks.read_text() + CRASH)
    ran = run_tree(tree)
    assert ran.code == 5
    assert (
        "TYPE-BOOLEAN::Vendor.Common.Setting.ChildLock@oven-1",
        "error",
        "ZeroDivisionError: ours",
    ) in ran.verdicts
    assert "pass" in {verdict for _, verdict, _ in ran.verdicts}


def test_module_that_cannot_be_imported_is_the_suites_own_fault(tree: Path) -> None:
    """A test module that hides its cases ends a run with 5."""
    (tree / "conformance" / "test_units.py").write_text("raise ZeroDivisionError('ours')\n")
    ran = run_tree(tree)
    assert ran.code == 5
    assert "test_units.py: cannot be collected" in str(ran.results["faults"])


AUTH = '[auth]\nheaders = { Authorization = "Bearer ${HUB_TOKEN}" }\n'
TOKEN = {"HUB_TOKEN": "opensesame"}
NAMED = ("--", "-k", "not opensesame")
"""What follows -- stands in the results; here it holds the secret."""


def test_secret_in_an_output_is_the_suites_own_fault(tmp_path: Path) -> None:
    """Where masking is broken, a secret that reaches the files of the run ends it with 5, and each file is
    named.
    """
    profile = write_profile(tmp_path / "hub.toml", DOWN, more=AUTH)
    ran = run(tmp_path, str(profile), *NAMED, env={**TOKEN, **without_masking(tmp_path)})
    assert ran.code == 5
    for name in ("results.json", "report.html"):
        assert {
            "kind": "leaked",
            "text": f"{name} holds ${{HUB_TOKEN}}",
            "ha_id": "",
            "key": "",
        } in ran.results["faults"]
    assert "a secret is in an output: report.html holds ${HUB_TOKEN}" in ran.output


def test_secret_on_the_command_line_is_masked(tmp_path: Path) -> None:
    """With masking, the same run is inconclusive, as any target that is down."""
    profile = write_profile(tmp_path / "hub.toml", DOWN, more=AUTH)
    ran = run(tmp_path, str(profile), *NAMED, env=TOKEN)
    assert (ran.code, ran.results["faults"]) == (3, [])
    assert "not ${HUB_TOKEN}" in ran.results["argv"]


@pytest.mark.parametrize("workers", ["0", "2"])
def test_granted_token_that_cannot_be_kept_ends_the_run(tmp_path: Path, workers: str) -> None:
    """A token that cannot be masked ends a run with 5 before anything is judged, and stands in no file."""
    with raw_server(always(http(200, b'{"access_token": "tiny-1"}'))) as issuer:
        oauth2 = (
            f'oauth2 = {{ token_url = "{issuer.url}/token", client_id = "me", client_secret ='
            ' "${HUB_TOKEN}" }'
        )
        profile = write_profile(tmp_path / "hub.toml", DOWN, more=f"[auth]\n{oauth2}\n")
        ran = run(tmp_path, str(profile), "--workers", workers, env=TOKEN)
    assert (ran.code, ran.verdicts) == (5, [])
    assert "grants a token that cannot be kept: ACCESS_TOKEN has fewer than 8 characters" in str(
        ran.results["faults"]
    )
    assert not [file.name for file in ran.out.iterdir() if b"tiny-1" in file.read_bytes()]


@pytest.mark.parametrize("command", [("check",), ("run",), ("plan",)])
def test_secret_that_cannot_be_kept_is_refused_before_the_first_request(
    tmp_path: Path, command: tuple[str, ...]
) -> None:
    """A secret that cannot be masked is a mistake of the profile: nothing is sent."""
    with listening() as listener:
        profile = write_profile(tmp_path / "hub.toml", listener.base_url, more=AUTH)
        ran = finished([SCRIPT, *command, str(profile)], tmp_path, {"HUB_TOKEN": "settings"})
    assert (ran.code, listener.asked) == (2, [])
    assert "names ${HUB_TOKEN}, whose value is part of a word of the catalog" in ran.output


@pytest.mark.parametrize(
    ("interruption", "workers"), [(signal.SIGINT, "0"), (signal.SIGINT, "2"), (signal.SIGTERM, "0")]
)
def test_interrupted_run_writes_its_files(interruption: signal.Signals, workers: str, tmp_path: Path) -> None:
    """Ctrl-C and its like reach a run wherever they are sent, and it ends with 3 and its results."""
    with listening(delay=0.2) as listener:
        words = [
            SCRIPT,
            "run",
            "--base-url",
            listener.base_url,
            *FRIDGE,
            "--workers",
            workers,
            "--out",
            str(tmp_path),
        ]
        process = subprocess.Popen(
            words, env=surroundings(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        listener.wait_until_asked(3)
        process.send_signal(interruption)
        said, _ = process.communicate(timeout=60)
        assert process.returncode == 3
    assert (
        "KeyboardInterrupt" in said,
        len(re.findall(r"(?m)^Interrupted after \d+ reads? and 0 writes; .*report: ", said)),
    ) == (False, 1)
    results = json.loads((tmp_path / "results.json").read_bytes())
    assert not read_ledger(tmp_path / "evidence.ndjson").complete
    assert results["interrupted"]
    assert results["verdict"] == "inconclusive"
