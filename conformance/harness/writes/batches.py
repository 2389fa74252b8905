"""Procedures of one appliance that nothing couples, made in turns: all of them pause at the same time."""

import heapq
from collections.abc import Iterable, Iterator, Sequence
from itertools import repeat

from msgspec import Struct, field
from msgspec.structs import replace

from conformance.checks.answer import Answer
from conformance.checks.groups import Group
from conformance.checks.traces.quiet import Effects
from conformance.checks.view import View
from conformance.harness.reads.gets import apart
from conformance.harness.steps import Ask, Handing, Part, Pause, Step
from conformance.harness.wire.messages import Wanted
from conformance.harness.writes.procedures.model import WriteProcedure
from conformance.model.couplings import controllers_of
from conformance.model.state_table import SWITCHES

_MOST, _MOST_IGNORED = 12, 72
"""Procedures made together, at most: what one of them has read before is to be true when it writes.

They may be more where all that they write must have no effect.
"""


class _Member(Struct):
    """One procedure of a batch: what it is told next, and its result once it has ended.

    It begins when nothing is left of `after`: the numbers of the members that are still to write before it.
    """

    steps: Part[bool]
    after: set[int]
    told: Answer | Exception | None = None
    result: bool | Exception = False

    def advance(self) -> Step | None:
        """The next step; None at its end."""
        told, self.told = self.told, None
        try:
            if isinstance(told, Exception):
                return self.steps.throw(told)
            return next(self.steps) if told is None else self.steps.send(told)
        except StopIteration as end:
            self.result = end.value is True
        except Exception as error:  # noqa: BLE001  the others go on
            self.result = error
        return None


class Handover(Struct):
    """What the procedures made last in a lane have read at their end, for those that come next.

    Attributes:
        to: the procedures that come next.
        left: the answers, each with the procedures that it is for; none where something was written since.
    """

    to: tuple[Group, ...] = ()
    left: dict[Wanted, tuple[Answer, tuple[Group, ...]]] = field(
        default_factory=dict["Wanted", "tuple[Answer, tuple[Group, ...]]"]
    )

    def answered(self, ask: Ask) -> Part[Answer | Exception]:
        """What comes of a request, or came of it when it was left."""
        answer, groups = self.left.get(ask.wanted, (None, ()))
        if answer and ask.handing is Handing.TAKEN and {ask.group, *ask.also} <= {*groups}:
            return answer
        if ask.wanted.method != "GET":
            self.left.clear()
        if ask.handing is not Handing.LEFT:
            return (yield from _told(ask))
        told = yield from _told(replace(ask, also=(*ask.also, *self.to)))
        if not isinstance(told, Exception):
            self.left[ask.wanted] = told, self.to
        return told


def together(
    procedures: Iterable[Part[bool]],
    effects: Effects,
    handover: Handover,
    after: Iterable[Iterable[int]] = repeat(()),
) -> Part[list[bool | Exception]]:
    """Makes some procedures in turns, each request on its own; `effects` learns from what comes.

    A read that several ask for in the same turn is made once, for all of them; when all of them pause, the
    shortest pause is waited for. One that is to be made `after` others begins when they have nothing left to
    write, and is not made where one of them did not come as it should.

    Returns: for each whether everything came as it should, or what broke it.
    """
    members = [_Member(steps, {*earlier}) for steps, earlier in zip(procedures, after, strict=False)]
    ready = [number for number, member in enumerate(members) if not member.after]
    paused, clock = list[tuple[float, int, bool]](), 0.0
    while ready or paused:
        asked: list[tuple[int, Ask]] = []
        begun: list[int] = []
        for number in ready:
            step = yield from _advanced(members[number])
            if isinstance(step, Ask):
                asked.append((number, step))
            elif step is not None:
                heapq.heappush(paused, (clock + _length_of(step, effects), number, step.is_quiet))
            begun += _freed(members, number, step)
        for ask, waiting in _shared(asked):
            told = yield from _noted(ask, effects, handover)
            for number in waiting:
                members[number].told = told
        ready = [*(number for number, _ in asked), *begun]
        if not ready and paused:
            wakes, _, is_quiet = paused[0]
            yield Pause(wakes - clock, is_quiet=is_quiet)
            clock = wakes
            while paused and paused[0][0] <= clock:
                ready.append(heapq.heappop(paused)[1])
    return [member.result for member in members]


def _length_of(pause: Pause, effects: Effects) -> float:
    """How long a pause is by the effects that were seen, in seconds."""
    is_quiet = pause.is_quiet or (pause.for_wrong and effects.has_stayed)
    return effects.quiet_s(pause.seconds) if is_quiet else pause.seconds


def _freed(members: Sequence[_Member], over: int, step: Ask | Pause | None) -> Iterator[int]:
    """The members that waited for one alone, which by its step has nothing left to write."""
    if isinstance(step, Ask) or (isinstance(step, Pause) and not step.is_last):
        return
    if step is None and members[over].result is not True:
        return
    for number, member in enumerate(members):
        if over in member.after:
            member.after.discard(over)
            if not member.after:
                yield number


def _advanced(member: _Member) -> Part[Ask | Pause | None]:
    """The next request or pause of a member; None at its end."""
    step = member.advance()
    while step is not None and not isinstance(step, Ask | Pause):
        yield step
        step = member.advance()
    return step


def _noted(ask: Ask, effects: Effects, handover: Handover) -> Part[Answer | Exception]:
    """What comes of a request; one that shows new rules is made again, since a finding takes two."""
    told = yield from handover.answered(ask)
    if not isinstance(told, Exception):
        effects.note(told)
        if effects.has_new_rules(told):
            yield from _told(apart(ask))
    return told


def _told(ask: Ask) -> Part[Answer | Exception]:
    """What came of a request."""
    try:
        return (yield ask)
    except Exception as error:  # noqa: BLE001  those that wait for it have to know
        return error


def _shared(asked: Sequence[tuple[int, Ask]]) -> Iterator[tuple[Ask, list[int]]]:
    """The requests of one turn, alike reads once, each with the numbers of those that wait for it."""
    waiting: dict[object, tuple[list[int], list[Ask]]] = {}
    for number, ask in asked:
        alike = (ask.wanted, ask.purpose, ask.handing) if ask.wanted.method == "GET" else id(ask)
        members, asks = waiting.setdefault(alike, ([], []))
        members.append(number)
        asks.append(ask)
    for members, asks in waiting.values():
        also = dict.fromkeys(ask.group for ask in asks[1:] if ask.group and ask.group != asks[0].group)
        yield replace(asks[0], also=tuple(also)) if also else asks[0], members


def batches_of(procedures: Iterable[WriteProcedure], seen: View) -> list[list[WriteProcedure]]:
    """Procedures in their order, those together that may be made together; what moves most comes first.

    One that may be made beside all of a batch joins it; otherwise one whose end it need not wait for.
    """
    batches: list[list[WriteProcedure]] = []
    for procedure in _what_moves_most_first([*procedures], seen):
        open_to = [batch for batch in batches if _has_room(procedure, batch, seen)]
        may_join = (
            batch
            for goes in (_goes_beside, _may_follow)
            for batch in open_to
            if all(goes(procedure, other, seen) for other in batch)
        )
        found = next(may_join, None)
        if found is None:
            batches.append([procedure])
        else:
            found.append(procedure)
    return batches


def _what_moves_most_first(procedures: Sequence[WriteProcedure], seen: View) -> list[WriteProcedure]:
    """Within their turns those first that many others wait for; last, where what they move is left so."""
    needed = [one.rests_on(seen) for one in procedures if one.is_followed]

    def place(one: WriteProcedure) -> tuple[int, int]:
        return one.turn, -sum(not needs.isdisjoint(one.writes) for needs in needed) * one.is_followed

    ordered = sorted(procedures, key=place)
    return [*(one for one in ordered if not one.is_left), *(one for one in reversed(ordered) if one.is_left)]


def _has_room(procedure: WriteProcedure, batch: Sequence[WriteProcedure], seen: View) -> bool:
    is_ignored = procedure.is_to_be_ignored(seen) and all(one.is_to_be_ignored(seen) for one in batch)
    is_alike = procedure.kind is batch[0].kind
    if not procedure.is_shareable or procedure.group.alone or not (is_ignored or is_alike):
        return False
    return len(batch) < (_MOST_IGNORED if is_ignored else _MOST)


def _goes_beside(procedure: WriteProcedure, other: WriteProcedure, seen: View) -> bool:
    """Whether two procedures may write at the same time."""
    if procedure.is_to_be_ignored(seen) and other.is_to_be_ignored(seen):
        return set(procedure.writes).isdisjoint(other.writes)
    return not (procedure.disturbs(other, seen) or other.disturbs(procedure, seen))


def _may_follow(procedure: WriteProcedure, earlier: WriteProcedure, seen: View) -> bool:
    """Whether a procedure may begin at the latest when an earlier one has nothing left to write.

    What shows another value while the earlier one writes may still do so then; a switch shows its own.
    """
    shown = {key for key in procedure.writes if key not in SWITCHES}
    moved = any(not controllers_of(seen.catalog, key).isdisjoint(earlier.writes) for key in shown)
    is_free = earlier.is_followed and not moved and earlier.looks_at(seen).isdisjoint(procedure.writes)
    return is_free or _goes_beside(procedure, earlier, seen)


def turns_of(batch: Sequence[WriteProcedure], seen: View) -> list[list[int]]:
    """For each procedure of a batch the numbers of those that are to have written before it begins."""
    return [
        [earlier for earlier in range(number) if not _goes_beside(one, batch[earlier], seen)]
        for number, one in enumerate(batch)
    ]


def to_make_alone(
    batch: Sequence[WriteProcedure], results: Sequence[bool | Exception], seen: View
) -> list[WriteProcedure]:
    """Those of a batch that came otherwise than they should, and those that they may have disturbed.

    What wrote before them, or after them, has come as it should beside what they left.
    """
    odd = [one for one, result in zip(batch, results, strict=True) if result is False]
    return [
        one
        for one in batch
        if one in odd or any(_goes_beside(one, other, seen) and other.disturbs(one, seen) for other in odd)
    ]
