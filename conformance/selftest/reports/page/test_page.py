"""report.html: what it says, that it says it to everyone, and that a server's text stays text."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from catalog.loader import load_catalog
from conformance.checks.case import GENERATED_KEY
from conformance.checks.exchange import Failure, Remark, Response
from conformance.checks.groups import Group
from conformance.records.ledger_lines import exchange_of
from conformance.records.results import NotJudged, Omitted
from conformance.records.run_facts import Requests
from conformance.selftest.support.samples.pages import CURL, EXCHANGE, Seen, page_of, terminal_lines
from conformance.selftest.support.samples.results import (
    ABSENT,
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
from conformance.selftest.support.samples.shown_runs import changes_of, exchange, show
from reports.formats.summary import render_markdown
from reports.page.document import render_page
from reports.page.shown_findings import ROOM
from reports.phrases import lead
from reports.recorded.exchanges import SHOWN_CHARACTERS, Recorded, lay_out_json, load_exchanges, show_exchange
from reports.results.build import build_results
from reports.results.headline import headline
from reports.results.not_judged import condition

FOUND = replace(FAIL, message="AlarmClock is 38341, expected 0 to 38340", curl=CURL)
MOST_BYTES = 3_000_000


def test_long_bodies_leave_the_page_small() -> None:
    """Where findings rest on long bodies, the later ones name their exchanges only."""
    numbers = range(900)
    failed = [a_case("TYPE-INTEGER", "fail", f"{ALARM}{number}", evidence=(number,)) for number in numbers]
    exchanges = {number: exchange_of(exchange(number, "x" * 5_000)) for number in numbers}
    text = render_page(results_of(*failed), load_catalog(), exchanges)
    assert ROOM < len(text.encode()) < MOST_BYTES
    assert "exchange 899 of evidence.ndjson" in text


def test_hostile_messages_leave_the_page_small() -> None:
    """A megabyte in every message and every script is cut."""
    failed = a_case("TYPE-INTEGER", "fail", message="x" * 1_000_000, curl="y" * 1_000_000)
    others = [replace(failed, id=word, verdict=word) for word in ("inconclusive", "observed", "error")]
    page = render_page(results_of(failed, *others), load_catalog(), {})
    assert len(page.encode()) < MOST_BYTES / 10


def test_page_says_verdict_quote_and_curl() -> None:
    """A finding shows the verdict, the sentence it contradicts with its line, the finding and a curl line."""
    text = page_of(results_of(PASS, FOUND)).text
    clause = load_catalog().clauses[FOUND.clause]
    quoted = (f"> {clause.quote}", f"line {clause.line}")
    for said in ("Does not conform", *quoted, FOUND.message, CURL, FOUND.id, "exchange 1 of evidence.ndjson"):
        assert said in text


def test_page_shows_the_exchange() -> None:
    """A finding shows the request, the status and the body with every token as it came."""
    text = page_of(results_of(PASS, FOUND), {1: EXCHANGE}).text
    answer = ("200 · application/json · 4 ms", '"value": 1.50', '"value": 1e999')
    for said in ("GET https://staging.example/hub/x", *answer):
        assert said in text


@pytest.mark.parametrize(
    ("cases", "headline"),
    [
        ((PASS,), "Conforms"),
        ((PASS, FAIL), "Does not conform"),
        ((UNSURE,), "Nothing could be judged"),
        ((replace(PASS, verdict="error"),), "Not judged"),
    ],
)
def test_first_heading_is_the_verdict(cases: tuple[Any, ...], headline: str) -> None:
    """The title and the first heading begin with the verdict."""
    html = render_page(results_of(*cases), load_catalog(), {})
    assert f"<title>{headline}" in html
    assert headline in html[html.index("<h1>") : html.index("</h1>")]


def test_a_product_that_is_named_like_the_target_is_said_once() -> None:
    """As in a profile that `init --product` drafts."""
    named = results_of(PASS, run=replace(RUN, target=replace(RUN.target, name="Hub 3.2")))
    assert "Hub 3.2, Hub 3.2" not in page_of(named).text
    assert "staging hub, Hub 3.2" in page_of(results_of(PASS)).text


def test_every_report_tells_the_same_story(tmp_path: Path) -> None:
    """Terminal, summary and first screen have the same sentences in the same order."""
    run = replace(RUN, notices=("one gave -32768",), requests=Requests(580, 10, 0, errors=59))
    held = replace(UNSURE, claimed=True, exempt="X4")
    results = replace(results_of(PASS, FOUND, held, run=run), certify=True, refused=("it has failed",))
    page = Seen(show(tmp_path, results).read_text(encoding="utf-8")).text
    story = (headline(results), lead(results), condition(results.cases), "one gave -32768", "it has failed")
    texts = (
        "\n".join(terminal_lines(results, tmp_path)),
        render_markdown(results).replace("\\", ""),
        page[page.index("Conformance report") : page.index("What was judged")],
    )
    for text in texts:
        places = [text.index(sentence) for sentence in story]
        assert places == sorted(places)


def test_every_link_has_its_target() -> None:
    """Every link inside the page leads to an anchor of the page, and every anchor is there once."""
    cases = [PASS, FOUND, UNSURE, SEEN, a_case("READ-VALUE", "error"), a_case("ADDR-BASE", "pass", key="*")]
    page = page_of(results_of(*cases))
    anchors = [str(attributes["id"]) for _, attributes in page.tags if "id" in attributes]
    hrefs = [str(attributes["href"]) for attributes in page.named("a")]
    links = {href[1:] for href in hrefs if href.startswith("#")}
    assert len(anchors) == len(set(anchors)) > len(links) > 0
    assert links <= set(anchors)


def test_matrix_leads_to_what_is_to_be_read() -> None:
    """A cell says the worst of its cases in a word, and leads to the finding."""
    html = render_page(results_of(PASS, FOUND), load_catalog(), {})
    cell = html[html.index('<td class="fail" title=') :]
    assert cell[: cell.index("</td>")].endswith(
        f'<a href="#{FOUND.id}"><span aria-hidden="true">✗</span> fail</a>'
    )


def test_passes_stand_in_the_matrix_only() -> None:
    """A case that passes or is not applicable has no text of its own on the page."""
    text = page_of(results_of(replace(PASS, message="it is 5"), ABSENT)).text
    assert not [said for said in ("it is 5", PASS.id) if said in text]


def test_clauses_without_a_case_name_what_they_need() -> None:
    """A clause that only a higher level can judge says which, in the list of clauses."""
    omitted = Omitted("SET-WRITABLE", ALARM, FRIDGE.ha_id, "the run only reads", "--level write")
    html = render_page(build_results(RUN, [PASS], load_catalog(), omitted=[omitted]), load_catalog(), {})
    row = html[html.index('<tr id="clause-SET-WRITABLE"') :]
    assert "not judged: needs --level write" in row[: row.index("</tr>")]
    page = page_of(results_of(PASS)).text
    assert page.count("no case in this run") > 10
    assert "no cases: the document shows no transitions" in page


@pytest.mark.parametrize(
    ("text", "laid_out"),
    [
        ('{"a":1.50,"a":1e999}', '{\n  "a": 1.50,\n  "a": 1e999\n}'),
        ('{"a":{},"b":[]}', '{\n  "a": {},\n  "b": []\n}'),
        ('["x,y:{\\"]", -0.0]', '[\n  "x,y:{\\"]",\n  -0.0\n]'),
        ('{"cut":', '{"cut":'),
        ("<html>", "<html>"),
        ("[" * 20_000, "[" * 20_000),
    ],
)
def test_json_is_laid_out_and_not_changed(text: str, laid_out: str) -> None:
    """A JSON body gets lines and keeps every token; anything else stays as it came."""
    assert lay_out_json(text) == laid_out


def test_long_body_is_cut() -> None:
    """A body is cut, and the page says how much is left out."""
    shown = show_exchange(1, exchange_of(exchange(1, "x" * (SHOWN_CHARACTERS + 7))))
    assert (len(shown.body), shown.left_out) == (SHOWN_CHARACTERS, 7)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (replace(EXCHANGE, response=None, failure=Failure("timeout", "30 s")), "no answer: timeout 30 s"),
        (replace(EXCHANGE, response=Response(204, (), b"", 3.6)), "204 · 4 ms"),
        (replace(EXCHANGE, response=None), "no answer is recorded"),
        (Remark("operator", Group.parse("touch"), "x", "*", {"said": "done"}), "no answer is recorded"),
    ],
)
def test_what_an_exchange_came_to_is_one_line(line: Recorded, said: str) -> None:
    """An answer is its status, its media type and its time; a failure says why there was none."""
    assert show_exchange(1, line).answer == said


WRONG: tuple[dict[str, Any], ...] = (
    {"request": 7},
    {"response": []},
    {"response": {"status": "200", "headers": [], "body": "", "elapsed_ms": 1}},
    {"response": {"status": 200, "headers": [["a"], 5], "body": "", "elapsed_ms": 1}},
    {"response": {"status": 200, "headers": [], "body": "\ud83d", "elapsed_ms": 1}},
    {"failure": {"kind": "x", "text": []}},
    {"at": "some day"},
    {"groups": ["?"]},
    {"key": None},
)
"""Members of a line of the ledger that this suite would not write."""


def test_ledger_with_a_broken_line_is_read(tmp_path: Path) -> None:
    """Lines are found beside broken ones and a cut end; a missing file gives none."""
    path = tmp_path / "evidence.ndjson"
    whole = json.dumps(exchange(2, "x"))
    odd = (json.dumps({**exchange(number, "x"), **wrong}) for number, wrong in enumerate(WRONG, start=10))
    path.write_text("\n".join(["{}", "nonsense", "[1]", whole, *odd, '{"n": 4', "[" * 100_000]), "utf-8")
    assert load_exchanges(path, range(20)) == {2: exchange_of(exchange(2, "x"))}
    assert load_exchanges(tmp_path / "none", {2}) == {}


def test_changes_since_the_baseline_are_shown(tmp_path: Path) -> None:
    """The first screen says what changed, and a section tells each change with its cause."""
    report = show(tmp_path, results_of(PASS, FOUND), changes=changes_of("it was fine", FOUND, RUN))
    page = Seen(report.read_text(encoding="utf-8"))
    assert "Since the baseline: 1 new finding, 1 vanished key" in page.text
    for said in ("was pass; the server changed", "it was fine", "3 cases in the new run alone"):
        assert said in page.text


def test_what_is_drawn_is_shown_as_no_key(tmp_path: Path) -> None:
    """Generated requests have no name that anybody would look for in the document; in an id it stays."""
    (tmp_path / "evidence.ndjson").touch()
    drawn = a_case("READ-SAFE", "pass", key=GENERATED_KEY)
    left_out = NotJudged("SET-WRITABLE", (GENERATED_KEY, ALARM), ("fridge-1",), "it writes", "--level write")
    results = replace(results_of(PASS, drawn), not_judged=(left_out,), certify=True)
    page = show(tmp_path, results).read_text(encoding="utf-8").replace("<wbr>", "")
    assert re.findall(rf"(?<!::){GENERATED_KEY}", page) == []
    assert page.count("generated requests") >= 3
