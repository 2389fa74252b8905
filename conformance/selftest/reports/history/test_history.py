"""What becomes of findings from night to night, and what is a night."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from conformance.checks.verdict import Verdict
from conformance.records.run_facts import Campaign, JudgedAppliance
from conformance.selftest.support.samples.results import (
    ALARM,
    FRIDGE,
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
from reports.history.history_page import half_fixed
from reports.history.kept_results import load_nights
from reports.history.model import History
from reports.history.occurrences import history_of
from reports.results.file import ResultsError

# fmt: off
ALIKE = {
    "pfffp": "fixed 1-3 on 4, server, server; 259200 s",
    "fffpp": "fixed 0-2 on 3, -, server",
    "ppfff": "open 2-4, server, -",
    "pfiip": "fixed 1-1 on 4, server, server; 259200 s",
    "pf--p": "fixed 1-1 on 4, server, server; 259200 s",
    "pffin": "fixed 1-2 on 4, server, server; 259200 s",
    "pf-ii": "open 1-1, server, -",
    "pfefp": "fixed 1-3 on 4, server, server; 259200 s",
    "--fpp": "fixed 2-2 on 3, unknown, server; 86400 s",
    "fpff": "open 2-3, server, -; fixed 0-0 on 1, -, server",
    "ff": "open 0-1, -, -",
    "-f": "open 1-1, unknown, -",
    "pfp": "fixed 1-1 on 2, server, server; 86400 s",
    "ffpfpp": "fixed 3-3 on 4, server, server; fixed 0-1 on 2, -, server; 3 turns, 3 of 6, passes; 86400 s",
    "pfpfp": "fixed 3-3 on 4, server, server; fixed 1-1 on 2, server, server; 4 turns, 2 of 5, passes;"
        " 86400 s",
    "pfipf": "open 4-4, server, -; fixed 1-1 on 3, server, server; 3 turns, 2 of 4, fails; 172800 s",
    "pfip-f": "open 5-5, server, -; fixed 1-1 on 3, server, server; 3 turns, 2 of 4, fails; 172800 s",
    "fif-pf": "open 5-5, server, -; fixed 0-2 on 4, -, server",
}
"""How a case ends night after night, each judged with the same; and what is open, from which night to which,
what was fixed and when, who caused both, what comes and goes, and half of the times to fix.
"""
OTHERWISE = {
    "another version of the target": ("pf", with_product("Hub 3.3"), "open 1-1, server, -"),
    "another suite": ("pf", replace(RUN, suite_version="0.2.0"), "open 1-1, unknown, -"),
    "another profile": ("pf", replace(RUN, target=replace(RUN.target, profile_sha256="ef" * 32)),
        "open 1-1, unknown, -"),
    "a higher level": ("-f", replace(RUN, level="write"), "open 1-1, extent, -"),
}
"""The same where the second night is judged otherwise."""
# fmt: on
ENDS: tuple[Verdict, Verdict] = ("pass", "fail")


def brief(history: History) -> str:
    """What is open, what was fixed, and what comes and goes; nights are counted from 0."""
    said = [
        f"{'open' if one.fixed is None else 'fixed'} {one.first}-{one.last}"
        f"{'' if one.fixed is None else f' on {one.fixed}'}, {one.came or '-'}, {one.went or '-'}"
        for one in (*history.open, *history.fixed)
    ]
    said += [
        f"{one.flips} turns, {one.failed} of {one.decided}, {'fails' if one.fails else 'passes'}"
        for one in history.flaky
    ]
    half = half_fixed(history)
    return "; ".join([*said, *([f"{half:.0f} s"] if half else [])])


@pytest.mark.parametrize("verdicts", ALIKE)
def test_finding_lasts_until_it_is_decided_otherwise(verdicts: str, tmp_path: Path) -> None:
    """A failure that is inconclusive or not judged is not fixed; one that passes or does not apply is. What
    the first night has may be older, so its cause and its time to fix are not known.
    """
    assert brief(history_in(tmp_path, verdicts)) == ALIKE[verdicts]


@pytest.mark.parametrize("name", OTHERWISE)
def test_same_suite_profile_and_level_leave_the_server(name: str, tmp_path: Path) -> None:
    """What is judged by the same suite with the same profile, and ends otherwise, is caused by the server."""
    verdicts, now, expected = OTHERWISE[name]
    assert brief(history_in(tmp_path, verdicts, (RUN, now))) == expected


def test_cause_is_that_of_the_comparison(tmp_path: Path) -> None:
    """Where the changes.json of a night says who caused a failure, that counts."""
    old, new = (results_of(a_case("RANGE-ALARMCLOCK", end), run=run_on(day)) for day, end in enumerate(ENDS))
    places = [save_night(tmp_path, *one.cases, run=one.run) for one in (old, new)]
    write_changes(between(old, new, again=replace(old, cases=new.cases)), places[1])
    assert brief(history_of(load_nights(tmp_path))) == "open 1-1, suite, -"


def test_turns_with_a_new_version_are_no_flakiness(tmp_path: Path) -> None:
    """A case that turns whenever the target's version changes was broken and fixed by somebody."""
    runs = [with_product(f"Hub 3.{number}") for number in range(4)]
    assert history_in(tmp_path, "pfpf", runs).flaky == ()


def test_cases_of_a_finding_that_come_and_go_together_are_one(tmp_path: Path) -> None:
    """What a run tells as one finding is one occurrence; a case of it that is fixed earlier is another."""
    twin = JudgedAppliance("fridge-2", "Refrigerator")
    for day, verdicts in enumerate(("ff", "ff", "fp")):
        cases = [
            a_case("TYPE-INTEGER", "fail" if word == "f" else "pass", ALARM, place, message="no number")
            for word, place in zip(verdicts, (FRIDGE, twin), strict=True)
        ]
        save_night(tmp_path, *cases, run=run_on(day, replace(RUN, appliances=(FRIDGE, twin))))
    assert brief(history_of(load_nights(tmp_path))) == "open 0-2, -, -; fixed 0-1 on 2, -, server"


def test_nights_are_in_the_order_of_time(tmp_path: Path) -> None:
    """The names of the directories do not matter, nor does how the files are packed; a copy of a run is no
    further night.
    """
    for name, day, packed in (("z", 0, True), ("m", 2, False), ("a", 1, True), ("copy", 1, False)):
        save_night(tmp_path / name, a_case("TYPE-INTEGER", "pass"), run=run_on(day), packed=packed)
    nights = load_nights(tmp_path).nights
    assert [night.started for night in nights] == [run_on(day).started for day in range(3)]


def test_run_of_what_failed_is_no_night(tmp_path: Path) -> None:
    """Its files lie in the directory of the run that they belong to; a night may be called failed itself."""
    night = save_night(tmp_path / "failed", a_case("TYPE-INTEGER", "fail"), run=run_on(0))
    again = save_night(tmp_path, a_case("TYPE-INTEGER", "pass"), run=run_on(0.1))
    again.rename(night / "failed")
    assert [one.started for one in load_nights(tmp_path).nights] == [run_on(0).started]


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
