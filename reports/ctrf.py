"""The results in the Common Test Report Format, for tools that read it.

Its five states are fewer than the verdicts: what is inconclusive or only observed is `other`, never `passed`; the verdict
stands in `rawStatus`. Cases take no time of their own (one read serves many), so every duration is 0.
"""

from __future__ import annotations

import json
from collections import Counter
from datetime import datetime
from typing import TYPE_CHECKING, Final

from reports.wording import one_line

if TYPE_CHECKING:
    from reports.records import CaseResult, Results
    from reports.verdicts import Verdict

_STATUS: Final[dict[Verdict, str]] = {
    "pass": "passed",
    "fail": "failed",
    "inconclusive": "other",
    "not_applicable": "skipped",
    "observed": "other",
    "error": "failed",
}


def render_ctrf(results: Results) -> str:
    """The text of a CTRF document."""
    run = results.run
    counts = Counter(_STATUS[case.verdict] for case in results.cases)
    summary: dict[str, object] = {"tests": len(results.cases)}
    summary |= {status: counts[status] for status in ("passed", "failed", "pending", "skipped", "other")}
    summary |= {"start": _milliseconds(run.started), "stop": _milliseconds(run.finished), "extra": {"verdict": results.verdict}}
    document = {
        "reportFormat": "CTRF",
        "specVersion": "0.1.0",
        "results": {
            "tool": {"name": "appliance-conformance", "version": run.suite_version},
            "summary": summary,
            "tests": [_test(case) for case in results.cases],
        },
    }
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def _test(case: CaseResult) -> dict[str, object]:
    labels = {"clause": case.clause, "key": case.key, "kind": case.kind, "haId": case.ha_id}
    test: dict[str, object] = {
        "name": case.id,
        "status": _STATUS[case.verdict],
        "rawStatus": case.verdict,
        "duration": 0,
        "suite": [case.clause],
        "labels": labels,
    }
    if case.message:
        test["message"] = one_line(case.message)
    return test


def _milliseconds(moment: str) -> int:
    """Milliseconds since 1970 of an RFC 3339 time."""
    return round(datetime.fromisoformat(moment).timestamp() * 1000)
