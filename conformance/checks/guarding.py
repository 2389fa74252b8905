"""SET, STA and RANGE: what must have no effect when it is written (lines 7, 22, 23, 28, 84, 89, 165 to 175).

The read-back judges, never the answer to the write: a server may refuse, ignore, clamp or coerce as it likes.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from conformance.checks.answer import NOTHING, Answer
from conformance.checks.effects import bounds_of, reads_around, require_served, watched_for
from conformance.checks.enumerations import allowed
from conformance.checks.states import acting_state, range_exempting_state, write_exempting_state
from conformance.checks.trace import ALARM_CLOCK, attempts, guard_group, opening, overlaid, probe_group, same, settle_seconds, stated_step
from conformance.checks.value_types import fits, number
from conformance.checks.verdict import Inconclusive, NotApplicable
from conformance.checks.weighing import TIMES, Weighed, in_state, settle_weighed
from conformance.checks.wording import described, is_number, quoted

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from catalog.model import Entry
    from conformance.checks.case import Case
    from conformance.checks.groups import Group
    from conformance.checks.seen import Seen
    from conformance.checks.trace import Attempt

_QUIET_READS = 3
_CYCLES = 3
_TOLERANCE = 1e-6


def assert_type_guarded(case: Case, seen: Seen) -> str | None:
    """After a value of a wrong type was written, the value read has the type of the catalog and is one of its values (lines 22, 23)."""
    return _guarded(case, seen, weigh_type_guarded, what="of a wrong type", document=f"the type of the value is {case.subject.type}")


def weigh_type_guarded(seen: Seen, attempt: Attempt) -> Weighed | None:
    """What one attempt with a value of a wrong type says; None for a value of the right one."""
    entry = seen.catalog.entries[attempt.key]
    if fits(entry, attempt.value):
        return None
    return _by_read_back(attempt, f"wrote {described(attempt.value)}", violated=not _conforms(seen, entry, attempt.last()))


def assert_enumeration_guarded(case: Case, seen: Seen) -> str | None:
    """After a value outside the enumeration was written, the value read is one of its own (lines 23, 28)."""
    return _guarded(
        case, seen, weigh_enumeration_guarded, what="outside the enumeration", document="the allowed values are the listed keys"
    )


def weigh_enumeration_guarded(seen: Seen, attempt: Attempt) -> Weighed | None:
    """What one attempt with a text that is no value of the key says; None for one that is."""
    entry = seen.catalog.entries[attempt.key]
    if entry.type != "Enumeration" or not isinstance(attempt.value, str) or attempt.value in allowed(entry, seen.maker):
        return None
    last, wrote = attempt.last(), f"wrote {quoted(attempt.value)}"
    if attempt.last_read() and not _conforms(seen, entry, last) and not same(last, attempt.value):
        return Weighed("doubtful", f"{wrote}, {attempt.words}, then {quoted(last)} (ENUM clauses judge it)", attempt)
    return _by_read_back(attempt, wrote, violated=same(last, attempt.value))


def assert_out_of_range_without_effect(case: Case, seen: Seen) -> str | None:
    """After a value outside the range was written, the value read lies inside (lines 23, 165 to 175)."""
    read = require_served(seen, case.key, guard_group(case.key))
    limits = _limits(case.subject, read)
    if limits is None:
        raise NotApplicable("no range is known", read)
    document = f"{'its own range is' if case.subject.range is None else 'the range is'} {limits[0]:g} to {limits[1]:g}"
    return _guarded(case, seen, weigh_out_of_range, what="outside the range", document=document)


def weigh_out_of_range(seen: Seen, attempt: Attempt) -> Weighed | None:
    """What one attempt with a number outside the range says; None for one inside, or where no range is known."""
    entry = seen.catalog.entries[attempt.key]
    limits = _limits(entry, *reads_around(attempt))
    if limits is None or not fits(entry, attempt.value) or not _beyond(limits, attempt.value):
        return None
    wrote = f"wrote {quoted(attempt.value)}, {attempt.words}"
    reads = [read for read in attempt.reads() if read.has_value]
    if not reads or attempt.last() is NOTHING:
        return Weighed("doubtful", f"{wrote}; then {_unread(attempt)}", attempt)
    words = f"{wrote}, then {quoted(reads[-1].value)}"
    if not fits(entry, reads[-1].value):
        return Weighed("doubtful", f"{words}, which TYPE clauses judge", attempt)
    if not _beyond(limits, reads[-1].value):
        ran_in = entry.key == ALARM_CLOCK and any(_beyond(limits, read.value) for read in reads)
        return Weighed("doubtful" if ran_in else "holds", words, attempt)
    state = range_exempting_state(attempt.seen_after(seen), attempt.key)
    if state and not same(reads[-1].value, attempt.value):
        return Weighed("doubtful", f"{words} while {state}", attempt, state)
    doubt = _doubt_outside(seen, attempt, limits, reads)
    return Weighed("doubtful" if doubt else "contradicts", f"{words}{doubt}" if doubt else f"{words} for {watched_for(attempt)}", attempt)


def _doubt_outside(seen: Seen, attempt: Attempt, limits: tuple[float, float], reads: list[Answer]) -> str:
    """Why a value outside its range does not contradict; empty where it does."""
    last, entry = reads[-1].value, seen.catalog.entries[attempt.key]
    step = stated_step(seen, entry, *reads)
    if step is not None and _beyond(limits, last) <= step / 2 + _TOLERANCE:
        return f"; that may be rounding, the step is {step:g}"
    stood = all(_beyond(limits, read.value) for read in reads) and attempt.is_settled(settle_seconds(seen, attempt.key))
    return "" if stood else ", but not for the whole settle time"


def assert_status_read_only(case: Case, seen: Seen) -> str | None:
    """A written status keeps its value, whatever the answer was (lines 7, 84)."""
    group = probe_group(case.key)
    tried = _probed(case, seen)
    weighed = [found for attempt in tried if (found := weigh_status_read_only(seen, attempt))]
    against = [one for one in weighed if one.weight == "contradicts"]
    if against and not any(not same(one.attempt.value, other.attempt.value) for one, other in combinations(against, 2)):
        raise Inconclusive(f"{against[-1].words}, but not the opposite value as well", against[-1].shown)
    return settle_weighed(seen, weighed, group, otherwise="no other value was written", document="statuses are read-only states")


def weigh_status_read_only(seen: Seen, attempt: Attempt) -> Weighed | None:
    """What one attempt to write a status says; None where it had the written value already."""
    before = {segment: answer for (owner, segment, key), answer in attempt.before.items() if (owner, key) == (attempt.ha_id, attempt.key)}
    reads = [read for read in attempt.reads() if (old := before.get(read.exchange.segment)) and not same(old.value, attempt.value)]
    wrote = f"wrote {quoted(attempt.value)} to {attempt.key} under /{attempt.segment}/, {attempt.words}"
    shown = next((read for read in reads if read.has_value and same(read.value, attempt.value)), None)
    if shown:
        return Weighed("contradicts", f"{wrote}, and it reads back under /{shown.exchange.segment}/", attempt, about=(shown,))
    if before and all(same(old.value, attempt.value) for old in before.values()):
        return None
    unread = not reads or not all(read.has_value for read in reads)
    if unread:
        return Weighed("doubtful", f"{wrote}; then {_unread(attempt)}", attempt)
    moved = next((read for read in reads if not same(read.value, before[read.exchange.segment].value)), None)
    if moved:
        return Weighed("doubtful", f"{wrote}, then {quoted(moved.value)}, which nobody wrote", attempt)
    settled = attempt.is_settled(settle_seconds(seen, attempt.key))
    return Weighed("holds" if settled else "doubtful", f"{wrote}, still {quoted(reads[-1].value)} after {watched_for(attempt)}", attempt)


def assert_start_only_disabled(case: Case, seen: Seen) -> str | None:
    """RemoteControlStartAllowed does not become true by a write; it may become false by one (line 89)."""
    group = probe_group(case.key)
    found = require_served(seen, case.key, group)
    if found.value is True and not attempts(seen, group):
        raise NotApplicable("the value is true, and true is only written while it is false", found)
    weighed = [one for attempt in _probed(case, seen) if (one := weigh_start_only_disabled(seen, attempt))]
    # A person may allow the remote start at any moment: without an operator's word it takes one cycle more.
    times = TIMES if _nobody_acted(seen, group) else _CYCLES
    document = "only disabling: it can become false by a programmatic change"
    return settle_weighed(seen, weighed, group, times=times, otherwise="true was not written while it was false", document=document)


def weigh_start_only_disabled(seen: Seen, attempt: Attempt) -> Weighed | None:
    """What one attempt to allow the remote start says; None where false was written, or where it was not false before."""
    if attempt.value is not True or attempt.old() is not False:
        return None
    wrote = f"wrote true under /{attempt.segment}/, {attempt.words}"
    values = [read.value for read in attempt.reads()]
    if not values or NOTHING in values:
        return Weighed("doubtful", f"{wrote}; then {_unread(attempt)}", attempt)
    if True not in values:
        return Weighed("holds", f"{wrote}, still false after {watched_for(attempt)}", attempt)
    stayed = all(value is True for value in values[values.index(True) :]) and attempt.is_settled(settle_seconds(seen, attempt.key))
    return Weighed("contradicts" if stayed else "doubtful", f"{wrote}, then true{'' if stayed else ' for a moment'}", attempt)


def _guarded(case: Case, seen: Seen, weigh: Callable[[Seen, Attempt], Weighed | None], *, what: str, document: str) -> str | None:
    """The verdict on the writes of a key that must have no effect; the value it was found with must itself be right."""
    group = guard_group(case.key)
    require_served(seen, case.key, group)
    found = [answer for answer in opening(seen, group) if answer.exchange.key == case.key]
    tried = [attempt for attempt in attempts(seen, group) if attempt.key == case.key and attempt.ha_id == seen.appliance.ha_id]
    if not found or not found[-1].has_value:
        raise Inconclusive(f"not written: it {'was not read' if not found else f'answered {found[-1].words}'} before")
    if not _conforms(seen, case.subject, found[-1].value, within=_limits(case.subject, found[-1])):
        raise Inconclusive(f"the value was {described(found[-1].value)} before anything was written (other clauses judge it)", found[-1])
    state = write_exempting_state(overlaid(seen, opening(seen, group)), case.key)
    if state and not tried:
        raise Inconclusive(f"not written while {state}", state=state)
    weighed = [one for attempt in tried if (one := weigh(seen, attempt))]
    if state:  # it may be the state that kept the value out; what is stored all the same is no less wrong
        weighed = [in_state(one, state) if one.weight == "holds" else one for one in weighed]
    return settle_weighed(seen, weighed, group, otherwise=f"no value {what} was written", document=document)


def _by_read_back(attempt: Attempt, wrote: str, *, violated: bool) -> Weighed:
    if not attempt.last_read() or attempt.last() is NOTHING:
        return Weighed("doubtful", f"{wrote}, {attempt.words}; then {_unread(attempt)}", attempt)
    words = f"{wrote}, {attempt.words}, then {described(attempt.last())}"
    return Weighed("contradicts" if violated else "holds", words, attempt)


def _conforms(seen: Seen, entry: Entry, value: object, *, within: tuple[float, float] | None = None) -> bool:
    """Whether a value has the type of the entry, is one of its values, and lies `within` a range where one is given."""
    if not fits(entry, value) or (entry.type == "Enumeration" and value not in allowed(entry, seen.maker)):
        return False
    return within is None or not is_number(value) or not _beyond(within, value)


def _limits(entry: Entry, *reads: Answer) -> tuple[float, float] | None:
    """The range that must hold: the common one of the Limits table, else the appliance's own; one that is merely narrower is no limit."""
    return (entry.range.min, entry.range.max) if entry.range else bounds_of(entry, *reads)


def _beyond(limits: tuple[float, float], value: object) -> float:
    """How far a number lies outside a range; 0 inside."""
    if not is_number(value):
        return 0.0
    distance = max(limits[0] - number(value), number(value) - limits[1])
    return distance if distance > _TOLERANCE else 0.0


def _unread(attempt: Attempt) -> str:
    """Why the value after a write is not known."""
    reads = attempt.reads()
    last = next((read for read in reversed(reads) if not read.has_value), None)
    return last.words if last else "it was not read again"


def _probed(case: Case, seen: Seen) -> Sequence[Attempt]:
    """The writes of a status, made only where it was quiet: three equal reads on each segment."""
    group = probe_group(case.key)
    require_served(seen, case.key, group)
    reads = [answer for answer in opening(seen, group) if answer.exchange.key == case.key]
    tried = [attempt for attempt in attempts(seen, group) if attempt.key == case.key]
    for segment in dict.fromkeys(read.exchange.segment for read in reads):
        values = [read.value for read in reads if read.exchange.segment == segment]
        if any(not same(value, values[0]) for value in values):
            raise Inconclusive(f"not quiet before the write: {' then '.join(quoted(value) for value in values)} under /{segment}/")
        if len(values) < _QUIET_READS:
            raise Inconclusive(f"read {len(values)} times before the write, too few to call it quiet")
    state = acting_state(overlaid(seen, opening(seen, group)), case.key)
    if not tried:
        raise Inconclusive(f"not written while {state}" if state else "not written in this run", state=state)
    return tried


def _nobody_acted(seen: Seen, group: Group) -> bool:
    """Whether an operator said that no person acted meanwhile."""
    return any(remark.purpose == "operator" and remark.note.get("said") == "yes" for remark in seen.remarks.get(group, ()))
