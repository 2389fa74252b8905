"""SET, STA and RANGE: what must have no effect when it is written (lines 7, 22, 23, 28, 84, 89, 165 to 175).

The read-back judges, never the answer to the write: a server may refuse, ignore, clamp or coerce as it likes.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import takewhile

from msgspec.structs import replace

from catalog.keys import ALARM_CLOCK, short_name
from catalog.model import Entry
from conformance.checks.answer import Answer
from conformance.checks.case import Case
from conformance.checks.groups import Group, guard_group, in_each_state
from conformance.checks.traces.evaluating import Evaluation, undecided_in, verdict_on
from conformance.checks.traces.quiet import quiet_seconds
from conformance.checks.traces.standing import have_stood, wrong_reads
from conformance.checks.traces.trace import CLOCK_TOLERANCE_S, Attempt, attempts, opening, values_around
from conformance.checks.verdict import Inconclusive, NotApplicable
from conformance.checks.view import View, with_reads
from conformance.checks.writes.effects import undecided, watched_for
from conformance.checks.writes.requirements import not_to_be_put_back, require_served, require_settable
from conformance.checks.writes.working import require_working_write
from conformance.model.json_values import NOTHING, described, quoted, same
from conformance.model.states import range_exempting_state, write_exempting_state
from conformance.model.values import TOLERANCE, beyond, fits


def assert_type_guarded(case: Case, seen: View) -> str | None:
    """After a value of a wrong type was written, the value read has the right type (lines 22, 23)."""
    return _guarded(
        case,
        seen,
        evaluate_type_guarded,
        what="of a wrong type",
        document=f"the type of the value is {case.subject.type}",
    )


def evaluate_type_guarded(seen: View, attempt: Attempt) -> Evaluation | None:
    """What one attempt with a value of a wrong type says; None for a value of the right one."""
    entry = seen.catalog.entries[attempt.key]
    if fits(entry, attempt.value):
        return None
    return _by_read_back(
        attempt,
        f"wrote {described(attempt.value)} to {short_name(entry.key)}",
        violated=not seen.values(entry.key).is_of(attempt.last()),
    )


def evaluate_left_type(seen: View, attempt: Attempt) -> Evaluation:
    """What one attempt with any value says of the type of what reads back."""
    entry = seen.catalog.entries[attempt.key]
    violated = not fits(entry, attempt.last())
    wrote = f"wrote {described(attempt.value)} to {short_name(entry.key)}"
    return evaluate_type_guarded(seen, attempt) or _by_read_back(attempt, wrote, violated=violated)


def assert_enumeration_guarded(case: Case, seen: View) -> str | None:
    """After a value outside the enumeration was written, the value read is one of its own (lines 23, 28)."""
    return _guarded(
        case,
        seen,
        evaluate_enumeration_guarded,
        what="outside the enumeration",
        document="the allowed values are the listed keys",
    )


def evaluate_enumeration_guarded(seen: View, attempt: Attempt) -> Evaluation | None:
    """What one attempt with a text that is no value of the key says; None for one that is."""
    entry = seen.catalog.entries[attempt.key]
    if (
        entry.type != "Enumeration"
        or not isinstance(attempt.value, str)
        or seen.values(entry.key).is_of(attempt.value)
    ):
        return None
    last, wrote = attempt.last(), f"wrote {quoted(attempt.value)} to {short_name(entry.key)}"
    if attempt.last_read() and not seen.values(entry.key).is_of(last) and not same(last, attempt.value):
        return Evaluation(
            "undecided", f"{wrote}, {attempt.words}, then {quoted(last)} (ENUM clauses judge it)", attempt
        )
    return _by_read_back(attempt, wrote, violated=same(last, attempt.value))


def assert_out_of_range_without_effect(case: Case, seen: View) -> str | None:
    """After a value outside the range was written, the value read lies inside (lines 23, 165 to 175)."""
    read = require_served(seen, case.key, *in_each_state(guard_group(case.key)))
    limits = seen.values(case.key, read).limits
    if limits is None:
        raise NotApplicable("no range is known", read)
    document = (
        f"{'its own range is' if case.subject.range is None else 'the range is'} {limits[0]:g} to"
        f" {limits[1]:g}"
    )
    return _guarded(case, seen, evaluate_out_of_range, what="outside the range", document=document)


def evaluate_out_of_range(seen: View, attempt: Attempt) -> Evaluation | None:
    """What one attempt with a number outside the range says; None inside it, or if no range is known."""
    entry = seen.catalog.entries[attempt.key]
    limits = values_around(seen, attempt).limits
    if limits is None or not fits(entry, attempt.value) or not beyond(limits, attempt.value):
        return None
    wrote = f"wrote {quoted(attempt.value)} to {short_name(entry.key)}, {attempt.words}"
    reads = [read for read in attempt.reads() if read.has_value]
    if not reads or attempt.last() is NOTHING:
        return Evaluation("undecided", f"{wrote}; then {why_unread(attempt)}", attempt)
    words = f"{wrote}, then {quoted(reads[-1].value)}"
    if not fits(entry, reads[-1].value):
        return Evaluation("undecided", f"{words}, which TYPE clauses judge", attempt)
    if not beyond(limits, reads[-1].value):
        ran_in = entry.key == ALARM_CLOCK and any(beyond(limits, read.value) for read in reads)
        return Evaluation("undecided" if ran_in else "holds", words, attempt)
    state = range_exempting_state(attempt.seen_after(seen), attempt.key)
    if state and not same(reads[-1].value, attempt.value):
        return Evaluation("undecided", f"{words} while {state}", attempt, state)
    doubt = _doubt_outside(seen, attempt, limits, reads)
    return Evaluation(
        "undecided" if doubt else "contradicts",
        f"{words}{doubt}" if doubt else f"{words} for {watched_for(attempt)}",
        attempt,
    )


def _doubt_outside(seen: View, attempt: Attempt, limits: tuple[float, float], reads: list[Answer]) -> str:
    """Why a value outside its range does not contradict; empty where it does."""
    last = reads[-1].value
    step = seen.values(attempt.key, *reads).stated_step
    if step is not None and beyond(limits, last) <= step / 2 + TOLERANCE:
        return f"; that may be rounding, the step is {step:g}"
    stays = list(takewhile(lambda read: beyond(limits, read.value), reversed(reads)))
    came = stays[-1] if len(stays) < len(reads) else attempt.answer  # it may come late, and has to stay
    stood = reads[-1].began - came.ended >= quiet_seconds(seen, attempt) - CLOCK_TOLERANCE_S
    return "" if stood else ", but not for the whole settle time"


def _guarded(
    case: Case,
    seen: View,
    evaluate: Callable[[View, Attempt], Evaluation | None],
    *,
    what: str,
    document: str,
) -> str | None:
    """The verdict on the writes of a key that must have no effect; its value before must be right."""
    groups = in_each_state(guard_group(case.key))
    require_served(seen, case.key, *groups)
    found = [answer for answer in opening(seen, *groups) if answer.exchange.key == case.key]
    if not found or not found[-1].has_value:
        raise Inconclusive(
            f"not written: it {'was not read' if not found else f'answered {found[-1].words}'} before"
        )
    never_back = not_to_be_put_back(seen, case.subject, found[-1])
    if not _is_right(case, seen, found[-1]):
        was = f"the value was {described(found[-1].value)} before anything was written"
        is_of_its_type = fits(case.subject, found[-1].value)
        reason = never_back if is_of_its_type else f"{was} (other clauses judge it)"
        raise Inconclusive(reason, found[-1])
    tried = [attempt for group in groups for attempt in _attempts(case, seen, group)]
    if not tried:
        require_settable(seen, case.key, *groups)
        if never_back:
            raise Inconclusive(never_back, found[-1])
    state = write_exempting_state(with_reads(seen, opening(seen, *groups)), case.key)
    if state and not tried:
        raise Inconclusive(f"not written while {state}", state=state)
    evaluations = [
        _held_by_a_state(seen, one) for one in evaluate_with_later_reads(seen, case.subject, tried, evaluate)
    ]
    evaluations = [
        undecided(one, "which an earlier write had written") if _is_of_another(one, tried) else one
        for one in evaluations
    ]
    held = verdict_on(seen, evaluations, *groups, otherwise=f"no value {what} was written", document=document)
    require_working_write(seen, case.key)
    return held


def evaluate_with_later_reads(
    seen: View,
    entry: Entry,
    tried: Sequence[Attempt],
    evaluate: Callable[[View, Attempt], Evaluation | None],
) -> Iterator[Evaluation]:
    """What forbidden writes of a key say, each with what other procedures read as long as that was wrong."""
    settle_s = seen.profile.timing.settle_seconds(entry.key)
    wrong = wrong_reads(seen, entry.key, seen.later_reads(entry.key), partial(_is_wrong, seen, entry))
    for attempt in tried:
        own = [one for one in wrong if one.by is attempt.answer]
        reads = {read.exchange.n: read for read in (*attempt.after, *(one.read for one in own))}
        whole = replace(attempt, after=tuple(reads[number] for number in sorted(reads))) if own else attempt
        if one := evaluate(seen, whole):
            yield replace(one, stood=have_stood(own, settle_s))


def _attempts(case: Case, seen: View, group: Group) -> list[Attempt]:
    """The writes of the key of a case in one procedure; none where its value was not right before."""
    own = [answer for answer in opening(seen, group) if answer.exchange.key == case.key]
    tried = attempts(seen, group) if own and _is_right(case, seen, own[-1]) else []
    return [attempt for attempt in tried if (attempt.key, attempt.ha_id) == (case.key, seen.appliance.ha_id)]


def _is_right(case: Case, seen: View, read: Answer) -> bool:
    """Whether a read shows a value that the key may have."""
    return read.has_value and seen.values(case.key, read).is_right(read.value)


def _is_wrong(seen: View, entry: Entry, read: Answer) -> bool:
    """Whether a read shows a value that the key may not have."""
    return read.has_value and not seen.values(entry.key, read).is_right(read.value)


def _held_by_a_state(seen: View, one: Evaluation) -> Evaluation:
    """It may be a state that kept the value out; what is stored all the same is no less wrong."""
    state = (
        write_exempting_state(one.attempt.seen_before(seen), one.attempt.key)
        if one.result == "holds"
        else None
    )
    return undecided_in(one, state) if state else one


def _is_of_another(one: Evaluation, tried: Sequence[Attempt]) -> bool:
    """Whether what contradicts is the value of an earlier write, which had not been waited for."""
    last, written = one.attempt.last(), one.attempt.answer
    if one.result != "contradicts" or same(last, one.attempt.value):
        return False
    return any(
        same(last, other.value) for other in takewhile(lambda other: other.answer is not written, tried)
    )


def _by_read_back(attempt: Attempt, wrote: str, *, violated: bool) -> Evaluation:
    if not attempt.last_read() or attempt.last() is NOTHING:
        return Evaluation("undecided", f"{wrote}, {attempt.words}; then {why_unread(attempt)}", attempt)
    words = f"{wrote}, {attempt.words}, then {described(attempt.last())}"
    return Evaluation("contradicts" if violated else "holds", words, attempt)


def why_unread(attempt: Attempt) -> str:
    """Why the value after a write is not known."""
    reads = attempt.reads()
    last = next((read for read in reversed(reads) if not read.has_value), None)
    return last.words if last else "it was not read again"
