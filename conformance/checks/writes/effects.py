"""Whether a write that was to have an effect had it: what SET-WRITABLE and its like have in common (line 7).

An attempt speaks only where the value is one that the key is known to take: of the appliance's own subset,
within its range, and far enough from the old value that rounding cannot hide it.
"""

from collections.abc import Sequence
from itertools import pairwise, takewhile

from msgspec.structs import replace

from catalog.keys import COOLING_MODES, SUPER_MODES, short_name
from conformance.checks.exchange import WRITES
from conformance.checks.traces.evaluating import Evaluation
from conformance.checks.traces.trace import (
    Attempt,
    Effect,
    effect_of,
    values_around,
)
from conformance.checks.verdict import Manner
from conformance.checks.view import View
from conformance.model.json_values import NOTHING, described, number, quoted, same
from conformance.model.state_table import StateId
from conformance.model.states import ExemptingState, foreign_state, write_exempting_state
from conformance.model.values import TOLERANCE, is_end

_MANNERS = {Effect.DROPPED: Manner.DROPPED, Effect.REVERTED: Manner.REVERTED, Effect.REFUSED: Manner.REFUSED}
FAR = 1 / 3
"""Of a range: no appliance rounds a number by so much."""
AGAINST = frozenset({Effect.DROPPED, Effect.REVERTED, Effect.REFUSED})
"""The effects that contradict a setting that can be written; a refusal only where the profile says that the
key is writable.
"""


def evaluate_effect(
    seen: View, attempt: Attempt, *, against: frozenset[Effect] = AGAINST
) -> Evaluation | None:
    """What one attempt says of its key being writable; None where it tells nothing.

    It tells nothing where the value is the one the key had already, or one that the key need not take, nor
    where it was refused and then taken as soon as it was sent again.
    `against` are the effects that contradict.
    """
    values, old = values_around(seen, attempt), attempt.old()
    is_known = values.admits(attempt.value) and values.offers(attempt.value)
    if attempt.segment != "settings" or attempt.was_sent_again or not is_known:
        return None
    wrote = f"wrote {quoted(attempt.value)}, {attempt.words}"
    if old is NOTHING:
        return Evaluation("undecided", f"{wrote}, and the value before is not known", attempt)
    if not values.admits(old):
        return Evaluation(
            "undecided", f"{wrote}; the value before, {described(old)}, is judged by other clauses", attempt
        )
    if values.alike(attempt.value, old):
        return None
    effect = effect_of(seen, attempt)
    return _evaluated(seen, attempt, effect, f"{wrote}, {_outcome(attempt, effect)}", against)


def _evaluated(
    seen: View, attempt: Attempt, effect: Effect, words: str, against: frozenset[Effect]
) -> Evaluation:
    ended_by_itself = effect is Effect.REVERTED and attempt.key in SUPER_MODES and attempt.value is True
    if effect is Effect.TOOK or ended_by_itself:
        return Evaluation("holds", words, attempt)
    state = state_around(seen, attempt)
    if state:
        return Evaluation("undecided", f"{words} while {state}", attempt, state)
    telling = effect in against and (
        seen.appliance.is_writable(attempt.key) if effect is Effect.REFUSED else attempt.is_acknowledged
    )
    reason = _need_not_take(seen, attempt) if telling else ""
    if telling and effect is Effect.REVERTED and _alternates(seen, attempt.key):
        reason = "before anything was written to it, it changed from read to read"
    if reason:
        return Evaluation("undecided", f"{words}; {reason}", attempt)
    return Evaluation("contradicts" if telling else "undecided", words, attempt, manner=_MANNERS.get(effect))


def _alternates(seen: View, key: str) -> bool:
    """Whether a setting changed and changed back while nobody had written it: what READ clauses judge."""
    made = {answer.exchange.n: answer for answers in seen.groups.values() for answer in answers}
    own = (made[number] for number in sorted(made) if made[number].exchange.key == key)
    found = takewhile(lambda answer: answer.exchange.purpose not in WRITES, own)
    shown = [answer.value for answer in found if answer.has_value]
    return sum(not same(one, other) for one, other in pairwise(shown)) > 1


def _outcome(attempt: Attempt, effect: Effect) -> str:
    """What became of the write, in words."""
    old, last = quoted(attempt.old()), quoted(attempt.last())
    if effect is Effect.UNKNOWN:
        reads = attempt.reads()
        unread = next((read for read in reads if not read.has_value), None)
        return (
            f"then {unread.words}"
            if unread
            else f"still {last} after {watched_for(attempt)}"
            if reads
            else "not read afterwards"
        )
    return {
        Effect.TOOK: f"then {last}",
        Effect.DROPPED: f"still {old} after {watched_for(attempt)}",
        Effect.REVERTED: f"{quoted(attempt.value)} once, then {old} again",
        Effect.REFUSED: f"still {old}",
    }.get(effect, f"then {last}, neither the old value nor the written one")


def _need_not_take(seen: View, attempt: Attempt) -> str:
    """Why the key need not take an allowed value; empty where it has to."""
    values = values_around(seen, attempt)
    entry = values.entry
    if entry.type == "Enumeration" and values.offered is None:
        return "whether this appliance has that value is neither declared nor advertised"
    if attempt.is_refused and entry.key in COOLING_MODES:
        before = attempt.seen_before(seen)
        other = next(
            (mode for mode in COOLING_MODES if mode != entry.key and before.value(mode) is True), None
        )
        return f"{short_name(other)} is on, and modes may exclude each other" if other else ""
    if not entry.is_numeric or values.listed:  # of a list, the written value is one
        return ""
    found = values.bounds
    if found is None:
        return "the range of this number is not shown"
    value, step = number(attempt.value), values.stated_step
    if step is None:
        near = abs(value - number(attempt.old())) < (found[1] - found[0]) * FAR
        return (
            "the step is not stated, and a value so near to the old one may have been rounded" if near else ""
        )
    steps = (value - found[0]) / step
    off_grid = abs(steps - round(steps)) > TOLERANCE and not is_end(found, value)
    return f"the written value lies between two steps of {step:g}" if off_grid else ""


def without_echoes(tried: Sequence[Attempt], evaluations: Sequence[Evaluation]) -> list[Evaluation]:
    """The evaluations, undecided where a write only repeats an earlier one, whose effect is what stays.

    A number that a server moves to the nearest one it can take is another value, not the old one.
    """
    return [
        undecided(one, "the write before it had led to that value") if _is_echo(tried, one) else one
        for one in evaluations
    ]


def _is_echo(tried: Sequence[Attempt], one: Evaluation) -> bool:
    earlier = [attempt for attempt in tried[: tried.index(one.attempt)] if attempt.key == one.attempt.key]
    if one.result != "contradicts" or not earlier:
        return False
    led_to = earlier[-1].last()
    return (
        same(earlier[-1].value, one.attempt.value)
        and same(led_to, one.attempt.old())
        and not same(led_to, earlier[-1].old())
    )


def undecided(one: Evaluation, reason: str) -> Evaluation:
    """The same evaluation, undecided for `reason`."""
    return replace(one, result="undecided", words=f"{one.words}; {reason}")


def watched_for(attempt: Attempt) -> str:
    """How long the written key was watched, in words."""
    return f"{round(attempt.watched(), 1):g} s"


def state_around(seen: View, attempt: Attempt, *, about: StateId | None = None) -> ExemptingState | None:
    """The exempting state that held before the write, or that came with it; None where none did."""
    views = (attempt.seen_before(seen), attempt.seen_after(seen))
    return next(
        (
            state
            for view in views
            if (
                state := write_exempting_state(view, attempt.key, attempt.value, about=about)
                or foreign_state(view, attempt.key)
            )
        ),
        None,
    )
