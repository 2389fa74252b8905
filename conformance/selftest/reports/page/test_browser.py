"""report.html in a real browser: it opens without an error, its links lead on, it searches and prints."""

import json
import re
from collections.abc import Generator
from pathlib import Path

import pytest
from msgspec.structs import replace
from playwright.sync_api import Browser

from conformance.records.results import NotJudged
from conformance.selftest.support.browsing import JENKINS, Visit, visiting
from conformance.selftest.support.commands import command
from conformance.selftest.support.raw_server import always, http, raw_server
from conformance.selftest.support.results import (
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

OVEN = RUN.appliances[1]
LOCK = "Vendor.Common.Setting.ChildLock"
BODY = json.dumps({"data": {"key": ALARM, "value": "false", "description": "a long text, " * 40}})
SOUGHT = {
    "38341": 1,
    "type-boolean": 1,
    "CHILDLOCK oven-1": 1,
    "oven-1": 41,
    "TYPE-BOOLEAN::Vendor": 1,
    "no-such-text": 0,
}
"""What is sought in case id, clause, key, haId and text, and in how many findings it is found."""
FILTERED = [
    ("fail", ".finding", 42),
    ("waived", ".finding", 1),
    ("inconclusive", ".finding", 0),
    ("inconclusive", "#undecided tbody tr", 1),
    ("observed", "#observations tr[data-row]", 1),
]
"""A verdict, and how many rows it leaves."""


@pytest.fixture(scope="module")
def opened(browser: Browser, file: Path) -> Generator[Visit]:
    """The report made by hand, open at 1280 x 800."""
    with visiting(browser, file) as visit:
        yield visit


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
    return (
        command("run", "mutant:any-ha-id", "--level", "read", directory=tmp_path_factory.mktemp("real")).out
        / "report.html"
    )


@pytest.fixture
def visit(opened: Visit) -> Visit:
    """That report, as if it had just been opened."""
    opened.page.emulate_media(media="screen")
    opened.page.goto(opened.page.url.partition("#")[0])
    return opened


def test_search_finds_by_text(visit: Visit) -> None:
    """Every word has to be found, and the page says how many entries are left, or that none is.

    A hit in a folded part unfolds it, and it folds again when the search ends. A slash goes to the search,
    Escape ends it.
    """
    for text, findings in SOUGHT.items():
        seek(visit, text)
        assert amount(visit, ".finding") == findings, text
    assert "nothing matches" in visit.page.locator("#hits").inner_text()
    assert not amount(visit, "[data-row]")
    seek(visit, "38341")
    assert re.match(r"1 of \d+ entries of this page: 1 finding$", visit.page.locator("#hits").inner_text())
    assert amount(visit, f'[id="{FAIL.id}"]') == 1
    assert visit.page.locator("#hits").get_attribute("aria-live") == "polite"
    seek(visit, "does not have it")
    assert amount(visit, "details tr[data-row]")
    seek(visit, "")
    assert not amount(visit, "details tr[data-row]")
    visit.page.locator("#search").blur()
    visit.page.keyboard.press("/")
    visit.page.keyboard.type("38341")
    visit.page.locator(":root.filtered").wait_for(state="attached")
    visit.page.keyboard.press("Escape")
    assert (amount(visit, ".finding"), visit.page.locator("#hits").inner_text()) == (42, "")


def test_filters_go_together(visit: Visit) -> None:
    """A verdict leaves the rows with a case of it; verdict, appliance and words have to match on one case."""
    for verdict, selector, number in FILTERED:
        visit.page.locator("#verdict").select_option(verdict)
        assert amount(visit, selector) == number, (verdict, selector)
    visit.page.locator("#verdict").select_option("")
    visit.page.locator("#appliance").select_option(label="fridge-1")
    assert amount(visit, ".finding") == 1
    assert (amount(visit, ".matrix td.fail"), amount(visit, ".matrix thead th")) == (1, 2)
    visit.page.locator("#verdict").select_option("fail")
    seek(visit, "TYPE-BOOLEAN")
    assert not amount(visit, "tr[id^=clause-]")


def seek(visit: Visit, text: str) -> None:
    """Types into the search box; Enter seeks at once."""
    visit.page.locator("#search").fill(text)
    visit.page.locator("#search").press("Enter")


def amount(visit: Visit, selector: str) -> int:
    """How many elements are to be seen."""
    return visit.page.locator(f"{selector}:visible").count()


def test_real_report_opens_without_a_complaint(browser: Browser, real: Path) -> None:
    """The report of a real run raises no error, obeys its own policy and requests nothing."""
    with visiting(browser, real, color_scheme="dark") as visit:
        assert (visit.said, visit.asked) == ([], [real.as_uri()])
        assert "ADDR-HAID" in visit.text


def test_first_screen_says_what_counts(visit: Visit) -> None:
    """Without scrolling: the verdict, the counts, findings, what was judged, and what was not and why."""
    assert visit.page.locator("h1").is_visible()
    for words in (
        "staging hub, Hub 3.2",
        "1 case: refused for the moment",
        "needs --level write",
        "42 findings in 42 cases",
        "value is 38341, document says 0 to 38340",
    ):
        box = visit.page.get_by_text(words).first.bounding_box()
        assert box is not None
        assert box["y"] + box["height"] < 800, words


def test_links_lead_to_findings(visit: Visit) -> None:
    """A click on a cell that failed brings its finding into view, below what stays at the top; a link to a
    finding that the search hides ends the search.
    """
    visit.page.locator("#matrix td.fail a").first.click()
    finding = visit.page.locator(".finding:target").bounding_box()
    bar = visit.page.locator("nav").bounding_box()
    assert finding
    assert bar
    assert bar["y"] + bar["height"] <= finding["y"] < 800
    seek(visit, "38341")
    other = f"TYPE-BOOLEAN::{LOCK}@oven-1"
    visit.page.evaluate(f"location.hash = '#{other}'")
    visit.page.locator(f'[id="{other}"]').wait_for()


def test_print_unfolds_and_says_what_is_filtered(visit: Visit) -> None:
    """On paper what is folded is open, a filter is said, and the controls are gone."""
    visit.page.emulate_media(media="print")
    assert visit.page.get_by_text("the appliance does not have it").first.is_visible()
    visit.page.emulate_media(media="screen")
    seek(visit, "38341")
    visit.page.emulate_media(media="print")
    assert visit.page.locator("#hits").is_visible()
    assert not visit.page.locator("#search").is_visible()


def test_filter_stands_in_the_address(visit: Visit, browser: Browser) -> None:
    """What is sought can be sent as an address, and is gone from it with the search."""
    seek(visit, "type-boolean x=1&y")
    visit.page.locator("#verdict").select_option("fail")
    visit.page.locator("#appliance").select_option(label="oven-1")
    address = visit.page.url
    assert address.endswith("#q=type-boolean+x%3D1%26y&verdict=fail&appliance=oven-1")
    with visiting(browser, address) as other:
        assert other.page.locator("#search").input_value() == "type-boolean x=1&y"
        assert other.page.locator("#appliance").evaluate("e => e.selectedOptions[0].label") == "oven-1"
        assert "nothing matches" in other.page.locator("#hits").inner_text()
    visit.page.get_by_text("Show everything").click()
    assert "#" not in visit.page.url


def test_script_is_copied(visit: Visit) -> None:
    """A button beside the curl lines copies them."""
    visit.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    visit.page.evaluate("window.setTimeout = () => 0")  # so that it says so for longer than a moment
    visit.page.locator(".copy").first.click()
    visit.page.get_by_text("Copied").wait_for()
    assert visit.page.evaluate("navigator.clipboard.readText()") == f"curl {'x' * 300}"


def test_no_table_is_cut_on_paper(browser: Browser, real: Path, file: Path) -> None:
    """At the width of A4 no table is wider than the paper."""
    ends = "[...document.querySelectorAll('table, pre, p')].map(e => e.getBoundingClientRect().right)"
    for place in (real, file):
        with visiting(browser, place, size=(A4_PX, 1000)) as visit:
            visit.page.emulate_media(media="print")
            assert max(visit.page.evaluate(ends)) <= A4_PX


def test_without_javascript_everything_is_there(browser: Browser, visit: Visit, file: Path) -> None:
    """Without JavaScript there is no control that does nothing, and not a word less."""
    with visiting(browser, file, java_script_enabled=False) as bare:
        assert bare.page.locator("form, input, select, button").count() == 0
        words = bare.page.locator("main").inner_text()
    visit.page.evaluate("document.querySelectorAll('.copy').forEach(button => button.remove())")
    assert words == visit.page.locator("main").inner_text()


def test_under_the_policy_of_a_build_server(browser: Browser, file: Path) -> None:
    """Without its style sheet and its script, in a sandbox, the page still says everything."""
    words = ("Does not conform", "42 findings", "Matrix of keys", "38341", "Observations")
    page = http(200, file.read_bytes(), Content_Type="text/html", Content_Security_Policy=JENKINS)
    with raw_server(always(page)) as raw, visiting(browser, raw.base_url) as visit:
        assert visit.page.locator("form").count() == 0
        assert [word for word in words if word not in visit.text] == []


def test_content_policy_stops_what_an_escape_would_miss(browser: Browser, file: Path, tmp_path: Path) -> None:
    """A text that is not escaped could neither run nor fetch: the policy of the page forbids it."""
    hit = "window.__hit=1"
    bad = f"<img src=x onerror='{hit}'><script>{hit}</script><p onclick='{hit}' style='color: red'>click</p>"
    text = file.read_text(encoding="utf-8").replace("<main ", f"{bad}<main ", 1)
    (tmp_path / "bad.html").write_text(text, encoding="utf-8")
    with visiting(browser, tmp_path / "bad.html") as visit:
        visit.page.get_by_text("click", exact=True).click()
        assert visit.page.evaluate("window.__hit === undefined")
        assert [said for said in visit.said if "Content Security Policy" in said]
