"""What became of a write, as the reads around it tell: its effect, and whether a read shows it."""

from collections.abc import Iterable, Sequence
from enum import Enum

from catalog.keys import ALARM_CLOCK
from conformance.checks.answer import Answer
from conformance.checks.traces.trace import Attempt
from conformance.checks.view import View
from conformance.model.json_values import NOTHING, is_number, is_whole, number, same
from conformance.model.values import Values, alike

_MINUTE_S = 60  # an alarm clock may count whole minutes


class Effect(Enum):
    """What became of a write that was to have an effect."""

    TOOK = "took effect"
    DROPPED = "acknowledged, and the old value stayed"
    REVERTED = "read once, then the old value again"
    REFUSED = "refused, and the old value stayed"
    OTHER = "another value than the written one"
    UNKNOWN = "not known"


def reads_back(values: Values, wanted: object, read: Answer, written: Answer) -> bool:
    """Whether a read shows the value that was written: one like it, or an alarm clock that has run on."""
    if values.alike(wanted, read.value):
        return True
    runs = values.entry.key == ALARM_CLOCK and is_whole(wanted) and is_whole(read.value)
    return runs and 0 <= number(wanted) - number(read.value) <= read.ended - written.began + 1


def may_have_run(before: object, now: object, passed_s: float) -> bool:
    """Whether an alarm clock may have run down from one value to another in so many seconds, and a minute."""
    if not (is_number(before) and is_number(now)):
        return False
    return 0 <= number(before) - number(now) <= passed_s + _MINUTE_S


def may_come_to(values: Values, before: object, now: object, settle_s: float) -> bool:
    """Whether what is there before may show as this once it has settled: an alarm clock may run down."""
    runs = values.entry.key == ALARM_CLOCK and may_have_run(before, now, settle_s)
    return runs or values.alike(before, now)


def are_told_apart(values: Values, one: object, other: object, settle_s: float) -> bool:
    """Whether neither of two values may come to show as the other."""
    return not (may_come_to(values, one, other, settle_s) or may_come_to(values, other, one, settle_s))


def shows_as_before(seen: View, before: Answer, now: Answer) -> bool:
    """Whether a setting shows what it showed before; an alarm clock may have run down meanwhile."""
    if alike(seen.catalog.entries[before.exchange.key], before.value, now.value):
        return True
    return before.exchange.key == ALARM_CLOCK and may_have_run(
        before.value, now.value, now.ended - before.began
    )


def reads_around(attempt: Attempt) -> tuple[Answer, ...]:
    """The reads of the written key before and after the write, whose bodies may show a range or a step."""
    before = attempt.old_read()
    return tuple(answer for answer in (before, *attempt.reads()) if answer is not None and answer.has_value)


def values_around(seen: View, attempt: Attempt) -> Values:
    """What the written key may hold, as the reads around the write show."""
    return seen.values(attempt.key, *reads_around(attempt))


def effect_of(seen: View, attempt: Attempt) -> Effect:
    """What became of a write that was to have an effect, as far as the reads after it tell."""
    reads, values = attempt.reads(), values_around(seen, attempt)
    took = [reads_back(values, attempt.value, read, attempt.answer) for read in reads]
    if any(took):
        told = [one for one in zip(reads, took, strict=True) if not one[0].is_error]
        last, is_there = told[-1]  # an error says nothing of what came before it
        if is_there:
            return Effect.TOOK
        return Effect.REVERTED if same(last.value, attempt.old()) else Effect.OTHER
    if not reads or not reads[-1].has_value or attempt.old() is NOTHING:
        return Effect.UNKNOWN
    if not all(same(read.value, attempt.old()) for read in reads if read.has_value):
        return Effect.OTHER
    if attempt.is_refused:
        return Effect.REFUSED
    is_settled = attempt.is_settled(seen.profile.timing.settle_seconds(attempt.key))
    return Effect.DROPPED if attempt.is_acknowledged and is_settled else Effect.UNKNOWN


def not_taken_later(seen: View, tries: Iterable[Attempt], tried: Sequence[Attempt]) -> list[Attempt]:
    """Those of some tries whose write had no effect later either: somebody else may have acted until then.

    `tried` are those that may have had one. What was read for less time than it took until the value was seen
    to be lost may have lost it, too.
    """
    return [one for one in tries if not any(_is_like_and_took(seen, one, later) for later in tried)]


def _is_like_and_took(seen: View, attempt: Attempt, later: Attempt) -> bool:
    is_alike = later.answer.n > attempt.answer.n and same(later.value, attempt.value)
    if not is_alike or same(later.value, later.old()) or effect_of(seen, later) is not Effect.TOOK:
        return False
    return later.watched() >= _lost_after_s(seen, attempt)


def _lost_after_s(seen: View, attempt: Attempt) -> float:
    """Seconds from a write to the first read without its value after one with it; 0 where there is none."""
    values, has_shown = values_around(seen, attempt), False
    for read in attempt.reads():
        is_shown = reads_back(values, attempt.value, read, attempt.answer)
        if has_shown and not is_shown:
            return read.began - attempt.answer.ended
        has_shown = has_shown or is_shown
    return 0.0
