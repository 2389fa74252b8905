"""What was read is made certain: a finding is asked again until it holds, or does not.

A check judges what it is shown, and says which reads would tell more (`View.want`). When everything was read,
each case is judged, unsaid. What the checks want, and each shared read that a finding rests on, is asked
again on connections of its own, and the cases that it is for are judged anew, until nobody wants more. A
finding stands where the check says the same of the new answers. A run without a finding sends nothing for
that, and what was sent stands in the ledger, so that a saved run is judged alike.

Bytes that are left over from an earlier answer are no answer to the next request, and not every one of them
is seen: they may come late. That is why a new connection is needed.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain

from msgspec.structs import replace

from catalog.loader import CATALOG
from conformance.cases import check_of
from conformance.checks.answer import Answer
from conformance.checks.case import Case
from conformance.checks.exchange import Exchange
from conformance.checks.groups import Group, ProcedureKind
from conformance.checks.learned import Trail
from conformance.checks.premise import Check
from conformance.checks.reads.support import resolve
from conformance.checks.view import View
from conformance.harness.generated.procedures import Generated
from conformance.harness.reads.repeats import asked_again, read_again
from conformance.harness.steps import Procedure
from conformance.harness.writes.batches import IsOpen
from conformance.model.json_values import quoted, same
from conformance.runs.judging import Judged, judge

_MOST_ROUNDS = 64
"""More than any check wants: a bound, should one want the same again for ever."""
Found = dict[str, tuple[Check, Judged]]
"""What came of each case, by its id, and of which check: it holds as long as nothing more is seen."""


def make_certain(
    cases: Iterable[Case],
    views: Callable[[], Mapping[str, View]],
    run: Callable[[Iterable[Procedure]], None],
    generated: Generated,
) -> Found:
    """Asks again until no case wants more, or what it wants brings nothing more.

    Args:
        cases: the selected cases; those that need writes are judged when these were made.
        views: what was seen of each appliance so far.
        run: makes procedures side by side.
        generated: how generated requests are made again.
    """
    found: Found = {}
    seen_of = views()
    coming = [
        case for case in cases if (case.clause.can_fail or case.generated) and not case.clause.needs_writes
    ]
    told: dict[tuple[str, Group | int], object] = {}
    for _ in range(_MOST_ROUNDS):
        wanted = {(ha_id, more): None for ha_id, seen in seen_of.items() for more in _of_silent_keys(seen)}
        unsure: list[Case] = []
        for case in coming:
            if (seen := seen_of.get(case.ha_id)) is None:
                continue
            check = check_of(case)
            judged = judge(check, case, seen)
            found[case.id] = check, judged
            if wants := _wanted_by(judged, seen):
                wanted.update(dict.fromkeys((case.ha_id, more) for more in wants))
                unsure.append(case)
        now = {(ha_id, more): _told(seen_of[ha_id], more, generated) for ha_id, more in wanted}
        new = [place for place in wanted if place not in told or told[place] != now[place]]
        if not new:
            return found
        told |= now
        run(_asked_again(seen_of[ha_id], more, generated) for ha_id, more in new)
        seen_of, coming = views(), unsure
    return found


def certainty_of(cases: Iterable[Case], tell: Callable[[Judged], None]) -> IsOpen:
    """What says whether a case that rests on a procedure that writes is neither certain nor gone.

    It tells of those that are certain.
    """
    resting: dict[tuple[str, Group], list[Case]] = defaultdict(list)
    for case in cases:
        for group in (*case.groups, *case.besides):
            resting[case.ha_id, group].append(case)

    def is_open(seen: View, group: Group) -> bool:
        own = resting[seen.appliance.ha_id, group.plain]
        judged = [judge(check_of(case), case, seen) for case in own]
        for one in judged:
            if one.verdict == "fail":
                tell(one)
        # what a state of the appliance excuses is excused the next time, too
        return any(one.verdict == "inconclusive" and not one.exempt for one in judged)

    return is_open


def held_when_asked_again(judged: Judged, check: Check, exchanges: Sequence[Exchange]) -> Judged:
    """A finding, if as many answers on fresh connections show it, too, as its clause takes; else a doubt.

    `exchanges` are all of the run. Where there is no such answer, as in a ledger that is judged with another
    profile, a finding stands unless its clause takes two reads, or bytes were left over from an answer of the
    run.
    """
    seen = judged.seen
    if seen is None:
        return judged
    shared = _shared_reads(judged, seen)
    again = {place: reads for place, answer in shared.items() if (reads := _read_again(seen, answer))}
    judged = replace(judged, rests_on=(*judged.rests_on, *chain.from_iterable(again.values())))
    turns = [judge(check, judged.case, turn) for turn in _turns(seen, again)]
    doubt = ""
    if again and sum(one.verdict == "fail" for one in turns) < _times(judged):
        doubt = f"; not so when it was read again on a connection of its own{_then(judged, again)}"
    elif (
        shared
        and not again
        and ((judged.case.clause.again and _is_shown_as_found(judged)) or _surplus(exchanges))
    ):
        doubt = "; not read again on a connection of its own"
    if not doubt and any(_may_be_left_over(answer, exchanges) for answer in _decisive(judged)):
        place = "the answer it rests on is not the first on its connection"
        doubt = f"; {place}, and was followed by bytes that are no part of it"
    if not doubt:
        return judged
    surplus = _surplus(exchanges)
    told = f"; surplus bytes followed {surplus} of {len(exchanges)} answers of the run" if surplus else ""
    return replace(judged, verdict="inconclusive", message=f"{judged.message}{doubt}{told}")


def _surplus(exchanges: Iterable[Exchange]) -> int:
    """How many answers were followed by bytes that are no part of them; it takes a look at each."""
    return sum(bool(exchange.response and exchange.response.surplus_bytes) for exchange in exchanges)


def _wanted_by(judged: Judged, seen: View) -> list[Group | int]:
    """What would tell more of a case: what its check wants, and the reads that a finding rests on, again."""
    if judged.verdict != "fail":
        return [*judged.wanted]
    shared = _shared_reads(judged, seen).values()
    valued = {answer.key for answer in shared if answer.has_value}
    # that one segment gives no value tells nothing of the value under the other
    telling = [answer for answer in shared if answer.has_value or answer.key not in valued]
    again = (answer.n for answer in telling if len(_read_again(seen, answer)) < _times(judged))
    return [*judged.wanted, *again]


def _times(judged: Judged) -> int:
    """How often a finding is asked again: as often as it has to come again, and once at least."""
    return max(judged.case.clause.again, 1)


def _of_silent_keys(seen: View) -> Iterable[Group | int]:
    """What would tell how the keys without a value stand, also where no case is about them."""
    trail = Trail()
    looking = seen.along(trail)
    for (_, key), answer in seen.reads.items():
        if key not in seen.learned.served:
            resolve(looking, CATALOG.entries[key], answer)
    return trail.wanted


def _told(seen: View, more: Group | int, generated: Generated) -> object:
    """What changes when a procedure has brought anything, or a request is made again in another way."""
    if isinstance(more, int) and more in generated:
        return generated[more]
    group = more if isinstance(more, Group) else _group_of(seen, more)
    return group and (len(seen.made.get(group, ())), len(seen.remarks.get(group, ())))


def _asked_again(seen: View, more: Group | int, generated: Generated) -> Procedure:
    """What a check wants; nothing where it is a request that this run has not made."""
    if isinstance(more, Group):
        cause = generated.get((seen.appliance.ha_id, more))
        yield from cause(seen) if cause else asked_again(seen, more)
    elif again := generated.get(more):
        yield from again(seen)
    elif group := _group_of(seen, more):
        yield from read_again(seen, group)


def _group_of(seen: View, number: int) -> Group | None:
    """The procedure in which the shared read of a number is made again."""
    return next((answer.again for answer in seen.reads.values() if answer.n == number), None)


def _shared_reads(judged: Judged, seen: View) -> dict[tuple[str, str], Answer]:
    """The shared reads that a case rests on, by segment and key, unless it rests on later ones instead.

    A finding that a shared read shows is about what was found: no later read stands for that one.
    """
    own = [answer for answer in judged.rests_on if answer.ha_id == seen.appliance.ha_id]
    shared = {answer.place: answer for answer in own if answer.exchange.group is None}
    is_as_found = _is_shown_as_found(judged)
    for answer in own:
        group, first = answer.exchange.group, shared.get(answer.place)
        # beside a value, what was read again does not stand for it
        is_beside = group and (is_as_found or group.kind is ProcedureKind.AGAIN)
        if group and first and not (is_beside and first.has_value):
            del shared[answer.place]
    return shared


def _is_shown_as_found(judged: Judged) -> bool:
    """Whether a shared read shows a finding."""
    return judged.shown is not None and judged.shown.exchange.group is None


def _read_again(seen: View, answer: Answer) -> list[Answer]:
    """What the place of a shared read answered again."""
    return [read for read in seen.made.get(answer.again, ()) if read.place == answer.place]


def _then(judged: Judged, again: Mapping[tuple[str, str], Sequence[Answer]]) -> str:
    """What was answered then to the request that a finding rests on, in words; empty where that is alike."""
    reads = again.get(judged.shown.place, ()) if judged.shown else ()
    if not (reads and judged.shown) or (reads[-1].has_value and same(reads[-1].value, judged.shown.value)):
        return ""
    return f": then {quoted(reads[-1].value) if reads[-1].has_value else reads[-1].words}"


def _turns(seen: View, again: Mapping[tuple[str, str], Sequence[Answer]]) -> Iterator[View]:
    """The appliance with the first, the second, ... of the new answers in place of the shared ones."""
    for turn in range(max(map(len, again.values()), default=0)):
        now = {place: reads[min(turn, len(reads) - 1)] for place, reads in again.items()}
        yield replace(seen, reads={**seen.reads, **now})


def _decisive(judged: Judged) -> list[Answer]:
    """The answers of a finding that are no shared reads; those are read again."""
    shown = [answer for answer in (judged.shown, *judged.beside) if answer is not None]
    return [answer for answer in shown if answer.exchange.group is not None]


def _may_be_left_over(answer: Answer, exchanges: Sequence[Exchange]) -> bool:
    """Whether an answer may consist of bytes left over from an earlier one on its connection."""
    response = answer.exchange.response
    if response is None or not response.surplus_bytes:
        return False
    same = [one for one in exchanges if one.response and one.response.connection == response.connection]
    first = min(same, key=lambda exchange: (exchange.at, exchange.n), default=answer.exchange)
    return first.n != answer.n
