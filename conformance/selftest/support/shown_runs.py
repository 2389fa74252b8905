"""Runs made by hand and written as files with the report beside them, so that a browser can look at them."""

import json
from pathlib import Path
from typing import Any, Final

from msgspec.structs import replace

from conformance.records.faults import Fault
from conformance.records.results import CaseResult, Results, WaiverResult
from conformance.records.run_facts import JudgedAppliance, JudgedTarget, RunFacts
from conformance.selftest.support.owed_journals import journal_text, outcome, restored, write
from conformance.selftest.support.pages import write_page
from conformance.selftest.support.results import (
    ABSENT,
    ALARM,
    ERROR,
    FRIDGE,
    PASS,
    RUN,
    SEEN,
    UNSURE,
    a_case,
    results_of,
)
from reports.certificate import CERTIFICATE_FILE
from reports.changes.files import write_changes
from reports.changes.model import CaseChange, Comparison, KeyChange, Side
from reports.renderings import RENDERINGS, write_renderings
from reports.results.file import load_results, write_results
from reports.shown_run import ShownRun

_SHOWN: Final = (CERTIFICATE_FILE, "report.html")
_HIT = "window.__hit=1"
PAYLOADS: Final = {
    "an element": f'"></script></style></title></pre><svg onload={_HIT}><img src=x onerror="{_HIT}">',
    "an attribute": f"\" autofocus onfocus=\"{_HIT}\" x='' onclick='{_HIT}",
    "a direction": "a\u202e<u>\u2066c",
    "an address": f"javascript:{_HIT}//{{{{ 7 * 7 }}}}{{% include 'report.js' %}}${{{_HIT}}}",
    "a frame": "<!-- --><![CDATA[<iframe srcdoc='<script>parent.__hit=1</script>'>",
}
"""Texts that a server may send so that a report does what it wants; short enough to be shown whole."""


def kept_run(
    directory: Path,
    results: Results,
    *journal: dict[str, Any],
    ledger: tuple[dict[str, Any], ...] = (),
    changes: Comparison | None = None,
) -> ShownRun:
    """A run with these results, whose files lie in a directory."""
    directory.mkdir(exist_ok=True)
    if journal:
        (directory / "journal.ndjson").write_text(journal_text(*journal), encoding="utf-8")
    lines = "".join(json.dumps(line) + "\n" for line in ledger)
    (directory / "evidence.ndjson").write_text(lines, encoding="utf-8")
    if changes is not None:
        write_changes(changes, directory)
    write_results(results, directory / "results.json")
    return ShownRun(results, directory)


def show(directory: Path, results: Results, *journal: dict[str, Any], **more: Any) -> Path:
    """The report.html of these results, with the files of the run beside it, as `kept_run` takes them."""
    return page_of_run(kept_run(directory, results, *journal, **more))


def show_cases(report: Path) -> Path:
    """The cases.html of the results beside a report."""
    return write_page(load_results(report.with_name("results.json")), report.with_name("cases.html"))


def page_of_run(run: ShownRun) -> Path:
    """The report.html of a run, with its certificate if it has one."""
    chosen = {name: RENDERINGS[name] for name in _SHOWN}
    assert write_renderings(run, chosen) == ()
    return run.directory / _SHOWN[-1]


def exchange(number: int, body: str, url: str = "https://staging.example/hub/x") -> dict[str, Any]:
    """A line of the ledger."""
    about: dict[str, Any] = {"purpose": "read", "groups": [], "lane": "", "ha_id": "x", "key": "x"}
    about |= {"segment": "settings", "at": RUN.started}
    request: dict[str, Any] = {"method": "PUT", "url": url, "headers": [], "body": body}
    response = {"status": 200, "headers": [["Content-Type", body]], "body": body, "elapsed_ms": 4.2}
    return {"n": number, **about, "request": request, "response": response}


def changes_of(text: str, failed: CaseResult, run: RunFacts) -> Comparison:
    """What changed since a run of yesterday, with each text in it `text`."""
    target = (run.target.name, run.target.base_url)
    new = Side(*target, "read", run.started, "fail", 7)
    old = replace(new, started="2026-11-20T09:00:00Z", verdict="pass")
    about = (failed.id, failed.clause, failed.key, failed.ha_id)
    change = CaseChange(*about, "new_failure", "server", "pass", "fail", text, text)
    key = KeyChange(failed.ha_id, failed.key, "vanished", "server", text)
    came = (JudgedAppliance(text, text),)
    return Comparison(old, new, (text,), (text,), (change,), (key,), came, common=5)


def hostile_failure(directory: Path, text: str) -> Path:
    """The report.html of a hostile run."""
    return page_of_run(hostile_run(directory, text))


def hostile_run(directory: Path, text: str) -> ShownRun:
    """A run that failed, in which every text that a server or a profile gives is `text`."""
    appliance, key = JudgedAppliance(f"fridge{text}", f"kind{text}"), f"{ALARM}{text}"
    message = f"{text} is no number"
    failed = a_case("TYPE-INTEGER", "fail", key, appliance, message=message, curl=text, document=text)
    waived = a_case("RANGE-ALARMCLOCK", "fail", key, appliance, message=text, waived=True)
    others = [replace(case, message=text) for case in (UNSURE, SEEN, ABSENT, ERROR)]
    faults = [text, Fault("not_restored", text)]
    results = results_of(failed, waived, *others, faults=faults, run=_run(text, appliance))
    waivers = (WaiverResult(f"{text}*", text, text, "2027-01-31", "used", (waived.id,)),)
    results = replace(results, waivers=waivers, certify=True, refused=(text,))
    states: dict[str, Any] = {"before": text, "after": [text], "now": {text: text}, "note": text}
    journal = (
        write(1, key, text, text, ha_id=text, group=text),
        outcome(2, 1, text),
        restored(3, key, done=False, ha_id=text, **states),
    )
    ledger = (exchange(1, json.dumps({"value": text}), f"https://{text}"),)
    return kept_run(
        directory, results, *journal, ledger=ledger, changes=changes_of(text, failed, results.run)
    )


def hostile_certificate(directory: Path, text: str) -> Path:
    """A run with a certificate, in which every text that a server or a profile gives is `text`."""
    appliance, key = JudgedAppliance(f"fridge{text}", f"kind{text}"), f"{ALARM}{text}"
    waived = a_case("RANGE-ALARMCLOCK", "fail", ALARM, appliance, message=text, waived=True)
    held = a_case("TYPE-NOTNULL", "inconclusive", key, appliance, message=text, claimed=True)
    served = a_case("READ-SETTING", "pass", key, appliance, claimed=True)
    run = _run(text, appliance)
    results = results_of(PASS, waived, replace(held, exempt="X4"), served, run=run)
    waivers = (WaiverResult(f"{text}*", text, text, "2027-01-31", "used", (waived.id,)),)
    return show(directory, replace(results, waivers=waivers, certify=True), ledger=(exchange(1, text),))


def _run(text: str, appliance: JudgedAppliance) -> RunFacts:
    """The facts of the run, named by `text`."""
    return replace(
        RUN,
        target=JudgedTarget(text, f"https://{text}", text, f"{text} 2", text),
        appliances=(appliance, FRIDGE),
        argv=(text,),
        answers={"answer.value": text},
        interpretations={"I-1": True, text: text},
    )
