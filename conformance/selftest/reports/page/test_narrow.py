"""On a telephone, pages stay within the screen; on any screen, the verdict of a run is seen first."""

from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace
from playwright.sync_api import Browser

from conformance.records.faults import Fault
from conformance.selftest.support.browsing import visiting
from conformance.selftest.support.samples.nights import history_in
from conformance.selftest.support.samples.results import ERROR, FAIL, PASS, SEEN, UNSURE, results_of
from conformance.selftest.support.samples.shown_runs import show, show_cases
from reports.history.history_page import render_history

WIDTH_PX = 400
PARTS = "[document.body, ...document.querySelectorAll('table:not(.months), table:not(.months) td, p')]"
RIGHT = f"Math.max(...{PARTS}.map(part => Math.max(part.scrollWidth, part.getBoundingClientRect().right)))"
"""How far to the right the page reaches; a month has up to 31 columns and scrolls in its section."""


def cases(directory: Path) -> Path:
    """A table with a row of each verdict."""
    return show_cases(show(directory, results_of(FAIL, UNSURE, SEEN, ERROR)))


def history(directory: Path) -> Path:
    """Nights with a finding that is open, one that was fixed, and a case that came and went."""
    path = directory / "history.html"
    path.write_text(render_history(history_in(directory, "pfpffppf")), encoding="utf-8")
    return path


@pytest.mark.parametrize("page", [cases, history])
def test_page_fits_a_telephone(page: Callable[[Path], Path], browser: Browser, tmp_path: Path) -> None:
    """No table, and no text, is wider than the screen."""
    viewport = {"width": WIDTH_PX, "height": 800}
    with visiting(browser, page(tmp_path), viewport=viewport, is_mobile=True) as visit:
        assert visit.page.evaluate(RIGHT) <= WIDTH_PX


def test_clauses_are_stacked_on_a_telephone(browser: Browser, tmp_path: Path) -> None:
    """What a clause asks has the width of the screen, and its verdict stands below it, in sight."""
    page = show(tmp_path, results_of(FAIL, UNSURE, SEEN, ERROR))
    with visiting(browser, page, viewport={"width": 390, "height": 800}) as visit:
        verdicts = visit.page.locator(".coverage .v")
        ends = [box["x"] + box["width"] for one in verdicts.all() if (box := one.bounding_box())]
        asked = visit.page.locator(".coverage td").first.bounding_box()
    assert ends
    assert max(ends) <= 390
    assert asked
    assert asked["width"] > 300


@pytest.mark.parametrize(("width", "height"), [(1280, 720), (390, 844)])
def test_verdict_stands_on_the_first_screen(
    width: int, height: int, browser: Browser, tmp_path: Path
) -> None:
    """A target that died while many values were written to it: they do not push the verdict away."""
    words = [f"coffee-maker-1 Door.AssistantTimeoutFreezer{n} was 0, cannot be read" for n in range(17)]
    words += [f"coffee-maker-1 Door.AssistantTimeoutFridge{n} was 0, is 20" for n in range(17)]
    results = results_of(PASS, UNSURE, faults=[Fault("not_restored", word) for word in words])
    with visiting(browser, show(tmp_path, results), viewport={"width": width, "height": height}) as visit:
        bottom = visit.page.locator(".lead").bounding_box()
        assert bottom
        assert bottom["y"] + bottom["height"] <= height


@pytest.mark.parametrize("width", [1280, 390])
def test_row_of_the_table_opens_as_high_as_its_text(width: int, browser: Browser, tmp_path: Path) -> None:
    """Below a row nothing is cut, and no empty box stands; until it is opened, nothing stands there."""
    failed = replace(FAIL, curl="\n".join(f"curl https://staging.example/{n}" for n in range(25)))
    page = show_cases(show(tmp_path, results_of(failed)))
    with visiting(browser, page, viewport={"width": width, "height": 800}) as visit:
        box = visit.page.locator(".logwrapper")
        assert not box.is_visible()
        visit.page.locator(".col-finding").click()
        log, opened = visit.page.locator(".log"), box.bounding_box()
        assert opened
        assert opened["height"] == log.evaluate("log => log.offsetHeight")
        assert opened["height"] < len(log.inner_text().splitlines()) * 40
