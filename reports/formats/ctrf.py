"""The results in the Common Test Report Format, for tools that read it; one case stands on a line.

Its five states are fewer than the verdicts: what is inconclusive or only observed is `other`, never `passed`;
the verdict stands in `rawStatus`. One read serves many cases, so every duration is 0.
"""

from collections import Counter
from collections.abc import Iterator
from typing import Final

from msgspec import UNSET, Struct, UnsetType

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


class _Labels(Struct, rename="camel"):
    clause: str
    key: str
    kind: str
    ha_id: str
    waived: bool


class _CtrfTest(Struct, rename="camel"):
    name: str
    status: str
    raw_status: str
    duration: int
    suite: tuple[str, ...]
    labels: _Labels
    message: str | UnsetType


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


def _test(case: CaseResult) -> _CtrfTest:
    message = ("waived: " if case.waived else "") + one_line(case.message) if case.message else UNSET
    labels = _Labels(case.clause, case.key, case.kind, case.ha_id, case.waived)
    return _CtrfTest(case.id, _status(case), case.verdict, 0, (case.clause,), labels, message)
