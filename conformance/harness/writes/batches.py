"""Procedures of one appliance that are made together, and those of them that are to be made again.

Nothing couples what those of a batch write. What came otherwise than it should is made again as a whole and
alone, with each write waited for, until the judge of the run calls it certain, or it is gone. What is judged
then is that alone (`View.group`). This is the one place where a run decides that for writes.

When everything of a batch was answered and put back, the ledger says so in a line of its own: a run that goes
on from an interrupted one takes what that has made, and makes the rest. What a batch had sent before it was
cut short counts for nothing: it is made again from its beginning.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Self, TypeAlias, TypeVar, cast

from msgspec import Struct
from msgspec.structs import replace
from pydantic import JsonValue

from conformance.checks.answer import Answer, Outcome
from conformance.checks.exchange import WRITES, Exchange, Remark
from conformance.checks.groups import PREPARE, Group, Sends
from conformance.checks.reads.tries import odds
from conformance.checks.remarks import groups_of, read_of
from conformance.checks.traces.effects import Effect, effect_of, shows_as_before
from conformance.checks.traces.trace import trace_of
from conformance.checks.view import View
from conformance.checks.writes.judging import TIMES
from conformance.harness.reads.repeats import tries_ended
from conformance.harness.writes.procedures.model import Stage, WriteProcedure
from conformance.harness.writes.procedures.scripts import Played, Scripted
from conformance.model.json_values import same


class Batch(Struct, frozen=True):
    """Procedures of one appliance that were made together.

    Attributes:
        ha_id: the appliance.
        groups: the procedures, in their order.
        again: those that have to be made again alone.
    """

    ha_id: str
    groups: tuple[Group, ...]
    again: tuple[Group, ...] = ()

    @property
    def remark(self) -> Remark:
        """The line of the ledger that says that it was made."""
        members = {"made": self.groups, "again": self.again}
        note: dict[str, JsonValue] = {
            name: [str(one) for one in members[name]] for name in members if members[name]
        }
        return Remark("made", self.groups[0], self.ha_id, "*", note)

    @classmethod
    def of(cls, remark: Remark) -> Self:
        """The batch that a remark speaks of."""
        note = cast("dict[str, list[str]]", remark.note)
        made, again = (tuple(map(Group.parse, note.get(name, ()))) for name in ("made", "again"))
        return cls(remark.ha_id, made, again)


@dataclass
class KeptBatches:
    """The batches that an earlier run has made, with what was sent and noted for them.

    One that was made with a read of another batch is kept only with that.
    """

    exchanges: Sequence[Exchange] = ()
    remarks: Sequence[Remark] = ()
    _made: dict[tuple[str, tuple[Group, ...]], Batch] = field(init=False)
    _sent: Mapping[tuple[str, Group], list[Exchange]] = field(init=False)

    def __post_init__(self) -> None:
        self._made, self._sent = {}, defaultdict(list)
        for exchange in self.exchanges:
            if exchange.group:
                self._sent[exchange.lane, exchange.group].append(exchange)
        asked = {exchange.n: (exchange.lane, exchange.group) for exchange in self.exchanges}
        whole = {(remark.ha_id, PREPARE) for remark in self.remarks}
        needed: dict[tuple[str, Group | None], set[tuple[str, Group | None] | None]] = defaultdict(set)
        for remark in self.remarks:
            if remark.purpose == "known":
                for group in groups_of(remark):
                    needed[remark.ha_id, group].add(asked.get(read_of(remark)))
            elif remark.purpose == "made":
                batch = Batch.of(remark)
                own = {(batch.ha_id, group) for group in batch.groups}
                if all(needed[place] <= whole | own for place in own):
                    whole |= own
                    self._made[batch.ha_id, batch.groups] = batch

    def made(self, ha_id: str, groups: Iterable[Group]) -> Batch | None:
        """The batch of these procedures, where the earlier run has made it."""
        return self._made.get((ha_id, tuple(groups)))

    def begun_with(self, ha_id: str, first: Group, groups: Iterable[Group]) -> Batch | None:
        """The batch that begins with this group and has all others, where the earlier run has made it."""
        begun = (one for one in self._made.values() if (one.ha_id, one.groups[0]) == (ha_id, first))
        return next((one for one in begun if {*groups}.issubset(one.groups)), None)

    def sent(self, batch: Batch) -> Iterator[Exchange]:
        """What was sent for a batch, in its order; what it left to one that was not made is for none."""
        made = {group for ha_id, groups in self._made for group in groups if ha_id == batch.ha_id}
        found = {one.n: one for group in batch.groups for one in self._sent[batch.ha_id, group]}
        for number in sorted(found):
            first, *others = found[number].groups
            yield replace(found[number], groups=(first, *(group for group in others if group in made)))

    def noted(self, batch: Batch) -> Iterator[Remark]:
        """What was noted for a batch, in its order."""
        return (one for one in self.remarks if one.ha_id == batch.ha_id and one.group in batch.groups)

    def forget(self, ha_id: str, *groups: Group) -> None:
        """Has procedures made anew, whatever the earlier run has made of them."""
        for place in [*self._made]:
            if place[0] == ha_id and not {*groups}.isdisjoint(place[1]):
                del self._made[place]


_MOST, _MOST_IGNORED = 12, 72
"""Procedures made together, at most: what one of them has read before is to be true when it writes.

There may be more of those whose writes must all have no effect.
"""

_ALLOWED: Final = Sends.WRITES_ALLOWED
_One = TypeVar("_One", bound=WriteProcedure)


def batches_of(procedures: Iterable[_One], seen: View) -> list[list[_One]]:
    """Procedures in their order, those together that may write at the same time."""
    batches: list[list[_One]] = []
    for procedure in sorted(procedures, key=lambda one: one.turn):
        open_to = (batch for batch in batches if _has_room(procedure, batch))
        may_join = (batch for batch in open_to if all(_goes_beside(procedure, one, seen) for one in batch))
        found = next(may_join, None)
        if found is None:
            batches.append([procedure])
        else:
            found.append(procedure)
    return batches


def _has_room(procedure: WriteProcedure, batch: Sequence[WriteProcedure]) -> bool:
    moving = [one for one in (procedure, *batch) if not one.is_to_be_ignored()]
    is_alike = procedure.kind.sends is batch[0].kind.sends
    is_shared = not any(one.group.alone for one in (procedure, *batch))
    return is_alike and is_shared and len(moving) <= _MOST and len(batch) < _MOST_IGNORED


def _goes_beside(procedure: WriteProcedure, other: WriteProcedure, seen: View) -> bool:
    """Whether two procedures may write at the same time: what must have no effect disturbs nothing.

    Of two that write the same setting, one may undo unseen what the other was not to store.
    """
    pair = (procedure, other), (other, procedure)
    moves = any(not one.is_to_be_ignored() and one.disturbs(beside, seen) for one, beside in pair)
    return not moves and set(procedure.writes).isdisjoint(other.writes)


def scripts_of(batch: Collection[WriteProcedure], stage: Stage) -> list[Played]:
    """The scripts of a batch, of which nothing is sent yet."""
    is_single = len(batch) == 1
    return [
        Played(
            one,
            stage,
            is_patient=one.group.alone or one.is_patient,
            goes_on=is_single and one.kind.sends is _ALLOWED,
        )
        for one in batch
        if isinstance(one, Scripted)
    ]


IsOpen: TypeAlias = Callable[[View, Group], bool]
"""Whether a case of an appliance that rests on a procedure is neither certain nor gone."""


class Unsure:
    """Says what is to be made again.

    Attributes:
        doubted: by haId and procedure what came of its last play that may be the doing of somebody else: what
            was written, or shown first of another appliance, and the read that shows it.
    """

    def __init__(self, view: Callable[[str], View], is_open: IsOpen) -> None:
        """`view` is what was seen of an appliance so far; `is_open` asks the judge of the run."""
        self._view = view
        self._is_undecided = is_open
        self.doubted: dict[tuple[str, Group], tuple[object, Answer]] = {}

    def of(self, made: Iterable[Played], seen: View, plays: int) -> list[WriteProcedure]:
        """Those of a batch that are to be made again after so many `plays`, or that these may have disturbed.

        `seen` is the appliance as it was known before.
        """
        made = [*made]
        odd = [one for one in made if self._is_open(one, seen.appliance.ha_id, plays)]
        return [
            one.procedure
            for one in made
            if any(other is one or other.procedure.disturbs(one.procedure, seen) for other in odd)
        ]

    def _is_open(self, one: Played, ha_id: str, plays: int) -> bool:
        """Whether one came otherwise than it should and was cut short by that, or would tell more."""
        if one.error or (ha_id, one.procedure.group) in self.doubted:
            return one.error is None
        if one.is_well or not one.is_patient:
            return not one.is_well
        return self._is_undecided(self._view(ha_id), one.group) and plays < self._most_plays(one)

    def _most_plays(self, one: Played) -> int:
        """How often a script is played at most.

        A server error is a refusal only where it comes back so often that chance does not explain it; where a
        refusal convicts nobody, that need not be known.
        """
        answers = self._answers(one)
        now = odds(one.seen, answers)
        is_to_be_known = any(one.procedure.convicts(one.seen, key) for key in _met_by_errors(answers))
        return max(TIMES, now.needed) if is_to_be_known and now.is_within_budget else TIMES

    def tries_ended(self, made: Iterable[Played]) -> Iterator[Remark]:
        """How often writes were tried that met errors, where these are not made again."""
        for one in made:
            if one.is_patient:
                answers = self._answers(one)
                for key, tries in _met_by_errors(answers).items():
                    yield tries_ended(one.seen, one.group, key, tries, answers)

    def _answers(self, one: Played) -> Sequence[Answer]:
        """All that came of a procedure, however often it was made."""
        return self._view(one.seen.appliance.ha_id).made.get(one.group, ())


def odd_in(one: Played) -> tuple[object, Answer] | None:
    """What came otherwise than it should, and may be the doing of somebody else.

    It is what was written, or what another appliance showed first, and the read that shows something else.
    What met an error shows nothing.
    """
    found: tuple[object, Answer] | None = None
    told = [each for each in one.answers if each.is_write or each.has_value]
    for attempt in trace_of(told):
        effect, before, read = effect_of(one.seen, attempt), attempt.old_read(), attempt.last_read()
        is_dropped = effect is Effect.REVERTED or (attempt.is_acknowledged and effect is not Effect.TOOK)
        has_moved = effect is Effect.OTHER and before and read and not shows_as_before(before, read)
        if read and (is_dropped or has_moved):
            found = attempt.value, read
    first: dict[tuple[str, str], Answer] = {}
    for read in told:
        if read.ha_id != one.seen.appliance.ha_id:
            then = first.setdefault((read.ha_id, read.key), read)
            found = found if shows_as_before(then, read) else (then.value, read)
    return found


def has_taken_all(one: Played) -> bool:
    """Whether all that a script is about took another value that was written to it, and kept it."""
    changes = (each for each in trace_of(one.answers) if not same(each.value, each.old()))
    took = {each.key for each in changes if effect_of(one.seen, each) is Effect.TOOK}
    return took.issuperset(one.procedure.writes)


def was_refused(one: WriteProcedure, seen: View, answers: Iterable[Answer], *, throughout: bool) -> bool:
    """Whether a write was refused that the appliance claims to take, or `throughout` each one of its key.

    Where a light is locked, a conforming appliance refuses some of them, and takes the others.
    """
    writes = [answer for answer in answers if answer.is_write and one.kind.sends is _ALLOWED]
    refused = {answer.key for answer in writes if answer.outcome is Outcome.REFUSED}
    others = {answer.key for answer in writes if throughout and answer.outcome is not Outcome.REFUSED}
    return isinstance(one, Scripted) and any(one.convicts(seen, key) for key in refused - others)


def _met_by_errors(answers: Iterable[Answer]) -> dict[str, int]:
    """How often the keys were written of which a write was met by a server error."""
    writes = [answer for answer in answers if answer.exchange.purpose in WRITES]
    often = Counter(answer.exchange.key for answer in writes)
    return {one.exchange.key: often[one.exchange.key] for one in writes if one.outcome is Outcome.SERVERERR}
