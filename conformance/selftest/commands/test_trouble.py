"""Trouble of any kind, of target, suite or secrets, ends a command with its code and a line."""

import json
import re
import signal
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from conformance.harness.ledger import read_ledger
from conformance.selftest.support.commands import (
    BARE,
    FRIDGE,
    Running,
    command,
    running_first,
    surroundings,
    wait_until,
    without_masking,
)
from conformance.selftest.support.ran import Ran
from conformance.selftest.support.samples.results import results_of
from conformance.selftest.support.servers.raw_server import (
    AUTH,
    always,
    http,
    listening,
    raw_server,
    write_profile,
)
from reports.formats.summary import VARIABLE
from reports.results.file import write_results

DOWN = "http://127.0.0.1:9"
CRASHING = """
from conformance.checks.reads import value_types

def _crash(*_):
    raise ZeroDivisionError("ours")

value_types.assert_of_its_type = _crash
"""
HIDING = 'import sys\n\nsys.modules["conformance.test_units"] = None\n'
SELECTED = ("variant:off-means-standby", "--level", "read", *BARE, "-k", "ChildLock")


NOBODY = {
    "http://staging.invalid": "the host name staging.invalid is not known here",
    DOWN: "nothing listens at 127.0.0.1:9",
}


@pytest.fixture(scope="module")
def unheard(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Ran]:
    """Runs at addresses where nobody is, in which what cannot be judged is to be red."""
    words = (*FRIDGE, "--appliance", "hood-1:Hood", "--junit-inconclusive", "failure")
    place = tmp_path_factory.mktemp("unheard")
    return {
        base_url: command("run", "--base-url", base_url, *words, directory=place / str(number))
        for number, base_url in enumerate(NOBODY)
    }


@pytest.mark.parametrize("base_url", NOBODY)
def test_target_that_is_not_there_is_asked_three_times(base_url: str, unheard: dict[str, Ran]) -> None:
    """Nobody waits a minute to hear that a name is wrong, and the reason is all that is said."""
    ran = unheard[base_url]
    said = [line for line in ran.output.splitlines() if line and not line.startswith(("reading", "judging"))]
    assert (ran.code, sum("request" in line for line in ran.evidence)) == (3, 3)
    assert said[0].startswith("Nothing could be judged: ")
    assert NOBODY[base_url] in said[1]
    assert [line.partition(":")[0] for line in said[2:]] == ["report"]
    assert not {verdict for verdict, _ in ran.verdicts.values()} & {"pass", "fail", "error"}


def test_profile_of_another_run_is_kept_and_named(tmp_path: Path) -> None:
    """A run with --base-url writes its own beside the results, where somebody may have edited an earlier one:
    each of them is kept, once. A run with a file leaves what is there.
    """
    words = ("run", *FRIDGE, "--base-url", DOWN, *BARE)
    used = command(*words, directory=tmp_path).out / "profile.toml"
    before, said = used.read_text(encoding="utf-8"), "profile.toml held another profile"
    for text, is_told in (("# mine", True), ("# mine, too", True), ("# mine", True), (before, False)):
        used.write_text(text, encoding="utf-8")
        assert (said in command(*words, directory=tmp_path).output) is is_told
    kept = {path.name: path.read_text(encoding="utf-8") for path in used.parent.glob("*.toml")}
    others = {"profile.before.toml": "# mine", "profile.before-2.toml": "# mine, too"}
    assert kept == {"profile.toml": before, **others}
    (tmp_path / "hub.toml").write_text(before, encoding="utf-8")
    for target, is_told in {"hub.toml": True, str(used): False}.items():
        ran = command("run", target, *BARE, directory=tmp_path)
        assert ("profile.toml is of another run: this one uses hub.toml" in ran.output) is is_told


def test_undecided_can_be_written_as_failures(unheard: dict[str, Ran], tmp_path: Path) -> None:
    """What could not be judged is red only where that is wanted; the ledger, judged again, says no more."""
    ran = unheard[DOWN]
    again = command("judge", str(ran.out / "evidence.ndjson"), directory=tmp_path)
    assert (again.code, again.verdicts) == (3, ran.verdicts)
    undecided = [verdict for verdict, _ in ran.verdicts.values()].count("inconclusive")
    reds = [len(ET.parse(one.out / "junit.xml").findall(".//testcase/failure")) for one in (ran, again)]
    assert reds == [undecided + 1, 0]


def test_check_that_crashes_is_an_error(tmp_path: Path) -> None:
    """What its cases end with is no verdict on the target, and the run is at fault; others are judged."""
    ran = command("run", *SELECTED, directory=tmp_path, env=running_first(tmp_path, CRASHING))
    case = "TYPE-BOOLEAN::Vendor.Common.Setting.ChildLock@oven-1"
    assert (ran.code, ran.verdicts[case]) == (5, ("error", "ZeroDivisionError: ours"))
    assert "pass" in {verdict for verdict, _ in ran.verdicts.values()}


def test_module_that_cannot_be_collected_is_a_fault(tmp_path: Path) -> None:
    """A module that hides its cases is a fault of the run."""
    ran = command("run", *SELECTED, directory=tmp_path, env=running_first(tmp_path, HIDING))
    assert (ran.code, "test_units.py: cannot be collected" in str(ran.results["faults"])) == (5, True)


TOKEN = {"HUB_TOKEN": "opensesame"}
NAMED = ("--", "-k", "not opensesame")
"""What follows -- stands in the results; here it holds the secret."""


def test_secret_in_an_output_is_the_suites_own_fault(tmp_path: Path) -> None:
    """Where masking is broken, a secret in the files ends the run with 5; the page of a job shows nothing."""
    profile = write_profile(tmp_path / "hub.toml", DOWN, more=AUTH)
    page = tmp_path / "page"
    env = {**TOKEN, VARIABLE: str(page), **without_masking(tmp_path)}
    ran = command("run", str(profile), *NAMED, directory=tmp_path, env=env)
    assert (ran.code, page.exists()) == (5, False)
    told = [fault["text"] for fault in ran.results["faults"] if fault["kind"] == "leaked"]
    assert {"results.json holds ${HUB_TOKEN}", "report.html holds ${HUB_TOKEN}"} <= {*told}
    assert "a secret is in an output: report.html holds ${HUB_TOKEN}" in ran.output


def test_secret_on_the_command_line_is_masked(tmp_path: Path) -> None:
    """With masking, the same run is inconclusive, as any target that is down; it asks all keys of a kind that
    the document does not name, and says so.
    """
    profile = write_profile(tmp_path / "hub.toml", DOWN, more=AUTH)
    profile.write_text(profile.read_text().replace('"Refrigerator"', '"FridgeFreezer"'))
    ran = command("run", str(profile), *NAMED, directory=tmp_path, env=TOKEN)
    assert (ran.code, ran.results["faults"]) == (3, [])
    assert "not ${HUB_TOKEN}" in ran.results["argv"]
    assert "kind FridgeFreezer is none of the six" in ran.output


def test_granted_token_that_cannot_be_kept_ends_the_run(tmp_path: Path) -> None:
    """A token that cannot be masked ends a run with 5 before anything is judged, and stands in no file."""
    with raw_server(always(http(200, b'{"access_token": "tiny-1"}'))) as issuer:
        oauth2 = f'token_url = "{issuer.base_url}/token", client_id = "me", client_secret = "${{HUB_TOKEN}}"'
        profile = write_profile(tmp_path / "hub.toml", DOWN, more=f"[auth]\noauth2 = {{ {oauth2} }}\n")
        ran = command("run", str(profile), directory=tmp_path, env=TOKEN)
    says = "grants a token that cannot be kept: ACCESS_TOKEN has fewer than 8 characters"
    assert (ran.code, ran.verdicts, says in str(ran.results["faults"])) == (5, {}, True)
    assert not [file.name for file in ran.out.iterdir() if b"tiny-1" in file.read_bytes()]


IGNORING = "import signal\n\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\n"
"""What a script does to a command that it starts in the background."""


@pytest.mark.parametrize("interruption", [signal.SIGINT, signal.SIGTERM])
def test_interrupted_run_writes_its_files(interruption: signal.Signals, tmp_path: Path) -> None:
    """Ctrl-C and its like reach a run wherever they are sent, also where it was started with SIGINT ignored;
    it ends with 3 and its results.
    """
    with listening(delay=0.2) as listener:
        target = ["--base-url", listener.base_url, *FRIDGE, "--out", str(tmp_path)]
        with Running(["run", *target], tmp_path, surroundings(running_first(tmp_path, IGNORING))) as running:
            wait_until(lambda: len(listener.requests) >= 3)
            running.send_signal(interruption)
            ended = running.end()
    lines = re.findall(rb"(?m)^Interrupted after \d+ reads? and 0 writes; .*report: ", ended.said)
    assert (ended.code, b"Traceback" in ended.said, len(lines)) == (3, False, 1), ended.said
    results = json.loads((tmp_path / "results.json").read_bytes())
    assert (results["interrupted"], results["verdict"]) == (True, "inconclusive")
    assert not read_ledger(tmp_path / "evidence.ndjson").complete


def test_run_that_judged_nothing_is_told_from_one_in_which_nothing_failed(tmp_path: Path) -> None:
    """A run that was interrupted before judging says nothing of the target: --failed does not, either."""
    write_results(results_of(interrupted=True), tmp_path / "results.json")
    ran = command("run", "--failed", "--out", str(tmp_path), "--state", str(tmp_path))
    assert (ran.code, ran.output) == (
        3,
        f"the last run of {tmp_path} judged nothing: there is nothing to judge again\n",
    )
