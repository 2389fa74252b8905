"""Runs a check on every value that is shown for a key, and only on a value whose premise holds."""

from collections.abc import Callable, Iterable, Iterator
from functools import partial, wraps
from itertools import dropwhile, groupby, takewhile
from typing import TypeAlias

from msgspec.structs import replace

from catalog.keys import ALARM_CLOCK
from conformance.checks.answer import Answer, Outcome
from conformance.checks.case import Case
from conformance.checks.exchange import WRITES
from conformance.checks.groups import LAST_LOOK, PREPARE, ProcedureKind
from conformance.checks.reads.states import exempting_state
from conformance.checks.reads.support import is_hidden, resolve, without_value
from conformance.checks.reads.tries import again, confirmation
from conformance.checks.verdict import Deviation, Inconclusive, Judgement
from conformance.checks.view import View, with_reads

Check: TypeAlias = Callable[[Case, View], str | None]
"""Judges a case: returns None (the clause holds) or what was noted, or raises a judgement."""

_OF_ALLOWED_WRITES = frozenset(
    {
        ProcedureKind.ISOLATION,
        ProcedureKind.SET,
        ProcedureKind.MODE,
        ProcedureKind.WALK,
        ProcedureKind.AMBIENT,
        ProcedureKind.HOOD,
    }
)
"""The procedures that write allowed values; what a forbidden one leaves is judged by its own clause."""


def of_each_value(check: Callable[[Case, View, Answer], str | None]) -> Check:
    """A check of the key's value; for a contested status, of the value on each segment (line 149)."""

    @wraps(check)
    def judged(case: Case, seen: View) -> str | None:
        require_trust(seen)
        shown = [(seen, answer) for answer in seen.answers(case.subject) if answer.has_value]
        shown = shown or behind_a_state(case, seen)
        if not shown:
            raise _without_value(case, seen)
        return merge(partial(_judged_at, check, case, then, answer) for then, answer in shown)

    return judged


def of_written_values(check: Callable[[Case, View, Answer], str | None]) -> Check:
    """The same, and of what was read to confirm no two deviate, nor does what stays after allowed writes."""
    found = of_each_value(check)

    @wraps(check)
    def judged(case: Case, seen: View) -> str | None:
        wrong = _deviating(check, case, seen, _read_after_writes(case, seen))
        confirmed = _at_least_two(_deviating(check, case, seen, _read_to_confirm(case, seen)))
        return merge((partial(found, case, seen), *wrong, *confirmed))

    return judged


def of_each_read(check: Callable[[Case, View, Answer], str | None]) -> Check:
    """The same as `of_each_value`, and of what was read later at the same address no two answers deviate.

    It is for what an answer shows beside its value, which no state and no write makes another.
    """
    found = of_each_value(check)

    @wraps(check)
    def judged(case: Case, seen: View) -> str | None:
        first = partial(found, case, seen)
        later = _at_least_two(_deviating(check, case, seen, _read_later(case, seen)))
        return merge((first, *later)) if later and not _deviates(first) else first()

    return judged


def _deviating(
    check: Callable[[Case, View, Answer], str | None], case: Case, seen: View, answers: Iterable[Answer]
) -> list[Callable[[], str | None]]:
    """The parts of a check in which some of the answers deviate."""
    return list(filter(_deviates, (partial(_judged_at, check, case, seen, answer) for answer in answers)))


def _deviates(part: Callable[[], str | None]) -> bool:
    try:
        part()
    except Deviation:
        return True
    except Judgement:  # what leaves such a value open does not undo what the found one showed
        pass
    return False


def _at_least_two(parts: list[Callable[[], str | None]]) -> list[Callable[[], str | None]]:
    """Parts that deviate; one that does so alone only doubts."""
    return [partial(_once, *parts)] if len(parts) == 1 else parts


def _once(part: Callable[[], str | None]) -> None:
    """Raises a deviation as a doubt."""
    try:
        part()
    except Deviation as deviation:
        raise Inconclusive(
            f"{deviation.finding}; it showed in only one of several reads", deviation.answer
        ) from deviation


def _read_to_confirm(case: Case, seen: View) -> Iterator[Answer]:
    """The values that were read to confirm what a series showed, or the first read."""
    for answer in seen.answers(case.subject):
        for read in seen.group(confirmation(answer)):
            if read.exchange.key == case.key and read.has_value:
                yield read


def _read_later(case: Case, seen: View) -> Iterator[Answer]:
    """What a key answered at its address again: beside writes, or on connections of their own.

    A series on one connection is none of it: it may be off by an answer as a whole.
    """
    first = [answer.exchange.request for answer in seen.answers(case.subject)]
    addresses = {(request.method, request.url) for request in first}
    for answer in seen.later_reads(case.key):
        request = answer.exchange.request
        if (request.method, request.url) in addresses and answer.has_value:
            yield answer


def _read_after_writes(case: Case, seen: View) -> Iterator[Answer]:
    """The reads of a key, in procedures that wrote allowed values, of what stayed for the settle time.

    Of an entry that moves by itself, each last look at it is one. That of another setting counts until the
    run puts it back.
    """
    settle_s = seen.profile.timing.settle_seconds(case.key)
    looks = list(_reads_of(case.key, seen, seen.made_in(LAST_LOOK)))
    if ".Status." in case.key:
        yield from looks
    elif looks:
        made = (answer for answers in seen.groups.values() for answer in answers)
        taken = (answer.exchange for answer in made if answer.outcome is not Outcome.REFUSED)
        wanted = [sent.value for sent in taken if sent.key == case.key and sent.purpose in WRITES]
        unbidden = [read for read in looks if read.value not in wanted]
        yield from unbidden if moves_by_itself(case.key) else _stayed(unbidden, settle_s)
    for group, answers in seen.groups.items():
        if group.kind in _OF_ALLOWED_WRITES:
            after = dropwhile(lambda answer: answer.exchange.purpose not in WRITES, answers)
            yield from _stayed(_reads_of(case.key, seen, after), settle_s)


def moves_by_itself(key: str) -> bool:
    """Whether an entry changes though nobody writes it: a status, or the alarm clock, which runs down."""
    return ".Status." in key or key == ALARM_CLOCK


def _reads_of(key: str, seen: View, answers: Iterable[Answer]) -> Iterator[Answer]:
    """Those of the answers that are values of a key of this appliance."""
    for answer in answers:
        place = answer.exchange.ha_id, answer.exchange.key, answer.exchange.purpose in WRITES
        if place == (seen.appliance.ha_id, key, False) and answer.has_value:
            yield answer


def _stayed(reads: Iterable[Answer], settle_s: float) -> Iterator[Answer]:
    """The last read of each value that stayed for so long."""
    for _, run in groupby(reads, lambda answer: repr(answer.value)):
        first, *later = run
        if later and later[-1].began - first.ended >= settle_s:
            yield later[-1]


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
    made = seen.made_in(PREPARE)
    asked = ((number, answer.exchange) for number, answer in enumerate(made))
    own = [number for number, one in asked if one.key == case.key and one.purpose not in WRITES]
    if not own or not is_hidden(seen, case.key):
        return []
    for number in sorted(own, key=lambda number: not made[number].has_value):
        answer = made[number]
        then = with_reads(seen, (one for one in made[: number + 1] if one.exchange.purpose not in WRITES))
        if answer.has_value or not exempting_state(then, case.key):
            later = takewhile(lambda one: one.exchange.purpose not in WRITES, made[number + 1 :])
            seen.look_at(answer)
            return [(replace(then, made={**seen.made, again(answer): tuple(later)}), answer)]
    return []


def last_looks(case: Case, seen: View) -> tuple[View, list[Answer]]:
    """The last looks at an entry until it was put back, and the appliance as it was then."""
    made = takewhile(
        lambda answer: answer.exchange.purpose not in WRITES or answer.exchange.key != case.key,
        seen.made_in(LAST_LOOK),
    )
    reads = [answer for answer in made if answer.exchange.purpose not in WRITES]
    return with_reads(seen, reads), [answer for answer in reads if answer.exchange.key == case.key]


def require_trust(seen: View) -> None:
    """Raises unless the appliance's answers mean anything.

    Raises:
        Inconclusive: when it gives values for keys that cannot exist (ADDR-UNKNOWNKEY).
    """
    if seen.answers_anything:
        raise Inconclusive(
            "the appliance gives values for keys that cannot exist, so its answers tell nothing"
            " (ADDR-UNKNOWNKEY)"
        )


def merge(parts: Iterable[Callable[[], str | None]]) -> str | None:
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
            judgements.append(judgement)
    for kind in (Deviation, Inconclusive):
        for judgement in judgements:
            if isinstance(judgement, kind):
                raise judgement
    if judgements and not notes:
        raise judgements[0]
    return "; ".join(filter(None, notes)) or None


def _judged_at(
    check: Callable[[Case, View, Answer], str | None], case: Case, seen: View, answer: Answer
) -> str | None:
    where = f"under /{answer.exchange.segment}/: " if case.subject.contested else ""
    try:
        note = check(case, seen, answer)
    except Judgement as judgement:
        judgement.finding, judgement.answer = where + judgement.finding, judgement.answer or answer
        raise
    return where + note if note else None


def _without_value(case: Case, seen: View) -> Judgement:
    """Why there is nothing to judge: what is broken is another clause's finding, never a second one here."""
    stands = [resolve(seen, case.subject, answer) for answer in seen.answers(case.subject)]
    known = next((support for support in stands if support.standing != "unsupported"), None)
    return without_value(known, "no value to judge: ") if known else without_value(stands[0])
