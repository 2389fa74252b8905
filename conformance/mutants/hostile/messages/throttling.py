"""Servers that ask for patience without end, or lock out whoever errs.

> Rate limits: not shown (line 177).
"""

from collections.abc import Iterable
from http import HTTPStatus

from conformance.mutants.hostile.model import Asked, Hostile, Outcome, Piece
from conformance.mutants.hostile.replies import always, conforming, framed

NOTHING_WRONG = Outcome(exit=0)
NOTHING_LEARNED = Outcome(exit=3)
_WAITS = {
    "year": ("31536000", "a year"),
    "negative": ("-5", "a time that is over"),
    "date": ("Fri, 31 Dec 9999 23:59:59 GMT", "the end of the calendar"),
    "digits": ("9" * 5000, "a number of 5,000 digits"),
    "infinite": ("inf", "an infinite time, as Python writes it"),
}


class _LocksOut:
    """After ten refusals in a row nobody is answered any more."""

    def __init__(self) -> None:
        self._in_a_row = 0

    def __call__(self, asked: Asked) -> Iterable[Piece]:
        if self._in_a_row >= 10:
            return (framed(429, b'{"error":{"key":"429"}}', "Retry-After: 600"),)
        self._in_a_row = 0 if asked.reply.status == HTTPStatus.OK else self._in_a_row + 1
        return conforming(asked)


class _EveryOther:
    """Every other request is refused for a moment."""

    def __call__(self, asked: Asked) -> Iterable[Piece]:
        return conforming(asked) if asked.number % 2 else (framed(429, b"{}", "Retry-After: 0"),)


# fmt: off
THROTTLING = (
    Hostile("throttled", "Every answer is 429, without a word on when to come back.",
        always(framed(429, b"{}")), NOTHING_LEARNED),
    *(
        Hostile(
            f"throttled-{name}",
            f"Every answer is 429, and Retry-After is {what}.",
            always(framed(429, b"{}", f"Retry-After: {text}")),
            NOTHING_LEARNED,
        )
        for name, (text, what) in _WAITS.items()
    ),
    Hostile("unavailable", "Every answer is 503 with a Retry-After of a year.",
        always(framed(503, b"{}", "Retry-After: 31536000")), NOTHING_LEARNED),
    Hostile("throttled-every-other", "Every other request is answered with 429.", _EveryOther, NOTHING_WRONG),
    Hostile("locks-out", "After ten refusals in a row everything is 429 for ten minutes.", _LocksOut,
        NOTHING_WRONG, profile={"pace": {"max_refusals_in_a_row": 8, "concurrency": 1}}),
)
