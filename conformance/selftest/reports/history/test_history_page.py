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
from reports.history.history_page import half_fixed, in_words, render_history
from reports.history.kept_results import load_nights
from reports.history.model import FailedCase, Night, Nights, Software
from reports.history.occurrences import history_of
from reports.results.file import load_results, write_results

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


def test_part_of_a_night_is_named(tmp_path: Path) -> None:
    """A last night on which a part was selected is not said to conform."""
    place = save_night(tmp_path, a_case("RANGE-ALARMCLOCK", "pass"), run=run_on(0))
    results = load_results(place / "results.json")
    write_results(replace(results, unselected=3), place / "results.json")
    page = render_history(history_of(load_nights(tmp_path)))
    assert ("only a part was judged" in page, "Conforms" in page) == (True, False)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0, "0 seconds"), (59, "59 seconds"), (150, "2 minutes"), (7_200, "2 hours"), (172_800, "2 days")],
)
def test_length_of_time_is_in_its_largest_unit(seconds: float, words: str) -> None:
    """A time to fix is read at a glance."""
    assert in_words(seconds) == words


def test_time_to_mend_is_counted_from_a_known_first_night(tmp_path: Path) -> None:
    """What the first night of all has may be older, so it does not count."""
    assert half_fixed(history_in(tmp_path, "ffpfpp")) == 86_400


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


DEAD = a_case("ADDR-BASE", "inconclusive", key="*", message="nothing answers")
TOO_LOW = a_case("RANGE-ALARMCLOCK", "fail", message="too low")


def words_of(page: str) -> str:
    """What a reader sees of a page, without its marks."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page))


def test_dead_and_interrupted_nights_have_a_word(tmp_path: Path) -> None:
    """A night that reached no verdict is no night without findings: its row says why."""
    for day, case in enumerate((TOO_LOW, DEAD, TOO_LOW)):
        save_night(tmp_path, case, run=run_on(day))
    cut = tmp_path / run_on(2).started.replace(":", "") / "results.json"
    write_results(replace(load_results(cut), interrupted=True), cut)
    history = history_of(load_nights(tmp_path))
    page = words_of(render_history(history)).replace(" ;", ";")
    assert [night.unjudged for night in history.nights.nights] == ["", "no value", "interrupted"]
    assert "2 Nov 2026, 02:17:00 UTC Nothing could be judged no value" in page
    assert "Does not conform; interrupted" in page


def test_nights_without_results_are_rows(tmp_path: Path) -> None:
    """A night that left no results is in the table with its word; one may lead to its job."""
    for day in (0, 3):
        save_night(tmp_path, TOO_LOW, run=run_on(day))
    for day, code, url in ((1, 2, "https://ci.example/jobs/7"), (2, 3, "javascript:alert(1)")):
        place = tmp_path / str(day)
        place.mkdir()
        told = {"at": run_on(day).started, "exit_code": code, "url": url}
        (place / "night.json").write_text(json.dumps(told), encoding="utf-8")
    nights = load_nights(tmp_path)
    page = render_history(history_of(nights))
    assert [one.word for one in nights.missing] == ["refused", "interrupted"]
    assert "No result: refused (exit code 2)" in page
    assert 'href="https://ci.example/jobs/7"' in page
    assert "javascript:" not in page
    assert "2 nights and 2 without results" in words_of(page)


@pytest.mark.parametrize("text", ["", "[]", '{"at": "yesterday", "exit_code": 2}', '{"at": 1}', "{" * 90_000])
def test_night_file_that_cannot_be_read_is_none(text: str, tmp_path: Path) -> None:
    """What is no night.json makes no row and stops no page."""
    place = save_night(tmp_path, TOO_LOW, run=run_on(0)).with_name("other")
    place.mkdir()
    (place / "night.json").write_text(text, encoding="utf-8")
    assert load_nights(tmp_path).missing == ()


def test_waivers_are_told_night_by_night(tmp_path: Path) -> None:
    """A waived finding has its column; that a waiver expired is said, and is no finding that came."""
    waived, free = (results_of(replace(TOO_LOW, waived=word), run=run_on(word)) for word in (True, False))
    ended = WaiverResult("RANGE-*", "known", "hub team", "2026-11-01", "expired")
    before = replace(waived, run=run_on(0))
    after = replace(free, run=run_on(1), waivers=(ended,))
    for results in (before, after):
        place = save_night(tmp_path, run=results.run)
        write_results(results, place / "results.json")
    write_changes(between(before, after), place)
    nights = load_nights(tmp_path).nights
    page = words_of(render_history(history_of(load_nights(tmp_path))))
    assert [(night.open_findings, night.waived_findings) for night in nights] == [(0, 1), (1, 0)]
    assert "the waiver of 1 finding expired" in page


def test_page_leads_to_the_target_and_the_reports(tmp_path: Path) -> None:
    """The address of the target and the time of the last night are on the first screen; a night whose report
    lies beside its results, or beside the page, leads to it.
    """
    first, last = (save_night(tmp_path / "kept nights", TOO_LOW, run=run_on(day)) for day in (0, 1))
    (first / "report.html").touch()
    (tmp_path / "report.html").touch()
    (tmp_path / "results.json").write_bytes((last / "results.json").read_bytes())
    page = render_history(history_of(load_nights(tmp_path / "kept nights", tmp_path / "history.html")))
    assert RUN.target.base_url in page
    assert '<a href="report.html">2 Nov 2026, 02:17:00 UTC</a>' in page
    assert f'href="kept%20nights/{first.name.replace("+", "%2B")}/report.html"' in page
