"""How often a key is tried before it is called broken, on a server that errs at random.

An error says nothing of the entry: a 5xx, no response, a body cut short. Three answers that are no errors
are enough for a fail. Errors alone are enough only if chance does not explain so many of them, given how
often the appliance errs elsewhere.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import chain

from msgspec import Struct, convert
from pydantic import JsonValue

from conformance.checks.answer import Answer, in_order
from conformance.checks.groups import Group
from conformance.checks.view import View

LEAST_TRIES = 3
SERIES, LONG_SERIES = 3, 6
"""Reads of one key in a row, and those of one that READ-SAFE watches."""
BY_CHANCE = 1e-6
"""How likely it may be, at most, that a server that errs at random answers every one of the tries with an
error.
"""


class Tries(Struct, frozen=True):
    """The answers to one key in a row, and the `others` that were read in between.

    `counted` are those before and after which another key, the anchor, gave a value.
    """

    made: tuple[Answer, ...]
    counted: tuple[Answer, ...]
    others: tuple[Answer, ...]

    @property
    def answers(self) -> tuple[Answer, ...]:
        """The counted answers that say something of the entry."""
        return tuple(answer for answer in self.counted if not answer.is_error)

    @property
    def errors(self) -> tuple[Answer, ...]:
        """The counted answers that are errors."""
        return tuple(answer for answer in self.counted if answer.is_error)

    @property
    def only_errors(self) -> bool:
        """Whether every answer was an error, counted or not."""
        return all(answer.is_error for answer in self.made)


class Odds(Struct, frozen=True):
    """How often an appliance errs, how many errors in a row a finding takes then, and the most tries."""

    error_rate: float
    needed: int
    budget: int

    @property
    def is_within_budget(self) -> bool:
        """Whether so many tries may be made."""
        return self.needed <= self.budget

    def are_met_by(self, errors: int) -> bool:
        """Whether so many errors in a row show that an entry is broken."""
        return self.is_within_budget and errors >= self.needed

    @property
    def words(self) -> str:
        """The odds in words, for a reason."""
        rate = f"{self.error_rate:.0%} of the answers of this appliance are errors"
        return f"{rate}, so that a finding takes {self.needed} tries; the most is {self.budget}"


def tries_of(seen: View, answer: Answer, later: Sequence[Answer] = ()) -> Tries:
    """The shared read `answer` and the tries after it, `later` ones included that are not in `seen` yet."""
    asked = answer.place
    series = [answer, *seen.group(answer.again), *later]
    places = [read.place for read in series]
    gave = [None if place == asked else read.has_value for read, place in zip(series, places, strict=True)]
    made = [number for number, place in enumerate(places) if place == asked]
    around = {
        number: (_last(gave[:number], default=True), _last(gave[:number:-1], default=False))
        for number in made
    }
    counted = [number for number in made if seen.anchor is None or all(around[number])]
    others = tuple(read for read, place in zip(series, places, strict=True) if place != asked)
    return Tries(
        tuple(series[number] for number in made), tuple(series[number] for number in counted), others
    )


def odds(seen: View, later: Iterable[Answer] = ()) -> Odds:
    """How often the appliance errs, by all its answers and by `later` ones, which are not in `seen` yet.

    Only answers about keys that gave a value at least once count, and only writes of keys of which one was
    acknowledged: what always fails must not count against itself, nor what was generated to fail. One error
    and one success more than there were are counted, because the share in a handful of answers is no proof
    that an appliance never errs.
    """
    answers: dict[tuple[str, str, bool], list[Answer]] = defaultdict(list)
    for answer in in_order(chain(seen.reads.values(), *seen.groups.values(), later)):
        generated = answer.exchange.purpose == "generated"
        if answer.ha_id == seen.appliance.ha_id and not generated:
            answers[*answer.place, answer.is_write].append(answer)
    counted = [
        answer
        for (*_, is_write), group in answers.items()
        if any(one.is_acknowledged if is_write else one.has_value for one in group)
        for answer in group
    ]
    rate = (sum(answer.is_error for answer in counted) + 1) / (len(counted) + 2)
    return Odds(rate, tries_needed(rate), seen.profile.timing.most_tries)


def tries_needed(error_rate: float) -> int:
    """The least number of tries, three at least, that are all errors by chance at most once in a million."""
    return max(LEAST_TRIES, math.ceil(math.log(BY_CHANCE) / math.log(error_rate)))


def noted(seen: View, group: Group, key: str) -> Odds | None:
    """The odds noted when the tries of `key` in a procedure ended; None if they did not end."""
    ended = [remark for remark in seen.noted(group) if remark.purpose == "tries" and remark.key == key]
    return convert(ended[-1].note, Odds) if ended else None


def note_of(odds: Odds, tries: int) -> dict[str, JsonValue]:
    """What the ledger keeps when `tries` tries have ended, so that judging again agrees with the run."""
    return {
        "tries": tries,
        "error_rate": round(odds.error_rate, 6),
        "needed": odds.needed,
        "budget": odds.budget,
    }


def _last(gave: list[bool | None], *, default: bool) -> bool:
    """Whether the last read of another key gave a value; `default` if there is none."""
    return next((value for value in reversed(gave) if value is not None), default)
