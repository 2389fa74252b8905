"""SELF and PATH: what an appliance shows after a person or a test bench acted (lines 90, 105, 138)."""

from catalog.keys import LOCAL_CONTROL, REMOTE_START
from conformance.checks.answer import Answer
from conformance.checks.case import Case
from conformance.checks.groups import DAY, TOUCH, Group
from conformance.checks.verdict import Deviation, Inconclusive, NotApplicable
from conformance.checks.view import View
from conformance.model.json_values import quoted

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
    return last.ended - first.began + sum(value for value in between if isinstance(value, int | float))


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
