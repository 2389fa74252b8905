"""run: its files, its exit codes, what reaches pytest, and what --failed judges again."""

import re
from pathlib import Path
from typing import Any
from unittest.mock import Mock
from xml.etree import ElementTree as ET

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from conformance.cases import CATALOG, all_cases
from conformance.harness.planning import plan_run
from conformance.runs.asked import Asked
from conformance.runs.processes.driving import Driving
from conformance.runs.targets import profile_of
from conformance.selftest.support import ROOT
from conformance.selftest.support.commands import FILES, command, pytest_words, running_first
from conformance.selftest.support.ran import Ran

MUTANT = "mutant:booleans-as-words"


@pytest.fixture(scope="module")
def reference_run(tmp_path_factory: pytest.TempPathFactory) -> Ran:
    """The reference, judged with --certify."""
    return command("run", "--certify", directory=tmp_path_factory.mktemp("plain"))


@pytest.fixture(scope="module")
def mutant_run(tmp_path_factory: pytest.TempPathFactory) -> Ran:
    """A mutant, read and judged."""
    return command("run", MUTANT, "--level", "read", directory=tmp_path_factory.mktemp("mutant"))


@pytest.fixture(scope="module")
def selected_run(tmp_path_factory: pytest.TempPathFactory) -> Ran:
    """The reference, judged on one key, without naming it."""
    return command(
        "run", "--verbose", "--", "-k", "ChildLock and oven-1", directory=tmp_path_factory.mktemp("selected")
    )


def test_readme_shows_what_is_said(reference_run: Ran) -> None:
    """The README has the lines that `make certify` ends with; ports and paths differ, `...` is any text."""
    assert reference_run.code == 0
    shown = re.search(
        r"```text\n(Conforms: .*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL
    )
    assert shown
    for line in shown[1].splitlines():
        pattern = re.sub(r"\d{4,}", r"\\d+", re.escape(line)).replace(re.escape("..."), ".*")
        assert re.search(pattern.replace("reports/out/latest", ".*"), reference_run.output), line


def test_verdicts_of_each_section_are_counted_in_a_line(mutant_run: Ran) -> None:
    """A line for each section, and no case by name."""
    booleans = [case for case in mutant_run.results["cases"] if case["clause"].startswith("TYPE-")]
    failed = sum(case["verdict"] == "fail" for case in booleans)
    assert re.search(rf"^TYPE +.*\b{failed} fail\b", mutant_run.output, re.MULTILINE)
    assert "@fridge-1] " not in mutant_run.output


def test_cases_are_counted_once(reference_run: Ran) -> None:
    """The last line names the report, and pytest does not say the counts again in its own words; the kinds of
    the suite's own servers are no news.
    """
    first, *_, last = reference_run.output.splitlines()
    assert f"not judged: of {len(reference_run.results['cases']):,}" not in reference_run.output
    assert f" {len(reference_run.results['cases']):,} were judged, " in reference_run.output
    assert last.startswith("report: ")
    assert not first.startswith("kind ")


def test_each_case_is_named_if_wanted(selected_run: Ran) -> None:
    """--verbose says the verdict of each case."""
    named = re.findall(r"\[([A-Z-]+::\S+@oven-1)\] [A-Z]", selected_run.output)
    assert {case["id"] for case in selected_run.results["cases"]} <= {*named}


def test_mutant_does_not_conform(mutant_run: Ran) -> None:
    """A mutant ends with 1, and its finding is among what is said; nothing is drawn in a file."""
    assert (mutant_run.code, mutant_run.results["verdict"]) == (1, "fail")
    assert "Does not conform: booleans-as-words" in mutant_run.output
    assert "\x1b" not in mutant_run.output


def test_every_file_of_a_run_is_written(reference_run: Ran, mutant_run: Ran) -> None:
    """The files are all there, and there are no others; a certificate only where one was asked for."""
    for ran, more in ((reference_run, {"certificate.json"}), (mutant_run, set[str]())):
        written = FILES - (set() if ran.results["requests"]["writes"] else {"journal.ndjson"})
        assert {path.name for path in ran.out.iterdir()} == written | more
        assert all(path.stat().st_size for path in ran.out.iterdir())


ONE = "variant:off-means-standby"


def test_files_are_as_private_as_the_user_wants(tmp_path: Path) -> None:
    """With a mask of 077 nobody else can read what a target said, though earlier files could be read."""
    out = tmp_path / "out"
    words = (
        "variant:off-means-standby",
        "--level",
        "power",
        "--certify",
        "--sign",
        str(tmp_path / "key.pem"),
    )
    key = Ed25519PrivateKey.generate()
    (tmp_path / "key.pem").write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    out.mkdir()
    for name in (*FILES, "certificate.json", "certificate.intoto.jsonl"):
        (out / name).touch(0o644)
    ran = command(
        "run", *words, directory=tmp_path, env=running_first(tmp_path, "import os\n\nos.umask(0o077)\n")
    )
    assert (ran.code, {path.name for path in out.iterdir()} >= FILES | {"certificate.intoto.jsonl"}) == (
        0,
        True,
    )
    assert {path.name for path in out.iterdir() if path.stat().st_mode & 0o077} == set()


def test_undecided_can_be_written_as_failures(tmp_path: Path) -> None:
    """With --junit-inconclusive failure what could not be judged is red, and the exit code stays."""
    option = ("--junit-inconclusive", "failure")
    ran = command("run", "variant:nothing-served", "--level", "read", *option, directory=tmp_path)
    undecided = [verdict for verdict, _ in ran.verdicts.values()].count("inconclusive")
    for one in (ran, command("judge", str(ran.out / "evidence.ndjson"), *option, directory=tmp_path)):
        failures = ET.parse(one.out / "junit.xml").getroot().findall(".//testcase/failure")
        assert (one.code, len(failures)) == (3, undecided + 1)


def test_reports_show_the_command_that_was_typed(selected_run: Ran) -> None:
    """What a run was started with can be typed again; no place of the suite's own is in it."""
    out = str(selected_run.out)
    typed = ["run", "--verbose", "--out", out, "--", "-k", "ChildLock and oven-1"]
    assert selected_run.results["argv"] == ["appliance-conformance", *typed]
    again = command(
        "judge", str(selected_run.out / "evidence.ndjson"), directory=selected_run.out.parent / "again"
    )
    assert again.results["argv"][:2] == ["appliance-conformance", "judge"]
    page = (selected_run.out / "report.html").read_text(encoding="utf-8")
    assert f"appliance-conformance run --verbose --out {out} -- -k &#39;ChildLock and oven-1&#39;" in page
    assert str(ROOT) not in page


def test_selection_is_pytests(selected_run: Ran) -> None:
    """-k after -- selects cases, although no target stands before it."""
    places = {case["id"].partition("::")[2] for case in selected_run.results["cases"]}
    assert (selected_run.code, places) == (0, {"Vendor.Common.Setting.ChildLock@oven-1"})


def test_only_what_was_selected_is_asked(selected_run: Ran) -> None:
    """The shared reads are those that the selected cases need, with what may lock a write or is watched."""
    ids = {case["id"] for case in selected_run.results["cases"]}
    profile = profile_of("reference")
    plan = plan_run(profile, CATALOG, [case for case in all_cases(profile) if case.id in ids], "power")
    assert selected_run.reads == list(plan.reads)
    assert 0 < len(selected_run.reads) < len(plan_run(profile, CATALOG, all_cases(profile)).reads) / 8


def test_selection_of_nothing_is_inconclusive(tmp_path: Path) -> None:
    """No case at all is no verdict, and the ledger of an earlier run does not stay."""
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "evidence.ndjson").write_text("{}")
    ran = command("run", ONE, "--", "-k", "no_such_case", directory=tmp_path)
    assert (ran.code, ran.results["cases"], ran.reads) == (3, [], [])


def test_pytest_that_does_not_run_is_no_pass(tmp_path: Path) -> None:
    """Where pytest leaves no results, the code is 5; results of an earlier run do not stand in."""
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "results.json").write_text("{}")
    ran = command("run", ONE, "--", "--collect-only", directory=tmp_path)
    assert (ran.code, (ran.out / "results.json").exists()) == (5, False)


def test_option_that_pytest_does_not_know_is_wrong_usage(tmp_path: Path) -> None:
    """What stands after -- is read by pytest, and a mistake in it is the user's, not the suite's."""
    ran = command("run", ONE, "--", "--no-such-option", directory=tmp_path)
    assert (ran.code, "unrecognized arguments: --no-such-option" in ran.output) == (2, True)


JUDGING = """
from conformance.runs import asked

kind = asked.Asked
asked.Asked = lambda _, out, **more: kind({target!r}, out, level="read", **more)
"""
"""Lets bare pytest judge another server."""


@pytest.mark.parametrize(
    ("target", "code"),
    [("mutant:any-ha-id", 1), ("variant:nothing-served", 3), ("unearned:value-pointer-nowhere", 3)],
)
def test_bare_pytest_ends_like_run(target: str, code: int, tmp_path: Path) -> None:
    """`pytest` in a checkout is not zero where `run` is not; here, it judges another server."""
    words = pytest_words("-p", "_hypothesis_pytestplugin")  # which pytest loads by itself
    env = running_first(tmp_path, JUDGING.format(target=target))
    ended = command(*words, directory=tmp_path, env=env)
    assert ended.code == code, ended.output


def test_run_is_made_by_one_process(tmp_path: Path) -> None:
    """Pytest is not let spread a run over workers, each of which would ask the target."""
    ran = command(*pytest_words("-p", "xdist.plugin", "-n1"), directory=tmp_path)
    assert (ran.code, "leave -n of pytest-xdist out" in ran.output) == (pytest.ExitCode.USAGE_ERROR, True)


def test_only_what_failed_is_judged_again(tmp_path: Path) -> None:
    """A second run has the cases that failed in the first one, sends less, and leaves its files alone."""
    first = command("run", "mutant:booleans-as-words", "--level", "read", directory=tmp_path)
    before = (first.results, first.evidence)
    failed = [case["id"] for case in first.results["cases"] if case["verdict"] == "fail"]
    code = command("run", "mutant:booleans-as-words", "--level", "read", "--failed", directory=tmp_path).code
    part = Ran(code, b"", first.out / "failed")
    assert [case["id"] for case in part.results["cases"]] == failed != []
    assert ((first.results, first.evidence), len(part.evidence) < len(first.evidence)) == (before, True)


class Uncompared:
    """An item of pytest."""

    __hash__ = object.__hash__

    def __eq__(self, _other: object) -> bool:
        raise AssertionError("two items were compared")


def test_failed_cases_of_a_large_fleet_are_chosen_in_a_moment() -> None:
    """No item is compared with another one: a fleet has half a million."""
    items: list[Any] = [Uncompared(), Uncompared()]
    asked = Asked("reference", Path("out"), chosen=frozenset({"TYPE-NULL::*@fridge-1"}))
    Driving(asked).pytest_collection_modifyitems(Mock(), items)
    assert not items


@pytest.mark.parametrize(
    ("words", "told"),
    [((), "No such file"), (("--certify",), "goes without"), (("--resume",), "goes without")],
)
def test_failed_needs_a_whole_run_before(words: tuple[str, ...], told: str, tmp_path: Path) -> None:
    """Without a run before, or for a whole run, it is wrong usage."""
    ran = command(
        "run", "reference", "--failed", "--out", str(tmp_path / "out"), "--state", str(tmp_path), *words
    )
    assert ran.code == 2
    assert told in ran.output


def test_nothing_failed_ends_as_the_run_did(tmp_path: Path) -> None:
    """Where nothing failed in the last run, nothing is asked, and nobody has made a mistake."""
    first = command("run", "variant:nothing-served", "--level", "read", directory=tmp_path)
    ran = command(
        "run", "variant:nothing-served", "--failed", "--out", str(first.out), "--state", str(tmp_path)
    )
    assert ran.code == first.code
    assert "nothing failed in the last run" in ran.output
