"""Why what seems to contradict decides nothing: each of these says so in words or by a state, or is empty."""

from itertools import pairwise, takewhile
from typing import Final

from catalog.keys import POWER_STATE, short_name
from conformance.checks.answer import Answer
from conformance.checks.groups import ProcedureKind
from conformance.checks.traces.effects import Effect, effect_of, values_around
from conformance.checks.traces.expecting import Among, Evaluation
from conformance.checks.traces.trace import CLOCK_TOLERANCE_S
from conformance.checks.view import View
from conformance.model.couplings import MODES, may_bring
from conformance.model.json_values import is_number, number, quoted, same
from conformance.model.states import ExemptingState, range_exempting_state
from conformance.model.values import TOLERANCE, Bounds, beyond, is_end
from conformance.profiles.fields import parse_statuses

_FAR = 1 / 3
"""Of a range: no appliance rounds a number by so much."""
FAR_FOR_A_STATUS = 10
"""Further than a count or a percentage moves while it is watched."""
_OF_THE_REQUEST: Final = frozenset({400, 404, 405, 406, 411, 413, 414, 415, 422, 428})
"""What a write that is made in a wrong way is refused with (RFC 9110); 409 tells of a state."""


def subset_unknown(seen: View, one: Evaluation, _among: Among) -> str:
    """A member that the appliance need not have."""
    values = values_around(seen, one.attempt)
    if values.entry.type != "Enumeration" or values.offered is not None:
        return ""
    return "whether this appliance has that value is neither declared nor advertised"


def mode_excludes(seen: View, one: Evaluation, _among: Among) -> str:
    """A cooling mode that is refused while another one is on."""
    key = one.attempt.key
    if not (one.attempt.is_refused and key in MODES):
        return ""
    before = one.attempt.seen_before(seen)
    other = next((mode for mode in MODES if mode != key and before.value(mode) is True), None)
    return f"{short_name(other)} is on, and modes may exclude each other" if other else ""


def step_unknown(seen: View, one: Evaluation, _among: Among) -> str:
    """A number that need not be taken: its range or its step is not shown, or it lies between two steps."""
    values = values_around(seen, one.attempt)
    if not values.entry.is_numeric or values.listed:  # of a list, the written value is one
        return ""
    found = values.bounds
    if found is None:
        return "the range of this number is not shown"
    value, step = number(one.attempt.value), values.stated_step
    if step is None:
        near = abs(value - number(one.attempt.old())) < far(found)
        return (
            "the step is not stated, and a value so near to the old one may have been rounded" if near else ""
        )
    steps = (value - found[0]) / step
    off_grid = abs(steps - round(steps)) > TOLERANCE and not is_end(found, value)
    return f"the written value lies between two steps of {step:g}" if off_grid else ""


def far(bounds: Bounds) -> float:
    """How far off a number is that no appliance takes for another one of a range."""
    return (bounds[1] - bounds[0]) * _FAR


def echo(_seen: View, one: Evaluation, among: Among) -> str:
    """A write that only repeats earlier ones, of which the first had the effect that stays.

    A number that a server moves to the nearest one it can take is another value, not the old one. Of true and
    false none is near the other.
    """
    attempt = one.attempt
    if isinstance(attempt.value, bool):
        return ""
    earlier = [*takewhile(lambda other: other.answer is not attempt.answer, among.tried)]
    own = (other for other in reversed(earlier) if other.key == attempt.key)
    repeated = takewhile(lambda other: same(other.value, attempt.value), own)
    is_echo = any(same(one.last(), attempt.old()) and not same(one.last(), one.old()) for one in repeated)
    return "the same write had led to that value" if is_echo else ""


def others_taken(seen: View, one: Evaluation, among: Among) -> str:
    """A number without effect, where others had one: its step may forbid it, or it is an end of the range.

    Neither is so of the number that was found, which is what is put back.
    """
    attempt = one.attempt
    values = values_around(seen, attempt)
    was_found = any(same(attempt.value, first.old()) for first in among.tried[:1])
    if not values.entry.is_numeric or was_found or attempt.answer.exchange.purpose == "restore":
        return ""
    if not any(other.result == "holds" for other in among.evaluations):
        return ""
    if attempt.is_refused or values.stated_step is None:
        return "other values are taken: its step may forbid this one"
    is_open = not is_end(values.bounds or (), attempt.value) or any(
        doubt(seen, one, among) for doubt in OF_ENDS
    )
    return "" if is_open else "RANGE-WRITE-BOUNDS judges it"


def of_power(_seen: View, one: Evaluation, _among: Among) -> str:
    """A power state: the clauses of its edges judge it."""
    return "PWR clauses judge the power states" if one.attempt.key == POWER_STATE else ""


def unsettled(seen: View, one: Evaluation, _among: Among) -> str:
    """A value that was not watched for as long as a write of its key may take."""
    attempt = one.attempt
    settle_s = seen.profile.timing.settle_seconds(attempt.key)
    if attempt.is_refused or attempt.is_settled(settle_s):
        return ""
    return f"it was watched for {attempt.watched():.1f} s of {settle_s:g} s"


def still_moving(_seen: View, one: Evaluation, _among: Among) -> str:
    """A number that moved at last, or comes to another one over several: it may not have arrived."""
    attempt = one.attempt
    shown = [read.value for read in attempt.reads() if read.has_value]
    moves = [not same(before, after) for before, after in pairwise([attempt.old(), *shown])]
    has_just_moved = len(shown) > 1 and moves[-1]
    return "it did not come to rest" if has_just_moved or sum(moves) > 1 else ""


def rounded(seen: View, one: Evaluation, _among: Among) -> str:
    """What may be the nearest number that the appliance can take."""
    attempt, values = one.attempt, values_around(seen, one.attempt)
    if values.bounds is None or not is_number(attempt.last()):
        return "it is no number, or its range is not shown"
    if values.stated_step is not None:
        return ""  # what is less than a step off counts as the value that was written
    off = abs(number(attempt.last()) - number(attempt.value))
    if same(attempt.last(), attempt.old()) and off >= far(values.bounds):
        return ""  # it did not move, and no appliance rounds so far
    return "that may be rounding, as the step is not stated"


def unclaimed(seen: View, one: Evaluation, _among: Among) -> str:
    """An end of the range of a key that the profile does not call writable."""
    is_claimed = seen.appliance.is_writable(one.attempt.key)
    return "" if is_claimed else "appliance.writable does not claim it"


def nothing_taken(seen: View, _one: Evaluation, among: Among) -> str:
    """A key of which no write has an effect."""
    took = any(
        effect_of(seen, other) is Effect.TOOK
        and not values_around(seen, other).alike(other.value, other.old())
        for other in among.tried
    )
    return "" if took else "no write of this key has an effect (SET-WRITABLE judges it)"


def misdirected(seen: View, one: Evaluation, _among: Among) -> str:
    """A write whose method, path or body may be wrong: the profile says them, and no write was taken."""
    if one.attempt.answer.status not in _OF_THE_REQUEST:
        return ""
    successes = parse_statuses(seen.profile.http.success)
    taken = any(write.response and write.response.status in successes for write in seen.all_writes)
    return "" if taken else "no write of this run was taken: [write] may be wrong"


def lifted(seen: View, one: Evaluation, _among: Among) -> str | ExemptingState:
    """A cooling state in which a setpoint may lie outside its range; what was written may not."""
    state = range_exempting_state(one.attempt.seen_after(seen), one.attempt.key)
    return state if state and not same(one.shown.value, one.attempt.value) else ""


def near_the_range(seen: View, one: Evaluation, _among: Among) -> str:
    """A number outside its range by less than half a step."""
    reads, limits = one.attempt.reads(), values_around(seen, one.attempt).limits
    step = seen.values(one.attempt.key, *reads).stated_step
    is_near = step is not None and beyond(limits, one.shown.value) <= step / 2 + TOLERANCE
    return f"that may be rounding, the step is {step:g}" if is_near else ""


def once_freed(_seen: View, one: Evaluation, _among: Among) -> str:
    """What could not be read under a lock shows once that is gone: it may have come with the end of it."""
    reads = one.attempt.reads()
    was_hidden = len(reads) > 1 and not reads[-2].has_value
    return "it could be read again only then" if was_hidden else ""


def still_busy(seen: View, one: Evaluation, _among: Among) -> str:
    """A write that is refused before the one that was taken last has had its settle time.

    In a tour, whose writes nobody judges, it is reason enough to make them again at rest.
    """
    sent = one.attempt.answer
    if sent.exchange.group and sent.exchange.group.kind is ProcedureKind.TOUR:
        return ""
    earlier = takewhile(lambda answer: answer.n < sent.n, seen.told)
    taken = [answer for answer in earlier if answer.is_write and answer.is_acknowledged]
    if not (one.attempt.is_refused and taken):
        return ""
    had_s = sent.began - taken[-1].ended
    is_settled = had_s >= seen.profile.timing.settle_seconds(taken[-1].key) - CLOCK_TOLERANCE_S
    return "" if is_settled else "the appliance may have been busy with the write before"


def moved_unwritten(seen: View, one: Evaluation, _among: Among) -> str:
    """A status that was also seen to move when nothing that may move it had been written for the settle time.

    A number that moves a little does not come to a value far from it.
    """
    place, quiet_from, timing = one.shown.place, 0.0, seen.profile.timing
    before = seen.read(one.shown.key, one.shown.segment)
    for answer in seen.told:
        is_moved = answer.is_write and may_bring(answer.key, one.shown.key)
        if is_moved or answer.exchange.purpose == "hook":
            quiet_from = answer.ended + timing.settle_seconds(answer.key) - CLOCK_TOLERANCE_S
        elif answer.place == place and answer.has_value:
            if before and before.has_value and before.began >= quiet_from and _is_another(before, answer):
                moved = f"from {quoted(before.value)} to {quoted(answer.value)}"
                return f"it also went {moved} when nothing had been written that may move it"
            before = answer
    return ""


def _is_another(before: Answer, now: Answer) -> bool:
    """Whether two reads differ; numbers, by more than they move while they are watched."""
    if is_number(before.value) and is_number(now.value):
        return abs(number(now.value) - number(before.value)) > FAR_FOR_A_STATUS
    return not same(before.value, now.value)


OF_EFFECTS: Final = (misdirected, still_busy, subset_unknown, mode_excludes, step_unknown, echo)
"""What keeps a write without effect from contradicting."""
OF_RANGES: Final = (lifted, near_the_range)
"""What keeps a number outside its range from contradicting."""
OF_ENDS: Final = (unsettled, still_moving, rounded, unclaimed)
"""What keeps an end of a range that is not taken from contradicting."""
OF_STATUSES: Final = (moved_unwritten,)
"""What keeps a status that shows what was written from contradicting."""
