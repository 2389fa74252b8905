"""What becomes of findings from night to night, what is a night, and what history.html says of many."""

import json
import re
from datetime import timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace

from catalog.loader import CATALOG
from conformance.records.results import CaseResult, DecidingExchange, WaiverResult
from conformance.records.run_facts import Campaign
from conformance.selftest.support.results import (
    ALARM,
    FIRST,
    FRIDGE,
    PASS,
    RUN,
    a_case,
    between,
    history_of_story,
    results_of,
    run_on,
    save_night,
    turned,
    with_product,
)
from reports.changes.files import write_changes
from reports.history.history_page import half_fixed, in_words, render_history
from reports.history.kept_results import load_nights
from reports.history.model import FailedCase, History, Night, Nights, Software
from reports.history.occurrences import history_of
from reports.results.file import ResultsError, write_results

TOO_LOW = a_case("RANGE-ALARMCLOCK", "fail", message="too low")
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


def of_one(verdicts: str) -> dict[CaseResult, str]:
    """One case, by its verdicts night after night, beside one that passes."""
    return {PASS: len(verdicts) * "p", TOO_LOW: verdicts}


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
    assert brief(history_of_story(tmp_path, of_one(verdicts))) == ALIKE[verdicts]


@pytest.mark.parametrize("name", OTHERWISE)
def test_same_suite_profile_and_level_leave_the_server(name: str, tmp_path: Path) -> None:
    """What is judged by the same suite with the same profile, and ends otherwise, is caused by the server."""
    verdicts, now, expected = OTHERWISE[name]
    assert brief(history_of_story(tmp_path, of_one(verdicts), (RUN, now))) == expected


def test_cause_is_that_of_the_comparison(tmp_path: Path) -> None:
    """Where the changes.json of a night says who caused a failure, that counts."""
    ends = enumerate(("pass", "fail"))
    old, new = (results_of(turned(TOO_LOW, end), run=run_on(day)) for day, end in ends)
    places = [save_night(tmp_path, *one.cases, run=one.run) for one in (old, new)]
    write_changes(between(old, new, again=replace(old, cases=new.cases)), places[1])
    assert brief(history_of(load_nights(tmp_path))) == "open 1-1, suite, -"


def test_turns_with_a_new_version_are_no_flakiness(tmp_path: Path) -> None:
    """A case that turns whenever the target's version changes was broken and fixed by somebody."""
    runs = [with_product(f"Hub 3.{number}") for number in range(4)]
    assert history_of_story(tmp_path, of_one("pfpf"), runs).flaky == ()


def test_cases_of_a_finding_that_come_and_go_together_are_one(tmp_path: Path) -> None:
    """What a run tells as one finding is one occurrence; a case of it that is fixed earlier is another."""
    seen = (DecidingExchange(1, FRIDGE.ha_id, ALARM, "value"),)
    cases = [replace(a_case("TYPE-INTEGER", "fail", f"{ALARM}{key}"), sights=seen) for key in range(3)]
    history = history_of_story(tmp_path, dict(zip(cases, ("fff", "fff", "ffp"), strict=True)))
    assert brief(history) == "open 0-2, -, -; fixed 0-1 on 2, -, server"


def test_nights_are_in_the_order_of_time(tmp_path: Path) -> None:
    """The names of the directories do not matter, nor does how the files are packed; a copy of a run is no
    further night.
    """
    for name, day, packed in (("z", 0, True), ("m", 2, False), ("a", 1, True), ("copy", 1, False)):
        save_night(tmp_path / name, PASS, run=run_on(day), packed=packed)
    nights = load_nights(tmp_path).nights
    assert [night.started for night in nights] == [run_on(day).started for day in range(3)]


def test_run_of_what_failed_is_no_night(tmp_path: Path) -> None:
    """Its files lie in the directory of the run that they belong to; a night may be called failed itself."""
    night = save_night(tmp_path / "failed", TOO_LOW, run=run_on(0))
    again = save_night(tmp_path, PASS, run=run_on(0.1))
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
    broken = save_night(tmp_path, PASS, run=run_on(0)).with_name("broken") / name
    broken.parent.mkdir()
    broken.write_bytes(content)
    nights = load_nights(tmp_path)
    assert (len(nights.nights), [str(broken) in reason for reason in nights.unread]) == (1, [True])


def test_runs_of_two_targets_are_no_history(tmp_path: Path) -> None:
    """Runs of two targets in one directory are refused, with the names of both."""
    other = replace(RUN, target=replace(RUN.target, name="other hub"))
    for run in (run_on(0), run_on(1, other)):
        save_night(tmp_path, PASS, run=run)
    with pytest.raises(ResultsError, match="of other hub, staging hub"):
        load_nights(tmp_path)


def test_campaign_is_one_run_with_its_nights(tmp_path: Path) -> None:
    """Of a run that was kept after each of its nights, the last one stands in the history, and says so."""
    for number, campaign in enumerate(
        (Campaign(1, 3, 900, 2_500), Campaign(2, 3, 1_800, 2_500), Campaign(3, 3, 2_510, 2_510))
    ):
        run = replace(run_on(0, RUN), campaign=campaign, finished=run_on(number, RUN).finished)
        save_night(tmp_path / str(number), PASS, run=run)
    (night,) = load_nights(tmp_path).nights
    assert (night.campaign, night.partial, night.verdict) == ("3 nights, 2,510 requests", False, "pass")


DAYS, CASES, MOST_BYTES = 365, 25_000, 3_000_000
HOSTILE = "<script>alert(1)</script>\x1b[31m\u202e"


def year() -> Nights:
    """A year of nights of 25,000 cases: 400 fail by turns, each clause ends otherwise each night."""
    clauses, ids = tuple(CATALOG.clauses), tuple(f"TYPE-NULL::{n}@oven" for n in range(CASES))
    cases = frozenset(ids)
    nights: list[Night] = []
    for day in range(DAYS):
        began = FIRST + timedelta(days=day)
        failing = [ids[60 * n] for n in range(400) if (day + n) // (n % 90 + 5) % 2]
        word = ("fail", "pass", "inconclusive")[day % 3]
        nights.append(
            Night(
                started=began.isoformat(),
                finished=(began + timedelta(minutes=20 + day % 7)).isoformat(),
                target="hub",
                level="read",
                software=Software(f"Hub {day // 100}", "0.2.0", "", "", ""),
                verdict="fail",
                partial=False,
                counts={"inconclusive": day},
                clauses=dict.fromkeys(clauses, word),
                cases=cases,
                failed={
                    case: FailedCase("value is 7, document says String", case, waived=False)
                    for case in failing
                },
            )
        )
    return Nights(tuple(nights))


def test_page_of_a_year_is_small() -> None:
    """A year of nights of 25,000 cases, of which none is like the one before, is a page below 3 MB."""
    history = history_of(year())
    text = render_history(history)
    assert min(len(history.open), len(history.fixed)) > 100
    assert len(text.encode()) < MOST_BYTES
    assert text.index("<summary>September 2027") < text.index("<summary>August 2027")


def test_month_in_which_every_clause_passed_has_no_table(tmp_path: Path) -> None:
    """The sentence above it says so; of a table there would be the days alone."""
    text = render_history(history_of_story(tmp_path, {PASS: "pp"}, [RUN] * 2))
    assert ("clauses passed, or did not apply, on each night" in text, '"months"' in text) == (True, False)


def test_page_needs_no_script(tmp_path: Path) -> None:
    """Nothing in it runs or is fetched, and its policy lets nothing else in, whatever a target is called."""
    target = replace(RUN.target, name=f"hub{HOSTILE}", base_url=f"https://{HOSTILE}")
    (tmp_path / "<img src=x>").mkdir()
    (tmp_path / "<img src=x>" / "results.json").touch()
    story = {replace(TOO_LOW, message=HOSTILE): "pfpfp"}
    history = history_of_story(tmp_path, story, [replace(RUN, target=target)] * 5)
    text = render_history(history)
    assert (len(history.flaky), len(history.nights.unread)) == (1, 1)
    assert not re.findall(r"<script|<img|<iframe|<link| style=| on\w+=|\x1b|\u202e", text)
    assert "script-src" not in text
    assert text.count("&lt;script&gt;") == 6


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0, "0 seconds"), (59, "59 seconds"), (150, "2 minutes"), (7_200, "2 hours"), (172_800, "2 days")],
)
def test_length_of_time_is_in_its_largest_unit(seconds: float, words: str) -> None:
    """A time to fix is read at a glance."""
    assert in_words(seconds) == words


DEAD = a_case("ADDR-BASE", "inconclusive", key="*", message="nothing answers")
ENDED = WaiverResult("RANGE-*", "known", "hub team", "2026-11-01", "expired")
NIGHTS = [
    results_of(TOO_LOW, run=run_on(0)),
    results_of(DEAD, run=run_on(1)),
    results_of(TOO_LOW, run=run_on(2), interrupted=True),
    results_of(replace(TOO_LOW, waived=True), run=run_on(3), unselected=3),
    results_of(TOO_LOW, run=run_on(4), waivers=[ENDED]),
]
MISSING = {5: (2, "https://ci.example/jobs/7"), 6: (3, "javascript:alert(1)")}
"""Days of which there are no results: how the run ended, and where its job is said to be."""
SAID = (
    "2 Nov 2026, 02:17:00 UTC Nothing could be judged no value",
    "Does not conform; interrupted 1 ",
    "only a part was judged",
    "the waiver of 1 finding expired",
    "No result: refused (exit code 2)",
    "No result: interrupted (exit code 3)",
    "5 nights and 2 without results",
    RUN.target.base_url,
)


def test_nights_of_every_sort_have_their_words(tmp_path: Path) -> None:
    """A night that reached no verdict, or left no results, says why.

    A waived finding has its column, and that its waiver expired is no finding that came. A night leads to its
    report where that lies beside its results or beside the page; one without results may lead to its job.
    """
    kept = tmp_path / "kept nights"
    places = [save_night(kept, run=results.run) for results in NIGHTS]
    for place, results in zip(places, NIGHTS, strict=True):
        write_results(results, place / "results.json")
    write_changes(between(NIGHTS[3], NIGHTS[4]), places[4])
    for day, (code, url) in MISSING.items():
        told = {"at": run_on(day).started, "exit_code": code, "url": url}
        (kept / str(day)).mkdir()
        (kept / str(day) / "night.json").write_text(json.dumps(told), encoding="utf-8")
    (places[0] / "report.html").touch()
    (tmp_path / "report.html").touch()
    write_results(NIGHTS[4], tmp_path / "results.json")
    history = history_of(load_nights(kept, tmp_path / "history.html"))
    page = render_history(history)
    words = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page)).replace(" ;", ";")
    assert [said for said in SAID if said not in words] == []
    nights = history.nights.nights
    assert [(one.open_findings, one.waived_findings) for one in nights[2:]] == [(1, 0), (0, 1), (1, 0)]
    assert '<a href="report.html">5 Nov 2026, 02:17:00 UTC</a>' in page
    assert f'href="kept%20nights/{places[0].name.replace("+", "%2B")}/report.html"' in page
    assert 'href="https://ci.example/jobs/7"' in page
    assert "javascript:" not in page


@pytest.mark.parametrize("text", ["", "[]", '{"at": "yesterday", "exit_code": 2}', '{"at": 1}', "{" * 90_000])
def test_night_file_that_cannot_be_read_is_none(text: str, tmp_path: Path) -> None:
    """What is no night.json makes no row and stops no page."""
    place = save_night(tmp_path, TOO_LOW, run=run_on(0)).with_name("other")
    place.mkdir()
    (place / "night.json").write_text(text, encoding="utf-8")
    assert load_nights(tmp_path).missing == ()
