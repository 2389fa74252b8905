"""SET, RANGE: generated values near each type and range leave an allowed value, and the neighbours alone.

> data type is the type of the value

The values are judged as those of the guarded writes are: by what reads back, never by the answer to a write.
"""

from collections.abc import Sequence
from functools import partial

from catalog.keys import short_name
from catalog.loader import CATALOG
from conformance.checks.case import UNLISTED, Case, Omission
from conformance.checks.groups import Group
from conformance.checks.premise import require_trust
from conformance.checks.traces.expecting import Expecting
from conformance.checks.traces.trace import attempts, opening
from conformance.checks.verdict import Deviation, Inconclusive, Judgement, NotApplicable, NotTried
from conformance.checks.view import View, with_reads
from conformance.checks.writes.expected import other_keys, own_key
from conformance.checks.writes.expected.other_keys import watched_with
from conformance.checks.writes.judging import TWO_WRITES, Enough, Sentence, evaluated, verdict_of
from conformance.checks.writes.neighbours import moves_with
from conformance.checks.writes.requirements import require_working_write
from conformance.checks.writes.settings import OWN_KEY, forbidden_writes, with_later_reads
from conformance.model.states import ExemptingState, write_exempting_state

_WORST_FIRST = (Inconclusive, NotTried, NotApplicable)


def assert_edges_type_guarded(case: Case, seen: View) -> str:
    """After a generated value of any type, the value that reads back has the type of its entry."""
    return _guarded(case, seen, own_key.left_type, "the value has the type of its entry")


def assert_edges_enumeration_guarded(case: Case, seen: View) -> str:
    """After a generated text that is no member, a member of the enumeration reads back."""
    return _guarded(case, seen, own_key.a_member, "the allowed values are the listed keys")


def assert_edges_without_effect(case: Case, seen: View) -> str:
    """After a generated number outside the range, one inside it reads back."""
    return _guarded(case, seen, own_key.inside, "allowed values lie inside the range")


def assert_edges_only_target(case: Case, seen: View) -> str:
    """A generated value moves no setting but its own."""
    expects = partial(other_keys.neighbours_kept, needs_effect=False)
    held, _ = _joined(case, seen, expects, OWN_KEY, moves_with(seen))
    if held:
        return f"settings whose generated values left their neighbours as they were: {held}"
    watching = [group for group in case.groups if watched_with(seen, group.subject)]
    raise _untold(seen, watching, "no setting is served beside which another one is watched")


def _guarded(case: Case, seen: View, expects: Expecting, document: str) -> str:
    held, notes = _joined(case, seen, expects, document)
    if held:
        return "; ".join((f"settings that kept an allowed value: {held}", *notes))
    raise _untold(seen, case.groups, "no setting of this kind is served")


def _joined(
    case: Case, seen: View, expects: Expecting, document: str, enough: Enough = TWO_WRITES
) -> tuple[int, list[str]]:
    """How many settings the generated values left as they have to be, and what was noted of them.

    Raises:
        Judgement: what counts most: what contradicts, else the worst doubt where none is left so.
    """
    require_trust(seen)
    held, notes, doubts = 0, list[str](), list[Judgement]()
    for group in case.groups:
        entry = CATALOG.entries[group.subject]
        tried = forbidden_writes(seen, entry, group)
        said = Sentence(
            expects=expects,
            tried=sorted(with_later_reads(seen, entry, tried), key=lambda one: len(str(one.value))),
            groups=(group,),
            document=document,
            enough=enough,
            beside=partial(require_working_write, seen, group.subject),
        )
        evaluations = evaluated(seen, said)
        try:
            if evaluations:
                note = verdict_of(seen, said, evaluations)
                notes += [f"{short_name(group.subject)}: {note}"] if note else []
                held += 1
        except Deviation:
            raise
        except Judgement as doubt:
            if any(one.result == "contradicts" for one in evaluations):
                raise
            doubts.append(doubt)
    if doubts and not held:  # what was not learned counts before what was not tried
        raise min(reversed(doubts), key=lambda doubt: _WORST_FIRST.index(type(doubt)))
    return held, [*notes, *(doubt.finding for doubt in doubts[-1:])]


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
