"""The table clause x night: one a month, the latest first; equal nights side by side are one cell."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final, NamedTuple

from reports.history.model import Night
from reports.results.verdicts import ClauseVerdict
from reports.texts import instant

_UNREMARKABLE: Final[frozenset[ClauseVerdict]] = frozenset(
    {"pass", "observed", "not_applicable", "not_judged"}
)


class Stretch(NamedTuple):
    """Nights side by side on which a clause ended alike."""

    verdict: ClauseVerdict
    nights: int


@dataclass(frozen=True, slots=True)
class Month:
    """The nights of a month: their days, and a row for each clause that failed or was undecided on one.

    `others` counts the clauses without a row.
    """

    name: str
    days: tuple[int, ...]
    rows: tuple[tuple[str, tuple[Stretch, ...]], ...]
    others: int


def months_of(nights: Sequence[Night]) -> list[Month]:
    """The months that have a night, the latest first."""
    months = [_month(list(group)) for _, group in groupby(nights, key=lambda night: night.started[:7])]
    return months[::-1]


def _month(nights: list[Night]) -> Month:
    clauses = dict.fromkeys(clause for night in nights for clause in night.clauses)
    rows = [(clause, tuple(_stretches(clause, nights))) for clause in clauses]
    telling = tuple(row for row in rows if any(stretch.verdict not in _UNREMARKABLE for stretch in row[1]))
    moments = [instant(night.started) for night in nights]
    days = tuple(moment.day for moment in moments if moment)
    return Month(f"{moments[0]:%B %Y}", days, telling, len(rows) - len(telling))


def _stretches(clause: str, nights: Sequence[Night]) -> Iterator[Stretch]:
    verdicts: Iterator[ClauseVerdict] = (night.clauses.get(clause, "not_judged") for night in nights)
    for verdict, group in groupby(verdicts):
        yield Stretch(verdict, sum(1 for _ in group))
