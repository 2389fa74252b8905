"""Whatever a server sends, it is text in every rendering; and what is shown of it can be read."""

import time
from collections.abc import Generator
from pathlib import Path

import pytest
from msgspec.structs import replace
from playwright.sync_api import Browser

from conformance.records.run_facts import JudgedAppliance
from conformance.selftest.support.browsing import Visit, visiting
from conformance.selftest.support.samples.pages import HOSTILE, assert_harmless
from conformance.selftest.support.samples.pages import cases_page_of as cases_of
from conformance.selftest.support.samples.results import FAIL, PASS, a_case, results_of
from conformance.selftest.support.samples.shown_runs import (
    PAYLOADS,
    hostile_certificate,
    hostile_failure,
    show_cases,
)
from reports.formats.summary import render_markdown
from reports.phrases import by_reason, mask
from reports.story.blocks import SUMMARY
from reports.texts import period, script_lines, visible

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
SHORTER = [PAYLOADS["an element"], PAYLOADS["an attribute"]]
"""Those that show whether a place is escaped at all, for pages whose values are escaped by the same code."""
CERTIFIED = {"judged": 6, "undecided": 3, "certificate": 8, "run": 2}


def said_in(visit: Visit, sections: dict[str, int], text: str) -> dict[str, bool]:
    """Whether each section of the page shows the text as often as it must."""
    texts = {section: str(visit.page.locator(f"#{section}").text_content()) for section in sections}
    return {section: texts[section].count(visible(text)) >= times for section, times in sections.items()}


def assert_text_only(visit: Visit) -> None:
    """Nothing ran, and no element is there that a text has made."""
    assert visit.page.evaluate("window.__hit === undefined")
    assert visit.page.evaluate(FOREIGN) == []


@pytest.mark.parametrize("text", PAYLOADS.values(), ids=PAYLOADS)
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


@pytest.mark.parametrize("text", SHORTER)
def test_report_of_a_certificate(browser: Browser, tmp_path: Path, text: str) -> None:
    """The same holds in a certificate, its conditions, its waivers and its scope."""
    with visiting(browser, hostile_certificate(tmp_path, text), bypass_csp=True) as visit:
        assert_text_only(visit)
        assert said_in(visit, CERTIFIED, text) == dict.fromkeys(CERTIFIED, True)


@pytest.mark.parametrize("text", SHORTER)
def test_cases_of_a_failure(browser: Browser, tmp_path: Path, text: str) -> None:
    """In every row of cases.html and below each, folded or not, the same."""
    with visiting(browser, show_cases(hostile_failure(tmp_path, text)), bypass_csp=True) as visit:
        assert_text_only(visit)
        assert str(visit.page.locator("#results-table").text_content()).count(visible(text)) >= 8
        assert visible(text) in visit.page.title()


# A case of several requests is shown as a script: whole where there is room, cut where there is little.
SCRIPT = (
    "# 1 read\ncurl -sS 'https://x/y'\n# 2 write\ncurl -sS -X PUT --data-binary '{\"a\":\n  1}' 'https://x/y'"
)
LONG = "\n".join(f"curl -sS 'https://x/{number}'" for number in range(100))


def failed(curl: str) -> list[str]:
    """The lines of the summary of one failing case."""
    return render_markdown(results_of(PASS, replace(FAIL, curl=curl, message="wrong"))).splitlines()


@pytest.mark.parametrize("text", [*HOSTILE, "```\n# heading", "````\n```", "\n\n- item"])
def test_summary_block_cannot_be_ended(text: str) -> None:
    """No line of a script ends the block or the item it stands in."""
    lines = failed(f"curl 'a'\ncurl '{text}'")
    start = next(number for number, line in enumerate(lines) if line.startswith("  ```"))
    fence = lines[start].strip().removesuffix("sh")
    inside = lines[start + 1 : lines.index(f"  {fence}", start + 1)]
    assert len(inside) == len(f"{text} ".split("\n")) + 1
    assert all(line.startswith("  ") and fence not in line for line in inside)


def test_short_places_cut_a_long_script() -> None:
    """What is cut stays a script: the lines left out are a comment, and so is a line of 10 kB."""
    lines = script_lines(LONG, SUMMARY.script_lines)
    assert (len(lines), lines[-1]) == (SUMMARY.script_lines + 1, "# 70 further lines: see report.html")
    assert script_lines("x" * 10_000, 5) == ["# a line of 10,000 characters: see report.html"]
    assert script_lines("\n".join(["x" * 1_999] * 10), 5)[3:] == ["# 7 further lines: see report.html"]
    assert script_lines("a\x1b[2J\u2028\u202eb", 5) == ["a\\x1b[2J\\u2028\\u202eb"]


def test_table_keeps_a_script_on_one_line() -> None:
    """In cases.html the lines of a script stand below each other, in one line of the file, as text."""
    text = " ".join(HOSTILE)
    page = cases_of(replace(FAIL, curl=f"{SCRIPT}\ncurl '{text}'"))
    assert "\n" not in page.rows[0]["log"]
    assert_harmless(page.below[0])
    assert len(page.below[0].named("code")) == 6
    assert f"curl '{text}'" in page.below[0].text


# Words of the reports: times that are the same everywhere, reasons that are counted together, and one
# sentence for access that fails everywhere.
BEFORE_TIME = "0001-01-01T00:00:00+14:00"


@pytest.fixture
def elsewhere(monkeypatch: pytest.MonkeyPatch) -> Generator[None]:
    """A machine whose clock is nine hours ahead."""
    monkeypatch.setenv("TZ", "Elsewhere-9")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.usefixtures("elsewhere")
@pytest.mark.parametrize(
    ("started", "finished", "said"),
    [
        ("2026-11-21T09:00:00Z", "2026-11-21T09:04:11Z", "21 Nov 2026, 09:00:00 to 09:04:11 UTC"),
        ("2026-11-21T09:00:00", "2026-11-21T09:04:11", "21 Nov 2026, 09:00:00 to 09:04:11 UTC"),
        (
            "2026-11-21T23:00:00+00:00",
            "2026-11-22T02:00:00+01:00",
            "21 Nov 2026, 23:00:00 to 22 Nov 2026, 01:00:00 UTC",
        ),
        ("yesterday", "today", "yesterday to today"),
        (BEFORE_TIME, "2026-11-21T09:04:11Z", f"{BEFORE_TIME} to 2026-11-21T09:04:11Z"),
    ],
)
def test_period_is_the_same_everywhere(started: str, finished: str, said: str) -> None:
    """Two moments are told in UTC wherever the page is made; texts that are none stay as they are."""
    assert period(started, finished) == said


POWER, ON = "Vendor.Common.Setting.PowerState", "Vendor.Common.EnumType.PowerState.On"
REASONS = {
    f"{POWER} gave no answer": "<key> gave no answer",
    "PowerState of one was not read": "<key> of <haId> was not read",
    "no one else answered: none, phone, one-2, PowerState2": (
        "no <haId> else answered: none, phone, one-2, PowerState2"
    ),
    f'"{ON}" is PowerState.': f'"{ON}" is <key>.',
    f"unit is {ON}": f"unit is {ON}",
    r'a name "say \" one \" twice" for one': r'a name "say \" one \" twice" for <haId>',
}
"""A reason as a case gives it, and as it stands where equal reasons are counted together."""


@pytest.mark.parametrize("said", REASONS)
def test_reason_is_folded_without_touching_values(said: str) -> None:
    """The case's own key and appliance are replaced as whole words, and not in values."""
    case = a_case("PWR-READBACK", "inconclusive", POWER, JudgedAppliance("one", "Oven"), message=said)
    assert mask(case) == REASONS[said]


def test_one_reason_of_several_keys_names_the_key_it_is_about() -> None:
    """What is said of one key in the cases of two is counted once, and what each says of its own."""
    appliance, said = JudgedAppliance("one", "Oven"), "ChildLock of one was not put back"
    lock, power = "Vendor.Common.Setting.ChildLock", POWER
    cases = [
        *(
            a_case("SET-WRITABLE", "inconclusive", key, appliance, message=said)
            for key in (power, lock, power)
        ),
        *(
            a_case("TYPE-NOTNULL", "inconclusive", key, appliance, message=f"{key} was not read")
            for key in (power, lock)
        ),
    ]
    told = [(reason, len(alike)) for reason, alike in by_reason(cases)]
    assert told == [("ChildLock of <haId> was not put back", 3), ("<key> was not read", 2)]
