"""OPS, SELF and OPT: operation and power state, statuses that revert, entries of some appliances only."""

from catalog.keys import OPERATION_STATE, POWER_STATE
from conformance.checks.answer import Answer
from conformance.checks.case import Case
from conformance.checks.groups import TOUCH, Group, ProcedureKind
from conformance.checks.premise import require_trust
from conformance.checks.reads.support import resolve, without_value
from conformance.checks.verdict import Deviation, Inconclusive, NotApplicable
from conformance.checks.view import View
from conformance.checks.writes.attending import judge_touched
from conformance.checks.writes.power import judge_after_writes
from conformance.model.json_values import quoted

ALTERNATING = Group(ProcedureKind.POWER_AND_OPERATION)
WATCH = Group(ProcedureKind.LOCAL_CONTROL)
PAIRS = 2


def assert_inactive_is_off(case: Case, seen: View) -> None:
    """Inactive means switched off or in standby (line 113), when it is read and after power writes."""
    if judge_after_writes(seen, "Inactive") and not contradictory(seen):
        return
    _require_consistent(case, seen, operation="Inactive", power=("Off", "Standby"))


def assert_ready_is_on(case: Case, seen: View) -> None:
    """Ready means switched on (line 114), when it is read and after power writes."""
    if judge_after_writes(seen, "Ready") and not contradictory(seen):
        return
    _require_consistent(case, seen, operation="Ready", power=("On",))


def assert_on_is_not_inactive(case: Case, seen: View) -> None:
    """While the appliance is on, the operation state is not Inactive (line 113), after power writes too."""
    judge_after_writes(seen, "Inactive")
    pairs = _pairs(case, seen)
    if not seen.is_value(POWER_STATE, "On"):
        raise NotApplicable(f"PowerState is {quoted(seen.value(POWER_STATE))}, not On")
    if seen.is_value(OPERATION_STATE, "Inactive"):
        _require_settled(case, seen, pairs)


def contradictory(seen: View) -> bool:
    """Whether the first read contradicts lines 113 or 114, so that it is watched for the settle time."""
    on = seen.is_value(POWER_STATE, "On")
    off = seen.is_value(POWER_STATE, "Off", "Standby")
    return (on and seen.is_value(OPERATION_STATE, "Inactive")) or (
        off and seen.is_value(OPERATION_STATE, "Ready")
    )


def comparable(seen: View) -> bool:
    """Whether both PowerState and OperationState were read and are values of the catalog."""
    return all(seen.values(key).is_of(seen.value(key)) for key in (POWER_STATE, OPERATION_STATE))


def _require_consistent(case: Case, seen: View, *, operation: str, power: tuple[str, ...]) -> None:
    pairs = _pairs(case, seen)
    if not seen.is_value(OPERATION_STATE, operation):
        raise NotApplicable(f"OperationState is {quoted(seen.value(OPERATION_STATE))}, not {operation}")
    if not seen.is_value(POWER_STATE, *power):
        _require_settled(case, seen, pairs)


def _pairs(case: Case, seen: View) -> list[tuple[Answer, Answer]]:
    """The reads PowerState, OperationState, made in turn; stable or not."""
    require_trust(seen)
    if not comparable(seen):
        raise NotApplicable("PowerState and OperationState are not both served with values of the catalog")
    reads = seen.group(ALTERNATING)
    pairs = list(zip(reads[0::2], reads[1::2], strict=False))
    if len(pairs) < PAIRS:
        raise Inconclusive(f"PowerState and {case.key} were not read in turn")
    if any(not answer.has_value for pair in pairs for answer in pair):
        raise Inconclusive("PowerState or OperationState could not be read again")
    return pairs


def _require_settled(case: Case, seen: View, pairs: list[tuple[Answer, Answer]]) -> None:
    """Raises the deviation if it stood for the whole power settle time, else says what moved."""
    settle = case.profile.timing.power_settle_s
    states = (
        f"OperationState is {quoted(seen.value(OPERATION_STATE))} while PowerState is"
        f" {quoted(seen.value(POWER_STATE))}"
    )
    expected = (seen.value(POWER_STATE), seen.value(OPERATION_STATE))
    if any((power.value, operation.value) != expected for power, operation in pairs):
        raise Inconclusive(f"{states}, but the values moved", pairs[0][1])
    watched = seconds_between(pairs[0][0], pairs[-1][1])
    if watched < settle:
        seen.want(ALTERNATING)
        raise Inconclusive(f"{states}, watched for {watched:.1f} s of {settle:g} s", pairs[0][1])
    raise Deviation(f"{states}, stable for {settle:g} s", pairs[-1][1], beside=pairs[-1])


def assert_local_control_reverts(case: Case, seen: View) -> str | None:
    """LocalControlActive returns to false after a few seconds without intervention (lines 90, 138)."""
    require_trust(seen)
    (answer,) = seen.answers(case.subject)
    if not answer.has_value:
        raise without_value(resolve(seen, case.subject, answer))
    if seen.group(TOUCH):
        return judge_touched(case, seen)
    if not seen.appliance.unattended:
        raise Inconclusive(
            "nobody operated it, and it is not declared unattended (appliance.unattended)", answer
        )
    if answer.value is not True:
        return "not operated locally while the run looked"
    reads = seen.group(WATCH)
    if not reads:
        seen.want(WATCH)
    if any(read.value is False for read in reads):
        return (
            "reverted to false after"
            f" {seconds_between(answer, next(read for read in reads if read.value is False)):.0f} s"
        )
    timing = case.profile.timing
    watched = seconds_between(answer, reads[-1]) if reads else 0
    if watched < timing.local_control_fail_s or not all(read.value is True for read in reads):
        raise Inconclusive(
            f"true for {watched:.0f} s; after {timing.local_control_fail_s:g} s it would contradict the"
            " document",
            answer,
        )
    raise Deviation(
        f"true at every read for {watched:.0f} s on an unattended appliance, document says a few seconds",
        reads[-1],
    )


def assert_camera_only_with_one(case: Case, seen: View) -> str | None:
    """CameraState is returned only by appliances with a streaming camera (line 103), not by all of them."""
    require_trust(seen)
    (answer,) = seen.answers(case.subject)
    camera = seen.appliance.streaming_camera
    if camera is None:
        raise Inconclusive(
            "whether it has a streaming camera is not declared (appliance.streaming_camera)", answer
        )
    if camera:
        if answer.has_value:
            return None
        raise Inconclusive(
            f"has a camera, yet answered {answer.words}; the document does not say that all of them"
            " return it",
            answer,
        )
    if not answer.has_value:
        if seen.anchor is None:
            raise Inconclusive(
                f"no key of this appliance gives a value; this one answered {answer.words}", answer
            )
        return None
    raise Deviation(
        f"value is {quoted(answer.value)} on an appliance declared without a streaming camera", answer
    )


def seconds_between(first: Answer, last: Answer) -> float:
    """Seconds from the start of one exchange to the end of another, as the ledger has them."""
    return last.ended - first.began
