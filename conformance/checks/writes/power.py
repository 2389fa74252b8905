"""PWR: power moves by writes, along the listed edges, and is what is read then (lines 76-80, 125-133)."""

from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise

from catalog.keys import OPERATION_STATE, POWER_STATE, short_name
from catalog.loader import CATALOG
from catalog.model import PowerEdge
from conformance.checks.case import UNDECLARED, UNLISTED, Case, Omission, below
from conformance.checks.groups import POWER_ORDERS, WALK
from conformance.checks.traces.effects import not_taken_later
from conformance.checks.traces.expecting import Evaluation
from conformance.checks.traces.trace import Attempt, attempts, opening, tries_to_put_back
from conformance.checks.verdict import Deviation, Inconclusive, Judgement, NotApplicable, NotTried
from conformance.checks.view import View, with_reads
from conformance.checks.writes.expected import power_moves
from conformance.checks.writes.expected.power_moves import (
    advertised_states,
    is_unsupported,
    unsupported_states,
)
from conformance.checks.writes.judging import Sentence, evaluated, times, verdict_of
from conformance.checks.writes.requirements import require_served, require_settable, require_working_write
from conformance.model.json_values import NOTHING, quoted, same
from conformance.model.states import write_exempting_state
from conformance.profiles.model import Profile

GROUPS = (WALK, POWER_ORDERS)
_NOWHERE = "no power state beside the present one can be written"
_UNPROBED = Omission("power states that the appliance does not support are not tried", "power.probe_unlisted")
_UNKNOWN = Omission("which power states it supports is not declared", "appliance.power_states")


def edge(case: Case, seen: View) -> Sentence:
    """A write along a listed edge leads to the state that was written, on an appliance that has it."""
    require_settable(seen, case.key)
    moved = next(edge for edge in CATALOG.power_edges if edge.line in case.clause.lines)
    source, target = short_name(moved.source), short_name(moved.target)
    declared = seen.appliance.power_states
    if declared is not None and (missing := [one for one in (source, target) if one not in declared]):
        known = f"the power states the profile declares ({', '.join(declared)})"
        raise NotApplicable(f"{missing[0]} is not among {known}")
    tried, tries = attempts(seen, *GROUPS), tries_to_put_back(seen, POWER_STATE)
    concerned, put_back = (
        [one for one in made if power_moves.is_along(moved, seen, one)]
        for made in (tried, not_taken_later(seen, tries, (*tried, *tries)))
    )
    put_back = [one for one in put_back if not _is_lost_to_others(seen, one)]
    if declared is None and concerned:
        _require_support(seen, source, target, concerned)
    return Sentence(
        expects=partial(power_moves.along, moved),
        tried=concerned,
        groups=GROUPS,
        document=f"{target} (line {moved.line})",
        against=put_back,
        nothing=partial(_untried, seen, moved),
    )


def _is_lost_to_others(seen: View, one: Attempt) -> bool:
    """Whether a state that had come was lost when another appliance may have ended it.

    That is one that was switched since, or before and within the settle time.
    """
    pairs = pairwise(read for read in one.reads() if read.has_value)
    lost = next(
        (now for was, now in pairs if same(was.value, one.value) and not same(now.value, one.value)), None
    )
    begin = one.answer.began - seen.profile.timing.settle_seconds(POWER_STATE)
    switches = (other for other in seen.all_writes if other.key == POWER_STATE and other.ha_id != one.ha_id)
    return lost is not None and any(begin <= other.began <= lost.ended for other in switches)


def _require_support(seen: View, source: str, target: str, tried: list[Attempt]) -> None:
    """Requires that nothing shows that an appliance lacks a state of which the profile says nothing.

    Lines 130 and 131 speak of support; line 133 has no condition.
    """
    refused = all(one.is_refused and same(one.last(), one.old()) for one in tried)
    listed = advertised_states(seen)
    if source == "On" and refused and target not in listed:
        words = tried[-1].words
        raise NotApplicable(
            f"whether it supports {target} is not declared, and the write was refused: {words}"
        )
    if listed and target not in listed:
        raise NotApplicable(f"{target} is not among the power states that it advertises (PWR-UNSUPPORTED)")


def _untried(seen: View, moved: PowerEdge) -> Judgement:
    """Why no write was made along an edge."""
    require_start(seen)
    source = short_name(moved.source)
    entered = [one for one in attempts(seen, *GROUPS) if short_name(one.value) == source]
    blind = next((one for one in entered if one.is_acknowledged and one.last() is NOTHING), None)
    if blind:
        return Inconclusive(
            f"{source} was written, {blind.words}, and PowerState could not be read then", blind.answer
        )
    return NotApplicable(f"{source} was never reached, so this transition was not tried")


def no_third_state(case: Case, seen: View) -> Sentence:
    """A power write settles in the written state or the old one (interpretation I-10), never in a third."""
    require_settable(seen, case.key)
    return Sentence(
        expects=power_moves.no_third_state,
        tried=[one for one in attempts(seen, *GROUPS) if not is_unsupported(seen, one.value)],
        groups=GROUPS,
        document="a write leads to the state that is written (lines 129 to 133)",
        nothing=partial(_unmoved, seen, NotApplicable(_NOWHERE)),
        beside=partial(require_working_write, seen, POWER_STATE),
        apart=_strayed,
    )


def _strayed(one: Evaluation) -> int:
    """The number of a write that led to a third state; 0 of all others."""
    strayed = one.result == "undecided" and one.shown.has_value
    return one.attempt.answer.n if strayed else 0


def _unmoved(seen: View, why: Judgement) -> Judgement:
    """Why no such write was made, once the walk could begin."""
    require_start(seen)
    return why


def in_agreement(case: Case, seen: View) -> Sentence:
    """After a settled power write PowerState agrees with OperationState: it is no mere echo of the write."""
    require_settable(seen, case.key)
    operation, made = seen.value(OPERATION_STATE), attempts(seen, *GROUPS)
    if not made:
        raise _unmoved(seen, NotApplicable(_NOWHERE))
    beside = (read for one in made for _, read in power_moves.pairs_after(one))
    if operation is None and not any(read.has_value for read in beside):  # as found it may be hidden
        raise Inconclusive(
            "OperationState gives no value, so nothing shows whether PowerState repeats what was written"
        )
    return _agreement([one for one in made if same(one.last(), one.value)])


def _agreement(tried: Sequence[Attempt]) -> Sentence:
    return Sentence(
        expects=power_moves.in_agreement,
        tried=tried,
        groups=GROUPS,
        document="PowerState is the current power state",
        nothing=partial(Inconclusive, "no write of PowerState took effect, so there is nothing to compare"),
        enough=times(1),
    )


def judge_after_writes(seen: View, operation: str) -> bool:
    """Whether power writes showed `operation`, and always with the power state it means.

    Raises:
        Judgement: when it stood with another power state, or nothing was learned of it.
    """
    said = _agreement(attempts(seen, *GROUPS))
    told = [one for one in evaluated(seen, said) if short_name(one.shown.value) == operation]
    # remote control may end with the power state: that is no doubt about what holds
    if any(one.result != "holds" for one in told):
        verdict_of(seen, said, told)
    return bool(told)


def unprobed(profile: Profile) -> Omission | None:
    """Why no unsupported state is written, whatever the level; None where one is."""
    if not profile.power.probe_unlisted:
        return _UNPROBED
    if profile.write is None:
        return UNDECLARED
    return None if profile.may_write(POWER_STATE) else UNLISTED


def not_reached(case: Case, seen: View) -> Sentence:
    """It is not found in a state that is not declared, and a write of an unsupported one has no effect.

    Raises:
        Deviation: when it is found in such a state.
    """
    found = require_served(seen, case.key)
    declared = seen.appliance.power_states
    if declared is not None and is_unsupported(seen, found.value):
        raise Deviation(
            f"PowerState is {quoted(found.value)}, and the appliance supports {', '.join(declared)} alone"
            " (appliance.power_states)",
            found,
        )
    require_settable(seen, case.key)
    if not unsupported_states(seen):
        if seen.values(case.key, found).offered:
            raise NotApplicable("it supports every power state of the document")
        raise NotTried(_UNKNOWN)
    if omission := unprobed(seen.profile):
        raise NotTried(omission)
    if not seen.made_in(WALK):
        raise NotTried(below("power"))
    return Sentence(
        expects=power_moves.not_reached,
        tried=attempts(seen, WALK),
        groups=(WALK,),
        document='"only if the appliance supports it"',
        nothing=partial(_unmoved, seen, Inconclusive("no unsupported state was written from On")),
        enough=times(1),
        beside=partial(require_working_write, seen, POWER_STATE),
    )


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
    require_settable(seen, case.key)
    concerned = [attempt for attempt in attempts(seen, *GROUPS) if is_meant(attempt)]
    if not concerned:
        raise NotApplicable("its power states do not lead to such a write")
    return "; ".join(
        f"{short_name(one.value)} in {short_name(one.old())}: {one.words}, then"
        f" {short_name(one.last()) or 'unreadable'}"
        for one in concerned
    )


def require_start(seen: View) -> None:
    """Says what kept the walk from beginning, if anything did."""
    reads = opening(seen, *GROUPS)
    state = write_exempting_state(with_reads(seen, reads), POWER_STATE)
    if state:
        raise Inconclusive(f"nothing was written while {state}", state=state)
    last = next((read for read in reversed(reads) if read.key == POWER_STATE), None)
    if last is None or not last.has_value:
        raise Inconclusive(
            f"nothing was written: PowerState {'was not read' if last is None else f'answered {last.words}'}"
        )
    if not seen.values(POWER_STATE).is_of(last.value):
        raise Inconclusive(
            f"nothing was written: PowerState is {quoted(last.value)}, which is no value of the document",
            last,
        )
