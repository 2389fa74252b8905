"""From attempts to a verdict: no single write convicts a target, and a moment in which somebody else acted convicts nobody.

Each clause weighs the attempts that concern it, one by one; what they amount to together is the same for all clauses.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import takewhile
from typing import TYPE_CHECKING, Literal

from conformance.checks.exchange import WRITES
from conformance.checks.seen import OPERATION_STATE, POWER_STATE
from conformance.checks.states import LOCAL_CONTROL, REMOTE_CONTROL, acting_state
from conformance.checks.trace import overlaid, same
from conformance.checks.verdict import Deviation, Inconclusive
from conformance.checks.wording import quoted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from conformance.checks.answer import Answer
    from conformance.checks.exempting import ExemptingState
    from conformance.checks.groups import Group
    from conformance.checks.seen import Seen
    from conformance.checks.trace import Attempt
    from conformance.checks.verdict import Manner

Weight = Literal["holds", "contradicts", "doubtful"]
TIMES = 2
_ACTING = (LOCAL_CONTROL, REMOTE_CONTROL, POWER_STATE, OPERATION_STATE)


@dataclass(frozen=True, slots=True)
class Weighed:
    """What one attempt says of a clause, in words; an attempt that does not concern the clause is not weighed at all.

    `state` is the exempting state that makes it doubtful; None where something else does, or nothing. `about` are the exchanges that
    show it, the deciding one last, where that is not the last read of what was written. `manner` is that of a contradiction.
    """

    weight: Weight
    words: str
    attempt: Attempt
    state: ExemptingState | None = None
    about: tuple[Answer, ...] = ()
    manner: Manner | None = None

    @property
    def shown(self) -> Answer:
        """The exchange that decides: as `about` says, else the last read of what was written, else the write itself."""
        if self.about:
            return self.about[-1]
        reads = self.attempt.reads() or list(self.attempt.after)
        return reads[-1] if reads else self.attempt.answer


def settle_weighed(
    seen: Seen, weighed: Sequence[Weighed], *groups: Group, times: int = TIMES, otherwise: str, document: str = ""
) -> str | None:
    """The verdict of the attempts of `groups` together: None or a note where the clause held.

    `document` is what the document says, for the finding.

    A contradiction needs as many attempts as `times`, and nobody else acting meanwhile; one alone is inconclusive, and so is
    nothing but doubt.
    `otherwise` says why there is nothing to judge where no attempt concerned the clause.

    Raises:
        Deviation: when the clause is contradicted.
        Inconclusive: when nothing was learned.
    """
    weighed = [while_others_act(seen, one) for one in weighed]
    against = [one for one in weighed if one.weight == "contradicts"]
    acting = next((words for group in groups if (words := interference(seen, group))), None)
    if acting and weighed:
        worst = against[-1] if against else weighed[-1]
        raise Inconclusive(f"{worst.words}; meanwhile {acting}", worst.shown, state=worst.state)
    if len(against) >= times:
        said = f"; document says {document}" if document else ""
        first = against[0]  # the one with the shortest story
        raise Deviation(f"{first.words}{_repeated(against)}{said}", first.shown, beside=first.about, manner=first.manner)
    if against:
        raise Inconclusive(f"{against[-1].words}, but not {_often(times)}", against[-1].shown)
    held = [one for one in weighed if one.weight == "holds"]
    doubts = [one for one in weighed if one.weight == "doubtful"]
    if held:
        return f"{len(held)} of {len(weighed)} writes tell: {doubts[-1].words}" if doubts else None
    if doubts:
        raise Inconclusive(doubts[-1].words, doubts[-1].shown, state=doubts[-1].state)
    raise Inconclusive(otherwise)


def while_others_act(seen: Seen, one: Weighed) -> Weighed:
    """The same, as a doubt where it contradicts and somebody else, or a program, was acting when it was written (X6, X10)."""
    state = acting_state(one.attempt.seen_before(seen), one.attempt.key) if one.weight == "contradicts" else None
    return in_state(one, state) if state else one


def in_state(one: Weighed, state: ExemptingState) -> Weighed:
    """The same as a doubt, because of an exempting state."""
    return replace(one, weight="doubtful", words=f"{one.words} while {state}", state=state)


def interference(seen: Seen, group: Group) -> str | None:
    """What shows that somebody else acted on the appliance during a procedure; None where nothing does.

    LocalControlActive turned true, or remote control, power or a program changed though the procedure wrote no such key.
    """
    answers = [answer for answer in seen.group(group) if answer.exchange.ha_id == seen.appliance.ha_id]
    written = {answer.exchange.key for answer in answers if answer.exchange.purpose == "write"}
    about = [answer for answer in answers if answer.exchange.key in _ACTING and (answer.exchange.purpose in WRITES or answer.has_value)]
    reads = [answer for answer in about if answer.exchange.purpose not in WRITES]
    touched = any(read.exchange.key == LOCAL_CONTROL and read.value is True for read in reads)
    if touched and LOCAL_CONTROL not in written:
        return "LocalControlActive is true: somebody operates the appliance"
    for key in _ACTING:
        values = [answer.value for answer in _until_put_back(about, key) if answer.exchange.purpose not in WRITES]
        follows_power = key == OPERATION_STATE and POWER_STATE in written
        if key not in written and not follows_power and values and values[-1] != values[0] and _matters(seen, reads, key):
            return f"{key.rpartition('.')[2]} changed from {quoted(values[0])} to {quoted(values[-1])} though nobody here wrote it"
    return None


def _until_put_back(answers: Sequence[Answer], key: str) -> Iterator[Answer]:
    """The exchanges about a key until it was put back, with what else had changed: what is read then was brought about here."""
    own = (answer for answer in answers if answer.exchange.key == key)
    return takewhile(lambda answer: answer.exchange.purpose != "restore", own)


def _matters(seen: Seen, reads: list[Answer], key: str) -> bool:
    """Whether a change speaks of somebody acting: an operation state that moved from Ready to Inactive and back says nothing."""
    now = overlaid(seen, reads)
    return key != OPERATION_STATE or not now.is_value(OPERATION_STATE, "Inactive", "Ready")


def _repeated(against: Sequence[Weighed]) -> str:
    """How often what the first contradiction says occurred, and how many other writes contradict beside it."""
    alike = sum(_is_same(one.attempt, against[0].attempt) for one in against)
    others = len(against) - alike
    often = f", {_often(alike)}" if alike > 1 or not others else ""
    return f"{often}, likewise after {others} other write{'s' if others > 1 else ''}" if others else often


def _is_same(one: Attempt, first: Attempt) -> bool:
    """Whether two writes were of the same value and led to the same; of a power state also from the same, as that makes it another edge."""
    edge = first.key != POWER_STATE or same(one.old(), first.old())
    return (one.key, one.segment) == (first.key, first.segment) and edge and same(one.value, first.value) and same(one.last(), first.last())


def _often(times: int) -> str:
    return {1: "once", 2: "twice"}.get(times, f"{times} times")
