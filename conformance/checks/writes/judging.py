"""The verdict of the writes that show a clause: every clause about writes is judged here, in one way."""

from collections.abc import Callable, Sequence
from functools import cache, partial, update_wrapper

from msgspec import Struct

from conformance.checks.case import Case
from conformance.checks.groups import Group
from conformance.checks.premise import Check
from conformance.checks.traces.evaluating import Enough, undecided_while_others_act, verdict_on
from conformance.checks.traces.expecting import Among, Evaluation, Expecting, evaluations_of
from conformance.checks.traces.trace import Attempt
from conformance.checks.verdict import Judgement
from conformance.checks.view import View


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
    enough: Enough | None = None
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
    return [undecided_while_others_act(seen, one) for one in (*found, *against)]


def verdict_of(seen: View, said: Sentence, evaluations: list[Evaluation]) -> str | None:
    """The verdict that the evaluations amount to: None, or a note, where the sentence held.

    Raises:
        Judgement: when it did not, or nothing was learned.
    """
    if not evaluations and said.nothing:
        raise said.nothing()
    if said.apart:
        evaluations = _each_open(evaluations, said.apart)
    held = verdict_on(seen, evaluations, *said.groups, enough=said.enough, document=said.document)
    if said.beside:
        said.beside()
    return held


def _each_open(evaluations: list[Evaluation], apart: Callable[[Evaluation], object]) -> list[Evaluation]:
    """The evaluations; where a part is undecided, only those of such parts, and what contradicts."""
    decided = {apart(one) for one in evaluations if one.result != "undecided"}
    if left := [one for one in evaluations if apart(one) not in decided]:
        return [*left, *(one for one in evaluations if one.result == "contradicts")]
    return evaluations
