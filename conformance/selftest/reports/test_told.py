"""What every report says of a run: page, summary and terminal have one story, the badge a word."""

import json
from pathlib import Path
from typing import NamedTuple

import pytest
from msgspec.structs import replace

from catalog.loader import load_catalog
from conformance.model.state_table import STATES
from conformance.records.faults import Fault
from conformance.records.results import CaseResult, DecidingExchange, Omitted, Results, WaiverResult
from conformance.records.run_facts import Keys, Requests
from conformance.selftest.support.samples.pages import CURL, Told
from conformance.selftest.support.samples.results import (
    ALARM,
    CLAIMED,
    FAIL,
    FRIDGE,
    PASS,
    RUN,
    UNSURE,
    a_case,
    results_of,
)
from reports.formats.junit import render_junit
from reports.formats.summary import render_badge, render_markdown
from reports.phrases import lead
from reports.results.build import build_results
from reports.results.headline import headline
from reports.results.not_judged import condition

LOCK, POWER = "Vendor.Common.Setting.ChildLock", "Vendor.Common.Setting.PowerState"
FOUND = replace(FAIL, message="AlarmClock is 38341, expected 0 to 38340", curl=CURL)
UNCLAIMED = replace(RUN, keys=Keys(tried=27, claimed=0, gave_value=5))
WRITTEN = replace(RUN, level="write", requests=Requests(12, 5, 9))
WAIVER = WaiverResult("RANGE-*", "HUB-123", "hub team", "2026-11-08", "used", (FAIL.id,))
STALE = WaiverResult("TYPE-*", "HUB-7", "hub team", "2026-11-08", "passing")
LEFT = Fault("not_restored", "oven-1 PowerState was On, is Off", "oven-1", POWER)
OFF = replace(CLAIMED, exempt="X4", message="PowerState is Standby")
COLOR = replace(a_case("TYPE-DOUBLE", "inconclusive"), claimed=True, exempt="X1")
DEAD = replace(a_case("ADDR-BASE", "inconclusive", key="*"), message="nothing listens")
LEFT_OUT = [
    *(
        Omitted("SET-WRITABLE", key, ha_id, "the run only reads", "--level write")
        for key in (LOCK, ALARM)
        for ha_id in ("a", "b")
    ),
    Omitted("UNIT-SECONDS", ALARM, "a", "its place in the body is not declared", "answer.unit"),
]


def failed(clause: str, key: str, ha_id: str = FRIDGE.ha_id) -> CaseResult:
    """A failed case that its own value decides."""
    case = replace(a_case(clause, "fail", key), id=f"{clause}::{key}@{ha_id}", ha_id=ha_id)
    return replace(case, sights=(DecidingExchange(7, ha_id, key, "value"),))


class Telling(NamedTuple):
    """A run: what each report says and does not say of it, and message and color of its badge.

    Where a run ends well but for something, its stamp is `amber`.
    """

    results: Results
    said: tuple[str, ...]
    unsaid: tuple[str, ...] = ()
    badge: tuple[str, str] = ("", "")
    amber: bool = False


PARTLY = "Nothing contradicts the document; only a part was judged"
WAIVED = "onforms but for 1 waived failure (HUB-123, hub team, until 2026-11-08)"
HELD = "conditional: 2 claimed cases are inconclusive because the ambient light has its custom color"
TELLINGS = {
    "conforms": Telling(
        results_of(PASS), ("Conforms",), ("conditional: ", "need --level"), ("conforms (read)", "brightgreen")
    ),
    "fails": Telling(results_of(PASS, FAIL), ("Does not conform",), badge=("1 finding", "red")),
    "fails, claims nothing": Telling(results_of(FAIL, run=UNCLAIMED), ("Does not conform",)),
    "is not decided": Telling(
        results_of(UNSURE), ("Nothing could be judged",), ("no case contradicts",), ("inconclusive", "yellow")
    ),
    "claims nothing": Telling(
        results_of(PASS, run=UNCLAIMED),
        (
            "Nothing contradicts the document; nothing was claimed",
            "5 of 27 keys gave a value.",
            "appliance.supports",
        ),
        ("Conforms",),
        ("nothing claimed, nothing contradicted", "blue"),
    ),
    "is a part": Telling(
        replace(results_of(PASS), unselected=7_791),
        (PARTLY, "1 of 7,792 cases were selected."),
        ("Conforms",),
        ("partly judged, nothing contradicted", "blue"),
    ),
    "gets no certificate": Telling(
        replace(results_of(PASS), certify=True, refused=("a claimed case is open",)),
        ("(nothing was written); no certificate",),
        amber=True,
    ),
    "is waived": Telling(
        replace(results_of(PASS, replace(FAIL, waived=True), run=WRITTEN), waivers=(WAIVER,)),
        (WAIVED,),
        badge=("conforms (write), 1 waived", "yellow"),
        amber=True,
    ),
    "has a stale waiver": Telling(
        replace(results_of(PASS, run=WRITTEN), waivers=(STALE,)),
        ("; a waiver is stale (this ends with 4): delete it, its case passes",),
        badge=("conforms (write), stale waiver", "yellow"),
        amber=True,
    ),
    "met errors": Telling(
        results_of(PASS, run=replace(RUN, requests=Requests(580, 10, 0, errors=59))),
        ("59 of 590 answers were errors (5xx, or no answer).",),
    ),
    "leaves cases out": Telling(
        build_results(RUN, (PASS,), load_catalog(), omitted=LEFT_OUT), ("--level write", "answer.unit", "4 ")
    ),
    "is held by states": Telling(results_of(PASS, OFF, COLOR), (HELD,)),
    "put something not back": Telling(
        results_of(PASS, FAIL, faults=[LEFT]),
        ("NOT RESTORED: oven-1 PowerState was On, is Off", "1 key of the target was not put back."),
        ("ault of the suite", "the suite is at fault"),
    ),
    "is at fault": Telling(
        results_of(PASS, faults=["a worker died", LEFT]), ("ault of the suite:", "a worker died")
    ),
    "finds one fault in many cases": Telling(
        results_of(
            *(failed("TYPE-BOOLEAN", LOCK, f"fridge-{number}") for number in (1, 2)),
            failed("READ-REPEAT", ALARM),
        ),
        ("The target contradicts the document: 2 findings in 3 cases, on 2 clauses.",),
        badge=("2 findings", "red"),
    ),
    "met nobody": Telling(
        results_of(DEAD, UNSURE, run=replace(RUN, requests=Requests(3, 0, 0, errors=3))), ("nothing listens",)
    ),
}


@pytest.mark.parametrize("name", TELLINGS)
def test_every_report_tells_it(name: str, tmp_path: Path) -> None:
    """Page, summary and terminal say it; the stamp of the page and the badge have its color."""
    results, said, unsaid, badge, amber = TELLINGS[name]
    told = Told(tmp_path, results)
    for text in told.texts:
        assert [word for word in said if word not in text] == []
        assert [word for word in unsaid if word in text] == []
    shown = json.loads(render_badge(results))
    assert badge in {("", ""), (shown["message"], shown["color"])}
    assert {name: shown[name] for name in ("schemaVersion", "label")} == {
        "schemaVersion": 1,
        "label": "conformance",
    }
    assert ("span", {"class": "stamp inconclusive"}) in told.page.tags or not amber


def test_reports_tell_the_same_story(tmp_path: Path) -> None:
    """Terminal, summary and first screen have the same sentences in the same order."""
    run = replace(RUN, notices=("one gave -32768",), requests=Requests(580, 10, 0, errors=59))
    held = replace(UNSURE, claimed=True, exempt="X4")
    results = replace(results_of(PASS, FOUND, held, run=run), certify=True, refused=("it has failed",))
    page, summary, terminal = Told(tmp_path, results).texts
    story = (headline(results), lead(results), condition(results.cases), "one gave -32768", "it has failed")
    first_screen = page[page.index("Conformance report") : page.index("What was judged")]
    for text in (terminal, summary, first_screen):
        places = [text.index(sentence) for sentence in story]
        assert places == sorted(places)


def test_each_report_names_what_it_has_room_for(tmp_path: Path) -> None:
    """The page lists the cases that a state keeps open; below the reasons the terminal says what ends each
    state, and what was not judged in a line; a summary of one reason does not list it again.
    """
    page, _, _ = Told(tmp_path, TELLINGS["is held by states"].results).texts
    rows = " ".join(page[page.index("Claimed, and inconclusive") :].split())
    assert all(said in rows for said in (f"X4 {STATES['X4'].words}", OFF.key, "PowerState is Standby"))
    running = replace(OFF, exempt="X10", claimed=False, message="not written while OperationState is Run")
    lines = Told(tmp_path, results_of(PASS, running)).terminal
    assert "    a program is active: end it, or set write.while_busy = true" in lines
    assert not [line for line in lines if "X10" in line]
    left_out = "of 6 cases 1 were judged, 5 not; 4 need --level write, 1 need answer.unit"
    assert left_out in Told(tmp_path, TELLINGS["leaves cases out"].results).texts[2]
    assert "not decided, and why" not in Told(tmp_path, TELLINGS["met nobody"].results).markdown
    assert "not judged:" not in Told(tmp_path, results_of(PASS)).texts[2]


def test_interrupted_run_says_one_line(tmp_path: Path) -> None:
    """An interrupted run without a finding says one line; one with a finding says that, too."""
    cut = replace(results_of(PASS), interrupted=True, verdict="inconclusive")
    (line,) = Told(tmp_path, cut).terminal
    assert line.startswith(
        "Interrupted after 17 reads and 0 writes; 1 case judged, nothing found so far; rep"
    )
    found = replace(results_of(PASS, FAIL), interrupted=True)
    assert "1 finding in 1 case" in Told(tmp_path, found).terminal


def test_finding_names_its_trace_ids() -> None:
    """The summary and junit.xml name the ids of a finding, a few of many."""
    traces = tuple(f"{number:032x}" for number in range(1, 6))
    results = results_of(replace(FOUND, traces=traces))
    for text in (render_markdown(results), "".join(render_junit(results, {}))):
        assert (traces[0] in text, "and 2 more" in text, traces[-1] in text) == (True, True, False)
