"""The command judge with captures: HAR of a browser or a proxy, and lines of NDJSON; nothing is sent."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from catalog.keys import CHILD_LOCK
from conformance.selftest.support.commanding import SCRIPT, finished
from conformance.selftest.support.ran import Ran
from conformance.selftest.support.samples.captured import SECRET, entry, har, lines, url_of

LOCK = url_of(CHILD_LOCK)
PROFILE = """[target]
name = "hub"
base_url = "https://hub.example/v1"

[answer]
value = "/data/value"

[[appliance]]
ha_id = "fridge-1"
kind = "Refrigerator"
"""


def judge_command(directory: Path, *words: str) -> Ran:
    """`judge` with some words."""
    return finished([SCRIPT, "judge", *words, "--out", str(directory / "out")], directory)


@pytest.fixture
def faulty(tmp_path: Path) -> str:
    """A capture of a lock that gives a text, twice."""
    (tmp_path / "hub.toml").write_text(PROFILE, encoding="utf-8")
    return str(har(tmp_path / "app.har", [entry(LOCK, "true", 0), entry(LOCK, "true", 90)]))


def test_finding_is_told_as_that_of_a_run(tmp_path: Path, faulty: str) -> None:
    """With its exit code, its exchanges, and a report; no secret is in any file."""
    ran = judge_command(tmp_path, faulty, "--profile", "hub.toml")
    assert ran.code == 1
    assert 'value is "true" (string), document says Boolean' in ran.output
    assert ran.results["level"] == "seen"
    assert not [path.name for path in ran.out.iterdir() if SECRET in path.read_text(encoding="utf-8")]


def test_what_was_left_out_is_said(tmp_path: Path, faulty: str) -> None:
    """How many exchanges are judged, and how many of which sort are not."""
    other = har(tmp_path / "other.har", [entry("https://hub.example/login", True, 5)])
    ran = judge_command(tmp_path, faulty, str(other), "--profile", "hub.toml")
    assert "judged: 2 exchanges" in ran.output
    assert "left out: 1 about no entry of the document" in ran.output


@pytest.mark.parametrize("writing", [har, lines])
def test_conforming_capture_contradicts_nothing(tmp_path: Path, writing: Callable[..., Path]) -> None:
    """Without a profile nothing is claimed, and no verdict says more than was seen."""
    ran = judge_command(tmp_path, str(writing(tmp_path / "x", [entry(LOCK, True, 0), entry(LOCK, False, 9)])))
    assert "Nothing contradicts the document" in ran.output
    assert "nothing was claimed" in ran.output


def test_ledger_of_a_capture_is_judged_again(tmp_path: Path, faulty: str) -> None:
    """Alike, as that of any run."""
    first = judge_command(tmp_path, faulty, "--profile", "hub.toml")
    again = finished([SCRIPT, "judge", str(first.out / "evidence.ndjson"), "--out", "again"], tmp_path)
    results = json.loads((tmp_path / "again" / "results.json").read_bytes())
    assert (again.code, results["cases"]) == (1, first.results["cases"])


def test_nobody_certifies_what_was_only_seen(tmp_path: Path, faulty: str) -> None:
    """A certificate needs a run."""
    ran = judge_command(tmp_path, faulty, "--certify")
    assert (ran.code, "--certify needs a run" in ran.output) == (2, True)


def test_capture_is_compared_with_no_run(tmp_path: Path, faulty: str) -> None:
    """What was recorded is not what a run would have read."""
    ran = judge_command(tmp_path, faulty, "--baseline", ".")
    assert (ran.code, "--baseline compares runs" in ran.output) == (2, True)


def test_file_that_is_no_capture_is_refused(tmp_path: Path) -> None:
    """By its name, with what is wrong."""
    (tmp_path / "x.har").write_text('{"log": {}}', encoding="utf-8")
    ran = judge_command(tmp_path, "x.har")
    assert (ran.code, "x.har: is neither HAR 1.2 nor NDJSON" in ran.output) == (2, True)
