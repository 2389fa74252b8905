"""PWR-READBACK: after a power write PowerState and OperationState agree (lines 76 to 80, 113, 114)."""

import itertools

from catalog.keys import OPERATION_STATE, POWER_STATE, short_name
from conformance.checks.answer import Answer
from conformance.checks.case import Case
from conformance.checks.traces.evaluating import Evaluation, interference, verdict_on
from conformance.checks.traces.trace import Attempt, attempts
from conformance.checks.verdict import Deviation, Inconclusive, NotApplicable
from conformance.checks.view import View
from conformance.checks.writes.power import GROUPS, require_power, require_start
from conformance.model.json_values import quoted, same
from conformance.model.states import acting_state


def assert_state_is_read_back(case: Case, seen: View) -> str | None:
    """After a settled power write PowerState agrees with OperationState: it is no mere echo of the write."""
    require_power(case, seen)
    operation, made = seen.value(OPERATION_STATE), attempts(seen, *GROUPS)
    if not made:
        require_start(seen)
        raise NotApplicable("no power state beside the present one can be written")
    if operation is None:
        raise Inconclusive(
            "OperationState gives no value, so nothing shows whether PowerState repeats what was written"
        )
    evaluations = [one for attempt in made if (one := evaluate_readback(seen, attempt))]
    if not evaluations:
        raise Inconclusive("no write of PowerState took effect, so there is nothing to compare")
    document = "PowerState is the current power state"
    return verdict_on(
        seen, evaluations, *GROUPS, times=1, otherwise="no write of PowerState took effect", document=document
    )


def evaluate_readback(seen: View, attempt: Attempt) -> Evaluation | None:
    """Whether both states disagreed for the whole settle time after a power write, and once more later."""
    if attempt.key != POWER_STATE or not same(attempt.last(), attempt.value):
        return None
    pairs = pairs_after(attempt)
    if not pairs:
        return None
    power, operation = pairs[-1]
    told = f"PowerState is {quoted(power.value)} and OperationState {quoted(operation.value)}"
    blind = next((one for one in (power, operation) if not one.has_value), None)
    if blind:
        words = f"{short_name(blind.exchange.key)} answered {blind.words} afterwards"
        return Evaluation("undecided", words, attempt, about=(blind,))
    if not at_odds(seen, power.value, operation.value):
        return Evaluation("holds", told, attempt)
    settle = seen.profile.timing.power_settle_s
    lasting = is_lastingly_at_odds(seen, attempt)
    after = f"{told} {settle:g} s after {short_name(attempt.value)} was written"
    if not lasting or not all(answer.has_value for pair in pairs for answer in pair):
        return Evaluation("undecided", f"{after}, but not for the whole time", attempt)
    return Evaluation("contradicts", f"{after}, and still later", attempt, about=(power, operation))


def judge_after_writes(seen: View, operation: str) -> bool:
    """Whether settled power writes showed `operation`, and always with the power state it means.

    Raises:
        Deviation: when it stood with another power state for the whole settle time, and still later.
        Inconclusive: when it stood with another one at last, but not for so long, or while something may
            excuse it.
    """
    shown, doubt = False, None
    acting = next((words for group in GROUPS if (words := interference(seen, group))), None)
    for attempt in attempts(seen, *GROUPS):
        pairs = pairs_after(attempt) if attempt.key == POWER_STATE else []
        if not pairs or short_name(pairs[-1][1].value) != operation:
            continue
        power, last = pairs[-1]
        if not at_odds(seen, power.value, last.value):
            shown = True
            continue
        odd = f"OperationState is {quoted(last.value)} while PowerState is {quoted(power.value)}"
        wrote = f"after {short_name(attempt.value)} was written"
        state = acting_state(attempt.seen_before(seen), POWER_STATE)
        if acting or state or not is_lastingly_at_odds(seen, attempt):
            excuse = (
                f"while {state}"
                if state
                else f"meanwhile {acting}"
                if acting
                else "but not for the whole settle time"
            )
            doubt = Inconclusive(f"{odd} {wrote}, {excuse}", last, state=state)
            continue
        raise Deviation(
            f"{odd}, {seen.profile.timing.power_settle_s:g} s {wrote}, and still later", last, beside=[power]
        )
    if doubt:
        raise doubt
    return shown


def is_lastingly_at_odds(seen: View, attempt: Attempt) -> bool:
    """Whether the two states contradicted each other in every pair of reads over the power settle time."""
    pairs = pairs_after(attempt)
    odd = [at_odds(seen, power.value, operation.value) for power, operation in pairs]
    return (
        bool(pairs)
        and all(odd)
        and pairs[-1][1].began - attempt.answer.ended >= seen.profile.timing.power_settle_s
    )


def pairs_after(attempt: Attempt) -> list[tuple[Answer, Answer]]:
    """The reads PowerState, OperationState in turn after a power write."""
    return [
        (one, other)
        for one, other in itertools.pairwise(attempt.after)
        if (one.exchange.key, other.exchange.key) == (POWER_STATE, OPERATION_STATE)
    ]


def at_odds(seen: View, power: object, operation: object) -> bool:
    """Whether two values contradict lines 113 or 114: Inactive while On, or Ready while Off or in standby."""
    if not seen.values(OPERATION_STATE).is_of(operation):
        return False
    return (short_name(power), short_name(operation)) in {
        ("On", "Inactive"),
        ("Off", "Ready"),
        ("Standby", "Ready"),
    }
