"""report.html for everyone: with a screen reader, by keyboard, in the dark, without telling colors apart; and
of a large fleet, of which it shows appliances together that are alike.
"""

import re
from collections.abc import Generator
from itertools import pairwise
from pathlib import Path
from typing import Literal

import pytest
from msgspec.structs import replace
from playwright.sync_api import Browser

from catalog.loader import load_catalog
from conformance.records.results import CaseResult
from conformance.records.run_facts import JudgedAppliance
from conformance.selftest.support.accessibility import TOO_PALE
from conformance.selftest.support.browsing import Visit, visiting
from conformance.selftest.support.samples.results import FRIDGE, RUN, a_case, results_of
from conformance.selftest.support.samples.shown_runs import hostile_certificate, hostile_failure
from reports.page.document import render_page
from reports.page.matrix import MOST_SHOWN, MOST_SINGLE, shown_fleet


@pytest.fixture(scope="module", params=[hostile_failure, hostile_certificate], ids=["failure", "certificate"])
def file(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report with everything a report can hold."""
    return request.param(tmp_path_factory.mktemp("whole"), "a text")


@pytest.fixture(scope="module")
def visit(browser: Browser, file: Path) -> Generator[Visit]:
    """That report, open."""
    with visiting(browser, file) as visit:
        yield visit


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_colors_differ_enough(visit: Visit, scheme: Literal["light", "dark"]) -> None:
    """Every text stands out from what lies behind it, in the light, in the dark and on paper."""
    visit.page.emulate_media(color_scheme=scheme)
    assert visit.page.evaluate(TOO_PALE) == []
    visit.page.emulate_media(media="print")
    assert visit.page.evaluate(TOO_PALE) == []
    visit.page.emulate_media(media="screen")


def test_headings_skip_no_level(visit: Visit) -> None:
    """One heading of the first level, and below each at most one level deeper."""
    headings = "[...document.querySelectorAll('h1, h2, h3, h4, h5, h6')].map(e => Number(e.tagName[1]))"
    levels = visit.page.evaluate(headings)
    assert (levels[0], levels.count(1)) == (1, 1)
    assert max(after - before for before, after in pairwise(levels)) == 1


def test_landmarks_are_there_once(visit: Visit) -> None:
    """A reader can jump to the head, the sections, the search and the main part; the language is said."""
    for role in ("banner", "navigation", "search", "main"):
        assert visit.page.get_by_role(role).count() == 1  # pyright: ignore[reportArgumentType]  the roles are spelled out above
    assert visit.page.locator("html").get_attribute("lang") == "en"


def test_every_control_and_region_has_a_name(visit: Visit) -> None:
    """Each control has a label of its own, each labelled section its heading, each table a caption."""
    for selector in ("input:not([id])", "select:not([id])", "table:not(:has(> caption))", "th:not([scope])"):
        assert visit.page.locator(selector).count() == 0, selector
    unnamed = "[...document.querySelectorAll('input, select')].filter(e => !e.labels.length).length"
    assert visit.page.evaluate(unnamed) == 0
    sections = visit.page.locator("section[aria-labelledby]").count()
    assert visit.page.get_by_role("region").count() == sections > 0


def test_keyboard_shows_where_it_is(visit: Visit) -> None:
    """The first stop of the keyboard is a link past the head, and what has the focus is outlined."""
    visit.page.keyboard.press("Tab")
    focused = visit.page.locator(":focus")
    assert focused.inner_text() == "Skip to what was judged"
    assert focused.evaluate("e => getComputedStyle(e).outlineStyle") == "solid"
    visit.page.keyboard.press("Enter")
    assert visit.page.locator("main:focus").count() == 1


def test_a_verdict_is_a_word(visit: Visit) -> None:
    """No cell of the matrix says its verdict by a color or a sign alone."""
    cells = "[...document.querySelectorAll('.matrix td[class]')]"
    assert visit.page.evaluate(f"{cells}.filter(e => !/[a-z]/.test(e.textContent)).length") == 0


KEYS = tuple(load_catalog().entries)
LARGE = 1_000
MOST_BYTES = 5_000_000


def fleet_of(size: int) -> tuple[JudgedAppliance, ...]:
    """So many refrigerators and ovens in turns."""
    kinds = (FRIDGE.kind, "Oven")
    return tuple(JudgedAppliance(f"appliance-{number:04}", kinds[number % 2]) for number in range(size))


def cases_of(appliances: tuple[JudgedAppliance, ...], *, differing: bool) -> list[CaseResult]:
    """A case of keys and appliances; of every key where they are `differing`: then no two ended alike."""
    keys = KEYS if differing else KEYS[:10]
    return [
        a_case("TYPE-INTEGER", "fail" if differing and place >> bit & 1 else "pass", key, appliance)
        for place, appliance in enumerate(appliances)
        for bit, key in enumerate(keys)
    ]


def test_small_fleet_is_shown_one_by_one() -> None:
    """As long as a person can look at each."""
    run = replace(RUN, appliances=fleet_of(MOST_SINGLE))
    fleet = shown_fleet(results_of(*cases_of(run.appliances, differing=False), run=run))
    assert [one.kind for one in fleet.appliances] == sorted(one.kind for one in run.appliances)[::-1]
    assert {one.name for one in fleet.appliances} == {one.ha_id for one in run.appliances}


def test_those_that_ended_alike_are_one_column() -> None:
    """Those of each kind, and one that has failed by itself."""
    appliances = fleet_of(LARGE)
    cases = cases_of(appliances, differing=False)
    results = results_of(
        replace(cases[0], verdict="fail"), *cases[1:], run=replace(RUN, appliances=appliances)
    )
    assert [one.name for one in shown_fleet(results).appliances] == [
        "appliance-0000",
        f"appliance-0002 and {LARGE // 2 - 2} alike",
        f"appliance-0001 and {LARGE // 2 - 1} alike",
    ]


@pytest.mark.parametrize("differing", [False, True])
def test_page_of_a_thousand_appliances_is_small(*, differing: bool) -> None:
    """It counts every case, whatever is shown together; those that failed most stand by themselves."""
    appliances = fleet_of(LARGE)
    cases = cases_of(appliances, differing=differing)
    results = results_of(*cases, run=replace(RUN, appliances=appliances))
    text = render_page(results, load_catalog(), {})
    assert len(text.encode()) < MOST_BYTES
    table = text[text.index('<table id="by-appliance"') :]
    rows = re.findall(r"<tr>.*?data-appliance>(.*?)</th>(.*)</tr>", table[: table.index("</table>")])
    counted = sum(
        int(number.replace(",", "")) for _, row in rows for number in re.findall(r">([\d,]+)<", row)
    )
    assert (counted, len(rows)) == (len(cases), MOST_SHOWN + 2 if differing else 2)
