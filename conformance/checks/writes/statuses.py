"""STA: a written status keeps its value; RemoteControlStartAllowed can only be disabled (lines 7, 84, 89)."""

from collections.abc import Sequence
from functools import partial
from itertools import pairwise, takewhile

from msgspec.structs import replace

from conformance.checks.answer import Answer, in_order
from conformance.checks.case import Case
from conformance.checks.groups import Group, in_each_state, probe_group
from conformance.checks.traces.expecting import Evaluation
from conformance.checks.traces.trace import (
    Attempt,
    attempts,
    in_rows,
    opening,
    reads_until,
    tries_to_put_back,
)
from conformance.checks.verdict import Inconclusive, NotApplicable
from conformance.checks.view import View, with_reads
from conformance.checks.writes.doubts import FAR_FOR_A_STATUS
from conformance.checks.writes.expected import own_key
from conformance.checks.writes.judging import TIMES, TWO_VALUES, Sentence, differ, times, where
from conformance.checks.writes.requirements import require_any_working_write, require_served
from conformance.model.couplings import may_bring
from conformance.model.json_values import is_number, number, quoted, same
from conformance.model.states import closing_state

QUIET_READS = 3
_CYCLES = 3


def read_only(case: Case, seen: View) -> Sentence:
    """A written status keeps its value, whatever the answer was (lines 7, 84)."""
    return Sentence(
        expects=own_key.a_status_kept,
        tried=[_with_late_reads(seen, attempt) for attempt in _probed(case, seen)],
        groups=in_each_state(probe_group(case.key)),
        document="statuses are read-only states",
        nothing=partial(Inconclusive, "no other value was written"),
        # a try to put back is the write of another value
        against=[_with_late_reads(seen, attempt) for attempt in tries_to_put_back(seen, case.key)],
        enough=_FAR_OR_TWO_VALUES,
        beside=partial(require_any_working_write, seen),
    )


def _with_late_reads(seen: View, attempt: Attempt) -> Attempt:
    """The attempt with what was read later, where its value came within the settle time.

    That is until something else was written that may bring it: the power state, or what moves the status.
    """
    settle_s, written = seen.profile.timing.settle_seconds(attempt.key), attempt.answer
    reads = reads_until(seen, written, attempt.key, partial(_may_bring_it, key=attempt.key))
    soon = (one for one in reads if one.began - written.ended <= settle_s)
    came = next((read for read in soon if same(read.value, attempt.value)), None)
    return replace(attempt, after=tuple(in_order((*attempt.after, *([came] if came else ())))))


def _may_bring_it(written: str, key: str) -> bool:
    """Whether it is a write of another entry that may move one of a key."""
    return written != key and may_bring(written, key)


def _moved_far(one: Evaluation) -> bool:
    """Whether a number was written that is far from the one before."""
    old, written = one.attempt.old(), one.attempt.value
    return is_number(old) and is_number(written) and abs(number(old) - number(written)) > FAR_FOR_A_STATUS


_FAR_OR_TWO_VALUES = where(
    # by nature no number moves far, and to just the one that was written: once is enough
    lambda against, _held: any(map(_moved_far, against)) or differ(against),
    TWO_VALUES.lacking,
)


def only_disabled(case: Case, seen: View) -> Sentence:
    """RemoteControlStartAllowed does not become true by a write; it may become false by one (line 89)."""
    groups = in_each_state(probe_group(case.key))
    found = require_served(seen, case.key, *groups)
    if found.value is True and not attempts(seen, *groups):
        _require_never_allowed(seen, case.key)
        raise NotApplicable("the value is true, and true is only written while it is false", found)
    # A person may allow the remote start at any moment: without an operator's word it takes one cycle more.
    is_watched = all(_nobody_acted(seen, group) for group in groups if seen.group(group))
    return Sentence(
        expects=own_key.a_start_not_allowed,
        tried=_probed(case, seen),
        groups=groups,
        document="only disabling: it can become false by a programmatic change",
        nothing=partial(Inconclusive, "true was not written while it was false"),
        enough=times(TIMES if is_watched else _CYCLES),
        beside=partial(_require_only_disabled, case, seen),
    )


def _require_only_disabled(case: Case, seen: View) -> None:
    """Requires that some write works, and that no other one allowed the start."""
    require_any_working_write(seen)
    _require_never_allowed(seen, case.key)


def _require_never_allowed(seen: View, key: str) -> None:
    """Requires that the start did not become allowed though nothing here wrote that.

    A person may have allowed it, or the write of another entry.

    Raises:
        Inconclusive: when it did.
    """
    found = seen.read(key)
    told = [one for one in seen.told if one.key == key and (one.is_write or one.has_value)]
    for before, now in pairwise([*([found] if found else ()), *told]):
        if before.value is False and now.value is True:
            raise Inconclusive("it went from false to true, which nothing here wrote", now)


def _probed(case: Case, seen: View) -> Sequence[Attempt]:
    """The writes of a status, which count only where it was quiet: three equal reads under its segment."""
    groups = in_each_state(probe_group(case.key))
    require_served(seen, case.key, *groups)
    for group in groups:
        _require_quiet(case, seen, group)
    tried = [attempt for group in groups for attempt in in_rows(attempts(seen, group, key=case.key))]
    if not tried:
        state = closing_state(with_reads(seen, opening(seen, *groups)), case.key)
        raise Inconclusive(f"not written while {state}" if state else "not written in this run", state=state)
    return tried


def _require_quiet(case: Case, seen: View, group: Group) -> None:
    """Requires that the reads before the writes of a procedure, if there are any, were equal.

    Those after them that show the same count as well.
    """
    before = [read for read in opening(seen, group) if read.key == case.key]
    for segment in dict.fromkeys(read.segment for read in before):
        own = [read for read in before if read.segment == segment and not read.is_error]
        values = [read.value for read in own]
        if any(not same(value, values[0]) for value in values):
            raise Inconclusive(
                f"it moved before the write: {' then '.join(quoted(value) for value in values)} under"
                f" /{segment}/"
            )
        around = (equal_before(seen, read) + _equal_after(seen, group, read) for read in own[:1])
        times = len(values) + sum(around)
        if times < QUIET_READS:
            raise Inconclusive(
                f"read alike {times} of {QUIET_READS} times, too few to know that it does not move by itself"
            )


def _equal_after(seen: View, group: Group, read: Answer) -> int:
    """How many reads after the first write of a procedure show what `read` does, up to one that does not."""
    later = (one for one in seen.group(group)[len(opening(seen, group)) :] if not one.is_error)
    reads = (one for one in later if not one.is_write and one.place == read.place)
    return len([*takewhile(lambda one: same(one.value, read.value), reads)])


def equal_before(seen: View, read: Answer) -> int:
    """How many reads before all writes show what `read` does, from the last one back to the shared one."""
    shared = seen.read(read.key, read.segment)
    first = [one for one in (shared,) if one and one.exchange.group is None]  # not in a prepared state
    earlier = (*first, *seen.group(read.series))
    return len([*takewhile(lambda one: same(one.value, read.value), reversed(earlier))])


def _nobody_acted(seen: View, group: Group) -> bool:
    """Whether an operator said that no person acted meanwhile."""
    return any(
        remark.purpose == "operator" and remark.note.get("said") == "yes" for remark in seen.noted(group)
    )
