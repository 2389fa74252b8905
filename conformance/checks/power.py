"""PWR: the power state moves by writes, along the listed edges, and is what is read afterwards (lines 76 to 80, 125 to 133)."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, cast

from conformance.checks.answer import NOTHING
from conformance.checks.enumerations import allowed
from conformance.checks.premise import require_trust
from conformance.checks.seen import OPERATION_STATE, POWER_STATE
from conformance.checks.states import acting_state, write_exempting_state
from conformance.checks.support import resolve, without_value
from conformance.checks.trace import POWER_ORDERS, WALK, Attempt, attempts, of_reading, opening, overlaid, same
from conformance.checks.verdict import Deviation, Inconclusive, NotApplicable
from conformance.checks.weighing import Weighed, interference, settle_weighed
from conformance.checks.wording import quoted

if TYPE_CHECKING:
    from catalog.model import PowerEdge
    from conformance.checks.answer import Answer
    from conformance.checks.case import Case
    from conformance.checks.seen import Seen

GROUPS = (WALK, POWER_ORDERS)
_EDGES = {
    "PWR-OFF-ON": ("Off", "On"),
    "PWR-ON-OFF": ("On", "Off"),
    "PWR-ON-STANDBY": ("On", "Standby"),
    "PWR-STANDBY-ON": ("Standby", "On"),
    "PWR-STANDBY-OFF": ("Standby", "Off"),
}


def assert_edge(case: Case, seen: Seen) -> str | None:
    """A write along a listed edge leads to the state that was written, on an appliance that has it."""
    _require_power(case, seen)
    source, target = _EDGES[case.clause.id]
    declared = seen.appliance.power_states
    missing = next((state for state in (source, target) if declared is not None and state not in declared), None)
    if missing:
        raise NotApplicable(f"{missing} is not among the power states the profile declares ({', '.join(declared or ())})")
    concerned = [attempt for attempt in attempts(seen, *GROUPS) if _is_along(seen, attempt, source, target)]
    unsupported = source == "On" and declared is None and not _is_advertised(seen, target)  # lines 130, 131; line 133 has no condition
    if unsupported and concerned and all(attempt.is_refused and same(attempt.last(), attempt.old()) for attempt in concerned):
        raise NotApplicable(f"whether it supports {target} is not declared, and the write was refused: {concerned[-1].words}")
    weighed = [one for attempt in concerned if (one := weigh_edge(seen, attempt))]
    if not concerned:
        _require_start(seen)
        entered = [attempt for attempt in attempts(seen, *GROUPS) if attempt.key == POWER_STATE and short_state(attempt.value) == source]
        blind = next((attempt for attempt in entered if attempt.is_acknowledged and attempt.last() is NOTHING), None)
        if blind:
            raise Inconclusive(f"{source} was written, {blind.words}, and PowerState could not be read then", blind.answer)
        raise NotApplicable(f"{source} was never reached, so that this edge was not exercised")
    document = f"{target} (line {_edge(seen, source, target).line})"
    return settle_weighed(seen, weighed, *GROUPS, otherwise="the edge was not exercised", document=document)


def weigh_edge(seen: Seen, attempt: Attempt) -> Weighed | None:
    """What one write along a listed edge says; None for a write along none."""
    source, target = short_state(attempt.old()), short_state(attempt.value)
    if attempt.key != POWER_STATE or (source, target) not in _EDGES.values():
        return None
    told = f"wrote {target} from {source}, {attempt.words}"
    if same(attempt.last(), attempt.value):
        return Weighed("holds", told, attempt)
    read = next(reversed(attempt.reads()), None)
    if read is None or not read.has_value:
        return Weighed("doubtful", f"{told}; then PowerState {'was not read' if read is None else f'answered {read.words}'}", attempt)
    told = f"{told}, PowerState is {quoted(read.value)}"
    state = write_exempting_state(attempt.seen_before(seen), POWER_STATE)
    if state:
        return Weighed("doubtful", f"{told}, while {state}", attempt, state)
    doubt = _doubt(seen, attempt, target)
    if doubt:
        return Weighed("doubtful", f"{told}{doubt}", attempt)
    settle = "" if attempt.is_refused else f" after {seen.profile.timing.power_settle_s:g} s"
    return Weighed("contradicts", f"{told}{settle}", attempt)


def _doubt(seen: Seen, attempt: Attempt, target: str) -> str:
    """Why a write along an edge that did not lead to its state convicts nobody; empty where it does."""
    stayed = same(attempt.last(), attempt.old())
    settle = seen.profile.timing.power_settle_s
    if attempt.is_refused:
        both = {short_state(attempt.old()), target} <= set(seen.appliance.power_states or ())
        return "" if both and stayed else "; whether it can be written is not declared (appliance.power_states)"
    if not attempt.is_acknowledged:
        return "; the write was not answered"
    if not attempt.is_settled(settle):
        return f", watched for {attempt.watched():.1f} s of {settle:g} s"
    supported = target == "On" or _is_supported(seen, target, stayed)
    return "" if supported else f"; whether it supports {target} is not declared (appliance.power_states)"


def assert_no_foreign_state(case: Case, seen: Seen) -> str | None:
    """A power write settles in the written state or the old one (interpretation I-10), never in a third."""
    _require_power(case, seen)
    weighed = [one for attempt in attempts(seen, *GROUPS) if (one := weigh_foreign(seen, attempt))]
    if not weighed:
        _require_start(seen)
        raise NotApplicable("no power state beside the present one can be written")
    strayed = [one for one in weighed if one.weight == "contradicts" or (one.weight == "doubtful" and one.shown.has_value)]
    document = "a write leads to the state that is written (lines 129 to 133)"
    return settle_weighed(seen, strayed or weighed, *GROUPS, otherwise="no write of PowerState was made", document=document)


def weigh_foreign(seen: Seen, attempt: Attempt) -> Weighed | None:
    """Whether one power write settled in a third state."""
    if attempt.key != POWER_STATE or attempt.old() is NOTHING:
        return None
    now, written = attempt.last(), short_state(attempt.value)
    wrote = f"wrote {written} from {short_state(attempt.old())}, {attempt.words}"
    reads = attempt.reads()
    if not reads or not reads[-1].has_value:
        return Weighed("doubtful", f"{wrote}; PowerState could not be read", attempt)
    told = f"{wrote}, PowerState is {quoted(now)}"
    if same(now, attempt.value) or same(now, attempt.old()):
        return Weighed("holds", told, attempt)
    seen_before = any(same(attempt.value, one.last()) for one in attempts(seen, *GROUPS) if one is not attempt)
    if not attempt.is_settled(seen.profile.timing.power_settle_s):
        return Weighed("doubtful", f"{told}, not yet settled", attempt)
    if not (_is_supported(seen, written, stayed=True) or seen_before):
        return Weighed("doubtful", f"{told}; whether it supports {written} is not declared", attempt)
    return Weighed("contradicts", told, attempt)


def assert_state_is_read_back(case: Case, seen: Seen) -> str | None:
    """After a settled power write PowerState agrees with OperationState: it is the state, not the echo of the last write."""
    _require_power(case, seen)
    if seen.value(OPERATION_STATE) is None:
        raise Inconclusive("OperationState gives no value, and nothing else tells an echo from a state")
    weighed = [one for attempt in attempts(seen, *GROUPS) if (one := weigh_readback(seen, attempt))]
    if not weighed:
        _require_start(seen)
        if attempts(seen, *GROUPS):
            raise Inconclusive("no write of PowerState took effect, so that there is nothing to compare")
        raise NotApplicable("no power state beside the present one can be written")
    document = "PowerState is the current power state"
    return settle_weighed(seen, weighed, *GROUPS, times=1, otherwise="no write of PowerState took effect", document=document)


def weigh_readback(seen: Seen, attempt: Attempt) -> Weighed | None:
    """Whether PowerState and OperationState contradicted each other for the whole settle time after a power write, and once more later."""
    if attempt.key != POWER_STATE or not same(attempt.last(), attempt.value):
        return None
    pairs = pairs_after(attempt)
    if not pairs:
        return None
    power, operation = pairs[-1]
    told = f"PowerState is {quoted(power.value)} and OperationState {quoted(operation.value)}"
    if not at_odds(seen, power.value, operation.value):
        return Weighed("holds", told, attempt)
    settle = seen.profile.timing.power_settle_s
    lasting = is_lastingly_at_odds(seen, attempt)
    after = f"{told} {settle:g} s after {short_state(attempt.value)} was written"
    if not lasting or not all(answer.has_value for pair in pairs for answer in pair):
        return Weighed("doubtful", f"{after}, but not for the whole time", attempt)
    return Weighed("contradicts", f"{after}, and still later", attempt, about=(power, operation))


def judge_after_writes(seen: Seen, operation: str) -> bool:
    """Whether power writes that settled showed the operation state `operation`, and always with the power state it means.

    Raises:
        Deviation: when it stood with another power state for the whole settle time, and still later.
        Inconclusive: when it stood with another one at last, but not for so long, or while something may excuse it.
    """
    shown, doubt = False, None
    acting = next((words for group in GROUPS if (words := interference(seen, group))), None)
    for attempt in attempts(seen, *GROUPS):
        pairs = pairs_after(attempt) if attempt.key == POWER_STATE else []
        if not pairs or short_state(pairs[-1][1].value) != operation:
            continue
        power, last = pairs[-1]
        if not at_odds(seen, power.value, last.value):
            shown = True
            continue
        odd = f"OperationState is {quoted(last.value)} while PowerState is {quoted(power.value)}"
        wrote = f"after {short_state(attempt.value)} was written"
        state = acting_state(attempt.seen_before(seen), POWER_STATE)
        if acting or state or not is_lastingly_at_odds(seen, attempt):
            excuse = f"while {state}" if state else f"meanwhile {acting}" if acting else "but not for the whole settle time"
            doubt = Inconclusive(f"{odd} {wrote}, {excuse}", last, state=state)
            continue
        raise Deviation(f"{odd}, {seen.profile.timing.power_settle_s:g} s {wrote}, and still later", last, beside=[power])
    if doubt:
        raise doubt
    return shown


def is_lastingly_at_odds(seen: Seen, attempt: Attempt) -> bool:
    """Whether the two states contradicted each other in every pair of reads over the whole power settle time."""
    pairs = pairs_after(attempt)
    odd = [at_odds(seen, power.value, operation.value) for power, operation in pairs]
    return bool(pairs) and all(odd) and pairs[-1][1].began - attempt.answer.ended >= seen.profile.timing.power_settle_s


def pairs_after(attempt: Attempt) -> list[tuple[Answer, Answer]]:
    """The reads PowerState, OperationState in turn after a power write."""
    return [
        (one, other)
        for one, other in itertools.pairwise(attempt.after)
        if (one.exchange.key, other.exchange.key) == (POWER_STATE, OPERATION_STATE)
    ]


def note_unlisted(case: Case, seen: Seen) -> str:
    """PWR-OFF-STANDBY and PWR-SELF: what came of the writes that the table does not list; every result but a third state is free."""
    _require_power(case, seen)
    resting = case.clause.id == "PWR-SELF"
    concerned = [
        attempt
        for attempt in attempts(seen, *GROUPS)
        if (
            same(attempt.old(), attempt.value)
            if resting
            else (short_state(attempt.old()), short_state(attempt.value)) == ("Off", "Standby")
        )
    ]
    if not concerned:
        raise NotApplicable("its power states do not lead to such a write")
    return "; ".join(
        f"{short_state(one.value)} in {short_state(one.old())}: {one.words}, then {short_state(one.last()) or 'unreadable'}"
        for one in concerned
    )


def note_spontaneous(_case: Case, seen: Seen) -> str:
    """PWR-SPONTANEOUS: the power states that were read without a write in between; local use and automatic switching are free."""
    series = of_reading(seen).values()
    shared = seen.read(POWER_STATE)
    reads = [answer for answers in ([shared] if shared else [], *series) for answer in answers if answer.exchange.key == POWER_STATE]
    values = [short_state(answer.value) for answer in sorted(reads, key=lambda answer: answer.exchange.n) if answer.has_value]
    if not values:
        raise NotApplicable("PowerState gave no value")
    changes = sum(one != other for one, other in itertools.pairwise(values))
    return f"{len(values)} reads without a write in between, {changes} changes: {' -> '.join(dict.fromkeys(values))}"


def at_odds(seen: Seen, power: object, operation: object) -> bool:
    """Whether two values contradict lines 113 or 114: Inactive while On, or Ready while Off or in standby."""
    if operation not in allowed(seen.catalog.entries[OPERATION_STATE], seen.maker):
        return False
    return (short_state(power), short_state(operation)) in {("On", "Inactive"), ("Off", "Ready"), ("Standby", "Ready")}


def short_state(value: object) -> str:
    """The last segment of an enumeration value; empty for what is none."""
    return value.rpartition(".")[2] if isinstance(value, str) else ""


def is_read_only(answer: Answer) -> bool:
    """Whether an answer advertises that its setting can only be read (answer.access)."""
    access = answer.shown.access if answer.shown else NOTHING
    return isinstance(access, str) and "write" not in access.casefold()


def _require_power(case: Case, seen: Seen) -> None:
    """Goes on only where PowerState is served and not advertised as read-only."""
    require_trust(seen)
    (answer,) = seen.answers(case.subject) if case.entry else (seen.read(POWER_STATE),)
    if answer is None or not answer.has_value:
        if answer is not None:
            raise without_value(resolve(seen, seen.catalog.entries[POWER_STATE], answer))
        raise Inconclusive("not asked in this run")
    if is_read_only(answer):
        raise NotApplicable("PowerState is advertised as read-only", answer)


def _require_start(seen: Seen) -> None:
    """Says what kept the walk from beginning, if anything did."""
    reads = opening(seen, *GROUPS)
    state = write_exempting_state(overlaid(seen, reads), POWER_STATE)
    if state:
        raise Inconclusive(f"nothing was written while {state}", state=state)
    last = next((read for read in reversed(reads) if read.exchange.key == POWER_STATE), None)
    if last is None or not last.has_value or short_state(last.value) == "":
        raise Inconclusive(f"nothing was written: PowerState {'was not read' if last is None else f'answered {last.words}'}")


def _is_along(seen: Seen, attempt: Attempt, source: str, target: str) -> bool:
    values = allowed(seen.catalog.entries[POWER_STATE], seen.maker)
    known = attempt.old() in values and attempt.value in values
    return attempt.key == POWER_STATE and known and (short_state(attempt.old()), short_state(attempt.value)) == (source, target)


def _is_supported(seen: Seen, state: str, stayed: bool) -> bool:
    """Whether a power state is shown to be supported; to end in another than the written one convicts only who declared it."""
    return state in (seen.appliance.power_states or ()) or (stayed and _is_advertised(seen, state))


def _is_advertised(seen: Seen, state: str) -> bool:
    answer = seen.read(POWER_STATE)
    shown = answer.shown.allowed if answer and answer.shown else None
    return isinstance(shown, list) and state in {short_state(value) for value in cast("list[object]", shown)}


def _edge(seen: Seen, source: str, target: str) -> PowerEdge:
    return next(edge for edge in seen.catalog.power_edges if (short_state(edge.source), short_state(edge.write)) == (source, target))
