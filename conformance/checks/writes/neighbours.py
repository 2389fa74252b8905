"""How often a setting has to move beside a write of another one, for a finding.

It may move by chance, or by somebody else's doing, in the moment in which another setting is written.
"""

from collections.abc import Sequence
from functools import partial
from itertools import combinations, takewhile

from conformance.checks.traces.expecting import Evaluation
from conformance.checks.traces.trace import CLOCK_TOLERANCE_S
from conformance.checks.view import View
from conformance.checks.writes.expected.other_keys import took
from conformance.checks.writes.judging import Enough, differ
from conformance.model.json_values import same


def moves_with(seen: View) -> Enough:
    """One neighbour that takes two values, changes with each of two writes and back, or stayed until each."""
    return Enough(
        partial(_moved_again, seen),
        "but neither with each of two writes and back, nor twice after it had stayed",
    )


def _moved_again(
    seen: View, against: Sequence[Evaluation], _held: Sequence[Evaluation]
) -> Sequence[Evaluation]:
    against = sorted(against, key=lambda one: one.attempt.answer.n)
    for key in dict.fromkeys(one.shown.key for one in against):
        own = [one for one in against if one.shown.key == key]
        followed = [one for one in own if took(seen, one.attempt, key)]
        if differ(followed):
            return followed
        # written, back, and written again: three changes, the third like the first
        for first, back, again in zip(own, own[1:], own[2:], strict=False):
            if _is_alike(first, again, key) and differ((first, back)):
                return own
        # written twice while the key had stayed: two changes, the second like the first
        stayed = [*filter(partial(_had_stayed, seen, key), own)]
        if any(_is_alike(first, again, key) for first, again in combinations(stayed, 2)):
            return stayed
    return ()


def _is_alike(one: Evaluation, other: Evaluation, key: str) -> bool:
    """Whether two writes of one value moved a key from the same value to the same."""
    return (
        same(one.attempt.value, other.attempt.value)
        and same(one.attempt.old(key), other.attempt.old(key))
        and same(one.shown.value, other.shown.value)
    )


def _had_stayed(seen: View, key: str, one: Evaluation) -> bool:
    """Whether a key had shown for the settle time what it did before a write, and nobody had written it."""
    before, settle_s = one.attempt.old_read(key), seen.profile.timing.settle_seconds(key)
    if before is None:
        return False
    until = (each for each in reversed(seen.told) if each.key == key and each.n <= before.n)
    own = takewhile(lambda each: not each.is_write and same(each.value, before.value), until)
    return any(before.began - each.ended >= settle_s - CLOCK_TOLERANCE_S for each in own)
