"""Procedures of one appliance that nothing couples, made in turns: all of them pause at the same time."""

import heapq
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from conformance.checks.answer import Answer
from conformance.checks.groups import Group
from conformance.checks.traces.quiet import Effects
from conformance.checks.view import View
from conformance.harness.steps import Ask, Handing, Part, Pause, Step
from conformance.harness.wire.messages import Wanted
from conformance.harness.writes.procedures.model import WriteProcedure

_MOST, _MOST_IGNORED = 12, 36
"""Procedures made together, at most: what one of them has read before is to be true when it writes.

They may be more where all that they write must have no effect.
"""


@dataclass(slots=True)
class _Member:
    """One procedure of a batch: what it is told next, and its result once it has ended."""

    steps: Part[bool]
    told: Answer | Exception | None = None
    result: bool | Exception = True

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


@dataclass(slots=True)
class Handover:
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
    procedures: Iterable[Part[bool]], effects: Effects, handover: Handover
) -> Part[list[bool | Exception]]:
    """Makes some procedures in turns, each request on its own; `effects` learns from what comes.

    A read that several ask for in the same turn is made once, for all of them; when all of them pause, the
    shortest pause is waited for.

    Returns: for each whether everything came as it should, or what broke it.
    """
    members = [_Member(steps) for steps in procedures]
    ready, paused, clock = list(members), list[tuple[float, int]](), 0.0
    while ready or paused:
        asked: list[tuple[_Member, Ask]] = []
        for member in ready:
            step = yield from _advanced(member)
            if isinstance(step, Ask):
                asked.append((member, step))
            elif step is not None:
                is_quiet = step.is_quiet or (step.for_wrong and effects.has_stayed)
                seconds = effects.quiet_s(step.seconds) if is_quiet else step.seconds
                heapq.heappush(paused, (clock + seconds, members.index(member)))
        for ask, waiting in _shared(asked):
            told = yield from handover.answered(ask)
            if not isinstance(told, Exception):
                effects.note(told)
            for member in waiting:
                member.told = told
        ready = [member for member, _ in asked]
        if not ready and paused:
            yield Pause(paused[0][0] - clock)
            clock = paused[0][0]
            while paused and paused[0][0] <= clock:
                ready.append(members[heapq.heappop(paused)[1]])
    return [member.result for member in members]


def _advanced(member: _Member) -> Part[Ask | Pause | None]:
    """The next request or pause of a member; None at its end."""
    step = member.advance()
    while step is not None and not isinstance(step, Ask | Pause):
        yield step
        step = member.advance()
    return step


def _told(ask: Ask) -> Part[Answer | Exception]:
    """What came of a request."""
    try:
        return (yield ask)
    except Exception as error:  # noqa: BLE001  those that wait for it have to know
        return error


def _shared(asked: Sequence[tuple[_Member, Ask]]) -> Iterator[tuple[Ask, list[_Member]]]:
    """The requests of one turn, alike reads once, each with those that wait for it."""
    waiting: dict[Ask | int, tuple[list[_Member], list[Ask]]] = {}
    for member, ask in asked:
        alike = replace(ask, group=None) if ask.wanted.method == "GET" else id(ask)
        members, asks = waiting.setdefault(alike, ([], []))
        members.append(member)
        asks.append(ask)
    for members, asks in waiting.values():
        also = dict.fromkeys(ask.group for ask in asks[1:] if ask.group and ask.group != asks[0].group)
        yield replace(asks[0], also=tuple(also)), members


def batches_of(procedures: Iterable[WriteProcedure], seen: View) -> list[list[WriteProcedure]]:
    """Procedures in their order, those together that may be made together."""
    batches: list[list[WriteProcedure]] = []
    for procedure in procedures:
        batch = next((batch for batch in batches if _may_join(procedure, batch, seen)), None)
        if batch is None:
            batches.append([procedure])
        else:
            batch.append(procedure)
    return batches


def _may_join(procedure: WriteProcedure, batch: Sequence[WriteProcedure], seen: View) -> bool:
    if not procedure.is_shareable:
        return False
    if procedure.is_to_be_ignored and batch[0].is_to_be_ignored:
        is_apart = not any(set(procedure.writes) & set(other.writes) for other in batch)
        return is_apart and len(batch) < _MOST_IGNORED
    return (
        len(batch) < _MOST
        and procedure.kind is batch[0].kind
        and not any(procedure.disturbs(other, seen) or other.disturbs(procedure, seen) for other in batch)
    )


def to_make_alone(
    batch: Sequence[WriteProcedure], results: Sequence[bool | Exception], seen: View
) -> list[WriteProcedure]:
    """Those of a batch that came otherwise than they should, and those that they may have disturbed."""
    odd = [one for one, result in zip(batch, results, strict=True) if result is False]
    return [one for one in batch if one in odd or any(other.disturbs(one, seen) for other in odd)]
