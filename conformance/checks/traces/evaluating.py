"""What the attempts that concern a clause say of it, and the verdict they amount to.

One contradicting write is not enough for a fail. A write made while somebody else operated the appliance
counts for nothing. Each clause evaluates its attempts one by one; `verdict_on` joins them for every clause.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import takewhile
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from catalog.keys import LOCAL_CONTROL, OPERATION_STATE, POWER_STATE, short_name
from conformance.checks.answer import Answer
from conformance.checks.exchange import WRITES
from conformance.checks.groups import Group
from conformance.checks.traces.trace import Attempt
from conformance.checks.verdict import Deviation, Inconclusive, Manner
from conformance.checks.view import View, with_reads
from conformance.model.json_values import quoted, same
from conformance.model.state_table import SHOWING_WHO_ACTS
from conformance.model.states import ExemptingState, acting_state

Result = Literal["holds", "contradicts", "undecided"]
TIMES = 2


class Evaluation(Struct, frozen=True):
    """What one attempt says of a clause; an attempt that does not concern the clause has none.

    `state` is the exempting state that makes it undecided, if one does. `about` are the exchanges that show
    it, the deciding one last, where that is not the last read of what was written. `manner` is that of a
    contradiction. One is `unseen` that would hold, but that the last look gave no value; one that `stood` was
    read twice, which counts as much as two writes.
    """

    result: Result
    words: str
    attempt: Attempt
    state: ExemptingState | None = None
    about: tuple[Answer, ...] = ()
    manner: Manner | None = None
    unseen: bool = False
    stood: bool = False

    @property
    def shown(self) -> Answer:
        """The exchange that decides: the last of `about`, else of the reads, else the write."""
        if self.about:
            return self.about[-1]
        reads = self.attempt.reads() or list(self.attempt.after)
        return reads[-1] if reads else self.attempt.answer


def stood(seen: View, attempt: Attempt, key: str, what: Callable[[Answer], object]) -> bool:
    """Whether two reads after the settle time show the same of a key, which counts as much as two writes."""
    settle_s = seen.profile.timing.settle_seconds(attempt.key)
    settled = [read for read in attempt.reads(key) if read.began - attempt.answer.ended >= settle_s]
    return len(settled) >= TIMES and len({what(read) for read in settled}) == 1


def verdict_on(
    seen: View,
    evaluations: Sequence[Evaluation],
    *groups: Group,
    times: int = TIMES,
    otherwise: str,
    document: str = "",
) -> str | None:
    """The verdict of the attempts of `groups` together: None or a note where the clause held.

    `document` is what the document says, for the finding.

    A contradiction needs as many attempts as `times`, and nobody else acting in any of `groups`; one alone is
    inconclusive, and so is nothing but doubt. A clause holds by what was written while nobody else acted.
    `otherwise` says why there is nothing to judge where no attempt concerned the clause.

    Raises:
        Deviation: when the clause is contradicted.
        Inconclusive: when nothing was learned.
    """
    evaluations = [undecided_while_others_act(seen, one) for one in evaluations]
    against = [one for one in evaluations if one.result == "contradicts"]
    acting = {
        answer.exchange.n: words
        for group in groups
        if (words := interference(seen, group))
        for answer in seen.group(group)
    }
    beside = [one for one in evaluations if one.attempt.answer.exchange.n not in acting]
    if evaluations and acting and (against or not beside):
        worst = against[-1] if against else evaluations[-1]
        words = acting.get(worst.attempt.answer.exchange.n, next(iter(acting.values())))
        raise Inconclusive(f"{worst.words}; meanwhile {words}", worst.shown, state=worst.state)
    evaluations = beside
    if sum(TIMES if one.stood else 1 for one in against) >= times:
        said = f"; document says {document}" if document else ""
        first = against[0]  # the one that the fewest exchanges show
        raise Deviation(
            f"{first.words}{_repeated(against)}{said}", first.shown, beside=first.about, manner=first.manner
        )
    if against:
        raise Inconclusive(f"{against[-1].words}, but not {_often(times)}", against[-1].shown)
    held = [one for one in evaluations if one.result == "holds"]
    doubts = [one for one in evaluations if one.result == "undecided"]
    if held:
        return (
            f"{len(held)} of {len(evaluations)} writes could be judged; another was not: {doubts[0].words}"
            if doubts
            else None
        )
    if doubts:
        raise Inconclusive(doubts[-1].words, doubts[-1].shown, state=doubts[-1].state)
    raise Inconclusive(otherwise)


def undecided_while_others_act(seen: View, one: Evaluation) -> Evaluation:
    """The evaluation, undecided if it contradicts while a person or a program was acting (X6, X10)."""
    state = (
        acting_state(one.attempt.seen_before(seen), one.attempt.key) if one.result == "contradicts" else None
    )
    return undecided_in(one, state) if state else one


def undecided_in(one: Evaluation, state: ExemptingState) -> Evaluation:
    """The same evaluation, undecided because of an exempting state."""
    return replace(one, result="undecided", words=f"{one.words} while {state}", state=state)


def interference(seen: View, group: Group) -> str | None:
    """What shows that somebody else acted on the appliance during a procedure; None where nothing does.

    LocalControlActive turned true, or remote control, power or a program changed though the procedure wrote
    no such key.
    """
    answers = [answer for answer in seen.group(group) if answer.exchange.ha_id == seen.appliance.ha_id]
    written = {answer.exchange.key for answer in answers if answer.exchange.purpose == "write"}
    about = [
        answer
        for answer in answers
        if answer.exchange.key in SHOWING_WHO_ACTS and (answer.exchange.purpose in WRITES or answer.has_value)
    ]
    reads = [answer for answer in about if answer.exchange.purpose not in WRITES]
    touched = any(read.exchange.key == LOCAL_CONTROL and read.value is True for read in reads)
    if touched and LOCAL_CONTROL not in written:
        return "LocalControlActive is true: somebody operates the appliance"
    for key in SHOWING_WHO_ACTS:
        values = [
            answer.value for answer in _until_put_back(about, key) if answer.exchange.purpose not in WRITES
        ]
        follows_power = key == OPERATION_STATE and POWER_STATE in written
        if (
            key not in written
            and not follows_power
            and values
            and values[-1] != values[0]
            and _matters(seen, reads, key)
        ):
            return (
                f"{short_name(key)} changed from {quoted(values[0])} to {quoted(values[-1])} though"
                " nobody here wrote it"
            )
    return None


def _until_put_back(answers: Sequence[Answer], key: str) -> Iterator[Answer]:
    """The exchanges about a key until it was put back; the run itself causes what is read after that."""
    own = (answer for answer in answers if answer.exchange.key == key)
    return takewhile(lambda answer: answer.exchange.purpose != "restore", own)


def _matters(seen: View, reads: list[Answer], key: str) -> bool:
    """Whether a change shows somebody acting; a move between Ready and Inactive does not."""
    now = with_reads(seen, reads)
    return key != OPERATION_STATE or not now.is_value(OPERATION_STATE, "Inactive", "Ready")


def _repeated(against: Sequence[Evaluation]) -> str:
    """How often the first contradiction occurred, and how many other writes contradict as well."""
    alike = sum(_is_same(one.attempt, against[0].attempt) for one in against)
    others = len(against) - alike
    stood = alike == 1 and against[0].stood
    often = ", on two reads" if stood else f", {_often(alike)}" if alike > 1 or not others else ""
    beside = f"; {others} other write{'s' if others > 1 else ''} did so, too"
    return f"{often}{beside}" if others else often


def _is_same(one: Attempt, first: Attempt) -> bool:
    """Whether two writes had the same value and result, and for a power state the same state before."""
    edge = first.key != POWER_STATE or same(one.old(), first.old())
    return (
        (one.key, one.segment) == (first.key, first.segment)
        and edge
        and same(one.value, first.value)
        and same(one.last(), first.last())
    )


def _often(times: int) -> str:
    return {1: "once", 2: "twice"}.get(times, f"{times} times")
