"""SET, RANGE: generated values near each type and range leave an allowed value, and the neighbours alone.

> data type is the type of the value

The values are judged as those of the guarded writes are: by what reads back, never by the answer to a write.
"""

from collections.abc import Callable, Iterator, Sequence

from catalog.keys import short_name
from conformance.checks.case import Case
from conformance.checks.groups import Group
from conformance.checks.permission import UNLISTED, Omission
from conformance.checks.premise import require_trust
from conformance.checks.traces.evaluating import (
    Evaluation,
    interference,
    undecided_while_others_act,
    verdict_on,
)
from conformance.checks.traces.trace import Attempt, attempts, opening
from conformance.checks.verdict import Deviation, Inconclusive, Judgement, NotApplicable, NotTried
from conformance.checks.view import View, with_reads
from conformance.checks.writes.guarding import (
    evaluate_enumeration_guarded,
    evaluate_left_type,
    evaluate_out_of_range,
    evaluate_with_later_reads,
)
from conformance.checks.writes.sharing import evaluate_only_target, reproduced, watched_with
from conformance.checks.writes.working import require_working_write
from conformance.model.states import ExemptingState, write_exempting_state

_OWN_KEY = "each setting has a key of its own"


def assert_edges_type_guarded(case: Case, seen: View) -> str:
    """After a generated value of any type, the value that reads back has the type of its entry."""
    return _guarded(case, seen, evaluate_left_type, "the value has the type of its entry")


def assert_edges_enumeration_guarded(case: Case, seen: View) -> str:
    """After a generated text that is no member, a member of the enumeration reads back."""
    return _guarded(case, seen, evaluate_enumeration_guarded, "the allowed values are the listed keys")


def assert_edges_without_effect(case: Case, seen: View) -> str:
    """After a generated number outside the range, one inside it reads back."""
    return _guarded(case, seen, evaluate_out_of_range, "allowed values lie inside the range")


def assert_edges_only_target(case: Case, seen: View) -> str:
    """A generated value moves no setting but its own.

    Raises:
        Deviation: when a neighbour takes it or moves with it, as often as a finding needs.
        Inconclusive: when one moved, but not so often, or nothing was learned.
    """
    require_trust(seen)
    held, doubts = 0, list[Judgement]()
    for group, tried in _written(case, seen):
        evaluations = [
            undecided_while_others_act(seen, found)
            for attempt in tried
            if (found := evaluate_only_target(seen, attempt, needs_effect=False))
        ]
        against = [one for one in evaluations if one.result == "contradicts"]
        if against:
            _require_nobody_acts(seen, group, against[-1])
            shown = reproduced(seen, [one.attempt for one in against], watched_with(seen, group.subject))
            if shown:
                raise Deviation(f"{shown.words}; document says {_OWN_KEY}", shown.shown)
            raise Inconclusive(
                f"{against[-1].words}, but not with each of two writes and back", against[-1].shown
            )
        if any(one.result == "holds" for one in evaluations):
            try:
                require_working_write(seen, group.subject)
                held += 1
            except Judgement as doubt:
                doubts.append(doubt)
    if not held:
        if doubt := _worst(doubts):
            raise doubt
        watching = [group for group in case.groups if watched_with(seen, group.subject)]
        raise _untold(seen, watching, "no setting is served beside which another one is watched")
    return f"generated values of {held} settings left their neighbours as they were"


def _guarded(
    case: Case, seen: View, evaluate: Callable[[View, Attempt], Evaluation | None], document: str
) -> str:
    """The verdict of the generated values of all settings together: the worst one of a setting counts."""
    require_trust(seen)
    held, notes, doubts = 0, list[str](), list[Judgement]()
    for group, tried in _written(case, seen):
        name = short_name(group.subject)
        entry = seen.catalog.entries[group.subject]
        evaluations = list(evaluate_with_later_reads(seen, entry, tried, evaluate))
        evaluations.sort(key=lambda one: len(str(one.attempt.value)))
        try:
            if evaluations:
                note = verdict_on(seen, evaluations, group, otherwise="", document=document)
                require_working_write(seen, group.subject)
                notes += [f"{name}: {note}"] if note else []
                held += 1
        except Deviation:
            raise
        except Judgement as doubt:
            if any(one.result == "contradicts" for one in evaluations):
                raise
            doubts.append(doubt)
    if held:
        notes += [doubt.finding for doubt in doubts[-1:]]
        return "; ".join((f"{held} settings kept an allowed value", *notes))
    raise _worst(doubts) or _untold(seen, case.groups, "no setting of this kind is served")


def _worst(doubts: Sequence[Judgement]) -> Judgement | None:
    """The last of some doubts that says the most: what was not learned counts before what was not tried."""
    for kind in (Inconclusive, NotTried, NotApplicable):
        if found := [doubt for doubt in doubts if isinstance(doubt, kind)]:
            return found[-1]
    return None


def _untold(seen: View, groups: Sequence[Group], nothing: str) -> Judgement:
    """Why no generated value is judged: `nothing` says that there is none to write to, or none decides."""
    served = [group for group in groups if seen.value(group.subject) is not None]
    if not served:
        return NotApplicable(nothing)
    locked = [state for group in served if not attempts(seen, group) and (state := _state(seen, group))]
    if locked:
        return Inconclusive(f"not written while {locked[0]}", state=locked[0])
    if not any(seen.profile.may_write(group.subject) for group in served):
        return NotTried(UNLISTED)
    return NotTried(Omission("no value was drawn that decides anything", "pace.generated_writes"))


def _state(seen: View, group: Group) -> ExemptingState | None:
    """The state that kept a setting from being written, once it had been read for that."""
    read = opening(seen, group)
    return write_exempting_state(with_reads(seen, read), group.subject) if read else None


def _written(case: Case, seen: View) -> Iterator[tuple[Group, list[Attempt]]]:
    """The attempts of each setting whose value was allowed before."""
    for group in case.groups:
        entry = seen.catalog.entries[group.subject]
        found = [answer for answer in opening(seen, group) if answer.exchange.key == entry.key]
        last = found[-1] if found else None
        if last and last.has_value and seen.values(entry.key, last).is_right(last.value):
            yield group, [one for one in attempts(seen, group) if one.key == entry.key]


def _require_nobody_acts(seen: View, group: Group, worst: Evaluation) -> None:
    acting = interference(seen, group)
    if acting:
        raise Inconclusive(f"{worst.words}; meanwhile {acting}", worst.shown)
