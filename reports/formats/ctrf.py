"""The results in the Common Test Report Format, for tools that read it; one case stands on a line.

Its five states are fewer than the verdicts: what is inconclusive or only observed is `other`, never `passed`;
the verdict stands in `rawStatus`. One read serves many cases, so every duration is 0.
"""

from collections import Counter
from collections.abc import Iterator
from typing import Final

from conformance.checks.verdict import Verdict
from conformance.files.text_files import pieces_by_row
from conformance.records.results import CaseResult, Results
from reports.texts import milliseconds, one_line

_STATUS: Final[dict[Verdict, str]] = {
    "pass": "passed",
    "fail": "failed",
    "inconclusive": "other",
    "not_applicable": "skipped",
    "observed": "other",
    "error": "failed",
}


def render_ctrf(results: Results) -> Iterator[str]:
    """The text of a CTRF document, in pieces."""
    run = results.run
    counts = Counter(_status(case) for case in results.cases)
    summary: dict[str, object] = {"tests": len(results.cases)}
    summary |= {status: counts[status] for status in ("passed", "failed", "pending", "skipped", "other")}
    summary |= {"start": milliseconds(run.started), "stop": milliseconds(run.finished)}
    summary["extra"] = {
        "verdict": results.verdict,
        "level": run.level,
        "interrupted": results.interrupted,
        "faults": [str(fault) for fault in results.faults],
        "staleWaivers": list(results.stale_waivers),
    }
    target = run.target
    members: dict[str, object] = {
        "tool": {"name": "appliance-conformance", "version": run.suite_version},
        "summary": summary,
        "environment": {
            "appName": target.name,
            "appVersion": target.product,
            "extra": {"baseUrl": target.base_url, "vendor": target.vendor},
        },
        "tests": (_test(case) for case in results.cases),
    }
    yield '{"reportFormat": "CTRF", "specVersion": "0.1.0", "results":\n'
    yield from pieces_by_row(members)
    yield "}\n"


def _status(case: CaseResult) -> str:
    """The state of a case; a failure that is expected does not fail the run, and is none here."""
    return "skipped" if case.waived and case.verdict == "fail" else _STATUS[case.verdict]


def _test(case: CaseResult) -> dict[str, object]:
    said = ("waived: " if case.waived else "") + one_line(case.message)
    labels = {"clause": case.clause, "key": case.key, "kind": case.kind, "haId": case.ha_id}
    return {
        "name": case.id,
        "status": _status(case),
        "rawStatus": case.verdict,
        "duration": 0,
        "suite": [case.clause],
        "labels": labels | {"waived": case.waived},
        **({"message": said} if case.message else {}),
    }
