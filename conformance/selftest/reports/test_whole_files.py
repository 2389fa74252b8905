"""The files of two runs, whole: each is what stands in golden/reports, word for word.

One run finds something of every kind, the other one is certified with conditions. `RENEW=1 pytest` with this
module writes the files anew; what changed in them is what readers see changed.
"""

import json
import os
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from shutil import rmtree
from typing import Any, Final

import pytest
from msgspec.structs import replace

from catalog.loader import CATALOG
from conformance.files.text_files import write_text
from conformance.profiles.places import Place, Places
from conformance.records.faults import Fault
from conformance.records.journal_lines import JOURNAL_FILE
from conformance.records.known_faults import FoundFaults, RunPower
from conformance.records.ledger_lines import LEDGER_FILE
from conformance.records.results import (
    CaseResult,
    DecidingExchange,
    Omitted,
    Results,
    RunEnding,
    Suspect,
    WaiverResult,
)
from conformance.records.run_facts import JudgedAppliance, Requests, Sample
from conformance.selftest.support.owed_journals import (
    END,
    LOCK,
    OFF,
    ON,
    POWER,
    journal_text,
    outcome,
    restored,
    write,
)
from conformance.selftest.support.pages import CURL, Page, cases_page_of, terminal_lines
from conformance.selftest.support.results import ALARM, FRIDGE, RUN, a_case, history_of_story, turned
from conformance.selftest.support.shown_runs import exchange
from reports.changes.files import report_changes
from reports.changes.model import Baseline
from reports.formats.har import export_har
from reports.formats.junit import render_junit
from reports.history.history_page import render_history
from reports.kills import Kills
from reports.page.certificate_page import render_on_paper
from reports.renderings import RENDERINGS, write_renderings
from reports.results.build import build_results
from reports.results.file import RESULTS_FILE, load_results, write_results
from reports.shown_run import ShownRun

GOLDEN: Final = Path(__file__).parents[1] / "golden" / "reports"
KILLS: Final = Kills(
    "ef" * 32, {"TYPE-INTEGER": 7, "TYPE-BOOLEAN": 2, "READ-SETTING": 5, "RANGE-ALARMCLOCK": 3}
)
OVEN = JudgedAppliance("oven-1", "Oven")
CLAUSES = (
    *("ADDR-BASE", "READ-SETTING", "TYPE-BOOLEAN", "TYPE-INTEGER", "RANGE-ALARMCLOCK", "TYPE-NOTNULL"),
    *("SET-WRITABLE", "UNIT-SECONDS", "CAT-FIELD-DESC", "READ-VALUE", "OPS-TRANSITIONS"),
    "ENUM-CAMERA",
)
PART = replace(
    CATALOG,
    clauses={name: CATALOG.clauses[name] for name in CATALOG.clauses if name in CLAUSES},
    gaps=tuple(gap for gap in CATALOG.gaps if gap.id in {"NS-01", "NS-02", "NS-03", "NS-22", "GAP-05"}),
)
"""The document with a few of its clauses, and a gap of each answer, so that the files are short."""
WRITING = replace(
    RUN,
    level="power",
    requests=Requests(reads=580, controls=10, writes=9, errors=59, again=2),
    sample=Sample(1, "a", {"Oven": 4, "Refrigerator": 1}),
    notices=("oven-1 gave -32768 for a temperature",),
    profile=Places("hubs/hub 1.toml", {"fridge-1": Place("hubs/fleet.csv", 14)}, {"answer.max": 7}),
)
GIVEN = (LEDGER_FILE, JOURNAL_FILE)
OF_CERTIFIED = ("terminal.txt", "summary.md", "report.html", "badge.json", "certificate.json")
"""What is looked at of the certified run; its other files show nothing that those of the other one do not."""
LEFT_OUT = (
    *(
        Omitted("SET-WRITABLE", key, one, "the run only reads", "--level write")
        for key in (LOCK, ALARM)
        for one in "ab"
    ),
    Omitted("UNIT-SECONDS", ALARM, "a", "its place in the body is not declared", "answer.unit"),
)


def sighted(case: CaseResult, number: int) -> CaseResult:
    """The case, decided by the answer of that number."""
    seen = DecidingExchange(number, case.ha_id, case.key, "value", 200, "number")
    return replace(case, sights=(seen,), evidence=(number,))


TOO_HIGH = replace(
    sighted(a_case("RANGE-ALARMCLOCK", "fail", message="value is 38341, document says 0 to 38340"), 1),
    curl=f"# 1 read\n{CURL}\n# 2 read again\n{CURL}",
    hint="the maximum is off by one",
    good='{"data": {"value": 38340}}',
    traces=tuple(f"{number:032x}" for number in range(1, 6)),
)
TEXTS = [
    sighted(a_case("TYPE-BOOLEAN", "fail", LOCK, one, message='value is "false" (string)', curl=CURL), 2)
    for one in (FRIDGE, OVEN)
]
EXCUSED = a_case("TYPE-INTEGER", "fail", message="value is 5.5", waived=True)
HELD = replace(
    a_case("TYPE-NOTNULL", "inconclusive", message="AlarmClock of fridge-1 is off"), exempt="X4", claimed=True
)
UNREAD = a_case("TYPE-NOTNULL", "inconclusive", appliance=OVEN, message="AlarmClock of oven-1 was not read")
ABSENT = a_case("READ-SETTING", "not_applicable", LOCK, OVEN, message="the appliance does not have it")
CASES = (
    TOO_HIGH,
    *TEXTS,
    EXCUSED,
    a_case("TYPE-INTEGER", "pass", appliance=OVEN),
    HELD,
    UNREAD,
    a_case("READ-VALUE", "error", message="ValueError: <two>"),
    a_case("CAT-FIELD-DESC", "observed", message="3 of 3 answers carry a description"),
    ABSENT,
    a_case("ADDR-BASE", "pass", "*"),
)
"""Every verdict; one finding in two cases, one that is waived, one whose script has several lines."""


def of_key(n: int, key: str, word: str, *ends: dict[str, Any], **write_of: Any) -> Iterator[dict[str, Any]]:
    """A write of a key from 1 to 2, what became of it, and each time that somebody put it back."""
    yield write(n, key, **{"value": 2, "before": 1, **write_of})
    yield outcome(n + 1, n, word)
    for number, end in enumerate(ends, start=n + 2):
        told: dict[str, Any] = {"before": 1, "after": 2, "now": 1, **end}
        yield restored(number, key, **told)


LOST: dict[str, Any] = {"done": False, "now": None}
JOURNAL = (
    *of_key(
        10, POWER, "acknowledged", {"done": False, "before": ON, "now": OFF, "tries": 3}, value=OFF, before=ON
    ),
    *of_key(20, "AsItWas", "refused", {"tries": 0}),
    *of_key(30, "AtTheSecondTry", "acknowledged", {"tries": 2, "note": "slow"}),
    *of_key(40, "AfterAFailure", "acknowledged", {"done": False}, {}),
    *of_key(50, "AnotherValue", "acknowledged", {"now": 3}),
    *of_key(55, "Again", "acknowledged", {}),
    write(58, "Again", 2, 1),
    *of_key(
        60,
        "Nothing",
        "acknowledged",
        {"done": False, "before": None, "after": "not known", "now": None},
        value=None,
    ),
    *of_key(70, "IsThree", "acknowledged", {"done": False, "now": 3}),
    *(
        line
        for number in range(4)
        for line in of_key(100 + 9 * number, f"Lost{number}", "acknowledged", LOST)
    ),
    *(
        line
        for number in range(2)
        for line in of_key(140 + 9 * number, f"Shut{number}", "access refused", LOST)
    ),
    write(160, "Open", 2, 1),
    {**restored(161, "ByItself", done=False, before=1, now=2), "changed": True},
    {**write(162, LOCK, value=False, before=True), "prepared": True, "at": "2026-01-01T00:00:01.000+00:00"},
    *of_key(163, "Within", "acknowledged", {}),
    {**write(167, LOCK, value=True, before=False), "intent": "restore"},
    {**restored(168, LOCK, before=True, now=True), "prepared": True, "at": "2026-01-01T00:00:03.500+00:00"},
    {**write(170, LOCK, value=True, before=True, group="locked")},
    restored(171, LOCK, before=True, now=True),
    {**write(180, "Held", value=5, before=4), "prepared": True, "at": "2026-01-01T00:00:01.000+00:00"},
    *of_key(181, "Held", "acknowledged", {"before": 5, "now": 5}, before=5),
    END,
)
"""Keys that were put back, or were not, each in another way."""
BYTES: dict[str, Any] = {"status": 200, "headers": [], "elapsed_ms": 4.2}
LEDGER = (
    exchange(1, '{"data":{"value":38341.50,"value":1e999}}', "https://staging.example/hub/x?a=1&b="),
    exchange(2, '{"data": {"value": "false"}}'),
    {**exchange(3, "x"), "response": None, "failure": {"kind": "timeout", "text": "after 30 s"}},
    {"n": 4, "note": "refused"},
    {**exchange(5, "x"), "response": {**BYTES, "body": "/w==", "body_encoding": "base64"}},
)


def failing_run() -> Results:
    """A run in which everything went wrong that can."""
    waivers = [
        WaiverResult("TYPE-INTEGER::*@fridge-1", "HUB-123", "hub team", "2026-11-25", "used", (EXCUSED.id,)),
        WaiverResult("RANGE-*@oven-9", "HUB-7", "hub team", "2026-11-08", "unmatched"),
    ]
    faults = [
        Fault("not_restored", "oven-1 PowerState was On, is Off", "oven-1", POWER),
        Fault("own", "a worker died"),
    ]
    ending = RunEnding(WRITING, {1: "38341", 2: '"false"'}, omitted=LEFT_OUT)
    results = build_results(ending, CASES, faults=faults, waivers=waivers, certify=True)
    suspect = Suspect("answer.max", "", 'max = "/data/max"', '"/max"', explains=(TOO_HIGH.id,), decides=2)
    return replace(results, suspects=(suspect,), power=RunPower("power", FoundFaults(9, 10)))


def certified_run() -> Results:
    """A run with a certificate, on conditions."""
    waiver = WaiverResult("RANGE-*", "HUB-123", "hub team", "2026-12-24", "used", (TOO_HIGH.id,))
    cases = (
        replace(TOO_HIGH, waived=True),
        a_case("READ-SETTING", "pass", claimed=True),
        *(a_case("TYPE-BOOLEAN", "pass", LOCK, one, claimed=True) for one in (FRIDGE, OVEN)),
        replace(HELD, key=LOCK),
        a_case("ADDR-BASE", "pass", "*", claimed=True),
        a_case("TYPE-INTEGER", "pass", ALARM, OVEN),
    )
    fridge = replace(FRIDGE, slowest_effect_s=0.3, quiet_s=1.5, tours=("twice",))
    run = replace(WRITING, appliances=(fridge, OVEN), notices=())
    ending = RunEnding(run, {1: "5"}, omitted=LEFT_OUT)
    results = build_results(ending, cases, waivers=[waiver], certify=True)
    return replace(results, power=RunPower("power", FoundFaults(9, 10)))


def before() -> Baseline:
    """The run that it is compared with: of each sort of change there is one."""
    was = (
        *(turned(case, "pass") for case in (TOO_HIGH, TEXTS[1], EXCUSED, UNREAD, ABSENT)),
        replace(TEXTS[0], message='value is "true" (string)'),
        a_case("TYPE-INTEGER", "fail", appliance=OVEN, message="value is 0.5"),
        a_case("SET-WRITABLE", "fail", message="it stays as it was"),
    )
    old = build_results(RunEnding(replace(WRITING, started="2026-11-20T09:00:00Z")), was)
    return Baseline(old, old, None, "", ("pace.per_day",), (RUN.suite_version, RUN.judging_sha256))


STORY = {
    a_case("RANGE-ALARMCLOCK", "fail", message="value is -1, document says 0 to 38340"): "pffppffi",
    a_case("TYPE-BOOLEAN", "fail", LOCK, message='value is "false" (string)'): "fffppppp",
    a_case("TYPE-NOTNULL", "fail", message="value is null"): "pfpfpfpn",
}
"""Findings of eight nights: what is open, what was fixed, and what comes and goes."""


def files_in(directory: Path) -> Mapping[str, str]:
    """Every file of both runs by its name, what a terminal shows of them, and a page of nights."""
    files: dict[str, str] = {}
    with pytest.MonkeyPatch.context() as patch:
        for module in ("reports.renderings", "reports.results.build"):
            patch.setattr(f"{module}.published_kills", lambda: KILLS)
        for module in [one for name, one in sys.modules.items() if name.startswith("reports.")]:
            patch.setattr(module, "CATALOG", PART, raising=False)
        failing, passing = failing_run(), certified_run()
        for name, results in (("found", failing), ("certified", passing)):
            here = directory / name
            here.mkdir()
            lines = "".join(f"{json.dumps(line)}\n" for line in LEDGER)
            (here / LEDGER_FILE).write_text(lines, encoding="utf-8")
            if results is failing:
                (here / JOURNAL_FILE).write_text(journal_text(*JOURNAL), encoding="utf-8")
                assert report_changes(before(), results, here) == ()
            write_results(results, here / RESULTS_FILE)
            assert load_results(here / RESULTS_FILE) == results
            assert write_renderings(ShownRun(results, here), RENDERINGS) == ()
            made = {path.name: path.read_text(encoding="utf-8") for path in here.iterdir()}
            made["terminal.txt"] = "\n".join(terminal_lines(results, here)).replace(f"{here}/", "")
            if results is failing:
                made["cases.txt"] = text_of(cases_page_of(results))
            shown = [file for file in made if file not in GIVEN] if results is failing else OF_CERTIFIED
            files |= {f"{name}/{file}": made[file] for file in shown}
        files["found/evidence.har"] = "".join(export_har(here / LEDGER_FILE, "0.1.0"))
        files["certified/certificate.html"] = render_on_paper(passing, here)
        files["certified/junit-failure.xml"] = "".join(render_junit(passing, {}, "failure"))
        files["history.html"] = render_history(history_of_story(directory / "nights", STORY))
    return {name: without_code(text) for name, text in files.items()}


def text_of(page: Page) -> str:
    """A table of cases: what stands above it, and each row with what opens below it."""
    rows = zip(page.rows, page.cells, page.below, strict=True)
    shown = [
        line
        for row, cells, below in rows
        for line in (" | ".join([*cells, row["result"]]), f"    {below.text}")
    ]
    above = page.seen.text.partition("Summary")[2].partition("tests took")[0]
    return "\n".join([above, *shown])


def without_code(text: str) -> str:
    """A page without its style sheet and its script, and any text without empty lines."""
    bare = re.sub(r"<(style|script)>.*?</\1>|'sha256-[^']*'", "", text, flags=re.DOTALL)
    return "".join(f"{line.rstrip()}\n" for line in bare.split("\n") if line.strip())


def test_every_file_is_as_it_was(tmp_path: Path) -> None:
    """Word for word; and neither one that is no longer written, nor one that nobody has looked at."""
    written = files_in(tmp_path)
    if os.environ.get("RENEW"):
        rmtree(GOLDEN, ignore_errors=True)
        for name, text in written.items():
            write_text(GOLDEN / name, text)
    paths = {path.relative_to(GOLDEN).as_posix(): path for path in GOLDEN.rglob("*.*")}
    assert paths.keys() == written.keys()
    for name, path in paths.items():
        assert written[name] == path.read_text(encoding="utf-8"), name
