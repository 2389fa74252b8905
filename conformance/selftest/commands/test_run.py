"""run: its files in each of their formats, its exit codes, what reaches pytest, what --failed judges again,
and what is left of a day; serve: a target for it.
"""

import json
import re
import shutil
import signal
from datetime import UTC, datetime
from pathlib import Path

import pytest

from conformance.cases import all_cases
from conformance.harness.planning import plan_run
from conformance.profiles.toml import toml_of
from conformance.reference.fleets.cooking import OVEN
from conformance.reference.profile import truthful_profile
from conformance.reference.server import serve
from conformance.runs.targets import profile_of
from conformance.selftest.support import ROOT
from conformance.selftest.support.commands import (
    BARE,
    FILES,
    PRIVATE,
    RENDERED,
    Running,
    command,
    pytest_words,
    running_first,
    surroundings,
)
from conformance.selftest.support.ran import Ran
from conformance.selftest.support.recording import several
from conformance.selftest.support.results import results_of
from conformance.selftest.support.signed import SMALL
from reports.formats import CASES_FILE, JUNIT_FILE, Format
from reports.formats import FILES as FORMATS
from reports.results.file import write_results

MUTANT = ("mutant:booleans-as-words", "--level", "read")
CHOSEN = ("-k", "ChildLock and oven-1")
ONE = "variant:off-means-standby"


@pytest.fixture(scope="module")
def reference_run(tmp_path_factory: pytest.TempPathFactory) -> Ran:
    """The reference, judged with --certify."""
    return command("run", "--certify", directory=tmp_path_factory.mktemp("plain"))


@pytest.fixture(scope="module")
def mutant_run(tmp_path_factory: pytest.TempPathFactory) -> Ran:
    """A mutant, read and judged for a certificate, where an earlier run has left one with its attestation."""
    here = tmp_path_factory.mktemp("mutant")
    (here / "out").mkdir()
    for name in ("certificate.json", "certificate.intoto.jsonl"):
        (here / "out" / name).write_text("{}", encoding="utf-8")
    return command("run", *MUTANT, "--certify", directory=here)


@pytest.fixture(scope="module")
def selected_run(tmp_path_factory: pytest.TempPathFactory) -> Ran:
    """The reference, judged on one key, without naming it, where others could read earlier files."""
    here = tmp_path_factory.mktemp("selected")
    (here / "out").mkdir()
    for name in FILES:
        (here / "out" / name).touch(0o644)
    return command("run", "--verbose", "--", *CHOSEN, directory=here, env=running_first(here, PRIVATE))


def test_readme_shows_what_is_said(reference_run: Ran) -> None:
    """The README has the lines that `make certify` ends with; ports and paths differ, `...` is any text.

    pytest does not say the counts again in its own words; the kinds of the suite's own servers are no news.
    """
    assert reference_run.code == 0
    shown = re.search(
        r"```text\n(Conforms: .*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL
    )
    assert shown
    for line in shown[1].splitlines():
        pattern = re.sub(r"\d{4,}", r"\\d+", re.escape(line)).replace(re.escape("..."), ".*")
        assert re.search(pattern.replace("reports/out/latest", ".*"), reference_run.output), line
    first, *_, last = reference_run.output.splitlines()
    assert f" {len(reference_run.results['cases']):,} were judged, " in reference_run.output
    assert (last.startswith("report: "), first.startswith("kind ")) == (True, False)


def test_mutant_does_not_conform(mutant_run: Ran) -> None:
    """A mutant ends with 1, and its finding is among what is said; a line for each section counts verdicts,
    no case is named, and nothing is drawn in a file.
    """
    assert (mutant_run.code, mutant_run.results["verdict"]) == (1, "fail")
    assert "Does not conform: booleans-as-words" in mutant_run.output
    booleans = [case for case in mutant_run.results["cases"] if case["clause"].startswith("TYPE-")]
    failed = sum(case["verdict"] == "fail" for case in booleans)
    assert re.search(rf"^TYPE +.*\b{failed} fail\b", mutant_run.output, re.MULTILINE)
    assert re.findall(r"@fridge-1\] |\x1b", mutant_run.output) == []


def test_every_file_of_a_run_has_a_format() -> None:
    """What is no record of the run itself can be rendered again, but for the files that pytest writes."""
    assert {*FORMATS.values(), JUNIT_FILE, CASES_FILE} == RENDERED


@pytest.mark.parametrize("form", FORMATS)
def test_report_gives_the_bytes_of_the_run(form: Format, mutant_run: Ran, tmp_path: Path) -> None:
    """Saved results give the very file that the run wrote, on standard output and in a file."""
    words = ("report", str(mutant_run.out / "results.json"), "--format", form)
    written = (mutant_run.out / FORMATS[form]).read_bytes()
    assert command(*words).stdout == written
    assert command(*words, "-o", str(tmp_path / "again")).stdout == b""
    assert (tmp_path / "again").read_bytes() == written


def test_report_as_har_has_every_exchange(mutant_run: Ran, tmp_path: Path) -> None:
    """The HTTP Archive has an entry for each request of the ledger; without a ledger there is none."""
    archive = json.loads(command("report", str(mutant_run.out / "results.json"), "--format", "har").output)
    requests = [line["request"]["url"] for line in mutant_run.evidence if "request" in line]
    assert [entry["request"]["url"] for entry in archive["log"]["entries"]] == requests
    shutil.copy(mutant_run.out / "results.json", tmp_path)
    alone = command("report", str(tmp_path), "--format", "har", "-o", str(tmp_path / "x.har"))
    assert (alone.code, "evidence.ndjson" in alone.output) == (2, True), alone.output
    assert not (tmp_path / "x.har").exists()


def test_files_are_as_private_as_the_user_wants(selected_run: Ran) -> None:
    """With a mask of 077 nobody else can read what a target said, though earlier files could be read."""
    modes = {path.name: path.stat().st_mode & 0o077 for path in selected_run.out.iterdir()}
    assert (modes.keys() >= FILES, {*modes.values()}) == (True, {0})


def test_selection_is_pytests(selected_run: Ran) -> None:
    """-k after -- selects cases, although no target stands before it; --verbose says the verdict of each.

    The shared reads are those that the selected cases need, with what may lock a write or is watched.
    """
    ids = {case["id"] for case in selected_run.results["cases"]}
    assert {place.partition("::")[2] for place in ids} == {"Vendor.Common.Setting.ChildLock@oven-1"}
    assert selected_run.code == 0
    assert ids <= {*re.findall(r"\[([A-Z-]+::\S+@oven-1)\] [A-Z]", selected_run.output)}
    profile = profile_of("reference")
    plan = plan_run(profile, [case for case in all_cases(profile) if case.id in ids], "power")
    assert selected_run.reads == list(plan.reads)
    assert 0 < len(selected_run.reads) < len(plan_run(profile, all_cases(profile)).reads) / 8


def test_reports_show_the_command_that_was_typed(selected_run: Ran) -> None:
    """What a run was started with can be typed again; no place of the suite's own is in it."""
    out = str(selected_run.out)
    typed = ["run", "--verbose", "--out", out, "--", *CHOSEN]
    assert selected_run.results["argv"] == ["appliance-conformance", *typed]
    page = (selected_run.out / "report.html").read_text(encoding="utf-8")
    assert f"appliance-conformance run --verbose --out {out} -- -k &#39;ChildLock and oven-1&#39;" in page
    assert str(ROOT) not in page


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (("-k", "no_such_case"), 3, ""),
        (("--collect-only",), 5, ""),
        (("--no-such-option",), 2, "unrecognized arguments: --no-such-option"),
    ],
)
def test_selection_of_nothing_is_no_pass(
    words: tuple[str, ...], code: int, told: str, tmp_path: Path
) -> None:
    """No case at all is no verdict, a pytest that does not run is the suite's fault, a word that it does not
    know the user's. Files of an earlier run do not stand in.
    """
    (tmp_path / "out").mkdir()
    for name in ("results.json", "evidence.ndjson"):
        (tmp_path / "out" / name).write_text("{}")
    ran = command("run", ONE, "--", *words, directory=tmp_path)
    assert (ran.code, told in ran.output) == (code, True), ran.output
    if code == 3:
        assert (ran.results["cases"], ran.reads) == ([], [])
    elif code == 5:
        assert not (ran.out / "results.json").exists()


JUDGING = """
from conformance.runs import asked

kind = asked.Asked
asked.Asked = lambda _, out, **more: kind({target!r}, out, level="read", **more)
"""
"""Lets bare pytest judge another server."""


@pytest.mark.parametrize(("target", "code"), [("mutant:any-ha-id", 1), ("variant:nothing-served", 3)])
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


def test_failing_target_gets_no_certificate(mutant_run: Ran) -> None:
    """A mutant gets none, and an older one in the same place goes, with its attestation."""
    assert list(mutant_run.out.glob("certificate.*")) == []
    assert "no certificate: the target does not conform" in mutant_run.output


def test_part_of_the_cases_gets_none(tmp_path: Path) -> None:
    """Where only some cases are selected there is no certificate. What such a run did not ask is inconclusive
    in its ledger; and one without its last line is that of a killed run, which is no pass.
    """
    chosen = ("--", "-k", "TYPE and ChildLock")
    part = command("run", *SMALL, "--certify", *chosen, directory=tmp_path)
    assert (part.code, (part.out / "certificate.json").exists()) == (3, False)
    assert part.results["refused"] == ["only some of the cases were judged"]
    again = command("judge", str(part.out / "evidence.ndjson"), *BARE, directory=tmp_path / "again")
    cases = [case for case in again.results["cases"] if case["ha_id"] == "oven-1"]
    assert {case["verdict"] for case in cases if "AlarmClock" in case["key"]} == {"inconclusive"}
    assert (again.code, "not_applicable" in {case["verdict"] for case in cases}) == (3, False)
    lines = (part.out / "evidence.ndjson").read_text(encoding="utf-8").splitlines()
    (tmp_path / "cut.ndjson").write_text("\n".join(lines[:-1]) + "\n", encoding="utf-8")
    cut = command("judge", str(tmp_path / "cut.ndjson"), *chosen, directory=tmp_path / "cut")
    assert (cut.code, cut.results["verdict"], cut.results["cases"]) == (
        3,
        "inconclusive",
        part.results["cases"],
    )


def test_part_of_a_run_lacks_no_more_subjects(tmp_path: Path) -> None:
    """A key that is not served is not applicable, though keys beside which it would show were not asked."""
    chosen = ("--level", "read", *BARE, "-k", "TYPE-BOOLEAN and SabbathMode and fridge-2")
    part = command("run", "reference", *chosen, directory=tmp_path)
    assert [case["verdict"] for case in part.results["cases"]] == ["not_applicable"]


def test_only_what_failed_is_judged_again(mutant_run: Ran, tmp_path: Path) -> None:
    """A second run has the cases that failed in the first one, sends less, and leaves its files alone."""
    shutil.copytree(mutant_run.out, tmp_path / "out")
    before = {path.name: path.read_bytes() for path in mutant_run.out.iterdir()}
    code = command("run", *MUTANT, "--failed", *BARE, directory=tmp_path).code
    part = Ran(code, b"", tmp_path / "out" / "failed")
    failed = [case["id"] for case in mutant_run.results["cases"] if case["verdict"] == "fail"]
    assert [case["id"] for case in part.results["cases"]] == failed != []
    assert len(part.evidence) < len(mutant_run.evidence)
    assert before.items() <= {path.name: path.read_bytes() for path in part.out.parent.glob("*.*")}.items()


def test_nothing_failed_ends_as_the_run_did(reference_run: Ran, tmp_path: Path) -> None:
    """Where nothing failed in the last run, nothing is asked, and nobody has made a mistake."""
    ran = command("run", "--failed", "--out", str(reference_run.out), "--state", str(tmp_path))
    assert (ran.code, "nothing failed in the last run" in ran.output) == (reference_run.code, True)


def test_run_that_judged_nothing_is_told_from_one_in_which_nothing_failed(tmp_path: Path) -> None:
    """A run that was interrupted before judging says nothing of the target: --failed does not, either."""
    write_results(results_of(interrupted=True), tmp_path / "results.json")
    ran = command("run", "--failed", "--out", str(tmp_path), "--state", str(tmp_path))
    assert (ran.code, ran.output) == (
        3,
        f"the last run of {tmp_path} judged nothing: there is nothing to judge again\n",
    )


def test_served_profile_fits(tmp_path: Path) -> None:
    """The profile that serve names is judged by run, and conforms; Ctrl-C ends the server."""
    words = ("serve", "variant:versioned-alias", "--port", "0", "--out", str(tmp_path / "served"))
    with Running(words, tmp_path, surroundings()) as serving:
        serving.wait_until_said(".toml\n")
        lines = [line.partition("  ") for line in serving.output.splitlines()]
        announced = {first: last.strip() for first, _, last in lines}
        ran = command("run", announced["profile"], *BARE, directory=tmp_path)
        serving.send_signal(signal.SIGINT)
        assert serving.end().code == 0
    assert announced["base URL"].startswith("http://127.0.0.1:")
    assert (ran.code, ran.results["target"]["base_url"]) == (0, announced["base URL"])


def test_all_runs_spend_one_budget(tmp_path: Path) -> None:
    """The second run has what the first one left; the third is told so, and the files of the second stay."""
    service = several(OVEN, 1)()
    profile, state = tmp_path / "hub.toml", ("--state", str(tmp_path / "state"))
    starts = f"{(datetime.now(UTC).hour + 12) % 24:02}:00 UTC"  # no day ends meanwhile
    with serve({"": service}) as base_url:
        pace = {"per_day": 60, "day_starts": starts, "generated_reads": 0}
        profile.write_text(toml_of({**truthful_profile(service, base_url), "pace": pace}), encoding="utf-8")
        words = (str(profile), "--level", "read", *state)
        assert "60 of the 60 requests of today are left" in command("check", str(profile), *state).output
        first = command("run", *words, "--", "--no-renderings", "-k", "AlarmClock", directory=tmp_path)
        asked = sum("request" in line for line in first.evidence)
        assert f"\ntoday        {60 - asked} of the 60 requests" in command("plan", *words).output
        second = command("run", *words, *BARE, directory=tmp_path)
        assert (second.code, sum("request" in line for line in second.evidence)) == (3, 60 - asked)
        kept = (second.out / "results.json").read_bytes()
        third = command("run", *words, *BARE, directory=tmp_path)
        alone = command("run", *words[:-1], f"{profile}/x", "--", "--collect-only", directory=tmp_path / "x")
        asking = [("check", str(profile), "--ask"), ("init", "-o", str(profile))]
        others = [command(*words, "--state", f"{profile}/x") for words in asking]
    for each in (alone, *others):
        assert f"{profile}/x: Not a directory; no other run knows how many requests" in each.output
    told = f"the 60 requests of a day are used up (pace.per_day); more at {starts}"
    assert (third.code, third.output) == (3, f"nothing is sent: {told}\n")
    assert (second.out / "results.json").read_bytes() == kept
    assert told in command("check", str(profile), *state).output
