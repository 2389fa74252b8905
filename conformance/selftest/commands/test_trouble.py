"""Trouble of every kind ends a command with its code and a line."""

import json
import re
import signal
from pathlib import Path

import pytest

from conformance.harness.ledger import read_ledger
from conformance.selftest.support.commanding import (
    AUTH,
    FRIDGE,
    LIMIT_S,
    SCRIPT,
    finished,
    judged_again,
    listening,
    run,
    running_first,
    started,
    without_masking,
    write_profile,
)
from conformance.selftest.support.servers.raw_server import always, http, raw_server
from reports.formats.summary import VARIABLE

DOWN = "http://127.0.0.1:9"
CRASHING = """
from conformance.checks.reads import value_types

def _crash(*_):
    raise ZeroDivisionError("ours")

value_types.assert_boolean = _crash
"""
HIDING = 'import sys\n\nsys.modules["conformance.test_units"] = None\n'
SELECTED = ("variant:off-means-standby", "--level", "read", "--", "-k", "ChildLock")


@pytest.mark.parametrize(
    ("status", "why"),
    [
        (0, "No value could be read from 1 appliance, fridge-1: nothing listens at"),
        (401, "no answer fits the profile: access is refused (status 401"),
    ],
)
def test_target_that_tells_nothing_is_inconclusive(status: int, why: str, tmp_path: Path) -> None:
    """Nothing is said about a target that is down, or refuses everything, but why."""
    with listening(status) as listener:
        ran = run(tmp_path, "--base-url", listener.base_url if status else DOWN, *FRIDGE)
    assert (ran.code, why in ran.output) == (3, True)
    assert not {verdict for _, verdict, _ in ran.verdicts} & {"pass", "fail", "error"}


@pytest.mark.parametrize(
    ("base_url", "why"),
    [
        ("http://staging.invalid", "the host name staging.invalid is not known here"),
        (DOWN, "nothing listens at 127.0.0.1:9"),
    ],
)
def test_target_that_is_not_there_is_asked_three_times(base_url: str, why: str, tmp_path: Path) -> None:
    """Nobody waits a minute to hear that a name is wrong, and the reason is all that is said."""
    words = ("--base-url", base_url, *FRIDGE, "--appliance", "hood-1:Hood")
    ran = run(tmp_path, *words)
    sent = [line for line in ran.evidence if "request" in line]
    said = [line for line in ran.output.splitlines() if line and not line.startswith(("reading", "judging"))]
    assert (ran.code, len(sent)) == (3, 3)
    assert said[0].startswith("Nothing could be judged: ")
    assert why in said[1]
    assert [line.partition(":")[0] for line in said[2:]] == ["report"]
    again = judged_again(ran.out / "evidence.ndjson", tmp_path / "again")
    assert (again.code, again.verdicts) == (3, ran.verdicts)


def test_check_that_crashes_is_an_error(tmp_path: Path) -> None:
    """What its cases end with is no verdict on the target, and the run is at fault; others are judged."""
    ran = run(tmp_path, *SELECTED, env=running_first(tmp_path, CRASHING))
    case = "TYPE-BOOLEAN::Vendor.Common.Setting.ChildLock@oven-1"
    assert (ran.code, (case, "error", "ZeroDivisionError: ours") in ran.verdicts) == (5, True)
    assert "pass" in {verdict for _, verdict, _ in ran.verdicts}


def test_module_that_cannot_be_collected_is_a_fault(tmp_path: Path) -> None:
    """A module that hides its cases is a fault of the run."""
    ran = run(tmp_path, *SELECTED, env=running_first(tmp_path, HIDING))
    assert (ran.code, "test_units.py: cannot be collected" in str(ran.results["faults"])) == (5, True)


TOKEN = {"HUB_TOKEN": "opensesame"}
NAMED = ("--", "-k", "not opensesame")
"""What follows -- stands in the results; here it holds the secret."""


def test_secret_in_an_output_is_the_suites_own_fault(tmp_path: Path) -> None:
    """Where masking is broken, a secret in the files ends the run with 5; the page of a job shows nothing."""
    profile = write_profile(tmp_path / "hub.toml", DOWN, more=AUTH)
    page = tmp_path / "page"
    env = {**TOKEN, VARIABLE: str(page), **without_masking(tmp_path)}
    ran = run(tmp_path, str(profile), *NAMED, env=env)
    assert (ran.code, page.exists()) == (5, False)
    told = [fault["text"] for fault in ran.results["faults"] if fault["kind"] == "leaked"]
    assert {"results.json holds ${HUB_TOKEN}", "report.html holds ${HUB_TOKEN}"} <= {*told}
    assert "a secret is in an output: report.html holds ${HUB_TOKEN}" in ran.output


def test_secret_on_the_command_line_is_masked(tmp_path: Path) -> None:
    """With masking, the same run is inconclusive, as any target that is down."""
    profile = write_profile(tmp_path / "hub.toml", DOWN, more=AUTH)
    ran = run(tmp_path, str(profile), *NAMED, env=TOKEN)
    assert (ran.code, ran.results["faults"]) == (3, [])
    assert "not ${HUB_TOKEN}" in ran.results["argv"]


def test_granted_token_that_cannot_be_kept_ends_the_run(tmp_path: Path) -> None:
    """A token that cannot be masked ends a run with 5 before anything is judged, and stands in no file."""
    with raw_server(always(http(200, b'{"access_token": "tiny-1"}'))) as issuer:
        oauth2 = f'token_url = "{issuer.base_url}/token", client_id = "me", client_secret = "${{HUB_TOKEN}}"'
        profile = write_profile(tmp_path / "hub.toml", DOWN, more=f"[auth]\noauth2 = {{ {oauth2} }}\n")
        ran = run(tmp_path, str(profile), env=TOKEN)
    says = "grants a token that cannot be kept: ACCESS_TOKEN has fewer than 8 characters"
    assert (ran.code, ran.verdicts, says in str(ran.results["faults"])) == (5, [], True)
    assert not [file.name for file in ran.out.iterdir() if b"tiny-1" in file.read_bytes()]


@pytest.mark.parametrize("command", ["check", "run", "plan"])
def test_secret_that_cannot_be_kept_is_refused_before_the_first_request(tmp_path: Path, command: str) -> None:
    """A secret that cannot be masked is a mistake of the profile: nothing is sent."""
    with listening() as listener:
        profile = write_profile(tmp_path / "hub.toml", listener.base_url, more=AUTH)
        ran = finished([SCRIPT, command, str(profile)], tmp_path, {"HUB_TOKEN": "settings"})
    assert (ran.code, listener.asked) == (2, [])
    assert "names ${HUB_TOKEN}, whose value is part of a word of the catalog" in ran.output


IGNORING = "import signal\n\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\n"
"""What a script does to a command that it starts in the background."""


@pytest.mark.parametrize("interruption", [signal.SIGINT, signal.SIGTERM])
def test_interrupted_run_writes_its_files(interruption: signal.Signals, tmp_path: Path) -> None:
    """Ctrl-C and its like reach a run wherever they are sent, also where it was started with SIGINT ignored;
    it ends with 3 and its results.
    """
    with listening(delay=0.2) as listener:
        target = ["--base-url", listener.base_url, *FRIDGE, "--out", str(tmp_path)]
        with started("run", *target, directory=tmp_path, env=running_first(tmp_path, IGNORING)) as command:
            listener.wait_until_asked(3)
            command.send_signal(interruption)
            ended = command.ended(LIMIT_S)
    lines = re.findall(rb"(?m)^Interrupted after \d+ reads? and 0 writes; .*report: ", ended.said)
    assert (ended.code, b"Traceback" in ended.said, len(lines)) == (3, False, 1), ended.said
    results = json.loads((tmp_path / "results.json").read_bytes())
    assert (results["interrupted"], results["verdict"]) == (True, "inconclusive")
    assert not read_ledger(tmp_path / "evidence.ndjson").complete
