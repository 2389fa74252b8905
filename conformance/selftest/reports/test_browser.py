"""report.html in a real browser: it opens without an error, its links lead on, it searches and prints."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from conformance.selftest.support.browsing import JENKINS, NoBrowserError, find_browser, served, visiting
from conformance.selftest.support.commanding import run
from conformance.selftest.support.sample_results import (
    ABSENT,
    ALARM,
    FAIL,
    PASS,
    RUN,
    SEEN,
    UNSURE,
    a_case,
    results_of,
)
from conformance.selftest.support.shown_runs import exchange, show
from reports.results.model import NotJudged

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

    from playwright.sync_api import Browser

    from conformance.selftest.support.browsing import Visit

OVEN = RUN.appliances[1]
LOCK = "Vendor.Common.Setting.ChildLock"
BODY = (
    '{"data": {"key": "Vendor.Common.Setting.AlarmClock", "value": "false", "description": "'
    + "a long text of a server, " * 20
    + '"}}'
)
A4_PX = 695
"""The width of the text on A4 between the margins of the page, in CSS pixels."""


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of a run made by hand: findings, a reason, an observation, and cases that were left out."""
    cases = (
        PASS,
        replace(FAIL, message="value is 38341, document says 0 to 38340", curl=f"curl {'x' * 300}"),
        a_case(
            "TYPE-BOOLEAN", "fail", LOCK, OVEN, message='value is "false" (string), document says Boolean'
        ),
        a_case("TYPE-BOOLEAN", "pass", LOCK, message="it is true"),
        replace(UNSURE, message="refused for the moment"),
        replace(ABSENT, message="the appliance does not have it"),
        replace(SEEN, message="3 of 3 answers carry a description"),
        *(
            a_case("TYPE-INTEGER", "fail", f"{ALARM}{number}", OVEN, message="no number", waived=number == 0)
            for number in range(40)
        ),
    )
    left_out = NotJudged("SET-WRITABLE", (ALARM,), ("fridge-1",), "it writes", "--level write")
    return show(
        tmp_path_factory.mktemp("made") / "out",
        replace(results_of(*cases), not_judged=(left_out,)),
        ledger=(exchange(1, BODY),),
    )


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of a real run that finds something."""
    return run(tmp_path_factory.mktemp("real"), "mutant:any-ha-id", "--level", "read").out / "report.html"


@pytest.fixture
def visit(browser: Browser, file: Path) -> Generator[Visit]:
    """The report made by hand, open at 1280 x 800."""
    with visiting(browser, file) as visit:
        yield visit


def seek(visit: Visit, text: str) -> None:
    """Types into the search box; Enter seeks at once."""
    visit.page.locator("#search").fill(text)
    visit.page.locator("#search").press("Enter")


def shown(visit: Visit, selector: str) -> int:
    """How many elements are to be seen."""
    return visit.page.locator(f"{selector}:visible").count()


def test_missing_browser_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a browser these tests say what is missing."""
    monkeypatch.setattr("conformance.selftest.support.browsing.shutil.which", dict[str, str]().get)
    with pytest.raises(NoBrowserError, match="chromium-browser, google-chrome is on the path"):
        find_browser()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_real_report_opens_without_a_complaint(browser: Browser, real: Path, scheme: str) -> None:
    """The report of a real run raises no error, obeys its own policy and requests nothing."""
    with visiting(browser, real, color_scheme=scheme) as visit:
        assert (visit.said, visit.asked) == ([], [real.as_uri()])
        assert "ADDR-HAID" in visit.text


def test_first_screen_says_what_counts(visit: Visit) -> None:
    """Without scrolling: the verdict, what was judged, the counts, and what was not judged and why."""
    assert visit.page.locator("h1").is_visible()
    for words in (
        "staging hub, Hub 3.2",
        "1 case: refused for the moment",
        "needs --level write",
        "Contradicted: ",
    ):
        box = visit.page.get_by_text(words).first.bounding_box()
        assert box is not None
        assert box["y"] + box["height"] < 800, words


def test_cell_of_the_matrix_leads_to_its_finding(visit: Visit) -> None:
    """A click on a cell that failed brings its finding into view, below what stays at the top."""
    visit.page.locator("#matrix td.fail a").first.click()
    finding, bar = (
        visit.page.locator(".finding:target").bounding_box(),
        visit.page.locator("nav").bounding_box(),
    )
    assert finding is not None
    assert bar is not None
    assert bar["y"] + bar["height"] <= finding["y"] < 800


def test_search_finds_by_text(visit: Visit) -> None:
    """A word of a finding leaves that finding and the rows that hold it, and the page says how many."""
    seek(visit, "38341")
    assert (shown(visit, ".finding"), shown(visit, "#finding-1")) == (1, 1)
    assert re.match(r"1 of \d+ entries of this page: 1 finding$", visit.page.locator("#hits").inner_text())
    assert visit.page.locator("#hits").get_attribute("aria-live") == "polite"


@pytest.mark.parametrize(
    ("text", "findings"),
    [
        ("type-boolean", 1),
        ("CHILDLOCK oven-1", 1),
        ("oven-1", 41),
        ("TYPE-BOOLEAN::Vendor", 1),
        ("no such text", 0),
    ],
)
def test_search_finds_by_clause_key_and_appliance(visit: Visit, text: str, findings: int) -> None:
    """Every word has to be found in case id, clause, key, haId or text, in any case."""
    seek(visit, text)
    assert shown(visit, ".finding") == findings


def test_search_that_finds_nothing_says_so(visit: Visit) -> None:
    """What matches nothing leaves no row, and the page says that."""
    seek(visit, "no such text")
    assert "nothing matches" in visit.page.locator("#hits").inner_text()
    assert not shown(visit, "[data-row]")


@pytest.mark.parametrize(
    ("verdict", "selector", "number"),
    [
        ("fail", ".finding", 42),
        ("waived", ".finding", 1),
        ("inconclusive", ".finding", 0),
        ("inconclusive", "#undecided tbody tr", 1),
        ("observed", "#observations tr[data-row]", 1),
    ],
)
def test_filter_by_verdict(visit: Visit, verdict: str, selector: str, number: int) -> None:
    """A verdict leaves the rows in which there is a case of it."""
    visit.page.locator("#verdict").select_option(verdict)
    assert shown(visit, selector) == number


def test_filter_by_appliance(visit: Visit) -> None:
    """An appliance leaves what is about it; in the matrix the cells of the others fade."""
    visit.page.locator("#appliance").select_option(label="fridge-1")
    assert shown(visit, ".finding") == 1
    assert (shown(visit, ".matrix td.fail:not(.dim)"), shown(visit, ".matrix td.fail.dim")) == (1, 1)


def test_filters_go_together(visit: Visit) -> None:
    """Verdict, appliance and words have to match on one case."""
    visit.page.locator("#verdict").select_option("fail")
    visit.page.locator("#appliance").select_option(label="fridge-1")
    seek(visit, "TYPE-BOOLEAN")
    assert not shown(visit, "tr[id^=clause-]")


def test_what_is_folded_unfolds_for_a_hit(visit: Visit) -> None:
    """A hit in a folded part unfolds it, and it folds again when the search ends."""
    seek(visit, "does not have it")
    assert shown(visit, "details tr[data-row]")
    seek(visit, "")
    assert not shown(visit, "details tr[data-row]")


def test_keyboard_is_enough(visit: Visit) -> None:
    """A slash goes to the search, Escape ends it and shows everything."""
    visit.page.keyboard.press("/")
    visit.page.keyboard.type("38341")
    visit.page.locator(":root.filtered").wait_for(state="attached")
    visit.page.keyboard.press("Escape")
    assert shown(visit, ".finding") == 42
    assert visit.page.locator("#hits").inner_text() == ""


def test_link_shows_what_the_search_has_hidden(visit: Visit) -> None:
    """A link to a finding that the search hides ends the search."""
    seek(visit, "38341")
    visit.page.evaluate("location.hash = '#finding-2'")
    visit.page.locator("#finding-2").wait_for()


def test_print_says_what_is_filtered(visit: Visit) -> None:
    """On paper a filter is said and the controls are gone."""
    seek(visit, "38341")
    visit.page.emulate_media(media="print")
    assert visit.page.locator("#hits").is_visible()
    assert not visit.page.locator("#search").is_visible()


def test_prints_on_several_pages(visit: Visit) -> None:
    """The page becomes a PDF of several pages."""
    document = visit.page.pdf(prefer_css_page_size=True)
    assert document.startswith(b"%PDF")
    assert len(re.findall(rb"/Type\s*/Page\b", document)) > 1


def test_no_table_is_cut_on_paper(browser: Browser, real: Path, file: Path) -> None:
    """At the width of A4 no table is wider than the paper."""
    for place in (real, file):
        with visiting(browser, place, viewport={"width": A4_PX, "height": 1000}) as visit:
            visit.page.emulate_media(media="print")
            widths = visit.page.evaluate(
                "[...document.querySelectorAll('table, pre, p')].map(e => e.getBoundingClientRect().right)"
            )
            assert max(widths) <= A4_PX


def test_print_unfolds(visit: Visit) -> None:
    """What is folded on the screen is on paper."""
    visit.page.emulate_media(media="print")
    assert visit.page.get_by_text("the appliance does not have it").first.is_visible()


def test_without_javascript_everything_is_there(browser: Browser, visit: Visit, file: Path) -> None:
    """Without JavaScript there is no control that does nothing, and not a word less."""
    with visiting(browser, file, java_script_enabled=False) as bare:
        assert bare.page.locator("form, input, select, button").count() == 0
        words = bare.page.locator("main").inner_text()
    assert words == visit.page.locator("main").inner_text()


def test_under_the_policy_of_a_build_server(browser: Browser, file: Path) -> None:
    """Without its style sheet and its script, in a sandbox, the page still says everything."""
    with served(file.parent, JENKINS) as address, visiting(browser, f"{address}/report.html") as visit:
        assert visit.page.locator("form").count() == 0
        assert [
            word
            for word in ("Does not conform", "Contradicted", "Matrix of keys", "38341", "Observations")
            if word not in visit.text
        ] == []


def test_content_policy_stops_what_an_escape_would_miss(browser: Browser, file: Path, tmp_path: Path) -> None:
    """A text that is not escaped could neither run nor fetch: the policy of the page forbids it."""
    bad = (
        "<img src=x onerror='window.__hit=1'><script>window.__hit=1</script><p onclick='window.__hit=1'"
        " style='color: red'>click</p>"
    )
    (tmp_path / "bad.html").write_text(
        file.read_text(encoding="utf-8").replace("<main ", f"{bad}<main ", 1), encoding="utf-8"
    )
    with visiting(browser, tmp_path / "bad.html") as visit:
        visit.page.get_by_text("click", exact=True).click()
        assert visit.page.evaluate("window.__hit === undefined")
        assert [said for said in visit.said if "Content Security Policy" in said]
