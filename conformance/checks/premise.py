"""Runs a check on every value that is shown for a key, and only on a value whose premise holds."""

from collections.abc import Callable, Iterable, Iterator
from functools import partial, wraps
from itertools import takewhile
from typing import TypeAlias

from msgspec.structs import replace

from conformance.checks.answer import Answer
from conformance.checks.case import Case
from conformance.checks.groups import LAST_LOOK, PREPARE
from conformance.checks.reads.support import Standing, Support, is_hidden, resolve, without_value
from conformance.checks.reads.tries import LONG_SERIES
from conformance.checks.traces.effects import have_stood, wrong_reads
from conformance.checks.verdict import Deviation, Inconclusive, Judgement
from conformance.checks.view import View, with_reads
from conformance.model.states import exempting_state

Check: TypeAlias = Callable[[Case, View], str | None]
"""Judges a case: returns None (the clause holds) or what was noted, or raises a judgement."""
TWICE = 2


ValueCheck: TypeAlias = Callable[[Case, View, Answer], str | None]
"""Judges one value of a case, in the same way."""
Part: TypeAlias = Callable[[], str | None]
"""What a check says of one thing."""
Judging: TypeAlias = Callable[[Answer], str | None]
"""Says the same of one answer."""
Later: TypeAlias = Callable[[Case, View, Judging], Iterable[Part]]
"""The parts of a check about what was read later."""


def _of_values(later: Later) -> Callable[[ValueCheck], Check]:
    """Makes a check of the key's value; for a contested status, of the value on each segment (line 149).

    `later` are the parts of it about what was read besides, where that deviates.
    """

    def of_values(check: ValueCheck) -> Check:
        @wraps(check)
        def judged(case: Case, seen: View) -> str | None:
            require_trust(seen)
            at = partial(_judged_at, check, case, seen)
            return merge((partial(_as_found, check, case, seen), *later(case, seen, at)))

        return judged

    return of_values


def _as_found(check: ValueCheck, case: Case, seen: View) -> str | None:
    shown = [(seen, answer) for answer in seen.answers(case.subject) if answer.has_value]
    later = [] if shown else behind_a_state(case, seen)
    parts = [partial(_judged_at, check, case, then, answer) for then, answer in shown or later]
    if not parts:
        raise without_value(*_standing_of(case, seen))
    return merge(partial(_once, part) if later and case.clause.again else part for part in parts)


def _stood_or_came_again(case: Case, seen: View, judged: Judging) -> Iterator[Part]:
    yield from standing(case, seen, judged)
    yield from _at_least_two(_deviating(judged, read_again(case, seen, judged)))


def _shown_twice(case: Case, seen: View, judged: Judging) -> list[Part]:
    read_again(case, seen, judged)
    return _at_least_two(_deviating(judged, _read_later(case, seen)))


def _deviating(judged: Judging, answers: Iterable[Answer]) -> list[Part]:
    """The parts of a check in which some of the answers deviate."""
    return list(filter(_deviates, (partial(judged, answer) for answer in answers)))


def _deviates(part: Part) -> bool:
    try:
        part()
    except Deviation:
        return True
    except Judgement:  # what leaves such a value open does not undo what the found one showed
        pass
    return False


def _at_least_two(parts: list[Part]) -> list[Part]:
    """Parts that deviate; one that does so alone only doubts."""
    return [partial(_once, *parts)] if len(parts) == 1 else parts


def _once(part: Part) -> str | None:
    """What a part of a check says; raises a deviation as a doubt."""
    try:
        return part()
    except Deviation as deviation:
        finding, answer = deviation.finding, deviation.answer
    raise Inconclusive(f"{finding}; it showed in only one of several reads", answer)


def read_again(case: Case, seen: View, judged: Judging) -> list[Answer]:
    """The values that shared reads of a key gave again, on connections of their own.

    More of them are wanted where some of the reads in a row on one connection deviate and others do not,
    until two deviate or as many were read as a long series has.
    """
    found: list[Answer] = []
    for answer in seen.answers(case.subject):
        again = [read for read in seen.made_in(answer.again) if read.key == case.key]
        values = [read for read in again if read.has_value]
        found += values
        is_open = len(again) < LONG_SERIES and len(_deviating(judged, values)) < TWICE
        if is_open and _differs(seen, answer, judged):
            seen.want(answer)
    return found


def _differs(seen: View, answer: Answer, judged: Judging) -> bool:
    """Whether some of the values of a shared read and the series after it deviate, and others do not."""
    kinds = seen.once((_kinds, answer.n), lambda its: _kinds(its, answer))
    return len(kinds) > 1 and 0 < len(_deviating(judged, kinds)) < len(kinds)


def _kinds(seen: View, answer: Answer) -> list[Answer]:
    """One of each of the values that a shared read and the series after it show, with what stands beside."""
    own = (read for read in seen.made_in(answer.series) if read.key == answer.key)
    return [*{(repr(read.value), read.rules): read for read in (answer, *own) if read.has_value}.values()]


def _read_later(case: Case, seen: View) -> Iterator[Answer]:
    """What a key answered at its address again: beside writes, or on connections of their own.

    A series on one connection is none of it: it may be off by an answer as a whole.
    """
    later = [answer for answer in seen.later_reads(case.key) if answer.has_value]
    first = [answer.exchange.request for answer in seen.answers(case.subject)] if later else []
    addresses = {(request.method, request.url) for request in first}
    for answer in later:
        request = answer.exchange.request
        if (request.method, request.url) in addresses:
            yield answer


def standing(case: Case, seen: View, judged: Judging) -> Iterator[Part]:
    """What is said of the last wrong value that stood at each address of a key; of one read alone, a doubt.

    A value that a forbidden write put there is left to the clause of that write.
    """
    reads = list(_read_later(case, seen))
    settle_s = seen.profile.timing.settle_seconds(case.key)
    for segment in case.subject.segments if reads else ():
        own = [read for read in reads if read.segment == segment]
        found = wrong_reads(seen, case.key, own, lambda read: _deviates(partial(judged, read)))
        wrong = [one for one in found if one.by is None]
        if have_stood(wrong, settle_s):
            yield partial(judged, wrong[-1].read)
        elif settled := [one for one in wrong if one.settled_s >= settle_s]:
            yield partial(_once, partial(judged, settled[-1].read))


def behind_a_state(case: Case, seen: View) -> list[tuple[View, Answer]]:
    """The value that was shown once a state had been ended that hid it, and the appliance as it was then.

    There is none where the run ended no state, or it is not a state that the value was hidden by.
    """
    return [(then, answer) for then, answer in once_ended(case, seen) if answer.has_value]


def once_ended(case: Case, seen: View) -> list[tuple[View, Answer]]:
    """What a key answered once a state had been ended that hid it, and the appliance as it was then.

    That is its first value; where it never gave one, its first answer in no such state, with the reads that
    followed as its tries. There is none where no state was ended that it was hidden by.
    """
    made = seen.made_about(case.key, PREPARE)
    own = [number for number, one in enumerate(made) if one.key == case.key and not one.is_write]
    if not own or not is_hidden(seen, case.key):
        return []
    for number in sorted(own, key=lambda number: not made[number].has_value):
        answer = made[number]
        then = with_reads(seen, (one for one in made[: number + 1] if not one.is_write))
        if answer.has_value or not exempting_state(then, case.key):
            later = takewhile(lambda one: not one.is_write, made[number + 1 :])
            seen.look_at(answer)
            own = {answer.series if answer.has_value else answer.again: tuple(later)}
            return [(replace(then, made={**seen.made, answer.again: (), answer.series: (), **own}), answer)]
    return []


def last_looks(case: Case, seen: View) -> tuple[View, list[Answer]]:
    """The last looks at an entry until it was put back, and the appliance as it was then."""
    made = takewhile(
        lambda answer: not answer.is_write or answer.key != case.key,
        seen.made_in(LAST_LOOK),
    )
    reads = [answer for answer in made if not answer.is_write]
    return with_reads(seen, reads), [answer for answer in reads if answer.key == case.key]


def require_trust(seen: View) -> None:
    """Raises unless the appliance's answers mean anything.

    Raises:
        Inconclusive: when it gives values for keys that cannot exist (ADDR-UNKNOWNKEY), or when what is taken
            for the value of an entry is its key.
    """
    learned = seen.learned
    if learned.shows_keys:
        raise Inconclusive(
            f"answer.value {seen.value_pointer!r} gives the key itself for every entry: is it right?"
        )
    if learned.answers_anything:
        raise Inconclusive(
            "the appliance gives values for keys that cannot exist, so its answers tell nothing"
            " (ADDR-UNKNOWNKEY)"
        )


def merge(parts: Iterable[Part]) -> str | None:
    """One verdict of what several checks say: a deviation counts first, then a doubt, then a pass.

    Raises:
        Judgement: the one that counts.
    """
    notes: list[str | None] = []
    judgements: list[Judgement] = []
    for part in parts:
        try:
            notes.append(part())
        except Judgement as judgement:
            judgement.__traceback__ = None  # its frames hold it: only the garbage collector would free them
            judgements.append(judgement)
    for kind in (Deviation, Inconclusive):
        for judgement in judgements:
            if isinstance(judgement, kind):
                raise judgement
    if judgements and not notes:
        raise judgements[0]
    return "; ".join(filter(None, notes)) or None


def _judged_at(check: ValueCheck, case: Case, seen: View, answer: Answer) -> str | None:
    where = f"under /{answer.segment}/: " if case.subject.contested else ""
    try:
        note = check(case, seen, answer)
    except Judgement as judgement:
        judgement.finding, judgement.answer = where + judgement.finding, judgement.answer or answer
        raise
    return where + note if note else None


def _standing_of(case: Case, seen: View) -> tuple[Support, str]:
    """Why there is nothing to judge: what is broken is another clause's finding, never a second one here."""
    stands = [resolve(seen, case.subject, answer) for answer in seen.answers(case.subject)]
    known = next((support for support in stands if support.standing is not Standing.UNSUPPORTED), None)
    return (known, "no value to judge: ") if known else (stands[0], "")


of_each_value = _of_values(lambda _case, _seen, _judged: ())
"""A check of the key's value, as it was found."""
of_every_value = _of_values(_stood_or_came_again)
"""The same, and of every later read, whatever that was made for, none shows a value that deviates.

What a forbidden write has put there is judged by its own clause.
"""
of_each_read = _of_values(_shown_twice)
"""The same as `of_each_value`, and of what was read later at the same address no two answers deviate.

It is for what an answer shows beside its value, which no state and no write makes another.
"""
