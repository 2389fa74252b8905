"""The words a case, a clause and a run can end in, and how several become one.

A merge never improves: error, fail, inconclusive, pass, observed, not_applicable; the first that occurs
counts.
"""

from collections.abc import Iterable
from typing import Final, Literal, TypeGuard, get_args

from conformance.checks.verdict import Verdict

ClauseVerdict = Literal[Verdict, "not_judged"]
"""Of a clause that a run made no case of, nothing is said: it is not judged."""
RunVerdict = Literal["pass", "fail", "inconclusive", "error"]

VERDICTS: Final[tuple[Verdict, ...]] = get_args(Verdict)
COUNTED: Final[tuple[str, ...]] = (*VERDICTS, "waived")  # a waived case counts under its verdict as well

WORST_FIRST: Final[tuple[Verdict, ...]] = (
    "error",
    "fail",
    "inconclusive",
    "pass",
    "observed",
    "not_applicable",
)


def is_verdict(word: object) -> TypeGuard[Verdict]:
    """Whether `word` is one of the six verdicts of a case."""
    return word in VERDICTS


def merge_verdicts(verdicts: Iterable[Verdict]) -> Verdict:
    """The verdict of several together; `not_applicable` when there are none."""
    return min(verdicts, key=WORST_FIRST.index, default=None) or "not_applicable"
