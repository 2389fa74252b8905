"""What every report says of a run: page, summary and terminal have one story, the badge a word."""

import json
from pathlib import Path
from typing import NamedTuple

import pytest
from msgspec.structs import replace

from conformance.records.results import Results, WaiverResult
from conformance.records.run_facts import Keys, Requests
from conformance.selftest.support.samples.pages import Told
from conformance.selftest.support.samples.results import (
    FAIL,
    PASS,
    RUN,
    UNSURE,
    a_case,
    results_of,
)
from reports.formats.summary import render_badge

LOCK, POWER = "Vendor.Common.Setting.ChildLock", "Vendor.Common.Setting.PowerState"
UNCLAIMED = replace(RUN, keys=Keys(tried=27, claimed=0, gave_value=5))
WRITTEN = replace(RUN, level="write", requests=Requests(12, 5, 9))
WAIVER = WaiverResult("RANGE-*", "HUB-123", "hub team", "2026-11-08", "used", (FAIL.id,))
STALE = WaiverResult("TYPE-*", "HUB-7", "hub team", "2026-11-08", "passing")
DEAD = replace(a_case("ADDR-BASE", "inconclusive", key="*"), message="nothing listens")


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


def test_interrupted_run_says_one_line(tmp_path: Path) -> None:
    """An interrupted run without a finding says one line; one with a finding says that, too."""
    cut = replace(results_of(PASS), interrupted=True, verdict="inconclusive")
    (line,) = Told(tmp_path, cut).terminal
    assert line.startswith(
        "Interrupted after 17 reads and 0 writes; 1 case judged, nothing found so far; rep"
    )
    found = replace(results_of(PASS, FAIL), interrupted=True)
    assert "1 finding in 1 case" in Told(tmp_path, found).terminal
