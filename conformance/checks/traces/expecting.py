"""What a clause lets one expect after a write, and what the reads after it say of that: the judge of writes.

Every clause about writes is one sentence: after this write, that key shows a value of this set. Either the
value has to come and to stay (`Comes`), or what must not be there must not show (`Stays`).
"""

from collections.abc import Callable, Iterable, Sequence
from enum import Enum
from typing import Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from catalog.keys import short_name
from conformance.checks.answer import Answer
from conformance.checks.traces.effects import Effect, effect_of, quiet_seconds
from conformance.checks.traces.trace import CLOCK_TOLERANCE_S, Attempt
from conformance.checks.verdict import Manner
from conformance.checks.view import View
from conformance.model.couplings import ends_by_itself
from conformance.model.json_values import quoted, same
from conformance.model.state_table import StateId
from conformance.model.states import ExemptingState, foreign_state, write_exempting_state

Result = Literal["holds", "contradicts", "undecided"]
_MANNERS = {Effect.DROPPED: Manner.DROPPED, Effect.REVERTED: Manner.REVERTED, Effect.REFUSED: Manner.REFUSED}


class _Expected(Struct, frozen=True):
    """What one write lets one expect by one clause.

    Attributes:
        attempt: the write, with the reads around it.
        wrote: the write in words, with the answer to it.
    """

    attempt: Attempt
    wrote: str


class Unmet(_Expected, frozen=True):
    """Nothing can be expected: `why`, in words, and the exempting `state` that is the reason, if one is."""

    why: str
    state: ExemptingState | None = None


class Comes(_Expected, frozen=True):
    """The written value shows, and stays.

    Attributes:
        against: what contradicts, of all that may become of the write instead.
        doubts: what may keep that from contradicting.
    """

    against: frozenset[Effect]
    doubts: tuple["Doubt", ...] = ()


class Counts(Enum):
    """Which reads of what must not be there contradict."""

    LAST = "the last one; an earlier one says nothing"
    STILL = "the last one; an earlier one leaves it open"
    ANY = "each of them"


class Stays(_Expected, frozen=True):
    """What must not be there does not show at the reads of a key.

    Attributes:
        reads: the reads after the write that tell, in their order.
        wrong: whether a value that was read is what must not be there.
        right: whether it is what may be there, None for all else; what is neither decides nothing.
        tells: what a read shows, in words, where that is not just its value.
        neither: what is said of a value that is neither.
        beside: the exchanges without which a read does not show it.
        counts: which wrong reads contradict.
        is_excused: whether a state may be what kept it out; never the one that the clause is `about`.
        is_watched: whether the last read must be as late as something may come.
        needs_effect: whether it holds only beside an effect of the write on its own key.
        doubts: what may keep a wrong read from contradicting.
    """

    reads: Sequence[Answer]
    wrong: Callable[[object], bool]
    right: Callable[[object], bool] | None = None
    tells: Callable[[Answer], str] | None = None
    neither: str = ", which nobody wrote"
    beside: tuple[Answer, ...] = ()
    counts: Counts = Counts.LAST
    is_excused: bool = False
    about: StateId | None = None
    is_watched: bool = False
    needs_effect: bool = False
    doubts: tuple["Doubt", ...] = ()

    def told(self, read: Answer) -> str:
        """The write, and what a read shows."""
        return f"{self.wrote}, {self.tells(read) if self.tells else shown_by(self.attempt, read)}"


Expect: TypeAlias = Unmet | Comes | Stays
"""What one write lets one expect by one clause."""


class Evaluation(Struct, frozen=True):
    """What one attempt says of a clause; an attempt that does not concern the clause has none.

    `state` is the exempting state that makes it undecided, if one does. `about` are the exchanges that show
    it, the deciding one last, where that is not the last read of what was written. `manner` is that of a
    contradiction. `expect` is what was expected, where it is contradicted.
    """

    result: Result
    words: str
    attempt: Attempt
    state: ExemptingState | None = None
    about: tuple[Answer, ...] = ()
    manner: Manner | None = None
    expect: Comes | Stays | None = None

    @property
    def shown(self) -> Answer:
        """The exchange that decides: the last of `about`, else of the reads, else the write."""
        if self.about:
            return self.about[-1]
        return (self.attempt.answer, *self.attempt.reads())[-1]

    def open(self, reason: str | ExemptingState) -> "Evaluation":
        """The same evaluation, undecided for a reason, or because of a state."""
        if isinstance(reason, str):
            return replace(self, result="undecided", words=f"{self.words}{reason}")
        return replace(self, result="undecided", words=f"{self.words} while {reason}", state=reason)


class Among(Struct, frozen=True):
    """What an evaluation stands among: the attempts of its procedures, and what they say of its clause."""

    tried: Sequence[Attempt]
    evaluations: Sequence[Evaluation]


Doubt: TypeAlias = Callable[[View, Evaluation, Among], str | ExemptingState]
"""Why what seems to contradict decides nothing, in words or as a state; empty where there is no reason."""
Expecting: TypeAlias = Callable[[View, Attempt], Iterable[Expect]]
"""What a clause expects after a write; nothing where the write does not concern it."""


def evaluations_of(
    seen: View, expecting: Expecting, tried: Sequence[Attempt], among: Among | None = None
) -> list[Evaluation]:
    """What each of some attempts says of a clause, those left out that do not concern it.

    They stand `among` others, where these are not all.
    """
    made = [[evaluate(seen, one) for one in expecting(seen, attempt)] for attempt in tried]
    among = among or Among(tried, [one for each in made for one in each])
    return [one for each in made for one in _together([doubted(seen, one, among) for one in each])]


def _together(found: Sequence[Evaluation]) -> Sequence[Evaluation]:
    """What one attempt says of all that is expected: what contradicts, else what is open."""
    against = [one for one in found if one.result == "contradicts"]
    return against or sorted(found, key=lambda one: one.result == "holds")[:1]


def evaluation_of(seen: View, expecting: Expecting, attempt: Attempt) -> Evaluation | None:
    """What one attempt says by itself; None where it does not concern the clause."""
    return next(iter(evaluations_of(seen, expecting, (attempt,))), None)


def doubted(seen: View, one: Evaluation, among: Among) -> Evaluation:
    """An evaluation, undecided if it contradicts and one of its doubts holds."""
    if one.result == "contradicts":
        for doubt in one.expect.doubts if one.expect else ():
            if reason := doubt(seen, one, among):
                return one.open(reason if isinstance(reason, ExemptingState) else f"; {reason}")
    return one


def evaluate(seen: View, expect: Expect) -> Evaluation:
    """What the reads after a write say of what was to be expected."""
    match expect:
        case Comes():
            return _whether_it_came(seen, expect)
        case Stays():
            return _whether_it_stayed(seen, expect)
        case Unmet():
            return Evaluation("undecided", f"{expect.wrote}{expect.why}", expect.attempt, expect.state)


def _whether_it_came(seen: View, expect: Comes) -> Evaluation:
    attempt = expect.attempt
    effect = effect_of(seen, attempt)
    one = Evaluation("undecided", f"{expect.wrote}, {_outcome(attempt, effect)}", attempt)
    ended_by_itself = effect is Effect.REVERTED and ends_by_itself(attempt.key, attempt.value)
    if effect is Effect.TOOK or ended_by_itself:
        return replace(one, result="holds")
    if state := state_around(seen, attempt):
        return one.open(state)
    settle_s = seen.profile.timing.settle_seconds(attempt.key)
    may_come_again = effect is Effect.REVERTED and not attempt.is_settled(settle_s)
    is_said = attempt.is_acknowledged or effect is Effect.REFUSED
    telling = effect in expect.against and is_said and not may_come_again
    result: Result = "contradicts" if telling else "undecided"
    return replace(one, result=result, manner=_MANNERS.get(effect), expect=expect)


def _whether_it_stayed(seen: View, expect: Stays) -> Evaluation:
    attempt, reads, wrote = expect.attempt, expect.reads, expect.wrote
    if not reads:
        return Evaluation("undecided", f"{wrote}; it was not read again", attempt)
    last = reads[-1]
    wrong = [read for read in reads if read.has_value and expect.wrong(read.value)]
    if wrong and (wrong[-1] is last or expect.counts is Counts.ANY):
        shown = wrong[0] if expect.counts is Counts.ANY else last
        about = (*expect.beside, shown)
        return Evaluation("contradicts", expect.told(shown), attempt, about=about, expect=expect)
    if not last.has_value:
        words = f"{wrote}; then {_whose(attempt, last, ' answered ')}{last.words}"
        return Evaluation("undecided", words, attempt, about=(last,))
    one = Evaluation("holds", expect.told(last), attempt, about=(last,))
    if expect.right and not expect.right(last.value):
        return one.open(expect.neither)
    if wrong and expect.counts is Counts.STILL:
        return one.open(f"; for a moment it showed {quoted(wrong[-1].value)}")
    reason = _why_it_may_have_been_kept_out(seen, expect, last)
    return one.open(reason) if reason else one


def shown_by(attempt: Attempt, read: Answer) -> str:
    """What a read shows after a write, in words: of another key or appliance with what that showed before."""
    whose = _whose(attempt, read)
    if not whose:
        return f"then {quoted(read.value)}"
    old = attempt.old(read.key, ha_id=read.ha_id)
    if same(old, read.value):
        return f"and {whose} stayed {quoted(old)}"
    return f"and {whose} went from {quoted(old)} to {quoted(read.value)}"


def _whose(attempt: Attempt, read: Answer, then: str = "") -> str:
    """What a read is of, where that is not what was written: another key, or another appliance."""
    exchange = read.exchange
    if exchange.ha_id != attempt.ha_id:
        return exchange.ha_id + then
    return "" if exchange.key == attempt.key else short_name(exchange.key) + then


def _why_it_may_have_been_kept_out(seen: View, expect: Stays, last: Answer) -> str | ExemptingState | None:
    """What else than the document may have kept out what did not show; None where nothing may."""
    attempt = expect.attempt
    if expect.needs_effect and effect_of(seen, attempt) is not Effect.TOOK:
        return ", and the write had no effect on its own key"
    state = None
    if expect.is_excused:
        before = attempt.seen_before(seen)
        state = write_exempting_state(before, attempt.key, attempt.value, about=expect.about)
    quiet_s = quiet_seconds(seen, attempt) if expect.is_watched and not state else 0.0
    if last.began - attempt.answer.ended < quiet_s - CLOCK_TOLERANCE_S:
        return f", watched for {watched_for(attempt)} only"
    return state


def _outcome(attempt: Attempt, effect: Effect) -> str:
    """What became of the write, in words."""
    old, last = quoted(attempt.old()), quoted(attempt.last())
    if effect is Effect.UNKNOWN:
        reads = attempt.reads()
        unread = next((read for read in reads if not read.has_value), None)
        if unread:
            return f"then {unread.words}"
        return f"still {last} after {watched_for(attempt)}" if reads else "not read afterwards"
    return {
        Effect.TOOK: f"then {last}",
        Effect.DROPPED: f"still {old} after {watched_for(attempt)}",
        Effect.REVERTED: f"{quoted(attempt.value)} once, then {old} again",
        Effect.REFUSED: f"still {old}",
    }.get(effect, f"then {last} after {watched_for(attempt)}, neither the old value nor the written one")


def watched_for(attempt: Attempt) -> str:
    """How long the written key was watched, in words."""
    return f"{round(attempt.watched(), 1):g} s"


def state_around(seen: View, attempt: Attempt) -> ExemptingState | None:
    """The exempting state that held before the write, or that came with it; None where none did."""
    for view in (attempt.seen_before(seen), attempt.seen_after(seen)):
        if state := write_exempting_state(view, attempt.key, attempt.value):
            return state
        if state := foreign_state(view, attempt.key):
            return state
    return None
