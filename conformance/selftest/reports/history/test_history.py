"""What becomes of findings from night to night."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from conformance.records.run_facts import Campaign, JudgedAppliance, RunFacts
from conformance.selftest.support.samples.results import (
    ALARM,
    FRIDGE,
    RANGE,
    RUN,
    a_case,
    between,
    history_in,
    results_of,
    run_on,
    save_night,
    with_product,
)
from reports.changes.files import write_changes
from reports.history.kept_results import load_nights
from reports.history.occurrences import history_of
from reports.results.file import ResultsError

OLD, NEW = RUN, replace(RUN, suite_version="0.2.0")


@pytest.mark.parametrize(
    ("verdicts", "first", "last", "fixed"),
    [
        ("pfffp", 1, 3, 4),
        ("fffpp", 0, 2, 3),
        ("ppfff", 2, 4, None),
        ("pfiip", 1, 1, 4),
        ("pf--p", 1, 1, 4),
        ("pffin", 1, 2, 4),
        ("pf-ii", 1, 1, None),
        ("pfefp", 1, 3, 4),
        ("--fpp", 2, 2, 3),
    ],
)
def test_finding_lasts_until_it_is_decided_otherwise(
    verdicts: str, first: int, last: int, fixed: int | None, tmp_path: Path
) -> None:
    """A failure that is inconclusive or not judged is not fixed; one that passes or does not apply is."""
    (occurrence,) = history_in(tmp_path, verdicts).occurrences
    assert (occurrence.cases, occurrence.first, occurrence.last, occurrence.fixed) == (
        (RANGE,),
        first,
        last,
        fixed,
    )


def test_open_and_mended_are_told_apart(tmp_path: Path) -> None:
    """What fails on the last night is open; the rest is fixed."""
    history = history_in(tmp_path, "fpff")
    assert ([one.first for one in history.open], [one.first for one in history.fixed]) == ([2], [0])


def test_cases_of_a_finding_that_come_and_go_together_are_one(tmp_path: Path) -> None:
    """What a run tells as one finding is one occurrence; a case of it that is fixed earlier is another."""
    twin = JudgedAppliance("fridge-2", "Refrigerator")
    for day, verdicts in enumerate(("ff", "ff", "fp")):
        cases = [
            a_case("TYPE-INTEGER", "fail" if word == "f" else "pass", ALARM, place, message="no number")
            for word, place in zip(verdicts, (FRIDGE, twin), strict=True)
        ]
        save_night(tmp_path, *cases, run=run_on(day, replace(RUN, appliances=(FRIDGE, twin))))
    occurrences = history_of(load_nights(tmp_path)).occurrences
    assert [(len(one.cases), one.fixed) for one in occurrences] == [(1, None), (1, 2)]


@pytest.mark.parametrize(
    ("verdicts", "now", "cause"),
    [
        ("pf", OLD, "server"),
        ("pf", with_product("Hub 3.3"), "server"),
        ("pf", NEW, "unknown"),
        ("pf", replace(OLD, target=replace(OLD.target, profile_sha256="ef" * 32)), "unknown"),
        ("-f", replace(OLD, level="write"), "extent"),
        ("ff", OLD, None),  # what the first night has may be older
    ],
)
def test_same_suite_profile_and_level_leave_the_server(
    verdicts: str, now: RunFacts, cause: str | None, tmp_path: Path
) -> None:
    """What is judged by the same suite with the same profile, and ends otherwise, is caused by the server."""
    (occurrence,) = history_in(tmp_path, verdicts, (OLD, now)).occurrences
    assert (occurrence.came, occurrence.went) == (cause, None)


def test_cause_is_that_of_the_comparison(tmp_path: Path) -> None:
    """Where the changes.json of a night says who caused a failure, that counts."""
    old = results_of(a_case("RANGE-ALARMCLOCK", "pass"), run=run_on(0, OLD))
    new = results_of(a_case("RANGE-ALARMCLOCK", "fail", message="too low"), run=run_on(1, NEW))
    save_night(tmp_path, *old.cases, run=old.run)
    comparison = between(old, new, again=replace(old, cases=new.cases))
    write_changes(comparison, save_night(tmp_path, *new.cases, run=new.run))
    (occurrence,) = history_of(load_nights(tmp_path)).occurrences
    assert occurrence.came == "suite"


@pytest.mark.parametrize(
    ("verdicts", "flaky"),
    [("pfpfp", [4]), ("pfip-f", [3]), ("pfp", []), ("fif-pf", []), ("pffff", []), ("fpp", [])],
)
def test_case_that_comes_and_goes_is_flaky(verdicts: str, flaky: list[int], tmp_path: Path) -> None:
    """A case that turns three times with nothing changed is flaky; one that was broken and fixed is not."""
    assert [one.flips for one in history_in(tmp_path, verdicts).flaky] == flaky


def test_turns_with_a_new_version_are_no_flakiness(tmp_path: Path) -> None:
    """A case that turns whenever the target's version changes was broken and fixed by somebody."""
    runs = [with_product(f"Hub 3.{number}") for number in range(4)]
    assert history_in(tmp_path, "pfpf", runs).flaky == ()


def test_flaky_case_counts_its_nights(tmp_path: Path) -> None:
    """It says on how many of the nights that decided it a case failed, and how it ended."""
    (case,) = history_in(tmp_path, "pfipf").flaky
    assert (case.failed, case.decided, case.fails) == (2, 4, True)


def test_nights_are_in_the_order_of_time(tmp_path: Path) -> None:
    """The names of the directories do not matter, nor does how the files are packed."""
    for name, day, packed in (("z", 0, True), ("m", 2, False), ("a", 1, True)):
        save_night(tmp_path / name, a_case("TYPE-INTEGER", "pass"), run=run_on(day), packed=packed)
    nights = load_nights(tmp_path).nights
    assert [night.started for night in nights] == [run_on(day).started for day in range(3)]


def test_run_of_what_failed_is_no_night(tmp_path: Path) -> None:
    """Its files lie in the directory of the run that they belong to; a night may be called failed itself."""
    night = save_night(tmp_path / "failed", a_case("TYPE-INTEGER", "fail"), run=run_on(0))
    again = save_night(tmp_path, a_case("TYPE-INTEGER", "pass"), run=run_on(0.1))
    again.rename(night / "failed")
    assert [one.started for one in load_nights(tmp_path).nights] == [run_on(0).started]


def test_run_that_lies_there_twice_is_one_night(tmp_path: Path) -> None:
    """A copy of a run is no further night."""
    for name in ("latest", "kept"):
        save_night(tmp_path / name, a_case("TYPE-INTEGER", "pass"), run=run_on(0))
    assert len(load_nights(tmp_path).nights) == 1


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("results.json", b"{}"),
        ("results.json", b"\xff"),
        ("results.json.gz", b"no archive"),
        ("results.json.gz", b"\x1f\x8b\x08\x00cut"),
    ],
)
def test_file_that_cannot_be_read_is_named(name: str, content: bytes, tmp_path: Path) -> None:
    """The other nights are told all the same."""
    broken = save_night(tmp_path, a_case("TYPE-INTEGER", "pass"), run=run_on(0)).with_name("broken") / name
    broken.parent.mkdir()
    broken.write_bytes(content)
    nights = load_nights(tmp_path)
    assert (len(nights.nights), [str(broken) in reason for reason in nights.unread]) == (1, [True])


def test_runs_of_two_targets_are_no_history(tmp_path: Path) -> None:
    """Runs of two targets in one directory are refused, with the names of both."""
    other = replace(RUN, target=replace(RUN.target, name="other hub"))
    for run in (run_on(0), run_on(1, other)):
        save_night(tmp_path, a_case("TYPE-INTEGER", "pass"), run=run)
    with pytest.raises(ResultsError, match="of other hub, staging hub"):
        load_nights(tmp_path)


def test_campaign_is_one_run_with_its_nights(tmp_path: Path) -> None:
    """Of a run that was kept after each of its nights, the last one stands in the history, and says so."""
    for number, campaign in enumerate(
        (Campaign(1, 3, 900, 2_500), Campaign(2, 3, 1_800, 2_500), Campaign(3, 3, 2_510, 2_510))
    ):
        run = replace(run_on(0, RUN), campaign=campaign, finished=run_on(number, RUN).finished)
        save_night(tmp_path / str(number), a_case("TYPE-INTEGER", "pass", ALARM), run=run)
    (night,) = load_nights(tmp_path).nights
    assert (night.campaign, night.partial, night.verdict) == ("3 nights, 2,510 requests", False, "pass")
