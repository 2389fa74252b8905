"""A finding that rests on shared reads is made again on fresh connections before it is said.

Bytes that are left over from an earlier answer are no answer to the next request, and not every one of them
is seen: they may come late. So when everything was read, each case is judged once, unsaid; what a finding
rests on is read again on connections of its own, and a case fails only where it does so on those answers as
well. A run without a finding sends nothing for that.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec.structs import replace

from conformance.cases import check_of
from conformance.checks.answer import Answer
from conformance.checks.case import Case
from conformance.checks.exchange import Exchange
from conformance.checks.groups import ProcedureKind
from conformance.checks.premise import Check
from conformance.checks.view import View
from conformance.harness.reads.repeats import fresh_group, read_again
from conformance.harness.steps import Procedure
from conformance.runs.judging import Judged, judge


def reads_again(
    cases: Iterable[Case], views: Mapping[str, View], found: dict[str, tuple[Check, Judged]]
) -> Iterator[Procedure]:
    """The reads on fresh connections that the findings so far need; none where nothing would fail.

    While findings are read again, nothing is written. What came of each case is kept in `found`, by its id:
    it holds as long as nothing more is seen.
    """
    needed: dict[tuple[str, str, str], None] = {}
    for case in cases:
        seen = views.get(case.ha_id)
        if not case.clause.can_fail or case.clause.needs_writes or seen is None:
            continue
        check = check_of(case)
        judged = judge(check, case, seen)
        found[case.id] = check, judged
        if judged.verdict == "fail":
            places = _shared_reads(judged, seen)
            needed.update(dict.fromkeys((seen.appliance.ha_id, *place) for place in places))
    for ha_id, segment, key in needed:
        yield read_again(views[ha_id], key, segment)


def held_on_fresh_reads(judged: Judged, check: Check, exchanges: Sequence[Exchange]) -> Judged:
    """A finding, if the answers on fresh connections show it, too; else the case as inconclusive.

    `exchanges` are all of the run. Where there is no such answer, as in a ledger that is judged with another
    profile, a finding stands unless bytes were left over from an answer of the run.
    """
    seen = judged.seen
    if seen is None:
        return judged
    places = _shared_reads(judged, seen)
    fresh = {place: read[-1] for place in places if (read := seen.groups.get(fresh_group(*place)))}
    surplus = sum(bool(exchange.response and exchange.response.surplus_bytes) for exchange in exchanges)
    judged = replace(judged, rests_on=(*judged.rests_on, *fresh.values()))
    doubt = ""
    if fresh:
        again = judge(check, judged.case, replace(seen, reads={**seen.reads, **fresh}))
        doubt = (
            "" if again.verdict == "fail" else "; not so when it was read again on a connection of its own"
        )
    elif places and surplus:
        doubt = "; not read again on a connection of its own"
    if not doubt and any(_may_be_left_over(answer, exchanges) for answer in _decisive(judged)):
        place = "the answer it rests on is not the first on its connection"
        doubt = f"; {place}, and was followed by bytes that are no part of it"
    if not doubt:
        return judged
    told = f"; surplus bytes followed {surplus} of {len(exchanges)} answers of the run" if surplus else ""
    return replace(judged, verdict="inconclusive", message=f"{judged.message}{doubt}{told}")


def _shared_reads(judged: Judged, seen: View) -> dict[tuple[str, str], Answer]:
    """The shared reads that a case rests on, by segment and key, unless it rests on later ones, too.

    What was read to confirm is beside them, and does not stand for them.
    """
    own = [answer for answer in judged.rests_on if answer.exchange.ha_id == seen.appliance.ha_id]
    groups = [(_place(answer), answer.exchange.group) for answer in own]
    later = {place for place, group in groups if group and group.kind is not ProcedureKind.CONFIRM}
    shared = (answer for answer in own if answer.exchange.group is None)
    return {_place(answer): answer for answer in shared if _place(answer) not in later}


def _place(answer: Answer) -> tuple[str, str]:
    return answer.exchange.segment, answer.exchange.key


def _decisive(judged: Judged) -> list[Answer]:
    """The answers of a finding that are no shared reads; those are confirmed by reading again."""
    shown = [answer for answer in (judged.shown, *judged.beside) if answer is not None]
    return [answer for answer in shown if answer.exchange.group is not None]


def _may_be_left_over(answer: Answer, exchanges: Sequence[Exchange]) -> bool:
    """Whether an answer may consist of bytes left over from an earlier one on its connection."""
    response = answer.exchange.response
    if response is None or not response.surplus_bytes:
        return False
    same = [one for one in exchanges if one.response and one.response.connection == response.connection]
    first = min(same, key=lambda exchange: (exchange.at, exchange.n), default=answer.exchange)
    return first.n != answer.exchange.n
