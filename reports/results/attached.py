"""What a pytest item attaches for the report, and how it travels on the item's reports.

A test attaches what was judged: a case, or why there is none. It travels on the report.

The verdict is the one that was attached, never guessed from a text. Where the outcome of the test contradicts
it, the worse counts: a test that fails without the verdict `fail` has crashed.
"""

import traceback
from typing import Final, TypeAlias, cast

import pytest
from msgspec.structs import replace

from conformance.checks.verdict import Verdict
from conformance.records.results import CaseResult, Omitted

Attached: TypeAlias = CaseResult | Omitted
ATTACHED: Final = pytest.StashKey[Attached]()
"""Where an item has what was judged."""
_CARRIED: Final = "appliance_conformance"


def decided(said: CaseResult, report: pytest.TestReport, error: BaseException | None) -> CaseResult:
    """The case that the report of a call decides.

    Args:
        said: What the item has attached.
        report: The report.
        error: The exception that ended the call.
    """
    verdict = _against_outcome(said.verdict, report)
    if verdict == said.verdict:
        return said
    return replace(said, verdict=verdict, message=_last_line(error) if verdict == "error" else said.message)


def attach(report: pytest.TestReport, attached: Attached) -> None:
    """Puts what was judged on the report."""
    report.__dict__[_CARRIED] = attached


def attached_to(report: pytest.TestReport | pytest.CollectReport) -> Attached | None:
    """What a report carries, or None."""
    return cast("Attached | None", report.__dict__.get(_CARRIED))


def _against_outcome(said: Verdict, report: pytest.TestReport) -> Verdict:
    """The verdict that a test attached, made worse where its outcome contradicts it."""
    if report.failed:
        return "fail" if said == "fail" else "error"
    return "inconclusive" if report.skipped and said == "pass" else said


def _last_line(error: BaseException | None) -> str:
    if error is None:
        return "the test ended without a verdict"
    last = "".join(traceback.format_exception_only(error)).strip().splitlines()[-1].strip()
    name = type(error).__name__
    return last if name in last else f"{name}: {last}"
