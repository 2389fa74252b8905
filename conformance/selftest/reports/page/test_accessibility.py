"""Can everybody read the pages: by keyboard, by contrast, and on a narrow screen?"""

import re
from collections.abc import Callable, Generator
from itertools import pairwise
from pathlib import Path

import pytest
from msgspec.structs import replace
from playwright.sync_api import Browser

from catalog.loader import CATALOG
from conformance.records.faults import Fault
from conformance.records.results import Omitted
from conformance.records.run_facts import JudgedAppliance
from conformance.selftest.support.browsing import TOO_PALE, Scheme, Visit, visiting
from conformance.selftest.support.pages import html_of
from conformance.selftest.support.results import (
    ERROR,
    FAIL,
    FRIDGE,
    PASS,
    RUN,
    SEEN,
    UNSURE,
    a_case,
    history_of_story,
    results_of,
)
from conformance.selftest.support.shown_runs import hostile_certificate, hostile_failure, show, show_cases
from reports.history.history_page import render_history
from reports.page.matrix import MOST_SINGLE, shown_fleet

SCHEMES: tuple[Scheme, ...] = ("light", "dark")


def history(directory: Path) -> Path:
    """Nights with a finding that is open, one that was fixed, and a case that came and went."""
    path = directory / "history.html"
    path.write_text(render_history(history_of_story(directory, {FAIL: "pfpfiie-ffppf"})), encoding="utf-8")
    return path


def test_history_reads_without_colors(browser: Browser, tmp_path: Path) -> None:
    """Texts stand out, no cell says its verdict by color alone, tables have captions, nothing is fetched."""
    with visiting(browser, history(tmp_path)) as visit:
        for scheme in SCHEMES:
            visit.page.emulate_media(color_scheme=scheme)
            assert visit.page.evaluate(TOO_PALE) == []
        wordless = "[...document.querySelectorAll('.months td')].filter(e => !/[a-z]/.test(e.textContent))"
        assert visit.page.evaluate(f"{wordless}.length") == 0
        assert visit.page.locator("table:not(:has(> caption)), th:not([scope])").count() == 0
        assert FAIL.id in visit.page.locator("#findings").inner_text().replace("\n", "")
        assert (visit.said, len(visit.asked)) == ([], 1)


@pytest.fixture(scope="module", params=[hostile_failure, hostile_certificate], ids=["failure", "certificate"])
def file(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report with everything a report can hold."""
    return request.param(tmp_path_factory.mktemp("whole"), "a text")


@pytest.fixture(scope="module")
def visit(browser: Browser, file: Path) -> Generator[Visit]:
    """That report, open."""
    with visiting(browser, file) as visit:
        yield visit


def test_colors_differ_enough(visit: Visit) -> None:
    """Every text stands out from what lies behind it, in the light, in the dark and on paper; and no cell of
    the matrix says its verdict by a color or a sign alone.
    """
    cells = "[...document.querySelectorAll('.matrix td[class]')]"
    assert visit.page.evaluate(f"{cells}.filter(e => !/[a-z]/.test(e.textContent)).length") == 0
    for scheme in SCHEMES:
        visit.page.emulate_media(color_scheme=scheme)
        assert visit.page.evaluate(TOO_PALE) == []
    visit.page.emulate_media(media="print")
    assert visit.page.evaluate(TOO_PALE) == []
    visit.page.emulate_media(media="screen")


def test_reader_of_a_screen_finds_the_way(visit: Visit) -> None:
    """One heading of the first level, and none that skips a level; head, sections, search and main part once
    each; every control, table and labelled section has a name, and the language is said.
    """
    headings = "[...document.querySelectorAll('h1, h2, h3, h4, h5, h6')].map(e => Number(e.tagName[1]))"
    levels = visit.page.evaluate(headings)
    assert (levels[0], levels.count(1)) == (1, 1)
    assert max(after - before for before, after in pairwise(levels)) == 1
    for role in ("banner", "navigation", "search", "main"):
        assert visit.page.get_by_role(role).count() == 1  # pyright: ignore[reportArgumentType]  the roles are spelled out above
    assert visit.page.locator("html").get_attribute("lang") == "en"
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


KEYS = tuple(CATALOG.entries)
LARGE = MOST_SINGLE + 12
MOST_BYTES = 3_000_000


def fleet_of(size: int) -> tuple[JudgedAppliance, ...]:
    """So many refrigerators and ovens in turns."""
    kinds = (FRIDGE.kind, "Oven")
    return tuple(JudgedAppliance(f"appliance-{number:04}", kinds[number % 2]) for number in range(size))


def test_worst_stand_by_themselves() -> None:
    """As many as a person can look at; further ones are told together, by their kind."""
    appliances = fleet_of(MOST_SINGLE + 20)
    passed = [a_case("TYPE-INTEGER", "pass", KEYS[0], one) for one in appliances[:20]]
    failed = [a_case("TYPE-INTEGER", "fail", KEYS[0], one) for one in appliances[20:]]
    fleet = shown_fleet(results_of(*passed, *failed, run=replace(RUN, appliances=appliances)))
    names = [one.name for one in fleet.appliances]
    assert {*names} == {*(one.ha_id for one in appliances[20:]), "10 further"}
    assert [one.kind for one in fleet.appliances] == sorted(one.kind for one in fleet.appliances)[::-1]
    assert names.index("10 further") == MOST_SINGLE / 2


def test_page_of_a_large_fleet_is_small() -> None:
    """It counts every case, whatever is shown together: more appliances than single ones add no row."""
    appliances = fleet_of(LARGE)
    cases = [  # no two appliances end alike
        a_case("TYPE-INTEGER", "fail" if place >> bit & 1 else "pass", key, appliance)
        for place, appliance in enumerate(appliances)
        for bit, key in enumerate(KEYS)
    ]
    results = results_of(*cases, run=replace(RUN, appliances=appliances))
    text = html_of(results)
    assert len(text.encode()) < MOST_BYTES
    table = text[text.index('<table id="by-appliance"') :]
    rows = re.findall(r"<tr>.*?data-appliance>(.*?)</th>(.*)</tr>", table[: table.index("</table>")])
    counted = sum(
        int(number.replace(",", "")) for _, row in rows for number in re.findall(r">([\d,]+)<", row)
    )
    assert (counted, len(rows)) == (len(cases), MOST_SINGLE + 2)


def test_many_appliances_are_counted_where_nothing_was_judged() -> None:
    """On paper the names of a hundred in each row would fill pages: all are counted, of others most."""
    appliances = fleet_of(14)
    omitted = [
        Omitted("SET-WRITABLE", key, one.ha_id, "it writes", "--level write")
        for key, number in zip(KEYS, (14, 13, 12), strict=False)
        for one in appliances[:number]
    ]
    text = html_of(results_of(run=replace(RUN, appliances=appliances), omitted=omitted))
    rows = re.findall(r"#clause-SET-WRITABLE.*<td>(.*)</td></tr>", text)
    twelve = ", ".join(one.ha_id for one in appliances[:12])
    assert rows == ["all 14 appliances", f"{twelve} and 1 more", twelve]


# On a telephone, pages stay within the screen; on any screen, the verdict of a run is seen first.
WIDTH_PX = 400
PARTS = "[document.body, ...document.querySelectorAll('table:not(.months), table:not(.months) td, p')]"
RIGHT = f"Math.max(...{PARTS}.map(part => Math.max(part.scrollWidth, part.getBoundingClientRect().right)))"
"""How far to the right the page reaches; a month has up to 31 columns and scrolls in its section."""


def cases(directory: Path) -> Path:
    """A table with a row of each verdict."""
    return show_cases(show(directory, results_of(FAIL, UNSURE, SEEN, ERROR)))


@pytest.mark.parametrize("page", [cases, history])
def test_page_fits_a_telephone(page: Callable[[Path], Path], browser: Browser, tmp_path: Path) -> None:
    """No table, and no text, is wider than the screen."""
    with visiting(browser, page(tmp_path), size=(WIDTH_PX, 800), is_mobile=True) as visit:
        assert visit.page.evaluate(RIGHT) <= WIDTH_PX


def test_clauses_are_stacked_on_a_telephone(browser: Browser, tmp_path: Path) -> None:
    """What a clause asks has the width of the screen, and its verdict stands below it, in sight."""
    page = show(tmp_path, results_of(FAIL, UNSURE, SEEN, ERROR))
    with visiting(browser, page, size=(390, 800)) as visit:
        verdicts = visit.page.locator(".coverage .v")
        ends = [box["x"] + box["width"] for one in verdicts.all() if (box := one.bounding_box())]
        asked = visit.page.locator(".coverage td").first.bounding_box()
    assert ends
    assert max(ends) <= 390
    assert asked
    assert asked["width"] > 300


@pytest.mark.parametrize("width", [320, 360, 390, WIDTH_PX, 430])
def test_counts_keep_to_their_columns(width: int, browser: Browser, tmp_path: Path) -> None:
    """The word of a verdict does not run into the next one, however many columns the screen has room for."""
    every = [a_case("READ-VALUE", verdict) for verdict in ("not_applicable", "observed", "error")]
    page = show(tmp_path, results_of(PASS, FAIL, UNSURE, *every))
    with visiting(browser, page, size=(width, 800)) as visit:
        over = "all => all.filter(one => one.offsetWidth > one.closest('li').clientWidth).length"
        assert visit.page.locator(".counts .v").evaluate_all(over) == 0


@pytest.mark.parametrize(("width", "height"), [(1280, 720), (390, 844)])
def test_verdict_stands_on_the_first_screen(
    width: int, height: int, browser: Browser, tmp_path: Path
) -> None:
    """A target that died while many values were written to it: they do not push the verdict away."""
    words = [f"coffee-maker-1 Door.AssistantTimeoutFreezer{n} was 0, cannot be read" for n in range(17)]
    words += [f"coffee-maker-1 Door.AssistantTimeoutFridge{n} was 0, is 20" for n in range(17)]
    results = results_of(PASS, UNSURE, faults=[Fault("not_restored", word) for word in words])
    with visiting(browser, show(tmp_path, results), size=(width, height)) as visit:
        bottom = visit.page.locator(".lead").bounding_box()
        assert bottom
        assert bottom["y"] + bottom["height"] <= height


@pytest.mark.parametrize("width", [1280, 390])
def test_row_of_the_table_opens_as_high_as_its_text(width: int, browser: Browser, tmp_path: Path) -> None:
    """Below a row nothing is cut, and no empty box stands; until it is opened, nothing stands there."""
    failed = replace(FAIL, curl="\n".join(f"curl https://staging.example/{n}" for n in range(25)))
    page = show_cases(show(tmp_path, results_of(failed)))
    with visiting(browser, page, size=(width, 800)) as visit:
        box = visit.page.locator(".logwrapper")
        assert not box.is_visible()
        visit.page.locator(".col-finding").click()
        log, opened = visit.page.locator(".log"), box.bounding_box()
        assert opened
        assert opened["height"] == log.evaluate("log => log.offsetHeight")
        assert opened["height"] < len(log.inner_text().splitlines()) * 40
