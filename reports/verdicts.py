"""The words a case, a clause and a run can end in, and how several become one.

A merge never improves: an error outweighs a fail, a fail outweighs an inconclusive case, that
outweighs a pass. What is only observed or not applicable counts when there is nothing else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, TypeGuard, get_args

if TYPE_CHECKING:
    from collections.abc import Iterable

Verdict = Literal["pass", "fail", "inconclusive", "not_applicable", "observed", "error"]
ClauseVerdict = Literal[Verdict, "not_judged"]
"""Of a clause that a run made no case of, nothing is said: it is not judged."""
RunVerdict = Literal["pass", "fail", "inconclusive", "error"]

VERDICTS: Final[tuple[Verdict, ...]] = get_args(Verdict)
CLAUSE_VERDICTS: Final[tuple[ClauseVerdict, ...]] = (*VERDICTS, "not_judged")
COUNTED: Final[tuple[str, ...]] = (*VERDICTS, "waived")  # a waived case counts under its verdict as well
RUN_VERDICTS: Final[tuple[RunVerdict, ...]] = get_args(RunVerdict)

_WEIGHT: Final[dict[Verdict, int]] = {
    "not_applicable": 0,
    "observed": 1,
    "pass": 2,
    "inconclusive": 3,
    "fail": 4,
    "error": 5,
}


def is_verdict(word: object) -> TypeGuard[Verdict]:
    """Whether `word` is one of the six verdicts of a case."""
    return word in VERDICTS


def is_clause_verdict(word: object) -> TypeGuard[ClauseVerdict]:
    """Whether `word` is one of the seven verdicts of a clause."""
    return word in CLAUSE_VERDICTS


def is_run_verdict(word: object) -> TypeGuard[RunVerdict]:
    """Whether `word` is one of the four verdicts of a run."""
    return word in RUN_VERDICTS


def merge_verdicts(verdicts: Iterable[Verdict]) -> Verdict:
    """The verdict of several together; `not_applicable` when there are none."""
    worst: Verdict = "not_applicable"
    for verdict in verdicts:
        worst = max(worst, verdict, key=_WEIGHT.__getitem__)
    return worst
