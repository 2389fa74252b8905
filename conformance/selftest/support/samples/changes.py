"""What changed between two runs made by hand."""

from dataclasses import replace

from conformance.selftest.support.samples.results import RUN
from reports.changes.comparison import compare
from reports.changes.model import Baseline, Comparison
from reports.results.model import CaseResult, Results

INSTALLED = (RUN.suite_version, RUN.judging_sha256)


def turned(case: CaseResult, verdict: str, message: str = "") -> CaseResult:
    """The case with another verdict."""
    return replace(case, verdict=verdict, message=message)  # pyright: ignore[reportArgumentType]  the tests name verdicts


def between(
    old: Results,
    new: Results,
    again: Results | None = None,
    reprofiled: Results | None = None,
    *,
    places: tuple[str, ...] = (),
) -> Comparison:
    """What changed between two results; the old ledger, judged again, gives the same unless it is said."""
    return compare(Baseline(old, again or old, reprofiled, "", places, INSTALLED), new)
