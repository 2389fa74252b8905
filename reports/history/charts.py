"""The charts of a history: figures of each night as lines of SVG, placed by the time at which the runs began.

A night that says nothing of a figure breaks its line, and so does a time without a run: a gap is no zero.
Lengths are units of the drawing, which is WIDTH wide and HEIGHT high; the page scales it.
"""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from statistics import median_low
from typing import Final, NamedTuple

from msgspec import Struct

from reports.history.model import MissingNight, Night
from reports.texts import milliseconds

WIDTH: Final = 1000
HEIGHT: Final = 110
_TOP: Final = 8
_MONTHS_FROM: Final = timedelta(days=70)
"""From this length on a chart names the months, below it some of the nights."""
_APART: Final = WIDTH // 8
"""How far two names of nights stand from each other at least, so that they can be read."""
_MINUTES_FROM_S: Final = 180
_NO_RUN: Final = "no run"
_LEAST_WITHOUT_A_RUN_MS: Final = 36 * 3_600_000
"""A run that is half a day late is no night without one."""
_USUAL_TIMES: Final = 2
"""A time without a run is so many times as long as there usually lies between two runs."""


class Tick(NamedTuple):
    """A place on an axis and what stands there."""

    at: int
    text: str


class Blank(NamedTuple):
    """A part of the axis for which there is no figure, and why."""

    start: int
    end: int
    word: str


class Chart(Struct, frozen=True):
    """A line over the nights: `lines` as SVG writes points, `most` the upper end of the axis."""

    name: str
    title: str
    summary: str
    lines: tuple[str, ...]
    gaps: tuple[Blank, ...]
    most: str
    dates: tuple[Tick, ...]
    marks: tuple[int, ...]


class _Stop(NamedTuple):
    """A time on the axis, in milliseconds from 1970, with its figure, or the word why there is none."""

    moment: int
    figure: float | None
    word: str


def charts_of(nights: Sequence[Night], missing: Sequence[MissingNight] = ()) -> tuple[Chart, ...]:
    """Findings, inconclusive cases and duration of each night."""
    seconds = [night.seconds for night in nights]
    in_minutes = max(seconds) >= _MINUTES_FROM_S
    lasted = [value / 60 if in_minutes else value for value in seconds]
    unit = "minutes" if in_minutes else "seconds"
    findings = [None if night.unjudged else float(night.open_findings) for night in nights]
    undecided = [float(night.counts.get("inconclusive", 0)) for night in nights]
    return (
        _chart("findings", "Findings", findings, nights, missing),
        _chart("undecided", "Inconclusive cases", undecided, nights, missing),
        _chart("lasted", f"Duration of the run in {unit}", lasted, nights, missing),
    )


def changed_software(nights: Sequence[Night]) -> list[int]:
    """The nights on which the declared version, the suite or the profile is another than the night before."""
    return [
        number for number, (was, now) in enumerate(pairwise(nights), start=1) if was.software != now.software
    ]


def _chart(
    name: str,
    title: str,
    figures: Sequence[float | None],
    nights: Sequence[Night],
    missing: Sequence[MissingNight],
) -> Chart:
    stops = [
        *(
            _Stop(milliseconds(night.started), figure, night.unjudged)
            for night, figure in zip(nights, figures, strict=True)
        ),
        *(_Stop(milliseconds(one.at), None, one.word) for one in missing),
    ]
    stops.sort()
    place = _Axis(stops[0].moment, stops[-1].moment)
    known = [figure for figure in figures if figure is not None]
    most = max(1.0, *known, 1.0)
    return Chart(
        name,
        title,
        _summary(known, figures[-1]),
        tuple(_lines(stops, most, place)),
        tuple(_gaps(stops, place)),
        _in_words(most),
        tuple(_dates(nights, place)),
        tuple(place.of(milliseconds(nights[number].started)) for number in changed_software(nights)),
    )


class _Axis(NamedTuple):
    """Where each time stands between the first and the last; a single one in the middle."""

    first: int
    last: int

    def of(self, moment: int) -> int:
        """The place of a time in milliseconds."""
        length = self.last - self.first
        return round(WIDTH * (moment - self.first) / length) if length else WIDTH // 2


def _summary(known: Sequence[float], last: float | None) -> str:
    if not known:
        return "no night reached a verdict"
    least, largest = _in_words(min(known)), _in_words(max(known))
    span = largest if least == largest else f"{least} to {largest}"
    return f"{span} a night; {'none known' if last is None else _in_words(last)} on the last"


def _in_words(figure: float) -> str:
    return f"{figure:,.0f}" if figure == round(figure) or figure >= 10 else f"{figure:.1f}"


def _longest_pause(stops: Sequence[_Stop]) -> float:
    """The longest time between two nights that is none without a run, in milliseconds."""
    pauses = [after.moment - before.moment for before, after in pairwise(stops)]
    return max(_LEAST_WITHOUT_A_RUN_MS, _USUAL_TIMES * median_low(pauses)) if pauses else 0


def _lines(stops: Sequence[_Stop], most: float, place: _Axis) -> Iterator[str]:
    """The points of each stretch of nights that have a figure, with no night missing between them."""
    longest, points, before = _longest_pause(stops), list[str](), 0
    for stop in stops:
        if points and (stop.figure is None or stop.moment - before > longest):
            yield " ".join(points)
            points = []
        if stop.figure is not None:
            points.append(f"{place.of(stop.moment)},{HEIGHT - round((HEIGHT - _TOP) * stop.figure / most)}")
        before = stop.moment
    if points:
        yield " ".join(points)


def _gaps(stops: Sequence[_Stop], place: _Axis) -> Iterator[Blank]:
    """The stretches without a figure, each with its words: from the night before to the night after."""
    longest, start, words = _longest_pause(stops), stops[0].moment, dict[str, None]()
    for stop in stops:
        if stop.moment - start > longest and not words:
            words[_NO_RUN] = None
        if stop.figure is None:
            words[stop.word] = None
            continue
        if words:
            yield Blank(place.of(start), place.of(stop.moment), ", ".join(words))
        start, words = stop.moment, {}
    if words:
        yield Blank(place.of(start), place.of(stops[-1].moment), ", ".join(words))


def _dates(nights: Sequence[Night], place: _Axis) -> Iterator[Tick]:
    """The months of a long time, some nights of a short one."""
    first, last = (_moment(night) for night in (nights[0], nights[-1]))
    if last - first >= _MONTHS_FROM:
        month = (first.replace(day=1) + timedelta(days=32)).replace(day=1, hour=0, minute=0, second=0)
        while month <= last:
            name = f"{month:%b %Y}" if month.month == 1 else f"{month:%b}"
            yield Tick(place.of(round(month.timestamp() * 1000)), name)
            month = (month + timedelta(days=32)).replace(day=1)
        return
    named = Tick(-WIDTH, "")
    for night in nights:
        moment = _moment(night)
        tick = Tick(place.of(milliseconds(night.started)), f"{moment.day} {moment:%b}")
        if tick.at - named.at >= _APART and tick.text != named.text:
            named = tick
            yield tick


def _moment(night: Night) -> datetime:
    return datetime.fromtimestamp(milliseconds(night.started) / 1000, UTC)
