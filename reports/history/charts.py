"""The charts of a history: figures of each night as lines of SVG, placed by the time at which the runs began.

Lengths are units of the drawing, which is WIDTH wide and HEIGHT high; the page scales it.
"""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Final, NamedTuple

from msgspec import Struct

from reports.history.model import Night
from reports.texts import milliseconds

WIDTH: Final = 1000
HEIGHT: Final = 110
_TOP: Final = 8
_MONTHS_FROM: Final = timedelta(days=70)
"""From this length on a chart names the months, below it some of the nights."""
_APART: Final = WIDTH // 8
"""How far two names of nights stand from each other at least, so that they can be read."""
_MINUTES_FROM_S: Final = 180


class Tick(NamedTuple):
    """A place on an axis and what stands there."""

    at: int
    text: str


class Chart(Struct, frozen=True):
    """A line over the nights: `points` as SVG writes them, `most` the figure at the upper end of the axis."""

    name: str
    title: str
    summary: str
    points: str
    most: str
    dates: tuple[Tick, ...]
    marks: tuple[int, ...]


def charts_of(nights: Sequence[Night]) -> tuple[Chart, ...]:
    """Findings, inconclusive cases and duration of each night."""
    seconds = [night.seconds for night in nights]
    in_minutes = max(seconds) >= _MINUTES_FROM_S
    lasted = [value / 60 if in_minutes else value for value in seconds]
    unit = "minutes" if in_minutes else "seconds"
    return (
        _chart("findings", "Findings", [night.open_findings for night in nights], nights),
        _chart(
            "undecided",
            "Inconclusive cases",
            [night.counts.get("inconclusive", 0) for night in nights],
            nights,
        ),
        _chart("lasted", f"Duration of the run in {unit}", lasted, nights),
    )


def changed_software(nights: Sequence[Night]) -> list[int]:
    """The nights on which the declared version, the suite or the profile is another than the night before."""
    return [
        number for number, (was, now) in enumerate(pairwise(nights), start=1) if was.software != now.software
    ]


def _chart(name: str, title: str, figures: Sequence[float], nights: Sequence[Night]) -> Chart:
    places = _places(nights)
    most = max(1.0, *figures)
    room = HEIGHT - _TOP
    points = (
        f"{at},{HEIGHT - round(room * figure / most)}" for at, figure in zip(places, figures, strict=True)
    )
    least, largest = _in_words(min(figures)), _in_words(max(figures))
    span = largest if least == largest else f"{least} to {largest}"
    return Chart(
        name,
        title,
        f"{span} a night; {_in_words(figures[-1])} on the last",
        " ".join(points),
        _in_words(most),
        tuple(_dates(nights)),
        tuple(places[number] for number in changed_software(nights)),
    )


def _in_words(figure: float) -> str:
    return f"{figure:,.0f}" if figure == round(figure) or figure >= 10 else f"{figure:.1f}"


def _places(nights: Sequence[Night]) -> list[int]:
    """Where each night stands; a single one in the middle."""
    moments = [milliseconds(night.started) for night in nights]
    length = moments[-1] - moments[0]
    return [round(WIDTH * (moment - moments[0]) / length) if length else WIDTH // 2 for moment in moments]


def _dates(nights: Sequence[Night]) -> Iterator[Tick]:
    """The months of a long time, some nights of a short one."""
    first, last = (_moment(night) for night in (nights[0], nights[-1]))
    if last - first >= _MONTHS_FROM:
        month = (first.replace(day=1) + timedelta(days=32)).replace(day=1, hour=0, minute=0, second=0)
        while month <= last:
            name = f"{month:%b %Y}" if month.month == 1 else f"{month:%b}"
            yield Tick(round(WIDTH * (month - first) / (last - first)), name)
            month = (month + timedelta(days=32)).replace(day=1)
        return
    named = Tick(-WIDTH, "")
    for at, night in zip(_places(nights), nights, strict=True):
        tick = Tick(at, f"{_moment(night):%b %d}")
        if tick.at - named.at >= _APART and tick.text != named.text:
            named = tick
            yield tick


def _moment(night: Night) -> datetime:
    return datetime.fromtimestamp(milliseconds(night.started) / 1000, UTC)
