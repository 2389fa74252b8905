"""The verdict of the writes that show a clause: every clause about writes is judged here, in one way.

One contradicting write is not enough for a fail. A write made while somebody else operated the appliance
counts for nothing. Each clause evaluates its attempts one by one, and these are joined for every clause.
"""

from bisect import bisect
from collections.abc import Callable, Sequence
from functools import cache, partial, update_wrapper
from itertools import groupby, takewhile

from msgspec import Struct
from msgspec.structs import replace

from catalog.keys import LOCAL_CONTROL, OPERATION_STATE, POWER_STATE, REMOTE_CONTROL, short_name
from conformance.checks.answer import Answer, in_order
from conformance.checks.case import Case
from conformance.checks.groups import PREPARE, Group
from conformance.checks.premise import Check
from conformance.checks.traces.expecting import Among, Evaluation, Expecting, evaluations_of
from conformance.checks.traces.trace import Attempt
from conformance.checks.traces.witnessing import why_unproven
from conformance.checks.verdict import Deviation, Inconclusive, Judgement
from conformance.checks.view import View, with_reads
from conformance.model.json_values import quoted, same
from conformance.model.state_table import SHOWING_WHO_ACTS
from conformance.model.states import acting_state

TIMES = 2
_HANDS = frozenset({LOCAL_CONTROL, REMOTE_CONTROL})
"""What shows that a person operates an appliance, or lets nobody else do so (lines 88, 90)."""

_WITH_THE_POWER = frozenset({OPERATION_STATE, REMOTE_CONTROL})
"""What an appliance may move itself when it is switched: an end of remote control comes with that."""


class Enough(Struct, frozen=True):
    """How much has to contradict for a finding.

    Attributes:
        of: those of the evaluations that contradict of which a finding is made, beside those that hold; none
            where they are too few.
        lacking: what is lacking then, in words.
    """

    of: Callable[[Sequence[Evaluation], Sequence[Evaluation]], Sequence[Evaluation]]
    lacking: str


def where(is_met: Callable[[Sequence[Evaluation], Sequence[Evaluation]], bool], lacking: str) -> Enough:
    """All that contradicts, or nothing."""
    return Enough(lambda against, held: against if is_met(against, held) else (), lacking)


def _often(times: int) -> str:
    return {1: "once", 2: "twice"}.get(times, f"{times} times")


def times(least: int) -> Enough:
    """So many attempts; one that stood in two reads counts as two."""
    return where(
        lambda against, _held: (
            sum(TIMES if one.attempt.was_read_twice else 1 for one in _first_of_each(against)) >= least
        ),
        f"but not {_often(least)}",
    )


TWO_WRITES = times(TIMES)


def differ(against: Sequence[Evaluation]) -> bool:
    """Whether not all of some evaluations are of writes of one value."""
    return any(not same(one.attempt.value, against[0].attempt.value) for one in against)


TWO_VALUES = where(lambda against, _held: differ(against), "but not with another value as well")
"""What comes by chance comes with one value: a finding takes a second one."""


def _first_of_each(against: Sequence[Evaluation]) -> list[Evaluation]:
    """The first evaluation of each attempt."""
    return list({one.attempt.answer.n: one for one in reversed(against)}.values())[::-1]


class Sentence(Struct, frozen=True, kw_only=True):
    """A sentence of the document about writes, with the writes of one case that show it.

    Attributes:
        expects: what each of the writes lets one expect by it.
        tried: the writes that are judged.
        groups: the procedures that they were made in.
        document: the sentence, for a finding.
        nothing: why there is no verdict, where no write concerned it; none where that is told otherwise.
        against: further writes, of which only what contradicts counts.
        beside: requires what must have been seen for a pass, such as a write that works.
        enough: how much has to contradict; twice where it does not say.
        apart: what a write says nothing of but for itself, such as one end of a range: each must hold.
    """

    expects: Expecting
    tried: Sequence[Attempt]
    groups: tuple[Group, ...]
    document: str
    nothing: Callable[[], Judgement] | None = None
    against: Sequence[Attempt] = ()
    beside: Callable[[], None] | None = None
    enough: Enough = TWO_WRITES
    apart: Callable[[Evaluation], object] | None = None


@cache
def judge_writes(sentence_of: Callable[[Case, View], Sentence]) -> Check:
    """A check that judges the writes of a case by a sentence, once what that needs was shown.

    It is described in the words of the sentence, which `explain` tells.
    """
    return update_wrapper(partial(_judged, sentence_of), sentence_of, assigned=("__doc__",))


def _judged(sentence_of: Callable[[Case, View], Sentence], case: Case, seen: View) -> str | None:
    said = sentence_of(case, seen)
    return verdict_of(seen, said, evaluated(seen, said))


def evaluated(seen: View, said: Sentence) -> list[Evaluation]:
    """What each of the writes says of a sentence."""
    found = evaluations_of(seen, said.expects, said.tried)
    further = evaluations_of(seen, said.expects, said.against, Among(said.tried, found))
    against = (one for one in further if one.result == "contradicts")
    return [_undecided_while_others_act(seen, one) for one in (*found, *against)]


def verdict_of(seen: View, said: Sentence, evaluations: list[Evaluation]) -> str | None:
    """The verdict that the evaluations amount to: None, or a note, where the sentence held.

    Contradictions have to be enough, with nobody else acting in any of its procedures; fewer are
    inconclusive, and so is nothing but doubt. A clause holds by what was written while nobody else acted.

    Raises:
        Judgement: when it did not hold, or nothing was learned.
    """
    if not evaluations and said.nothing:
        raise said.nothing()
    good = [one.attempt for one in evaluations if one.result == "holds"]  # also of a part that is decided
    if said.apart:
        evaluations = _each_open(evaluations, said.apart)
    held = _joined(seen, said, evaluations, good)
    if said.beside:
        said.beside()
    return held


def _joined(
    seen: View, said: Sentence, evaluations: Sequence[Evaluation], good: Sequence[Attempt]
) -> str | None:
    against = [one for one in evaluations if one.result == "contradicts"]
    # others write for hours: what shows somebody else acting is looked for beside each of their writes
    acting = {
        answer.n: words
        for group in (() if seen.witnessed else said.groups)
        if (words := interference(seen, group))
        for answer in seen.group(group)
    }
    beside = [one for one in evaluations if one.attempt.answer.n not in acting]
    if acting and (against or not beside):
        worst = against[-1] if against else evaluations[-1]
        words = acting.get(worst.attempt.answer.n, next(iter(acting.values())))
        raise Inconclusive(f"{worst.words}; meanwhile {words}", worst.shown, state=worst.state)
    evaluations = beside
    held = [one for one in evaluations if one.result == "holds"]
    if seen.witnessed and against:
        last = against[-1]
        against = [one for one in against if not any(_is_same_write(one.attempt, each) for each in good)]
        if not against:  # what others made is not tried again
            words = f"{last.words}, though the same write did what it should at another time"
            raise Inconclusive(words, last.shown)
    # of writes that others made, one alone is never enough: nobody can make it again
    is_seen_once = seen.witnessed and len(_first_of_each(against)) < TIMES
    if against and not is_seen_once and (telling := said.enough.of(against, held)):
        first = telling[0]  # the one that the fewest exchanges show
        words = f"{first.words}{_repeated(telling)}; document says {said.document}"
        raise Deviation(words, first.shown, beside=first.about[:-1], manner=first.manner)
    if against:
        lacking = "but seen once" if is_seen_once else said.enough.lacking
        raise Inconclusive(f"{against[-1].words}, {lacking}", against[-1].shown)
    doubts = [one for one in evaluations if one.result == "undecided"]
    if held:
        return (
            f"{len(held)} of {len(evaluations)} writes could be judged; another was not: {doubts[0].words}"
            if doubts
            else None
        )
    raise Inconclusive(doubts[-1].words, doubts[-1].shown, state=doubts[-1].state)


def _each_open(evaluations: list[Evaluation], apart: Callable[[Evaluation], object]) -> list[Evaluation]:
    """The evaluations; where a part is undecided, only those of such parts, and what contradicts."""
    decided = {apart(one) for one in evaluations if one.result != "undecided"}
    if left := [one for one in evaluations if apart(one) not in decided]:
        return [*left, *(one for one in evaluations if one.result == "contradicts")]
    return evaluations


def _undecided_while_others_act(seen: View, one: Evaluation) -> Evaluation:
    """The evaluation, undecided if it contradicts while a person or a program was acting (X6, X10).

    Of a write that others made, also where they may have acted. What could not be read before is as what
    decides shows it: an operation state that is wrong because it is Inactive says that no program is active.
    """
    if one.result != "contradicts":
        return one
    before = one.attempt.seen_before(seen)
    unread = [read for read in one.about if before.value(read.key) is None]
    if state := acting_state(with_reads(before, unread), one.attempt.key):
        return one.open(state)
    why = why_unproven(seen, one) if seen.witnessed else ""
    return one.open(f"; {why}") if why else one


def interference(seen: View, group: Group) -> str | None:
    """What shows that somebody else acted on the appliance during a procedure; None where nothing does.

    LocalControlActive turned true, or remote control, power or a program changed though the procedure wrote
    no such key. That somebody acts when it is to be made again, and keeps it from that, shows it as well.
    """
    again = (one for one in seen.made_in(replace(group, alone=True)) if one.key in _HANDS)
    told = in_order({one.n: one for one in (*seen.group(group), *again)}.values())
    answers = [answer for answer in told if answer.ha_id == seen.appliance.ha_id]
    if not _acting(seen, answers):
        return None
    # what was made once more in another state was read in both: the run itself went from one to the other
    ends = [sent.n for sent in seen.made_in(PREPARE) if sent.is_write]
    made = groupby(answers, lambda answer: bisect(ends, answer.n))
    return next((told for _, part in made if (told := _acting(seen, [*part]))), None)


def _acting(seen: View, answers: Sequence[Answer]) -> str | None:
    """What shows in the answers of a procedure, in one prepared state, that somebody else acted."""
    written = {answer.key for answer in answers if answer.exchange.purpose == "write"}
    about = [
        answer
        for answer in answers
        if answer.key in SHOWING_WHO_ACTS and (answer.is_write or answer.has_value)
    ]
    reads = [answer for answer in about if not answer.is_write]
    touched = any(read.key == LOCAL_CONTROL and read.value is True for read in reads)
    if touched and LOCAL_CONTROL not in written:
        return "LocalControlActive is true: somebody operates the appliance"
    for key in SHOWING_WHO_ACTS:
        own = (answer for answer in about if answer.key == key)
        # the run itself causes what is read once a key was put back
        until = takewhile(lambda answer: answer.exchange.purpose != "restore", own)
        values = [answer.value for answer in until if not answer.is_write]
        is_own = key in written or (key in _WITH_THE_POWER and POWER_STATE in written)
        if not is_own and values and values[-1] != values[0] and _matters(seen, reads, key):
            moved = f"from {quoted(values[0])} to {quoted(values[-1])}"
            return f"{short_name(key)} changed {moved} though nobody here wrote it"
    return None


def _matters(seen: View, reads: list[Answer], key: str) -> bool:
    """Whether a change shows somebody acting; a move between Ready and Inactive does not."""
    now = with_reads(seen, reads)
    return key != OPERATION_STATE or not now.is_value(OPERATION_STATE, "Inactive", "Ready")


def _repeated(against: Sequence[Evaluation]) -> str:
    """How often the first contradiction occurred, and how many other writes contradict as well."""
    against = _first_of_each(against)
    first = against[0].attempt
    made = (one.attempt for one in against)
    alike = sum(_is_same_write(one, first) and same(one.last(), first.last()) for one in made)
    others = len(against) - alike
    stood = alike == 1 and first.was_read_twice
    often = ", on two reads" if stood else f", {_often(alike)}" if alike > 1 or not others else ""
    beside = f"; {others} other write{'s' if others > 1 else ''} did so, too"
    return f"{often}{beside}" if others else often


def _is_same_write(one: Attempt, other: Attempt) -> bool:
    """Whether two writes had the same value, and for a power state the same state before."""
    return (
        (one.key, one.segment) == (other.key, other.segment)
        and same(one.value, other.value)
        and (one.key != POWER_STATE or same(one.old(), other.old()))
    )
