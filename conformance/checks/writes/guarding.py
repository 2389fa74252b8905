"""SET and RANGE: what must have no effect when it is written (lines 7, 22, 23, 28, 165 to 175).

The read-back judges, never the answer to the write: a server may refuse, ignore, clamp or coerce as it likes.
"""

from collections.abc import Iterator, Sequence
from functools import partial

from msgspec.structs import replace

from catalog.model import Entry
from conformance.checks.answer import Answer, in_order
from conformance.checks.case import Case
from conformance.checks.groups import Group, guard_group, in_each_state
from conformance.checks.traces.expecting import Expecting
from conformance.checks.traces.standing import have_stood, wrong_reads
from conformance.checks.traces.trace import Attempt, attempts, in_rows, opening
from conformance.checks.verdict import Inconclusive, NotApplicable
from conformance.checks.view import View, with_reads
from conformance.checks.writes.expected import own_key
from conformance.checks.writes.judging import Sentence
from conformance.checks.writes.requirements import not_to_be_put_back, require_served, require_settable
from conformance.checks.writes.working import require_working_write
from conformance.model.json_values import described
from conformance.model.states import write_exempting_state
from conformance.model.values import fits


def right_type(case: Case, seen: View) -> Sentence:
    """After a value of a wrong type was written, the value read has the right type (lines 22, 23)."""
    document = f"the type of the value is {case.subject.type}"
    return _guarded(case, seen, own_key.right_type, "of a wrong type", document)


def a_member(case: Case, seen: View) -> Sentence:
    """After a value outside the enumeration was written, the value read is one of its own (lines 23, 28)."""
    document = "the allowed values are the listed keys"
    return _guarded(case, seen, own_key.a_member, "outside the enumeration", document)


def inside(case: Case, seen: View) -> Sentence:
    """After a value outside the range was written, the value read lies inside (lines 23, 165 to 175)."""
    read = require_served(seen, case.key, *in_each_state(guard_group(case.key)))
    limits = seen.values(case.key, read).limits
    if limits is None:
        raise NotApplicable("no range is known", read)
    whose = "its own range" if case.subject.range is None else "the range"
    document = f"{whose} is {limits[0]:g} to {limits[1]:g}"
    return _guarded(case, seen, own_key.inside, "outside the range", document)


def _guarded(case: Case, seen: View, expects: Expecting, what: str, document: str) -> Sentence:
    """A sentence about the writes of a key that must have no effect; its value before must be right."""
    groups = in_each_state(guard_group(case.key))
    require_served(seen, case.key, *groups)
    found = [answer for answer in opening(seen, *groups) if answer.key == case.key]
    if not found or not found[-1].has_value:
        raise Inconclusive(
            f"not written: it {'was not read' if not found else f'answered {found[-1].words}'} before"
        )
    never_back = not_to_be_put_back(seen, case.subject, found[-1])
    if not _is_right(seen, case.subject, found[-1]):
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
    return Sentence(
        expects=expects,
        tried=list(with_later_reads(seen, case.subject, tried)),
        groups=groups,
        document=document,
        nothing=partial(Inconclusive, f"no value {what} was written"),
        beside=partial(require_working_write, seen, case.key),
    )


def with_later_reads(seen: View, entry: Entry, tried: Sequence[Attempt]) -> Iterator[Attempt]:
    """Forbidden writes of a key, each with what other procedures read as long as that was wrong."""
    settle_s = seen.profile.timing.settle_seconds(entry.key)
    later = seen.later_reads(entry.key)
    wrong = wrong_reads(
        seen, entry.key, later, lambda read: read.has_value and not _is_right(seen, entry, read)
    )
    for attempt in tried:
        own = [one for one in wrong if one.by is attempt.answer]
        after = tuple(in_order((*attempt.after, *(one.read for one in own))))
        yield replace(attempt, after=after, was_read_twice=have_stood(own, settle_s)) if own else attempt


def _attempts(case: Case, seen: View, group: Group) -> list[Attempt]:
    """The writes of the key of a case in one procedure; none where its value was not right before."""
    own = [answer for answer in opening(seen, group) if answer.key == case.key]
    is_right = bool(own) and _is_right(seen, case.subject, own[-1])
    return [*in_rows(attempts(seen, group, key=case.key))] if is_right else []


def _is_right(seen: View, entry: Entry, read: Answer) -> bool:
    """Whether a read shows a value that the key may have."""
    return read.has_value and seen.values(entry.key, read).is_right(read.value)
