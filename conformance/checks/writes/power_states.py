"""Which power states an appliance has, and which operation states go with them (lines 76 to 80, 113, 114)."""

from itertools import pairwise

from catalog.keys import OPERATION_STATE, POWER_STATE, short_name
from conformance.checks.answer import Answer
from conformance.checks.traces.trace import Attempt
from conformance.checks.view import View
from conformance.model.json_values import same


def is_supported(seen: View, state: str, *, stayed: bool) -> bool:
    """Whether a power state is shown to be supported; a write of it shows that only if it is declared."""
    return state in (seen.appliance.power_states or ()) or (stayed and is_advertised(seen, state))


def is_unsupported(seen: View, attempt: Attempt) -> bool:
    """Whether a state was written that the profile denies, or else the list of the answer."""
    state, declared = short_name(attempt.value), seen.appliance.power_states
    return state not in declared if declared is not None else is_denied(seen, state)


def is_denied(seen: View, state: str) -> bool:
    """Whether a list of power states is advertised, and a state is not on it."""
    answer = seen.read(POWER_STATE)
    return bool(answer and answer.shown.listed) and not is_advertised(seen, state)


def is_advertised(seen: View, state: str) -> bool:
    """Whether a state is on an advertised list of power states."""
    answer = seen.read(POWER_STATE)
    return answer is not None and state in map(short_name, answer.shown.listed)


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
