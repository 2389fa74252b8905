"""PWR: power moves by writes, along the listed edges, and is what is read then (lines 76-80, 125-133)."""

from collections.abc import Callable

from catalog.keys import POWER_STATE, short_name
from conformance.checks.case import Case
from conformance.checks.groups import POWER_ORDERS, WALK
from conformance.checks.premise import require_trust
from conformance.checks.reads.support import resolve, without_value
from conformance.checks.traces.evaluating import Evaluation, verdict_on
from conformance.checks.traces.trace import Attempt, attempts, opening
from conformance.checks.verdict import Inconclusive, NotApplicable
from conformance.checks.view import View, with_reads
from conformance.checks.writes.working import require_working_write
from conformance.model.json_values import NOTHING, quoted, same
from conformance.model.states import write_exempting_state

GROUPS = (WALK, POWER_ORDERS)


def assert_edge(case: Case, seen: View) -> str | None:
    """A write along a listed edge leads to the state that was written, on an appliance that has it."""
    require_power(case, seen)
    edge = next(edge for edge in seen.catalog.power_edges if edge.line in case.clause.lines)
    source, target = short_name(edge.source), short_name(edge.target)
    declared = seen.appliance.power_states
    missing = next(
        (state for state in (source, target) if declared is not None and state not in declared), None
    )
    if missing:
        raise NotApplicable(
            f"{missing} is not among the power states the profile declares ({', '.join(declared or ())})"
        )
    concerned = [attempt for attempt in attempts(seen, *GROUPS) if _is_along(seen, attempt, source, target)]
    unsupported = (
        source == "On" and declared is None and not _is_advertised(seen, target)
    )  # lines 130, 131; line 133 has no condition
    if (
        unsupported
        and concerned
        and all(attempt.is_refused and same(attempt.last(), attempt.old()) for attempt in concerned)
    ):
        raise NotApplicable(
            f"whether it supports {target} is not declared, and the write was refused: {concerned[-1].words}"
        )
    if declared is None and concerned and _is_denied(seen, target):
        raise NotApplicable(f"{target} is not among the power states that it advertises (PWR-UNSUPPORTED)")
    evaluations = [one for attempt in concerned if (one := evaluate_edge(seen, attempt))]
    if not concerned:
        require_start(seen)
        entered = [
            attempt
            for attempt in attempts(seen, *GROUPS)
            if attempt.key == POWER_STATE and short_name(attempt.value) == source
        ]
        blind = next(
            (attempt for attempt in entered if attempt.is_acknowledged and attempt.last() is NOTHING), None
        )
        if blind:
            raise Inconclusive(
                f"{source} was written, {blind.words}, and PowerState could not be read then", blind.answer
            )
        raise NotApplicable(f"{source} was never reached, so this transition was not tried")
    document = f"{target} (line {edge.line})"
    return verdict_on(
        seen, evaluations, *GROUPS, otherwise="this transition was not tried", document=document
    )


def evaluate_edge(seen: View, attempt: Attempt) -> Evaluation | None:
    """What one write along a listed edge says; None for a write along none."""
    source, target = short_name(attempt.old()), short_name(attempt.value)
    is_listed = any(
        (short_name(edge.source), short_name(edge.write)) == (source, target)
        for edge in seen.catalog.power_edges
    )
    if attempt.key != POWER_STATE or attempt.was_sent_again or not is_listed:
        return None
    told = f"wrote {target} from {source}, {attempt.words}"
    if same(attempt.last(), attempt.value):
        return Evaluation("holds", told, attempt)
    read = next(reversed(attempt.reads()), None)
    if read is None or not read.has_value:
        return Evaluation(
            "undecided",
            f"{told}; then PowerState {'was not read' if read is None else f'answered {read.words}'}",
            attempt,
        )
    told = f"{told}, PowerState is {quoted(read.value)}"
    state = write_exempting_state(attempt.seen_before(seen), POWER_STATE)
    if state:
        return Evaluation("undecided", f"{told}, while {state}", attempt, state)
    doubt = _doubt(seen, attempt, target)
    if doubt:
        return Evaluation("undecided", f"{told}{doubt}", attempt)
    settle = "" if attempt.is_refused else f" after {seen.profile.timing.power_settle_s:g} s"
    return Evaluation("contradicts", f"{told}{settle}", attempt)


def _doubt(seen: View, attempt: Attempt, target: str) -> str:
    """Why a write along an edge that did not lead to its state is undecided; empty if it contradicts."""
    stayed = same(attempt.last(), attempt.old())
    settle = seen.profile.timing.power_settle_s
    if attempt.is_refused:
        both = {short_name(attempt.old()), target} <= set(seen.appliance.power_states or ())
        return (
            "" if both and stayed else "; whether it can be written is not declared (appliance.power_states)"
        )
    if not attempt.is_acknowledged:
        return "; the write was not answered"
    if not attempt.is_settled(settle):
        return f", watched for {attempt.watched():.1f} s of {settle:g} s"
    supported = target == "On" or _is_supported(seen, target, stayed)
    return "" if supported else f"; whether it supports {target} is not declared (appliance.power_states)"


def assert_no_foreign_state(case: Case, seen: View) -> str | None:
    """A power write settles in the written state or the old one (interpretation I-10), never in a third."""
    require_power(case, seen)
    evaluations = [
        one
        for attempt in attempts(seen, *GROUPS)
        if not _is_unsupported(seen, attempt) and (one := evaluate_foreign(seen, attempt))
    ]
    if not evaluations:
        require_start(seen)
        raise NotApplicable("no power state beside the present one can be written")
    strayed = [
        one
        for one in evaluations
        if one.result == "contradicts" or (one.result == "undecided" and one.shown.has_value)
    ]
    document = "a write leads to the state that is written (lines 129 to 133)"
    held = verdict_on(
        seen, strayed or evaluations, *GROUPS, otherwise="no write of PowerState was made", document=document
    )
    require_working_write(seen, POWER_STATE)
    return held


def evaluate_foreign(seen: View, attempt: Attempt) -> Evaluation | None:
    """Whether one power write settled in a third state."""
    if attempt.key != POWER_STATE or attempt.old() is NOTHING:
        return None
    now, written = attempt.last(), short_name(attempt.value)
    wrote = f"wrote {written} from {short_name(attempt.old())}, {attempt.words}"
    reads = attempt.reads()
    if not reads or not reads[-1].has_value:
        return Evaluation("undecided", f"{wrote}; PowerState could not be read", attempt)
    told = f"{wrote}, PowerState is {quoted(now)}"
    if same(now, attempt.value) or same(now, attempt.old()):
        return Evaluation("holds", told, attempt)
    seen_before = any(
        same(attempt.value, one.last()) for one in attempts(seen, *GROUPS) if one is not attempt
    )
    if not attempt.is_settled(seen.profile.timing.power_settle_s):
        return Evaluation("undecided", f"{told}, not yet settled", attempt)
    if not (_is_supported(seen, written, stayed=True) or seen_before):
        return Evaluation("undecided", f"{told}; whether it supports {written} is not declared", attempt)
    return Evaluation("contradicts", told, attempt)


def note_standby_from_off(case: Case, seen: View) -> str:
    """PWR-OFF-STANDBY: what Standby that was written in Off led to; a third state alone is wrong."""
    return _note_unlisted(
        case, seen, lambda one: (short_name(one.old()), short_name(one.value)) == ("Off", "Standby")
    )


def note_present_state(case: Case, seen: View) -> str:
    """PWR-SELF: what writes of the present state led to; a third state alone is wrong."""
    return _note_unlisted(case, seen, lambda one: same(one.old(), one.value))


def _note_unlisted(case: Case, seen: View, is_meant: Callable[[Attempt], bool]) -> str:
    """What came of the writes that are meant, which the table does not list."""
    require_power(case, seen)
    concerned = [attempt for attempt in attempts(seen, *GROUPS) if is_meant(attempt)]
    if not concerned:
        raise NotApplicable("its power states do not lead to such a write")
    return "; ".join(
        f"{short_name(one.value)} in {short_name(one.old())}: {one.words}, then"
        f" {short_name(one.last()) or 'unreadable'}"
        for one in concerned
    )


def require_power(case: Case, seen: View, *, settable: bool = True) -> None:
    """Requires PowerState to be served, and not advertised as read-only where it is to be `settable`."""
    require_trust(seen)
    (answer,) = seen.answers(case.subject) if case.entry else (seen.read(POWER_STATE),)
    if answer is None or not answer.has_value:
        if answer is not None:
            raise without_value(resolve(seen, seen.catalog.entries[POWER_STATE], answer))
        raise Inconclusive("not asked in this run")
    if settable and answer.shown.is_read_only:
        raise NotApplicable("PowerState is advertised as read-only", answer)


def require_start(seen: View) -> None:
    """Says what kept the walk from beginning, if anything did."""
    reads = opening(seen, *GROUPS)
    state = write_exempting_state(with_reads(seen, reads), POWER_STATE)
    if state:
        raise Inconclusive(f"nothing was written while {state}", state=state)
    last = next((read for read in reversed(reads) if read.exchange.key == POWER_STATE), None)
    if last is None or not last.has_value:
        raise Inconclusive(
            f"nothing was written: PowerState {'was not read' if last is None else f'answered {last.words}'}"
        )
    if not seen.values(POWER_STATE).is_of(last.value):
        raise Inconclusive(
            f"nothing was written: PowerState is {quoted(last.value)}, which is no value of the document",
            last,
        )


def _is_along(seen: View, attempt: Attempt, source: str, target: str) -> bool:
    values = seen.values(POWER_STATE)
    known = values.is_of(attempt.old()) and values.is_of(attempt.value)
    return (
        attempt.key == POWER_STATE
        and known
        and (short_name(attempt.old()), short_name(attempt.value)) == (source, target)
    )


def _is_supported(seen: View, state: str, stayed: bool) -> bool:
    """Whether a power state is shown to be supported; a write of it shows that only if it is declared."""
    return state in (seen.appliance.power_states or ()) or (stayed and _is_advertised(seen, state))


def _is_unsupported(seen: View, attempt: Attempt) -> bool:
    """Whether a state was written that the profile denies, or else the list of the answer."""
    state, declared = short_name(attempt.value), seen.appliance.power_states
    return state not in declared if declared is not None else _is_denied(seen, state)


def _is_denied(seen: View, state: str) -> bool:
    """Whether a list of power states is advertised, and a state is not on it."""
    answer = seen.read(POWER_STATE)
    return bool(answer and answer.shown.listed) and not _is_advertised(seen, state)


def _is_advertised(seen: View, state: str) -> bool:
    answer = seen.read(POWER_STATE)
    return answer is not None and state in map(short_name, answer.shown.listed)
