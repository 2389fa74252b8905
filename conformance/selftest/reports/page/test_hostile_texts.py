"""In a real browser, whatever a server sends stays text, wherever report.html and cases.html show it."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser

from conformance.selftest.support.browsing import Visit, visiting
from conformance.selftest.support.samples.shown_runs import (
    PAYLOADS,
    hostile_certificate,
    hostile_failure,
    show_cases,
)
from reports.texts import visible

# What only a text that was obeyed can have made: an element of its own, or an attribute that runs it or leads
# to it.
FOREIGN = """[...document.querySelectorAll('*')].filter(element =>
  element.matches('img[src=x], svg, iframe, u')
  || [...element.attributes].some(
    ({name, value}) => /^(on|srcdoc|href)/i.test(name) && value.includes('__hit'))
).map(element => element.outerHTML.slice(0, 200))"""
FAILURE = {
    "findings": 8,
    "judged": 8,
    "matrix": 4,
    "changes": 12,
    "undecided": 2,
    "observations": 2,
    "state": 3,
    "certificate": 1,
    "run": 2,
}
"""How often each section of a report shows the text, at least."""
CERTIFIED = {"judged": 6, "undecided": 3, "certificate": 8, "run": 2}


def said_in(visit: Visit, sections: dict[str, int], text: str) -> dict[str, bool]:
    """Whether each section of the page shows the text as often as it must."""
    texts = {section: str(visit.page.locator(f"#{section}").text_content()) for section in sections}
    return {section: texts[section].count(visible(text)) >= times for section, times in sections.items()}


def assert_text_only(visit: Visit) -> None:
    """Nothing ran, and no element is there that a text has made."""
    assert visit.page.evaluate("window.__hit === undefined")
    assert visit.page.evaluate(FOREIGN) == []


def test_report_of_a_failure(browser: Browser, tmp_path: Path, text: str) -> None:
    """In every place of the page, escaping alone keeps a text a text, also when it is sought."""
    with visiting(browser, hostile_failure(tmp_path, text), bypass_csp=True) as visit:
        assert_text_only(visit)
        assert said_in(visit, FAILURE, text) == dict.fromkeys(FAILURE, True)
        assert visible(text) in visit.page.title()
        assert str(visit.page.locator("header").text_content()).count(visible(text)) >= 3
        visit.page.locator("#appliance").select_option(index=1)
        visit.page.locator("#search").fill(visible(text))
        visit.page.locator("#search").press("Enter")
        assert visit.page.locator(".finding:visible").count() == 2
        assert_text_only(visit)


def test_report_of_a_certificate(browser: Browser, tmp_path: Path, text: str) -> None:
    """The same holds in a certificate, its conditions, its waivers and its scope."""
    with visiting(browser, hostile_certificate(tmp_path, text), bypass_csp=True) as visit:
        assert_text_only(visit)
        assert said_in(visit, CERTIFIED, text) == dict.fromkeys(CERTIFIED, True)


def test_cases_of_a_failure(browser: Browser, tmp_path: Path, text: str) -> None:
    """In every row of cases.html and below each, folded or not, the same."""
    with visiting(browser, show_cases(hostile_failure(tmp_path, text)), bypass_csp=True) as visit:
        assert_text_only(visit)
        assert str(visit.page.locator("#results-table").text_content()).count(visible(text)) >= 8
        assert visible(text) in visit.page.title()


@pytest.fixture(params=[*PAYLOADS.values()], ids=[*PAYLOADS])
def text(request: pytest.FixtureRequest) -> str:
    """A hostile text."""
    return request.param
