"""The procedures of one appliance in their order, each in a state in which it shows something.

    as found     forbidden writes that a state touches: what a state excuses, it does not excuse being stored
    cleared      locks off, power on, cooling modes off, lights on, as far as that is in the way
    particular   a preset, CustomColor, the colour temperature custom, each for those that need it, and the
                 forbidden writes of what that locks
    locked       a few of what is still free: under a colour that is chosen to lock it; what has a range, and
                 one setting of each other type, in a cooling mode and in the dark; one of each in standby
    walk         the power states, last, as they disturb most

A prepared state is given up at the end in any case, and in between where it would last too long: by what a
procedure has taken so far, fewer are made together, and what is left is made once the state is prepared anew.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field

from catalog.loader import CATALOG
from catalog.model import Level
from conformance.checks.groups import ProcedureKind, Purpose
from conformance.checks.view import View, with_reads
from conformance.harness.writes.asking import Lane
from conformance.harness.writes.batches import batches_of
from conformance.harness.writes.preparing import Locking, Preparation, ending_value, endings, locking
from conformance.harness.writes.procedures.model import WriteProcedure
from conformance.harness.writes.procedures.power import PowerWalk
from conformance.model.couplings import KEEPING_ALL
from conformance.model.json_values import same
from conformance.model.state_table import (
    SHOWING_A_STATE,
    SHOWING_WHO_ACTS,
    STATED,
    EndedAt,
    StateId,
    ended_at,
)
from conformance.model.states import range_exempting_state
from conformance.model.ways import CLEARING, PARTICULAR


@dataclass
class Conducting:
    """Makes the procedures of one appliance.

    Attributes:
        lane: where they are made; it knows the appliance as it is now.
        level: what the run may do.
        make: makes a batch; its result are those of it that have to be made again alone.
        enter: prepares a state.
        leave: gives up the state that was prepared last; it is told how the appliance was seen before that.
    """

    lane: Lane
    level: Level
    make: Callable[[list[WriteProcedure]], list[WriteProcedure]]
    enter: Callable[[Preparation], None]
    leave: Callable[[View], None]
    _layers: list[tuple[Preparation, View]] = field(default_factory=list[tuple[Preparation, View]])
    _since: float = 0.0
    _preparing_s: float = 0.0
    _took_s: dict[ProcedureKind, float] = field(default_factory=dict["ProcedureKind", float])

    def conduct(self, procedures: Iterable[WriteProcedure]) -> None:
        """Makes those procedures that the appliance serves, some of them only in a prepared state."""
        seen = self.lane.seen
        writing = [one for one in procedures if one.is_served(seen) or one.may_be_hidden(seen)]
        as_found = [one for one in writing if one.is_made_as_found and self._can_be_ended(one)]
        touched = [one.named(as_found=True) for one in as_found]
        try:
            if endings(seen, writing, self.level, CLEARING):
                self._make(touched)
                touched = []
                self._prepare(Preparation(writing, self.level, CLEARING))
            apart = self._in_particular(writing)
            rest = [one for one in writing if one not in apart]
            self._make([*(one for one in rest if not isinstance(one, PowerWalk)), *touched])
            free = [
                one
                for one in writing
                if one.is_made_as_found and self._has_rule(one) and not self._is_locked(one)
            ]
            if apart:
                self._prepare(Preparation(apart, self.level, PARTICULAR))
                locked = [one for one in free if self._is_locked(one)]
                self._make([*apart, *(one.named(locked=True) for one in locked)])
                self._give_up()
                free = [one for one in free if one not in locked]
            self._make_locked(free, PARTICULAR)
            guards = [one for one in writing if one.kind is ProcedureKind.GUARD and not self._has_rule(one)]
            never = [one for one in guards if one not in as_found]
            ranged = [one for one in never if Purpose.OUTSIDE in one.purposes]
            self._make_locked(
                [*ranged, *self._one_of_each_type(one for one in never if one not in ranged)],
                ended_at(EndedAt.MODE, EndedAt.LIGHT),
            )
            self._make_locked(self._one_of_each_type(never), ended_at(EndedAt.POWER))
            self._make([one for one in rest if isinstance(one, PowerWalk)])
        finally:
            self._give_up_all()

    def _can_be_ended(self, procedure: WriteProcedure) -> bool:
        """Whether a state that touches a procedure now may be ended."""
        states = procedure.touched_by(self.lane.seen)
        return any(ending_value(self.lane.seen, state, self.level) is not None for state in states)

    def _make_locked(self, procedures: Sequence[WriteProcedure], states: Collection[StateId]) -> None:
        """Makes forbidden writes once more, in a state of some that locks what they write."""
        if chosen := locking(self.lane.seen, procedures, self.level, states):
            self._prepare(Locking(procedures, self.level, chosen))
            locked = [one for one in procedures if self._is_locked(one, states)]
            kept = [one for one in locked if not range_exempting_state(self.lane.seen, one.writes[0])]
            self._make([one.named(locked=True) for one in kept])
            self._give_up()

    def _has_rule(self, procedure: WriteProcedure) -> bool:
        """Whether a rule of the document locks at times what a procedure writes."""
        return any(key in STATED for key in procedure.writes)

    def _is_locked(self, procedure: WriteProcedure, states: Collection[StateId] = PARTICULAR) -> bool:
        """Whether one of some states locks what a procedure writes now: one that clauses are about."""
        return any(state.id in states for state in procedure.touched_by(self.lane.seen))

    def _one_of_each_type(self, procedures: Iterable[WriteProcedure]) -> list[WriteProcedure]:
        """The first procedure for each data type of what they write, but for what is a state itself."""
        entries = CATALOG.entries
        found: dict[str, WriteProcedure] = {}
        for one in procedures:
            if one.writes[0] not in KEEPING_ALL:
                found.setdefault(entries[one.writes[0]].type, one)
        return [*found.values()]

    def _in_particular(self, procedures: Iterable[WriteProcedure]) -> list[WriteProcedure]:
        """The procedures that need nothing but states ended that clauses are about.

        No two of them need one setting in two states: of these states one holds, and the other one hinders
        nothing now.
        """
        seen = self.lane.seen
        hindered = ((one, one.hindered_by(seen)) for one in procedures)
        ended = ((one, by, endings(seen, [one], self.level, PARTICULAR)) for one, by in hindered if by)
        return [one for one, by, found in ended if len(found) == len(by)]

    def _make(self, procedures: Sequence[WriteProcedure]) -> None:
        """Makes procedures in batches, and those alone that came otherwise than they should."""
        served = [one for one in procedures if one.is_served(self.lane.seen)]
        for batch in batches_of(served, self.lane.seen):
            waiting = batch
            while waiting:
                part = self._fitting(waiting)
                waiting = waiting[len(part) :]
                odd = self._timed(part)
                for one in (one for one in odd if not one.group.alone):
                    self._timed(self._fitting([one.named(alone=True)]))

    def _timed(self, batch: list[WriteProcedure]) -> list[WriteProcedure]:
        began = self.lane.clock.now()
        again = self.make(batch)
        for kind, many in Counter(one.kind for one in batch).items():
            self._took_s[kind] = max(self._took_s.get(kind, 0.0), (self.lane.clock.now() - began) / many)
        return again

    def _fitting(self, batch: list[WriteProcedure]) -> list[WriteProcedure]:
        """The first of a batch, as many as may be made before what is prepared has lasted too long.

        One of a kind takes as long as those before did; the first one, as long as preparing did, and so does
        giving up. Where not even one has time, everything is prepared anew.
        """
        if not self._layers:
            return batch
        each_s = max(self._took_s.get(one.kind, self._preparing_s) for one in batch)
        if self._left_s < each_s:
            self._renew()
        return batch[: max(1, int(self._left_s / each_s))] if each_s else batch

    def _prepare(self, preparation: Preparation) -> None:
        if not self._layers:
            self._since = self.lane.clock.now()
        began = self.lane.clock.now()
        self._layers.append((preparation, self.lane.seen))
        self.enter(preparation)
        self._preparing_s = max(self._preparing_s, self.lane.clock.now() - began)

    def _give_up(self) -> None:
        _, before = self._layers.pop()
        try:
            self.leave(before)
        finally:  # also where a signal ends that
            self.lane.seen = before

    def _give_up_all(self) -> None:
        if self._layers:
            try:
                self._give_up()
            finally:
                self._give_up_all()

    def _renew(self) -> None:
        """Gives up what is prepared, and prepares it anew."""
        layers = list(self._layers)
        self._give_up_all()
        for preparation, _ in layers:
            self._prepare(preparation)

    @property
    def _left_s(self) -> float:
        """How long what is prepared may still last before it is to be given up, in seconds."""
        write = self.lane.seen.profile.write
        most = write.max_prepared_s if write else 0.0
        return most - self._preparing_s - (self.lane.clock.now() - self._since)


def as_read_last(seen: View) -> View:
    """The appliance with what was read last of its states: one may have come or gone while it was read.

    What gave no value when it was read first stays so: that is what the procedures are made of.
    """
    showing = {*SHOWING_WHO_ACTS, *SHOWING_A_STATE}
    later = {
        one.place: one
        for one in seen.told
        if one.key in showing and one.has_value and one.exchange.purpose in {"read", "repeat"}
    }
    known = {place: first for place, first in seen.reads.items() if first.has_value}
    moved = [
        one
        for place, one in later.items()
        if (first := known.get(place)) and first.n < one.n and not same(first.value, one.value)
    ]
    return with_reads(seen, moved) if moved else seen
