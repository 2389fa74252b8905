"""Known failures: a waived case is judged and shown all the same, and does not fail the run.

A waiver that is expired, matches no case, or whose cases all pass is stale, and the run says so (exit code
4).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date
from fnmatch import fnmatchcase
from typing import Final

from conformance.profiles.model import Waiver
from reports.results.model import CaseResult, Omitted, WaiverResult, WaiverState

_FINE: Final = frozenset({"pass", "not_applicable", "observed"})


def apply_waivers(
    cases: Iterable[CaseResult],
    waivers: Sequence[Waiver],
    *,
    started: str,
    partial: bool = False,
    omitted: Iterable[Omitted] = (),
) -> tuple[list[CaseResult], tuple[WaiverResult, ...]]:
    """The cases with their failures waived, and what became of each waiver.

    Args:
        cases: The judged cases.
        waivers: Those of the profile; `case` is a glob over case ids.
        started: When the run started (RFC 3339): a waiver is expired when its date lies before that day.
        partial: Whether only some of the target's cases, or a sample of its appliances, were judged; then a
            waiver that matches none of them is not stale.
        omitted: What was not judged; a waiver that matches nothing else is open, not stale.
    """
    judged = list(cases)
    if not waivers:
        return judged, ()
    today = date.fromisoformat(started[:10])
    beside = () if partial else tuple(one.id for one in omitted)
    records = tuple(_settle(waiver, judged, beside, today=today, partial=partial) for waiver in waivers)
    waived = {case for record in records for case in record.waives}
    return [replace(case, waived=case.id in waived) for case in judged], records


def _settle(
    waiver: Waiver, cases: Iterable[CaseResult], omitted: Iterable[str], *, today: date, partial: bool
) -> WaiverResult:
    matched = [case for case in cases if fnmatchcase(case.id, waiver.case)]
    failing = tuple(case.id for case in matched if case.verdict == "fail")
    state: WaiverState
    if waiver.expires < today:
        state, failing = "expired", ()
    elif not matched:
        state = "open" if partial or any(fnmatchcase(name, waiver.case) for name in omitted) else "unmatched"
    elif all(case.verdict in _FINE for case in matched):
        state = "passing"
    else:
        state = "used" if failing else "open"
    return WaiverResult(waiver.case, waiver.reason, waiver.owner, waiver.expires.isoformat(), state, failing)
