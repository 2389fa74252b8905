"""results.sarif: the findings for code scanning (SARIF 2.1.0): a rule a clause, a result a finding.

A server has no source here, so a finding stands at the line of the profile that declares its appliance, or at
the field that it may come from. What identifies it is the case that stands for it, not that line, so that an
edited profile makes no finding new. Only findings are results: what was not decided is no place to look at.
"""

import hashlib
import json
from typing import Any, Final
from urllib.parse import quote

from catalog.loader import CATALOG
from catalog.model import Clause
from conformance.profiles.places import Place
from conformance.records.results import CaseResult, Finding, Results, WaiverResult
from reports.texts import instant, one_line, visible

SCHEMA: Final = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
BESIDE: Final = "profile.toml"
"""The file of a finding where the profile stood in none; a run with --base-url writes it."""
_LONGEST: Final = 2000


def render_sarif(results: Results) -> str:
    """The text of a SARIF log with one run."""
    clauses = [clause for clause in CATALOG.clauses.values() if clause.can_fail and not clause.excluded]
    numbers = {clause.id: number for number, clause in enumerate(clauses)}
    cases = results.by_id
    waivers = results.waiver_of
    run: dict[str, Any] = {
        "tool": {
            "driver": {
                "name": "appliance-conformance",
                "version": results.run.suite_version,
                "rules": [_rule(clause) for clause in clauses],
            }
        },
        "invocations": [_invocation(results)],
        "columnKind": "unicodeCodePoints",
        "results": [
            {**_result(finding, cases[finding.case], results, waivers), **_index(finding, numbers)}
            for finding in results.findings
        ],
    }
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=1) + "\n"


def _rule(clause: Clause) -> dict[str, Any]:
    """A clause: its statement, the sentence with its line of the document, and the remedy."""
    return {
        "id": clause.id,
        "shortDescription": {"text": clause.title},
        "fullDescription": {"text": f"{clause.title} Line {clause.line} of the document: {clause.quote}"},
        "help": {"text": clause.remedy},
        "defaultConfiguration": {"level": "error"},
        "properties": {"line": clause.line, "sentence": clause.quote, "tags": [clause.level]},
    }


def _invocation(results: Results) -> dict[str, Any]:
    run = results.run
    faults = [str(fault) for fault in results.faults]
    faults += [f"{case.id}: {case.message}" for case in results.of("error")]
    times = {"startTimeUtc": instant(run.started), "endTimeUtc": instant(run.finished)}
    return {
        "executionSuccessful": not (faults or results.interrupted),
        **{name: f"{time:%Y-%m-%dT%H:%M:%S}Z" for name, time in times.items()},
        "toolExecutionNotifications": [
            {"level": "error", "message": {"text": one_line(fault, _LONGEST)}} for fault in faults
        ],
    }


def _index(finding: Finding, numbers: dict[str, int]) -> dict[str, int]:
    """The number of the rule, which a clause that is no longer in the catalog does not have."""
    number = numbers.get(finding.clauses[0])
    return {} if number is None else {"ruleIndex": number}


def _result(
    finding: Finding, case: CaseResult, results: Results, waivers: dict[str, WaiverResult]
) -> dict[str, Any]:
    digest = hashlib.sha256(finding.case.encode("utf-8", "surrogatepass")).hexdigest()
    return {
        "ruleId": finding.clauses[0],
        "level": "error",
        "message": {"text": f"{visible(case.ha_id)}: {one_line(finding.message, _LONGEST)}"},
        "locations": [_location(_place(finding, case, results))],
        # code scanning compares the first one alone; by itself it would take the text of the line
        "partialFingerprints": {"primaryLocationLineHash": f"{digest[:16]}:1", "findingCase/v1": digest},
        # with one of them, each result has to say whether it is suppressed
        "suppressions": [_suppression(waivers.get(finding.case))] if finding.waived else [],
        "properties": {
            "case": visible(finding.case),
            "cases": len(finding.cases),
            "clauses": list(finding.clauses),
            "haId": visible(case.ha_id),
            "key": visible(case.key),
            "document": one_line(case.document, _LONGEST),
            "curl": visible(case.curl),
            "conformingAnswer": visible(case.good),
            "traces": list(case.traces),
        },
    }


def _place(finding: Finding, case: CaseResult, results: Results) -> Place:
    """The field that a finding may come from, else where its appliance is declared, else the first line."""
    where = results.run.profile
    for suspect in results.suspects or ():
        if finding.case in suspect.explains and suspect.field in where.fields:
            return Place(where.file, where.fields[suspect.field])
    return where.appliances.get(case.ha_id, Place(where.file or BESIDE))


def _location(place: Place) -> dict[str, Any]:
    path = quote(place.file, errors="replace")
    # what does not lie below the working directory is no file of a repository
    file = {"uri": f"file://{path}"} if path.startswith("/") else {"uri": path, "uriBaseId": "%SRCROOT%"}
    return {"physicalLocation": {"artifactLocation": file, "region": {"startLine": place.line}}}


def _suppression(waiver: WaiverResult | None) -> dict[str, str]:
    """A waiver of the profile, which somebody answers for until a day."""
    accepted = {"kind": "external", "status": "accepted"}
    if waiver is None:
        return accepted
    said = f"{waiver.reason} ({waiver.owner}, until {waiver.expires})"
    return {**accepted, "justification": one_line(said, _LONGEST)}
