"""STA: a written status keeps its value; RemoteControlStartAllowed can only be disabled (lines 7, 84, 89)."""

from collections.abc import Sequence
from itertools import combinations

from msgspec.structs import replace

from conformance.checks.answer import Answer
from conformance.checks.case import Case
from conformance.checks.exchange import WRITES
from conformance.checks.groups import Group, in_each_state, probe_group
from conformance.checks.traces.evaluating import TIMES, Evaluation, verdict_on
from conformance.checks.traces.quiet import quiet_seconds
from conformance.checks.traces.trace import Attempt, attempts, opening, tries_to_put_back
from conformance.checks.verdict import Inconclusive, NotApplicable
from conformance.checks.view import View, with_reads
from conformance.checks.writes.effects import watched_for
from conformance.checks.writes.guarding import why_unread
from conformance.checks.writes.requirements import require_served
from conformance.checks.writes.working import require_any_working_write
from conformance.model.json_values import NOTHING, is_number, number, quoted, same
from conformance.model.states import closing_state

QUIET_READS = 3
_CYCLES = 3
_FAR = 10
"""Further than a count or a percentage moves while it is watched."""


def assert_status_read_only(case: Case, seen: View) -> str | None:
    """A written status keeps its value, whatever the answer was (lines 7, 84)."""
    groups = in_each_state(probe_group(case.key))
    tried = [_with_late_reads(seen, attempt) for attempt in _probed(case, seen)]
    evaluations = [found for attempt in tried if (found := evaluate_status_read_only(seen, attempt))]
    if any(one.result == "contradicts" for one in evaluations):
        # a try to put back is the write of another value
        back = (_with_late_reads(seen, attempt) for attempt in tries_to_put_back(seen, case.key))
        found = [one for attempt in back if (one := evaluate_status_read_only(seen, attempt))]
        evaluations += [one for one in found if one.result == "contradicts"]
    against = [one for one in evaluations if one.result == "contradicts"]
    # by nature no number moves far, and to just the one that was written: once is enough
    times = 1 if any(map(_moved_far, against)) else TIMES
    if (
        against
        and times > 1
        and not any(
            not same(one.attempt.value, other.attempt.value) for one, other in combinations(against, 2)
        )
    ):
        raise Inconclusive(f"{against[-1].words}, but not the opposite value as well", against[-1].shown)
    held = verdict_on(
        seen,
        evaluations,
        *groups,
        times=times,
        otherwise="no other value was written",
        document="statuses are read-only states",
    )
    require_any_working_write(seen)
    return held


def _with_late_reads(seen: View, attempt: Attempt) -> Attempt:
    """The attempt with what was read later, where its value came within the settle time."""
    settle_s, written = seen.profile.timing.settle_seconds(attempt.key), attempt.answer
    later = (one for one in seen.told if one.exchange.n > written.exchange.n and one.has_value)
    reads = (one for one in later if one.exchange.key == attempt.key and one.exchange.purpose not in WRITES)
    soon = (one for one in reads if one.began - written.ended <= settle_s)
    came = next((read for read in soon if same(read.value, attempt.value)), None)
    whole = {read.exchange.n: read for read in (*attempt.after, *([came] if came else ()))}
    return replace(attempt, after=tuple(whole[number] for number in sorted(whole)))


def _moved_far(one: Evaluation) -> bool:
    """Whether a number was written that is far from the one before."""
    old, written = one.attempt.old(), one.attempt.value
    return is_number(old) and is_number(written) and abs(number(old) - number(written)) > _FAR


def evaluate_status_read_only(seen: View, attempt: Attempt) -> Evaluation | None:
    """What one attempt to write a status says; None where it had the written value already."""
    before = {
        segment: answer
        for (owner, segment, key), answer in attempt.before.items()
        if (owner, key) == (attempt.ha_id, attempt.key)
    }
    reads = [
        read
        for read in attempt.reads()
        if (old := before.get(read.exchange.segment)) and not same(old.value, attempt.value)
    ]
    wrote = f"wrote {quoted(attempt.value)} to {attempt.key} under /{attempt.segment}/, {attempt.words}"
    shown = next((read for read in reads if read.has_value and same(read.value, attempt.value)), None)
    if shown:
        return Evaluation(
            "contradicts",
            f"{wrote}, and it reads back under /{shown.exchange.segment}/",
            attempt,
            about=(shown,),
        )
    if before and all(same(old.value, attempt.value) for old in before.values()):
        return None
    unread = not reads or not all(read.has_value for read in reads)
    if unread:
        return Evaluation("undecided", f"{wrote}; then {why_unread(attempt)}", attempt)
    moved = next((read for read in reads if not same(read.value, before[read.exchange.segment].value)), None)
    if moved:
        return Evaluation("undecided", f"{wrote}, then {quoted(moved.value)}, which nobody wrote", attempt)
    settled = attempt.is_settled(quiet_seconds(seen, attempt))
    return Evaluation(
        "holds" if settled else "undecided",
        f"{wrote}, still {quoted(reads[-1].value)} after {watched_for(attempt)}",
        attempt,
    )


def assert_start_only_disabled(case: Case, seen: View) -> str | None:
    """RemoteControlStartAllowed does not become true by a write; it may become false by one (line 89)."""
    groups = in_each_state(probe_group(case.key))
    found = require_served(seen, case.key, *groups)
    if found.value is True and not attempts(seen, *groups):
        raise NotApplicable("the value is true, and true is only written while it is false", found)
    evaluations = [
        one for attempt in _probed(case, seen) if (one := evaluate_start_only_disabled(seen, attempt))
    ]
    # A person may allow the remote start at any moment: without an operator's word it takes one cycle more.
    times = TIMES if all(_nobody_acted(seen, group) for group in groups if seen.group(group)) else _CYCLES
    document = "only disabling: it can become false by a programmatic change"
    held = verdict_on(
        seen,
        evaluations,
        *groups,
        times=times,
        otherwise="true was not written while it was false",
        document=document,
    )
    require_any_working_write(seen)
    return held


def evaluate_start_only_disabled(seen: View, attempt: Attempt) -> Evaluation | None:
    """What one attempt to allow the remote start says; None unless it wrote true over false."""
    if attempt.value is not True or attempt.old() is not False:
        return None
    wrote = f"wrote true under /{attempt.segment}/, {attempt.words}"
    values = [read.value for read in attempt.reads()]
    if not values or NOTHING in values:
        return Evaluation("undecided", f"{wrote}; then {why_unread(attempt)}", attempt)
    if True not in values:
        return Evaluation("holds", f"{wrote}, still false after {watched_for(attempt)}", attempt)
    stayed = all(value is True for value in values[values.index(True) :]) and attempt.is_settled(
        quiet_seconds(seen, attempt)
    )
    return Evaluation(
        "contradicts" if stayed else "undecided",
        f"{wrote}, then true{'' if stayed else ' for a moment'}",
        attempt,
    )


def _probed(case: Case, seen: View) -> Sequence[Attempt]:
    """The writes of a status, which count only where it was quiet: three equal reads under its segment."""
    groups = in_each_state(probe_group(case.key))
    require_served(seen, case.key, *groups)
    for group in groups:
        _require_quiet(case, seen, group)
    tried = [attempt for attempt in attempts(seen, *groups) if attempt.key == case.key]
    if not tried:
        state = closing_state(with_reads(seen, opening(seen, *groups)), case.key)
        raise Inconclusive(f"not written while {state}" if state else "not written in this run", state=state)
    return tried


def _require_quiet(case: Case, seen: View, group: Group) -> None:
    """Requires that the reads before the writes of a procedure, if there are any, were equal."""
    reads = [answer for answer in opening(seen, group) if answer.exchange.key == case.key]
    for segment in dict.fromkeys(read.exchange.segment for read in reads):
        own = [read for read in reads if read.exchange.segment == segment]
        values = [read.value for read in own]
        if any(not same(value, values[0]) for value in values):
            raise Inconclusive(
                f"it moved before the write: {' then '.join(quoted(value) for value in values)} under"
                f" /{segment}/"
            )
        times = len(values) + equal_before(seen, own[0])
        if times < QUIET_READS:
            raise Inconclusive(
                f"read {times} times before the write, too few to know that it does not move by itself"
            )


def equal_before(seen: View, read: Answer) -> int:
    """How many reads of the series before all writes show what `read` does; 0 where one does not."""
    series = seen.group(read.series)
    return len(series) if all(same(one.value, read.value) for one in series) else 0


def _nobody_acted(seen: View, group: Group) -> bool:
    """Whether an operator said that no person acted meanwhile."""
    return any(
        remark.purpose == "operator" and remark.note.get("said") == "yes" for remark in seen.noted(group)
    )
