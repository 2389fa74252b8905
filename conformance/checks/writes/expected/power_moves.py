"""What a write of the power state lets one expect of it, and of the operation state (lines 76 to 133).

Which power states an appliance has, and which operation states go with them, is said here as well.
"""

from collections.abc import Iterator
from functools import partial
from itertools import pairwise

from catalog.keys import OPERATION_STATE, POWER_STATE, short_name
from catalog.model import PowerEdge
from conformance.checks.answer import Answer
from conformance.checks.traces.effects import Effect
from conformance.checks.traces.expecting import Among, Comes, Counts, Evaluation, Stays, watched_for
from conformance.checks.traces.trace import Attempt
from conformance.checks.view import View
from conformance.checks.writes.doubts import misdirected, still_busy, unsettled
from conformance.model.json_values import NOTHING, quoted, same

_ELSEWHERE = frozenset({Effect.DROPPED, Effect.REVERTED, Effect.REFUSED, Effect.OTHER})


def along(edge: PowerEdge, seen: View, attempt: Attempt) -> Iterator[Comes]:
    """A write along a listed edge leads to the state that was written (lines 129 to 133)."""
    if is_along(edge, seen, attempt):
        yield Comes(attempt, _wrote(attempt), _ELSEWHERE, (misdirected, still_busy, unsettled, undeclared))


def is_along(edge: PowerEdge, seen: View, attempt: Attempt) -> bool:
    """Whether a write was made along an edge."""
    values = seen.values(POWER_STATE)
    states = short_name(edge.source), short_name(edge.write)
    written = attempt.old(), attempt.value
    return all(map(values.is_of, written)) and tuple(map(short_name, written)) == states


def no_third_state(_seen: View, attempt: Attempt) -> Iterator[Stays]:
    """A power write settles in the written state or in the old one (interpretation I-10)."""
    old, written = attempt.old(), attempt.value
    if old is not NOTHING:
        yield Stays(
            attempt,
            _wrote(attempt),
            attempt.reads(),
            lambda value: not (same(value, written) or same(value, old)),
            tells=lambda read: f"PowerState is {quoted(read.value)}",
            doubts=(unsettled, written_unknown),
        )


def in_agreement(seen: View, attempt: Attempt) -> Iterator[Stays]:
    """After a power write OperationState agrees with PowerState (lines 113, 114)."""
    if pairs := pairs_after(attempt):
        power, _ = pairs[-1]
        settle_s = seen.profile.timing.power_settle_s
        while_it = f"while PowerState is {quoted(power.value)}"
        if are_lastingly_at_odds(seen, attempt):
            while_it += f" for {settle_s:g} s, and still later"
        yield Stays(
            attempt,
            _wrote(attempt),
            [operation for _, operation in pairs],
            partial(at_odds, seen, power.value),
            tells=lambda read: f"and OperationState is {quoted(read.value)} {while_it}",
            beside=(power,),
            doubts=(lagging,),
        )


def not_reached(seen: View, attempt: Attempt) -> Iterator[Stays]:
    """A write of a power state that the appliance does not support does not lead to it from On (line 79)."""
    if is_unsupported(seen, attempt.value) and short_name(attempt.old()) == "On":
        name = short_name(attempt.value)
        yield Stays(
            attempt,
            f"wrote {name}, which the appliance does not support, from On, {attempt.words}",
            attempt.reads(),
            partial(same, attempt.value),
            tells=lambda read: f"PowerState is {quoted(read.value)} after {watched_for(attempt)}",
            counts=Counts.ANY,
            is_watched=True,
            doubts=(read_once,),
        )


def _wrote(attempt: Attempt) -> str:
    return f"wrote {short_name(attempt.value)} from {short_name(attempt.old())}, {attempt.words}"


def undeclared(seen: View, one: Evaluation, _among: Among) -> str:
    """A power state that the appliance need not have, or that it need not take."""
    attempt, target = one.attempt, short_name(one.attempt.value)
    stayed = same(attempt.last(), attempt.old())
    if attempt.is_refused:
        both = {short_name(attempt.old()), target} <= set(seen.appliance.power_states or ())
        return "" if both and stayed else "whether it can be written is not declared (appliance.power_states)"
    if target == "On" or is_supported(seen, target, stayed=stayed):
        return ""
    return f"whether it supports {target} is not declared (appliance.power_states)"


def written_unknown(seen: View, one: Evaluation, among: Among) -> str:
    """A gateway may take a state that the appliance lacks for another one."""
    attempt, written = one.attempt, short_name(one.attempt.value)
    was_seen = any(same(attempt.value, other.last()) for other in among.tried if other is not attempt)
    if was_seen or is_supported(seen, written, stayed=True):
        return ""
    return f"whether it supports {written} is not declared"


def lagging(seen: View, one: Evaluation, _among: Among) -> str:
    """Two states that were not at odds for the whole settle time, and once more later."""
    return "" if are_lastingly_at_odds(seen, one.attempt) else "that did not last for the whole settle time"


def read_once(_seen: View, one: Evaluation, _among: Among) -> str:
    """An unsupported state that one read alone shows."""
    shown = [read for read in one.attempt.reads() if same(read.value, one.attempt.value)]
    return "" if len(shown) > 1 else "it showed in one read alone"


def is_supported(seen: View, state: str, *, stayed: bool) -> bool:
    """Whether a power state is shown to be supported; a write of it shows that only if it is declared."""
    return state in (seen.appliance.power_states or ()) or (stayed and state in advertised_states(seen))


def is_unsupported(seen: View, value: object) -> bool:
    """Whether a value is a power state that the appliance does not support."""
    return any(same(value, state) for state in unsupported_states(seen))


def advertised_states(seen: View) -> list[str]:
    """The advertised list of power states, by their short names; empty where none is advertised."""
    answer = seen.read(POWER_STATE)
    return [*map(short_name, answer.shown.listed)] if answer else []


def unsupported_states(seen: View) -> frozenset[str]:
    """The power states that the appliance does not support, as on the wire; none where nothing says which.

    They are told by the profile, else by the list that the answer advertises; ENUM-ADVERTISED judges one in
    which it is found without being listed.
    """
    values = seen.here(POWER_STATE)
    members, told = frozenset(values.members), values.offered
    if not told:
        return frozenset()
    is_declared = seen.appliance.power_states is not None
    found = frozenset(value for value in members if not is_declared and same(value, seen.value(POWER_STATE)))
    return members.difference(told, found)


def pairs_after(attempt: Attempt) -> list[tuple[Answer, Answer]]:
    """The reads PowerState, OperationState in turn after a power write."""
    return [
        (one, other)
        for one, other in pairwise(attempt.after)
        if (one.key, other.key) == (POWER_STATE, OPERATION_STATE)
    ]


def are_lastingly_at_odds(seen: View, attempt: Attempt) -> bool:
    """Whether both states were at odds in every pair of reads for the power settle time, and once later."""
    pairs = pairs_after(attempt)
    odd = [power.has_value and at_odds(seen, power.value, operation.value) for power, operation in pairs]
    settle_s = seen.profile.timing.power_settle_s
    return bool(pairs) and all(odd) and pairs[-1][1].began - attempt.answer.ended >= settle_s


def at_odds(seen: View, power: object, operation: object) -> bool:
    """Whether two values contradict lines 113 or 114: Inactive while On, or Ready while Off or in standby."""
    if not seen.values(OPERATION_STATE).is_of(operation):
        return False
    return (short_name(power), short_name(operation)) in {
        ("On", "Inactive"),
        ("Off", "Ready"),
        ("Standby", "Ready"),
    }
