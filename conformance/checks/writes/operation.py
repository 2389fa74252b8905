"""OPS, SELF and OPT: operation and power state, statuses that revert, entries of some appliances only.

What an appliance shows after a person or a test bench acted is judged here as well (lines 90, 105, 138).
"""

from catalog.keys import LOCAL_CONTROL, OPERATION_STATE, POWER_STATE, REMOTE_START
from conformance.checks.answer import Answer
from conformance.checks.case import Case
from conformance.checks.groups import DAY, TOUCH, Group, ProcedureKind
from conformance.checks.premise import require_trust
from conformance.checks.reads.support import resolve, without_value
from conformance.checks.verdict import Deviation, Inconclusive, NotApplicable
from conformance.checks.view import View
from conformance.checks.writes.expected.power_moves import at_odds
from conformance.checks.writes.power import judge_after_writes
from conformance.model.json_values import quoted

ALTERNATING = Group(ProcedureKind.POWER_AND_OPERATION)
WATCH = Group(ProcedureKind.LOCAL_CONTROL)
PAIRS = 2


def assert_inactive_is_off(case: Case, seen: View) -> None:
    """Inactive means switched off or in standby (line 113), when it is read and after power writes."""
    _require_consistent(case, seen, "Inactive")


def assert_ready_is_on(case: Case, seen: View) -> None:
    """Ready means switched on (line 114), when it is read and after power writes."""
    _require_consistent(case, seen, "Ready")


def assert_on_is_not_inactive(case: Case, seen: View) -> None:
    """While the appliance is on, the operation state is not Inactive (line 113), after power writes too."""
    judge_after_writes(seen, "Inactive")
    pairs = _pairs(case, seen)
    if not seen.is_value(POWER_STATE, "On"):
        raise NotApplicable(f"PowerState is {quoted(seen.value(POWER_STATE))}, not On")
    _require_settled(case, seen, pairs)


def contradictory(seen: View) -> bool:
    """Whether the first read contradicts lines 113 or 114, so that it is watched for the settle time."""
    return comparable(seen) and at_odds(seen, seen.value(POWER_STATE), seen.value(OPERATION_STATE))


def comparable(seen: View) -> bool:
    """Whether both PowerState and OperationState were read and are values of the catalog."""
    return all(seen.values(key).is_of(seen.value(key)) for key in (POWER_STATE, OPERATION_STATE))


def _require_consistent(case: Case, seen: View, operation: str) -> None:
    if judge_after_writes(seen, operation) and not contradictory(seen):
        return
    pairs = _pairs(case, seen)
    if not seen.is_value(OPERATION_STATE, operation):
        raise NotApplicable(f"OperationState is {quoted(seen.value(OPERATION_STATE))}, not {operation}")
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
    """Raises the deviation, if there is one, where it stood for the power settle time; else what moved."""
    if not contradictory(seen):
        return
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
    reverted = next((read for read in reads if read.value is False), None)
    if reverted:
        return f"reverted to false after {seconds_between(answer, reverted):.0f} s"
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


def assert_camera_only_with_one(case: Case, seen: View) -> None:
    """CameraState is returned only by appliances with a streaming camera (line 103), not by all of them."""
    require_trust(seen)
    (answer,) = seen.answers(case.subject)
    camera = seen.appliance.streaming_camera
    if camera is None:
        raise Inconclusive(
            "whether it has a streaming camera is not declared (appliance.streaming_camera)", answer
        )
    if camera and not answer.has_value:
        reason = "the document does not say that all of them return it"
        raise Inconclusive(f"has a camera, yet answered {answer.words}; {reason}", answer)
    if answer.has_value and not camera:
        shown = f"value is {quoted(answer.value)}"
        raise Deviation(f"{shown} on an appliance declared without a streaming camera", answer)
    if seen.anchor is None:
        nothing = "no key of this appliance gives a value"
        raise Inconclusive(f"{nothing}; this one answered {answer.words}", answer)


def seconds_between(first: Answer, last: Answer) -> float:
    """Seconds from the start of one exchange to the end of another, as the ledger has them."""
    return last.ended - first.began


CLOCK = "*"
"""The key of the remark beside a hook that moved the clock; its note says by how many seconds."""
HANDS_OFF_S = 300.0
"""Seconds after the last intervention from which on LocalControlActive, still true, contradicts "a few
seconds".
"""
_SURE_TO_BE_SEEN_S = 3.0
_TWICE = 2


def judge_touched(case: Case, seen: View) -> str:
    """LocalControlActive became true when the appliance was operated, and false again after a few seconds.

    Raises:
        Deviation: when it did not revert, or, with a hook that holds it long enough to be seen, never came.
        Inconclusive: when that cannot be told.
    """
    reads = [answer for answer in seen.group(TOUCH) if answer.key == LOCAL_CONTROL and answer.has_value]
    if not reads:
        raise Inconclusive("LocalControlActive could not be read while the appliance was operated")
    unanswered = _unanswered(seen, TOUCH)
    if unanswered:
        raise Inconclusive(f"the hook that operates the appliance answered {unanswered.words}", unanswered)
    came = next((index for index, answer in enumerate(reads) if answer.value is True), None)
    if came is None:
        raise _never_came(seen, reads)
    reverted = next((answer for answer in reads[came:] if answer.value is False), None)
    took = _seconds(seen, reads[came], reverted or reads[-1])
    timing = case.profile.timing
    if reverted and took <= timing.local_control_max_s + timing.poll_s + 1:
        return f"true when operated, false within {took:.0f} s"
    longest = min(HANDS_OFF_S, timing.local_control_fail_s)
    if reverted or took < longest or not _hands_are_off(seen):
        raise Inconclusive(
            f"true when operated, {'false after' if reverted else 'still true after'} {took:.0f} s", reads[-1]
        )
    moved = took - (reads[-1].ended - reads[came].began)
    told = f" ({moved:.0f} s of them by the hook)" if moved >= 1 else ""
    operated = f"still true {took:.0f} s after the appliance was operated{told}"
    raise Deviation(f"{operated}, document says a few seconds", reads[-1])


def _unanswered(seen: View, group: Group) -> Answer | None:
    """A request to the bench that it did not acknowledge."""
    asked = (answer for answer in seen.group(group) if answer.exchange.purpose == "hook")
    return next((answer for answer in asked if not answer.is_acknowledged), None)


def _never_came(seen: View, reads: list[Answer]) -> Deviation | Inconclusive:
    hook = seen.profile.hooks.touch
    operations = sum(
        answer.exchange.purpose == "hook" and answer.key == "touch" for answer in seen.group(TOUCH)
    )
    if hook and hook.holds_s >= _SURE_TO_BE_SEEN_S and operations >= _TWICE:
        finding = (
            f"false at all {len(reads)} reads though the appliance was operated twice, document says it is"
            " set then"
        )
        return Deviation(f"{finding} (the hook holds it for {hook.holds_s:g} s)", reads[-1])
    return Inconclusive("true was never seen: polling may have missed it", reads[-1])


def _hands_are_off(seen: View) -> bool:
    said = [remark.note.get("said") for remark in seen.noted(TOUCH) if remark.purpose == "operator"]
    return seen.profile.hooks.touch is not None or bool(said and said[-1])


def _seconds(seen: View, first: Answer, last: Answer) -> float:
    """Seconds between two reads, with those that the bench let pass in between."""
    advances = [answer for answer in seen.group(TOUCH) if answer.key == "advance"]
    notes = [remark for remark in seen.noted(TOUCH) if remark.purpose == "hook"]
    between = [
        remark.note["advanced_s"]
        for answer, remark in zip(advances, notes, strict=False)
        if first.n < answer.n < last.n
    ]
    let_pass = (value for value in between if isinstance(value, int | float))
    return seconds_between(first, last) + sum(let_pass)


def note_day(case: Case, seen: View) -> str:
    """SELF-RCSA-24H: whether RemoteControlStartAllowed was false after a day; it may be, and need not."""
    reads = [answer for answer in seen.group(DAY) if answer.key == REMOTE_START]
    shared = seen.read(case.key)
    if len(reads) == _TWICE and reads[0].value is True:
        failed, last = _unanswered(seen, DAY), reads[1]
        then = quoted(last.value) if last.has_value else last.words
        after = f"though the hook answered {failed.words}" if failed else "25 hours later by the hook"
        return f"true, and {then} {after}"
    if shared is None or not shared.has_value:
        raise NotApplicable(f"not served: {shared.words if shared else 'not asked'}")
    if reads and reads[-1].value is False and shared.value is True:
        return "true at first, and false when it was looked at again"
    return f"value {quoted(shared.value)}; nothing to wait for"


def note_event(_case: Case, seen: View) -> str:
    """SELF-LOCALEVENT: the events after the appliance was operated, each beside a read of its key."""
    heard = [remark for remark in seen.noted(TOUCH) if remark.purpose == "event"]
    if not seen.group(TOUCH):
        return "nobody operated the appliance"
    own = [remark.note for remark in heard if remark.key == LOCAL_CONTROL]
    reverted = any(note.get("value") is False for note in own)
    latest = {remark.key: remark.note for remark in heard if "read" in remark.note}
    odd = [note for note in latest.values() if note["read"] != note.get("value")]
    told = (
        "an event said so when LocalControlActive reverted"
        if reverted
        else "no event told of LocalControlActive reverting"
    )
    differing = f"; for {len(odd)} keys the last one has another value than a read right after" if odd else ""
    return f"{told}; {len(heard)} events in all{differing}"
