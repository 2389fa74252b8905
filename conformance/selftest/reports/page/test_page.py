"""report.html: what it says, of one appliance or a fleet; and whatever a server sends, it is text there."""

import re
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from playwright.sync_api import Browser

from catalog.keys import CHILD_LOCK
from conformance.checks.case import GENERATED_KEY
from conformance.checks.exchange import Failure, Response
from conformance.checks.verdict import Verdict
from conformance.records.ledger_lines import exchange_of
from conformance.records.results import NotJudged, Results, WaiverResult
from conformance.records.run_facts import JudgedAppliance
from conformance.selftest.support.browsing import Visit, visiting
from conformance.selftest.support.pages import CURL, Seen, html_of, page_of
from conformance.selftest.support.results import (
    ALARM,
    FAIL,
    FRIDGE,
    PASS,
    RUN,
    SEEN,
    UNSURE,
    a_case,
    results_of,
)
from conformance.selftest.support.shown_runs import (
    PAYLOADS,
    exchange,
    hostile_certificate,
    hostile_failure,
    show,
    show_cases,
)
from reports.page.document import cover
from reports.page.matrix import shown_fleet
from reports.page.shown_findings import ROOM, anchor_of
from reports.phrases import silent_appliances
from reports.recorded.exchanges import SHOWN_CHARACTERS, lay_out_json, show_exchange
from reports.renderings import render_signable
from reports.texts import visible

FOUND = replace(FAIL, message="AlarmClock is 38341, expected 0 to 38340", curl=CURL)
MOST_BYTES = 3_000_000
DEEP = "[" * 900 + "5" + "]" * 900


def test_long_bodies_leave_the_page_small() -> None:
    """Where findings rest on long bodies, the later ones name their exchanges only."""
    numbers = range(900)
    failed = [a_case("TYPE-INTEGER", "fail", f"{ALARM}{number}", evidence=(number,)) for number in numbers]
    exchanges = {number: exchange_of(exchange(number, "x" * 5_000)) for number in numbers}
    text = html_of(results_of(*failed), exchanges)
    assert ROOM < len(text.encode()) < MOST_BYTES
    assert "exchange 899 of evidence.ndjson" in text


def test_hostile_messages_leave_the_page_small() -> None:
    """A megabyte in every message and every script is cut."""
    failed = a_case("TYPE-INTEGER", "fail", message="x" * 1_000_000, curl="y" * 1_000_000)
    others = [replace(failed, id=word, verdict=word) for word in ("inconclusive", "observed", "error")]
    page = html_of(results_of(failed, *others))
    assert len(page.encode()) < MOST_BYTES / 10


def test_a_product_that_is_named_like_the_target_is_said_once() -> None:
    """As in a profile that `init --product` drafts."""
    named = results_of(PASS, run=replace(RUN, target=replace(RUN.target, name="Hub 3.2")))
    assert "Hub 3.2, Hub 3.2" not in page_of(named).text
    assert "staging hub, Hub 3.2" in page_of(results_of(PASS)).text


@pytest.mark.parametrize(
    ("results", "stamp"),
    [
        (results_of(PASS), "pass"),
        (results_of(PASS, unselected=9), "pass"),
        (results_of(PASS, certify=True), "inconclusive"),
        (results_of(PASS, replace(FAIL, waived=True)), "inconclusive"),
        (
            results_of(PASS, waivers=[WaiverResult("*", "known", "me", "2027-01-31", "passing")]),
            "inconclusive",
        ),
    ],
    ids=["conforms", "a part", "no certificate", "waived", "stale waiver"],
)
def test_stamp_has_the_color_of_the_run(results: Results, stamp: str) -> None:
    """What ends well but for something is amber."""
    assert ("span", {"class": f"stamp {stamp}"}) in page_of(results).tags


def test_every_link_has_its_target() -> None:
    """Every link inside the page leads to an anchor of the page, and every anchor is there once."""
    cases = [PASS, FOUND, UNSURE, SEEN, a_case("READ-VALUE", "error"), a_case("ADDR-BASE", "pass", key="*")]
    page = page_of(results_of(*cases))
    anchors = [str(attributes["id"]) for _, attributes in page.tags if "id" in attributes]
    hrefs = [str(attributes["href"]) for attributes in page.named("a")]
    links = {href[1:] for href in hrefs if href.startswith("#")}
    assert len(anchors) == len(set(anchors)) > len(links) > 0
    assert links <= set(anchors)


@pytest.mark.parametrize(
    ("text", "laid_out"),
    [
        ('{"a":1.50,"a":1e999}', '{\n  "a": 1.50,\n  "a": 1e999\n}'),
        ('{"a":{},"b":[]}', '{\n  "a": {},\n  "b": []\n}'),
        ('["x,y:{\\"]", -0.0]', '[\n  "x,y:{\\"]",\n  -0.0\n]'),
        ('{"cut":', '{"cut":'),
        ("<html>", "<html>"),
        ("[" * 20_000, "[" * 20_000),
        (f'["{"]" * 900}",{DEEP}]', f'["{"]" * 900}",{DEEP}]'),
        ('["' + "[" * 50 + '"]', '[\n  "' + "[" * 50 + '"\n]'),
    ],
)
def test_json_is_laid_out_and_not_changed(text: str, laid_out: str) -> None:
    """A JSON body gets lines and keeps every token; anything else, and a deep one, stays as it came."""
    assert lay_out_json(text) == laid_out


def test_long_body_is_cut() -> None:
    """A body is cut, and the page says how much is left out; nothing in it steers whoever reads it."""
    shown = show_exchange(1, exchange_of(exchange(1, "x" * (SHOWN_CHARACTERS + 7))))
    assert (len(shown.body), shown.left_out) == (SHOWN_CHARACTERS, 7)
    steering = show_exchange(1, exchange_of(exchange(1, "\u202e")))
    assert {steering.body, steering.request_body} == {r"\u202e"}


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"response": None, "failure": Failure("timeout", "30 s")}, "no answer: timeout 30 s"),
        ({"response": Response(204, (), b"", 3.6)}, "204 · 4 ms"),
        ({"response": None}, "no answer is recorded"),
    ],
)
def test_what_an_exchange_came_to_is_one_line(changed: dict[str, Any], said: str) -> None:
    """An answer is its status, its media type and its time; a failure says why there was none."""
    assert show_exchange(1, replace(exchange_of(exchange(1, "x")), **changed)).answer == said


def test_what_is_drawn_is_shown_as_no_key(tmp_path: Path) -> None:
    """Generated requests have no name that anybody would look for in the document; in an id it stays."""
    (tmp_path / "evidence.ndjson").touch()
    drawn = a_case("READ-SAFE", "pass", key=GENERATED_KEY)
    left_out = NotJudged("SET-WRITABLE", (GENERATED_KEY, ALARM), ("fridge-1",), "it writes", "--level write")
    results = replace(results_of(PASS, drawn), not_judged=(left_out,), certify=True)
    page = show(tmp_path, results).read_text(encoding="utf-8").replace("<wbr>", "")
    assert re.findall(rf"(?<!::){GENERATED_KEY}", page) == []
    assert page.count("generated requests") >= 3


# The page of a fleet.
NUMBER = 20
FLEET = tuple(
    JudgedAppliance(f"MAKER-{kind}-{number:02}", kind)
    for number in range(NUMBER)
    for kind in ("Hood", "Refrigerator")
)
ODD: dict[str, Verdict] = {"MAKER-Refrigerator-07": "fail", "MAKER-Refrigerator-03": "inconclusive"}
SILENT = FLEET[4]


def fleet_results() -> Results:
    """A fleet in which one appliance fails, one is not decided, and one gave no value."""
    cases = [
        a_case("TYPE-INTEGER", ODD.get(one.ha_id, "pass"), ALARM, one) for one in FLEET if one is not SILENT
    ]
    bases = [a_case("ADDR-BASE", "inconclusive" if one is SILENT else "pass", "*", one) for one in FLEET]
    return results_of(*cases, *bases, run=replace(RUN, appliances=FLEET))


def test_keys_that_nobody_serves_share_a_line() -> None:
    """A key without a case but such as do not apply has no row in the matrix; it is named below."""
    absent = [a_case("TYPE-BOOLEAN", "not_applicable", CHILD_LOCK, one) for one in (FRIDGE, FLEET[0])]
    half = [a_case("TYPE-INTEGER", "not_applicable", ALARM, FLEET[0]), PASS]
    html = html_of(results_of(*absent, *half))
    matrix = html.partition('<table class="matrix"')[2].partition("</table>")[0]
    assert ("AlarmClock" in matrix, "ChildLock" in matrix) == (True, False)
    assert "1 key that no appliance serves has no row" in Seen(html).text


def test_appliances_of_a_kind_stand_together_the_worst_first() -> None:
    """Whatever the order of the profile; a kind with a failure comes before one without."""
    names = [one.name for one in shown_fleet(fleet_results()).appliances]
    assert names[:2] == list(ODD)
    assert names[2] == "MAKER-Refrigerator-00"
    assert names[NUMBER : NUMBER + 2] == [SILENT.ha_id, "MAKER-Hood-00"]


def test_first_screen_names_who_gave_no_value() -> None:
    """The appliance that never answered is named above all sections, and the kinds are counted."""
    results = fleet_results()
    page = page_of(results)
    assert silent_appliances(results) == (SILENT.ha_id,)
    head = " ".join(page.text[: page.text.index("What was judged")].split())
    assert f"1 of 40 appliances gave no value: {SILENT.ha_id}" in head
    assert "20 Hoods, 20 Refrigerators" in " ".join(page.text.split())
    assert page.text.index("Cases by appliance") < page.text.index("Keys and appliances")


def test_clause_says_on_how_many_appliances_it_holds() -> None:
    """One appliance of many that is not decided does not hide the others."""
    results = fleet_results()
    passed = {row.clause.id: row.passed for row in cover(results, shown_fleet(results).places)}
    assert (passed["TYPE-INTEGER"], passed["ADDR-BASE"]) == ("pass on 37 of 39", "pass on 39 of 40")
    assert passed["TYPE-FLOAT"] == ""


@pytest.mark.parametrize(
    ("case", "anchor"),
    [
        (f"TYPE-INTEGER::{ALARM}@oven-1", f"TYPE-INTEGER::{ALARM}@oven-1"),
        ("ADDR-UNKNOWNKEY::~generated@x", "ADDR-UNKNOWNKEY::~generated@x"),
        ("ADDR-BASE::*@my fridge", "ADDR-BASE::d5fc5ae4dbac"),
        ('"><script>::x@\ud800', "case::"),
    ],
)
def test_finding_keeps_its_anchor(case: str, anchor: str) -> None:
    """It is that of its case, so that a link leads to it in every report; of an odd id, a digest."""
    assert anchor_of(case).startswith(anchor)
    assert len(anchor_of(case)) < 310


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


def test_names_in_a_fleet_are_text() -> None:
    """Also where a kind is counted or names a table, and in the rows of what was not judged."""
    text = PAYLOADS["an element"]
    fleet = tuple(JudgedAppliance(f"{number}{text}", f"kind{text}") for number in range(13))
    cases = [a_case("TYPE-INTEGER", "fail", ALARM, one) for one in fleet]
    left_out = NotJudged("SET-WRITABLE", (ALARM,), (f"left{text}",), "it writes", "--level write")
    results = results_of(*cases, run=replace(RUN, appliances=fleet))
    page = page_of(replace(results, not_judged=(left_out,)))
    assert {tag for tag, _ in page.tags} & {"svg", "img"} == set()
    for shown in (f"13 kind{text}", f"Keys and appliances: kind{text}", f"left{text}"):
        assert shown in page.text


def test_certificate_on_paper_is_text(tmp_path: Path) -> None:
    """The title of the page as well as what stands on it."""
    text = PAYLOADS["an element"]
    page = Seen(render_signable(hostile_certificate(tmp_path, text).with_name("results.json")))
    assert {tag for tag, _ in page.tags} & {"svg", "img"} == set()
    assert page.text.count(text) >= CERTIFIED["certificate"]
    assert f"Certificate: {text} 2" in page.text


@pytest.mark.parametrize("text", SHORTER)
def test_cases_of_a_failure(browser: Browser, tmp_path: Path, text: str) -> None:
    """In every row of cases.html and below each, folded or not, the same."""
    with visiting(browser, show_cases(hostile_failure(tmp_path, text)), bypass_csp=True) as visit:
        assert_text_only(visit)
        assert str(visit.page.locator("#results-table").text_content()).count(visible(text)) >= 8
        assert visible(text) in visit.page.title()
