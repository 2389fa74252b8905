"""Known failures: a waived case is executed and shown all the same, and does not fail the run.

A waiver must stay true: one that is expired, matches no case, or whose cases all pass is stale, and the run says so (exit code 4).
"""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from conformance.profiles.model import Waiver
    from reports.records import CaseResult


def apply_waivers(
    cases: Iterable[CaseResult], waivers: Sequence[Waiver], *, started: str, partial: bool = False
) -> tuple[list[CaseResult], list[str]]:
    """The cases with their failures waived, and why which waiver is stale.

    Args:
        cases: The judged cases.
        waivers: Those of the profile; `case` is a glob over case ids.
        started: When the run started (RFC 3339): a waiver is expired when its date lies before that day.
        partial: Whether only some cases were selected; then a waiver that matches none of them is not stale.
    """
    if not waivers:
        return list(cases), []
    today = date.fromisoformat(started[:10])
    valid = [waiver for waiver in waivers if waiver.expires >= today]
    settled = [replace(case, waived=case.verdict == "fail" and _matches(case, valid)) for case in cases]
    stale = [f"{waiver.case}: expired on {waiver.expires} ({waiver.owner})" for waiver in waivers if waiver.expires < today]
    for waiver in valid:
        verdicts = {case.verdict for case in settled if fnmatchcase(case.id, waiver.case)}
        if not verdicts and not partial:
            stale.append(f"{waiver.case}: matches no case ({waiver.owner})")
        elif verdicts and verdicts <= {"pass", "not_applicable", "observed"}:
            stale.append(f"{waiver.case}: nothing fails there any more ({waiver.owner})")
    return settled, stale


def _matches(case: CaseResult, waivers: Iterable[Waiver]) -> bool:
    return any(fnmatchcase(case.id, waiver.case) for waiver in waivers)
