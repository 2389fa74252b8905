"""history.html: one self-contained page about many nights, without any script.

Its table clause x night shows the latest night first; equal nights side by side are one cell.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from statistics import median
from typing import Final

from msgspec import Struct

from conformance.records.verdicts import ClauseVerdict
from reports.changes.model import Cause
from reports.changes.text import CAUSE_WORDS
from reports.history.model import FiledNight, History, Night, Occurrence, Software
from reports.page.rendering import render
from reports.texts import duration_s, instant, milliseconds, plural

_UNREMARKABLE: Final[frozenset[ClauseVerdict]] = frozenset(
    {"pass", "observed", "not_applicable", "not_judged"}
)


class Month(Struct, frozen=True):
    """The nights of a month: their days, and a row for each clause that failed or was undecided on one.

    A row says how a clause ended on how many nights side by side. `others` counts the clauses without a row.
    """

    name: str
    days: tuple[int, ...]
    rows: tuple[tuple[str, tuple[tuple[ClauseVerdict, int], ...]], ...]
    others: int


def months_of(nights: Sequence[Night]) -> list[Month]:
    """The months that have a night, the latest first."""
    months = [_month(list(group)) for _, group in groupby(nights, key=lambda night: night.started[:7])]
    return months[::-1]


def _month(nights: list[Night]) -> Month:
    clauses = dict.fromkeys(clause for night in nights for clause in night.clauses)
    rows = [(clause, tuple(_stretches(clause, nights))) for clause in clauses]
    telling = tuple(row for row in rows if any(verdict not in _UNREMARKABLE for verdict, _ in row[1]))
    moments = [instant(night.started) for night in nights]
    days = tuple(moment.day for moment in moments)
    return Month(f"{moments[0]:%B %Y}", days, telling, len(rows) - len(telling))


def _stretches(clause: str, nights: Sequence[Night]) -> Iterator[tuple[ClauseVerdict, int]]:
    verdicts: Iterator[ClauseVerdict] = (night.clauses.get(clause, "not_judged") for night in nights)
    for verdict, group in groupby(verdicts):
        yield verdict, sum(1 for _ in group)


_DAY_S: Final = 86_400
_UNITS: Final = ((_DAY_S, "day"), (3_600, "hour"), (60, "minute"), (1, "second"))


def render_history(history: History) -> str:
    """The text of the page."""
    nights = history.nights.nights
    return render(
        *("history.html.j2", "report.css", "history.css"),
        history=history,
        nights=nights,
        last=nights[-1],
        months=months_of(nights),
        times_to_fix=[time_to_fix_s(occurrence, nights) for occurrence in history.fixed],
        half=half_fixed(history),
        rows=_rows(history),
        in_words=in_words,
    )


def time_to_fix_s(occurrence: Occurrence, nights: tuple[Night, ...]) -> float:
    """Seconds from the first night of a fixed finding to the night that found it fixed."""
    return duration_s(nights[occurrence.first].started, nights[occurrence.fixed or 0].started)


def half_fixed(history: History) -> float | None:
    """The median time to fix in seconds, of findings whose first night is known; None if there is none."""
    known = [
        time_to_fix_s(occurrence, history.nights.nights) for occurrence in history.fixed if occurrence.came
    ]
    return median(known) if known else None


def in_words(seconds: float) -> str:
    """A length of time in its largest unit: `3 days`."""
    size, unit = next(((size, unit) for size, unit in _UNITS if seconds >= size), _UNITS[-1])
    return plural(round(seconds / size), unit)


def _rows(history: History) -> list[tuple[str, Night | FiledNight, list[str] | None]]:
    """When every night began and what changed on it, the latest first; None of one without results."""
    rows = [
        *((night.started, night, _told(history, n)) for n, night in enumerate(history.nights.nights)),
        *((one.at, one, None) for one in history.nights.missing),
    ]
    return sorted(rows, key=lambda row: milliseconds(row[0]), reverse=True)


def _told(history: History, number: int) -> list[str]:
    """What changed on a night: findings by cause, waivers, and what it was judged with."""
    turns: Counter[tuple[str, Cause]] = Counter(
        [
            *(("came", one.came) for one in history.occurrences if one.first == number and one.came),
            *(("went", one.went) for one in history.occurrences if one.fixed == number and one.went),
        ]
    )
    nights = history.nights.nights
    return [
        *(f"{plural(many, 'finding')} {turn}: {CAUSE_WORDS[why]}" for (turn, why), many in turns.items()),
        *(_of_waivers(nights[number - 1], nights[number]) if number else ()),
        *(_differences(nights[number - 1].software, nights[number].software) if number else ()),
    ]


def _of_waivers(before: Night, night: Night) -> Iterator[str]:
    """Findings that fail on both nights and are waived on one of them."""
    both = [(before.failed[case], now) for case, now in night.failed.items() if case in before.failed]
    freed = {now.finding for was, now in both if was.waived and not now.waived}
    covered = {now.finding for was, now in both if now.waived and not was.waived}
    if freed:
        expired = "waiver" in night.causes.values()
        yield f"the waiver of {plural(len(freed), 'finding')} {'expired' if expired else 'is gone'}"
    if covered:
        yield f"{plural(len(covered), 'finding is', 'findings are')} waived now"


def _differences(was: Software, now: Software) -> list[str]:
    said = [
        ("target", was.product or "no version", now.product or "no version"),
        ("suite", was.suite_version, now.suite_version),
    ]
    told = [f"{what} {then} to {at_last}" for what, then, at_last in said if then != at_last]
    is_same_suite = was.suite_version == now.suite_version
    if is_same_suite and (was.catalog_sha256, was.judging_sha256) != (now.catalog_sha256, now.judging_sha256):
        told.append("another build of the suite")
    return [*told, *(["another profile"] if was.profile_sha256 != now.profile_sha256 else [])]
