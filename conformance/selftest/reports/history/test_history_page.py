"""history.html: what it says of many nights, for every reader, and how large it gets."""

import json
import re
from datetime import timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace

from catalog.loader import load_catalog
from conformance.records.results import WaiverResult
from conformance.selftest.support.commands import command
from conformance.selftest.support.samples.results import (
    FIRST,
    RUN,
    a_case,
    between,
    history_in,
    results_of,
    run_on,
    save_night,
)
from reports.changes.files import write_changes
from reports.history.history_page import in_words, render_history
from reports.history.kept_results import load_nights
from reports.history.model import FailedCase, Night, Nights, Software
from reports.history.occurrences import history_of
from reports.results.file import write_results

DAYS, CASES, MOST_BYTES = 365, 25_000, 3_000_000
HOSTILE = "<script>alert(1)</script>\x1b[31m\u202e"


def year() -> Nights:
    """A year of nights of 25,000 cases: 400 fail by turns, each clause ends otherwise each night."""
    clauses, ids = tuple(load_catalog().clauses), tuple(f"TYPE-NULL::{n}@oven" for n in range(CASES))
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


def test_page_needs_no_script(tmp_path: Path) -> None:
    """Nothing in it runs, nothing is fetched, and its policy lets nothing else in."""
    text = render_history(history_in(tmp_path, "pfp", message=HOSTILE))
    assert not re.findall(r"<script|<img|<iframe|<link| style=| on\w+=|\x1b|\u202e", text)
    assert "script-src" not in text
    assert "&lt;script&gt;" in text


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0, "0 seconds"), (59, "59 seconds"), (150, "2 minutes"), (7_200, "2 hours"), (172_800, "2 days")],
)
def test_length_of_time_is_in_its_largest_unit(seconds: float, words: str) -> None:
    """A time to fix is read at a glance."""
    assert in_words(seconds) == words


def test_command_writes_the_page(tmp_path: Path) -> None:
    """It ends with 0, and says on standard error which file it could not read."""
    save_night(tmp_path / "nights", a_case("TYPE-INTEGER", "pass"), run=run_on(0))
    (tmp_path / "nights" / "results.json").write_text("{}", encoding="utf-8")
    ran = command("history", str(tmp_path / "nights"), "-o", str(tmp_path / "history.html"))
    assert (ran.code, "not read" in ran.output) == (0, True)
    assert "1 night" in (tmp_path / "history.html").read_text(encoding="utf-8")


def test_directory_without_results_is_wrong_usage(tmp_path: Path) -> None:
    """Where there is no night there is no page."""
    ran = command("history", str(tmp_path), "-o", str(tmp_path / "history.html"))
    assert (ran.code, (tmp_path / "history.html").exists()) == (2, False)


TOO_LOW = a_case("RANGE-ALARMCLOCK", "fail", message="too low")
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
    "Does not conform; interrupted",
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
